package dialect

import (
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// events joins the data of events into a stream.
func events(data ...string) string {
	var b strings.Builder
	for _, d := range data {
		b.WriteString("data: " + d + "\n\n")
	}
	return b.String()
}

func delta(s string) string {
	return `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":` +
		string(mustJSON(s)) + `},"logprobs":null,"finish_reason":null}]}`
}

const (
	roleChunk  = `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":""},"logprobs":null,"finish_reason":null,"matched_stop":null}],"usage":null}`
	stopChunk  = `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop","matched_stop":151645}]}`
	usageChunk = `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m","choices":[],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5}}`
)

func TestStreamForms(t *testing.T) {
	whole := events(roleChunk, delta("Hel"), delta("lo"), stopChunk, usageChunk, "[DONE]")
	for name, tc := range map[string]struct {
		raw  string
		edit func(*StreamInfo)
	}{
		"plain":               {whole, nil},
		"CRLF":                {strings.ReplaceAll(whole, "\n", "\r\n"), func(s *StreamInfo) { s.CRLF = true }},
		"no space":            {strings.ReplaceAll(whole, "data: ", "data:"), nil},
		"comments":            {": ping\n\n" + strings.ReplaceAll(whole, "\n\n", "\n\n: keep-alive\n\n"), nil},
		"event and id":        {strings.ReplaceAll(whole, "data: ", "event: message\nid: 7\nretry: 1\ndata: "), nil},
		"byte order mark":     {"\uFEFF" + whole, nil},
		"no blank at the end": {strings.TrimRight(whole, "\n"), nil},
		"one newline missing": {strings.TrimSuffix(whole, "\n"), nil},
		"no DONE":             {strings.TrimSuffix(whole, "data: [DONE]\n\n"), func(s *StreamInfo) { s.Done = false }},
		"more after DONE":     {whole + "data: garbage\n\n", nil},
		"multi-line data":     {strings.ReplaceAll(whole, `"model":"m",`, "\ndata: \"model\":\"m\",\ndata: "), nil},
		"no blank between":    {strings.ReplaceAll(whole, "\n\n", "\n"), nil},
		"blank lines":         {"\n\n" + strings.ReplaceAll(whole, "\n\n", "\n\n\n\n"), nil},
		"one malformed":       {strings.Replace(whole, "data: {", "data: {oops\n\ndata: {", 1), func(s *StreamInfo) { s.Events++; s.Malformed = 1; s.FirstMalformed = "{oops"; s.RoleFirst = false }},
		"unknown members":     {strings.ReplaceAll(whole, `"model":"m",`, `"model":"m","x":{"y":[1,{}]},`), nil},
		"spaced JSON":         {strings.NewReplacer(`":`, `" : `, `{"`, `{ "`).Replace(whole), nil},
	} {
		want := StreamInfo{Events: 5, TextEvents: 2, Done: true, Usage: true, RoleFirst: true}
		if tc.edit != nil {
			tc.edit(&want)
		}
		x := timeless(play(t, tc.raw))
		if x.Fail != nil || x.Answer == nil {
			t.Errorf("%s: %+v", name, x.Fail)
			continue
		}
		if d := cmp.Diff(want, *x.Stream); d != "" {
			t.Errorf("%s:\n%s", name, d)
		}
		c := x.Answer.Choices[0]
		if deref(c.Content) != "Hello" || deref(c.FinishReason) != "stop" || string(c.MatchedStop) != "151645" || *x.Answer.Usage.Total != 5 || x.Answer.ID != "c1" || x.Answer.Created != 1 {
			t.Errorf("%s: %+v", name, x.Answer)
		}
	}
}

func TestStreamJoins(t *testing.T) {
	t.Run("tool calls by index", func(t *testing.T) {
		tool := func(s string) string {
			return `{"choices":[{"index":0,"delta":{"tool_calls":[` + s + `]}}]}`
		}
		x := play(t, events(
			tool(`{"index":0,"id":"a","type":"function","function":{"name":"f","arguments":""}}`),
			tool(`{"index":0,"function":{"arguments":"{\"x\""}}`),
			tool(`{"index":1,"id":"b","function":{"name":"g","arguments":"{}"}}`),
			tool(`{"index":0,"id":null,"function":{"name":null,"arguments":": 1}"}}`),
			`{"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}`, "[DONE]"))
		want := []ToolCall{{"a", "f", `{"x": 1}`}, {"b", "g", "{}"}}
		if d := cmp.Diff(want, x.Answer.Choices[0].ToolCalls); d != "" || x.Stream.TextEvents != 4 {
			t.Error(d, x.Stream)
		}
	})
	t.Run("choices interleaved", func(t *testing.T) {
		part := func(i, s, fin string) string {
			return `{"choices":[{"index":` + i + `,"delta":{"content":"` + s + `"},"finish_reason":` + fin + `}]}`
		}
		x := play(t, events(part("1", "b", "null"), part("0", "a", "null"), part("1", "B", `"stop"`), part("0", "A", `"length"`), "[DONE]"))
		got := map[int]string{}
		for _, c := range x.Answer.Choices {
			got[c.Index] = deref(c.Content) + deref(c.FinishReason)
		}
		if d := cmp.Diff(map[int]string{0: "aAlength", 1: "bBstop"}, got); d != "" {
			t.Error(d)
		}
	})
	t.Run("reasoning", func(t *testing.T) {
		for _, field := range []string{"reasoning", "reasoning_content"} {
			part := func(s string) string { return `{"choices":[{"index":0,"delta":` + s + `}]}` }
			x := play(t, events(part(`{"role":"assistant","content":null}`), part(`{"`+field+`":"so"}`), part(`{"`+field+`":" it"}`), part(`{"content":"Hi","`+field+`":null}`), stopChunk, "[DONE]"))
			c := x.Answer.Choices[0]
			if deref(c.Reasoning) != "so it" || c.ReasoningField != field || deref(c.Content) != "Hi" || x.Stream.TextEvents != 3 || !x.Stream.RoleFirst {
				t.Errorf("%s: %+v %+v", field, c, x.Stream)
			}
		}
	})
	t.Run("log-probabilities", func(t *testing.T) {
		lp := func(s, lp string) string {
			return `{"choices":[{"index":0,"delta":{"content":"` + s + `"},"logprobs":{"content":[{"token":"` + s + `","logprob":` + lp + `}]}}]}`
		}
		x := play(t, events(lp("a", "-1"), lp("b", "NaN"), stopChunk, "[DONE]"))
		c := x.Answer.Choices[0]
		if len(c.Logprobs) != 2 || c.Logprobs[1].Logprob.Kind != NaN || !x.Answer.BareNaN {
			t.Errorf("%+v", x.Answer)
		}
	})
	t.Run("a character split between events", func(t *testing.T) {
		raw := func(s string) string { return `{"choices":[{"index":0,"delta":{"content":"` + s + `"}}]}` }
		for name, halves := range map[string][2]string{
			"bytes":      {"caf\xc3", "\xa9!"},
			"four bytes": {"\xf0\x9f", "\x98\x80"},
			"surrogates": {`\ud83d`, `\ude00`},
		} {
			x := play(t, events(raw(halves[0]), raw(halves[1]), stopChunk, "[DONE]"))
			c := x.Answer.Choices[0]
			if c.BadUTF8 || !x.Stream.Split || strings.Contains(deref(c.Content), "\uFFFD") {
				t.Errorf("%s: %q %+v", name, deref(c.Content), x.Stream)
			}
		}
		x := play(t, events(raw("caf\xc3"), raw("e"), stopChunk, "[DONE]"))
		if c := x.Answer.Choices[0]; !c.BadUTF8 || x.Stream.Split || deref(c.Content) != "caf\uFFFDe" {
			t.Errorf("never completed: %+v %+v", c, x.Stream)
		}
	})
	t.Run("text completions", func(t *testing.T) {
		c := as(t, VLLM, Options{Transport: &canned{contentType: "text/event-stream", body: events(
			`{"id":"t","object":"text_completion","created":1,"model":"m","choices":[{"index":0,"text":" a","logprobs":null,"finish_reason":null,"stop_reason":null}]}`,
			`{"id":"t","object":"text_completion","created":1,"model":"m","choices":[{"index":0,"text":"b","logprobs":null,"finish_reason":"length","stop_reason":null}]}`, "[DONE]")}})
		x := c.Do(t.Context(), Request{Op: OpCompletion, Prompt: "x", Stream: true})
		if deref(x.Answer.Choices[0].Content) != " ab" {
			t.Errorf("%+v", x)
		}
	})
}

func TestStreamFailures(t *testing.T) {
	for name, tc := range map[string]struct {
		raw  string
		end  error
		kind FailKind
		text string
	}{
		"empty":               {"", nil, FailClosed, "before its first byte"},
		"no finish, no DONE":  {events(roleChunk, delta("Hi")), nil, FailClosed, "neither a finish reason nor [DONE]"},
		"broken off":          {events(delta("Hi")), io.ErrUnexpectedEOF, FailClosed, "was closed after"},
		"broken in an event":  {events(delta("Hi")) + "data: {\"choi", io.ErrUnexpectedEOF, FailClosed, "was closed after"},
		"ended in an event":   {events(delta("Hi")) + "data: {\"choi", nil, FailClosed, "neither"},
		"reset":               {events(delta("Hi")), errors.New("read: connection reset by peer"), FailClosed, "reset"},
		"error event":         {events(delta("Hi"), `{"error":{"message":"CUDA error","type":"InternalServerError","code":500}}`, "[DONE]"), nil, FailStatus, "CUDA error"},
		"SGLang's error":      {events(`{"object":"error","message":"aborted","type":"x","code":400}`), nil, FailStatus, "aborted"},
		"nothing but noise":   {"hello\nworld\n", nil, FailBadStream, "holds no event"},
		"nothing but garbage": {events("hello", "world"), nil, FailBadStream, "no event of the stream is JSON"},
		"DONE alone":          {events("[DONE]"), nil, FailBadStream, "holds no answer"},
	} {
		c := as(t, OpenAI, Options{Transport: &canned{contentType: "text/event-stream", body: tc.raw, end: tc.end}})
		x := c.Do(t.Context(), Request{Op: OpChat, Stream: true})
		if x.Fail == nil || x.Fail.Kind != tc.kind || !strings.Contains(x.Fail.Message, tc.text) {
			t.Errorf("%s: %+v, want %s with %q", name, x.Fail, tc.kind, tc.text)
		}
		if strings.Contains(tc.raw, "Hi") && (x.Answer == nil || deref(x.Answer.Choices[0].Content) != "Hi") {
			t.Errorf("%s: what came before is lost: %+v", name, x.Answer)
		}
		if x.Stream.Malformed > 0 && tc.kind == FailClosed {
			t.Errorf("%s: half an event counts as malformed", name)
		}
	}
}

func TestStreamOfJSON(t *testing.T) {
	body := `{"choices":[{"index":0,"message":{"content":"Hi"},"finish_reason":"stop"}]}`
	for _, tc := range []struct {
		contentType, body string
		kind              FailKind
	}{
		{"application/json", body, ""},
		{"", "\n " + body, ""},
		{"text/html", "<html><title>Login</title>", FailNotJSON},
		{"application/json", `{"error":{"message":"no"}}`, FailStatus},
		{"application/json", `{"choices":`, FailNotJSON},
		{"text/plain", events(delta("Hi"), stopChunk, "[DONE]"), ""},
	} {
		c := as(t, OpenAI, Options{Transport: &canned{contentType: tc.contentType, body: tc.body, pieces: []int{1, 1, 1}}})
		x := c.Do(t.Context(), Request{Op: OpChat, Stream: true})
		switch {
		case tc.kind != "":
			if x.Fail == nil || x.Fail.Kind != tc.kind {
				t.Errorf("%s: %+v", tc.body, x.Fail)
			}
		case x.Fail != nil || deref(x.Answer.Choices[0].Content) != "Hi" || x.Stream == nil:
			t.Errorf("%s: %+v %+v", tc.body, x.Fail, x.Answer)
		}
	}
}

func TestCancelAfter(t *testing.T) {
	c := as(t, OpenAI, Options{Transport: &canned{contentType: "text/event-stream", body: events(roleChunk, delta("a"), delta("b"), delta("c"))}})
	x := c.Do(t.Context(), Request{Op: OpChat, Stream: true, CancelAfter: 2})
	if x.Fail != nil || !x.Stream.Cancelled || x.Stream.Done || deref(x.Answer.Choices[0].Content) != "ab" {
		t.Errorf("%+v %+v %+v", x.Fail, x.Stream, x.Answer)
	}
}

// manyForms is a stream with most of what can be in one.
var manyForms = "\uFEFF: hi\r\n\r\n" + strings.ReplaceAll(events(roleChunk, delta("né 😀\n")), "\n\n", "\r\n\r\n") + events(
	`{"choices":[{"index":0,"delta":{"content":"caf`+"\xc3"+`"}}]}`,
	`{"choices":[{"index":0,"delta":{"content":"`+"\xa9"+`","reasoning":"r"},"logprobs":{"content":[{"token":"x","logprob":NaN}]}}]}`,
	`{oops`, `{"choices":[{"index":1,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
	stopChunk) + "event: x\ndata:{\"choices\":[],\ndata: \"usage\":{\"total_tokens\":5}}\n\ndata: [DONE]\n\n"

// However a stream is cut into reads, the exchange is the same.
func TestStreamCuts(t *testing.T) {
	want := timeless(play(t, manyForms))
	if want.Fail != nil || !want.Stream.Done || !want.Stream.Split || want.Stream.Malformed != 1 {
		t.Fatalf("%+v %+v", want.Fail, want.Stream)
	}
	for i := 1; i < len(manyForms); i++ {
		if d := cmp.Diff(want, timeless(play(t, manyForms, i))); d != "" {
			t.Fatalf("cut at %d:\n%s", i, d)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		cuts := rapid.SliceOfN(rapid.IntRange(1, 40), 1, 100).Draw(rt, "cuts")
		if d := cmp.Diff(want, timeless(play(t, manyForms, cuts...))); d != "" {
			rt.Fatal(d)
		}
	})
}

func FuzzSSE(f *testing.F) {
	for _, s := range []string{manyForms, events(delta("a"), stopChunk, "[DONE]"), "data", "data:\n\n\n", "\r\n", events(`{"error":{"message":"x"}}`), "data: {\"choices\":[{\"delta\":{\"content\":\"\\ud83d\"}}]}\n"} {
		f.Add([]byte(s), byte(3))
	}
	f.Fuzz(func(t *testing.T, b []byte, size byte) {
		want := timeless(play(t, string(b)))
		cuts := make([]int, len(b))
		for i := range cuts {
			cuts[i] = int(size)%7 + 1
		}
		if d := cmp.Diff(want, timeless(play(t, string(b), cuts...))); d != "" {
			t.Fatal(d)
		}
		if _, err := json.Marshal(want); err != nil {
			t.Fatal(err)
		}
	})
}

// The quick reader of ordinary events agrees with encoding/json.
func FuzzFastChunk(f *testing.F) {
	for _, s := range []string{roleChunk, delta("a\n\"é"), stopChunk, usageChunk, `{"choices":[{"index":0,"delta":{"reasoning":"x","content":null}}]}`, `{"Choices":[]}`, `{"choices":[],"choices":[]}`, `{"choices":[{"text":"\ud83d\ude00","finish_reason":"a\tb"}]}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		var p fastChunk
		quick, ok := p.decode(b, false)
		if !ok {
			return
		}
		var slow wireAnswer
		bare, err := decodeAnswer(b, &slow)
		if err != nil || bare {
			t.Fatalf("%q is no JSON (%v) and was read", b, err)
		}
		var one, two joiner
		if one.add(quick) != two.add(&slow) || one.split != two.split {
			t.Fatalf("%q: not the same text", b)
		}
		if d := cmp.Diff(two.finish(), one.finish()); d != "" {
			t.Fatalf("%q:\n%s", b, d)
		}
	})
}
