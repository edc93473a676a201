package gguf_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"kilter/internal/checkpoint/gguf"
	"kilter/internal/checkpoint/problem"
	"kilter/internal/numeric"
)

// two is a sound file of two tensors: 24 bytes padded to 32, and 18.
func two() []byte {
	return head(3, 2, 1).key("general.architecture", gguf.String).str("llama").
		tensor("a", 0, 0, 3, 2).tensor("b", 2, 32, 32).pad(32).data(32 + 18)
}

// TestHostile is every way that a file is known to be wrong, and the ways in
// which it is merely odd (kinds with a ~).
func TestHostile(t *testing.T) {
	one := func(name string, typ uint32, offset uint64, dims ...uint64) []byte {
		return head(3, 1, 0).tensor(name, typ, offset, dims...).pad(32).data(1024)
	}
	pair := func(t gguf.Type) *writer { return head(3, 0, 1).key("k", t) }
	nested := func(depth int) []byte {
		w := pair(gguf.Array)
		for range depth {
			w.u32(uint32(gguf.Array)).u64(1)
		}
		return w.u32(uint32(gguf.Uint8)).u64(2).raw(7, 8).b
	}
	cases := []struct {
		name string
		data []byte
		want string
	}{
		{"sound", two(), ""},
		{"version 2", append([]byte("GGUF\x02"), two()[5:]...), ""},
		{"nothing in it", head(3, 0, 0).b, ""},
		{"last tensor padded", append(two(), make([]byte, 14)...), ""},
		{"alignment 64", head(3, 2, 1).key("general.alignment", gguf.Uint32).u32(64).tensor("a", 0, 0, 1).tensor("b", 0, 64, 1).pad(64).data(68), ""},
		{"alignment 4", head(3, 2, 1).key("general.alignment", gguf.Uint32).u32(4).tensor("a", 0, 0, 1).tensor("b", 0, 4, 1).pad(4).data(8), ""},
		{"scalar", one("s", 0, 0)[:1024/2], "~gguf.trailing"},
		{"empty tensor", head(3, 1, 0).tensor("e", 0, 0, 0, 3).pad(32).b, ""},

		{"no bytes", nil, "gguf.truncated"},
		{"three bytes", []byte("GGU"), "gguf.truncated"},
		{"only the magic", []byte("GGUF"), "gguf.truncated"},
		{"other magic", []byte("GGML0123456789012345678901234567"), "gguf.magic"},
		{"zeroed", make([]byte, 100), "gguf.magic"},
		{"version 1", head(1, 0, 0).b, "gguf.version"},
		{"version 4", head(4, 0, 0).b, "gguf.version"},
		{"version 0", head(0, 0, 0).b, "gguf.version"},
		{"big-endian", head(3<<24, 0, 0).b, "gguf.version"},
		{"2^64-1 tensors", head(3, math.MaxUint64, 0).b, "gguf.truncated"},
		{"2^64-1 pairs", head(3, 0, math.MaxUint64).b, "gguf.truncated"},
		{"2^40 tensors", head(3, 1<<40, 0).data(1000), "gguf.truncated"},
		{"string beyond the file", head(3, 0, 1).u64(1 << 40).data(100), "gguf.truncated"},
		{"string of 2^64-1", pair(gguf.String).u64(math.MaxUint64).data(100), "gguf.truncated"},
		{"key of 100 kB", head(3, 0, 1).str(strings.Repeat("k", 100_000)).u32(4).u32(1).b, "gguf.syntax"},
		{"empty key", head(3, 0, 1).key("", gguf.Uint32).u32(1).b, "gguf.key"},
		{"key of no UTF-8", head(3, 0, 1).key("\xff", gguf.Uint32).u32(1).b, "~gguf.encoding"},
		{"duplicate key", head(3, 0, 2).key("k", gguf.Uint32).u32(1).key("k", gguf.Uint32).u32(2).b, "gguf.duplicate"},
		{"unknown value type", pair(13).data(100), "gguf.syntax"},
		{"unknown element type", pair(gguf.Array).u32(99).u64(1).data(100), "gguf.syntax"},
		{"bool of 2", pair(gguf.Boolean).raw(2).b, "~gguf.bool"},
		{"array of 2^40", pair(gguf.Array).u32(uint32(gguf.Uint64)).u64(1 << 40).data(100), "gguf.truncated"},
		{"array whose bytes overflow", pair(gguf.Array).u32(uint32(gguf.Uint64)).u64(1 << 61).data(100), "gguf.truncated"},
		{"array of 2^60 strings", pair(gguf.Array).u32(uint32(gguf.String)).u64(1 << 60).data(100), "gguf.truncated"},
		{"array of 2^60 arrays", pair(gguf.Array).u32(uint32(gguf.Array)).u64(1 << 60).data(100), "gguf.nested_array gguf.truncated"},
		{"array of arrays", nested(1), "gguf.nested_array"},
		{"four deep", nested(4), "gguf.nested_array"},
		{"a hundred deep", nested(100), "gguf.nested_array gguf.syntax"},
		{"alignment 0", head(3, 0, 1).key("general.alignment", gguf.Uint32).u32(0).b, "gguf.alignment"},
		{"alignment 33", head(3, 0, 1).key("general.alignment", gguf.Uint32).u32(33).b, "gguf.alignment"},
		{"alignment u64", head(3, 0, 1).key("general.alignment", gguf.Uint64).u64(32).b, "gguf.alignment"},
		{"alignment 2^31", head(3, 1, 1).key("general.alignment", gguf.Uint32).u32(1<<31).tensor("a", 0, 0, 1).data(100), "gguf.truncated"},
		{"cut in the list", two()[:100], "gguf.truncated"},
		{"nameless tensor", one("", 0, 0, 256), "gguf.name"},
		{"name of 64 bytes", one(strings.Repeat("n", 64), 0, 0, 256), "gguf.name"},
		{"name of 20 kB", one(strings.Repeat("n", 20_000), 0, 0, 256), "gguf.syntax"},
		{"name of no UTF-8", one("\xff", 0, 0, 256), "~gguf.encoding"},
		{"duplicate name", head(3, 2, 0).tensor("a", 0, 0, 8).tensor("a", 0, 32, 8).pad(32).data(64), "gguf.duplicate"},
		{"five dimensions", one("a", 0, 0, 256, 1, 1, 1, 1), "gguf.shape"},
		{"2^32-1 dimensions", head(3, 1, 0).str("a").u32(math.MaxUint32).data(1000), "gguf.syntax"},
		{"negative dimension", one("a", 0, 0, math.MaxUint64), "gguf.shape"},
		{"elements overflow", one("a", 0, 0, 1<<40, 1<<40), "gguf.shape"},
		{"size overflows", one("a", 28, 0, 1<<62), "gguf.shape"},
		{"size just below the limit", one("a", 24, 0, math.MaxInt64), "gguf.offset"},
		{"no whole blocks", one("a", 12, 0, 250), "gguf.shape"},
		{"blocks by another dimension only", one("a", 2, 0, 16, 2), "gguf.shape"},
		{"unknown type", one("a", 77, 0, 256), "gguf.dtype"},
		{"a type that no file has", one("a", 15, 0, 256), "gguf.dtype"},
		{"IQ4_NL", head(3, 1, 0).tensor("a", 20, 0, 32).pad(32).data(18), ""},
		{"offset of 2^64-1", one("a", 0, math.MaxUint64, 256), "gguf.offset"},
		{"offset of 2^62", one("a", 0, 1<<62-1, 256), "gguf.offset gguf.truncated"},
		{"first offset is not 0", one("a", 0, 32, 248), "gguf.offset"},
		{"overlap", head(3, 2, 0).tensor("a", 0, 0, 16).tensor("b", 0, 32, 8).pad(32).data(64), "gguf.offset gguf.overlap"},
		{"hole", head(3, 2, 0).tensor("a", 0, 0, 8).tensor("b", 0, 64, 8).pad(32).data(96), "gguf.offset"},
		{"not in listed order", head(3, 2, 0).tensor("a", 0, 32, 8).tensor("b", 0, 0, 8).pad(32).data(64), "gguf.offset"},
		{"not aligned", head(3, 2, 0).tensor("a", 0, 0, 7).tensor("b", 0, 28, 8).pad(32).data(64), "gguf.offset"},
		{"one byte cut", two()[:len(two())-1], "gguf.truncated"},
		{"data cut", two()[:len(two())-50], "gguf.truncated"},
		{"trailing bytes", append(two(), make([]byte, 100)...), "~gguf.trailing"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h, problems, err := gguf.Check(bytes.NewReader(c.data), int64(len(c.data)))
			if err != nil {
				t.Fatal(err)
			}
			fatal := false
			var kinds []string
			for _, p := range problems.All() {
				k := string(p.Kind)
				if p.Tolerated {
					k = "~" + k
				} else {
					fatal = true
				}
				if !slices.Contains(kinds, k) {
					kinds = append(kinds, k)
				}
				if p.Begin < 0 || p.End < p.Begin || p.Says == "" || len(p.Error()) > 1000 {
					t.Errorf("%+v", p)
				}
			}
			slices.Sort(kinds)
			if got := strings.Join(kinds, " "); got != c.want {
				t.Errorf("got  %s\nwant %s\n%v", got, c.want, problems.All())
			}
			for _, x := range h.Tensors {
				if x.Readable && (x.Begin < h.Data || x.End < x.Begin || x.End > int64(len(c.data))) {
					t.Errorf("%+v is called readable", x)
				}
			}
			if parsed, err := gguf.Parse(bytes.NewReader(c.data), int64(len(c.data))); (err != nil) != fatal || (parsed == nil) != fatal {
				t.Errorf("Parse: %v, %v", parsed, err)
			}
		})
	}
}

