package safetensors

import (
	"math"
	"slices"

	"kilter/internal/checkpoint/problem"
	"kilter/internal/numeric"
)

// An entry is one tensor's value in the JSON, as far as it could be read.
type entry struct {
	fields   uint8 // a bit for each of the three
	typeName string
	width    int64
	dtype    numeric.DType
	shape    []int64
	begin    int64
	end      int64
}

const (
	hasDType = 1 << iota
	hasShape
	hasOffsets
	hasAll = hasDType | hasShape | hasOffsets
)

// readEntry reads {"dtype": …, "shape": …, "data_offsets": …} into p.entry.
func (p *parser) readEntry(name string) error {
	p.entry = entry{shape: p.entry.shape[:0]}
	e := &p.entry
	return p.lex.Object(maxName, func(key []byte) error {
		var bit uint8
		switch string(key) {
		case "dtype":
			bit = hasDType
		case "shape":
			bit = hasShape
		case "data_offsets":
			bit = hasOffsets
		default:
			p.odd(Field, name, "unknown field "+problem.Quote(string(key))+" in the header")
			return p.lex.Skip()
		}
		if e.fields&bit != 0 {
			at := 8 + p.lex.Offset()
			p.add(Field, name, at, at+1, "%s occurs twice in the tensor's entry", key)
			return p.lex.Skip()
		}
		e.fields |= bit
		switch bit {
		case hasDType:
			return p.readDType(name)
		case hasShape:
			return p.readShape()
		}
		return p.readOffsets()
	})
}

func (p *parser) readDType(name string) error {
	at := 8 + p.lex.Offset()
	value, err := p.lex.String(maxName)
	if err != nil {
		return err
	}
	e := &p.entry
	e.typeName, e.width, e.dtype = bits(value)
	if e.width == 0 {
		e.typeName = string(value[:min(len(value), 64)])
		p.add(DType, name, at, 8+p.lex.Offset(), "unknown dtype %s", problem.Quote(string(value)))
	}
	return nil
}

func (p *parser) readShape() error {
	return p.lex.Array(func(i int) error {
		if i == maxRank {
			return p.lex.Errorf("a shape of more than %d dimensions", maxRank)
		}
		n, err := p.lex.Int()
		p.entry.shape = append(p.entry.shape, n)
		return err
	})
}

func (p *parser) readOffsets() error {
	n := 0
	err := p.lex.Array(func(i int) error {
		v, err := p.lex.Int()
		switch i {
		case 0:
			p.entry.begin = v
		case 1:
			p.entry.end = v
		default:
			return p.lex.Errorf("data_offsets of more than two numbers")
		}
		n = i + 1
		return err
	})
	if err == nil && n != 2 {
		return p.lex.Errorf("data_offsets of %d numbers where two are wanted", n)
	}
	return err
}

// tensor makes a Tensor of the entry and reports what is wrong with it alone.
func (p *parser) tensor(name string, at int64) Tensor {
	e := &p.entry
	t := Tensor{Name: name, DType: e.dtype, TypeName: e.typeName, Shape: p.cut(e.shape), Begin: p.Data, End: p.Data}
	if e.fields != hasAll {
		p.add(Field, name, at, 8+p.lex.Offset(), "the tensor's entry lacks %s", missing(e.fields))
	}
	if e.fields&hasOffsets == 0 {
		return t
	}
	if e.begin > e.end {
		p.add(Offsets, name, at, 8+p.lex.Offset(), "data_offsets [%d, %d] end before they begin", e.begin, e.end)
		return t
	}
	if e.end > math.MaxInt64-p.Data {
		p.add(Offsets, name, at, 8+p.lex.Offset(), "data_offsets [%d, %d] are beyond any file", e.begin, e.end)
		return t
	}
	t.Begin, t.End = p.Data+e.begin, p.Data+e.end
	t.Readable = t.End <= p.Size
	if e.width == 0 || e.fields&hasShape == 0 {
		return t
	}
	switch want, why := sizeOf(t.Shape, e.width); {
	case why != "":
		p.add(Shape, name, at, 8+p.lex.Offset(), "%s %v: %s", e.typeName, t.Shape, why)
		t.Readable = false
	case want != t.End-t.Begin:
		p.add(Size, name, t.Begin, t.End, "%s %v needs %d bytes and the header gives it %d", e.typeName, t.Shape, want, t.End-t.Begin)
		t.Readable = false
	}
	return t
}

// cut copies a shape into memory that many tensors share.
func (p *parser) cut(shape []int64) []int64 {
	if len(shape) > cap(p.shapes)-len(p.shapes) {
		p.shapes = make([]int64, 0, max(len(shape), min(1<<10, int(p.JSON/30))))
	}
	from := len(p.shapes)
	p.shapes = append(p.shapes, shape...)
	return slices.Clip(p.shapes[from:])
}

func missing(fields uint8) string {
	switch {
	case fields&hasDType == 0:
		return "dtype"
	case fields&hasShape == 0:
		return "shape"
	}
	return "data_offsets"
}
