package model

import (
	"fmt"
	"slices"
	"strings"

	"kilter/internal/checkpoint/gguf"
)

// metadata reads the keys of a GGUF: those of its architecture are below its
// name, "qwen35moe.block_count".
type metadata struct {
	h    *gguf.Header
	arch string
	note func(string)
}

func (d metadata) value(key string) (gguf.Value, bool) {
	if v, ok := d.h.Get(d.arch + "." + key); ok {
		return v, true
	}
	return gguf.Value{}, false
}

// int returns a whole number from 0 to most; of a list, the largest.
func (d metadata) int(key string, most int64) int64 {
	v, ok := d.value(key)
	if !ok {
		return 0
	}
	n := int64(-1)
	if v.Type == gguf.Array && v.Elem != gguf.Array && v.Elem != gguf.String {
		for i := range min(v.Len(), maxLayers) {
			x, whole := v.At(i).Int()
			if !whole {
				n = -1
				break
			}
			n = max(n, x)
		}
	} else if x, whole := v.Int(); whole {
		n = x
	}
	if n < 0 || n > most {
		d.note(fmt.Sprintf("the key %s.%s is no whole number from 0 to %d", d.arch, key, most))
		return 0
	}
	return n
}

func (d metadata) float(key string) float64 {
	v, ok := d.value(key)
	if !ok {
		return 0
	}
	f, ok := v.Float()
	if !ok {
		d.note(fmt.Sprintf("the key %s.%s is no number", d.arch, key))
	}
	return f
}

func (d metadata) str(key string) string {
	v, ok := d.h.Get(key)
	if !ok {
		return ""
	}
	s, ok := v.Str()
	if !ok {
		d.note(fmt.Sprintf("the key %s is no string", key))
	}
	return s
}

// readMetadata fills architecture, sizes and layers from a GGUF's keys.
func (m *Model) readMetadata() {
	h := m.cp.Metadata()
	if h == nil {
		m.note("the GGUF's first part, which has the metadata, can't be read")
		return
	}
	arch := h.Architecture()
	m.Architecture = arch
	d := metadata{h, arch, m.note}
	if name := d.str("general.name"); name != "" {
		m.Name = name
	}
	f := &unknownFamily
	for i := range families {
		if slices.Contains(families[i].arches, arch) {
			f = &families[i]
			m.Family = f.name
		}
	}
	if m.Family == "" {
		m.note(fmt.Sprintf("kilter does not know the architecture %q: only the generic part is told, and no name of a tensor is judged", arch))
	}
	m.readGGUFSizes(d, f)
	m.readGGUFLayers(d, f)
}

func (m *Model) readGGUFSizes(d metadata, f *family) {
	s := &m.Sizes
	s.Vocab = d.int("vocab_size", maxVocab)
	if tokens, ok := d.h.Get("tokenizer.ggml.tokens"); ok && s.Vocab == 0 {
		s.Vocab = int64(tokens.Len())
	}
	s.Hidden = d.int("embedding_length", maxDim)
	s.MTPLayers = d.int("nextn_predict_layers", maxLayers)
	s.Layers = max(0, d.int("block_count", maxLayers)-s.MTPLayers)
	s.Heads = d.int("attention.head_count", maxHeads)
	if s.KVHeads = d.int("attention.head_count_kv", maxHeads); s.KVHeads == 0 {
		s.KVHeads = s.Heads
	}
	if s.HeadDim = d.int("attention.key_length", maxDim); s.HeadDim == 0 && s.Heads > 0 {
		s.HeadDim = s.Hidden / s.Heads
	}
	s.Intermediate = d.int("feed_forward_length", maxDim)
	s.Context = d.int("context_length", maxTokens)
	if s.Experts = d.int("expert_count", maxExpert); s.Experts > 0 {
		s.ActiveExperts = d.int("expert_used_count", maxExpert)
		if s.ExpertIntermediate = d.int("expert_feed_forward_length", maxDim); s.ExpertIntermediate == 0 {
			s.ExpertIntermediate = s.Intermediate
		}
		s.SharedExperts = d.int("expert_shared_count", maxExpert)
		s.SharedIntermediate = d.int("expert_shared_feed_forward_length", maxDim)
		if s.SharedIntermediate == 0 {
			s.SharedIntermediate = s.SharedExperts * s.ExpertIntermediate
		} else {
			s.SharedExperts = max(1, s.SharedExperts)
		}
	}
	_, head := m.cp.Tensors.Lookup("output.weight")
	s.Tied = !head
	s.Rope = Rope{Theta: d.float("rope.freq_base"), LocalTheta: d.float("rope.freq_base_swa"), Factor: d.float("rope.scaling.factor"),
		Original: d.int("rope.scaling.original_context_length", maxTokens), Type: d.str(d.arch + ".rope.scaling.type")}
	if n := d.int("rope.dimension_count", maxDim); n > 0 && n < s.HeadDim && !f.latent {
		s.Rope.Partial = float64(n) / float64(s.HeadDim)
	}
	if f.linear {
		l := &LinearAttention{KeyHeads: d.int("ssm.group_count", maxHeads), ValueHeads: d.int("ssm.time_step_rank", maxHeads),
			KeyDim: d.int("ssm.state_size", maxDim), Conv: d.int("ssm.conv_kernel", maxHeads), StateDType: "float32"}
		if inner := d.int("ssm.inner_size", maxDim); l.ValueHeads > 0 {
			l.ValueDim = inner / l.ValueHeads
		}
		s.Linear = l
	}
	if f.latent {
		rope := d.int("rope.dimension_count", maxDim)
		a := &LatentAttention{QRank: d.int("attention.q_lora_rank", maxDim), KVRank: d.int("attention.kv_lora_rank", maxDim), RopeDim: rope}
		key := d.int("attention.key_length_mla", maxDim)
		if a.ValueDim = d.int("attention.value_length_mla", maxDim); key == 0 {
			key, a.ValueDim = d.int("attention.key_length", maxDim), d.int("attention.value_length", maxDim)
		}
		a.NopeDim = max(0, key-rope)
		s.Latent = a
		s.HeadDim, s.KVHeads = key, s.Heads
	}
}

