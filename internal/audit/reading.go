package audit

import (
	"bytes"
	"hash/maphash"

	"kilter/internal/numeric"
)

// A reading is what the pass found in one tensor. There may be half a million,
// so it keeps what is judged and no more.
type reading struct {
	read    bool // its bytes were read
	scanned bool // and looked at: what follows holds
	// allZero and constant are numeric.Stats' AllZero and Const.
	allZero, constant                   bool
	values                              int64
	nan, inf, zero, subnormal, negative int64
	rows, zeroRows, constRows           int64
	smallest, largest, rms              float64
	print                               uint64
}

// keep takes over what is judged.
func (r *reading) keep(st *numeric.Stats) {
	r.scanned, r.allZero, r.constant = true, st.AllZero, st.Const
	r.values, r.nan, r.inf, r.zero = st.Values, st.NaN, st.Inf, st.Zero
	r.subnormal, r.negative = st.Subnormal, st.Negative
	r.rows, r.zeroRows, r.constRows = st.Rows, st.ZeroRows, st.ConstRows
	r.smallest, r.largest, r.rms = st.Min, st.Max, st.RMS()
}

// value returns the only value of a tensor that has but one.
func (r *reading) value() float64 {
	if r.negative > 0 {
		return -r.largest
	}
	return r.largest
}

// A fingerprint tells apart tensors that differ, from a part of their bytes:
// two tensors with one fingerprint are compared byte by byte before anything is
// said of them. All bytes of small tensors are taken, of others 64 in every
// page.
type fingerprint struct {
	h     maphash.Hash
	dense bool
}

const (
	printPage   = 4096
	printSample = 64
	printDense  = 64 << 10
)

func (f *fingerprint) reset(length int64) {
	f.h.Reset()
	f.dense = length <= printDense
}

// feed takes the bytes from position at of the tensor.
func (f *fingerprint) feed(at int64, p []byte) {
	if f.dense {
		f.h.Write(p)
		return
	}
	in := int(at % printPage)
	if in < printSample {
		f.h.Write(p[:min(printSample-in, len(p))])
	}
	for i := printPage - in; i < len(p); i += printPage {
		f.h.Write(p[i:min(i+printSample, len(p))])
	}
}

func (f *fingerprint) sum() uint64 { return f.h.Sum64() }

// zeroRuns finds the pages of a file that hold nothing but zeros. A file that
// was allocated and not written, or a cache that lost pages, shows as such.
type zeroRuns struct {
	runs []extent
	more bool
}

const (
	page = 4096
	// maxRuns bounds the runs of one job that are kept.
	maxRuns = 1 << 16
)

var zeroPage = make([]byte, page)

// feed takes the bytes at an offset of the file, in order. Pages are those of
// the file; where the bytes begin or end inside of one, its part counts.
func (z *zeroRuns) feed(off int64, p []byte) {
	for len(p) > 0 {
		n := min(len(p), page-int(off%page))
		// One look at the first byte settles it for nearly all pages.
		if p[0] == 0 && p[n-1] == 0 && bytes.Equal(p[:n], zeroPage[:n]) {
			z.add(off, off+int64(n))
		}
		off, p = off+int64(n), p[n:]
	}
}

func (z *zeroRuns) add(begin, end int64) {
	if last := len(z.runs) - 1; last >= 0 && z.runs[last].end == begin {
		z.runs[last].end = end
		return
	}
	if len(z.runs) >= maxRuns {
		z.more = true
		return
	}
	z.runs = append(z.runs, extent{begin, end})
}
