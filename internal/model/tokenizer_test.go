package model_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"kilter/internal/model"
)

func TestTokenizer(t *testing.T) {
	text := func(s string) *string { return &s }
	for _, c := range []struct {
		name  string
		sides map[string]any
		want  model.Tokenizer
		notes int
	}{
		{"byte-level BPE, as Qwen has it", map[string]any{
			"tokenizer.json":         `{"model":{"vocab":{"\"":1,"!":0},"type":"BPE","merges":[["a","b"]]},"added_tokens":[{"id":5,"content":"<|im_end|>","special":true}]}`,
			"tokenizer_config.json":  `{"eos_token":"<|im_end|>","bos_token":null,"pad_token":{"content":"!","lstrip":false},"chat_template":"old"}`,
			"generation_config.json": `{"eos_token_id":[5,7]}`,
			"chat_template.jinja":    "<think>{% if tools %}",
		}, model.Tokenizer{Source: "tokenizer.json", Model: "BPE", Tokens: 6, Zero: text("!"),
			Special:  []model.SpecialToken{{Task: "eos", ID: 5, Text: "<|im_end|>"}, {Task: "pad", ID: -1, Text: "!"}, {Task: "bos", ID: 1}, {Task: "eos", ID: 2}, {Task: "eos", ID: 7}},
			Template: &model.Template{Source: "chat_template.jinja", Length: 21, Reasoning: []string{"<think>"}, Tools: []string{}, Switches: []string{}, TakesTools: true}}, 0},
		{"Unigram, and a list of templates", map[string]any{
			"tokenizer.json":        `{"added_tokens":[{"id":0,"content":"<pad>"}],"model":{"type":"Unigram","vocab":[["<pad>",0.0],["a",-1.5],["b",-2]]}}`,
			"tokenizer_config.json": `{"chat_template":[{"name":"tool_use","template":"<tool_call>"},{"name":"default","template":"plain"}]}`,
		}, model.Tokenizer{Source: "tokenizer.json", Model: "Unigram", Tokens: 3, Zero: text("<pad>"),
			Special:  []model.SpecialToken{{Task: "bos", ID: 1}, {Task: "eos", ID: 2}},
			Template: &model.Template{Source: "tokenizer_config.json", Length: 5, Reasoning: []string{}, Tools: []string{}, Switches: []string{}}}, 0},
		{"tiktoken, as Kimi has it", map[string]any{"tiktoken.model": "IQ== 0\nIg== 1\n"},
			model.Tokenizer{Source: "tiktoken.model", Model: "tiktoken", Tokens: 2, Zero: text("!"), Special: []model.SpecialToken{{Task: "bos", ID: 1}, {Task: "eos", ID: 2}}}, 0},
		{"no tokenizer", nil, model.Tokenizer{Special: []model.SpecialToken{{Task: "bos", ID: 1}, {Task: "eos", ID: 2}}}, 0},
		{"no JSON", map[string]any{"tokenizer.json": `{"model":{"vocab":{"a"`, "tokenizer_config.json": `[]`, "chat_template.json": `{"chat_template":3}`},
			model.Tokenizer{Source: "tokenizer.json", Special: []model.SpecialToken{{Task: "bos", ID: 1}, {Task: "eos", ID: 2}}}, 2},
		{"larger than the embedding", map[string]any{"tokenizer.json": `{"model":{"vocab":{"a":0,"b":200}}}`},
			model.Tokenizer{Source: "tokenizer.json", Tokens: 201, Zero: text("a"), Special: []model.SpecialToken{{Task: "bos", ID: 1}, {Task: "eos", ID: 2}}}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := changed(t, "llama", func(x *copyOf) {
				for name, side := range c.sides {
					x.sides[name] = side
				}
			})
			if d := cmp.Diff(c.want, m.Tokenizer); d != "" {
				t.Error(d)
			}
			if len(m.Notes) != c.notes {
				t.Errorf("notes %q", m.Notes)
			}
			if differs := len(m.Differences) > 0; differs != strings.HasPrefix(c.name, "larger") {
				t.Errorf("differs %+v", m.Differences)
			}
		})
	}
}
