package model

import (
	"iter"
	"slices"
	"strings"

	"kilter/internal/checkpoint"
)

// buildModules puts the stored tensors together to modules.
func (m *Model) buildModules() {
	m.byModule = make(map[string]int32, m.cp.Tensors.Len()/2)
	m.modules = make([]Module, 0, m.cp.Tensors.Len()/2)
	var buf []byte
	last := int32(-1)
	for i := range m.cp.Tensors.Len() {
		t := m.cp.Tensors.At(i)
		name, role, id := splitName(t.Name)
		at := last
		if last < 0 || m.modules[last].Name != name {
			var ok bool
			if at, ok = m.byModule[name]; !ok {
				at = int32(len(m.modules))
				m.byModule[name] = at
				var mod Module
				mod, buf = m.newModule(name, buf)
				m.modules = append(m.modules, mod)
			}
			last = at
		}
		mod := &m.modules[at]
		if mod.tensors[role] == 0 {
			mod.tensors[role], mod.names[role] = int32(i)+1, id
		}
	}
	for i := range m.modules {
		m.settleFormat(&m.modules[i])
	}
}

// newModule finds a module's slot and numbers by its name.
func (m *Model) newModule(name string, buf []byte) (Module, []byte) {
	mod := Module{Name: name, Layer: -1, Expert: -1, Part: Other}
	key, numbers, found := pattern(buf[:0], name)
	e := m.table.byPath[string(key)]
	switch {
	case e != nil:
		mod.entry, mod.Slot, mod.Part, mod.MTP = e, &e.Slot, e.Part, e.mtp
		if found > 0 {
			mod.Layer = numbers[0]
		}
		if found > 1 {
			mod.Expert = numbers[1]
		}
		if m.behindLast(e, mod.Layer) {
			mod.MTP, mod.Part = true, MTP
		}
	case isVision(name):
		mod.Part = Vision
	default:
		mod.Part = guessPart(name)
		if found > 0 && (strings.Contains(name, "layers.") || strings.Contains(name, "blk.") || strings.Contains(name, ".h.") || strings.Contains(name, "blocks.")) {
			mod.Layer = numbers[0]
		}
		if found > 1 && strings.Contains(name, "experts.") {
			mod.Expert = numbers[1]
		}
	}
	return mod, key
}

// behindLast reports whether a layer is one of multi-token prediction that is
// stored behind the last.
func (m *Model) behindLast(e *entry, layer int) bool {
	return (m.table.family.mtp == mtpLayers || m.table.gguf) && e.inLayer() && !e.mtp &&
		m.Sizes.MTPLayers > 0 && int64(layer) >= m.Sizes.Layers && int64(layer) < m.Sizes.Layers+m.Sizes.MTPLayers
}

func isVision(name string) bool {
	return slices.ContainsFunc(visionPrefixes, func(p string) bool { return strings.HasPrefix(name, p) })
}

// guessPart is for names that no table has.
func guessPart(name string) Part {
	for _, g := range []struct {
		part  Part
		words []string
	}{
		{MTP, []string{"mtp.", "nextn."}},
		{Norm, []string{"norm", "ln_", ".ln"}},
		{Head, []string{"lm_head", "output_head"}},
		{Embedding, []string{"embed", "embd", "wte", "wpe"}},
		{SharedExpert, []string{"shared_expert", "shexp"}},
		{Experts, []string{"experts", "_exps"}},
		{Router, []string{"router", "gate_inp", "mlp.gate."}},
		{LinearAttn, []string{"linear_attn", "ssm", "mamba"}},
		{Attention, []string{"attn", "attention"}},
		{MLP, []string{"mlp", "ffn", "feed_forward"}},
	} {
		for _, w := range g.words {
			if strings.Contains(name, w) {
				return g.part
			}
		}
	}
	if name == "output" {
		return Head
	}
	return Other
}

// Modules yields the stored modules, in the order in which they were found.
func (m *Model) Modules() iter.Seq[*Module] {
	return func(yield func(*Module) bool) {
		for i := range m.modules {
			if !yield(&m.modules[i]) {
				return
			}
		}
	}
}

// Module returns the module of a name.
func (m *Model) Module(name string) (*Module, bool) {
	i, ok := m.byModule[name]
	if !ok {
		return nil, false
	}
	return &m.modules[i], true
}

// ModuleOf returns the module of a tensor, and what the tensor is to it.
func (m *Model) ModuleOf(tensor string) (*Module, Role, bool) {
	name, role, _ := splitName(tensor)
	mod, ok := m.Module(name)
	return mod, role, ok
}

// Pattern is the module's name with * for its numbers.
func (mod *Module) Pattern() string {
	b, _, _ := pattern(nil, mod.Name)
	return string(b)
}

// main returns the tensor that holds the weights themselves.
func (m *Model) main(mod *Module) *checkpoint.Tensor {
	for _, r := range []Role{Packed, Weight, Bias} {
		if t, ok := m.Tensor(mod, r); ok {
			return t
		}
	}
	return nil
}

// ModuleBytes returns the bytes of all of a module's tensors.
func (m *Model) ModuleBytes(mod *Module) int64 {
	n := int64(0)
	for _, i := range mod.tensors {
		if i > 0 {
			n += max(0, m.cp.Tensors.At(int(i)-1).Length)
		}
	}
	return n
}

// ModuleParams returns how many weights a module has, whatever form they are
// stored in; scales are none.
func (m *Model) ModuleParams(mod *Module) int64 {
	n := int64(0)
	if t, ok := m.Tensor(mod, Packed); ok {
		n = mul(t.Elements(), m.perElement(mod, t))
	} else if t, ok := m.Tensor(mod, Weight); ok {
		n = mul(t.Elements(), m.perElement(mod, t))
	}
	if t, ok := m.Tensor(mod, Bias); ok {
		n += t.Elements()
	}
	return n
}
