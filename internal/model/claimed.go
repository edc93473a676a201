package model

import (
	"regexp"
	"strings"
)

// said is what a claim says of one module.
type said struct {
	format   Format
	excluded bool
	ok       bool
	size     int64
}

// A saidKey stands for modules that a claim treats alike.
type saidKey struct {
	slot  *Slot
	layer int
	mtp   bool
}

// numbersExperts finds patterns that tell one expert from another.
var numbersExperts = regexp.MustCompile(`experts[^a-z]{0,4}[0-9]`)

// ClaimFor says what the configuration says of a module: its format, or that
// it is excluded from quantisation. ok is unset where it says nothing, for
// want of a configuration or since kilter does not know the method.
func (m *Model) ClaimFor(mod *Module) (format string, excluded, ok bool) {
	s := m.said(mod)
	return string(s.format), s.excluded, s.ok
}

func (m *Model) said(mod *Module) said {
	if len(m.Claims) == 0 || mod.Slot == nil {
		return said{}
	}
	c := &m.claims[0]
	if mod.Expert < 0 || m.byExpert() {
		return c.say(mod)
	}
	k := saidKey{mod.Slot, mod.Layer, mod.MTP}
	s, ok := m.sayings[k]
	if !ok {
		s = c.say(mod)
		if m.sayings == nil {
			m.sayings = map[saidKey]said{}
		}
		m.sayings[k] = s
	}
	return s
}

// byExpert reports whether the claim may say another thing of each expert.
func (m *Model) byExpert() bool {
	if m.saysByExpert == 0 {
		m.saysByExpert = 1
		c := &m.claims[0]
		for _, p := range c.Ignored {
			if numbersExperts.MatchString(p) {
				m.saysByExpert = 2
			}
		}
		for name := range c.layers {
			if numbersExperts.MatchString(name) {
				m.saysByExpert = 2
			}
		}
		for _, g := range c.groups {
			for _, t := range g.targets {
				if t.re != nil && numbersExperts.MatchString(t.re.String()) || numbersExperts.MatchString(t.exact+t.glob) {
					m.saysByExpert = 2
				}
			}
		}
	}
	return m.saysByExpert == 2
}

func (c *claim) say(mod *Module) said {
	for _, w := range c.ignore {
		if w.match(mod.Name) {
			return said{excluded: true, ok: true}
		}
	}
	if c.layers != nil {
		for _, name := range []string{mod.Name, unwrapped(mod.Name)} {
			for {
				if g, ok := c.layers[name]; ok {
					return said{format: g.format, size: g.size, ok: g.format != ""}
				}
				i := strings.LastIndexByte(name, '.')
				if i < 0 {
					break
				}
				name = name[:i]
			}
		}
		return said{excluded: true, ok: true} // modules that are not listed stay as they are
	}
	for _, g := range c.groups {
		if len(g.targets) == 0 {
			return said{format: g.format, size: g.size, ok: g.format != ""}
		}
		for _, t := range g.targets {
			if t.match(mod.Name) {
				return said{format: g.format, size: g.size, ok: g.format != ""}
			}
		}
	}
	if len(c.groups) > 0 {
		return said{excluded: true, ok: true}
	}
	return said{format: c.Format, size: c.GroupSize, ok: c.Format != ""}
}

// KVScheme is how the configuration wants the KV cache held: "FP8", "NVFP4", or
// empty. A server that is left to choose ("auto") follows it.
func (m *Model) KVScheme() string {
	for _, c := range m.Claims {
		if c.KV != "" {
			return c.KV
		}
	}
	return ""
}

// Claim returns the claim that counts, nil where there is none.
func (m *Model) Claim() *Claim {
	if len(m.Claims) == 0 {
		return nil
	}
	return &m.Claims[0]
}

// claimed says how the map shows what the configuration says of a module, and
// whether the module is stored otherwise.
func (m *Model) claimed(mod *Module, s said) (text string, kind string) {
	if m.table.gguf || mod.Slot == nil || mod.Format == KVScales {
		return "", ""
	}
	stored := mod.Format
	switch {
	case len(m.Claims) == 0 && stored.Quantised() && stored != Incomplete:
		return "no quantisation", DifferUnclaimed
	case !s.ok:
		return "", ""
	case s.excluded:
		if stored.Quantised() {
			return "not quantised", DifferIgnored
		}
		if mod.Slot.Kind == LinearKind {
			return "not quantised", ""
		}
		return "", ""
	case mod.Slot.Kind != LinearKind && !stored.Quantised(), stored == Incomplete:
		return "", "" // servers quantise no such module whatever the file says
	case !stored.Quantised():
		return string(s.format), DifferPlain
	case !sameFormat(stored, s.format):
		return string(s.format), DifferFormat
	}
	return string(s.format), ""
}

// sameFormat: the ways of writing that one claim stands for. ModelOpt's files
// say NVFP4 for both layouts, and a claim of FP8 seldom says how many scales
// there are.
func sameFormat(stored, claimed Format) bool {
	if stored == claimed {
		return true
	}
	fp8 := func(f Format) bool { return f == FP8Tensor || f == FP8Channel }
	return fp8(stored) && fp8(claimed) ||
		claimed == AWQ && stored == INT4ModelOpt
}
