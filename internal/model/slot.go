package model

import (
	"strings"

	"kilter/internal/checkpoint"
)

// A Kind says what loaders do with a module's weight.
type Kind uint8

// The kinds.
const (
	// LinearKind: a matrix that a server may hold quantised.
	LinearKind Kind = iota
	// MatrixKind: a matrix that no server quantises by its configuration:
	// embedding, head, router, convolution.
	MatrixKind
	// VectorKind: norms, biases and other small things.
	VectorKind
)

// A Split says how tensor parallelism divides a module.
type Split uint8

// The splits.
const (
	// Whole: every rank holds all of it.
	Whole Split = iota
	// Columns: the outputs are divided (dimension 0).
	Columns
	// Rows: the inputs are divided (the last dimension).
	Rows
	// KVHeads: like Columns, but by KV heads: a rank holds one at least.
	KVHeads
	// ByExpert: expert parallelism divides the experts, and what is left of
	// tensor parallelism each expert.
	ByExpert
)

// A Slot is a kind of module that a family has: one line of its table.
type Slot struct {
	// Path is the module's name below the family's prefix, with * for the
	// numbers of layer and expert.
	Path string
	Part Part
	Kind Kind
	// Fuse names what a server holds in one matrix with this: "qkv" for q, k and
	// v, "gate_up" for gate and up. Empty for what stands alone.
	Fuse  string
	Split Split

	when    string // flags that all must hold: see Model.holds
	shape   string // dimensions as symbols: see Model.symbols
	bias    string // the flag under which there is a bias; "no", "yes" or "maybe" too
	perhaps bool   // may be missing
	stacked bool   // all experts in one tensor: dimension 0 counts them
	bare    bool   // the tensor's name is the module's: there is no ".weight"
}

// inLayer reports whether the slot repeats in each layer.
func (s *Slot) inLayer() bool {
	return strings.HasPrefix(s.Path, "layers.*.") || strings.HasPrefix(s.Path, "blk.*.")
}

// perExpert reports whether it repeats for each expert.
func (s *Slot) perExpert() bool { return strings.Contains(s.Path, ".experts.*.") }

// A Role is what a tensor is to its module.
type Role uint8

// The roles. The comments name the suffix.
const (
	Weight      Role = iota // weight, or none
	Bias                    // bias
	Packed                  // weight_packed, qweight, _blocks: codes, several to a word
	Scale                   // weight_scale, scales, _scales: of blocks, channels or the tensor
	ScaleInv                // weight_scale_inv: of 128x128 blocks
	GlobalScale             // weight_scale_2 (modelopt), weight_global_scale (its reciprocal), a GGUF's scale
	InputScale              // input_scale, input_global_scale: of activations
	ZeroPoint               // weight_zero_point, qzeros
	GroupIndex              // weight_g_idx, g_idx
	PackedShape             // weight_shape
	PreScale                // pre_quant_scale
	KScale                  // k_scale
	VScale                  // v_scale
	QScale                  // q_scale, and other scales of attention
	numRoles
)

// A Module is a module of the checkpoint: a weight with what belongs to it.
type Module struct {
	// Name is the tensors' common name, such as
	// "model.layers.3.mlp.experts.17.gate_proj".
	Name string
	// Slot is the line of the family's table; nil for a module that no table
	// has.
	Slot *Slot
	Part Part
	// Layer and Expert are its numbers, -1 where it has none.
	Layer, Expert int
	// MTP is set for a module of multi-token prediction.
	MTP    bool
	Format Format
	// Bits is the width of one weight as it is stored, scales left out; 0 where
	// unknown.
	Bits int

	entry   *entry
	tensors [numRoles]int32 // index of the tensor, plus 1
	names   [numRoles]suffixID
}

// Tensor returns the module's tensor in a role.
func (m *Model) Tensor(mod *Module, r Role) (*checkpoint.Tensor, bool) {
	i := mod.tensors[r]
	if i == 0 {
		return nil, false
	}
	return m.cp.Tensors.At(int(i) - 1), true
}

// Has reports whether the module has a tensor in a role.
func (mod *Module) Has(r Role) bool { return mod.tensors[r] != 0 }

// A Format is a way in which a weight is stored: "BF16" and other plain types,
// GGUF's block types by their names, or one of the constants.
type Format string

// The formats of several tensors.
const (
	// NVFP4: ModelOpt's, weight U8 + weight_scale F8_E4M3 + weight_scale_2.
	NVFP4 Format = "NVFP4"
	// NVFP4Reciprocal: compressed-tensors', whose global scales are reciprocals.
	NVFP4Reciprocal Format = "NVFP4 packed"
	// MXFP4: U8 codes and U8 powers of two for 32 weights.
	MXFP4 Format = "MXFP4"
	// MXFP8: F8_E4M3 and U8 powers of two for 32 weights.
	MXFP8 Format = "MXFP8"
	// FP8Tensor, FP8Channel and FP8Block: F8_E4M3 with one scale for the tensor,
	// for an output, for 128x128 weights.
	FP8Tensor  Format = "FP8 per tensor"
	FP8Channel Format = "FP8 per channel"
	FP8Block   Format = "FP8 block"
	// INT4 and INT8: compressed-tensors' pack-quantized, groups along the input.
	INT4 Format = "INT4 group"
	INT8 Format = "INT8"
	// AWQ and GPTQ: qweight, qzeros and scales.
	AWQ  Format = "AWQ"
	GPTQ Format = "GPTQ"
	// INT4ModelOpt: ModelOpt's AWQ, two's complement in U8 along the output.
	INT4ModelOpt Format = "INT4 (modelopt)"
	// Incomplete: codes without their scales, or scales without codes.
	Incomplete Format = "incomplete"
)
