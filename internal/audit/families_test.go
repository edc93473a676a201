package audit_test

import "fmt"

// Tiny checkpoints of families, after section 1, 2 and 5 of the layouts that
// docs/audit.md names. Sizes are small; six layers or more, so that there are
// siblings.

const (
	hidden, inter, vocab, layers = 64, 128, 160, 6
	heads, kvHeads, headDim      = 4, 2, 16
)

func baseConfig(architecture, typ string) map[string]any {
	return map[string]any{
		"architectures": []string{architecture}, "model_type": typ, "hidden_size": hidden, "intermediate_size": inter,
		"vocab_size": vocab, "num_hidden_layers": layers, "num_attention_heads": heads, "num_key_value_heads": kvHeads,
		"head_dim": headDim, "max_position_embeddings": 2048, "rms_norm_eps": 1e-6, "rope_theta": 10000.0,
		"tie_word_embeddings": false, "torch_dtype": "bfloat16",
	}
}

// frame adds embedding (whose last rows belong to no token), final norm, head.
func (c *tiny) frame(prefix string) {
	c.bf16(prefix+"embed_tokens.weight", vocab, hidden)
	e := c.at(prefix + "embed_tokens.weight")
	clear(e.data[150*hidden*2:])
	c.fill(prefix+"norm.weight", 1, hidden)
	c.bf16("lm_head.weight", vocab, hidden)
}

// llama is dense, BF16, in two shards.
func llama() *tiny {
	c := &tiny{config: baseConfig("LlamaForCausalLM", "llama"), shards: 2, sides: map[string][]byte{"tokenizer.json": tokenizer(150)}}
	c.frame("model.")
	for l := range layers {
		c.llamaLayer(fmt.Sprintf("model.layers.%d.", l), (*tiny).plain)
	}
	return c
}

func (c *tiny) plain(module string, out, in int64) { c.bf16(module+".weight", out, in) }

// llamaLayer adds a layer whose linear modules are stored by put.
func (c *tiny) llamaLayer(p string, put func(c *tiny, module string, out, in int64)) {
	c.fill(p+"input_layernorm.weight", 1, hidden)
	c.fill(p+"post_attention_layernorm.weight", 1, hidden)
	put(c, p+"self_attn.q_proj", heads*headDim, hidden)
	put(c, p+"self_attn.k_proj", kvHeads*headDim, hidden)
	put(c, p+"self_attn.v_proj", kvHeads*headDim, hidden)
	put(c, p+"self_attn.o_proj", hidden, heads*headDim)
	put(c, p+"mlp.gate_proj", inter, hidden)
	put(c, p+"mlp.up_proj", inter, hidden)
	put(c, p+"mlp.down_proj", hidden, inter)
}

// llamaQuantised is llama with its linear modules stored by put.
func llamaQuantised(quantization map[string]any, put func(c *tiny, module string, out, in int64)) *tiny {
	c := &tiny{config: baseConfig("LlamaForCausalLM", "llama"), shards: 2}
	c.config["quantization_config"] = quantization
	c.frame("model.")
	for l := range layers {
		c.llamaLayer(fmt.Sprintf("model.layers.%d.", l), put)
	}
	return c
}

