package pyrun

import "kilter/internal/pyast"

// set is a set or a frozenset. Its table works exactly as CPython's
// (Objects/setobject.c), because programs see the order of the items.
type set struct {
	table  []setEntry // the length is a power of two
	used   int        // items
	fill   int        // items and dummies
	finger int        // where pop looks next
	frozen bool
}

// setEntry is used when it has a value; without one, hash -1 marks a dummy, which
// once had one.
type setEntry struct {
	hash int64
	val  value
}

func (e *setEntry) used() bool  { return e.val != nil }
func (e *setEntry) dummy() bool { return e.val == nil && e.hash == -1 }

func (s *set) trace(m *measurer) {
	m.bytes += int64(len(s.table)) * sizeSlot
	for i := range s.table {
		m.add(s.table[i].val)
	}
}

const (
	setMinSize   = 8
	linearProbes = 9
	perturbShift = 5
)

func (in *interp) newSet() (*set, error) {
	if err := in.alloc(sizeObject + setMinSize*sizeSlot); err != nil {
		return nil, err
	}
	return &set{table: make([]setEntry, setMinSize)}, nil
}

// find returns the entry for a key, or the one where it would go: the last dummy
// on the way to the first free one, or that one.
func (in *interp) find(s *set, hash int64, k hkey) (*setEntry, error) {
	var dummy *setEntry
	mask := uint64(len(s.table) - 1)
	perturb := uint64(hash)
	i := perturb & mask
	for {
		probes := uint64(0)
		if i+linearProbes <= mask {
			probes = linearProbes
		}
		for j := i; j <= i+probes; j++ {
			e := &s.table[j]
			switch {
			case e.used():
				if e.hash != hash {
					continue
				}
				if eq, err := in.hasKey(e.val, k); err != nil || eq {
					return e, err
				}
			case e.dummy():
				dummy = e
			case dummy != nil:
				return dummy, nil
			default:
				return e, nil
			}
		}
		if err := in.charge(1); err != nil {
			return nil, err
		}
		perturb >>= perturbShift
		i = (i*5 + 1 + perturb) & mask
	}
}

// hasKey reports whether k is the key of v.
func (in *interp) hasKey(v value, k hkey) (bool, error) {
	switch v := v.(type) {
	case int64:
		return k.kind == keyInt && k.n == v, nil
	case *str:
		return k.kind == keyStr && k.s == v.s, nil
	}
	if err := in.charge(4); err != nil {
		return false, err
	}
	key, err := in.key(v)
	return key == k, err
}

// insertClean inserts into a table without this key and without dummies.
func insertClean(table []setEntry, e setEntry) {
	mask := uint64(len(table) - 1)
	perturb := uint64(e.hash)
	i := perturb & mask
	for {
		probes := uint64(0)
		if i+linearProbes <= mask {
			probes = linearProbes
		}
		for j := i; j <= i+probes; j++ {
			if !table[j].used() {
				table[j] = e
				return
			}
		}
		perturb >>= perturbShift
		i = (i*5 + 1 + perturb) & mask
	}
}

func (in *interp) setResize(s *set, minUsed int) error {
	size := setMinSize
	for size <= minUsed {
		size <<= 1
	}
	if err := in.allocN(int64(size), sizeSlot); err != nil {
		return err
	}
	if err := in.charge(int64(len(s.table)+size) / 4); err != nil {
		return err
	}
	table := make([]setEntry, size)
	for i := range s.table {
		if s.table[i].used() {
			insertClean(table, s.table[i])
		}
	}
	s.table, s.fill = table, s.used
	return nil
}

func (in *interp) setAdd(s *set, v value) error {
	k, err := in.key(v)
	if err != nil {
		return err
	}
	return in.setAddEntry(s, setEntry{in.hashOf(v), v}, k)
}

// setCopyEntry adds an entry of another set.
func (in *interp) setCopyEntry(s *set, n setEntry) error {
	k, err := in.key(n.val)
	if err != nil {
		return err
	}
	return in.setAddEntry(s, n, k)
}

// findEntry finds the entry of s for an entry of another set.
func (in *interp) findEntry(s *set, n setEntry) (*setEntry, error) {
	k, err := in.key(n.val)
	if err != nil {
		return nil, err
	}
	return in.find(s, n.hash, k)
}

