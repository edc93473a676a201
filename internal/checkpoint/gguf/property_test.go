package gguf_test

import (
	"bytes"
	"io"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"kilter/internal/checkpoint/gguf"
	"kilter/internal/numeric"
)

// drawFile draws a sound file and what is to be read of it.
func drawFile(t *rapid.T) ([]byte, []gguf.Tensor, map[string]any) {
	align := rapid.SampledFrom([]int{8, 32, 64}).Draw(t, "alignment")
	keys := rapid.SliceOfNDistinct(rapid.StringN(1, 20, 60), 0, 6, rapid.ID).Draw(t, "keys")
	keys = slices.DeleteFunc(keys, func(k string) bool { return k == "general.alignment" })
	names := rapid.SliceOfNDistinct(rapid.StringN(1, 10, 63), 0, 8, rapid.ID).Draw(t, "names")
	w := head(rapid.Uint32Range(2, 3).Draw(t, "version"), uint64(len(names)), uint64(len(keys)+1)).key("general.alignment", gguf.Uint32).u32(uint32(align))
	pairs := map[string]any{"general.alignment": int64(align)}
	for _, k := range keys {
		switch rapid.IntRange(0, 2).Draw(t, "kind") {
		case 0:
			v := rapid.Int32().Draw(t, "int")
			w.key(k, gguf.Int32).u32(uint32(v))
			pairs[k] = int64(v)
		case 1:
			v := rapid.String().Draw(t, "string")
			w.key(k, gguf.String).str(v)
			pairs[k] = v
		case 2:
			v := rapid.SliceOfN(rapid.String(), 0, 5).Draw(t, "strings")
			w.key(k, gguf.Array).u32(uint32(gguf.String)).u64(uint64(len(v)))
			all := []any{}
			for _, s := range v {
				w.str(s)
				all = append(all, s)
			}
			pairs[k] = all
		}
	}
	types := []struct {
		id uint32
		d  numeric.DType
	}{{0, numeric.F32}, {30, numeric.BF16}, {2, numeric.Q4_0}, {12, numeric.Q4_K}, {40, numeric.NVFP4}}
	var tensors []gguf.Tensor
	at := int64(0)
	for _, n := range names {
		d := rapid.SampledFrom(types).Draw(t, "dtype")
		dims := rapid.SliceOfN(rapid.Int64Range(0, 3), 1, 4).Draw(t, "dims")
		dims[0] *= int64(d.d.Block())
		count, raw := int64(1), make([]uint64, len(dims))
		for i, x := range dims {
			count *= x
			raw[i] = uint64(x)
		}
		size, err := d.d.Bytes(count)
		if err != nil {
			t.Fatal(err)
		}
		w.tensor(n, d.id, uint64(at), raw...)
		tensors = append(tensors, gguf.Tensor{Name: n, Type: d.id, TypeName: d.d.String(), DType: d.d, Dims: dims, Begin: at, End: at + size, Readable: true})
		at += (size + int64(align) - 1) / int64(align) * int64(align)
	}
	base := int64(len(w.pad(align).b))
	for i := range tensors {
		tensors[i].Begin += base
		tensors[i].End += base
	}
	return w.data(int(at)), tensors, pairs
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, tensors, pairs := drawFile(t)
		h, err := gguf.Parse(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		got := make(map[string]any)
		for _, p := range h.Pairs {
			got[p.Key] = p.Value.Any()
		}
		if d := cmp.Diff(pairs, got) + cmp.Diff(tensors, h.Tensors, cmpopts.EquateEmpty()); d != "" {
			t.Fatal(d)
		}
	})
}

// bounded fails the test if anything is read outside the file.
type bounded struct {
	data []byte
	fail func(string, ...any)
}

func (b bounded) ReadAt(p []byte, off int64) (int, error) {
	if off < 0 || off+int64(len(p)) > int64(len(b.data)) {
		b.fail("read of [%d, +%d) of %d bytes", off, len(p), len(b.data))
	}
	if n := copy(p, b.data[min(off, int64(len(b.data))):]); n < len(p) {
		return n, io.EOF
	}
	return len(p), nil
}

