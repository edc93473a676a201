package pyrun

import "math/big"

// Sizes that are announced and measured, in bytes. They are rough, and not below
// what Go uses.
const (
	sizeSlot   = 24 // of a list, with room to grow and a boxed number
	sizeObject = 64
	sizeEntry  = 160 // of a dict or a set, with its key
	sizeFrame  = 256
)

// alloc announces an allocation of n bytes before it is made. When the limit
// comes near, what is still in use is measured.
func (in *interp) alloc(n int64) error {
	if n < 0 || n > in.lim.Bytes {
		return ErrMemory
	}
	in.pending += n
	if in.live+in.pending <= in.lim.Bytes {
		return nil
	}
	m := &measurer{seen: map[any]struct{}{}}
	in.roots(m)
	m.run()
	if err := in.charge(m.visits / 4); err != nil {
		return err
	}
	// A quarter must be free after a measurement, so that they stay rare.
	if m.bytes+n > in.lim.Bytes/4*3 {
		return ErrMemory
	}
	in.live, in.pending = m.bytes, n
	return nil
}

// allocN announces n items of the given size.
func (in *interp) allocN(n int64, size int64) error {
	if n < 0 || n > in.lim.Bytes/size {
		return ErrMemory
	}
	return in.alloc(n * size)
}

// roots visits everything that a program can still reach.
func (in *interp) roots(m *measurer) {
	m.list(in.globals)
	m.list(in.temps)
	for _, f := range in.frames {
		m.frame(f)
	}
	for _, mod := range in.modules {
		m.names(mod.ns)
	}
	m.bytes += int64(in.out.Cap())
}

// traced is implemented by the objects that hold others, besides the common ones
// that measurer.one knows.
type traced interface{ trace(m *measurer) }

// measurer adds up the sizes of all values that it is shown and of those they
// hold. It works from a list, not by recursion, because values nest deeply.
type measurer struct {
	bytes  int64
	visits int64
	seen   map[any]struct{}
	work   []value
}

func (m *measurer) run() {
	for len(m.work) > 0 {
		v := m.work[len(m.work)-1]
		m.work = m.work[:len(m.work)-1]
		m.one(v)
	}
}

// first reports whether an object is shown for the first time.
func (m *measurer) first(p any) bool {
	m.visits++
	if _, ok := m.seen[p]; ok {
		return false
	}
	m.seen[p] = struct{}{}
	return true
}

func (m *measurer) add(v value) {
	m.visits++
	switch v := v.(type) {
	case nil, noneType, bool, int64, float64: // counted with the slot that holds it
	case *str:
		if len(v.s) < 64 {
			m.bytes += 48 + int64(len(v.s))
		} else if m.first(v) {
			m.bytes += 48 + int64(len(v.s))
		}
	case *big.Int:
		if m.first(v) {
			m.bytes += 48 + int64(len(v.Bits()))*8
		}
	default:
		m.work = append(m.work, v)
	}
}

func (m *measurer) list(vs []value) {
	m.bytes += int64(cap(vs)) * sizeSlot
	for _, v := range vs {
		m.add(v)
	}
}

func (m *measurer) names(ns map[string]value) {
	m.bytes += int64(len(ns)) * 64
	for _, v := range ns {
		m.add(v)
	}
}

func (m *measurer) frame(f *frame) {
	if !m.first(f) {
		return
	}
	m.bytes += sizeFrame
	m.list(f.locals)
	m.list(f.stack)
	m.list(f.cells)
	m.names(f.ns)
	for _, e := range f.excs {
		m.add(e)
	}
}

func (m *measurer) one(v value) {
	switch v := v.(type) {
	case *builtin, *opaque, *module, ellipsisType, notImplType, noDefault:
		return
	case *list:
		if m.first(v) {
			m.bytes += sizeObject
			m.list(v.v)
		}
	case *tuple:
		if m.first(v) {
			m.bytes += sizeObject
			m.list(v.v)
		}
	case *cell:
		if m.first(v) {
			m.bytes += sizeObject
			m.add(v.v)
		}
	case *instance:
		if m.first(v) {
			m.bytes += 2 * sizeObject
			m.names(v.attrs)
			m.list(v.args)
		}
	case *class:
		if m.first(v) && v.user {
			m.bytes += 2 * sizeObject
			m.names(v.ns)
			m.add(v.base)
		}
	case *function:
		if m.first(v) {
			m.bytes += 2 * sizeObject
			m.list(v.defaults)
			m.list(v.closure)
			m.names(v.attrs)
		}
	case *method:
		m.bytes += sizeObject
		m.add(v.self)
		m.add(v.fn)
	case *generator:
		if m.first(v) {
			m.bytes += sizeObject
			if v.f != nil {
				m.frame(v.f)
			}
		}
	case *cached:
		m.add(v.fn)
		m.add(v.memo)
	case *property:
		m.add(v.get)
		m.add(v.set)
	case *static:
		m.add(v.fn)
	case *classMethod:
		m.add(v.fn)
	case *superObj:
		m.add(v.self)
	case *slice:
		m.bytes += sizeObject
		m.add(v.lo)
		m.add(v.hi)
		m.add(v.step)
	case traced:
		if m.first(v) {
			m.bytes += sizeObject
			v.trace(m)
		}
	default:
		m.bytes += sizeObject
	}
}
