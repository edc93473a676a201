package numeric

// GGUF's simple blocks of 32 weights under one scale d (and, for the "_1"
// kinds, one offset m), both binary16. Byte j of the nibbles holds weight j in
// its low half and weight j+16 in its high half, unlike safetensors' formats,
// which put neighbours into one byte.
//
// Source: ggml, src/ggml-common.h (block_q4_0 …) and src/ggml-quants.c
// (dequantize_row_q4_0 …), https://github.com/ggml-org/ggml.
//
// The decoders trust their caller, DType.Decode, on lengths. A product that is
// added to something is converted to float32 first, which keeps Go from fusing
// the two on machines that can: results are the same everywhere.

const simpleBlock = 32

func f16At(b []byte) float32 { return DecodeF16(le.Uint16(b)) }

// decodeQ4_0: d, 16 bytes of nibbles; w = d·(q−8).
func decodeQ4_0(dst []float32, src []byte) {
	const size = 18
	for ; len(src) >= size && len(dst) >= simpleBlock; src, dst = src[size:], dst[simpleBlock:] {
		b, y := (*[size]byte)(src), (*[simpleBlock]float32)(dst)
		d := f16At(b[:])
		for j, q := range b[2:] {
			y[j] = d * float32(int32(q&15)-8)
			y[j+16] = d * float32(int32(q>>4)-8)
		}
	}
}

// decodeQ4_1: d, m, 16 bytes of nibbles; w = d·q + m.
func decodeQ4_1(dst []float32, src []byte) {
	const size = 20
	for ; len(src) >= size && len(dst) >= simpleBlock; src, dst = src[size:], dst[simpleBlock:] {
		b, y := (*[size]byte)(src), (*[simpleBlock]float32)(dst)
		d, m := f16At(b[:]), f16At(b[2:])
		for j, q := range b[4:] {
			y[j] = float32(d*float32(q&15)) + m
			y[j+16] = float32(d*float32(q>>4)) + m
		}
	}
}

// decodeQ5_0: d, qh (the fifth bits, little-endian), 16 bytes of nibbles;
// w = d·(q−16).
func decodeQ5_0(dst []float32, src []byte) {
	const size = 22
	for ; len(src) >= size && len(dst) >= simpleBlock; src, dst = src[size:], dst[simpleBlock:] {
		b, y := (*[size]byte)(src), (*[simpleBlock]float32)(dst)
		d, qh := f16At(b[:]), le.Uint32(b[2:])
		for j, q := range b[6:] {
			y[j] = d * float32(int32(uint32(q&15)|qh>>j<<4&16)-16)
			y[j+16] = d * float32(int32(uint32(q>>4)|qh>>(j+16)<<4&16)-16)
		}
	}
}

// decodeQ5_1: d, m, qh, 16 bytes of nibbles; w = d·q + m.
func decodeQ5_1(dst []float32, src []byte) {
	const size = 24
	for ; len(src) >= size && len(dst) >= simpleBlock; src, dst = src[size:], dst[simpleBlock:] {
		b, y := (*[size]byte)(src), (*[simpleBlock]float32)(dst)
		d, m, qh := f16At(b[:]), f16At(b[2:]), le.Uint32(b[4:])
		for j, q := range b[8:] {
			y[j] = float32(d*float32(uint32(q&15)|qh>>j<<4&16)) + m
			y[j+16] = float32(d*float32(uint32(q>>4)|qh>>(j+16)<<4&16)) + m
		}
	}
}

// decodeQ8_0: d, 32 signed bytes; w = d·q.
func decodeQ8_0(dst []float32, src []byte) {
	const size = 34
	for ; len(src) >= size && len(dst) >= simpleBlock; src, dst = src[size:], dst[simpleBlock:] {
		b, y := (*[size]byte)(src), (*[simpleBlock]float32)(dst)
		d := f16At(b[:])
		for j, q := range b[2:] {
			y[j] = d * float32(int8(q))
		}
	}
}
