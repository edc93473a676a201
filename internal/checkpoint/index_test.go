package checkpoint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestIndexRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.MapOfN(rapid.String(), rapid.StringN(1, 5, 20), 0, 20).Draw(t, "map")
		data, err := json.Marshal(map[string]any{"metadata": map[string]any{"total_size": 7, "x": want}, "weight_map": want, "more": []any{want, 1.5, nil}})
		if err != nil {
			t.Fatal(err)
		}
		x, problems, err := parseIndex(bytes.NewReader(data), int64(len(data)))
		if err != nil || problems.Len() != 0 || x.TotalSize != 7 || len(x.Entries) != len(want) {
			t.Fatal(x, problems.All(), err)
		}
		for name, file := range want {
			if got, ok := x.Lookup(name); !ok || got != file {
				t.Fatalf("%q is in %q, want %q", name, got, file)
			}
		}
	})
}

// checkIndex checks what must hold of any bytes.
func checkIndex(t *testing.T, data []byte) {
	x, problems, err := parseIndex(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range x.Entries {
		if f, ok := x.Lookup(e.Tensor); !ok || f != e.File || !slices.Contains(x.Files, f) {
			t.Fatalf("%+v", e)
		}
	}
	if problems.Len() == 0 {
		var std struct {
			Map map[string]string `json:"weight_map"`
		}
		if err := json.Unmarshal(data, &std); err == nil && len(std.Map) != len(x.Entries) {
			t.Fatalf("%d entries, and %d by json", len(x.Entries), len(std.Map))
		} else if err != nil && json.Valid(data) == false {
			t.Fatalf("sound, and json says %v", err)
		}
	}
}

func FuzzIndex(f *testing.F) {
	f.Add([]byte(`{"metadata": {"total_size": 12, "total_parameters": 3}, "weight_map": {"a.b": "model-00001-of-00002.safetensors", "é": "x"}}`))
	f.Add([]byte(`{"weight_map": {"a": "x", "a": "y"}, "z": [1.5e3, null, {"\ud83d\ude00": false}]}`))
	f.Add([]byte(`{"metadata": {"total_size": 1e99}, "weight_map": {"a": "../../x"}} `))
	f.Fuzz(checkIndex)
}

func TestCompareNames(t *testing.T) {
	sorted := []string{"", "a", "a.2", "a.10", "a.10.b", "a.10.c", "a.11", "b", "b0", "b00", "b1", "b99999999999999999999998", "b99999999999999999999999", "ba"}
	for i, a := range sorted {
		for j, b := range sorted {
			if got := CompareNames(a, b); got < 0 != (i < j) || got > 0 != (i > j) {
				t.Errorf("%q, %q: %d", a, b, got)
			}
		}
	}
	name := rapid.StringMatching(`[ab.0-3]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b, c := name.Draw(t, "a"), name.Draw(t, "b"), name.Draw(t, "c")
		if x, y := CompareNames(a, b), CompareNames(b, a); x < 0 != (y > 0) || (x == 0) != (a == b) {
			t.Fatalf("%q, %q: %d and %d", a, b, x, y)
		}
		if CompareNames(a, b) < 0 && CompareNames(b, c) < 0 && CompareNames(a, c) >= 0 {
			t.Fatalf("%q < %q < %q", a, b, c)
		}
	})
}

func TestSplitNames(t *testing.T) {
	for name, want := range map[string]string{
		"m-00001-of-00002.gguf":            "m-00001-of-00002.gguf m-00002-of-00002.gguf",
		"a-00002-of-00002.safetensors":     "a-00001-of-00002.safetensors a-00002-of-00002.safetensors",
		"m-00003-of-00002.gguf":            "",
		"m-00000-of-00002.gguf":            "",
		"m-99999-of-99999.gguf":            "",
		"m.gguf":                           "",
		"m-00001-of-00001.gguf.incomplete": "",
	} {
		if got := strings.Join(splitOf(name).names(), " "); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func BenchmarkIndex(b *testing.B) {
	var w bytes.Buffer
	w.WriteString(`{"metadata":{"total_size":1},"weight_map":{`)
	for i := range 100_000 {
		if i > 0 {
			w.WriteByte(',')
		}
		fmt.Fprintf(&w, `"model.language_model.layers.%d.mlp.experts.%d.gate_proj.weight_scale_2":"model-%05d-of-00200.safetensors"`, i/2000, i%2000, i/500+1)
	}
	w.WriteString(`}}`)
	b.SetBytes(int64(w.Len()))
	b.ReportAllocs()
	for b.Loop() {
		if x, _, err := parseIndex(bytes.NewReader(w.Bytes()), int64(w.Len())); err != nil || len(x.Entries) != 100_000 {
			b.Fatal(err)
		}
	}
}
