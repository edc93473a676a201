package pyrun

import (
	"math"
	"math/bits"
	"sort"

	"kilter/internal/pyast"
)

// newMethods defines the methods of the built-in types.
func newMethods(in *interp) {
	newStrMethods(in)
	newListMethods(in)
	newDictMethods(in)
	newSetMethods(in)
	newNumberMethods(in)
	newGeneratorMethods(in)
	newDescriptorMethods(in)
}

func newNumberMethods(in *interp) {
	t := in.t
	t.int_.known = " as_integer_ratio conjugate from_bytes is_integer to_bytes denominator imag numerator real "
	in.def(t.int_, "bit_length", 0, 0, func(in *interp, a []value, _ kwargs) (value, error) { return bitLen(a[0]), nil })
	in.def(t.int_, "bit_count", 0, 0, func(in *interp, a []value, _ kwargs) (value, error) {
		n := 0
		for _, w := range bigOf(a[0]).Bits() {
			n += bits.OnesCount(uint(w))
		}
		return int64(n), in.charge(bitLen(a[0]) / 64)
	})
	t.float_.known = " as_integer_ratio conjugate fromhex hex imag real "
	in.def(t.float_, "is_integer", 0, 0, func(in *interp, a []value, _ kwargs) (value, error) {
		f := a[0].(float64)
		return f == math.Trunc(f) && !math.IsInf(f, 0), nil
	})
	t.slice_.known = " indices "
	t.rng_.known = " start stop step "
	in.def(t.rng_, "count", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		has, err := in.contains(a[0], a[1])
		n, _ := small(has)
		return n, err
	})
	in.def(t.rng_, "index", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		r := a[0].(*rng)
		if i, ok := small(a[1]); ok && r.has(i) {
			return (i - r.start) / r.step, nil
		}
		if isNumber(a[1]) && !isInt(a[1]) {
			return nil, unsupported("range.index of a float")
		}
		return nil, in.raise(in.t.ValueError, "%s is not in range", in.shortRepr(a[1]))
	})
}

// shortRepr is repr() for messages.
func (in *interp) shortRepr(v value) string {
	s, err := in.repr(v)
	if err != nil {
		return "value"
	}
	return s.s
}

