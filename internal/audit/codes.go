package audit

import "fmt"

// The codes.
const (
	CodeTruncated   Code = "audit.truncated"
	CodeChanging    Code = "audit.changing"
	CodeHeader      Code = "audit.header"
	CodeHeaderLax   Code = "audit.header_lax"
	CodeLayout      Code = "audit.layout"
	CodeDuplicate   Code = "audit.duplicate_tensor"
	CodeLFSPointer  Code = "audit.lfs_pointer"
	CodeUnreadable  Code = "audit.unreadable"
	CodeUnknownType Code = "audit.unknown_type"

	CodeMissingFile   Code = "audit.missing_file"
	CodeMissingTensor Code = "audit.missing_tensor"
	CodeMisplaced     Code = "audit.misplaced_tensor"
	CodeIndex         Code = "audit.index"
	CodeSplit         Code = "audit.split"
	CodeShape         Code = "audit.shape"
	CodeIndexTotal    Code = "audit.index_total"
	CodeNoIndex       Code = "audit.no_index"
	CodeStrayFile     Code = "audit.stray_file"
	CodeStrayTensor   Code = "audit.stray_tensor"
	CodeUnused        Code = "audit.unused_tensor"
	CodeLeftover      Code = "audit.leftover"
	CodeHubRef        Code = "audit.hub_ref"

	CodeChecksum Code = "audit.checksum"

	CodeNaNValue   Code = "audit.nan_value"
	CodeInfValue   Code = "audit.inf_value"
	CodeZeroBlock  Code = "audit.zero_block"
	CodeZeroTensor Code = "audit.zero_tensor"
	CodeZeroRows   Code = "audit.zero_rows"
	CodeConstant   Code = "audit.constant_tensor"
	CodeConstRows  Code = "audit.constant_rows"
	CodeMagnitude  Code = "audit.magnitude"
	CodeFP16       Code = "audit.fp16_overflow"
	CodeIdentical  Code = "audit.identical_layers"

	CodeNaNScale     Code = "audit.nan_scale"
	CodeInfScale     Code = "audit.inf_scale"
	CodeScaleMissing Code = "audit.scale_missing"
	CodeInputScale   Code = "audit.input_scale_missing"
	CodeScaleShape   Code = "audit.scale_shape"
	CodeZeroScale    Code = "audit.zero_scale"
	CodeNegative     Code = "audit.negative_scale"
	CodeSubnormal    Code = "audit.subnormal_scale"
	CodeGlobalScale  Code = "audit.global_scale_mismatch"
	CodeWeightOnly   Code = "audit.weight_only"
	CodeFusedMixed   Code = "audit.fused_mixed"

	CodeConfig   Code = "audit.config"
	CodeIgnore   Code = "audit.ignore_mismatch"
	CodeUnfused  Code = "audit.ignore_unfused"
	CodeQuant    Code = "audit.quant_config"
	CodeTied     Code = "audit.tied_embeddings"
	CodeVocab    Code = "audit.vocab_size"
	CodeIDRange  Code = "audit.tokenizer_vocab"
	CodeLayers   Code = "audit.layer_count"
	CodeRope     Code = "audit.rope_config"
	CodeDType    Code = "audit.dtype_mismatch"
	CodeKVScale  Code = "audit.kv_scale_missing"
	CodeKVForced Code = "audit.kv_cache_forced"
)

// Declarations returns all codes, by group.
func Declarations() []Declaration { return declared[:] }

