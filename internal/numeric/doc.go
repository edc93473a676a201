// Package numeric holds the number formats of model checkpoints: exact codecs
// of the small floats, the block formats that share a scale among a few
// weights, how many bytes each takes, and a scan that says whether the bytes of
// a tensor can be sound. It is the lowest layer: it knows bytes and formulas,
// not files, models or servers, and needs the standard library alone.
//
// # Model
//
// A tensor is stored in one [DType]. Most types are plain: an element is one,
// two, four or eight bytes, little-endian, rows one after the other (of F4, two
// elements to a byte). GGUF's types are blocks: 32, 64 or 256 weights and their
// scales in one piece. [DType.Decode] reads both kinds, because both carry all
// they need.
//
// The quantised formats of safetensors spread one weight over several tensors:
// codes in one, block scales in another, a scale of the whole tensor in a
// third. They have no DType but a function each, which takes the rows of those
// tensors that belong together:
//
//	DecodeNVFP4              E2M1 codes, E4M3 per 16, one float32 that multiplies (ModelOpt)
//	DecodeNVFP4Reciprocal    the same, with a float32 that divides (compressed-tensors)
//	DecodeMXFP4              E2M1 codes, E8M0 per 32 (gpt-oss, compressed-tensors)
//	DecodeMXFP8              E4M3 codes, E8M0 per 32
//	DecodeFP8                E4M3 codes, one float32 for the tensor or for a row
//	DecodeFP8Block           E4M3 codes, one float32 for 128 x 128 weights (weight_scale_inv)
//	DecodeINT4               offset nibbles in 32-bit words, one scale per 32 or 128
//
// "Row" means the weights of one output: all formats group along the input
// dimension, which is the last one and contiguous. Where rows follow each other
// without padding and share their last scale, several may be decoded in one
// call.
//
// [Swizzle] and [Unswizzle] convert block scales to and from the order that
// tensor cores read.
//
// # Formulas
//
// With s the sign, e and m the exponent and mantissa fields, a code means:
//
//	E2M1    (−1)^s · (1+m/2)·2^(e−1), e=0: m/2              max 6, no NaN, no infinity
//	E4M3FN  (−1)^s · (1+m/8)·2^(e−7), e=0: m·2^−9           max 448, NaN 0x7F 0xFF
//	E5M2    (−1)^s · (1+m/4)·2^(e−15), e=0: m·2^−16         max 57344, infinity 0x7C
//	E8M0    2^(c−127)                                       NaN 0xFF
//	F16     (−1)^s · (1+m/1024)·2^(e−15), e=0: m·2^−24      max 65504
//	BF16    the upper 16 bits of a float32
//
// Encoding rounds to nearest, ties to the even code. Only what lies above the
// largest value differs: E2M1 and E4M3 saturate, E5M2, F16 and BF16 go to
// infinity, E8M0 saturates (and its ties go up). A NaN stays NaN but in E2M1,
// which has none.
//
// Sources, by format:
//
//   - E2M1, E8M0, MXFP4, MXFP8: OCP Microscaling Formats (MX) v1.0,
//     https://www.opencompute.org/documents/ocp-microscaling-formats-mx-v1-0-spec-final-pdf
//   - E4M3, E5M2: OCP 8-bit Floating Point Specification (OFP8) v1.0
//   - NVFP4, FP8 as exported: https://github.com/NVIDIA/Model-Optimizer,
//     modelopt/torch/quantization/qtensor
//   - pack-quantized, nvfp4-pack-quantized: https://github.com/vllm-project/compressed-tensors,
//     src/compressed_tensors/compressors
//   - FP8 blocks: https://github.com/deepseek-ai/DeepSeek-V3, inference/kernel.py
//   - gpt-oss' MXFP4: https://github.com/openai/gpt-oss, gpt_oss/torch/weights.py
//   - GGUF blocks: https://github.com/ggml-org/ggml, src/ggml-common.h, src/ggml-quants.c
//
// Two traps that the formulas do not show. Nibbles: safetensors' formats put
// neighbours into one byte, the first in the low nibble; GGUF's put weight j and
// weight j+n/2 of a block there. Scales named "inverse" or "global": one of
// them multiplies (weight_scale_inv), the other divides (weight_global_scale).
//
// # Scanning
//
// A [Scanner] reads a tensor's bytes once and counts what a sound tensor does
// not have: NaN, infinity, zeros where there should be none, subnormal or
// negative scales, constant and zero rows, runs of zero bytes, magnitudes out
// of all proportion. [Stats] is its result; it can be merged from parts. Its
// comment in scan.go explains how eight bytes are compared at once.
//
// # Invariants
//
//   - Decoding is exact: a decoded weight is the real product of its code and
//     scales, rounded once to float32 (GGUF: rounded where ggml rounds).
//     Results are the same on every machine: no fused operations.
//   - encode(decode(c)) is c for every code that is not NaN.
//   - Every buffer must have exactly the length that its format says. A wrong
//     length, a partial block or an unknown type is an error; no input panics.
//   - Decoders and scans do not allocate and keep no reference to what they are
//     given. Encoders do not allocate either.
//   - What a Scanner finds does not depend on how the bytes were cut into
//     writes.
//   - The values of every code point and of random blocks equal those recorded
//     from ml_dtypes, numpy and the gguf package: testdata/record.py.
package numeric
