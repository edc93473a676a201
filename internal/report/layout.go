package report

import (
	"strings"
)

// A style is the parameter of an SGR escape code; empty means plain.
type style string

const (
	plain  style = ""
	bold   style = "1"
	dim    style = "2"
	red    style = "1;31"
	yellow style = "1;33"
	green  style = "1;32"
	cyan   style = "1;36"
)

// A span is a piece of text in one style. Its text is printable: see safe.
type span struct {
	text  string
	style style
}

func say(text string) span             { return span{text, plain} }
func styled(s style, text string) span { return span{text, s} }

// A printer collects lines of at most width columns. Only a word that is longer
// by itself goes over.
type printer struct {
	b     strings.Builder
	width int
	color bool
}

// The widths that text is made for. Outside of them the terminal wraps.
const (
	defaultWidth = 80
	minWidth     = 40
	maxWidth     = 160
)

func newPrinter(o Options) *printer {
	w := o.Width
	switch {
	case w <= 0:
		w = defaultWidth
	case w < minWidth:
		w = minWidth
	case w > maxWidth:
		w = maxWidth
	}
	return &printer{width: w, color: o.Color}
}

// blank ends a section: it writes an empty line, but never two.
func (p *printer) blank() {
	if s := p.b.String(); s != "" && !strings.HasSuffix(s, "\n\n") {
		p.b.WriteByte('\n')
	}
}

// para writes one paragraph. Its first line starts with lead, padded to indent
// columns; the others are indented by as much.
func (p *printer) para(lead []span, indent int, body ...span) {
	p.row([]cell{{lead, indent}, {body, 0}})
}

// A cell is a piece of a row: its text is wrapped to its width. The last cell
// of a row takes the rest of the line.
type cell struct {
	spans []span
	width int
}

// row writes cells side by side, each wrapped by itself.
func (p *printer) row(row []cell) {
	var columns [][][]span
	lines, used := 0, 0
	for i, c := range row {
		w, gap := c.width, 1 // a column's text does not touch the next
		if i == len(row)-1 {
			w, gap = max(p.width-used, 1), 0
		}
		wrapped := wrap(c.spans, w-gap)
		columns = append(columns, wrapped)
		lines = max(lines, len(wrapped))
		used += w
	}
	for n := 0; n < lines; n++ {
		pad := 0
		for i, col := range columns {
			taken := 0
			if n < len(col) && len(col[n]) > 0 {
				p.b.WriteString(strings.Repeat(" ", pad))
				pad = 0
				for _, s := range col[n] {
					p.write(s)
					taken += cells(s.text)
				}
			}
			pad += max(row[i].width-taken, 0)
			if taken > 0 && taken >= row[i].width && i < len(columns)-1 {
				pad = 1 // an overlong word still ends before the next column
			}
		}
		p.b.WriteByte('\n')
	}
}

func (p *printer) write(s span) {
	if !p.color || s.style == plain || strings.TrimSpace(s.text) == "" {
		p.b.WriteString(s.text)
		return
	}
	p.b.WriteString("\x1b[" + string(s.style) + "m" + s.text + "\x1b[0m")
}

// wrap breaks spans into lines of at most w columns, at spaces only.
func wrap(spans []span, w int) [][]span {
	var lines [][]span
	var line []span
	used := 0
	for _, word := range words(spans) {
		n := spanCells(word)
		if used > 0 && used+1+n > w {
			lines = append(lines, line)
			line, used = nil, 0
		}
		if used > 0 {
			// The space belongs to the style that continues over it.
			if last := &line[len(line)-1]; last.style == word[0].style {
				last.text += " "
			} else {
				line = append(line, say(" "))
			}
			used++
		}
		for _, s := range word {
			if last := len(line) - 1; last >= 0 && line[last].style == s.style {
				line[last].text += s.text
			} else {
				line = append(line, s)
			}
		}
		used += n
	}
	if len(line) > 0 {
		lines = append(lines, line)
	}
	return lines
}

// spanCells returns the number of columns that spans take side by side.
func spanCells(spans []span) int {
	n := 0
	for _, s := range spans {
		n += cells(s.text)
	}
	return n
}

// words splits spans at spaces; a word may change its style inside.
func words(spans []span) [][]span {
	var out [][]span
	var word []span
	end := func() {
		if len(word) > 0 {
			out, word = append(out, word), nil
		}
	}
	for _, s := range spans {
		for i, piece := range strings.Split(s.text, " ") {
			if i > 0 {
				end()
			}
			if piece != "" {
				word = append(word, span{piece, s.style})
			}
		}
	}
	end()
	return out
}

// chop cuts s into lines of at most w columns, for evidence, which need not have
// words: after a comma or a space near the line's end, else wherever that falls.
func chop(s string, w int) []string {
	var lines []string
	start, used := 0, 0    // of the line: where it begins, its columns
	good, goodUsed := 0, 0 // the last place in it that is good to cut at
	for i, r := range s {
		n := runeCells(r)
		if used+n > w && used > 0 {
			if goodUsed < w*2/3 {
				good, goodUsed = i, used
			}
			lines = append(lines, s[start:good])
			start, used = good, used-goodUsed
			good, goodUsed = 0, 0
		}
		used += n
		if r == ',' || r == ' ' {
			good, goodUsed = i+1, used
		}
	}
	return append(lines, s[start:])
}
