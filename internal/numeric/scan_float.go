package numeric

import "math/bits"

// floats scans whole units of a float type.
func (s *Scanner) floats(b []byte) {
	mask, high := s.lanes.mask, s.lanes.high
	for len(b) >= scanUnit {
		unit := b[:scanUnit]
		b = b[scanUnit:]
		s.sample(unit)
		if s.stats.Negative < NegativeCap && anySign(unit, high) {
			for w := unit; len(w) >= 8; w = w[8:] {
				s.countNegative(le.Uint64(w), 64/int(s.lanes.width))
			}
		}
		geNew, geOld, busy := s.lanes.geNew, s.lanes.geOld, s.busy()
		for len(unit) >= 64 {
			w := (*[64]byte)(unit)
			// One value at a time keeps all of it in registers.
			v := le.Uint64(w[0:]) & mask
			large, usual := v+geNew, v+geOld
			v = le.Uint64(w[8:]) & mask
			large, usual = large|(v+geNew), usual&(v+geOld)
			v = le.Uint64(w[16:]) & mask
			large, usual = large|(v+geNew), usual&(v+geOld)
			v = le.Uint64(w[24:]) & mask
			large, usual = large|(v+geNew), usual&(v+geOld)
			v = le.Uint64(w[32:]) & mask
			large, usual = large|(v+geNew), usual&(v+geOld)
			v = le.Uint64(w[40:]) & mask
			large, usual = large|(v+geNew), usual&(v+geOld)
			v = le.Uint64(w[48:]) & mask
			large, usual = large|(v+geNew), usual&(v+geOld)
			v = le.Uint64(w[56:]) & mask
			large, usual = large|(v+geNew), usual&(v+geOld)
			if (large|^usual)&high|busy != 0 {
				s.words(w)
				geNew, geOld, busy = s.lanes.geNew, s.lanes.geOld, s.busy()
			}
			unit = unit[64:]
		}
	}
}

// anySign says whether any lane of a unit has its top bit set.
func anySign(unit []byte, high uint64) bool {
	var u uint64
	for ; len(unit) >= 32; unit = unit[32:] {
		w := (*[32]byte)(unit)
		u |= le.Uint64(w[0:]) | le.Uint64(w[8:]) | le.Uint64(w[16:]) | le.Uint64(w[24:])
	}
	return u&high != 0
}

// busy is not zero while a run of zeros is open, or none but zeros were seen:
// then the next word must be taken apart even if it holds nothing new.
func (s *Scanner) busy() uint64 {
	if s.run != 0 || !s.seen {
		return 1
	}
	return 0
}

// words takes apart the eight words of which at least one holds something new.
func (s *Scanner) words(b *[64]byte) {
	lanes := 64 / int(s.lanes.width)
	if le.Uint64(b[0:])|le.Uint64(b[8:])|le.Uint64(b[16:])|le.Uint64(b[24:])|
		le.Uint64(b[32:])|le.Uint64(b[40:])|le.Uint64(b[48:])|le.Uint64(b[56:]) == 0 {
		s.stats.Zero += int64(8 * lanes)
		s.run += int64(len(b))
		return
	}
	for i := 0; i < len(b); i += 8 {
		s.word(le.Uint64(b[i:]), lanes)
	}
}

// word counts everything in the first n lanes of a word.
func (s *Scanner) word(u uint64, n int) {
	l := &s.lanes
	valid := l.high
	if n*int(l.width) < 64 {
		valid &= 1<<(uint(n)*l.width) - 1
	}
	v := u & l.mask
	usual := (v+l.geOld)&^(v+l.geNew)&valid == valid
	if usual && s.busy() == 0 {
		return
	}
	nonzero := (v + l.mask) & valid // v >= 1
	zero := valid &^ nonzero
	if !usual {
		if beyond := (v + l.geInf) & valid; beyond != 0 {
			nan := bits.OnesCount64((v + l.geNaN) & valid)
			s.stats.NaN += int64(nan)
			s.stats.Inf += int64(bits.OnesCount64(beyond) - nan)
		}
		s.stats.Zero += int64(bits.OnesCount64(zero))
		s.stats.Subnormal += int64(bits.OnesCount64(nonzero &^ (v + l.geNormal)))
		if (v+l.geNew)&^(v+l.geInf)&valid|nonzero&^(v+l.geMin) != 0 {
			s.extremes(v, n)
		}
	}
	s.zeros((nonzero|u)&valid, n) // −0 ends a run of zero bits
}

// extremes takes the finite magnitudes of a word into the largest and smallest.
func (s *Scanner) extremes(v uint64, n int) {
	for range n {
		if code := v & s.lanes.laneMask; code != 0 && code < s.lanes.inf {
			s.found = true
			s.max, s.min = max(s.max, code), min(s.min, code)
		}
		v >>= s.lanes.width
	}
	s.threshold()
}

// threshold sets the addends that follow the extremes.
func (s *Scanner) threshold() {
	l := &s.lanes
	if s.kind == scanBytes {
		const lane, top = 0x0001000100010001, 1 << 15
		l.geNew, l.geOld = lane*(top-s.max-1), lane*(top-max(s.min, l.normal))
		return
	}
	l.geNew = l.atLeast(s.max + 1)
	l.geMin = l.atLeast(s.min)
	l.geOld = l.atLeast(max(s.min, l.normal))
}

// countNegative counts values below zero in the first n lanes of a word.
func (s *Scanner) countNegative(u uint64, n int) {
	l := &s.lanes
	v := u & l.mask
	negative := u & l.high & (v + l.mask) &^ (v + l.geNaN) // sign, not zero, not NaN
	if n*int(l.width) < 64 {
		negative &= 1<<(uint(n)*l.width) - 1
	}
	s.stats.Negative += int64(bits.OnesCount64(negative))
}
