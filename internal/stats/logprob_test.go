package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

var inf = math.Inf(1)

func TestLogprobAgainstSciPy(t *testing.T) {
	for _, c := range scipy(t).Categorical {
		near(t, "LogSumExp", LogSumExp(c.LogitsP), c.LogSumExp, 1e-12)
		h, err := EntropyLowerBound(c.LogprobsP)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "entropy", h, c.Entropy, 1e-9)
		kl, err := KLLowerBound(byIndex(c.LogprobsP), byIndex(c.LogprobsQ))
		if err != nil {
			t.Fatal(err)
		}
		near(t, "KL", kl, c.KL, 1e-9)
		ppl, err := Perplexity(c.LogprobsP)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "perplexity", ppl, c.Perplexity, 1e-12)
	}
}

func byIndex(logprobs []float64) map[int]float64 {
	m := make(map[int]float64, len(logprobs))
	for i, lp := range logprobs {
		m[i] = lp
	}
	return m
}

func TestLogSumExp(t *testing.T) {
	for _, tc := range []struct {
		in   []float64
		want float64
	}{
		{nil, -inf},
		{[]float64{-inf, -inf}, -inf},
		{[]float64{1, inf}, inf},
		{[]float64{1000, 1000}, 1000 + math.Ln2},
		{[]float64{-1000, -1000}, -1000 + math.Ln2},
		{[]float64{0, -inf}, 0},
	} {
		if got := LogSumExp(tc.in); got != tc.want {
			t.Errorf("LogSumExp(%v) = %v, want %v", tc.in, got, tc.want)
		}
	}
	if got := LogSumExp([]float64{1, math.NaN(), 2}); !math.IsNaN(got) {
		t.Errorf("LogSumExp with a NaN = %v", got)
	}
}

func TestPerplexity(t *testing.T) {
	ppl, err := Perplexity([]float64{math.Log(0.5), math.Log(0.125)})
	if err != nil {
		t.Fatal(err)
	}
	near(t, "perplexity", ppl, 4, 1e-12)
	if ppl, err := Perplexity([]float64{-1, -inf}); err != nil || !math.IsInf(ppl, 1) {
		t.Errorf("perplexity with an impossible token: %v, %v", ppl, err)
	}
	for _, bad := range [][]float64{nil, {math.NaN()}, {-1, 0.1}, {inf}} {
		if _, err := Perplexity(bad); err == nil {
			t.Errorf("Perplexity(%v) gave no error", bad)
		}
	}
}

// A NaN row turned into equal logits: ln V shows from any k.
func TestEntropyOfUniform(t *testing.T) {
	const vocab = 151936
	for _, k := range []int{1, 20} {
		top := slices.Repeat([]float64{-math.Log(vocab)}, k)
		h, err := EntropyLowerBound(top)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "entropy of uniform", h, math.Log(vocab), 1e-9)
	}
	if h, err := EntropyLowerBound([]float64{0}); err != nil || h != 0 {
		t.Errorf("entropy of certainty: %v, %v", h, err)
	}
	if h, err := EntropyLowerBound([]float64{math.Log(0.5), math.Log(0.5), -inf}); err != nil || math.Abs(h-math.Ln2) > 1e-12 {
		t.Errorf("entropy of a coin: %v, %v", h, err)
	}
}

func TestLogprobRefuses(t *testing.T) {
	for _, bad := range [][]float64{nil, {math.NaN()}, {0, math.Log(0.5)}, {1}, {-0.7, -inf}} {
		if _, err := EntropyLowerBound(bad); err == nil {
			t.Errorf("EntropyLowerBound(%v) gave no error", bad)
		}
	}
	ok := map[string]float64{"a": -0.1}
	for _, bad := range []map[string]float64{nil, {"a": math.NaN()}, {"a": 0, "b": -0.5}, {"a": 1}} {
		if _, err := KLLowerBound(bad, ok); err == nil {
			t.Errorf("KLLowerBound(%v, ok) gave no error", bad)
		}
		if _, err := KLLowerBound(ok, bad); err == nil {
			t.Errorf("KLLowerBound(ok, %v) gave no error", bad)
		}
	}
}

