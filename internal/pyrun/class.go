package pyrun

import "strings"

// maxInheritance bounds the chain of base classes, which lookups walk.
const maxInheritance = 100

// makeClass executes a class body and pushes the class: (bases closure -- class).
func (in *interp) makeClass(f *frame, c *code) error {
	closure := f.pop().(*tuple)
	bases := f.pop().(*tuple).v
	base := in.t.object
	if len(bases) > 1 {
		return unsupported("multiple inheritance")
	}
	if len(bases) == 1 {
		b, ok := bases[0].(*class)
		if !ok {
			return unsupported("a base class that is a %s", in.typeName(bases[0]))
		}
		if !b.user && !b.exc && b != in.t.object {
			return unsupported("a subclass of %s", b.name)
		}
		base = b
	}
	if base.depth >= maxInheritance {
		return unsupported("inheritance this deep")
	}
	if err := in.alloc(16 * sizeObject); err != nil {
		return err
	}
	body, err := in.newFrame(c, closure.v)
	if err != nil {
		return err
	}
	body.ns = map[string]value{"__module__": newStr("kilter"), "__qualname__": newStr(c.qualified)}
	if c.oddDoc {
		body.ns["__doc__"] = &opaque{what: "this docstring", missing: true}
	} else if c.doc != "" {
		body.ns["__doc__"] = newStr(c.doc)
	}
	if _, err := in.run(body); err != nil {
		return err
	}
	for _, name := range []string{"__new__", "__del__", "__hash__", "__getattr__", "__getattribute__", "__setattr__",
		"__delattr__", "__slots__", "__init_subclass__", "__class_getitem__", "__set_name__", "__get__", "__set__", "__format__",
		"__index__", "__int__", "__float__", "__round__", "__reversed__", "__divmod__", "__rdivmod__", "__floor__", "__ceil__", "__trunc__", "__prepare__", "__instancecheck__"} {
		if body.ns[name] != nil {
			return unsupported("a class with %s", name)
		}
	}
	k := &class{name: c.name, qual: c.qualified, base: base, ns: body.ns, user: true, exc: base.exc, depth: base.depth + 1, id: in.newID()}
	if c.classCell >= 0 {
		body.cells[c.classCell].(*cell).v = k
	}
	f.push(k)
	return nil
}

// instantiate calls a class.
func (in *interp) instantiate(c *class, args []value, kw kwargs) (value, error) {
	if !c.user && !c.exc {
		if c.new == nil {
			return nil, unsupported("calling %s", c.name)
		}
		return c.new(in, args, kw)
	}
	if err := in.allocN(int64(len(args))+4, sizeObject); err != nil {
		return nil, err
	}
	if c.exc && !c.user && len(kw.names) > 0 {
		return nil, unsupported("keyword arguments of %s", c.name)
	}
	o := &instance{cls: c, id: in.newID()}
	if c.exc {
		o.args = append([]value(nil), args...)
	}
	init, ok := c.find("__init__")
	if !ok {
		if len(kw.names) > 0 || len(args) > 0 && !c.exc {
			return nil, in.raise(in.t.TypeError, "%s() takes no arguments", c.name)
		}
		return o, nil
	}
	mark := in.push(o)
	defer in.pop(mark)
	bound, err := in.bindTo(init, o, c)
	if err != nil {
		return nil, err
	}
	v, err := in.call(bound, args, kw)
	if err != nil {
		return nil, err
	}
	if _, none := v.(noneType); !none {
		return nil, in.raise(in.t.TypeError, "__init__() should return None, not '%s'", in.typeName(v))
	}
	return o, nil
}

// bindTo turns what a class holds into what an attribute access returns.
func (in *interp) bindTo(v, self value, c *class) (value, error) {
	switch v := v.(type) {
	case *function, *builtin, *cached:
		return &method{self, v}, in.alloc(sizeObject)
	case *static:
		return v.fn, nil
	case *classMethod:
		return &method{c, v.fn}, in.alloc(sizeObject)
	case *property:
		return in.call(v.get, []value{self}, kwargs{})
	}
	return v, nil
}

// special looks up a method that the language calls, such as __eq__.
func (in *interp) special(v value, name string) (value, bool) {
	o, ok := v.(*instance)
	if !ok || !o.cls.user {
		return nil, false
	}
	m, ok := o.cls.find(name)
	if _, b := m.(*builtin); b {
		return nil, false // an exception's own
	}
	return m, ok
}

