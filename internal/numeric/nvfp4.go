package numeric

// NVFP4: E2M1 codes, an E4M3 scale for each 16 neighbours along the input
// dimension, one float32 scale for the tensor.
//
// A weight of shape [N, K] is stored by ModelOpt as
//
//	weight          U8       [N, K/2]   byte j of a row: weight 2j low, 2j+1 high
//	weight_scale    F8_E4M3  [N, K/16]  row-major, not swizzled
//	weight_scale_2  F32      []         amax(W)/(6·448)
//
// and by compressed-tensors (nvfp4-pack-quantized) as weight_packed,
// weight_scale of the same form, and weight_global_scale F32 [1], the
// reciprocal of weight_scale_2; input_global_scale is the reciprocal of
// ModelOpt's input_scale in the same way.
//
// Sources: NVIDIA/Model-Optimizer, modelopt/torch/quantization/qtensor/nvfp4_tensor.py
// (https://github.com/NVIDIA/Model-Optimizer); vllm-project/compressed-tensors,
// src/compressed_tensors/compressors (https://github.com/vllm-project/compressed-tensors).

// NVFP4Block is how many neighbours of a row share an NVFP4 scale.
const NVFP4Block = 16

// nvfp4Limit is the largest magnitude under a scale of 1: E2M1's times E4M3's.
const nvfp4Limit = 6 * 448

func checkNVFP4(weights, packed, scales int) error {
	const format = "nvfp4"
	if err := wantBlocks(format, weights, NVFP4Block); err != nil {
		return err
	}
	if err := wantLen(format, "packed bytes", packed, weights/2, weights); err != nil {
		return err
	}
	return wantLen(format, "scales", scales, weights/NVFP4Block, weights)
}

// DecodeNVFP4 dequantises K = len(dst) weights of a row, or of several rows in
// one run, as ModelOpt stores them:
//
//	w = E2M1(packed) · E4M3(scales) · scale2
//
// with packed K/2 bytes of weight, scales K/16 bytes of weight_scale and scale2
// the value of weight_scale_2. The product of the first two is exact, so each
// weight is rounded once. ModelOpt multiplies the two scales first and so may
// differ by 1.2e-7 relative.
func DecodeNVFP4(dst []float32, packed, scales []byte, scale2 float32) error {
	if err := checkNVFP4(len(dst), len(packed), len(scales)); err != nil {
		return err
	}
	for i, sc := range scales {
		s, out := e4m3[sc], (*[NVFP4Block]float32)(dst[NVFP4Block*i:])
		for j, c := range (*[NVFP4Block / 2]byte)(packed[NVFP4Block/2*i:]) {
			p := &e2m1Pair[c]
			out[2*j] = p[0] * s * scale2
			out[2*j+1] = p[1] * s * scale2
		}
	}
	return nil
}

// DecodeNVFP4Reciprocal dequantises as [DecodeNVFP4] does what
// compressed-tensors stores: global, the value of weight_global_scale, divides.
//
//	w = E2M1(packed) · E4M3(scales) / global
func DecodeNVFP4Reciprocal(dst []float32, packed, scales []byte, global float32) error {
	if err := checkNVFP4(len(dst), len(packed), len(scales)); err != nil {
		return err
	}
	var value [16]float32
	for i, sc := range scales {
		s, out := e4m3[sc], (*[NVFP4Block]float32)(dst[NVFP4Block*i:])
		for c := range value {
			value[c] = e2m1[c] * s / global
		}
		for j, c := range (*[NVFP4Block / 2]byte)(packed[NVFP4Block/2*i:]) {
			out[2*j], out[2*j+1] = value[c&15], value[c>>4]
		}
	}
	return nil
}

// NVFP4Scale2 returns the weight_scale_2 (or input_scale) that ModelOpt gives a
// tensor whose largest magnitude is amax: amax/(6·448). Members of a fused
// group (q, k and v; gate and up) take the amax of the whole group. Recipes
// differ ("four over six" divides by 6·256), so never recompute a stored one.
func NVFP4Scale2(amax float32) float32 { return amax / nvfp4Limit }

// EncodeNVFP4 quantises weights as ModelOpt's export does. For each 16 weights
//
//	scale = E4M3(amax₁₆ / (6·scale2)), at least 2^−9; 1.0 where amax₁₆ is 0
//	code  = E2M1(w / (scale·scale2)), never −0 for a quotient of 0
//
// both rounded to nearest even and saturated. scale2 must be positive and
// finite: see [NVFP4Scale2]; a tensor of zeros alone has scale2 0, for which
// all codes become 0 under scales of 1.0.
func EncodeNVFP4(packed, scales []byte, src []float32, scale2 float32) error {
	if err := checkNVFP4(len(src), len(packed), len(scales)); err != nil {
		return err
	}
	for i := range scales {
		in := (*[NVFP4Block]float32)(src[NVFP4Block*i:])
		scales[i] = nvfp4BlockScale(amax(in[:]), scale2)
		s := e4m3[scales[i]] * scale2
		for j := range NVFP4Block / 2 {
			packed[NVFP4Block/2*i+j] = quotientE2M1(in[2*j], s) | quotientE2M1(in[2*j+1], s)<<4
		}
	}
	return nil
}

func nvfp4BlockScale(amax, scale2 float32) uint8 {
	const one, smallest = 0x38, 0x01
	if amax == 0 || scale2 == 0 {
		return one
	}
	return max(EncodeE4M3(amax/(6*scale2)), smallest)
}

// quotientE2M1 is the E2M1 code of x/s; under a scale of 0 all is 0.
func quotientE2M1(x, s float32) uint8 {
	if s == 0 {
		return 0
	}
	if q := x / s; q != 0 {
		return EncodeE2M1(q)
	}
	return 0
}
