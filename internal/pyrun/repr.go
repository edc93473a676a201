package pyrun

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode"
)

// builder collects text and pays for it.
type builder struct {
	in *interp
	b  []byte
}

func (b *builder) add(s string) error {
	if err := b.in.work(32 + int64(len(s))); err != nil { // at least one step
		return err
	}
	b.b = append(b.b, s...)
	return nil
}

func (b *builder) str() *str { return newStr(string(b.b)) }

func formatInt(n int64) string { return strconv.FormatInt(n, 10) }

// intText is str() of an int. CPython refuses more than 4300 digits.
func (in *interp) intText(v value) (string, error) {
	if n, ok := small(v); ok {
		return formatInt(n), nil
	}
	b := v.(*big.Int)
	if b.BitLen() > 14300 { // 4300 digits take at least 14281 bits
		return "", in.raise(in.t.ValueError, "Exceeds the limit (4300 digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit")
	}
	if err := in.charge(int64(b.BitLen()) / 16); err != nil {
		return "", err
	}
	s := b.String()
	if len(strings.TrimPrefix(s, "-")) > 4300 {
		return "", in.raise(in.t.ValueError, "Exceeds the limit (4300 digits) for integer string conversion; use sys.set_int_max_str_digits() to increase the limit")
	}
	return s, nil
}

// text is str(v).
func (in *interp) text(v value) (*str, error) {
	switch o := v.(type) {
	case *str:
		return o, nil
	case *instance:
		if _, ok := in.special(o, "__str__"); ok {
			return in.textMethod(o, "__str__")
		}
		if o.cls.exc {
			return in.exceptionText(o)
		}
	}
	return in.repr(v)
}

func (in *interp) textMethod(o *instance, name string) (*str, error) {
	v, err := in.callMethod(o, name)
	if err != nil {
		return nil, err
	}
	s, ok := v.(*str)
	if !ok {
		return nil, in.typeError([]value{v}, "%s returned non-string (type %s)", name, in.typeName(v))
	}
	return s, nil
}

// exceptionText is str() of an exception.
func (in *interp) exceptionText(e *instance) (*str, error) {
	if err := in.enter(); err != nil {
		return nil, err
	}
	defer func() { in.nest-- }()
	switch {
	case len(e.args) == 0:
		return &str{}, nil
	case len(e.args) > 1 && (e.cls.isSub(in.t.exceptions["OSError"]) || e.cls.isSub(in.t.exceptions["SyntaxError"]) || e.cls.isSub(in.t.UnicodeError) && len(e.args) == 5):
		return nil, unsupported("the text of a %s", e.cls.name)
	case len(e.args) == 1 && e.cls.isSub(in.t.KeyError):
		return in.repr(e.args[0])
	case len(e.args) == 1:
		return in.text(e.args[0])
	}
	return in.repr(&tuple{e.args})
}

// repr is repr(v).
func (in *interp) repr(v value) (*str, error) {
	b := &builder{in: in}
	err := in.writeRepr(b, v, nil)
	return b.str(), err
}

// outer is the chain of collections being printed, to stop at cycles.
type outer struct {
	v  value
	up *outer
}

func (o *outer) has(v value) bool {
	for ; o != nil; o = o.up {
		if o.v == v {
			return true
		}
	}
	return false
}

