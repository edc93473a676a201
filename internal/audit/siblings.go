package audit

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"kilter/internal/model"
)

// Siblings are tensors whose names differ in numbers alone (the layer's, the
// expert's) and that are stored in one type. What one of them is, the others
// are about, too.
//
// Magnitudes are compared in octaves (log2): x is far when it is further from
// the siblings' median than a limit for its class and than ten times their
// spread, which is 1.4826 times the median distance from the median (the
// standard deviation, if they are normal) and never taken for less than half an
// octave. Medians, because a broken sibling must not hide itself.

const (
	leastSiblings = 5
	spreads       = 10
	leastSpread   = 0.5
)

// limits are the octaves by which a magnitude may differ from its siblings'.
func limits(s *subject) (rms, largest float64) {
	switch {
	case s.class == scale && s.role == model.InputScale:
		return 16, 16 // activations do differ by a factor of 1,000 between layers
	case s.class == scale:
		return 8, 12
	}
	return 6, 10
}

// magnitudes compares each tensor with its siblings, and reports weights beyond
// float16 that are no such outliers.
func (a *audit) magnitudes() {
	groups := a.siblingsOf(func(i int, s *subject) bool {
		r := &a.readings[i]
		return r.scanned && r.largest > 0 && (s.class == matrix || s.class == table || s.class == scale)
	})
	outlier := make(map[int]bool)
	for _, pattern := range sortedKeys(groups) {
		list := groups[pattern]
		if len(list) < leastSiblings {
			continue
		}
		byRMS, byLargest := limits(&a.subjects[list[0]])
		a.outliers(list, outlier, "root mean square", byRMS, func(r *reading) float64 { return r.rms })
		a.outliers(list, outlier, "largest magnitude", byLargest, func(r *reading) float64 { return r.largest })
	}
	for i := range a.readings {
		if !outlier[i] && a.tooLarge(i) {
			p := a.place(i, "the largest value is %.6g, and float16 ends at %d", a.readings[i].largest, maxF16)
			p.Numbers = map[string]float64{"largest": a.readings[i].largest}
			a.found.add(CodeFP16, p)
		}
	}
}

// outliers reports the tensors of a list whose measure is far from the others'.
func (a *audit) outliers(list []int, seen map[int]bool, name string, limit float64, measure func(*reading) float64) {
	octaves := make([]float64, 0, len(list))
	for _, i := range list {
		if x := measure(&a.readings[i]); x > 0 {
			octaves = append(octaves, math.Log2(x))
		}
	}
	if len(octaves) < leastSiblings {
		return
	}
	middle := median(octaves)
	apart := make([]float64, len(octaves))
	for k, x := range octaves {
		apart[k] = math.Abs(x - middle)
	}
	spread := max(1.4826*median(apart), leastSpread)
	for _, i := range list {
		x := measure(&a.readings[i])
		if x == 0 || seen[i] {
			continue
		}
		far := math.Log2(x) - middle
		if math.Abs(far) <= max(limit, spreads*spread) {
			continue
		}
		seen[i] = true
		p := a.place(i, "its %s is %.4g, and the median of %s is %.4g", name, x, counted(len(octaves), "sibling"), math.Exp2(middle))
		p.Numbers = map[string]float64{"is": x, "median": math.Exp2(middle), "octaves": far, "spread_octaves": spread}
		a.found.add(CodeMagnitude, p)
	}
}

// median returns the middle value; the list is sorted by it.
func median(list []float64) float64 {
	slices.Sort(list)
	n := len(list)
	if n%2 == 1 {
		return list[n/2]
	}
	return (list[n/2-1] + list[n/2]) / 2
}

// leastTwin is how many elements a tensor needs for its bytes to be no chance.
const leastTwin = 256

// identical finds tensors of one pattern with the same bytes.
func (a *audit) identical(ctx context.Context) {
	groups := a.siblingsOf(func(i int, s *subject) bool {
		r, t := &a.readings[i], a.c.Tensors.At(i)
		return r.read && (s.class == matrix || s.class == codes) && !r.constant && !r.allZero && !a.inHole[i] && t.Elements() >= leastTwin
	})
	type pair struct{ of, twin string }
	copies := make(map[pair][]int)
	var order []pair
	compared := 0
	for _, pattern := range sortedKeys(groups) {
		first := make(map[uint64]int)
		for _, i := range groups[pattern] {
			j, ok := first[a.readings[i].print]
			if !ok {
				first[a.readings[i].print] = i
				continue
			}
			if compared++; compared > maxPlaces || !a.sameBytes(ctx, i, j) {
				continue
			}
			k := pair{a.blockOf(i), a.blockOf(j)}
			if copies[k] == nil {
				order = append(order, k)
			}
			copies[k] = append(copies[k], i, j)
		}
	}
	for _, k := range order {
		list := copies[k]
		p := a.place(list[0], "the same bytes as %s", a.c.Tensors.At(list[1]).Name)
		p.Other = a.c.Tensors.At(list[1]).Name
		if n := len(list) / 2; n > 1 {
			p.Says = fmt.Sprintf("%d matrices of %s hold the same bytes as those of %s", n, k.of, k.twin)
		}
		a.found.add(CodeIdentical, p)
	}
	if compared > maxPlaces {
		a.rep.uncovered("more than %d pairs of matrices look alike, of which the rest was not compared byte by byte", maxPlaces)
	}
}

// blockOf is the name of the layer or expert that a tensor belongs to: its name
// up to the last number.
func (a *audit) blockOf(i int) string {
	name := a.c.Tensors.At(i).Name
	end, begin := 0, 0
	for k := 0; k <= len(name); k++ {
		if k == len(name) || name[k] == '.' {
			if isNumber(name[begin:k]) {
				end = k
			}
			begin = k + 1
		}
	}
	return name[:end]
}

// sameBytes compares two tensors byte by byte.
func (a *audit) sameBytes(ctx context.Context, i, j int) bool {
	t, u := a.c.Tensors.At(i), a.c.Tensors.At(j)
	if t.Length != u.Length {
		return false
	}
	h, err := a.c.FS().Open(ctx, a.c.Files[u.File].Path)
	if err != nil {
		return false
	}
	defer h.Close()
	at := u.Offset
	buf := make([]byte, 0, 1<<20)
	err = a.readTensor(ctx, t, func(p []byte) error {
		for len(p) > 0 {
			n := min(len(p), cap(buf))
			if m, err := h.ReadAt(buf[:n], at); m < n {
				return cmp.Or(err, errDiffer)
			}
			if string(buf[:n]) != string(p[:n]) {
				return errDiffer
			}
			at, p = at+int64(n), p[n:]
		}
		return nil
	})
	return err == nil
}
