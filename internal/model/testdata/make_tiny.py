"""Makes the tiny checkpoints of this folder: one of each family, with random
weights from a fixed seed, and quantised copies.

    python make_tiny.py [--compressed | --modelopt | --gguf]

It needs torch, transformers 5.19 and compressed-tensors (all in the vLLM
environment that test/engine/install.sh makes, and gguf too), and
nvidia-modelopt 0.47 for what --modelopt makes. --gguf reads what a call without
flags has made. recorded.json keeps what transformers counts
as parameters, and which versions wrote what.

What no library here writes is put together by hand, by the layouts of
docs/inspect.md: multi-token prediction (transformers does not save it), gpt-oss
in MXFP4, DeepSeek's FP8 blocks, and Kimi's prefix and INT4.
"""

import json
import pathlib
import shutil
import sys

import torch
import transformers
from safetensors.torch import load_file, save_file
from transformers import AutoConfig

HERE = pathlib.Path(__file__).parent
SEED = 7

DENSE = dict(vocab_size=64, hidden_size=32, intermediate_size=32, num_hidden_layers=2, num_attention_heads=4,
             num_key_value_heads=2, head_dim=8, max_position_embeddings=256, bos_token_id=1, eos_token_id=2)
MOE = dict(num_experts=4, num_experts_per_tok=2, moe_intermediate_size=16)
GDN = dict(hidden_size=16, num_hidden_layers=4, linear_num_key_heads=2, linear_num_value_heads=4, linear_key_head_dim=8,
           linear_value_head_dim=8,
           linear_conv_kernel_dim=4)
MLA = dict(q_lora_rank=24, kv_lora_rank=16, qk_nope_head_dim=8, qk_rope_head_dim=8, v_head_dim=8, n_routed_experts=4,
           n_shared_experts=1, num_experts_per_tok=2, moe_intermediate_size=16, first_k_dense_replace=1, n_group=1,
           topk_group=1)


def without(d, *keys):
    return {k: v for k, v in d.items() if k not in keys}


def build(name, config, head_class):
    """Builds a model, saves it in bf16 and records what transformers counts."""
    torch.manual_seed(SEED)
    cls = getattr(transformers, head_class)
    model = cls(config).to(torch.bfloat16)
    with torch.no_grad():
        for p in model.parameters():
            p.normal_(0, 0.5)
    out = HERE / name
    shutil.rmtree(out, ignore_errors=True)
    model.save_pretrained(out)
    (out / "generation_config.json").unlink(missing_ok=True)
    buffers = sum(b.numel() for n, b in model.named_buffers() if n.endswith("e_score_correction_bias"))
    record[name] = {"class": head_class, "num_parameters": model.num_parameters(), "correction_biases": buffers,
                    "by": f"transformers {transformers.__version__}"}
    return model, out


def config(model_type, **kw):
    return AutoConfig.for_model(model_type, **kw)


def tensors(out):
    return load_file(out / "model.safetensors")


def rewrite(out, state, **more_config):
    save_file({k: v.contiguous() for k, v in state.items()}, out / "model.safetensors", metadata={"format": "pt"})
    if more_config:
        path = out / "config.json"
        c = json.loads(path.read_text())
        c.update(more_config)
        path.write_text(json.dumps(c, indent=2) + "\n")


def copy(name, new):
    shutil.rmtree(HERE / new, ignore_errors=True)
    shutil.copytree(HERE / name, HERE / new)
    record[new] = dict(record[name])
    return HERE / new


# Formats, written by hand.

