package pyrun

import (
	"bytes"
	"context"
	"fmt"
)

// interp executes one module.
type interp struct {
	lim Limits

	// Steps are handed out in portions, so that the loop only counts down.
	fuel   int64 // steps left in the portion
	left   int64 // steps left after it
	ctx    context.Context
	depth  int // of Python calls
	nest   int // of walks over nested values
	native int // of builtins in builtins

	live    int64 // bytes of the values when last measured
	pending int64 // bytes announced since

	frames  []*frame // active, innermost last
	temps   []value  // values that only a builtin holds
	globals []value  // by slot
	names   []string // of the slots
	slots   map[string]int32
	defined []string // names of functions bound at module level, in order
	lastID  int64

	t         *types
	fallback  []value // builtins by global slot
	builtins  map[string]value
	modules   map[string]*module
	out       bytes.Buffer
	truncated bool
	chars     [128]*str // strings of one ASCII character
}

func newInterp(lim Limits) *interp {
	in := &interp{lim: lim, slots: map[string]int32{}, modules: map[string]*module{}}
	for i := range in.chars {
		in.chars[i] = &str{string(rune(i)), 1}
	}
	in.t = newTypes(in)
	in.builtins = newBuiltins(in)
	in.setGlobal("__name__", newStr("kilter"))
	return in
}

// begin starts a run with a full tank.
func (in *interp) begin(ctx context.Context) {
	in.ctx = ctx
	in.left, in.fuel = in.lim.Steps, 0
	in.depth, in.nest, in.native = 0, 0, 0
	in.frames, in.temps = in.frames[:0], in.temps[:0]
}

const portion = 4096

// charge pays for n steps of work before it is done.
func (in *interp) charge(n int64) error {
	if in.fuel -= n; in.fuel < 0 {
		return in.refill()
	}
	return nil
}

// refill hands out the next portion of steps.
func (in *interp) refill() error {
	if err := in.ctx.Err(); err != nil {
		in.fuel, in.left = 0, 0
		return err
	}
	if in.left += in.fuel; in.left <= 0 {
		in.fuel, in.left = 0, 0
		return ErrSteps
	}
	in.fuel = min(in.left, portion)
	in.left -= in.fuel
	return nil
}

func (in *interp) newID() int64 {
	in.lastID++
	return in.lastID
}

// globalSlot returns the slot of a global variable.
func (in *interp) globalSlot(name string) int32 {
	if i, ok := in.slots[name]; ok {
		return i
	}
	i := int32(len(in.globals))
	in.slots[name] = i
	in.names = append(in.names, name)
	in.globals = append(in.globals, nil)
	in.fallback = append(in.fallback, in.builtins[name])
	return i
}

func (in *interp) setGlobal(name string, v value) {
	in.globals[in.globalSlot(name)] = v
}

func unsupported(format string, args ...any) error {
	return &Unsupported{What: fmt.Sprintf(format, args...)}
}

// raised carries a Python exception through Go.
type raised struct{ exc *instance }

func (r *raised) Error() string { return r.exc.cls.name }

// raise makes a Python exception of a built-in class.
func (in *interp) raise(c *class, format string, args ...any) error {
	return &raised{&instance{cls: c, args: []value{newStr(fmt.Sprintf(format, args...))}, id: in.newID()}}
}

// typeError is a TypeError about some operands, unless one of them is something
// that is not implemented: then nothing is known.
func (in *interp) typeError(operands []value, format string, args ...any) error {
	for _, v := range operands {
		if err := in.known(v); err != nil {
			return err
		}
	}
	return in.raise(in.t.TypeError, format, args...)
}

// known refuses placeholders.
func (in *interp) known(v value) error {
	switch v := v.(type) {
	case *opaque:
		return unsupported("%s", v.what)
	case *module:
		if v.missing {
			return unsupported("module %s", v.name)
		}
	}
	return nil
}

// push keeps a value alive, for the measuring of memory, while only Go code holds
// it; the result is to be passed to pop.
func (in *interp) push(v value) int {
	in.temps = append(in.temps, v)
	return len(in.temps) - 1
}

func (in *interp) pop(mark int) {
	clear(in.temps[mark:])
	in.temps = in.temps[:mark]
}

// maxNest bounds walks over nested values: comparing, printing, hashing. CPython's
// limit is the same.
const maxNest = 1000

// maxNative bounds the nesting of calls between builtins that no Python call
// interrupts, such as the iterators filter(f, filter(f, …)). CPython has no limit
// but its stack.
const maxNative = 10000

func (in *interp) descend() error {
	if in.native >= maxNative {
		return ErrDepth
	}
	in.native++
	return nil
}

func (in *interp) ascend() { in.native-- }

// enter bounds the recursion of a walk over nested values.
func (in *interp) enter() error {
	if in.nest >= maxNest {
		return in.raise(in.t.RecursionError, "maximum recursion depth exceeded")
	}
	in.nest++
	return nil
}
