package pyrun

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// def adds a method to a class; min and max count arguments without the object.
func (in *interp) def(c *class, name string, min, max int, fn func(in *interp, a []value, kw kwargs) (value, error), kw ...string) {
	if max >= 0 {
		max++
	}
	c.ns[name] = &builtin{name: name, recv: c, min: min + 1, max: max, kw: kw, fn: fn, id: in.newID()}
}

// arg returns argument i, a keyword, or nil.
func arg(a []value, i int, kw kwargs, name string) value {
	if i < len(a) {
		return a[i]
	}
	v, _ := kw.get(name)
	return v
}

// wantStr requires a string.
func (in *interp) wantStr(v value, what string) (*str, error) {
	s, ok := v.(*str)
	if !ok {
		return nil, in.typeError([]value{v}, "%s must be str, not %s", what, in.typeName(v))
	}
	return s, nil
}

// wantInt requires an int that fits; others are cut to fit.
func (in *interp) wantInt(v value) (int64, error) {
	if !isInt(v) {
		return 0, in.typeError([]value{v}, "'%s' object cannot be interpreted as an integer", in.typeName(v))
	}
	if n, ok := small(v); ok {
		return n, nil
	}
	if bigOf(v).Sign() < 0 {
		return -1 << 62, nil
	}
	return 1 << 62, nil
}

// whitespace is what str.split and str.strip drop.
func whitespace(r rune) bool { return unicode.IsSpace(r) || 0x1C <= r && r <= 0x1F }

