package numeric

import "math"

// The 8-bit floats. E4M3 (of the kind "FN", finite and NaN only) and E5M2:
// OCP 8-bit Floating Point Specification (OFP8) v1.0,
// https://www.opencompute.org/documents/ocp-8-bit-floating-point-specification-ofp8-revision-1-0-2023-12-01-pdf-1
// E8M0: OCP Microscaling Formats (MX) v1.0, section 5.4.1.

const (
	e4m3Max = 0x7e // 448
	e4m3NaN = 0x7f
	e5m2Inf = 0x7c
	e5m2NaN = 0x7e // the quiet one that encoders write; 0x7d and 0x7f are NaN too
	e8m0NaN = 0xff
)

var nan32 = float32(math.NaN())

var e4m3 = decodeTable(miniE4M3, func(code uint32) (float32, bool) { return nan32, code == e4m3NaN })

var e5m2 = decodeTable(miniE5M2, func(code uint32) (float32, bool) {
	if code == e5m2Inf {
		return float32(math.Inf(1)), true
	}
	return nan32, code > e5m2Inf
})

// decodeTable lists the values of an 8-bit float; special answers for the codes
// (without sign) that are no ordinary numbers.
func decodeTable(f minifloat, special func(code uint32) (float32, bool)) (t [256]float32) {
	for i := range uint32(128) {
		v, ok := special(i)
		if !ok {
			v = f.decode(i)
		}
		t[i], t[i|128] = v, -v
	}
	return t
}

// DecodeE4M3 returns the value of an E4M3FN code: (1+m/8)·2^(e−7), or m·2^−9
// when e is 0; NaN for 0x7F and 0xFF. The largest is 448 (0x7E), the smallest
// normal 2^−6 (0x08), the smallest of all 2^−9 (0x01); 0x38 is 1.
func DecodeE4M3(c uint8) float32 { return e4m3[c] }

// EncodeE4M3 rounds x to the nearest E4M3FN value, ties to the even code. It
// saturates: all larger magnitudes, infinity among them, give ±448, as CUDA's
// cvt.rn.satfinite does and quantisers do by clamping first. (A plain cast in
// torch and ml_dtypes gives NaN above 464.) NaN gives NaN of the same sign.
func EncodeE4M3(x float32) uint8 {
	if isNaN(x) {
		return uint8(sign(x)<<7 | e4m3NaN)
	}
	return uint8(sign(x)<<7 | min(miniE4M3.encode(x), e4m3Max))
}

// DecodeE5M2 returns the value of an E5M2 code: (1+m/4)·2^(e−15), or m·2^−16
// when e is 0; ±infinity for 0x7C and 0xFC, NaN above. The largest finite value
// is 57344 (0x7B).
func DecodeE5M2(c uint8) float32 { return e5m2[c] }

// EncodeE5M2 rounds x to the nearest E5M2 value, ties to the even code. It
// follows IEEE 754 and does not saturate: from 61440 on the result is ±infinity.
// NaN gives NaN of the same sign.
func EncodeE5M2(x float32) uint8 {
	if isNaN(x) {
		return uint8(sign(x)<<7 | e5m2NaN)
	}
	return uint8(sign(x)<<7 | min(miniE5M2.encode(x), e5m2Inf))
}

// DecodeE8M0 returns the value of an E8M0 code, 2^(c−127): a scale without sign
// or zero. 0 is 2^−127, a subnormal float32; 0xFF is NaN.
func DecodeE8M0(c uint8) float32 {
	switch c {
	case 0:
		return 0x1p-127
	case e8m0NaN:
		return nan32
	}
	return math.Float32frombits(uint32(c) << 23)
}

// EncodeE8M0 rounds x to the nearest power of two and returns its code. A tie,
// 1.5·2^k, goes up to 2^(k+1): without a mantissa there is no even neighbour;
// ml_dtypes does the same. It saturates at both ends: zero gives 2^−127, finite
// values above 2^127 give 2^127 (ml_dtypes: NaN for both). What has no E8M0 at
// all, negative numbers, infinity and NaN, gives NaN (0xFF).
func EncodeE8M0(x float32) uint8 {
	bits := math.Float32bits(x)
	if x < 0 || isNaN(x) || bits == 0x7f800000 {
		return e8m0NaN
	}
	bits &^= 1 << 31 // −0
	if bits>>23 == 0 {
		// Subnormal, 2^−127 is 0x400000; the tie to 2^−126 is 0x600000.
		if bits >= 0x600000 {
			return 1
		}
		return 0
	}
	return uint8(min((bits+1<<22)>>23, 254))
}
