package audit

import (
	"context"
	"errors"
	"fmt"
	"math"

	"kilter/internal/checkpoint"
	"kilter/internal/checkpoint/bulk"
	"kilter/internal/numeric"
)

// Values that are wrong are counted in the pass; where the first of them lies
// is found by reading the tensor once more. Only tensors with a finding are.

// errFound ends a search.
var errFound = errors.New("found")

// maxLocated bounds the tensors that are read once more for each code.
const maxLocated = 20

// first returns the first element of a tensor that is wanted: its index and its
// offset in the file.
func (a *audit) first(ctx context.Context, i int, want func(x float32) bool) (element, offset int64, ok bool) {
	t, d := a.c.Tensors.At(i), a.subjects[i].scanAs
	size := int64(d.BlockBytes())
	if size == 0 || d == numeric.F4 {
		return 0, 0, false
	}
	values := make([]float32, 0, 64<<10)
	var rest []byte // an element that a piece cuts
	at := t.Offset
	look := func(p []byte) error {
		n := int64(len(p)) / size
		for from := int64(0); from < n; {
			m := min(n-from, int64(cap(values))/int64(d.Block()))
			values = values[:m*int64(d.Block())]
			if err := d.Decode(values, p[from*size:(from+m)*size]); err != nil {
				return err
			}
			for j, x := range values {
				if want(x) {
					offset = at + (from+int64(j)/int64(d.Block()))*size
					element = (offset-t.Offset)/size*int64(d.Block()) + int64(j%d.Block())
					return errFound
				}
			}
			from += m
		}
		at += n * size
		return nil
	}
	err := a.readTensor(ctx, t, func(p []byte) error {
		if len(rest) > 0 {
			n := min(int(size)-len(rest), len(p))
			rest = append(rest, p[:n]...)
			p = p[n:]
			if int64(len(rest)) < size {
				return nil
			}
			if err := look(rest); err != nil {
				return err
			}
			rest = rest[:0]
		}
		whole := int64(len(p)) / size * size
		if err := look(p[:whole]); err != nil {
			return err
		}
		rest = append(rest, p[whole:]...)
		return nil
	})
	return element, offset, errors.Is(err, errFound)
}

// readTensor reads all bytes of a tensor.
func (a *audit) readTensor(ctx context.Context, t *checkpoint.Tensor, fn func(p []byte) error) error {
	h, err := a.c.FS().Open(ctx, a.c.Files[t.File].Path)
	if err != nil {
		return err
	}
	defer h.Close()
	r, err := bulk.Open(h, bulk.Options{Strategy: a.opts.Strategy})
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // it was only read
	return r.Each(ctx, t.Offset, t.Length, func(_ int64, p []byte) error { return fn(p) })
}

// readSmall reads a tensor of at most most bytes at once.
func (a *audit) readSmall(ctx context.Context, t *checkpoint.Tensor, most int64) ([]byte, error) {
	if t.Length > most || !t.Readable {
		return nil, errors.New("too large")
	}
	h, err := a.c.FS().Open(ctx, a.c.Files[t.File].Path)
	if err != nil {
		return nil, err
	}
	defer h.Close()
	p := make([]byte, t.Length)
	if n, err := h.ReadAt(p, t.Offset); n < len(p) {
		return nil, err
	}
	return p, nil
}

// where writes an element's place in a tensor's shape.
func where(t *checkpoint.Tensor, element int64) string {
	if len(t.Shape) == 0 {
		return ""
	}
	at := make([]int64, len(t.Shape))
	for i := len(t.Shape) - 1; i >= 0; i-- {
		if t.Shape[i] > 0 {
			at[i] = element % t.Shape[i]
			element /= t.Shape[i]
		}
	}
	return fmt.Sprint(at)
}

// wrongValues adds a place for a tensor in which some values are wrong.
func (a *audit) wrongValues(ctx context.Context, code Code, i int, n int64, what string, want func(float32) bool) {
	t := a.c.Tensors.At(i)
	p := a.place(i, "%s of %s %s %s", group3(n), group3(a.readings[i].values), plural(a.readings[i].values, "value"), what)
	if t.Elements() == 1 {
		p.Says = "the value " + what
	}
	p.Numbers = map[string]float64{"values": float64(n), "of": float64(a.readings[i].values)}
	if a.located[code]++; a.located[code] <= maxLocated && t.Elements() > 1 {
		if element, offset, ok := a.first(ctx, i, want); ok {
			p.Begin, p.End = offset, offset+int64(a.subjects[i].scanAs.BlockBytes())
			p.Says += fmt.Sprintf("; the first at %s", where(t, element))
		}
	}
	a.found.add(code, p)
}

func isNaN(x float32) bool      { return x != x }
func isInf(x float32) bool      { return math.IsInf(float64(x), 0) }
func isZero(x float32) bool     { return x == 0 }
func isNegative(x float32) bool { return x < 0 }

func plural(n int64, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}
