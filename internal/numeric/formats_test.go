package numeric

import (
	"bytes"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestSwizzleRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rows, cols := rapid.IntRange(0, 300).Draw(t, "rows"), rapid.IntRange(0, 30).Draw(t, "cols")
		plain := make([]byte, rows*cols)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for i := range plain {
			plain[i] = byte(1 + rng.IntN(255))
		}
		size, err := SwizzledSize(rows, cols)
		if err != nil {
			t.Fatal(err)
		}
		swizzled, back := make([]byte, size), make([]byte, len(plain))
		if err := Swizzle(swizzled, plain, rows, cols); err != nil {
			t.Fatal(err)
		}
		for r := range rows {
			for c := range cols {
				if swizzled[SwizzleOffset(r, c, cols)] != plain[r*cols+c] {
					t.Fatalf("%d, %d is not where SwizzleOffset says", r, c)
				}
			}
		}
		if n := size - bytes.Count(swizzled, []byte{0}); n != len(plain) {
			t.Fatalf("%d bytes set, want %d", n, len(plain))
		}
		if ok, err := SwizzlePaddingZero(swizzled, rows, cols); !ok || err != nil {
			t.Fatalf("padding: %v, %v", ok, err)
		}
		if err := Unswizzle(back, swizzled, rows, cols); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(back, plain) {
			t.Fatal("the round trip differs")
		}
		if i := slices.Index(swizzled, 0); i >= 0 {
			swizzled[i] = 1
			if ok, _ := SwizzlePaddingZero(swizzled, rows, cols); ok {
				t.Fatalf("byte %d of the padding is set, unnoticed", i)
			}
		}
	})
}

// TestQuantisationError: a weight that was encoded and decoded is off by no more
// than half the largest step of its format, relative to its block's magnitude.
func TestQuantisationError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		sigma := math.Ldexp(1, rapid.IntRange(-20, 10).Draw(t, "sigma"))
		const n = 256
		w, got := make([]float32, n), make([]float32, n)
		for i := range w {
			w[i] = float32(rng.NormFloat64() * sigma)
		}
		check := func(format string, block int, limit float64) {
			t.Helper()
			for i := range w {
				top := float64(amax(w[i/block*block : (i/block+1)*block]))
				if off := math.Abs(float64(w[i] - got[i])); off > limit*top {
					t.Fatalf("%s: %v becomes %v under a largest of %v", format, w[i], got[i], top)
				}
			}
		}
		packed, scales := make([]byte, n/2), make([]byte, n/16)
		scale2 := NVFP4Scale2(amax(w))
		if err := EncodeNVFP4(packed, scales, w, scale2); err != nil {
			t.Fatal(err)
		}
		if err := DecodeNVFP4(got, packed, scales, scale2); err != nil {
			t.Fatal(err)
		}
		// Half the step from 4 to 6, of 6, and what rounding the scale adds: half
		// a step of E4M3, and the clipping that it causes.
		check("nvfp4", 16, 1.0/6*(1+1.0/16)+1.0/16)
		if err := EncodeMXFP4(packed, scales[:n/32], w); err != nil {
			t.Fatal(err)
		}
		if err := DecodeMXFP4(got, packed, scales[:n/32]); err != nil {
			t.Fatal(err)
		}
		check("mxfp4", 32, 0.25) // 8 clips to 6
		codes := make([]byte, n)
		if err := EncodeFP8(codes, w, FP8Scale(amax(w))); err != nil {
			t.Fatal(err)
		}
		if err := DecodeFP8(got, codes, FP8Scale(amax(w))); err != nil {
			t.Fatal(err)
		}
		check("fp8", n, 1.0/28*1.001) // half of 32, of 448
		s4 := make([]float32, n/32)
		if err := EncodeINT4(packed, s4, w, 32); err != nil {
			t.Fatal(err)
		}
		if err := DecodeINT4(got, packed, s4, nil, 32); err != nil {
			t.Fatal(err)
		}
		check("int4", 32, 0.5/7.5*1.1+1.0/256)
	})
}

