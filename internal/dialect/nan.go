package dialect

import "bytes"

// quoteNonFinite makes JSON of what is JSON but for bare NaN and infinities:
// it puts them in quotes, which Number reads back. It copies only if there are
// any, and says so. Strings are left alone.
//
// Python's json module writes NaN, Infinity and -Infinity; C++ streams write
// nan, inf and -inf.
func quoteNonFinite(b []byte) (out []byte, found bool) {
	from := 0 // b[from:] is not yet in out
	for i := 0; i < len(b); {
		switch c := b[i]; {
		case c == '"':
			i = endOfString(b, i)
		case isWord(c):
			j := i + 1
			for j < len(b) && isWord(b[j]) {
				j++
			}
			if name := nonFinite(b[i:j]); name != "" {
				if out == nil {
					out = make([]byte, 0, len(b)+64)
				}
				out = append(out, b[from:i]...)
				out = append(out, '"')
				out = append(out, name...)
				out = append(out, '"')
				from, found = j, true
			}
			i = j
		default:
			i++
		}
	}
	if !found {
		return b, false
	}
	return append(out, b[from:]...), true
}

// endOfString returns the index after the string that starts at b[i].
func endOfString(b []byte, i int) int {
	for i++; i < len(b); i++ {
		switch b[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(b)
}

// isWord reports whether c can stand in a number or a literal.
func isWord(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		c == '-' || c == '+' || c == '.' || c == '_'
}

// nonFinite returns the canonical name of a spelling of NaN or an infinity, or
// "" if the word is none.
func nonFinite(word []byte) string {
	w := word
	neg := false
	if len(w) > 0 && (w[0] == '-' || w[0] == '+') {
		neg, w = w[0] == '-', w[1:]
	}
	if len(w) < 3 || w[0]|0x20 != 'n' && w[0]|0x20 != 'i' {
		return ""
	}
	switch {
	case bytes.EqualFold(w, []byte("nan")):
		return "NaN"
	case !bytes.EqualFold(w, []byte("inf")) && !bytes.EqualFold(w, []byte("infinity")):
		return ""
	case neg:
		return "-Infinity"
	}
	return "Infinity"
}
