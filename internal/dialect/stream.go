package dialect

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"sync"
	"time"
)

// buffers are the read buffers of streams. A line that is longer than one is
// put together elsewhere, up to Limits.MaxLine.
var buffers = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, 32<<10) }}

// drainTime is how long, after [DONE], the end of the body is waited for, so
// that the connection can serve again.
const drainTime = 50 * time.Millisecond

// A streamReader turns the events of one response into an answer.
type streamReader struct {
	f      *flight
	r      *bufio.Reader
	info   *StreamInfo
	join   joiner
	fast   fastChunk
	cancel int // Request.CancelAfter

	event   []byte // data of the event under way
	hasData bool
	line    []byte // a line longer than the read buffer
	lines   int

	bareNaN bool
	good    int // events that were JSON
	last    time.Time
	fail    *Failure // an error object sent as an event
}

// stream makes a streamed chat or text completion.
func (c *Client) stream(ctx context.Context, r Request, x *Exchange, path string, body []byte) {
	x.Method, x.Path = "POST", path
	x.Sent = c.redactJSON(body, max(c.o.Limits.KeepBody, 4096))
	f, fail := c.launch(ctx, x, "POST", path, body)
	defer f.land()
	if fail != nil {
		x.Fail = fail
		return
	}
	x.Stream = &StreamInfo{}
	if x.Status < 200 || x.Status > 299 {
		b, fail := f.readAll(nil)
		if bad := c.bodyFailure(f.resp, b); bad != nil {
			fail = bad
		}
		x.Fail = fail
		return
	}

	f.limit = c.o.Limits.MaxStream
	br := buffers.Get().(*bufio.Reader)
	br.Reset(f)
	defer func() {
		br.Reset(nil)
		buffers.Put(br)
	}()

	// Some servers answer a streamed request with plain JSON, or a page.
	if !strings.Contains(f.resp.Header.Get("Content-Type"), "event-stream") {
		if first, err := peekByte(br); err == nil && (first == '{' || first == '[' || first == '<') {
			f.limit = c.o.Limits.MaxBody
			prefix, _ := br.Peek(br.Buffered())
			b, fail := f.readAll(prefix)
			if fail == nil {
				fail = c.bodyFailure(f.resp, b)
			}
			if fail == nil {
				x.Answer, fail = c.readAnswer(b)
			}
			x.Fail = fail
			return
		}
	}

	s := &streamReader{f: f, r: br, info: x.Stream, cancel: r.CancelAfter}
	x.Fail = s.run()
	x.Stream.Split = s.join.split
	if len(s.join.choices) > 0 || s.join.usage != nil {
		x.Answer = c.scrub(s.join.finish())
		x.Answer.BareNaN = s.bareNaN
	}
}

// peekByte returns the first byte that is no white space, leaving it there.
func peekByte(br *bufio.Reader) (byte, error) {
	for {
		b, err := br.Peek(1)
		if err != nil {
			return 0, err
		}
		switch b[0] {
		case ' ', '\t', '\r', '\n':
			_, _ = br.Discard(1)
			continue
		case 0xEF: // a byte order mark
			if b, _ := br.Peek(3); string(b) == "\uFEFF" {
				_, _ = br.Discard(3)
				continue
			}
		}
		return b[0], nil
	}
}

// errStop ends the reading of a stream that needs no more of it.
var errStop = errors.New("stop")

// run reads the stream to its end and says what was wrong with it.
func (s *streamReader) run() *Failure {
	for {
		line, err := s.readLine()
		whole := err == nil
		if whole || errors.Is(err, io.EOF) && len(line) > 0 {
			if stop := s.takeLine(line, whole); errors.Is(stop, errStop) {
				return s.end(nil)
			} else if stop != nil {
				return s.end(stop)
			}
		}
		if err != nil {
			if errors.Is(err, io.EOF) && s.hasData {
				_ = s.flush(false)
			}
			return s.end(err)
		}
	}
}

// end judges the stream after its last byte; err is what ended it, nil for
// [DONE] and for kilter itself.
func (s *streamReader) end(err error) *Failure {
	switch {
	case s.info.Cancelled:
		return nil
	case s.info.Done:
		s.f.ended = s.f.arrived
		s.drain()
		if s.fail == nil && len(s.join.choices) == 0 {
			return &Failure{Kind: FailBadStream, Message: "the stream ends with [DONE] and holds no answer"}
		}
		return s.fail
	case errors.Is(err, errLineTooLong):
		return &Failure{Kind: FailTooLarge, Message: "a line or an event of the stream is over " + bytesText(int64(s.f.c.o.Limits.MaxLine))}
	case err != nil && !errors.Is(err, io.EOF):
		if s.fail != nil {
			return s.fail
		}
		return s.f.failure(err)
	case s.fail != nil:
		return s.fail
	case s.f.n == 0:
		return &Failure{Kind: FailClosed, Message: "the stream ended before its first byte"}
	case s.good == 0 && s.info.Malformed == 0:
		return &Failure{Kind: FailBadStream, Message: "the stream holds no event: it starts with " + quoteShort(s.f.c.redactHead(s.f.keep, min(200, s.f.c.o.Limits.KeepBody)))}
	case s.good == 0:
		return &Failure{Kind: FailBadStream, Message: "no event of the stream is JSON: the first is " + quoteShort(s.info.FirstMalformed)}
	case !s.join.finished():
		return &Failure{Kind: FailClosed, Message: "the stream ended with neither a finish reason nor [DONE]"}
	}
	return nil
}

