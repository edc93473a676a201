package dialect

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// openAI is the wire form of a server of which nothing more is known than that
// it has OpenAI's endpoints. The engines embed it.
type openAI struct{}

func (openAI) extend(*Client, Request, *members) {}

func (openAI) score(_ context.Context, c *Client, _ Request, x *Exchange) {
	unoffered(x, c.server.Engine.Title()+" does not score given tokens")
}

func (openAI) tokenize(_ context.Context, c *Client, _ Request, x *Exchange) {
	unoffered(x, c.server.Engine.Title()+" does not tokenize")
}

func (openAI) countChat(_ context.Context, c *Client, _ Request, x *Exchange) {
	unoffered(x, c.server.Engine.Title()+" does not count the tokens of a chat")
}

func (openAI) load(_ context.Context, c *Client, _ Request, x *Exchange) {
	unoffered(x, c.server.Engine.Title()+" does not tell its load")
}

// members are the members of a JSON object in order.
type members struct {
	names  []string
	values map[string]json.RawMessage
	err    error // of the first value that JSON cannot hold
}

func (m *members) set(name string, v any) {
	raw, ok := v.(json.RawMessage)
	if !ok {
		b, err := json.Marshal(v)
		if err != nil && m.err == nil {
			m.err = fmt.Errorf("%s: %w", name, err)
		}
		raw = b
	}
	if len(raw) == 0 {
		raw = json.RawMessage("null")
	}
	if m.values == nil {
		m.values = map[string]json.RawMessage{}
	}
	if _, have := m.values[name]; !have {
		m.names = append(m.names, name)
	}
	m.values[name] = raw
}

func (m *members) drop(name string) {
	delete(m.values, name)
	m.names = slices.DeleteFunc(m.names, func(n string) bool { return n == name })
}

// encode returns the object. It does not check the values: a raw one may be
// bad on purpose.
func (m *members) encode() []byte {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range m.names {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(mustJSON(name))
		b.WriteByte(':')
		b.Write(m.values[name])
	}
	b.WriteByte('}')
	return b.Bytes()
}

// encode returns the path and the body of a chat or text completion.
func (c *Client) encode(r Request) (path string, body []byte, err error) {
	var m members
	m.set("model", c.server.Model)
	if r.Op == OpChat {
		path = "/v1/chat/completions"
		messages := r.Messages
		if messages == nil {
			messages = []Message{}
		}
		m.set("messages", messages)
	} else {
		path = "/v1/completions"
		if r.Tokens != nil {
			m.set("prompt", r.Tokens)
		} else {
			m.set("prompt", r.Prompt)
		}
	}
	if r.MaxTokens > 0 {
		m.set("max_tokens", r.MaxTokens)
	}
	if r.Temperature != nil {
		m.set("temperature", *r.Temperature)
	}
	if r.Seed != nil {
		m.set("seed", *r.Seed)
	}
	if r.N > 0 {
		m.set("n", r.N)
	}
	if len(r.Stop) > 0 {
		m.set("stop", r.Stop)
	}
	if r.Logprobs || r.Top > 0 {
		if r.Op == OpChat {
			m.set("logprobs", true)
			m.set("top_logprobs", r.Top)
		} else {
			m.set("logprobs", r.Top)
		}
	}
	if len(r.LogitBias) > 0 {
		m.set("logit_bias", r.LogitBias)
	}
	if len(r.JSONSchema) > 0 {
		m.set("response_format", map[string]any{
			"type":        "json_schema",
			"json_schema": map[string]any{"name": "answer", "schema": r.JSONSchema, "strict": true},
		})
	}
	if len(r.Tools) > 0 {
		type function struct {
			Type     string `json:"type"`
			Function Tool   `json:"function"`
		}
		tools := make([]function, len(r.Tools))
		for i, t := range r.Tools {
			if len(t.Parameters) == 0 {
				t.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
			}
			tools[i] = function{"function", t}
		}
		m.set("tools", tools)
	}
	if r.ToolChoice != "" {
		m.set("tool_choice", r.ToolChoice)
	}
	if r.Stream {
		m.set("stream", true)
		m.set("stream_options", map[string]bool{"include_usage": true})
	}
	c.wire.extend(c, r, &m)
	for _, name := range slices.Sorted(maps.Keys(r.Extra)) {
		m.set(name, r.Extra[name])
	}
	return path, m.encode(), m.err
}

