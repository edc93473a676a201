package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"kilter/internal/checkpoint/safetensors"
	"kilter/internal/numeric"
)

// drawFile draws a sound file and what is to be read of it.
func drawFile(t *rapid.T) ([]byte, []safetensors.Tensor) {
	names := rapid.SliceOfNDistinct(rapid.String(), 0, 12, rapid.ID).Draw(t, "names")
	names = slices.DeleteFunc(names, func(n string) bool { return n == "__metadata__" })
	types := []numeric.DType{numeric.BF16, numeric.F32, numeric.U8, numeric.F8E4M3, numeric.I64, numeric.F4, numeric.Bool}
	var tensors []safetensors.Tensor
	at := int64(0)
	for _, n := range names {
		d := rapid.SampledFrom(types).Draw(t, "dtype")
		shape := rapid.SliceOfN(rapid.Int64Range(0, 6), 0, 4).Draw(t, "shape")
		if d == numeric.F4 {
			shape = append(shape, 2)
		}
		count := int64(1)
		for _, x := range shape {
			count *= x
		}
		size, err := d.Bytes(count)
		if err != nil {
			t.Fatal(err)
		}
		tensors = append(tensors, safetensors.Tensor{Name: n, DType: d, TypeName: d.String(), Shape: shape, Begin: at, End: at + size, Readable: true})
		at += size
	}
	var members []string
	for _, i := range rapid.Permutation(tensors).Draw(t, "order") {
		key, _ := json.Marshal(i.Name)
		shape, _ := json.Marshal(i.Shape)
		fields := rapid.Permutation([]string{
			fmt.Sprintf(`"dtype":%q`, i.TypeName), fmt.Sprintf(`"shape": %s`, shape), fmt.Sprintf(`"data_offsets":[%d, %d]`, i.Begin, i.End),
		}).Draw(t, "fields")
		members = append(members, fmt.Sprintf("%s:{%s}", key, strings.Join(fields, ",")))
	}
	data := file(object(members...)+strings.Repeat(" ", rapid.IntRange(0, 9).Draw(t, "padding")), int(at))
	base := int64(8 + binary.LittleEndian.Uint64(data))
	for i := range tensors {
		tensors[i].Begin += base
		tensors[i].End += base
	}
	return data, tensors
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, want := drawFile(t)
		h, err := safetensors.Parse(bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatalf("%v in %q", err, data)
		}
		byName := func(a, b safetensors.Tensor) int { return strings.Compare(a.Name, b.Name) }
		got := slices.SortedFunc(slices.Values(h.Tensors), byName)
		slices.SortFunc(want, byName)
		for i := range want {
			if len(want[i].Shape) == 0 {
				want[i].Shape, got[i].Shape = nil, nil
			}
		}
		if len(got)+len(want) > 0 {
			if d := cmp.Diff(want, got); d != "" {
				t.Fatal(d)
			}
		}
		if !slices.IsSortedFunc(h.Tensors, func(a, b safetensors.Tensor) int { return int(a.Begin - b.Begin) }) {
			t.Fatal("not sorted by offset")
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
	h, problems, err := safetensors.Check(bounded{data, fail}, int64(len(data)))
	if err != nil {
		fail("%v", err)
	}
	seen := make(map[string]bool)
	for _, x := range h.Tensors {
		if seen[x.Name] {
			fail("%q twice", x.Name)
		}
		seen[x.Name] = true
		if x.Begin < h.Data || x.End < x.Begin || x.Readable && x.End > int64(len(data)) {
			fail("%+v of %d bytes, readable", x, len(data))
		}
	}
	if problems.Err() == nil {
		// A sound file is covered by its tensors, which json agrees on.
		covered := int64(0)
		for _, x := range h.Tensors {
			covered += x.End - x.Begin
		}
		if covered != int64(len(data))-h.Data {
			fail("sound, and %d of %d bytes covered", covered, int64(len(data))-h.Data)
		}
		var std map[string]json.RawMessage
		if err := json.Unmarshal(data[8:h.Data], &std); err != nil {
			fail("sound, and json says %v", err)
		}
		delete(std, "__metadata__")
		if len(std) != len(h.Tensors) {
			fail("%d tensors, and %d by json", len(h.Tensors), len(std))
		}
	}
}

func TestMutationsNeverReadOutside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data, _ := drawFile(t)
		for range rapid.IntRange(1, 4).Draw(t, "mutations") {
			i := rapid.IntRange(0, len(data)-1).Draw(t, "at")
			switch rapid.IntRange(0, 2).Draw(t, "kind") {
			case 0:
				data[i] = rapid.SampledFrom([]byte(`"{}[],:0123456789-.eE\ntu `+"\x00\xff")).Draw(t, "byte")
			case 1:
				data = data[:i+1]
			case 2:
				data = slices.Insert(data, i, data[i])
			}
		}
		checkAny(data, func(f string, a ...any) { t.Helper(); t.Fatalf(f, a...) })
	})
}

