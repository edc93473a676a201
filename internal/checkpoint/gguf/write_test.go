package gguf_test

import (
	"encoding/binary"

	"kilter/internal/checkpoint/gguf"
)

var le = binary.LittleEndian

// A writer makes a GGUF file piece by piece.
type writer struct{ b []byte }

func (w *writer) u32(v uint32) *writer { w.b = le.AppendUint32(w.b, v); return w }
func (w *writer) u64(v uint64) *writer { w.b = le.AppendUint64(w.b, v); return w }
func (w *writer) raw(b ...byte) *writer {
	w.b = append(w.b, b...)
	return w
}
func (w *writer) str(s string) *writer {
	w.u64(uint64(len(s)))
	w.b = append(w.b, s...)
	return w
}

// head begins a file.
func head(version uint32, tensors, pairs uint64) *writer {
	return (&writer{}).raw('G', 'G', 'U', 'F').u32(version).u64(tensors).u64(pairs)
}

func (w *writer) key(k string, t gguf.Type) *writer { return w.str(k).u32(uint32(t)) }

func (w *writer) tensor(name string, typ uint32, offset uint64, dims ...uint64) *writer {
	w.str(name).u32(uint32(len(dims)))
	for _, d := range dims {
		w.u64(d)
	}
	return w.u32(typ).u64(offset)
}

// pad fills up to a multiple of n.
func (w *writer) pad(n int) *writer {
	for len(w.b)%n != 0 {
		w.b = append(w.b, 0)
	}
	return w
}

func (w *writer) data(n int) []byte { return append(w.b, make([]byte, n)...) }
