package numeric

import "math"

// GGUF's own layouts of the 4-bit float formats. Both split their block in
// halves, low nibbles first, and store E2M1 codes; ggml doubles the E2M1 values
// to integers and halves the scale, which only shows where a scale overflows.
//
// Source: ggml, src/ggml-impl.h (ggml_e8m0_to_fp32_half, ggml_ue4m3_to_fp32),
// src/ggml-quants.c (dequantize_row_mxfp4, dequantize_row_nvfp4),
// https://github.com/ggml-org/ggml.

// ggmlPair is the doubled E2M1 values of both codes of a byte, the low nibble's
// first. As integers they have no −0: code 8 is +0.
var ggmlPair = func() (t [256][2]float32) {
	for i, p := range e2m1Pair {
		t[i] = [2]float32{2*p[0] + 0, 2*p[1] + 0} // −0 + 0 is +0
	}
	return t
}()

// e8m0Half returns 2^(c−128), half the value of an E8M0 code. Unlike
// [DecodeE8M0] it takes 0xFF for a number, 2^127, as ggml does: no NaN comes of
// it, but infinities for weights of magnitude 1 and more.
func e8m0Half(c uint8) float32 {
	if c < 2 {
		return math.Float32frombits(0x00200000 << c)
	}
	return math.Float32frombits(uint32(c-1) << 23)
}

// ue4m3 is ggml's unsigned E4M3: 0x7F is 0, otherwise bit 7 is ignored, so that
// 0xFF is 480.
var ue4m3 = func() (t [256]float32) {
	for i := range t {
		t[i] = miniE4M3.decode(uint32(i & 127))
	}
	t[e4m3NaN] = 0
	return t
}()

// decodeGGUFMXFP4: E8M0 scale, 16 bytes of nibbles; weight j in the low half of
// byte j, weight j+16 in the high half.
func decodeGGUFMXFP4(dst []float32, src []byte) {
	const size = 17
	for ; len(src) >= size && len(dst) >= simpleBlock; src, dst = src[size:], dst[simpleBlock:] {
		b, y := (*[size]byte)(src), (*[simpleBlock]float32)(dst)
		half := e8m0Half(b[0])
		for j, q := range b[1:] {
			p := &ggmlPair[q]
			y[j], y[j+16] = half*p[0], half*p[1]
		}
	}
}

// decodeGGUFNVFP4: four E4M3 scales, 32 bytes of nibbles; sub-block s is bytes
// 8s to 8s+7, its weight j in the low half of byte j, weight j+8 in the high
// half. The tensor's own scale (NAME.scale) is for the caller to multiply.
func decodeGGUFNVFP4(dst []float32, src []byte) {
	const size, block = 36, 64
	for ; len(src) >= size && len(dst) >= block; src, dst = src[size:], dst[block:] {
		b, y := (*[size]byte)(src), (*[block]float32)(dst)
		for s := range 4 {
			half, out := ue4m3[b[s]]/2, (*[16]float32)(y[16*s:])
			for j, q := range (*[8]byte)(b[4+8*s:]) {
				p := &ggmlPair[q]
				out[j], out[j+8] = half*p[0], half*p[1]
			}
		}
	}
}
