package cli

import (
	"fmt"
	"strings"
	"sync"

	"kilter/internal/audit"
)

// A byteProgress tells on stderr how many bytes are read. On a terminal it is
// one line that is drawn again and erased at the end; with --verbose each new
// file is a line of its own, and else nothing is said.
type byteProgress struct {
	io     *IOStreams
	redraw bool
	lines  bool

	mu    sync.Mutex
	doing string
	drawn bool
}

func newByteProgress(s *IOStreams, verbose bool) *byteProgress {
	return &byteProgress{io: s, lines: verbose, redraw: s.ErrTTY && !verbose && s.Getenv("TERM") != "dumb"}
}

// say shows a text that is not part of the reading yet.
func (p *byteProgress) say(text string) { p.update(audit.Progress{Doing: text}) }

// update shows how far the reading is.
func (p *byteProgress) update(u audit.Progress) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.lines && u.Doing != p.doing {
		fmt.Fprintln(p.io.Err, safe(byteLine(u)))
	}
	p.doing = u.Doing
	if !p.redraw {
		return
	}
	width := p.io.Columns()
	if width <= 0 {
		width = 80
	}
	p.drawn = true
	fmt.Fprintf(p.io.Err, "\r%s\x1b[K", fit(safe(byteLine(u)), width-1))
}

// byteLine is the text of the progress line.
func byteLine(u audit.Progress) string {
	parts := []string{u.Doing}
	if u.Total > 0 {
		parts = append(parts, fmt.Sprintf("%.1f of %.1f GB (%d %%)", float64(u.Done)/1e9, float64(u.Total)/1e9, u.Done*100/u.Total), seconds(u.Elapsed))
		if u.Left > 0 {
			parts = append(parts, "about "+seconds(u.Left)+" left")
		}
	}
	return strings.Join(parts, " · ")
}

// close erases the line.
func (p *byteProgress) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.drawn {
		fmt.Fprint(p.io.Err, "\r\x1b[K")
	}
	p.redraw, p.drawn = false, false
}
