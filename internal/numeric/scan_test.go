package numeric

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// smallestNormal is where each float type's subnormals end.
var smallestNormal = map[DType]float64{
	F64: 0x1p-1022, F32: 0x1p-126, BF16: 0x1p-126, F16: 0x1p-14, F8E4M3: 0x1p-6, F8E5M2: 0x1p-14, F8E8M0: 0x1p-126,
}

// naiveScales returns the values that Stats counts in one element or block, and
// the type whose subnormals they have.
func naiveScales(d DType, b []byte) ([]float64, DType) {
	halves := func(at ...int) (x []float64) {
		for _, a := range at {
			x = append(x, float64(DecodeF16(le.Uint16(b[a:]))))
		}
		return x
	}
	switch d {
	case F64:
		return []float64{math.Float64frombits(le.Uint64(b))}, d
	case F32, BF16, F16, F8E4M3, F8E5M2, F8E8M0:
		var x [1]float32
		if err := d.Decode(x[:], b); err != nil {
			panic(err)
		}
		return []float64{float64(x[0])}, d
	case Q4_0, Q5_0, Q8_0:
		return halves(0), F16
	case Q4_1, Q5_1, Q4_K, Q5_K:
		return halves(0, 2), F16
	case Q6_K:
		return halves(208), F16
	case MXFP4:
		return []float64{float64(DecodeE8M0(b[0]))}, F8E8M0
	case NVFP4:
		var x []float64
		for _, c := range b[:4] {
			x = append(x, float64(DecodeE4M3(c)))
		}
		return x, F8E4M3
	}
	return nil, d
}

// isPattern says that of d only bit patterns are scanned.
func isPattern(d DType) bool { return d <= I64 || d == F4 }

// zeroElement says whether an element or block is ±0.
func zeroElement(d DType, b []byte) bool {
	switch d {
	case F64, F32, BF16, F16, F8E4M3, F8E5M2:
		x, _ := naiveScales(d, b)
		return x[0] == 0
	case F4:
		return b[0]&0x77 == 0
	}
	return allZero(b)
}

// naiveScan is the obvious scan that Scanner is compared with.
func naiveScan(d DType, row int64, b []byte) Stats {
	size := d.BlockBytes()
	s := Stats{Bytes: int64(len(b)), Const: true, AllZero: len(b) > 0}
	rowBytes, _ := d.Bytes(row)
	rowZero, rowConst, rowStart := true, true, 0
	for at := 0; at < len(b); at += size {
		e := b[at : at+size]
		xs, kind := naiveScales(d, e)
		for _, x := range xs {
			s.Values++
			ax := math.Abs(x)
			switch {
			case math.IsNaN(x):
				s.NaN++
				continue
			case math.IsInf(x, 0):
				s.Inf++
			case x == 0:
				s.Zero++
				s.Finite++
			default:
				if ax < smallestNormal[kind] {
					s.Subnormal++
				}
				if s.Min == 0 || ax < s.Min {
					s.Min = ax
				}
				s.Max = max(s.Max, ax)
				s.Finite++
				s.SumAbs += ax
				s.SumSq += ax * ax
			}
			if x < 0 {
				s.Negative++
			}
		}
		if isPattern(d) {
			s.Values += int64(d.Block())
			for _, c := range e {
				s.Codes[c&15]++
				s.Codes[c>>4]++
			}
		}
		s.Const = s.Const && bytes.Equal(e, b[:size])
		zero := zeroElement(d, e)
		s.AllZero = s.AllZero && zero
		if rowBytes > 0 {
			rowZero = rowZero && zero
			rowConst = rowConst && bytes.Equal(e, b[rowStart:rowStart+size])
			if at+size == rowStart+int(rowBytes) {
				s.Rows++
				if rowZero {
					s.ZeroRows++
				}
				if rowConst {
					s.ConstRows++
				}
				rowZero, rowConst, rowStart = true, true, at+size
			}
		}
	}
	s.Negative = min(s.Negative, NegativeCap)
	// Runs of zeros, by element or by word.
	step := size
	if isPattern(d) {
		step = 8
	}
	run := int64(0)
	lead := true
	for at := 0; at < len(b); at += step {
		e := b[at:min(at+step, len(b))]
		if allZero(e) {
			run += int64(len(e))
			s.ZeroRun = max(s.ZeroRun, run)
			if isPattern(d) {
				s.Zero += int64(len(e) / size * d.Block())
			}
			if lead {
				s.LeadZero = run
			}
		} else {
			run, lead = 0, false
		}
	}
	s.TailZero = run
	return s
}

