package pyrun

import (
	"fmt"
	"strings"
)

// call calls any value. args is only valid during the call: who keeps it copies
// it.
func (in *interp) call(fn value, args []value, kw kwargs) (value, error) {
	switch fn := fn.(type) {
	case *function:
		f, err := in.bind(fn, args, kw)
		if err != nil {
			return nil, err
		}
		if fn.code.generator {
			if err := in.alloc(sizeObject); err != nil {
				return nil, err
			}
			return &generator{f: f, name: fn.name}, nil
		}
		return in.run(f)
	case *builtin:
		return in.callBuiltin(fn, args, kw)
	case *method:
		if err := in.allocN(int64(len(args))+1, sizeSlot); err != nil {
			return nil, err
		}
		all := make([]value, 0, len(args)+1)
		mark := in.push(&tuple{append(append(all, fn.self), args...)})
		v, err := in.call(fn.fn, in.temps[mark].(*tuple).v, kw)
		in.pop(mark)
		return v, err
	case *class:
		return in.instantiate(fn, args, kw)
	case *instance:
		if m, ok := fn.cls.find("__call__"); ok {
			bound, err := in.bindTo(m, fn, fn.cls)
			if err != nil {
				return nil, err
			}
			return in.call(bound, args, kw)
		}
	case *cached:
		return in.callCached(fn, args, kw)
	case *opaque:
		if !fn.missing && strings.HasPrefix(fn.what, "typing.TypeVar") {
			return fn, nil
		}
	}
	return nil, in.typeError([]value{fn}, "'%s' object is not callable", in.typeName(fn))
}

func (in *interp) callBuiltin(fn *builtin, args []value, kw kwargs) (value, error) {
	if fn.recv != nil && (len(args) == 0 || !in.typeOf(args[0]).isSub(fn.recv)) {
		if len(args) == 0 {
			return nil, in.raise(in.t.TypeError, "unbound method %s.%s() needs an argument", fn.recv.name, fn.name)
		}
		return nil, in.typeError(args, "descriptor '%s' for '%s' objects doesn't apply to a '%s' object", fn.name, fn.recv.name, in.typeName(args[0]))
	}
	for _, name := range kw.names {
		ok := false
		for _, k := range fn.kw {
			if k == "!"+name {
				return nil, unsupported("the argument %s of %s", name, fn.name)
			}
			ok = ok || k == name || k == "**"
		}
		if !ok && len(fn.kw) == 0 {
			return nil, in.typeError(args, "%s() takes no keyword arguments", fn.name)
		}
		if !ok {
			return nil, in.typeError(args, "'%s' is an invalid keyword argument for %s()", name, strings.Replace(fn.name, "sorted", "sort", 1))
		}
	}
	if len(args) < fn.min || fn.max >= 0 && len(args) > fn.max {
		n, lo, hi := len(args), fn.min, fn.max
		if fn.recv != nil {
			n, lo, hi = n-1, lo-1, hi-1
		}
		switch {
		case fn.recv != nil && lo == 0 && hi == 0:
			return nil, in.typeError(args, "%s.%s() takes no arguments (%d given)", fn.recv.name, fn.name, n)
		case fn.recv != nil && lo == 1 && hi == 1:
			return nil, in.typeError(args, "%s.%s() takes exactly one argument (%d given)", fn.recv.name, fn.name, n)
		}
		if lo == 1 && hi == 1 {
			return nil, in.typeError(args, "%s() takes exactly one argument (%d given)", fn.name, n)
		}
		bound, want := "at least ", lo
		switch {
		case lo == hi:
			bound = ""
		case n > hi && hi >= 0:
			bound, want = "at most ", hi
		}
		plural := "s"
		if want == 1 {
			plural = ""
		}
		return nil, in.typeError(args, "%s expected %s%d argument%s, got %d", fn.name, bound, want, plural, n)
	}
	return fn.fn(in, args, kw)
}

// callableName is how messages name a function.
func (in *interp) callableName(v value) string {
	switch v := v.(type) {
	case *function:
		return v.code.qualified + "()"
	case *builtin:
		return v.name + "()"
	case *method:
		return in.callableName(v.fn)
	case *class:
		return v.name + "()"
	}
	return in.typeName(v) + "()"
}

// bind makes the frame of a call: it matches arguments with parameters.
func (in *interp) bind(fn *function, args []value, kw kwargs) (*frame, error) {
	c := fn.code
	f, err := in.newFrame(c, fn.closure)
	if err != nil {
		return nil, err
	}
	n := min(len(args), c.nPos)
	copy(f.locals, args[:n])
	if c.varArgs >= 0 {
		rest := args[n:]
		if err := in.allocN(int64(len(rest))+1, sizeSlot); err != nil {
			return nil, err
		}
		f.locals[c.varArgs] = &tuple{append([]value(nil), rest...)}
	}
	if c.varKw >= 0 || len(kw.names) > 0 {
		if err := in.bindKeywords(fn, f, kw); err != nil {
			return nil, err
		}
	}
	if len(args) > c.nPos && c.varArgs < 0 {
		return nil, in.tooMany(fn, f, len(args))
	}
	if n < len(c.params) {
		if err := in.bindDefaults(fn, f); err != nil {
			return nil, err
		}
	}
	for _, p := range c.cellParam {
		f.cells[p.cell].(*cell).v = f.locals[p.local]
		f.locals[p.local] = nil
	}
	return f, nil
}