func llamaCompressed() *tiny {
	return llamaQuantised(map[string]any{
		"quant_method": "compressed-tensors", "format": "nvfp4-pack-quantized", "ignore": []string{"lm_head"}, "quantization_status": "compressed",
		"config_groups": map[string]any{"group_0": map[string]any{
			"targets":           []string{"Linear"},
			"weights":           map[string]any{"num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16, "symmetric": true, "dynamic": false},
			"input_activations": map[string]any{"num_bits": 4, "type": "float", "strategy": "tensor_group", "group_size": 16, "symmetric": true, "dynamic": "local"},
		}},
	}, (*tiny).nvfp4Compressed)
}

func llamaFP8() *tiny {
	return llamaQuantised(map[string]any{"quant_method": "modelopt", "quant_algo": "FP8", "ignore": []string{"lm_head"}},
		func(c *tiny, m string, out, in int64) { c.fp8(m, out, in, false) })
}

func llamaFP8Block() *tiny {
	return llamaQuantised(map[string]any{"quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic", "weight_block_size": []int{128, 128}},
		func(c *tiny, m string, out, in int64) { c.fp8(m, out, in, true) })
}

func llamaINT4() *tiny {
	return llamaQuantised(map[string]any{
		"quant_method": "compressed-tensors", "format": "pack-quantized", "ignore": []string{"lm_head"},
		"config_groups": map[string]any{"group_0": map[string]any{
			"targets": []string{"Linear"},
			"weights": map[string]any{"num_bits": 4, "type": "int", "strategy": "group", "group_size": 32, "symmetric": true, "dynamic": false},
		}},
	}, func(c *tiny, m string, out, in int64) { c.int4(m, out, in, 32) })
}

// qwen2 has biases of q, k and v, which are zero here, and its head is tied.
func qwen2() *tiny {
	c := &tiny{config: baseConfig("Qwen2ForCausalLM", "qwen2"), shards: 1}
	c.config["tie_word_embeddings"] = true
	c.frame("model.")
	c.dropName("lm_head.weight")
	for l := range layers {
		p := fmt.Sprintf("model.layers.%d.", l)
		c.llamaLayer(p, (*tiny).plain)
		c.fill(p+"self_attn.q_proj.bias", 0, heads*headDim)
		c.fill(p+"self_attn.k_proj.bias", 0, kvHeads*headDim)
		c.fill(p+"self_attn.v_proj.bias", 0, kvHeads*headDim)
	}
	return c
}

// qwen35 is hybrid with experts, as NVIDIA's NVFP4 release of it: layers 3 and
// 7 have attention, others gated DeltaNet; one MTP layer; zero-centred norms
// that are zero here.
func qwen35() *tiny {
	const experts, n = 4, 8
	text := baseConfig("", "qwen3_5_moe_text")
	delete(text, "architectures")
	delete(text, "intermediate_size")
	for k, v := range map[string]any{
		"num_hidden_layers": n, "num_experts": experts, "num_experts_per_tok": 2, "moe_intermediate_size": inter, "shared_expert_intermediate_size": inter,
		"full_attention_interval": 4, "linear_num_key_heads": 2, "linear_num_value_heads": 4, "linear_key_head_dim": 16,
		"linear_value_head_dim": 16, "linear_conv_kernel_dim": 4, "mtp_num_hidden_layers": 1,
	} {
		text[k] = v
	}
	delete(text, "rope_theta")
	text["rope_parameters"] = map[string]any{"rope_type": "default", "rope_theta": 1e7, "partial_rotary_factor": 0.25, "mrope_section": []int{1, 1, 0}}
	ignore := []string{"lm_head", "model.language_model.embed_tokens", "mtp.layers.0*", "*.mlp.shared_expert.*", "*.mlp.gate", "*.mlp.shared_expert_gate"}
	for l := range n {
		ignore = append(ignore, fmt.Sprintf("model.language_model.layers.%d.linear_attn*", l), fmt.Sprintf("model.language_model.layers.%d.self_attn*", l))
	}
	c := &tiny{shards: 3, config: map[string]any{
		"architectures": []string{"Qwen3_5MoeForConditionalGeneration"}, "model_type": "qwen3_5_moe", "text_config": text, "tie_word_embeddings": false,
		"quantization_config": map[string]any{
			"quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": ignore,
			"config_groups": map[string]any{"group_0": map[string]any{"targets": []string{"Linear"}, "weights": map[string]any{"num_bits": 4, "type": "float", "group_size": 16}, "input_activations": map[string]any{"num_bits": 4, "type": "float", "group_size": 16}}},
		},
	}}
	const root = "model.language_model."
	c.frame(root)
	clear(c.at(root + "norm.weight").data)
	for l := range n {
		c.qwen35Layer(fmt.Sprintf("%slayers.%d.", root, l), (l+1)%4 == 0, experts, (*tiny).nvfp4)
	}
	c.bf16("mtp.fc.weight", hidden, 2*hidden)
	for _, norm := range []string{"pre_fc_norm_embedding", "pre_fc_norm_hidden", "norm"} {
		c.fill("mtp."+norm+".weight", 0, hidden)
	}
	c.qwen35Layer("mtp.layers.0.", true, experts, (*tiny).plain)
	return c
}

func (c *tiny) qwen35Layer(p string, full bool, experts int, put func(c *tiny, module string, out, in int64)) {
	c.fill(p+"input_layernorm.weight", 0, hidden)
	c.fill(p+"post_attention_layernorm.weight", 0, hidden)
	if full {
		c.bf16(p+"self_attn.q_proj.weight", 2*heads*headDim, hidden)
		c.bf16(p+"self_attn.k_proj.weight", kvHeads*headDim, hidden)
		c.bf16(p+"self_attn.v_proj.weight", kvHeads*headDim, hidden)
		c.bf16(p+"self_attn.o_proj.weight", hidden, heads*headDim)
		c.fill(p+"self_attn.q_norm.weight", 0, headDim)
		c.fill(p+"self_attn.k_norm.weight", 0, headDim)
	} else {
		const kd, vd, hv = 32, 64, 4
		c.bf16(p+"linear_attn.in_proj_qkv.weight", 2*kd+vd, hidden)
		c.bf16(p+"linear_attn.in_proj_z.weight", vd, hidden)
		c.bf16(p+"linear_attn.in_proj_b.weight", hv, hidden)
		c.bf16(p+"linear_attn.in_proj_a.weight", hv, hidden)
		c.bf16(p+"linear_attn.conv1d.weight", 2*kd+vd, 1, 4)
		c.bf16(p+"linear_attn.A_log", hv)
		c.fill(p+"linear_attn.dt_bias", 1, hv)
		c.fill(p+"linear_attn.norm.weight", 1, 16)
		c.bf16(p+"linear_attn.out_proj.weight", hidden, vd)
	}
	c.bf16(p+"mlp.gate.weight", int64(experts), hidden)
	c.fill(p+"mlp.shared_expert_gate.weight", 0, 1, hidden)
	for e := range experts {
		q := fmt.Sprintf("%smlp.experts.%d.", p, e)
		put(c, q+"gate_proj", inter, hidden)
		put(c, q+"up_proj", inter, hidden)
		put(c, q+"down_proj", hidden, inter)
	}
	c.bf16(p+"mlp.shared_expert.gate_proj.weight", inter, hidden)
	c.bf16(p+"mlp.shared_expert.up_proj.weight", inter, hidden)
	c.bf16(p+"mlp.shared_expert.down_proj.weight", hidden, inter)
}

// gptOSS has all experts of a layer in one tensor, in MXFP4.
func gptOSS() *tiny {
	const experts = 4
	c := &tiny{config: baseConfig("GptOssForCausalLM", "gpt_oss"), shards: 1}
	for k, v := range map[string]any{
		"num_local_experts": experts, "num_experts_per_tok": 2, "intermediate_size": inter, "sliding_window": 8, "attention_bias": true,
		"quantization_config": map[string]any{"quant_method": "mxfp4", "modules_to_not_convert": []string{"model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"}},
	} {
		c.config[k] = v
	}
	c.frame("model.")
	for l := range layers {
		p := fmt.Sprintf("model.layers.%d.", l)
		c.fill(p+"input_layernorm.weight", 1, hidden)
		c.fill(p+"post_attention_layernorm.weight", 1, hidden)
		for _, m := range []struct {
			name    string
			out, in int64
		}{{"q_proj", heads * headDim, hidden}, {"k_proj", kvHeads * headDim, hidden}, {"v_proj", kvHeads * headDim, hidden}, {"o_proj", hidden, heads * headDim}} {
			c.bf16(p+"self_attn."+m.name+".weight", m.out, m.in)
			c.bf16(p+"self_attn."+m.name+".bias", m.out)
		}
		c.bf16(p+"self_attn.sinks", heads)
		c.bf16(p+"mlp.router.weight", experts, hidden)
		c.bf16(p+"mlp.router.bias", experts)
		c.mxfp4(p+"mlp.experts.gate_up_proj", experts, 2*inter, hidden)
		c.fill(p+"mlp.experts.gate_up_proj_bias", 0, experts, 2*inter)
		c.mxfp4(p+"mlp.experts.down_proj", experts, hidden, inter)
		c.fill(p+"mlp.experts.down_proj_bias", 0, experts, hidden)
	}
	return c
}

// unknown is of an architecture that kilter does not know.
func unknown() *tiny {
	c := llamaCompressed()
	c.config["architectures"], c.config["model_type"] = []string{"NovelForCausalLM"}, "novel"
	return c
}

func families() map[string]func() *tiny {
	return map[string]func() *tiny{
		"llama BF16": llama, "llama NVFP4 compressed-tensors": llamaCompressed, "llama FP8": llamaFP8, "llama FP8 block": llamaFP8Block,
		"llama INT4": llamaINT4, "qwen2 tied, zero biases": qwen2, "qwen3.5 NVFP4": qwen35, "gpt-oss MXFP4": gptOSS, "unknown NVFP4": unknown,
	}
}
