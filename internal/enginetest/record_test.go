package enginetest_test

import (
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"go.uber.org/goleak"

	"kilter/internal/catalog"
	"kilter/internal/dialect"
	"kilter/internal/enginetest"
	"kilter/internal/verify"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestRecord asks a live server for all that the suite of package verify asks
// of the cassette, and writes it down:
//
//	KILTER_RECORD=http://127.0.0.1:18081 go test ./internal/enginetest -run Record
func TestRecord(t *testing.T) {
	url := os.Getenv("KILTER_RECORD")
	if url == "" {
		t.Skip("records the cassette from a live server: set KILTER_RECORD to its URL (bash test/engine/serve.sh llamacpp-smollm2 18081)")
	}
	know, err := catalog.LoadVerify()
	if err != nil {
		t.Fatal(err)
	}
	direct, err := dialect.Connect(t.Context(), dialect.Options{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	defer direct.Close()
	tape := enginetest.Live(url)
	run := func(name string, d enginetest.Dialect, level string, size enginetest.Size, apply func(*enginetest.Front), other bool) {
		began := time.Now()
		front := &enginetest.Front{Dialect: d, Upstream: tape, Size: size}
		apply(front)
		srv := httptest.NewServer(front)
		defer srv.Close()
		c, err := dialect.Connect(t.Context(), dialect.Options{URL: srv.URL, IdleTimeout: 5 * time.Minute})
		if err != nil {
			t.Errorf("%s/%s: %v", name, d, err)
			return
		}
		defer c.Close()
		l, err := verify.ParseLevel(level)
		if err != nil {
			t.Fatal(err)
		}
		o := verify.Options{ID: "record", Kilter: "test", Level: l, Checks: verify.Checks(), Know: know}
		if other {
			o.Against, o.Selection = c, verify.Selection{Only: []string{"compare.*"}}
		}
		verify.Run(t.Context(), c, o)
		for _, err := range front.Errs() {
			t.Errorf("%s/%s: %v", name, d, err)
		}
		t.Logf("%s/%s: %s", name, d, time.Since(began).Round(time.Millisecond))
	}
	plain := func(*enginetest.Front) {}
	// First what scores the plain text at once: llama.cpp's steps are its beginning.
	for _, d := range []enginetest.Dialect{enginetest.SGLang, enginetest.LlamaCPP, enginetest.VLLM, enginetest.Ollama, enginetest.OpenAI} {
		run("plain", d, "standard", enginetest.Tiny, plain, false)
	}
	for _, h := range enginetest.Healthy() {
		for _, d := range h.Dialects {
			run(h.Name, d, h.Level, h.Size, h.Apply, false)
		}
	}
	for _, f := range enginetest.Faults() {
		if f.Expect == "alive.responsive" {
			continue // it asks for nothing more, and hangs
		}
		run(f.Name, f.Dialects[0], f.Level, f.Size, f.Apply, false)
	}
	run("against", enginetest.OpenAI, "smoke", enginetest.Small, plain, true)
	if t.Failed() {
		return
	}
	if err := tape.Save("testdata/smollm2.json", direct.Server().Version+" "+direct.Server().Model+" "+direct.Server().Quantization); err != nil {
		t.Fatal(err)
	}
}
