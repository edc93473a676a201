package pyrun

import (
	"strings"

	"kilter/internal/pyast"
)

// importModule returns a module. One that is not implemented can be imported:
// using it is what is unsupported.
func (in *interp) importModule(name string) (*module, error) {
	if m := in.modules[name]; m != nil {
		return m, nil
	}
	m := &module{name: name, ns: map[string]value{}}
	switch name {
	case "math":
		newMath(in, m)
	case "functools":
		newFunctools(in, m)
	case "itertools":
		if err := newItertools(in, m); err != nil {
			return nil, err
		}
	case "typing", "typing_extensions", "collections.abc", "types":
		for _, n := range strings.Fields(typingNames) {
			m.ns[n] = &opaque{what: name + "." + n}
		}
		if name != "typing" {
			m.known = ""
		}
	default:
		m.missing = true
	}
	in.modules[name] = m
	return m, in.alloc(sizeObject)
}

// typingNames are usable in annotations, which are not evaluated, and in aliases.
const typingNames = "Any Callable Dict Final FrozenSet Generator Generic Hashable Iterable Iterator List Literal Mapping MutableMapping " +
	"NoReturn Number Optional ParamSpec Self Sequence Set Sized Tuple Type TypeVar Union Collection Reversible Container " +
	"Deque DefaultDict Counter OrderedDict ClassVar Annotated NewType Protocol SupportsInt SupportsFloat SupportsIndex AnyStr Text " +
	"TypeAlias Never Concatenate MutableSequence MutableSet KeysView ValuesView ItemsView"

// moduleAttr is module.name.
func (in *interp) moduleAttr(m *module, name string) (value, error) {
	if v := m.ns[name]; v != nil {
		return v, nil
	}
	switch {
	case m.missing:
		return nil, unsupported("module %s", m.name)
	case name == "__name__":
		return newStr(m.name), nil
	case m.known == "", dunder(name), strings.Contains(m.known, " "+name+" "):
		return nil, unsupported("%s.%s", m.name, name)
	}
	return nil, in.raise(in.t.AttributeError, "module '%s' has no attribute '%s'", m.name, name)
}

// importName is from m import name.
func (in *interp) importName(m *module, name string) (value, error) {
	if m.missing {
		return &opaque{what: m.name + "." + name, missing: true}, nil
	}
	v, err := in.moduleAttr(m, name)
	if err == nil {
		return v, nil
	}
	if r, ok := err.(*raised); ok && r.exc.cls == in.t.AttributeError {
		return nil, in.raise(in.t.ImportError, "cannot import name '%s' from '%s' (unknown location)", name, m.name)
	}
	if u, ok := err.(*Unsupported); ok { // unsupported once it is used
		return &opaque{what: u.What, missing: true}, nil
	}
	return nil, err
}

func newFunctools(in *interp, m *module) {
	def := func(name string, min, max int, fn builtinFunc, kw ...string) {
		m.ns[name] = &builtin{name: name, min: min, max: max, kw: kw, fn: fn, id: in.newID()}
	}
	wrap := func(in *interp, f value) (value, error) {
		d, err := in.newDict()
		return &cached{f, d}, err
	}
	def("cache", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) { return wrap(in, a[0]) }, "!user_function")
	def("lru_cache", 0, 2, func(in *interp, a []value, kw kwargs) (value, error) {
		if len(a) == 1 {
			switch a[0].(type) {
			case *function, *builtin, *method:
				return wrap(in, a[0])
			}
		}
		if v, ok := kw.get("typed"); ok && v != false || len(a) > 1 {
			return nil, unsupported("lru_cache with typed")
		}
		return &builtin{name: "lru_cache", min: 1, max: 1, id: in.newID(),
			fn: func(in *interp, a []value, _ kwargs) (value, error) { return wrap(in, a[0]) }}, nil
	}, "maxsize", "typed")
	def("wraps", 1, 3, func(in *interp, a []value, _ kwargs) (value, error) {
		of := a[0]
		return &builtin{name: "wraps", min: 1, max: 1, id: in.newID(), fn: func(in *interp, a []value, _ kwargs) (value, error) {
			src, ok1 := of.(*function)
			dst, ok2 := a[0].(*function)
			if !ok1 || !ok2 {
				return nil, unsupported("this use of functools.wraps")
			}
			dst.name = src.name
			return dst, nil
		}}, nil
	})
	def("reduce", 2, 3, func(in *interp, a []value, _ kwargs) (value, error) {
		var acc value
		if len(a) > 2 {
			acc = a[2]
		}
		slot := in.push(acc)
		defer in.pop(slot)
		f := a[0]
		err := in.eachOf(a[1], func(v value) (bool, error) {
			if acc == nil {
				acc = v
			} else {
				var err error
				if acc, err = in.call(f, []value{acc, v}, kwargs{}); err != nil {
					return false, err
				}
			}
			in.temps[slot] = acc
			return true, nil
		})
		if err == nil && acc == nil {
			err = in.raise(in.t.TypeError, "reduce() of empty iterable with no initial value")
		}
		return acc, err
	}, "!initial", "!function", "!sequence")
}

