package dialect

import (
	"context"
	"encoding/json"
	"strings"
)

// sglang is the wire form of SGLang's server.
type sglang struct{ openAI }

func (sglang) extend(c *Client, r Request, body *members) {
	thinking(r, body)
	// Versions before 0.5.17 ignore it.
	if r.Logprobs || r.Top > 0 {
		if versionAtLeast(c.server.Version, 0, 5, 17) {
			body.set("return_token_ids", true)
		}
	}
}

// score asks the native endpoint, whose log-probabilities begin at the second
// token.
func (sglang) score(ctx context.Context, c *Client, r Request, x *Exchange) {
	send := map[string]any{
		"input_ids":         r.Tokens,
		"sampling_params":   map[string]any{"max_new_tokens": 1, "temperature": 0},
		"return_logprob":    true,
		"logprob_start_len": 0,
		"top_logprobs_num":  r.Top,
	}
	var reply struct {
		Meta struct {
			Input []sglangLogprob   `json:"input_token_logprobs"`
			Top   [][]sglangLogprob `json:"input_top_logprobs"`
		} `json:"meta_info"`
	}
	if c.ask(ctx, x, "POST", "/generate", send, &reply) != nil {
		return
	}
	in := reply.Meta.Input
	if len(in) != len(r.Tokens) {
		x.Fail = shape("/generate gives %d log-probabilities for %d tokens", len(in), len(r.Tokens))
		return
	}
	for i := 1; i < len(in); i++ {
		if in[i].id.ok && in[i].id.n != r.Tokens[i] {
			x.Fail = shape("/generate scores token %d at position %d, where %d was given", in[i].id.n, i, r.Tokens[i])
			return
		}
		s := Score{Pos: i, ID: r.Tokens[i], Logprob: in[i].lp.Number}
		if i < len(reply.Meta.Top) {
			for _, t := range reply.Meta.Top[i] {
				s.Top = append(s.Top, TopLogprob{Token: t.text, ID: t.id.ptr(), Logprob: t.lp.Number})
			}
		}
		x.Scores = append(x.Scores, s)
	}
}

// A sglangLogprob is [logprob, token id, text or null].
type sglangLogprob struct {
	lp   looseNumber
	id   looseInt
	text string
}

func (v *sglangLogprob) UnmarshalJSON(b []byte) error {
	*v = sglangLogprob{}
	var parts []json.RawMessage
	_ = json.Unmarshal(b, &parts) // what is no list has no parts
	for i, p := range parts {
		switch i {
		case 0:
			_ = v.lp.UnmarshalJSON(p)
		case 1:
			_ = v.id.UnmarshalJSON(p)
		case 2:
			v.text = text(p)
		}
	}
	return nil
}

func (sglang) tokenize(ctx context.Context, c *Client, r Request, x *Exchange) {
	c.tokenizeV1(ctx, r, x)
}

func (s sglang) countChat(ctx context.Context, c *Client, r Request, x *Exchange) {
	if !c.server.Caps.CountChat {
		s.openAI.countChat(ctx, c, r, x)
		return
	}
	c.countChatV1(ctx, r, x)
}

// load reads /metrics where the server has it on, else its load endpoints.
func (sglang) load(ctx context.Context, c *Client, _ Request, x *Exchange) {
	if on, ok := flag(c.server, "enable_metrics"); !ok || on == true {
		if c.metricsLoad(ctx, x, "sglang:num_running_reqs", "sglang:num_queue_reqs") {
			return
		}
		if x.Status != 404 {
			return
		}
	}
	x.Fail = nil
	x.Requests = 2
	var loads struct {
		Loads []struct {
			Running looseInt `json:"num_running_reqs"`
			Waiting looseInt `json:"num_waiting_reqs"`
		} `json:"loads"`
	}
	if c.ask(ctx, x, "GET", "/v1/loads", nil, &loads) == nil && len(loads.Loads) > 0 {
		x.Load = &Load{Source: "GET /v1/loads"}
		for _, l := range loads.Loads {
			x.Load.Running += l.Running.n
			x.Load.Waiting += l.Waiting.n
		}
		return
	}
	if x.Status != 404 {
		return
	}
	x.Fail = nil
	x.Requests = 3
	var older []struct {
		Requests looseInt `json:"num_reqs"`
		Waiting  looseInt `json:"num_waiting_reqs"`
	}
	if c.ask(ctx, x, "GET", "/get_load", nil, &older) == nil {
		x.Load = &Load{Source: "GET /get_load"}
		for _, l := range older {
			x.Load.Running += max(0, l.Requests.n-l.Waiting.n)
			x.Load.Waiting += l.Waiting.n
		}
		return
	}
	if x.Status == 404 {
		x.Fail = nil
		unoffered(x, "this SGLang has neither /metrics (--enable-metrics) nor /v1/loads")
	}
}

