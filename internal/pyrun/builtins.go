package pyrun

import (
	"math/big"
	"strings"

	"kilter/internal/pyast"
)

// unimplemented reports whether CPython has a builtin that is missing here.
func unimplemented(name string) bool {
	return strings.Contains(" __build_class__ __import__ __debug__ __doc__ __loader__ __spec__ __file__ __package__ __annotations__ __builtins__ "+
		"aiter anext ascii breakpoint bytearray bytes compile complex copyright credits delattr dir eval exec exit "+
		"globals help id input license locals memoryview open quit super vars "+
		"BaseExceptionGroup ExceptionGroup EncodingWarning EnvironmentError IOError PythonFinalizationError "+
		"BlockingIOError BrokenPipeError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError "+
		"ConnectionRefusedError ConnectionResetError FileExistsError ImportWarning IndentationError InterruptedError "+
		"IsADirectoryError NotADirectoryError PendingDeprecationWarning ProcessLookupError ResourceWarning TabError "+
		"UnicodeDecodeError UnicodeEncodeError UnicodeTranslateError UnicodeWarning ", " "+name+" ")
}

type builtinFunc = func(in *interp, a []value, kw kwargs) (value, error)

// newBuiltins makes the namespace that is searched after the globals.
func newBuiltins(in *interp) map[string]value {
	ns := map[string]value{}
	def := func(name string, min, max int, fn builtinFunc, kw ...string) {
		ns[name] = &builtin{name: name, min: min, max: max, kw: kw, fn: fn, id: in.newID()}
	}
	t := in.t
	for _, c := range []*class{t.object, t.type_, t.bool_, t.int_, t.float_, t.str_, t.list_, t.tuple_, t.dict_, t.set_,
		t.frozenset_, t.slice_, t.property_, t.static_, t.classMethod_} {
		ns[c.name] = c
	}
	ns["range"] = t.rng_
	for name, c := range t.exceptions {
		ns[name] = c
	}
	ns["Ellipsis"] = ellipsisType{}
	ns["NotImplemented"] = notImplType{}
	newMethods(in)
	newConstructors(in)
	newNumberBuiltins(def)
	newIterBuiltins(in, ns, def)
	newObjectBuiltins(def)
	return ns
}

