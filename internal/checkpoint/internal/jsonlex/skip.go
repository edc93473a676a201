package jsonlex

import (
	"errors"
	"io"
	"math"
)

// maxDepth bounds how deep a skipped value may nest.
const maxDepth = 64

// Skip reads a value of any kind and forgets it.
func (l *Lexer) Skip() error { return l.skip(0) }

func (l *Lexer) skip(depth int) error {
	if depth > maxDepth {
		return l.Errorf("values nest deeper than %d", maxDepth)
	}
	c, err := l.next()
	if err != nil {
		return err
	}
	switch c {
	case '{':
		return l.skipObject(depth)
	case '[':
		return l.Array(func(int) error { return l.skip(depth + 1) })
	case '"':
		l.pos++
		_, _, err := l.longString(0)
		return err
	case 't':
		return l.word("true")
	case 'f':
		return l.word("false")
	case 'n':
		return l.word("null")
	}
	return l.number()
}

// skipObject is Object for keys of any length.
func (l *Lexer) skipObject(depth int) error {
	if err := l.Take('{'); err != nil {
		return err
	}
	if done, err := l.Took('}'); done || err != nil {
		return err
	}
	for {
		if err := l.Take('"'); err != nil {
			return err
		}
		if _, _, err := l.longString(0); err != nil {
			return err
		}
		if err := l.Take(':'); err != nil {
			return err
		}
		if err := l.skip(depth + 1); err != nil {
			return err
		}
		if done, err := l.Took('}'); done || err != nil {
			return err
		}
		if err := l.Take(','); err != nil {
			return err
		}
	}
}

func (l *Lexer) word(w string) error {
	for i := range len(w) {
		if c, err := l.raw(); err != nil {
			return err
		} else if c != w[i] {
			l.pos--
			return l.Errorf("%q where %s is wanted", c, w)
		}
	}
	return nil
}

// number checks a number of any kind: -?int frac? exp?.
func (l *Lexer) number() error {
	if c, err := l.look(); err != nil {
		return err
	} else if c == '-' {
		l.pos++
	}
	first, err := l.look()
	if err != nil {
		return err
	}
	n, err := l.digits()
	if err != nil {
		return err
	}
	if n == 0 || n > 1 && first == '0' {
		return l.Errorf("%q where a value is wanted", first)
	}
	return l.fraction()
}

// fraction checks what may follow the whole part of a number.
func (l *Lexer) fraction() error {
	if c, err := l.look(); err != nil {
		return err
	} else if c == '.' {
		l.pos++
		if n, err := l.digits(); err != nil {
			return err
		} else if n == 0 {
			return l.Errorf("a number without digits after the point")
		}
	}
	if c, err := l.look(); err != nil {
		return err
	} else if c != 'e' && c != 'E' {
		return nil
	}
	l.pos++
	if c, err := l.look(); err != nil {
		return err
	} else if c == '+' || c == '-' {
		l.pos++
	}
	if n, err := l.digits(); err != nil {
		return err
	} else if n == 0 {
		return l.Errorf("a number without digits in its exponent")
	}
	return nil
}

// digits reads digits and returns how many there are.
func (l *Lexer) digits() (int, error) {
	for n := 0; ; n++ {
		c, err := l.look()
		if err != nil || c < '0' || c > '9' {
			return n, err
		}
		l.pos++
	}
}

// look returns the next byte as it is, 0 at the end.
func (l *Lexer) look() (byte, error) {
	if l.pos == l.end {
		if err := l.fill(); errors.Is(err, io.EOF) {
			return 0, nil
		} else if err != nil {
			return 0, err
		}
	}
	return l.buf[l.pos], nil
}

// Number reads a number of at least 0 and returns its value if it is whole and
// at most 2⁶³−1.
func (l *Lexer) Number() (n int64, whole bool, err error) {
	whole = true
	for {
		c, err := l.look()
		if err != nil || c < '0' || c > '9' {
			break
		}
		if n > (math.MaxInt64-int64(c-'0'))/10 {
			n, whole = 0, false
		} else if whole {
			n = n*10 + int64(c-'0')
		}
		l.pos++
	}
	if c, err := l.look(); err != nil {
		return 0, false, err
	} else if c == '.' || c == 'e' || c == 'E' {
		return n, false, l.fraction()
	}
	return n, whole, nil
}
