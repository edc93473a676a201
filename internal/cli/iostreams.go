package cli

import (
	"fmt"
	"io"
	"os"
	"strings"
	"unicode"

	"golang.org/x/term"
)

// IOStreams are the standard streams and what is known of them.
type IOStreams struct {
	Out, Err       io.Writer
	OutTTY, ErrTTY bool
	// Color is always, never or auto: where the stream is a terminal.
	Color string
	// Columns returns the width of the terminal; 0: not known.
	Columns func() int
	// Getenv reads the environment.
	Getenv func(string) string
}

// The values of --color.
const (
	colorAuto   = "auto"
	colorAlways = "always"
	colorNever  = "never"
)

// systemStreams returns the streams of this process.
func systemStreams() *IOStreams {
	tty := func(f *os.File) bool { return term.IsTerminal(int(f.Fd())) }
	return &IOStreams{
		Out: os.Stdout, Err: os.Stderr,
		OutTTY: tty(os.Stdout), ErrTTY: tty(os.Stderr),
		Color: colorAuto,
		Columns: func() int {
			for _, f := range []*os.File{os.Stdout, os.Stderr} {
				if w, _, err := term.GetSize(int(f.Fd())); err == nil && w > 0 {
					return w
				}
			}
			return 0
		},
		Getenv: os.Getenv,
	}
}

// colored reports whether escape codes may go to a stream. --color decides, then
// NO_COLOR (no-color.org), then CLICOLOR_FORCE, then whether it is a terminal.
func (s *IOStreams) colored(tty bool) bool {
	switch {
	case s.Color == colorAlways:
		return true
	case s.Color == colorNever, s.Getenv("NO_COLOR") != "":
		return false
	case s.Getenv("CLICOLOR_FORCE") != "" && s.Getenv("CLICOLOR_FORCE") != "0":
		return true
	}
	return tty && s.Getenv("TERM") != "dumb"
}

// A style is the parameter of an SGR escape code.
type style string

const (
	bold   style = "1"
	dim    style = "2"
	red    style = "1;31"
	yellow style = "1;33"
	green  style = "1;32"
	cyan   style = "1;36"
)

// paint puts text into a style where colour is allowed.
func paint(allowed bool, st style, text string) string {
	if !allowed || text == "" {
		return text
	}
	return "\x1b[" + string(st) + "m" + text + "\x1b[0m"
}

func (s *IOStreams) paintErr(st style, text string) string {
	return paint(s.colored(s.ErrTTY), st, text)
}
func (s *IOStreams) paintOut(st style, text string) string {
	return paint(s.colored(s.OutTTY), st, text)
}

// safe spells out what a terminal would act upon, but for line ends.
func safe(s string) string {
	if strings.IndexFunc(s, unsafeRune) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unsafeRune(r) {
			fmt.Fprintf(&b, "\\u%04x", r)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func unsafeRune(r rune) bool {
	return r != '\n' && !unicode.IsPrint(r) || r == unicode.ReplacementChar
}
