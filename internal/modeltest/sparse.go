// Package modeltest writes checkpoints of any size for tests: their headers
// and configuration are real, and their data are holes in sparse files, which
// read as zeros and take no room on the disk.
package modeltest

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
)

// A Tensor is one to write. Its data are zeros.
type Tensor struct {
	Name, DType string
	Shape       []int64
}

// bytes returns the size of its data.
func (t Tensor) bytes() int64 {
	n := map[string]int64{"F32": 4, "BF16": 2, "F16": 2, "U8": 1, "F8_E4M3": 1, "I32": 4, "I64": 8}[t.DType]
	for _, d := range t.Shape {
		n *= d
	}
	return n
}

// Write writes a checkpoint of so many shards, with an index, and the given
// files beside it, as JSON unless they are strings already.
func Write(dir string, tensors []Tensor, shards int, sides map[string]any) error {
	total := int64(0)
	for _, t := range tensors {
		total += t.bytes()
	}
	weightMap := make(map[string]string, len(tensors))
	next, written := 0, int64(0)
	for s := range shards {
		name := fmt.Sprintf("model-%05d-of-%05d.safetensors", s+1, shards)
		begin := next
		left := shards - s - 1 // each needs a tensor too
		for next < len(tensors)-left && (next == begin || left == 0 || written < total/int64(shards)*int64(s+1)) {
			written += tensors[next].bytes()
			weightMap[tensors[next].Name] = name
			next++
		}
		if err := writeShard(filepath.Join(dir, name), tensors[begin:next]); err != nil {
			return err
		}
	}
	index := map[string]any{"metadata": map[string]any{"total_size": total}, "weight_map": weightMap}
	if err := writeSide(dir, "model.safetensors.index.json", index); err != nil {
		return err
	}
	for name, v := range sides {
		if err := writeSide(dir, name, v); err != nil {
			return err
		}
	}
	return nil
}

func writeSide(dir, name string, v any) error {
	data, ok := v.(string)
	if !ok {
		b, err := json.Marshal(v)
		if err != nil {
			return err
		}
		data = string(b)
	}
	return os.WriteFile(filepath.Join(dir, name), []byte(data), 0o600)
}

// writeShard writes a safetensors file whose data are a hole.
func writeShard(path string, tensors []Tensor) error {
	var h bytes.Buffer
	h.WriteString(`{"__metadata__":{"format":"pt"}`)
	at := int64(0)
	for _, t := range tensors {
		fmt.Fprintf(&h, `,%s:{"dtype":"%s","shape":[`, strconv.Quote(t.Name), t.DType)
		for i, d := range t.Shape {
			if i > 0 {
				h.WriteByte(',')
			}
			h.WriteString(strconv.FormatInt(d, 10))
		}
		fmt.Fprintf(&h, `],"data_offsets":[%d,%d]}`, at, at+t.bytes())
		at += t.bytes()
	}
	h.WriteByte('}')
	for h.Len()%8 != 0 {
		h.WriteByte(' ')
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	size := binary.LittleEndian.AppendUint64(nil, uint64(h.Len()))
	if _, err := f.Write(size); err != nil {
		return err
	}
	if _, err := f.Write(h.Bytes()); err != nil {
		return err
	}
	if err := f.Truncate(8 + int64(h.Len()) + at); err != nil {
		return err
	}
	return f.Close()
}
