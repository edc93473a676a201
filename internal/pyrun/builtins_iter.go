package pyrun

import "kilter/internal/pyast"

// newIterBuiltins defines the builtins that consume or make iterators. Those that
// are classes in CPython are classes here, as far as type() shows.
func newIterBuiltins(in *interp, ns map[string]value, def func(string, int, int, builtinFunc, ...string)) {
	maker := func(name string, min, max int, fn builtinFunc, kw ...string) {
		c := &class{name: name, base: in.t.object, id: in.newID(), ns: map[string]value{}}
		b := &builtin{name: name, min: min, max: max, kw: kw, fn: fn}
		c.new = func(in *interp, a []value, kw kwargs) (value, error) { return in.callBuiltin(b, a, kw) }
		in.t.iterators[name] = c
		ns[name] = c
	}
	maker("enumerate", 1, 2, func(in *interp, a []value, kw kwargs) (value, error) {
		it, err := in.iter(a[0])
		if err != nil {
			return nil, err
		}
		var n value = int64(0)
		if s := arg(a, 1, kw, "start"); s != nil {
			if !isInt(s) {
				return nil, in.typeError([]value{s}, "'%s' object cannot be interpreted as an integer", in.typeName(s))
			}
			n = plainInt(s)
		}
		return &enumerateIter{it, n}, in.alloc(sizeObject)
	}, "start", "!iterable")
	maker("zip", 0, -1, func(in *interp, a []value, kw kwargs) (value, error) {
		z := &zipIter{}
		if v, ok := kw.get("strict"); ok {
			var err error
			if z.strict, err = in.truth(v); err != nil {
				return nil, err
			}
		}
		its, err := in.iters(a)
		z.its = its
		return z, err
	}, "strict")
	maker("map", 2, -1, func(in *interp, a []value, _ kwargs) (value, error) {
		its, err := in.iters(a[1:])
		return &mapIter{a[0], its}, err
	})
	maker("filter", 2, 2, func(in *interp, a []value, _ kwargs) (value, error) {
		it, err := in.iter(a[1])
		return &filterIter{a[0], it}, err
	})
	maker("reversed", 1, 1, builtinReversed)
	def("iter", 1, 2, func(in *interp, a []value, _ kwargs) (value, error) {
		if len(a) == 2 {
			return &callableIter{f: a[0], sentinel: a[1]}, in.alloc(sizeObject)
		}
		return in.iter(a[0])
	})
	def("next", 1, 2, func(in *interp, a []value, _ kwargs) (value, error) {
		v, done, err := nextResult(in, a[0])
		if err != nil || !done {
			return v, err
		}
		if len(a) > 1 {
			return a[1], nil
		}
		return nil, in.stopIteration(v)
	})
	quantifier := func(name string, stop bool) {
		def(name, 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
			result := !stop
			err := in.eachOf(a[0], func(v value) (bool, error) {
				t, err := in.truth(v)
				if t == stop {
					result = stop
				}
				return t != stop, err
			})
			return result, err
		})
	}
	quantifier("all", false)
	quantifier("any", true)
	def("sum", 1, 2, builtinSum, "start")
	def("sorted", 1, 1, func(in *interp, a []value, kw kwargs) (value, error) {
		l, err := in.collect(a[0])
		if err != nil {
			return nil, err
		}
		return l, in.sortList(l, kw)
	}, "key", "reverse")
	extreme := func(name string, op pyast.CmpOperator) {
		def(name, 1, -1, func(in *interp, a []value, kw kwargs) (value, error) { return in.extreme(name, op, a, kw) }, "key", "default")
	}
	extreme("min", pyast.Lt)
	extreme("max", pyast.Gt)
}

// nextResult advances any iterator; at the end v is what the generator returned.
func nextResult(in *interp, it value) (v value, done bool, err error) {
	if g, ok := it.(*generator); ok {
		return in.resume(g, noneType{}, nil)
	}
	return in.nextOrResult(it)
}

