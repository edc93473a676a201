package pyrun

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// spec is a parsed format specification:
// [[fill]align][sign][z][#][0][width][grouping][.precision][type]
type spec struct {
	fill     string
	align    byte // '<', '>', '=', '^', or 0
	sign     byte // '+', '-', ' ', or 0
	alt      bool
	width    int
	group    byte // ',' or '_', or 0
	prec     int  // or -1
	verb     byte // or 0
	original string
}

// parseSpec parses a specification for v, which messages name.
func (in *interp) parseSpec(s string, v value) (spec, error) {
	p := spec{fill: " ", prec: -1, original: s}
	isAlign := func(s string) bool { return s != "" && strings.IndexByte("<>=^", s[0]) >= 0 }
	filled := false
	if r := []rune(firstRunes(s, 2)); len(r) == 2 && isAlign(s[len(string(r[0])):]) {
		filled = true
		p.fill = string(r[0])
		s = s[len(p.fill):]
	}
	if isAlign(s) {
		p.align = s[0]
		s = s[1:]
	}
	if s != "" && strings.IndexByte("+- ", s[0]) >= 0 {
		p.sign = s[0]
		s = s[1:]
	}
	if strings.HasPrefix(s, "z") {
		return p, unsupported("the z option of a format")
	}
	if strings.HasPrefix(s, "#") {
		p.alt = true
		s = s[1:]
	}
	if strings.HasPrefix(s, "0") && !filled {
		if p.fill = "0"; p.align == 0 {
			p.align = '='
		}
		s = s[1:]
	}
	var err error
	if p.width, s, err = in.specNumber(s); err != nil {
		return p, err
	}
	if p.width < 0 {
		p.width = 0
	}
	if s != "" && (s[0] == ',' || s[0] == '_') {
		p.group = s[0]
		s = s[1:]
		if s != "" && (s[0] == ',' || s[0] == '_') {
			if s[0] == p.group {
				return p, in.raise(in.t.ValueError, "Cannot specify '%c' with '%c'.", p.group, s[0])
			}
			return p, in.raise(in.t.ValueError, "Cannot specify both ',' and '_'.")
		}
	}
	if strings.HasPrefix(s, ".") {
		if p.prec, s, err = in.specNumber(s[1:]); err != nil {
			return p, err
		}
		if p.prec < 0 {
			return p, in.raise(in.t.ValueError, "Format specifier missing precision")
		}
	}
	if len(s) > 1 {
		return p, in.raise(in.t.ValueError, "Invalid format specifier '%s' for object of type '%s'", p.original, in.typeName(v))
	}
	if s != "" {
		p.verb = s[0]
	}
	if p.group != 0 && strings.IndexByte("\x00defgEG%F", p.verb) < 0 && !(p.group == '_' && strings.IndexByte("boxX", p.verb) >= 0) {
		return p, in.raise(in.t.ValueError, "Cannot specify '%c' with '%c'.", p.group, p.verb)
	}
	return p, nil
}

