package pyrun

import "strings"

// percent is s % args.
func (in *interp) percent(s *str, args value) (value, error) {
	b := &builder{in: in}
	t, isTuple := args.(*tuple)
	used := 0
	next := func() (value, error) {
		if !isTuple {
			if used++; used > 1 {
				return nil, in.raise(in.t.TypeError, "not enough arguments for format string")
			}
			return args, nil
		}
		if used >= len(t.v) {
			return nil, in.raise(in.t.TypeError, "not enough arguments for format string")
		}
		used++
		return t.v[used-1], nil
	}
	rest := s.s
	for {
		i := strings.IndexByte(rest, '%')
		if i < 0 {
			break
		}
		if err := b.add(rest[:i]); err != nil {
			return nil, err
		}
		rest = rest[i+1:]
		var err error
		if rest, err = in.percentVerb(b, rest, len(s.s), next); err != nil {
			return nil, err
		}
	}
	if err := b.add(rest); err != nil {
		return nil, err
	}
	_, isDict := args.(*dict)
	if isTuple && used < len(t.v) || !isTuple && used == 0 && !isDict {
		if _, l := args.(*list); !l {
			return nil, in.typeError([]value{args}, "not all arguments converted during string formatting")
		}
	}
	return b.str(), nil
}

// percentVerb formats one conversion; rest starts after the "%", and at is the
// length of the whole format.
func (in *interp) percentVerb(b *builder, rest string, at int, next func() (value, error)) (string, error) {
	p := spec{fill: " ", prec: -1}
	if strings.HasPrefix(rest, "(") {
		return "", unsupported("%%(name) formatting")
	}
	left, zero := false, false
	start := len(rest)
	for rest != "" && strings.IndexByte("-+ #0", rest[0]) >= 0 {
		switch rest[0] {
		case '-':
			left = true
		case '+':
			p.sign = '+'
		case ' ':
			if p.sign == 0 {
				p.sign = ' '
			}
		case '#':
			p.alt = true
		case '0':
			zero = true
		}
		rest = rest[1:]
	}
	number := func() (int, error) {
		if strings.HasPrefix(rest, "*") {
			rest = rest[1:]
			v, err := next()
			if err != nil {
				return 0, err
			}
			n, ok := small(v)
			if !ok {
				return 0, in.typeError([]value{v}, "* wants int")
			}
			return int(max(min(n, 1<<40), -1<<40)), nil
		}
		n, r, err := in.specNumber(rest)
		rest = r
		return n, err
	}
	var err error
	if p.width, err = number(); err != nil {
		return "", err
	}
	if p.width < -1 {
		left, p.width = true, -p.width
	}
	p.width = max(p.width, 0)
	if strings.HasPrefix(rest, ".") {
		rest = rest[1:]
		if p.prec, err = number(); err != nil {
			return "", err
		}
		p.prec = max(p.prec, 0)
	}
	if rest != "" && strings.IndexByte("hlL", rest[0]) >= 0 {
		rest = rest[1:]
	}
	if rest == "" {
		return "", in.raise(in.t.ValueError, "incomplete format")
	}
	verb := rest[0]
	rest = rest[1:]
	if verb == '%' && len(rest)+1 == start {
		return rest, b.add("%")
	}
	v, err := next()
	if err != nil {
		return "", err
	}
	switch {
	case left:
		p.align = '<'
	case zero:
		p.fill, p.align = "0", '='
	default:
		p.align = '>'
	}
	s, err := in.percentValue(v, verb, p, at-len(rest)-1)
	if err != nil {
		return "", err
	}
	return rest, b.add(s.s)
}

// percentValue formats v; at is the index of the verb, for messages.
func (in *interp) percentValue(v value, verb byte, p spec, at int) (*str, error) {
	switch verb {
	case 's', 'r':
		c, err := in.convert(v, verb)
		if err != nil {
			return nil, err
		}
		s := c.(*str)
		if p.prec >= 0 && p.prec < s.n {
			if s, err = in.substr(s, 0, p.prec); err != nil {
				return nil, err
			}
		}
		if p.align == '=' {
			p.fill, p.align = " ", '>'
		}
		return in.pad("", s, p, '>')
	case 'd', 'i', 'u', 'x', 'X', 'o':
		if p.prec >= 0 {
			return nil, unsupported("a precision for %%%c", verb)
		}
		if f, ok := v.(float64); ok && (verb == 'd' || verb == 'i' || verb == 'u') {
			n, err := in.floatToInt(f)
			if err != nil {
				return nil, err
			}
			v = n
		}
		if !isInt(v) {
			if verb == 'd' || verb == 'i' || verb == 'u' {
				return nil, in.typeError([]value{v}, "%%%c format: a real number is required, not %s", verb, in.typeName(v))
			}
			return nil, in.typeError([]value{v}, "%%%c format: an integer is required, not %s", verb, in.typeName(v))
		}
		if p.verb = verb; verb == 'i' || verb == 'u' {
			p.verb = 'd'
		}
		return in.formatInt(v, p)
	case 'e', 'E', 'f', 'F', 'g', 'G':
		f, err := in.toFloat(v)
		if err != nil {
			return nil, err
		}
		p.verb = verb
		return in.formatFloat(f, p)
	case 'c':
		if s, ok := v.(*str); ok {
			if s.n != 1 {
				return nil, in.raise(in.t.TypeError, "%%c requires int or char")
			}
			return in.pad("", s, p, '>')
		}
		if !isInt(v) {
			return nil, in.typeError([]value{v}, "%%c requires int or char")
		}
		p.sign, p.alt = 0, false
		return in.formatChar(v, p)
	case 'a':
		return nil, unsupported("%%a")
	}
	shown := verb
	if verb < ' ' || verb > '~' {
		shown = '?'
	}
	return nil, in.raise(in.t.ValueError, "unsupported format character '%c' (0x%x) at index %d", shown, verb, at)
}

