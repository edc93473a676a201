package safetensors

import (
	"math"

	"kilter/internal/numeric"
)

// MaxHeader is the largest JSON that is read: 100,000,000 bytes, the limit of
// the reference implementation, so no server loads more. The largest published
// models need 30 MB over all their shards.
const MaxHeader = 100_000_000

// MaxTensors is how many tensors are read from one file.
const MaxTensors = 1_000_000

// maxName bounds a tensor's name; maxRank is torch's limit on dimensions.
const (
	maxName = 16 << 10
	maxRank = 64
)

// maxMetadata is how many bytes of __metadata__ are kept.
const maxMetadata = 1 << 20

// A Tensor is one entry of the header.
type Tensor struct {
	Name string
	// DType is Invalid for a type that kilter does no arithmetic with; TypeName
	// is the type as the file writes it.
	DType    numeric.DType
	TypeName string
	// Shape is outermost first and empty for a scalar.
	Shape []int64
	// Begin and End are the tensor's bytes in the file, [Begin, End), counted
	// from the file's first byte.
	Begin, End int64
	// Readable is set where these bytes lie in the file and are as many as
	// type and shape need.
	Readable bool
}

// A Header is what a file says about itself.
type Header struct {
	// JSON is the length of the header's JSON and Data the offset of the first
	// byte behind it.
	JSON, Data int64
	// Size is the size of the file.
	Size int64
	// Metadata is __metadata__; the first MiB of it.
	Metadata map[string]string
	// Tensors are sorted by Begin. Where a name occurs twice the first in the
	// file is kept.
	Tensors []Tensor
}

// bits returns the width of a type by its name in the file, and what it is in
// numeric, if anything. The name returned is a constant, so that a hundred
// thousand tensors share it.
func bits(name []byte) (string, int64, numeric.DType) {
	switch string(name) {
	case "BF16":
		return "BF16", 16, numeric.BF16
	case "F16":
		return "F16", 16, numeric.F16
	case "F32":
		return "F32", 32, numeric.F32
	case "U8":
		return "U8", 8, numeric.U8
	case "F8_E4M3":
		return "F8_E4M3", 8, numeric.F8E4M3
	case "F8_E5M2":
		return "F8_E5M2", 8, numeric.F8E5M2
	case "F8_E8M0":
		return "F8_E8M0", 8, numeric.F8E8M0
	case "F4":
		return "F4", 4, numeric.F4
	case "I8":
		return "I8", 8, numeric.I8
	case "I16":
		return "I16", 16, numeric.I16
	case "I32":
		return "I32", 32, numeric.I32
	case "I64":
		return "I64", 64, numeric.I64
	case "U16":
		return "U16", 16, numeric.U16
	case "U32":
		return "U32", 32, numeric.U32
	case "U64":
		return "U64", 64, numeric.U64
	case "F64":
		return "F64", 64, numeric.F64
	case "BOOL":
		return "BOOL", 8, numeric.Bool
	case "F8_E4M3FNUZ":
		return "F8_E4M3FNUZ", 8, numeric.Invalid
	case "F8_E5M2FNUZ":
		return "F8_E5M2FNUZ", 8, numeric.Invalid
	case "F6_E2M3":
		return "F6_E2M3", 6, numeric.Invalid
	case "F6_E3M2":
		return "F6_E3M2", 6, numeric.Invalid
	case "C64":
		return "C64", 64, numeric.Invalid
	}
	return "", 0, numeric.Invalid
}

// sizeOf returns the bytes of a shape at a width, and why there are none.
func sizeOf(shape []int64, width int64) (int64, string) {
	n, empty := int64(1), false
	for _, d := range shape {
		switch {
		case d == 0:
			empty = true
		case n > math.MaxInt64/d:
			return 0, "the number of elements overflows"
		default:
			n *= d
		}
	}
	switch {
	case empty:
		return 0, ""
	case n > math.MaxInt64/width:
		return 0, "the size overflows"
	case n*width%8 != 0:
		return 0, "the elements do not fill whole bytes"
	}
	return n * width / 8, ""
}
