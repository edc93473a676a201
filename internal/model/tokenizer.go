package model

import (
	"bytes"
	"context"
	"encoding/base64"
	"fmt"
	"math"
	"slices"
)

// A Tokenizer is what a checkpoint says of its vocabulary and of how a
// conversation becomes a prompt.
type Tokenizer struct {
	// Source is the file it was read from; empty where there is none.
	Source string `json:"source,omitempty"`
	// Model is the tokenizer's kind, such as "BPE" or "gpt2 qwen2".
	Model string `json:"model,omitempty"`
	// Tokens is how many there are, added ones included.
	Tokens int `json:"tokens"`
	// Zero is the text of token 0, which a server repeats whose logits are NaN;
	// nil where it is not known. It is as the vocabulary has it: byte-level
	// alphabets write a space as "Ġ".
	Zero *string `json:"zero,omitempty"`
	// Special are the tokens with a task.
	Special []SpecialToken `json:"special"`
	// Template is the chat template; nil where there is none.
	Template *Template `json:"template,omitempty"`
}

// A SpecialToken is one with a task, such as "bos" or "eos".
type SpecialToken struct {
	Task string `json:"task"`
	// ID is -1 where only the text is known.
	ID   int64  `json:"id"`
	Text string `json:"text"`
}

func (t *Tokenizer) addSpecial(task string, id int64, text string) {
	s := SpecialToken{task, id, text}
	if len(t.Special) < 64 && !slices.Contains(t.Special, s) {
		t.Special = append(t.Special, s)
	}
}

// maxTokenizer bounds a tokenizer.json. Kimi's and Qwen's have 10 to 20 MB.
const maxTokenizer = 128 << 20

// readTokenizer reads tokenizer.json, tokenizer_config.json, the chat template
// and the ids of config.json and generation_config.json.
func (m *Model) readTokenizer(ctx context.Context) error {
	defer func() {
		if m.Tokenizer.Special == nil {
			m.Tokenizer.Special = []SpecialToken{}
		}
	}()
	if m.table.gguf {
		m.readGGUFTokenizer()
		return ctx.Err()
	}
	t := &m.Tokenizer
	byText := map[string]int64{}
	byID := map[int64]string{}
	if _, ok := m.cp.Sides["tokenizer.json"]; ok {
		data, err := m.cp.ReadSide(ctx, "tokenizer.json", maxTokenizer)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			m.note(err.Error())
		} else {
			t.Source = "tokenizer.json"
			m.readVocabulary(data, byText, byID)
		}
	} else {
		for _, name := range []string{"tokenizer.model", "tiktoken.model", "vocab.json"} {
			if _, ok := m.cp.Sides[name]; ok {
				t.Source = name
			}
		}
	}
	if t.Source == "tiktoken.model" {
		if data, err := m.cp.ReadSide(ctx, t.Source, maxTokenizer); err == nil {
			t.readRanks(data)
		}
	}
	m.readTokenizerConfig(byText, byID)
	return ctx.Err()
}

// readRanks reads tiktoken's list: a token in base64 and its rank on each line.
// Special tokens come after the last rank, and are not in it.
func (t *Tokenizer) readRanks(data []byte) {
	t.Model = "tiktoken"
	for line := range bytes.Lines(data) {
		token, rank, ok := bytes.Cut(bytes.TrimSpace(line), []byte(" "))
		if !ok {
			continue
		}
		t.Tokens++
		if string(rank) == "0" && t.Zero == nil {
			if b, err := base64.StdEncoding.DecodeString(string(token)); err == nil {
				text := string(b)
				t.Zero = &text
			}
		}
	}
}

// readVocabulary takes from tokenizer.json the text of token 0, the number of
// tokens, and the added ones.
func (m *Model) readVocabulary(data []byte, byText map[string]int64, byID map[int64]string) {
	t := &m.Tokenizer
	bad := false
	zero := func(text string) {
		if t.Zero == nil {
			t.Zero = &text
		}
	}
	largest := int64(-1)
	members(data, func(key string, value []byte) {
		switch key {
		case "model":
			members(value, func(key string, value []byte) {
				switch key {
				case "type":
					t.Model, _ = jsonString(value)
				case "vocab":
					largest = max(largest, vocabulary(value, zero))
				}
			})
		case "added_tokens":
			elements(value, func(_ int, value []byte) {
				id, text := int64(-1), ""
				members(value, func(key string, value []byte) {
					switch key {
					case "id":
						id, _ = jsonInt(value)
					case "content":
						text, _ = jsonString(value)
					}
				})
				if id < 0 || id > maxVocab || len(byID) > 100_000 {
					bad = true
					return
				}
				largest = max(largest, id)
				byText[text], byID[id] = id, text
				if id == 0 {
					zero(text)
				}
			})
		}
	})
	t.Tokens = int(largest + 1)
	if bad || largest < 0 {
		m.note("tokenizer.json does not read as a tokenizer: no vocabulary, or a token without an id")
	}
}