func newNumberBuiltins(def func(string, int, int, builtinFunc, ...string)) {
	def("abs", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		switch v := a[0].(type) {
		case float64:
			if v < 0 || v == 0 {
				return 0 - v, nil
			}
			return v, nil
		case bool, int64, *big.Int:
			if bigOf(v).Sign() < 0 {
				return in.unary(pyast.Neg, v)
			}
			return plainInt(v), nil
		case *instance:
			if _, ok := in.special(v, "__abs__"); ok {
				return in.callMethod(v, "__abs__")
			}
		}
		return nil, in.typeError(a, "bad operand type for abs(): '%s'", in.typeName(a[0]))
	})
	def("divmod", 2, 2, func(in *interp, a []value, _ kwargs) (value, error) {
		if !isNumber(a[0]) || !isNumber(a[1]) {
			return nil, in.typeError(a, "unsupported operand type(s) for divmod(): '%s' and '%s'", in.typeName(a[0]), in.typeName(a[1]))
		}
		if err := in.alloc(2 * sizeObject); err != nil {
			return nil, err
		}
		if isInt(a[0]) && isInt(a[1]) {
			q, r, err := in.divMod(a[0], a[1])
			return &tuple{[]value{q, r}}, err
		}
		x, err := in.toFloat(a[0])
		if err != nil {
			return nil, err
		}
		y, err := in.toFloat(a[1])
		if err != nil {
			return nil, err
		}
		if y == 0 {
			return nil, in.raise(in.t.ZeroDivisionError, "float divmod()")
		}
		q, r := floatDivMod(x, y)
		return &tuple{[]value{q, r}}, nil
	})
	def("pow", 2, 3, func(in *interp, a []value, kw kwargs) (value, error) {
		m := arg(a, 2, kw, "mod")
		if m == nil || m == (noneType{}) {
			return in.binary(pyast.Pow, a[0], a[1])
		}
		if !isNumber(a[0]) || !isNumber(a[1]) || !isNumber(m) {
			return nil, in.typeError(append([]value{m}, a...), "unsupported operand type(s) for ** or pow(): '%s', '%s', '%s'",
				in.typeName(a[0]), in.typeName(a[1]), in.typeName(m))
		}
		if !isInt(a[0]) || !isInt(a[1]) || !isInt(m) {
			return nil, in.typeError(append([]value{m}, a...), "pow() 3rd argument not allowed unless all arguments are integers")
		}
		return in.powMod(a[0], a[1], m)
	}, "mod", "!base", "!exp")
	def("round", 1, 2, func(in *interp, a []value, kw kwargs) (value, error) {
		nd := arg(a, 1, kw, "ndigits")
		none := nd == nil || nd == (noneType{})
		n := int64(0)
		if !none {
			var err error
			if n, err = in.wantInt(nd); err != nil {
				return nil, err
			}
		}
		switch v := a[0].(type) {
		case float64:
			if !none {
				return in.roundFloat(v, n)
			}
			f, err := in.roundFloat(v, 0)
			if err != nil {
				return nil, err
			}
			return in.floatToInt(f.(float64))
		case bool, int64, *big.Int:
			return in.roundInt(v, n)
		}
		return nil, in.typeError(a, "type %s doesn't define __round__ method", in.typeName(a[0]))
	}, "ndigits", "!number")
	def("chr", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		n, err := in.wantInt(a[0])
		if err != nil {
			return nil, err
		}
		switch {
		case n < 0 || n > 0x10FFFF:
			return nil, in.raise(in.t.ValueError, "chr() arg not in range(0x110000)")
		case 0xD800 <= n && n <= 0xDFFF:
			return nil, unsupported("surrogates")
		}
		return newStr(string(rune(n))), nil
	})
	def("ord", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		s, ok := a[0].(*str)
		if !ok {
			return nil, in.typeError(a, "ord() expected string of length 1, but %s found", in.typeName(a[0]))
		}
		if s.n != 1 {
			return nil, in.raise(in.t.TypeError, "ord() expected a character, but string of length %d found", s.n)
		}
		for _, r := range s.s {
			return int64(r), nil
		}
		return nil, nil
	})
	for name, verb := range map[string]byte{"bin": 'b', "oct": 'o', "hex": 'x'} {
		def(name, 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
			if !isInt(a[0]) {
				return nil, in.typeError(a, "'%s' object cannot be interpreted as an integer", in.typeName(a[0]))
			}
			return in.formatInt(a[0], spec{fill: " ", prec: -1, alt: true, verb: verb})
		})
	}
	def("hash", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		if _, err := in.key(a[0]); err != nil {
			return nil, err
		}
		if randomHash(a[0]) {
			return nil, unsupported("the hash of a %s", in.typeName(a[0]))
		}
		return in.hashOf(a[0]), nil
	})
}

