package model

// Qwen3 and Qwen3-MoE: Llama with norms of q and k, and a head size of its
// own.
//
// Sources: transformers models/qwen3 and models/qwen3_moe; llama.cpp
// gguf-py constants.py. No shared expert. Layers with experts follow
// decoder_sparse_step and mlp_only_layers.
var qwen3 = family{
	name:     "qwen3",
	types:    []string{"qwen3"},
	arches:   []string{"qwen3"},
	prefixes: []prefix{{"model.", ""}},
	defaults: map[string]int64{"head_dim": 128},
	slots:    concat(common, twoNorms, softmaxAttention("attention_bias", "attention_bias"), headNorms, gatedMLP),
	blocks:   concat(commonGGUF, attentionGGUF, headNormsGGUF, ffnNormGGUF, gatedMLPGGUF),
}

var qwen3MoE = family{
	name:     "qwen3_moe",
	types:    []string{"qwen3_moe"},
	arches:   []string{"qwen3moe"},
	prefixes: []prefix{{"model.", ""}},
	experts:  bySteps,
	defaults: map[string]int64{"num_experts": 128, "num_experts_per_tok": 8, "moe_intermediate_size": 768},
	slots:    concat(common, twoNorms, softmaxAttention("attention_bias", "attention_bias"), headNorms, gatedMLP, routedExperts),
	blocks:   concat(commonGGUF, attentionGGUF, headNormsGGUF, ffnNormGGUF, gatedMLPGGUF, routedExpertsGGUF),
}
