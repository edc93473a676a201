package pyrun

import (
	"math/big"
	"unicode/utf8"
)

// length is len(v).
func (in *interp) length(v value) (int64, error) {
	switch v := v.(type) {
	case *str:
		return int64(v.n), nil
	case *list:
		return int64(len(v.v)), nil
	case *tuple:
		return int64(len(v.v)), nil
	case *dict:
		return int64(len(v.index)), nil
	case *dictView:
		return int64(len(v.d.index)), nil
	case *set:
		return int64(v.used), nil
	case *rng:
		return v.length, nil
	case *instance:
		if _, ok := in.special(v, "__len__"); ok {
			r, err := in.callMethod(v, "__len__")
			if err != nil {
				return 0, err
			}
			n, ok := small(r)
			if !ok {
				return 0, in.typeError([]value{r}, "'%s' object cannot be interpreted as an integer", in.typeName(r))
			}
			if n < 0 {
				return 0, in.raise(in.t.ValueError, "__len__() should return >= 0")
			}
			return n, nil
		}
	}
	return 0, in.typeError([]value{v}, "object of type '%s' has no len()", in.typeName(v))
}

// index turns v into an index of a sequence of length n.
func (in *interp) index(v value, n int, seq, msg string) (int, error) {
	if !isInt(v) {
		if seq == "string" {
			return 0, in.typeError([]value{v}, "string indices must be integers, not '%s'", in.typeName(v))
		}
		return 0, in.typeError([]value{v}, "%s indices must be integers or slices, not %s", seq, in.typeName(v))
	}
	i, ok := small(v)
	if i < 0 {
		i += int64(n)
	}
	if !ok {
		return 0, in.raise(in.t.IndexError, "cannot fit 'int' into an index-sized integer")
	}
	if i < 0 || i >= int64(n) {
		return 0, in.raise(in.t.IndexError, "%s", msg)
	}
	return int(i), nil
}

// bounds resolves a slice for a sequence of length n: it takes count items from
// start, by step, before stop.
func (in *interp) bounds(s *slice, n int64) (start, stop, step, count int64, err error) {
	part := func(v value, def int64) (int64, error) {
		switch v := v.(type) {
		case noneType:
			return def, nil
		case *big.Int:
			if v.Sign() < 0 {
				return -1 << 62, nil
			}
			return 1 << 62, nil
		}
		i, ok := small(v)
		if !ok {
			return 0, in.typeError([]value{v}, "slice indices must be integers or None or have an __index__ method")
		}
		return max(min(i, 1<<62), -1<<62), nil
	}
	if step, err = part(s.step, 1); err != nil {
		return
	}
	if step == 0 {
		return 0, 0, 0, 0, in.raise(in.t.ValueError, "slice step cannot be zero")
	}
	first, last := int64(0), n
	lo, hi := int64(0), n // limits for a resolved index
	if step < 0 {
		first, last = n-1, -1
		lo, hi = -1, n-1
	}
	clamp := func(v value, def int64) (int64, error) {
		if _, none := v.(noneType); none {
			return def, nil
		}
		i, err := part(v, 0)
		if i < 0 {
			i += n
		}
		return min(max(i, lo), hi), err
	}
	if start, err = clamp(s.lo, first); err != nil {
		return
	}
	if stop, err = clamp(s.hi, last); err != nil {
		return
	}
	if step > 0 && stop > start {
		count = (stop-start-1)/step + 1
	} else if step < 0 && stop < start {
		count = (start-stop-1)/-step + 1
	}
	return start, stop, step, count, nil
}

// getItem is x[i].
func (in *interp) getItem(x, i value) (value, error) {
	switch o := x.(type) {
	case *list:
		if n, ok := i.(int64); ok && n >= 0 && n < int64(len(o.v)) {
			return o.v[n], nil
		}
		if s, ok := i.(*slice); ok {
			v, err := in.sliceItems(o.v, s)
			return &list{v}, err
		}
		n, err := in.index(i, len(o.v), "list", "list index out of range")
		if err != nil {
			return nil, err
		}
		return o.v[n], nil
	case *tuple:
		if s, ok := i.(*slice); ok {
			v, err := in.sliceItems(o.v, s)
			return &tuple{v}, err
		}
		n, err := in.index(i, len(o.v), "tuple", "tuple index out of range")
		if err != nil {
			return nil, err
		}
		return o.v[n], nil
	case *str:
		if s, ok := i.(*slice); ok {
			return in.sliceStr(o, s)
		}
		n, err := in.index(i, o.n, "string", "string index out of range")
		if err != nil {
			return nil, err
		}
		return in.charAt(o, n)
	case *dict:
		v, ok, err := in.dictGet(o, i)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, &raised{&instance{cls: in.t.KeyError, args: []value{i}, id: in.newID()}}
		}
		return v, nil
	case *rng:
		return in.rangeItem(o, i)
	case *instance:
		if _, ok := in.special(o, "__getitem__"); ok {
			return in.callMethod(o, "__getitem__", i)
		}
	case *class:
		return &opaque{what: "subscripted " + o.name}, nil // list[int]
	case *opaque:
		if !o.missing {
			return o, nil // List[int]
		}
	}
	return nil, in.typeError([]value{x}, "'%s' object is not subscriptable", in.typeName(x))
}

