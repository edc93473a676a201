package evidence_test

import (
	"strings"
	"testing"
	"time"

	"kilter/internal/evidence"
)

// Secrets in the forms in which they turn up in headers, flags, environment
// files, URLs and logs.
func TestRedactorHidesSecrets(t *testing.T) {
	r := &evidence.Redactor{Literals: []string{"correct horse"}}
	const secret = "s3cr3tVALUE0123456789"
	for _, in := range []string{
		"Authorization: Bearer " + secret,
		`{"authorization":"Bearer ` + secret + `"}`,
		"curl -H 'Authorization: Basic " + secret + "' http://h/",
		"bearer " + secret,
		"python -m sglang.launch_server --api-key " + secret + " --tp 8",
		"--admin-api-key=" + secret,
		"--hf-token " + secret,
		"HF_TOKEN=" + secret,
		"OPENAI_API_KEY='" + secret + "'",
		`{"api_key": "` + secret + `"}`,
		"api_key='" + secret + "', tp_size=8",
		"http://user:" + secret + "@host:8000/v1",
		"sk-" + secret,
		"hf_" + secret,
		"nvapi-" + secret,
		"password: " + secret,
	} {
		if got := r.String(in); strings.Contains(got, secret) {
			t.Errorf("String(%q) = %q: the secret is still there", in, got)
		}
	}
	if got := r.String("x correct horse y"); got != "x "+evidence.Hidden+" y" {
		t.Errorf("literal secret: got %q", got)
	}
}

// What diagnosis needs must survive: flags whose names merely contain the
// word token, token strings of log-probabilities, usage counts.
func TestRedactorKeepsEvidence(t *testing.T) {
	var r *evidence.Redactor
	for _, in := range []string{
		"--tokenizer-path /models/q --max-total-tokens 4096 --tp 8",
		`{"usage":{"prompt_tokens":12,"completion_tokens":8,"total_tokens":20}}`,
		`{"token":" Paris","logprob":-0.01,"bytes":[32,80]}`,
		`"matched_stop":"NaN happened"`,
		"http://127.0.0.1:8000/v1/chat/completions",
		"max_total_num_tokens=20480, chunked_prefill_size=8192",
	} {
		if got := r.String(in); got != in {
			t.Errorf("String(%q) = %q: nothing here is secret", in, got)
		}
	}
}

func TestRedactorValueReachesInside(t *testing.T) {
	var r *evidence.Redactor
	type conf struct {
		APIKey string `json:"api_key"`
		TP     int    `json:"tp"`
	}
	got := r.Value(map[string]any{
		"args": []any{"--api-key=abcdefgh", map[string]any{"hf_token": "zzzz"}},
		"conf": conf{APIKey: "abcdefgh", TP: 8},
	}).(map[string]any)
	text := strings.Join([]string{
		got["args"].([]any)[0].(string),
		got["args"].([]any)[1].(map[string]any)["hf_token"].(string),
		got["conf"].(map[string]any)["api_key"].(string),
	}, " ")
	if strings.Contains(text, "abcdefgh") || strings.Contains(text, "zzzz") {
		t.Errorf("a nested secret survived: %s", text)
	}
	if tp := got["conf"].(map[string]any)["tp"]; tp != float64(8) {
		t.Errorf("tp = %v, want 8", tp)
	}
}

func TestCollector(t *testing.T) {
	at := time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC)
	c := &evidence.Collector{Now: func() time.Time { return at }}
	c.Add("engine.version", "0.5.9", "GET http://u:pw@h/server_info", "curl http://u:pw@h/server_info")
	c.AddAbsent("kernel.fp4_gemm", "journal of sglang.service", "journalctl -u sglang", "rotated")
	facts := c.Facts()
	if len(facts) != 2 || !facts[0].Time.Equal(at) {
		t.Fatalf("facts = %+v", facts)
	}
	if s := facts[0].String(); strings.Contains(s, "pw") || !strings.Contains(s, "engine.version = 0.5.9") {
		t.Errorf("fact = %q", s)
	}
	if s := facts[1].String(); !strings.Contains(s, "proves nothing: rotated") {
		t.Errorf("void fact = %q", s)
	}
	if _, ok := evidence.Find(facts, "engine.version"); !ok {
		t.Error("Find did not find engine.version")
	}
}

func FuzzRedactor(f *testing.F) {
	f.Add("Authorization: Bearer abc", "abc")
	f.Add("--api-key=\"q w\"", "q w")
	f.Fuzz(func(t *testing.T, s, lit string) {
		r := &evidence.Redactor{Literals: []string{lit}}
		got := r.String(s)
		// A literal secret never survives, unless the marker itself holds it.
		if len(lit) >= 4 && !strings.Contains(evidence.Hidden, lit) && strings.Contains(got, lit) &&
			!strings.Contains(strings.ReplaceAll(got, evidence.Hidden, "\x00"), "\x00") {
			t.Fatalf("String(%q) = %q holds %q", s, got, lit)
		}
	})
}
