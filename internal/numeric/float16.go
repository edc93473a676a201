package numeric

import "math"

// The 16-bit floats: IEEE 754 binary16, and bfloat16, the upper half of a
// float32.

const f16Inf = 0x7c00

// DecodeBF16 returns the value of a bfloat16; NaNs keep their payload.
func DecodeBF16(h uint16) float32 { return math.Float32frombits(uint32(h) << 16) }

// EncodeBF16 rounds x to the nearest bfloat16, ties to even; what rounds above
// the largest finite value becomes infinity. NaN becomes a quiet NaN of the same
// sign and, as far as it fits, payload.
func EncodeBF16(x float32) uint16 {
	bits := math.Float32bits(x)
	if isNaN(x) {
		return uint16(bits>>16) | 0x40
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}

// DecodeF16 returns the value of a binary16; NaNs keep their payload.
func DecodeF16(h uint16) float32 {
	s, m := uint32(h&0x8000)<<16, uint32(h&0x7fff)
	if m >= f16Inf {
		return math.Float32frombits(s | 0x7f800000 | m<<13&0x7fffff)
	}
	// Moving the mantissa up and multiplying with 2^(127−15) is exact for
	// subnormals too.
	v := math.Float32frombits(m<<13) * 0x1p112
	return math.Float32frombits(math.Float32bits(v) | s)
}

// EncodeF16 rounds x to the nearest binary16, ties to even; from 65520 on the
// result is ±infinity. NaN becomes a quiet NaN of the same sign and, as far as
// it fits, payload.
func EncodeF16(x float32) uint16 {
	bits := math.Float32bits(x)
	if isNaN(x) {
		return uint16(bits>>16&0x8000|bits>>13&0x3ff) | 0x7e00
	}
	return uint16(sign(x)<<15 | min(miniF16.encode(x), f16Inf))
}
