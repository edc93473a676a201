package dialect

import (
	"encoding/json"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What each engine is sent, and what it is never sent.
func TestRequestBodies(t *testing.T) {
	full := Request{
		Messages: []Message{{"user", "Hi"}}, Prompt: "Hi", MaxTokens: 5, Temperature: ptr(0.0), Seed: ptr(1), N: 2, Stop: []string{"x"},
		Logprobs: true, Top: 0, LogitBias: map[int]float64{7: -100}, Tools: []Tool{{Name: "f"}}, ToolChoice: "auto", Stream: true, Thinking: ptr(false),
		Extra: map[string]json.RawMessage{"max_tokens": json.RawMessage(`-1`), "zeta": json.RawMessage(`1`)},
	}
	const head = `{"model":"m","messages":[{"role":"user","content":"Hi"}],"max_tokens":-1,"temperature":0,"seed":1,"n":2,"stop":["x"],`
	const tail = `"logit_bias":{"7":-100},"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}],"tool_choice":"auto","stream":true,"stream_options":{"include_usage":true},`
	for e, want := range map[Engine]string{
		OpenAI:   head + `"logprobs":true,"top_logprobs":0,` + tail + `"zeta":1}`,
		Ollama:   head + `"logprobs":true,"top_logprobs":0,` + tail + `"zeta":1}`,
		SGLang:   head + `"logprobs":true,"top_logprobs":0,` + tail + `"chat_template_kwargs":{"enable_thinking":false},"zeta":1}`,
		VLLM:     head + `"logprobs":true,"top_logprobs":0,` + tail + `"chat_template_kwargs":{"enable_thinking":false},"return_token_ids":true,"zeta":1}`,
		LlamaCPP: head + `"logprobs":true,"top_logprobs":1,` + tail + `"chat_template_kwargs":{"enable_thinking":false},"zeta":1}`,
	} {
		ct := &canned{body: `{"choices":[]}`}
		c := as(t, e, Options{Transport: ct, APIKey: "abcdef", UserAgent: "kilter/1"})
		c.server.Version = map[Engine]string{VLLM: "0.32.0", SGLang: "0.5.9"}[e]
		full.Op = OpChat
		x := c.Do(t.Context(), full)
		if ct.sent != want || string(x.Sent) != want {
			t.Errorf("%s:\ngot  %s\nwant %s", e, ct.sent, want)
		}
		if h := ct.asked.Header; h.Get("Authorization") != "Bearer abcdef" || h.Get("User-Agent") != "kilter/1" || h.Get("Content-Type") != "application/json" {
			t.Errorf("headers: %v", h)
		}
	}
	ct := &canned{body: `{"choices":[]}`}
	c := as(t, LlamaCPP, Options{Transport: ct})
	c.Do(t.Context(), Request{Op: OpCompletion, Tokens: []int{1, 2}, Top: 3, JSONSchema: json.RawMessage(`{"type":"object"}`)})
	if want := `{"model":"m","prompt":[1,2],"logprobs":3,"json_schema":{"type":"object"}}`; ct.sent != want {
		t.Errorf("completion: %s", ct.sent)
	}
	c = as(t, VLLM, Options{Transport: ct})
	c.Do(t.Context(), Request{Op: OpChat, JSONSchema: json.RawMessage(`{"type":"object"}`)})
	if !strings.Contains(ct.sent, `"response_format":{"json_schema":{"name":"answer","schema":{"type":"object"},"strict":true},"type":"json_schema"}`) {
		t.Errorf("schema: %s", ct.sent)
	}
}

func TestScore(t *testing.T) {
	want := []Score{
		{Pos: 1, ID: 3575, Logprob: Num(-5), Top: []TopLogprob{{Token: "-", ID: ptr(29), Logprob: Num(-0.5)}}},
		{Pos: 2, ID: 282, Logprob: Number{Kind: Null}, Top: []TopLogprob{{Token: " of", ID: ptr(282), Logprob: Number{Kind: Null}}}},
	}
	req := Request{Op: OpScore, Tokens: []int{504, 3575, 282}, Top: 1}

	r := &routes{bodies: map[string]string{"POST /generate": `{"text":"x","meta_info":{"input_token_logprobs":[[null,504,null],[-5.0,3575," cap"],[null,282,null]],"input_top_logprobs":[null,[[-0.5,29,"-"]],[[null,282," of"]]]}}`}}
	x := as(t, SGLang, Options{URL: r.start(t)}).Do(t.Context(), req)
	if d := cmp.Diff(want, x.Scores); d != "" || x.Fail != nil {
		t.Errorf("SGLang: %+v\n%s", x.Fail, d)
	}
	if want := `{"input_ids":[504,3575,282],"logprob_start_len":0,"return_logprob":true,"sampling_params":{"max_new_tokens":1,"temperature":0},"top_logprobs_num":1}`; r.sent["POST /generate"] != want {
		t.Errorf("SGLang is sent %s", r.sent["POST /generate"])
	}

	r = &routes{bodies: map[string]string{"POST /v1/completions": `{"choices":[{"index":0,"text":"x","prompt_logprobs":[null,{"3575":{"logprob":-5.0,"rank":77,"decoded_token":" cap"},"29":{"logprob":-0.5,"rank":1,"decoded_token":"-"}},{"282":{"logprob":null,"rank":1,"decoded_token":" of"}}]}]}`}}
	x = as(t, VLLM, Options{URL: r.start(t)}).Do(t.Context(), req)
	if d := cmp.Diff(want, x.Scores); d != "" || x.Fail != nil {
		t.Errorf("vLLM: %+v\n%s", x.Fail, d)
	}

	r = &routes{bodies: map[string]string{"POST /completion": `{"content":"x","completion_probabilities":[{"id":29,"token":"-","bytes":[45],"logprob":-0.5,"top_logprobs":[{"id":29,"token":"-","bytes":[45],"logprob":-0.5}]}]}`}}
	c := as(t, LlamaCPP, Options{URL: r.start(t)})
	x = c.Do(t.Context(), req)
	if x.Fail != nil || len(x.Scores) != 2 || x.Requests != 2 || c.Requests() != 2 || x.Scores[0].Logprob.Kind != Missing || x.Scores[0].ID != 3575 || !cmp.Equal(x.Scores[0].Top, want[0].Top) {
		t.Errorf("llama.cpp: %+v", x)
	}

	for e, body := range map[Engine]map[string]string{
		SGLang:   {"POST /generate": `{"meta_info":{"input_token_logprobs":[[null,504,null]]}}`},
		VLLM:     {"POST /v1/completions": `{"choices":[]}`},
		LlamaCPP: {"POST /completion": `{}`},
	} {
		r := &routes{bodies: body}
		if x := as(t, e, Options{URL: r.start(t)}).Do(t.Context(), req); x.Fail == nil || x.Fail.Kind != FailShape {
			t.Errorf("%s: %+v", e, x.Fail)
		}
	}
	r = &routes{bodies: map[string]string{"POST /generate": `{"meta_info":{"input_token_logprobs":[[null,504,null],[-5.0,1,""],[-1,282,null]]}}`}}
	if x := as(t, SGLang, Options{URL: r.start(t)}).Do(t.Context(), req); x.Fail == nil || !strings.Contains(x.Fail.Message, "scores token 1 at position 1") {
		t.Errorf("another token's score: %+v", x.Fail)
	}
}

func TestTokenizeAndCount(t *testing.T) {
	for e, want := range map[Engine]string{
		SGLang:   `{"add_special_tokens":false,"model":"m","prompt":"Hi"}`,
		VLLM:     `{"add_special_tokens":false,"model":"m","prompt":"Hi"}`,
		LlamaCPP: `{"add_special":false,"content":"Hi","parse_special":false}`,
	} {
		r := &routes{bodies: map[string]string{"POST /tokenize": `{"tokens":[1,2,3],"count":3,"max_model_len":9}`, "POST /apply-template": `{"prompt":"<s>Hi"}`}}
		c := as(t, e, Options{URL: r.start(t)})
		if x := c.Do(t.Context(), Request{Op: OpTokenize, Prompt: "Hi"}); x.Count != 3 || !cmp.Equal(x.Tokens, []int{1, 2, 3}) || r.sent["POST /tokenize"] != want {
			t.Errorf("%s: %+v, sent %s", e, x, r.sent["POST /tokenize"])
		}
		x := c.Do(t.Context(), Request{Op: OpCountChat, Messages: []Message{{"user", "Hi"}}, Thinking: ptr(true)})
		sent := r.sent["POST /tokenize"] + r.sent["POST /apply-template"]
		if x.Fail != nil || x.Count != 3 || !strings.Contains(sent, `"chat_template_kwargs":{"enable_thinking":true}`) {
			t.Errorf("%s: %+v, sent %s", e, x, sent)
		}
	}
	r := &routes{}
	c := as(t, SGLang, Options{URL: r.start(t)})
	if x := c.Do(t.Context(), Request{Op: OpTokenize}); x.Fail == nil || x.Fail.Kind != FailUnoffered {
		t.Errorf("no /tokenize: %+v", x.Fail)
	}
	for _, op := range []Op{OpScore, OpTokenize, OpCountChat, OpLoad, "nonsense"} {
		if x := as(t, OpenAI, Options{Transport: &canned{}}).Do(t.Context(), Request{Op: op}); x.Fail == nil || x.Fail.Kind != FailUnoffered || x.Total < 0 {
			t.Errorf("%s of a generic server: %+v", op, x.Fail)
		}
	}
}

func TestLoad(t *testing.T) {
	for name, tc := range map[string]struct {
		e        Engine
		bodies   map[string]string
		want     Load
		requests int
	}{
		"SGLang, two ranks": {SGLang, map[string]string{"GET /metrics": "# HELP sglang:num_running_reqs x\n# TYPE sglang:num_running_reqs gauge\nsglang:num_running_reqs{model_name=\"a}b\",tp_rank=\"0\"} 2.0\nsglang:num_running_reqs{tp_rank=\"1\"} 1.0\nsglang:num_queue_reqs{x=\"y\"} 4.0\nsglang:num_running_reqs_other 9\n"}, Load{3, 4, "GET /metrics"}, 1},
		"SGLang 0.5.9":      {SGLang, map[string]string{"GET /v1/loads": `{"loads":[{"num_running_reqs":2,"num_waiting_reqs":1},{"num_running_reqs":1,"num_waiting_reqs":0}]}`}, Load{3, 1, "GET /v1/loads"}, 2},
		"older SGLang":      {SGLang, map[string]string{"GET /get_load": `[{"dp_rank":0,"num_reqs":5,"num_waiting_reqs":2,"num_tokens":9}]`}, Load{3, 2, "GET /get_load"}, 3},
		"vLLM":              {VLLM, map[string]string{"GET /metrics": "vllm:num_requests_running{engine=\"0\",model_name=\"q\"} 3.0\nvllm:num_requests_waiting{engine=\"0\"} 1e0 1700000000\n"}, Load{3, 1, "GET /metrics"}, 1},
		"llama.cpp":         {LlamaCPP, map[string]string{"GET /metrics": "llamacpp:requests_processing 1\nllamacpp:requests_deferred 2\n"}, Load{1, 2, "GET /metrics"}, 1},
		"llama.cpp slots":   {LlamaCPP, map[string]string{"GET /metrics": `501 {"error":{"message":"This server does not support metrics endpoint."}}`, "GET /slots": `[{"id":0,"is_processing":true},{"id":1,"is_processing":false}]`}, Load{1, 0, "GET /slots"}, 2},
	} {
		r := &routes{bodies: tc.bodies}
		c := as(t, tc.e, Options{URL: r.start(t)})
		x := c.Do(t.Context(), Request{Op: OpLoad})
		if x.Fail != nil || x.Load == nil || *x.Load != tc.want || c.Requests() != tc.requests || tc.requests > 1 && x.Requests != tc.requests {
			t.Errorf("%s: %+v %+v, %d requests", name, x.Fail, x.Load, c.Requests())
		}
	}
	for _, e := range []Engine{SGLang, LlamaCPP, VLLM} {
		r := &routes{}
		if x := as(t, e, Options{URL: r.start(t)}).Do(t.Context(), Request{Op: OpLoad}); x.Fail == nil || x.Fail.Kind != FailUnoffered {
			t.Errorf("%s without metrics: %+v", e, x.Fail)
		}
	}
}

// A request that JSON cannot hold is a failure, not a panic.
func TestBadRequests(t *testing.T) {
	ct := &canned{body: `{"choices":[]}`}
	c := as(t, VLLM, Options{Transport: ct})
	for name, r := range map[string]Request{
		"temperature": {Op: OpChat, Temperature: ptr(math.NaN())},
		"bias":        {Op: OpChat, LogitBias: map[int]float64{1: math.Inf(1)}},
		"schema":      {Op: OpChat, JSONSchema: json.RawMessage(`{`)},
		"tools":       {Op: OpChat, Tools: []Tool{{Name: "f", Parameters: json.RawMessage(`{`)}}},
	} {
		if x := c.Do(t.Context(), r); x.Fail == nil || x.Fail.Kind != FailUnoffered || c.Requests() != 0 {
			t.Errorf("%s: %+v", name, x.Fail)
		}
	}
	// Bad on purpose: it goes out as it is, and the exchange can be stored.
	x := c.Do(t.Context(), Request{Op: OpChat, Extra: map[string]json.RawMessage{"messages": json.RawMessage(`[{]`), "n": nil}})
	if !strings.Contains(ct.sent, `"messages":[{]`) || !strings.Contains(ct.sent, `"n":null`) || !strings.Contains(string(x.Sent), "kilter_cut") || !json.Valid(mustJSON(x)) {
		t.Errorf("sent %s, kept %s", ct.sent, x.Sent)
	}
}
