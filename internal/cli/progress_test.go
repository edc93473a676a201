package cli

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	"kilter/internal/verify"
)

// A screen is a terminal that remembers all that was written.
type screen struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func streams(s *screen, tty bool, term string) *IOStreams {
	return &IOStreams{
		Err: s, ErrTTY: tty, Color: colorAuto,
		Columns: func() int { return 40 },
		Getenv: func(n string) string {
			if n == "TERM" {
				return term
			}
			return ""
		},
	}
}

func steps(p *progress) {
	p.say("connecting to http://h")
	p.update(verify.Progress{Doing: "an \x1b[31mopen question", Done: 1, Planned: 18, Elapsed: 2 * time.Second, Left: 9500 * time.Millisecond})
	p.update(verify.Progress{Doing: "an \x1b[31mopen question", Done: 2, Planned: 18, Elapsed: 3 * time.Second, Waiting: true})
	p.close()
}

func TestProgressOnATerminal(t *testing.T) {
	s := &screen{}
	steps(newProgress(streams(s, true, "xterm"), false))
	got := s.String()
	if !strings.HasSuffix(got, "\r\x1b[K") {
		t.Errorf("the line is not erased at the end: %q", got)
	}
	if strings.Contains(got, "\n") || strings.Contains(got, "\x1b[31m") {
		t.Errorf("a line end or an escape code of the server: %q", got)
	}
	if !strings.Contains(got, "connecting to http://h") || !strings.Contains(got, `an \u001b[31mopen question · 1/18`) {
		t.Errorf("%q", got)
	}
	for _, line := range strings.Split(got, "\r") {
		if line = strings.TrimSuffix(line, "\x1b[K"); len([]rune(line)) > 39 {
			t.Errorf("wider than the terminal: %q", line)
		}
	}
}

func TestProgressElsewhere(t *testing.T) {
	for name, c := range map[string]struct {
		tty     bool
		term    string
		verbose bool
		want    string
	}{
		"a pipe":          {},
		"a dumb terminal": {tty: true, term: "dumb"},
		"verbose": {verbose: true, want: "connecting to http://h\n" +
			"an \\u001b[31mopen question (1/18 requests, 2s)\n" +
			"waiting while the server is busy with others (2/18 requests, 3s)\n"},
	} {
		s := &screen{}
		steps(newProgress(streams(s, c.tty, c.term), c.verbose))
		if got := s.String(); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// The clock goes on while one request takes long.
func TestProgressTicks(t *testing.T) {
	s := &screen{}
	p := newProgress(streams(s, true, "xterm"), false)
	p.say("connecting")
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(s.String(), "connecting · 1s"); {
		if time.Now().After(deadline) {
			t.Fatalf("no clock: %q", s.String())
		}
		time.Sleep(20 * time.Millisecond)
	}
	p.close()
}

func TestSeconds(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 59*time.Second + 900*time.Millisecond: "59s", time.Minute: "1m00s", 75 * time.Second: "1m15s", 2 * time.Hour: "120m00s",
	} {
		if got := seconds(d); got != want {
			t.Errorf("%s: %q, want %q", d, got, want)
		}
	}
}
