package model

// Qwen3.5, dense and with experts: gated DeltaNet layers with a full one after
// each three, a gate in q_proj, MTP under mtp., a vision tower under
// model.visual.
//
// Sources: transformers models/qwen3_5 and models/qwen3_5_moe; the NVFP4
// releases' names as NVIDIA's Model-Optimizer exports them (experts one by one,
// in BF16 releases all in one tensor, gate rows before up rows); llama.cpp
// conversion/qwen.py and src/models/qwen35moe.cpp for GGUF.
var qwen35 = family{
	name:     "qwen3_5",
	types:    []string{"qwen3_5"},
	arches:   []string{"qwen35"},
	prefixes: qwen35Prefixes,
	mtp:      mtpRoot,
	every:    Linear, interval: 4, linear: true,
	defaults: qwen35Defaults,
	slots:    concat(common, twoNorms, gatedAttention, headNorms, deltaNet, gatedMLP),
	blocks:   concat(commonGGUF, gatedAttentionGGUF, headNormsGGUF, deltaNetGGUF, gatedMLPGGUF),
}

var qwen35MoE = family{
	name:     "qwen3_5_moe",
	types:    []string{"qwen3_5_moe"},
	arches:   []string{"qwen35moe"},
	prefixes: qwen35Prefixes,
	mtp:      mtpRoot,
	every:    Linear, interval: 4, linear: true,
	defaults: qwen35Defaults,
	slots:    concat(common, twoNorms, gatedAttention, headNorms, deltaNet, routedExperts, sharedExpert),
	blocks:   concat(commonGGUF, gatedAttentionGGUF, headNormsGGUF, deltaNetGGUF, routedExpertsGGUF, sharedExpertGGUF),
}

var qwen35Prefixes = []prefix{{"model.language_model.", ""}, {"model.", ""}}

var qwen35Defaults = map[string]int64{
	"head_dim": 256, "linear_num_key_heads": 16, "linear_num_value_heads": 32,
	"linear_key_head_dim": 128, "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4,
}

// gatedAttention is attention whose q_proj holds, for each head, the query and
// a gate of the output.
var gatedAttention = []Slot{
	{Path: "layers.*.self_attn.q_proj", Part: Attention, Split: Columns, Fuse: "qkv", shape: "2Q H", when: "attn", bias: "attention_bias"},
	{Path: "layers.*.self_attn.k_proj", Part: Attention, Split: KVHeads, Fuse: "qkv", shape: "KV H", when: "attn", bias: "attention_bias"},
	{Path: "layers.*.self_attn.v_proj", Part: Attention, Split: KVHeads, Fuse: "qkv", shape: "KV H", when: "attn", bias: "attention_bias"},
	{Path: "layers.*.self_attn.o_proj", Part: Attention, Split: Rows, shape: "H Q", when: "attn", bias: "attention_bias"},
}

// deltaNet is gated DeltaNet with its projections one by one.
var deltaNet = concat([]Slot{
	{Path: "layers.*.linear_attn.in_proj_qkv", Part: LinearAttn, Split: Columns, Fuse: "qkvz", shape: "C H", when: "linear"},
	{Path: "layers.*.linear_attn.in_proj_z", Part: LinearAttn, Split: Columns, Fuse: "qkvz", shape: "VD H", when: "linear"},
	{Path: "layers.*.linear_attn.in_proj_b", Part: LinearAttn, Split: Columns, Fuse: "ba", shape: "G H", when: "linear"},
	{Path: "layers.*.linear_attn.in_proj_a", Part: LinearAttn, Split: Columns, Fuse: "ba", shape: "G H", when: "linear"},
}, deltaNetRest)

var deltaNetRest = []Slot{
	{Path: "layers.*.linear_attn.conv1d", Part: LinearAttn, Kind: MatrixKind, Split: Columns, shape: "C 1 K", when: "linear"},
	{Path: "layers.*.linear_attn.A_log", Part: LinearAttn, Kind: VectorKind, Split: Columns, shape: "G", when: "linear", bare: true},
	{Path: "layers.*.linear_attn.dt_bias", Part: LinearAttn, Kind: VectorKind, Split: Columns, shape: "G", when: "linear", bare: true},
	{Path: "layers.*.linear_attn.norm", Part: LinearAttn, Kind: VectorKind, shape: "DV", when: "linear"},
	{Path: "layers.*.linear_attn.out_proj", Part: LinearAttn, Split: Rows, shape: "H VD", when: "linear"},
}

