package dialect

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The shapes of whole answers, from the reference and from real servers.
func TestAnswerShapes(t *testing.T) {
	choice := func(c string) string { return `{"id":"x","choices":[` + c + `]}` }
	for _, tc := range []struct {
		name, body string
		want       Choice
	}{
		{"the incident", choice(`{"index":0,"message":{"role":"assistant","content":null,"reasoning_content":"!!!!","tool_calls":null},"logprobs":null,"finish_reason":"stop","matched_stop":"NaN happened"}`),
			Choice{Reasoning: ptr("!!!!"), ReasoningField: "reasoning_content", FinishReason: ptr("stop"), MatchedStop: json.RawMessage(`"NaN happened"`)}},
		{"SGLang stops at an id", choice(`{"index":0,"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop","matched_stop":151645}`),
			Choice{Content: ptr("Hi"), FinishReason: ptr("stop"), MatchedStop: json.RawMessage(`151645`)}},
		{"vLLM", choice(`{"index":0,"message":{"role":"assistant","content":"Hi","reasoning":"so"},"finish_reason":"stop","stop_reason":"\n"}`),
			Choice{Content: ptr("Hi"), Reasoning: ptr("so"), ReasoningField: "reasoning", FinishReason: ptr("stop"), MatchedStop: json.RawMessage(`"\n"`)}},
		{"vLLM with both names", choice(`{"index":0,"message":{"content":"Hi","reasoning":"so","reasoning_content":"so"},"finish_reason":"stop","stop_reason":null}`),
			Choice{Content: ptr("Hi"), Reasoning: ptr("so"), ReasoningField: "reasoning_content", FinishReason: ptr("stop")}},
		{"parts", choice(`{"index":0,"message":{"content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]},"finish_reason":null}`),
			Choice{Content: ptr("ab")}},
		{"empty is not null", choice(`{"index":0,"message":{"content":""}}`), Choice{Content: ptr("")}},
		{"text completion", choice(`{"index":0,"text":" Paris","finish_reason":"length"}`), Choice{Content: ptr(" Paris"), FinishReason: ptr("length")}},
		{"tool call", choice(`{"index":0,"message":{"content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}}]},"finish_reason":"tool_calls"}`),
			Choice{ToolCalls: []ToolCall{{ID: "c", Name: "f", Arguments: `{"a": 1}`}}, FinishReason: ptr("tool_calls")}},
		{"arguments as an object", choice(`{"index":0,"message":{"tool_calls":[{"function":{"name":"f","arguments":{"a":1}}},{"function":{"name":"g","arguments":{}}}]}}`),
			Choice{ToolCalls: []ToolCall{{Name: "f", Arguments: `{"a":1}`}, {Name: "g", Arguments: `{}`}}}},
		{"token ids", choice(`{"index":0,"text":"ab","token_ids":[5,6],"logprobs":{"tokens":["a","b"],"token_logprobs":[-1,null],"top_logprobs":[{"a":-1,"x":-0.5},null],"text_offset":[0,1]}}`),
			Choice{Content: ptr("ab"), TokenIDs: []int{5, 6}, Logprobs: []TokenLogprob{
				{Token: "a", ID: ptr(5), Logprob: Num(-1), Top: []TopLogprob{{Token: "x", Logprob: Num(-0.5)}, {Token: "a", ID: ptr(5), Logprob: Num(-1)}}},
				{Token: "b", ID: ptr(6), Logprob: Number{Kind: Null}},
			}}},
		{"numbers in quotes, duplicate members, odd types", choice(`{"index":"0","text":"a","text":"b","finish_reason":"stop","message":7,"logprobs":"none","token_ids":"x"}`),
			Choice{Content: ptr("b"), FinishReason: ptr("stop")}},
	} {
		x := reply(t, tc.body)
		if x.Fail != nil || x.Answer == nil || len(x.Answer.Choices) != 1 {
			t.Errorf("%s: %+v, %+v", tc.name, x.Fail, x.Answer)
			continue
		}
		if d := cmp.Diff(tc.want, x.Answer.Choices[0]); d != "" {
			t.Errorf("%s:\n%s", tc.name, d)
		}
	}
}

func TestAnswerUsage(t *testing.T) {
	for body, want := range map[string]*Usage{
		`"usage":{"prompt_tokens":3,"completion_tokens":4,"total_tokens":7,"reasoning_tokens":2,"prompt_tokens_details":{"cached_tokens":1}}`:  {Prompt: ptr(3), Completion: ptr(4), Total: ptr(7), Reasoning: ptr(2), Cached: ptr(1)},
		`"usage":{"prompt_tokens":3,"completion_tokens":null,"completion_tokens_details":{"reasoning_tokens":2},"prompt_tokens_details":null}`: {Prompt: ptr(3), Reasoning: ptr(2)},
		`"usage":{"prompt_tokens":99999999999999999999999,"total_tokens":"7"}`:                                                                 {Total: ptr(7)},
		`"usage":null`: nil,
	} {
		x := reply(t, `{"choices":[],`+body+`}`)
		if x.Answer == nil {
			t.Errorf("%s: %+v", body, x.Fail)
			continue
		}
		if d := cmp.Diff(want, x.Answer.Usage); d != "" {
			t.Errorf("%s:\n%s", body, d)
		}
	}
}

