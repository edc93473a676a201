package dialect

import (
	"net/http"
	"strings"
	"time"
)

// The defaults of Options.
const (
	// DefaultTimeout bounds one HTTP request from dialling to its last byte.
	// A generation that is not streamed sends nothing until it is whole, so
	// it has to be long.
	DefaultTimeout = 5 * time.Minute
	// DefaultIdleTimeout bounds the silence between two bytes once the
	// response's headers have come. A queued stream is silent until its
	// prefill is done.
	DefaultIdleTimeout = 60 * time.Second
	// ReadTimeout bounds a GET, which generates nothing, if Options.Timeout is
	// longer. SGLang's /server_info waits for the scheduler's current batch.
	ReadTimeout = 30 * time.Second
	// DefaultUserAgent names kilter in the server's log.
	DefaultUserAgent = "kilter"
)

// dialTimeout bounds the TCP connection alone: where no machine answers, the
// whole timeout would be a long wait for nothing.
const dialTimeout = 10 * time.Second

// Options say which server to speak to and how. Only URL is needed.
type Options struct {
	// URL is the server as the user typed it; see ParseURL.
	URL string
	// APIKey is sent as a bearer token, and never to another host.
	APIKey string
	// Headers are sent with each request and win over kilter's own.
	Headers http.Header
	// Model is the id to ask for; empty takes the only one that is listed.
	Model string

	// Timeout bounds a whole HTTP request; 0 is DefaultTimeout.
	Timeout time.Duration
	// IdleTimeout bounds the time between two bytes of a response; 0 is
	// DefaultIdleTimeout.
	IdleTimeout time.Duration

	// CAFile is a PEM file of certificates to trust besides the system's.
	CAFile string

	// Limits bound what a server can make kilter hold.
	Limits Limits

	// Transport takes the place of kilter's own, for tests.
	Transport http.RoundTripper
	// Now is the clock; nil is time.Now.
	Now func() time.Time
	// UserAgent; empty is DefaultUserAgent.
	UserAgent string
}

// Limits bound what one response may be. A member that is 0 has its default.
type Limits struct {
	// KeepBody is how much of a body an Exchange keeps: 64 KiB unless set;
	// below 0, nothing.
	KeepBody int
	// MaxBody is the most bytes of a body that is not a stream: 16 MiB.
	MaxBody int64
	// MaxLine is the most bytes of one line of a stream: 1 MiB.
	MaxLine int
	// MaxStream is the most bytes of a stream: 64 MiB.
	MaxStream int64
}

func (o Options) withDefaults() Options {
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.IdleTimeout <= 0 {
		o.IdleTimeout = DefaultIdleTimeout
	}
	if o.UserAgent == "" {
		o.UserAgent = DefaultUserAgent
	}
	o.APIKey = strings.TrimSpace(o.APIKey)
	if o.Now == nil {
		o.Now = time.Now
	}
	l := &o.Limits
	if l.KeepBody == 0 {
		l.KeepBody = 64 << 10
	}
	if l.KeepBody < 0 {
		l.KeepBody = 0
	}
	if l.MaxBody <= 0 {
		l.MaxBody = 16 << 20
	}
	if l.MaxLine <= 0 {
		l.MaxLine = 1 << 20
	}
	if l.MaxStream <= 0 {
		l.MaxStream = 64 << 20
	}
	return o
}
