package dialect

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"kilter/internal/evidence"
)

// A ConnectError says why a server could not be recognised, and what to do.
type ConnectError struct {
	Kind    FailKind
	URL     string // redacted
	Message string // redacted
	// Hint is the next step, or empty.
	Hint string
	// Status is the HTTP status that was seen, or 0.
	Status int
	// Models are the ids that the server lists, for FailModel.
	Models []string
}

// Error returns the message with the URL, without the hint.
func (e *ConnectError) Error() string { return e.URL + ": " + e.Message }

// Connect recognises the server at o.URL: which engine it is, which model it
// serves and what it offers. It makes between two and seven requests, none of
// which generates text. An error is a *ConnectError, or says what is wrong
// with o: of ParseURL, or of the CA file.
func Connect(ctx context.Context, o Options) (*Client, error) {
	c, err := newClient(o)
	if err != nil {
		return nil, err
	}
	if err := c.recognise(ctx); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// The waits between two tries of ConnectWait.
const (
	firstWait   = 250 * time.Millisecond
	longestWait = 5 * time.Second
)

// ConnectWait is Connect for a server that may still be starting: for up to
// wait it tries again while the connection is refused or closed or the server
// says that it is loading. note, if not nil, is told whenever the reason
// changes. With wait at 0 it is Connect.
func ConnectWait(ctx context.Context, o Options, wait time.Duration, note func(string)) (*Client, error) {
	deadline := time.Now().Add(wait)
	pause, noted := firstWait, FailKind("")
	for {
		c, err := Connect(ctx, o)
		var ce *ConnectError
		if err == nil || !errors.As(err, &ce) || !passing(ce.Kind) || ctx.Err() != nil {
			return c, err
		}
		left := time.Until(deadline)
		if left <= 0 {
			return nil, err
		}
		if note != nil && ce.Kind != noted {
			note(fmt.Sprintf("waiting up to %s for %s", short(left.Round(time.Second)), ce.Error()))
			noted = ce.Kind
		}
		timer := time.NewTimer(min(pause, left))
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil, err
		case <-timer.C:
		}
		pause = min(pause*3/2, longestWait)
	}
}

// passing reports whether a failure is one that a starting server gets over.
func passing(k FailKind) bool {
	return k == FailRefused || k == FailLoading || k == FailClosed
}

// connectError makes an error of a failed exchange.
func (c *Client) connectError(fail *Failure, status int) *ConnectError {
	e := &ConnectError{
		Kind: fail.Kind, URL: c.redactor.String(hidePassword(c.base)), Message: fail.Message, Status: status,
	}
	if status == 503 && fail.Kind == FailStatus {
		e.Kind = FailLoading
	}
	switch e.Kind {
	case FailRefused:
		e.Hint = "check host and port, and that the server has started; --wait 10m waits for one that is starting"
	case FailLoading:
		e.Hint = "the server is still loading its model; --wait 10m waits for it"
	case FailAuth:
		if c.o.APIKey == "" {
			e.Hint = "the server wants an API key: set KILTER_API_KEY or use --api-key-file"
		} else {
			e.Hint = "the server refuses the API key that was given: check KILTER_API_KEY or --api-key-file"
		}
	case FailTLS:
		e.Hint = c.tlsHint(fail.Message)
	case FailNotJSON:
		e.Hint = "this is a web page, not an API: give the address of the engine's own port, such as http://host:30000 (SGLang), :8000 (vLLM), :8080 (llama.cpp), :11434 (ollama)"
	case FailShape, FailStatus:
		e.Hint = "kilter needs a server with OpenAI's endpoints: check that URL + /v1/models answers with a list of models"
	case FailTimeout, FailHang, FailTooSlow:
		e.Hint = "something accepts connections and does not answer: look at the server's log; --timeout sets how long kilter waits"
	case FailEmbedding:
		e.Hint = "kilter judges models that generate text; embeddings are not covered yet"
	}
	return e
}

func (c *Client) tlsHint(message string) string {
	switch {
	case strings.Contains(message, "speaks plain HTTP"):
		return "use http:// in place of https://"
	case strings.Contains(message, "speaks TLS"):
		return "use https:// in place of http://"
	case strings.Contains(message, "authority"):
		return "give the authority's certificate with --ca-file"
	}
	return "check the certificate, and that the port is the one for HTTPS"
}

// recognise fills in c.server and c.wire.
func (c *Client) recognise(ctx context.Context) error {
	rec := &recognition{
		c: c, flags: map[string]any{},
		facts: evidence.Collector{Redactor: c.redactor, Now: c.o.Now},
	}
	s := &c.server
	s.URL, s.Engine = c.redactor.String(hidePassword(c.base)), OpenAI
	if p := c.viaProxy(); p != "" {
		s.Gateway = append(s.Gateway, p)
	}

	list, fail := rec.models(ctx)
	if fail != nil && !(fail.Kind == FailStatus && (rec.status == 404 || rec.status == 405)) {
		return c.connectError(fail, rec.status)
	}
	if fail == nil {
		if err := rec.choose(list); err != nil {
			return err
		}
	}
	engineFail := rec.engine(ctx)
	switch {
	case engineFail != nil:
		return c.connectError(engineFail, rec.status)
	case s.Engine == OpenAI && fail != nil:
		return c.connectError(fail, 404)
	case s.Engine == OpenAI:
		s.Caps = Caps{Completion: true, Logprobs: true, MaxTop: 5}
	}
	if s.Model == "" {
		s.Model = c.o.Model
	}
	if s.Model == "" {
		return c.modelError("the server lists no model", "load a model, or name one with --model")
	}
	if s.Params == 0 {
		for _, name := range []string{s.Model, rec.root, s.ModelPath} {
			if n, ok := paramsOfName(name); ok {
				s.Params, s.ParamsFrom = n, "name"
				break
			}
		}
	}
	rec.summary()
	s.Facts = rec.facts.Facts()
	return nil
}

func (c *Client) modelError(message, hint string) *ConnectError {
	return &ConnectError{
		Kind: FailModel, URL: c.server.URL, Message: c.redactor.String(message), Hint: hint, Models: c.server.Models,
	}
}