func newStrMethods(in *interp) {
	c := in.t.str_
	c.known = " casefold encode expandtabs isidentifier isprintable maketrans translate format_map isdecimal "
	// simple methods: text to text, for ASCII only where Unicode makes a difference
	simple := func(name string, ascii bool, f func(string) string) {
		in.def(c, name, 0, 0, func(in *interp, a []value, _ kwargs) (value, error) {
			s := a[0].(*str)
			if ascii && !s.ascii() {
				return nil, unsupported("%s of a string that is not ASCII", name)
			}
			if err := in.work(int64(len(s.s)) * 2); err != nil {
				return nil, err
			}
			return newStr(f(s.s)), nil
		})
	}
	simple("upper", true, strings.ToUpper)
	simple("lower", true, strings.ToLower)
	simple("capitalize", true, func(s string) string {
		if s == "" {
			return s
		}
		return strings.ToUpper(s[:1]) + strings.ToLower(s[1:])
	})
	simple("title", true, titleCase)
	simple("swapcase", true, func(s string) string {
		return strings.Map(func(r rune) rune {
			if unicode.IsUpper(r) {
				return unicode.ToLower(r)
			}
			return unicode.ToUpper(r)
		}, s)
	})
	newStrTests(in)
	newStrSearch(in)
	newStrSplit(in)
	strip := func(name string, f func(string, func(rune) bool) string) {
		in.def(c, name, 0, 1, func(in *interp, a []value, _ kwargs) (value, error) {
			s := a[0].(*str)
			drop := whitespace
			if len(a) > 1 {
				if _, none := a[1].(noneType); !none {
					set, ok := a[1].(*str)
					if !ok {
						return nil, in.typeError(a[1:], "%s arg must be None or str", name)
					}
					drop = func(r rune) bool { return strings.ContainsRune(set.s, r) }
					if err := in.charge(int64(len(set.s)) * int64(len(s.s)) / 64); err != nil {
						return nil, err
					}
				}
			}
			if err := in.work(int64(len(s.s))); err != nil {
				return nil, err
			}
			return newStr(strings.Clone(f(s.s, drop))), nil
		})
	}
	strip("strip", strings.TrimFunc)
	strip("lstrip", strings.TrimLeftFunc)
	strip("rstrip", strings.TrimRightFunc)
	in.def(c, "join", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		sep := a[0].(*str)
		if _, err := in.iter(a[1]); err != nil {
			if r, ok := err.(*raised); ok && r.exc.cls == in.t.TypeError {
				err = in.typeError(a[1:], "can only join an iterable")
			}
			return nil, err
		}
		l, err := in.collect(a[1])
		if err != nil {
			return nil, err
		}
		b := &builder{in: in}
		for i, v := range l.v {
			s, ok := v.(*str)
			if !ok {
				return nil, in.typeError([]value{v}, "sequence item %d: expected str instance, %s found", i, in.typeName(v))
			}
			if i > 0 {
				if err := b.add(sep.s); err != nil {
					return nil, err
				}
			}
			if err := b.add(s.s); err != nil {
				return nil, err
			}
		}
		return b.str(), nil
	})
	in.def(c, "format", 0, -1, func(in *interp, a []value, kw kwargs) (value, error) {
		return in.strFormat(a[0].(*str), a[1:], kw)
	}, "**")
	in.def(c, "zfill", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		s := a[0].(*str)
		w, err := in.wantInt(a[1])
		if err != nil {
			return nil, err
		}
		sign, body := "", s.s
		if body != "" && (body[0] == '+' || body[0] == '-') {
			sign, body = body[:1], body[1:]
		}
		return in.pad(sign, newStr(body), spec{fill: "0", align: '=', width: int(w)}, '=')
	})
	for name, align := range map[string]byte{"ljust": '<', "rjust": '>', "center": '^'} {
		in.def(c, name, 1, 2, func(in *interp, a []value, _ kwargs) (value, error) {
			s := a[0].(*str)
			w, err := in.wantInt(a[1])
			if err != nil {
				return nil, err
			}
			p := spec{fill: " ", align: align, width: int(w)}
			if len(a) > 2 {
				f, ok := a[2].(*str)
				if !ok || f.n != 1 {
					return nil, in.typeError(a[2:], "The fill character must be exactly one character long")
				}
				p.fill = f.s
			}
			if n := w - int64(s.n); align == '^' && n > 0 && n%2 == 1 && w%2 == 1 { // CPython's choice of sides
				q := p
				q.align, q.width = '>', s.n+int(n/2)+1
				if s, err = in.pad("", s, q, '>'); err != nil {
					return nil, err
				}
				p.align = '<'
			}
			return in.pad("", s, p, '<')
		})
	}
	in.def(c, "partition", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) { return in.partition(a, strings.Index, false) })
	in.def(c, "rpartition", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) { return in.partition(a, strings.LastIndex, true) })
	in.def(c, "removeprefix", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		p, err := in.wantStr(a[1], "removeprefix() argument")
		if err != nil {
			return nil, err
		}
		return newStr(strings.TrimPrefix(a[0].(*str).s, p.s)), in.work(int64(len(a[0].(*str).s)))
	})
	in.def(c, "removesuffix", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		p, err := in.wantStr(a[1], "removesuffix() argument")
		if err != nil {
			return nil, err
		}
		return newStr(strings.TrimSuffix(a[0].(*str).s, p.s)), in.work(int64(len(a[0].(*str).s)))
	})
	in.def(c, "replace", 2, 3, func(in *interp, a []value, _ kwargs) (value, error) {
		s := a[0].(*str)
		old, err := in.wantStr(a[1], "replace() argument 1")
		if err != nil {
			return nil, err
		}
		repl, err := in.wantStr(a[2], "replace() argument 2")
		if err != nil {
			return nil, err
		}
		n := int64(-1)
		if len(a) > 3 {
			if n, err = in.wantInt(a[3]); err != nil {
				return nil, err
			}
		}
		count := int64(strings.Count(s.s, old.s))
		if n >= 0 {
			count = min(count, n)
		}
		size := int64(len(s.s)) + count*int64(len(repl.s))
		if repl.s != "" && count > in.lim.Bytes/int64(len(repl.s)) {
			return nil, ErrMemory
		}
		if err := in.work(size); err != nil {
			return nil, err
		}
		return newStr(strings.Replace(s.s, old.s, repl.s, int(count))), nil
	}, "!count")
}

func titleCase(s string) string {
	b := []byte(s)
	word := false
	for i, c := range b {
		letter := 'a' <= c|0x20 && c|0x20 <= 'z'
		if letter && !word {
			b[i] = c &^ 0x20
		} else if letter {
			b[i] = c | 0x20
		}
		word = letter
	}
	return string(b)
}

