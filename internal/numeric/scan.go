package numeric

import (
	"fmt"
	"math/bits"
)

// A Scanner takes the bytes of one tensor in any pieces, through Write, and
// gathers [Stats] in one pass. The result does not depend on how the bytes were
// cut. It holds a few KiB and does not allocate after NewScanner; Reset makes
// one Scanner serve many tensors. A Scanner is for one goroutine.
//
// How it can be fast in plain Go: eight bytes are read as one word of 1, 2, 4 or
// 8 lanes. For floats the code without its sign grows with the magnitude, so
// "v >= t" for all lanes at once is one addition, v + (2^(w−1) − t), which
// carries into the free sign bit of exactly the lanes where it holds. Two such
// thresholds decide whether a word holds anything new: more than the largest
// magnitude so far (NaN and infinity always are), or less than the smallest so
// far (zero and subnormals always are). Nearly all words of a sound weight hold
// nothing new and are done after six instructions; the others are taken apart.
type Scanner struct {
	dtype DType
	kind  scanKind
	unit  int // bytes handed to the kernel at a time, whole elements

	carry  [scanUnit]byte
	ncarry int
	units  uint64 // units done, which numbers them for the sample

	lanes  lanes
	stats  Stats  // all but what lives in the fields below
	found  bool   // a finite value other than zero came by, so that these hold:
	max    uint64 // largest
	min    uint64 // and smallest magnitude code of such values
	run    int64  // zero bytes that end here
	seen   bool   // an element that is not zero came by
	rows   repeats
	tensor repeats
}

type scanKind uint8

const (
	scanFloats   scanKind = iota // lanes with sign and magnitude
	scanPatterns                 // F4, integers
	scanBytes                    // E8M0
	scanBlocks                   // GGUF
)

const (
	// scanUnit is how many bytes are one unit of the sample.
	scanUnit = 4096
	// denseUnits of a tensor are sampled in full, later ones by one word each.
	denseUnits = 4
	unitWords  = scanUnit / 8
)

// NewScanner returns a Scanner for a tensor of type d with rows of row elements
// (of the last dimension); 0 for no count of rows.
func NewScanner(d DType, row int64) (*Scanner, error) {
	s := new(Scanner)
	return s, s.Reset(d, row)
}

// Reset prepares s for another tensor, as NewScanner does. After an error s
// takes no bytes.
func (s *Scanner) Reset(d DType, row int64) error {
	*s = Scanner{}
	if d == Invalid || d >= numDTypes {
		return fmt.Errorf("%v cannot be scanned", d)
	}
	rowBytes, err := d.Bytes(row)
	if err != nil {
		return fmt.Errorf("rows: %w", err)
	}
	s.dtype, s.unit = d, scanUnit
	switch d {
	case F4, Bool, U8, I8, U16, I16, U32, I32, U64, I64:
		s.kind = scanPatterns
	case F8E8M0:
		s.kind = scanBytes
	case F16, BF16, F32, F64, F8E4M3, F8E5M2:
		s.kind = scanFloats
	default:
		s.kind, s.unit = scanBlocks, d.BlockBytes()
	}
	s.lanes = lanesOf(d)
	s.min = s.lanes.inf
	s.rows = newRepeats(d, rowBytes)
	s.tensor = newRepeats(d, 1<<63-1)
	s.tensor.tensor = true
	s.threshold()
	return nil
}

// Write scans the next bytes of the tensor. It implements io.Writer and fails
// only on a Scanner that was never, or not successfully, set up.
func (s *Scanner) Write(p []byte) (int, error) {
	if s.unit == 0 {
		return 0, fmt.Errorf("scanner of no type")
	}
	written := len(p)
	s.stats.Bytes += int64(written)
	s.tensor.feed(p)
	if s.rows.length > 0 {
		s.rows.feed(p)
	}
	if s.ncarry > 0 {
		n := copy(s.carry[s.ncarry:s.unit], p)
		s.ncarry += n
		p = p[n:]
		if s.ncarry < s.unit {
			return written, nil
		}
		s.kernel(s.carry[:s.unit])
		s.ncarry = 0
	}
	whole := len(p) - len(p)%s.unit
	s.kernel(p[:whole])
	s.ncarry = copy(s.carry[:], p[whole:])
	return written, nil
}

// kernel scans whole units.
func (s *Scanner) kernel(b []byte) {
	switch s.kind {
	case scanFloats:
		s.floats(b)
	case scanPatterns:
		s.patterns(b)
	case scanBytes:
		s.scales8(b)
	case scanBlocks:
		s.blocks(b)
	}
}

// Stats returns what was found up to here; more may be written afterwards. It
// is an error if the bytes so far end inside an element or block.
func (s *Scanner) Stats() (Stats, error) {
	if s.unit == 0 {
		return Stats{}, fmt.Errorf("scanner of no type")
	}
	if size := s.dtype.BlockBytes(); s.ncarry%size != 0 {
		return Stats{}, fmt.Errorf("%d bytes of %v end inside an element of %d bytes", s.stats.Bytes, s.dtype, size)
	}
	t := *s // what follows must not disturb the running scan
	t.finish()
	return t.stats, nil
}

