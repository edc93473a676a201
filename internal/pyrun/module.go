package pyrun

import (
	"context"
	"errors"
	"math/big"
	"unicode/utf8"

	"kilter/internal/pyast"
)

// Module is a loaded source. It is not safe for concurrent use.
type Module struct{ in *interp }

// Tuple is how Call returns a tuple; a list is an []any.
type Tuple []any

// Object is how Call returns a value that has no counterpart in Go.
type Object struct {
	Type string // the name of its class
	Repr string // its repr; "" when it has none that is defined by its value
}

// Load parses a source and executes its top level, with __name__ set to "kilter".
func Load(ctx context.Context, src string, lim Limits) (*Module, error) {
	lim = lim.withDefaults()
	f, err := pyast.ParseWith(src, pyast.Options{MaxBytes: lim.SourceBytes})
	var s *pyast.SyntaxError
	switch {
	case errors.As(err, &s) && s.Limit:
		return nil, &Unsupported{What: s.Msg, Line: s.Line}
	case err != nil:
		return nil, err
	}
	in := newInterp(lim)
	in.begin(ctx)
	m := &Module{in}
	c, err := compile(in, f, false)
	if err != nil {
		return nil, err
	}
	if c.oddDoc {
		in.setGlobal("__doc__", &opaque{what: "this docstring", missing: true})
	} else if c.doc != "" {
		in.setGlobal("__doc__", newStr(c.doc))
	} else {
		in.setGlobal("__doc__", noneType{})
	}
	if _, err := in.runModule(c); err != nil {
		return nil, in.public(err)
	}
	return m, nil
}

func (in *interp) runModule(c *code) (value, error) {
	f, err := in.newFrame(c, nil)
	if err != nil {
		return nil, err
	}
	return in.run(f)
}

// Functions returns the names of the functions that the top level defines, in
// order of definition.
func (m *Module) Functions() []string {
	var names []string
	for _, name := range m.in.defined {
		switch m.in.globals[m.in.slots[name]].(type) {
		case *function, *cached:
			names = append(names, name)
		}
	}
	return names
}

// Output returns what print wrote so far, and whether some of it was dropped.
func (m *Module) Output() (text string, truncated bool) {
	return m.in.out.String(), m.in.truncated
}

// Call calls a function of the module with positional arguments.
//
// Arguments may be nil, bool, int, int64, *big.Int, float64, string, []any and
// Tuple. Results are nil, bool, int64, *big.Int (only for what does not fit into
// an int64), float64, string, []any, Tuple, or an [Object].
func (m *Module) Call(ctx context.Context, name string, args ...any) (any, error) {
	v, err := m.call(ctx, name, args)
	if err != nil {
		return nil, err
	}
	r, err := m.in.export(v, 0)
	return r, m.in.public(err)
}

func (m *Module) call(ctx context.Context, name string, args []any) (value, error) {
	in := m.in
	in.begin(ctx)
	slot, ok := in.slots[name]
	if !ok || in.globals[slot] == nil {
		return nil, in.public(in.raise(in.t.NameError, "name '%s' is not defined", name))
	}
	vs := &list{}
	in.push(vs)
	for _, a := range args {
		v, err := in.importValue(a)
		if err != nil {
			return nil, in.public(err)
		}
		vs.v = append(vs.v, v)
	}
	v, err := in.call(in.globals[slot], vs.v, kwargs{})
	return v, in.public(err)
}

// importValue turns a Go value into a Python value.
func (in *interp) importValue(a any) (value, error) {
	items := func(as []any) ([]value, error) {
		if err := in.allocN(int64(len(as))+2, sizeSlot); err != nil {
			return nil, err
		}
		vs := make([]value, len(as))
		for i, x := range as {
			v, err := in.importValue(x)
			if err != nil {
				return nil, err
			}
			vs[i] = v
		}
		return vs, nil
	}
	switch a := a.(type) {
	case nil:
		return noneType{}, nil
	case bool, int64, float64:
		return a, nil
	case int:
		return int64(a), nil
	case *big.Int:
		return norm(new(big.Int).Set(a)), in.roomFor(int64(a.BitLen()), 0, 0)
	case string:
		if !utf8.ValidString(a) {
			return nil, unsupported("a string that is not UTF-8")
		}
		return newStr(a), in.work(int64(len(a)))
	case []any:
		vs, err := items(a)
		return &list{vs}, err
	case Tuple:
		vs, err := items(a)
		return &tuple{vs}, err
	}
	return nil, unsupported("an argument of type %T", a)
}

// export turns a Python value into a Go value.
func (in *interp) export(v value, depth int) (any, error) {
	items := func(vs []value) ([]any, error) {
		if depth > 100 {
			return nil, unsupported("a result that is nested this deeply")
		}
		as := make([]any, len(vs))
		for i, x := range vs {
			if err := in.charge(1); err != nil {
				return nil, err
			}
			a, err := in.export(x, depth+1)
			if err != nil {
				return nil, err
			}
			as[i] = a
		}
		return as, nil
	}
	switch v := v.(type) {
	case noneType:
		return nil, nil
	case bool, int64, float64:
		return v, nil
	case *big.Int:
		return new(big.Int).Set(v), nil
	case *str:
		return v.s, nil
	case *list:
		return items(v.v)
	case *tuple:
		as, err := items(v.v)
		return Tuple(as), err
	}
	o := Object{Type: in.typeName(v)}
	s, err := in.repr(v)
	var u *Unsupported
	switch {
	case err == nil:
		o.Repr = s.s
	case !errors.As(err, &u):
		return nil, err
	}
	return o, nil
}

// public turns an internal error into one that the package documents.
func (in *interp) public(err error) error {
	r, ok := err.(*raised)
	if !ok {
		return err
	}
	if r.exc.cls.isSub(in.t.RecursionError) {
		return ErrDepth
	}
	msg := ""
	if s, err := in.text(r.exc); err == nil {
		msg = s.s
	} else if _, again := err.(*raised); !again {
		return err
	}
	return &Raised{Class: r.exc.cls.name, Message: msg, Line: r.exc.line}
}
