package dialect

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"syscall"
	"time"
)

// failure says what an error of the transport or of a read means.
func (f *flight) failure(err error) *Failure {
	fail := func(kind FailKind, format string, args ...any) *Failure {
		return &Failure{Kind: kind, Message: f.c.redact(fmt.Sprintf(format, args...))}
	}
	o := f.c.o
	cause := context.Cause(f.ctx)
	switch {
	case errors.Is(err, errTooLarge):
		return fail(FailTooLarge, "the body is over %s", bytesText(f.limit))
	case f.parent.Err() != nil:
		if errors.Is(f.parent.Err(), context.DeadlineExceeded) {
			return fail(FailCancelled, "the time for the run is over")
		}
		return fail(FailCancelled, "stopped by the caller")
	case errors.Is(cause, errIdleTime):
		return fail(FailHang, "after %d bytes nothing more came for %s", f.n, short(o.IdleTimeout))
	case errors.Is(cause, errWholeTime) && f.resp == nil:
		var op *net.OpError
		if errors.As(err, &op) && op.Op == "dial" {
			return fail(FailRefused, "no TCP connection to %s within %s", f.c.host(), short(f.timeout))
		}
		return fail(FailTimeout, "no response within %s", short(f.timeout))
	case errors.Is(cause, errWholeTime) && f.n == 0:
		return fail(FailHang, "the response's headers came, but no byte of its body within %s", short(f.timeout))
	case errors.Is(cause, errWholeTime):
		return fail(FailTooSlow, "the answer was not whole after %s; %d bytes had come", short(f.timeout), f.n)
	}

	if f.resp != nil {
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			return fail(FailClosed, "the connection was closed after %d bytes of the body, before its end", f.n)
		}
		return fail(FailClosed, "the connection broke after %d bytes of the body: %s", f.n, root(err))
	}
	if msg, ok := tlsMessage(err); ok {
		return fail(FailTLS, "%s", msg)
	}
	var dns *net.DNSError
	var op *net.OpError
	switch {
	case errors.As(err, &dns):
		return fail(FailRefused, "no such host: %s", dns.Name)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fail(FailRefused, "connection refused by %s: nothing listens there", f.c.host())
	case errors.As(err, &op) && (op.Op == "dial" || op.Op == "proxyconnect" || op.Op == "socks connect"):
		return fail(FailRefused, "no TCP connection to %s: %s", f.c.host(), root(err))
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return fail(FailClosed, "the connection was closed before any response came")
	case strings.Contains(err.Error(), "malformed HTTP"):
		return fail(FailShape, "what answers at %s does not speak HTTP", f.c.host())
	}
	return fail(FailClosed, "%s", root(err))
}

// tlsMessage recognises failures of TLS, also those of one side without it.
func tlsMessage(err error) (string, bool) {
	var (
		record  tls.RecordHeaderError
		alert   tls.AlertError
		verify  *tls.CertificateVerificationError
		unknown x509.UnknownAuthorityError
		host    x509.HostnameError
	)
	s := root(err)
	switch {
	case strings.Contains(err.Error(), "server gave HTTP response to HTTPS client"), errors.As(err, &record):
		return "the server speaks plain HTTP, and the URL says https://", true
	case strings.Contains(err.Error(), `malformed HTTP response "\x15\x03`),
		strings.Contains(err.Error(), `malformed HTTP status code "\x15\x03`):
		return "the server speaks TLS, and the URL says http://", true
	case errors.As(err, &unknown):
		return "the server's certificate is signed by an authority that this machine does not trust", true
	case errors.As(err, &host):
		return "the server's certificate is for another name: " + s, true
	case errors.As(err, &verify), errors.As(err, &alert), strings.Contains(s, "tls: "), strings.Contains(s, "x509: "):
		return "TLS: " + s, true
	}
	return "", false
}

// plainToTLS recognises how HTTPS servers answer plain HTTP: Go, nginx, Apache.
func plainToTLS(status int, body []byte) bool {
	if status != http.StatusBadRequest {
		return false
	}
	s := strings.ToLower(string(body[:min(len(body), 2048)]))
	return strings.Contains(s, "http request to an https server") || strings.Contains(s, "sent to https port") ||
		strings.Contains(s, "plain http to an ssl-enabled")
}

// statusFailure says what a status outside 2xx means; nil within.
func (c *Client) statusFailure(status int, h http.Header, body []byte) *Failure {
	if status >= 200 && status < 300 {
		return nil
	}
	fault, _ := parseFault(body)
	fail := &Failure{Kind: FailStatus, Type: cut(c.redact(fault.typ), 100), Code: cut(c.redact(fault.code), 100)}
	what := fault.message
	if what == "" {
		what = c.describe(h.Get("Content-Type"), body)
	}
	switch {
	case plainToTLS(status, body):
		fail.Kind = FailTLS
		what = "the server speaks TLS, and the URL says http://"
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		fail.Kind = FailAuth
	case status == http.StatusServiceUnavailable && saysLoading(what):
		fail.Kind = FailLoading
	case embeddingOnly(what):
		fail.Kind = FailEmbedding
	case status >= 300 && status < 400:
		what = "it redirects to " + h.Get("Location") + ", which kilter does not follow"
	}
	fail.Message = fmt.Sprintf("status %d: %s", status, cut(c.redact(what), maxMessage))
	return fail
}

// saysLoading reports whether a 503 is that of a server that is on its way, and
// not of a full queue.
func saysLoading(message string) bool {
	m := strings.ToLower(message)
	for _, word := range [...]string{"loading", "starting", "not ready", "warming", "initializing"} {
		if strings.Contains(m, word) {
			return true
		}
	}
	return false
}

// embeddingOnly recognises the refusals of a model that generates no text:
// vLLM, SGLang, llama.cpp, ollama.
func embeddingOnly(message string) bool {
	m := strings.ToLower(message)
	for _, words := range [...]string{
		"does not support chat completions api",
		"does not support completions api",
		"this server does not support completions",
		"does not support chat", "does not support generate",
		"embedding model", "is not a generation model",
	} {
		if strings.Contains(m, words) {
			return true
		}
	}
	return false
}

// root returns the text of the innermost error, without the URL that
// net/http puts before it.
func root(err error) string {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	return err.Error()
}

// host is the server's host and port, for messages.
func (c *Client) host() string {
	u, err := url.Parse(c.base)
	if err != nil {
		return "the server"
	}
	return u.Host
}

// short prints a duration without needless zeroes: 5m, not 5m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

func bytesText(n int64) string {
	switch {
	case n >= 1<<20 && n%(1<<20) == 0:
		return fmt.Sprintf("%d MiB", n>>20)
	case n >= 1<<10 && n%(1<<10) == 0:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%d bytes", n)
}