func TestDegenerateWeights(t *testing.T) {
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	w := make([]float32, 32)
	packed, scales, s4 := make([]byte, 16), make([]byte, 2), make([]float32, 1)
	if err := EncodeNVFP4(packed, scales, w, 0); err != nil || scales[0] != 0x38 || !allZero(packed) {
		t.Errorf("nvfp4 of zeros: %x %x %v", packed, scales, err)
	}
	w[3], w[5] = nan, inf
	for _, err := range []error{
		EncodeNVFP4(packed, scales, w, 1),
		EncodeMXFP4(packed, scales[:1], w),
		EncodeINT4(packed, s4, w, 32),
		EncodeFP8(make([]byte, 32), w, 0),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	if err := EncodeMXFP4(packed, scales[:1], w); err != nil || scales[0] != e8m0NaN {
		t.Errorf("mxfp4 of infinity: scale %x, %v", scales[0], err)
	}
}

// TestLengthErrors: every length that does not fit is an error that says so.
func TestLengthErrors(t *testing.T) {
	f := func(n int) []float32 { return make([]float32, n) }
	b := func(n int) []byte { return make([]byte, n) }
	for name, err := range map[string]error{
		"decode short":       BF16.Decode(f(4), b(7)),
		"decode long":        BF16.Decode(f(4), b(9)),
		"decode half block":  Q4_0.Decode(f(31), b(18)),
		"decode odd F4":      F4.Decode(f(3), b(2)),
		"decode Invalid":     Invalid.Decode(nil, nil),
		"decode unknown":     DType(200).Decode(nil, nil),
		"encode short":       F8E4M3.Encode(b(3), f(4)),
		"encode Q4_0":        Q4_0.Encode(b(18), f(32)),
		"encode I32":         I32.Encode(b(4), f(1)),
		"nvfp4 packed":       DecodeNVFP4(f(32), b(15), b(2), 1),
		"nvfp4 scales":       DecodeNVFP4(f(32), b(16), b(3), 1),
		"nvfp4 block":        DecodeNVFP4(f(24), b(12), b(1), 1),
		"nvfp4 reciprocal":   DecodeNVFP4Reciprocal(f(32), b(16), b(1), 1),
		"nvfp4 encode":       EncodeNVFP4(b(8), b(2), f(32), 1),
		"mxfp4 packed":       DecodeMXFP4(f(32), b(17), b(1)),
		"mxfp4 scales":       DecodeMXFP4(f(32), b(16), b(2)),
		"mxfp4 block":        DecodeMXFP4(f(16), b(8), b(1)),
		"mxfp4 encode":       EncodeMXFP4(b(16), b(0), f(32)),
		"mxfp8":              DecodeMXFP8(f(32), b(16), b(1)),
		"fp8":                DecodeFP8(f(4), b(3), 1),
		"fp8 encode":         EncodeFP8(b(3), f(4), 1),
		"fp8 block codes":    DecodeFP8Block(f(130), b(129), f(2), 128),
		"fp8 block scales":   DecodeFP8Block(f(130), b(130), f(1), 128),
		"fp8 block zero":     DecodeFP8Block(f(130), b(130), f(1), 0),
		"fp8 block negative": DecodeFP8Block(f(130), b(130), f(1), -1),
		"int4 packed":        DecodeINT4(f(32), b(15), f(1), nil, 32),
		"int4 scales":        DecodeINT4(f(32), b(16), f(2), nil, 32),
		"int4 zeros":         DecodeINT4(f(32), b(16), f(1), make([]int8, 2), 32),
		"int4 group":         DecodeINT4(f(32), b(16), f(1), nil, 0),
		"int4 encode":        EncodeINT4(b(16), f(2), f(32), 32),
		"int4 unpack":        UnpackINT4(make([]int8, 9), b(4)),
		"int4 pack":          PackINT4(b(5), make([]int8, 8)),
		"int4 pack range":    PackINT4(b(4), []int8{8, 0, 0, 0, 0, 0, 0, 0}),
		"swizzle dst":        Swizzle(b(511), b(512), 128, 4),
		"swizzle src":        Swizzle(b(512), b(511), 128, 4),
		"swizzle negative":   Swizzle(nil, nil, -1, -1),
		"swizzle huge":       Swizzle(nil, nil, math.MaxInt, math.MaxInt),
		"unswizzle src":      Unswizzle(b(512), b(513), 128, 4),
		"unswizzle dst":      Unswizzle(b(1), b(512), 128, 4),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		} else if strings.Contains(err.Error(), "%!") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := SwizzlePaddingZero(nil, 1, 1); err == nil {
		t.Error("SwizzlePaddingZero of no bytes")
	}
}

func TestDecodeInts(t *testing.T) {
	for _, c := range []struct {
		d    DType
		b    []byte
		want []float32
	}{
		{Bool, []byte{0, 1, 2}, []float32{0, 1, 1}},
		{U8, []byte{0, 255}, []float32{0, 255}},
		{I8, []byte{0x80, 0xff}, []float32{-128, -1}},
		{U16, []byte{0xfe, 0xff}, []float32{65534}},
		{I16, []byte{0xfe, 0xff}, []float32{-2}},
		{U32, []byte{0, 0, 0, 0x80}, []float32{1 << 31}},
		{I32, []byte{0xff, 0xff, 0xff, 0xff}, []float32{-1}},
		{U64, []byte{0, 0, 0, 0, 0, 0, 0, 0x80}, []float32{1 << 63}},
		{I64, []byte{0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}, []float32{-2}},
		{F64, []byte{0, 0, 0, 0, 0, 0, 0xf8, 0x3f}, []float32{1.5}},
		{F32, []byte{0, 0, 0xc0, 0x3f}, []float32{1.5}},
		{F4, []byte{0x52}, []float32{1, 3}},
	} {
		got := make([]float32, len(c.want))
		if err := c.d.Decode(got, c.b); err != nil {
			t.Errorf("%v: %v", c.d, err)
		} else if !slices.Equal(got, c.want) {
			t.Errorf("%v: %v, want %v", c.d, got, c.want)
		}
	}
}

func TestNothingAllocates(t *testing.T) {
	dst, src, scales := make([]float32, 256), make([]byte, 2048), make([]float32, 8)
	if n := testing.AllocsPerRun(10, func() {
		for d := Bool; d < numDTypes; d++ {
			size, _ := d.Bytes(256)
			if err := d.Decode(dst, src[:size]); err != nil {
				t.Fatal(err)
			}
		}
		DecodeNVFP4(dst, src[:128], src[:16], 1)
		DecodeNVFP4Reciprocal(dst, src[:128], src[:16], 1)
		DecodeMXFP4(dst, src[:128], src[:8])
		DecodeMXFP8(dst, src[:256], src[:8])
		DecodeFP8(dst, src[:256], 1)
		DecodeFP8Block(dst, src[:256], scales[:2], 128)
		DecodeINT4(dst, src[:128], scales, nil, 32)
		EncodeNVFP4(src[:128], src[128:144], dst, 1)
		EncodeMXFP4(src[:128], src[128:136], dst)
		EncodeINT4(src[:128], scales, dst, 32)
		EncodeFP8(src[:256], dst, 1)
		F4.Encode(src[:128], dst)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// TestDecodeRuns: any run of blocks decodes to what its blocks decode to alone.
func TestDecodeRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := DType(rapid.IntRange(int(Bool), int(numDTypes)-1).Draw(t, "dtype"))
		n := rapid.IntRange(0, 9).Draw(t, "blocks")
		src := make([]byte, n*d.BlockBytes())
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for i := range src {
			src[i] = byte(rng.Uint32())
		}
		got, one := make([]float32, n*d.Block()), make([]float32, d.Block())
		if err := d.Decode(got, src); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			if err := d.Decode(one, src[i*d.BlockBytes():(i+1)*d.BlockBytes()]); err != nil {
				t.Fatal(err)
			}
			for j, x := range one {
				if y := got[i*d.Block()+j]; math.Float32bits(x) != math.Float32bits(y) {
					t.Fatalf("%v: block %d alone has %v at %d, in a run %v", d, i, x, j, y)
				}
			}
		}
	})
}