func (in *interp) setAddEntry(s *set, n setEntry, k hkey) error {
	e, err := in.find(s, n.hash, k)
	if err != nil || e.used() {
		return err
	}
	s.used++
	if e.dummy() {
		*e = n
		return nil
	}
	*e = n
	s.fill++
	if s.fill*5 < (len(s.table)-1)*3 {
		return nil
	}
	if s.used > 50000 {
		return in.setResize(s, s.used*2)
	}
	return in.setResize(s, s.used*4)
}

func (in *interp) setHas(s *set, v value) (bool, error) {
	if x, ok := v.(*set); ok && !x.frozen { // a set is looked up as a frozenset
		v = &set{table: x.table, used: x.used, frozen: true}
	}
	k, err := in.key(v)
	if err != nil {
		return false, err
	}
	h := in.hashOf(v)
	e, err := in.find(s, h, k)
	return err == nil && e.used(), err
}

// setDiscard reports whether the value was there.
func (in *interp) setDiscard(s *set, v value) (bool, error) {
	k, err := in.key(v)
	if err != nil {
		return false, err
	}
	return in.setDiscardKey(s, in.hashOf(v), k)
}

func (in *interp) setDiscardEntry(s *set, n setEntry) (bool, error) {
	k, err := in.key(n.val)
	if err != nil {
		return false, err
	}
	return in.setDiscardKey(s, n.hash, k)
}

func (in *interp) setDiscardKey(s *set, h int64, k hkey) (bool, error) {
	e, err := in.find(s, h, k)
	if err != nil || !e.used() {
		return false, err
	}
	*e = setEntry{hash: -1}
	s.used--
	return true, nil
}

// setUpdate adds the items of any iterable.
func (in *interp) setUpdate(s *set, v value) error {
	switch o := v.(type) {
	case *set:
		return in.setMerge(s, o)
	case *dict:
		n := len(o.index)
		if (s.fill+n)*5 >= (len(s.table)-1)*3 {
			if err := in.setResize(s, (s.used+n)*2); err != nil {
				return err
			}
		}
	}
	return in.eachOf(v, func(x value) (bool, error) { return true, in.setAdd(s, x) })
}