// itertoolsSource is the part of itertools that is implemented, as the manual
// gives it.
const itertoolsSource = `
def count(start=0, step=1):
    while True:
        yield start
        start += step

def cycle(iterable):
    saved = []
    for x in iterable:
        yield x
        saved.append(x)
    while saved:
        for x in saved:
            yield x

def repeat(object, times=None):
    if times is None:
        while True:
            yield object
    for _ in range(times):
        yield object

def chain(*iterables):
    for it in iterables:
        for x in it:
            yield x

def from_iterable(iterables):
    for it in iterables:
        for x in it:
            yield x

chain.from_iterable = from_iterable

def takewhile(predicate, iterable):
    for x in iterable:
        if not predicate(x):
            break
        yield x

def dropwhile(predicate, iterable):
    it = iter(iterable)
    for x in it:
        if not predicate(x):
            yield x
            break
    for x in it:
        yield x

def filterfalse(predicate, iterable):
    for x in iterable:
        if not (x if predicate is None else predicate(x)):
            yield x

def starmap(function, iterable):
    for args in iterable:
        yield function(*args)

def pairwise(iterable):
    it = iter(iterable)
    for a in it:
        for b in it:
            yield a, b
            a = b

def compress(data, selectors):
    for d, s in zip(data, selectors):
        if s:
            yield d

def accumulate(iterable, func=None, *, initial=None):
    it = iter(iterable)
    total = initial
    if initial is None:
        for total in it:
            break
        else:
            return
    yield total
    for x in it:
        total = total + x if func is None else func(total, x)
        yield total

def islice(iterable, *args):
    start, stop, step = 0, None, 1
    if len(args) == 1:
        stop = args[0]
    elif len(args) == 2:
        start, stop = args
    else:
        start, stop, step = args
    start = 0 if start is None else start
    step = 1 if step is None else step
    if start < 0 or stop is not None and stop < 0:
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    if step < 1:
        raise ValueError("Step for islice() must be a positive integer or None.")
    it = iter(iterable)
    i = 0
    while stop is None or i < stop:
        for x in it:
            break
        else:
            return
        if i >= start and (i - start) % step == 0:
            yield x
        i += 1

def product(*iterables, repeat=1):
    pools = [tuple(p) for p in iterables] * repeat
    def go(i):
        if i == len(pools):
            yield ()
            return
        for x in pools[i]:
            for rest in go(i + 1):
                yield (x,) + rest
    return go(0)

def combinations(iterable, r):
    pool = tuple(iterable)
    n = len(pool)
    if r < 0:
        raise ValueError("r must be non-negative")
    def go():
        if r > n:
            return
        indices = list(range(r))
        yield tuple(pool[i] for i in indices)
        while True:
            for i in reversed(range(r)):
                if indices[i] != i + n - r:
                    break
            else:
                return
            indices[i] += 1
            for j in range(i + 1, r):
                indices[j] = indices[j - 1] + 1
            yield tuple(pool[i] for i in indices)
    return go()

def permutations(iterable, r=None):
    pool = tuple(iterable)
    n = len(pool)
    r = n if r is None else r
    def go():
        if r > n:
            return
        indices = list(range(n))
        cycles = list(range(n, n - r, -1))
        yield tuple(pool[i] for i in indices[:r])
        while n:
            for i in reversed(range(r)):
                cycles[i] -= 1
                if cycles[i] == 0:
                    indices[i:] = indices[i + 1:] + indices[i:i + 1]
                    cycles[i] = n - i
                else:
                    j = cycles[i]
                    indices[i], indices[-j] = indices[-j], indices[i]
                    yield tuple(pool[i] for i in indices[:r])
                    break
            else:
                return
    return go()
`

// newItertools executes itertoolsSource with global variables of its own.
func newItertools(in *interp, m *module) error {
	m.known = " batched combinations_with_replacement groupby tee zip_longest "
	f, err := pyast.Parse(itertoolsSource)
	if err != nil {
		return err
	}
	slots, defined := in.slots, in.defined
	in.slots = map[string]int32{}
	defer func() { in.slots, in.defined = slots, defined }()
	c, err := compile(in, f, true)
	if err != nil {
		return err
	}
	if _, err := in.runModule(c); err != nil {
		return err
	}
	for name, slot := range in.slots {
		if v := in.globals[slot]; v != nil && name != "from_iterable" {
			m.ns[name] = v
		}
	}
	return nil
}
