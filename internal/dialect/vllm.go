package dialect

import (
	"context"
	"encoding/json"
	"strconv"
)

// vllm is the wire form of vLLM's server.
type vllm struct{}

func (vllm) extend(c *Client, r Request, body *members) {
	thinking(r, body)
	if (r.Logprobs || r.Top > 0) && versionAtLeast(c.server.Version, 0, 11, 0) {
		body.set("return_token_ids", true)
	}
}

// score asks for the log-probabilities of the prompt and one token more.
func (vllm) score(ctx context.Context, c *Client, r Request, x *Exchange) {
	send := map[string]any{
		"model": c.server.Model, "prompt": r.Tokens, "max_tokens": 1, "temperature": 0,
		"prompt_logprobs": r.Top,
	}
	var reply struct {
		Choices []struct {
			Prompt []map[string]vllmLogprob `json:"prompt_logprobs"`
		} `json:"choices"`
	}
	if c.ask(ctx, x, "POST", "/v1/completions", send, &reply) != nil {
		return
	}
	if len(reply.Choices) == 0 || len(reply.Choices[0].Prompt) != len(r.Tokens) {
		got := 0
		if len(reply.Choices) > 0 {
			got = len(reply.Choices[0].Prompt)
		}
		x.Fail = shape("/v1/completions gives %d prompt log-probabilities for %d tokens", got, len(r.Tokens))
		return
	}
	for i, given := range r.Tokens {
		if i == 0 {
			continue
		}
		s := Score{Pos: i, ID: given}
		for key, lp := range reply.Choices[0].Prompt[i] {
			id, err := strconv.Atoi(key)
			if err != nil {
				continue
			}
			if id == given {
				s.Logprob = lp.LP.Number
				// The given token comes on top of the most likely ones.
				if lp.Rank.ok && lp.Rank.n > r.Top {
					continue
				}
			}
			s.Top = append(s.Top, TopLogprob{Token: string(lp.Text), ID: &id, Logprob: lp.LP.Number})
		}
		sortTop(s.Top)
		if len(s.Top) > r.Top {
			s.Top = s.Top[:r.Top]
		}
		x.Scores = append(x.Scores, s)
	}
}

type vllmLogprob struct {
	LP   looseNumber `json:"logprob"`
	Rank looseInt    `json:"rank"`
	Text looseString `json:"decoded_token"`
}

func (vllm) tokenize(ctx context.Context, c *Client, r Request, x *Exchange) {
	c.tokenizeV1(ctx, r, x)
}

func (vllm) countChat(ctx context.Context, c *Client, r Request, x *Exchange) {
	c.countChatV1(ctx, r, x)
}

func (vllm) load(ctx context.Context, c *Client, _ Request, x *Exchange) {
	c.metricsLoad(ctx, x, "vllm:num_requests_running", "vllm:num_requests_waiting")
}

// tokenizeV1 is /tokenize as vLLM and SGLang have it.
func (c *Client) tokenizeV1(ctx context.Context, r Request, x *Exchange) {
	send := map[string]any{"model": c.server.Model, "prompt": r.Prompt, "add_special_tokens": r.AddSpecial}
	var reply struct {
		Tokens json.RawMessage `json:"tokens"`
		Count  looseInt        `json:"count"`
	}
	if c.ask(ctx, x, "POST", "/tokenize", send, &reply) != nil {
		notFoundIsUnoffered(x)
		return
	}
	var nested []json.RawMessage
	if json.Unmarshal(reply.Tokens, &nested) == nil && len(nested) == 1 && len(nested[0]) > 0 && nested[0][0] == '[' {
		reply.Tokens = nested[0]
	}
	tokens, ok := ints(reply.Tokens)
	if !ok {
		x.Fail = shape("/tokenize gives no list of token ids")
		return
	}
	x.Tokens, x.Count = tokens, len(tokens)
}

// countChatV1 is /tokenize with messages as vLLM and, since 0.5.12, SGLang
// have it.
func (c *Client) countChatV1(ctx context.Context, r Request, x *Exchange) {
	var m members
	m.set("model", c.server.Model)
	m.set("messages", r.Messages)
	m.set("add_generation_prompt", true)
	thinking(r, &m)
	var reply struct {
		Count looseInt `json:"count"`
	}
	if c.ask(ctx, x, "POST", "/tokenize", json.RawMessage(m.encode()), &reply) != nil {
		notFoundIsUnoffered(x)
		return
	}
	if !reply.Count.ok {
		x.Fail = shape("/tokenize gives no count")
		return
	}
	x.Count = reply.Count.n
}

// notFoundIsUnoffered turns a 404 into what it means: this version has no such
// endpoint.
func notFoundIsUnoffered(x *Exchange) {
	if x.Fail != nil && x.Fail.Kind == FailStatus && (x.Status == 404 || x.Status == 405) {
		x.Fail.Kind = FailUnoffered
	}
}

// recogniseVLLM asks for /version. Other servers have one too, so without
// vLLM's name in /v1/models its metrics have to bear it out.
func recogniseVLLM(ctx context.Context, c *Client, rec *recognition) *Failure {
	info, path, fail := rec.first(ctx, "/version")
	if fail != nil {
		return fail
	}
	version, ok := info["version"].(string)
	if !ok {
		return shape("%s is not vLLM's", path)
	}
	if rec.owner != "vllm" {
		var x Exchange
		b, fail := c.call(ctx, &x, "GET", "/metrics", nil)
		if fail != nil || !containsMetric(b, "vllm:") {
			return shape("%s is that of another server", path)
		}
	}
	s := &c.server
	s.Version = version
	rec.is(VLLM)
	rec.fact("engine.version", version, path)
	setString(&s.ModelPath, rec.root)
	if rec.root != "" {
		rec.fact("model.path", rec.root, "/v1/models")
	}
	return nil
}

func vllmCaps() Caps {
	return Caps{
		Completion: true, TokenPrompt: true, Logprobs: true, PromptLogprobs: true, Tokenize: true,
		CountChat: true, Load: true, ThinkingSwitch: true, MaxTop: 20, // --max-logprobs
	}
}
