package model

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// A Claim is what one place of the configuration says of quantisation.
type Claim struct {
	// File is where: "config.json" or "hf_quant_config.json".
	File string `json:"file"`
	// Method is quant_method, such as "modelopt", "compressed-tensors", "fp8".
	Method string `json:"method,omitempty"`
	// Algorithm is quant_algo, or compressed-tensors' format.
	Algorithm string `json:"algorithm,omitempty"`
	// Format is what that means for the modules it applies to; empty where
	// kilter does not know it, or where modules differ.
	Format Format `json:"format,omitempty"`
	// GroupSize is how many weights share a scale; 0 where it does not say.
	GroupSize int64 `json:"group_size,omitempty"`
	// KV is how the KV cache is to be held: "FP8", "NVFP4", or empty.
	KV string `json:"kv_cache,omitempty"`
	// Ignored are the patterns of modules that are left as they are.
	Ignored []string `json:"ignored,omitempty"`
	// WeightOnly is set where activations are not quantised, Static where their
	// scales are stored.
	WeightOnly bool `json:"weight_only,omitempty"`
	Static     bool `json:"static_activations,omitempty"`
}

// A claim is a Claim with what tells which modules it is for.
type claim struct {
	Claim
	groups []claimGroup
	layers map[string]claimGroup // modelopt's quantized_layers
	ignore []matcher
	zeros  bool // asymmetric: zero points are stored
	order  bool // columns are re-ordered: group indices are stored
}

// A claimGroup is a format with the modules that it is for.
type claimGroup struct {
	targets []matcher // none: all linear modules
	format  Format
	size    int64
}

// maxPatterns bounds the lists of patterns in a configuration.
const maxPatterns = 20_000

// readClaims reads quantization_config (config.json, at the top or in the text
// configuration; compression_config too) and hf_quant_config.json.
func (m *Model) readClaims() {
	for _, o := range []object{m.root, m.conf} {
		for _, key := range []string{"quantization_config", "compression_config"} {
			if q, ok := o.object(key); ok {
				m.addClaim(m.readQuantConfig(q))
				goto other
			}
		}
	}
other:
	side, ok := m.cp.Sides["hf_quant_config.json"]
	if !ok || side.Data == nil {
		return
	}
	o, ok := parseObject("hf_quant_config.json", side.Data, m.note)
	if !ok {
		return
	}
	q, ok := o.object("quantization")
	if !ok {
		q = o
	}
	c := m.readModelOpt(q)
	c.File = "hf_quant_config.json"
	c.Method = "modelopt"
	m.addClaim(c)
}

func (m *Model) addClaim(c claim) {
	for _, p := range c.Ignored {
		if w, err := newMatcher(p); err == nil {
			c.ignore = append(c.ignore, w)
		} else {
			m.note(fmt.Sprintf("%s: the pattern %q of the ignore list can't be read: %v", c.File, p, err))
		}
	}
	m.claims = append(m.claims, c)
	m.Claims = append(m.Claims, c.Claim)
}

// readQuantConfig reads config.json's quantization_config.
func (m *Model) readQuantConfig(q object) claim {
	method, _ := q.str("quant_method")
	if method == "" && q.has("quant_algo") || strings.HasPrefix(method, "modelopt") {
		c := m.readModelOpt(q)
		c.File, c.Method = "config.json", method
		return c
	}
	c := claim{Claim: Claim{File: "config.json", Method: method}}
	c.Ignored = slices.Concat(q.strings("ignore", maxPatterns), q.strings("modules_to_not_convert", maxPatterns), q.strings("ignored_layers", maxPatterns))
	c.GroupSize, _ = q.int("group_size", maxDim)
	switch method {
	case "compressed-tensors":
		m.readCompressed(q, &c)
	case "fp8":
		scheme, _ := q.str("activation_scheme")
		c.Static = scheme == "static"
		c.Format = FP8Tensor
		if size := q.ints("weight_block_size", 2); len(size) == 2 {
			c.Format, c.GroupSize = FP8Block, max(size[0], size[1])
		}
		if algo, ok := q.str("moe_quant_algo"); ok { // SGLang's mix: experts in NVFP4, the rest in FP8
			c.Algorithm = "experts " + algo
			c.groups = []claimGroup{{targets: []matcher{{contains: ".experts."}}, format: formatOfAlgo(algo)}, {format: c.Format, size: c.GroupSize}}
		}
	case "mxfp4":
		c.Format, c.WeightOnly = MXFP4, true
		c.groups = []claimGroup{{targets: []matcher{{contains: ".experts"}}, format: MXFP4, size: 32}}
	case "awq", "gptq":
		c.Format, c.WeightOnly = AWQ, true
		if method == "gptq" {
			c.Format = GPTQ
		}
		c.zeros, _ = q.bool("zero_point")
		c.order, _ = q.bool("desc_act")
	case "":
		m.note("config.json: quantization_config has no quant_method: servers refuse it or take it for none")
	default:
		m.note(fmt.Sprintf("config.json: quant_method %q is one that kilter does not know: the stored tensors alone are told", method))
	}
	return c
}

