package numeric

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// codec is a scalar format for tests that cover all of them.
type codec struct {
	name    string
	codes   int
	signed  bool
	largest uint16 // code of the largest finite value
	decode  func(uint16) float32
	encode  func(float32) uint16
}

var codecs = []codec{
	{"F4", 16, true, 7, narrow(DecodeE2M1), wide(EncodeE2M1)},
	{"F8_E4M3", 256, true, 0x7e, narrow(DecodeE4M3), wide(EncodeE4M3)},
	{"F8_E5M2", 256, true, 0x7b, narrow(DecodeE5M2), wide(EncodeE5M2)},
	{"F8_E8M0", 256, false, 0xfe, narrow(DecodeE8M0), wide(EncodeE8M0)},
	{"BF16", 65536, true, 0x7f7f, DecodeBF16, EncodeBF16},
	{"F16", 65536, true, 0x7bff, DecodeF16, EncodeF16},
}

func narrow(f func(uint8) float32) func(uint16) float32 {
	return func(c uint16) float32 { return f(uint8(c)) }
}

func wide(f func(float32) uint8) func(float32) uint16 {
	return func(x float32) uint16 { return uint16(f(x)) }
}

func codecOf(t *testing.T, name string) codec {
	t.Helper()
	for _, c := range codecs {
		if c.name == name {
			return c
		}
	}
	t.Fatalf("no codec %s", name)
	return codec{}
}

func eachCodec(t *testing.T, f func(t *testing.T, c codec)) {
	for _, c := range codecs {
		t.Run(c.name, func(t *testing.T) { f(t, c) })
	}
}

func TestEncodeDecodeIsIdentity(t *testing.T) {
	eachCodec(t, func(t *testing.T, c codec) {
		for i := range c.codes {
			code := uint16(i)
			x := c.decode(code)
			got := c.encode(x)
			if isNaN(x) {
				if !isNaN(c.decode(got)) || c.signed && got&uint16(c.codes/2) != code&uint16(c.codes/2) {
					t.Errorf("NaN %#x becomes %#x", code, got)
				}
				continue
			}
			if got != code {
				t.Errorf("code %#x is %v, which becomes %#x", code, x, got)
			}
		}
	})
}

func TestValuesGrowWithCodes(t *testing.T) {
	eachCodec(t, func(t *testing.T, c codec) {
		for code := uint16(1); code <= c.largest; code++ {
			if !(c.decode(code) > c.decode(code-1)) {
				t.Errorf("%#x is %v, not above %v", code, c.decode(code), c.decode(code-1))
			}
			if c.signed && c.decode(code|uint16(c.codes/2)) != -c.decode(code) {
				t.Errorf("%#x is not the negative of its neighbour", code)
			}
		}
	})
}

// TestTies tries every midpoint between neighbours, and what lies next to it.
func TestTies(t *testing.T) {
	eachCodec(t, func(t *testing.T, c codec) {
		for code := uint16(0); code < c.largest; code++ {
			mid := (float64(c.decode(code)) + float64(c.decode(code+1))) / 2
			tie := float32(mid)
			if float64(tie) != mid {
				continue // no float32, so no tie: BF16's smallest
			}
			want := code + code&1
			if !c.signed { // E8M0: always upwards
				want = code + 1
			}
			for _, try := range []struct {
				x    float32
				want uint16
			}{
				{tie, want},
				{math.Nextafter32(tie, float32(math.Inf(1))), code + 1},
				{math.Nextafter32(tie, 0), code},
			} {
				if got := c.encode(try.x); got != try.want {
					t.Fatalf("%v between %#x and %#x becomes %#x, want %#x", try.x, code, code+1, got, try.want)
				}
				if c.signed {
					if got := c.encode(-try.x); got != try.want|uint16(c.codes/2) {
						t.Fatalf("%v becomes %#x", -try.x, got)
					}
				}
			}
		}
	})
}