// drain reads to the body's end if that is at hand.
func (s *streamReader) drain() {
	s.f.idle.Reset(drainTime)
	s.f.limit = s.f.n + 4096
	var scrap [512]byte
	for {
		n, err := s.r.Read(scrap[:])
		if n == 0 || err != nil {
			return
		}
		s.f.idle.Reset(drainTime)
	}
}

var errLineTooLong = errors.New("line too long")

// readLine returns the next line without its end. It is valid until the next
// call.
func (s *streamReader) readLine() ([]byte, error) {
	line, err := s.r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		s.line = s.line[:0]
		for errors.Is(err, bufio.ErrBufferFull) {
			s.line = append(s.line, line...)
			if len(s.line) > s.f.c.o.Limits.MaxLine {
				return nil, errLineTooLong
			}
			line, err = s.r.ReadSlice('\n')
		}
		s.line = append(s.line, line...)
		line = s.line
	}
	if len(line) > s.f.c.o.Limits.MaxLine {
		return nil, errLineTooLong
	}
	if n := len(line); n > 0 && line[n-1] == '\n' {
		line = line[:n-1]
		if n > 1 && line[n-2] == '\r' {
			line = line[:n-2]
			s.info.CRLF = true
		}
	}
	return line, err
}

// takeLine handles one line; whole is false for a last line without its end.
// An error ends the reading.
func (s *streamReader) takeLine(line []byte, whole bool) error {
	if s.lines++; s.lines == 1 {
		line = bytes.TrimPrefix(line, []byte("\uFEFF"))
	}
	if len(line) == 0 {
		if s.hasData {
			return s.flush(true)
		}
		return nil
	}
	data, ok := bytes.CutPrefix(line, []byte("data:"))
	if !ok {
		return nil // a comment, event:, id:, retry:, or what nobody knows
	}
	data = bytes.TrimPrefix(data, []byte(" "))
	if s.hasData {
		s.event = append(s.event, '\n')
	}
	if len(s.event)+len(data) > s.f.c.o.Limits.MaxLine {
		return errLineTooLong
	}
	s.event = append(s.event, data...)
	s.hasData = true
	if !whole {
		return s.flush(false)
	}
	return nil
}

// flush handles the event under way. complete is false where the body ended
// inside it.
func (s *streamReader) flush(complete bool) error {
	data := s.event
	s.event, s.hasData = s.event[:0], false
	if string(data) == "[DONE]" || string(bytes.TrimSpace(data)) == "[DONE]" {
		s.info.Done = true
		return errStop
	}
	s.info.Events++
	first := s.info.Events == 1
	if at := s.f.arrived; s.last.IsZero() {
		s.last = at
	} else if at != s.last {
		s.info.LongestGap = max(s.info.LongestGap, at.Sub(s.last))
		s.last = at
	}

	w, ok := s.fast.decode(data, s.join.answer.ID != "")
	if !ok {
		w = new(wireAnswer)
		bare, err := decodeAnswer(data, w)
		if err != nil {
			return s.odd(data, complete)
		}
		s.bareNaN = s.bareNaN || bare
	}
	return s.take(w, data, first)
}

// take joins a parsed event.
func (s *streamReader) take(w *wireAnswer, data []byte, first bool) error {
	s.good++
	if len(w.Choices) == 0 {
		if fail := s.f.c.faultIn(w, data); fail != nil {
			if s.fail == nil {
				s.fail = fail
				s.info.ErrorEvent = strings.TrimPrefix(fail.Message, "an error in place of the answer: ")
				fail.Message = "an error event in the stream: " + s.info.ErrorEvent
			}
			return nil
		}
	}
	if w.Usage != nil {
		s.info.Usage = true
	}
	text := s.join.add(w)
	if first && !text && len(w.Choices) > 0 && w.Choices[0].Delta != nil && w.Choices[0].Delta.Role != "" {
		s.info.RoleFirst = true
	}
	if !text {
		return nil
	}
	s.info.TextEvents++
	if s.info.TextEvents == 1 {
		s.f.x.First = s.f.arrived.Sub(s.f.x.Start)
	}
	if s.cancel > 0 && s.info.TextEvents >= s.cancel {
		s.info.Cancelled = true
		return errStop
	}
	return nil
}

// odd handles data that is no JSON. Where the blank line between events is
// missing, each line is tried for itself.
func (s *streamReader) odd(data []byte, complete bool) error {
	if lines := bytes.Split(data, []byte("\n")); len(lines) > 1 {
		s.info.Events--
		data = bytes.Clone(data)
		for _, line := range bytes.Split(data, []byte("\n")) {
			if len(bytes.TrimSpace(line)) == 0 {
				continue
			}
			s.event = append(s.event[:0], line...)
			if err := s.flush(complete); err != nil {
				return err
			}
		}
		return nil
	}
	if !complete {
		// The body ended inside this event, which end tells.
		s.info.Events--
		return nil
	}
	s.info.Malformed++
	if s.info.Malformed == 1 {
		s.info.FirstMalformed = s.f.c.redactHead(data, 200)
	}
	return nil
}
