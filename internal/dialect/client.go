package dialect

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"sync/atomic"
	"time"

	"kilter/internal/evidence"
)

// A Client speaks to one server, whose engine Connect has recognised. It is
// safe for concurrent use.
type Client struct {
	o        Options
	base     string
	http     *http.Client
	own      *http.Transport // nil with Options.Transport
	redactor *evidence.Redactor
	requests *atomic.Int64

	wire   wire
	server Server
}

// A wire is the engine's own form of what is not the same everywhere.
type wire interface {
	// extend adds to the body of a chat or text completion what this engine
	// alone understands.
	extend(c *Client, r Request, body *members)
	// score, tokenize, countChat and load do the operation of that name and
	// fill in x; a failure is set there.
	score(ctx context.Context, c *Client, r Request, x *Exchange)
	tokenize(ctx context.Context, c *Client, r Request, x *Exchange)
	countChat(ctx context.Context, c *Client, r Request, x *Exchange)
	load(ctx context.Context, c *Client, r Request, x *Exchange)
}

// newClient builds a client that has recognised nothing yet.
func newClient(o Options) (*Client, error) {
	base, err := ParseURL(o.URL)
	if err != nil {
		return nil, err
	}
	c := &Client{o: o.withDefaults(), base: base, requests: new(atomic.Int64), wire: openAI{}}
	c.redactor = newRedactor(o, base)
	rt := o.Transport
	if rt == nil {
		if c.own, err = newTransport(c.o); err != nil {
			return nil, err
		}
		rt = c.own
	}
	c.http = &http.Client{Transport: counter{rt, c.requests}, CheckRedirect: sameHost}
	return c, nil
}

func newTransport(o Options) (*http.Transport, error) {
	conf := &tls.Config{MinVersion: tls.VersionTLS12}
	if o.CAFile != "" {
		pem, err := os.ReadFile(o.CAFile)
		if err != nil {
			return nil, err
		}
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("%s holds no certificate in PEM form", o.CAFile)
		}
		conf.RootCAs = pool
	}
	var one http.Protocols
	one.SetHTTP1(true)
	return &http.Transport{
		Proxy:           http.ProxyFromEnvironment,
		DialContext:     (&net.Dialer{Timeout: min(dialTimeout, o.Timeout), KeepAlive: 30 * time.Second}).DialContext,
		TLSClientConfig: conf,
		// One connection a stream: its end is seen and its silence is its own.
		Protocols: &one,
		// A gateway that compresses a stream holds its events back.
		DisableCompression:     true,
		MaxIdleConnsPerHost:    256,
		IdleConnTimeout:        90 * time.Second,
		TLSHandshakeTimeout:    10 * time.Second,
		MaxResponseHeaderBytes: 256 << 10,
		ReadBufferSize:         32 << 10,
	}, nil
}

// counter counts HTTP requests, redirects included.
type counter struct {
	next http.RoundTripper
	n    *atomic.Int64
}

func (t counter) RoundTrip(r *http.Request) (*http.Response, error) {
	t.n.Add(1)
	return t.next.RoundTrip(r)
}

// sameHost follows redirects to the same host only, so that the key goes
// nowhere else, and none that would turn a POST into a GET.
func sameHost(req *http.Request, via []*http.Request) error {
	first := via[0]
	upgrade := first.URL.Scheme == "http" && req.URL.Scheme == "https" &&
		first.URL.Hostname() == req.URL.Hostname() && first.URL.Port() == "" && req.URL.Port() == ""
	same := first.URL.Scheme == req.URL.Scheme && first.URL.Host == req.URL.Host
	if len(via) > 5 || !same && !upgrade || req.Method != first.Method {
		return http.ErrUseLastResponse
	}
	return nil
}

// Server returns what recognition learned.
func (c *Client) Server() Server { return c.server }

// Requests returns how many HTTP requests this client has made, those of
// recognition included.
func (c *Client) Requests() int { return int(c.requests.Load()) }

