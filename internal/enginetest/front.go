package enginetest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A Dialect is the engine whose interface a Front speaks.
type Dialect string

// The dialects. OpenAI is a server with /v1 and nothing else.
const (
	LlamaCPP Dialect = "llamacpp"
	SGLang   Dialect = "sglang"
	VLLM     Dialect = "vllm"
	Ollama   Dialect = "ollama"
	OpenAI   Dialect = "openai"
)

// Dialects returns all of them.
func Dialects() []Dialect { return []Dialect{LlamaCPP, SGLang, VLLM, Ollama, OpenAI} }

// A Size is how large the served model pretends to be.
type Size string

// The sizes. SmolLM2 has 135M; knowledge and small models' quirks are judged by
// size, so that faults need a larger one to weigh in full.
const (
	Unknown Size = ""
	Tiny    Size = "135M"
	Small   Size = "3B"
	Huge    Size = "397B"
)

// Params is the size in parameters; 0 for Unknown.
func (s Size) Params() int64 {
	switch s {
	case Tiny:
		return 134515008
	case Small:
		return 3085938688
	case Huge:
		return 397e9
	}
	return 0
}

// model is the name under which a model of that size is served.
func (s Size) model() string {
	switch s {
	case Tiny:
		return "HuggingFaceTB/SmolLM2-135M-Instruct"
	case Small:
		return "Qwen/Qwen2.5-3B-Instruct"
	case Huge:
		return "nvidia/Qwen3.5-397B-A17B-NVFP4"
	}
	return "smollm2"
}

// Hooks are where a Fault, or a healthy oddity, gets at the answers. All may be
// nil.
type Hooks struct {
	// Before changes what the model is asked; Answer what it said.
	Before func(*Call)
	Answer func(*Call, *Reply)
	// Whole changes the bytes of an answer that is not streamed, Events the
	// data of a stream's events without [DONE].
	Whole  func(*Call, []byte) []byte
	Events func(*Call, []string) []string
	// Take answers in place of the Front, if it returns true.
	Take func(http.ResponseWriter, *http.Request, *Call) bool
	// Header changes the headers of the answer to the n-th request.
	Header func(h http.Header, n int)
	// Scores changes the distributions of a given text.
	Scores func([]Step)
	// Load changes how many requests are said to run and wait.
	Load func(running, waiting int) (int, int)
}

// A Framing is how the events of a stream go over the wire.
type Framing struct {
	CRLF     bool          // lines end in \r\n
	Comments bool          // keep-alive comments between events
	Split    bool          // pieces of few bytes, flushed one by one
	Break    int           // the connection breaks after that many events
	Pause    time.Duration // before the answer and between events
}

// A Front is an http.Handler that looks like one engine. Its fields are set
// before it serves.
type Front struct {
	Dialect  Dialect
	Upstream *Cassette
	Size     Size
	// Version is the engine's; empty is the newest that is known here.
	Version string
	Hooks   Hooks
	Framing Framing

	// NoRoleFirst leaves out the first chunk that holds a role alone.
	NoRoleFirst bool
	// Tools: llama.cpp was started with a chat template that has tools; the
	// other engines always are, but for ollama.
	Tools bool
	// OldLogprobs: llama.cpp's shape from before 2025.
	OldLogprobs bool
	// Thinks: the model reasons before each answer, whatever it is asked;
	// ThinksOn: it never comes to its end.
	Thinks, ThinksOn bool

	calls, requests, running atomic.Int64

	mu   sync.Mutex
	errs []error
}

// Errs returns what went wrong in the double itself, misses of the cassette
// among it: a test in which there is any has tested nothing.
func (f *Front) Errs() []error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.errs
}

// Calls is how many requests for text came.
func (f *Front) Calls() int { return int(f.calls.Load()) }

func (f *Front) note(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.errs = append(f.errs, err)
}

// ServeHTTP answers as the engine would.
func (f *Front) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := int(f.requests.Add(1))
	if f.Dialect == LlamaCPP {
		w.Header().Set("Server", "llama.cpp")
	}
	if f.Dialect == SGLang || f.Dialect == VLLM {
		w.Header().Set("Server", "uvicorn")
	}
	if f.Hooks.Header != nil {
		f.Hooks.Header(w.Header(), n)
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	key := r.Method + " " + r.URL.Path
	switch key {
	case "GET /v1/models":
		f.json(w, f.models())
	case "POST /v1/chat/completions", "POST /v1/completions":
		f.complete(w, r, body)
	default:
		own := map[Dialect]func(http.ResponseWriter, *http.Request, string, []byte) bool{
			LlamaCPP: f.llamaCPP, SGLang: f.sglang, VLLM: f.vllm, Ollama: f.ollama,
		}[f.Dialect]
		if own == nil || !own(w, r, key, body) {
			f.notFound(w)
		}
	}
}

