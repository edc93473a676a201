package checkpoint

import (
	"iter"
	"slices"

	"kilter/internal/numeric"
)

// A Tensor is a stored tensor and where its bytes are.
type Tensor struct {
	Name string
	// DType is numeric.Invalid for a type that kilter does no arithmetic with;
	// TypeName is the type as the format names it.
	DType    numeric.DType
	TypeName string
	// Shape is outermost first whatever the format; empty for a scalar.
	Shape []int64
	// File is the index of its file in Checkpoint.Files.
	File int
	// Offset and Length are its bytes in the file. Length is -1 where the
	// type's size is unknown.
	Offset, Length int64
	// Readable is set where these bytes lie in the file and are as many as type
	// and shape need.
	Readable bool
}

// Elements returns the number of weights.
func (t *Tensor) Elements() int64 {
	n := int64(1)
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// Tensors are those of a checkpoint, in the order of files and of offsets
// within each. The zero value is empty.
type Tensors struct {
	list   []Tensor
	byName map[string]int32
	files  []int // where each file's tensors begin in list, and the end of all
}

// Len returns how many there are.
func (ts *Tensors) Len() int { return len(ts.list) }

// At returns tensor i.
func (ts *Tensors) At(i int) *Tensor { return &ts.list[i] }

// Lookup returns the tensor of a name.
func (ts *Tensors) Lookup(name string) (*Tensor, bool) {
	i, ok := ts.byName[name]
	if !ok {
		return nil, false
	}
	return &ts.list[i], true
}

// All yields the tensors in the order in which they are stored.
func (ts *Tensors) All() iter.Seq[*Tensor] { return ts.seq(0, len(ts.list)) }

// InFile yields those of one file, by its index in Checkpoint.Files, in the
// order of offsets.
func (ts *Tensors) InFile(file int) iter.Seq[*Tensor] {
	if file < 0 || file+1 >= len(ts.files) {
		return func(func(*Tensor) bool) {}
	}
	return ts.seq(ts.files[file], ts.files[file+1])
}

func (ts *Tensors) seq(from, to int) iter.Seq[*Tensor] {
	return func(yield func(*Tensor) bool) {
		for i := from; i < to; i++ {
			if !yield(&ts.list[i]) {
				return
			}
		}
	}
}

// ByName yields the tensors sorted by name, numbers by their value: layer 2
// comes before layer 10.
func (ts *Tensors) ByName() iter.Seq[*Tensor] {
	order := make([]*Tensor, len(ts.list))
	for i := range ts.list {
		order[i] = &ts.list[i]
	}
	slices.SortFunc(order, func(a, b *Tensor) int { return CompareNames(a.Name, b.Name) })
	return slices.Values(order)
}

// CompareNames compares two names of tensors or files, runs of digits in them
// by value.
func CompareNames(a, b string) int {
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		if !isDigit(a[i]) || !isDigit(b[j]) {
			if a[i] != b[j] {
				return int(a[i]) - int(b[j])
			}
			i, j = i+1, j+1
			continue
		}
		x, y := digits(a[i:]), digits(b[j:])
		i, j = i+len(x), j+len(y)
		if c := compareDigits(x, y); c != 0 {
			return c
		}
	}
	switch {
	case i < len(a):
		return 1
	case j < len(b):
		return -1
	}
	// Only leading zeros can differ by now.
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// digits returns the run of digits at the beginning.
func digits(s string) string {
	n := 0
	for n < len(s) && isDigit(s[n]) {
		n++
	}
	return s[:n]
}

// compareDigits compares numbers of any length.
func compareDigits(a, b string) int {
	for len(a) > 1 && a[0] == '0' {
		a = a[1:]
	}
	for len(b) > 1 && b[0] == '0' {
		b = b[1:]
	}
	switch {
	case len(a) != len(b):
		return len(a) - len(b)
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