var scanned = []DType{
	Bool, U8, I8, U16, I16, U32, I32, U64, I64, F16, BF16, F32, F64, F8E4M3, F8E5M2, F8E8M0, F4,
	Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K, MXFP4, NVFP4,
}

// tensorBytes draws the bytes of a tensor: sound weights, garbage, holes, runs of one
// value, special codes, in stretches.
func tensorBytes(t *rapid.T, d DType, most int) []byte {
	size := d.BlockBytes()
	rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
	n := rapid.IntRange(0, most/size).Draw(t, "elements") * size
	if rapid.IntRange(0, 3).Draw(t, "short") > 0 {
		n = n / 16 / size * size
	}
	b := make([]byte, 0, n)
	for len(b) < n {
		stretch := min(size*(1+rng.IntN(1+n/size/(1+rng.IntN(20)))), n-len(b))
		part := make([]byte, stretch)
		switch rng.IntN(6) {
		case 0: // zeros
		case 1:
			for i := range part {
				part[i] = byte(rng.Uint32())
			}
		case 2: // one value
			for i := range part {
				if i < size {
					part[i] = byte(rng.Uint32())
				} else {
					part[i] = part[i-size]
				}
			}
		case 3: // signs only: −0, and codes near 0
			for i := range part {
				part[i] = []byte{0, 0x80, 0, 1, 0x88, 0}[rng.IntN(6)]
			}
		case 4: // the largest codes
			for i := range part {
				part[i] = []byte{0xff, 0x7f, 0x7e, 0xfe, 0x7c, 0x80, 0}[rng.IntN(7)]
			}
		case 5: // weights
			x := make([]float32, stretch/size*d.Block())
			for i := range x {
				x[i] = float32(rng.NormFloat64() * 0.02)
			}
			if d.Encode(part, x) != nil {
				for i := range part {
					part[i] = byte(40 + rng.IntN(50))
				}
			}
		}
		b = append(b, part...)
	}
	return b
}

// scanPieces scans b cut at random places.
func scanPieces(t *rapid.T, d DType, row int64, b []byte) Stats {
	s, err := NewScanner(d, row)
	if err != nil {
		t.Fatal(err)
	}
	whole := rapid.Bool().Draw(t, "whole")
	for rest := b; len(rest) > 0; {
		n := len(rest)
		if !whole {
			n = rapid.IntRange(1, n).Draw(t, "piece")
		}
		if m, err := s.Write(rest[:n]); m != n || err != nil {
			t.Fatalf("Write: %d, %v", m, err)
		}
		rest = rest[n:]
		if len(rest)%d.BlockBytes() == 0 {
			if _, err := s.Stats(); err != nil { // looking must not disturb
				t.Fatal(err)
			}
		}
	}
	got, err := s.Stats()
	if err != nil {
		t.Fatal(err)
	}
	return got
}

var approx = cmp.Options{
	cmpopts.IgnoreUnexported(Stats{}),
	cmp.Comparer(func(a, b float64) bool {
		return a == b || math.IsInf(a, 0) && math.IsInf(b, 0) || math.Abs(a-b) <= 1e-9*math.Abs(b)
	}),
}