// readModelOpt reads the members that ModelOpt writes into both files.
func (m *Model) readModelOpt(q object) claim {
	c := claim{}
	c.Algorithm, _ = q.str("quant_algo")
	c.Format = formatOfAlgo(c.Algorithm)
	c.WeightOnly = strings.HasPrefix(c.Algorithm, "W4A16") || strings.HasSuffix(c.Algorithm, "_WO") || strings.HasPrefix(c.Algorithm, "W8A16")
	c.Static = !c.WeightOnly
	c.Ignored = slices.Concat(q.strings("ignore", maxPatterns), q.strings("exclude_modules", maxPatterns))
	if n, ok := q.int("group_size", maxDim); ok {
		c.GroupSize = n
	}
	if groups, ok := q.object("config_groups"); ok && c.GroupSize == 0 {
		for _, name := range groups.keys("") {
			if g, ok := groups.object(name); ok {
				if w, ok := g.object("weights"); ok {
					c.GroupSize, _ = w.int("group_size", maxDim)
				}
			}
		}
	}
	c.KV = m.readKV(q)
	layers, ok := q.object("quantized_layers")
	if !ok {
		return c
	}
	names := layers.keys("")
	if len(names) > maxPatterns {
		m.note(fmt.Sprintf("%s: quantized_layers has %d entries, more than the %d that are read", q.at, len(names), maxPatterns))
		return c
	}
	c.layers = map[string]claimGroup{}
	for _, name := range names {
		if l, ok := layers.object(name); ok {
			algo, _ := l.str("quant_algo")
			size, _ := l.int("group_size", maxDim)
			c.layers[name] = claimGroup{format: formatOfAlgo(algo), size: size}
		}
	}
	return c
}

// readKV reads how the KV cache is to be held.
func (m *Model) readKV(q object) string {
	if q.has("kv_cache_quant_algo") {
		if s, ok := q.str("kv_cache_quant_algo"); ok {
			return s
		}
	}
	switch v := q.fields["kv_cache_scheme"].(type) {
	case string:
		return v
	case map[string]any:
		o, _ := q.object("kv_cache_scheme")
		n, _ := o.int("num_bits", 64)
		switch n {
		case 8:
			return "FP8"
		case 4:
			return "NVFP4"
		}
	}
	return ""
}

// readCompressed reads compressed-tensors' config_groups.
func (m *Model) readCompressed(q object, c *claim) {
	c.Algorithm, _ = q.str("format")
	c.KV = m.readKV(q)
	groups, _ := q.object("config_groups")
	names := groups.keys("")
	slices.Sort(names)
	c.WeightOnly = true
	for _, name := range names {
		g, ok := groups.object(name)
		if !ok {
			continue
		}
		w, _ := g.object("weights")
		container, ok := g.str("format")
		if !ok {
			container = c.Algorithm
		}
		cg := claimGroup{format: formatOfScheme(w, container)}
		cg.size, _ = w.int("group_size", maxDim)
		if block := w.ints("block_structure", 2); len(block) == 2 {
			cg.size = block[0]
		}
		for _, t := range g.strings("targets", maxPatterns) {
			if t == "Linear" || t == "FusedMoE" || t == "RoutedExperts" {
				cg.targets = nil
				break
			}
			if x, err := newMatcher(t); err == nil {
				cg.targets = append(cg.targets, x)
			} else {
				m.note(fmt.Sprintf("config.json: the target %q can't be read: %v", t, err))
			}
		}
		c.groups = append(c.groups, cg)
		if c.Format == "" {
			c.Format = cg.format
		}
		c.GroupSize = max(c.GroupSize, cg.size)
		if symmetric, ok := w.bool("symmetric"); ok && !symmetric {
			c.zeros = true
		}
		if order, ok := w.fields["actorder"].(string); ok && order == "group" {
			c.order = true
		}
		if a, ok := g.object("input_activations"); ok {
			c.WeightOnly = false
			switch dynamic := a.fields["dynamic"].(type) {
			case bool:
				c.Static = c.Static || !dynamic
			case string: // "local": blocks by themselves, under a stored global scale
				c.Static = true
			}
		}
	}
	if len(c.groups) > 1 && slices.ContainsFunc(c.groups, func(g claimGroup) bool { return g.format != c.groups[0].format }) {
		c.Format = ""
	}
}

