package pyast

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Nesting limits, the same as CPython's.
const (
	maxBrackets = 200
	maxIndents  = 100
	maxFStrings = 150
)

// lexer turns a source into tokens. Inside an f-string it alternates between
// literal text and the tokens of replacement fields; fstrs says where it is.
type lexer struct {
	src      string
	p        int
	toks     []token
	brackets []byte // open brackets
	indents  []indent
	fstrs    []fstr // open f-strings, outermost first
}

// indent is the width of a block's indentation, once with tabs to multiples of
// 8 and once with a tab as 1: where the two disagree, the source is ambiguous.
type indent struct{ col, alt int }

// fail ends the parse with an error at a byte offset. Parse recovers it.
func fail(at int, format string, args ...any) {
	panic(bailout{at: at, msg: fmt.Sprintf(format, args...)})
}

// tooNested ends the parse because Options.MaxDepth is reached.
func tooNested(at int) { panic(bailout{at, "source is nested too deeply", true}) }

// bailout carries a syntax error up to Parse.
type bailout struct {
	at    int
	msg   string
	limit bool
}

func (l *lexer) add(k kind, from, to int) {
	l.toks = append(l.toks, token{k, int32(from), int32(to)})
}

// lex returns the tokens of src, from offset start.
func lex(src string, start int) []token {
	l := &lexer{src: src, p: start, toks: make([]token, 0, len(src)/4+8), indents: []indent{{}}}
	lineStart := true
	for {
		if len(l.fstrs) > 0 {
			if l.p >= len(src) {
				fail(int(l.fstrs[0].start), "unterminated f-string literal")
			}
			if l.inText() {
				l.fText()
			} else {
				l.token()
			}
			continue
		}
		if lineStart && len(l.brackets) == 0 {
			if l.blankOrIndent() {
				continue
			}
			lineStart = false
		}
		if l.p >= len(src) {
			break
		}
		if c := src[l.p]; c == '\n' || c == '\r' {
			from := l.p
			l.newline()
			if len(l.brackets) == 0 {
				l.add(tNewline, from, l.p)
				lineStart = true
			}
			continue
		}
		l.token()
	}
	if n := len(l.brackets); n > 0 {
		fail(len(src), "'%c' was never closed", l.brackets[n-1])
	}
	if n := len(l.toks); n > 0 && l.toks[n-1].kind != tNewline && l.toks[n-1].kind != tDedent {
		l.add(tNewline, len(src), len(src))
	}
	for range l.indents[1:] {
		l.add(tDedent, len(src), len(src))
	}
	l.add(tEOF, len(src), len(src))
	return l.toks
}

// newline consumes "\n", "\r\n" or "\r".
func (l *lexer) newline() {
	if l.src[l.p] == '\r' && l.p+1 < len(l.src) && l.src[l.p+1] == '\n' {
		l.p++
	}
	l.p++
}

// blankOrIndent reads the white space that starts a line. It consumes a line
// without code and reports true, or adds the indents and dedents of the line.
func (l *lexer) blankOrIndent() bool {
	var in indent
	cont := 0 // indentation before a backslash that continues the line
	for ; l.p < len(l.src); l.p++ {
		switch l.src[l.p] {
		case ' ':
			in.col++
			in.alt++
			continue
		case '\t':
			in.col = in.col/8*8 + 8
			in.alt++
			continue
		case '\f':
			in = indent{}
			continue
		case '\\':
			if n := l.continuation(); n > 0 {
				if cont == 0 {
					cont = in.col
				}
				if l.p+n >= len(l.src) {
					fail(l.p, "unexpected end of file after line continuation")
				}
				l.p += n - 1
				continue
			}
		}
		break
	}
	if l.p >= len(l.src) {
		return false
	}
	switch l.src[l.p] {
	case '#':
		l.comment()
		if l.p < len(l.src) {
			l.newline()
		}
		return true
	case '\n', '\r':
		l.newline()
		return true
	}
	if cont > 0 {
		in.col, in.alt = cont, cont
	}
	top := l.indents[len(l.indents)-1]
	switch {
	case in.col == top.col:
		if in.alt != top.alt {
			fail(l.p, "inconsistent use of tabs and spaces in indentation")
		}
	case in.col > top.col:
		if in.alt <= top.alt {
			fail(l.p, "inconsistent use of tabs and spaces in indentation")
		}
		if len(l.indents) >= maxIndents {
			fail(l.p, "too many levels of indentation")
		}
		l.indents = append(l.indents, in)
		l.add(tIndent, l.p, l.p)
	default:
		for in.col < l.indents[len(l.indents)-1].col {
			l.indents = l.indents[:len(l.indents)-1]
			l.add(tDedent, l.p, l.p)
		}
		if top := l.indents[len(l.indents)-1]; in.col != top.col {
			fail(l.p, "unindent does not match any outer indentation level")
		} else if in.alt != top.alt {
			fail(l.p, "inconsistent use of tabs and spaces in indentation")
		}
	}
	return false
}

