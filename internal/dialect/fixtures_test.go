package dialect

import (
	"bufio"
	"bytes"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A recorded answers requests with responses that a real server gave, byte for
// byte: testdata/<engine-version>/<name>.txt holds the head and the body.
type recorded struct {
	t      testing.TB
	dir    string
	byPath map[string]string // "GET /path" to a name
}

func (r recorded) RoundTrip(req *http.Request) (*http.Response, error) {
	name, ok := r.byPath[req.Method+" "+req.URL.Path]
	if !ok {
		r.t.Errorf("%s %s was asked", req.Method, req.URL.Path)
	}
	b, err := os.ReadFile(filepath.Join("testdata", r.dir, name+".txt"))
	if err != nil {
		r.t.Fatal(err)
	}
	return http.ReadResponse(bufio.NewReader(bytes.NewReader(b)), req)
}

func replay(t testing.TB, dir, name string, e Engine, r Request) Exchange {
	t.Helper()
	rt := recorded{t, dir, map[string]string{}}
	for _, path := range []string{"POST /v1/chat/completions", "POST /v1/completions", "POST /completion", "POST /tokenize", "GET /metrics", "GET /slots"} {
		rt.byPath[path] = name
	}
	x := as(t, e, Options{Transport: rt}).Do(t.Context(), r)
	if x.Fail != nil {
		t.Errorf("%s/%s: %+v", dir, name, x.Fail)
	}
	return x
}

func TestRecordedConnect(t *testing.T) {
	c, err := Connect(t.Context(), Options{URL: "http://h:8080", Transport: recorded{t, "llamacpp-b11434", map[string]string{"GET /v1/models": "models", "GET /props": "props"}}})
	if err != nil {
		t.Fatal(err)
	}
	if s := c.Server(); s.Engine != LlamaCPP || s.Model != "smollm2" || s.Params != 134515008 || s.Quantization != "Q4_1" || s.MaxContext == 0 || s.VocabSize != 49152 || s.Gateway != nil || c.Requests() != 2 {
		t.Errorf("llama.cpp: %+v", s)
	}
	c, err = Connect(t.Context(), Options{URL: "http://h:11434", Model: "smollm2", Transport: recorded{t, "ollama-0.6.5", map[string]string{
		"GET /v1/models": "models", "GET /api/version": "api-version", "POST /api/show": "api-show"}}})
	if err != nil {
		t.Fatal(err)
	}
	if s := c.Server(); s.Engine != Ollama || s.Model != "smollm2:latest" || s.Params != 134515008 || s.Quantization != "Q4_1" || s.VocabSize != 49152 || s.Gateway != nil || c.Requests() != 3 || s.Caps.Logprobs {
		t.Errorf("ollama: %+v", s)
	}
}

func TestRecordedVLLM(t *testing.T) {
	c, err := Connect(t.Context(), Options{URL: "http://h:8000", Transport: recorded{t, "vllm-0.32.0", map[string]string{"GET /v1/models": "models", "GET /version": "version"}}})
	if err != nil {
		t.Fatal(err)
	}
	if s := c.Server(); s.Engine != VLLM || s.Version != "0.32.0" || s.Model != "smollm2" || s.MaxContext != 4096 || s.Params != 135e6 || s.ParamsFrom != "name" || s.Gateway != nil || c.Requests() != 2 {
		t.Errorf("%+v", s)
	}
	// A vLLM that makes embeddings has no such endpoint at all.
	c = as(t, VLLM, Options{Transport: recorded{t, "vllm-0.32.0", map[string]string{"POST /v1/chat/completions": "error-not-found"}}})
	if x := c.Do(t.Context(), Request{Op: OpChat}); x.Fail == nil || x.Fail.Kind != FailEmbedding {
		t.Errorf("%+v", x.Fail)
	}
}

func TestRecordedAnswers(t *testing.T) {
	const llama, olla, vl = "llamacpp-b11434", "ollama-0.6.5", "vllm-0.32.0"
	const paris, letoile = "The capital of France is Paris.", "L'Étoile, la Marseillaise,"
	chat, stream := Request{Op: OpChat}, Request{Op: OpChat, Stream: true}

	for _, tc := range []struct {
		dir, name string
		e         Engine
		r         Request
		text, fin string
	}{
		{llama, "chat", LlamaCPP, chat, letoile, "length"}, {llama, "chat-stream", LlamaCPP, stream, letoile, "length"},
		{olla, "chat", Ollama, chat, paris, "stop"}, {olla, "chat-stream", Ollama, stream, paris, "stop"},
		{vl, "chat", VLLM, chat, paris, "stop"}, {vl, "chat-stream", VLLM, stream, paris, "stop"},
	} {
		x := replay(t, tc.dir, tc.name, tc.e, tc.r)
		c := x.Answer.Choices[0]
		if deref(c.Content) != tc.text || c.Reasoning != nil || deref(c.FinishReason) != tc.fin || c.BadUTF8 || x.Answer.Usage == nil || *x.Answer.Usage.Completion == 0 {
			t.Errorf("%s/%s: %q %+v", tc.dir, tc.name, deref(c.Content), x.Answer)
		}
		if tc.r.Stream && (!x.Stream.Done || !x.Stream.Usage || x.Stream.Malformed > 0 || x.Stream.RoleFirst != (tc.e != Ollama)) {
			t.Errorf("%s/%s: %+v", tc.dir, tc.name, x.Stream)
		}
	}

	x := replay(t, llama, "chat-n2-stream", LlamaCPP, stream)
	if len(x.Answer.Choices) != 2 || x.Answer.Choices[0].Index != 1 || !strings.HasPrefix(deref(x.Answer.Choices[0].Content), "L'É") {
		t.Errorf("n=2: %+v", x.Answer.Choices)
	}

	for name, r := range map[string]Request{
		"chat-logprobs": chat, "chat-logprobs-stream": stream,
		"completions-logprobs": {Op: OpCompletion}, "completions-logprobs-stream": {Op: OpCompletion, Stream: true},
	} {
		x := replay(t, llama, name, LlamaCPP, r)
		lps := x.Answer.Choices[0].Logprobs
		text := ""
		for _, lp := range lps {
			text += lp.Token
			if lp.ID == nil || !lp.Logprob.IsFinite() || lp.Logprob.Value > 0 || len(lp.Top) == 0 || lp.Top[0].ID == nil || !lp.Top[0].Logprob.IsFinite() {
				t.Errorf("%s: %+v", name, lp)
			}
		}
		if len(lps) == 0 || !strings.HasPrefix(deref(x.Answer.Choices[0].Content), text) || len(lps) > *x.Answer.Usage.Completion {
			t.Errorf("%s: %q of %q", name, text, deref(x.Answer.Choices[0].Content))
		}
	}

	// vLLM names no ids beside its log-probabilities.
	for name, r := range map[string]Request{
		"chat-logprobs": chat, "completions-logprobs": {Op: OpCompletion}, "completions-logprobs-stream": {Op: OpCompletion, Stream: true},
	} {
		x := replay(t, vl, name, VLLM, r)
		c, text := x.Answer.Choices[0], ""
		for _, lp := range c.Logprobs {
			text += lp.Token
			if lp.ID != nil || !lp.Logprob.IsFinite() || len(lp.Top) == 0 || lp.Top[0].Logprob.Value < lp.Logprob.Value {
				t.Errorf("%s: %+v", name, lp)
			}
		}
		if len(c.Logprobs) == 0 || !strings.HasPrefix(deref(c.Content), text) && !strings.HasPrefix(text, deref(c.Content)) {
			t.Errorf("%s: %q of %q", name, text, deref(c.Content))
		}
	}
	if x = replay(t, vl, "chat-return-tokens", VLLM, chat); !slices.Equal(x.Answer.Choices[0].TokenIDs, []int{504, 3575, 282, 4649}) {
		t.Errorf("token ids: %v", x.Answer.Choices[0].TokenIDs)
	}
	x = replay(t, vl, "completions-prompt-logprobs", VLLM, Request{Op: OpScore, Tokens: []int{504, 3575, 282, 4649, 314}, Top: 1})
	if s := x.Scores; len(s) != 4 || s[0].Logprob != Num(-11.70806884765625) || len(s[0].Top) != 1 || *s[0].Top[0].ID != 29 || s[1].Top[0].Logprob != s[1].Logprob {
		t.Errorf("score: %+v", s)
	}
	if x = replay(t, vl, "tokenize", VLLM, Request{Op: OpTokenize}); x.Count != 17 || len(x.Tokens) != 17 || x.Tokens[16] != 2 {
		t.Errorf("tokenize: %+v", x.Tokens)
	}
	if x = replay(t, vl, "tokenize-chat", VLLM, Request{Op: OpCountChat}); x.Count != 37 {
		t.Errorf("count: %d", x.Count)
	}
	if x = replay(t, vl, "metrics", VLLM, Request{Op: OpLoad}); x.Load == nil || *x.Load != (Load{0, 0, "GET /metrics"}) {
		t.Errorf("load: %+v", x.Load)
	}

	x = replay(t, llama, "completion-native", LlamaCPP, Request{Op: OpScore, Tokens: []int{504, 7042}, Top: 5})
	if s := x.Scores[0]; s.ID != 7042 || !s.Logprob.IsFinite() || len(s.Top) != 5 {
		t.Errorf("score: %+v", x.Scores)
	}
	if x = replay(t, llama, "metrics", LlamaCPP, Request{Op: OpLoad}); x.Load == nil {
		t.Errorf("metrics: %+v", x)
	}
}

func TestRecordedErrors(t *testing.T) {
	for _, tc := range []struct {
		dir, name string
		kind      FailKind
		text, typ string
	}{
		{"llamacpp-b11434", "error-context-length", FailStatus, "exceeds the available context size", "exceed_context_size_error"},
		{"llamacpp-b11434", "chat-loading", FailLoading, "Loading model", "unavailable_error"},
		{"ollama-0.6.5", "error-messages-string", FailStatus, "cannot unmarshal string", "invalid_request_error"},
		{"ollama-0.6.5", "tools-required", FailStatus, "does not support tools", "api_error"},
		{"vllm-0.32.0", "error-context-length", FailStatus, "maximum context length is 4096", "BadRequestError"},
		{"vllm-0.32.0", "error-not-found", FailStatus, "Not Found", ""},
		{"ollama-0.6.5", "props", FailStatus, "404 page not found", ""},
	} {
		rt := recorded{t, tc.dir, map[string]string{"POST /v1/chat/completions": tc.name}}
		for _, stream := range []bool{false, true} {
			x := as(t, OpenAI, Options{Transport: rt}).Do(t.Context(), Request{Op: OpChat, Stream: stream})
			if x.Fail == nil || x.Fail.Kind != tc.kind || !strings.Contains(x.Fail.Message, tc.text) || x.Fail.Type != tc.typ {
				t.Errorf("%s/%s: %+v", tc.dir, tc.name, x.Fail)
			}
		}
	}
}
