// Package jsonlex reads JSON of a known shape from a stream, with memory for
// one token at a time: the headers and indexes of checkpoints are maps of up
// to a million entries. Unlike encoding/json it shows every key, so a caller
// sees duplicates, and it refuses invalid UTF-8 instead of repairing it.
package jsonlex

import (
	"errors"
	"fmt"
	"io"
	"math"
)

// A SyntaxError says where the text is no JSON, or not of the wanted shape.
type SyntaxError struct {
	Offset int64 // bytes from the start of the stream
	Says   string
	// Ended is set where the text ends too early.
	Ended bool
}

func (e *SyntaxError) Error() string { return fmt.Sprintf("%s at byte %d", e.Says, e.Offset) }

// A Lexer reads tokens. After an error it is of no use.
type Lexer struct {
	r        io.Reader
	buf      []byte
	pos, end int
	base     int64 // the stream's offset of buf[0]
	scratch  []byte
}

// New returns a Lexer that reads r in pieces of size bytes.
func New(r io.Reader, size int) *Lexer { return &Lexer{r: r, buf: make([]byte, size)} }

// Offset returns how many bytes of the stream were consumed.
func (l *Lexer) Offset() int64 { return l.base + int64(l.pos) }

// Errorf returns a SyntaxError at the current place.
func (l *Lexer) Errorf(format string, a ...any) error {
	return &SyntaxError{Offset: l.Offset(), Says: fmt.Sprintf(format, a...)}
}

// fill reads more once all was consumed; io.EOF at the end of the stream.
func (l *Lexer) fill() error {
	l.base += int64(l.end)
	l.pos, l.end = 0, 0
	for range 100 {
		n, err := l.r.Read(l.buf)
		if n > 0 {
			l.end = n
			return nil
		}
		if err != nil {
			return err
		}
	}
	return io.ErrNoProgress
}

// more is fill where the text must go on.
func (l *Lexer) more() error {
	err := l.fill()
	if errors.Is(err, io.EOF) {
		return &SyntaxError{Offset: l.Offset(), Says: "the text ends too early", Ended: true}
	}
	return err
}

// Peek skips white space and returns the next byte without consuming it;
// io.EOF at the end of the stream.
func (l *Lexer) Peek() (byte, error) {
	for {
		for l.pos < l.end {
			switch c := l.buf[l.pos]; c {
			case ' ', '\t', '\n', '\r':
				l.pos++
			default:
				return c, nil
			}
		}
		if err := l.fill(); err != nil {
			return 0, err
		}
	}
}

// next is Peek where the text must go on.
func (l *Lexer) next() (byte, error) {
	c, err := l.Peek()
	if errors.Is(err, io.EOF) {
		return 0, &SyntaxError{Offset: l.Offset(), Says: "the text ends too early", Ended: true}
	}
	return c, err
}

// Take consumes the byte want, after white space.
func (l *Lexer) Take(want byte) error {
	c, err := l.next()
	if err != nil {
		return err
	}
	if c != want {
		return l.Errorf("%q where %q is wanted", c, want)
	}
	l.pos++
	return nil
}

// Took consumes the byte want if it is next.
func (l *Lexer) Took(want byte) (bool, error) {
	c, err := l.next()
	if err != nil || c != want {
		return false, err
	}
	l.pos++
	return true, nil
}

// Object reads an object and calls member at each value, with the key, which
// is valid until the first read of the lexer. Keys longer than most bytes are
// an error.
func (l *Lexer) Object(most int, member func(key []byte) error) error {
	if err := l.Take('{'); err != nil {
		return err
	}
	if done, err := l.Took('}'); done || err != nil {
		return err
	}
	for {
		key, err := l.String(most)
		if err != nil {
			return err
		}
		// The colon is read before the key is used, so the key must survive it.
		if l.pos < l.end && l.buf[l.pos] == ':' {
			l.pos++
		} else {
			key = l.keep(key)
			if err := l.Take(':'); err != nil {
				return err
			}
		}
		if err := member(key); err != nil {
			return err
		}
		c, err := l.next()
		if err != nil {
			return err
		}
		l.pos++
		switch c {
		case ',':
		case '}':
			return nil
		default:
			l.pos--
			return l.Errorf("%q where a comma or } is wanted", c)
		}
	}
}

// keep moves bytes that may lie in the buffer into the scratch memory.
func (l *Lexer) keep(b []byte) []byte {
	if len(b) == 0 || len(l.scratch) > 0 && &b[0] == &l.scratch[0] {
		return b
	}
	l.scratch = append(l.scratch[:0], b...)
	return l.scratch
}

// Array reads an array and calls element at each value.
func (l *Lexer) Array(element func(i int) error) error {
	if err := l.Take('['); err != nil {
		return err
	}
	if done, err := l.Took(']'); done || err != nil {
		return err
	}
	for i := 0; ; i++ {
		if err := element(i); err != nil {
			return err
		}
		c, err := l.next()
		if err != nil {
			return err
		}
		l.pos++
		switch c {
		case ',':
		case ']':
			return nil
		default:
			l.pos--
			return l.Errorf("%q where a comma or ] is wanted", c)
		}
	}
}

// Int reads a whole number from 0 to 2⁶³−1, written without sign, fraction or
// exponent.
func (l *Lexer) Int() (int64, error) {
	c, err := l.next()
	if err != nil {
		return 0, err
	}
	if c < '0' || c > '9' {
		return 0, l.Errorf("%q where a whole number of at least 0 is wanted", c)
	}
	var n int64
	for digits := 0; ; digits++ {
		if l.pos == l.end {
			if err := l.fill(); errors.Is(err, io.EOF) {
				return n, nil
			} else if err != nil {
				return 0, err
			}
		}
		c := l.buf[l.pos]
		switch {
		case '0' <= c && c <= '9':
			if digits == 1 && n == 0 {
				return 0, l.Errorf("a number that begins with 0")
			}
			if n > (math.MaxInt64-int64(c-'0'))/10 {
				return 0, l.Errorf("a number above 2^63-1")
			}
			n = n*10 + int64(c-'0')
			l.pos++
		case c == '.' || c == 'e' || c == 'E':
			return 0, l.Errorf("a number that is not whole")
		default:
			return n, nil
		}
	}
}

// End checks that only white space follows, and reports whether it is spaces
// and nothing else.
func (l *Lexer) End() (spaces bool, err error) {
	spaces = true
	for {
		for _, c := range l.buf[l.pos:l.end] {
			switch c {
			case ' ':
			case '\t', '\n', '\r':
				spaces = false
			default:
				return spaces, l.Errorf("%q after the end", c)
			}
			l.pos++
		}
		if err := l.fill(); errors.Is(err, io.EOF) {
			return spaces, nil
		} else if err != nil {
			return spaces, err
		}
	}
}