// A NaN as null, bare and missing are three different things.
func TestAnswerNonFinite(t *testing.T) {
	item := func(lp string) string {
		return `{"choices":[{"index":0,"message":{"content":"!"},"logprobs":{"content":[{"token":"!"` + lp + `}]}}]}`
	}
	for lp, want := range map[string]NumberKind{
		`,"logprob":null`: Null, `,"logprob":NaN`: NaN, ``: Missing, `,"logprob":-Infinity`: NegInf, `,"logprob":"-inf"`: NegInf,
		`,"logprob":"-1.5"`: Finite, `,"logprob":nan`: NaN, `,"logprob":1e999`: PosInf, `,"logprob":{}`: Missing, `,"logprob":-0.0`: Finite,
	} {
		x := reply(t, item(lp))
		if x.Answer == nil || len(x.Answer.Choices[0].Logprobs) != 1 {
			t.Errorf("%s: %+v", lp, x.Fail)
			continue
		}
		if got := x.Answer.Choices[0].Logprobs[0].Logprob.Kind; got != want {
			t.Errorf("%s: kind %v, want %v", lp, got, want)
		}
		bare := strings.Contains(lp, ":NaN") || strings.Contains(lp, ":nan") || strings.Contains(lp, ":-Inf")
		if x.Answer.BareNaN != bare {
			t.Errorf("%s: BareNaN = %v", lp, x.Answer.BareNaN)
		}
		if _, err := json.Marshal(x); err != nil {
			t.Errorf("%s: the exchange can't be stored: %v", lp, err)
		}
	}
}

func TestLogprobShapes(t *testing.T) {
	one := []TokenLogprob{{Token: " P", ID: ptr(7), Bytes: []int{32, 80}, Logprob: Num(-0.25), Top: []TopLogprob{{Token: " P", ID: ptr(7), Logprob: Num(-0.25)}}}}
	for name, tc := range map[string]struct {
		raw  string
		want []TokenLogprob
	}{
		"llama.cpp chat":       {`{"content":[{"id":7,"token":" P","bytes":[32,80],"logprob":-0.25,"top_logprobs":[{"id":7,"token":" P","bytes":[32,80],"logprob":-0.25}]}]}`, one},
		"llama.cpp completion": {`[{"id":7,"token":" P","bytes":[32,80],"logprob":-0.25,"top_logprobs":[{"id":7,"token":" P","bytes":[32,80],"logprob":-0.25}]}]`, one},
		"after sampling":       {`[{"id":7,"token":" P","bytes":[],"prob":1.0,"top_probs":[{"id":7,"token":" P","prob":0.0}]}]`, []TokenLogprob{{Token: " P", ID: ptr(7), Logprob: Num(0), Top: []TopLogprob{{Token: " P", ID: ptr(7), Logprob: Number{Kind: NegInf}}}}}},
		"before 2025":          {`[{"content":" P","probs":[{"tok_str":" P","prob":1},{"tok_str":"x","prob":1}]}]`, []TokenLogprob{{Token: " P", Logprob: Num(0), Top: []TopLogprob{{Token: " P", Logprob: Num(0)}, {Token: "x", Logprob: Num(0)}}}}},
		"token_id":             {`{"content":[{"token":"token_id:42","logprob":-1,"bytes":null,"top_logprobs":[{"token":"token_id:42","logprob":-1}]}]}`, []TokenLogprob{{Token: "token_id:42", ID: ptr(42), Logprob: Num(-1), Top: []TopLogprob{{Token: "token_id:42", ID: ptr(42), Logprob: Num(-1)}}}}},
		"nothing":              {`null`, nil},
		"an empty object":      {`{}`, nil},
		"no list":              {`{"content":7}`, nil},
	} {
		if d := cmp.Diff(tc.want, parseLogprobs(json.RawMessage(tc.raw))); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
	}
}

func TestNotAnAnswer(t *testing.T) {
	for _, tc := range []struct {
		body string
		kind FailKind
		text string
	}{
		{`{"hello":1}`, FailShape, "no choices"},
		{`{"choices":null}`, FailShape, "no choices"},
		{`{"choices":7}`, FailShape, "no choices"},
		{`[]`, FailShape, "no choices"},
		{`plain words`, FailNotJSON, `"plain words"`},
		{``, FailNotJSON, "an empty body"},
		{`{"choices":[{"index":0`, FailNotJSON, ""},
		{`<!DOCTYPE html><html><title>Open &amp; WebUI</title>`, FailNotJSON, `a web page titled "Open & WebUI"`},
		{`{"object":"error","message":"out of memory","type":"InternalServerError","code":500}`, FailStatus, "out of memory"},
		{`{"error":{"message":"boom","type":"server_error","code":"x"}}`, FailStatus, "boom"},
		{strings.Repeat(`{"choices":[`, 20000), FailNotJSON, ""},
		{strings.Repeat(`[`, 20000) + strings.Repeat(`]`, 20000), FailNotJSON, ""},
	} {
		x := reply(t, tc.body)
		if x.Fail == nil || x.Fail.Kind != tc.kind || !strings.Contains(x.Fail.Message, tc.text) {
			t.Errorf("%.60s: %+v, want %s with %q", tc.body, x.Fail, tc.kind, tc.text)
		}
	}
}

