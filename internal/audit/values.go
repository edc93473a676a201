package audit

import (
	"context"
	"fmt"

	"kilter/internal/model"
	"kilter/internal/numeric"
)

// judge turns what the pass found in the tensors into findings.
func (a *audit) judge(ctx context.Context) {
	if a.opts.NoValues {
		a.rep.skipped(Values, "--no-values")
		a.rep.skipped(Scales, "--no-values")
		a.rep.uncovered("values: --no-values")
		return
	}
	a.located = make(map[Code]int)
	a.inHole = make(map[int]bool)
	a.holes(ctx)
	for i := range a.subjects {
		switch r := &a.readings[i]; {
		case !r.scanned:
		case a.subjects[i].class == scale:
			a.judgeScale(ctx, i, r)
		case a.subjects[i].class != index:
			a.judgeWeight(ctx, i, r)
		}
	}
	a.magnitudes()
	a.rows()
	a.identical(ctx)
	a.fusedScales()
	a.tellCoverage()
}

// judgeWeight judges one tensor by itself.
func (a *audit) judgeWeight(ctx context.Context, i int, r *reading) {
	t, s := a.c.Tensors.At(i), &a.subjects[i]
	nan, inf, is := CodeNaNValue, CodeInfValue, ""
	if isBlocks(s.scanAs) {
		nan, inf, is = CodeNaNScale, CodeInfScale, " (scales of blocks)"
	}
	if r.nan > 0 {
		a.wrongValues(ctx, nan, i, r.nan, isAre(r.nan)+" NaN"+is, isNaN)
	}
	if r.inf > 0 {
		a.wrongValues(ctx, inf, i, r.inf, isAre(r.inf)+" infinite"+is, isInf)
	}
	solid := s.class == matrix || s.class == codes || s.class == table
	switch {
	case a.inHole[i]:
	case solid && r.allZero:
		a.found.add(CodeZeroTensor, a.place(i, "all %s bytes are zero", group3(t.Length)))
	case solid && r.constant && t.Elements() > 1:
		p := a.place(i, "all %s values are the same", group3(t.Elements()))
		if r.values > 0 && r.largest > 0 {
			p.Says += fmt.Sprintf(", %.6g", r.value())
		}
		a.found.add(CodeConstant, p)
	}
}

// maxF16 is the largest value of float16.
const maxF16 = 65504

// tooLarge reports whether a tensor of a wider type has values that float16
// lacks.
func (a *audit) tooLarge(i int) bool {
	s := &a.subjects[i]
	return s.class != scale && s.class != index && a.readings[i].largest > maxF16 &&
		(s.scanAs == numeric.BF16 || s.scanAs == numeric.F32)
}

// rows reports zero and constant rows. Some models are padded: the same number
// of rows in most layers is meant.
func (a *audit) rows() {
	zero := func(r *reading) int64 { return r.zeroRows }
	same := func(r *reading) int64 { return max(0, r.constRows-r.zeroRows) }
	for _, kind := range []struct {
		code  Code
		count func(*reading) int64
		codes bool // judge codes too
		says  string
	}{
		{CodeZeroRows, zero, true, "are nothing but zeros"},
		{CodeConstRows, same, false, "hold one value each"},
	} {
		groups := a.siblingsOf(func(i int, s *subject) bool {
			return s.class == matrix || s.class == codes && kind.codes
		})
		for _, pattern := range sortedKeys(groups) {
			list := groups[pattern]
			for _, i := range list {
				r := &a.readings[i]
				n := kind.count(r)
				if n == 0 || r.allZero || r.constant || a.inHole[i] {
					continue
				}
				alike := 0
				for _, j := range list {
					if kind.count(&a.readings[j]) == n {
						alike++
					}
				}
				if len(list) > 2 && 2*alike > len(list) {
					continue
				}
				p := a.place(i, "%s of %s rows %s", group3(n), group3(r.rows), kind.says)
				p.Numbers = map[string]float64{"rows": float64(n), "of": float64(r.rows)}
				a.found.add(kind.code, p)
			}
		}
	}
}

// tellCoverage says what was looked at.
func (a *audit) tellCoverage() {
	scanned, bytes, scales, scaleBytes := 0, int64(0), 0, int64(0)
	unread := 0
	for i := range a.subjects {
		t := a.c.Tensors.At(i)
		switch {
		case !a.readings[i].read && t.Length > 0:
			unread++
		case a.subjects[i].class == scale && a.readings[i].scanned:
			scales++
			scaleBytes += t.Length
		case a.readings[i].scanned:
			scanned++
			bytes += t.Length
		}
	}
	a.rep.checked(Values, "%s of %s", size(bytes), counted(scanned, "tensor"))
	if scales > 0 {
		a.rep.checked(Scales, "%s of %s", size(scaleBytes), counted(scales, "tensor"))
	} else {
		a.rep.skipped(Scales, "no scales are stored beside the weights")
	}
	if unread > 0 {
		a.rep.uncovered("the values of %s, whose bytes were not read", counted(unread, "tensor"))
	}
}

func isAre(n int64) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// tensorIndex returns the index of a module's tensor.
func (a *audit) tensorIndex(mod *model.Module, r model.Role) (int, bool) {
	t, ok := a.m.Tensor(mod, r)
	if !ok {
		return 0, false
	}
	return a.indexOf(t), true
}