// callMethod calls a special method of an instance, which must exist.
func (in *interp) callMethod(o *instance, name string, args ...value) (value, error) {
	m, ok := o.cls.find(name)
	if !ok {
		return nil, in.raise(in.t.AttributeError, "'%s' object has no attribute '%s'", o.cls.name, name)
	}
	bound, err := in.bindTo(m, o, o.cls)
	if err != nil {
		return nil, err
	}
	return in.call(bound, args, kwargs{})
}

// getMethod looks up obj.name for a call that follows. It returns a function and
// the object to pass first, or nil and something to call.
func (in *interp) getMethod(obj value, name string) (fn, self value, err error) {
	switch o := obj.(type) {
	case *instance:
		if o.attrs[name] == nil {
			if m, ok := o.cls.find(name); ok {
				switch m.(type) {
				case *function, *builtin:
					return m, obj, nil
				}
			}
		}
	case *class, *module, *superObj, *function, *opaque:
	default:
		if m, ok := in.typeOf(obj).find(name); ok {
			if b, ok := m.(*builtin); ok {
				return b, obj, nil
			}
		}
	}
	v, err := in.getAttr(obj, name)
	return nil, v, err
}

func dunder(name string) bool {
	return len(name) > 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__")
}

// getAttr is obj.name.
func (in *interp) getAttr(obj value, name string) (value, error) {
	if err := in.alloc(sizeObject); err != nil {
		return nil, err
	}
	switch o := obj.(type) {
	case *instance:
		m, ok := o.cls.find(name)
		if p, isProp := m.(*property); isProp {
			return in.call(p.get, []value{o}, kwargs{})
		}
		if v := o.attrs[name]; v != nil {
			return v, nil
		}
		if ok {
			return in.bindTo(m, o, o.cls)
		}
		switch {
		case name == "__class__":
			return o.cls, nil
		case o.cls.exc && name == "args":
			return &tuple{o.args}, nil
		case dunder(name), o.cls.exc && strings.Contains(" with_traceback add_note value code errno strerror filename name obj msg ", " "+name+" "):
			return nil, unsupported("attribute %s", name)
		}
		return nil, in.raise(in.t.AttributeError, "'%s' object has no attribute '%s'", o.cls.name, name)
	case *class:
		return in.classAttr(o, name)
	case *module:
		return in.moduleAttr(o, name)
	case *superObj:
		if m, ok := o.start.base.find(name); ok {
			return in.bindTo(m, o.self, in.typeOf(o.self))
		}
		if name == "__init__" {
			return &builtin{name: "__init__", min: 0, max: 0, fn: func(*interp, []value, kwargs) (value, error) { return noneType{}, nil }}, nil
		}
		if dunder(name) {
			return nil, unsupported("super().%s", name)
		}
		return nil, in.raise(in.t.AttributeError, "'super' object has no attribute '%s'", name)
	case *function:
		if v, ok := in.functionAttr(o, name); ok {
			return v, nil
		}
		if o.code.internal {
			return nil, unsupported("%s.%s", o.name, name)
		}
	case *cached:
		switch name {
		case "cache_info", "cache_clear", "cache_parameters":
			return nil, unsupported("%s", name)
		}
		if err := in.descend(); err != nil {
			return nil, err
		}
		defer in.ascend()
		return in.getAttr(o.fn, name)
	case *opaque:
		return nil, unsupported("%s", o.what)
	}
	return in.builtinAttr(obj, name)
}

func (in *interp) functionAttr(fn *function, name string) (value, bool) {
	if v := fn.attrs[name]; v != nil {
		return v, true
	}
	switch name {
	case "__name__":
		return newStr(fn.name), true
	case "__qualname__":
		return newStr(fn.code.qualified), true
	case "__doc__":
		if fn.code.oddDoc {
			return nil, false
		}
		if fn.code.doc == "" {
			return noneType{}, true
		}
		return newStr(fn.code.doc), true
	}
	return nil, false
}

// builtinAttr looks a name up in the class of a built-in object.
func (in *interp) builtinAttr(obj value, name string) (value, error) {
	c := in.typeOf(obj)
	if m, ok := c.find(name); ok {
		return &method{obj, m}, nil
	}
	if v, ok := in.dataAttr(obj, name); ok {
		return v, nil
	}
	if name == "__class__" {
		return c, nil
	}
	if dunder(name) || c.knows(name) {
		return nil, unsupported("%s.%s", c.name, name)
	}
	return nil, in.typeErrorAttr(obj, c, name)
}

func (in *interp) typeErrorAttr(obj value, c *class, name string) error {
	if err := in.known(obj); err != nil {
		return err
	}
	return in.raise(in.t.AttributeError, "'%s' object has no attribute '%s'", c.name, name)
}

