package model

import (
	"fmt"
	"slices"
	"strings"

	"kilter/internal/numeric"
)

// compare sets configuration and tensors against each other.
func (m *Model) compare() {
	m.compareClaims()
	if m.Family == "" {
		return
	}
	m.compareNames()
	m.compareShapes()
	m.compareCounts()
	m.compareDType()
	m.compareTied()
	m.compareKV()
}

// compareClaims sets the two files of claims against each other.
func (m *Model) compareClaims() {
	if len(m.Claims) < 2 {
		return
	}
	a, b := &m.Claims[0], &m.Claims[1]
	if a.Algorithm != b.Algorithm && !sameFormat(a.Format, b.Format) {
		m.differ(Difference{Kind: DifferClaims, Where: "quant_algo", Config: a.File + " says " + orNone(a.Algorithm, string(a.Format)), Stored: b.File + " says " + orNone(b.Algorithm, string(b.Format)), Count: 1})
	}
	if a.KV != b.KV && !strings.EqualFold(a.KV, b.KV) {
		m.differ(Difference{Kind: DifferClaims, Where: "kv_cache", Config: a.File + " says " + orNone(a.KV), Stored: b.File + " says " + orNone(b.KV), Count: 1})
	}
	if a.GroupSize != b.GroupSize && a.GroupSize > 0 && b.GroupSize > 0 {
		m.differ(Difference{Kind: DifferClaims, Where: "group_size", Config: fmt.Sprintf("%s says %d", a.File, a.GroupSize), Stored: fmt.Sprintf("%s says %d", b.File, b.GroupSize), Count: 1})
	}
	if only := without(a.Ignored, b.Ignored); len(only) > 0 {
		m.differ(Difference{Kind: DifferClaims, Where: "ignored modules", Config: a.File + " has it", Stored: b.File + " has not", Count: len(only), Example: only[0]})
	}
	if only := without(b.Ignored, a.Ignored); len(only) > 0 {
		m.differ(Difference{Kind: DifferClaims, Where: "ignored modules", Config: a.File + " has not", Stored: b.File + " has it", Count: len(only), Example: only[0]})
	}
}

func orNone(words ...string) string {
	for _, w := range words {
		if w != "" {
			return w
		}
	}
	return "nothing"
}

// without returns the elements of a that are not in b.
func without(a, b []string) (only []string) {
	in := make(map[string]bool, len(b))
	for _, s := range b {
		in[s] = true
	}
	for _, s := range a {
		if !in[s] {
			only = append(only, s)
		}
	}
	return only
}

// compareNames collects names that no table has.
func (m *Model) compareNames() {
	const most = 100
	for i := range m.modules {
		mod := &m.modules[i]
		if mod.Slot != nil || mod.Part == Vision || m.isSkipped(mod) || mod.Format == KVScales {
			continue
		}
		m.UnknownCount++
		if len(m.Unknown) < most {
			m.Unknown = append(m.Unknown, m.firstName(mod))
		}
	}
}

// firstName is the name of a module's first tensor.
func (m *Model) firstName(mod *Module) string {
	for r, i := range mod.tensors {
		if i > 0 {
			return withSuffix(mod.Name, mod.names[r])
		}
	}
	return mod.Name
}

// A disagreement collects differences of one kind and place.
type disagreement struct {
	where, kind, config, stored string
}

// compareShapes sets each weight's shape against the one that the
// configuration implies, and each module's format against the claim.
func (m *Model) compareShapes() {
	seen := map[disagreement]int{}
	var order []disagreement
	examples := map[disagreement]string{}
	found := func(d disagreement, mod *Module) {
		if seen[d]++; seen[d] == 1 {
			order = append(order, d)
			examples[d] = m.firstName(mod)
		}
	}
	for i := range m.modules {
		mod := &m.modules[i]
		if mod.entry == nil {
			continue
		}
		s := m.said(mod)
		if text, kind := m.claimed(mod, s); kind != "" {
			found(disagreement{mod.entry.full, kind, text, string(mod.Format)}, mod)
		}
		if want, got := m.weightShape(mod); want != nil && !sameShape(want, got) {
			found(disagreement{mod.entry.full, DifferShape, fmt.Sprint(want), fmt.Sprint(got)}, mod)
		}
		if stored := m.groupSize(mod); s.ok && s.size > 0 && stored > 0 && stored != s.size {
			found(disagreement{mod.entry.full, DifferGroup, fmt.Sprint(s.size), fmt.Sprint(stored)}, mod)
		}
	}
	for _, d := range order {
		m.differ(Difference{Kind: d.kind, Where: d.where, Config: d.config, Stored: d.stored, Count: seen[d], Example: examples[d]})
	}
}

