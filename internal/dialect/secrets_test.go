package dialect

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"kilter/internal/evidence"
	"pgregory.net/rapid"
)

// The key never comes back out, wherever the server puts it.
func TestKeyNeverLeaks(t *testing.T) {
	const key = "plainwordkey42"
	const second = "headersecret77"
	for _, echo := range []string{
		`{"error":{"message":"Invalid key %s","type":"%s","code":"%s"}}`,
		`{"detail":"bad key %s"}`, `%s`, `<html><title>%s</title>`, `{"object":"error","message":"%s"}`,
		`{"choices":[{"message":{"content":"ok"}}],"note":"%s"}`,
		"data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}],\"k\":\"%s\"}\n\ndata: {%s\n\n",
		"data: {\"error\":{\"message\":\"%s\"}}\n\n",
		`{"id":"%s","model":"%s","choices":[{"message":{"content":"%s","reasoning":"%s","tool_calls":[{"function":{"name":"%s","arguments":"%s"}}]},"finish_reason":"%s","matched_stop":"%s"}]}`,
		"data: {\"choices\":[{\"delta\":{\"content\":\"%s\"},\"finish_reason\":\"stop\"}]}\n\n",
		strings.Repeat("x", 64<<10-7) + "%s and more",
		strings.Repeat("x", 380) + "%s and more",
	} {
		for _, status := range []int{200, 400, 401, 500} {
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				got := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ") + r.Header.Get("X-Api-Key")
				w.Header().Set("X-Request-Id", got)
				w.Header().Set("Via", got)
				w.Header().Set("Content-Type", "text/event-stream")
				w.WriteHeader(status)
				fmt.Fprint(w, strings.ReplaceAll(echo, "%s", got))
			}))
			o := Options{URL: srv.URL, APIKey: key, Headers: http.Header{"X-Api-Key": {second}}}
			c := as(t, SGLang, o)
			var out strings.Builder
			for _, r := range []Request{
				{Op: OpChat}, {Op: OpChat, Stream: true, Messages: []Message{{"user", "my key is " + key}}}, {Op: OpScore, Tokens: []int{1, 2}}, {Op: OpLoad},
				{Op: OpTokenize, Prompt: strings.Repeat("y", 100<<10) + key},
			} {
				out.Write(mustJSON(c.Do(t.Context(), r)))
			}
			if _, err := Connect(t.Context(), o); err != nil {
				fmt.Fprintf(&out, "%v %+v", err, err)
			}
			c.Close()
			srv.Close()
			for _, s := range []string{key, second, key[:10], second[:10]} {
				if i := strings.Index(out.String(), s); i >= 0 {
					t.Fatalf("%d %.60s: %q is in …%s…", status, echo, s, out.String()[max(0, i-200):min(out.Len(), i+60)])
				}
			}
		}
	}
}

// A text is cut for a message wherever the key may stand in it.
func TestKeyAtEveryCut(t *testing.T) {
	key := strings.Repeat("abcdefgh", 60) // longer than most cuts
	for _, k := range []string{"plainwordkey42", key} {
		for _, form := range []string{`%s`, `{"error":{"message":"%s","type":"%s","code":"%s"}}`, `<html><title>%s</title>`, "data: %s\n\n", `{"choices":7,"x":"%s"}`} {
			for at := 0; at < 520; at += 3 {
				pad := strings.Repeat("x", at)
				body := strings.ReplaceAll(form, "%s", pad+k+pad+" "+k)
				for _, status := range []int{200, 400} {
					ct := &canned{status: status, contentType: "text/event-stream", body: body}
					c := as(t, OpenAI, Options{Transport: ct, APIKey: k, Limits: Limits{KeepBody: 300}})
					for _, stream := range []bool{false, true} {
						out := string(mustJSON(c.Do(t.Context(), Request{Op: OpChat, Stream: stream})))
						if i := strings.Index(out, k[:8]); i >= 0 {
							t.Fatalf("%s at %d, status %d: %s", form, at, status, out)
						}
					}
				}
			}
		}
	}
}

// What maySecret lets pass, the redactor would not have changed.
func TestMaySecret(t *testing.T) {
	for _, s := range []string{
		"Authorization: Bearer abcdefgh", "--api-key x", "--token x", "--hf_token=x", "HF-TOKEN=abc", "api_key='x'", "accesskey: y", "a-secret: z",
		"PASSWD=1", "http://u:p@h", "sk-0123456789abcdef", "hf_0123456789abcdef", "nvapi-0123456789abcdef", "gho_01234567890123456789", "github_pat_01234567890123456789",
		"xoxb-0123456789", "AKIA0123456789ABCDEF", "AIza0123456789012345678901234567890", "eyJ0123456789.eyJ0123456789.x", "bearer 0123456", "--admin-credentials x",
	} {
		if !maySecret(s) {
			t.Errorf("%q passes", s)
		}
	}
	for _, s := range []string{
		`data: {"id":"chatcmpl-1","choices":[{"delta":{"content":"the key idea, a token"},"logprobs":null}],"usage":{"prompt_tokens":1}}`, `"token":" Paris"`, `max_total_num_tokens=1`,
	} {
		if maySecret(s) {
			t.Errorf("%q is held up", s)
		}
	}
	words := []string{"authorization", "bearer", "api", "key", "_", "-", "--", "=", ":", " ", "'", `"`, "secret", "token", "hf", "HF", "access", "passwd", "credentials", "x1y2z3abcdef", "sk-", "ghp_", "@", "://", "http", "s", "eyJ", ".", "AKIA", "AIza", "xoxb", "admin", "github", "pat", "0123456789abcdefABCDEF0123456789"}
	var r *evidence.Redactor
	rapid.Check(t, func(rt *rapid.T) {
		s := strings.Join(rapid.SliceOfN(rapid.SampledFrom(words), 1, 12).Draw(rt, "words"), "")
		if got := r.String(s); got != s && !maySecret(s) {
			rt.Fatalf("%q passes, and the redactor makes %q of it", s, got)
		}
	})
}
