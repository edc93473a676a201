package modeltest

import "fmt"

// Qwen397B writes a sparse checkpoint with the published configuration of
// Qwen3.5-397B-A17B, in the layout of NVIDIA's NVFP4 release: experts in NVFP4,
// all else in BF16, an FP8 KV cache asked for. It has 370,000 tensors.
func Qwen397B(dir string, shards int) error { return Qwen(dir, shards, 60) }

// Qwen is Qwen397B with another number of layers, of 6,159 tensors each.
func Qwen(dir string, shards, layers int) error {
	tensors := qwen397b(layers)
	return Write(dir, tensors, shards, map[string]any{
		"config.json":            qwen397bConfig(layers),
		"hf_quant_config.json":   map[string]any{"producer": producer(), "quantization": map[string]any{"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8", "group_size": 16, "exclude_modules": qwen397bIgnored()}},
		"generation_config.json": map[string]any{"eos_token_id": []int{248046, 248044}, "pad_token_id": 248044},
		"tokenizer_config.json":  map[string]any{"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>", "tokenizer_class": "Qwen2Tokenizer"}, //nolint:gosec // texts of tokens, no secrets
		"tokenizer.json": map[string]any{
			"model":        map[string]any{"type": "BPE", "vocab": map[string]int{"!": 0, "\"": 1, "#": 2}, "merges": []string{}},
			"added_tokens": []any{added(248044, "<|endoftext|>"), added(248045, "<|im_start|>"), added(248046, "<|im_end|>"), added(248058, "<tool_call>"), added(248068, "<think>"), added(248069, "</think>"), added(248076, "<|audio_pad|>")},
		},
		"chat_template.jinja": "{%- if tools %}<tools>{{ tools | tojson }}</tools> <tool_call>\n<function=name>\n<parameter=x>\n</tool_call>{% endif %}" +
			"{{ messages }}{%- if add_generation_prompt %}<|im_start|>assistant\n{%- if enable_thinking is defined and enable_thinking is false %}<think>\n\n</think>\n\n{%- else %}<think>\n{%- endif %}{%- endif %}",
	})
}

func producer() map[string]any { return map[string]any{"name": "modelopt", "version": "0.47.0"} }

func added(id int, text string) map[string]any {
	return map[string]any{"id": id, "content": text, "special": true}
}

func qwen397bIgnored() []string {
	return []string{"lm_head", "model.language_model.embed_tokens", "model.language_model.layers.*.linear_attn*", "model.language_model.layers.*.self_attn*",
		"model.language_model.layers.*.mlp.gate", "model.language_model.layers.*.mlp.shared_expert*", "model.visual*", "mtp*"}
}

func qwen397bConfig(layers int) map[string]any {
	var types []string
	for i := range layers {
		if (i+1)%4 == 0 {
			types = append(types, "full_attention")
		} else {
			types = append(types, "linear_attention")
		}
	}
	scheme := map[string]any{"num_bits": 4, "type": "float", "group_size": 16, "dynamic": false}
	return map[string]any{
		"architectures": []string{"Qwen3_5MoeForConditionalGeneration"}, "model_type": "qwen3_5_moe", "dtype": "bfloat16",
		"image_token_id": 248056, "tie_word_embeddings": false,
		"text_config": map[string]any{
			"model_type": "qwen3_5_moe_text", "vocab_size": 248320, "hidden_size": 4096, "num_hidden_layers": layers,
			"num_attention_heads": 32, "num_key_value_heads": 2, "head_dim": 256,
			"linear_num_key_heads": 16, "linear_num_value_heads": 64, "linear_key_head_dim": 128, "linear_value_head_dim": 128, "linear_conv_kernel_dim": 4,
			"num_experts": 512, "num_experts_per_tok": 10, "moe_intermediate_size": 1024, "shared_expert_intermediate_size": 1024,
			"max_position_embeddings": 262144, "rms_norm_eps": 1e-6, "full_attention_interval": 4, "layer_types": types,
			"mtp_num_hidden_layers": 1, "mamba_ssm_dtype": "float32", "attention_bias": false, "tie_word_embeddings": false, "dtype": "bfloat16",
			"rope_parameters": map[string]any{"rope_type": "default", "rope_theta": 10_000_000, "partial_rotary_factor": 0.25, "mrope_section": []int{11, 11, 10}, "mrope_interleaved": true},
			"eos_token_id":    248044,
		},
		"vision_config": map[string]any{"model_type": "qwen3_5_moe", "depth": 27, "hidden_size": 1152, "intermediate_size": 4304, "out_hidden_size": 4096},
		"quantization_config": map[string]any{
			"quant_method": "modelopt", "quant_algo": "NVFP4", "producer": producer(), "ignore": qwen397bIgnored(),
			"kv_cache_scheme": map[string]any{"num_bits": 8, "type": "float", "dynamic": false},
			"config_groups":   map[string]any{"group_0": map[string]any{"weights": scheme, "input_activations": scheme, "targets": []string{"Linear"}}},
		},
	}
}