// TestScanEqualsNaive compares all counts; within 16 KiB the estimates are exact
// too.
func TestScanEqualsNaive(t *testing.T) {
	for _, d := range scanned {
		t.Run(d.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				b := tensorBytes(t, d, denseUnits*scanUnit)
				row := int64(rapid.IntRange(0, 40).Draw(t, "row") * d.Block())
				if rapid.Bool().Draw(t, "long rows") {
					row *= 16
				}
				got, want := scanPieces(t, d, row, b), naiveScan(d, row, b)
				if diff := cmp.Diff(want, got, approx); diff != "" {
					t.Fatalf("%d bytes of %v, rows of %d (-naive +scan):\n%s", len(b), d, row, diff)
				}
			})
		})
	}
}

// TestScanBeyondDense compares the exact counts of longer tensors.
func TestScanBeyondDense(t *testing.T) {
	ignore := cmpopts.IgnoreFields(Stats{}, "Finite", "SumAbs", "SumSq", "Codes")
	for _, d := range []DType{BF16, F16, F32, F8E4M3, F8E8M0, F4, I32, Q4_0} {
		t.Run(d.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				b := tensorBytes(t, d, 12*scanUnit)
				row := int64(64 * d.Block())
				got, want := scanPieces(t, d, row, b), naiveScan(d, row, b)
				if diff := cmp.Diff(want, got, approx, ignore); diff != "" {
					t.Fatalf("%d bytes of %v (-naive +scan):\n%s", len(b), d, diff)
				}
			})
		})
	}
}

// TestScanIgnoresCuts: estimates, too, are the same however bytes were cut.
func TestScanIgnoresCuts(t *testing.T) {
	for _, d := range []DType{BF16, F8E4M3, F8E8M0, F4, Q6_K, F64} {
		t.Run(d.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				b := tensorBytes(t, d, 12*scanUnit)
				s, _ := NewScanner(d, 0)
				s.Write(b)
				want, err := s.Stats()
				if err != nil {
					t.Fatal(err)
				}
				// SumSq may be NaN-free infinity for F64; == still holds.
				if got := scanPieces(t, d, 0, b); got != want {
					t.Fatalf("in pieces:\n%+v\nat once:\n%+v", got, want)
				}
			})
		})
	}
}

func TestMerge(t *testing.T) {
	ignore := cmpopts.IgnoreFields(Stats{}, "Finite", "SumAbs", "SumSq", "Codes")
	for _, d := range scanned {
		t.Run(d.String(), func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				b := tensorBytes(t, d, 3000)
				unit := 8 * d.BlockBytes()
				row := int64(8 * d.Block())
				cut := rapid.IntRange(0, len(b)/unit).Draw(t, "cut") * unit
				whole := scanPieces(t, d, row, b)
				merged := Merge(scanPieces(t, d, row, b[:cut]), scanPieces(t, d, row, b[cut:]))
				if diff := cmp.Diff(whole, merged, approx, ignore); diff != "" {
					t.Fatalf("%d bytes of %v cut at %d (-whole +merged):\n%s", len(b), d, cut, diff)
				}
			})
		})
	}
}

func TestMergeConst(t *testing.T) {
	scan := func(b ...byte) Stats {
		s, _ := NewScanner(BF16, 0)
		s.Write(b)
		st, err := s.Stats()
		if err != nil {
			t.Fatal(err)
		}
		return st
	}
	one, two, none := scan(0x80, 0x3f), scan(0x80, 0x40), scan()
	if !Merge(one, one).Const || Merge(one, two).Const {
		t.Error("merging constants forgets their value")
	}
	if Merge(none, one) != one || Merge(one, none) != one || !none.Const || none.AllZero {
		t.Error("merging with nothing changes something")
	}
	if m := Merge(one, two); m.Min != 1 || m.Max != 4 {
		t.Errorf("extremes %v and %v", m.Min, m.Max)
	}
}

// TestSampledWords: over time every word of a unit is looked at, about equally
// often.
func TestSampledWords(t *testing.T) {
	var n [unitWords]int
	for k := range uint64(100 * unitWords) {
		n[sampledWord(k)]++
	}
	for word, n := range n {
		if n < 90 || n > 110 {
			t.Errorf("word %d is sampled %d times in 100 rounds", word, n)
		}
	}
}

