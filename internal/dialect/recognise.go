package dialect

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"kilter/internal/evidence"
)

// A recognition is what is under way while Connect learns what a server is.
//
// It is frugal: GET /v1/models first, whose owned_by says which engine made
// the list, then only that engine's own endpoints, which have to confirm it.
// Without such a hint the engines are tried in turn, the ones first whose
// endpoint no other server has.
type recognition struct {
	c      *Client
	facts  evidence.Collector
	owner  string // owned_by of the chosen model
	root   string // its root
	status int    // of the last request
	flags  map[string]any
}

type modelList struct {
	Data []modelCard `json:"data"`
}

type modelCard struct {
	ID      looseString   `json:"id"`
	OwnedBy looseString   `json:"owned_by"`
	Root    looseString   `json:"root"`
	Parent  looseString   `json:"parent"` // of an adapter
	MaxLen  looseInt      `json:"max_model_len"`
	Type    looseString   `json:"type"`
	Task    looseString   `json:"task"`
	Aliases []looseString `json:"aliases"` // llama.cpp
	Meta    struct {      // llama.cpp
		Vocab    looseInt    `json:"n_vocab"`
		Ctx      looseInt    `json:"n_ctx"`
		CtxTrain looseInt    `json:"n_ctx_train"`
		Params   looseNumber `json:"n_params"`
		Size     looseNumber `json:"size"`
		Ftype    looseString `json:"ftype"`
	} `json:"meta"`
}

// get reads an endpoint into reply and notes the gateway's signs.
func (rec *recognition) call(ctx context.Context, method, path string, send, reply any) *Failure {
	c := rec.c
	x := Exchange{Start: c.o.Now()}
	var body []byte
	if send != nil {
		body = mustJSON(send)
	}
	b, fail := rec.exchange(ctx, &x, method, path, body)
	rec.status = x.Status
	if fail != nil {
		return fail
	}
	b, _ = quoteNonFinite(b)
	dec := json.NewDecoder(bytes.NewReader(b))
	dec.UseNumber()
	if err := dec.Decode(reply); err != nil {
		return c.badJSON(path, b, err)
	}
	return nil
}

// exchange is Client.call that also looks at every response header.
func (rec *recognition) exchange(ctx context.Context, x *Exchange, method, path string, body []byte) ([]byte, *Failure) {
	c := rec.c
	f, fail := c.launch(ctx, x, method, path, body)
	defer f.land()
	if fail != nil {
		return nil, fail
	}
	for _, sign := range gatewaySigns(f.resp.Header) {
		if sign = cut(c.redact(sign), 100); !slices.Contains(c.server.Gateway, sign) {
			c.server.Gateway = append(c.server.Gateway, sign)
		}
	}
	b, fail := f.readAll(nil)
	if fail != nil {
		return nil, fail
	}
	return b, c.bodyFailure(f.resp, b)
}

// first reads the first of some paths that is not missing, as an object.
func (rec *recognition) first(ctx context.Context, paths ...string) (map[string]any, string, *Failure) {
	var fail *Failure
	for _, path := range paths {
		var reply map[string]any
		if fail = rec.call(ctx, "GET", path, nil, &reply); fail == nil && reply != nil {
			return reply, path, nil
		}
		if fail == nil {
			fail = shape("%s is no JSON object", path)
		}
		if rec.status != 404 {
			break
		}
	}
	return nil, paths[len(paths)-1], fail
}

// post is first for one path and a body.
func (rec *recognition) post(ctx context.Context, path string, send any) (map[string]any, string, *Failure) {
	var reply map[string]any
	fail := rec.call(ctx, "POST", path, send, &reply)
	return reply, path, fail
}

// models reads /v1/models.
func (rec *recognition) models(ctx context.Context) (*modelList, *Failure) {
	var raw struct {
		Data json.RawMessage `json:"data"`
	}
	if fail := rec.call(ctx, "GET", "/v1/models", nil, &raw); fail != nil {
		return nil, fail
	}
	var list modelList
	if string(raw.Data) == "null" { // ollama without models
		return &list, nil
	}
	if len(raw.Data) == 0 || json.Unmarshal(raw.Data, &list.Data) != nil {
		return nil, shape("/v1/models holds no list of models")
	}
	return &list, nil
}