// Close drops idle connections. The client can still be used.
func (c *Client) Close() {
	if c.own != nil {
		c.own.CloseIdleConnections()
	}
}

// Do makes a request and returns all that came back. What goes wrong is in
// Exchange.Fail. Ending ctx gives FailCancelled.
func (c *Client) Do(ctx context.Context, r Request) Exchange {
	x := Exchange{Op: r.Op, Start: c.o.Now()}
	switch r.Op {
	case OpChat, OpCompletion:
		c.generate(ctx, r, &x)
	case OpScore:
		c.wire.score(ctx, c, r, &x)
	case OpTokenize:
		c.wire.tokenize(ctx, c, r, &x)
	case OpCountChat:
		c.wire.countChat(ctx, c, r, &x)
	case OpLoad:
		c.wire.load(ctx, c, r, &x)
	default:
		unoffered(&x, "kilter has no operation "+string(r.Op))
	}
	if x.Total == 0 {
		x.Total = c.o.Now().Sub(x.Start)
	}
	return x
}

func unoffered(x *Exchange, message string) {
	x.Fail = &Failure{Kind: FailUnoffered, Message: message}
}

// call makes one request that is not streamed and returns its body. A status
// outside 2xx and a web page are failures; they are set in x and returned.
func (c *Client) call(ctx context.Context, x *Exchange, method, path string, body []byte) ([]byte, *Failure) {
	x.Method, x.Path, x.Status, x.Body, x.BodyCut = method, path, 0, "", false
	x.Sent = c.redactJSON(body, max(c.o.Limits.KeepBody, 4096))
	f, fail := c.launch(ctx, x, method, path, body)
	defer f.land()
	if fail == nil {
		var b []byte
		if b, fail = f.readAll(nil); fail == nil {
			if fail = c.bodyFailure(f.resp, b); fail == nil {
				return b, nil
			}
		}
		x.Fail = fail
		return b, fail
	}
	x.Fail = fail
	return nil, fail
}

// bodyFailure judges a whole body by its status and its form.
func (c *Client) bodyFailure(resp *http.Response, b []byte) *Failure {
	ct := resp.Header.Get("Content-Type")
	if fail := c.statusFailure(resp.StatusCode, resp.Header, b); fail != nil {
		return fail
	}
	if isHTML(ct, b) {
		return &Failure{Kind: FailNotJSON, Message: c.describe(ct, b) + " came in place of JSON"}
	}
	return nil
}

// ask is call for a body and an answer in JSON. A reply that is no JSON, or
// of other types, is a failure.
func (c *Client) ask(ctx context.Context, x *Exchange, method, path string, send, reply any) *Failure {
	var body []byte
	if send != nil {
		body = mustJSON(send)
	}
	b, fail := c.call(ctx, x, method, path, body)
	if fail != nil {
		return fail
	}
	b, _ = quoteNonFinite(b)
	if err := json.Unmarshal(b, reply); err != nil {
		x.Fail = c.badJSON(path, b, err)
		return x.Fail
	}
	return nil
}

// badJSON names a body that json refused.
func (c *Client) badJSON(path string, b []byte, err error) *Failure {
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) {
		return &Failure{Kind: FailShape, Message: fmt.Sprintf("%s answers with JSON of another shape: %s is a %s", path, wrongType.Field, wrongType.Value)}
	}
	return &Failure{Kind: FailNotJSON, Message: fmt.Sprintf("%s answers with no JSON: %s", path, c.describe("", b))}
}

// viaProxy names the proxy that the environment puts before the server.
func (c *Client) viaProxy() string {
	u, err := url.Parse(c.base)
	if err != nil || c.own == nil {
		return ""
	}
	p, err := http.ProxyFromEnvironment(&http.Request{URL: u})
	if err != nil || p == nil {
		return ""
	}
	return "proxy " + p.Redacted() + " from the environment"
}

// mustJSON encodes what cannot fail to be: values of this package.
func mustJSON(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		panic("dialect: " + err.Error())
	}
	return b
}