// formatOfAlgo reads ModelOpt's quant_algo.
func formatOfAlgo(algo string) Format {
	switch algo {
	case "NVFP4", "W4A16_NVFP4", "NVFP4_AWQ", "NVFP4_SVD", "W4A8_NVFP4_FP8":
		return NVFP4
	case "FP8":
		return FP8Tensor
	case "FP8_PER_CHANNEL_PER_TOKEN":
		return FP8Channel
	case "FP8_PB_WO", "FP8_PB_REAL":
		return FP8Block
	case "W4A8_MXFP4_FP8", "MXFP4":
		return MXFP4
	case "MXFP8":
		return MXFP8
	case "W4A16_AWQ", "W4A8_AWQ":
		return INT4ModelOpt
	case "W8A16", "W8A8_SQ_PER_CHANNEL", "INT8":
		return INT8
	}
	return ""
}

// formatOfScheme reads the weights' scheme of compressed-tensors.
func formatOfScheme(w object, container string) Format {
	bits, _ := w.int("num_bits", 64)
	typ, _ := w.str("type")
	strategy, _ := w.str("strategy")
	switch {
	case typ == "float" && bits == 4 && (strings.HasPrefix(container, "mxfp4") || strategy == "group"):
		return MXFP4
	case typ == "float" && bits == 4:
		return NVFP4Reciprocal
	case typ == "float" && bits == 8:
		switch strategy {
		case "block":
			return FP8Block
		case "channel":
			return FP8Channel
		case "group":
			return MXFP8
		}
		return FP8Tensor
	case typ == "int" && bits == 4:
		return INT4
	case typ == "int" && bits == 8:
		return INT8
	}
	return ""
}

// A matcher recognises modules by name.
type matcher struct {
	exact    string
	contains string
	re       *regexp.Regexp
	glob     string
}

// maxPattern bounds a pattern's length.
const maxPattern = 2000

// newMatcher reads a pattern: "re:…" is a regular expression that has to match
// from the beginning (Python's re.match), * stands for anything, the rest is a
// name.
func newMatcher(p string) (matcher, error) {
	if len(p) > maxPattern {
		return matcher{}, fmt.Errorf("longer than %d bytes", maxPattern)
	}
	if expr, ok := strings.CutPrefix(p, "re:"); ok {
		re, err := regexp.Compile("^(?:" + expr + ")")
		return matcher{re: re}, err
	}
	if strings.Contains(p, "*") {
		return matcher{glob: p}, nil
	}
	return matcher{exact: p}, nil
}

// match tells whether a pattern names a module, or one that it is part of, or
// one component of its name, with or without a wrapper's prefix: the union of
// what SGLang, vLLM and transformers accept.
func (w matcher) match(name string) bool {
	switch {
	case w.contains != "":
		return strings.Contains(name, w.contains)
	case w.re != nil:
		return w.re.MatchString(name) || w.re.MatchString(unwrapped(name))
	case w.glob != "":
		return globOrParent(w.glob, name) || globOrParent(w.glob, unwrapped(name))
	}
	return nameOrParent(w.exact, name) || nameOrParent(w.exact, unwrapped(name)) ||
		!strings.Contains(w.exact, ".") && hasComponent(name, w.exact)
}

// unwrapped is a name as the text model has it when it is loaded by itself.
func unwrapped(name string) string {
	for _, from := range []string{"model.language_model.", "language_model.model."} {
		if rest, ok := strings.CutPrefix(name, from); ok {
			return "model." + rest
		}
	}
	return strings.TrimPrefix(name, "language_model.")
}

func nameOrParent(want, name string) bool {
	return name == want || strings.HasPrefix(name, want) && name[len(want)] == '.'
}

func hasComponent(name, want string) bool {
	for rest := name; rest != ""; {
		var c string
		c, rest, _ = strings.Cut(rest, ".")
		if c == want {
			return true
		}
	}
	return false
}

// globOrParent matches a glob against a name and against the names of the
// modules that hold it.
func globOrParent(pattern, name string) bool {
	for {
		if globMatch(pattern, name) {
			return true
		}
		i := strings.LastIndexByte(name, '.')
		if i < 0 {
			return false
		}
		name = name[:i]
	}
}

// globMatch matches * (any characters, dots too) in linear space and without
// recursion.
func globMatch(pattern, s string) bool {
	p, i, star, mark := 0, 0, -1, 0
	for i < len(s) {
		switch {
		case p < len(pattern) && pattern[p] == '*':
			star, mark = p, i
			p++
		case p < len(pattern) && (pattern[p] == s[i] || pattern[p] == '?'):
			p++
			i++
		case star >= 0:
			mark++
			p, i = star+1, mark
		default:
			return false
		}
	}
	for p < len(pattern) && pattern[p] == '*' {
		p++
	}
	return p == len(pattern)
}
