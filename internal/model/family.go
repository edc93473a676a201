package model

// A family is what kilter knows of the models that share an architecture: its
// tables, one file for each family.
type family struct {
	name string
	// types are config.json's model_type (without "_text"), and arches a GGUF's
	// general.architecture.
	types, arches []string
	// prefixes are where the tensors may be: the decoder's, and the head's.
	prefixes []prefix
	// slots are the decoder's modules in transformers' names, blocks in GGUF's.
	slots, blocks []Slot
	// mtp says where multi-token prediction is.
	mtp mtpPlace
	// defaults are what the family's configuration class in transformers takes
	// for a missing key.
	defaults map[string]int64
	// every is the mixer of all but each interval-th layer, where layer_types
	// does not say.
	every    Mixer
	interval int64
	experts  expertsPlace
	// linear and latent: the family has gated DeltaNet layers, or MLA.
	linear, latent bool
	tied           bool // the default of tie_word_embeddings
	// skipped are patterns of tensors that loaders of the family pass over.
	skipped []string
}

// A prefix is where the decoder's and the head's tensors are named.
type prefix struct{ body, head string }

// An mtpPlace is where a family keeps its MTP layers.
type mtpPlace uint8

const (
	noMTP     mtpPlace = iota
	mtpRoot            // mtp.fc, mtp.layers.*: Qwen
	mtpLayers          // as layers behind the last: DeepSeek, and GGUFs
)

// An expertsPlace says which layers have experts.
type expertsPlace uint8

const (
	everywhere expertsPlace = iota
	bySteps                 // decoder_sparse_step and mlp_only_layers
	afterDense              // first_k_dense_replace
)

// families are all that kilter knows.
var families = []family{
	qwen35, qwen35MoE, qwen3Next, qwen3, qwen3MoE, llama, gemma3, deepseekV3, gptOSS,
}

// unknownFamily stands for all others: the generic part only.
var unknownFamily = family{}

// visionPrefixes begin the names of towers and projectors for images and audio.
var visionPrefixes = []string{
	"model.visual.", "visual.", "vision_tower.", "model.vision_tower.", "vision_model.", "model.vision_model.",
	"multi_modal_projector.", "model.multi_modal_projector.", "mm_projector.", "audio_tower.", "model.audio_tower.",
	"v.", "mm.", // GGUF's mmproj
}

// skippedAnywhere are tensors that loaders of all families pass over.
var skippedAnywhere = []string{
	"*rotary_emb.inv_freq", "*rotary_emb.cos_cached", "*rotary_emb.sin_cached", "*.attn.masked_bias",
}

// Families returns the names of the families that kilter has tables of.
func Families() []string {
	var names []string
	for i := range families {
		names = append(names, families[i].name)
	}
	return names
}

func familyNamed(name string) *family {
	for i := range families {
		if families[i].name == name {
			return &families[i]
		}
	}
	return &unknownFamily
}

// The slots that families share.

// common are the modules around the layers. The head is under the prefix's
// own place.
var common = []Slot{
	{Path: "embed_tokens", Part: Embedding, Kind: MatrixKind, Split: Columns, shape: "V H"},
	{Path: "norm", Part: Norm, Kind: VectorKind, shape: "H"},
	{Path: "lm_head", Part: Head, Kind: MatrixKind, Split: Columns, shape: "V H", when: "untied"},
}

// twoNorms are those of a layer that has one before each half.
var twoNorms = []Slot{
	{Path: "layers.*.input_layernorm", Part: Norm, Kind: VectorKind, shape: "H"},
	{Path: "layers.*.post_attention_layernorm", Part: Norm, Kind: VectorKind, shape: "H"},
}

// softmaxAttention is grouped-query attention; bias is the flag of its biases.
func softmaxAttention(bias, outBias string) []Slot {
	return []Slot{
		{Path: "layers.*.self_attn.q_proj", Part: Attention, Split: Columns, Fuse: "qkv", shape: "Q H", when: "attn", bias: bias},
		{Path: "layers.*.self_attn.k_proj", Part: Attention, Split: KVHeads, Fuse: "qkv", shape: "KV H", when: "attn", bias: bias},
		{Path: "layers.*.self_attn.v_proj", Part: Attention, Split: KVHeads, Fuse: "qkv", shape: "KV H", when: "attn", bias: bias},
		{Path: "layers.*.self_attn.o_proj", Part: Attention, Split: Rows, shape: "H Q", when: "attn", bias: outBias},
	}
}

// headNorms are RMS norms of q and k.
var headNorms = []Slot{
	{Path: "layers.*.self_attn.q_norm", Part: Norm, Kind: VectorKind, shape: "D", when: "attn"},
	{Path: "layers.*.self_attn.k_norm", Part: Norm, Kind: VectorKind, shape: "D", when: "attn"},
}

