package pyrun

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// newInt is int(x, base).
func newInt(in *interp, a []value, kw kwargs) (value, error) {
	if len(kw.names) > 0 && (len(kw.names) > 1 || kw.names[0] != "base") || len(a) > 2 {
		return nil, in.raise(in.t.TypeError, "int() got unexpected arguments")
	}
	b := arg(a, 1, kw, "base")
	if len(a) == 0 {
		if b != nil {
			return nil, in.raise(in.t.TypeError, "int() missing string argument")
		}
		return int64(0), nil
	}
	if b != nil {
		base, err := in.wantInt(b)
		if err != nil {
			return nil, err
		}
		s, ok := a[0].(*str)
		if !ok {
			return nil, in.typeError(a, "int() can't convert non-string with explicit base")
		}
		return in.intFromText(s, base)
	}
	switch v := a[0].(type) {
	case bool, int64, *big.Int:
		return plainInt(v), nil
	case float64:
		return in.floatToInt(v)
	case *str:
		return in.intFromText(v, 10)
	}
	return nil, in.typeError(a, "int() argument must be a string, a bytes-like object or a real number, not '%s'", in.typeName(a[0]))
}

// intFromText is int(s, base).
func (in *interp) intFromText(s *str, base int64) (value, error) {
	if base != 0 && (base < 2 || base > 36) {
		return nil, in.raise(in.t.ValueError, "int() base must be >= 2 and <= 36, or 0")
	}
	if !s.ascii() {
		return nil, unsupported("int() of a string that is not ASCII")
	}
	if err := in.work(1 + int64(len(s.s))); err != nil {
		return nil, err
	}
	bad := func() error {
		q := quote(s.s)
		if len(q) > 200 { // as CPython cuts it
			q = q[:200]
		}
		return in.raise(in.t.ValueError, "invalid literal for int() with base %d: %s", base, q)
	}
	text := strings.TrimFunc(s.s, whitespace)
	neg := strings.HasPrefix(text, "-")
	if neg || strings.HasPrefix(text, "+") {
		text = text[1:]
	}
	radix := base
	if len(text) > 1 && text[0] == '0' {
		if r := map[byte]int64{'x': 16, 'o': 8, 'b': 2}[text[1]|0x20]; r != 0 && (base == 0 || base == r) {
			radix = r
			text = strings.TrimPrefix(text[2:], "_")
		}
	}
	if radix == 0 {
		radix = 10
		if len(text) > 1 && text[0] == '0' && strings.Trim(text, "0_") != "" {
			return nil, bad()
		}
	}
	if text == "" || text[0] == '_' || text[len(text)-1] == '_' || strings.Contains(text, "__") || strings.ContainsAny(text, "+-") {
		return nil, bad()
	}
	text = strings.ReplaceAll(text, "_", "")
	if radix&(radix-1) != 0 && len(text) > 4300 {
		for i := range len(text) { // only digits count, and only then is it a number
			if c := text[i] | 0x20; (c < '0' || c > '9') && (c < 'a' || c > 'z') {
				return nil, bad()
			}
		}
		return nil, in.raise(in.t.ValueError, "Exceeds the limit (4300 digits) for integer string conversion: value has %d digits; use sys.set_int_max_str_digits() to increase the limit", len(text))
	}
	if err := in.roomFor(int64(len(text))*6, 4300*6, 4300*6); err != nil {
		return nil, err
	}
	n, ok := new(big.Int).SetString(text, int(radix))
	if !ok {
		return nil, bad()
	}
	if neg {
		n.Neg(n)
	}
	return norm(n), nil
}

// newFloat is float(x).
func newFloat(in *interp, a []value, kw kwargs) (value, error) {
	if len(a) > 1 || len(kw.names) > 0 {
		return nil, in.raise(in.t.TypeError, "float expected at most 1 argument, got %d", len(a))
	}
	if len(a) == 0 {
		return 0.0, nil
	}
	s, ok := a[0].(*str)
	if !ok {
		if isNumber(a[0]) {
			return in.toFloat(a[0])
		}
		return nil, in.typeError(a, "float() argument must be a string or a real number, not '%s'", in.typeName(a[0]))
	}
	if !s.ascii() {
		return nil, unsupported("float() of a string that is not ASCII")
	}
	if err := in.charge(1 + int64(len(s.s))/8); err != nil {
		return nil, err
	}
	bad := in.raise(in.t.ValueError, "could not convert string to float: %s", quote(s.s))
	text := strings.TrimFunc(s.s, whitespace)
	switch strings.ToLower(strings.TrimLeft(text, "+-")) {
	case "inf", "infinity", "nan":
		if len(text) > 1 && strings.IndexByte("+-", text[1]) >= 0 {
			return nil, bad
		}
	default:
		for i := range len(text) {
			c := text[i]
			digit := func(i int) bool { return i >= 0 && i < len(text) && '0' <= text[i] && text[i] <= '9' }
			if c == '_' && digit(i-1) && digit(i+1) {
				continue
			}
			if strings.IndexByte("0123456789.+-eE", c) < 0 {
				return nil, bad
			}
		}
		text = strings.ReplaceAll(text, "_", "")
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil && !math.IsInf(f, 0) {
		return nil, bad
	}
	return f, nil
}
