package jsonlex

import (
	"bytes"
	"unicode/utf16"
	"unicode/utf8"
)

// String reads a string, decoded; one longer than most bytes is an error. The
// bytes are valid until the next read.
func (l *Lexer) String(most int) ([]byte, error) {
	if err := l.Take('"'); err != nil {
		return nil, err
	}
	// The usual string has no escapes and lies in the buffer whole.
	rest := l.buf[l.pos:l.end]
	if i := bytes.IndexByte(rest, '"'); i >= 0 && i <= most && plain(rest[:i]) {
		l.pos += i + 1
		return rest[:i], nil
	}
	out, n, err := l.longString(most)
	if err == nil && n > most {
		err = l.Errorf("a string longer than %d bytes", most)
	}
	return out, err
}

// Prefix reads a string of any length, of which it returns the first most
// bytes, and whether that is all.
func (l *Lexer) Prefix(most int) (b []byte, whole bool, err error) {
	if err := l.Take('"'); err != nil {
		return nil, false, err
	}
	out, n, err := l.longString(most)
	return out, n <= most, err
}

// plain reports whether a string stands for itself.
func plain(s []byte) bool {
	for _, c := range s {
		if c < 0x20 || c == '\\' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// longString reads the rest of a string byte by byte. It keeps the first most
// bytes and returns the length of all.
func (l *Lexer) longString(most int) (out []byte, length int, err error) {
	out = l.scratch[:0]
	defer func() { l.scratch = out[:0] }()
	for {
		if l.pos == l.end {
			if err := l.more(); err != nil {
				return nil, length, err
			}
		}
		before := len(out)
		c := l.buf[l.pos]
		switch {
		case c == '"':
			l.pos++
			return out, length, nil
		case c < 0x20:
			return nil, length, l.Errorf("control character %#x in a string", c)
		case c == '\\':
			l.pos++
			r, err := l.escape()
			if err != nil {
				return nil, length, err
			}
			out = utf8.AppendRune(out, r)
		case c >= utf8.RuneSelf:
			if out, err = l.multibyte(out); err != nil {
				return nil, length, err
			}
		default:
			out = append(out, c)
			l.pos++
		}
		if length += len(out) - before; length > most {
			out = out[:before]
		}
	}
}

// multibyte reads one code point of several bytes.
func (l *Lexer) multibyte(out []byte) ([]byte, error) {
	var code [utf8.UTFMax]byte
	for n := 0; n < len(code); {
		if l.pos == l.end {
			if err := l.more(); err != nil {
				return out, err
			}
		}
		code[n] = l.buf[l.pos]
		n++
		if utf8.FullRune(code[:n]) {
			r, size := utf8.DecodeRune(code[:n])
			if r == utf8.RuneError && size <= 1 {
				return out, l.Errorf("invalid UTF-8")
			}
			l.pos++
			return append(out, code[:n]...), nil
		}
		l.pos++
	}
	return out, l.Errorf("invalid UTF-8")
}

func (l *Lexer) raw() (byte, error) {
	if l.pos == l.end {
		if err := l.more(); err != nil {
			return 0, err
		}
	}
	l.pos++
	return l.buf[l.pos-1], nil
}

// escape reads what follows a backslash.
func (l *Lexer) escape() (rune, error) {
	c, err := l.raw()
	if err != nil {
		return 0, err
	}
	switch c {
	case '"', '\\', '/':
		return rune(c), nil
	case 'b':
		return '\b', nil
	case 'f':
		return '\f', nil
	case 'n':
		return '\n', nil
	case 'r':
		return '\r', nil
	case 't':
		return '\t', nil
	case 'u':
	default:
		return 0, l.Errorf("unknown escape \\%c", rune(c))
	}
	r, err := l.hex4()
	if err != nil || !utf16.IsSurrogate(r) {
		return r, err
	}
	for _, want := range []byte(`\u`) {
		if c, err := l.raw(); err != nil {
			return 0, err
		} else if c != want {
			return 0, l.Errorf("half of a surrogate pair")
		}
	}
	low, err := l.hex4()
	if err != nil {
		return 0, err
	}
	if r = utf16.DecodeRune(r, low); r == utf8.RuneError {
		return 0, l.Errorf("half of a surrogate pair")
	}
	return r, nil
}

func (l *Lexer) hex4() (rune, error) {
	var r rune
	for range 4 {
		c, err := l.raw()
		if err != nil {
			return 0, err
		}
		switch {
		case '0' <= c && c <= '9':
			r = r<<4 | rune(c-'0')
		case 'a' <= c && c <= 'f':
			r = r<<4 | rune(c-'a'+10)
		case 'A' <= c && c <= 'F':
			r = r<<4 | rune(c-'A'+10)
		default:
			return 0, l.Errorf("%q in a \\u escape", c)
		}
	}
	return r, nil
}
