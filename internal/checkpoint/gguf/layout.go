package gguf

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"unicode/utf8"

	"kilter/internal/checkpoint/problem"
)

// alignment takes general.alignment.
func (p *parser) alignment() {
	v, ok := p.Get("general.alignment")
	if !ok {
		return
	}
	n, _ := v.Int()
	switch {
	case v.Type != Uint32:
		p.add(Alignment, "", 0, 0, "general.alignment is %v and not u32", v.Type)
	case n == 0 || n&(n-1) != 0:
		p.add(Alignment, "", 0, 0, "general.alignment is %d, no power of two", n)
	default:
		p.Alignment = n
	}
}

// list reads the tensors and checks where they are.
func (p *parser) list(n int) {
	in := &p.in
	seen := make(map[string]struct{}, min(n, 10_000))
	p.Tensors = make([]Tensor, 0, n) // n such entries fit into the file
	for range n {
		at := in.at
		t, relative, ok := p.tensor()
		if in.err != nil {
			for i := range p.Tensors {
				t := &p.Tensors[i]
				t.Begin, t.End, t.Readable = 0, -1, false
			}
			return
		}
		if _, twice := seen[t.Name]; twice {
			p.add(Duplicate, t.Name, at, in.at, "the name occurs twice in the list of tensors")
			ok = false
		}
		seen[t.Name] = struct{}{}
		// Until the list ends the data section's place is unknown: Begin and
		// End count from it.
		t.Begin, t.Readable = relative, ok
		p.Tensors = append(p.Tensors, t)
	}
	p.Data = align(in.at, p.Alignment)
	p.place()
	p.overlaps()
}

func align(n, to int64) int64 { return (n + to - 1) &^ (to - 1) }

// tensor reads one entry. Its End is the tensor's size, -1 if unknown; ok is
// false where the entry cannot be trusted.
func (p *parser) tensor() (t Tensor, offset int64, ok bool) {
	in := &p.in
	at := in.at
	ok = true
	t.Name = in.str(maxName, "a tensor's name")
	switch {
	case in.err != nil:
		return t, 0, false
	case t.Name == "":
		p.add(Name, "", at, in.at, "a tensor without a name")
	case len(t.Name) >= 64:
		p.add(Name, t.Name, at, in.at, "its name has %d bytes and ggml takes at most 63", len(t.Name))
	case !utf8.ValidString(t.Name):
		p.odd(Encoding, t.Name, "its name is no UTF-8")
	}
	dims := in.u32()
	if in.err == nil && dims > 64 {
		in.fail(Syntax, "tensor %s has %d dimensions", problem.Quote(t.Name), dims)
	}
	if !in.room(uint64(dims), 8, "dimensions") {
		return t, 0, false
	}
	if dims > maxDims {
		p.add(Shape, t.Name, at, in.at, "%d dimensions; ggml takes at most %d", dims, maxDims)
	}
	t.Dims = make([]int64, dims)
	for i := range t.Dims {
		d := in.u64()
		if d > math.MaxInt64 {
			p.add(Shape, t.Name, at, in.at, "dimension %d is %d, which is negative to ggml", i, d)
			d, ok = math.MaxInt64, false
		}
		t.Dims[i] = int64(d)
	}
	t.Type = in.u32()
	relative := in.u64()
	if in.err != nil {
		return t, 0, false
	}
	typ := typeOf(t.Type)
	t.TypeName, t.DType = typ.name, typ.dtype
	if typ.block == 0 {
		p.add(DType, t.Name, at, in.at, "its type is %s, of which the size is unknown", typ.name)
	}
	size, why := sizeOf(t.Dims, typ)
	if why != "" && ok {
		p.add(Shape, t.Name, at, in.at, "%s %v: %s", typ.name, t.Dims, why)
	}
	t.End = size
	if relative > math.MaxInt64/2 {
		p.add(Offset, t.Name, at, in.at, "its offset %d is beyond any file", relative)
		return t, 0, false
	}
	return t, int64(relative), ok && size >= 0
}

// place turns offsets into places in the file and checks that the tensors are
// back to back, each padded.
func (p *parser) place() {
	want := int64(0) // the running padded sum; -1 where a size is unknown
	cut, first, reached := 0, "", p.Data
	for i := range p.Tensors {
		t := &p.Tensors[i]
		offset, size := t.Begin, t.End
		if want >= 0 && offset != want {
			p.add(Offset, t.Name, p.Data+offset, p.Data+offset+1, "its offset is %d where the tensors before it end at %d", offset, want)
		}
		want = -1
		if offset > math.MaxInt64-p.Data-p.Alignment-max(size, 0) {
			p.add(Offset, t.Name, 0, 0, "its offset %d is beyond any file", offset)
			t.Begin, t.End, t.Readable = p.Data, p.Data, false
			continue
		}
		t.Begin, t.End = p.Data+offset, -1
		if size >= 0 {
			t.End, want = t.Begin+size, align(offset+size, p.Alignment)
		}
		reached = max(reached, t.Begin, t.End)
		if max(t.Begin, t.End) > p.Size {
			t.Readable = false
			if cut++; cut == 1 {
				first = t.Name
			}
		}
	}
	switch {
	case cut > 0:
		p.problems.Add(problem.Problem{Kind: Truncated, Tensor: first, Begin: p.Size, End: reached, Hint: again,
			Says: fmt.Sprintf("the file ends at byte %d and its tensors at %d: %d of %d tensors are cut or missing, this one first", p.Size, reached, cut, len(p.Tensors))})
	case want >= 0 && align(reached, p.Alignment) < p.Size:
		p.problems.Add(problem.Problem{Kind: Trailing, Begin: reached, End: p.Size, Tolerated: true,
			Says: fmt.Sprintf("%d bytes after the last tensor belong to none", p.Size-reached)})
	}
}

// overlaps reports tensors that share bytes.
func (p *parser) overlaps() {
	order := make([]*Tensor, 0, len(p.Tensors))
	for i := range p.Tensors {
		if t := &p.Tensors[i]; t.End > t.Begin {
			order = append(order, t)
		}
	}
	slices.SortStableFunc(order, func(a, b *Tensor) int {
		return cmp.Or(cmp.Compare(a.Begin, b.Begin), cmp.Compare(a.End, b.End))
	})
	var last *Tensor
	for _, t := range order {
		if last != nil && t.Begin < last.End {
			p.problems.Add(problem.Problem{Kind: Overlap, Tensor: t.Name, Other: last.Name, Begin: t.Begin, End: min(t.End, last.End),
				Says: fmt.Sprintf("its bytes [%d, %d) overlap those of %s", t.Begin, t.End, problem.Quote(last.Name))})
		}
		if last == nil || t.End > last.End {
			last = t
		}
	}
}