// strFormat is s.format(*args, **kw).
func (in *interp) strFormat(s *str, args []value, kw kwargs) (value, error) {
	b := &builder{in: in}
	auto := 0
	if err := in.formatInto(b, s.s, args, kw, &auto, 2); err != nil {
		return nil, err
	}
	return b.str(), nil
}

// formatInto formats a template; auto numbers the fields without a name, -1 once
// one had a number.
func (in *interp) formatInto(b *builder, s string, args []value, kw kwargs, auto *int, depth int) error {
	for s != "" {
		i := strings.IndexAny(s, "{}")
		if i < 0 {
			return b.add(s)
		}
		if err := b.add(s[:i]); err != nil {
			return err
		}
		c := s[i]
		s = s[i+1:]
		if s != "" && s[0] == c {
			if err := b.add(string(c)); err != nil {
				return err
			}
			s = s[1:]
			continue
		}
		if c == '}' {
			return in.raise(in.t.ValueError, "Single '}' encountered in format string")
		}
		end, open := 0, 1
		for ; end < len(s); end++ {
			if s[end] == '{' {
				open++
			} else if s[end] == '}' {
				if open--; open == 0 {
					break
				}
			}
		}
		if end >= len(s) {
			if s == "" {
				return in.raise(in.t.ValueError, "Single '{' encountered in format string")
			}
			return in.raise(in.t.ValueError, "expected '}' before end of string")
		}
		if depth == 0 {
			return in.raise(in.t.ValueError, "Max string recursion exceeded")
		}
		if err := in.charge(int64(end)/8 + 1); err != nil {
			return err
		}
		if err := in.formatOne(b, s[:end], args, kw, auto, depth); err != nil {
			return err
		}
		s = s[end+1:]
	}
	return nil
}

// formatOne formats a field: name, !conversion and :spec.
func (in *interp) formatOne(b *builder, field string, args []value, kw kwargs, auto *int, depth int) error {
	name, spec := field, ""
	conv := byte(0)
	if i := strings.IndexAny(field, ":!"); i >= 0 {
		name = field[:i]
		tail := field[i:]
		if tail[0] == '!' {
			if len(tail) < 2 || len(tail) > 2 && tail[2] != ':' {
				return in.raise(in.t.ValueError, "expected ':' after conversion specifier")
			}
			if conv = tail[1]; strings.IndexByte("sra", conv) < 0 {
				return in.raise(in.t.ValueError, "Unknown conversion specifier %c", conv)
			}
			tail = tail[2:]
		}
		spec = strings.TrimPrefix(tail, ":")
	}
	v, err := in.formatArg(name, args, kw, auto)
	if err != nil {
		return err
	}
	if v, err = in.convert(v, conv); err != nil {
		return err
	}
	if strings.ContainsAny(spec, "{}") {
		sb := &builder{in: in}
		if err := in.formatInto(sb, spec, args, kw, auto, depth-1); err != nil {
			return err
		}
		spec = string(sb.b)
	}
	r, err := in.formatValue(v, spec)
	if err != nil {
		return err
	}
	return b.add(r.s)
}

// formatArg looks a field name up, with .attributes and [items].
func (in *interp) formatArg(name string, args []value, kw kwargs, auto *int) (value, error) {
	first := name
	if i := strings.IndexAny(name, ".["); i >= 0 {
		first = name[:i]
	}
	path := name[len(first):]
	var v value
	n := -1
	if first == "" {
		if *auto < 0 {
			return nil, in.raise(in.t.ValueError, "cannot switch from manual field specification to automatic field numbering")
		}
		n = *auto
		*auto++
	} else if d, rest, err := in.specNumber(first); err != nil {
		return nil, err
	} else if rest == "" {
		if *auto > 0 {
			return nil, in.raise(in.t.ValueError, "cannot switch from automatic field numbering to manual field specification")
		}
		*auto = -1
		n = d
	}
	switch {
	case n >= len(args):
		return nil, in.raise(in.t.IndexError, "Replacement index %d out of range for positional args tuple", n)
	case n >= 0:
		v = args[n]
	default:
		if err := in.charge(int64(len(kw.names)) / 8); err != nil {
			return nil, err
		}
		var ok bool
		if v, ok = kw.get(first); !ok {
			return nil, &raised{&instance{cls: in.t.KeyError, args: []value{newStr(first)}, id: in.newID()}}
		}
	}
	for path != "" {
		var err error
		if path[0] == '[' {
			i := strings.IndexByte(path, ']')
			if i < 2 {
				return nil, in.raise(in.t.ValueError, "Empty attribute in format string")
			}
			var key value = newStr(path[1:i])
			if d, rest, err := in.specNumber(path[1:i]); err == nil && rest == "" {
				key = int64(d)
			}
			path = path[i+1:]
			if path != "" && path[0] != '.' && path[0] != '[' {
				return nil, in.raise(in.t.ValueError, "Only '.' or '[' may follow ']' in format field specifier")
			}
			v, err = in.getItem(v, key)
		} else {
			path = path[1:]
			i := strings.IndexAny(path, ".[")
			if i < 0 {
				i = len(path)
			}
			if i == 0 {
				return nil, in.raise(in.t.ValueError, "Empty attribute in format string")
			}
			attr := path[:i]
			path = path[i:]
			v, err = in.getAttr(v, attr)
		}
		if err != nil {
			return nil, err
		}
	}
	return v, nil
}
