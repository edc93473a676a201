package checkpoint_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
)

// large writes a sparse checkpoint of shards files with 500 tensors each, named
// and sized as the experts of a mixture of experts in NVFP4.
func large(t testing.TB, shards int) string {
	t.Helper()
	root := t.TempDir()
	var idx bytes.Buffer
	idx.WriteString(`{"metadata":{},"weight_map":{`)
	n := 0
	for s := range shards {
		name := fmt.Sprintf("model-%05d-of-%05d.safetensors", s+1, shards)
		var h bytes.Buffer
		h.WriteByte('{')
		at := 0
		for i := range 500 {
			kinds := []struct {
				suffix, dtype, shape string
				size                 int
			}{{"weight", "U8", "1024,2048", 1024 * 2048}, {"weight_scale", "F8_E4M3", "1024,256", 1024 * 256}, {"weight_scale_2", "F32", "", 4}, {"input_scale", "F32", "", 4}}
			k := kinds[i%4]
			tensor := fmt.Sprintf("model.language_model.layers.%d.mlp.experts.%d.gate_proj.%s", n/4/512, n/4%512, k.suffix)
			if i > 0 {
				h.WriteByte(',')
			}
			fmt.Fprintf(&h, `"%s":{"dtype":"%s","shape":[%s],"data_offsets":[%d,%d]}`, tensor, k.dtype, k.shape, at, at+k.size)
			if n > 0 {
				idx.WriteByte(',')
			}
			fmt.Fprintf(&idx, `"%s":"%s"`, tensor, name)
			at += k.size
			n++
		}
		h.WriteByte('}')
		f := filepath.Join(root, name)
		if err := os.WriteFile(f, append(binary.LittleEndian.AppendUint64(nil, uint64(h.Len())), h.Bytes()...), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(f, int64(8+h.Len()+at)); err != nil {
			t.Fatal(err)
		}
	}
	idx.WriteString("}}")
	if err := os.WriteFile(filepath.Join(root, "model.safetensors.index.json"), idx.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

// TestLarge opens a sparse checkpoint of 200 shards and 100,000 tensors and
// holds the memory to a bound; -v tells the time.
func TestLarge(t *testing.T) {
	root := large(t, 200)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	start := time.Now()
	c := open(t, root)
	took := time.Since(start)
	runtime.ReadMemStats(&after)
	if c.Tensors.Len() != 100_000 || c.Problems.Len() != 0 || len(c.Files) != 200 {
		t.Errorf("%d tensors, %v", c.Tensors.Len(), c.Problems.All())
	}
	total := (after.TotalAlloc - before.TotalAlloc) >> 20
	runtime.GC()
	runtime.ReadMemStats(&after)
	t.Logf("opened in %v; %d MB allocated, %d MB kept, %d MB from the system", took, total, (after.HeapAlloc-before.HeapAlloc)>>20, after.Sys>>20)
	if total > 200 {
		t.Errorf("%d MB allocated", total)
	}
	runtime.KeepAlive(c)
}
