package deployment

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
)

// An Error is one thing that is wrong with a deployment file, and where.
type Error struct {
	File string
	// Line and Column count from 1; 0 where no place can be named.
	Line, Column int
	// Says is what is wrong and what is wanted.
	Says string
	// Source is the line as it is in the file.
	Source string
}

// Error renders file:line:col, and below it the line with a caret.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	b.WriteString(": " + e.Says)
	if e.Line > 0 && strings.TrimSpace(e.Source) != "" {
		text, col := window(printable(hideSecret(e.Source)), e.Column-1)
		gutter := fmt.Sprintf("%5d | ", e.Line)
		fmt.Fprintf(&b, "\n%s%s\n%s| %s^", gutter, text, strings.Repeat(" ", len(gutter)-2), strings.Repeat(" ", col))
	}
	return b.String()
}

// Errors are all that is wrong with a file, in its order.
type Errors []*Error

// Error renders one error below the other.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, x := range e {
		lines[i] = x.Error()
	}
	return strings.Join(lines, "\n")
}

// secretLine matches a line that may hold a secret, up to its value.
var secretLine = regexp.MustCompile(`(?i)^(.*(?:key|token|secret|passw|authorization|cookie|credential)[^:=]*[:=]\s*)\S`)

var credentials = regexp.MustCompile(`://[^/\s]*@`)

// hideSecret cuts the value off a line that may hold a secret: errors end up
// in logs. A line that names a place only ({file: …}) loses nothing of worth.
func hideSecret(line string) string {
	line = credentials.ReplaceAllString(line, "://…@")
	if m := secretLine.FindStringSubmatch(line); m != nil {
		return m[1] + "…"
	}
	return line
}

// printable replaces what a terminal would act upon. Each rune stays one rune,
// so that the caret fits.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t':
			return ' '
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, s)
}

// window cuts a long line to the part around rune col, and returns where col
// is in it.
func window(s string, col int) (string, int) {
	const width, before = 100, 60
	runes := []rune(s)
	col = max(0, min(col, len(runes)))
	from := 0
	if col > width-20 {
		from = col - before
	}
	to := min(len(runes), from+width)
	out := string(runes[from:to])
	if to < len(runes) {
		out += "…"
	}
	if from > 0 {
		return "…" + out, col - from + 1
	}
	return out, col
}
