package numeric

// GGUF's "K" blocks: 256 weights in sub-blocks with small integer scales, under
// one or two binary16 scales of the whole block.
//
// Source: ggml, src/ggml-common.h (block_q4_K …), src/ggml-quants.c
// (get_scale_min_k4, dequantize_row_q4_K …), https://github.com/ggml-org/ggml.

const kBlock = 256

// scaleMin6 unpacks the 6-bit scale and minimum of sub-block j, 0 to 7, out of
// the 12 bytes that hold all eight pairs: the first four lie in the low six bits
// of a byte each; of the last four the low four bits share a byte and the upper
// two lie on top of the first four.
func scaleMin6(s *[12]byte, j int) (scale, minimum uint8) {
	if j < 4 {
		return s[j] & 63, s[j+4] & 63
	}
	return s[j+4]&15 | s[j-4]>>6<<4, s[j+4]>>4 | s[j]>>6<<4
}

// decodeQ4_K: d, dmin, 12 bytes of scales, 128 bytes of nibbles. Of each 32
// bytes the low nibbles are one sub-block and the high nibbles the next;
// w = d·scale·q − dmin·minimum.
func decodeQ4_K(dst []float32, src []byte) {
	const size = 144
	for ; len(src) >= size && len(dst) >= kBlock; src, dst = src[size:], dst[kBlock:] {
		b, y := (*[size]byte)(src), (*[kBlock]float32)(dst)
		d, dmin := f16At(b[0:]), f16At(b[2:])
		scales := (*[12]byte)(b[4:])
		for g := range 4 {
			sc0, mn0 := scaleMin6(scales, 2*g)
			sc1, mn1 := scaleMin6(scales, 2*g+1)
			d0, m0 := d*float32(sc0), dmin*float32(mn0)
			d1, m1 := d*float32(sc1), dmin*float32(mn1)
			out := (*[64]float32)(y[64*g:])
			for l, q := range (*[32]byte)(b[16+32*g:]) {
				out[l] = float32(d0*float32(q&15)) - m0
				out[l+32] = float32(d1*float32(q>>4)) - m1
			}
		}
	}
}

// decodeQ5_K: as Q4_K, with the fifth bits in 32 bytes before the nibbles: bit
// 2g of byte l belongs to weight l of sub-block 2g, bit 2g+1 to the next one's.
func decodeQ5_K(dst []float32, src []byte) {
	const size = 176
	for ; len(src) >= size && len(dst) >= kBlock; src, dst = src[size:], dst[kBlock:] {
		b, y := (*[size]byte)(src), (*[kBlock]float32)(dst)
		d, dmin := f16At(b[0:]), f16At(b[2:])
		scales, high := (*[12]byte)(b[4:]), (*[32]byte)(b[16:])
		for g := range 4 {
			sc0, mn0 := scaleMin6(scales, 2*g)
			sc1, mn1 := scaleMin6(scales, 2*g+1)
			d0, m0 := d*float32(sc0), dmin*float32(mn0)
			d1, m1 := d*float32(sc1), dmin*float32(mn1)
			out := (*[64]float32)(y[64*g:])
			for l, q := range (*[32]byte)(b[48+32*g:]) {
				h := high[l] >> (2 * g)
				out[l] = float32(d0*float32(q&15|h<<4&16)) - m0
				out[l+32] = float32(d1*float32(q>>4|h<<3&16)) - m1
			}
		}
	}
}

// decodeQ6_K: 128 bytes with the low four bits, 64 with the upper two, 16 signed
// scales, d last. Each half of the block is four runs of 32 weights, two scales
// to a run; w = d·scale·(q−32).
func decodeQ6_K(dst []float32, src []byte) {
	const size = 210
	for ; len(src) >= size && len(dst) >= kBlock; src, dst = src[size:], dst[kBlock:] {
		b, y := (*[size]byte)(src), (*[kBlock]float32)(dst)
		d := f16At(b[208:])
		for h := range 2 {
			low, high := (*[64]byte)(b[64*h:]), (*[32]byte)(b[128+32*h:])
			scales, out := (*[8]byte)(b[192+8*h:]), (*[128]float32)(y[128*h:])
			var ds [8]float32
			for i, s := range scales {
				ds[i] = d * float32(int8(s))
			}
			for l := range 32 {
				is, hi := l/16, high[l]
				out[l] = ds[is] * float32(int32(low[l]&15|hi<<4&48)-32)
				out[l+32] = ds[is+2] * float32(int32(low[l+32]&15|hi<<2&48)-32)
				out[l+64] = ds[is+4] * float32(int32(low[l]>>4|hi&48)-32)
				out[l+96] = ds[is+6] * float32(int32(low[l+32]>>4|hi>>2&48)-32)
			}
		}
	}
}
