package safetensors

import (
	"cmp"
	"fmt"
	"slices"

	"kilter/internal/checkpoint/problem"
)

// layout sorts the tensors and reports overlaps, holes and what is left over.
func (p *parser) layout() {
	slices.SortStableFunc(p.Tensors, func(a, b Tensor) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.End, b.End), cmp.Compare(a.Name, b.Name))
	})
	if p.Data == 0 || p.problems.Count(Syntax)+p.problems.Count(TooMany)+p.problems.Count(problem.Shrank) > 0 {
		return // not all tensors are known, so nothing follows from gaps
	}
	reached, last := p.Data, "" // how far bytes are accounted for, and by whom
	cut, first := 0, -1         // tensors beyond the file's end
	for i := range p.Tensors {
		t := &p.Tensors[i]
		switch {
		case t.Begin > reached:
			p.problems.Add(problem.Problem{Kind: Hole, Tensor: t.Name, Other: last, Begin: reached, End: t.Begin,
				Says: fmt.Sprintf("%d bytes before it, from byte %d, belong to no tensor", t.Begin-reached, reached)})
		case t.Begin < reached:
			p.problems.Add(problem.Problem{Kind: Overlap, Tensor: t.Name, Other: last, Begin: t.Begin, End: min(t.End, reached),
				Says: fmt.Sprintf("its bytes [%d, %d) overlap those of %s", t.Begin, t.End, problem.Quote(last))})
		}
		if t.End > p.Size {
			if cut++; first < 0 {
				first = i
			}
		}
		if t.End >= reached {
			reached, last = t.End, t.Name
		}
	}
	switch {
	case reached > p.Size:
		t := &p.Tensors[first]
		p.problems.Add(problem.Problem{Kind: Truncated, Tensor: t.Name, Begin: p.Size, End: reached, Hint: again,
			Says: fmt.Sprintf("the file ends at byte %d and its tensors at %d: %d of %d tensors are cut or missing, this one first", p.Size, reached, cut, len(p.Tensors))})
	case reached < p.Size:
		p.problems.Add(problem.Problem{Kind: Trailing, Other: last, Begin: reached, End: p.Size,
			Says: fmt.Sprintf("%d bytes after the last tensor belong to none", p.Size-reached)})
	}
}