func (in *interp) writeRepr(b *builder, v value, up *outer) error {
	if err := in.charge(4); err != nil {
		return err
	}
	switch v := v.(type) {
	case noneType:
		return b.add("None")
	case bool:
		if v {
			return b.add("True")
		}
		return b.add("False")
	case int64, *big.Int:
		s, err := in.intText(v)
		if err != nil {
			return err
		}
		return b.add(s)
	case float64:
		return b.add(floatRepr(v))
	case *str:
		return b.add(quote(v.s))
	case *list:
		return in.reprItems(b, v, up, "[", "]", func() []value { return v.v })
	case *tuple:
		end := ")"
		if len(v.v) == 1 {
			end = ",)"
		}
		return in.reprItems(b, v, up, "(", end, func() []value { return v.v })
	case *set:
		return in.reprSet(b, v, up)
	case *dict:
		return in.reprDict(b, v, up)
	case *dictView:
		return in.reprView(b, v, up)
	case *rng:
		s := fmt.Sprintf("range(%d, %d", v.start, v.stop)
		if v.step != 1 {
			s += fmt.Sprintf(", %d", v.step)
		}
		return b.add(s + ")")
	case *class:
		if v.user {
			return b.add("<class 'kilter." + v.qualifiedName() + "'>")
		}
		return b.add("<class '" + v.name + "'>")
	case *builtin:
		if v.recv == nil {
			return b.add("<built-in function " + v.name + ">")
		}
	case ellipsisType:
		return b.add("Ellipsis")
	case notImplType:
		return b.add("NotImplemented")
	case *slice:
		if err := b.add("slice"); err != nil {
			return err
		}
		return in.reprItems(b, v, up, "(", ")", func() []value { return []value{v.lo, v.hi, v.step} })
	case *instance:
		if _, ok := in.special(v, "__repr__"); ok {
			if err := in.enter(); err != nil {
				return err
			}
			s, err := in.textMethod(v, "__repr__")
			in.nest--
			if err != nil {
				return err
			}
			return b.add(s.s)
		}
		if v.cls.exc {
			if err := b.add(v.cls.name); err != nil {
				return err
			}
			return in.reprItems(b, v, up, "(", ")", func() []value { return v.args })
		}
	}
	if err := in.known(v); err != nil {
		return err
	}
	return unsupported("the repr of a %s, which holds an address", in.typeName(v))
}

func (in *interp) reprItems(b *builder, v value, up *outer, open, end string, items func() []value) error {
	if up.has(v) {
		return b.add(open + "..." + strings.TrimPrefix(end, ","))
	}
	if err := in.enter(); err != nil {
		return err
	}
	defer func() { in.nest-- }()
	if err := b.add(open); err != nil {
		return err
	}
	for i := 0; i < len(items()); i++ {
		if i > 0 {
			if err := b.add(", "); err != nil {
				return err
			}
		}
		if err := in.writeRepr(b, items()[i], &outer{v, up}); err != nil {
			return err
		}
	}
	return b.add(end)
}

func (in *interp) reprSet(b *builder, s *set, up *outer) error {
	open, end := "{", "}"
	if s.frozen {
		open, end = "frozenset({", "})"
	}
	if s.used == 0 {
		if s.frozen {
			return b.add("frozenset()")
		}
		return b.add("set()")
	}
	var items []value
	for _, e := range s.table {
		if e.used() {
			items = append(items, e.val)
		}
	}
	if err := in.workN(int64(len(items))); err != nil {
		return err
	}
	return in.reprItems(b, s, up, open, end, func() []value { return items })
}

func (in *interp) reprDict(b *builder, d *dict, up *outer) error {
	if up.has(d) {
		return b.add("{...}")
	}
	if err := in.enter(); err != nil {
		return err
	}
	defer func() { in.nest-- }()
	sep := "{"
	for i := 0; i < len(d.entries); i++ {
		e := d.entries[i]
		if !e.live {
			continue
		}
		if err := b.add(sep); err != nil {
			return err
		}
		sep = ", "
		if err := in.writeRepr(b, e.key, &outer{d, up}); err != nil {
			return err
		}
		if err := b.add(": "); err != nil {
			return err
		}
		if err := in.writeRepr(b, e.val, &outer{d, up}); err != nil {
			return err
		}
	}
	if sep == "{" {
		return b.add("{}")
	}
	return b.add("}")
}

func (in *interp) reprView(b *builder, v *dictView, up *outer) error {
	l, err := in.collect(v)
	if err != nil {
		return err
	}
	if err := b.add(v.typeName() + "("); err != nil {
		return err
	}
	if err := in.writeRepr(b, l, &outer{v, up}); err != nil {
		return err
	}
	return b.add(")")
}

// quote is repr() of a string.
func quote(s string) string {
	q := byte('\'')
	if strings.IndexByte(s, '\'') >= 0 && strings.IndexByte(s, '"') < 0 {
		q = '"'
	}
	var b strings.Builder
	b.Grow(len(s) + 2)
	b.WriteByte(q)
	for _, r := range s {
		switch {
		case r == rune(q) || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\r':
			b.WriteString(`\r`)
		case r == '\t':
			b.WriteString(`\t`)
		case r < ' ' || r == 0x7F:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x7F || unicode.IsPrint(r):
			b.WriteRune(r)
		case r < 0x100:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
	}
	b.WriteByte(q)
	return b.String()
}
