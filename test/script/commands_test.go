package script

import (
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// exits CODE PROGRAM ARG... runs a program and wants its exit code. stdout and
// stderr are kept in files of those names, for cmp and rungrep.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE PROGRAM ARG...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	default:
		ts.Check(err)
	}
	ts.Check(os.WriteFile(ts.MkAbs("out"), []byte(ts.ReadFile("stdout")), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs("err"), []byte(ts.ReadFile("stderr")), 0o600))
	if got != want {
		ts.Fatalf("exit code %d, want %d", got, want)
	}
}

// rungrep NAME PATTERN sets the variable NAME to what the pattern's first group
// matches in the stderr that exits kept: the id of a stored run, mostly.
func runGrep(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: rungrep NAME PATTERN")
	}
	m := regexp.MustCompile(args[1]).FindStringSubmatch(ts.ReadFile(ts.MkAbs("err")))
	if len(m) < 2 {
		ts.Fatalf("stderr does not match %q", args[1])
	}
	ts.Setenv(args[0], m[1])
}

// fakeserver KIND... starts servers that fail in the ways that lie below any
// engine, and sets URL_KIND to the address of each. (Servers with an engine's
// faults are elsewhere.)
func fakeServer(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: fakeserver KIND...")
	}
	for _, kind := range args {
		ts.Setenv("URL_"+kind, start(ts, kind))
	}
}

// asked KIND waits until the server of a kind that keeps its clients waiting
// has got a request that it does not answer.
func asked(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: asked KIND")
	}
	select {
	case <-ts.Value(key(args[0])).(chan struct{}):
	case <-time.After(time.Minute):
		ts.Fatalf("no request came")
	}
}

type key string

func start(ts *testscript.TestScript, kind string) (url string) {
	kept, _ := ts.Value(key(kind)).(chan struct{})
	answer := func(status int, contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	var h http.Handler
	switch kind {
	case "refused":
		// A port that was free a moment ago.
		l, err := net.Listen("tcp", "127.0.0.1:0")
		ts.Check(err)
		ts.Check(l.Close())
		return "http://" + l.Addr().String()
	case "locked": // wants the key "open sesame"
		h = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Header.Get("Authorization") != "Bearer open-sesame" {
				answer(401, "application/json", `{"error":"Unauthorized"}`)(w, r)
				return
			}
			bangs(w, r)
		})
	case "webpage":
		h = answer(200, "text/html", "<!doctype html><title>Open WebUI</title>")
	case "embeddings":
		h = answer(200, "application/json", `{"object":"list","data":[{"id":"bge-m3","type":"embedding"}]}`)
	case "loading":
		h = answer(503, "application/json", `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`)
	case "hang", "trickle", "tls", "bangs", "mute", "http_to_https", "https_to_http":
		h = map[string]http.HandlerFunc{
			"hang": func(_ http.ResponseWriter, r *http.Request) {
				kept <- struct{}{}
				<-r.Context().Done()
			},
			"trickle": func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				for r.Context().Err() == nil {
					io.WriteString(w, " ")
					http.NewResponseController(w).Flush()
					time.Sleep(20 * time.Millisecond)
				}
			},
			"tls": bangs, "http_to_https": bangs, "https_to_http": bangs,
			"bangs": bangs,
			"mute": func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPost { // lists its models, and no more
					// Only with the body read is it seen that the client has left.
					io.Copy(io.Discard, r.Body)
					kept <- struct{}{}
					<-r.Context().Done()
					return
				}
				bangs(w, r)
			},
		}[kind]
	default:
		ts.Fatalf("fakeserver: unknown kind %q", kind)
	}
	s := httptest.NewUnstartedServer(h)
	s.Config.ErrorLog = log.New(io.Discard, "", 0) // handshakes that fail are the point
	switch kind {
	case "tls", "http_to_https":
		s.StartTLS()
		cert := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
		ts.Check(os.WriteFile(ts.MkAbs(kind+".pem"), cert, 0o600))
	default:
		s.Start()
	}
	ts.Defer(func() {
		s.CloseClientConnections()
		s.Close()
	})
	switch kind {
	case "http_to_https":
		return strings.Replace(s.URL, "https:", "http:", 1)
	case "https_to_http":
		return strings.Replace(s.URL, "http:", "https:", 1)
	}
	return s.URL
}

// bangs answers as the incident's server did: with 200, and token 0 over and
// over.
func bangs(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Path == "/v1/models":
		io.WriteString(w, `{"object":"list","data":[{"id":"qwen","object":"model"}]}`)
	case slices.Contains([]string{"/v1/chat/completions", "/v1/completions"}, r.URL.Path):
		io.WriteString(w, `{"id":"1","object":"chat.completion","model":"qwen","choices":[{"index":0,"message":{"role":"assistant","content":null,"reasoning_content":"`+
			strings.Repeat("!", 16)+`"},"finish_reason":"length"}],"usage":{"prompt_tokens":20,"completion_tokens":16,"total_tokens":36}}`)
	default:
		http.NotFound(w, r)
	}
}
