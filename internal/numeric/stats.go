package numeric

import "math"

// NegativeCap is where counting negative values ends. A scale must not be
// negative at all; of a weight half the values are, and counting those exactly
// would cost as much as all other counts together.
const NegativeCap = 1 << 16

// Stats is what a [Scanner] found in the bytes of one tensor, or of a part of
// it. Counts are exact unless their comment says otherwise. Which values are
// counted depends on the type:
//
//   - F64, F32, F16, BF16, F8_E4M3, F8_E5M2, F8_E8M0: each element.
//   - GGUF's blocks: the scales of each block (d, and dmin or m where there is
//     one; the four of NVFP4), not the weights. ggml writes the scale 0 (for
//     MXFP4: E8M0 code 0) for a block of zeros.
//   - F4 and the integers: only what can be said of bit patterns: Values, Zero,
//     ZeroRun, Codes, Const and the rows. Scan packed nibbles stored as U8 as F4
//     to have Codes.
//
// Stats are comparable with ==.
type Stats struct {
	Bytes  int64
	Values int64 // how many were counted, see above

	NaN       int64 // for MXFP4 and NVFP4 by the specification, which ggml does not follow: 0xFF, 0x7F
	Inf       int64
	Zero      int64 // +0 and −0; of F4 and integers only those in the ZeroRun's words: a lower bound
	Subnormal int64 // not zero; of E8M0: code 0, 2^−127
	Negative  int64 // less than zero, −Inf included; min(count, NegativeCap)

	// Min and Max are the smallest and largest |x| of finite values other than
	// zero; both 0 if there are none.
	Min, Max float64

	// Finite, SumAbs and SumSq estimate, from a sample, how many values are
	// finite and the sums of |x| and x² over them; see [Stats.MeanAbs]. For
	// up to 16 KiB, and for GGUF's blocks, they are exact but for rounding.
	Finite        int64
	SumAbs, SumSq float64

	// Codes estimates, from the same sample, how often each nibble occurs, for
	// F4 and the integers.
	Codes [16]int64

	// Const says that all elements have the same bits (for GGUF: all blocks;
	// for F4: all bytes). True for no elements.
	Const bool

	// AllZero says that there are elements and each is ±0 (for E8M0, integers
	// and GGUF: every bit is 0).
	AllZero bool

	// ZeroRun is the longest run of elements (blocks) whose bits are all zero,
	// in bytes: a hole in a file shows here. Of F4 and integers only words of
	// eight bytes are looked at, as they lie from the tensor's beginning.
	// LeadZero and TailZero are the runs at the beginning and at the end.
	ZeroRun, LeadZero, TailZero int64

	// Rows counts whole rows, ZeroRows those that AllZero, ConstRows those that
	// Const would be true of; a row of zeros may be both.
	Rows, ZeroRows, ConstRows int64

	first uint64 // hash of the first element, so that Const can be merged
}

// MeanAbs returns the estimated mean of |x| over finite values; 0 for none.
func (s *Stats) MeanAbs() float64 {
	if s.Finite == 0 {
		return 0
	}
	return s.SumAbs / float64(s.Finite)
}

// RMS returns the estimated root mean square of finite values; 0 for none.
func (s *Stats) RMS() float64 {
	if s.Finite == 0 {
		return 0
	}
	return math.Sqrt(s.SumSq / float64(s.Finite))
}

// Merge returns the stats of two neighbouring parts of a tensor of which a
// comes first. The cut must lie between two elements (for F4 and integers, at a
// multiple of eight bytes), and between two rows if rows are counted. Merging is associative, up to the rounding of the two sums;
// of two parts scanned apart each has its own sample, so that estimates differ
// from those of one scan.
func Merge(a, b Stats) Stats {
	if a.Bytes == 0 {
		return b
	}
	if b.Bytes == 0 {
		return a
	}
	m := Stats{
		Bytes:     a.Bytes + b.Bytes,
		Values:    a.Values + b.Values,
		NaN:       a.NaN + b.NaN,
		Inf:       a.Inf + b.Inf,
		Zero:      a.Zero + b.Zero,
		Subnormal: a.Subnormal + b.Subnormal,
		Negative:  min(a.Negative+b.Negative, NegativeCap),
		Min:       a.Min,
		Max:       max(a.Max, b.Max),
		Finite:    a.Finite + b.Finite,
		SumAbs:    a.SumAbs + b.SumAbs,
		SumSq:     a.SumSq + b.SumSq,
		Const:     a.Const && b.Const && a.first == b.first,
		AllZero:   a.AllZero && b.AllZero,
		ZeroRun:   max(a.ZeroRun, b.ZeroRun, a.TailZero+b.LeadZero),
		LeadZero:  a.LeadZero,
		TailZero:  b.TailZero,
		Rows:      a.Rows + b.Rows,
		ZeroRows:  a.ZeroRows + b.ZeroRows,
		ConstRows: a.ConstRows + b.ConstRows,
		first:     a.first,
	}
	if a.Min == 0 || b.Min != 0 && b.Min < a.Min {
		m.Min = b.Min
	}
	if a.LeadZero == a.Bytes {
		m.LeadZero += b.LeadZero
	}
	if b.TailZero == b.Bytes {
		m.TailZero += a.TailZero
	}
	for i := range m.Codes {
		m.Codes[i] = a.Codes[i] + b.Codes[i]
	}
	return m
}