// sharedExpert is one expert that all tokens pass, behind a gate.
var sharedExpert = []Slot{
	{Path: "layers.*.mlp.shared_expert.gate_proj", Part: SharedExpert, Split: Columns, Fuse: "gate_up", shape: "S H", when: "moe shared"},
	{Path: "layers.*.mlp.shared_expert.up_proj", Part: SharedExpert, Split: Columns, Fuse: "gate_up", shape: "S H", when: "moe shared"},
	{Path: "layers.*.mlp.shared_expert.down_proj", Part: SharedExpert, Split: Rows, shape: "H S", when: "moe shared"},
	{Path: "layers.*.mlp.shared_expert_gate", Part: SharedExpert, Kind: MatrixKind, shape: "1 H", when: "moe shared"},
}

var gatedAttentionGGUF = []Slot{
	{Path: "blk.*.attn_q", Part: Attention, Split: Columns, Fuse: "qkv", shape: "2Q H", when: "attn"},
	{Path: "blk.*.attn_k", Part: Attention, Split: KVHeads, Fuse: "qkv", shape: "KV H", when: "attn"},
	{Path: "blk.*.attn_v", Part: Attention, Split: KVHeads, Fuse: "qkv", shape: "KV H", when: "attn"},
	{Path: "blk.*.attn_output", Part: Attention, Split: Rows, shape: "H Q", when: "attn"},
	{Path: "blk.*.post_attention_norm", Part: Norm, Kind: VectorKind, shape: "H"},
}

var deltaNetGGUF = []Slot{
	{Path: "blk.*.attn_qkv", Part: LinearAttn, Split: Columns, Fuse: "qkvz", shape: "C H", when: "linear"},
	{Path: "blk.*.attn_gate", Part: LinearAttn, Split: Columns, Fuse: "qkvz", shape: "VD H", when: "linear"},
	{Path: "blk.*.ssm_beta", Part: LinearAttn, Split: Columns, Fuse: "ba", shape: "G H", when: "linear", perhaps: true},
	{Path: "blk.*.ssm_alpha", Part: LinearAttn, Split: Columns, Fuse: "ba", shape: "G H", when: "linear", perhaps: true},
	{Path: "blk.*.ssm_ba", Part: LinearAttn, Split: Columns, shape: "2G H", when: "linear", perhaps: true}, // Qwen3-Next
	{Path: "blk.*.ssm_conv1d", Part: LinearAttn, Kind: MatrixKind, Split: Columns, shape: "C K", when: "linear"},
	{Path: "blk.*.ssm_a", Part: LinearAttn, Kind: VectorKind, Split: Columns, shape: "G", when: "linear", bare: true},
	{Path: "blk.*.ssm_dt", Part: LinearAttn, Kind: VectorKind, Split: Columns, when: "linear", bias: "only"},
	{Path: "blk.*.ssm_norm", Part: LinearAttn, Kind: VectorKind, shape: "DV", when: "linear"},
	{Path: "blk.*.ssm_out", Part: LinearAttn, Split: Rows, shape: "H VD", when: "linear"},
}

var sharedExpertGGUF = []Slot{
	{Path: "blk.*.ffn_gate_shexp", Part: SharedExpert, Split: Columns, Fuse: "gate_up", shape: "S H", when: "moe shared"},
	{Path: "blk.*.ffn_up_shexp", Part: SharedExpert, Split: Columns, Fuse: "gate_up", shape: "S H", when: "moe shared"},
	{Path: "blk.*.ffn_down_shexp", Part: SharedExpert, Split: Rows, shape: "H S", when: "moe shared"},
	{Path: "blk.*.ffn_gate_inp_shexp", Part: SharedExpert, Kind: MatrixKind, when: "moe shared", perhaps: true},
}