func (f *Front) json(w http.ResponseWriter, o object) { f.reply(w, http.StatusOK, o) }

func (f *Front) reply(w http.ResponseWriter, status int, o object) { f.raw(w, status, o.encode(false)) }

func (f *Front) raw(w http.ResponseWriter, status int, b []byte) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(b)
}

func (f *Front) notFound(w http.ResponseWriter) {
	switch f.Dialect {
	case LlamaCPP:
		f.reply(w, 404, object{"error", object{"code", 404, "message", "File Not Found", "type", "not_found_error"}})
	case SGLang, VLLM:
		f.reply(w, 404, object{"detail", "Not Found"})
	case Ollama:
		w.Header().Set("Content-Type", "text/plain")
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "404 page not found")
	default:
		f.reply(w, 404, object{"error", object{"message", "Unknown request URL", "type", "invalid_request_error", "param", nil, "code", "unknown_url"}})
	}
}

// Fail answers with an error in the engine's own shape.
func (f *Front) Fail(w http.ResponseWriter, status int, message string) {
	f.reply(w, status, f.fault(status, message))
}

func (f *Front) fault(status int, message string) object {
	typ := "BadRequestError"
	if status >= 500 {
		typ = "InternalServerError"
	}
	switch f.Dialect {
	case LlamaCPP:
		typ = "invalid_request_error"
		if status >= 500 {
			typ = "server_error"
		}
		return object{"error", object{"code", status, "message", message, "type", typ}}
	case SGLang:
		return object{"object", "error", "message", message, "type", typ, "param", nil, "code", status}
	case VLLM:
		return object{"error", object{"message", message, "type", http.StatusText(status), "param", nil, "code", status}}
	case Ollama:
		typ = "invalid_request_error"
		if status >= 500 {
			typ = "api_error"
		}
		return object{"error", object{"message", message, "type", typ, "param", nil, "code", nil}}
	}
	return object{"error", object{"message", message, "type", "invalid_request_error", "param", nil, "code", nil}}
}

// badType is how each engine refuses a temperature of "hot".
func (f *Front) badType() string {
	switch f.Dialect {
	case LlamaCPP:
		return "Field 'temperature': [json.exception.type_error.302] type must be number, but is string"
	case SGLang:
		return "[{'type': 'float_parsing', 'loc': ('body', 'temperature'), 'msg': 'Input should be a valid number, unable to parse string as a number', 'input': 'hot'}]"
	case VLLM:
		return "1 validation error:\n  {'type': 'float_parsing', 'loc': 'body.temperature', 'msg': 'Input should be a valid number, unable to parse string as a number', 'input': 'hot'}"
	case Ollama:
		return "json: cannot unmarshal string into Go struct field ChatCompletionRequest.temperature of type float64"
	}
	return "Invalid type for 'temperature': expected a decimal, but got a string instead."
}

// complete answers a request for text.
func (f *Front) complete(w http.ResponseWriter, r *http.Request, body []byte) {
	f.running.Add(1)
	defer f.running.Add(-1)
	c, err := parseCall(r.URL.Path, body)
	if c == nil {
		c = &Call{Chat: strings.HasSuffix(r.URL.Path, "/chat/completions")}
	}
	c.Serial = int(f.calls.Add(1))
	if f.Hooks.Take != nil && f.Hooks.Take(w, r, badCall(c, err)) {
		return
	}
	if err != nil {
		f.Fail(w, http.StatusBadRequest, f.badType())
		return
	}
	if f.Dialect == Ollama && len(c.Tools) > 0 {
		f.Fail(w, http.StatusBadRequest, "registry.ollama.ai/library/smollm2:latest does not support tools")
		return
	}
	if f.Framing.Pause > 0 {
		select {
		case <-r.Context().Done():
			return
		case <-time.After(4 * f.Framing.Pause):
		}
	}
	if c.PromptTop != nil && f.Dialect == VLLM && !c.Chat {
		f.promptLogprobs(w, r, c)
		return
	}
	answer, err := f.answer(r.Context(), c)
	if err != nil {
		if !errors.Is(err, context.Canceled) {
			f.note(err)
		}
		f.Fail(w, http.StatusInternalServerError, "enginetest: "+err.Error())
		return
	}
	if c.Stream {
		f.stream(w, r, c, f.events(c, answer))
		return
	}
	b := f.whole(c, answer).encode(answer.BareNaN)
	if f.Hooks.Whole != nil {
		b = f.Hooks.Whole(c, b)
	}
	f.raw(w, http.StatusOK, b)
}