// finish scans the rest, less than a unit, and completes stats.
func (s *Scanner) finish() {
	s.tail(s.carry[:s.ncarry])
	st := &s.stats
	st.ZeroRun, st.TailZero = max(st.ZeroRun, s.run), s.run
	if !s.seen {
		st.LeadZero = s.run
	}
	if s.found {
		st.Min, st.Max = s.lanes.value(s.min), s.lanes.value(s.max)
	}
	st.Negative = min(st.Negative, NegativeCap) // a unit or scales may have overshot it
	st.Rows, st.ZeroRows, st.ConstRows = s.rows.done, s.rows.zeros, s.rows.consts
	st.Const, st.AllZero = s.tensor.same, s.tensor.zero && st.Bytes > 0
	st.first = s.tensor.hash()
	st.Values = st.Bytes / int64(s.dtype.BlockBytes()) * s.lanes.perBlock
}

// tail scans whole elements that are no whole unit, word by word.
func (s *Scanner) tail(b []byte) {
	if s.kind == scanBlocks || len(b) == 0 {
		return
	}
	s.sample(b)
	for len(b) > 0 {
		var w [8]byte
		n := copy(w[:], b)
		b = b[n:]
		u := le.Uint64(w[:])
		switch s.kind {
		case scanFloats:
			lanes := n * 8 / int(s.lanes.width)
			s.countNegative(u, lanes)
			s.word(u, lanes)
		case scanBytes:
			s.scaleWord(u, n)
		case scanPatterns:
			s.pattern(u, n)
		}
	}
}

// sample adds one unit, or what a tensor has left at its end, to the estimates:
// all of it, or one word with the weight of all the unit's words. Which word
// differs from unit to unit, lest it be always the same columns.
func (s *Scanner) sample(unit []byte) {
	k := s.units
	s.units++
	if k >= denseUnits {
		word := sampledWord(k)
		if 8*word+8 > len(unit) {
			return
		}
		s.sampleWord(le.Uint64(unit[8*word:]), 8, unitWords)
		return
	}
	for len(unit) >= 8 {
		s.sampleWord(le.Uint64(unit), 8, 1)
		unit = unit[8:]
	}
	if len(unit) > 0 {
		var w [8]byte
		copy(w[:], unit)
		s.sampleWord(le.Uint64(w[:]), len(unit), 1)
	}
}

// sampledWord returns which of the 512 words of unit k is sampled, by Fibonacci
// hashing.
func sampledWord(k uint64) int { return int(k * 0x9e3779b97f4a7c15 >> (64 - 9)) }

// sampleWord adds the first n bytes of a word with a weight.
func (s *Scanner) sampleWord(u uint64, n int, weight int64) {
	if s.kind == scanPatterns {
		for range 2 * n {
			s.stats.Codes[u&15] += weight
			u >>= 4
		}
		return
	}
	for range n * 8 / int(s.lanes.width) {
		s.addValue(u&s.lanes.laneMask, weight)
		u >>= s.lanes.width
	}
}

// addValue adds the magnitude of one code to the estimates.
func (s *Scanner) addValue(code uint64, weight int64) {
	code &= s.lanes.magnitude
	if code >= s.lanes.inf {
		return
	}
	x := s.lanes.value(code)
	s.stats.Finite += weight
	s.stats.SumAbs += float64(weight) * x
	s.stats.SumSq += float64(weight) * x * x
}

// zeros follows runs of zero elements: nonzero has the top bit of each of the
// word's first n lanes that is not zero, and no other.
func (s *Scanner) zeros(nonzero uint64, n int) {
	width := s.lanes.width
	laneBytes := int64(width / 8)
	if nonzero == 0 {
		s.run += int64(n) * laneBytes
		return
	}
	first := bits.TrailingZeros64(nonzero) / int(width)
	last := (63 - bits.LeadingZeros64(nonzero)) / int(width)
	s.run += int64(first) * laneBytes
	if !s.seen {
		s.seen, s.stats.LeadZero = true, s.run
	}
	best := max(s.stats.ZeroRun, s.run)
	// Between first and last: the longest run of zeros by and-ing shifted masks.
	// Lanes before first may stay in, their run is no longer than s.run.
	if best < int64(last-first-1)*laneBytes {
		inner := s.lanes.high &^ nonzero
		inner &= 1<<((uint(last)+1)*width-1) - 1
		length := int64(0)
		for ; inner != 0; inner &= inner << width {
			length++
		}
		best = max(best, length*laneBytes)
	}
	s.stats.ZeroRun = best
	s.run = int64(n-1-last) * laneBytes
}
