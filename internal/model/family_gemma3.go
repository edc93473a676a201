package model

// Gemma 3: norms before and after each half, five sliding layers to a full
// one, tied embeddings.
//
// Sources: transformers models/gemma3 (names; sliding_window_pattern 6 where
// layer_types is missing); llama.cpp gguf-py constants.py.
var gemma3 = family{
	name:     "gemma3",
	types:    []string{"gemma3"},
	arches:   []string{"gemma3"},
	prefixes: []prefix{{"model.language_model.", ""}, {"language_model.model.", "language_model."}, {"model.", ""}},
	every:    Sliding, interval: 6,
	tied:     true,
	defaults: map[string]int64{"head_dim": 256, "num_attention_heads": 8, "num_key_value_heads": 4, "vocab_size": 262208, "max_position_embeddings": 131072, "sliding_window": 4096},
	slots: concat(common, twoNorms, []Slot{
		{Path: "layers.*.pre_feedforward_layernorm", Part: Norm, Kind: VectorKind, shape: "H"},
		{Path: "layers.*.post_feedforward_layernorm", Part: Norm, Kind: VectorKind, shape: "H"},
	}, softmaxAttention("attention_bias", "attention_bias"), headNorms, gatedMLP),
	blocks: concat(commonGGUF, attentionGGUF, headNormsGGUF, ffnNormGGUF, gatedMLPGGUF, []Slot{
		{Path: "blk.*.post_attention_norm", Part: Norm, Kind: VectorKind, shape: "H"},
		{Path: "blk.*.post_ffw_norm", Part: Norm, Kind: VectorKind, shape: "H"},
	}),
}