// gatedMLP is the feed-forward part of dense layers.
var gatedMLP = []Slot{
	{Path: "layers.*.mlp.gate_proj", Part: MLP, Split: Columns, Fuse: "gate_up", shape: "I H", when: "dense", bias: "mlp_bias"},
	{Path: "layers.*.mlp.up_proj", Part: MLP, Split: Columns, Fuse: "gate_up", shape: "I H", when: "dense", bias: "mlp_bias"},
	{Path: "layers.*.mlp.down_proj", Part: MLP, Split: Rows, shape: "H I", when: "dense", bias: "mlp_bias"},
}

// routedExperts are a router with experts one by one, or all in one tensor.
var routedExperts = []Slot{
	{Path: "layers.*.mlp.gate", Part: Router, Kind: MatrixKind, shape: "E H", when: "moe"},
	{Path: "layers.*.mlp.experts.*.gate_proj", Part: Experts, Split: ByExpert, Fuse: "gate_up", shape: "M H", when: "moe single"},
	{Path: "layers.*.mlp.experts.*.up_proj", Part: Experts, Split: ByExpert, Fuse: "gate_up", shape: "M H", when: "moe single"},
	{Path: "layers.*.mlp.experts.*.down_proj", Part: Experts, Split: ByExpert, shape: "H M", when: "moe single"},
	{Path: "layers.*.mlp.experts.gate_up_proj", Part: Experts, Split: ByExpert, shape: "E 2M H", when: "moe stacked", stacked: true, bare: true},
	{Path: "layers.*.mlp.experts.down_proj", Part: Experts, Split: ByExpert, shape: "E H M", when: "moe stacked", stacked: true, bare: true},
}

// The same in GGUF's names.
var commonGGUF = []Slot{
	{Path: "token_embd", Part: Embedding, Kind: MatrixKind, Split: Columns, shape: "V H"},
	{Path: "output_norm", Part: Norm, Kind: VectorKind, shape: "H"},
	{Path: "output", Part: Head, Kind: MatrixKind, Split: Columns, shape: "V H", when: "untied"},
	{Path: "rope_freqs", Part: Other, Kind: VectorKind, perhaps: true},
	{Path: "blk.*.attn_norm", Part: Norm, Kind: VectorKind, shape: "H"},
}

var attentionGGUF = []Slot{
	{Path: "blk.*.attn_q", Part: Attention, Split: Columns, Fuse: "qkv", shape: "Q H", when: "attn", bias: "maybe"},
	{Path: "blk.*.attn_k", Part: Attention, Split: KVHeads, Fuse: "qkv", shape: "KV H", when: "attn", bias: "maybe"},
	{Path: "blk.*.attn_v", Part: Attention, Split: KVHeads, Fuse: "qkv", shape: "KVV H", when: "attn", bias: "maybe"},
	{Path: "blk.*.attn_output", Part: Attention, Split: Rows, shape: "H OV", when: "attn", bias: "maybe"},
}

var headNormsGGUF = []Slot{
	{Path: "blk.*.attn_q_norm", Part: Norm, Kind: VectorKind, shape: "D", when: "attn"},
	{Path: "blk.*.attn_k_norm", Part: Norm, Kind: VectorKind, shape: "D", when: "attn"},
}

var ffnNormGGUF = []Slot{
	{Path: "blk.*.ffn_norm", Part: Norm, Kind: VectorKind, shape: "H"},
}

var gatedMLPGGUF = []Slot{
	{Path: "blk.*.ffn_gate", Part: MLP, Split: Columns, Fuse: "gate_up", shape: "I H", when: "dense", bias: "maybe"},
	{Path: "blk.*.ffn_up", Part: MLP, Split: Columns, Fuse: "gate_up", shape: "I H", when: "dense", bias: "maybe"},
	{Path: "blk.*.ffn_down", Part: MLP, Split: Rows, shape: "H I", when: "dense", bias: "maybe"},
}

var routedExpertsGGUF = []Slot{
	{Path: "blk.*.ffn_gate_inp", Part: Router, Kind: MatrixKind, shape: "E H", when: "moe", bias: "maybe"},
	{Path: "blk.*.ffn_gate_exps", Part: Experts, Split: ByExpert, Fuse: "gate_up", shape: "E M H", when: "moe single", stacked: true, bias: "maybe"},
	{Path: "blk.*.ffn_up_exps", Part: Experts, Split: ByExpert, Fuse: "gate_up", shape: "E M H", when: "moe single", stacked: true, bias: "maybe"},
	{Path: "blk.*.ffn_gate_up_exps", Part: Experts, Split: ByExpert, shape: "E 2M H", when: "moe stacked", stacked: true, bias: "maybe"},
	{Path: "blk.*.ffn_down_exps", Part: Experts, Split: ByExpert, shape: "E H M", when: "moe", stacked: true, bias: "maybe"},
}

// concat joins lists of slots.
func concat(lists ...[]Slot) (all []Slot) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}
