package model

import "testing"

func TestMatcher(t *testing.T) {
	const expert = "model.language_model.layers.3.mlp.experts.17.gate_proj"
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"lm_head", "lm_head", true},
		{"lm_head", "language_model.lm_head", true},
		{"lm_head", "model.lm_head_norm", false},
		{"model.language_model.layers.3.mlp", expert, true},
		{"model.layers.3.mlp", expert, true}, // the name inside of the wrapper
		{"model.layers.3.ml", expert, false},
		{"model.layers.3*", expert, true},
		{"*.mlp.experts.*", expert, true},
		{"*mlp.gate", expert, false},
		{"*mlp.gate", "model.layers.0.mlp.gate", true},
		{"*self_attn*", expert, false},
		{"mtp.layers.0*", "mtp.layers.0.mlp.gate", true},
		{"model.layers.1*", "model.layers.10.mlp", true}, // as servers take it
		{"re:.*self_attn.*", "language_model.model.layers.0.self_attn.q_proj", true},
		{`re:.*mlp\.(gate|up|gate_up|down)_proj.*`, "language_model.model.layers.0.mlp.up_proj", true},
		{`re:.*mlp\.(gate|up|gate_up|down)_proj.*`, expert, false},
		{"re:vision_tower.*", "vision_tower.encoder.blocks.0", true},
		{"re:tower", "vision_tower", false}, // matches from the beginning
		{"shared_expert_gate", "model.layers.0.mlp.shared_expert_gate", true},
		{"", expert, false},
	} {
		w, err := newMatcher(c.pattern)
		if err != nil {
			t.Fatal(err)
		}
		if got := w.match(c.name); got != c.want {
			t.Errorf("%q on %q: %v", c.pattern, c.name, got)
		}
	}
	for _, bad := range []string{"re:(", "re:(?<!x)y"} {
		if _, err := newMatcher(bad); err == nil {
			t.Errorf("accepted %q", bad)
		}
	}
}

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"model.layers.0.mlp.experts.3.up_proj.weight_scale_2": "model.layers.0.mlp.experts.3.up_proj weight_scale_2",
		"model.layers.0.mlp.experts.gate_up_proj_blocks":      "model.layers.0.mlp.experts.gate_up_proj _blocks",
		"model.layers.0.mlp.experts.down_proj_bias":           "model.layers.0.mlp.experts.down_proj _bias",
		"model.layers.0.mlp.experts.down_proj":                "model.layers.0.mlp.experts.down_proj (itself)",
		"model.layers.0.linear_attn.dt_bias":                  "model.layers.0.linear_attn.dt_bias (itself)",
		"model.layers.0.mlp.gate.e_score_correction_bias":     "model.layers.0.mlp.gate.e_score_correction_bias (itself)",
		"blk.0.attn_q.weight":                                 "blk.0.attn_q weight",
		"blk.0.ssm_a":                                         "blk.0.ssm_a (itself)",
		"weight":                                              "weight (itself)",
		"":                                                    " (itself)",
	} {
		module, _, id := splitName(name)
		if got := module + " " + id.label(); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
		if back := withSuffix(module, id); back != name {
			t.Errorf("%s comes back as %s", name, back)
		}
	}
	for name, want := range map[string]string{
		"model.layers.12.mlp.experts.3.up_proj": "model.layers.*.mlp.experts.*.up_proj",
		"a.007.b":                               "a.007.b",
		"1.2.3":                                 "*.*.*",
		"a..b.":                                 "a..b.",
		"layers.9999999.x":                      "layers.9999999.x",
	} {
		if got, _, _ := pattern(nil, name); string(got) != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	if got := ranges([]int{7, 3, 1, 2, 2, 9}); got != "1-3,7,9" {
		t.Error(got)
	}
}

func TestReadTemplate(t *testing.T) {
	for _, c := range []struct {
		text string
		want Template
	}{
		{"{{ messages }}", Template{Reasoning: []string{}, Tools: []string{}, Switches: []string{}}},
		{"{% if tools %}<tool_call>{% endif %}{% if add_generation_prompt %}assistant\n<think>\n{% endif %}",
			Template{Reasoning: []string{"<think>"}, Tools: []string{"<tool_call>"}, OpensThought: true, TakesTools: true}},
		{"{% if add_generation_prompt %}assistant{% if enable_thinking is false %}<think></think>{% endif %}{% endif %}",
			Template{Reasoning: []string{"<think>", "</think>"}, Switches: []string{"enable_thinking"}}},
		{"<|channel|>analysis<|channel|>commentary to=functions.x reasoning_effort my_tools",
			Template{Reasoning: []string{"<|channel|>analysis", "<|channel|>"}, Tools: []string{"<|channel|>commentary", "to=functions."}, Switches: []string{"reasoning_effort"}}},
	} {
		got := readTemplate("x", c.text)
		if got.OpensThought != c.want.OpensThought || got.TakesTools != c.want.TakesTools || !equal(got.Reasoning, c.want.Reasoning) || !equal(got.Tools, c.want.Tools) || !equal(got.Switches, c.want.Switches) {
			t.Errorf("%q: %+v", c.text, got)
		}
	}
}

func equal(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
