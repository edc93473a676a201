package numeric

import "fmt"

// FP8 weights: E4M3 codes [N, K] under scales that differ in how many weights
// share one.
//
//	per tensor   weight_scale      F32 [] or [1]
//	per channel  weight_scale      F32 or BF16 [N] or [N, 1], one for each output row
//	block        weight_scale_inv  F32 or BF16 [⌈N/128⌉, ⌈K/128⌉]
//
// All of them multiply, the one named "inv" too. Scales are given as float32
// here; DType.Decode reads stored ones.
//
// Sources: NVIDIA/Model-Optimizer, modelopt/torch/quantization/qtensor/fp8_tensor.py
// (https://github.com/NVIDIA/Model-Optimizer); deepseek-ai/DeepSeek-V3,
// inference/kernel.py and README_WEIGHTS.md (https://github.com/deepseek-ai/DeepSeek-V3).

// FP8BlockSize is the side of a block in every published block-FP8 checkpoint
// (weight_block_size [128, 128]).
const FP8BlockSize = 128

// fp8Limit is E4M3's largest value.
const fp8Limit = 448

// DecodeFP8 dequantises E4M3 codes under one scale, that of the tensor or of an
// output row: w = E4M3(codes) · scale.
func DecodeFP8(dst []float32, codes []byte, scale float32) error {
	if err := wantLen("fp8", "bytes", len(codes), len(dst), len(dst)); err != nil {
		return err
	}
	for i, c := range codes {
		dst[i] = e4m3[c] * scale
	}
	return nil
}

// DecodeFP8Block dequantises one output row, K = len(dst) weights, of a weight
// with a scale for each block of columns:
//
//	w[i] = E4M3(codes[i]) · scales[⌊i/block⌋]
//
// scales is the row ⌊row/block⌋ of weight_scale_inv, ⌈K/block⌉ long; block is
// the second of weight_block_size, normally [FP8BlockSize].
func DecodeFP8Block(dst []float32, codes []byte, scales []float32, block int) error {
	const format = "fp8 block"
	if block <= 0 {
		return fmt.Errorf("%s: blocks of %d columns", format, block)
	}
	if err := wantLen(format, "bytes", len(codes), len(dst), len(dst)); err != nil {
		return err
	}
	if err := wantLen(format, "scales", len(scales), ceilDiv(len(dst), block), len(dst)); err != nil {
		return err
	}
	for _, s := range scales {
		n := min(block, len(codes))
		out := dst[:n]
		for i, c := range codes[:n] {
			out[i] = e4m3[c] * s
		}
		codes, dst = codes[n:], dst[n:]
	}
	return nil
}

// FP8Scale returns the scale that maps a largest magnitude of amax to E4M3's
// largest value: amax/448.
func FP8Scale(amax float32) float32 { return amax / fp8Limit }

// EncodeFP8 quantises src under one scale: E4M3(src/scale), rounded to nearest
// even and saturated. A scale of 0 gives zeros.
func EncodeFP8(codes []byte, src []float32, scale float32) error {
	if err := wantLen("fp8", "bytes", len(codes), len(src), len(src)); err != nil {
		return err
	}
	for i, x := range src {
		if scale == 0 {
			x = 0
		} else {
			x /= scale
		}
		codes[i] = EncodeE4M3(x)
	}
	return nil
}
