package model

import (
	"strings"

	"kilter/internal/checkpoint"
)

// A table is a family's slots for one checkpoint: with its prefix, and with
// sizes put in for symbols.
type table struct {
	family  *family
	gguf    bool
	entries []*entry
	byPath  map[string]*entry // full pattern
}

// An entry is a slot in a table.
type entry struct {
	Slot
	full string // pattern with the prefix
	mtp  bool
	dims []int64 // the weight's shape before quantisation; nil where not known
}

// chooseTable finds the prefix by the tensors that are there, and fills the
// table in.
func (m *Model) chooseTable() {
	f := familyNamed(m.Family)
	t := &table{family: f, gguf: m.cp.Format == checkpoint.GGUF, byPath: map[string]*entry{}}
	m.table = t
	slots := f.slots
	if t.gguf {
		slots = f.blocks
	}
	if len(slots) == 0 {
		return
	}
	p := prefix{}
	if !t.gguf {
		p = m.choosePrefix(f.prefixes)
	}
	sizes := m.symbols()
	add := func(s Slot, full string, mtp bool) {
		if mtp {
			s.Part = MTP
		}
		e := &entry{Slot: s, full: full, mtp: mtp, dims: dimsOf(s.shape, sizes)}
		t.entries = append(t.entries, e)
		t.byPath[full] = e
	}
	for _, s := range slots {
		full := p.body + s.Path
		if s.Path == "lm_head" {
			full = p.head + s.Path
		}
		add(s, full, false)
	}
	if t.gguf {
		for _, s := range mtpBlocks {
			add(s, s.Path, true)
		}
	}
	if f.mtp == mtpRoot && !t.gguf {
		for _, s := range mtpModules {
			add(s, s.Path, true)
		}
		for _, s := range slots {
			if s.inLayer() && !strings.Contains(s.when, "linear") {
				s.Path = "mtp." + s.Path
				add(s, s.Path, true)
			}
		}
	}
}

// mtpModules are Qwen's modules of multi-token prediction around its layers.
var mtpModules = []Slot{
	{Path: "mtp.fc", Kind: MatrixKind, shape: "H 2H"},
	{Path: "mtp.pre_fc_norm_embedding", Kind: VectorKind, shape: "H"},
	{Path: "mtp.pre_fc_norm_hidden", Kind: VectorKind, shape: "H"},
	{Path: "mtp.norm", Kind: VectorKind, shape: "H"},
	{Path: "mtp.embed_tokens", Kind: MatrixKind, Split: Columns, shape: "V H", perhaps: true},
	{Path: "mtp.lm_head", Kind: MatrixKind, Split: Columns, shape: "V H", perhaps: true},
}

// mtpBlocks are those of a GGUF's MTP block, which is behind the last layer.
var mtpBlocks = []Slot{
	{Path: "blk.*.nextn.eh_proj", Kind: MatrixKind, shape: "H 2H", when: "mtp"},
	{Path: "blk.*.nextn.enorm", Kind: VectorKind, shape: "H", when: "mtp"},
	{Path: "blk.*.nextn.hnorm", Kind: VectorKind, shape: "H", when: "mtp"},
	{Path: "blk.*.nextn.shared_head_norm", Kind: VectorKind, shape: "H", when: "mtp", perhaps: true},
	{Path: "blk.*.nextn.shared_head_head", Kind: MatrixKind, shape: "V H", when: "mtp", perhaps: true},
	{Path: "blk.*.nextn.embed_tokens", Kind: MatrixKind, shape: "V H", when: "mtp", perhaps: true},
}