func TestWhatIsRead(t *testing.T) {
	data := two()
	h, err := gguf.Parse(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	at := h.Data
	want := []gguf.Tensor{
		{Name: "a", TypeName: "F32", DType: numeric.F32, Dims: []int64{3, 2}, Begin: at, End: at + 24, Readable: true},
		{Name: "b", Type: 2, TypeName: "Q4_0", DType: numeric.Q4_0, Dims: []int64{32}, Begin: at + 32, End: at + 50, Readable: true},
	}
	if d := cmp.Diff(want, h.Tensors); d != "" {
		t.Error(d)
	}
	if h.Architecture() != "llama" || h.Version != 3 || h.Alignment != 32 || at%32 != 0 {
		t.Errorf("%+v", h)
	}
	if d := cmp.Diff([]int64{2, 3}, h.Tensors[0].Shape()); d != "" {
		t.Error(d)
	}
}

func TestEveryKindOfValue(t *testing.T) {
	w := head(3, 0, 14).
		key("u8", gguf.Uint8).raw(200).key("i8", gguf.Int8).raw(0xFE).key("u16", gguf.Uint16).raw(1, 2).key("i16", gguf.Int16).raw(0xFF, 0xFF).
		key("u32", gguf.Uint32).u32(math.MaxUint32).key("i32", gguf.Int32).u32(math.MaxUint32).
		key("u64", gguf.Uint64).u64(math.MaxUint64).key("i64", gguf.Int64).u64(math.MaxUint64).
		key("f32", gguf.Float32).u32(math.Float32bits(1.5)).key("f64", gguf.Float64).u64(math.Float64bits(-2.5)).
		key("bool", gguf.Boolean).raw(1).key("str", gguf.String).str("hé").
		key("ints", gguf.Array).u32(uint32(gguf.Int16)).u64(2).raw(1, 0, 0xFF, 0xFF).
		key("strs", gguf.Array).u32(uint32(gguf.String)).u64(3).str("a").str("").str("bc")
	h, err := gguf.Parse(bytes.NewReader(w.b), int64(len(w.b)))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"u8": int64(200), "i8": int64(-2), "u16": int64(0x201), "i16": int64(-1), "u32": int64(math.MaxUint32), "i32": int64(-1),
		"u64": uint64(math.MaxUint64), "i64": int64(-1), "f32": float32(1.5), "f64": -2.5, "bool": true, "str": "hé",
		"ints": []any{int64(1), int64(-1)}, "strs": []any{"a", "", "bc"},
	}
	got := make(map[string]any)
	for _, p := range h.Pairs {
		got[p.Key] = p.Value.Any()
	}
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Error(d)
	}
	if v, _ := h.Get("u64"); func() bool { _, ok := v.Int(); return ok }() {
		t.Error("2^64-1 is an int64")
	}
	if _, ok := h.Get("none"); ok {
		t.Error("a key that is not there")
	}
}

