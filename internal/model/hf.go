package model

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"kilter/internal/checkpoint"
)

// Bounds of what a configuration may say. They are far above any model's, and
// keep products of three of them within 64 bits.
const (
	maxLayers = 4096
	maxDim    = 1 << 21 // hidden, intermediate, vocabulary, head sizes
	maxVocab  = 1 << 24
	maxHeads  = 1 << 16
	maxExpert = 1 << 16
	maxTokens = 1 << 40
)

// nameOf is what people call the checkpoint.
func nameOf(c *checkpoint.Checkpoint) string {
	if c.Hub != nil && c.Hub.Repo != "" {
		return c.Hub.Repo
	}
	if c.Layout == checkpoint.OneFile {
		return path.Base(c.Path)
	}
	if base := path.Base(path.Clean(c.Root)); base != "." && base != "/" && base != ".." {
		return base
	}
	return c.Path
}

// textConfigs are the keys under which wrappers keep the text model's
// configuration.
var textConfigs = []string{"text_config", "language_config", "llm_config"}

// readConfig fills architecture, sizes and layers from config.json.
func (m *Model) readConfig() {
	side, ok := m.cp.Sides["config.json"]
	if !ok || side.Data == nil {
		m.note("there is no config.json beside the tensors: sizes, layers and claims are not known")
		return
	}
	root, ok := parseObject("config.json", side.Data, m.note)
	if !ok {
		return
	}
	m.root, m.conf = root, root
	for _, key := range textConfigs {
		if t, ok := root.object(key); ok {
			m.conf = t
			break
		}
	}
	if list := root.strings("architectures", 16); len(list) > 0 {
		m.Architecture = list[0]
	} else if list := m.conf.strings("architectures", 16); len(list) > 0 {
		m.Architecture = list[0]
	}
	m.Type, _ = root.str("model_type")
	if m.Type == "" {
		m.Type, _ = m.conf.str("model_type")
	}
	f := m.familyOfConfig()
	m.readSizes(f)
	m.readLayers(f)
}

// familyOfConfig finds the family by model_type: the text model's own, the
// wrapper's, or what the architecture's name says.
func (m *Model) familyOfConfig() *family {
	inner, _ := m.conf.str("model_type")
	for _, typ := range []string{inner, m.Type} {
		for i := range families {
			if slices.Contains(families[i].types, strings.TrimSuffix(typ, "_text")) {
				m.Family = families[i].name
				return &families[i]
			}
		}
	}
	switch {
	case m.Type == "" && inner == "" && m.Architecture == "":
		m.note("config.json names no architecture and no model_type: only the generic part is told")
	default:
		m.note(fmt.Sprintf("kilter does not know the architecture %q (model_type %q): only the generic part is told, and no name of a tensor is judged", m.Architecture, m.Type))
	}
	return &unknownFamily
}

// readSizes reads the dimensions. Keys that are missing get the default of the
// family's configuration class in transformers.
func (m *Model) readSizes(f *family) {
	c, s := m.conf, &m.Sizes
	get := func(most int64, keys ...string) int64 {
		for _, k := range keys {
			if n, ok := c.int(k, most); ok {
				return n
			}
		}
		for _, k := range keys {
			if n, ok := f.defaults[k]; ok {
				return n
			}
		}
		return 0
	}
	s.Vocab = get(maxVocab, "vocab_size")
	s.Hidden = get(maxDim, "hidden_size", "n_embd", "d_model")
	s.Layers = get(maxLayers, "num_hidden_layers", "n_layer", "num_layers")
	s.Heads = get(maxHeads, "num_attention_heads", "n_head")
	s.KVHeads = get(maxHeads, "num_key_value_heads")
	if s.KVHeads == 0 {
		s.KVHeads = s.Heads
	}
	s.HeadDim = get(maxDim, "head_dim")
	if s.HeadDim == 0 && s.Heads > 0 {
		s.HeadDim = s.Hidden / s.Heads
	}
	s.Intermediate = get(maxDim, "intermediate_size", "n_inner")
	s.Context = get(maxTokens, "max_position_embeddings", "n_positions", "model_max_length")
	s.Experts = get(maxExpert, "num_experts", "n_routed_experts", "num_local_experts")
	if s.Experts > 0 {
		s.ActiveExperts = get(maxExpert, "num_experts_per_tok", "experts_per_token", "num_experts_per_token")
		s.ExpertIntermediate = get(maxDim, "moe_intermediate_size", "expert_intermediate_size")
		if s.ExpertIntermediate == 0 {
			s.ExpertIntermediate = s.Intermediate
		}
		s.SharedExperts = get(maxExpert, "n_shared_experts", "num_shared_experts")
		s.SharedIntermediate = get(maxDim, "shared_expert_intermediate_size")
		switch {
		case s.SharedIntermediate > 0 && s.SharedExperts == 0:
			s.SharedExperts = 1
		case s.SharedIntermediate == 0:
			s.SharedIntermediate = s.SharedExperts * s.ExpertIntermediate
		}
	}
	s.MTPLayers = get(maxLayers, "mtp_num_hidden_layers", "num_nextn_predict_layers", "num_mtp_layers")
	s.Vision = m.root.has("vision_config")
	s.Tied = m.isTied(f)
	for _, o := range []object{c, m.root} {
		for _, key := range []string{"dtype", "torch_dtype"} {
			if s.DType == "" {
				s.DType, _ = o.str(key)
			}
		}
	}
	m.readRope()
	if f.linear {
		s.Linear = &LinearAttention{
			KeyHeads: get(maxHeads, "linear_num_key_heads"), ValueHeads: get(maxHeads, "linear_num_value_heads"),
			KeyDim: get(maxDim, "linear_key_head_dim"), ValueDim: get(maxDim, "linear_value_head_dim"),
			Conv: get(maxHeads, "linear_conv_kernel_dim"), StateDType: "float32",
		}
		if d, ok := c.str("mamba_ssm_dtype"); ok {
			s.Linear.StateDType = d
		}
	}
	if f.latent {
		s.Latent = &LatentAttention{
			QRank: get(maxDim, "q_lora_rank"), KVRank: get(maxDim, "kv_lora_rank"),
			NopeDim: get(maxDim, "qk_nope_head_dim"), RopeDim: get(maxDim, "qk_rope_head_dim"), ValueDim: get(maxDim, "v_head_dim"),
		}
		if v, there := c.fields["q_lora_rank"]; there && v == nil {
			s.Latent.QRank = 0 // null: queries are not compressed
		}
		s.HeadDim = s.Latent.NopeDim + s.Latent.RopeDim
		s.KVHeads = s.Heads
	}
}