var declared = [...]Declaration{
	{CodeTruncated, Broken, Structure, "A file ends before its tensors do"},
	{CodeChanging, Broken, Structure, "A file was written to while it was read"},
	{CodeHeader, Broken, Structure, "A file's header breaks its format"},
	{CodeLayout, Broken, Structure, "Tensors overlap, or bytes belong to none"},
	{CodeDuplicate, Broken, Structure, "A tensor is stored twice"},
	{CodeLFSPointer, Broken, Structure, "A file is a Git LFS pointer and not the file itself"},
	{CodeUnreadable, Unread, Structure, "A file cannot be read"},
	{CodeUnknownType, Note, Structure, "Values of a type that kilter does not know were not looked at"},
	{CodeHeaderLax, Note, Structure, "A header is sloppy in a way that loaders tolerate"},

	{CodeMissingFile, Broken, Complete, "A file of the model is not there"},
	{CodeMissingTensor, Broken, Complete, "A tensor that the model needs is not there"},
	{CodeMisplaced, Broken, Complete, "A tensor is in another file than the index says"},
	{CodeIndex, Broken, Complete, "The index breaks its format"},
	{CodeSplit, Broken, Complete, "The parts of a GGUF do not fit together"},
	{CodeShape, Broken, Complete, "A tensor has another shape than the model needs"},
	{CodeIndexTotal, Suspicious, Complete, "The index's total size is not that of the tensors"},
	{CodeNoIndex, Suspicious, Complete, "Several files and no index that says what belongs to them"},
	{CodeStrayFile, Suspicious, Complete, "A file with tensors that the index does not name"},
	{CodeStrayTensor, Suspicious, Complete, "A tensor that the index does not name"},
	{CodeUnused, Suspicious, Complete, "A tensor that no loader of this architecture loads"},
	{CodeLeftover, Suspicious, Complete, "An unfinished download was left behind"},
	{CodeHubRef, Suspicious, Complete, "The hub cache's ref names a snapshot that is not there"},

	{CodeChecksum, Broken, Checksum, "A file's bytes are not those that its checksum promises"},

	{CodeNaNValue, Broken, Values, "A weight is NaN"},
	{CodeInfValue, Broken, Values, "A weight is infinite"},
	{CodeZeroBlock, Broken, Values, "A block of zeros lies where weights should be"},
	{CodeZeroTensor, Broken, Values, "A weight matrix is nothing but zeros"},
	{CodeZeroRows, Suspicious, Values, "Rows of a weight matrix are zero"},
	{CodeConstant, Suspicious, Values, "All values of a weight matrix are the same"},
	{CodeConstRows, Suspicious, Values, "Rows of a weight matrix hold one value each"},
	{CodeMagnitude, Suspicious, Values, "A tensor's magnitudes are far from those of its siblings"},
	{CodeFP16, Suspicious, Values, "Weights are too large for float16"},
	{CodeIdentical, Suspicious, Values, "Two layers or experts hold the same bytes"},

	{CodeNaNScale, Broken, Scales, "A scale is NaN"},
	{CodeInfScale, Broken, Scales, "A scale is infinite"},
	{CodeScaleMissing, Broken, Scales, "A quantised weight lacks a scale"},
	{CodeInputScale, Broken, Scales, "A quantised module lacks the activation scale that its siblings have"},
	{CodeScaleShape, Broken, Scales, "A scale has a shape that does not fit its weight"},
	{CodeZeroScale, Suspicious, Scales, "A scale is zero"},
	{CodeNegative, Suspicious, Scales, "A scale is negative"},
	{CodeSubnormal, Suspicious, Scales, "A scale is so small that kernels may take it for zero"},
	{CodeGlobalScale, Suspicious, Scales, "Modules that servers fuse have different global scales"},
	{CodeFusedMixed, Suspicious, Scales, "Modules that servers fuse are stored in different formats"},
	{CodeWeightOnly, Suspicious, Scales, "The configuration asks for 4-bit activations and no activation scale is stored"},

	{CodeConfig, Suspicious, Config, "The model's configuration is missing or no JSON"},
	{CodeIgnore, Suspicious, Config, "The quantisation's ignore list does not fit the stored tensors"},
	{CodeQuant, Suspicious, Config, "Configuration and tensors speak of different quantisations"},
	{CodeTied, Suspicious, Config, "Tied embeddings and a separate output head do not fit together"},
	{CodeVocab, Suspicious, Config, "The vocabulary's size is not that of the embedding"},
	{CodeIDRange, Suspicious, Config, "The tokenizer has ids that the embedding has no row for"},
	{CodeLayers, Suspicious, Config, "The tensors have another number of layers or experts than the configuration"},
	{CodeRope, Suspicious, Config, "The settings of positions and context contradict each other"},
	{CodeDType, Suspicious, Config, "The configuration's type is not that of the weights"},
	{CodeKVScale, Suspicious, Config, "Only some layers have scales for a quantised KV cache"},
	{CodeUnfused, Note, Config, "The ignore list names the parts of what servers fuse, and not the whole"},
	{CodeKVForced, Note, Config, "The checkpoint makes servers quantise the KV cache"},
}

// declarationOf returns what is declared of a code.
func declarationOf(c Code) Declaration {
	for _, d := range declared {
		if d.Code == c {
			return d
		}
	}
	panic(fmt.Sprintf("audit: code %q is not declared", c))
}

// Lookup returns what is declared of a code; false for a string that is none.
func Lookup(code string) (Declaration, bool) {
	for _, d := range declared {
		if string(d.Code) == code {
			return d, true
		}
	}
	return Declaration{}, false
}