func newListMethods(in *interp) {
	c := in.t.list_
	in.def(c, "append", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		return noneType{}, in.appendTo(a[0].(*list), a[1])
	})
	in.def(c, "extend", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		return noneType{}, in.extend(a[0].(*list), a[1])
	})
	in.def(c, "insert", 2, 2, func(in *interp, a []value, _ kwargs) (value, error) {
		l := a[0].(*list)
		i, err := in.wantInt(a[1])
		if err != nil {
			return nil, err
		}
		n := int64(len(l.v))
		if i < 0 {
			i += n
		}
		i = min(max(i, 0), n)
		if err := in.appendTo(l, nil); err != nil {
			return nil, err
		}
		if err := in.charge((n - i) / 32); err != nil {
			return nil, err
		}
		copy(l.v[i+1:], l.v[i:])
		l.v[i] = a[2]
		return noneType{}, nil
	})
	in.def(c, "pop", 0, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		l := a[0].(*list)
		if len(l.v) == 0 {
			return nil, in.raise(in.t.IndexError, "pop from empty list")
		}
		i := len(l.v) - 1
		if len(a) > 1 {
			if _, err := in.wantInt(a[1]); err != nil {
				return nil, err
			}
			var err error
			if i, err = in.index(a[1], len(l.v), "list", "pop index out of range"); err != nil {
				return nil, err
			}
		}
		v := l.v[i]
		return v, in.removeAt(l, i)
	})
	in.def(c, "remove", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		l := a[0].(*list)
		i, err := in.indexOf(func() []value { return l.v }, a[1], 0, math.MaxInt64)
		if err != nil {
			return nil, err
		}
		if i < 0 {
			return nil, in.raise(in.t.ValueError, "list.remove(x): x not in list")
		}
		if i < int64(len(l.v)) {
			return noneType{}, in.removeAt(l, int(i))
		}
		return noneType{}, nil
	})
	in.def(c, "clear", 0, 0, func(in *interp, a []value, _ kwargs) (value, error) {
		a[0].(*list).v = nil
		return noneType{}, nil
	})
	in.def(c, "copy", 0, 0, func(in *interp, a []value, _ kwargs) (value, error) { return in.collect(a[0]) })
	in.def(c, "reverse", 0, 0, func(in *interp, a []value, _ kwargs) (value, error) {
		v := a[0].(*list).v
		for i, j := 0, len(v)-1; i < j; i, j = i+1, j-1 {
			v[i], v[j] = v[j], v[i]
		}
		return noneType{}, in.charge(int64(len(v)) / 16)
	})
	in.def(c, "sort", 0, 0, func(in *interp, a []value, kw kwargs) (value, error) {
		l := a[0].(*list)
		work := &list{l.v}
		l.v = nil // as in CPython: a key function sees an empty list
		err := in.sortList(work, kw)
		if err == nil && l.v != nil {
			err = in.raise(in.t.ValueError, "list modified during sort")
		}
		l.v = work.v
		return noneType{}, err
	}, "key", "reverse")
	for _, c := range []*class{in.t.list_, in.t.tuple_} {
		items := func(v value) func() []value {
			if l, ok := v.(*list); ok {
				return func() []value { return l.v }
			}
			t := v.(*tuple)
			return func() []value { return t.v }
		}
		in.def(c, "count", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
			n := int64(0)
			vs := items(a[0])
			for i := 0; i < len(vs()); i++ {
				if err := in.charge(1); err != nil {
					return nil, err
				}
				eq, err := in.same(vs()[i], a[1])
				if err != nil {
					return nil, err
				}
				if eq {
					n++
				}
			}
			return n, nil
		})
		in.def(c, "index", 1, 3, func(in *interp, a []value, _ kwargs) (value, error) {
			vs := items(a[0])
			limits := []int64{0, math.MaxInt64}
			for k := range a[2:] {
				n, err := in.wantInt(a[2+k])
				if err != nil {
					return nil, err
				}
				if n < 0 {
					n = max(n+int64(len(vs())), 0)
				}
				limits[k] = n
			}
			i, err := in.indexOf(vs, a[1], limits[0], limits[1])
			if err != nil {
				return nil, err
			}
			if i < 0 {
				if c == in.t.tuple_ {
					return nil, in.raise(in.t.ValueError, "tuple.index(x): x not in tuple")
				}
				return nil, in.raise(in.t.ValueError, "%s is not in list", in.shortRepr(a[1]))
			}
			return i, nil
		})
	}
}

// indexOf finds v; the items may change while they are compared.
func (in *interp) indexOf(items func() []value, v value, from, to int64) (int64, error) {
	for i := from; i < to && i < int64(len(items())); i++ {
		if err := in.charge(1); err != nil {
			return 0, err
		}
		eq, err := in.same(items()[i], v)
		if err != nil {
			return 0, err
		}
		if eq {
			return i, nil
		}
	}
	return -1, nil
}

// sortList sorts in place, stably, with the key and reverse of sorted().
func (in *interp) sortList(l *list, kw kwargs) error {
	mark := in.push(l)
	defer in.pop(mark)
	reverse := false
	if v, ok := kw.get("reverse"); ok {
		if !isInt(v) {
			return in.typeError([]value{v}, "'%s' object cannot be interpreted as an integer", in.typeName(v))
		}
		var err error
		if reverse, err = in.truth(v); err != nil {
			return err
		}
	}
	keys := l
	if f, ok := kw.get("key"); ok && f != (noneType{}) {
		keys = &list{}
		in.push(keys)
		for _, v := range l.v {
			k, err := in.call(f, []value{v}, kwargs{})
			if err != nil {
				return err
			}
			if err := in.appendTo(keys, k); err != nil {
				return err
			}
		}
	}
	if err := in.workN(2 * int64(len(l.v))); err != nil {
		return err
	}
	for _, k := range keys.v { // without a total order the result depends on the algorithm
		switch k := k.(type) {
		case float64:
			if k != k {
				return unsupported("sorting NaN")
			}
		case *set:
			if len(keys.v) > 1 {
				return unsupported("sorting sets")
			}
		}
	}
	s := &sorter{in: in, keys: append([]value(nil), keys.v...), vals: append([]value(nil), l.v...), reverse: reverse}
	in.push(&list{s.keys})
	in.push(&list{s.vals})
	// A stable sort that reverses keeps the order of equal items, too.
	sort.Stable(s)
	if s.err == nil {
		l.v = s.vals
	}
	return s.err
}