// The sizes of blocks are those of the Python package gguf, but for Q8_1, which
// no file holds.
func TestTypesAsPythonHasThem(t *testing.T) {
	raw, err := os.ReadFile("../testdata/listings.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct {
		Types map[uint32][3]any
	}
	if err := json.Unmarshal(raw, &recorded); err != nil {
		t.Fatal(err)
	}
	if len(recorded.Types) < 30 {
		t.Fatalf("%d types", len(recorded.Types))
	}
	for id, want := range recorded.Types {
		block, size := int(want[1].(float64)), int(want[2].(float64))
		data := head(3, 1, 0).tensor("a", id, 0, uint64(block)).pad(32).data(size)
		h, problems, err := gguf.Check(bytes.NewReader(data), int64(len(data)))
		if err != nil || len(h.Tensors) != 1 {
			t.Fatal(err)
		}
		x := h.Tensors[0]
		if x.TypeName != want[0] {
			t.Errorf("type %d is %s, want %s", id, x.TypeName, want[0])
		}
		if id == 9 || id == 15 {
			continue
		}
		if x.End-x.Begin != int64(size) || problems.Len() != 0 {
			t.Errorf("%s: block of %d bytes, want %d: %v", x.TypeName, x.End-x.Begin, size, problems.All())
		}
	}
}

func TestShrinks(t *testing.T) {
	data := head(3, 0, 1).key("k", gguf.String).str(strings.Repeat("x", 1<<20)).b
	for _, left := range []int{0, 3, 10, 50, 1 << 19, len(data) - 1} {
		_, problems, err := gguf.Check(bytes.NewReader(data[:left]), int64(len(data)))
		if err != nil || problems.Count(problem.Shrank) != 1 || problems.Len() != 1 {
			t.Errorf("%d bytes left: %v, %v", left, problems.All(), err)
		}
	}
}

var errDisk = errors.New("disk on fire")

type broken struct{}

func (broken) ReadAt([]byte, int64) (int, error) { return 0, errDisk }

func TestReadErrorIsNoProblem(t *testing.T) {
	if _, problems, err := gguf.Check(broken{}, 1000); !errors.Is(err, errDisk) || problems.Len() != 0 {
		t.Errorf("%v, %v", problems.All(), err)
	}
}