// weightShape returns the shape that a module's main tensor should have, and
// has.
func (m *Model) weightShape(mod *Module) (want, got []int64) {
	t := m.main(mod)
	if t == nil || mod.entry.dims == nil || mod.entry.bias == "only" {
		return nil, nil
	}
	r := Weight
	if mod.Has(Packed) {
		r = Packed
	} else if !mod.Has(Weight) {
		return nil, nil
	}
	return m.storedShape(mod.entry, mod.Format, mod.Bits, r, t.DType, mod.names[r]), t.Shape
}

// sameShape compares shapes, but for dimensions of 1.
func sameShape(a, b []int64) bool {
	if slices.Equal(a, b) {
		return true
	}
	drop := func(s []int64) []int64 {
		return slices.DeleteFunc(slices.Clone(s), func(n int64) bool { return n == 1 })
	}
	return slices.Equal(drop(a), drop(b))
}

// storedShape is the shape of a module's tensor in a role; nil where it is not
// fixed or not known.
func (m *Model) storedShape(e *entry, f Format, bits int, r Role, d numeric.DType, id suffixID) []int64 {
	if len(e.dims) == 0 {
		return nil
	}
	dims := slices.Clone(e.dims)
	n := len(dims) - 1
	in := func(per int64) []int64 {
		dims[n] = (dims[n] + per - 1) / per
		return dims
	}
	if id.label() == "_blocks" || id.label() == "_scales" {
		// gpt-oss: a row for each output, 32 inputs to a block, two to a byte.
		dims[n-1], dims[n] = dims[n], dims[n-1]
		in(32)
		if r == Packed {
			dims = append(dims, 16)
		}
		return dims
	}
	switch r {
	case Weight, Packed:
		switch f {
		case NVFP4, NVFP4Reciprocal, MXFP4:
			if d == numeric.U8 || d == numeric.I8 {
				return in(2)
			}
		case INT4, INT8:
			if d == numeric.I32 && bits > 0 {
				return in(int64(32 / bits))
			}
		case AWQ:
			return transposed(dims, 1, int64(32/max(1, bits)))
		case GPTQ:
			return transposed(dims, 0, int64(32/max(1, bits)))
		case INT4ModelOpt:
			dims[0] = (dims[0] + 1) / 2
		case Incomplete:
			return nil
		}
		return dims
	case Scale:
		switch f {
		case NVFP4, NVFP4Reciprocal:
			return in(16)
		case MXFP4, MXFP8:
			return in(32)
		}
	case ScaleInv:
		if f == FP8Block && n >= 1 {
			dims[n-1] = (dims[n-1] + 127) / 128
			return in(128)
		}
	case Bias:
		if n >= 1 {
			if strings.HasSuffix(e.Path, ".experts.gate_up_proj") || strings.HasSuffix(e.Path, ".experts.down_proj") {
				return []int64{dims[0], dims[n]} // gpt-oss, stored [E, in, out]
			}
			return dims[:n]
		}
	}
	return nil
}

// transposed is the shape of AWQ's and GPTQ's qweight, [in, out], with one
// dimension packed.
func transposed(dims []int64, pack int, per int64) []int64 {
	if len(dims) != 2 {
		return nil
	}
	out := []int64{dims[1], dims[0]}
	out[pack] = (out[pack] + per - 1) / per
	return out
}

// groupSize returns how many weights along the input share a stored scale; 0
// where the format has no such groups.
func (m *Model) groupSize(mod *Module) int64 {
	t, ok := m.Tensor(mod, Packed)
	if !ok {
		t, ok = m.Tensor(mod, Weight)
	}
	s, ok2 := m.Tensor(mod, Scale)
	if !ok || !ok2 || len(t.Shape) < 2 || len(s.Shape) < 2 {
		return 0
	}
	switch mod.Format {
	case NVFP4, NVFP4Reciprocal, INT4, INT8, MXFP8:
	case MXFP4:
		if mod.names[Packed].label() == "_blocks" {
			return 0
		}
	default:
		return 0
	}
	cols, groups := t.Shape[len(t.Shape)-1]*m.perElement(mod, t), s.Shape[len(s.Shape)-1]
	if groups <= 1 || cols%groups != 0 {
		return 0
	}
	return cols / groups
}

