package pyrun

import (
	"unicode/utf8"

	"kilter/internal/pyast"
)

// iterator is implemented by the built-in iterators.
type iterator interface {
	next(in *interp) (v value, ok bool, err error)
	typeName() string
}

// iter is iter(v).
func (in *interp) iter(v value) (value, error) {
	if err := in.alloc(sizeObject); err != nil {
		return nil, err
	}
	switch v := v.(type) {
	case iterator, *generator:
		return v, nil
	case *list:
		return &listIter{l: v}, nil
	case *tuple:
		return &tupleIter{t: v}, nil
	case *str:
		return &strIter{s: v}, nil
	case *rng:
		return &rangeIter{at: v.start, step: v.step, left: v.length}, nil
	case *dict:
		return &dictIter{d: v, size: len(v.index)}, nil
	case *dictView:
		return &dictIter{d: v.d, kind: v.kind, size: len(v.d.index)}, nil
	case *set:
		return &setIter{s: v, used: v.used}, nil
	case *instance:
		if _, ok := in.special(v, "__iter__"); ok {
			it, err := in.callMethod(v, "__iter__")
			if err != nil {
				return nil, err
			}
			switch o := it.(type) {
			case iterator, *generator:
				return it, nil
			case *instance:
				if _, ok := in.special(o, "__next__"); ok {
					return it, nil
				}
			}
			return nil, in.typeError([]value{it}, "iter() returned non-iterator of type '%s'", in.typeName(it))
		}
		if _, ok := in.special(v, "__getitem__"); ok {
			return &itemIter{o: v}, nil
		}
	}
	return nil, in.typeError([]value{v}, "'%s' object is not iterable", in.typeName(v))
}

// next advances an iterator.
func (in *interp) next(it value) (value, bool, error) {
	switch it := it.(type) {
	case *rangeIter:
		return it.next(in)
	case iterator:
		return it.next(in)
	case *generator:
		v, done, err := in.resume(it, noneType{}, nil)
		return v, !done, err
	case *instance:
		if _, ok := in.special(it, "__next__"); ok {
			v, err := in.callMethod(it, "__next__")
			if r, ok := err.(*raised); ok && r.exc.cls.isSub(in.t.StopIteration) {
				return nil, false, nil
			}
			return v, err == nil, err
		}
	}
	return nil, false, in.typeError([]value{it}, "'%s' object is not an iterator", in.typeName(it))
}

// each calls f with what an iterator yields, until f reports false. It pays a
// step for every item.
func (in *interp) each(it value, f func(value) (bool, error)) error {
	mark := in.push(it)
	defer in.pop(mark)
	for {
		if err := in.charge(1); err != nil {
			return err
		}
		v, ok, err := in.next(it)
		if err != nil || !ok {
			return err
		}
		if more, err := f(v); err != nil || !more {
			return err
		}
	}
}

// eachOf is each over any iterable.
func (in *interp) eachOf(v value, f func(value) (bool, error)) error {
	it, err := in.iter(v)
	if err != nil {
		return err
	}
	return in.each(it, f)
}

// collect returns the items of an iterable in a new list.
func (in *interp) collect(v value) (*list, error) {
	l := &list{}
	mark := in.push(l)
	defer in.pop(mark)
	return l, in.extend(l, v)
}

// extend appends the items of an iterable.
func (in *interp) extend(l *list, v value) error {
	var items []value
	switch o := v.(type) {
	case *list:
		items = o.v
	case *tuple:
		items = o.v
	default:
		return in.eachOf(v, func(x value) (bool, error) { return true, in.appendTo(l, x) })
	}
	if err := in.workN(int64(len(items))); err != nil {
		return err
	}
	l.v = append(l.v, items...)
	return nil
}

func (in *interp) appendTo(l *list, v value) error {
	if err := in.alloc(sizeSlot); err != nil {
		return err
	}
	l.v = append(l.v, v)
	return nil
}