// recogniseSGLang asks for /server_info and /model_info, by their older names
// where the new ones are missing.
func recogniseSGLang(ctx context.Context, c *Client, rec *recognition) *Failure {
	info, path, fail := rec.first(ctx, "/server_info", "/get_server_info")
	if fail != nil && fail.Kind == FailAuth && rec.owner == "sglang" {
		// It wants the admin's key. /model_info, which is for all, bears it out.
		info, path, fail = rec.first(ctx, "/model_info", "/get_model_info")
	}
	if fail != nil {
		return fail
	}
	if info["internal_states"] == nil && info["model_path"] == nil {
		return shape("%s is not SGLang's", path)
	}
	if status, _ := info["status"].(string); strings.EqualFold(status, "starting") {
		return &Failure{Kind: FailLoading, Message: "SGLang says that it is starting"}
	}
	s := &c.server
	s.Version = stringOf(info["version"])
	rec.is(SGLang)
	rec.fact("engine.version", info["version"], path)
	for _, name := range sortedKeys(info) {
		switch {
		case name == "version" || name == "internal_states" || !strings.HasSuffix(path, "server_info"):
		case name == "max_total_num_tokens" || name == "max_req_input_len" || name == "status":
			rec.fact("engine.state."+name, info[name], path)
		default:
			rec.flag(name, info[name], path)
		}
	}
	if states, ok := info["internal_states"].([]any); ok && len(states) > 0 {
		if st, ok := states[0].(map[string]any); ok {
			rec.sglangState(st, path)
		}
	}
	setString(&s.ModelPath, stringOf(info["model_path"]))
	setString(&s.Quantization, stringOf(info["quantization"]))
	if n := intOf(info["context_length"]); n > 0 && s.MaxContext == 0 {
		s.MaxContext = n
	}

	if model, path, fail := rec.first(ctx, "/model_info", "/get_model_info"); fail == nil {
		for _, name := range sortedKeys(model) {
			rec.fact("model."+modelFact(name), model[name], path)
		}
		setString(&s.ModelPath, stringOf(model["model_path"]))
		if gen, ok := model["is_generation"].(bool); ok && !gen {
			return &Failure{Kind: FailEmbedding, Message: "SGLang serves " + s.Model + " for embeddings: it generates no text"}
		}
	}
	return nil
}

func sglangCaps(version string) Caps {
	return Caps{
		Completion: true, TokenPrompt: true, Logprobs: true, PromptLogprobs: true, Tokenize: true,
		CountChat: versionAtLeast(version, 0, 5, 12), Load: true, ThinkingSwitch: true,
	}
}

// modelFact names a member of /model_info as a fact.
func modelFact(name string) string {
	if name == "model_path" {
		return "path"
	}
	return name
}

// sglangState keeps what only the scheduler knows, and the flags that it
// resolved to something else than was given.
func (rec *recognition) sglangState(state map[string]any, path string) {
	for _, name := range []string{"last_gen_throughput", "memory_usage", "effective_max_running_requests_per_dp", "avg_spec_accept_length"} {
		if v := state[name]; v != nil {
			rec.fact("engine.state."+name, v, path)
		}
	}
	for _, name := range sortedKeys(state) {
		given, have := rec.flags[name]
		if have && scalar(state[name]) && given != state[name] {
			rec.fact("engine.resolved."+name, rec.hide(name, state[name]), path)
		}
	}
}
