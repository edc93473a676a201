package model

// gpt-oss: sliding and full layers in turn, sinks, biases everywhere, all
// experts of a layer in one tensor, in MXFP4.
//
// Sources: transformers models/gpt_oss and integrations/mxfp4 (names and
// layout: _blocks and _scales have a row for each output; without quantisation
// the matrices are stored the other way round); llama.cpp
// conversion/gpt_oss.py for GGUF.
var gptOSS = family{
	name:     "gpt_oss",
	types:    []string{"gpt_oss"},
	arches:   []string{"gpt-oss"},
	prefixes: []prefix{{"model.", ""}},
	every:    Sliding, interval: 2,
	defaults: map[string]int64{"head_dim": 64, "num_local_experts": 128, "num_experts_per_tok": 4, "sliding_window": 128},
	slots: concat(common, twoNorms, softmaxAttention("yes", "yes"), []Slot{
		{Path: "layers.*.self_attn.sinks", Part: Attention, Kind: VectorKind, Split: Columns, shape: "N", bare: true},
		{Path: "layers.*.mlp.router", Part: Router, Kind: MatrixKind, shape: "E H", bias: "yes"},
		{Path: "layers.*.mlp.experts.gate_up_proj", Part: Experts, Split: ByExpert, shape: "E H 2M", stacked: true, bare: true, bias: "yes"},
		{Path: "layers.*.mlp.experts.down_proj", Part: Experts, Split: ByExpert, shape: "E M H", stacked: true, bare: true, bias: "yes"},
	}),
	blocks: concat(commonGGUF, attentionGGUF, routedExpertsGGUF, []Slot{
		{Path: "blk.*.post_attention_norm", Part: Norm, Kind: VectorKind, shape: "H"},
		{Path: "blk.*.attn_sinks", Part: Attention, Kind: VectorKind, Split: Columns, shape: "N"},
	}),
}
