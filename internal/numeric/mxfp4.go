package numeric

import "math"

// MXFP4: E2M1 codes, an E8M0 scale for each 32 neighbours along the input
// dimension, nothing else. OCP Microscaling Formats (MX) v1.0:
// https://www.opencompute.org/documents/ocp-microscaling-formats-mx-v1-0-spec-final-pdf
//
// gpt-oss stores, for E experts of O outputs and K inputs,
//
//	*_blocks  U8  [E, O, K/32, 16]  byte j of a block: weight 2j low, 2j+1 high
//	*_scales  U8  [E, O, K/32]
//
// so that each output row is K/2 and K/32 bytes in one piece, as are
// compressed-tensors' weight_packed [O, K/2] and weight_scale [O, K/32]
// (mxfp4-pack-quantized). GGUF's block of the same name is another layout: see
// [MXFP4].
//
// Sources: openai/gpt-oss, gpt_oss/torch/weights.py (https://github.com/openai/gpt-oss);
// huggingface/transformers, src/transformers/integrations/mxfp4.py
// (https://github.com/huggingface/transformers).

// MXBlock is how many neighbours of a row share an E8M0 scale in MX formats.
const MXBlock = 32

func checkMX(format string, weights, codes, wantCodes, scales int) error {
	if err := wantBlocks(format, weights, MXBlock); err != nil {
		return err
	}
	if err := wantLen(format, "bytes", codes, wantCodes, weights); err != nil {
		return err
	}
	return wantLen(format, "scales", scales, weights/MXBlock, weights)
}

// DecodeMXFP4 dequantises K = len(dst) weights of a row, or of several rows in
// one run, from K/2 bytes of codes and K/32 of scales:
//
//	w = E2M1(packed) · 2^(scale−127)
//
// A scale of 0xFF makes its whole block NaN.
func DecodeMXFP4(dst []float32, packed, scales []byte) error {
	if err := checkMX("mxfp4", len(dst), len(packed), len(dst)/2, len(scales)); err != nil {
		return err
	}
	for i, sc := range scales {
		s, out := DecodeE8M0(sc), (*[MXBlock]float32)(dst[MXBlock*i:])
		for j, c := range (*[MXBlock / 2]byte)(packed[MXBlock/2*i:]) {
			p := &e2m1Pair[c]
			out[2*j], out[2*j+1] = p[0]*s, p[1]*s
		}
	}
	return nil
}

// EncodeMXFP4 quantises as the MX specification proposes (section 6.3): the
// scale of a block is 2^(⌊log2(amax)⌋−2), 2 being the exponent of E2M1's
// largest value, and codes are rounded to nearest even and saturated. A block
// of zeros gets the smallest scale, 0. Infinite or NaN weights make the scale
// NaN.
func EncodeMXFP4(packed, scales []byte, src []float32) error {
	if err := checkMX("mxfp4", len(src), len(packed), len(src)/2, len(scales)); err != nil {
		return err
	}
	for i := range scales {
		in := (*[MXBlock]float32)(src[MXBlock*i:])
		scales[i] = mxScale(in)
		// Dividing by a power of two is exact, but for quotients so tiny that
		// they round to 0 anyway.
		s := DecodeE8M0(scales[i])
		for j := range MXBlock / 2 {
			packed[MXBlock/2*i+j] = EncodeE2M1(in[2*j]/s) | EncodeE2M1(in[2*j+1]/s)<<4
		}
	}
	return nil
}

func mxScale(block *[MXBlock]float32) uint8 {
	const e2m1Exponent = 2
	var most uint32
	for _, x := range block {
		most = max(most, math.Float32bits(x)&^(1<<31))
	}
	if most >= 0x7f800000 {
		return e8m0NaN
	}
	// The exponent field of a float32 is an E8M0 code already.
	return uint8(max(int(most>>23)-e2m1Exponent, 0))
}

// DecodeMXFP8 dequantises K = len(dst) weights from K bytes of E4M3 codes and
// K/32 of E8M0 scales: w = E4M3(codes) · 2^(scale−127).
func DecodeMXFP8(dst []float32, codes, scales []byte) error {
	if err := checkMX("mxfp8", len(dst), len(codes), len(dst), len(scales)); err != nil {
		return err
	}
	for i, sc := range scales {
		s, out := DecodeE8M0(sc), (*[MXBlock]float32)(dst[MXBlock*i:])
		for j, c := range (*[MXBlock]byte)(codes[MXBlock*i:]) {
			out[j] = e4m3[c] * s
		}
	}
	return nil
}
