package audit_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kilter/internal/numeric"
)

// A tensor is one of a tiny checkpoint.
type tensor struct {
	name, dtype string
	shape       []int64
	data        []byte
}

// A tiny is a checkpoint in memory, after the layouts of real writers.
type tiny struct {
	config  map[string]any
	sides   map[string][]byte
	tensors []tensor
	shards  int
	noIndex bool
}

// at returns a tensor by name.
func (c *tiny) at(name string) *tensor {
	for i := range c.tensors {
		if c.tensors[i].name == name {
			return &c.tensors[i]
		}
	}
	panic("no tensor " + name)
}

// drop removes the tensors whose names match.
func (c *tiny) drop(match func(name string) bool) {
	c.tensors = slices.DeleteFunc(c.tensors, func(x tensor) bool { return match(x.name) })
}

func (c *tiny) dropName(name string) {
	c.at(name)
	c.drop(func(n string) bool { return n == name })
}

func (c *tiny) add(name, dtype string, data []byte, shape ...int64) {
	c.tensors = append(c.tensors, tensor{name, dtype, shape, data})
}

// random returns normally distributed values that depend on the name alone.
func random(name string, n int64, sigma float64) []float32 {
	h := fnv.New64a()
	h.Write([]byte(name))
	rng := rand.New(rand.NewPCG(h.Sum64(), 1))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64() * sigma)
	}
	return x
}

func elements(shape []int64) int64 {
	n := int64(1)
	for _, d := range shape {
		n *= d
	}
	return n
}

// encode writes values in a stored type.
func encode(d numeric.DType, x []float32) []byte {
	size, err := d.Bytes(int64(len(x)))
	if err != nil {
		panic(err)
	}
	b := make([]byte, size)
	if err := d.Encode(b, x); err != nil {
		panic(err)
	}
	return b
}

func (c *tiny) bf16(name string, shape ...int64) {
	c.add(name, "BF16", encode(numeric.BF16, random(name, elements(shape), 0.05)), shape...)
}

// fill adds a BF16 tensor of one value.
func (c *tiny) fill(name string, v float32, shape ...int64) {
	x := make([]float32, elements(shape))
	for i := range x {
		x[i] = v
	}
	c.add(name, "BF16", encode(numeric.BF16, x), shape...)
}

func f32(x ...float32) []byte { return encode(numeric.F32, x) }

func amax(x []float32) float32 {
	m := float32(0)
	for _, v := range x {
		m = max(m, float32(math.Abs(float64(v))))
	}
	return m
}

// nvfp4 adds a module as ModelOpt exports it. Modules that servers fuse have
// one scale2.
func (c *tiny) nvfp4(module string, out, in int64) {
	x := random(module, out*in, 0.05)
	scale2 := numeric.NVFP4Scale2(0.25)
	packed, scales := make([]byte, out*in/2), make([]byte, out*in/16)
	if err := numeric.EncodeNVFP4(packed, scales, x, scale2); err != nil {
		panic(err)
	}
	c.add(module+".input_scale", "F32", f32(0.0021))
	c.add(module+".weight", "U8", packed, out, in/2)
	c.add(module+".weight_scale", "F8_E4M3", scales, out, in/16)
	c.add(module+".weight_scale_2", "F32", f32(scale2))
}

// nvfp4Compressed is the same as compressed-tensors writes it.
func (c *tiny) nvfp4Compressed(module string, out, in int64) {
	c.nvfp4(module, out, in)
	scale2 := numeric.NVFP4Scale2(0.25)
	n := len(c.tensors)
	c.tensors[n-4] = tensor{module + ".input_global_scale", "F32", []int64{1}, f32(1 / 0.0021)}
	c.tensors[n-3].name = module + ".weight_packed"
	c.tensors[n-1] = tensor{module + ".weight_global_scale", "F32", []int64{1}, f32(1 / scale2)}
}

// fp8 adds a module in FP8 with one scale, or with one for 128x128 weights.
func (c *tiny) fp8(module string, out, in int64, block bool) {
	x := random(module, out*in, 0.05)
	if !block {
		scale := numeric.FP8Scale(amax(x))
		codes := make([]byte, len(x))
		if err := numeric.EncodeFP8(codes, x, scale); err != nil {
			panic(err)
		}
		c.add(module+".input_scale", "F32", f32(0.02))
		c.add(module+".weight", "F8_E4M3", codes, out, in)
		c.add(module+".weight_scale", "F32", f32(scale))
		return
	}
	const side = numeric.FP8BlockSize
	rows, cols := (out+side-1)/side, (in+side-1)/side
	codes, scales := make([]byte, len(x)), make([]float32, rows*cols)
	for r := range out {
		for k := range in {
			i := r/side*cols + k/side
			scales[i] = max(scales[i], numeric.FP8Scale(float32(math.Abs(float64(x[r*in+k])))))
		}
	}
	for r := range out {
		for k := range in {
			codes[r*in+k] = numeric.EncodeE4M3(x[r*in+k] / scales[r/side*cols+k/side])
		}
	}
	c.add(module+".weight", "F8_E4M3", codes, out, in)
	c.add(module+".weight_scale_inv", "F32", f32(scales...), rows, cols)
}