func firstRunes(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// specNumber reads digits; -1 when there are none.
func (in *interp) specNumber(s string) (int, string, error) {
	i := 0
	for i < len(s) && '0' <= s[i] && s[i] <= '9' {
		i++
	}
	if i == 0 {
		return -1, s, nil
	}
	n, err := strconv.Atoi(s[:i])
	if err != nil {
		return 0, "", in.raise(in.t.ValueError, "Too many decimal digits in format string")
	}
	return n, s[i:], nil
}

// formatValue is format(v, s).
func (in *interp) formatValue(v value, s string) (*str, error) {
	if err := in.charge(1 + int64(len(s))/32); err != nil {
		return nil, err
	}
	if s == "" {
		return in.text(v)
	}
	switch v := v.(type) {
	case *str:
		return in.formatStr(v, s)
	case bool:
		p, err := in.parseSpec(s, v)
		if err != nil {
			return nil, err
		}
		if p.verb == 's' {
			return nil, in.badVerb(p.verb, v)
		}
		return in.formatInt(plainInt(v), p) // like the int, not like the text
	case int64, *big.Int:
		p, err := in.parseSpec(s, v)
		if err != nil {
			return nil, err
		}
		return in.formatInt(v, p)
	case float64:
		p, err := in.parseSpec(s, v)
		if err != nil {
			return nil, err
		}
		return in.formatFloat(v, p)
	}
	if err := in.known(v); err != nil {
		return nil, err
	}
	return nil, in.raise(in.t.TypeError, "unsupported format string passed to %s.__format__", in.typeName(v))
}

func (in *interp) badVerb(verb byte, v value) error {
	return in.raise(in.t.ValueError, "Unknown format code '%c' for object of type '%s'", verb, in.typeName(v))
}

func (in *interp) formatStr(v *str, s string) (*str, error) {
	p, err := in.parseSpec(s, v)
	if err != nil {
		return nil, err
	}
	switch {
	case p.verb != 0 && p.verb != 's':
		return nil, in.badVerb(p.verb, v)
	case p.sign == ' ':
		return nil, in.raise(in.t.ValueError, "Space not allowed in string format specifier")
	case p.sign != 0:
		return nil, in.raise(in.t.ValueError, "Sign not allowed in string format specifier")
	case p.alt:
		return nil, in.raise(in.t.ValueError, "Alternate form (#) not allowed in string format specifier")
	case p.group != 0:
		return nil, in.raise(in.t.ValueError, "Cannot specify '%c' with 's'.", p.group)
	case p.align == '=':
		if p.fill == "0" && !strings.ContainsAny(s, "=") { // 05: plain padding since 3.10
			p.align = '<'
			break
		}
		return nil, in.raise(in.t.ValueError, "'=' alignment not allowed in string format specifier")
	}
	if p.prec >= 0 && p.prec < v.n {
		if v, err = in.substr(v, 0, p.prec); err != nil {
			return nil, err
		}
	}
	return in.pad("", v, p, '<')
}

// pad aligns text; sign stays in front when the padding goes after it.
func (in *interp) pad(sign string, body *str, p spec, def byte) (*str, error) {
	align := p.align
	if align == 0 {
		align = def
	}
	n := p.width - body.n - len(sign)
	if n <= 0 {
		n = 0
	}
	if err := in.work(int64(n)*int64(len(p.fill)) + int64(len(body.s))); err != nil {
		return nil, err
	}
	left, right := 0, 0
	switch align {
	case '<':
		right = n
	case '^':
		left = n / 2
		right = n - left
	default:
		left = n
	}
	fill := func(n int) string { return strings.Repeat(p.fill, n) }
	if align == '=' {
		return newStr(sign + fill(left) + body.s), nil
	}
	return newStr(fill(left) + sign + body.s + fill(right)), nil
}

func (in *interp) formatInt(v value, p spec) (*str, error) {
	if strings.IndexByte("\x00dnboxXeEfFgG%c", p.verb) < 0 {
		return nil, in.badVerb(p.verb, v)
	}
	if p.prec >= 0 && strings.IndexByte("eEfFgG%", p.verb) < 0 {
		return nil, in.raise(in.t.ValueError, "Precision not allowed in integer format specifier")
	}
	base, prefix, every := 10, "", 3
	switch p.verb {
	case 0, 'd', 'n':
		if p.verb == 'n' {
			return nil, unsupported("the format n")
		}
	case 'b':
		base, prefix, every = 2, "0b", 4
	case 'o':
		base, prefix, every = 8, "0o", 4
	case 'x', 'X':
		base, prefix, every = 16, "0"+string(p.verb), 4
	case 'e', 'E', 'f', 'F', 'g', 'G', '%':
		f, err := in.toFloat(v)
		if err != nil {
			return nil, err
		}
		return in.formatFloat(f, p)
	case 'c':
		return in.formatChar(v, p)
	}
	digits, sign := "", ""
	if base == 10 {
		s, err := in.intText(v)
		if err != nil {
			return nil, err
		}
		digits = s
	} else {
		if err := in.work(2 * bitLen(v)); err != nil {
			return nil, err
		}
		digits = bigOf(v).Text(base)
	}
	if strings.HasPrefix(digits, "-") {
		digits, sign = digits[1:], "-"
	} else if p.sign == '+' || p.sign == ' ' {
		sign = string(p.sign)
	}
	if p.verb == 'X' {
		digits = strings.ToUpper(digits)
	}
	if p.alt {
		sign += prefix
	}
	return in.grouped(sign, digits, "", every, p)
}

// grouped inserts separators into the digits, also into zeros that pad them, and
// aligns the result. rest follows the digits.
func (in *interp) grouped(sign, digits, rest string, every int, p spec) (*str, error) {
	if p.group == 0 {
		return in.pad(sign, newStr(digits+rest), p, '>')
	}
	if err := in.work(2 * int64(len(digits))); err != nil {
		return nil, err
	}
	zeros := 0
	if p.fill == "0" && p.align == '=' {
		// Zeros needed so that digits and separators fill the width.
		room := p.width - len(sign) - len(rest)
		if err := in.work(int64(max(room, 0))); err != nil {
			return nil, err
		}
		for n := len(digits); n+(n-1)/every < room; n++ {
			zeros++
		}
	}
	digits = strings.Repeat("0", zeros) + digits
	var b strings.Builder
	for i := range len(digits) {
		if i > 0 && (len(digits)-i)%every == 0 {
			b.WriteByte(p.group)
		}
		b.WriteByte(digits[i])
	}
	return in.pad(sign, newStr(b.String()+rest), p, '>')
}

func (in *interp) formatChar(v value, p spec) (*str, error) {
	switch {
	case p.sign != 0:
		return nil, in.raise(in.t.ValueError, "Sign not allowed with integer format specifier 'c'")
	case p.alt:
		return nil, in.raise(in.t.ValueError, "Alternate form (#) not allowed with integer format specifier 'c'")
	case p.group != 0:
		return nil, in.raise(in.t.ValueError, "Cannot specify '%c' with 'c'.", p.group)
	}
	c, ok := small(v)
	if !ok || c < 0 || c > 0x10FFFF {
		return nil, in.raise(in.t.OverflowError, "%%c arg not in range(0x110000)")
	}
	if 0xD800 <= c && c <= 0xDFFF {
		return nil, unsupported("surrogates")
	}
	return in.pad("", newStr(string(rune(c))), p, '>')
}

func (in *interp) formatFloat(f float64, p spec) (*str, error) {
	switch p.verb {
	case 0, 'e', 'E', 'f', 'F', 'g', 'G', '%':
	case 'n':
		return nil, unsupported("the format n")
	default:
		return nil, in.badVerb(p.verb, f)
	}
	if p.prec > 1000 {
		return nil, unsupported("a precision over 1000")
	}
	if err := in.work(700 + int64(p.prec)); err != nil {
		return nil, err
	}
	sign := ""
	if math.Signbit(f) && !math.IsNaN(f) {
		sign, f = "-", -f
	} else if p.sign == '+' || p.sign == ' ' {
		sign = string(p.sign)
	}
	s := floatDigits(f, p)
	whole, rest := s, ""
	if i := strings.IndexAny(s, ".eE%"); i >= 0 && !math.IsInf(f, 0) && !math.IsNaN(f) {
		whole, rest = s[:i], s[i:]
	}
	if math.IsInf(f, 0) || math.IsNaN(f) {
		p.group = 0
	}
	return in.grouped(sign, whole, rest, 3, p)
}

// floatDigits formats a float that is not negative.
func floatDigits(f float64, p spec) string {
	prec := p.prec
	verb := p.verb
	upper := verb == 'E' || verb == 'F' || verb == 'G'
	if verb == 0 && prec < 0 {
		s := floatRepr(f)
		return s
	}
	if prec < 0 {
		prec = 6
	}
	var s string
	switch {
	case math.IsInf(f, 0) || math.IsNaN(f):
		if s = floatRepr(f); verb == '%' {
			s += "%"
		}
	case verb == '%':
		s = strconv.FormatFloat(f*100, 'f', prec, 64)
		if math.IsInf(f*100, 0) {
			s = "inf"
		}
		if p.alt && prec == 0 {
			s += "."
		}
		s += "%"
	case verb|0x20 == 'e':
		s = strconv.FormatFloat(f, 'e', prec, 64)
		if p.alt && prec == 0 {
			i := strings.IndexByte(s, 'e')
			s = s[:i] + "." + s[i:]
		}
	case verb|0x20 == 'f':
		s = strconv.FormatFloat(f, 'f', prec, 64)
		if p.alt && prec == 0 {
			s += "."
		}
	default:
		s = generalFloat(f, max(prec, 1), p.alt, verb == 0)
	}
	if upper {
		s = strings.ToUpper(s)
	}
	return s
}

// generalFloat is C's %g; with keepDot it is Python's format without a type,
// which keeps at least one digit after the point.
func generalFloat(f float64, prec int, alt, keepDot bool) string {
	s := strconv.FormatFloat(f, 'e', prec-1, 64)
	i := strings.IndexByte(s, 'e')
	exp, _ := strconv.Atoi(s[i+1:])
	limit := prec
	if keepDot {
		limit = prec - 1 // "{:.1}".format(1.0) is 1e+00
	}
	if exp < -4 || exp >= limit {
		mant, e := s[:i], s[i:]
		if !alt {
			mant = trimZeros(mant)
		} else if prec == 1 {
			mant += "."
		}
		return mant + e
	}
	s = strconv.FormatFloat(f, 'f', prec-1-exp, 64)
	switch {
	case alt:
		if strings.IndexByte(s, '.') < 0 {
			s += "."
		}
		return s
	case keepDot:
		s = trimZeros(s)
		if strings.IndexByte(s, '.') < 0 {
			s += ".0"
		}
		return s
	}
	return trimZeros(s)
}

func trimZeros(s string) string {
	if strings.IndexByte(s, '.') < 0 {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// formatField executes opFormat: a replacement field of an f-string.
func (in *interp) formatField(f *frame, conv byte, hasSpec bool) error {
	s := ""
	n := 1
	if hasSpec {
		s = f.top().(*str).s
		n = 2
	}
	v, err := in.convert(f.stack[len(f.stack)-n], conv)
	if err != nil {
		return err
	}
	r, err := in.formatValue(v, s)
	if err != nil {
		return err
	}
	f.drop(n)
	f.push(r)
	return nil
}

// convert applies !s, !r or !a.
func (in *interp) convert(v value, conv byte) (value, error) {
	switch conv {
	case 's':
		return in.text(v)
	case 'r':
		return in.repr(v)
	case 'a':
		return nil, unsupported("!a")
	}
	return v, nil
}

// joinStack executes opString.
func (in *interp) joinStack(f *frame, n int) error {
	b := &builder{in: in}
	for _, v := range f.stack[len(f.stack)-n:] {
		if err := b.add(v.(*str).s); err != nil {
			return err
		}
	}
	f.drop(n)
	f.push(b.str())
	return nil
}