// dataAttr returns the attributes of built-in objects that are not methods.
func (in *interp) dataAttr(obj value, name string) (value, bool) {
	switch o := obj.(type) {
	case *rng:
		switch name {
		case "start":
			return o.start, true
		case "stop":
			return o.stop, true
		case "step":
			return o.step, true
		}
	case *slice:
		switch name {
		case "start":
			return o.lo, true
		case "stop":
			return o.hi, true
		case "step":
			return o.step, true
		}
	case *builtin:
		if name == "__name__" {
			return newStr(o.name), true
		}
	case *method:
		switch name {
		case "__self__":
			return o.self, true
		case "__func__":
			return o.fn, true
		case "__name__", "__qualname__", "__doc__":
			v, err := in.getAttr(o.fn, name)
			return v, err == nil
		}
	}
	if isInt(obj) {
		switch name {
		case "real", "numerator":
			return plainInt(obj), true
		case "imag":
			return int64(0), true
		case "denominator":
			return int64(1), true
		}
	}
	if f, ok := obj.(float64); ok {
		switch name {
		case "real":
			return f, true
		case "imag":
			return 0.0, true
		}
	}
	return nil, false
}

func (c *class) knows(name string) bool {
	for ; c != nil; c = c.base {
		if strings.Contains(c.known, " "+name+" ") {
			return true
		}
	}
	return false
}

// classAttr is Class.name.
func (in *interp) classAttr(c *class, name string) (value, error) {
	if m, ok := c.find(name); ok {
		switch m := m.(type) {
		case *static:
			return m.fn, nil
		case *classMethod:
			return &method{c, m.fn}, nil
		}
		if name == "__doc__" {
			return m, in.known(m)
		}
		return m, nil
	}
	switch name {
	case "__name__":
		return newStr(c.name), nil
	case "__qualname__":
		return newStr(c.qualifiedName()), nil
	case "__doc__":
		if c.user {
			return noneType{}, nil
		}
	case "__class__":
		return in.t.type_, nil
	}
	if dunder(name) || c.knows(name) || name == "mro" {
		return nil, unsupported("%s.%s", c.name, name)
	}
	return nil, in.raise(in.t.AttributeError, "type object '%s' has no attribute '%s'", c.name, name)
}

func (c *class) qualifiedName() string {
	if c.qual != "" {
		return c.qual
	}
	return c.name
}

// setAttr is obj.name = v.
func (in *interp) setAttr(obj value, name string, v value) error {
	if err := in.alloc(sizeEntry + int64(len(name))); err != nil {
		return err
	}
	if dunder(name) {
		return unsupported("assignment to %s", name)
	}
	switch o := obj.(type) {
	case *instance:
		if m, ok := o.cls.find(name); ok {
			if p, ok := m.(*property); ok {
				if p.set == nil {
					return in.raise(in.t.AttributeError, "property '%s' of '%s' object has no setter", name, o.cls.name)
				}
				_, err := in.call(p.set, []value{o, v}, kwargs{})
				return err
			}
		}
		if o.cls.exc && name == "args" {
			return unsupported("assignment to args")
		}
		if o.attrs == nil {
			o.attrs = map[string]value{}
		}
		o.attrs[name] = v
		return nil
	case *class:
		if o.user {
			o.ns[name] = v
			return nil
		}
		return in.raise(in.t.TypeError, "cannot set '%s' attribute of immutable type '%s'", name, o.name)
	case *function:
		if o.attrs == nil {
			o.attrs = map[string]value{}
		}
		o.attrs[name] = v
		return nil
	case *cached, *module:
		return unsupported("setting an attribute of a %s", in.typeName(obj))
	}
	c := in.typeOf(obj)
	if c.knows(name) {
		return unsupported("%s.%s", c.name, name)
	}
	if _, ok := c.find(name); ok {
		return in.raise(in.t.AttributeError, "'%s' object attribute '%s' is read-only", c.name, name)
	}
	return in.typeErrorAttr(obj, c, name)
}

// delAttr is del obj.name.
func (in *interp) delAttr(obj value, name string) error {
	var ns map[string]value
	switch o := obj.(type) {
	case *instance:
		ns = o.attrs
	case *class:
		if o.user {
			ns = o.ns
		}
	case *function:
		ns = o.attrs
	default:
		return unsupported("deleting an attribute of a %s", in.typeName(obj))
	}
	if ns[name] == nil {
		if dunder(name) {
			return unsupported("deleting %s", name)
		}
		return in.raise(in.t.AttributeError, "'%s' object has no attribute '%s'", in.typeName(obj), name)
	}
	delete(ns, name)
	return nil
}
