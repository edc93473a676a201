package pyrun

// dict keeps its entries in order of insertion.
type dict struct {
	entries []entry
	index   map[hkey]int // into entries
}

// entry is a pair; a deleted one stays, not live, until the next compaction.
type entry struct {
	key, val value
	k        hkey
	live     bool
}

func (d *dict) trace(m *measurer) {
	m.bytes += int64(cap(d.entries))*sizeEntry/2 + int64(len(d.index))*sizeEntry/2
	for i := range d.entries {
		m.add(d.entries[i].key)
		m.add(d.entries[i].val)
	}
}

func (in *interp) newDict() (*dict, error) {
	return &dict{index: map[hkey]int{}}, in.alloc(2 * sizeObject)
}

func (in *interp) dictGet(d *dict, key value) (value, bool, error) {
	k, err := in.key(key)
	if err != nil {
		return nil, false, err
	}
	if i, ok := d.index[k]; ok {
		return d.entries[i].val, true, nil
	}
	return nil, false, nil
}

func (in *interp) dictSet(d *dict, key, val value) error {
	k, err := in.key(key)
	if err != nil {
		return err
	}
	if i, ok := d.index[k]; ok {
		d.entries[i].val = val
		return nil
	}
	if err := in.alloc(sizeEntry + int64(len(k.s))); err != nil {
		return err
	}
	d.index[k] = len(d.entries)
	d.entries = append(d.entries, entry{key, val, k, true})
	return nil
}

// dictDel removes a key and returns its value.
func (in *interp) dictDel(d *dict, key value) (value, bool, error) {
	k, err := in.key(key)
	if err != nil {
		return nil, false, err
	}
	i, ok := d.index[k]
	if !ok {
		return nil, false, nil
	}
	v := d.entries[i].val
	return v, true, in.dictDelAt(d, i)
}

func (in *interp) dictDelAt(d *dict, i int) error {
	delete(d.index, d.entries[i].k)
	d.entries[i] = entry{}
	n := len(d.entries)
	for n > 0 && !d.entries[n-1].live {
		n--
	}
	d.entries = d.entries[:n]
	if n > 32 && n > 4*len(d.index) {
		return in.compact(d)
	}
	return nil
}

// compact drops deleted entries. Iterators notice by the changed length of the
// dict, which every deletion changes.
func (in *interp) compact(d *dict) error {
	if err := in.charge(int64(len(d.entries)) / 4); err != nil {
		return err
	}
	kept := make([]entry, 0, 2*len(d.index))
	for _, e := range d.entries {
		if e.live {
			d.index[e.k] = len(kept)
			kept = append(kept, e)
		}
	}
	d.entries = kept
	return nil
}

func (in *interp) dictUpdate(d, src *dict) error {
	for i := 0; i < len(src.entries); i++ {
		if e := src.entries[i]; e.live {
			if err := in.charge(1); err != nil {
				return err
			}
			if err := in.dictSet(d, e.key, e.val); err != nil {
				return err
			}
		}
	}
	return nil
}

type viewKind uint8

const (
	viewKeys viewKind = iota
	viewValues
	viewItems
)

// dictView is d.keys(), d.values() or d.items().
type dictView struct {
	d    *dict
	kind viewKind
}

func (v *dictView) typeName() string {
	return [...]string{"dict_keys", "dict_values", "dict_items"}[v.kind]
}

func (v *dictView) trace(m *measurer) { m.add(v.d) }

// dictIter iterates over a dict.
type dictIter struct {
	d       *dict
	kind    viewKind
	i, size int
	reverse bool
}

func (it *dictIter) typeName() string {
	if it.reverse {
		return [...]string{"dict_reversekeyiterator", "dict_reversevalueiterator", "dict_reverseitemiterator"}[it.kind]
	}
	return [...]string{"dict_keyiterator", "dict_valueiterator", "dict_itemiterator"}[it.kind]
}

func (it *dictIter) trace(m *measurer) { m.add(it.d) }

func (it *dictIter) next(in *interp) (value, bool, error) {
	if it.d == nil {
		return nil, false, nil
	}
	if len(it.d.index) != it.size {
		it.size = -1
		return nil, false, in.raise(in.t.RuntimeError, "dictionary changed size during iteration")
	}
	for it.i >= 0 && it.i < len(it.d.entries) {
		e := it.d.entries[it.i]
		if it.reverse {
			it.i--
		} else {
			it.i++
		}
		if !e.live {
			if err := in.charge(1); err != nil {
				return nil, false, err
			}
			continue
		}
		switch it.kind {
		case viewKeys:
			return e.key, true, nil
		case viewValues:
			return e.val, true, nil
		}
		if err := in.alloc(sizeObject + 2*sizeSlot); err != nil {
			return nil, false, err
		}
		return &tuple{[]value{e.key, e.val}}, true, nil
	}
	it.d = nil
	return nil, false, nil
}