func (in *interp) bindKeywords(fn *function, f *frame, kw kwargs) error {
	c := fn.code
	if err := in.charge(int64(len(kw.names)) * int64(len(c.params)) / 8); err != nil {
		return err
	}
	var extra *dict
	if c.varKw >= 0 {
		var err error
		if extra, err = in.newDict(); err != nil {
			return err
		}
		f.locals[c.varKw] = extra
	}
next:
	for i, name := range kw.names {
		for slot := c.nPosOnly; slot < len(c.params); slot++ {
			if c.params[slot] == name {
				if f.locals[slot] != nil {
					return in.raise(in.t.TypeError, "%s() got multiple values for argument '%s'", c.qualified, name)
				}
				f.locals[slot] = kw.vals[i]
				continue next
			}
		}
		if extra == nil {
			for _, p := range c.params[:c.nPosOnly] {
				if p == name {
					return in.raise(in.t.TypeError, "%s() got some positional-only arguments passed as keyword arguments: '%s'", c.qualified, name)
				}
			}
			return in.raise(in.t.TypeError, "%s() got an unexpected keyword argument '%s'", c.qualified, name)
		}
		if err := in.dictSet(extra, newStr(name), kw.vals[i]); err != nil {
			return err
		}
	}
	return nil
}

func (in *interp) bindDefaults(fn *function, f *frame) error {
	c := fn.code
	var missing, missingKw []string
	for slot, name := range c.params {
		if f.locals[slot] != nil {
			continue
		}
		if len(fn.defaults) > 0 {
			if _, none := fn.defaults[slot].(noDefault); !none {
				f.locals[slot] = fn.defaults[slot]
				continue
			}
		}
		if slot < c.nPos {
			missing = append(missing, name)
		} else {
			missingKw = append(missingKw, name)
		}
	}
	kind := "positional"
	if len(missing) == 0 {
		missing, kind = missingKw, "keyword-only"
	}
	if len(missing) == 0 {
		return nil
	}
	plural := "s"
	if len(missing) == 1 {
		plural = ""
	}
	return in.raise(in.t.TypeError, "%s() missing %d required %s argument%s: %s", c.qualified, len(missing), kind, plural, quoteList(missing))
}

func quoteList(names []string) string {
	var b strings.Builder
	for i, n := range names {
		switch {
		case i == 0:
		case i < len(names)-1:
			b.WriteString(", ")
		case len(names) == 2:
			b.WriteString(" and ")
		default:
			b.WriteString(", and ")
		}
		b.WriteString("'" + n + "'")
	}
	return b.String()
}

func (in *interp) tooMany(fn *function, f *frame, given int) error {
	c := fn.code
	defaults := 0
	if len(fn.defaults) > 0 {
		for _, d := range fn.defaults[:c.nPos] {
			if _, none := d.(noDefault); !none {
				defaults++
			}
		}
	}
	takes := fmt.Sprint(c.nPos)
	if defaults > 0 {
		takes = fmt.Sprintf("from %d to %d", c.nPos-defaults, c.nPos)
	}
	plural := "s"
	if c.nPos == 1 && defaults == 0 {
		plural = ""
	}
	were := "were"
	if given == 1 {
		were = "was"
	}
	return in.raise(in.t.TypeError, "%s() takes %s positional argument%s but %d %s given", c.qualified, takes, plural, given, were)
}

// callKw executes a call whose last arguments are named.
func (in *interp) callKw(f *frame, n int, names []value) error {
	from := len(f.stack) - n
	pos := n - len(names)
	kw := kwargs{make([]string, len(names)), f.stack[from+pos:]}
	for i, v := range names {
		kw.names[i] = v.(*str).s
	}
	v, err := in.call(f.stack[from-1], f.stack[from:from+pos], kw)
	if err != nil {
		return err
	}
	f.drop(n)
	f.stack[from-1] = v
	return nil
}

// callEx executes a call with starred arguments.
func (in *interp) callEx(f *frame, named bool) error {
	n := 1
	var kw kwargs
	if named {
		n = 2
		for _, e := range f.top().(*dict).entries {
			kw.names = append(kw.names, e.key.(*str).s)
			kw.vals = append(kw.vals, e.val)
		}
	}
	from := len(f.stack) - n
	v, err := in.call(f.stack[from-1], f.stack[from].(*list).v, kw)
	if err != nil {
		return err
	}
	f.drop(n)
	f.stack[from-1] = v
	return nil
}

// makeFunction pushes a function made of code.
func (in *interp) makeFunction(f *frame, c *code) error {
	if err := in.alloc(3 * sizeObject); err != nil {
		return err
	}
	closure := f.pop().(*tuple)
	defaults := f.pop().(*tuple)
	fn := &function{code: c, closure: closure.v, defaults: defaults.v, name: c.name, id: in.newID()}
	f.push(fn)
	return nil
}

// callCached calls a function under lru_cache.
func (in *interp) callCached(fn *cached, args []value, kw kwargs) (value, error) {
	if err := in.descend(); err != nil {
		return nil, err
	}
	defer in.ascend()
	if len(kw.names) > 0 {
		return nil, unsupported("keyword arguments of a cached function")
	}
	if err := in.allocN(int64(len(args))+2, sizeSlot); err != nil {
		return nil, err
	}
	key := &tuple{append([]value(nil), args...)}
	if v, ok, err := in.dictGet(fn.memo, key); err != nil || ok {
		return v, err
	}
	v, err := in.call(fn.fn, args, kw)
	if err != nil {
		return nil, err
	}
	return v, in.dictSet(fn.memo, key, v)
}
