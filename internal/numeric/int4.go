package numeric

import (
	"fmt"
	"math"
)

// INT4 as compressed-tensors packs it (format pack-quantized; Kimi-K2 uses it
// with groups of 32). A weight of shape [N, K] is stored as
//
//	weight_packed  I32   [N, ⌈K/8⌉]      weight i of a row: bits 4·(i mod 8) of
//	                                     word ⌊i/8⌋, as q+8
//	weight_scale   BF16  [N, K/group]    (or F16, F32)
//	weight_shape   I64   [2]             N, K
//
// with q from −8 to 7. Little-endian words put the lower weight into the low
// nibble of each byte. Scales are given as float32 here; DType.Decode reads
// stored ones.
//
// Source: vllm-project/compressed-tensors,
// src/compressed_tensors/compressors/pack_quantized/base.py and
// src/compressed_tensors/quantization/utils/helpers.py
// (https://github.com/vllm-project/compressed-tensors).

// INT4Bytes returns the bytes of weight_packed for a row of k weights, whole
// words of eight.
func INT4Bytes(k int) int { return ceilDiv(k, 8) * 4 }

// UnpackINT4 writes the integers of a packed row to dst, −8 to 7. packed must be
// INT4Bytes(len(dst)) long; what pads the last word is ignored.
func UnpackINT4(dst []int8, packed []byte) error {
	if err := wantLen("int4", "packed bytes", len(packed), INT4Bytes(len(dst)), len(dst)); err != nil {
		return err
	}
	for i := range dst {
		dst[i] = int8(packed[i/2]>>(i%2*4)&15) - 8
	}
	return nil
}

// PackINT4 is the reverse of [UnpackINT4]. Values outside −8 to 7 are an error;
// the padding of the last word becomes zero bits.
func PackINT4(packed []byte, src []int8) error {
	if err := wantLen("int4", "packed bytes", len(packed), INT4Bytes(len(src)), len(src)); err != nil {
		return err
	}
	clear(packed)
	for i, q := range src {
		if q < -8 || q > 7 {
			return fmt.Errorf("int4: weight %d is %d, outside -8 to 7", i, q)
		}
		packed[i/2] |= uint8(q+8) << (i % 2 * 4)
	}
	return nil
}

func checkINT4(weights, packed, scales, group int) error {
	const format = "int4"
	if group <= 0 {
		return fmt.Errorf("%s: groups of %d weights", format, group)
	}
	if err := wantLen(format, "packed bytes", packed, INT4Bytes(weights), weights); err != nil {
		return err
	}
	return wantLen(format, "scales", scales, ceilDiv(weights, group), weights)
}

// DecodeINT4 dequantises one row of K = len(dst) weights:
//
//	w[i] = (q[i] − zeros[⌊i/group⌋]) · scales[⌊i/group⌋]
//
// packed is INT4Bytes(K) long, scales ⌈K/group⌉. zeros is nil for symmetric
// weights, the usual case, else as long as scales: the row of weight_zero_point
// with the offset of 8 removed. Not for checkpoints with weight_g_idx, whose
// columns are not grouped in order.
func DecodeINT4(dst []float32, packed []byte, scales []float32, zeros []int8, group int) error {
	if err := checkINT4(len(dst), len(packed), len(scales), group); err != nil {
		return err
	}
	if zeros != nil && len(zeros) != len(scales) {
		return fmt.Errorf("int4: %d zero points for %d scales", len(zeros), len(scales))
	}
	at := 0 // of the group's first weight
	for g, s := range scales {
		zero := int32(8)
		if zeros != nil {
			zero += int32(zeros[g])
		}
		var value [16]float32
		for q := range value {
			value[q] = float32(int32(q)-zero) * s
		}
		n := min(group, len(dst)-at)
		i := at
		if i%2 != 0 && n > 0 { // groups of an odd size may start in a high nibble
			dst[i] = value[packed[i/2]>>4]
			i++
		}
		for ; i+1 < at+n; i += 2 {
			c := packed[i/2]
			dst[i], dst[i+1] = value[c&15], value[c>>4]
		}
		if i < at+n {
			dst[i] = value[packed[i/2]&15]
		}
		at += n
	}
	return nil
}

// EncodeINT4 quantises one row symmetrically, as compressed-tensors does: the
// scale of a group is amax/7.5 rounded to bfloat16, q = w/scale rounded to
// nearest even and clamped to −8 to 7. A group without any magnitude gets
// bfloat16's epsilon, 2^−7, for a scale.
func EncodeINT4(packed []byte, scales []float32, src []float32, group int) error {
	if err := checkINT4(len(src), len(packed), len(scales), group); err != nil {
		return err
	}
	clear(packed)
	at := 0
	for g := range scales {
		n := min(group, len(src)-at)
		s := DecodeBF16(EncodeBF16(amax(src[at:at+n]) / 7.5))
		if s == 0 {
			s = 0x1p-7
		}
		scales[g] = s
		for i := at; i < at+n; i++ {
			q := math.RoundToEven(float64(src[i] / s))
			if math.IsNaN(q) {
				q = 0 // an integer has no NaN
			}
			packed[i/2] |= uint8(max(-8, min(q, 7))+8) << (i % 2 * 4)
		}
		at += n
	}
	return nil
}