// FuzzDequant gives every decoder bytes and lengths of any kind: an error is
// fine, a panic is not.
func FuzzDequant(f *testing.F) {
	f.Add([]byte("some bytes that are no weights at all, 0123456789"), uint16(32), int16(32))
	f.Add(make([]byte, 210), uint16(256), int16(128))
	f.Add([]byte{}, uint16(0), int16(0))
	f.Fuzz(func(t *testing.T, b []byte, weights uint16, group int16) {
		dst := make([]float32, weights%1024)
		n, k := len(dst), int(group)
		for d := Invalid; d <= numDTypes; d++ {
			if d.Decode(dst, b) == nil && d.BlockBytes() == 0 {
				t.Fatalf("%v was decoded", d)
			}
			if size, err := d.Bytes(int64(n)); err == nil && int64(len(b)) >= size {
				if err := d.Decode(dst, b[:size]); err != nil {
					t.Fatalf("%v: %v for lengths that fit", d, err)
				}
			}
			if s, err := NewScanner(d, int64(k)); err == nil {
				s.Write(b[:len(b)/3])
				s.Write(b[len(b)/3:])
				s.Stats()
			}
		}
		half := b[:min(len(b), n/2)]
		rest := b[len(half):]
		scales := make([]float32, min(len(rest), 1024))
		for _, s := range []int{len(rest), n / 16, n / 32} {
			s = min(s, len(rest))
			DecodeNVFP4(dst, half, rest[:s], 1)
			DecodeNVFP4Reciprocal(dst, half, rest[:s], 0)
			DecodeMXFP4(dst, half, rest[:s])
			DecodeMXFP8(dst, b[:min(len(b), n)], rest[:s])
		}
		DecodeFP8(dst, b, 1)
		for _, s := range []int{len(scales), ceilDiv(n, max(k, 1))} {
			s := scales[:min(s, len(scales))]
			DecodeFP8Block(dst, b, s, k)
			DecodeFP8Block(dst, b[:min(len(b), n)], s, k)
			DecodeINT4(dst, b, s, nil, k)
			DecodeINT4(dst, b[:min(len(b), INT4Bytes(n))], s, make([]int8, len(s)), k)
		}
		UnpackINT4(make([]int8, n), b)
		Unswizzle(b, make([]byte, len(b)), n, k)
		Swizzle(make([]byte, len(b)), b, k, n)
		SwizzlePaddingZero(b, k, n)
	})
}
