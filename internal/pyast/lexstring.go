package pyast

import "strings"

// prefix is what stands before the quote of a string literal.
type prefix struct{ raw, bytes, format bool }

// stringPrefix reads a prefix; s has at most two letters.
func stringPrefix(s string) (p prefix, ok bool) {
	switch strings.ToLower(s) {
	case "":
	case "u":
	case "r":
		p.raw = true
	case "b":
		p.bytes = true
	case "f":
		p.format = true
	case "br", "rb":
		p.bytes, p.raw = true, true
	case "fr", "rf":
		p.format, p.raw = true, true
	default:
		return p, false
	}
	return p, true
}

// fstr is an f-string that the lexer is inside of.
type fstr struct {
	start  int32
	quote  byte
	triple bool
	raw    bool
	fields []field // open replacement fields, outermost first
}

// field is a replacement field. Before its colon the lexer reads an expression,
// after it the text of the format spec, which may hold further fields.
type field struct {
	brackets int // open brackets when the field began
	spec     bool
}

// str consumes a string literal whose prefix starts at from; l.p is at the quote.
func (l *lexer) str(from int, pre prefix) {
	q := l.src[l.p]
	triple := l.quoteRun(q) >= 3
	if triple {
		l.p += 3
	} else {
		l.p++
	}
	if pre.format {
		if len(l.fstrs) >= maxFStrings {
			fail(from, "too many nested f-strings")
		}
		l.add(tFStart, from, l.p)
		l.fstrs = append(l.fstrs, fstr{start: int32(from), quote: q, triple: triple, raw: pre.raw})
		return
	}
	for l.p < len(l.src) {
		switch c := l.src[l.p]; {
		case c == '\\':
			l.p++
			if l.p < len(l.src) {
				l.newline() // skips the escaped byte, or the whole of an escaped "\r\n"
			}
		case c == q && !triple:
			l.p++
			l.add(tString, from, l.p)
			return
		case c == q && l.quoteRun(q) >= 3:
			l.p += 3
			l.add(tString, from, l.p)
			return
		case (c == '\n' || c == '\r') && !triple:
			fail(from, "unterminated string literal")
		default:
			l.p++
		}
	}
	if triple {
		fail(from, "unterminated triple-quoted string literal")
	}
	fail(from, "unterminated string literal")
}

// quoteRun counts the quotes q at l.p, up to 3.
func (l *lexer) quoteRun(q byte) int {
	n := 0
	for n < 3 && l.p+n < len(l.src) && l.src[l.p+n] == q {
		n++
	}
	return n
}

// inText reports whether the lexer is in the literal text, or in the text of a
// format spec, of the innermost f-string.
func (l *lexer) inText() bool {
	f := &l.fstrs[len(l.fstrs)-1]
	return len(f.fields) == 0 || f.fields[len(f.fields)-1].spec
}

// fText consumes literal text up to the next field or the end of the f-string.
func (l *lexer) fText() {
	f := &l.fstrs[len(l.fstrs)-1]
	spec := len(f.fields) > 0
	from := l.p
	emit := func() {
		if l.p > from {
			l.add(tFMiddle, from, l.p)
		}
	}
	for l.p < len(l.src) {
		c := l.src[l.p]
		next := byte(0)
		if l.p+1 < len(l.src) {
			next = l.src[l.p+1]
		}
		switch {
		case c == f.quote && (!f.triple || l.quoteRun(c) >= 3):
			if spec {
				fail(l.p, "f-string: expecting '}'")
			}
			emit()
			n := 1
			if f.triple {
				n = 3
			}
			l.add(tFEnd, l.p, l.p+n)
			l.p += n
			l.fstrs = l.fstrs[:len(l.fstrs)-1]
			return
		case (c == '\n' || c == '\r') && !f.triple:
			fail(int(f.start), "unterminated f-string literal")
		case c == '{' && next == '{' && !spec, c == '}' && next == '}' && !spec:
			l.p += 2
		case c == '{':
			emit()
			l.open(c)
			l.add(tLBrace, l.p, l.p+1)
			l.p++
			f.fields = append(f.fields, field{brackets: len(l.brackets)})
			return
		case c == '}' && spec:
			emit()
			l.endField(f)
			return
		case c == '}':
			fail(l.p, "f-string: single '}' is not allowed")
		case c == '\\' && !f.raw && next == 'N' && l.p+2 < len(l.src) && l.src[l.p+2] == '{':
			end := strings.IndexAny(l.src[l.p:], "}\n")
			if end < 0 || l.src[l.p+end] != '}' {
				fail(l.p, "malformed \\N character escape")
			}
			l.p += end + 1
		case c == '\\' && next != '{' && next != '}':
			l.p++
			if l.p < len(l.src) {
				l.newline()
			}
		default:
			l.p++
		}
	}
	fail(int(f.start), "unterminated f-string literal")
}

// fieldOp consumes what is special in the expression of a replacement field:
// the colon, the conversion and the closing brace at its top level.
func (l *lexer) fieldOp(c byte) bool {
	f := &l.fstrs[len(l.fstrs)-1]
	top := &f.fields[len(f.fields)-1]
	if len(l.brackets) != top.brackets {
		return false
	}
	switch {
	case c == ':':
		l.add(tColon, l.p, l.p+1)
		l.p++
		top.spec = true
	case c == '!' && !(l.p+1 < len(l.src) && l.src[l.p+1] == '='):
		l.add(tBang, l.p, l.p+1)
		l.p++
	case c == '}':
		l.endField(f)
	default:
		return false
	}
	return true
}

func (l *lexer) endField(f *fstr) {
	f.fields = f.fields[:len(f.fields)-1]
	l.close('}')
	l.add(tRBrace, l.p, l.p+1)
	l.p++
}
