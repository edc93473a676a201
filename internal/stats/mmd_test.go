package stats

import (
	"math/rand/v2"
	"slices"
	"testing"
)

func TestMMDAgainstFormula(t *testing.T) {
	for i, c := range scipy(t).MMD {
		got, err := MMDHamming(c.Prompts, 0, 9, 1)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "MMD2", got.MMD2, c.MMD2, 1e-12)
		// Cut at four positions: the same as answers that end there.
		cut := slices.Clone(c.Prompts)
		for j, p := range cut {
			cut[j].A, cut[j].B = prefixes(p.A, 4), prefixes(p.B, 4)
		}
		short, _ := MMDHamming(cut, 0, 9, 1)
		limited, _ := MMDHamming(c.Prompts, 4, 9, 1)
		if short != limited || short == got {
			t.Errorf("case %d: cut answers %v, maxLen %v, whole %v", i, short, limited, got)
		}
	}
}

func prefixes(xs [][]int32, n int) [][]int32 {
	out := make([][]int32, len(xs))
	for i, x := range xs {
		out[i] = x[:min(n, len(x))]
	}
	return out
}

// chain draws an answer of about length tokens in which each token depends on
// the one before, as text does; sharp > 0 prefers the likely successor.
func chain(rng *rand.Rand, prompt, length int, sharp float64) []int32 {
	x := make([]int32, length-rng.IntN(5))
	last := int32(prompt)
	for i := range x {
		if rng.Float64() < sharp {
			last = (last*31 + 7) % 97
		} else {
			last = rng.Int32N(97)
		}
		x[i] = last
	}
	return x
}

func draw(rng *rand.Rand, prompts, each, length int, sharpA, sharpB float64) []PromptSamples {
	out := make([]PromptSamples, prompts)
	for p := range out {
		for range each {
			out[p].A = append(out[p].A, chain(rng, p, length, sharpA))
			out[p].B = append(out[p].B, chain(rng, p, length, sharpB))
		}
	}
	return out
}

// Under equality P is uniform on {1/100, ..., 1}: neither too often small, which
// is validity, nor too rarely, which would be lost power.
func TestMMDNullIsUniform(t *testing.T) {
	rng := rand.New(rand.NewPCG(10, 10))
	const runs = 400
	ps := make([]float64, runs)
	mean := 0.0
	for i := range ps {
		r, err := MMDHamming(draw(rng, 4, 5, 16, 0.9, 0.9), 0, 99, uint64(i))
		if err != nil {
			t.Fatal(err)
		}
		ps[i] = r.P
		mean += r.MMD2 / runs
	}
	slices.Sort(ps)
	distance := 0.0
	for i, p := range ps {
		distance = max(distance, float64(i+1)/runs-p, p-0.01-float64(i)/runs)
	}
	t.Logf("Kolmogorov-Smirnov distance from uniform %.3f over %d runs (5 %% critical value %.3f), mean MMD2 %.2g", distance, runs, 1.358/20, mean)
	if distance > 1.95/20 { // 0.1 % critical value, sqrt(runs) = 20
		t.Errorf("P is not uniform under equality: distance %.3f", distance)
	}
	for _, alpha := range []float64{0.01, 0.05, 0.2} {
		k, _ := slices.BinarySearch(ps, alpha+1e-9)
		rateAtMost(t, "rejections of equal servers", k, runs, alpha)
	}
	if mean < -0.005 || mean > 0.005 {
		t.Errorf("MMD2 of equal servers is %v in the mean", mean)
	}
}

func TestMMDPower(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 11))
	const runs = 50
	for _, tc := range []struct{ sharp, power float64 }{{0.96, 0.5}, {0.7, 0.95}, {0, 1}} {
		found := 0
		for i := range runs {
			r, err := MMDHamming(draw(rng, 10, 10, 30, 0.9, tc.sharp), 0, 199, uint64(i))
			if err != nil {
				t.Fatal(err)
			}
			if r.P <= 0.05 {
				found++
			}
		}
		t.Logf("0.9 against %v, 10 prompts of 10 answers: power %.2f at 0.05", tc.sharp, float64(found)/runs)
		if float64(found) < tc.power*runs {
			t.Errorf("0.9 against %v: found in %d of %d", tc.sharp, found, runs)
		}
	}
}

func TestMMDIsDeterministicAndBounded(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 12))
	same := draw(rng, 3, 4, 12, 0.9, 0.9)
	a, _ := MMDHamming(same, 0, 200, 7)
	b, _ := MMDHamming(same, 0, 200, 7)
	if a != b {
		t.Errorf("the same seed gave %v and %v", a, b)
	}
	if c, _ := MMDHamming(same, 0, 200, 8); c.P == a.P || c.MMD2 != a.MMD2 {
		t.Errorf("another seed gave %v after %v", c, a)
	}
	far, _ := MMDHamming(draw(rng, 10, 6, 30, 1, 0), 0, 99, 1)
	if far.P != 0.01 {
		t.Errorf("P of wholly different servers is %v, want 1/(1+99)", far.P)
	}
	// Nothing to tell apart: every relabelling ties.
	word := []int32("garbage")
	for name, answer := range map[string][]int32{"constant": word, "empty": nil} {
		p := PromptSamples{A: [][]int32{answer, answer}, B: [][]int32{answer, answer, answer}}
		r, err := MMDHamming([]PromptSamples{p, p}, 0, 99, 1)
		if err != nil || r.MMD2 != 0 || r.P != 1 {
			t.Errorf("%s answers: %v, %v", name, r, err)
		}
	}
}

func TestMMDRefuses(t *testing.T) {
	two := [][]int32{{1}, {2}}
	ok := []PromptSamples{{A: two, B: two}}
	for name, call := range map[string]func() (MMDResult, error){
		"no prompts":      func() (MMDResult, error) { return MMDHamming(nil, 0, 9, 1) },
		"no permutations": func() (MMDResult, error) { return MMDHamming(ok, 0, 0, 1) },
		"negative length": func() (MMDResult, error) { return MMDHamming(ok, -1, 9, 1) },
		"one answer": func() (MMDResult, error) {
			return MMDHamming([]PromptSamples{{A: two, B: two}, {A: two[:1], B: two}}, 0, 9, 1)
		},
	} {
		if _, err := call(); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// The size of the paper's setting: 20 prompts, 10 answers each, 1000 runes, 1000 permutations.
func BenchmarkMMDHamming(b *testing.B) {
	prompts := draw(rand.New(rand.NewPCG(13, 13)), 20, 10, 1000, 0.9, 0.9)
	for b.Loop() {
		if _, err := MMDHamming(prompts, 1000, 1000, 1); err != nil {
			b.Fatal(err)
		}
	}
}
