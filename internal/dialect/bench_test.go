package dialect

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"
)

// BenchmarkStreamEvent measures the CPU time that Client.Do takes for an event
// of a stream, beside a loop over the same stream with net/http and bufio that
// looks at nothing. The stream is 20,000 chunks of about 200 bytes from a
// server that this process runs too, on loopback: its share is measured by
// the first arm, which reads the socket and nothing more, and taken off.
//
//	cpu-ns/event   user and system time of the client alone
//
// The time that testing prints is the wall clock's, of both sides.
func BenchmarkStreamEvent(b *testing.B) {
	const n = 20000
	var stream bytes.Buffer
	for i := range n {
		fmt.Fprintf(&stream, "data: %s\n\n", strings.Replace(chunk200, "WORD", fmt.Sprintf(" w%03d", i%1000), 1))
	}
	stream.WriteString("data: " + stopChunk + "\n\ndata: [DONE]\n\n")
	url, stop := serveBytes(b, append([]byte("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: "+
		fmt.Sprint(stream.Len())+"\r\n\r\n"), stream.Bytes()...))
	defer stop()
	body := `{"stream":true}`

	perEvent := func(b *testing.B, f func() int) {
		f()
		start, events := cpuTime(), 0
		for b.Loop() {
			events += f()
		}
		b.ReportMetric(float64(cpuTime()-start)/float64(events), "cpu-ns/event")
	}
	b.Run("socket", func(b *testing.B) {
		perEvent(b, func() int {
			conn, err := net.Dial("tcp", strings.TrimPrefix(url, "http://"))
			if err != nil {
				b.Fatal(err)
			}
			defer conn.Close()
			fmt.Fprintf(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
			buf := make([]byte, 32<<10)
			for {
				if _, err := conn.Read(buf); err != nil {
					return n
				}
			}
		})
	})
	b.Run("plain", func(b *testing.B) {
		hc := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		perEvent(b, func() int {
			resp, err := hc.Post(url, "application/json", strings.NewReader(body))
			if err != nil {
				b.Fatal(err)
			}
			defer resp.Body.Close()
			br, events := bufio.NewReader(resp.Body), 0
			for {
				line, err := br.ReadSlice('\n')
				if bytes.HasPrefix(line, []byte("data: ")) {
					events++
				}
				if err != nil {
					return events
				}
			}
		})
	})
	b.Run("do", func(b *testing.B) {
		c := as(b, OpenAI, Options{URL: url})
		perEvent(b, func() int {
			x := c.Do(b.Context(), Request{Op: OpChat, Stream: true})
			if x.Fail != nil || x.Stream.TextEvents != n {
				b.Fatalf("%+v %+v", x.Fail, x.Stream)
			}
			return x.Stream.Events
		})
	})
	b.Run("decode alone", func(b *testing.B) {
		data := []byte(strings.Replace(chunk200, "WORD", " word", 1))
		var p fastChunk
		b.ReportAllocs()
		for b.Loop() {
			if _, ok := p.decode(data, true); !ok {
				b.Fatal("not fast")
			}
		}
	})
	b.Run("encoding/json alone", func(b *testing.B) {
		data := []byte(strings.Replace(chunk200, "WORD", " word", 1))
		for b.Loop() {
			var w wireAnswer
			if _, err := decodeAnswer(data, &w); err != nil {
				b.Fatal(err)
			}
		}
	})
}

const chunk200 = `{"id":"chatcmpl-0123456789abcdef","object":"chat.completion.chunk","created":1795971652,"model":"qwen3.5-397b","choices":[{"index":0,"delta":{"content":"WORD"},"logprobs":null,"finish_reason":null}]}`

// serveBytes answers every connection with the same bytes, as fast as it can.
func serveBytes(b *testing.B, answer []byte) (url string, stop func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if req, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				_, _ = io.Copy(io.Discard, req.Body)
				_, _ = conn.Write(answer)
			}
			conn.Close()
		}
	}()
	return "http://" + l.Addr().String(), func() { l.Close(); <-done }
}

// cpuTime is the user and system time of this process so far.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
