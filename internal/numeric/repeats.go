package numeric

// repeats watches pieces of equal length, such as the rows of a tensor, for
// those whose elements are all the same or all zero. Nearly every row shows in
// its first bytes that it is neither; the rest of it costs nothing.
type repeats struct {
	length int64  // bytes of a row
	size   int    // bytes of an element
	tensor bool   // the row is all of a tensor, whose first element matters
	ignore uint64 // which bits of a word of elements a zero may have set: signs

	at         int64 // bytes of the current row that came by
	same, zero bool  // the current row, as far as it came by
	first      [256]byte

	done, zeros, consts int64 // whole rows; rows of zeros; rows of one value
}

func newRepeats(d DType, length int64) repeats {
	r := repeats{length: length, size: d.BlockBytes(), same: true, zero: true}
	switch d {
	case F16, BF16, F32, F64, F8E4M3, F8E5M2:
		l := lanesOf(d)
		r.ignore = l.high
	case F4:
		r.ignore = 0x8888888888888888
	}
	return r
}

// feed takes the next bytes.
func (r *repeats) feed(b []byte) {
	for len(b) > 0 {
		n := int(min(int64(len(b)), r.length-r.at))
		if r.at == 0 && !r.tensor && r.clearlyNeither(b[:n]) {
			r.same, r.zero = false, false
		}
		if r.same || r.zero {
			r.compare(b[:n])
		}
		r.at += int64(n)
		b = b[n:]
		if r.at < r.length {
			continue
		}
		r.done++
		if r.zero {
			r.zeros++
		}
		if r.same {
			r.consts++
		}
		r.at, r.same, r.zero = 0, true, true
	}
}

// clearlyNeither says that a row is neither constant nor zero, from two words of
// its beginning; false if that does not show at once. Two words a whole number
// of elements apart are equal in a constant row.
func (r *repeats) clearlyNeither(b []byte) bool {
	apart := max(r.size, 8)
	if len(b) < apart+8 {
		return false
	}
	u := le.Uint64(b)
	return u != le.Uint64(b[apart:]) && u&^r.ignore != 0
}

// compare looks at bytes of a row that may still be constant or zero.
func (r *repeats) compare(b []byte) {
	pos := int(r.at % int64(r.size)) // in the element
	at := r.at
	for len(b) > 0 && (r.same || r.zero) {
		if pos == 0 && at >= int64(r.size) && 8%r.size == 0 && len(b) >= 8 {
			b = r.compareWords(b)
			at = int64(r.size) // all that matters is that the first element is known
			if len(b) == 0 {
				return
			}
		}
		c := b[0]
		b = b[1:]
		if at < int64(r.size) {
			r.first[pos] = c
		} else if c != r.first[pos] {
			r.same = false
		}
		if c&^byte(r.ignore>>(pos%8*8)) != 0 {
			r.zero = false
		}
		at++
		if pos++; pos == r.size {
			pos = 0
		}
	}
}

// compareWords compares whole words and returns what it did not look at.
func (r *repeats) compareWords(b []byte) []byte {
	var pattern [8]byte
	for i := range pattern {
		pattern[i] = r.first[i%r.size]
	}
	want := le.Uint64(pattern[:])
	for len(b) >= 8 && (r.same || r.zero) {
		u := le.Uint64(b)
		if u != want {
			r.same = false
		}
		if u&^r.ignore != 0 {
			r.zero = false
		}
		b = b[8:]
	}
	return b
}

// hash returns FNV-1a of the first element, or of what came by of it.
func (r *repeats) hash() uint64 {
	h := uint64(14695981039346656037)
	for _, c := range r.first[:min(int64(r.size), r.at)] {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return h
}