// vocabulary returns the largest id of a vocabulary: an object (BPE,
// WordPiece) or a list of pairs (Unigram).
func vocabulary(value []byte, zero func(string)) (largest int64) {
	largest = -1
	if len(value) > 0 && value[0] == '[' {
		elements(value, func(i int, pair []byte) {
			largest = int64(i)
			if i == 0 {
				elements(pair, func(j int, v []byte) {
					if s, ok := jsonString(v); ok && j == 0 {
						zero(s)
					}
				})
			}
		})
		return largest
	}
	rawMembers(value, func(key, value []byte) {
		id, ok := jsonInt(value)
		if !ok || id > maxVocab {
			return
		}
		largest = max(largest, id)
		if id == 0 {
			if s, ok := jsonString(key); ok {
				zero(s)
			}
		}
	})
	return largest
}

// readTokenizerConfig takes the special tokens and the template from the small
// files.
func (m *Model) readTokenizerConfig(byText map[string]int64, byID map[int64]string) {
	t := &m.Tokenizer
	named := func(task, text string) {
		id, ok := byText[text]
		if !ok {
			id = -1
		}
		t.addSpecial(task, id, text)
	}
	source, template := "", ""
	if s := m.cp.Sides["tokenizer_config.json"]; s != nil && s.Data != nil {
		if o, ok := parseObject("tokenizer_config.json", s.Data, m.note); ok {
			for _, task := range []string{"bos", "eos", "pad", "unk"} {
				switch v := o.fields[task+"_token"].(type) {
				case string:
					named(task, v)
				case map[string]any:
					if text, ok := v["content"].(string); ok {
						named(task, text)
					}
				}
			}
			if tmpl := templateIn(o); tmpl != "" {
				source, template = "tokenizer_config.json", tmpl
			}
		}
	}
	for _, name := range []string{"chat_template.json", "chat_template.jinja"} { // the later wins, as in transformers
		s := m.cp.Sides[name]
		if s == nil || s.Data == nil {
			continue
		}
		if name == "chat_template.jinja" {
			source, template = name, string(s.Data)
		} else if o, ok := parseObject(name, s.Data, m.note); ok {
			if tmpl := templateIn(o); tmpl != "" {
				source, template = name, tmpl
			}
		}
	}
	if template != "" {
		t.Template = readTemplate(source, template)
	}
	ids := func(o object, task, key string) {
		list := []int64{}
		switch o.fields[key].(type) {
		case []any:
			list = o.ints(key, 32)
		case nil:
		default:
			if id, ok := o.int(key, math.MaxInt32); ok {
				list = append(list, id)
			}
		}
		for _, id := range list {
			if !slices.ContainsFunc(t.Special, func(s SpecialToken) bool { return s.Task == task && s.ID == id }) {
				t.addSpecial(task, id, byID[id])
			}
		}
	}
	var generation object
	if s := m.cp.Sides["generation_config.json"]; s != nil && s.Data != nil {
		generation, _ = parseObject("generation_config.json", s.Data, m.note)
	}
	for _, o := range []object{m.root, m.conf, generation} {
		for _, task := range []string{"bos", "eos", "pad"} {
			ids(o, task, task+"_token_id")
		}
	}
	if m.Sizes.Vocab > 0 && int64(t.Tokens) > m.Sizes.Vocab {
		m.differ(Difference{Kind: DifferShape, Where: "vocab_size", Config: fmt.Sprint(m.Sizes.Vocab), Stored: fmt.Sprintf("tokenizer.json has ids up to %d", t.Tokens-1), Count: 1})
	}
}

// templateIn returns chat_template, which may be a list of named ones: the one
// called "default", else the first.
func templateIn(o object) string {
	switch v := o.fields["chat_template"].(type) {
	case string:
		return v
	case []any:
		first := ""
		for _, e := range v {
			entry, _ := e.(map[string]any)
			text, _ := entry["template"].(string)
			if entry["name"] == "default" {
				return text
			}
			if first == "" {
				first = text
			}
		}
		return first
	}
	return ""
}