// checkAny checks what must hold of any bytes.
func checkAny(data []byte, fail func(string, ...any)) {
	h, problems, err := gguf.Check(bounded{data, fail}, int64(len(data)))
	if err != nil {
		fail("%v", err)
	}
	for _, p := range h.Pairs {
		p.Value.Any()
	}
	ends := int64(0)
	for _, x := range h.Tensors {
		x.Shape()
		if x.Readable && (x.Begin < h.Data || x.End < x.Begin || x.End > int64(len(data)) || h.Data == 0) {
			fail("%+v of %d bytes, readable", x, len(data))
		}
		if problems.Err() == nil && (x.Begin < ends || !x.Readable) {
			fail("sound, and %+v after %d", x, ends)
		}
		ends = x.End
	}
}

func TestMutationsNeverReadOutside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, _, _ := drawFile(t)
		for range rapid.IntRange(1, 4).Draw(t, "mutations") {
			i := rapid.IntRange(0, len(data)-1).Draw(t, "at")
			switch rapid.IntRange(0, 2).Draw(t, "kind") {
			case 0:
				data[i] = rapid.SampledFrom([]byte{0, 1, 9, 8, 32, 127, 128, 255}).Draw(t, "byte")
			case 1:
				data = data[:i+1]
			case 2:
				data = slices.Insert(data, i, data[i])
			}
		}
		checkAny(data, func(f string, a ...any) { t.Helper(); t.Fatalf(f, a...) })
	})
}

func FuzzGGUF(f *testing.F) {
	f.Add(two())
	f.Add(head(2, 0, 1).key("k", gguf.Array).u32(uint32(gguf.Array)).u64(1).u32(uint32(gguf.String)).u64(2).str("a").str("b").b)
	f.Add(head(3, 1, 1).key("general.alignment", gguf.Uint32).u32(64).tensor("a", 40, 0, 64, 2).pad(64).data(72))
	f.Add(head(3, 2, 0).tensor("a", 77, 0, 1<<40).tensor("a", 0, 1<<62, 3).pad(32).data(8))
	f.Fuzz(func(t *testing.T, data []byte) { checkAny(data, t.Fatalf) })
}

// A sparse is a file of zeros behind a beginning, of any size.
type sparse struct {
	head []byte
	size int64
}

func (s sparse) ReadAt(p []byte, off int64) (int, error) {
	clear(p)
	if off < int64(len(s.head)) {
		copy(p, s.head[off:])
	}
	return len(p), nil
}

// TestHostileCountsTakeBoundedMemory reads files of 1 TiB that claim all of it
// for metadata or tensors.
func TestHostileCountsTakeBoundedMemory(t *testing.T) {
	if racing {
		t.Skip("measures memory; one goroutine, so nothing to race")
	}
	const size = 1 << 40
	claims := map[string]*writer{
		"pairs":   head(3, 0, 1<<36),
		"tensors": head(3, 1<<35, 0),
		"string":  head(3, 0, 1).key("k", gguf.String).u64(1 << 39),
		"bytes":   head(3, 0, 1).key("k", gguf.Array).u32(uint32(gguf.Uint8)).u64(1 << 39),
		"strings": head(3, 0, 1).key("k", gguf.Array).u32(uint32(gguf.String)).u64(1 << 36),
		"arrays":  head(3, 0, 1).key("k", gguf.Array).u32(uint32(gguf.Array)).u64(1 << 36),
		"empties": head(3, 0, 1).key("k", gguf.Array).u32(uint32(gguf.String)).u64(60 << 20),
		"many":    head(3, gguf.MaxTensors, 0),
	}
	for name, w := range claims {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			_, problems, err := gguf.Check(sparse{w.b, size}, size)
			runtime.ReadMemStats(&after)
			if err != nil || problems.Err() == nil {
				t.Errorf("%v, %v", problems.All(), err)
			}
			if got := after.TotalAlloc - before.TotalAlloc; got > 600<<20 {
				t.Errorf("%d bytes allocated", got)
			}
		})
	}
}
