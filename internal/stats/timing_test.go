package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestMedianRatioByHand(t *testing.T) {
	before := []float64{100, 104, 98, 101, 99}
	after := []float64{111, 110, 112, 1, 110.5} // one stall
	ratio, lo, hi, err := MedianRatio(before, after, 0.95, 1)
	if err != nil {
		t.Fatal(err)
	}
	near(t, "ratio", ratio, 110.5/100, 1e-12)
	if lo < 1/104. || lo > ratio || hi < ratio || hi > 112./98 {
		t.Errorf("interval [%v, %v]", lo, hi)
	}
	_, lo2, hi2, _ := MedianRatio(before, after, 0.95, 1)
	_, lo3, hi3, _ := MedianRatio(before, after, 0.5, 1)
	if lo2 != lo || hi2 != hi {
		t.Error("the same seed gave another interval")
	}
	if lo3 < lo || hi3 > hi {
		t.Errorf("the 50 %% interval [%v, %v] is not inside the 95 %% one [%v, %v]", lo3, hi3, lo, hi)
	}
	if before[1] != 104 || after[3] != 1 {
		t.Error("the arguments were sorted in place")
	}
	even, _, _, _ := MedianRatio([]float64{3, 1, 0.1, 9}, []float64{4, 4, 4, 4}, 0.9, 1)
	near(t, "ratio of even counts", even, 2, 1e-12)
	most := math.MaxFloat64
	huge, _, hi, _ := MedianRatio([]float64{1, 1, 1, 1}, []float64{most, most, most, most}, 0.9, 1)
	if math.IsInf(huge, 0) || math.IsInf(hi, 0) {
		t.Errorf("overflow: %v, %v", huge, hi)
	}
}

// How often the interval holds the truth; the doc comment has more of it.
func TestMedianRatioCoverage(t *testing.T) {
	const runs, truth = 120, 1.1
	for _, tc := range []struct {
		n     int
		floor float64
	}{{3, 0.80}, {5, 0.88}, {10, 0.92}, {20, 0.92}} {
		rng := rand.New(rand.NewPCG(14, uint64(tc.n)))
		held := 0
		for i := range runs {
			a, b := make([]float64, tc.n), make([]float64, tc.n)
			for j := range a {
				a[j] = math.Exp(0.1 * rng.NormFloat64())
				b[j] = truth * math.Exp(0.1*rng.NormFloat64())
			}
			_, lo, hi, err := MedianRatio(a, b, 0.95, uint64(i))
			if err != nil {
				t.Fatal(err)
			}
			if lo <= truth && truth <= hi {
				held++
			}
		}
		t.Logf("n=%d: the 95 %% interval held the truth in %.1f %%", tc.n, 100*float64(held)/runs)
		if float64(held) < tc.floor*runs {
			t.Errorf("n=%d: the 95 %% interval held the truth in %d of %d", tc.n, held, runs)
		}
	}
}

func TestMedianRatioRefuses(t *testing.T) {
	ok := []float64{1, 2, 3}
	for _, tc := range []struct {
		a, b []float64
		conf float64
	}{
		{ok, ok, 0}, {ok, ok, 1}, {ok, ok, math.NaN()}, {ok, ok, 0.99999},
		{nil, ok, 0.9}, {ok, ok[:2], 0.9},
		{[]float64{1, 2, 0}, ok, 0.9}, {ok, []float64{1, 2, -2}, 0.9},
		{[]float64{1, 2, math.NaN()}, ok, 0.9}, {ok, []float64{1, 2, math.Inf(1)}, 0.9},
	} {
		if _, _, _, err := MedianRatio(tc.a, tc.b, tc.conf, 1); err == nil {
			t.Errorf("%s gave no error", fmt.Sprint(tc))
		}
	}
}

func BenchmarkMedianRatio(b *testing.B) {
	rng := rand.New(rand.NewPCG(15, 15))
	x := make([]float64, 30)
	for i := range x {
		x[i] = 1 + rng.Float64()
	}
	for b.Loop() {
		MedianRatio(x, x, 0.95, 1)
	}
}
