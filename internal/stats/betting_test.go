package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func TestBettingRefuses(t *testing.T) {
	for _, m := range []float64{0, 1, -1, 2, math.NaN(), math.Inf(1)} {
		if _, err := NewMeanAtMost(m); err == nil {
			t.Errorf("NewMeanAtMost(%v) gave no error", m)
		}
		if _, err := NewMeanAtLeast(m); err == nil {
			t.Errorf("NewMeanAtLeast(%v) gave no error", m)
		}
	}
	b, _ := NewMeanAtMost(0.5)
	b.Observe(1)
	e, n := b.E(), b.N()
	for _, x := range []float64{-1e-9, 1.0000001, math.NaN(), math.Inf(1)} {
		if err := b.Observe(x); err == nil {
			t.Errorf("Observe(%v) gave no error", x)
		}
	}
	if b.E() != e || b.N() != n {
		t.Errorf("a refused observation changed the test")
	}
	for _, alpha := range []float64{0, 1, -1, math.NaN()} {
		if b.Reject(alpha) {
			t.Errorf("Reject(%v) is true", alpha)
		}
	}
}

// The e-value after one observation, by hand: sum_j w_j (1 + f_j (x/m - 1)).
func TestBettingOneStep(t *testing.T) {
	stake := boldWeight
	for _, f := range bets[1:] {
		stake += f * (1 - boldWeight) / float64(len(bets)-1)
	}
	atMost, _ := NewMeanAtMost(0.2)
	atLeast, _ := NewMeanAtLeast(0.8)
	near(t, "E of nothing", atMost.E(), 1, 1e-12)
	atMost.Observe(0.7)
	atLeast.Observe(0.3)
	near(t, "E", atMost.E(), 1+stake*(0.7/0.2-1), 1e-12)
	near(t, "E of the mirror image", atLeast.E(), atMost.E(), 1e-12)
}

// processes yield observations in [0,1] whose mean given the past is exactly m:
// the boundary of both nulls.
var processes = map[string]func(rng *rand.Rand, m float64) func() float64{
	"bernoulli": func(rng *rand.Rand, m float64) func() float64 {
		return func() float64 { return bernoulli(rng, m) }
	},
	"narrow": func(rng *rand.Rand, m float64) func() float64 {
		w := min(m, 1-m) / 2
		return func() float64 { return m + w*(2*rng.Float64()-1) }
	},
	// Quiet after a high value, wild after a low one: dependent, not
	// exchangeable, and still of mean m given the past.
	"volatile": func(rng *rand.Rand, m float64) func() float64 {
		last := 0.0
		return func() float64 {
			if last > m {
				last = m + (2*rng.Float64()-1)*0.1*min(m, 1-m)
			} else {
				last = bernoulli(rng, m)
			}
			return last
		}
	},
	// A long memory: the spread follows the running mean.
	"memory": func(rng *rand.Rand, m float64) func() float64 {
		sum, n := m, 1.0
		return func() float64 {
			spread := min(1, math.Abs(sum/n-m)*5+0.05)
			x := m + spread*(bernoulli(rng, m)-m)
			sum, n = sum+x, n+1
			return x
		}
	},
}

func bernoulli(rng *rand.Rand, p float64) float64 {
	if rng.Float64() < p {
		return 1
	}
	return 0
}

// Ville: whoever looks after every observation and stops at the best moment is
// still wrong at most alpha of the time.
func TestBettingTypeI(t *testing.T) {
	const runs, steps, alpha = 400, 200, 0.05
	seed := uint64(0)
	for _, name := range []string{"bernoulli", "narrow", "volatile", "memory"} {
		for _, m := range []float64{0.05, 0.5, 0.9} {
			seed++
			rng := rand.New(rand.NewPCG(5, seed))
			high, low := 0, 0
			for range runs {
				draw := processes[name](rng, m)
				atMost, _ := NewMeanAtMost(m)
				atLeast, _ := NewMeanAtLeast(m)
				for range steps {
					x := draw()
					if atMost.Observe(x) != nil || atLeast.Observe(x) != nil {
						t.Fatalf("%s: %v refused", name, x)
					}
				}
				if atMost.Reject(alpha) {
					high++
				}
				if atLeast.Reject(alpha) {
					low++
				}
			}
			rateAtMost(t, fmt.Sprintf("%s m=%v, mean <= m rejected", name, m), high, runs, alpha)
			rateAtMost(t, fmt.Sprintf("%s m=%v, mean >= m rejected", name, m), low, runs, alpha)
		}
	}
}