E2M1 = torch.tensor([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def e2m1(x):
    """Codes of the nearest values; the sign is bit 3."""
    mag = (x.abs().unsqueeze(-1) - E2M1).abs().argmin(-1)
    return (mag + 8 * (x < 0)).to(torch.uint8)


def pack(codes):
    return codes[..., 0::2] | (codes[..., 1::2] << 4)


def mxfp4(w):
    """[..., in] -> blocks [..., in/32, 16], scales [..., in/32]"""
    b = w.float().unflatten(-1, (-1, 32))
    e = torch.floor(torch.log2(b.abs().amax(-1).clamp(min=1e-30))) - 2
    scale = (e + 127).clamp(0, 254)
    return pack(e2m1(b / torch.exp2(scale - 127).unsqueeze(-1))), scale.to(torch.uint8)


def nvfp4(w, amax=None):
    """[out, in] -> codes [out, in/2], scales [out, in/16] E4M3, scale_2"""
    scale2 = (w.float().abs().max() if amax is None else amax) / (6 * 448)
    b = w.float().unflatten(-1, (-1, 16))
    s = (b.abs().amax(-1) / 6 / scale2).clamp(2**-9, 448).to(torch.float8_e4m3fn)
    x = b / (s.float() * scale2).unsqueeze(-1)
    return pack(e2m1(x.clamp(-6, 6)).flatten(-2)), s, scale2


def fp8_block(w, size=128):
    """[out, in] -> F8_E4M3, scale_inv [ceil(out/128), ceil(in/128)]"""
    rows, cols = -(-w.shape[0] // size), -(-w.shape[1] // size)
    s = torch.empty(rows, cols)
    q = torch.empty(w.shape, dtype=torch.float8_e4m3fn)
    for i in range(rows):
        for j in range(cols):
            b = w[i * size:(i + 1) * size, j * size:(j + 1) * size].float()
            s[i, j] = b.abs().max() / 448
            q[i * size:(i + 1) * size, j * size:(j + 1) * size] = (b / s[i, j]).clamp(-448, 448).to(torch.float8_e4m3fn)
    return q, s


def int4(w, group=32):
    """[out, in] -> words [out, in/8], scales [out, in/group]"""
    b = w.float().unflatten(-1, (-1, group))
    s = b.abs().amax(-1) / 7
    q = (torch.round(b / s.unsqueeze(-1)).clamp(-8, 7) + 8).to(torch.int64).flatten(-2).unflatten(-1, (-1, 8))
    words = sum(q[..., i] << (4 * i) for i in range(8))
    words = torch.where(words >= 2**31, words - 2**32, words).to(torch.int32)
    return words, s.to(torch.bfloat16)


def split_experts(state):
    """Stacked experts -> one by one, as the quantised releases have them."""
    out = {}
    for k, v in state.items():
        if k.endswith("experts.gate_up_proj"):
            base = k.removesuffix("gate_up_proj")
            for e in range(v.shape[0]):
                gate, up = v[e].chunk(2)
                out[f"{base}{e}.gate_proj.weight"], out[f"{base}{e}.up_proj.weight"] = gate.clone(), up.clone()
        elif k.endswith("experts.down_proj"):
            for e in range(v.shape[0]):
                out[f"{k.removesuffix('down_proj')}{e}.down_proj.weight"] = v[e].clone()
        else:
            out[k] = v
    return out


def add_mtp(state, prefix, layer, hidden):
    """Qwen's MTP: one full-attention layer and what goes around it."""
    out = dict(state)
    g = torch.Generator().manual_seed(SEED)

    def new(*shape):
        return (torch.randn(*shape, generator=g) * 0.5).to(torch.bfloat16)

    start = f"{prefix}layers.{layer}."
    for k, v in state.items():
        if k.startswith(start):
            out["mtp.layers.0." + k.removeprefix(start)] = new(*v.shape)
    out["mtp.fc.weight"] = new(hidden, 2 * hidden)
    for n in ("mtp.norm.weight", "mtp.pre_fc_norm_embedding.weight", "mtp.pre_fc_norm_hidden.weight"):
        out[n] = new(hidden)
    return out


def is_expert(k):
    return ".mlp.experts." in k and k.endswith("_proj.weight")


# The checkpoints.


def families():
    build("llama", config("llama", **without(DENSE, "head_dim"), tie_word_embeddings=True), "LlamaForCausalLM")
    build("mistral", config("mistral", **DENSE, sliding_window=32), "MistralForCausalLM")
    build("qwen3", config("qwen3", **DENSE), "Qwen3ForCausalLM")
    build("qwen3_moe", config("qwen3_moe", **DENSE, **MOE, mlp_only_layers=[0]), "Qwen3MoeForCausalLM")
    build("qwen3_next", config("qwen3_next", **{**DENSE, **MOE, **GDN}, shared_expert_intermediate_size=16),
          "Qwen3NextForCausalLM")
    build("gemma3", config("gemma3_text", **without(DENSE, "num_hidden_layers"), num_hidden_layers=6,
                              sliding_window=32), "Gemma3ForCausalLM")
    build("gpt_oss", config("gpt_oss", **without(DENSE, "intermediate_size"), intermediate_size=32,
                               num_local_experts=4, num_experts_per_tok=2, sliding_window=32), "GptOssForCausalLM")
    build("deepseek_v3", config("deepseek_v3", **without(DENSE, "head_dim", "num_key_value_heads"),
                                   num_key_value_heads=4, **MLA), "DeepseekV3ForCausalLM")
    # Qwen3.5 as it is released: the vision wrapper, with MTP.
    vision = dict(depth=1, hidden_size=16, intermediate_size=16, num_heads=2, patch_size=4, out_hidden_size=16,
                  num_position_embeddings=16)
    _, out = build("qwen3_5", config("qwen3_5", text_config={**DENSE, **GDN}, vision_config=vision),
                   "Qwen3_5ForConditionalGeneration")
    rewrite(out, add_mtp(tensors(out), "model.language_model.", 3, 16))
    set_text(out, mtp_num_hidden_layers=1)
    text = {**without(DENSE, "intermediate_size"), **MOE, **GDN, "shared_expert_intermediate_size": 16}
    _, out = build("qwen3_5_moe", config("qwen3_5_moe", text_config=text, vision_config=vision),
                   "Qwen3_5MoeForConditionalGeneration")
    state = add_mtp(tensors(out), "model.language_model.", 3, 16)
    rewrite(out, state)
    set_text(out, mtp_num_hidden_layers=1)
    build("qwen3_5_moe_text", config("qwen3_5_moe_text", **text), "Qwen3_5MoeForCausalLM")


def set_text(out, **kw):
    path = out / "config.json"
    c = json.loads(path.read_text())
    c.get("text_config", c).update(kw)
    path.write_text(json.dumps(c, indent=2) + "\n")


IGNORE = ["lm_head", "model.language_model.embed_tokens", "model.language_model.layers.*.linear_attn*",
          "model.language_model.layers.*.self_attn*", "*mlp.gate", "*mlp.shared_expert*", "model.visual*",
          "mtp.layers.0*", "mtp.fc"]


def quantised():
    # NVIDIA's layout of Qwen3.5, with experts in NVFP4 and all else in BF16.
    out = copy("qwen3_5_moe", "qwen3_5_moe_nvfp4")
    state = {}
    for k, v in split_experts(tensors(out)).items():
        if not is_expert(k) or k.startswith("mtp."):
            state[k] = v
            continue
        base = k.removesuffix("weight")
        codes, scale, scale2 = nvfp4(v, amax=torch.tensor(4.0))  # gate and up share one scale
        state.update({base + "weight": codes, base + "weight_scale": scale, base + "weight_scale_2": scale2,
                      base + "input_scale": torch.tensor(0.01)})
    weights = {"num_bits": 4, "type": "float", "group_size": 16, "dynamic": False}
    rewrite(out, state, quantization_config={
        "quant_method": "modelopt", "quant_algo": "NVFP4", "ignore": IGNORE, "producer": {"name": "make_tiny.py"},
        "config_groups": {"group_0": {"weights": weights, "input_activations": weights, "targets": ["Linear"]}},
        "kv_cache_scheme": {"num_bits": 8, "type": "float", "dynamic": False}})
    (out / "hf_quant_config.json").write_text(json.dumps({
        "producer": {"name": "make_tiny.py"},
        "quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8", "group_size": 16,
                         "exclude_modules": IGNORE}}, indent=2) + "\n")
    record["qwen3_5_moe_nvfp4"]["by"] += " + make_tiny.py (ModelOpt's layout)"

    # gpt-oss as it is released.
    out = copy("gpt_oss", "gpt_oss_mxfp4")
    state = {}
    for k, v in tensors(out).items():
        if k.endswith(("experts.gate_up_proj", "experts.down_proj")):
            state[k + "_blocks"], state[k + "_scales"] = mxfp4(v.transpose(1, 2))
        else:
            state[k] = v
    rewrite(out, state, quantization_config={"quant_method": "mxfp4", "modules_to_not_convert": [
        "model.layers.*.self_attn", "model.layers.*.mlp.router", "model.embed_tokens", "lm_head"]})
    record["gpt_oss_mxfp4"]["by"] += " + make_tiny.py (OpenAI's layout)"

    # DeepSeek-V3 as it is released: FP8 blocks, MTP behind the last layer.
    out = copy("deepseek_v3", "deepseek_v3_fp8")
    state = {}
    src = split_experts(tensors(out))
    for k, v in src.items():
        if k.startswith("model.layers.1."):
            src = {**src, k.replace("layers.1.", "layers.2."): v * 0.5}
    for n in ("enorm", "hnorm", "shared_head.norm"):
        src[f"model.layers.2.{n}.weight"] = torch.ones(32, dtype=torch.bfloat16)
    src["model.layers.2.eh_proj.weight"] = torch.ones(32, 64, dtype=torch.bfloat16)
    src["model.layers.2.shared_head.head.weight"] = src["lm_head.weight"] * 0.5
    src["model.layers.2.embed_tokens.weight"] = src["model.embed_tokens.weight"] * 0.5
    for k, v in src.items():
        if k.endswith("_proj.weight") and "eh_proj" not in k or "kv_a_proj_with_mqa.weight" in k:
            state[k], state[k + "_scale_inv"] = fp8_block(v)
        else:
            state[k] = v
    rewrite(out, state, num_nextn_predict_layers=1, quantization_config={
        "quant_method": "fp8", "fmt": "e4m3", "activation_scheme": "dynamic", "weight_block_size": [128, 128]})
    record["deepseek_v3_fp8"]["by"] += " + make_tiny.py (DeepSeek's layout)"

    # Kimi-K2.5 as it is released: a wrapper's prefix, routed experts in INT4.
    out = copy("deepseek_v3", "kimi_k25_int4")
    record["kimi_k25_int4"]["class"] = "KimiK25ForConditionalGeneration"
    state = {}
    text = dict(**without(DENSE, "head_dim", "num_key_value_heads"), num_key_value_heads=4, **MLA)
    text["moe_intermediate_size"] = 32  # a whole group
    torch.manual_seed(SEED)
    model = transformers.DeepseekV3ForCausalLM(config("deepseek_v3", **text)).to(torch.bfloat16)
    record["kimi_k25_int4"]["num_parameters"] = model.num_parameters()
    model.save_pretrained(out)
    (out / "generation_config.json").unlink(missing_ok=True)
    for k, v in split_experts(tensors(out)).items():
        k = "language_model." + k
        if is_expert(k):
            words, scale = int4(v)
            state.update({k + "_packed": words, k + "_scale": scale, k + "_shape": torch.tensor(v.shape)})
        else:
            state[k] = v
    state["vision_tower.encoder.blocks.0.wqkv.weight"] = torch.ones(8, 8, dtype=torch.bfloat16)
    state["mm_projector.linear_1.weight"] = torch.ones(8, 8, dtype=torch.bfloat16)
    rewrite(out, state)
    path = out / "config.json"
    inner = json.loads(path.read_text())
    inner.update(model_type="kimi_k2", architectures=["DeepseekV3ForCausalLM"])
    inner["quantization_config"] = {
        "quant_method": "compressed-tensors", "format": "pack-quantized", "quantization_status": "compressed",
        "ignore": ["re:.*self_attn.*", "re:.*shared_experts.*", "re:.*mlp\\.(gate|up|gate_up|down)_proj.*",
                   "re:.*lm_head.*", "re:vision_tower.*", "re:mm_projector.*"],
        "config_groups": {"group_0": {"targets": ["Linear"], "weights": {
            "num_bits": 4, "type": "int", "strategy": "group", "group_size": 32, "symmetric": True, "dynamic": False}}}}
    path.write_text(json.dumps({"architectures": ["KimiK25ForConditionalGeneration"], "model_type": "kimi_k25",
                                "text_config": inner, "vision_config": {"hidden_size": 8}, "dtype": "bfloat16"},
                               indent=2) + "\n")
    record["kimi_k25_int4"]["by"] += " + make_tiny.py (Moonshot's layout)"


def compressed():
    """qwen3 in NVFP4 by compressed-tensors itself."""
    import compressed_tensors
    from compressed_tensors.compressors import ModelCompressor
    from compressed_tensors.quantization import QuantizationConfig, apply_quantization_config, preset_name_to_scheme
    from compressed_tensors.quantization.utils import calculate_qparams, generate_gparam

    torch.manual_seed(SEED)
    model = transformers.Qwen3ForCausalLM(config("qwen3", **DENSE)).to(torch.bfloat16)
    qc = QuantizationConfig(config_groups={"group_0": preset_name_to_scheme("NVFP4", ["Linear"])}, ignore=["lm_head"])
    apply_quantization_config(model, qc)
    for name, mod in model.named_modules():
        if getattr(mod, "quantization_scheme", None) is None or not hasattr(mod, "weight_scale"):
            continue
        w = mod.weight.data
        amax = w.abs().max()
        mod.weight_global_scale.data = generate_gparam(-amax, amax).reshape(mod.weight_global_scale.shape)
        blocks = w.unflatten(-1, (-1, 16))
        scale, _ = calculate_qparams(blocks.amin(-1), blocks.amax(-1), mod.quantization_scheme.weights,
                                     global_scale=mod.weight_global_scale.data)
        mod.weight_scale.data = scale.to(mod.weight_scale.dtype)
        mod.input_global_scale.data.fill_(100.0)
    out = HERE / "qwen3_nvfp4_ct"
    shutil.rmtree(out, ignore_errors=True)
    compressor = ModelCompressor.from_pretrained_model(model, quantization_format="nvfp4-pack-quantized")
    compressor.compress_model(model)
    model.save_pretrained(out)
    compressor.update_config(out)
    (out / "generation_config.json").unlink(missing_ok=True)
    record["qwen3_nvfp4_ct"] = {"class": "Qwen3ForCausalLM", "num_parameters": record["qwen3"]["num_parameters"],
                                "correction_biases": 0,
                                "by": f"transformers {transformers.__version__} + compressed-tensors {compressed_tensors.__version__}"}


def modelopt():
    """llama in NVFP4 with an FP8 KV cache, by NVIDIA's modelopt itself."""
    import modelopt
    import modelopt.torch.quantization as mtq
    from modelopt.torch.export import export_hf_checkpoint

    torch.manual_seed(SEED)
    model = transformers.LlamaForCausalLM(config("llama", **without(DENSE, "head_dim"))).to(torch.bfloat16)
    model.config.architectures = ["LlamaForCausalLM"]
    n = model.num_parameters()
    cfg = mtq.update_quant_cfg_with_kv_cache_quant(mtq.NVFP4_DEFAULT_CFG, mtq.FP8_KV_CFG["quant_cfg"])
    ids = torch.arange(3, 60)[None]
    mtq.quantize(model, cfg, forward_loop=lambda m: m(ids))
    out = HERE / "llama_nvfp4_modelopt"
    shutil.rmtree(out, ignore_errors=True)
    export_hf_checkpoint(model, export_dir=out)
    (out / "generation_config.json").unlink(missing_ok=True)
    record["llama_nvfp4_modelopt"] = {"class": "LlamaForCausalLM", "num_parameters": n, "correction_biases": 0,
                                      "by": f"transformers {transformers.__version__} + nvidia-modelopt {modelopt.__version__}"}


def gguf():
    """GGUFs of the families, with names and keys by the gguf package. The
    converter's transforms of values (permutations, 1 + w) are left out: nothing
    here computes with them."""
    import gguf as g

    def one(name, arch, layers, keys, prefix="model.", split=None):
        src = tensors(HERE / name)
        if split is None:
            src = split_experts(src)
        if layers == 1:  # of a model with a dense layer before it
            src = {k.replace("layers.1.", "layers.0."): v for k, v in src.items() if "layers.0." not in k}
        src = {k.replace("model.language_model.", "model."): v for k, v in src.items() if "visual" not in k and not k.startswith("mtp.")}
        model_arch = next(a for a, n in g.MODEL_ARCH_NAMES.items() if n == arch)
        names = g.get_tensor_name_map(model_arch, layers)
        out = HERE / "gguf" / f"{name}.gguf"
        out.parent.mkdir(exist_ok=True)
        w = g.GGUFWriter(out, arch)
        w.add_name(f"tiny {name}")
        w.add_tokenizer_model("gpt2")
        w.add_token_list(["!", '"'] + [f"t{i}" for i in range(62)])
        w.add_eos_token_id(2)
        w.add_vocab_size(64)
        keys = {"block_count": layers, "embedding_length": next(v.shape[1] for k, v in src.items() if k.endswith("embed_tokens.weight")), "context_length": 256, "head_count": 4, "head_count_kv": 2,
                "key_length": 8, "value_length": 8, "feed_forward_length": 32, "rope_freq_base": 10000.0} | keys
        for k, v in keys.items():
            getattr(w, "add_" + k)(v)
        stacks = {}
        done = []

        def put(name, v):
            w.add_tensor(name, v.float().numpy() if v.dim() == 1 else v.to(torch.float16).numpy())
            done.append(name)

        for k, v in src.items():
            if ".mlp.experts." in k and split is None:
                base, e, proj, _ = k.rsplit(".", 3)
                stacks.setdefault(f"{base}.{proj}", []).append(v)
                continue
            for k2, v2 in (split(k, v) if split else [(k, v)]):
                for k3, v3 in convert(arch, k2, v2):
                    new = names.get_name(k3, try_suffixes=(".weight", ".bias"))
                    assert new, k3
                    put(new, v3)
        for k, list_ in stacks.items():
            put(names.get_name(k) + ".weight", torch.stack(list_))
        assert len(done) == len(set(done)), done
        w.write_header_to_file()
        w.write_kv_data_to_file()
        w.write_tensors_to_file()
        w.close()

    def convert(arch, k, v):
        if k.endswith("conv1d.weight"):
            v = v.squeeze(1)
        if k.endswith(".dt_bias"):
            k = k.removesuffix(".dt_bias") + ".dt_proj.bias"
        if k.endswith("e_score_correction_bias"):
            k = k.removesuffix("_bias") + ".bias"
        if k.endswith("kv_b_proj.weight"):
            kv = v.unflatten(0, (4, 16))
            return [(k.replace("kv_b_proj", "k_b_proj"), kv[:, :8].transpose(1, 2)), (k.replace("kv_b_proj", "v_b_proj"), kv[:, 8:])]
        if arch == "qwen3next" and k.endswith("in_proj_qkvz.weight"):
            return [(k.replace("qkvz", "qkv"), v[:64]), (k.replace("qkvz", "z"), v[64:])]
        return [(k, v)]

    def gptoss(k, v):
        if k.endswith("gate_up_proj"):
            gate, up = v[..., 0::2].transpose(1, 2), v[..., 1::2].transpose(1, 2)
            return [(k.replace("gate_up_proj", "gate_proj.weight"), gate), (k.replace("gate_up_proj", "up_proj.weight"), up)]
        if k.endswith("gate_up_proj_bias"):
            return [(k.replace("gate_up_proj_bias", "gate_proj.bias"), v[..., 0::2]), (k.replace("gate_up_proj_bias", "up_proj.bias"), v[..., 1::2])]
        if k.endswith("experts.down_proj"):
            return [(k + ".weight", v.transpose(1, 2))]
        if k.endswith("down_proj_bias"):
            return [(k.replace("_bias", ".bias"), v)]
        if k.endswith("sinks"):
            return [(k + ".weight", v)]
        return [(k, v)]

    moe = {"expert_count": 4, "expert_used_count": 2, "expert_feed_forward_length": 16}
    ssm = {"ssm_conv_kernel": 4, "ssm_state_size": 8, "ssm_group_count": 2, "ssm_time_step_rank": 4, "ssm_inner_size": 32}
    shared = {"expert_shared_feed_forward_length": 16}
    one("qwen3", "qwen3", 2, {})
    one("qwen3_moe", "qwen3moe", 1, moe)
    one("qwen3_5", "qwen35", 4, ssm | {"full_attention_interval": 4})
    one("qwen3_5_moe", "qwen35moe", 4, moe | ssm | shared | {"full_attention_interval": 4})
    one("qwen3_next", "qwen3next", 4, moe | ssm | shared)
    one("gpt_oss", "gpt-oss", 2, moe | {"expert_feed_forward_length": 32, "sliding_window": 32}, split=gptoss)
    one("deepseek_v3", "deepseek2", 2, moe | {
        "leading_dense_block_count": 1, "expert_shared_count": 1, "q_lora_rank": 24, "kv_lora_rank": 16, "key_length": 24, "value_length": 16,
        "key_length_mla": 16, "value_length_mla": 8, "rope_dimension_count": 8, "head_count_kv": 1})


record_path = HERE / "recorded.json"
record = json.loads(record_path.read_text()) if record_path.exists() else {}
args = sys.argv[1:]
if "--modelopt" in args:
    modelopt()
elif "--compressed" in args:
    compressed()
elif "--gguf" in args:
    gguf()
else:
    families()
    quantised()
record_path.write_text(json.dumps(record, indent=2, sort_keys=True) + "\n")
