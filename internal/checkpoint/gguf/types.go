package gguf

import (
	"fmt"

	"kilter/internal/numeric"
)

// A tensorType is what a type's number in the file stands for.
type tensorType struct {
	name        string
	dtype       numeric.DType // Invalid where kilter does no arithmetic with it
	block, size int64         // elements and bytes of a block; 0 where unknown
}

// typeOf returns a tensor type by its number. Q8_1 and Q8_K are formats of
// activations, which no file stores. Numbers left out were once in use.
func typeOf(id uint32) tensorType {
	other := func(name string, block, size int64) tensorType {
		return tensorType{name: name, block: block, size: size}
	}
	known := func(d numeric.DType) tensorType {
		return tensorType{d.String(), d, int64(d.Block()), int64(d.BlockBytes())}
	}
	switch id {
	case 0:
		return known(numeric.F32)
	case 1:
		return known(numeric.F16)
	case 2:
		return known(numeric.Q4_0)
	case 3:
		return known(numeric.Q4_1)
	case 6:
		return known(numeric.Q5_0)
	case 7:
		return known(numeric.Q5_1)
	case 8:
		return known(numeric.Q8_0)
	case 10:
		return other("Q2_K", 256, 84)
	case 11:
		return other("Q3_K", 256, 110)
	case 12:
		return known(numeric.Q4_K)
	case 13:
		return known(numeric.Q5_K)
	case 14:
		return known(numeric.Q6_K)
	case 16:
		return other("IQ2_XXS", 256, 66)
	case 17:
		return other("IQ2_XS", 256, 74)
	case 18:
		return other("IQ3_XXS", 256, 98)
	case 19:
		return other("IQ1_S", 256, 50)
	case 20:
		return other("IQ4_NL", 32, 18)
	case 21:
		return other("IQ3_S", 256, 110)
	case 22:
		return other("IQ2_S", 256, 82)
	case 23:
		return other("IQ4_XS", 256, 136)
	case 24:
		return known(numeric.I8)
	case 25:
		return known(numeric.I16)
	case 26:
		return known(numeric.I32)
	case 27:
		return known(numeric.I64)
	case 28:
		return known(numeric.F64)
	case 29:
		return other("IQ1_M", 256, 56)
	case 30:
		return known(numeric.BF16)
	case 34:
		return other("TQ1_0", 256, 54)
	case 35:
		return other("TQ2_0", 256, 66)
	case 39:
		return known(numeric.MXFP4)
	case 40:
		return known(numeric.NVFP4)
	case 41:
		return other("Q1_0", 128, 18)
	case 42:
		return other("Q2_0", 64, 18)
	case 9:
		return other("Q8_1", 0, 0)
	case 15:
		return other("Q8_K", 0, 0)
	}
	return other(fmt.Sprintf("type(%d)", id), 0, 0)
}
