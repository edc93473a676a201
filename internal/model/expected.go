package model

import (
	"iter"
	"strconv"
	"strings"

	"kilter/internal/numeric"
)

// An Expected is a tensor that a checkpoint of its architecture has.
type Expected struct {
	Name string
	Role Role
	Slot *Slot
	// Module is the stored one it belongs to; nil where nothing of it is stored.
	Module *Module
	// Layer and Expert are -1 where it has none.
	Layer, Expert int
	MTP           bool
	// Format is the module's, or the one that its siblings have.
	Format Format
	// Optional tensors may be missing: a server has a value to take instead.
	Optional bool
	// Stored tells whether it is there.
	Stored bool
	// Shape is what it should have; nil where that is not fixed or not known.
	// Dimensions of 1 do not count.
	Shape []int64
}

// A Place says what loaders of a family do with a tensor.
type Place uint8

// The places.
const (
	// Unjudged: kilter has no table for the architecture.
	Unjudged Place = iota
	// Loaded: it is a weight or a companion that the family has.
	Loaded
	// Skipped: loaders know the name and pass it over.
	Skipped
	// Unexpected: no loader of the family knows the name.
	Unexpected
)

// Place says what loaders do with a tensor, by its name.
func (m *Model) Place(tensor string) Place {
	if m.Family == "" {
		return Unjudged
	}
	mod, role, ok := m.ModuleOf(tensor)
	switch {
	case !ok:
		return Unexpected
	case mod.Part == Vision:
		return Loaded
	case mod.Format == KVScales, role == KScale, role == VScale, role == QScale:
		return Loaded
	case m.isSkipped(mod):
		return Skipped
	case mod.Slot == nil:
		return Unexpected
	case mod.Part == Head && m.Sizes.Tied:
		return Skipped
	case !m.inRange(mod):
		return Unexpected
	case role == Bias && mod.Slot.bias == "no", role == Bias && mod.Slot.bias == "" && !m.table.gguf:
		return Unexpected
	case role == Bias && mod.Slot.bias != "maybe" && !m.holds(mod.Slot.bias, nil, false):
		return Unexpected
	}
	return Loaded
}

// inRange reports whether a module's layer and expert are among those that the
// configuration names, and its layer one that has such a module.
func (m *Model) inRange(mod *Module) bool {
	s := &m.Sizes
	if mod.Expert >= 0 && s.Experts > 0 && int64(mod.Expert) >= s.Experts {
		return false
	}
	switch {
	case !strings.Contains(mod.Slot.Path, "*"):
		return m.holds(mod.Slot.when, nil, mod.MTP)
	case mod.MTP:
		return m.holds(mod.Slot.when, m.mtpLayer(), true)
	case mod.Layer >= len(m.Layers):
		return len(m.Layers) == 0
	}
	return m.holds(mod.Slot.when, &m.Layers[mod.Layer], false)
}

// mtpLayer is what a layer of multi-token prediction is like: full attention,
// and experts where the model has them.
func (m *Model) mtpLayer() *Layer { return &Layer{Mixer: Full, MoE: m.Sizes.Experts > 0} }

// A turn is one slot of one layer.
type turn struct {
	e     *entry
	layer int
	mtp   bool
}

// Expected yields every tensor that the architecture needs or knows, for each
// layer and expert, with the companions that its format needs. It yields
// nothing for an architecture that kilter does not know. MTP layers count only
// where some of one is stored, and a file of several only with what it holds.
func (m *Model) Expected() iter.Seq[Expected] {
	return func(yield func(Expected) bool) {
		majority := m.majorities()
		for _, t := range m.turns() {
			experts := 1
			if t.e.perExpert() {
				experts = int(m.Sizes.Experts)
			}
			for x := range experts {
				if !t.e.perExpert() {
					x = -1
				}
				if !m.expectModule(t, x, majority[t.e], yield) {
					return
				}
			}
		}
	}
}