// choose takes the model to ask for, and what its entry tells.
func (rec *recognition) choose(list *modelList) error {
	c, s := rec.c, &rec.c.server
	var bases []*modelCard
	var chosen *modelCard
	for i := range list.Data {
		m := &list.Data[i]
		if m.ID == "" {
			continue
		}
		s.Models = append(s.Models, string(m.ID))
		if m.Parent == "" {
			bases = append(bases, m)
		}
		// ollama takes a name without its tag for the latest.
		latest := m.OwnedBy == "library" && string(m.ID) == c.o.Model+":latest"
		alias := slices.Contains(m.Aliases, looseString(c.o.Model))
		if c.o.Model != "" && (string(m.ID) == c.o.Model || alias || latest) {
			chosen = m
		}
	}
	switch {
	case chosen != nil:
	case c.o.Model != "" && len(s.Models) > 0:
		return c.modelError(fmt.Sprintf("the server lists no model %q", c.o.Model), "it lists "+some(s.Models)+"; choose one with --model")
	case len(bases) > 1:
		return c.modelError(fmt.Sprintf("the server lists %d models", len(bases)), "choose one with --model: "+some(s.Models))
	case len(bases) == 1:
		chosen = bases[0]
	default:
		if len(list.Data) > 0 {
			rec.owner = string(list.Data[0].OwnedBy)
		}
		s.Model = c.o.Model
		return nil
	}

	const path = "/v1/models"
	s.Model = string(chosen.ID)
	rec.owner, rec.root = string(chosen.OwnedBy), string(chosen.Root)
	rec.fact("model.id", s.Model, path)
	if rec.owner != "" {
		rec.fact("engine.owned_by", rec.owner, path)
	}
	if chosen.Parent != "" {
		rec.fact("model.parent", string(chosen.Parent), path)
	}
	if n := chosen.MaxLen.n; n > 0 {
		s.MaxContext = n
		rec.fact("model.max_context", n, path)
	}
	m := chosen.Meta
	if m.Vocab.n > 0 {
		s.VocabSize = m.Vocab.n
		rec.fact("model.vocab_size", m.Vocab.n, path)
	}
	if m.CtxTrain.n > 0 {
		rec.fact("model.context_train", m.CtxTrain.n, path)
	}
	if m.Params.IsFinite() && m.Params.Value > 0 {
		rec.params(m.Params.Value, path)
	}
	if m.Size.IsFinite() && m.Size.Value > 0 {
		rec.fact("model.bytes", int64(m.Size.Value), path)
	}
	setString(&s.Quantization, string(m.Ftype))
	for _, kind := range []looseString{chosen.Type, chosen.Task} {
		if k := strings.ToLower(string(kind)); strings.HasPrefix(k, "embed") || k == "rerank" || k == "score" {
			return c.connectError(&Failure{Kind: FailEmbedding, Message: fmt.Sprintf("the server lists %s as of type %q: it generates no text", s.Model, k)}, 200)
		}
	}
	return nil
}

func some(names []string) string {
	const most = 8
	if len(names) > most {
		return strings.Join(names[:most], ", ") + fmt.Sprintf(" and %d more", len(names)-most)
	}
	return strings.Join(names, ", ")
}

type recogniser = func(context.Context, *Client, *recognition) *Failure

// engine finds out which engine it is. A server that is none of those known
// stays OpenAI.
func (rec *recognition) engine(ctx context.Context) *Failure {
	var tries []recogniser
	switch rec.owner {
	case "sglang":
		tries = []recogniser{recogniseSGLang}
	case "vllm":
		tries = []recogniser{recogniseVLLM}
	case "llamacpp":
		tries = []recogniser{recogniseLlamaCPP}
	case "library":
		tries = []recogniser{recogniseOllama}
	default:
		tries = []recogniser{recogniseLlamaCPP, recogniseSGLang, recogniseOllama, recogniseVLLM}
	}
	var last *Failure
	for _, try := range tries {
		fail := try(ctx, rec.c, rec)
		last = fail
		switch {
		case fail == nil:
			return nil
		case fail.Kind == FailLoading || fail.Kind == FailEmbedding || fail.Kind == FailCancelled:
			return fail
		case rec.status == 503:
			fail.Kind = FailLoading
			return fail
		}
	}
	named, known := map[string]Engine{"sglang": SGLang, "vllm": VLLM, "llamacpp": LlamaCPP}[rec.owner]
	switch {
	case !known:
	case last.Kind == FailTimeout || last.Kind == FailHang || last.Kind == FailTooSlow:
		// It is there and does not answer: SGLang's, when its scheduler hangs.
		rec.is(named)
		rec.facts.AddAbsent("engine.version", rec.c.base, "", last.Message)
	default:
		rec.facts.AddAbsent("engine.version", rec.c.base, "",
			"/v1/models says "+rec.owner+", but none of its own endpoints can be reached, as behind a gateway")
	}
	return nil
}