type listIter struct {
	l *list
	i int
}

func (it *listIter) typeName() string  { return "list_iterator" }
func (it *listIter) trace(m *measurer) { m.add(it.l) }
func (it *listIter) next(*interp) (value, bool, error) {
	if it.l == nil {
		return nil, false, nil
	}
	if it.i >= len(it.l.v) {
		it.l = nil
		return nil, false, nil
	}
	it.i++
	return it.l.v[it.i-1], true, nil
}

type tupleIter struct {
	t *tuple
	i int
}

func (it *tupleIter) typeName() string  { return "tuple_iterator" }
func (it *tupleIter) trace(m *measurer) { m.add(it.t) }
func (it *tupleIter) next(*interp) (value, bool, error) {
	if it.i >= len(it.t.v) {
		return nil, false, nil
	}
	it.i++
	return it.t.v[it.i-1], true, nil
}

// reverseIter goes backwards through a list, a tuple or a string of characters.
type reverseIter struct {
	l *list
	i int // items left
	n string
}

func (it *reverseIter) typeName() string  { return it.n }
func (it *reverseIter) trace(m *measurer) { m.add(it.l) }
func (it *reverseIter) next(*interp) (value, bool, error) {
	if it.i <= 0 || it.i > len(it.l.v) {
		it.i = 0
		return nil, false, nil
	}
	it.i--
	return it.l.v[it.i], true, nil
}

type strIter struct {
	s  *str
	at int // byte offset
}

func (it *strIter) typeName() string {
	if it.s.ascii() {
		return "str_ascii_iterator"
	}
	return "str_iterator"
}
func (it *strIter) trace(m *measurer) { m.add(it.s) }
func (it *strIter) next(in *interp) (value, bool, error) {
	if it.at >= len(it.s.s) {
		return nil, false, nil
	}
	c := it.s.s[it.at]
	if c < utf8.RuneSelf {
		it.at++
		return in.chars[c], true, nil
	}
	_, n := utf8.DecodeRuneInString(it.s.s[it.at:])
	it.at += n
	return &str{it.s.s[it.at-n : it.at], 1}, true, nil
}

type rangeIter struct{ at, step, left int64 }

func (it *rangeIter) typeName() string { return "range_iterator" }
func (it *rangeIter) next(*interp) (value, bool, error) {
	if it.left <= 0 {
		return nil, false, nil
	}
	v := it.at
	it.at += it.step
	it.left--
	return v, true, nil
}

// itemIter iterates by calling __getitem__.
type itemIter struct {
	o *instance
	i int64
}

func (it *itemIter) typeName() string  { return "iterator" }
func (it *itemIter) trace(m *measurer) { m.add(it.o) }
func (it *itemIter) next(in *interp) (value, bool, error) {
	v, err := in.callMethod(it.o, "__getitem__", it.i)
	if r, ok := err.(*raised); ok && (r.exc.cls.isSub(in.t.IndexError) || r.exc.cls.isSub(in.t.StopIteration)) {
		return nil, false, nil
	}
	it.i++
	return v, err == nil, err
}

// callableIter is iter(f, sentinel).
type callableIter struct {
	f, sentinel value
	done        bool
}

func (it *callableIter) typeName() string { return "callable_iterator" }
func (it *callableIter) trace(m *measurer) {
	m.add(it.f)
	m.add(it.sentinel)
}
func (it *callableIter) next(in *interp) (value, bool, error) {
	if it.done {
		return nil, false, nil
	}
	v, err := in.call(it.f, nil, kwargs{})
	if err == nil {
		it.done, err = in.equal(v, it.sentinel)
	}
	return v, err == nil && !it.done, err
}

type enumerateIter struct {
	it value
	n  value
}