// qwen397b lists the tensors, in the order of layers.
func qwen397b(layers int) (all []Tensor) {
	const hidden, vocab, experts, inner = 4096, 248320, 512, 1024
	add := func(name, dtype string, shape ...int64) { all = append(all, Tensor{name, dtype, shape}) }
	bf16 := func(name string, shape ...int64) { add(name, "BF16", shape...) }
	attention := func(p string) {
		bf16(p+"self_attn.q_proj.weight", 16384, hidden)
		bf16(p+"self_attn.k_proj.weight", 512, hidden)
		bf16(p+"self_attn.v_proj.weight", 512, hidden)
		bf16(p+"self_attn.o_proj.weight", hidden, 8192)
		bf16(p+"self_attn.q_norm.weight", 256)
		bf16(p+"self_attn.k_norm.weight", 256)
	}
	rest := func(p string) {
		bf16(p+"input_layernorm.weight", hidden)
		bf16(p+"post_attention_layernorm.weight", hidden)
		bf16(p+"mlp.gate.weight", experts, hidden)
		bf16(p+"mlp.shared_expert_gate.weight", 1, hidden)
		bf16(p+"mlp.shared_expert.gate_proj.weight", inner, hidden)
		bf16(p+"mlp.shared_expert.up_proj.weight", inner, hidden)
		bf16(p+"mlp.shared_expert.down_proj.weight", hidden, inner)
	}
	nvfp4 := func(name string, out, in int64) {
		add(name+".weight", "U8", out, in/2)
		add(name+".weight_scale", "F8_E4M3", out, in/16)
		add(name+".weight_scale_2", "F32")
		add(name+".input_scale", "F32")
	}
	const body = "model.language_model."
	bf16(body+"embed_tokens.weight", vocab, hidden)
	for l := range layers {
		p := fmt.Sprintf("%slayers.%d.", body, l)
		if (l+1)%4 == 0 {
			attention(p)
		} else {
			bf16(p+"linear_attn.in_proj_qkv.weight", 12288, hidden)
			bf16(p+"linear_attn.in_proj_z.weight", 8192, hidden)
			bf16(p+"linear_attn.in_proj_b.weight", 64, hidden)
			bf16(p+"linear_attn.in_proj_a.weight", 64, hidden)
			bf16(p+"linear_attn.conv1d.weight", 12288, 1, 4)
			add(p+"linear_attn.A_log", "F32", 64)
			bf16(p+"linear_attn.dt_bias", 64)
			bf16(p+"linear_attn.norm.weight", 128)
			bf16(p+"linear_attn.out_proj.weight", hidden, 8192)
		}
		rest(p)
		for e := range experts {
			x := fmt.Sprintf("%smlp.experts.%d.", p, e)
			nvfp4(x+"gate_proj", inner, hidden)
			nvfp4(x+"up_proj", inner, hidden)
			nvfp4(x+"down_proj", hidden, inner)
		}
	}
	bf16(body+"norm.weight", hidden)
	bf16("lm_head.weight", vocab, hidden)
	bf16("mtp.fc.weight", hidden, 2*hidden)
	for _, n := range []string{"norm", "pre_fc_norm_embedding", "pre_fc_norm_hidden"} {
		bf16("mtp."+n+".weight", hidden)
	}
	attention("mtp.layers.0.")
	rest("mtp.layers.0.")
	bf16("mtp.layers.0.mlp.experts.gate_up_proj", experts, 2*inner, hidden)
	bf16("mtp.layers.0.mlp.experts.down_proj", experts, hidden, inner)
	vision(bf16)
	return all
}

// vision adds a tower of the published size, by transformers' names.
func vision(bf16 func(string, ...int64)) {
	const v = "model.visual."
	bf16(v+"patch_embed.proj.weight", 1152, 3, 2, 16, 16)
	bf16(v+"patch_embed.proj.bias", 1152)
	bf16(v+"pos_embed.weight", 2304, 1152)
	for b := range 27 {
		p := fmt.Sprintf("%sblocks.%d.", v, b)
		for _, x := range []struct {
			name    string
			out, in int64
		}{{"attn.qkv", 3456, 1152}, {"attn.proj", 1152, 1152}, {"mlp.linear_fc1", 4304, 1152}, {"mlp.linear_fc2", 1152, 4304}} {
			bf16(p+x.name+".weight", x.out, x.in)
			bf16(p+x.name+".bias", x.out)
		}
		for _, n := range []string{"norm1", "norm2"} {
			bf16(p+n+".weight", 1152)
			bf16(p+n+".bias", 1152)
		}
	}
	bf16(v+"merger.norm.weight", 1152)
	bf16(v+"merger.linear_fc1.weight", 4608, 4608)
	bf16(v+"merger.linear_fc2.weight", 4096, 4608)
}