// turns lists the slots of all layers that hold.
func (m *Model) turns() (all []turn) {
	if m.Family == "" || len(m.Layers) == 0 {
		return nil
	}
	f := m.table.family
	hasMTP := false
	for i := range m.modules {
		hasMTP = hasMTP || m.modules[i].MTP
	}
	stacked := m.stackedLayers()
	for _, e := range m.table.entries {
		switch {
		case e.mtp && !hasMTP && !m.table.gguf:
		case !strings.Contains(e.Path, "*"):
			if m.holds(e.when, nil, e.mtp) {
				all = append(all, turn{e, -1, e.mtp})
			}
		case e.mtp && !m.table.gguf:
			for l := range int(max(1, m.Sizes.MTPLayers)) {
				if m.holds(e.when, m.mtpLayer(), true) && m.chosen(e, stacked[stackKey{true, l}]) {
					all = append(all, turn{e, l, true})
				}
			}
		default:
			for l := range m.Layers {
				if !e.mtp && m.holds(e.when, &m.Layers[l], false) && m.chosen(e, stacked[stackKey{false, l}]) {
					all = append(all, turn{e, l, false})
				}
			}
			if hasMTP && (f.mtp == mtpLayers || m.table.gguf) {
				for l := len(m.Layers); l < len(m.Layers)+int(m.Sizes.MTPLayers); l++ {
					if m.holds(e.when, m.mtpLayer(), true) && m.chosen(e, stacked[stackKey{true, l}]) {
						all = append(all, turn{e, l, true})
					}
				}
			}
		}
	}
	return all
}

type stackKey struct {
	mtp   bool
	layer int
}

// stackedLayers finds the layers whose experts are in one tensor.
func (m *Model) stackedLayers() map[stackKey]bool {
	found := map[stackKey]bool{}
	for i := range m.modules {
		if mod := &m.modules[i]; mod.Slot != nil && strings.Contains(mod.Slot.when, "stacked") {
			found[stackKey{mod.MTP, mod.Layer}] = true
		}
	}
	return found
}

// chosen tells between the two layouts of experts.
func (m *Model) chosen(e *entry, stacked bool) bool {
	switch {
	case strings.Contains(e.when, "single"):
		return !stacked
	case strings.Contains(e.when, "stacked"):
		return stacked
	}
	return true
}

// A form is how most modules of a slot are stored.
type form struct {
	format Format
	bits   int
	ids    [numRoles]suffixID
	has    [numRoles]bool
	dtypes [numRoles]numeric.DType
}

// majorities finds, for each slot, the form of most of its modules, which is
// what a missing one should have.
func (m *Model) majorities() map[*entry]form {
	type key struct {
		e *entry
		f Format
	}
	counts := map[key]int{}
	first := map[key]*Module{}
	for i := range m.modules {
		mod := &m.modules[i]
		if mod.entry == nil || mod.Format == Incomplete {
			continue
		}
		k := key{mod.entry, mod.Format}
		if counts[k]++; counts[k] == 1 {
			first[k] = mod
		}
	}
	best := map[*entry]key{}
	for k, n := range counts {
		if b, ok := best[k.e]; !ok || n > counts[b] || n == counts[b] && k.f < b.f {
			best[k.e] = k
		}
	}
	out := make(map[*entry]form, len(best))
	for e, k := range best {
		out[e] = m.formOf(first[k])
	}
	return out
}

func (m *Model) formOf(mod *Module) form {
	f := form{format: mod.Format, bits: mod.Bits, ids: mod.names}
	for r, i := range mod.tensors {
		if i > 0 {
			f.has[r] = true
			f.dtypes[r] = m.cp.Tensors.At(int(i) - 1).DType
		}
	}
	return f
}

// moduleName puts numbers into an entry's pattern.
func moduleName(full string, layer, expert int) string {
	name := full
	for _, n := range []int{layer, expert} {
		if before, after, ok := strings.Cut(name, "*"); ok && n >= 0 {
			name = before + strconv.Itoa(n) + after
		}
	}
	return name
}

// expectModule yields the tensors of one module.
func (m *Model) expectModule(t turn, expert int, most form, yield func(Expected) bool) bool {
	name := moduleName(t.e.full, t.layer, expert)
	mod, _ := m.Module(name)
	f := most
	if mod != nil && mod.Format != Incomplete {
		f = m.formOf(mod)
	}
	if f.format == "" {
		f = m.supposed(t, name, expert, mod)
	}
	for _, need := range m.needs(t.e, f) {
		x := Expected{Role: need.role, Slot: &t.e.Slot, Module: mod, Layer: t.layer, Expert: expert, MTP: t.mtp, Format: f.format, Optional: need.optional || t.e.perhaps}
		id := need.id
		if mod != nil && mod.Has(need.role) {
			x.Stored, id = true, mod.names[need.role]
		}
		x.Name = withSuffix(name, id)
		x.Shape = m.storedShape(t.e, f.format, f.bits, need.role, f.dtypes[need.role], id)
		if !yield(x) {
			return false
		}
	}
	return true
}

