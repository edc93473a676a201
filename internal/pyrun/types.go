package pyrun

import "math/big"

// types holds the built-in classes.
type types struct {
	object, type_, none, ellipsis, notImpl, bool_, int_, float_, str_, list_, tuple_, dict_, set_, frozenset_,
	rng_, slice_, function_, builtin_, method_, generator_, module_, property_, static_, classMethod_, super_, opaque_, cached_ *class
	iterators map[string]*class

	BaseException, GeneratorExit, Exception, StopIteration, ArithmeticError, AssertionError, AttributeError,
	ImportError, IndexError, KeyError, LookupError, MemoryError, NameError, NotImplementedError, OverflowError,
	RecursionError, RuntimeError, TypeError, UnboundLocalError, UnicodeError, ValueError, ZeroDivisionError *class
	exceptions map[string]*class
}

// exceptionTree lists CPython's exceptions, each after its base.
func exceptionTree() [][2]string {
	return [][2]string{
		{"BaseException", ""}, {"SystemExit", "BaseException"}, {"KeyboardInterrupt", "BaseException"},
		{"GeneratorExit", "BaseException"}, {"Exception", "BaseException"}, {"StopIteration", "Exception"},
		{"StopAsyncIteration", "Exception"}, {"ArithmeticError", "Exception"}, {"FloatingPointError", "ArithmeticError"},
		{"OverflowError", "ArithmeticError"}, {"ZeroDivisionError", "ArithmeticError"}, {"AssertionError", "Exception"},
		{"AttributeError", "Exception"}, {"BufferError", "Exception"}, {"EOFError", "Exception"}, {"ImportError", "Exception"},
		{"ModuleNotFoundError", "ImportError"}, {"LookupError", "Exception"}, {"IndexError", "LookupError"},
		{"KeyError", "LookupError"}, {"MemoryError", "Exception"}, {"NameError", "Exception"},
		{"UnboundLocalError", "NameError"}, {"OSError", "Exception"}, {"FileNotFoundError", "OSError"},
		{"PermissionError", "OSError"}, {"TimeoutError", "OSError"}, {"ReferenceError", "Exception"},
		{"RuntimeError", "Exception"}, {"NotImplementedError", "RuntimeError"}, {"RecursionError", "RuntimeError"},
		{"SyntaxError", "Exception"}, {"SystemError", "Exception"}, {"TypeError", "Exception"}, {"ValueError", "Exception"},
		{"UnicodeError", "ValueError"}, {"Warning", "Exception"}, {"DeprecationWarning", "Warning"},
		{"RuntimeWarning", "Warning"}, {"UserWarning", "Warning"}, {"FutureWarning", "Warning"}, {"SyntaxWarning", "Warning"},
	}
}