func TestLimits(t *testing.T) {
	inf := float32(math.Inf(1))
	for _, c := range []struct {
		name string
		x    float32
		want uint16
	}{
		{"F4", 6.999, 7}, {"F4", inf, 7}, {"F4", -inf, 15}, {"F4", 1e38, 7},
		{"F8_E4M3", 448, 0x7e}, {"F8_E4M3", 463, 0x7e}, {"F8_E4M3", 1e30, 0x7e}, {"F8_E4M3", -inf, 0xfe},
		{"F8_E5M2", 57344, 0x7b}, {"F8_E5M2", 61439, 0x7b}, {"F8_E5M2", 61440, 0x7c}, {"F8_E5M2", -1e30, 0xfc},
		{"F8_E8M0", 0, 0}, {"F8_E8M0", float32(math.Copysign(0, -1)), 0}, {"F8_E8M0", -1, 0xff}, {"F8_E8M0", inf, 0xff},
		{"F8_E8M0", math.MaxFloat32, 0xfe}, {"F8_E8M0", 1e-45, 0},
		{"F16", 65519, 0x7bff}, {"F16", 65520, 0x7c00}, {"F16", inf, 0x7c00}, {"F16", -1e30, 0xfc00}, {"F16", 2e-8, 0}, {"F16", 0x1p-25, 0},
		{"BF16", math.MaxFloat32, 0x7f80}, {"BF16", inf, 0x7f80}, {"BF16", -inf, 0xff80},
	} {
		if got := codecOf(t, c.name).encode(c.x); got != c.want {
			t.Errorf("%s: %v becomes %#x, want %#x", c.name, c.x, got, c.want)
		}
	}
	nan := float32(math.NaN())
	if got := EncodeE2M1(nan); got != 7 {
		t.Errorf("F4: NaN becomes %#x", got)
	}
	for _, c := range codecs[1:] {
		for _, x := range []float32{nan, -nan, math.Float32frombits(0x7f800001), math.Float32frombits(0xff800001)} {
			if got := c.decode(c.encode(x)); !isNaN(got) {
				t.Errorf("%s: NaN becomes %v", c.name, got)
			}
		}
	}
}

// anyFloat draws float32 of every kind.
var anyFloat = rapid.Custom(func(t *rapid.T) float32 {
	if rapid.Bool().Draw(t, "bits") {
		return math.Float32frombits(rapid.Uint32().Draw(t, "x"))
	}
	return float32(math.Ldexp(rapid.Float64Range(-2, 2).Draw(t, "m"), rapid.IntRange(-30, 20).Draw(t, "e")))
})

// TestRoundsToNearest checks that no neighbour of the chosen code is nearer.
func TestRoundsToNearest(t *testing.T) {
	eachCodec(t, func(t *testing.T, c codec) {
		rapid.Check(t, func(t *rapid.T) {
			x := anyFloat.Draw(t, "x")
			if isNaN(x) || math.IsInf(float64(x), 0) || !c.signed && x < 0 {
				return
			}
			code := c.encode(x)
			sign := uint16(0)
			if c.signed {
				sign = code & uint16(c.codes/2)
			}
			m := code &^ sign
			ax := math.Abs(float64(x))
			if m > c.largest { // infinity: no nearer than what would come after the largest
				step := float64(c.decode(c.largest)) - float64(c.decode(c.largest-1))
				if ax < float64(c.decode(c.largest))+step/2 {
					t.Fatalf("%v becomes %#x", x, code)
				}
				return
			}
			off := math.Abs(ax - math.Abs(float64(c.decode(code))))
			if m > 0 && ax-float64(c.decode(m-1)) < off {
				t.Fatalf("%v becomes %#x, but %#x is nearer", x, code, m-1)
			}
			if m < c.largest && float64(c.decode(m+1))-ax < off {
				t.Fatalf("%v becomes %#x, but %#x is nearer", x, code, m+1)
			}
			if x != 0 && c.signed && (sign != 0) != (x < 0) {
				t.Fatalf("%v becomes %#x: the sign is wrong", x, code)
			}
		})
	})
}

func TestEncodeIsMonotone(t *testing.T) {
	eachCodec(t, func(t *testing.T, c codec) {
		rapid.Check(t, func(t *rapid.T) {
			x, y := abs32(anyFloat.Draw(t, "x")), abs32(anyFloat.Draw(t, "y"))
			if math.IsInf(float64(max(x, y)), 0) && !c.signed {
				return // E8M0 has no infinity
			}
			if x > y {
				x, y = y, x
			}
			if c.encode(x) > c.encode(y) {
				t.Fatalf("%v becomes %#x, %v %#x", x, c.encode(x), y, c.encode(y))
			}
		})
	})
}
