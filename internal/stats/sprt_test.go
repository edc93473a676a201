package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func newSPRT(t testing.TB, c SPRTConfig) *SPRT {
	t.Helper()
	s, err := NewSPRT(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestSPRTConfig(t *testing.T) {
	good := SPRTConfig{P0: 0.97, P1: 0.5, Alpha: 1e-6, Beta: 1e-3}
	nan := math.NaN()
	for _, tc := range []struct {
		name  string
		spoil func(*SPRTConfig)
	}{
		{"hypotheses swapped", func(c *SPRTConfig) { c.P0, c.P1 = c.P1, c.P0 }},
		{"hypotheses equal", func(c *SPRTConfig) { c.P1 = c.P0 }},
		{"p0 one", func(c *SPRTConfig) { c.P0 = 1 }},
		{"p1 zero", func(c *SPRTConfig) { c.P1 = 0 }},
		{"p0 NaN", func(c *SPRTConfig) { c.P0 = nan }},
		{"p1 NaN", func(c *SPRTConfig) { c.P1 = nan }},
		{"alpha zero", func(c *SPRTConfig) { c.Alpha = 0 }},
		{"beta one", func(c *SPRTConfig) { c.Beta = 1 }},
		{"alpha NaN", func(c *SPRTConfig) { c.Alpha = nan }},
		{"sum of errors one", func(c *SPRTConfig) { c.Alpha, c.Beta = 0.5, 0.5 }},
		{"cap eaten by its charge", func(c *SPRTConfig) { c.ClusterCap = 0.48 }},
		{"cap negative", func(c *SPRTConfig) { c.ClusterCap = -3 }},
		{"cap NaN", func(c *SPRTConfig) { c.ClusterCap = nan }},
	} {
		c := good
		tc.spoil(&c)
		if _, err := NewSPRT(c); err == nil {
			t.Errorf("%s: NewSPRT(%+v) gave no error", tc.name, c)
		}
		if _, _, err := c.ExpectedSamples(); err == nil {
			t.Errorf("%s: ExpectedSamples gave no error", tc.name)
		}
	}
}

// waldTable is the table of shared/reference/performance.md, section 5: tokens
// to reject and to accept at alpha = beta = 1e-6.
var waldTable = []struct{ p0, p1, reject, accept float64 }{
	{0.97, 0.02, 4.1, 3.8},
	{0.97, 0.10, 4.9, 6.6},
	{0.97, 0.50, 13, 25},
	{0.97, 0.80, 61, 106},
	{0.97, 0.90, 261, 378},
	{0.97, 0.93, 686, 895},
}

func TestExpectedSamplesMatchTable(t *testing.T) {
	for _, row := range waldTable {
		c := SPRTConfig{P0: row.p0, P1: row.p1, Alpha: 1e-6, Beta: 1e-6}
		broken, healthy, err := c.ExpectedSamples()
		if err != nil {
			t.Fatal(err)
		}
		near(t, fmt.Sprintf("p1=%v broken", row.p1), broken, row.reject, 0.015)
		near(t, fmt.Sprintf("p1=%v healthy", row.p1), healthy, row.accept, 0.015)
	}
}

// run feeds tokens that agree with probability p until the test decides.
func (s *SPRT) run(rng *rand.Rand, p float64) Decision {
	for s.Observe(rng.Float64() < p) == Continue {
	}
	return s.Decision()
}

// The mean number of tokens stays near Wald's bound: within 1.3 times, or
// within the one token that a test in whole tokens can't avoid, where the bound
// is a handful.
func TestSPRTSampleSize(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const runs = 1000
	for _, row := range waldTable {
		c := SPRTConfig{P0: row.p0, P1: row.p1, Alpha: 1e-6, Beta: 1e-6}
		boundBroken, boundHealthy, _ := c.ExpectedSamples()
		for _, truth := range []struct {
			p, bound float64
			want     Decision
		}{{row.p1, boundBroken, RejectHealthy}, {row.p0, boundHealthy, AcceptHealthy}} {
			total := 0
			for range runs {
				s := newSPRT(t, c)
				if got := s.run(rng, truth.p); got != truth.want {
					t.Fatalf("p1=%v truth=%v: %v", row.p1, truth.p, got)
				}
				n, _ := s.Observations()
				total += n
			}
			mean := float64(total) / runs
			t.Logf("p0=%v p1=%v truth=%v: mean %.1f tokens, Wald %.1f, ratio %.2f", row.p0, row.p1, truth.p, mean, truth.bound, mean/truth.bound)
			if mean < 0.93*truth.bound || mean > max(1.3*truth.bound, truth.bound+1) {
				t.Errorf("p1=%v truth=%v: mean %.1f tokens, Wald's bound is %.1f", row.p1, truth.p, mean, truth.bound)
			}
		}
	}
}

// At rates large enough to count.
func TestSPRTErrorRates(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	const runs = 20000
	for _, c := range []SPRTConfig{
		{P0: 0.97, P1: 0.8, Alpha: 0.05, Beta: 0.02},
		{P0: 0.97, P1: 0.8, Alpha: 0.05, Beta: 0.02, ClusterCap: 3},
		{P0: 0.6, P1: 0.4, Alpha: 0.01, Beta: 0.05},
		{P0: 0.5, P1: 0.1, Alpha: 0.05, Beta: 0.05, ClusterCap: 2}, // clipping without the charge is no supermartingale here
	} {
		falseAlarms, misses := 0, 0
		for range runs {
			for _, truth := range []float64{c.P0, c.P1} {
				s := newSPRT(t, c)
				for s.Decision() == Continue {
					s.NextCluster()
					for range 1 + rng.IntN(3) {
						s.Observe(rng.Float64() < truth)
					}
				}
				if truth == c.P0 && s.Decision() == RejectHealthy {
					falseAlarms++
				}
				if truth == c.P1 && s.Decision() == AcceptHealthy {
					misses++
				}
			}
		}
		rateAtMost(t, fmt.Sprintf("%+v false alarms", c), falseAlarms, runs, c.Alpha)
		rateAtMost(t, fmt.Sprintf("%+v misses", c), misses, runs, c.Beta)
	}
}

// One in a million can't be counted, but can be measured from the other side:
// P0(reject) = E1[exp(-log ratio); reject] (importance sampling, exact for an
// uncapped test, whose log ratio is the log-likelihood ratio).
func TestSPRTErrorRateAtOneInAMillion(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	const runs = 5000
	for _, p1 := range []float64{0.1, 0.5, 0.8} {
		c := SPRTConfig{P0: 0.97, P1: p1, Alpha: 1e-6, Beta: 1e-6}
		falseAlarm, miss := 0.0, 0.0
		for range runs {
			if s := newSPRT(t, c); s.run(rng, c.P1) == RejectHealthy {
				falseAlarm += math.Exp(-s.LogRatio()) / runs
			}
			if s := newSPRT(t, c); s.run(rng, c.P0) == AcceptHealthy {
				miss += math.Exp(s.LogRatio()) / runs
			}
		}
		t.Logf("p1=%v: P(false alarm) = %.2g, P(miss) = %.2g, nominal 1e-6", p1, falseAlarm, miss)
		for what, p := range map[string]float64{"false alarm": falseAlarm, "miss": miss} {
			if p > 1e-6 || p < 1e-8 {
				t.Errorf("p1=%v: P(%s) = %.2g", p1, what, p)
			}
		}
	}
}

// The claim that the cluster cap rests on, computed exactly for clusters of n
// tokens: with the charge, E0[exp(clip L)] and E1[exp(-clip L)] stay at or
// below 1; without it they don't.
func TestSPRTChargePaysForCap(t *testing.T) {
	worst := 0.0
	for _, h := range [][2]float64{{0.97, 0.02}, {0.97, 0.8}, {0.5, 0.1}, {0.9, 0.5}} {
		for _, limit := range []float64{0.6, 2, 5} {
			s := newSPRT(t, SPRTConfig{P0: h[0], P1: h[1], Alpha: 1e-6, Beta: 1e-6, ClusterCap: limit})
			for n := 1; n <= 60; n++ {
				e0, e1 := 0.0, 0.0
				for k := 0; k <= n; k++ {
					share := s.clip(float64(k)*s.agree + float64(n-k)*s.differ)
					e0 += binomialMass(k, n, h[0]) * math.Exp(share)
					e1 += binomialMass(k, n, h[1]) * math.Exp(-share)
				}
				worst = max(worst, e0, e1)
				if bound := math.Exp(s.charge) + 1e-12; e0 > bound || e1 > bound {
					t.Errorf("p0=%v p1=%v cap=%v n=%d: E0 = %v, E1 = %v, charge allows %v", h[0], h[1], limit, n, e0, e1, bound)
				}
			}
		}
	}
	if worst < 1.01 {
		t.Errorf("clipping never exceeds 1 by more than %v: the charge is not tested", worst-1)
	}
}

func binomialMass(k, n int, p float64) float64 {
	total, _ := math.Lgamma(float64(n + 1))
	yes, _ := math.Lgamma(float64(k + 1))
	no, _ := math.Lgamma(float64(n - k + 1))
	return math.Exp(total - yes - no + float64(k)*math.Log(p) + float64(n-k)*math.Log(1-p))
}

// A request that is wholly wrong, however long, convicts nobody alone.
func TestSPRTClusterCap(t *testing.T) {
	for _, tc := range []struct {
		cap      float64
		requests int
	}{{0, 1}, {7, 2}, {5, 3}, {1, 21}} {
		c := SPRTConfig{P0: 0.97, P1: 0.1, Alpha: 1e-6, Beta: 1e-6, ClusterCap: tc.cap}
		for agree, want := range map[bool]Decision{false: RejectHealthy, true: AcceptHealthy} {
			s := newSPRT(t, c)
			for s.Decision() == Continue {
				s.NextCluster()
				for range 500 {
					s.Observe(agree)
				}
			}
			if _, clusters := s.Observations(); clusters != tc.requests || s.Decision() != want {
				t.Errorf("cap %v, agree %v: %v after %d requests, want %v after %d", tc.cap, agree, s.Decision(), clusters, want, tc.requests)
			}
		}
	}
}

// Prompts that differ: one healthy answer in 50 leaves the reference at a
// near-tie and disagrees ever after. Without the cap that is a false alarm;
// the cap asks other prompts first.
func TestSPRTClusterCapOnCorrelatedTokens(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const runs = 2000
	alarms := map[float64]int{}
	for _, limit := range []float64{0, 5} {
		c := SPRTConfig{P0: 0.95, P1: 0.3, Alpha: 1e-6, Beta: 1e-6, ClusterCap: limit}
		for range runs {
			s := newSPRT(t, c)
			for s.Decision() == Continue {
				s.NextCluster()
				agreement := 0.97
				if rng.IntN(50) == 0 {
					agreement = 0.05
				}
				for range 20 {
					s.Observe(rng.Float64() < agreement)
				}
			}
			if s.Decision() == RejectHealthy {
				alarms[limit]++
			}
		}
	}
	t.Logf("false alarms of %d: %d without a cap, %d with a cap of 5 nats", runs, alarms[0], alarms[5])
	if alarms[5] > runs/500 || alarms[0] < 10 {
		t.Errorf("false alarms of %d: %d without a cap, %d with a cap of 5 nats", runs, alarms[0], alarms[5])
	}
}

func TestSPRTDecisionIsFinal(t *testing.T) {
	s := newSPRT(t, SPRTConfig{P0: 0.97, P1: 0.02, Alpha: 1e-6, Beta: 1e-6})
	for range 10 {
		s.Observe(false)
	}
	n, clusters := s.Observations()
	if s.Decision() != RejectHealthy || n != 4 || clusters != 1 {
		t.Fatalf("%v after %d tokens of %d requests, want reject after 4 of 1", s.Decision(), n, clusters)
	}
	ratio := s.LogRatio()
	for range 1000 {
		s.NextCluster()
		s.Observe(true)
	}
	if s.Decision() != RejectHealthy || s.LogRatio() != ratio {
		t.Errorf("a final decision moved: %v, log ratio %v, was %v", s.Decision(), s.LogRatio(), ratio)
	}
}

func BenchmarkSPRTObserve(b *testing.B) {
	c := SPRTConfig{P0: 0.97, P1: 0.9, Alpha: 1e-6, Beta: 1e-6, ClusterCap: 5}
	s := newSPRT(b, c)
	for i := 0; b.Loop(); i++ {
		if i%64 == 0 {
			s.NextCluster()
		}
		if s.Observe(i%32 != 0) != Continue {
			s = newSPRT(b, c)
		}
	}
}