func FuzzSafetensors(f *testing.F) {
	f.Add(file("{}", 0))
	f.Add(file(object(`"__metadata__":{"format":"pt"}`, entry("a", "F32", "2,3", 0, 24), entry("b\u00e9", "F4", "4", 24, 26))+"  ", 26))
	f.Add(file(object(entry("a", "F32", "", 0, 4), entry("a", "U8", "9", 2, 11)), 12))
	f.Add(file(`{"\ud83d\ude00":{"dtype":"U8","x":[{"y":-1.5e-3}],"shape":[1],"data_offsets":[0,1]}}`, 1))
	f.Fuzz(func(t *testing.T, data []byte) { checkAny(data, t.Fatalf) })
}

// bigHeader is the header of n tensors of a mixture of experts.
func bigHeader(n int) []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `"model.language_model.layers.%d.mlp.experts.%d.gate_proj.weight_scale_2":{"dtype":"F32","shape":[],"data_offsets":[%d,%d]}`, i/2000, i%2000, 4*i, 4*i+4)
	}
	b.WriteByte('}')
	return file(b.String(), 4*n)
}

// TestMemoryOfALargeHeader holds what is allocated for 100,000 tensors, names
// of 80 bytes, garbage included, to 760 bytes each.
func TestMemoryOfALargeHeader(t *testing.T) {
	if racing {
		t.Skip("measures memory; one goroutine, so nothing to race")
	}
	const n = 100_000
	data := bigHeader(n)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	h, err := safetensors.Parse(bytes.NewReader(data), int64(len(data)))
	runtime.ReadMemStats(&after)
	if err != nil || len(h.Tensors) != n {
		t.Fatal(err)
	}
	most := uint64(n * 760)
	if got := after.TotalAlloc - before.TotalAlloc; got > most {
		t.Errorf("%d bytes allocated, want at most %d", got, most)
	}
}

// A hostile is a file whose header lists as many tensors as fit, without being
// in memory.
type hostile struct{ n int64 }

const record = `"00000000":{"dtype":"U8","shape":[],"data_offsets":[0,0]},`

func (h hostile) size() int64 { return 9 + h.n*int64(len(record)) }

func (h hostile) ReadAt(p []byte, off int64) (int, error) {
	copy(p, append(binary.LittleEndian.AppendUint64(nil, uint64(h.size()-8)), '{')[min(off, 9):])
	for i := max(0, int(9-off)); i < len(p); {
		at := off + int64(i) - 9
		entry := fmt.Sprintf(`"%08d%s`, at/int64(len(record)), record[9:])
		i += copy(p[i:], entry[at%int64(len(record)):])
	}
	return len(p), nil
}

// TestHostileHeaderTakesBoundedMemory reads 1.7 million tensors in 100 MB.
func TestHostileHeaderTakesBoundedMemory(t *testing.T) {
	if racing {
		t.Skip("measures memory; one goroutine, so nothing to race")
	}
	h := hostile{(safetensors.MaxHeader - 1) / int64(len(record))}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	got, problems, err := safetensors.Check(h, h.size())
	runtime.GC()
	runtime.ReadMemStats(&after)
	if err != nil || problems.Count(safetensors.TooMany) != 1 || len(got.Tensors) != safetensors.MaxTensors {
		t.Errorf("%d tensors, %v, %v", len(got.Tensors), problems.Kinds(), err)
	}
	if kept := (int64(after.HeapAlloc) - int64(before.HeapAlloc)) >> 20; kept > 300 {
		t.Errorf("%d MB kept", kept)
	}
	runtime.KeepAlive(got)
}

func BenchmarkLargeHeader(b *testing.B) {
	data := bigHeader(100_000)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := safetensors.Parse(bytes.NewReader(data), int64(len(data))); err != nil {
			b.Fatal(err)
		}
	}
}
