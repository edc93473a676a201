package numeric

// E2M1 is the 4-bit float of NVFP4 and MXFP4: sign, two exponent bits with bias
// 1, one mantissa bit, no infinity and no NaN. OCP Microscaling Formats (MX)
// v1.0, section 5.3.3:
// https://www.opencompute.org/documents/ocp-microscaling-formats-mx-v1-0-spec-final-pdf

// e2m1 is the value of each code.
var e2m1 = [16]float32{
	0, 0.5, 1, 1.5, 2, 3, 4, 6,
	negZero, -0.5, -1, -1.5, -2, -3, -4, -6,
}

// negZero is −0, which no Go constant can be.
var negZero = func() float32 { var z float32; return -z }()

// e2m1Pair is the values of both codes of a byte, the low nibble's first.
var e2m1Pair = func() (t [256][2]float32) {
	for i := range t {
		t[i] = [2]float32{e2m1[i&15], e2m1[i>>4]}
	}
	return t
}()

// DecodeE2M1 returns the value of the E2M1 code in the low four bits of c:
// ±0, ±0.5, ±1, ±1.5, ±2, ±3, ±4, ±6. Code 8 is −0.
func DecodeE2M1(c uint8) float32 { return e2m1[c&15] }

// EncodeE2M1 rounds x to the nearest E2M1 value, ties to the even code, and
// returns its code. It saturates: magnitudes above 6, infinity among them, give
// ±6. E2M1 has no NaN; a NaN gives +6 (7), as CUDA's cvt.rn.satfinite does
// (ml_dtypes gives −0), so keep NaNs away from it.
func EncodeE2M1(x float32) uint8 {
	if isNaN(x) {
		return 7
	}
	return uint8(sign(x)<<3 | min(miniE2M1.encode(x), 7))
}
