package dialect

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"time"
)

// The causes by which a flight ends itself.
var (
	errWholeTime = errors.New("the time for the whole request is over")
	errIdleTime  = errors.New("no byte came for too long")
	errEnough    = errors.New("enough was read")
)

// A flight is one HTTP request under way. It owns the deadlines: one for the
// whole, and one between two bytes once the headers have come. Its reader
// counts, keeps the first part and notes when bytes arrive. No goroutine of
// its own runs; land ends all that it started.
type flight struct {
	c      *Client
	x      *Exchange
	ctx    context.Context
	parent context.Context
	cancel context.CancelCauseFunc
	whole  *time.Timer
	idle   *time.Timer

	resp    *http.Response
	body    io.Reader
	keep    []byte
	keepMax int
	n       int64     // bytes of the body read
	limit   int64     // most bytes of the body
	arrived time.Time // when the last bytes came
	ended   time.Time // when the answer was whole, if reading went on
	timeout time.Duration
}

// launch sends a request and waits for the response's headers. The caller
// must call land, whatever came back.
func (c *Client) launch(ctx context.Context, x *Exchange, method, path string, body []byte) (*flight, *Failure) {
	f := &flight{c: c, x: x, parent: ctx, limit: c.o.Limits.MaxBody}
	f.ctx, f.cancel = context.WithCancelCause(ctx)
	f.timeout = c.o.Timeout
	if method == http.MethodGet {
		f.timeout = min(f.timeout, ReadTimeout)
	}
	f.whole = time.AfterFunc(f.timeout, func() { f.cancel(errWholeTime) })
	if c.o.Limits.KeepBody > 0 {
		f.keepMax = c.o.Limits.KeepBody + c.longestSecret() + 1 // see redactHead
	}

	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(body)
	}
	req, err := http.NewRequestWithContext(f.ctx, method, c.base+path, reader)
	if err != nil {
		return f, &Failure{Kind: FailRefused, Message: c.redact(err.Error())}
	}
	req.Header.Set("User-Agent", c.o.UserAgent)
	req.Header.Set("Accept", "application/json, text/event-stream, */*")
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.o.APIKey != "" {
		req.Header.Set("Authorization", "Bearer "+c.o.APIKey)
	}
	// A server may close an idle connection just as this request takes it.
	// Present and empty, this header lets net/http send a POST again on a
	// fresh one, and does not go over the wire.
	req.Header["X-Idempotency-Key"] = nil
	for name, values := range c.o.Headers {
		req.Header[http.CanonicalHeaderKey(name)] = values
		if strings.EqualFold(name, "Host") && len(values) > 0 {
			req.Host = values[0]
		}
	}

	f.resp, err = c.http.Do(req) //nolint:bodyclose // land closes it
	f.arrived = c.o.Now()
	if err != nil {
		return f, f.failure(err)
	}
	x.Status = f.resp.StatusCode
	x.Headers = f.arrived.Sub(x.Start)
	x.Header = c.keepHeaders(f.resp.Header)
	f.body = f.resp.Body
	f.idle = time.AfterFunc(c.o.IdleTimeout, func() { f.cancel(errIdleTime) })
	if strings.EqualFold(f.resp.Header.Get("Content-Encoding"), "gzip") {
		f.body = &lateGzip{src: f.resp.Body}
	}
	return f, nil
}

// lateGzip opens the stream at the first read, since that may block.
type lateGzip struct {
	src io.Reader
	gz  *gzip.Reader
}

func (g *lateGzip) Read(p []byte) (int, error) {
	if g.gz == nil {
		gz, err := gzip.NewReader(g.src)
		if err != nil {
			return 0, err
		}
		g.gz = gz
	}
	return g.gz.Read(p)
}

// Read reads the body within the flight's deadlines and limit.
func (f *flight) Read(p []byte) (int, error) {
	if left := f.limit - f.n; int64(len(p)) > left+1 {
		p = p[:left+1]
	}
	n, err := f.body.Read(p)
	if n > 0 {
		f.idle.Reset(f.c.o.IdleTimeout)
		f.arrived = f.c.o.Now()
		f.n += int64(n)
		if free := f.keepMax - len(f.keep); free > 0 {
			f.keep = append(f.keep, p[:min(n, free)]...)
		}
		if f.n > f.limit {
			return n - int(f.n-f.limit), errTooLarge
		}
	}
	return n, err
}

var errTooLarge = errors.New("over the limit")

// readAll returns the whole body, which has come already up to prefix.
func (f *flight) readAll(prefix []byte) ([]byte, *Failure) {
	var buf bytes.Buffer
	buf.Write(prefix)
	_, err := io.Copy(&buf, struct{ io.Reader }{f})
	if err != nil {
		return buf.Bytes(), f.failure(err)
	}
	return buf.Bytes(), nil
}

// land ends the flight and fills in what the exchange tells of it. A flight
// that was not read to its end closes its connection.
func (f *flight) land() {
	if f.ended.IsZero() {
		f.ended = f.c.o.Now()
	}
	f.x.Total = f.ended.Sub(f.x.Start)
	f.whole.Stop()
	if f.idle != nil {
		f.idle.Stop()
	}
	if f.resp == nil {
		f.cancel(errEnough)
		return
	}
	// Cancelling first makes Close drop what is still under way in place of
	// waiting for it. After the end was read it does no harm.
	f.cancel(errEnough)
	f.resp.Body.Close()
	f.x.BodyBytes += f.n
	if f.keepMax == 0 {
		return
	}
	most := f.c.o.Limits.KeepBody
	f.x.Body = f.c.redactHead(f.keep, most)
	f.x.BodyCut = f.n > int64(most)
}
