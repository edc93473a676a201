package dialect

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// No goroutine may outlive the call that started it.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// canned is a transport that answers each request with the same response, its
// body in pieces of the given sizes, the rest at once.
type canned struct {
	status      int
	contentType string
	body        string
	pieces      []int
	end         error // in place of io.EOF
	asked       *http.Request
	sent        string
}

func (t *canned) RoundTrip(r *http.Request) (*http.Response, error) {
	t.asked = r
	if r.Body != nil {
		b, _ := io.ReadAll(r.Body)
		t.sent = string(b)
	}
	status := t.status
	if status == 0 {
		status = 200
	}
	return &http.Response{
		StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
		Header: http.Header{"Content-Type": {t.contentType}},
		Body:   &pieces{rest: t.body, sizes: t.pieces, end: t.end},
	}, nil
}

type pieces struct {
	rest  string
	sizes []int
	end   error
}

func (p *pieces) Read(b []byte) (int, error) {
	if p.rest == "" {
		if p.end != nil {
			return 0, p.end
		}
		return 0, io.EOF
	}
	n := len(p.rest)
	if len(p.sizes) > 0 {
		n, p.sizes = min(n, p.sizes[0]), p.sizes[1:]
	}
	n = copy(b, p.rest[:n])
	p.rest = p.rest[n:]
	return n, nil
}

func (*pieces) Close() error { return nil }

// as returns a client that takes the server for one of an engine, without
// recognition.
func as(t testing.TB, e Engine, o Options) *Client {
	t.Helper()
	if o.URL == "" {
		o.URL = "http://server"
	}
	c, err := newClient(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	c.server = Server{URL: c.base, Engine: e, Model: "m", Caps: Caps{
		Completion: true, TokenPrompt: true, Logprobs: true, Tokenize: true, CountChat: true, Load: true, ThinkingSwitch: true,
	}}
	c.wire = map[Engine]wire{SGLang: sglang{}, VLLM: vllm{}, LlamaCPP: llamaCPP{}, Ollama: ollama{}, OpenAI: openAI{}}[e]
	return c
}

// play answers a streamed chat with these bytes.
func play(t testing.TB, stream string, pieces ...int) Exchange {
	t.Helper()
	c := as(t, OpenAI, Options{Transport: &canned{contentType: "text/event-stream", body: stream, pieces: pieces}})
	return c.Do(t.Context(), Request{Op: OpChat, Stream: true})
}

// reply answers a chat with this body.
func reply(t testing.TB, body string) Exchange {
	t.Helper()
	c := as(t, OpenAI, Options{Transport: &canned{contentType: "application/json", body: body}})
	return c.Do(t.Context(), Request{Op: OpChat})
}

// timeless removes what differs between two runs of the same exchange.
func timeless(x Exchange) Exchange {
	x.Start, x.Headers, x.First, x.Total = time.Time{}, 0, 0, 0
	if x.Stream != nil {
		s := *x.Stream
		s.LongestGap = 0
		x.Stream = &s
	}
	return x
}

// routes serves fixed bodies by method and path, and counts what was asked.
type routes struct {
	bodies map[string]string // "GET /path" to a body; "404 text" sets the status
	header http.Header
	asked  []string
	sent   map[string]string
}

func (r *routes) start(t testing.TB) string {
	t.Helper()
	r.sent = map[string]string{}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		key := req.Method + " " + req.URL.Path
		r.asked = append(r.asked, key)
		b, _ := io.ReadAll(req.Body)
		r.sent[key] = string(b)
		for name, v := range r.header {
			w.Header()[name] = v
		}
		body, ok := r.bodies[key]
		if !ok {
			body = `404 {"detail":"Not Found"}`
		}
		w.Header().Set("Content-Type", "application/json")
		if len(body) > 4 && body[3] == ' ' && body[0] >= '3' && body[0] <= '5' {
			w.WriteHeader(int(body[0]-'0')*100 + int(body[1]-'0')*10 + int(body[2]-'0'))
			body = body[4:]
		}
		if strings.HasPrefix(body, "<") {
			w.Header().Set("Content-Type", "text/html")
		}
		_, _ = io.Copy(w, bytes.NewReader([]byte(body)))
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

func ptr[T any](v T) *T { return &v }

func deref(s *string) string {
	if s == nil {
		return "<nil>"
	}
	return *s
}