func newObjectBuiltins(def func(string, int, int, builtinFunc, ...string)) {
	def("print", 0, -1, builtinPrint, "sep", "end", "flush", "file")
	def("repr", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) { return in.repr(a[0]) })
	def("format", 1, 2, func(in *interp, a []value, _ kwargs) (value, error) {
		s := ""
		if len(a) > 1 {
			f, ok := a[1].(*str)
			if !ok {
				return nil, in.typeError(a[1:], "format() argument 2 must be str, not %s", in.typeName(a[1]))
			}
			s = f.s
		}
		return in.formatValue(a[0], s)
	})
	def("len", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) { return in.length(a[0]) })
	def("callable", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		switch v := a[0].(type) {
		case *function, *builtin, *method, *class, *cached:
			return true, nil
		case *instance:
			_, ok := v.cls.find("__call__")
			return ok, nil
		}
		return false, in.known(a[0])
	})
	def("isinstance", 2, 2, func(in *interp, a []value, _ kwargs) (value, error) {
		if err := in.known(a[0]); err != nil {
			return nil, err
		}
		return in.isInstance(in.typeOf(a[0]), a[1], "isinstance() arg 2 must be a type, a tuple of types, or a union")
	})
	def("issubclass", 2, 2, func(in *interp, a []value, _ kwargs) (value, error) {
		c, ok := a[0].(*class)
		if !ok {
			return nil, in.typeError(a, "issubclass() arg 1 must be a class")
		}
		return in.isInstance(c, a[1], "issubclass() arg 2 must be a class, a tuple of classes, or a union")
	})
	def("getattr", 2, 3, func(in *interp, a []value, _ kwargs) (value, error) {
		name, ok := a[1].(*str)
		if !ok {
			return nil, in.typeError(a[1:2], "attribute name must be string, not '%s'", in.typeName(a[1]))
		}
		v, err := in.getAttr(a[0], name.s)
		if r, ok := err.(*raised); ok && len(a) > 2 && r.exc.cls.isSub(in.t.AttributeError) {
			return a[2], nil
		}
		return v, err
	})
	def("hasattr", 2, 2, func(in *interp, a []value, _ kwargs) (value, error) {
		name, ok := a[1].(*str)
		if !ok {
			return nil, in.typeError(a[1:2], "attribute name must be string, not '%s'", in.typeName(a[1]))
		}
		_, err := in.getAttr(a[0], name.s)
		if r, ok := err.(*raised); ok && r.exc.cls.isSub(in.t.AttributeError) {
			return false, nil
		}
		return err == nil, err
	})
	def("setattr", 3, 3, func(in *interp, a []value, _ kwargs) (value, error) {
		name, ok := a[1].(*str)
		if !ok {
			return nil, in.typeError(a[1:2], "attribute name must be string, not '%s'", in.typeName(a[1]))
		}
		return noneType{}, in.setAttr(a[0], name.s, a[2])
	})
}

func (in *interp) isInstance(c *class, of value, msg string) (bool, error) {
	switch of := of.(type) {
	case *class:
		return c.isSub(of), nil
	case *tuple:
		if err := in.descend(); err != nil {
			return false, err
		}
		defer in.ascend()
		for _, x := range of.v {
			if err := in.charge(1); err != nil {
				return false, err
			}
			if ok, err := in.isInstance(c, x, msg); err != nil || ok {
				return ok, err
			}
		}
		return false, nil
	}
	return false, in.typeError([]value{of}, "%s", msg)
}

// builtinPrint writes to the bounded buffer of the module.
func builtinPrint(in *interp, a []value, kw kwargs) (value, error) {
	option := func(name, def string) (string, error) {
		switch v, _ := kw.get(name); v := v.(type) {
		case nil, noneType:
			return def, nil
		case *str:
			return v.s, nil
		default:
			return "", in.typeError([]value{v}, "%s must be None or a string, not %s", name, in.typeName(v))
		}
	}
	if f, ok := kw.get("file"); ok && f != (noneType{}) {
		return nil, unsupported("print to a file")
	}
	sep, err := option("sep", " ")
	if err != nil {
		return nil, err
	}
	end, err := option("end", "\n")
	if err != nil {
		return nil, err
	}
	for i, v := range a {
		s, err := in.text(v)
		if err != nil {
			return nil, err
		}
		if err := in.charge(1); err != nil {
			return nil, err
		}
		if i > 0 {
			in.write(sep)
		}
		in.write(s.s)
	}
	in.write(end)
	return noneType{}, in.charge(1)
}

func (in *interp) write(s string) {
	if room := in.lim.OutputBytes - in.out.Len(); len(s) > room {
		s = s[:room]
		in.truncated = true
	}
	in.out.WriteString(s)
}