// Against a gambler who knew the truth (Kelly), the mixture loses little.
func TestBettingPower(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	const runs, alpha = 200, 1e-6
	for _, tc := range []struct{ m, truth float64 }{
		{0.05, 0.9}, {0.05, 0.3}, {0.05, 0.1}, {0.5, 0.6}, {0.5, 0.9}, {0.9, 0.98},
	} {
		total := 0
		for range runs {
			b, _ := NewMeanAtMost(tc.m)
			for !b.Reject(alpha) {
				b.Observe(bernoulli(rng, tc.truth))
			}
			total += b.N()
		}
		mean := float64(total) / runs
		bound := -math.Log(alpha) / bernoulliKL(tc.truth, tc.m)
		t.Logf("m=%v truth=%v: mean %.1f observations, bound %.1f, ratio %.2f", tc.m, tc.truth, mean, bound, mean/bound)
		if mean > 1.4*bound+1 {
			t.Errorf("m=%v truth=%v: mean %.1f observations, bound %.1f", tc.m, tc.truth, mean, bound)
		}
	}
}

// Whatever the data and however close m to an end: the e-value is a finite
// number >= 0, and what is rejected at 0.01 is rejected at 0.1.
func TestBettingIsSafe(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(7, seed))
		m := rng.Float64()
		switch seed % 4 {
		case 0:
			m = 1e-12
		case 1:
			m = 1 - 1e-12
		}
		atMost, err1 := NewMeanAtMost(m)
		atLeast, err2 := NewMeanAtLeast(m)
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		for range 2000 {
			x := rng.Float64()
			if rng.IntN(2) == 0 {
				x = float64(rng.IntN(2))
			}
			for _, b := range []*BettingMean{atMost, atLeast} {
				if err := b.Observe(x); err != nil {
					t.Fatal(err)
				}
				if math.IsNaN(b.LogE()) || math.IsInf(b.LogE(), 0) || !(b.E() >= 0) || b.Reject(0.01) && !b.Reject(0.1) {
					t.Fatalf("seed %d, m %v, %d observations: log e-value %v", seed, m, b.N(), b.LogE())
				}
			}
		}
	}
}

func TestEquivalenceConfig(t *testing.T) {
	good := EquivalenceConfig{Low: 0.05, High: 0.2, Scale: 2, Alpha: 1e-6, Beta: 1e-6}
	for name, spoil := range map[string]func(*EquivalenceConfig){
		"low zero":        func(c *EquivalenceConfig) { c.Low = 0 },
		"low above high":  func(c *EquivalenceConfig) { c.Low = 0.3 },
		"high is scale":   func(c *EquivalenceConfig) { c.High = 2 },
		"scale infinite":  func(c *EquivalenceConfig) { c.Scale = math.Inf(1) },
		"low underflows":  func(c *EquivalenceConfig) { c.Low, c.Scale = 1e-320, 1e10 },
		"high NaN":        func(c *EquivalenceConfig) { c.High = math.NaN() },
		"alpha zero":      func(c *EquivalenceConfig) { c.Alpha = 0 },
		"beta NaN":        func(c *EquivalenceConfig) { c.Beta = math.NaN() },
		"everything zero": func(c *EquivalenceConfig) { *c = EquivalenceConfig{} },
	} {
		c := good
		spoil(&c)
		if _, err := NewEquivalence(c); err == nil {
			t.Errorf("%s: no error", name)
		}
		if _, err := c.SamplesIfEqual(); err == nil {
			t.Errorf("%s: SamplesIfEqual gave no error", name)
		}
	}
}

