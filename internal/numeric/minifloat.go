package numeric

import "math"

// A minifloat is a small float with sign, e exponent bits and m mantissa bits
// whose codes, read as unsigned integers without the sign, grow with the
// value. That order is what makes encoding one addition: a carry out of the
// mantissa lands in the exponent.
type minifloat struct {
	mant uint    // mantissa bits
	bias int32   // exponent bias
	unit float64 // how many of the smallest subnormals make 1: 2^(bias-1+mant)
}

var (
	miniE2M1 = minifloat{1, 1, 0x1p1}
	miniE4M3 = minifloat{3, 7, 0x1p9}
	miniE5M2 = minifloat{2, 15, 0x1p16}
	miniF16  = minifloat{10, 15, 0x1p24}
)

// encode rounds |x| to nearest, ties to even, and returns the code without the
// sign, as if the exponent had no upper bound; the caller limits it. x must be
// finite. Infinity would give a code far above any limit, too, NaN would not.
func (f minifloat) encode(x float32) uint32 {
	bits := math.Float32bits(x) &^ (1 << 31)
	e := int32(bits>>23) - 127 // of a normal float32; its subnormals are tiny anyway
	if e < 1-f.bias {
		// Subnormal: a multiple of 1/unit. Scaling by a power of two is exact
		// in float64, so this rounds once. A result of 2^mant is the smallest
		// normal, whose code it is.
		return uint32(math.RoundToEven(float64(math.Float32frombits(bits)) * f.unit))
	}
	drop := 23 - f.mant
	bits -= uint32(127-f.bias) << 23
	bits += 1<<(drop-1) - 1 + bits>>drop&1
	return bits >> drop
}

// decode returns the value of a code without sign, as if no code meant
// infinity or NaN.
func (f minifloat) decode(code uint32) float32 {
	e, m := int32(code>>f.mant), code&(1<<f.mant-1)
	if e == 0 {
		return float32(math.Ldexp(float64(m), 1-int(f.bias)-int(f.mant)))
	}
	return float32(math.Ldexp(float64(m|1<<f.mant), int(e-f.bias)-int(f.mant)))
}

// isNaN says whether x is NaN, from its bits.
func isNaN(x float32) bool { return x != x }

// sign returns 1 for a set sign bit, of zero and NaN too.
func sign(x float32) uint32 { return math.Float32bits(x) >> 31 }
