package numeric

import (
	"encoding/binary"
	"fmt"
	"math"
)

var le = binary.LittleEndian

// Decode writes the values of a tensor, or any run of whole blocks of it, to
// dst. src must hold exactly d.Bytes(len(dst)) bytes. It covers every type that
// carries all of its own scales: the plain ones and GGUF's blocks. Integers and
// F64 are rounded to the nearest float32; a BOOL is 0 or 1. It does not
// allocate.
func (d DType) Decode(dst []float32, src []byte) error {
	want, err := d.Bytes(int64(len(dst)))
	if err != nil {
		return err
	}
	if int64(len(src)) != want {
		return fmt.Errorf("%d bytes for %d weights of %v, want %d", len(src), len(dst), d, want)
	}
	switch d {
	case BF16:
		for ; len(dst) >= 4 && len(src) >= 8; dst, src = dst[4:], src[8:] {
			u := le.Uint64(src)
			dst[0] = math.Float32frombits(uint32(u) << 16)
			dst[1] = math.Float32frombits(uint32(u) &^ 0xffff)
			dst[2] = math.Float32frombits(uint32(u>>32) << 16)
			dst[3] = math.Float32frombits(uint32(u>>32) &^ 0xffff)
		}
		for i := range dst {
			dst[i] = DecodeBF16(le.Uint16(src[2*i:]))
		}
	case F16:
		for i := range dst {
			dst[i] = DecodeF16(le.Uint16(src[2*i:]))
		}
	case F32:
		for i := range dst {
			dst[i] = math.Float32frombits(le.Uint32(src[4*i:]))
		}
	case F64:
		for i := range dst {
			dst[i] = float32(math.Float64frombits(le.Uint64(src[8*i:])))
		}
	case F8E4M3:
		decodeLookup(dst, src, &e4m3)
	case F8E5M2:
		decodeLookup(dst, src, &e5m2)
	case F8E8M0:
		for i, c := range src {
			dst[i] = DecodeE8M0(c)
		}
	case F4:
		for i, c := range src {
			dst[2*i], dst[2*i+1] = e2m1[c&15], e2m1[c>>4]
		}
	case Bool, U8, I8, U16, I16, U32, I32, U64, I64:
		decodeInts(dst, d, src)
	default:
		decodeGGUF(dst, d, src)
	}
	return nil
}

func decodeLookup(dst []float32, src []byte, table *[256]float32) {
	dst = dst[:len(src)]
	for i, c := range src {
		dst[i] = table[c]
	}
}

func decodeInts(dst []float32, d DType, src []byte) {
	for i := range dst {
		switch d {
		case Bool:
			dst[i] = float32(min(src[i], 1))
		case U8:
			dst[i] = float32(src[i])
		case I8:
			dst[i] = float32(int8(src[i]))
		case U16:
			dst[i] = float32(le.Uint16(src[2*i:]))
		case I16:
			dst[i] = float32(int16(le.Uint16(src[2*i:])))
		case U32:
			dst[i] = float32(le.Uint32(src[4*i:]))
		case I32:
			dst[i] = float32(int32(le.Uint32(src[4*i:])))
		case U64:
			dst[i] = float32(le.Uint64(src[8*i:]))
		case I64:
			dst[i] = float32(int64(le.Uint64(src[8*i:])))
		}
	}
}

func decodeGGUF(dst []float32, d DType, src []byte) {
	switch d {
	case Q4_0:
		decodeQ4_0(dst, src)
	case Q4_1:
		decodeQ4_1(dst, src)
	case Q5_0:
		decodeQ5_0(dst, src)
	case Q5_1:
		decodeQ5_1(dst, src)
	case Q8_0:
		decodeQ8_0(dst, src)
	case Q4_K:
		decodeQ4_K(dst, src)
	case Q5_K:
		decodeQ5_K(dst, src)
	case Q6_K:
		decodeQ6_K(dst, src)
	case MXFP4:
		decodeGGUFMXFP4(dst, src)
	case NVFP4:
		decodeGGUFNVFP4(dst, src)
	}
}

// Encode rounds src to the float type d and writes it to dst, which must be
// exactly d.Bytes(len(src)) long. F32, F16, BF16, F8_E4M3, F8_E5M2, F8_E8M0 and
// F4 can be encoded; each rounds and saturates as its Encode function says.
func (d DType) Encode(dst []byte, src []float32) error {
	want, err := d.Bytes(int64(len(src)))
	if err != nil {
		return err
	}
	if int64(len(dst)) != want {
		return fmt.Errorf("%d bytes for %d weights of %v, want %d", len(dst), len(src), d, want)
	}
	switch d {
	case F32:
		for i, x := range src {
			le.PutUint32(dst[4*i:], math.Float32bits(x))
		}
	case F16:
		for i, x := range src {
			le.PutUint16(dst[2*i:], EncodeF16(x))
		}
	case BF16:
		for i, x := range src {
			le.PutUint16(dst[2*i:], EncodeBF16(x))
		}
	case F8E4M3:
		for i, x := range src {
			dst[i] = EncodeE4M3(x)
		}
	case F8E5M2:
		for i, x := range src {
			dst[i] = EncodeE5M2(x)
		}
	case F8E8M0:
		for i, x := range src {
			dst[i] = EncodeE8M0(x)
		}
	case F4:
		for i := range dst {
			dst[i] = EncodeE2M1(src[2*i]) | EncodeE2M1(src[2*i+1])<<4
		}
	default:
		return fmt.Errorf("no encoder for %v", d)
	}
	return nil
}