func (in *interp) setMerge(s, o *set) error {
	if s == o || o.used == 0 {
		return nil
	}
	if (s.fill+o.used)*5 >= (len(s.table)-1)*3 {
		if err := in.setResize(s, (s.used+o.used)*2); err != nil {
			return err
		}
	}
	if err := in.charge(int64(len(o.table)) / 4); err != nil {
		return err
	}
	if s.fill == 0 {
		if len(s.table) == len(o.table) && o.fill == o.used {
			copy(s.table, o.table)
		} else {
			for _, e := range o.table {
				if e.used() {
					insertClean(s.table, e)
				}
			}
		}
		s.fill, s.used = o.used, o.used
		return nil
	}
	for _, e := range o.table {
		if e.used() {
			if err := in.setCopyEntry(s, e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (in *interp) setCopy(s *set) (*set, error) {
	c, err := in.newSet()
	if err != nil {
		return nil, err
	}
	c.frozen = s.frozen
	return c, in.setMerge(c, s)
}

// setOp is a | b, a & b, a - b or a ^ b.
func (in *interp) setOp(op pyast.Operator, a, b *set) (value, error) {
	switch op {
	case pyast.BitOr:
		c, err := in.setCopy(a)
		if err == nil {
			err = in.setMerge(c, b)
		}
		return c, err
	case pyast.BitAnd:
		return in.setIntersect(a, b)
	case pyast.Sub:
		return in.setDifference(a, b)
	}
	c, err := in.setCopy(b)
	if err != nil {
		return nil, err
	}
	c.frozen = a.frozen
	return c, in.setSymmetricUpdate(c, a)
}

func (in *interp) setIntersect(a, b *set) (*set, error) {
	if a == b {
		return in.setCopy(a)
	}
	c, err := in.newSet()
	if err != nil {
		return nil, err
	}
	c.frozen = a.frozen
	if b.used > a.used {
		a, b = b, a
	}
	for _, e := range b.table {
		if !e.used() {
			continue
		}
		if err := in.charge(1); err != nil {
			return nil, err
		}
		f, err := in.findEntry(a, e)
		if err != nil {
			return nil, err
		}
		if f.used() {
			if err := in.setCopyEntry(c, e); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

func (in *interp) setDifference(a, b *set) (*set, error) {
	if a.used>>2 > b.used {
		c, err := in.setCopy(a)
		if err == nil {
			err = in.setDifferenceUpdate(c, b)
		}
		return c, err
	}
	c, err := in.newSet()
	if err != nil {
		return nil, err
	}
	c.frozen = a.frozen
	for _, e := range a.table {
		if !e.used() {
			continue
		}
		if err := in.charge(1); err != nil {
			return nil, err
		}
		f, err := in.findEntry(b, e)
		if err != nil {
			return nil, err
		}
		if !f.used() {
			if err := in.setCopyEntry(c, e); err != nil {
				return nil, err
			}
		}
	}
	return c, nil
}

func (in *interp) setDifferenceUpdate(s, o *set) error {
	if s == o {
		s.clear()
		return nil
	}
	for _, e := range o.table {
		if !e.used() {
			continue
		}
		if err := in.charge(1); err != nil {
			return err
		}
		if _, err := in.setDiscardEntry(s, e); err != nil {
			return err
		}
	}
	return in.setShrink(s)
}

// setShrink resizes dummies away when there are many.
func (in *interp) setShrink(s *set) error {
	if s.fill-s.used <= (len(s.table)-1)/4 {
		return nil
	}
	if s.used > 50000 {
		return in.setResize(s, s.used*2)
	}
	return in.setResize(s, s.used*4)
}

func (in *interp) setIntersectUpdate(s, o *set) error {
	c, err := in.setIntersect(s, o)
	if err == nil {
		s.table, s.used, s.fill = c.table, c.used, c.fill
	}
	return err
}

func (in *interp) setSymmetricUpdate(s, o *set) error {
	if s == o {
		s.clear()
		return nil
	}
	for _, e := range o.table {
		if !e.used() {
			continue
		}
		if err := in.charge(1); err != nil {
			return err
		}
		had, err := in.setDiscardEntry(s, e)
		if err != nil {
			return err
		}
		if !had {
			if err := in.setCopyEntry(s, e); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *set) clear() {
	*s = set{table: make([]setEntry, setMinSize), frozen: s.frozen}
}

func (in *interp) isSubset(a, b *set) (bool, error) {
	if a.used > b.used {
		return false, nil
	}
	for _, e := range a.table {
		if !e.used() {
			continue
		}
		if err := in.charge(1); err != nil {
			return false, err
		}
		f, err := in.findEntry(b, e)
		if err != nil || !f.used() {
			return false, err
		}
	}
	return true, nil
}

// setPop removes and returns an item; the set is not empty.
func (in *interp) setPop(s *set) (value, error) {
	mask := len(s.table) - 1
	i := s.finger & mask
	for n := 0; !s.table[i].used(); n++ {
		if n%64 == 63 {
			if err := in.charge(1); err != nil {
				return nil, err
			}
		}
		i = (i + 1) & mask
	}
	v := s.table[i].val
	s.table[i] = setEntry{hash: -1}
	s.used--
	s.finger = i + 1
	return v, nil
}

// setIter iterates over a set.
type setIter struct {
	s       *set
	i, used int
}

func (it *setIter) typeName() string  { return "set_iterator" }
func (it *setIter) trace(m *measurer) { m.add(it.s) }

func (it *setIter) next(in *interp) (value, bool, error) {
	if it.s == nil {
		return nil, false, nil
	}
	if it.used != it.s.used {
		it.used = -1
		return nil, false, in.raise(in.t.RuntimeError, "Set changed size during iteration")
	}
	for it.i < len(it.s.table) {
		e := it.s.table[it.i]
		it.i++
		if e.used() {
			return e.val, true, nil
		}
		if it.i%64 == 63 {
			if err := in.charge(1); err != nil {
				return nil, false, err
			}
		}
	}
	it.s = nil
	return nil, false, nil
}