// thinking sets the switch that SGLang, vLLM and llama.cpp hand to the chat
// template.
func thinking(r Request, body *members) {
	if r.Thinking != nil && (r.Op == OpChat || r.Op == OpCountChat) {
		body.set("chat_template_kwargs", map[string]bool{"enable_thinking": *r.Thinking})
	}
}

// generate makes a chat or text completion.
func (c *Client) generate(ctx context.Context, r Request, x *Exchange) {
	if r.Op == OpCompletion && !c.server.Caps.Completion {
		unoffered(x, c.server.Engine.Title()+" does not complete a plain prompt")
		return
	}
	if r.Op == OpCompletion && r.Tokens != nil && !c.server.Caps.TokenPrompt {
		unoffered(x, c.server.Engine.Title()+" takes no prompt of token ids")
		return
	}
	path, body, err := c.encode(r)
	if err != nil {
		unoffered(x, "the request is no JSON: "+c.redact(err.Error()))
		return
	}
	if r.Stream {
		c.stream(ctx, r, x, path, body)
		c.noGeneration(x)
		return
	}
	b, fail := c.call(ctx, x, "POST", path, body)
	c.noGeneration(x)
	if fail == nil || len(b) > 0 && x.Status >= 200 && x.Status < 300 && fail.Kind != FailNotJSON && fail.Kind != FailTooLarge {
		answer, bad := c.readAnswer(b)
		x.Answer = answer
		if fail == nil {
			x.Fail = bad
		}
	}
}

// noGeneration recognises a vLLM whose model makes embeddings: it leaves the
// endpoints that generate out, and FastAPI says {"detail":"Not Found"}.
func (c *Client) noGeneration(x *Exchange) {
	if x.Fail != nil && x.Status == 404 && c.server.Engine == VLLM && x.Fail.Type == "" && strings.HasSuffix(x.Fail.Message, ": Not Found") {
		x.Fail.Kind = FailEmbedding
		x.Fail.Message = "status 404: this vLLM has no " + x.Path + ", as where the model generates no text"
	}
}

// readAnswer parses a whole body.
func (c *Client) readAnswer(b []byte) (*Answer, *Failure) {
	var w wireAnswer
	bare, err := decodeAnswer(b, &w)
	if err != nil {
		return nil, &Failure{Kind: FailNotJSON, Message: "the answer is no JSON (" + cut(err.Error(), 100) + "): " + c.describe("", b)}
	}
	if fail := c.faultIn(&w, b); fail != nil {
		return nil, fail
	}
	if w.Choices == nil {
		return nil, &Failure{Kind: FailShape, Message: "the answer has no choices: " + c.describe("", b)}
	}
	var j joiner
	j.add(&w)
	a := c.scrub(j.finish())
	a.BareNaN = bare
	return a, nil
}

// faultIn finds an error object in an answer or event that came with a status
// of 200.
func (c *Client) faultIn(w *wireAnswer, b []byte) *Failure {
	if len(w.Choices) > 0 || isNull(w.Error) && isNull(w.Detail) && w.Object != "error" {
		return nil
	}
	f, ok := parseFault(b)
	if !ok {
		return nil
	}
	kind := FailStatus
	if embeddingOnly(f.message) {
		kind = FailEmbedding
	}
	return &Failure{
		Kind: kind, Message: "an error in place of the answer: " + cut(c.redact(f.message), maxMessage),
		Type: cut(c.redact(f.typ), 100), Code: cut(c.redact(f.code), 100),
	}
}
