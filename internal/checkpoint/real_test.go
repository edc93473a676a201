package checkpoint_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kilter/internal/checkpoint"
	"kilter/internal/checkpoint/gguf"
)

// A listing is what testdata/record.py wrote of one file.
type listing struct {
	Size     int64
	Tensors  int
	First    string
	Last     string
	SHA256   string
	Metadata map[string]any
}

// TestRealFilesAsPythonSeesThem compares every tensor and every key of real
// files with what the Python packages gguf and safetensors found in them.
func TestRealFilesAsPythonSeesThem(t *testing.T) {
	raw, err := os.ReadFile("testdata/listings.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded struct{ Files map[string]listing }
	if err := json.Unmarshal(raw, &recorded); err != nil {
		t.Fatal(err)
	}
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip(err)
	}
	for name, want := range recorded.Files {
		t.Run(name, func(t *testing.T) {
			models := filepath.Join(home, ".cache/kilter/engines/models")
			found := filepath.Join(models, name)
			if !strings.HasSuffix(name, ".gguf") {
				found = filepath.Join(models, "smollm2-135m-instruct-hf")
			}
			if _, err := os.Stat(found); err != nil {
				t.Skipf("needs %s, which the real engines' set-up makes (see test/engine)", found)
			}
			c, err := checkpoint.Open(context.Background(), checkpoint.Local{}, found, checkpoint.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if c.Problems.Len() > 0 {
				t.Errorf("problems: %v", c.Problems.All())
			}
			var lines []string
			for x := range c.Tensors.InFile(0) {
				shape, _ := json.Marshal(x.Shape)
				lines = append(lines, fmt.Sprintf("%s %s %s %d %d", x.Name, x.TypeName, shape, x.Offset, x.Length))
				if !x.Readable || x.DType.String() != x.TypeName {
					t.Errorf("%+v", x)
				}
			}
			if c.Files[0].Size != want.Size || len(lines) != want.Tensors || lines[0] != want.First || lines[len(lines)-1] != want.Last {
				t.Errorf("%d tensors from\n%s to\n%s, want\n%d from\n%s to\n%s", len(lines), lines[0], lines[len(lines)-1], want.Tensors, want.First, want.Last)
			}
			if got := sum([]byte(strings.Join(lines, "\n"))); got != want.SHA256 {
				t.Errorf("listing has %s, want %s", got, want.SHA256)
			}
			if m := c.Metadata(); m != nil {
				compareMetadata(t, m, want.Metadata)
			} else {
				for k, v := range want.Metadata {
					if c.Files[0].Safetensors.Metadata[k] != v {
						t.Errorf("metadata %s: %q, want %q", k, c.Files[0].Safetensors.Metadata[k], v)
					}
				}
				if len(c.Sides["config.json"].Data) == 0 {
					t.Error("no config.json")
				}
			}
		})
	}
}

func compareMetadata(t *testing.T, m *gguf.Header, want map[string]any) {
	if len(m.Pairs) != len(want) {
		t.Errorf("%d keys, want %d", len(m.Pairs), len(want))
	}
	for key, w := range want {
		v, ok := m.Get(key)
		switch w := w.(type) {
		case map[string]any:
			var all []byte
			for i := range v.Len() {
				if s, ok := v.At(i).Str(); ok {
					all = append(fmt.Appendf(all, "%d:", len(s)), s...)
				} else {
					f, _ := v.At(i).Float()
					all = binary.LittleEndian.AppendUint64(all, math.Float64bits(f))
				}
			}
			if v.Type != gguf.Array || float64(v.Len()) != w["len"] || sum(all) != w["sha256"] {
				t.Errorf("%s: %d elements, %s; want %v", key, v.Len(), sum(all), w)
			}
		case float64:
			if f, ok := v.Float(); !ok || f != w {
				t.Errorf("%s is %v, want %v", key, v.Any(), w)
			}
		default:
			if !ok || v.Any() != w {
				t.Errorf("%s is %v, want %v", key, v.Any(), w)
			}
		}
	}
}

func sum(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}
