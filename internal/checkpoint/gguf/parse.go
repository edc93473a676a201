package gguf

import (
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"unicode/utf8"

	"kilter/internal/checkpoint/problem"
)

// Parse reads the header of a sound file of size bytes. The error is a
// *problem.Problem for the first thing that is wrong, or that of reading r.
func Parse(r io.ReaderAt, size int64) (*Header, error) {
	h, problems, err := Check(r, size)
	if err == nil {
		err = problems.Err()
	}
	if err != nil {
		return nil, err
	}
	return h, nil
}

// Check reads what can be read of a header and reports all that is wrong. The
// header is never nil; the error is that of reading r and nothing else.
func Check(r io.ReaderAt, size int64) (*Header, problem.List, error) {
	p := parser{
		Header: &Header{Size: size, Alignment: 32, keys: make(map[string]int)},
		in:     input{r: r, size: size, buf: make([]byte, max(0, min(size, window))), left: MaxMetadata},
	}
	p.parse()
	var found *problem.Problem
	if errors.As(p.in.err, &found) {
		p.problems.Add(*found)
		p.in.err = nil
	}
	return p.Header, p.problems, p.in.err
}

// A parser fills a Header.
type parser struct {
	*Header
	in       input
	problems problem.List
}

func (p *parser) add(kind problem.Kind, tensor string, begin, end int64, format string, a ...any) {
	p.problems.Add(problem.Problem{Kind: kind, Tensor: tensor, Begin: begin, End: end, Says: fmt.Sprintf(format, a...)})
}

func (p *parser) odd(kind problem.Kind, tensor, format string, a ...any) {
	p.problems.Add(problem.Problem{Kind: kind, Tensor: tensor, Begin: p.in.at, End: p.in.at + 1, Says: fmt.Sprintf(format, a...), Tolerated: true})
}

func (p *parser) parse() {
	in := &p.in
	var magic [4]byte
	if in.full(magic[:]); in.err != nil {
		return
	}
	if string(magic[:]) != "GGUF" {
		in.at = 0
		in.fail(Magic, "the file begins with %q and not with \"GGUF\"", magic[:])
		return
	}
	if p.Version = in.u32(); in.err != nil {
		return
	}
	switch v := p.Version; {
	case v == 2 || v == 3:
	case v&0xffff == 0 && v != 0:
		p.problems.Add(problem.Problem{Kind: Version, Begin: 4, End: 8, Says: "the file is big-endian", Hint: "convert it again on a little-endian machine"})
		return
	default:
		p.problems.Add(problem.Problem{Kind: Version, Begin: 4, End: 8, Says: fmt.Sprintf("GGUF version %d; versions 2 and 3 are read", v), Hint: "convert the model again"})
		return
	}
	tensors, pairs := in.u64(), in.u64()
	// The shortest pair has a key of no bytes and one byte of value, the
	// shortest tensor no name and no dimensions.
	if !in.room(pairs, 8+4+1, "key-value pairs") || !in.room(tensors, 8+4+4+8, "tensors") {
		return
	}
	if tensors > MaxTensors {
		in.fail(Count, "the file lists %d tensors, more than the %d that are read", tensors, MaxTensors)
		return
	}
	for range pairs {
		if p.pair(); in.err != nil {
			return
		}
	}
	p.alignment()
	p.list(int(tensors))
}

// pair reads one key and its value.
func (p *parser) pair() {
	in := &p.in
	at := in.at
	key := in.str(maxKey, "a key")
	if !in.charge(int64(len(key)) + 256) {
		return
	}
	switch {
	case key == "":
		p.add(Key, "", at, in.at, "a key of no bytes")
	case !utf8.ValidString(key):
		p.odd(Encoding, "", "the key %s is no UTF-8", problem.Quote(key))
	}
	v := p.value(Type(in.u32()), key, 0)
	if in.err != nil {
		return
	}
	if _, twice := p.keys[key]; twice {
		p.add(Duplicate, "", at, in.at, "the key %s occurs twice", problem.Quote(key))
		return
	}
	p.keys[key] = len(p.Pairs)
	p.Pairs = append(p.Pairs, Pair{key, v})
}