// choosePrefix takes the prefix under which the first tensors with layers are.
func (m *Model) choosePrefix(list []prefix) prefix {
	if len(list) == 0 {
		return prefix{}
	}
	best, most := list[0], 0
	for _, p := range list {
		n := 0
		for _, name := range []string{"embed_tokens.weight", "norm.weight", "layers.0.input_layernorm.weight"} {
			if _, ok := m.cp.Tensors.Lookup(p.body + name); ok {
				n++
			}
		}
		if n > most {
			best, most = p, n
		}
	}
	if most > 0 {
		return best
	}
	// One shard of many, perhaps: any layer will do.
	for i := range min(m.cp.Tensors.Len(), 10_000) {
		for _, p := range list {
			if strings.HasPrefix(m.cp.Tensors.At(i).Name, p.body+"layers.") {
				return p
			}
		}
	}
	return best
}

// symbols are what stands in the tables for dimensions. A size of 0 is not
// known.
func (m *Model) symbols() map[string]int64 {
	s := &m.Sizes
	q, kv := s.Heads*s.HeadDim, s.KVHeads*s.HeadDim
	v := map[string]int64{
		"1": 1, "V": s.Vocab, "H": s.Hidden, "2H": 2 * s.Hidden, "N": s.Heads, "D": s.HeadDim,
		"Q": q, "2Q": 2 * q, "KV": kv, "KVV": kv, "OV": q,
		"I": s.Intermediate, "E": s.Experts, "M": s.ExpertIntermediate, "2M": 2 * s.ExpertIntermediate, "S": s.SharedIntermediate,
	}
	if l := s.Linear; l != nil {
		kd, vd := l.KeyHeads*l.KeyDim, l.ValueHeads*l.ValueDim
		if kd > 0 && vd > 0 {
			v["C"], v["VD"], v["G"], v["2G"], v["DV"], v["K"] = 2*kd+vd, vd, l.ValueHeads, 2*l.ValueHeads, l.ValueDim, l.Conv
			v["QKVZ"] = 2*kd + 2*vd
		}
	}
	if a := s.Latent; a != nil && a.KVRank > 0 {
		v["QR"], v["KVR"], v["KVA"] = a.QRank, a.KVRank, a.KVRank+a.RopeDim
		v["QA"], v["KVB"], v["OV"] = s.Heads*(a.NopeDim+a.RopeDim), s.Heads*(a.NopeDim+a.ValueDim), s.Heads*a.ValueDim
	}
	return v
}

// dimsOf reads a shape of symbols; nil where one of them is not known.
func dimsOf(shape string, sizes map[string]int64) []int64 {
	var dims []int64
	for _, symbol := range strings.Fields(shape) {
		n := sizes[symbol]
		if n <= 0 {
			return nil
		}
		dims = append(dims, n)
	}
	return dims
}

// holds reports whether the flags of a slot hold for a layer: nil outside of
// layers. mtp is set for a layer of multi-token prediction.
func (m *Model) holds(flags string, l *Layer, mtp bool) bool {
	for _, flag := range strings.Fields(flags) {
		if !m.flag(flag, l, mtp) {
			return false
		}
	}
	return true
}

func (m *Model) flag(flag string, l *Layer, mtp bool) bool {
	s := &m.Sizes
	switch flag {
	case "attn":
		return l == nil || l.Mixer != Linear
	case "linear":
		return l == nil || l.Mixer == Linear
	case "moe":
		return l == nil || l.MoE
	case "dense":
		return l == nil || !l.MoE
	case "mtp":
		return mtp
	case "single", "stacked":
		return true // decided for each layer by what is stored: see Expected
	case "shared":
		return s.SharedIntermediate > 0
	case "untied":
		return !s.Tied
	case "q_latent":
		return s.Latent == nil || s.Latent.QRank > 0
	case "q_whole":
		return s.Latent != nil && s.Latent.QRank == 0
	case "noaux":
		method, ok := m.conf.str("topk_method")
		return !ok || method == "noaux_tc"
	case "attention_bias", "mlp_bias":
		b, _ := m.conf.bool(flag)
		return b
	case "qkv_bias":
		b, _ := m.conf.bool("attention_bias")
		typ, _ := m.conf.str("model_type")
		return b || typ == "qwen2" || m.Type == "qwen2"
	case "yes", "only":
		return true
	}
	return false // "", "no", "maybe"
}