// newStrTests defines isdigit and its like.
func newStrTests(in *interp) {
	test := func(name string, needOne bool, f func(string) bool) {
		in.def(in.t.str_, name, 0, 0, func(in *interp, a []value, _ kwargs) (value, error) {
			s := a[0].(*str)
			if !s.ascii() && name != "isascii" && name != "isspace" {
				return nil, unsupported("%s of a string that is not ASCII", name)
			}
			if err := in.charge(int64(len(s.s)) / 16); err != nil {
				return nil, err
			}
			return (s.s != "" || !needOne) && f(s.s), nil
		})
	}
	all := func(f func(c byte) bool) func(string) bool {
		return func(s string) bool {
			for i := range len(s) {
				if !f(s[i]) {
					return false
				}
			}
			return true
		}
	}
	digit := func(c byte) bool { return '0' <= c && c <= '9' }
	upper := func(c byte) bool { return 'A' <= c && c <= 'Z' }
	lower := func(c byte) bool { return 'a' <= c && c <= 'z' }
	test("isdigit", true, all(digit))
	test("isdecimal", true, all(digit))
	test("isnumeric", true, all(digit))
	test("isalpha", true, all(func(c byte) bool { return upper(c) || lower(c) }))
	test("isalnum", true, all(func(c byte) bool { return upper(c) || lower(c) || digit(c) }))
	test("isspace", true, func(s string) bool { return strings.TrimFunc(s, whitespace) == "" })
	test("isascii", false, all(func(c byte) bool { return c < utf8.RuneSelf }))
	test("isupper", true, func(s string) bool { return strings.ToUpper(s) == s && strings.ToLower(s) != s })
	test("islower", true, func(s string) bool { return strings.ToLower(s) == s && strings.ToUpper(s) != s })
	test("istitle", true, func(s string) bool { return titleCase(s) == s && strings.ToUpper(s) != strings.ToLower(s) })
}

// newStrSearch defines find and its like.
func newStrSearch(in *interp) {
	c := in.t.str_
	search := func(name string, f func(in *interp, hay, needle *str, from int64) (value, error)) {
		in.def(c, name, 1, 3, func(in *interp, a []value, _ kwargs) (value, error) {
			needle, err := in.wantStr(a[1], name+"() argument")
			if err != nil {
				return nil, err
			}
			hay := a[0].(*str)
			from := int64(0)
			if len(a) > 2 {
				s := &slice{lo: a[2], hi: noneType{}, step: noneType{}}
				if len(a) > 3 {
					s.hi = a[3]
				}
				start, _, _, count, err := in.bounds(s, int64(hay.n))
				if err != nil {
					return nil, err
				}
				if lo, ok := small(a[2]); ok && lo > int64(hay.n) {
					return f(in, nil, needle, 0)
				}
				if hay, err = in.substr(hay, int(start), int(start+count)); err != nil {
					return nil, err
				}
				from = start
			}
			if err := in.charge(1 + int64(len(hay.s))/32); err != nil {
				return nil, err
			}
			return f(in, hay, needle, from)
		})
	}
	index := func(find func(s, sub string) int, missing string) func(in *interp, hay, needle *str, from int64) (value, error) {
		return func(in *interp, hay, needle *str, from int64) (value, error) {
			i := -1
			if hay != nil {
				i = find(hay.s, needle.s)
			}
			if i < 0 {
				if missing != "" {
					return nil, in.raise(in.t.ValueError, "%s", missing)
				}
				return int64(-1), nil
			}
			return from + int64(utf8.RuneCountInString(hay.s[:i])), nil
		}
	}
	search("find", index(strings.Index, ""))
	search("rfind", index(strings.LastIndex, ""))
	search("index", index(strings.Index, "substring not found"))
	search("rindex", index(strings.LastIndex, "substring not found"))
	search("count", func(in *interp, hay, needle *str, _ int64) (value, error) {
		if hay == nil {
			return int64(0), nil
		}
		return int64(strings.Count(hay.s, needle.s)), nil
	})
	affix := func(name string, has func(s, p string) bool) {
		in.def(c, name, 1, 3, func(in *interp, a []value, _ kwargs) (value, error) {
			if len(a) > 2 {
				return nil, unsupported("%s with a start", name)
			}
			list := []value{a[1]}
			if t, ok := a[1].(*tuple); ok {
				list = t.v
			}
			if err := in.charge(int64(len(list)) / 8); err != nil {
				return nil, err
			}
			for _, v := range list {
				p, ok := v.(*str)
				if !ok {
					return nil, in.typeError(list, "%s first arg must be str or a tuple of str, not %s", name, in.typeName(v))
				}
				if has(a[0].(*str).s, p.s) {
					return true, nil
				}
			}
			return false, nil
		})
	}
	affix("startswith", strings.HasPrefix)
	affix("endswith", strings.HasSuffix)
}