// newConstructors lets the built-in classes be called.
func newConstructors(in *interp) {
	t := in.t
	noKw := func(c *class, max int, f func(in *interp, a []value) (value, error)) {
		c.new = func(in *interp, a []value, kw kwargs) (value, error) {
			if len(kw.names) > 0 {
				return nil, in.raise(in.t.TypeError, "%s() takes no keyword arguments", c.name)
			}
			if len(a) > max {
				return nil, in.typeError(a, "%s expected at most %d argument%s, got %d", c.name, max, map[bool]string{false: "s"}[max == 1], len(a))
			}
			return f(in, a)
		}
	}
	t.int_.new = newInt
	t.float_.new = newFloat
	noKw(t.bool_, 1, func(in *interp, a []value) (value, error) {
		if len(a) == 0 {
			return false, nil
		}
		return in.truth(a[0])
	})
	t.str_.new = func(in *interp, a []value, kw kwargs) (value, error) {
		if len(a) > 1 || len(kw.names) > 0 {
			return nil, unsupported("str() with an encoding")
		}
		if len(a) == 0 {
			return &str{}, nil
		}
		return in.text(a[0])
	}
	noKw(t.list_, 1, func(in *interp, a []value) (value, error) {
		if len(a) == 0 {
			return &list{}, in.alloc(sizeObject)
		}
		return in.collect(a[0])
	})
	noKw(t.tuple_, 1, func(in *interp, a []value) (value, error) {
		if len(a) == 0 {
			return &tuple{}, nil
		}
		if t, ok := a[0].(*tuple); ok {
			return t, nil
		}
		l, err := in.collect(a[0])
		if err != nil {
			return nil, err
		}
		return &tuple{l.v}, nil
	})
	newOfSet := func(frozen bool) func(in *interp, a []value) (value, error) {
		return func(in *interp, a []value) (value, error) {
			s, err := in.newSet()
			if err != nil {
				return nil, err
			}
			if len(a) > 0 {
				if o, ok := a[0].(*set); ok && o.frozen && frozen {
					return o, nil
				}
				mark := in.push(s)
				defer in.pop(mark)
				err = in.setUpdate(s, a[0])
			}
			s.frozen = frozen
			return s, err
		}
	}
	noKw(t.set_, 1, newOfSet(false))
	noKw(t.frozenset_, 1, newOfSet(true))
	t.dict_.new = func(in *interp, a []value, kw kwargs) (value, error) {
		if len(a) > 1 {
			return nil, in.typeError(a, "dict expected at most 1 argument, got %d", len(a))
		}
		d, err := in.newDict()
		if err != nil {
			return nil, err
		}
		if len(a) > 0 {
			if err := in.dictFrom(d, a[0]); err != nil {
				return nil, err
			}
		}
		return d, in.dictNamed(d, kw)
	}
	noKw(t.rng_, 3, func(in *interp, a []value) (value, error) {
		if len(a) == 0 {
			return nil, in.raise(in.t.TypeError, "range expected at least 1 argument, got 0")
		}
		n := [3]int64{0, 0, 1}
		for i, v := range a {
			x, err := in.wantInt(v)
			if err != nil {
				return nil, err
			}
			n[i] = x
		}
		if len(a) == 1 {
			n[0], n[1] = 0, n[0]
		}
		if n[2] == 0 {
			return nil, in.raise(in.t.ValueError, "range() arg 3 must not be zero")
		}
		return in.makeRange(n[0], n[1], n[2])
	})
	noKw(t.slice_, 3, func(in *interp, a []value) (value, error) {
		s := &slice{noneType{}, noneType{}, noneType{}}
		switch len(a) {
		case 0:
			return nil, in.raise(in.t.TypeError, "slice expected at least 1 argument, got 0")
		case 1:
			s.hi = a[0]
		case 3:
			s.step = a[2]
			fallthrough
		case 2:
			s.lo, s.hi = a[0], a[1]
		}
		return s, in.alloc(sizeObject)
	})
	t.type_.new = func(in *interp, a []value, kw kwargs) (value, error) {
		if len(a) != 1 || len(kw.names) > 0 {
			return nil, unsupported("type() with three arguments")
		}
		if err := in.known(a[0]); err != nil {
			return nil, err
		}
		return in.typeOf(a[0]), nil
	}
	one := func(c *class, f func(v value) value) {
		c.new = func(in *interp, a []value, kw kwargs) (value, error) {
			if len(a) != 1 || len(kw.names) > 0 {
				return nil, unsupported("this use of %s", c.name)
			}
			return f(a[0]), in.alloc(sizeObject)
		}
	}
	one(t.property_, func(v value) value { return &property{get: v} })
	one(t.static_, func(v value) value { return &static{v} })
	one(t.classMethod_, func(v value) value { return &classMethod{v} })
}
