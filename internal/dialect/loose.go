package dialect

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// The types here take what servers really send in place of what they should: a
// number in quotes, an object where a text belongs. Their UnmarshalJSON never
// fails, so that one odd member does not cost the answer.

// looseInt is an integer: a number, a number in quotes, or 12.0.
type looseInt struct {
	n  int
	ok bool
}

func (v *looseInt) UnmarshalJSON(b []byte) error {
	*v = looseInt{}
	b = bytes.Trim(b, `"`)
	if n, err := strconv.Atoi(string(b)); err == nil {
		*v = looseInt{n, true}
		return nil
	}
	if f, err := strconv.ParseFloat(string(b), 64); err == nil && f > -1e15 && f < 1e15 && f == float64(int64(f)) {
		*v = looseInt{int(f), true}
	}
	return nil
}

// ptr returns the integer, or nil where there was none.
func (v looseInt) ptr() *int {
	if !v.ok {
		return nil
	}
	n := v.n
	return &n
}

// looseString is a string, or the JSON of whatever else stood there; null and
// missing are "".
type looseString string

func (v *looseString) UnmarshalJSON(b []byte) error {
	switch {
	case string(b) == "null":
		*v = ""
	case len(b) > 0 && b[0] == '"':
		s, _ := unquote(nil, b)
		*v = looseString(bytes.ToValidUTF8(s, []byte("\uFFFD")))
	default:
		*v = looseString(b)
	}
	return nil
}

// looseNumber is a Number that may stand in quotes.
type looseNumber struct{ Number }

func (v *looseNumber) UnmarshalJSON(b []byte) error {
	if v.Number.UnmarshalJSON(b) == nil {
		return nil
	}
	if name := nonFinite(bytes.Trim(b, `"`)); name != "" {
		return v.Number.UnmarshalJSON([]byte(`"` + name + `"`))
	}
	if v.Number.UnmarshalJSON(bytes.Trim(b, `"`)) != nil {
		v.Number = Number{}
	}
	return nil
}

// rawText is a text as its raw bytes: encoding/json replaces invalid UTF-8
// without a word, and half a character may be completed by the next event.
// It reads a string, or the list of parts that some servers send.
type rawText struct {
	b   []byte
	set bool // neither null nor missing
}

func (v *rawText) UnmarshalJSON(b []byte) error {
	*v = rawText{}
	switch {
	case string(b) == "null" || len(b) == 0:
	case b[0] == '"':
		v.b, v.set = unquote(nil, b)
		v.set = true
	case b[0] == '[':
		var parts []struct {
			Text rawText `json:"text"`
		}
		v.set = true
		if json.Unmarshal(b, &parts) != nil {
			v.b = bytes.Clone(b)
			return nil //nolint:nilerr // another list than of parts: kept as it is
		}
		for _, p := range parts {
			v.b = append(v.b, p.Text.b...)
		}
	default: // arguments of a tool call as an object
		v.b, v.set = bytes.Clone(b), true
	}
	return nil
}

// unquote appends the bytes of the JSON string b, quotes included, to dst.
// Bytes that are no UTF-8 stay as they are. Half of a surrogate pair becomes
// its three-byte form, which is no UTF-8 either; joinSurrogates mends a pair
// that was split between two strings. ok is false where an escape was broken.
func unquote(dst, b []byte) (out []byte, ok bool) {
	if len(b) < 2 || b[0] != '"' || b[len(b)-1] != '"' {
		return dst, false
	}
	b = b[1 : len(b)-1]
	ok = true
	for {
		i := bytes.IndexByte(b, '\\')
		if i < 0 || i+1 >= len(b) {
			return append(dst, b...), ok && i < 0
		}
		dst = append(dst, b[:i]...)
		c := b[i+1]
		b = b[i+2:]
		switch c {
		case 'n':
			dst = append(dst, '\n')
		case 't':
			dst = append(dst, '\t')
		case 'r':
			dst = append(dst, '\r')
		case 'b':
			dst = append(dst, '\b')
		case 'f':
			dst = append(dst, '\f')
		case '"', '\\', '/':
			dst = append(dst, c)
		case 'u':
			r, valid := hex4(b)
			if !valid {
				return append(dst, b...), false
			}
			b = b[4:]
			if utf16.IsSurrogate(r) && len(b) >= 6 && b[0] == '\\' && b[1] == 'u' {
				if low, valid := hex4(b[2:]); valid {
					if pair := utf16.DecodeRune(r, low); pair != utf8.RuneError {
						r, b = pair, b[6:]
					}
				}
			}
			dst = appendRune(dst, r)
		default:
			dst, ok = append(dst, c), false
		}
	}
}

func hex4(b []byte) (rune, bool) {
	if len(b) < 4 {
		return 0, false
	}
	var r rune
	for _, c := range b[:4] {
		switch {
		case c >= '0' && c <= '9':
			r = r<<4 | rune(c-'0')
		case c|0x20 >= 'a' && c|0x20 <= 'f':
			r = r<<4 | rune(c|0x20-'a'+10)
		default:
			return 0, false
		}
	}
	return r, true
}

// appendRune is utf8.AppendRune, but for surrogates.
func appendRune(dst []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(dst, 0xE0|byte(r>>12), 0x80|byte(r>>6)&0x3F, 0x80|byte(r)&0x3F)
	}
	return utf8.AppendRune(dst, r)
}

// joinSurrogates turns two halves that stand side by side, each in its
// three-byte form, into the character.
func joinSurrogates(b []byte) []byte {
	for i := 0; i+6 <= len(b); i++ {
		if b[i] != 0xED || b[i+1] < 0xA0 || b[i+1] > 0xAF || b[i+3] != 0xED || b[i+4] < 0xB0 {
			continue
		}
		half := func(p []byte) rune { return rune(p[0]&0xF)<<12 | rune(p[1]&0x3F)<<6 | rune(p[2]&0x3F) }
		r := utf16.DecodeRune(half(b[i:]), half(b[i+3:]))
		if r == utf8.RuneError {
			continue
		}
		joined := utf8.AppendRune(nil, r)
		b = append(b[:i], append(joined, b[i+6:]...)...)
	}
	return b
}

// validText returns the text of raw bytes, and whether they were not UTF-8.
func validText(b []byte) (s string, bad bool) {
	if utf8.Valid(b) {
		return string(b), false
	}
	b = joinSurrogates(bytes.Clone(b))
	if utf8.Valid(b) {
		return string(b), false
	}
	return string(bytes.ToValidUTF8(b, []byte("\uFFFD"))), true
}

// cutRune reports whether b ends inside a UTF-8 sequence.
func cutRune(b []byte) bool {
	for n := 1; n <= 3 && n <= len(b); n++ {
		c := b[len(b)-n]
		if utf8.RuneStart(c) {
			// The surrogate half ED A0..AF xx waits for its other half.
			if n == 3 && c == 0xED && b[len(b)-2] >= 0xA0 && b[len(b)-2] <= 0xAF {
				return true
			}
			return c >= 0x80 && !utf8.FullRune(b[len(b)-n:])
		}
	}
	return false
}