// int4 adds a module as compressed-tensors packs integers.
func (c *tiny) int4(module string, out, in, group int64) {
	x := random(module, out*in, 0.05)
	packed, scales := []byte{}, []float32{}
	for r := range out {
		p, s := make([]byte, numeric.INT4Bytes(int(in))), make([]float32, in/group)
		if err := numeric.EncodeINT4(p, s, x[r*in:(r+1)*in], int(group)); err != nil {
			panic(err)
		}
		packed, scales = append(packed, p...), append(scales, s...)
	}
	shape := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, uint64(out)), uint64(in))
	c.add(module+".weight_packed", "I32", packed, out, in/8)
	c.add(module+".weight_scale", "BF16", encode(numeric.BF16, scales), out, in/group)
	c.add(module+".weight_shape", "I64", shape, 2)
}

// mxfp4 adds all experts of a projection as gpt-oss has them.
func (c *tiny) mxfp4(module string, experts, out, in int64) {
	x := random(module, experts*out*in, 0.05)
	packed, scales := make([]byte, len(x)/2), make([]byte, len(x)/32)
	if err := numeric.EncodeMXFP4(packed, scales, x); err != nil {
		panic(err)
	}
	c.add(module+"_blocks", "U8", packed, experts, out, in/32, 16)
	c.add(module+"_scales", "U8", scales, experts, out, in/32)
}

// write makes a folder of the checkpoint.
func (c *tiny) write(t testing.TB) string {
	t.Helper()
	dir := t.TempDir()
	if c.config != nil {
		b, err := json.MarshalIndent(c.config, "", "  ")
		check(t, err)
		check(t, os.WriteFile(filepath.Join(dir, "config.json"), b, 0o600))
	}
	for name, data := range c.sides {
		check(t, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	if c.shards <= 1 {
		check(t, os.WriteFile(filepath.Join(dir, "model.safetensors"), safetensors(c.tensors), 0o600))
		return dir
	}
	total, where := 0, map[string]string{}
	per := (len(c.tensors) + c.shards - 1) / c.shards
	k := 0
	for part := range slices.Chunk(c.tensors, per) {
		k++
		name := fmt.Sprintf("model-%05d-of-%05d.safetensors", k, c.shards)
		check(t, os.WriteFile(filepath.Join(dir, name), safetensors(part), 0o600))
		for _, x := range part {
			where[x.name] = name
			total += len(x.data)
		}
	}
	if !c.noIndex {
		c.writeIndex(t, dir, where, total)
	}
	return dir
}

func (c *tiny) writeIndex(t testing.TB, dir string, where map[string]string, total int) {
	b, err := json.Marshal(map[string]any{"metadata": map[string]any{"total_size": total}, "weight_map": where})
	check(t, err)
	check(t, os.WriteFile(filepath.Join(dir, "model.safetensors.index.json"), b, 0o600))
}

// safetensors writes a file as the reference implementation does: offsets in
// order, the header padded with spaces to eight bytes.
func safetensors(list []tensor) []byte {
	var header, data bytes.Buffer
	header.WriteString(`{"__metadata__":{"format":"pt"}`)
	for _, x := range list {
		shape := strings.ReplaceAll(fmt.Sprint(x.shape), " ", ",")
		fmt.Fprintf(&header, `,%q:{"dtype":%q,"shape":%s,"data_offsets":[%d,%d]}`, x.name, x.dtype, shape, data.Len(), data.Len()+len(x.data))
		data.Write(x.data)
	}
	header.WriteByte('}')
	for header.Len()%8 != 0 {
		header.WriteByte(' ')
	}
	out := binary.LittleEndian.AppendUint64(nil, uint64(header.Len()))
	return append(append(out, header.Bytes()...), data.Bytes()...)
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// tokenizer is a tokenizer.json with n tokens.
func tokenizer(n int) []byte {
	vocab := map[string]int{}
	for i := range n {
		vocab[fmt.Sprint("t", i)] = i
	}
	b, err := json.Marshal(map[string]any{"model": map[string]any{"type": "BPE", "vocab": vocab, "merges": []string{}}, "added_tokens": []any{}})
	if err != nil {
		panic(err)
	}
	return b
}

func sha256Hex(b []byte) string {
	h := sha256.Sum256(b)
	return hex.EncodeToString(h[:])
}
