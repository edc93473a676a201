package safetensors_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kilter/internal/checkpoint/problem"
	"kilter/internal/checkpoint/safetensors"
	"kilter/internal/numeric"
)

// TestHostile is every way that a file is known to be wrong, and the ways in
// which it is merely odd (kinds with a ~).
func TestHostile(t *testing.T) {
	a := entry("a", "F32", "2,3", 0, 24)
	good := file(object(a), 24)
	length := func(n uint64) []byte {
		b := slices.Clone(good)
		for i := range 8 {
			b[i] = byte(n >> (8 * i))
		}
		return b
	}
	cases := []struct {
		name string
		data []byte
		want string // kinds, sorted
	}{
		{"sound", good, ""},
		{"no tensors", file("{}", 0), ""},
		{"padded with spaces", file(object(a)+"    ", 24), ""},
		{"scalar", file(object(entry("s", "F32", "", 0, 4)), 4), ""},
		{"empty tensor", file(object(entry("e", "F32", "0,3", 24, 24), a), 24), ""},
		{"unsorted header", file(object(entry("b", "U8", "4", 24, 28), a), 28), ""},
		{"escaped name", file(object(entry("a\u00e9\"\\\n\U0001F600", "U8", "1", 0, 1)), 1), ""},
		{"surrogate pair", file(`{"\ud83d\ude00":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1), ""},
		{"metadata", file(object(`"__metadata__":{"format":"pt"}`, a), 24), ""},
		{"a type that numeric has not", file(object(entry("c", "C64", "3", 0, 24)), 24), ""},
		{"F6", file(object(entry("c", "F6_E2M3", "4", 0, 3)), 3), ""},

		{"no bytes", nil, "safetensors.short"},
		{"seven bytes", good[:7], "safetensors.short"},
		{"only the length", good[:8], "safetensors.header_length"},
		{"zeroed", make([]byte, 100), "safetensors.header_length"},
		{"8 EiB header", length(8 << 60), "safetensors.header_length"},
		{"16 EiB header", length(math.MaxUint64), "safetensors.header_length"},
		{"length that overflows with the 8", length(math.MaxInt64 - 3), "safetensors.header_length"},
		{"header beyond the file", length(1000), "safetensors.header_length"},
		{"length cuts the JSON", length(20), "safetensors.syntax"},
		{"length includes data", length(uint64(len(good) - 8)), "safetensors.syntax"},
		{"not an object", file(`[1,2]`, 0), "safetensors.syntax"},
		{"no JSON", file("hello, world", 0), "safetensors.syntax"},
		{"bad UTF-8 in a name", file("{\"a\xff\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1), "safetensors.syntax"},
		{"overlong UTF-8", file("{\"a\xc0\x80\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1), "safetensors.syntax"},
		{"encoded surrogate", file("{\"\xed\xa0\x80\":{}}", 0), "safetensors.syntax"},
		{"half a surrogate pair", file(`{"\ud83d":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1), "safetensors.syntax"},
		{"control character in a name", file("{\"a\n\":{}}", 0), "safetensors.syntax"},
		{"NUL padding", file(object(a)+"\x00\x00", 24), "safetensors.syntax"},
		{"two objects", file(object(a)+"{}", 24), "safetensors.syntax"},
		{"trailing comma", file("{"+a+",}", 24), "safetensors.syntax"},
		{"entry is an array", file(`{"a":["F32",[1],[0,4]]}`, 4), "safetensors.syntax"},
		{"negative dimension", file(object(entry("a", "F32", "-1", 0, 4)), 4), "safetensors.syntax"},
		{"fractional dimension", file(object(entry("a", "F32", "1.0", 0, 4)), 4), "safetensors.syntax"},
		{"dimension with an exponent", file(object(entry("a", "F32", "1e0", 0, 4)), 4), "safetensors.syntax"},
		{"dimension with a leading zero", file(object(entry("a", "F32", "01", 0, 4)), 4), "safetensors.syntax"},
		{"dimension above 2^63", file(object(entry("a", "F32", "9223372036854775808", 0, 4)), 4), "safetensors.syntax"},
		{"65 dimensions", file(object(entry("a", "U8", strings.Repeat("1,", 64)+"1", 0, 1)), 1), "safetensors.syntax"},
		{"three offsets", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,2]}}`, 1), "safetensors.syntax"},
		{"one offset", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0]}}`, 1), "safetensors.syntax"},
		{"dtype is a number", file(`{"a":{"dtype":1,"shape":[1],"data_offsets":[0,1]}}`, 1), "safetensors.syntax"},
		{"a name of 20 kB", file(object(entry(strings.Repeat("n", 20_000), "U8", "1", 0, 1)), 1), "safetensors.syntax"},
		{"deep nesting", file(`{"a":{"x":`+strings.Repeat("[", 100_000), 0), "safetensors.syntax ~safetensors.field"},
		{"duplicate name", file(object(a, entry("a", "F32", "6", 0, 24)), 24), "safetensors.duplicate"},
		{"duplicate name by escape", file(`{"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"\u0061":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1), "safetensors.duplicate"},
		{"duplicate metadata", file(object(`"__metadata__":{}`, `"__metadata__":{}`, a), 24), "safetensors.duplicate"},
		{"metadata of numbers", file(object(`"__metadata__":{"n":1}`, a), 24), "safetensors.metadata"},
		{"metadata is an array", file(object(`"__metadata__":["x"]`, a), 24), "safetensors.metadata"},
		{"metadata is null", file(object(`"__metadata__":null`, a), 24), "~safetensors.metadata"},
		{"metadata of 3 MB", file(object(`"__metadata__":{"x":"`+strings.Repeat("y", 3<<20)+`"}`, a), 24), "~safetensors.metadata"},
		{"unknown field", file(`{"a":{"dtype":"U8","note":{"x":[1,-2.5e3,true,false,null,"é"]},"shape":[1],"data_offsets":[0,1]}}`, 1), "~safetensors.field"},
		{"field twice", file(`{"a":{"dtype":"U8","dtype":"U8","shape":[1],"data_offsets":[0,1]}}`, 1), "safetensors.field"},
		{"no dtype", file(`{"a":{"shape":[1],"data_offsets":[0,1]}}`, 1), "safetensors.field"},
		{"no shape", file(`{"a":{"dtype":"U8","data_offsets":[0,1]}}`, 1), "safetensors.field"},
		{"no offsets", file(`{"a":{"dtype":"U8","shape":[1]}}`, 0), "safetensors.field"},
		{"unknown dtype", file(object(entry("a", "F32X", "1", 0, 4)), 4), "safetensors.dtype"},
		{"lower-case dtype", file(object(entry("a", "f32", "1", 0, 4)), 4), "safetensors.dtype"},
		{"a GGUF dtype", file(object(entry("a", "Q4_K", "256", 0, 144)), 144), "safetensors.dtype"},
		{"elements overflow", file(object(entry("a", "F32", "4294967296,4294967296", 0, 4)), 4), "safetensors.shape"},
		{"size overflows", file(object(entry("a", "F64", "4611686018427387904", 0, 4)), 4), "safetensors.shape"},
		{"overflow hidden by a zero", file(object(entry("a", "F32", "4294967296,4294967296,0", 0, 0)), 0), "safetensors.shape"},
		{"odd count of F4", file(object(entry("a", "F4", "3", 0, 2)), 2), "safetensors.shape"},
		{"end before begin", file(object(a, entry("b", "U8", "1", 24, 23)), 24), "safetensors.offsets"},
		{"offsets that overflow", file(object(a, `"b":{"dtype":"U8","shape":[1],"data_offsets":[9223372036854775806,9223372036854775807]}`), 24), "safetensors.offsets"},
		{"size does not fit", file(object(entry("a", "F32", "2,3", 0, 20)), 20), "safetensors.size"},
		{"bytes for an empty tensor", file(object(entry("a", "F32", "0", 0, 4)), 4), "safetensors.size"},
		{"overlap", file(object(a, entry("b", "U8", "4", 20, 24)), 24), "safetensors.overlap"},
		{"same bytes twice", file(object(a, entry("b", "F32", "6", 0, 24)), 24), "safetensors.overlap"},
		{"empty tensor inside another", file(object(a, entry("e", "F32", "0", 12, 12)), 24), "safetensors.overlap"},
		{"hole", file(object(a, entry("b", "U8", "4", 28, 32)), 32), "safetensors.hole"},
		{"hole at the beginning", file(object(entry("b", "U8", "4", 4, 8)), 8), "safetensors.hole"},
		{"trailing bytes", file(object(a), 25), "safetensors.trailing"},
		{"one byte cut", file(object(a), 23), "safetensors.truncated"},
		{"all data cut", file(object(a), 0), "safetensors.truncated"},
		{"beyond the file", file(object(a, entry("b", "U8", "4", 1<<40, 1<<40+4)), 24), "safetensors.hole safetensors.truncated"},
		{"space before {", file("  "+object(a), 24), "~safetensors.padding"},
		{"newline padding", file(object(a)+"\n\n", 24), "~safetensors.padding"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			h, problems, err := safetensors.Check(bytes.NewReader(c.data), int64(len(c.data)))
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
			parsed, err := safetensors.Parse(bytes.NewReader(c.data), int64(len(c.data)))
			if (err != nil) != fatal || (parsed == nil) != fatal {
				t.Errorf("Parse: %v, %v", parsed, err)
			}
			var p *problem.Problem
			if err != nil && !errors.As(err, &p) {
				t.Errorf("Parse: %T", err)
			}
		})
	}
}

func TestWhatIsRead(t *testing.T) {
	data := file(object(`"__metadata__":{"format":"pt"}`, entry("b", "F8_E4M3", "4", 24, 28), entry("a", "BF16", "4,3", 0, 24), entry("c", "F4", "2,8", 28, 36)), 36)
	h, err := safetensors.Parse(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	at := h.Data
	want := &safetensors.Header{JSON: at - 8, Data: at, Size: int64(len(data)), Metadata: map[string]string{"format": "pt"}, Tensors: []safetensors.Tensor{
		{Name: "a", DType: numeric.BF16, TypeName: "BF16", Shape: []int64{4, 3}, Begin: at, End: at + 24, Readable: true},
		{Name: "b", DType: numeric.F8E4M3, TypeName: "F8_E4M3", Shape: []int64{4}, Begin: at + 24, End: at + 28, Readable: true},
		{Name: "c", DType: numeric.F4, TypeName: "F4", Shape: []int64{2, 8}, Begin: at + 28, End: at + 36, Readable: true},
	}}
	if d := cmp.Diff(want, h); d != "" {
		t.Error(d)
	}
}

// A file that loses bytes between Stat and read is a problem, not a bad header.
func TestShrinks(t *testing.T) {
	var members []string
	for i := range 5000 {
		members = append(members, entry(strings.Repeat("x", 30)+string(rune('a'+i%26))+strings.Repeat("y", i/26), "U8", "0", 0, 0))
	}
	data := file(object(members...), 0)
	for _, left := range []int{0, 7, 8, 1000, 70_000, len(data) - 1} {
		_, problems, err := safetensors.Check(bytes.NewReader(data[:left]), int64(len(data)))
		if err != nil || problems.Count(problem.Shrank) != 1 || problems.Len() != 1 {
			t.Errorf("%d of %d bytes left: %v, %v", left, len(data), problems.All(), err)
		}
	}
}

type broken struct{ at int64 }

func (b broken) ReadAt(p []byte, off int64) (int, error) {
	if off+int64(len(p)) > b.at {
		return 0, io.ErrClosedPipe
	}
	data := file("{"+strings.Repeat(" ", 1<<20-1), 0)
	return copy(p, data[off:]), nil
}

func TestReadErrorIsNoProblem(t *testing.T) {
	for _, at := range []int64{0, 100_000} {
		_, problems, err := safetensors.Check(broken{at}, 8+1<<20)
		if !errors.Is(err, io.ErrClosedPipe) || problems.Len() != 0 {
			t.Errorf("%d: %v, %v", at, problems.All(), err)
		}
	}
}