func (in *interp) rangeItem(r *rng, i value) (value, error) {
	if s, ok := i.(*slice); ok {
		start, stop, step, _, err := in.bounds(s, r.length)
		if err != nil {
			return nil, err
		}
		return in.makeRange(r.start+start*r.step, r.start+stop*r.step, r.step*step)
	}
	if !isInt(i) {
		return nil, in.typeError([]value{i}, "range indices must be integers or slices, not %s", in.typeName(i))
	}
	n, ok := small(i)
	if n < 0 {
		n += r.length
	}
	if !ok || n < 0 || n >= r.length {
		return nil, in.raise(in.t.IndexError, "range object index out of range")
	}
	return r.start + n*r.step, nil
}

// makeRange makes a range; its ends lie well inside int64.
func (in *interp) makeRange(start, stop, step int64) (value, error) {
	const far = 1 << 61
	if start > far || start < -far || stop > far || stop < -far || step > far || step < -far {
		return nil, unsupported("a range this large")
	}
	r := &rng{start: start, stop: stop, step: step}
	if step > 0 && start < stop {
		r.length = (stop-start-1)/step + 1
	} else if step < 0 && start > stop {
		r.length = (start-stop-1)/-step + 1
	}
	return r, in.alloc(sizeObject)
}

func (in *interp) sliceItems(v []value, s *slice) ([]value, error) {
	start, _, step, count, err := in.bounds(s, int64(len(v)))
	if err != nil {
		return nil, err
	}
	if err := in.workN(count); err != nil {
		return nil, err
	}
	if count == 0 {
		return nil, nil
	}
	out := make([]value, count)
	if step == 1 {
		copy(out, v[start:])
		return out, nil
	}
	for i := range out {
		out[i] = v[start+int64(i)*step]
	}
	return out, nil
}

// charAt returns the i-th code point.
func (in *interp) charAt(s *str, i int) (value, error) {
	if s.ascii() {
		return in.chars[s.s[i]], nil
	}
	at, err := in.byteOffset(s, i)
	if err != nil {
		return nil, err
	}
	_, n := utf8.DecodeRuneInString(s.s[at:])
	return &str{s.s[at : at+n], 1}, in.alloc(sizeObject)
}

// byteOffset finds the i-th code point.
func (in *interp) byteOffset(s *str, i int) (int, error) {
	if s.ascii() {
		return i, nil
	}
	if err := in.charge(int64(i) / 8); err != nil {
		return 0, err
	}
	at := 0
	for ; i > 0; i-- {
		_, n := utf8.DecodeRuneInString(s.s[at:])
		at += n
	}
	return at, nil
}

func (in *interp) sliceStr(s *str, sl *slice) (value, error) {
	start, _, step, count, err := in.bounds(sl, int64(s.n))
	if err != nil {
		return nil, err
	}
	if count == 0 {
		return &str{}, nil
	}
	if step == 1 {
		return in.substr(s, int(start), int(start+count))
	}
	if err := in.work(4 * int64(s.n)); err != nil {
		return nil, err
	}
	if s.ascii() {
		b := make([]byte, count)
		for i := range b {
			b[i] = s.s[start+int64(i)*step]
		}
		return &str{string(b), int(count)}, nil
	}
	r := []rune(s.s)
	b := make([]rune, count)
	for i := range b {
		b[i] = r[start+int64(i)*step]
	}
	return &str{string(b), int(count)}, nil
}

// substr is s[from:to] with resolved indices. It copies, so that a short part
// does not keep a long string alive.
func (in *interp) substr(s *str, from, to int) (*str, error) {
	a, err := in.byteOffset(s, from)
	if err != nil {
		return nil, err
	}
	b := a + to - from
	if !s.ascii() {
		rest := &str{s.s[a:], s.n - from}
		n, err := in.byteOffset(rest, to-from)
		if err != nil {
			return nil, err
		}
		b = a + n
	}
	if err := in.work(int64(b - a)); err != nil {
		return nil, err
	}
	return &str{string([]byte(s.s[a:b])), to - from}, nil
}

// setItem is x[i] = v.
func (in *interp) setItem(x, i, v value) error {
	switch o := x.(type) {
	case *list:
		if s, ok := i.(*slice); ok {
			return in.setSlice(o, s, v)
		}
		n, err := in.index(i, len(o.v), "list", "list assignment index out of range")
		if err != nil {
			return err
		}
		o.v[n] = v
		return nil
	case *dict:
		return in.dictSet(o, i, v)
	case *instance:
		if _, ok := in.special(o, "__setitem__"); ok {
			_, err := in.callMethod(o, "__setitem__", i, v)
			return err
		}
	}
	return in.typeError([]value{x}, "'%s' object does not support item assignment", in.typeName(x))
}

