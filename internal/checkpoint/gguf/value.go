package gguf

import (
	"encoding/binary"
	"fmt"
	"math"
)

// A Type is the type of a metadata value, as numbered in the file.
type Type uint32

// The types of values.
const (
	Uint8 Type = iota
	Int8
	Uint16
	Int16
	Uint32
	Int32
	Float32
	Boolean
	String
	Array
	Uint64
	Int64
	Float64
)

// String returns the type's name as the format's description writes it.
func (t Type) String() string {
	names := [...]string{"u8", "i8", "u16", "i16", "u32", "i32", "f32", "bool", "str", "arr", "u64", "i64", "f64"}
	if int(t) < len(names) {
		return names[t]
	}
	return fmt.Sprintf("type(%d)", uint32(t))
}

// size returns the bytes of a number of the type, 0 for others.
func (t Type) size() int {
	switch t {
	case Uint8, Int8, Boolean:
		return 1
	case Uint16, Int16:
		return 2
	case Uint32, Int32, Float32:
		return 4
	case Uint64, Int64, Float64:
		return 8
	}
	return 0
}

// A Value is the value of a metadata key.
type Value struct {
	Type Type
	// Elem is the type of an array's elements.
	Elem Type

	num    uint64   // a number's bits
	text   string   // a string, an array's numbers, or its strings back to back
	ends   []uint32 // where each string of an array ends in text
	arrays []Value
	n      int
}

// Len returns the number of an array's elements, 0 for other values.
func (v Value) Len() int { return v.n }

// At returns element i of an array. It panics where there is none.
func (v Value) At(i int) Value {
	if i < 0 || i >= v.n {
		panic(fmt.Sprintf("gguf: element %d of %d", i, v.n))
	}
	switch v.Elem {
	case String:
		from := uint32(0)
		if i > 0 {
			from = v.ends[i-1]
		}
		return Value{Type: String, text: v.text[from:v.ends[i]]}
	case Array:
		return v.arrays[i]
	}
	size := v.Elem.size()
	var raw [8]byte
	copy(raw[:], v.text[i*size:(i+1)*size])
	return Value{Type: v.Elem, num: binary.LittleEndian.Uint64(raw[:])}
}

// Str returns a string.
func (v Value) Str() (string, bool) { return v.text, v.Type == String }

// Bool returns a bool.
func (v Value) Bool() (bool, bool) { return v.num != 0, v.Type == Boolean }

// Int returns a whole number of any width that fits.
func (v Value) Int() (int64, bool) {
	switch v.Type {
	case Uint8, Uint16, Uint32:
		return int64(v.num), true
	case Int8:
		return int64(int8(v.num)), true
	case Int16:
		return int64(int16(v.num)), true
	case Int32:
		return int64(int32(v.num)), true
	case Int64:
		return int64(v.num), true
	case Uint64:
		return int64(v.num), v.num <= math.MaxInt64
	}
	return 0, false
}

// Float returns a number of any type.
func (v Value) Float() (float64, bool) {
	switch v.Type {
	case Float32:
		return float64(math.Float32frombits(uint32(v.num))), true
	case Float64:
		return math.Float64frombits(v.num), true
	case Uint64:
		return float64(v.num), true
	}
	n, ok := v.Int()
	return float64(n), ok
}

// Any returns the value as string, bool, int64, uint64, float32, float64 or
// []any.
func (v Value) Any() any {
	switch v.Type {
	case String:
		return v.text
	case Boolean:
		return v.num != 0
	case Float32:
		return math.Float32frombits(uint32(v.num))
	case Float64:
		return math.Float64frombits(v.num)
	case Uint64:
		return v.num
	case Array:
		all := make([]any, v.n)
		for i := range all {
			all[i] = v.At(i).Any()
		}
		return all
	}
	n, _ := v.Int()
	return n
}