// is settles which engine it is, after its version.
func (rec *recognition) is(e Engine) {
	c, s := rec.c, &rec.c.server
	s.Engine = e
	switch e {
	case SGLang:
		c.wire, s.Caps = sglang{}, sglangCaps(s.Version)
	case VLLM:
		c.wire, s.Caps = vllm{}, vllmCaps()
	case LlamaCPP:
		c.wire, s.Caps = llamaCPP{}, llamaCPPCaps()
	case Ollama:
		c.wire, s.Caps = ollama{}, ollamaCaps(s.Version)
	}
}

// fact records a value that was read at path.
func (rec *recognition) fact(what string, value any, path string) {
	if value == nil {
		return
	}
	rec.facts.Add(what, plain(value), rec.url(path), rec.curl(path))
}

// flag records one of the engine's own settings.
func (rec *recognition) flag(name string, value any, path string) {
	if value == nil || !scalar(value) && !shortList(value) {
		return
	}
	rec.flags[name] = value
	rec.fact("engine.flags."+name, rec.hide(name, value), path)
}

// hide replaces the value of a setting whose name says that it is secret.
func (rec *recognition) hide(name string, value any) any {
	if s, ok := value.(string); ok && s != "" && evidence.SecretName(name) {
		return evidence.Hidden
	}
	return value
}

// params records the number of parameters; the first source wins, since a
// count goes before a rounded name.
func (rec *recognition) params(n float64, path string) {
	s := &rec.c.server
	if s.Params == 0 || path == "/api/show" && n > 0 {
		s.Params, s.ParamsFrom = n, path
	}
}

// summary records what recognition made of what it read.
func (rec *recognition) summary() {
	s := &rec.c.server
	rec.facts.Add("engine.name", string(s.Engine), s.URL, "")
	if s.Params > 0 {
		source := "name of the model"
		if s.ParamsFrom != "name" {
			source = rec.url(s.ParamsFrom)
		}
		rec.facts.Add("model.params", int64(s.Params), source, "")
	}
	if s.Quantization != "" {
		rec.facts.Add("model.quantization", s.Quantization, s.URL, "")
	}
	for _, g := range s.Gateway {
		rec.facts.Add("gateway", g, s.URL, "")
	}
}

func (rec *recognition) url(path string) string {
	method := "GET "
	if path == "/api/show" {
		method = "POST "
	}
	return method + rec.c.server.URL + path
}

// curl is what a person can run to see the same. The key stays in the
// environment.
func (rec *recognition) curl(path string) string {
	key := ""
	if rec.c.o.APIKey != "" {
		key = `--oauth2-bearer "$KILTER_API_KEY" `
	}
	if path == "/api/show" {
		return fmt.Sprintf("curl -s %s-d '%s' %s", key, mustJSON(map[string]string{"model": rec.c.server.Model}), rec.c.server.URL+path)
	}
	return "curl -s " + key + rec.c.server.URL + path
}

// flag returns one of the engine's settings from a server's facts.
func flag(s Server, name string) (any, bool) {
	f, ok := evidence.Find(s.Facts, "engine.flags."+name)
	return f.Value, ok
}

func sortedKeys(m map[string]any) []string { return slices.Sorted(maps.Keys(m)) }

func scalar(v any) bool {
	switch v := v.(type) {
	case string:
		return len(v) <= 2048
	case bool, json.Number, float64, int:
		return true
	}
	return false
}

// shortList reports whether v is a list or object worth keeping whole.
func shortList(v any) bool {
	switch v := v.(type) {
	case []any:
		return len(v) > 0 && len(v) <= 32 && len(mustJSON(v)) <= 2048
	case map[string]any:
		return len(v) > 0 && len(v) <= 32 && len(mustJSON(v)) <= 2048
	}
	return false
}

// plain turns json.Number into int64 or float64, so that facts hold JSON's
// plain values.
func plain(v any) any {
	switch v := v.(type) {
	case json.Number:
		if n, err := v.Int64(); err == nil {
			return n
		}
		if f, err := v.Float64(); err == nil {
			return f
		}
		return v.String()
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = plain(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			out[k] = plain(v[k])
		}
		return out
	}
	return v
}

func stringOf(v any) string {
	s, _ := v.(string)
	return s
}

func floatOf(v any) float64 {
	switch v := plain(v).(type) {
	case int64:
		return float64(v)
	case float64:
		return v
	}
	return 0
}

func intOf(v any) int { return int(floatOf(v)) }
