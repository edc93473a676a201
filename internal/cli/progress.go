package cli

import (
	"fmt"
	"strings"
	"sync"
	"time"

	"kilter/internal/verify"
)

// redrawEvery keeps the clock of the progress line going while one request
// takes long.
const redrawEvery = 500 * time.Millisecond

// A progress tells on stderr how far a run is. On a terminal it is one line
// that is drawn again and erased at the end; elsewhere, and with --verbose,
// each new thing is a line of its own, and without --verbose nothing is said.
type progress struct {
	io     *IOStreams
	redraw bool
	lines  bool

	mu      sync.Mutex
	doing   string
	last    verify.Progress
	at      time.Time // when last came
	drawn   bool
	stop    chan struct{}
	stopped chan struct{}
}

func newProgress(s *IOStreams, verbose bool) *progress {
	p := &progress{io: s, lines: verbose}
	p.redraw = s.ErrTTY && !verbose && s.Getenv("TERM") != "dumb"
	if p.redraw {
		p.stop, p.stopped = make(chan struct{}), make(chan struct{})
		go p.tick()
	}
	return p
}

// say shows a text that is not part of a run yet.
func (p *progress) say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lines && text != p.doing {
		fmt.Fprintln(p.io.Err, safe(text))
	}
	p.doing, p.last, p.at = text, verify.Progress{}, time.Now()
	p.draw()
}

// update shows how far the run is.
func (p *progress) update(u verify.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	doing := u.Doing
	if u.Waiting {
		doing = "waiting while the server is busy with others"
	}
	if p.lines && doing != p.doing {
		fmt.Fprintf(p.io.Err, "%s (%d/%d requests, %s)\n", safe(doing), u.Done, u.Planned, seconds(u.Elapsed))
	}
	p.doing, p.last, p.at = doing, u, time.Now()
	p.draw()
}

// close erases the line and ends the redrawing.
func (p *progress) close() {
	if !p.redraw {
		return
	}
	close(p.stop)
	<-p.stopped
	p.mu.Lock()
	defer p.mu.Unlock()
	p.redraw = false
	if p.drawn {
		fmt.Fprint(p.io.Err, "\r\x1b[K")
	}
}

func (p *progress) tick() {
	defer close(p.stopped)
	t := time.NewTicker(redrawEvery)
	defer t.Stop()
	for {
		select {
		case <-p.stop:
			return
		case <-t.C:
			p.mu.Lock()
			p.draw()
			p.mu.Unlock()
		}
	}
}

// draw writes the line over itself. p.mu is held.
func (p *progress) draw() {
	if !p.redraw || p.doing == "" {
		return
	}
	width := p.io.Columns()
	if width <= 0 {
		width = 80
	}
	p.drawn = true
	fmt.Fprintf(p.io.Err, "\r%s\x1b[K", fit(p.line(time.Since(p.at)), width-1))
}

// line is the text of the progress line, ago after the last update.
func (p *progress) line(ago time.Duration) string {
	parts := []string{safe(p.doing)}
	if u := p.last; u.Planned > 0 {
		parts = append(parts, fmt.Sprintf("%d/%d requests", u.Done, u.Planned), seconds(u.Elapsed+ago))
		if left := u.Left - ago; left > 0 {
			parts = append(parts, "about "+seconds(left)+" left")
		}
	} else if ago >= time.Second {
		parts = append(parts, seconds(ago))
	}
	return strings.Join(parts, " · ")
}

func seconds(d time.Duration) string {
	if d < time.Minute {
		return fmt.Sprintf("%ds", int(d.Seconds()))
	}
	return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
}

// fit cuts a line to a width, so that it never wraps and can be drawn over.
func fit(s string, width int) string {
	r := []rune(s)
	if len(r) <= width {
		return s
	}
	return string(r[:max(width-1, 0)]) + "…"
}