func (in *interp) iters(a []value) ([]value, error) {
	if err := in.workN(int64(len(a))); err != nil {
		return nil, err
	}
	its := make([]value, len(a))
	for i, v := range a {
		it, err := in.iter(v)
		if err != nil {
			return nil, err
		}
		its[i] = it
	}
	return its, nil
}

func builtinReversed(in *interp, a []value, _ kwargs) (value, error) {
	if err := in.alloc(sizeObject); err != nil {
		return nil, err
	}
	switch v := a[0].(type) {
	case *list:
		return &reverseIter{l: v, i: len(v.v), n: "list_reverseiterator"}, nil
	case *tuple:
		return &reverseIter{l: &list{v.v}, i: len(v.v), n: "reversed"}, nil
	case *str:
		l, err := in.collect(v)
		return &reverseIter{l: l, i: v.n, n: "reversed"}, err
	case *rng:
		return &rangeIter{at: v.start + (v.length-1)*v.step, step: -v.step, left: v.length}, nil
	case *dict:
		return &dictIter{d: v, i: len(v.entries) - 1, size: len(v.index), reverse: true}, nil
	case *dictView:
		return &dictIter{d: v.d, kind: v.kind, i: len(v.d.entries) - 1, size: len(v.d.index), reverse: true}, nil
	case *instance:
		return nil, unsupported("reversed() of a %s", v.cls.name)
	}
	return nil, in.typeError(a, "'%s' object is not reversible", in.typeName(a[0]))
}

func builtinSum(in *interp, a []value, kw kwargs) (value, error) {
	var total value = int64(0)
	if s := arg(a, 1, kw, "start"); s != nil {
		if _, ok := s.(*str); ok {
			return nil, in.raise(in.t.TypeError, "sum() can't sum strings [use ''.join(seq) instead]")
		}
		total = s
	}
	slot := in.push(total)
	defer in.pop(slot)
	floats := 0
	err := in.eachOf(a[0], func(v value) (bool, error) {
		if _, ok := v.(float64); ok {
			if floats++; floats > 1 {
				// From 3.12 on CPython compensates rounding errors; before, it does not.
				x, xok := total.(float64)
				y := v.(float64)
				if s := x + y; xok && (s-x != y || s-y != x) {
					return false, unsupported("a sum of floats with rounding errors")
				}
			}
		}
		var err error
		total, err = in.binary(pyast.Add, total, v)
		in.temps[slot] = total
		return true, err
	})
	return total, err
}

// extreme is min or max.
func (in *interp) extreme(name string, op pyast.CmpOperator, a []value, kw kwargs) (value, error) {
	def, hasDef := kw.get("default")
	items := a[0]
	if len(a) > 1 {
		if hasDef {
			return nil, in.raise(in.t.TypeError, "Cannot specify a default for %s() with multiple positional arguments", name)
		}
		if err := in.allocN(int64(len(a)), sizeSlot); err != nil {
			return nil, err
		}
		items = &tuple{append([]value(nil), a...)}
	}
	key, _ := kw.get("key")
	if key == (noneType{}) {
		key = nil
	}
	var best, bestKey value
	slot := in.push(nil)
	in.push(nil)
	defer in.pop(slot)
	err := in.eachOf(items, func(v value) (bool, error) {
		k := v
		if key != nil {
			var err error
			if k, err = in.call(key, []value{v}, kwargs{}); err != nil {
				return false, err
			}
		}
		if best != nil {
			r, err := in.compare(op, k, bestKey)
			if err != nil {
				return false, err
			}
			if better, err := in.truth(r); err != nil || !better {
				return true, err
			}
		}
		best, bestKey = v, k
		in.temps[slot], in.temps[slot+1] = v, k
		return true, nil
	})
	if err != nil {
		return nil, err
	}
	if best == nil {
		if hasDef {
			return def, nil
		}
		return nil, in.raise(in.t.ValueError, "%s() arg is an empty sequence", name)
	}
	return best, nil
}
