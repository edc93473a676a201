package dialect

import (
	"context"
	"encoding/json"
)

// llamaCPP is the wire form of llama.cpp's server.
type llamaCPP struct{}

func (llamaCPP) extend(_ *Client, r Request, body *members) {
	thinking(r, body)
	// No top log-probabilities means no log-probabilities here.
	if r.Logprobs || r.Top > 0 {
		name := "logprobs"
		if r.Op == OpChat {
			name = "top_logprobs"
		}
		body.set(name, max(1, r.Top))
	}
	// Its /v1/completions knows the native name only.
	if r.Op == OpCompletion && len(r.JSONSchema) > 0 {
		body.drop("response_format")
		body.set("json_schema", r.JSONSchema)
	}
}

// score asks for the distribution after each prefix, one request a position,
// since llama.cpp gives no log-probabilities of a prompt. The prompt cache
// makes each step the decoding of one token.
func (llamaCPP) score(ctx context.Context, c *Client, r Request, x *Exchange) {
	x.Requests = 0
	for i := 1; i < len(r.Tokens); i++ {
		send := map[string]any{
			"prompt": r.Tokens[:i], "n_predict": 1, "n_probs": max(1, r.Top),
			// The probabilities are those before sampling, whatever the sampler.
			"temperature": 0, "cache_prompt": true, "stream": false,
		}
		var reply struct {
			Probs json.RawMessage `json:"completion_probabilities"`
		}
		x.Requests++
		if c.ask(ctx, x, "POST", "/completion", send, &reply) != nil {
			return
		}
		probs := parseLogprobs(reply.Probs)
		if len(probs) == 0 {
			x.Fail = shape("/completion gives no completion_probabilities")
			return
		}
		s := Score{Pos: i, ID: r.Tokens[i], Top: probs[0].Top}
		for _, t := range s.Top {
			if t.ID != nil && *t.ID == s.ID {
				s.Logprob = t.Logprob
			}
		}
		if len(s.Top) > r.Top {
			s.Top = s.Top[:r.Top]
		}
		x.Scores = append(x.Scores, s)
	}
}

func (llamaCPP) tokenize(ctx context.Context, c *Client, r Request, x *Exchange) {
	x.Tokens, _ = c.llamaTokens(ctx, x, r.Prompt, r.AddSpecial)
	x.Count = len(x.Tokens)
}

// llamaTokens tokenizes text; special adds what a prompt begins with (BOS) and
// reads the names of special tokens, as for a chat.
func (c *Client) llamaTokens(ctx context.Context, x *Exchange, text string, special bool) ([]int, *Failure) {
	send := map[string]any{"content": text, "add_special": special, "parse_special": special}
	var reply struct {
		Tokens json.RawMessage `json:"tokens"`
	}
	if fail := c.ask(ctx, x, "POST", "/tokenize", send, &reply); fail != nil {
		return nil, fail
	}
	tokens, ok := ints(reply.Tokens)
	if !ok {
		x.Fail = shape("/tokenize gives no list of token ids")
		return nil, x.Fail
	}
	return tokens, nil
}

// countChat applies the template and tokenizes what it gives, as the server
// itself does with a chat.
func (llamaCPP) countChat(ctx context.Context, c *Client, r Request, x *Exchange) {
	var m members
	m.set("messages", r.Messages)
	thinking(r, &m)
	var reply struct {
		Prompt *string `json:"prompt"`
	}
	x.Requests = 1
	if c.ask(ctx, x, "POST", "/apply-template", json.RawMessage(m.encode()), &reply) != nil {
		notFoundIsUnoffered(x)
		return
	}
	if reply.Prompt == nil {
		x.Fail = shape("/apply-template gives no prompt")
		return
	}
	x.Requests = 2
	tokens, _ := c.llamaTokens(ctx, x, *reply.Prompt, true)
	x.Count = len(tokens)
}

// load reads /metrics, which is off by default, or else counts busy slots.
func (llamaCPP) load(ctx context.Context, c *Client, _ Request, x *Exchange) {
	if on, ok := flag(c.server, "metrics"); !ok || on == true {
		if c.metricsLoad(ctx, x, "llamacpp:requests_processing", "llamacpp:requests_deferred") {
			return
		}
		if x.Status != 404 && x.Status != 501 {
			return
		}
		x.Requests = 2
	}
	x.Fail = nil
	var slots []struct {
		Processing bool `json:"is_processing"`
		State      int  `json:"state"` // before 2025
	}
	if c.ask(ctx, x, "GET", "/slots", nil, &slots) != nil {
		if x.Status == 404 || x.Status == 501 {
			unoffered(x, "this llama.cpp server has neither /metrics (--metrics) nor /slots (--slots)")
		}
		return
	}
	x.Load = &Load{Source: "GET /slots"}
	for _, s := range slots {
		if s.Processing || s.State != 0 {
			x.Load.Running++
		}
	}
}

// recogniseLlamaCPP asks for /props.
func recogniseLlamaCPP(ctx context.Context, c *Client, rec *recognition) *Failure {
	info, path, fail := rec.first(ctx, "/props")
	if fail != nil {
		return fail
	}
	settings, ok := info["default_generation_settings"].(map[string]any)
	if !ok {
		return shape("%s is not llama.cpp's", path)
	}
	s := &c.server
	s.Version = stringOf(info["build_info"])
	rec.is(LlamaCPP)
	s.ModelPath = stringOf(info["model_path"])
	s.MaxContext = intOf(settings["n_ctx"])
	setString(&s.Quantization, stringOf(info["model_ftype"]))
	setString(&s.Model, stringOf(info["model_alias"]))
	if s.Version != "" {
		rec.fact("engine.version", s.Version, path)
	}
	if s.ModelPath != "" {
		rec.fact("model.path", s.ModelPath, path)
	}
	if s.MaxContext > 0 {
		rec.fact("model.max_context", s.MaxContext, path)
	}
	for _, name := range []string{"total_slots", "model_ftype", "modalities", "bos_token", "eos_token", "chat_template_caps", "is_sleeping"} {
		if v := info[name]; v != nil {
			rec.fact("engine.props."+name, v, path)
		}
	}
	for member, name := range map[string]string{"endpoint_metrics": "metrics", "endpoint_slots": "slots", "endpoint_props": "props"} {
		if v := info[member]; v != nil {
			rec.flag(name, v, path)
		}
	}
	if t := stringOf(info["chat_template"]); t != "" {
		rec.fact("model.chat_template", t, path)
	}
	return nil
}

func llamaCPPCaps() Caps {
	return Caps{
		Completion: true, TokenPrompt: true, Logprobs: true, StepLogprobs: true, Tokenize: true,
		CountChat: true, Load: true, ThinkingSwitch: true,
	}
}
