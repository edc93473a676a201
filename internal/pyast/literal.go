package pyast

import (
	"math"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf8"
)

// maxIntDigits is CPython's limit on decimal integer literals.
const maxIntDigits = 4300

// number parses the text of a numeric literal.
func (p *parser) number() Expr {
	t := p.next()
	sp := Span{Pos(t.pos), Pos(t.end)}
	s := p.src[t.pos:t.end]
	if strings.IndexByte(s, '_') >= 0 {
		s = strings.ReplaceAll(s, "_", "")
	}
	last := s[len(s)-1] | 0x20
	based := len(s) > 1 && s[0] == '0' && strings.IndexByte("xXoObB", s[1]) >= 0
	switch {
	case last == 'j' && !based:
		return &Imag{sp, parseFloat(s[:len(s)-1])}
	case !based && strings.ContainsAny(s, ".eE"):
		return &Float{sp, parseFloat(s)}
	}
	if !based {
		if s = strings.TrimLeft(s, "0"); s == "" {
			s = "0"
		}
		if len(s) > maxIntDigits {
			fail(int(t.pos), "Exceeds the limit (%d digits) for integer string conversion: value has %d digits", maxIntDigits, len(s))
		}
	}
	if n, err := strconv.ParseInt(s, 0, 64); err == nil {
		return &Int{Span: sp, Small: n}
	}
	n, ok := new(big.Int).SetString(s, 0)
	if !ok {
		fail(int(t.pos), "invalid number")
	}
	return &Int{Span: sp, Big: n}
}

// parseFloat parses a decimal float; what is too large is infinite.
func parseFloat(s string) float64 {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil && math.IsInf(f, 0) {
		return f
	}
	return f
}

// text decodes the body of a string literal: src[from:to], without its quotes.
// It reports whether a \N{NAME} escape was left as written.
func (p *parser) text(from, to int, pre prefix) (s string, unresolved bool) {
	s = p.src[from:to]
	if strings.IndexByte(s, '\r') >= 0 {
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	}
	if pre.bytes {
		for i := range len(s) {
			if s[i] >= utf8.RuneSelf {
				fail(from, "bytes can only contain ASCII literal characters")
			}
		}
	}
	if pre.raw || strings.IndexByte(s, '\\') < 0 {
		return s, false
	}
	var b strings.Builder
	b.Grow(len(s))
	for i := 0; i < len(s); {
		c := s[i]
		if c != '\\' || i+1 >= len(s) {
			b.WriteByte(c)
			i++
			continue
		}
		c = s[i+1]
		i += 2
		if j := strings.IndexByte(`\'"abfnrtv`, c); j >= 0 {
			b.WriteByte("\\'\"\a\b\f\n\r\t\v"[j])
			continue
		}
		n := 0 // digits of a hexadecimal escape
		switch {
		case c == '\n':
			continue
		case '0' <= c && c <= '7':
			v := 0
			i--
			for k := 0; k < 3 && i < len(s) && '0' <= s[i] && s[i] <= '7'; k++ {
				v = v*8 + int(s[i]-'0')
				i++
			}
			writeChar(&b, v, pre.bytes)
			continue
		case c == 'x':
			n = 2
		case c == 'u' && !pre.bytes:
			n = 4
		case c == 'U' && !pre.bytes:
			n = 8
		case c == 'N' && !pre.bytes:
			end := strings.IndexByte(s[i:], '}')
			if i >= len(s) || s[i] != '{' || end < 2 {
				fail(from, "malformed \\N character escape")
			}
			b.WriteString(s[i-2 : i+end+1])
			i += end + 1
			unresolved = true
			continue
		default: // an unknown escape stands for itself
			b.WriteByte('\\')
			b.WriteByte(c)
			continue
		}
		if i+n > len(s) {
			fail(from, "truncated \\%c escape", c)
		}
		v, err := strconv.ParseUint(s[i:i+n], 16, 32)
		if err != nil {
			fail(from, "truncated \\%c escape", c)
		}
		if v > utf8.MaxRune {
			fail(from, "illegal Unicode character")
		}
		writeChar(&b, int(v), pre.bytes)
		i += n
	}
	return b.String(), unresolved
}

// writeChar appends a code point, or a byte of a bytes literal. Surrogates are
// written as three bytes, which utf8.AppendRune would refuse.
func writeChar(b *strings.Builder, v int, asByte bool) {
	switch {
	case asByte:
		b.WriteByte(byte(v))
	case 0xD800 <= v && v <= 0xDFFF:
		b.WriteByte(0xE0 | byte(v>>12))
		b.WriteByte(0x80 | byte(v>>6)&0x3F)
		b.WriteByte(0x80 | byte(v)&0x3F)
	default:
		b.WriteRune(rune(v))
	}
}
