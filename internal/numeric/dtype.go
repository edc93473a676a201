package numeric

import "fmt"

// A DType is the stored type of a tensor. For block formats (GGUF's) one
// element is a weight and the bytes are those of a whole block.
type DType uint8

// The plain types, named as safetensors names them, and GGUF's block formats.
const (
	Invalid DType = iota
	Bool
	U8
	I8
	U16
	I16
	U32
	I32
	U64
	I64
	F16
	BF16
	F32
	F64
	F8E4M3 // E4M3FN: no infinities, NaN at 0x7F and 0xFF
	F8E5M2
	F8E8M0 // a power of two, the scale of MX formats; NaN at 0xFF
	F4     // E2M1, two to a byte, the first in the low nibble
	Q4_0
	Q4_1
	Q5_0
	Q5_1
	Q8_0
	Q4_K
	Q5_K
	Q6_K
	MXFP4 // GGUF's block of 32 E2M1 under one E8M0
	NVFP4 // GGUF's block of 64 E2M1 under four E4M3
	numDTypes
)

var dtypes = [numDTypes]struct {
	name        string
	block, size int // weights and bytes of one block
}{
	Bool: {"BOOL", 1, 1}, U8: {"U8", 1, 1}, I8: {"I8", 1, 1}, U16: {"U16", 1, 2}, I16: {"I16", 1, 2},
	U32: {"U32", 1, 4}, I32: {"I32", 1, 4}, U64: {"U64", 1, 8}, I64: {"I64", 1, 8},
	F16: {"F16", 1, 2}, BF16: {"BF16", 1, 2}, F32: {"F32", 1, 4}, F64: {"F64", 1, 8},
	F8E4M3: {"F8_E4M3", 1, 1}, F8E5M2: {"F8_E5M2", 1, 1}, F8E8M0: {"F8_E8M0", 1, 1}, F4: {"F4", 2, 1},
	Q4_0: {"Q4_0", 32, 18}, Q4_1: {"Q4_1", 32, 20}, Q5_0: {"Q5_0", 32, 22}, Q5_1: {"Q5_1", 32, 24}, Q8_0: {"Q8_0", 32, 34},
	Q4_K: {"Q4_K", 256, 144}, Q5_K: {"Q5_K", 256, 176}, Q6_K: {"Q6_K", 256, 210},
	MXFP4: {"MXFP4", 32, 17}, NVFP4: {"NVFP4", 64, 36},
}

// String returns the type's name.
func (d DType) String() string {
	if d == Invalid || d >= numDTypes {
		return fmt.Sprintf("dtype(%d)", uint8(d))
	}
	return dtypes[d].name
}

// Block returns how many weights one block holds; 1 for plain types.
func (d DType) Block() int { return dtypes[d].block }

// BlockBytes returns the bytes of one block.
func (d DType) BlockBytes() int { return dtypes[d].size }

// Bytes returns the bytes of n weights; an error if n is no whole number of
// blocks or the product overflows.
func (d DType) Bytes(n int64) (int64, error) {
	if d == Invalid || d >= numDTypes {
		return 0, fmt.Errorf("%v has no size", d)
	}
	b, s := int64(dtypes[d].block), int64(dtypes[d].size)
	if n < 0 || n%b != 0 {
		return 0, fmt.Errorf("%d weights are no whole blocks of %d (%v)", n, b, d)
	}
	if n/b > (1<<63-1)/s {
		return 0, fmt.Errorf("%d weights of %v: the size overflows", n, d)
	}
	return n / b * s, nil
}

// ParseDType reads a name as String writes it.
func ParseDType(name string) (DType, error) {
	for d := Bool; d < numDTypes; d++ {
		if dtypes[d].name == name {
			return d, nil
		}
	}
	return Invalid, fmt.Errorf("unknown dtype %q", name)
}
