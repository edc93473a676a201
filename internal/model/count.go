package model

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// count adds up weights and bytes.
func (m *Model) count() {
	type sum struct {
		PartBytes
		formats map[string]int64
	}
	sums := map[Part]*sum{}
	var routed int64 // weights of experts of which a token reads some
	for i := range m.modules {
		mod := &m.modules[i]
		params, bytes := m.ModuleParams(mod), m.ModuleBytes(mod)
		s := sums[mod.Part]
		if s == nil {
			s = &sum{PartBytes: PartBytes{Part: mod.Part}, formats: map[string]int64{}}
			sums[mod.Part] = s
		}
		s.Params, s.Bytes = plus(s.Params, params), plus(s.Bytes, bytes)
		s.formats[string(mod.Format)] += bytes
		switch {
		case mod.MTP:
			m.MTPParams = plus(m.MTPParams, params)
		case mod.Part == Vision:
			m.VisionParams = plus(m.VisionParams, params)
		case m.notCounted(mod):
		default:
			m.Params = plus(m.Params, params)
			if mod.Part == Experts {
				routed = plus(routed, params)
			}
		}
	}
	m.Sizes.Vision = m.Sizes.Vision || sums[Vision] != nil
	m.ActiveParams = m.Params
	if s := &m.Sizes; s.Experts > 0 && s.ActiveExperts <= s.Experts {
		m.ActiveParams = m.Params - routed + int64(float64(routed)*float64(s.ActiveExperts)/float64(s.Experts))
	}
	for _, p := range parts() {
		if s := sums[p]; s != nil {
			s.Formats = byBytes(s.formats)
			m.Parts = append(m.Parts, s.PartBytes)
		}
	}
	m.countDTypes()
}

// notCounted: a stored head that is the embedding, and tables that are no
// weights.
func (m *Model) notCounted(mod *Module) bool {
	return mod.Part == Head && m.Sizes.Tied || mod.Name == "rope_freqs" || mod.Format == KVScales
}

func (m *Model) countDTypes() {
	by := map[string]*DTypeBytes{}
	for i := range m.cp.Tensors.Len() {
		t := m.cp.Tensors.At(i)
		d := by[t.TypeName]
		if d == nil {
			d = &DTypeBytes{DType: t.TypeName}
			by[t.TypeName] = d
		}
		d.Tensors++
		d.Bytes = plus(d.Bytes, max(0, t.Length))
		m.Bytes = plus(m.Bytes, max(0, t.Length))
	}
	for _, d := range by {
		m.DTypes = append(m.DTypes, *d)
	}
	slices.SortFunc(m.DTypes, func(a, b DTypeBytes) int { return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.DType, b.DType)) })
}

// byBytes returns the keys, those of most bytes first.
func byBytes(sizes map[string]int64) []string {
	names := make([]string, 0, len(sizes))
	for n := range sizes {
		names = append(names, n)
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Or(cmp.Compare(sizes[b], sizes[a]), cmp.Compare(a, b)) })
	return names
}

// groupModules makes the quantisation map.
func (m *Model) groupModules() {
	type key struct {
		pattern, dtype string
		format         Format
		claimed, kind  string
		mtp            bool
	}
	type members struct {
		Group
		layers []int
		roles  [numRoles]suffixID
	}
	groups := map[key]*members{}
	var order []key
	var lastSlot *Slot
	var lastPattern string
	for i := range m.modules {
		mod := &m.modules[i]
		if mod.Slot == nil || mod.Slot != lastSlot {
			lastSlot, lastPattern = mod.Slot, mod.Pattern()
		}
		k := key{pattern: lastPattern, format: mod.Format, mtp: mod.MTP}
		if t := m.main(mod); t != nil {
			k.dtype = t.TypeName
		}
		k.claimed, k.kind = m.claimed(mod, m.said(mod))
		g := groups[k]
		if g == nil {
			g = &members{Group: Group{Pattern: k.pattern, Part: mod.Part, Format: k.format, DType: k.dtype, Claimed: k.claimed, Differs: k.kind != ""}}
			groups[k] = g
			order = append(order, k)
		}
		g.Modules++
		g.Params, g.Bytes = plus(g.Params, m.ModuleParams(mod)), plus(g.Bytes, m.ModuleBytes(mod))
		if mod.Layer >= 0 && (len(g.layers) == 0 || g.layers[len(g.layers)-1] != mod.Layer) {
			g.layers = append(g.layers, mod.Layer)
		}
		for r, id := range mod.names {
			if mod.tensors[r] != 0 {
				g.roles[r] = id + 1
			}
		}
	}
	for _, k := range order {
		g := groups[k]
		g.Layers = ranges(g.layers)
		g.Tensors = []string{}
		for _, id := range g.roles {
			if id > 0 {
				g.Tensors = append(g.Tensors, (id - 1).label())
			}
		}
		m.Groups = append(m.Groups, g.Group)
	}
	rank := map[Part]int{}
	for i, p := range parts() {
		rank[p] = i
	}
	slices.SortStableFunc(m.Groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(rank[a.Part], rank[b.Part]), cmp.Compare(a.Pattern, b.Pattern), cmp.Compare(b.Bytes, a.Bytes))
	})
}

// ranges writes numbers as "0-2,7".
func ranges(numbers []int) string {
	slices.Sort(numbers)
	numbers = slices.Compact(numbers)
	var b strings.Builder
	for i := 0; i < len(numbers); {
		j := i
		for j+1 < len(numbers) && numbers[j+1] == numbers[j]+1 {
			j++
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		if j > i {
			fmt.Fprintf(&b, "%d-%d", numbers[i], numbers[j])
		} else {
			fmt.Fprintf(&b, "%d", numbers[i])
		}
		i = j + 1
	}
	return b.String()
}