func (in *interp) setSlice(l *list, s *slice, v value) error {
	switch v.(type) {
	case *list, *tuple, *str, *rng, *set, *dict, *dictView, *generator, *instance, iterator:
	default:
		return in.typeError([]value{v}, "can only assign an iterable")
	}
	items, err := in.collect(v)
	if err != nil {
		return err
	}
	start, _, step, count, err := in.bounds(s, int64(len(l.v)))
	if err != nil {
		return err
	}
	if step != 1 {
		if int64(len(items.v)) != count {
			return in.raise(in.t.ValueError, "attempt to assign sequence of size %d to extended slice of size %d", len(items.v), count)
		}
		for k, x := range items.v {
			l.v[start+int64(k)*step] = x
		}
		return nil
	}
	return in.splice(l, start, start+count, items.v)
}

// splice replaces l[from:to] by items.
func (in *interp) splice(l *list, from, to int64, items []value) error {
	if err := in.workN(int64(len(l.v)) + int64(len(items))); err != nil {
		return err
	}
	out := make([]value, 0, int64(len(l.v))-(to-from)+int64(len(items)))
	out = append(append(append(out, l.v[:from]...), items...), l.v[to:]...)
	l.v = out
	return nil
}

// delItem is del x[i].
func (in *interp) delItem(x, i value) error {
	switch o := x.(type) {
	case *list:
		if s, ok := i.(*slice); ok {
			return in.delSlice(o, s)
		}
		n, err := in.index(i, len(o.v), "list", "list assignment index out of range")
		if err != nil {
			return err
		}
		return in.removeAt(o, n)
	case *dict:
		_, ok, err := in.dictDel(o, i)
		if err == nil && !ok {
			err = &raised{&instance{cls: in.t.KeyError, args: []value{i}, id: in.newID()}}
		}
		return err
	case *instance:
		if _, ok := in.special(o, "__delitem__"); ok {
			_, err := in.callMethod(o, "__delitem__", i)
			return err
		}
	}
	return in.typeError([]value{x}, "'%s' object doesn't support item deletion", in.typeName(x))
}

func (in *interp) removeAt(l *list, i int) error {
	if err := in.charge(int64(len(l.v)-i) / 32); err != nil {
		return err
	}
	copy(l.v[i:], l.v[i+1:])
	l.v[len(l.v)-1] = nil
	l.v = l.v[:len(l.v)-1]
	return nil
}

func (in *interp) delSlice(l *list, s *slice) error {
	start, _, step, count, err := in.bounds(s, int64(len(l.v)))
	if err != nil || count == 0 {
		return err
	}
	if step < 0 {
		start, step = start+(count-1)*step, -step
	}
	if err := in.workN(int64(len(l.v))); err != nil {
		return err
	}
	out := make([]value, 0, int64(len(l.v))-count)
	for i, x := range l.v {
		k := int64(i) - start
		if k < 0 || k%step != 0 || k/step >= count {
			out = append(out, x)
		}
	}
	l.v = out
	return nil
}

// unpack is a, b = x with n targets.
func (in *interp) unpack(f *frame, n int) error {
	var items []value
	switch x := f.top().(type) {
	case *tuple:
		items = x.v
	case *list:
		items = x.v
	default:
		l := &list{}
		mark := in.push(l)
		defer in.pop(mark)
		err := in.unpackIter(x, func(v value) (bool, error) {
			l.v = append(l.v, v)
			return len(l.v) <= n, in.alloc(sizeSlot)
		})
		if err != nil {
			return err
		}
		items = l.v
	}
	if len(items) > n {
		return in.raise(in.t.ValueError, "too many values to unpack (expected %d)", n)
	}
	if len(items) < n {
		return in.raise(in.t.ValueError, "not enough values to unpack (expected %d, got %d)", n, len(items))
	}
	f.pop()
	for i := n - 1; i >= 0; i-- {
		f.push(items[i])
	}
	return nil
}

func (in *interp) unpackIter(x value, f func(value) (bool, error)) error {
	it, err := in.iter(x)
	if err != nil {
		if r, ok := err.(*raised); ok && r.exc.cls == in.t.TypeError {
			err = in.typeError([]value{x}, "cannot unpack non-iterable %s object", in.typeName(x))
		}
		return err
	}
	return in.each(it, f)
}

// unpackStar is a, *b, c = x with before targets before the star and after ones
// after it.
func (in *interp) unpackStar(f *frame, before, after int) error {
	l := &list{}
	mark := in.push(l)
	defer in.pop(mark)
	err := in.unpackIter(f.top(), func(v value) (bool, error) { return true, in.appendTo(l, v) })
	if err != nil {
		return err
	}
	n := len(l.v)
	if n < before+after {
		return in.raise(in.t.ValueError, "not enough values to unpack (expected at least %d, got %d)", before+after, n)
	}
	if err := in.workN(int64(n)); err != nil {
		return err
	}
	f.pop()
	for i := n - 1; i >= n-after; i-- {
		f.push(l.v[i])
	}
	f.push(&list{append([]value(nil), l.v[before:n-after]...)})
	for i := before - 1; i >= 0; i-- {
		f.push(l.v[i])
	}
	return nil
}