// supposed is the form of a module of which no sibling tells: what the
// configuration claims, else what its codes look like, else a plain weight.
func (m *Model) supposed(t turn, name string, expert int, mod *Module) form {
	if t.e.Kind == LinearKind && len(m.claims) > 0 {
		s := m.said(&Module{Name: name, entry: t.e, Slot: &t.e.Slot, Layer: t.layer, Expert: expert, MTP: t.mtp})
		if s.ok && !s.excluded {
			return form{format: s.format}
		}
	}
	if mod == nil || mod.Format != Incomplete {
		return form{}
	}
	f := m.formOf(mod)
	switch {
	case f.has[Packed] && f.dtypes[Packed] == numeric.I32:
		f.format, f.bits = INT4, 4
	case f.has[Packed]:
		f.format = NVFP4Reciprocal
	case f.dtypes[Weight] == numeric.F8E4M3, f.dtypes[Weight] == numeric.F8E5M2:
		f.format = FP8Tensor
	case f.has[Weight]:
		f.format = NVFP4
	default:
		f.format = ""
	}
	return f
}

// A need is a tensor that a module of some format has.
type need struct {
	role     Role
	id       suffixID
	optional bool
}

// needs lists what a module of a form has.
func (m *Model) needs(e *entry, f form) (list []need) {
	add := func(r Role, suffix string, optional bool) {
		id := suffixOf(suffix)
		if f.has[r] {
			id = f.ids[r]
		}
		list = append(list, need{r, id, optional})
	}
	var c *claim
	if len(m.claims) > 0 {
		c = &m.claims[0]
	}
	weightOnly := c == nil || c.WeightOnly
	format := f.format
	if m.table.gguf {
		format = "" // a block type holds its scales itself
	}
	switch format {
	case NVFP4:
		add(Weight, "weight", false)
		add(Scale, "weight_scale", false)
		add(GlobalScale, "weight_scale_2", false)
		add(InputScale, "input_scale", weightOnly)
	case NVFP4Reciprocal:
		add(Packed, "weight_packed", false)
		add(Scale, "weight_scale", false)
		add(GlobalScale, "weight_global_scale", false)
		add(InputScale, "input_global_scale", weightOnly)
	case MXFP4:
		if f.has[Packed] && f.ids[Packed].label() == "_blocks" {
			add(Packed, "_blocks", false)
			add(Scale, "_scales", false)
			break
		}
		r := Packed
		if f.has[Weight] {
			r = Weight
		}
		add(r, "weight_packed", false)
		add(Scale, "weight_scale", false)
	case FP8Tensor, FP8Channel, MXFP8, INT4ModelOpt:
		add(Weight, "weight", false)
		if f.has[ScaleInv] {
			add(ScaleInv, "weight_scale_inv", false)
		} else {
			add(Scale, "weight_scale", false)
		}
		add(InputScale, "input_scale", c == nil || !c.Static || f.format != FP8Tensor)
	case FP8Block:
		add(Weight, "weight", false)
		if f.has[Scale] {
			add(Scale, "weight_scale", false)
		} else {
			add(ScaleInv, "weight_scale_inv", false)
		}
	case INT4, INT8:
		if f.has[Weight] {
			add(Weight, "weight", false)
			add(Scale, "weight_scale", false)
			break
		}
		add(Packed, "weight_packed", false)
		add(Scale, "weight_scale", false)
		add(PackedShape, "weight_shape", false)
		if c != nil && c.zeros {
			add(ZeroPoint, "weight_zero_point", false)
		}
		if c != nil && c.order {
			add(GroupIndex, "weight_g_idx", false)
		}
	case AWQ, GPTQ:
		add(Packed, "qweight", false)
		add(Scale, "scales", false)
		add(ZeroPoint, "qzeros", false)
		if f.format == GPTQ {
			add(GroupIndex, "g_idx", true)
		}
	default:
		switch {
		case e.bias == "only":
			add(Bias, "bias", false)
			return list
		case e.bare && !f.has[Weight]:
			list = append(list, need{Weight, 0, false})
		case e.bare:
			list = append(list, need{Weight, f.ids[Weight], false})
		default:
			add(Weight, "weight", false)
		}
		if m.table.gguf && f.format == NVFP4 {
			add(GlobalScale, "scale", true)
			add(InputScale, "input_scale", true)
		}
	}
	if f.has[PreScale] {
		add(PreScale, "pre_quant_scale", false)
	}
	if e.bias == "maybe" || e.bias != "" && e.bias != "no" && m.holds(e.bias, nil, false) {
		suffix := "bias"
		if e.stacked && e.bare {
			suffix = "_bias"
		}
		add(Bias, suffix, e.bias == "maybe")
	}
	return list
}
