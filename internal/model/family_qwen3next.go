package model

// Qwen3-Next: Qwen3.5's forerunner, with the projections of a gated DeltaNet
// layer in two matrices, ordered by key head.
//
// Sources: transformers models/qwen3_next; llama.cpp conversion/qwen.py, which
// takes in_proj_qkvz apart.
var qwen3Next = family{
	name:     "qwen3_next",
	types:    []string{"qwen3_next"},
	arches:   []string{"qwen3next"},
	prefixes: []prefix{{"model.", ""}},
	mtp:      mtpRoot,
	every:    Linear, interval: 4, linear: true,
	experts: bySteps,
	defaults: map[string]int64{
		"head_dim": 256, "linear_num_key_heads": 16, "linear_num_value_heads": 32,
		"linear_key_head_dim": 128, "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4,
		"num_experts": 512, "num_experts_per_tok": 10, "moe_intermediate_size": 512, "shared_expert_intermediate_size": 512,
	},
	slots: concat(common, twoNorms, gatedAttention, headNorms, []Slot{
		{Path: "layers.*.linear_attn.in_proj_qkvz", Part: LinearAttn, Split: Columns, shape: "QKVZ H", when: "linear"},
		{Path: "layers.*.linear_attn.in_proj_ba", Part: LinearAttn, Split: Columns, shape: "2G H", when: "linear"},
	}, deltaNetRest, gatedMLP, routedExperts, sharedExpert),
	blocks: concat(commonGGUF, gatedAttentionGGUF, headNormsGGUF, deltaNetGGUF, gatedMLPGGUF, routedExpertsGGUF, sharedExpertGGUF),
}