// Every engine's error object, by its status.
func TestErrorObjects(t *testing.T) {
	for _, tc := range []struct {
		status             int
		body               string
		kind               FailKind
		message, typ, code string
	}{
		{400, `{"object":"error","message":"too long","type":"BadRequestError","param":null,"code":400}`, FailStatus, "too long", "BadRequestError", "400"},
		{400, `{"error":{"message":"too long","type":"exceed_context_size_error","code":400,"n_ctx":8}}`, FailStatus, "too long", "exceed_context_size_error", "400"},
		{422, `{"detail":[{"loc":["body","messages"],"msg":"Field required"}]}`, FailStatus, "body.messages: Field required", "", ""},
		{404, `{"detail":"Not Found"}`, FailStatus, "Not Found", "", ""},
		{500, `Internal Server Error`, FailStatus, `"Internal Server Error"`, "", ""},
		{500, ``, FailStatus, `an empty body`, "", ""},
		{404, `{"error":"model not found"}`, FailStatus, "model not found", "", ""},
		{401, `{"error":{"message":"Invalid API Key","type":"authentication_error","code":401}}`, FailAuth, "Invalid API Key", "authentication_error", "401"},
		{403, `no`, FailAuth, `"no"`, "", ""},
		{503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, FailLoading, "Loading model", "unavailable_error", "503"},
		{503, `{"object":"error","message":"The request queue is full.","type":"x","code":503}`, FailStatus, "queue is full", "x", "503"},
		{502, `<html><head><title>502 Bad Gateway</title></head>`, FailStatus, `a web page titled "502 Bad Gateway"`, "", ""},
		{400, `{"object":"error","message":"The model does not support Chat Completions API","code":400}`, FailEmbedding, "does not support", "", "400"},
		{400, "Client sent an HTTP request to an HTTPS server.\n", FailTLS, "speaks TLS", "", ""},
	} {
		c := as(t, OpenAI, Options{Transport: &canned{status: tc.status, body: tc.body}})
		for _, stream := range []bool{false, true} {
			x := c.Do(t.Context(), Request{Op: OpChat, Stream: stream})
			if x.Fail == nil || x.Fail.Kind != tc.kind || !strings.Contains(x.Fail.Message, tc.message) || x.Fail.Type != tc.typ || x.Fail.Code != tc.code || x.Status != tc.status {
				t.Errorf("%d %s: %+v", tc.status, tc.body, x.Fail)
			}
		}
	}
}

// Bytes that are no UTF-8 are seen, whether whole or streamed.
func TestBadUTF8(t *testing.T) {
	for content, bad := range map[string]bool{
		"caf\xc3\xa9": false, "\xff": true, "a\xc3": true, "\xed\xa0\x80": true, `\ud83d\ude00`: false, `\ud83d`: true, `\u0000`: false, "\uFFFD": false,
	} {
		body := `{"choices":[{"index":0,"message":{"content":"` + content + `"},"finish_reason":"stop"}]}`
		x := reply(t, body)
		if x.Answer == nil || x.Answer.Choices[0].BadUTF8 != bad {
			t.Errorf("%q: BadUTF8 is not %v: %+v", content, bad, x.Answer)
		}
		x = play(t, "data: "+strings.Replace(body, "message", "delta", 1)+"\n\ndata: [DONE]\n\n")
		if x.Answer == nil || x.Answer.Choices[0].BadUTF8 != bad {
			t.Errorf("%q streamed: BadUTF8 is not %v: %+v", content, bad, x.Answer)
		}
	}
}

func FuzzAnswer(f *testing.F) {
	for _, s := range []string{
		`{"id":"x","choices":[{"index":0,"message":{"content":"Hi","tool_calls":[{"function":{"arguments":{}}}]},"logprobs":{"content":[{"token":"a","logprob":NaN}]},"finish_reason":"stop"}],"usage":{"prompt_tokens":1}}`,
		`{"choices":[{"text":"a","logprobs":{"tokens":["a"],"token_logprobs":[null],"top_logprobs":[{"a":-1}]}}]}`,
		`{"error":{"message":"x","code":400}}`, `{"detail":[{"loc":["a",1],"msg":"m"}]}`, `{"choices":[null,{"index":1e99}]}`, `"\ud800"`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		x := reply(t, string(b))
		if (x.Answer == nil) == (x.Fail == nil) {
			t.Fatalf("answer %v, failure %v", x.Answer, x.Fail)
		}
		stored, err := json.Marshal(x)
		if err != nil {
			t.Fatal(err)
		}
		var back Exchange
		if err := json.Unmarshal(stored, &back); err != nil {
			t.Fatalf("%v: %s", err, stored)
		}
	})
}