// compareCounts looks for layers and experts beyond, or short of, those that
// the configuration names.
func (m *Model) compareCounts() {
	s := &m.Sizes
	lastLayer, lastExpert := int64(-1), int64(-1)
	for i := range m.modules {
		mod := &m.modules[i]
		if mod.Slot == nil || mod.MTP {
			continue
		}
		lastLayer = max(lastLayer, int64(mod.Layer))
		lastExpert = max(lastExpert, int64(mod.Expert))
		if t := m.main(mod); mod.Slot.stacked && t != nil && len(t.Shape) > 0 {
			lastExpert = max(lastExpert, t.Shape[0]-1)
		}
	}
	if m.cp.Partial {
		return // one file of several
	}
	if lastLayer >= 0 && s.Layers > 0 && lastLayer+1 != s.Layers {
		m.differ(Difference{Kind: DifferLayers, Where: "num_hidden_layers", Config: fmt.Sprint(s.Layers), Stored: fmt.Sprint(lastLayer + 1), Count: 1})
	}
	if lastExpert >= 0 && s.Experts > 0 && lastExpert+1 != s.Experts {
		m.differ(Difference{Kind: DifferExperts, Where: "num_experts", Config: fmt.Sprint(s.Experts), Stored: fmt.Sprint(lastExpert + 1), Count: 1})
	}
}

// compareDType: matrices that are not quantised should have the type that the
// configuration names.
func (m *Model) compareDType() {
	want := map[string]string{"bfloat16": "BF16", "float16": "F16", "float32": "F32", "half": "F16"}[m.Sizes.DType]
	if want == "" || m.table.gguf {
		return
	}
	stored := map[string]int64{}
	example := map[string]*Module{}
	for i := range m.modules {
		mod := &m.modules[i]
		if mod.Slot == nil || mod.Slot.Kind != LinearKind {
			continue
		}
		switch f := string(mod.Format); f {
		case "BF16", "F16", "F32":
			stored[f] += m.ModuleBytes(mod)
			if example[f] == nil {
				example[f] = mod
			}
		}
	}
	if len(stored) == 0 {
		return
	}
	if most := byBytes(stored)[0]; most != want {
		m.differ(Difference{Kind: DifferDType, Where: "dtype", Config: m.Sizes.DType, Stored: most, Count: 1, Example: m.firstName(example[most])})
	}
}

// compareTied: a tied head has no matrix of its own, another must have one.
func (m *Model) compareTied() {
	if m.cp.Partial {
		return
	}
	head, stored := m.headModule()
	switch {
	case m.Sizes.Tied && stored:
		m.differ(Difference{Kind: DifferTied, Where: "tie_word_embeddings", Config: "true: the embedding is the head", Stored: "a head of its own", Count: 1, Example: m.firstName(head)})
	case !m.Sizes.Tied && !stored && !m.table.gguf && m.hasEmbedding():
		m.differ(Difference{Kind: DifferTied, Where: "tie_word_embeddings", Config: "false", Stored: "no head", Count: 1})
	}
}

func (m *Model) headModule() (*Module, bool) {
	for i := range m.modules {
		if m.modules[i].Part == Head {
			return &m.modules[i], true
		}
	}
	return nil, false
}

func (m *Model) hasEmbedding() bool {
	return slices.ContainsFunc(m.modules, func(mod Module) bool { return mod.Part == Embedding })
}

// compareKV sets stored scales of the KV cache against what is said of it.
func (m *Model) compareKV() {
	if len(m.Claims) == 0 && m.table.gguf {
		return
	}
	var example *Module
	n := 0
	for i := range m.modules {
		if mod := &m.modules[i]; mod.Has(KScale) || mod.Has(VScale) {
			if n == 0 {
				example = mod
			}
			n++
		}
	}
	switch kv := m.KVScheme(); {
	case n > 0 && kv == "":
		m.differ(Difference{Kind: DifferKV, Where: "kv_cache_scheme", Config: "nothing", Stored: "scales of it", Count: n, Example: withSuffix(example.Name, example.names[KScale])})
	case n == 0 && kv != "" && !m.cp.Partial:
		m.differ(Difference{Kind: DifferKV, Where: "kv_cache_scheme", Config: kv, Stored: "no scales of it, so servers take 1.0", Count: 1})
	}
}

// isSkipped reports whether loaders pass over a module silently.
func (m *Model) isSkipped(mod *Module) bool {
	return skips(skippedAnywhere, mod.Name) || skips(m.table.family.skipped, mod.Name)
}

func skips(patterns []string, name string) bool {
	for _, p := range patterns {
		if globMatch(p, name) {
			return true
		}
	}
	return false
}