func (it *enumerateIter) typeName() string  { return "enumerate" }
func (it *enumerateIter) trace(m *measurer) { m.add(it.it) }
func (it *enumerateIter) next(in *interp) (value, bool, error) {
	if err := in.descend(); err != nil {
		return nil, false, err
	}
	defer in.ascend()
	v, ok, err := in.next(it.it)
	if err != nil || !ok {
		return nil, false, err
	}
	if err := in.alloc(sizeObject + 2*sizeSlot); err != nil {
		return nil, false, err
	}
	t := &tuple{[]value{it.n, v}}
	it.n, err = in.intOp(pyast.Add, it.n, int64(1))
	return t, err == nil, err
}

type zipIter struct {
	its    []value
	strict bool
	done   bool
}

func (it *zipIter) typeName() string  { return "zip" }
func (it *zipIter) trace(m *measurer) { m.list(it.its) }
func (it *zipIter) next(in *interp) (value, bool, error) {
	if err := in.descend(); err != nil {
		return nil, false, err
	}
	defer in.ascend()
	if it.done || len(it.its) == 0 {
		return nil, false, nil
	}
	t := &tuple{make([]value, 0, len(it.its))}
	if err := in.workN(int64(len(it.its))); err != nil {
		return nil, false, err
	}
	mark := in.push(t)
	defer in.pop(mark)
	for i, x := range it.its {
		v, ok, err := in.next(x)
		if err != nil {
			return nil, false, err
		}
		if !ok {
			it.done = true
			if it.strict {
				return nil, false, in.zipStrict(it, i)
			}
			return nil, false, nil
		}
		t.v = append(t.v, v)
	}
	return t, true, nil
}

func (in *interp) zipStrict(it *zipIter, i int) error {
	if i > 0 {
		return in.raise(in.t.ValueError, "zip() argument %d is shorter than argument%s", i+1, oneTo(i))
	}
	for j, x := range it.its[1:] {
		if _, ok, err := in.next(x); err != nil {
			return err
		} else if ok {
			return in.raise(in.t.ValueError, "zip() argument %d is longer than argument%s", j+2, oneTo(j+1))
		}
	}
	return nil
}

func oneTo(n int) string {
	if n == 1 {
		return " 1"
	}
	return "s 1-" + formatInt(int64(n))
}

type mapIter struct {
	f   value
	its []value
}

func (it *mapIter) typeName() string { return "map" }
func (it *mapIter) trace(m *measurer) {
	m.add(it.f)
	m.list(it.its)
}
func (it *mapIter) next(in *interp) (value, bool, error) {
	if err := in.descend(); err != nil {
		return nil, false, err
	}
	defer in.ascend()
	args := &tuple{make([]value, 0, len(it.its))}
	if err := in.workN(int64(len(it.its))); err != nil {
		return nil, false, err
	}
	mark := in.push(args)
	defer in.pop(mark)
	for _, x := range it.its {
		v, ok, err := in.next(x)
		if err != nil || !ok {
			return nil, false, err
		}
		args.v = append(args.v, v)
	}
	v, err := in.call(it.f, args.v, kwargs{})
	return v, err == nil, err
}

type filterIter struct{ f, it value }

func (it *filterIter) typeName() string { return "filter" }
func (it *filterIter) trace(m *measurer) {
	m.add(it.f)
	m.add(it.it)
}
func (it *filterIter) next(in *interp) (value, bool, error) {
	if err := in.descend(); err != nil {
		return nil, false, err
	}
	defer in.ascend()
	for {
		if err := in.charge(1); err != nil {
			return nil, false, err
		}
		v, ok, err := in.next(it.it)
		if err != nil || !ok {
			return nil, false, err
		}
		r := v
		if _, none := it.f.(noneType); !none {
			mark := in.push(v)
			r, err = in.call(it.f, []value{v}, kwargs{})
			in.pop(mark)
			if err != nil {
				return nil, false, err
			}
		}
		if keep, err := in.truth(r); err != nil || keep {
			return v, err == nil, err
		}
	}
}
