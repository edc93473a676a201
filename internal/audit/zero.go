package audit

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"kilter/internal/checkpoint"
	"kilter/internal/numeric"
)

// A hole is a run of zeros where a writer put weights: a download that did not
// finish, a cache that lost pages, a copy that kept holes of a sparse file. It
// begins and ends where pages do, which rows of a matrix mostly do not.

// slack is how many bytes beside a hole, or beside rows of zeros, may be zero
// by chance.
const slack = 64

// holes finds them among the runs of zero pages.
func (a *audit) holes(ctx context.Context) {
	first := tensorsByFile(a.c)
	for f := range a.c.Files {
		runs := joined(a.zeros[f])
		if len(runs) == 0 || first[f] == first[f+1] {
			continue
		}
		h, err := a.c.FS().Open(ctx, a.c.Files[f].Path)
		if err != nil {
			continue // reported when the file was read
		}
		for _, e := range runs {
			if ctx.Err() != nil {
				break
			}
			if a.suspect(first[f], first[f+1], e) == 0 {
				continue
			}
			e = refine(h, a.c.Files[f].Size, e)
			if a.suspect(first[f], first[f+1], e) > 0 {
				a.reportHole(f, first[f], first[f+1], e)
			}
		}
		h.Close()
	}
}

// joined sorts runs and joins those that meet.
func joined(runs []extent) []extent {
	slices.SortFunc(runs, func(x, y extent) int { return cmp.Compare(x.begin, y.begin) })
	var out []extent
	for _, e := range runs {
		if n := len(out); n > 0 && out[n-1].end >= e.begin {
			out[n-1].end = max(out[n-1].end, e.end)
			continue
		}
		out = append(out, e)
	}
	// What is no whole page shows only where a run meets its neighbours.
	return slices.DeleteFunc(out, func(e extent) bool { return e.end-e.begin < page })
}

// refine extends a run of zero pages to its exact bytes.
func refine(h checkpoint.Handle, size int64, e extent) extent {
	var buf [page]byte
	from := max(0, e.begin-page)
	if n, _ := h.ReadAt(buf[:e.begin-from], from); int64(n) == e.begin-from {
		for e.begin > from && buf[e.begin-from-1] == 0 {
			e.begin--
		}
	}
	n, _ := h.ReadAt(buf[:min(page, size-e.end)], e.end)
	for _, c := range buf[:n] {
		if c != 0 {
			break
		}
		e.end++
	}
	return e
}

// overlapping returns the tensors of [from, to) that an extent touches.
func (a *audit) overlapping(from, to int, e extent) (int, int) {
	at := func(i int) *checkpoint.Tensor { return a.c.Tensors.At(from + i) }
	lo := sort.Search(to-from, func(i int) bool { return at(i).Offset+max(0, at(i).Length) > e.begin })
	hi := lo + sort.Search(to-from-lo, func(i int) bool { return at(lo+i).Offset >= e.end })
	return from + lo, from + hi
}

// suspect returns how many bytes of an extent are zero for no good reason.
func (a *audit) suspect(from, to int, e extent) (bytes int64) {
	from, to = a.overlapping(from, to, e)
	rows, whole := int64(0), 0 // bytes of zero rows; matrices that are zero
	for i := from; i < to; i++ {
		t := a.c.Tensors.At(i)
		if !t.Readable || !a.readings[i].read {
			continue
		}
		s := &a.subjects[i]
		part := extent{max(e.begin, t.Offset), min(e.end, t.Offset+t.Length)}
		n := part.end - part.begin
		switch {
		case n == t.Length:
			if s.class == matrix || s.class == codes {
				whole++
			}
		case n <= slack, s.class == index:
		case s.class == vector:
			// Half a bias may be zero: keys often have none.
			if strings.Contains(t.Name, "norm") {
				bytes += n
			}
		case s.class == codes && s.scanAs == numeric.I32:
			bytes += n // offset codes: zero bits are the most negative weight
		case !wholeRows(t, part), s.class != table && onPages(e):
			bytes += n
		case s.class != table:
			rows += n
		}
	}
	if whole > 0 {
		bytes += rows // rows of one matrix and all of its neighbour: no pruning does that
	}
	return bytes
}

// wholeRows reports whether a part of a tensor is whole rows, but for a few
// bytes that are zero by chance.
func wholeRows(t *checkpoint.Tensor, part extent) bool {
	if len(t.Shape) < 2 || t.Elements() == 0 {
		return false
	}
	row := t.Length / (t.Elements() / t.Shape[len(t.Shape)-1])
	if row == 0 {
		return false
	}
	begin, end := part.begin-t.Offset, part.end-t.Offset
	few := min(slack, row/16)
	return (row-begin%row)%row <= few && end%row <= few
}

// onPages reports whether an extent begins and ends at pages of the file, but
// for a few bytes more that are zero by chance.
func onPages(e extent) bool {
	return (page-e.begin%page)%page <= slack && e.end%page <= slack
}

// reportHole adds the finding and marks the tensors.
func (a *audit) reportHole(f, from, to int, e extent) {
	from, to = a.overlapping(from, to, e)
	p := Place{File: a.c.Files[f].Name, Begin: e.begin, End: e.end, Tensor: a.c.Tensors.At(from).Name,
		Numbers: map[string]float64{"bytes": float64(e.end - e.begin), "tensors": float64(to - from)}}
	p.Says = fmt.Sprintf("%s bytes from byte %s on are zero", group3(e.end-e.begin), group3(e.begin))
	if to-from > 1 {
		p.Other = a.c.Tensors.At(to - 1).Name
		p.Says += fmt.Sprintf(", over %s up to %s", counted(to-from, "tensor"), p.Other)
	}
	if e.end == a.c.Files[f].Size {
		p.Says += ", to the file's end"
		p.Hint = "the file was allocated and not written to its end: finish the download, or download it again"
	}
	a.found.add(CodeZeroBlock, p)
	for i := from; i < to; i++ {
		a.inHole[i] = true
	}
}