// TestEstimates: on sound weights the sampled mean is near the true one.
func TestEstimates(t *testing.T) {
	x := weights(1<<20, 0.02)
	for _, d := range []DType{BF16, F8E4M3, F32, F4} {
		b := make([]byte, len(x)*d.BlockBytes()/d.Block())
		y := append([]float32(nil), x...)
		if d == F4 || d == F8E4M3 {
			for i := range y {
				y[i] *= 100 // sigma 2
			}
		}
		if err := d.Encode(b, y); err != nil {
			t.Fatal(err)
		}
		s, _ := NewScanner(d, 0)
		s.Write(b)
		got, err := s.Stats()
		if err != nil {
			t.Fatal(err)
		}
		if d == F4 {
			var n, high int64
			for c, k := range got.Codes {
				n += k
				if c&7 == 7 { // |x| > 5, which is 2.5 sigma: 1.24 %
					high += k
				}
			}
			if f := float64(high) / float64(n); math.Abs(f-0.0124) > 0.005 || math.Abs(float64(n)/float64(len(x))-1) > 0.05 {
				t.Errorf("%v: %d codes of %d, %.4f of them ±6", d, n, len(x), f)
			}
			continue
		}
		var abs float64
		if err := d.Decode(y, b); err != nil {
			t.Fatal(err)
		}
		for _, v := range y {
			abs += math.Abs(float64(v))
		}
		if r := got.MeanAbs() / (abs / float64(len(y))); math.Abs(r-1) > 0.05 {
			t.Errorf("%v: estimated mean %v of the true one", d, r)
		}
		if r := got.RMS() / got.MeanAbs() / math.Sqrt(math.Pi/2); math.Abs(r-1) > 0.05 {
			t.Errorf("%v: RMS to mean %v of a normal distribution's", d, r)
		}
	}
}

func TestScannerErrors(t *testing.T) {
	if _, err := NewScanner(Invalid, 0); err == nil {
		t.Error("Invalid can be scanned")
	}
	if _, err := NewScanner(numDTypes, 0); err == nil {
		t.Error("an unknown type can be scanned")
	}
	for _, row := range []int64{-1, 31, 1<<63 - 1} {
		if s, err := NewScanner(Q4_0, row); err == nil {
			t.Errorf("rows of %d accepted", row)
		} else if _, err := s.Write([]byte{1}); err == nil {
			t.Error("a scanner that failed takes bytes")
		}
	}
	if _, err := new(Scanner).Stats(); err == nil {
		t.Error("the zero Scanner has stats")
	}
	s, err := NewScanner(F32, 0)
	if err != nil {
		t.Fatal(err)
	}
	s.Write(make([]byte, 4099))
	if _, err := s.Stats(); err == nil {
		t.Error("three bytes of an element are no error")
	}
	s.Write(make([]byte, 1))
	if st, err := s.Stats(); err != nil || st.Values != 1025 || !st.AllZero || st.ZeroRun != 4100 {
		t.Errorf("%+v, %v", st, err)
	}
}

func TestNegativeCap(t *testing.T) {
	s, _ := NewScanner(BF16, 0)
	s.Write(bytes.Repeat([]byte{0x80, 0xbf}, NegativeCap+12345)) // −1
	st, err := s.Stats()
	if err != nil || st.Negative != NegativeCap || !st.Const || st.Min != 1 || st.Max != 1 {
		t.Errorf("%+v, %v", st, err)
	}
}

func TestScanDoesNotAllocate(t *testing.T) {
	b := make([]byte, 3*scanUnit)
	for i := range b {
		b[i] = byte(i * 7)
	}
	for _, d := range scanned {
		s, _ := NewScanner(d, 0)
		p := b[:len(b)/d.BlockBytes()*d.BlockBytes()]
		if n := testing.AllocsPerRun(5, func() {
			s.Reset(d, 0)
			s.Write(p[:1001])
			s.Write(p[1001:])
			if _, err := s.Stats(); err != nil {
				t.Fatal(err)
			}
		}); n != 0 {
			t.Errorf("%v: %v allocations", d, n)
		}
	}
}
