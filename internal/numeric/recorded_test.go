package numeric

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"sync"
	"testing"
)

// recorded is what other implementations made of the formats; testdata/record.py
// says which and how.
type recorded struct {
	Decode map[string]struct {
		Bits   raw
		SHA256 string
	}
	Encode map[string]struct{ Input, Codes raw }
	GGUF   map[string]struct{ Blocks, Values raw }
	NVFP4  struct {
		Rows                                         int
		Packed, Scales, Values, ModelOpt, Reciprocal raw
		Scale2, Global                               float32
		Weights                                      raw
		WeightsScale2                                float32 `json:"weights_scale2"`
		WeightsPacked                                raw     `json:"weights_packed"`
		WeightsScales                                raw     `json:"weights_scales"`
	}
	MXFP4 struct {
		Rows                            int
		Packed, Scales, Values, Weights raw
		WeightsPacked                   raw `json:"weights_packed"`
		WeightsScales                   raw `json:"weights_scales"`
	}
	FP8Block struct {
		Rows                  int
		Codes, Scales, Values raw
	} `json:"fp8_block"`
	INT4 []struct {
		Rows, K, Group                                        int
		Q, Packed, Scales, Zeros, Values, Asymmetric, Weights raw
		WeightsScales                                         raw `json:"weights_scales"`
		WeightsQ                                              raw `json:"weights_q"`
	}
	Swizzle []struct {
		Rows, Cols      int
		Plain, Swizzled raw
	}
}

// raw is bytes in base64.
type raw []byte

func (r *raw) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return err
	}
	var err error
	*r, err = base64.StdEncoding.DecodeString(s)
	return err
}

// floats reads little-endian float32.
func (r raw) floats() []float32 {
	x := make([]float32, len(r)/4)
	for i := range x {
		x[i] = math.Float32frombits(le.Uint32(r[4*i:]))
	}
	return x
}

// row returns row i of n.
func (r raw) row(i, n int) raw { return r[len(r)/n*i : len(r)/n*(i+1)] }

var loadRecorded = sync.OnceValues(func() (*recorded, error) {
	f, err := os.ReadFile("testdata/recorded.json.gz")
	if err != nil {
		return nil, err
	}
	z, err := gzip.NewReader(bytes.NewReader(f))
	if err != nil {
		return nil, err
	}
	r := new(recorded)
	return r, json.NewDecoder(z).Decode(r)
})