func newTypes(in *interp) *types {
	t := &types{iterators: map[string]*class{}, exceptions: map[string]*class{}}
	t.object = &class{name: "object", id: in.newID(), ns: map[string]value{}}
	t.object.new = func(in *interp, args []value, kw kwargs) (value, error) {
		if len(args)+len(kw.names) > 0 {
			return nil, in.raise(in.t.TypeError, "object() takes no arguments")
		}
		return &instance{cls: in.t.object, id: in.newID()}, in.alloc(2 * sizeObject)
	}
	mk := func(name string, base *class) *class {
		return &class{name: name, base: base, id: in.newID(), ns: map[string]value{}}
	}
	for _, c := range []struct {
		p    **class
		name string
	}{
		{&t.type_, "type"}, {&t.none, "NoneType"}, {&t.ellipsis, "ellipsis"}, {&t.notImpl, "NotImplementedType"}, {&t.int_, "int"},
		{&t.float_, "float"}, {&t.str_, "str"}, {&t.list_, "list"}, {&t.tuple_, "tuple"}, {&t.dict_, "dict"}, {&t.set_, "set"},
		{&t.frozenset_, "frozenset"}, {&t.rng_, "range"}, {&t.slice_, "slice"}, {&t.function_, "function"},
		{&t.builtin_, "builtin_function_or_method"}, {&t.method_, "method"}, {&t.generator_, "generator"}, {&t.module_, "module"},
		{&t.property_, "property"}, {&t.static_, "staticmethod"}, {&t.classMethod_, "classmethod"}, {&t.super_, "super"},
		{&t.opaque_, "object"}, {&t.cached_, "functools._lru_cache_wrapper"},
	} {
		*c.p = mk(c.name, t.object)
	}
	t.bool_ = mk("bool", t.int_)
	for _, e := range exceptionTree() {
		c := mk(e[0], t.object)
		if e[1] != "" {
			c.base = t.exceptions[e[1]]
		}
		c.exc = true
		t.exceptions[e[0]] = c
	}
	base := t.exceptions["BaseException"]
	base.ns["__init__"] = &builtin{name: "__init__", recv: base, min: 1, max: -1, id: in.newID(),
		fn: func(in *interp, args []value, kw kwargs) (value, error) {
			if err := in.allocN(int64(len(args)), sizeSlot); err != nil {
				return nil, err
			}
			args[0].(*instance).args = append([]value(nil), args[1:]...)
			return noneType{}, nil
		}}
	base.ns["__str__"] = &builtin{name: "__str__", recv: base, min: 1, max: 1, id: in.newID(),
		fn: func(in *interp, args []value, kw kwargs) (value, error) {
			return in.exceptionText(args[0].(*instance))
		}}
	for name, p := range map[string]**class{
		"BaseException": &t.BaseException, "GeneratorExit": &t.GeneratorExit, "Exception": &t.Exception, "StopIteration": &t.StopIteration,
		"ArithmeticError": &t.ArithmeticError, "AssertionError": &t.AssertionError, "AttributeError": &t.AttributeError,
		"ImportError": &t.ImportError, "IndexError": &t.IndexError, "KeyError": &t.KeyError, "LookupError": &t.LookupError,
		"MemoryError": &t.MemoryError, "NameError": &t.NameError, "NotImplementedError": &t.NotImplementedError,
		"OverflowError": &t.OverflowError, "RecursionError": &t.RecursionError, "RuntimeError": &t.RuntimeError,
		"TypeError": &t.TypeError, "UnboundLocalError": &t.UnboundLocalError, "UnicodeError": &t.UnicodeError,
		"ValueError": &t.ValueError, "ZeroDivisionError": &t.ZeroDivisionError,
	} {
		*p = t.exceptions[name]
	}
	return t
}

// typeOf is the class of a value.
func (in *interp) typeOf(v value) *class {
	t := in.t
	switch v := v.(type) {
	case noneType:
		return t.none
	case bool:
		return t.bool_
	case int64, *big.Int:
		return t.int_
	case float64:
		return t.float_
	case *str:
		return t.str_
	case *list:
		return t.list_
	case *tuple:
		return t.tuple_
	case *dict:
		return t.dict_
	case *set:
		if v.frozen {
			return t.frozenset_
		}
		return t.set_
	case *rng:
		return t.rng_
	case *slice:
		return t.slice_
	case *function:
		return t.function_
	case *builtin:
		return t.builtin_
	case *method:
		if _, ok := v.fn.(*builtin); ok {
			return t.builtin_
		}
		return t.method_
	case *class:
		return t.type_
	case *instance:
		return v.cls
	case *generator:
		return t.generator_
	case *module:
		return t.module_
	case *property:
		return t.property_
	case *static:
		return t.static_
	case *classMethod:
		return t.classMethod_
	case *superObj:
		return t.super_
	case *opaque:
		return t.opaque_
	case *cached:
		return t.cached_
	case ellipsisType:
		return t.ellipsis
	case notImplType:
		return t.notImpl
	case interface{ typeName() string }:
		name := v.typeName()
		c := t.iterators[name]
		if c == nil {
			c = &class{name: name, base: t.object, id: in.newID(), ns: map[string]value{}}
			t.iterators[name] = c
		}
		return c
	}
	return t.object
}

func (in *interp) typeName(v value) string { return in.typeOf(v).name }
