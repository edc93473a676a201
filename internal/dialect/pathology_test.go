package dialect

import (
	"bufio"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// raw serves each connection by hand: it reads a request's head, then calls f.
func raw(t *testing.T, f func(w net.Conn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			br := bufio.NewReader(conn)
			if req, err := http.ReadRequest(br); err == nil {
				_, _ = io.Copy(io.Discard, req.Body)
				f(conn)
			}
			conn.Close()
		}
	}()
	return "http://" + l.Addr().String()
}

const sseHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"

// waitClosed waits until the client has dropped the connection.
func waitClosed(conn net.Conn) {
	_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
	_, _ = conn.Read(make([]byte, 1))
}

func TestPathologies(t *testing.T) {
	chunk := "data: " + delta("Hi") + "\n\n"
	for _, tc := range []struct {
		name   string
		serve  func(net.Conn)
		o      Options
		plain  bool // not streamed
		kind   FailKind
		answer string
	}{
		{"silence before the headers", waitClosed, Options{Timeout: 40 * time.Millisecond}, false, FailTimeout, ""},
		{"silence after the headers", func(c net.Conn) { fmt.Fprint(c, sseHead); waitClosed(c) }, Options{IdleTimeout: 40 * time.Millisecond}, false, FailHang, ""},
		{"silence after the headers, whole time over", func(c net.Conn) { fmt.Fprint(c, sseHead); waitClosed(c) }, Options{Timeout: 60 * time.Millisecond}, false, FailHang, ""},
		{"silence after an event", func(c net.Conn) { fmt.Fprint(c, sseHead, chunk); waitClosed(c) }, Options{IdleTimeout: 60 * time.Millisecond}, false, FailHang, "Hi"},
		{"half a body, then silence", func(c net.Conn) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"choices\":")
			waitClosed(c)
		}, Options{IdleTimeout: 40 * time.Millisecond}, true, FailHang, ""},
		{"a slow drip", func(c net.Conn) {
			fmt.Fprint(c, sseHead)
			for i := 0; ; i++ {
				if _, err := fmt.Fprint(c, chunk); err != nil {
					return
				}
				time.Sleep(5 * time.Millisecond)
			}
		}, Options{Timeout: 80 * time.Millisecond}, false, FailTooSlow, "Hi"},
		{"closed in the stream", func(c net.Conn) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
			fmt.Fprintf(c, "%x\r\n%s\r\n", len(chunk), chunk)
		}, Options{}, false, FailClosed, "Hi"},
		{"closed in a body", func(c net.Conn) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"choices\":")
		}, Options{}, true, FailClosed, ""},
		{"closed before any response", func(net.Conn) {}, Options{}, true, FailClosed, ""},
		{"no HTTP", func(c net.Conn) { fmt.Fprint(c, "SSH-2.0-OpenSSH_9.2\r\n") }, Options{}, true, FailShape, ""},
		{"a body over the limit", func(c net.Conn) {
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\n\r\n")
			for {
				if _, err := c.Write(make([]byte, 4096)); err != nil {
					return
				}
			}
		}, Options{Limits: Limits{MaxBody: 10000}}, true, FailTooLarge, ""},
		{"a stream over the limit", func(c net.Conn) {
			fmt.Fprint(c, sseHead)
			for {
				if _, err := fmt.Fprint(c, chunk); err != nil {
					return
				}
			}
		}, Options{Limits: Limits{MaxStream: 10000}}, false, FailTooLarge, "Hi"},
		{"an event of endless lines", func(c net.Conn) {
			fmt.Fprint(c, sseHead)
			for {
				if _, err := fmt.Fprint(c, "data: x\n"); err != nil {
					return
				}
			}
		}, Options{Limits: Limits{MaxLine: 10000}}, false, FailTooLarge, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			tc.o.URL = raw(t, tc.serve)
			c := as(t, OpenAI, tc.o)
			x := c.Do(t.Context(), Request{Op: OpChat, Stream: !tc.plain})
			if x.Fail == nil || x.Fail.Kind != tc.kind {
				t.Fatalf("%+v, want %s", x.Fail, tc.kind)
			}
			if x.Total <= 0 || tc.answer != "" && (x.Answer == nil || !strings.HasPrefix(deref(x.Answer.Choices[0].Content), tc.answer)) {
				t.Errorf("%s: %+v", x.Total, x.Answer)
			}
		})
	}
}