func (m *Model) readGGUFLayers(d metadata, f *family) {
	s := &m.Sizes
	window := d.int("attention.sliding_window", maxTokens)
	interval := d.int("full_attention_interval", maxLayers)
	if interval == 0 {
		interval = f.interval
	}
	perLayer, _ := d.value("attention.sliding_window_pattern")
	dense := d.int("leading_dense_block_count", maxLayers)
	m.Layers = make([]Layer, s.Layers)
	for i := range m.Layers {
		l := &m.Layers[i]
		l.Mixer = Full
		switch {
		case perLayer.Type == gguf.Array && perLayer.Elem == gguf.Boolean && i < perLayer.Len():
			if sliding, _ := perLayer.At(i).Bool(); sliding {
				l.Mixer = Sliding
			}
		case f.every != "" && interval > 0 && (int64(i)+1)%interval != 0:
			l.Mixer = f.every
		case f.every == "" && window > 0:
			l.Mixer = Sliding
		}
		if l.Mixer == Sliding {
			if window == 0 {
				l.Mixer = Full
			}
			s.Window = window
		}
		l.MoE = s.Experts > 0 && int64(i) >= dense
	}
}

// readGGUFTokenizer takes token 0, the special tokens and the template from
// the metadata.
func (m *Model) readGGUFTokenizer() {
	h := m.cp.Metadata()
	if h == nil {
		return
	}
	d := metadata{h: h, note: m.note}
	t := &m.Tokenizer
	t.Source = "tokenizer.ggml"
	t.Model = d.str("tokenizer.ggml.model")
	if pre := d.str("tokenizer.ggml.pre"); pre != "" {
		t.Model = strings.TrimSpace(t.Model + " " + pre)
	}
	tokens, _ := h.Get("tokenizer.ggml.tokens")
	text := func(id int64) (string, bool) {
		if tokens.Type != gguf.Array || tokens.Elem != gguf.String || id < 0 || id >= int64(tokens.Len()) {
			return "", false
		}
		return tokens.At(int(id)).Str()
	}
	t.Tokens = tokens.Len()
	if s, ok := text(0); ok {
		t.Zero = &s
	}
	for _, name := range []string{"bos", "eos", "eot", "eom", "unknown", "padding"} {
		if v, ok := h.Get("tokenizer.ggml." + name + "_token_id"); ok {
			if id, ok := v.Int(); ok {
				s, _ := text(id)
				t.addSpecial(strings.TrimSuffix(strings.TrimSuffix(name, "nown"), "ding"), id, s)
			}
		}
	}
	if tmpl := d.str("tokenizer.chat_template"); tmpl != "" {
		t.Template = readTemplate("tokenizer.chat_template", tmpl)
	}
}
