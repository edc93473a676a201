package model

// Llama and what has its shape: Mistral, SmolLM2, Qwen2 (with biases of q, k
// and v).
//
// Sources: transformers models/llama and models/mistral (module names and
// config defaults), llama.cpp gguf-py constants.py (GGUF names). mlp_bias and
// attention_bias put a bias beside each linear module of their half.
var llama = family{
	name:     "llama",
	types:    []string{"llama", "mistral", "qwen2", "ministral"},
	arches:   []string{"llama", "qwen2", "mistral3"},
	prefixes: []prefix{{"model.", ""}, {"language_model.model.", "language_model."}, {"model.language_model.", ""}},
	slots:    concat(common, twoNorms, softmaxAttention("qkv_bias", "attention_bias"), gatedMLP),
	blocks:   concat(commonGGUF, attentionGGUF, ffnNormGGUF, gatedMLPGGUF, routedExpertsGGUF),
}
