package numeric

import "math"

// Block scales. There are few of them beside the weights, but each may be a
// finding of its own.

// scales8 scans whole units of E8M0 codes. They have no sign bit for a carry to
// go to, so a word becomes two of 16-bit lanes.
func (s *Scanner) scales8(b []byte) {
	const even, high = 0x00ff00ff00ff00ff, 0x8000800080008000
	for len(b) >= scanUnit {
		unit := b[:scanUnit]
		b = b[scanUnit:]
		s.sample(unit)
		geNew, geOld, busy := s.lanes.geNew, s.lanes.geOld, s.busy()
		for len(unit) >= 16 {
			w := (*[16]byte)(unit)
			u0, u1 := le.Uint64(w[0:]), le.Uint64(w[8:])
			v0, v1, v2, v3 := u0&even, u0>>8&even, u1&even, u1>>8&even
			large := (v0 + geNew) | (v1 + geNew) | (v2 + geNew) | (v3 + geNew)
			usual := (v0 + geOld) & (v1 + geOld) & (v2 + geOld) & (v3 + geOld)
			if (large|^usual)&high|busy != 0 {
				s.scaleWord(u0, 8)
				s.scaleWord(u1, 8)
				geNew, geOld, busy = s.lanes.geNew, s.lanes.geOld, s.busy()
			}
			unit = unit[16:]
		}
	}
}

// scaleWord counts the first n E8M0 codes of a word.
func (s *Scanner) scaleWord(u uint64, n int) {
	valid := s.lanes.high
	if n < 8 {
		valid &= 1<<(8*n) - 1
	}
	low := ^s.lanes.high
	s.zeros((u&low+low|u)&valid, n)
	for range n {
		s.scale(u & 0xff)
		u >>= 8
	}
	s.threshold()
}

// blocks scans the scales of whole GGUF blocks. Those of MXFP4 and NVFP4 are
// bytes, all others binary16. They are all looked at, so the sums are exact.
func (s *Scanner) blocks(b []byte) {
	first, n, narrow, e8m0 := 0, int(s.lanes.perBlock), s.lanes.width == 8, s.dtype == MXFP4
	if s.dtype == Q6_K {
		first = 208
	}
	magnitude, inf, normal := s.lanes.magnitude, s.lanes.inf, s.lanes.normal
	smallest, largest := s.min, s.max
	sumAbs, sumSq := s.stats.SumAbs, s.stats.SumSq // in order, whatever the pieces
	var finite, negative int64
	for len(b) >= s.unit {
		block := b[:s.unit]
		b = b[s.unit:]
		zero := true
		for i := range n {
			var code uint64
			if narrow {
				code = uint64(block[first+i])
			} else {
				code = uint64(le.Uint16(block[first+2*i:]))
			}
			zero = zero && code == 0
			v := code & magnitude
			var x float64
			if v-normal >= inf-normal { // zero, subnormal, or not finite
				s.scale(code)
				if v < inf {
					x = s.lanes.value(v)
					sumAbs += x
					sumSq += x * x
					finite++
				}
				continue
			}
			switch {
			case !narrow:
				x = float64(math.Float32frombits(uint32(v)<<13) * 0x1p112)
			case e8m0:
				x = float64(math.Float32frombits(uint32(v) << 23))
			default:
				x = float64(e4m3[uint8(v)])
			}
			smallest, largest = min(smallest, v), max(largest, v)
			sumAbs += x
			sumSq += x * x
			finite++
			if code != v {
				negative++
			}
		}
		if zero || s.busy() != 0 {
			s.wholeZeros(zero && allZero(block), len(block))
		}
	}
	s.min, s.max = min(s.min, smallest), max(s.max, largest)
	s.found = s.found || largest > 0
	s.stats.Finite += finite
	s.stats.SumAbs, s.stats.SumSq = sumAbs, sumSq
	s.stats.Negative += negative
}

func allZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}

// scale counts one code, but for the sums.
func (s *Scanner) scale(code uint64) {
	l, st := &s.lanes, &s.stats
	v := code & l.magnitude
	switch {
	case v >= l.nan:
		st.NaN++
		return
	case v >= l.inf:
		st.Inf++
	case v == 0 && l.dtype != F8E8M0:
		st.Zero++
		return
	default:
		if v < l.normal {
			st.Subnormal++
		}
		s.found = true
		s.max, s.min = max(s.max, v), min(s.min, v)
	}
	if code != v {
		st.Negative++
	}
}
