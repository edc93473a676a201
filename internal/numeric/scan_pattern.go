package numeric

// patterns scans whole units of a type in which every bit pattern is a sound
// value: packed nibbles and integers. Only zeros and the sample are of interest,
// and single zeros are common, so whole words are looked at.
func (s *Scanner) patterns(b []byte) {
	busy := s.busy()
	for len(b) >= scanUnit {
		unit := b[:scanUnit]
		b = b[scanUnit:]
		s.sample(unit)
		for len(unit) >= 64 {
			w := (*[64]byte)(unit)
			if busy != 0 ||
				le.Uint64(w[0:]) == 0 || le.Uint64(w[8:]) == 0 || le.Uint64(w[16:]) == 0 || le.Uint64(w[24:]) == 0 ||
				le.Uint64(w[32:]) == 0 || le.Uint64(w[40:]) == 0 || le.Uint64(w[48:]) == 0 || le.Uint64(w[56:]) == 0 {
				for i := 0; i < len(w); i += 8 {
					s.pattern(le.Uint64(w[i:]), 8)
				}
				busy = s.busy()
			}
			unit = unit[64:]
		}
	}
}

// pattern counts zeros of a word of which n bytes belong to the tensor, the
// others being zero.
func (s *Scanner) pattern(u uint64, n int) {
	if u == 0 {
		s.stats.Zero += int64(n) / int64(s.dtype.BlockBytes()) * s.lanes.perBlock
	}
	s.wholeZeros(u == 0, n)
}

// wholeZeros follows runs of zeros by pieces that are zero as a whole or not.
func (s *Scanner) wholeZeros(zero bool, n int) {
	if zero {
		s.run += int64(n)
		return
	}
	if !s.seen {
		s.seen, s.stats.LeadZero = true, s.run
	}
	s.stats.ZeroRun = max(s.stats.ZeroRun, s.run)
	s.run = 0
}