// continuation returns the length of a backslash and the line end after it, or 0.
func (l *lexer) continuation() int {
	rest := l.src[l.p:]
	switch {
	case strings.HasPrefix(rest, "\\\r\n"):
		return 3
	case strings.HasPrefix(rest, "\\\n"), strings.HasPrefix(rest, "\\\r"):
		return 2
	}
	return 0
}

func (l *lexer) comment() {
	for l.p < len(l.src) && l.src[l.p] != '\n' && l.src[l.p] != '\r' {
		l.p++
	}
}

// token consumes one token, or white space between tokens.
func (l *lexer) token() {
	c := l.src[l.p]
	switch {
	case c == ' ' || c == '\t' || c == '\f':
		l.p++
	case c == '\n' || c == '\r': // inside brackets or an f-string field
		l.newline()
	case c == '#':
		l.comment()
	case c == '\\':
		n := l.continuation()
		if n == 0 {
			fail(l.p, "unexpected character after line continuation character")
		}
		if l.p+n >= len(l.src) {
			fail(l.p, "unexpected end of file after line continuation")
		}
		l.p += n
	case isNameStart(c):
		from := l.p
		l.name()
		if l.p < len(l.src) && (l.src[l.p] == '"' || l.src[l.p] == '\'') && l.p-from <= 2 {
			if pre, ok := stringPrefix(l.src[from:l.p]); ok {
				l.str(from, pre)
				return
			}
		}
		l.add(keyword(l.src[from:l.p]), from, l.p)
	case isDigit(c), c == '.' && l.p+1 < len(l.src) && isDigit(l.src[l.p+1]):
		l.number()
	case c == '"' || c == '\'':
		l.str(l.p, prefix{})
	default:
		if len(l.fstrs) > 0 && l.fieldOp(c) {
			return
		}
		l.operator(c)
	}
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

func isNameStart(c byte) bool {
	return c == '_' || 'a' <= c|0x20 && c|0x20 <= 'z' || c >= utf8.RuneSelf
}

// name consumes an identifier.
func (l *lexer) name() {
	for from := l.p; l.p < len(l.src); {
		c := l.src[l.p]
		if c < utf8.RuneSelf {
			if !isNameStart(c) && !isDigit(c) {
				return
			}
			l.p++
			continue
		}
		r, n := utf8.DecodeRuneInString(l.src[l.p:])
		ok := unicode.In(r, unicode.L, unicode.Nl, unicode.Other_ID_Start)
		if !ok && l.p > from {
			ok = unicode.In(r, unicode.Mn, unicode.Mc, unicode.Nd, unicode.Pc, unicode.Other_ID_Continue)
		}
		if !ok {
			fail(l.p, "invalid character %q (%U)", r, r)
		}
		l.p += n
	}
}

// number consumes a numeric literal and checks its form.
func (l *lexer) number() {
	from, s := l.p, l.src
	digits := func(ok func(byte) bool) {
		for l.p < len(s) {
			switch {
			case ok(s[l.p]):
				l.p++
			case s[l.p] == '_' && l.p+1 < len(s) && ok(s[l.p+1]) && l.p > from && s[l.p-1] != '_' && s[l.p-1] != '.':
				l.p++
			default:
				return
			}
		}
	}
	what := "decimal"
	radix := byte(0)
	if s[l.p] == '0' && l.p+1 < len(s) {
		radix = s[l.p+1] | 0x20
	}
	switch radix {
	case 'x':
		what = "hexadecimal"
		l.p += 2
		digits(func(c byte) bool { return isDigit(c) || 'a' <= c|0x20 && c|0x20 <= 'f' })
	case 'o':
		what = "octal"
		l.p += 2
		digits(func(c byte) bool { return '0' <= c && c <= '7' })
	case 'b':
		what = "binary"
		l.p += 2
		digits(func(c byte) bool { return c == '0' || c == '1' })
	default:
		digits(isDigit)
		whole := true
		if l.p < len(s) && s[l.p] == '.' {
			whole = false
			l.p++
			if l.p < len(s) && isDigit(s[l.p]) {
				digits(isDigit)
			}
		}
		if l.p < len(s) && s[l.p]|0x20 == 'e' {
			q := l.p + 1
			if q < len(s) && (s[q] == '+' || s[q] == '-') {
				q++
			}
			if q < len(s) && isDigit(s[q]) {
				whole = false
				l.p = q
				digits(isDigit)
			}
		}
		if l.p < len(s) && s[l.p]|0x20 == 'j' {
			whole = false
			l.p++
		}
		if whole && s[from] == '0' && strings.Trim(s[from:l.p], "0_") != "" {
			fail(from, "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers")
		}
	}
	if what != "decimal" && l.p == from+2 {
		fail(from, "invalid %s literal", what)
	}
	// "1if x" is allowed, "1x" is not.
	if rest := s[l.p:]; rest != "" && (isNameStart(rest[0]) || isDigit(rest[0])) {
		ok := false
		for _, kw := range [...]string{"and", "else", "for", "if", "in", "is", "not", "or"} {
			ok = ok || strings.HasPrefix(rest, kw)
		}
		if !ok {
			fail(from, "invalid %s literal", what)
		}
	}
	l.add(tNumber, from, l.p)
}

// operator consumes an operator or a bracket.
func (l *lexer) operator(c byte) {
	at := func(i int) byte {
		if l.p+i < len(l.src) {
			return l.src[l.p+i]
		}
		return 0
	}
	eq := func(with, without kind) (kind, int) {
		if at(1) == '=' {
			return with, 2
		}
		return without, 1
	}
	double := func(one, oneEq, two, twoEq kind) (kind, int) {
		if at(1) != c {
			return eq(oneEq, one)
		}
		if at(2) == '=' {
			return twoEq, 3
		}
		return two, 2
	}
	k, n := tEOF, 1
	switch c {
	case '(':
		k = tLPar
	case '[':
		k = tLSqb
	case '{':
		k = tLBrace
	case ')':
		k = tRPar
	case ']':
		k = tRSqb
	case '}':
		k = tRBrace
	case ',':
		k = tComma
	case ';':
		k = tSemi
	case '~':
		k = tTilde
	case ':':
		k, n = eq(tWalrus, tColon)
	case '.':
		k = tDot
		if at(1) == '.' && at(2) == '.' {
			k, n = tEllipsis, 3
		}
	case '-':
		if k, n = eq(tMinusEq, tMinus); at(1) == '>' {
			k, n = tArrow, 2
		}
	case '+':
		k, n = eq(tPlusEq, tPlus)
	case '%':
		k, n = eq(tPercentEq, tPercent)
	case '&':
		k, n = eq(tAmperEq, tAmper)
	case '|':
		k, n = eq(tVBarEq, tVBar)
	case '^':
		k, n = eq(tCircumflexEq, tCircumflex)
	case '@':
		k, n = eq(tAtEq, tAt)
	case '=':
		k, n = eq(tEqEq, tEqual)
	case '!':
		if at(1) == '=' {
			k, n = tNotEq, 2
		}
	case '*':
		k, n = double(tStar, tStarEq, tDblStar, tDblStarEq)
	case '/':
		k, n = double(tSlash, tSlashEq, tDblSlash, tDblSlashEq)
	case '<':
		k, n = double(tLess, tLessEq, tLShift, tLShiftEq)
	case '>':
		k, n = double(tGreater, tGreaterEq, tRShift, tRShiftEq)
	}
	if k == tEOF {
		fail(l.p, "invalid character %q", rune(c))
	}
	switch k {
	case tLPar, tLSqb, tLBrace:
		l.open(c)
	case tRPar, tRSqb, tRBrace:
		l.close(c)
	}
	l.add(k, l.p, l.p+n)
	l.p += n
}

func (l *lexer) open(c byte) {
	if len(l.brackets) >= maxBrackets {
		fail(l.p, "too many nested parentheses")
	}
	l.brackets = append(l.brackets, c)
}

func (l *lexer) close(c byte) {
	n := len(l.brackets)
	if n == 0 {
		fail(l.p, "unmatched '%c'", c)
	}
	o := l.brackets[n-1]
	if o == '(' && c != ')' || o == '[' && c != ']' || o == '{' && c != '}' {
		fail(l.p, "closing parenthesis '%c' does not match opening parenthesis '%c'", c, o)
	}
	l.brackets = l.brackets[:n-1]
}
