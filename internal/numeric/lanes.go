package numeric

import "math"

// lanes describes the scanned codes of a type: how wide they are in a word, and
// for floats which codes mean what. Codes are compared without their sign.
type lanes struct {
	width     uint   // bits: 8, 16, 32, 64
	laneMask  uint64 // the bits of one lane
	magnitude uint64 // those of one lane without the sign

	high uint64 // the top bit of each lane of a word
	mask uint64 // all bits but these

	inf    uint64 // the smallest magnitude code that is no finite number
	nan    uint64 // the smallest that is NaN
	normal uint64 // the smallest normal number

	perBlock int64 // values counted in one element or block

	// Addends for v + addend to have the top bit of each lane where v >= what
	// the name says. geNew and geOld of E8M0 are for lanes of 16 bits.
	geInf, geNaN, geNormal uint64
	geNew                  uint64 // v is more than the largest so far
	geOld                  uint64 // v is at least the smallest so far, and normal
	geMin                  uint64 // v is at least the smallest so far

	dtype DType // of the codes
}

// lanesOf describes what is scanned in tensors of type d.
func lanesOf(d DType) lanes {
	l := lanes{width: 8, perBlock: 1, dtype: d}
	switch d {
	case F64:
		l.width, l.inf, l.normal = 64, 0x7ff<<52, 1<<52
	case F32:
		l.width, l.inf, l.normal = 32, 0xff<<23, 1<<23
	case BF16:
		l.width, l.inf, l.normal = 16, 0xff<<7, 1<<7
	case F16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K:
		l.width, l.inf, l.normal, l.dtype = 16, f16Inf, 1<<10, F16
	case F8E5M2:
		l.inf, l.normal = e5m2Inf, 1<<2
	case F8E4M3, NVFP4:
		l.inf, l.nan, l.normal, l.dtype = e4m3NaN, e4m3NaN, 1<<3, F8E4M3
	case F8E8M0, MXFP4:
		l.inf, l.nan, l.normal, l.dtype = e8m0NaN, e8m0NaN, 1, F8E8M0
	case U16, I16:
		l.width = 16
	case U32, I32:
		l.width = 32
	case U64, I64:
		l.width = 64
	case F4:
		l.perBlock = 2
	}
	if l.nan == 0 {
		l.nan = l.inf + 1
	}
	switch d {
	case NVFP4:
		l.perBlock = 4
	case Q4_1, Q5_1, Q4_K, Q5_K:
		l.perBlock = 2
	}
	l.laneMask = 1<<l.width - 1 // of width 64: the shift gives 0, and 0−1 all bits
	l.magnitude = l.laneMask >> 1
	if l.dtype == F8E8M0 {
		l.magnitude = l.laneMask // it has no sign
	}
	l.high = l.each(1 << (l.width - 1))
	l.mask = ^l.high
	l.geInf, l.geNaN, l.geNormal = l.atLeast(l.inf), l.atLeast(l.nan), l.atLeast(l.normal)
	return l
}

// each returns a word with v in every lane.
func (l *lanes) each(v uint64) uint64 { return v * (^uint64(0) / l.laneMask) }

// atLeast returns the addend that compares with threshold t, 1 to 2^(width−1).
func (l *lanes) atLeast(t uint64) uint64 { return l.each(1<<(l.width-1) - t) }

// value returns the magnitude of a finite code without sign.
func (l *lanes) value(code uint64) float64 {
	switch l.dtype {
	case F64:
		return math.Float64frombits(code)
	case F32:
		return float64(math.Float32frombits(uint32(code)))
	case BF16:
		return float64(DecodeBF16(uint16(code)))
	case F16:
		return float64(DecodeF16(uint16(code)))
	case F8E4M3:
		return float64(e4m3[uint8(code)])
	case F8E5M2:
		return float64(e5m2[uint8(code)])
	case F8E8M0:
		return float64(DecodeE8M0(uint8(code)))
	}
	return 0
}