func record(t *testing.T) *recorded {
	t.Helper()
	r, err := loadRecorded()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sameFloats compares bit by bit; any NaN equals any other.
func sameFloats(t *testing.T, got, want []float32) {
	t.Helper()
	if len(got) != len(want) || len(want) == 0 {
		t.Fatalf("%d values, want %d", len(got), len(want))
	}
	bad := 0
	for i := range want {
		if math.Float32bits(got[i]) != math.Float32bits(want[i]) && !(isNaN(got[i]) && isNaN(want[i])) {
			if bad++; bad <= 5 {
				t.Errorf("value %d is %v (%#x), want %v (%#x)", i, got[i], math.Float32bits(got[i]), want[i], math.Float32bits(want[i]))
			}
		}
	}
	if bad > 5 {
		t.Errorf("%d of %d values differ", bad, len(want))
	}
}

func TestDecodeRecorded(t *testing.T) {
	for name, want := range record(t).Decode {
		t.Run(name, func(t *testing.T) {
			c := codecOf(t, name)
			got := make([]float32, c.codes)
			for i := range got {
				got[i] = c.decode(uint16(i))
			}
			if want.SHA256 == "" {
				sameFloats(t, got, want.Bits.floats())
				return
			}
			h := sha256.New()
			for _, x := range got {
				bits := math.Float32bits(x)
				if isNaN(x) {
					bits = 0x7fc00000
				}
				h.Write(le.AppendUint32(nil, bits))
			}
			if got := hex.EncodeToString(h.Sum(nil)); got != want.SHA256 {
				t.Errorf("the values of all codes hash to %s, want %s", got, want.SHA256)
			}
		})
	}
}

func TestEncodeRecorded(t *testing.T) {
	// Where ml_dtypes decides otherwise, as documented.
	exception := func(name string, x float32, theirs uint16) (uint16, bool) {
		ax := abs32(x)
		switch {
		case name == "F8_E4M3" && theirs&0x7f == e4m3NaN && ax > 464: // saturate
			return theirs&0x80 | e4m3Max, true
		case name == "F8_E8M0" && x == 0:
			return 0, true
		case name == "F8_E8M0" && math.Float32bits(x) == 0x5fffff: // ml_dtypes is wrong: 0 is nearer
			return 0, true
		case name == "F8_E8M0" && theirs == e8m0NaN && x > 0 && ax <= math.MaxFloat32: // saturate
			return 254, true
		}
		return theirs, false
	}
	for name, want := range record(t).Encode {
		t.Run(name, func(t *testing.T) {
			c := codecOf(t, name)
			inputs, exceptions, bad := want.Input.floats(), 0, 0
			for i, x := range inputs {
				code, except := exception(name, x, le.Uint16(want.Codes[2*i:]))
				if except {
					exceptions++
				}
				if got := c.encode(x); got != code {
					if bad++; bad < 10 {
						t.Errorf("%v (%#x) becomes %#x, want %#x", x, math.Float32bits(x), got, code)
					}
				}
			}
			t.Logf("%d inputs, %d where we differ on purpose, %d wrong", len(inputs), exceptions, bad)
		})
	}
}

func TestGGUFRecorded(t *testing.T) {
	for name, want := range record(t).GGUF {
		t.Run(name, func(t *testing.T) {
			d, err := ParseDType(name)
			if err != nil {
				t.Fatal(err)
			}
			got := make([]float32, len(want.Values)/4)
			if err := d.Decode(got, want.Blocks); err != nil {
				t.Fatal(err)
			}
			sameFloats(t, got, want.Values.floats())
		})
	}
}

func TestNVFP4Recorded(t *testing.T) {
	r := record(t).NVFP4
	for i := range r.Rows {
		values := r.Values.row(i, r.Rows).floats()
		got := make([]float32, len(values))
		if err := DecodeNVFP4(got, r.Packed.row(i, r.Rows), r.Scales.row(i, r.Rows), r.Scale2); err != nil {
			t.Fatal(err)
		}
		sameFloats(t, got, values)
		for j, theirs := range r.ModelOpt.row(i, r.Rows).floats() {
			if d := math.Abs(float64(got[j] - theirs)); d > 1.2e-7*math.Abs(float64(theirs)) {
				t.Errorf("ModelOpt's order of products gives %v, ours %v", theirs, got[j])
			}
		}
		if err := DecodeNVFP4Reciprocal(got, r.Packed.row(i, r.Rows), r.Scales.row(i, r.Rows), r.Global); err != nil {
			t.Fatal(err)
		}
		sameFloats(t, got, r.Reciprocal.row(i, r.Rows).floats())
	}
	w := r.Weights.floats()
	if got := NVFP4Scale2(amax(w)); got != r.WeightsScale2 {
		t.Errorf("scale2 is %v, want %v", got, r.WeightsScale2)
	}
	packed, scales := make([]byte, len(w)/2), make([]byte, len(w)/16)
	if err := EncodeNVFP4(packed, scales, w, r.WeightsScale2); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(scales, r.WeightsScales) || !bytes.Equal(packed, r.WeightsPacked) {
		t.Error("quantised weights differ:", firstDifference(scales, r.WeightsScales), firstDifference(packed, r.WeightsPacked))
	}
}

func firstDifference(got, want []byte) string {
	for i := range want {
		if i >= len(got) || got[i] != want[i] {
			return fmt.Sprintf("byte %d of %d", i, len(want))
		}
	}
	return "equal"
}

func TestMXFP4Recorded(t *testing.T) {
	r := record(t).MXFP4
	values := r.Values.floats()
	got := make([]float32, len(values))
	if err := DecodeMXFP4(got, r.Packed, r.Scales); err != nil {
		t.Fatal(err)
	}
	sameFloats(t, got, values)
	w := r.Weights.floats()
	packed, scales := make([]byte, len(w)/2), make([]byte, len(w)/32)
	if err := EncodeMXFP4(packed, scales, w); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(scales, r.WeightsScales) || !bytes.Equal(packed, r.WeightsPacked) {
		t.Error("quantised weights differ:", firstDifference(scales, r.WeightsScales), firstDifference(packed, r.WeightsPacked))
	}
}

func TestFP8BlockRecorded(t *testing.T) {
	r := record(t).FP8Block
	for i := range r.Rows {
		values := r.Values.row(i, r.Rows).floats()
		got := make([]float32, len(values))
		if err := DecodeFP8Block(got, r.Codes.row(i, r.Rows), r.Scales.row(i, r.Rows).floats(), FP8BlockSize); err != nil {
			t.Fatal(err)
		}
		sameFloats(t, got, values)
	}
}

func TestINT4Recorded(t *testing.T) {
	for _, r := range record(t).INT4 {
		t.Run(fmt.Sprintf("%d by %d", r.K, r.Group), func(t *testing.T) {
			got, q := make([]float32, r.K), make([]int8, r.K)
			for i := range r.Rows {
				packed, scales := r.Packed.row(i, r.Rows), r.Scales.row(i, r.Rows).floats()
				if err := DecodeINT4(got, packed, scales, nil, r.Group); err != nil {
					t.Fatal(err)
				}
				sameFloats(t, got, r.Values.row(i, r.Rows).floats())
				zeros := int8s(r.Zeros.row(i, r.Rows))
				if err := DecodeINT4(got, packed, scales, zeros, r.Group); err != nil {
					t.Fatal(err)
				}
				sameFloats(t, got, r.Asymmetric.row(i, r.Rows).floats())

				if err := UnpackINT4(q, packed); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(uint8s(q), r.Q.row(i, r.Rows)) {
					t.Error("unpacked integers differ")
				}
				again := make([]byte, len(packed))
				if err := PackINT4(again, q); err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(again, packed) {
					t.Error("packing again differs")
				}

				gotScales := make([]float32, len(scales))
				if err := EncodeINT4(again, gotScales, r.Weights.row(i, r.Rows).floats(), r.Group); err != nil {
					t.Fatal(err)
				}
				sameFloats(t, gotScales, r.WeightsScales.row(i, r.Rows).floats())
				UnpackINT4(q, again)
				if !bytes.Equal(uint8s(q), r.WeightsQ.row(i, r.Rows)) {
					t.Error("quantised weights differ:", firstDifference(uint8s(q), r.WeightsQ.row(i, r.Rows)))
				}
			}
		})
	}
}

func int8s(b []byte) []int8 {
	q := make([]int8, len(b))
	for i, c := range b {
		q[i] = int8(c)
	}
	return q
}

func uint8s(q []int8) []byte {
	b := make([]byte, len(q))
	for i, c := range q {
		b[i] = byte(c)
	}
	return b
}

func TestSwizzleRecorded(t *testing.T) {
	for _, r := range record(t).Swizzle {
		t.Run(fmt.Sprintf("%dx%d", r.Rows, r.Cols), func(t *testing.T) {
			got := bytes.Repeat([]byte{0xaa}, len(r.Swizzled))
			if err := Swizzle(got, r.Plain, r.Rows, r.Cols); err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got, r.Swizzled) {
				t.Error("swizzled scales differ:", firstDifference(got, r.Swizzled))
			}
		})
	}
}