// isTied reads tie_word_embeddings, which stands in the text configuration,
// around it, or in both. Where these disagree, a stored head decides.
func (m *Model) isTied(f *family) bool {
	yes, no := false, false
	for _, o := range []object{m.root, m.conf} {
		if tied, ok := o.bool("tie_word_embeddings"); ok {
			yes, no = yes || tied, no || !tied
		}
	}
	switch {
	case !yes && !no:
		return f.tied
	case yes && no:
		for _, p := range f.prefixes {
			if _, stored := m.cp.Tensors.Lookup(p.head + "lm_head.weight"); stored {
				return false
			}
		}
	}
	return yes
}

// readRope reads rope_parameters (transformers 5), or rope_theta with
// rope_scaling. Gemma3's are nested by kind of layer.
func (m *Model) readRope() {
	c, r := m.conf, &m.Sizes.Rope
	p, ok := c.object("rope_parameters")
	if full, nested := p.object("full_attention"); ok && nested {
		if local, ok := p.object("sliding_attention"); ok {
			r.LocalTheta, _ = local.float("rope_theta")
		}
		p = full
	}
	r.Theta, _ = p.float("rope_theta")
	if r.Theta == 0 {
		r.Theta, _ = c.float("rope_theta")
	}
	if local, ok := c.float("rope_local_base_freq"); ok {
		r.LocalTheta = local
	}
	r.Partial, _ = p.float("partial_rotary_factor")
	if r.Partial == 0 {
		r.Partial, _ = c.float("partial_rotary_factor")
	}
	if !ok {
		p, _ = c.object("rope_scaling")
	}
	if r.Type, ok = p.str("rope_type"); !ok {
		r.Type, _ = p.str("type")
	}
	r.Factor, _ = p.float("factor")
	r.Original, _ = p.int("original_max_position_embeddings", maxTokens)
}

// readLayers says of each layer how it mixes and whether it has experts.
func (m *Model) readLayers(f *family) {
	c, s := m.conf, &m.Sizes
	window, _ := c.int("sliding_window", maxTokens)
	if use, ok := c.bool("use_sliding_window"); ok && !use {
		window = 0
	}
	types := c.strings("layer_types", maxLayers)
	if len(types) > 0 && int64(len(types)) != s.Layers {
		m.differ(Difference{Kind: DifferLayers, Where: "layer_types", Config: fmt.Sprintf("num_hidden_layers is %d", s.Layers),
			Stored: fmt.Sprintf("layer_types has %d entries", len(types)), Count: 1})
	}
	interval := c.first(maxLayers, "full_attention_interval", "sliding_window_pattern", "_sliding_window_pattern")
	if interval == 0 {
		interval = f.interval
	}
	step := max(1, c.first(maxLayers, "decoder_sparse_step", "moe_layer_freq"))
	dense := c.first(maxLayers, "first_k_dense_replace")
	only := c.ints("mlp_only_layers", maxLayers)
	m.Layers = make([]Layer, s.Layers)
	for i := range m.Layers {
		l := &m.Layers[i]
		l.Mixer = Full
		switch {
		case i < len(types):
			l.Mixer = m.mixerOf(types[i])
		case f.every != "" && interval > 0:
			if (int64(i)+1)%interval != 0 {
				l.Mixer = f.every
			}
		case f.every == "" && window > 0:
			l.Mixer = Sliding // Mistral: all layers
		}
		if l.Mixer == Sliding {
			if window == 0 {
				l.Mixer = Full
			}
			s.Window = window
		}
		switch f.experts {
		case bySteps:
			l.MoE = s.Experts > 0 && (int64(i)+1)%step == 0 && !slices.Contains(only, int64(i))
		case afterDense:
			l.MoE = s.Experts > 0 && int64(i) >= dense && int64(i)%step == 0
		default:
			l.MoE = s.Experts > 0
		}
	}
}

// mixerOf reads an entry of layer_types.
func (m *Model) mixerOf(typ string) Mixer {
	switch typ {
	case "full_attention", "global":
		return Full
	case "sliding_attention", "local", "chunked_attention":
		return Sliding
	case "linear_attention":
		return Linear
	}
	m.note(fmt.Sprintf("config.json: layer_types has %q, which kilter takes for full attention", typ))
	return Full
}

// differ adds a difference.
func (m *Model) differ(d Difference) {
	const most = 200
	if len(m.Differences) < most {
		m.Differences = append(m.Differences, d)
	}
}
