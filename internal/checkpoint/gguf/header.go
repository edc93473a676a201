package gguf

import (
	"math"
	"math/bits"

	"kilter/internal/numeric"
)

// MaxMetadata bounds the memory of all metadata of a file. The largest in use
// are vocabularies of about 10 MB and a whole tokenizer.json of about 20 MB.
const MaxMetadata = 128 << 20

// MaxTensors is how many tensors are read from one file.
const MaxTensors = 1_000_000

const (
	maxKey   = 64 << 10
	maxName  = 16 << 10 // read for the sake of the message; ggml takes 63
	maxDims  = 4
	maxDepth = 4 // of arrays in arrays
)

// A Pair is a metadata key with its value.
type Pair struct {
	Key   string
	Value Value
}

// A Tensor is one entry of the list.
type Tensor struct {
	Name string
	// Type is the type's number in the file and TypeName its name; DType is
	// Invalid where kilter does no arithmetic with it.
	Type     uint32
	TypeName string
	DType    numeric.DType
	// Dims are as the file lists them, innermost first.
	Dims []int64
	// Begin and End are the tensor's bytes in the file, [Begin, End), counted
	// from the file's first byte, without padding. End is -1 where the type's
	// size is unknown, and where the list of tensors could not be read to its
	// end, so that nothing says where the data begins.
	Begin, End int64
	// Readable is set where these bytes are known and lie in the file.
	Readable bool
}

// Shape returns the dimensions outermost first, as other formats list them.
func (t *Tensor) Shape() []int64 {
	shape := make([]int64, len(t.Dims))
	for i, d := range t.Dims {
		shape[len(shape)-1-i] = d
	}
	return shape
}

// A Header is what a file says about itself.
type Header struct {
	Version uint32
	// Alignment is general.alignment, 32 where it is absent or wrong.
	Alignment int64
	// Data is the offset of the data section, 0 where the list of tensors could
	// not be read to its end.
	Data int64
	// Size is the size of the file.
	Size int64
	// Pairs and Tensors are in the order of the file.
	Pairs   []Pair
	Tensors []Tensor

	keys map[string]int
}

// Get returns the value of a key.
func (h *Header) Get(key string) (Value, bool) {
	i, ok := h.keys[key]
	if !ok {
		return Value{}, false
	}
	return h.Pairs[i].Value, true
}

// Architecture returns general.architecture, empty where it is absent.
func (h *Header) Architecture() string {
	v, _ := h.Get("general.architecture")
	s, _ := v.Str()
	return s
}

// sizeOf returns a tensor's bytes, -1 where the type's size is unknown, and why
// there are none.
func sizeOf(dims []int64, t tensorType) (int64, string) {
	n, empty := uint64(1), false
	for _, d := range dims {
		if d == 0 {
			empty = true
			continue
		}
		hi, lo := bits.Mul64(n, uint64(d))
		if hi != 0 || lo > math.MaxInt64 {
			return -1, "the number of elements overflows"
		}
		n = lo
	}
	if t.block == 0 {
		return -1, ""
	}
	if len(dims) > 0 && dims[0]%t.block != 0 || len(dims) == 0 && t.block != 1 {
		return -1, "the rows are no whole blocks"
	}
	if empty {
		return 0, ""
	}
	blocks := int64(n) / t.block
	if blocks > math.MaxInt64/t.size {
		return -1, "the size overflows"
	}
	return blocks * t.size, ""
}