// One line without an end must neither fill the memory nor be read on.
func TestEndlessLine(t *testing.T) {
	var written atomic.Int64
	url := raw(t, func(c net.Conn) {
		fmt.Fprint(c, sseHead, "data: ")
		block := []byte(strings.Repeat("x", 64<<10))
		for written.Load() < 1<<30 {
			n, err := c.Write(block)
			written.Add(int64(n))
			if err != nil {
				return
			}
		}
	})
	c := as(t, OpenAI, Options{URL: url})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	x := c.Do(t.Context(), Request{Op: OpChat, Stream: true})
	runtime.ReadMemStats(&after)
	if x.Fail == nil || x.Fail.Kind != FailTooLarge || !strings.Contains(x.Fail.Message, "1 MiB") {
		t.Fatalf("%+v", x.Fail)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 32<<20 {
		t.Errorf("%d MiB were allocated", grown>>20)
	}
	if n := written.Load(); n > 64<<20 {
		t.Errorf("the server could send %d MiB", n>>20)
	}
}

func TestCancellation(t *testing.T) {
	url := raw(t, func(c net.Conn) { fmt.Fprint(c, sseHead, "data: ", delta("Hi"), "\n\n"); waitClosed(c) })
	c := as(t, OpenAI, Options{URL: url})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(40*time.Millisecond, cancel)
	x := c.Do(ctx, Request{Op: OpChat, Stream: true})
	if x.Fail == nil || x.Fail.Kind != FailCancelled || x.Answer == nil {
		t.Errorf("cancelled: %+v", x.Fail)
	}
	ctx, cancel = context.WithTimeout(t.Context(), 40*time.Millisecond)
	defer cancel()
	if x = c.Do(ctx, Request{Op: OpChat}); x.Fail == nil || x.Fail.Kind != FailCancelled || !strings.Contains(x.Fail.Message, "the run") {
		t.Errorf("deadline of the run: %+v", x.Fail)
	}
}

// A gateway that compresses although nobody asked.
func TestGzip(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Accept-Encoding") != "" {
			t.Error("compression was asked for")
		}
		w.Header().Set("Content-Encoding", "gzip")
		gz := gzip.NewWriter(w)
		b, _ := io.ReadAll(r.Body)
		if strings.Contains(string(b), `"stream":true`) {
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(gz, events(delta("Hi"), stopChunk, "[DONE]"))
		} else {
			_, _ = io.WriteString(gz, `{"choices":[{"message":{"content":"Hi"}}]}`)
		}
		_ = gz.Close()
	}))
	defer srv.Close()
	c := as(t, OpenAI, Options{URL: srv.URL})
	for _, stream := range []bool{false, true} {
		x := c.Do(t.Context(), Request{Op: OpChat, Stream: stream})
		if x.Fail != nil || deref(x.Answer.Choices[0].Content) != "Hi" || x.Header["content-encoding"] != "gzip" {
			t.Errorf("stream %v: %+v", stream, x.Fail)
		}
	}
}

// A connection is used again after a stream, and a request survives that the
// server has closed an idle one.
func TestConnectionReuse(t *testing.T) {
	var conns atomic.Int64
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, events(delta("Hi"), stopChunk, "[DONE]"))
	}))
	srv.Config.ConnState = func(_ net.Conn, s http.ConnState) {
		if s == http.StateNew {
			conns.Add(1)
		}
	}
	srv.Start()
	defer srv.Close()
	c := as(t, OpenAI, Options{URL: srv.URL})
	for i := range 6 {
		if x := c.Do(t.Context(), Request{Op: OpChat, Stream: true}); x.Fail != nil {
			t.Fatalf("%+v", x.Fail)
		}
		if i == 3 {
			srv.CloseClientConnections()
		}
	}
	if n := conns.Load(); n > 3 {
		t.Errorf("%d connections for 6 requests", n)
	}
}

func TestTimes(t *testing.T) {
	url := raw(t, func(c net.Conn) {
		fmt.Fprint(c, sseHead)
		for _, d := range []string{roleChunk, delta("Hi"), delta("!"), stopChunk, "[DONE]"} {
			time.Sleep(10 * time.Millisecond)
			fmt.Fprint(c, "data: ", d, "\n\n")
		}
	})
	c := as(t, OpenAI, Options{URL: url})
	x := c.Do(t.Context(), Request{Op: OpChat, Stream: true})
	if x.Fail != nil || x.First-x.Headers < 15*time.Millisecond || x.Total-x.First < 25*time.Millisecond || x.Stream.LongestGap < 5*time.Millisecond || x.Stream.LongestGap > x.Total {
		t.Errorf("headers %s, first %s, total %s, gap %s, %+v", x.Headers, x.First, x.Total, x.Stream.LongestGap, x.Fail)
	}
}