// sorter remembers the first error; after it, all comparisons are false.
type sorter struct {
	in         *interp
	keys, vals []value
	reverse    bool
	err        error
}

func (s *sorter) Len() int { return len(s.keys) }
func (s *sorter) Less(i, j int) bool {
	if s.err != nil {
		return false
	}
	if s.reverse {
		i, j = j, i
	}
	var less bool
	less, s.err = s.in.less(s.keys[i], s.keys[j])
	return less && s.err == nil
}
func (s *sorter) Swap(i, j int) {
	s.keys[i], s.keys[j] = s.keys[j], s.keys[i]
	s.vals[i], s.vals[j] = s.vals[j], s.vals[i]
}

func newDictMethods(in *interp) {
	c := in.t.dict_
	view := func(kind viewKind) func(in *interp, a []value, _ kwargs) (value, error) {
		return func(in *interp, a []value, _ kwargs) (value, error) {
			return &dictView{a[0].(*dict), kind}, in.alloc(sizeObject)
		}
	}
	in.def(c, "keys", 0, 0, view(viewKeys))
	in.def(c, "values", 0, 0, view(viewValues))
	in.def(c, "items", 0, 0, view(viewItems))
	in.def(c, "get", 1, 2, func(in *interp, a []value, _ kwargs) (value, error) {
		v, ok, err := in.dictGet(a[0].(*dict), a[1])
		if err != nil || ok {
			return v, err
		}
		if len(a) > 2 {
			return a[2], nil
		}
		return noneType{}, nil
	})
	in.def(c, "setdefault", 1, 2, func(in *interp, a []value, _ kwargs) (value, error) {
		v, ok, err := in.dictGet(a[0].(*dict), a[1])
		if err != nil || ok {
			return v, err
		}
		v = noneType{}
		if len(a) > 2 {
			v = a[2]
		}
		return v, in.dictSet(a[0].(*dict), a[1], v)
	})
	in.def(c, "pop", 1, 2, func(in *interp, a []value, _ kwargs) (value, error) {
		v, ok, err := in.dictDel(a[0].(*dict), a[1])
		if err != nil || ok {
			return v, err
		}
		if len(a) > 2 {
			return a[2], nil
		}
		return nil, &raised{&instance{cls: in.t.KeyError, args: []value{a[1]}, id: in.newID()}}
	})
	in.def(c, "popitem", 0, 0, func(in *interp, a []value, _ kwargs) (value, error) {
		d := a[0].(*dict)
		if len(d.entries) == 0 {
			return nil, &raised{&instance{cls: in.t.KeyError, args: []value{newStr("popitem(): dictionary is empty")}, id: in.newID()}}
		}
		e := d.entries[len(d.entries)-1]
		if err := in.alloc(sizeObject + 2*sizeSlot); err != nil {
			return nil, err
		}
		return &tuple{[]value{e.key, e.val}}, in.dictDelAt(d, len(d.entries)-1)
	})
	in.def(c, "clear", 0, 0, func(in *interp, a []value, _ kwargs) (value, error) {
		*a[0].(*dict) = dict{index: map[hkey]int{}}
		return noneType{}, nil
	})
	in.def(c, "copy", 0, 0, func(in *interp, a []value, _ kwargs) (value, error) {
		d, err := in.newDict()
		if err == nil {
			err = in.dictUpdate(d, a[0].(*dict))
		}
		return d, err
	})
	in.def(c, "update", 0, 1, func(in *interp, a []value, kw kwargs) (value, error) {
		d := a[0].(*dict)
		if len(a) > 1 {
			if err := in.dictFrom(d, a[1]); err != nil {
				return nil, err
			}
		}
		return noneType{}, in.dictNamed(d, kw)
	}, "**")
	c.ns["fromkeys"] = &builtin{name: "fromkeys", min: 1, max: 2, id: in.newID(), fn: func(in *interp, a []value, _ kwargs) (value, error) {
		d, err := in.newDict()
		if err != nil {
			return nil, err
		}
		var v value = noneType{}
		if len(a) > 1 {
			v = a[1]
		}
		mark := in.push(d)
		defer in.pop(mark)
		return d, in.eachOf(a[0], func(k value) (bool, error) { return true, in.dictSet(d, k, v) })
	}}
}