// random draws a distribution over vocab outcomes, peaked to a random degree.
func random(rng *rand.Rand, vocab int) []float64 {
	x := make([]float64, vocab)
	width := 8 * rng.Float64()
	for i := range x {
		x[i] = width * rng.NormFloat64()
	}
	z := LogSumExp(x)
	for i := range x {
		x[i] -= z
	}
	return x
}

// topK keeps the k likeliest outcomes.
func topK(logprobs []float64, k int) (list []float64, byToken map[int]float64) {
	byToken = map[int]float64{}
	order := make([]int, len(logprobs))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if logprobs[a] > logprobs[b] {
			return -1
		}
		return 1
	})
	for _, i := range order[:k] {
		list = append(list, logprobs[i])
		byToken[i] = logprobs[i]
	}
	return list, byToken
}

func listed(byToken map[int]float64) float64 {
	mass, _ := listedMass(byToken)
	return mass
}

// The bounds stay below the truth, grow as the lists do, and meet it in the end.
func TestBoundsAreBounds(t *testing.T) {
	const vocab, tolerance = 30, 1e-9
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(16, seed))
		p, q := random(rng, vocab), random(rng, vocab)
		if rng.IntN(2) == 0 { // nearly equal, as two healthy servers are
			for i := range q {
				q[i] = p[i] + 0.1*rng.NormFloat64()
			}
			z := LogSumExp(q)
			for i := range q {
				q[i] -= z
			}
		}
		entropy, kl := 0.0, 0.0
		for i := range p {
			entropy -= math.Exp(p[i]) * p[i]
			kl += math.Exp(p[i]) * (p[i] - q[i])
		}
		lastH, lastKL := 0.0, 0.0
		for k := 1; k <= vocab; k++ {
			list, pTop := topK(p, k)
			_, qTop := topK(q, k)
			h, err1 := EntropyLowerBound(list)
			d, err2 := KLLowerBound(pTop, qTop)
			if err1 != nil || err2 != nil {
				t.Fatal(err1, err2)
			}
			if h > entropy+tolerance || d > kl+tolerance || d < 0 {
				t.Fatalf("seed %d, k %d: entropy %v of %v, KL %v of %v", seed, k, h, entropy, d, kl)
			}
			// They grow until what remains can't be told from rounding.
			if listed(pTop) < 1-massFloor && h < lastH-tolerance || listed(qTop) < 1-massFloor && listed(pTop) < 1-massFloor && d < lastKL-tolerance {
				t.Fatalf("seed %d, k %d: entropy %v after %v, KL %v after %v", seed, k, h, lastH, d, lastKL)
			}
			lastH, lastKL = h, d
		}
		near(t, "entropy from all outcomes", lastH, entropy, tolerance)
		near(t, "KL from all outcomes", lastKL, kl, tolerance)
	}
}

func TestKLLowerBoundCases(t *testing.T) {
	ln := math.Log
	for _, tc := range []struct {
		name string
		p, q map[string]float64
		want float64
	}{
		{"equal lists", map[string]float64{"a": ln(0.6), "b": ln(0.3)}, map[string]float64{"a": ln(0.6), "b": ln(0.3)}, 0},
		{"one common token", map[string]float64{"a": ln(0.9)}, map[string]float64{"a": ln(0.5)},
			0.9*ln(0.9/0.5) + 0.1*ln(0.1/0.5)},
		// Nothing in common, each list all but complete: P has at most 0.01 where
		// Q has 0.99, and at least 0.99 where Q has 0.01.
		{"disjoint lists", map[string]float64{"a": ln(0.99)}, map[string]float64{"b": ln(0.99)},
			0.01*ln(0.01/0.99) + 0.99*ln(0.99/0.01)},
		{"complete, Q misses what P says", map[string]float64{"a": 0}, map[string]float64{"b": 0}, ln(1 / massFloor)},
		{"impossible under Q", map[string]float64{"a": ln(0.5), "b": ln(0.5)}, map[string]float64{"a": 0, "b": -inf}, inf},
		{"impossible under both", map[string]float64{"a": 0, "b": -inf}, map[string]float64{"a": 0, "b": -inf}, 0},
	} {
		got, err := KLLowerBound(tc.p, tc.q)
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
		} else if !(got == tc.want || math.Abs(got-tc.want) < 1e-4) {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}