// value reads a value of a type.
func (p *parser) value(t Type, key string, depth int) Value {
	in := &p.in
	v := Value{Type: t}
	switch t {
	case String:
		n := in.length(MaxMetadata, "a string")
		if in.charge(int64(n)) {
			v.text = p.text(n)
		}
	case Array:
		p.array(&v, key, depth)
	case Uint8, Int8, Boolean:
		var b [1]byte
		in.full(b[:])
		if v.num = uint64(b[0]); t == Boolean && b[0] > 1 {
			p.odd(Bool, "", "the bool %s is %d", problem.Quote(key), b[0])
		}
	case Uint16, Int16:
		var b [2]byte
		in.full(b[:])
		v.num = uint64(b[0]) | uint64(b[1])<<8
	case Uint32, Int32, Float32:
		v.num = uint64(in.u32())
	case Uint64, Int64, Float64:
		v.num = in.u64()
	default:
		in.at -= 4
		in.fail(Syntax, "the value of %s has the unknown type %d", problem.Quote(key), uint32(t))
	}
	return v
}

// text reads n bytes into a string, without a second copy.
func (p *parser) text(n int) string {
	var b strings.Builder
	b.Grow(n)
	for b.Len() < n && p.in.err == nil {
		p.take(&b, n-b.Len())
	}
	return b.String()
}

// take moves up to n bytes of the input to b.
func (p *parser) take(b *strings.Builder, n int) {
	in := &p.in
	if len(in.rest) == 0 {
		if in.fill(); in.err != nil {
			return
		}
	}
	n = min(n, len(in.rest))
	b.Write(in.rest[:n])
	in.rest, in.at = in.rest[n:], in.at+int64(n)
}

// array reads an array.
func (p *parser) array(v *Value, key string, depth int) {
	in := &p.in
	v.Elem = Type(in.u32())
	n := in.u64()
	if in.err != nil {
		return
	}
	switch size := v.Elem.size(); {
	case size > 0:
		if in.room(n, int64(size), "elements of "+problem.Quote(key)) && in.charge(int64(n)*int64(size)) {
			v.n, v.text = int(n), p.text(int(n)*size)
		}
	case v.Elem == String:
		if in.room(n, 8, "strings of "+problem.Quote(key)) && in.charge(int64(n)*4) {
			p.strings(v, int(n))
		}
	case v.Elem == Array:
		if depth == 0 {
			p.add(Nested, "", in.at-12, in.at, "%s is an array of arrays, which ggml refuses", problem.Quote(key))
		}
		if depth == maxDepth {
			in.fail(Syntax, "the arrays of %s nest deeper than %d", problem.Quote(key), maxDepth)
			return
		}
		if in.room(n, 12, "arrays of "+problem.Quote(key)) && in.charge(int64(n)*128) {
			v.n, v.arrays = int(n), make([]Value, n)
			for i := range v.arrays {
				v.arrays[i].Type = Array
				if p.array(&v.arrays[i], key, depth+1); in.err != nil {
					return
				}
			}
		}
	default:
		in.at -= 12
		in.fail(Syntax, "the elements of %s have the unknown type %d", problem.Quote(key), uint32(v.Elem))
	}
}

// strings reads the n strings of an array, back to back.
func (p *parser) strings(v *Value, n int) {
	in := &p.in
	var b strings.Builder
	v.n, v.ends = n, make([]uint32, n)
	for i := range v.ends {
		size := in.length(math.MaxUint32, "a string")
		if !in.charge(int64(size)) {
			return
		}
		for to := b.Len() + size; b.Len() < to && in.err == nil; {
			p.take(&b, to-b.Len())
		}
		v.ends[i] = uint32(b.Len())
	}
	v.text = b.String()
}