// dictFrom adds a mapping or an iterable of pairs to d.
func (in *interp) dictFrom(d *dict, v value) error {
	switch o := v.(type) {
	case *dict:
		return in.dictUpdate(d, o)
	case *instance:
		return unsupported("a dict from a %s", o.cls.name)
	}
	mark := in.push(d)
	defer in.pop(mark)
	i := 0
	return in.eachOf(v, func(x value) (bool, error) {
		pair, err := in.collect(x)
		if err != nil {
			if r, ok := err.(*raised); ok && r.exc.cls == in.t.TypeError {
				err = in.typeError([]value{x}, "cannot convert dictionary update sequence element #%d to a sequence", i)
			}
			return false, err
		}
		if len(pair.v) != 2 {
			return false, in.raise(in.t.ValueError, "dictionary update sequence element #%d has length %d; 2 is required", i, len(pair.v))
		}
		i++
		return true, in.dictSet(d, pair.v[0], pair.v[1])
	})
}

func (in *interp) dictNamed(d *dict, kw kwargs) error {
	for i, name := range kw.names {
		if err := in.dictSet(d, newStr(name), kw.vals[i]); err != nil {
			return err
		}
	}
	return nil
}

func newSetMethods(in *interp) {
	mutable := in.t.set_
	in.def(mutable, "add", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		return noneType{}, in.setAdd(a[0].(*set), a[1])
	})
	in.def(mutable, "discard", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		_, err := in.setDiscard(a[0].(*set), a[1])
		return noneType{}, err
	})
	in.def(mutable, "remove", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		ok, err := in.setDiscard(a[0].(*set), a[1])
		if err == nil && !ok {
			err = &raised{&instance{cls: in.t.KeyError, args: []value{a[1]}, id: in.newID()}}
		}
		return noneType{}, err
	})
	in.def(mutable, "pop", 0, 0, func(in *interp, a []value, _ kwargs) (value, error) {
		s := a[0].(*set)
		if s.used == 0 {
			return nil, &raised{&instance{cls: in.t.KeyError, args: []value{newStr("pop from an empty set")}, id: in.newID()}}
		}
		return in.setPop(s)
	})
	in.def(mutable, "clear", 0, 0, func(in *interp, a []value, _ kwargs) (value, error) {
		a[0].(*set).clear()
		return noneType{}, nil
	})
	in.def(mutable, "update", 0, -1, func(in *interp, a []value, _ kwargs) (value, error) {
		for _, v := range a[1:] {
			if err := in.setUpdate(a[0].(*set), v); err != nil {
				return nil, err
			}
		}
		return noneType{}, nil
	})
	inPlace := func(name string, f func(in *interp, s, o *set) error) {
		in.def(mutable, name, 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
			o, err := in.asSet(a[1])
			if err != nil {
				return nil, err
			}
			return noneType{}, f(in, a[0].(*set), o)
		})
	}
	inPlace("intersection_update", (*interp).setIntersectUpdate)
	inPlace("difference_update", (*interp).setDifferenceUpdate)
	inPlace("symmetric_difference_update", (*interp).setSymmetricUpdate)
	for _, c := range []*class{in.t.set_, in.t.frozenset_} {
		newSetQueries(in, c)
	}
}

