package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestClopperPearsonAgainstSciPy(t *testing.T) {
	for _, c := range scipy(t).ClopperPearson {
		lo, hi, err := ClopperPearson(c.K, c.N, c.Conf)
		if err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprintf("lower limit of %d/%d at %v", c.K, c.N, c.Conf), lo, c.Lo, 1e-9)
		near(t, fmt.Sprintf("upper limit of %d/%d at %v", c.K, c.N, c.Conf), hi, c.Hi, 1e-9)
	}
}

// The examples of R. Newcombe, Statistics in Medicine 17, 1998, table I,
// method 5, https://doi.org/10.1002/(SICI)1097-0258(19980430)17:8<857::AID-SIM777>3.0.CO;2-E.
func TestClopperPearsonPublished(t *testing.T) {
	for _, c := range []struct {
		k, n   int
		lo, hi float64
	}{{81, 263, 0.2527, 0.3676}, {15, 148, 0.0578, 0.1617}, {0, 20, 0, 0.1684}, {1, 29, 0.0009, 0.1776}} {
		lo, hi, err := ClopperPearson(c.k, c.n, 0.95)
		if err != nil || math.Abs(lo-c.lo) > 5e-5 || math.Abs(hi-c.hi) > 5e-5 {
			t.Errorf("%d/%d: [%.4f, %.4f], %v; published [%.4f, %.4f]", c.k, c.n, lo, hi, err, c.lo, c.hi)
		}
	}
}

func TestClopperPearsonProperties(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 17))
	for range 200 {
		n := 1 + rng.IntN(3000)
		k := rng.IntN(n + 1)
		conf := 0.5 + 0.4999*rng.Float64()
		lo, hi, err := ClopperPearson(k, n, conf)
		if err != nil {
			t.Fatal(err)
		}
		if p := float64(k) / float64(n); !(0 <= lo && lo <= p && p <= hi && hi <= 1) {
			t.Errorf("%d of %d at %v: [%v, %v]", k, n, conf, lo, hi)
		}
		mirrorLo, mirrorHi, _ := ClopperPearson(n-k, n, conf)
		near(t, "mirrored lower limit", 1-mirrorHi, lo, 1e-9)
		near(t, "mirrored upper limit", 1-mirrorLo, hi, 1e-9)
	}
}

func TestZeroEventsUpper(t *testing.T) {
	for _, c := range scipy(t).ZeroEventsUpper {
		hi, err := ZeroEventsUpper(c.N, c.Conf)
		if err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprintf("0 of %d at %v", c.N, c.Conf), hi, c.Hi, 1e-8)
	}
	hi, _ := ZeroEventsUpper(1000, 0.95)
	near(t, "rule of three", hi, 3.0/1000, 0.005)
	// One-sided at conf is two-sided at 2 conf - 1.
	_, twoSided, _ := ClopperPearson(0, 1000, 0.9)
	near(t, "agreement with Clopper-Pearson", hi, twoSided, 1e-9)
}

func TestBinomialRefuses(t *testing.T) {
	for _, c := range []struct {
		k, n int
		conf float64
	}{{-1, 10, 0.95}, {11, 10, 0.95}, {0, 0, 0.95}, {1, 10, 0}, {1, 10, 1}, {1, 10, math.NaN()}} {
		if _, _, err := ClopperPearson(c.k, c.n, c.conf); err == nil {
			t.Errorf("ClopperPearson(%d, %d, %v) gave no error", c.k, c.n, c.conf)
		}
	}
	for _, c := range []struct {
		n    int
		conf float64
	}{{0, 0.95}, {-3, 0.95}, {10, 0}, {10, 1}, {10, math.NaN()}} {
		if _, err := ZeroEventsUpper(c.n, c.conf); err == nil {
			t.Errorf("ZeroEventsUpper(%d, %v) gave no error", c.n, c.conf)
		}
	}
}

func TestRegularizedBeta(t *testing.T) {
	for _, c := range scipy(t).RegularizedBeta {
		got := regularizedBeta(c.A, c.B, c.X)
		if math.Abs(got-c.Value) > 1e-11*math.Max(c.Value, 1e-3) && math.Abs(got-c.Value) > 1e-9*c.Value {
			t.Errorf("I_%v(%v, %v) = %.15g, want %.15g", c.X, c.A, c.B, got, c.Value)
		}
	}
	rng := rand.New(rand.NewPCG(9, 9))
	for range 300 {
		a, b := math.Exp(6*rng.Float64()), math.Exp(6*rng.Float64())
		x := rng.Float64()
		if v, w := regularizedBeta(a, b, x), regularizedBeta(a, b, min(1, x*1.01)); v < 0 || v > 1+1e-12 || w < v-1e-12 {
			t.Errorf("I_x(%v, %v) at x=%v is %v, then %v", a, b, x, v, w)
		}
	}
}
