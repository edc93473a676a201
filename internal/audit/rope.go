package audit

import "fmt"

// rope looks for settings of positions that contradict each other. What it
// calls wrong is wrong in every reading: loaders differ in which of two values
// they take.
func (a *audit) rope(c map[string]any) {
	wrong := func(format string, args ...any) {
		a.found.add(CodeRope, Place{File: "config.json", Says: fmt.Sprintf(format, args...)})
	}
	number := func(m map[string]any, key string) (float64, bool) { x, ok := m[key].(float64); return x, ok }
	params, _ := c["rope_parameters"].(map[string]any)
	scaling, _ := c["rope_scaling"].(map[string]any)
	for _, key := range []string{"rope_theta", "partial_rotary_factor"} {
		old, ok := number(c, key)
		if now, both := number(params, key); ok && both && now != old {
			wrong("%s is %g at the top and %g in rope_parameters", key, old, now)
		}
	}
	for name, m := range map[string]map[string]any{"rope_parameters": params, "rope_scaling": scaling} {
		if m == nil {
			continue
		}
		kind, _ := m["rope_type"].(string)
		legacy, _ := m["type"].(string)
		switch factor, ok := number(m, "factor"); {
		case kind != "" && legacy != "" && kind != legacy && !(kind == "default" && legacy == "mrope"):
			wrong("%s has rope_type %q and type %q", name, kind, legacy)
		case name == "rope_scaling" && kind == "" && legacy == "" && ok:
			wrong("rope_scaling has a factor of %g and no type, so loaders ignore it or fail", factor)
		case ok && factor <= 0:
			wrong("%s has a factor of %g", name, factor)
		}
		a.ropeDims(c, m, name, wrong)
	}
	if theta, ok := number(c, "rope_theta"); ok && theta <= 1 {
		wrong("rope_theta is %g", theta)
	}
	if most, ok := number(c, "max_position_embeddings"); ok && most < 1 {
		wrong("max_position_embeddings is %g", most)
	}
}

// ropeDims compares lists with an entry for each pair of rotated dimensions.
func (a *audit) ropeDims(c, m map[string]any, name string, wrong func(string, ...any)) {
	s := &a.m.Sizes
	pairs := s.HeadDim / 2
	if s.Latent != nil {
		pairs = s.Latent.RopeDim / 2
	}
	if partial, ok := m["partial_rotary_factor"].(float64); ok {
		pairs = int64(float64(s.HeadDim)*partial) / 2
	} else if partial, ok := c["partial_rotary_factor"].(float64); ok {
		pairs = int64(float64(s.HeadDim)*partial) / 2
	}
	if pairs == 0 {
		return
	}
	if section, ok := m["mrope_section"].([]any); ok {
		sum := 0.0
		for _, x := range section {
			n, _ := x.(float64)
			sum += n
		}
		if int64(sum) != pairs {
			wrong("mrope_section in %s adds up to %.0f, and %d pairs of dimensions rotate", name, sum, pairs)
		}
	}
	for _, key := range []string{"short_factor", "long_factor"} {
		if list, ok := m[key].([]any); ok && int64(len(list)) != pairs {
			wrong("%s in %s has %d entries, and %d pairs of dimensions rotate", key, name, len(list), pairs)
		}
	}
}