// badCall marks a call that no engine takes by its limit of -1.
func badCall(c *Call, err error) *Call {
	if err != nil {
		c.Max = -1
	}
	return c
}

// Bad reports whether the call is one that no engine takes.
func (c *Call) Bad() bool { return c.Max < 0 }

// Story is text of the model's own that no question asked for, different from
// call to call, to go on with.
func (f *Front) Story(ctx context.Context, c *Call) []Token {
	zero := 0.0
	r, err := f.Upstream.Generate(ctx, (&Call{
		Chat: true, Max: 400, Temperature: &zero,
		Messages: []Message{{Role: "user", Content: "Write a long story about a lighthouse."}},
	}).ask())
	if err != nil {
		f.note(err)
		return nil
	}
	tokens := r.Choices[0].Tokens
	at := 40 + c.hash()%100
	return tokens[at : len(tokens)-1]
}

// answer asks the model and lets the hooks at it.
func (f *Front) answer(ctx context.Context, c *Call) (*Reply, error) {
	asked := *c
	if f.Hooks.Before != nil {
		f.Hooks.Before(&asked)
	}
	if f.Dialect == Ollama { // which takes no notice of these
		asked.N, asked.LogitBias = 1, nil
	}
	if f.Dialect == LlamaCPP && !f.Tools {
		asked.Tools = nil // SmolLM2's template has none, and llama.cpp takes no notice
	}
	thought := []Token(nil)
	if f.Thinks || f.ThinksOn {
		thought = f.thought(ctx, c)
		if asked.Max > thinkingRoom {
			asked.Max -= thinkingRoom
		}
	}
	r, err := f.Upstream.Generate(ctx, asked.ask())
	if err != nil {
		return nil, err
	}
	r.Model, r.Fingerprint, r.Total = f.modelName(), "", r.Prompt+r.Completion
	switch f.Dialect {
	case LlamaCPP:
		r.Fingerprint = llamaVersion
	case Ollama:
		r.Fingerprint = "fp_ollama"
	case VLLM:
		r.Fingerprint = vllmFingerprint
	}
	for i := range r.Choices {
		ch := &r.Choices[i]
		f.matched(c, ch)
		if thought != nil {
			ch.think(c, thought)
			r.Completion = len(ch.Tokens)
			r.Total = r.Prompt + r.Completion
		}
		if len(asked.Tools) > 0 {
			done := "tool_calls"
			ch.Calls, ch.Content, ch.Finish = []ToolCall{{c.ToolName, *ch.Content}}, nil, &done
			if f.Dialect == VLLM || f.Dialect == LlamaCPP {
				ch.Content = ptr("")
			}
		}
	}
	if f.Hooks.Answer != nil {
		f.Hooks.Answer(c, r)
	}
	return r, nil
}

// thinkingRoom is what verify adds to a limit for a model that reasons.
const thinkingRoom = 512

// thought is what a model writes before its answer.
func (f *Front) thought(ctx context.Context, c *Call) []Token {
	story := f.Story(ctx, c)
	if f.ThinksOn {
		return append(cloneTokens(story), append(cloneTokens(story), story...)...)
	}
	return story[:min(len(story), 40)]
}

// think puts reasoning before an answer, within the limit.
func (ch *Choice) think(c *Call, thought []Token) {
	length := "length"
	thought = thought[:min(len(thought), c.Max)]
	var text strings.Builder
	for _, t := range thought {
		text.WriteString(t.Text)
	}
	reasoning := text.String()
	ch.Reasoning, ch.Thought = &reasoning, len(thought)
	room := c.Max - len(thought)
	if room == 0 {
		ch.Content, ch.Finish, ch.Tokens, ch.Matched = nil, &length, thought, ""
		return
	}
	if len(ch.Tokens) > room {
		ch.cut(room)
		ch.Matched = ""
	}
	ch.Tokens = append(cloneTokens(thought), ch.Tokens...)
}

// matched fills in what SGLang says of an answer's end.
func (f *Front) matched(c *Call, ch *Choice) {
	if *ch.Finish != "stop" {
		return
	}
	const endOfTurn = 2
	if n := len(ch.Tokens); n > 0 && ch.Tokens[n-1].ID == endOfTurn {
		if f.Dialect == SGLang {
			ch.Matched = fmt.Sprint(endOfTurn)
		}
		return
	}
	if len(c.Stop) > 0 {
		ch.Matched = quoted(c.Stop[0])
	}
}