func (in *interp) partition(a []value, find func(s, sub string) int, right bool) (value, error) {
	s := a[0].(*str)
	sep, err := in.wantStr(a[1], "separator")
	if err != nil {
		return nil, err
	}
	if sep.s == "" {
		return nil, in.raise(in.t.ValueError, "empty separator")
	}
	if err := in.work(int64(len(s.s)) + 4*sizeObject); err != nil {
		return nil, err
	}
	i := find(s.s, sep.s)
	switch {
	case i >= 0:
		return &tuple{[]value{newStr(s.s[:i]), sep, newStr(s.s[i+len(sep.s):])}}, nil
	case right:
		return &tuple{[]value{&str{}, &str{}, s}}, nil
	}
	return &tuple{[]value{s, &str{}, &str{}}}, nil
}

// newStrSplit defines split, rsplit and splitlines.
func newStrSplit(in *interp) {
	c := in.t.str_
	split := func(name string, right bool) {
		in.def(c, name, 0, 2, func(in *interp, a []value, kw kwargs) (value, error) {
			s := a[0].(*str).s
			limit := int64(-1)
			if v := arg(a, 2, kw, "maxsplit"); v != nil {
				var err error
				if limit, err = in.wantInt(v); err != nil {
					return nil, err
				}
			}
			if err := in.work(2 * int64(len(s))); err != nil {
				return nil, err
			}
			var parts []string
			switch sep := arg(a, 1, kw, "sep").(type) {
			case nil, noneType:
				parts = splitSpace(s, limit, right)
			case *str:
				if sep.s == "" {
					return nil, in.raise(in.t.ValueError, "empty separator")
				}
				parts = splitSep(s, sep.s, limit, right)
			default:
				return nil, in.typeError([]value{sep}, "must be str or None, not %s", in.typeName(sep))
			}
			return in.strList(parts)
		}, "sep", "maxsplit")
	}
	split("split", false)
	split("rsplit", true)
	in.def(c, "splitlines", 0, 1, func(in *interp, a []value, kw kwargs) (value, error) {
		if arg(a, 1, kw, "keepends") != nil {
			return nil, unsupported("splitlines with keepends")
		}
		s := a[0].(*str).s
		if strings.ContainsAny(s, "\v\f\x1c\x1d\x1e\u0085\u2028\u2029") {
			return nil, unsupported("splitlines with rare line ends")
		}
		if err := in.work(2 * int64(len(s))); err != nil {
			return nil, err
		}
		s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
		if s == "" {
			return &list{}, nil
		}
		return in.strList(strings.Split(strings.TrimSuffix(s, "\n"), "\n"))
	}, "keepends")
}

func (in *interp) strList(parts []string) (value, error) {
	if err := in.allocN(int64(len(parts)), sizeSlot+48); err != nil {
		return nil, err
	}
	l := &list{make([]value, len(parts))}
	for i, p := range parts {
		l.v[i] = newStr(strings.Clone(p))
	}
	return l, in.charge(int64(len(parts)) / 2)
}

func splitSep(s, sep string, limit int64, right bool) []string {
	if limit < 0 {
		return strings.Split(s, sep)
	}
	if !right {
		return strings.SplitN(s, sep, int(min(limit, 1<<40))+1)
	}
	var parts []string
	for ; limit > 0; limit-- {
		i := strings.LastIndex(s, sep)
		if i < 0 {
			break
		}
		parts = append(parts, s[i+len(sep):])
		s = s[:i]
	}
	parts = append(parts, s)
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return parts
}

func splitSpace(s string, limit int64, right bool) []string {
	if limit < 0 {
		return strings.FieldsFunc(s, whitespace)
	}
	var parts []string
	if !right {
		for s = strings.TrimLeftFunc(s, whitespace); s != ""; s = strings.TrimLeftFunc(s, whitespace) {
			i := strings.IndexFunc(s, whitespace)
			if i < 0 || int64(len(parts)) >= limit {
				if int64(len(parts)) >= limit {
					return append(parts, strings.TrimRightFunc(s, whitespace))
				}
				return append(parts, s)
			}
			parts = append(parts, s[:i])
			s = s[i:]
		}
		return parts
	}
	for s = strings.TrimRightFunc(s, whitespace); s != ""; s = strings.TrimRightFunc(s, whitespace) {
		i := strings.LastIndexFunc(s, whitespace)
		if int64(len(parts)) >= limit {
			parts = append(parts, s)
			break
		}
		if i < 0 {
			parts = append(parts, s)
			break
		}
		_, n := utf8.DecodeRuneInString(s[i:])
		parts = append(parts, s[i+n:])
		s = s[:i]
	}
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return parts
}
