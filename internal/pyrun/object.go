package pyrun

import "math/big"

// value is a Python object:
//
//	None, Ellipsis, NotImplemented   noneType, ellipsisType, notImplType
//	bool                             bool
//	int                              int64, or *big.Int when it does not fit
//	float                            float64
//	str, list, tuple, dict, set …    *str, *list, *tuple, *dict, *set …
//
// A nil value means "unbound" and never reaches a program.
type value any

type (
	noneType     struct{}
	ellipsisType struct{}
	notImplType  struct{}
	noDefault    struct{} // a parameter without a default
)

// str is a string; n is its length in code points, so n == len(s) means ASCII.
type str struct {
	s string
	n int
}

func (s *str) ascii() bool { return s.n == len(s.s) }

type list struct{ v []value }

type tuple struct{ v []value }

// rng is a range; length is the number of its items.
type rng struct{ start, stop, step, length int64 }

// slice is what a[lo:hi:step] passes to a.
type slice struct{ lo, hi, step value }

// cell is a variable that is shared with an inner function.
type cell struct{ v value }

// function is a function that was defined in Python.
type function struct {
	code     *code
	defaults []value // one per named parameter, noDefault where there is none; or empty
	closure  []value // *cell
	attrs    map[string]value
	name     string
	id       int64
}

// builtin is a function implemented in Go. For a method, args[0] is the object
// and recv its class.
type builtin struct {
	name     string
	recv     *class
	min, max int      // number of positional arguments, with the object; max -1: any
	kw       []string // names it takes; with "!" in front: that CPython takes
	fn       func(in *interp, args []value, kw kwargs) (value, error)
	id       int64
}

// kwargs are named arguments.
type kwargs struct {
	names []string
	vals  []value
}

func (k kwargs) get(name string) (value, bool) {
	for i, n := range k.names {
		if n == name {
			return k.vals[i], true
		}
	}
	return nil, false
}

// method is a function bound to an object.
type method struct {
	self value
	fn   value // *function, *builtin or whatever the class holds
}

// class is a type: built in, or defined in Python.
type class struct {
	name  string
	qual  string
	base  *class // nil for object
	ns    map[string]value
	user  bool // defined in Python
	exc   bool // an exception
	depth int  // number of user classes above
	new   func(in *interp, args []value, kw kwargs) (value, error)
	id    int64
	known string // names that CPython has and ns lacks, each between spaces
}

func (c *class) isSub(of *class) bool {
	for ; c != nil; c = c.base {
		if c == of {
			return true
		}
	}
	return false
}

// find looks a name up in the class and its bases.
func (c *class) find(name string) (value, bool) {
	for ; c != nil; c = c.base {
		if v, ok := c.ns[name]; ok {
			return v, true
		}
	}
	return nil, false
}

// instance is an object of a class defined in Python, or an exception.
type instance struct {
	cls   *class
	attrs map[string]value
	args  []value // of an exception
	line  int     // where an exception was raised
	id    int64
}

// property, static and classMethod are the three descriptors.
type (
	property    struct{ get, set value }
	static      struct{ fn value }
	classMethod struct{ fn value }
)

// superObj is super() inside a method.
type superObj struct {
	self  value
	start *class // where the lookup starts
}

// module is an importable module. One that is not implemented has missing set:
// importing it is fine, using it is not.
type module struct {
	name    string
	ns      map[string]value
	known   string
	missing bool
}

// opaque is a value that only annotations and declarations use, such as
// typing.List, or a name from a module that is not implemented.
type opaque struct {
	what    string
	missing bool // any use is unsupported
}

// cached is a function under functools.lru_cache.
type cached struct {
	fn   value
	memo *dict
}

// generator is a suspended call.
type generator struct {
	f       *frame
	running bool
	done    bool
	name    string
}

// norm returns the smallest representation of an integer.
func norm(b *big.Int) value {
	if b.IsInt64() {
		return b.Int64()
	}
	return b
}

func newStr(s string) *str {
	n := 0
	for i := range len(s) {
		if s[i]&0xC0 != 0x80 {
			n++
		}
	}
	return &str{s, n}
}
