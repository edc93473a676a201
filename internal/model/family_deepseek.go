package model

// DeepSeek-V3 and Kimi-K2: multi-head latent attention, dense layers first,
// shared experts without a gate, MTP as the layer behind the last.
//
// Sources: transformers models/deepseek_v3 and models/kimi_k25; the INT4
// releases of Kimi-K2 (only routed experts are quantised, under the prefix
// language_model.); llama.cpp conversion/deepseek.py for GGUF.
var deepseekV3 = family{
	name:     "deepseek_v3",
	types:    []string{"deepseek_v3", "kimi_k2", "kimi_k25"},
	arches:   []string{"deepseek2"},
	prefixes: []prefix{{"model.", ""}, {"language_model.model.", "language_model."}, {"model.language_model.", ""}},
	mtp:      mtpLayers,
	experts:  afterDense,
	latent:   true,
	defaults: map[string]int64{
		"kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128,
		"n_routed_experts": 256, "n_shared_experts": 1, "num_experts_per_tok": 8, "moe_intermediate_size": 2048,
		"first_k_dense_replace": 3,
	},
	slots: concat(common, twoNorms, []Slot{
		{Path: "layers.*.self_attn.q_proj", Part: Attention, Split: Columns, shape: "QA H", when: "q_whole", bias: "no"},
		{Path: "layers.*.self_attn.q_a_proj", Part: Attention, Fuse: "qkv_a", shape: "QR H", when: "q_latent", bias: "attention_bias"},
		{Path: "layers.*.self_attn.q_a_layernorm", Part: Norm, Kind: VectorKind, shape: "QR", when: "q_latent"},
		{Path: "layers.*.self_attn.q_b_proj", Part: Attention, Split: Columns, shape: "QA QR", when: "q_latent"},
		{Path: "layers.*.self_attn.kv_a_proj_with_mqa", Part: Attention, Fuse: "qkv_a", shape: "KVA H", bias: "attention_bias"},
		{Path: "layers.*.self_attn.kv_a_layernorm", Part: Norm, Kind: VectorKind, shape: "KVR"},
		{Path: "layers.*.self_attn.kv_b_proj", Part: Attention, Split: Columns, shape: "KVB KVR"},
		{Path: "layers.*.self_attn.o_proj", Part: Attention, Split: Rows, shape: "H OV", bias: "attention_bias"},
	}, gatedMLP, routedExperts, []Slot{
		{Path: "layers.*.mlp.gate.e_score_correction_bias", Part: Router, Kind: VectorKind, shape: "E", when: "moe noaux", bare: true},
		{Path: "layers.*.mlp.shared_experts.gate_proj", Part: SharedExpert, Split: Columns, Fuse: "gate_up", shape: "S H", when: "moe shared"},
		{Path: "layers.*.mlp.shared_experts.up_proj", Part: SharedExpert, Split: Columns, Fuse: "gate_up", shape: "S H", when: "moe shared"},
		{Path: "layers.*.mlp.shared_experts.down_proj", Part: SharedExpert, Split: Rows, shape: "H S", when: "moe shared"},
		// Of MTP layers only.
		{Path: "layers.*.eh_proj", Part: MTP, Kind: MatrixKind, shape: "H 2H", when: "mtp"},
		{Path: "layers.*.enorm", Part: MTP, Kind: VectorKind, shape: "H", when: "mtp"},
		{Path: "layers.*.hnorm", Part: MTP, Kind: VectorKind, shape: "H", when: "mtp"},
		{Path: "layers.*.shared_head.norm", Part: MTP, Kind: VectorKind, shape: "H", when: "mtp"},
		{Path: "layers.*.shared_head.head", Part: MTP, Kind: MatrixKind, Split: Columns, shape: "V H", when: "mtp", perhaps: true},
		{Path: "layers.*.embed_tokens", Part: MTP, Kind: MatrixKind, Split: Columns, shape: "V H", when: "mtp", perhaps: true},
	}),
	blocks: concat(commonGGUF, ffnNormGGUF, []Slot{
		{Path: "blk.*.attn_q", Part: Attention, Split: Columns, shape: "QA H", when: "q_whole"},
		{Path: "blk.*.attn_q_a", Part: Attention, Fuse: "qkv_a", shape: "QR H", when: "q_latent"},
		{Path: "blk.*.attn_q_a_norm", Part: Norm, Kind: VectorKind, shape: "QR", when: "q_latent"},
		{Path: "blk.*.attn_q_b", Part: Attention, Split: Columns, shape: "QA QR", when: "q_latent"},
		{Path: "blk.*.attn_kv_a_mqa", Part: Attention, Fuse: "qkv_a", shape: "KVA H"},
		{Path: "blk.*.attn_kv_a_norm", Part: Norm, Kind: VectorKind, shape: "KVR"},
		{Path: "blk.*.attn_kv_b", Part: Attention, Split: Columns, shape: "KVB KVR", perhaps: true},
		{Path: "blk.*.attn_k_b", Part: Attention, Split: Columns, perhaps: true},
		{Path: "blk.*.attn_v_b", Part: Attention, Split: Columns, perhaps: true},
		{Path: "blk.*.attn_output", Part: Attention, Split: Rows, shape: "H OV"},
		{Path: "blk.*.exp_probs_b", Part: Router, Kind: VectorKind, when: "moe", bias: "only", perhaps: true},
	}, gatedMLPGGUF, routedExpertsGGUF, sharedExpertGGUF),
}