// Two equal servers are called the same after the number of tokens that the
// best bet allows, ln(1/beta) / -ln(1 - High/Scale), plus the price of a mixture.
func TestEquivalenceOfEqualServers(t *testing.T) {
	for _, high := range []float64{0.02, 0.2, 1} {
		c := EquivalenceConfig{Low: high / 4, High: high, Scale: 2, Alpha: 1e-6, Beta: 1e-6}
		e, err := NewEquivalence(c)
		if err != nil {
			t.Fatal(err)
		}
		for e.Decision() == Undecided {
			if err := e.Observe(0); err != nil {
				t.Fatal(err)
			}
		}
		best := -math.Log(c.Beta) / -math.Log1p(-c.High/c.Scale)
		enough, _ := c.SamplesIfEqual()
		t.Logf("High=%v: same after %d, best bet %.1f, SamplesIfEqual %d", high, e.N(), best, enough)
		if e.Decision() != Same || e.N() > enough || float64(e.N()) < best || float64(enough) > 1.06*best+1 {
			t.Errorf("High=%v: %v after %d; best bet %.1f, SamplesIfEqual %d", high, e.Decision(), e.N(), best, enough)
		}
	}
}

func TestEquivalenceRatesAndPower(t *testing.T) {
	c := EquivalenceConfig{Low: 0.1, High: 0.2, Scale: 2, Alpha: 0.05, Beta: 0.02}
	const runs, limit = 500, 2000
	noise := func(rng *rand.Rand, mean float64) float64 { // heavy: a few differences make the mean
		if rng.IntN(4) != 0 {
			return 0
		}
		return -2 * 4 * mean * rng.Float64()
	}
	for i, tc := range []struct {
		mean  float64
		wrong EquivalenceDecision
		rate  float64
		power float64 // share that decides rightly within limit
	}{
		{c.Low, Different, c.Alpha, 0.99},
		{c.High, Same, c.Beta, 0.99},
		{0.02, Different, c.Alpha, 1},
		{0.25, Same, c.Beta, 1},
	} {
		rng := rand.New(rand.NewPCG(8, uint64(i)))
		wrong, right, total := 0, 0, 0
		for range runs {
			e, _ := NewEquivalence(c)
			for e.Decision() == Undecided && e.N() < limit {
				e.Observe(noise(rng, tc.mean))
			}
			total += e.N()
			switch e.Decision() {
			case tc.wrong:
				wrong++
			case Undecided:
			default:
				right++
			}
		}
		rateAtMost(t, fmt.Sprintf("mean %v called %v", tc.mean, tc.wrong), wrong, runs, tc.rate)
		t.Logf("mean %v: %d of %d right, after %.0f on average", tc.mean, right, runs, float64(total)/runs)
		if float64(right) < (tc.power-tc.rate)*runs {
			t.Errorf("mean %v: only %d of %d right within %d", tc.mean, right, runs, limit)
		}
	}
}

func TestEquivalenceObserves(t *testing.T) {
	e, _ := NewEquivalence(EquivalenceConfig{Low: 0.1, High: 0.2, Scale: 2, Alpha: 1e-6, Beta: 1e-6})
	if !math.IsNaN(e.Mean()) {
		t.Errorf("the mean of nothing is %v", e.Mean())
	}
	if err := e.Observe(math.NaN()); err == nil || e.N() != 0 {
		t.Errorf("NaN: error %v, n %d", err, e.N())
	}
	for _, d := range []float64{math.Inf(-1), 7, -1, 0} {
		if err := e.Observe(d); err != nil {
			t.Errorf("Observe(%v): %v", d, err)
		}
	}
	near(t, "mean", e.Mean(), (2+2+1+0)/4., 1e-12)
	for range 100 {
		e.Observe(5)
	}
	if e.Decision() != Different || e.N() > 20 {
		t.Errorf("%v after %d", e.Decision(), e.N())
	}
	if different, same := e.LogE(); different < -math.Log(1e-6) || same > 0 {
		t.Errorf("log e-values %v and %v", different, same)
	}
	if err := e.Observe(math.NaN()); err == nil {
		t.Error("NaN after the decision gave no error")
	}
}

func BenchmarkEquivalenceObserve(b *testing.B) {
	c := EquivalenceConfig{Low: 0.1, High: 0.1, Scale: 2, Alpha: 1e-300, Beta: 1e-300}
	e, _ := NewEquivalence(c)
	for i := 0; b.Loop(); i++ {
		e.Observe(float64(i%2) * 0.2)
		if e.Decision() != Undecided {
			e, _ = NewEquivalence(c)
		}
	}
}
