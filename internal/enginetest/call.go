package enginetest

import (
	"bytes"
	"encoding/json"
	"errors"
	"hash/fnv"
	"strings"
)

// A Call is a request for text as a client made it. Hooks may change it before
// the model is asked.
type Call struct {
	Chat     bool
	Messages []Message
	// Prompt or Tokens is what a plain completion continues.
	Prompt string
	Tokens []int

	Max         int
	Temperature *float64
	Seed        *int
	N           int
	Stop        []string
	Logprobs    bool
	Top         int
	LogitBias   map[string]float64
	Schema      json.RawMessage
	Tools       json.RawMessage
	ToolName    string
	Stream      bool
	Usage       bool // a chunk with usage was asked for
	TokenIDs    bool // return_token_ids
	PromptTop   *int // vLLM's prompt_logprobs

	// Serial counts the calls of a Front, from 1 on.
	Serial int
}

// A Message is one turn of a chat.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// errBadType is what every engine refuses: a number that is none.
var errBadType = errors.New("a member has the wrong type")

func parseCall(path string, body []byte) (*Call, error) {
	var w struct {
		Messages    []Message          `json:"messages"`
		Prompt      json.RawMessage    `json:"prompt"`
		Max         int                `json:"max_tokens"`
		Temperature *float64           `json:"temperature"`
		Seed        *int               `json:"seed"`
		N           int                `json:"n"`
		Stop        []string           `json:"stop"`
		Logprobs    any                `json:"logprobs"`
		Top         int                `json:"top_logprobs"`
		LogitBias   map[string]float64 `json:"logit_bias"`
		Format      struct {
			Schema struct {
				Schema json.RawMessage `json:"schema"`
			} `json:"json_schema"`
		} `json:"response_format"`
		Tools  json.RawMessage `json:"tools"`
		Stream bool            `json:"stream"`
		Opts   struct {
			Usage bool `json:"include_usage"`
		} `json:"stream_options"`
		TokenIDs  bool `json:"return_token_ids"`
		PromptTop *int `json:"prompt_logprobs"`
	}
	if err := json.Unmarshal(body, &w); err != nil {
		return nil, errBadType
	}
	c := &Call{
		Chat: strings.HasSuffix(path, "/chat/completions"), Messages: w.Messages, Max: w.Max, Temperature: w.Temperature,
		Seed: w.Seed, N: w.N, Stop: w.Stop, Top: w.Top, LogitBias: w.LogitBias, Schema: w.Format.Schema.Schema,
		Tools: w.Tools, Stream: w.Stream, Usage: w.Opts.Usage, TokenIDs: w.TokenIDs, PromptTop: w.PromptTop,
	}
	switch v := w.Logprobs.(type) {
	case bool:
		c.Logprobs = v
	case float64:
		c.Logprobs, c.Top = true, int(v)
	}
	if len(w.Prompt) > 0 && json.Unmarshal(w.Prompt, &c.Prompt) != nil {
		if json.Unmarshal(w.Prompt, &c.Tokens) != nil {
			return nil, errBadType
		}
	}
	if len(c.Tools) > 0 {
		var tools []struct {
			Function struct {
				Name       string          `json:"name"`
				Parameters json.RawMessage `json:"parameters"`
			} `json:"function"`
		}
		if json.Unmarshal(c.Tools, &tools) == nil && len(tools) > 0 {
			c.ToolName = tools[0].Function.Name
			c.Tools = tools[0].Function.Parameters
		}
	}
	return c, nil
}

// Question is the last message, or the prompt.
func (c *Call) Question() string {
	if n := len(c.Messages); n > 0 {
		return c.Messages[n-1].Content
	}
	return c.Prompt
}

// Free reports whether nothing but the prompt and the limit binds the model.
func (c *Call) Free() bool {
	return len(c.LogitBias) == 0 && len(c.Schema) == 0 && len(c.Tools) == 0
}

// Sampled reports whether the temperature is above 0.
func (c *Call) Sampled() bool { return c.Temperature != nil && *c.Temperature > 0 }

// hash is the same for the same question and seed.
func (c *Call) hash() int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(c.Question()))
	if c.Seed != nil {
		_, _ = h.Write([]byte{byte(*c.Seed), byte(*c.Seed >> 8)})
	}
	return int(h.Sum32() & 0xffffff)
}

// ask is the call as llama.cpp takes it.
func (c *Call) ask() Ask {
	body := map[string]any{}
	switch {
	case c.Chat:
		body["messages"] = c.Messages
	case c.Tokens != nil:
		body["prompt"] = c.Tokens
	default:
		body["prompt"] = c.Prompt
	}
	if c.Temperature != nil {
		body["temperature"] = *c.Temperature
	}
	if c.Seed != nil && c.Sampled() {
		body["seed"] = *c.Seed
	}
	if c.N > 1 {
		body["n"] = c.N
	}
	if len(c.Stop) > 0 {
		body["stop"] = c.Stop
	}
	if len(c.LogitBias) > 0 {
		body["logit_bias"] = c.LogitBias
	}
	schema := c.Schema
	if len(c.Tools) > 0 {
		schema = c.Tools
	}
	if len(schema) > 0 {
		var compact bytes.Buffer
		if json.Compact(&compact, schema) == nil {
			schema = compact.Bytes()
		}
		body["response_format"] = map[string]any{"type": "json_schema", "json_schema": map[string]any{"schema": schema}}
	}
	return Ask{Body: body, Max: c.Max}
}