// newSetQueries defines what sets and frozensets share.
func newSetQueries(in *interp, c *class) {
	in.def(c, "copy", 0, 0, func(in *interp, a []value, _ kwargs) (value, error) {
		if s := a[0].(*set); s.frozen {
			return s, nil
		}
		return in.setCopy(a[0].(*set))
	})
	in.def(c, "union", 0, -1, func(in *interp, a []value, _ kwargs) (value, error) {
		s, err := in.setCopy(a[0].(*set))
		for _, v := range a[1:] {
			if err == nil {
				err = in.setUpdate(s, v)
			}
		}
		return s, err
	})
	many := func(name string, f func(in *interp, a, b *set) (*set, error)) {
		in.def(c, name, 0, -1, func(in *interp, a []value, _ kwargs) (value, error) {
			s := a[0].(*set)
			if len(a) == 1 {
				return in.setCopy(s)
			}
			for _, v := range a[1:] {
				o, err := in.asSet(v)
				if err != nil {
					return nil, err
				}
				if s, err = f(in, s, o); err != nil {
					return nil, err
				}
			}
			return s, nil
		})
	}
	many("intersection", (*interp).setIntersect)
	many("difference", (*interp).setDifference)
	in.def(c, "symmetric_difference", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		o, err := in.asSet(a[1])
		if err != nil {
			return nil, err
		}
		return in.setOp(pyast.BitXor, a[0].(*set), o)
	})
	test := func(name string, f func(a, b *set) (value, error)) {
		in.def(c, name, 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
			o, err := in.asSet(a[1])
			if err != nil {
				return nil, err
			}
			return f(a[0].(*set), o)
		})
	}
	test("issubset", func(a, b *set) (value, error) { return in.isSubset(a, b) })
	test("issuperset", func(a, b *set) (value, error) { return in.isSubset(b, a) })
	test("isdisjoint", func(a, b *set) (value, error) {
		s, err := in.setIntersect(a, b)
		if err != nil {
			return nil, err
		}
		return s.used == 0, nil
	})
}

// asSet returns a set of the items of an iterable.
func (in *interp) asSet(v value) (*set, error) {
	if s, ok := v.(*set); ok {
		return s, nil
	}
	s, err := in.newSet()
	if err != nil {
		return nil, err
	}
	mark := in.push(s)
	defer in.pop(mark)
	return s, in.setUpdate(s, v)
}

func newGeneratorMethods(in *interp) {
	c := in.t.generator_
	c.known = " gi_code gi_frame gi_running gi_suspended gi_yieldfrom "
	in.def(c, "send", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		v, done, err := in.resume(a[0].(*generator), a[1], nil)
		if err == nil && done {
			err = in.stopIteration(v)
		}
		return v, err
	})
	in.def(c, "throw", 1, 3, func(in *interp, a []value, _ kwargs) (value, error) {
		e := a[1]
		if k, ok := e.(*class); ok && k.exc {
			var err error
			if e, err = in.instantiate(k, nil, kwargs{}); err != nil {
				return nil, err
			}
		}
		o, ok := e.(*instance)
		if !ok || !o.cls.exc || len(a) > 2 {
			return nil, unsupported("this use of throw")
		}
		v, done, err := in.resume(a[0].(*generator), nil, &raised{o})
		if err == nil && done {
			err = in.stopIteration(v)
		}
		return v, err
	})
	in.def(c, "close", 0, 0, func(in *interp, a []value, _ kwargs) (value, error) {
		return noneType{}, in.closeGenerator(a[0].(*generator))
	})
}

func (in *interp) stopIteration(v value) error {
	e := &instance{cls: in.t.StopIteration, id: in.newID()}
	if _, none := v.(noneType); !none {
		e.args = []value{v}
	}
	return &raised{e}
}

func newDescriptorMethods(in *interp) {
	in.t.property_.known = " deleter fget fset fdel getter "
	in.def(in.t.property_, "setter", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		return &property{a[0].(*property).get, a[1]}, in.alloc(sizeObject)
	})
}
