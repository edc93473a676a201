package verify

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"kilter/internal/dialect"
)

// scoring answers OpScore with log-probabilities that differ from a fixed
// distribution by the given noise (nats, standard deviation).
func scoring(ids []int, noise float64, seed uint64) *fakeAsker {
	rng := rand.New(rand.NewPCG(seed, 1))
	f := &fakeAsker{server: fakeServer(), answer: func(_ int, r dialect.Request) dialect.Exchange {
		switch r.Op {
		case dialect.OpTokenize:
			return dialect.Exchange{Status: 200, Tokens: ids, Count: len(ids)}
		case dialect.OpScore:
			x := dialect.Exchange{Status: 200}
			for i := 1; i < len(r.Tokens); i++ {
				s := dialect.Score{Pos: i, ID: r.Tokens[i]}
				for k := range 20 {
					lp := math.Log(0.5)*float64(k+1) + noise*rng.NormFloat64()
					s.Top = append(s.Top, dialect.TopLogprob{ID: ptr(r.Tokens[i] + k), Logprob: dialect.Num(lp)})
				}
				s.Logprob = s.Top[0].Logprob
				x.Scores = append(x.Scores, s)
			}
			return x
		}
		return says("An answer.")
	}}
	f.server.Caps = dialect.Caps{Tokenize: true, PromptLogprobs: true}
	return f
}

func manyIDs(n, from int) []int {
	ids := make([]int, n)
	for i := range ids {
		ids[i] = from + 3*i
	}
	return ids
}

// Two servers of one model are the same, noise of bf16 kernels included; other
// formats and other tokenizers are different; nothing of it raises a verdict.
func TestAgainstByScores(t *testing.T) {
	ids := manyIDs(96, 100)
	for _, tc := range []struct {
		name string
		a, b *fakeAsker
		want Status
	}{
		{"identical", scoring(ids, 0, 1), scoring(ids, 0, 2), Pass},
		{"kernel noise", scoring(ids, 0.01, 1), scoring(ids, 0.01, 2), Pass},
		{"another format", scoring(ids, 0, 1), biased(ids, 0.3), Fail},
		{"another tokenizer", scoring(ids, 0, 1), scoring(manyIDs(96, 500), 0, 2), Fail},
		{"too noisy to tell", scoring(ids, 0.4, 1), scoring(ids, 0.4, 2), Inconclusive},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := options(t)
			o.Against = tc.b
			o.Selection = Selection{Only: []string{"compare.*"}}
			rep := judged(t, Run(context.Background(), tc.a, o))
			res, _ := rep.Result("compare.scores")
			if res.Status != tc.want {
				t.Errorf("%s: %s", res.Status, res.Says)
			}
			if rep.Verdict == Wrong || rep.Verdict == Degraded {
				t.Errorf("a comparison made the verdict %s", rep.Verdict)
			}
		})
	}
}

// biased scores like scoring, every other token shifted.
func biased(ids []int, by float64) *fakeAsker {
	f := scoring(ids, 0, 3)
	inner := f.answer
	f.answer = func(n int, r dialect.Request) dialect.Exchange {
		x := inner(n, r)
		for i := range x.Scores {
			for k := range x.Scores[i].Top {
				if k%2 == 0 {
					x.Scores[i].Top[k].Logprob.Value -= by
				}
			}
			x.Scores[i].Logprob = x.Scores[i].Top[0].Logprob
		}
		return x
	}
	return f
}

// Where no log-probabilities are to be had, sampled text decides: servers that
// draw from one distribution are not called different, others are.
func TestAgainstBySamples(t *testing.T) {
	drawing := func(seed uint64, words []string) *fakeAsker {
		rng := rand.New(rand.NewPCG(seed, 2))
		return &fakeAsker{server: fakeServer(), answer: func(int, dialect.Request) dialect.Exchange {
			s := ""
			for range 6 {
				s += words[rng.IntN(len(words))] + " "
			}
			return says(s)
		}}
	}
	sea := []string{"the", "sea", "is", "blue", "deep", "cold", "wide"}
	other := []string{"zinc", "quartz", "the", "vortex", "jumps", "fjord", "wax"}
	for _, tc := range []struct {
		name string
		b    *fakeAsker
		want Status
	}{
		{"one distribution", drawing(2, sea), Inconclusive},
		{"another", drawing(2, other), Fail},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := options(t)
			o.Against = tc.b
			o.Selection = Selection{Only: []string{"compare.*"}}
			rep := judged(t, Run(context.Background(), drawing(1, sea), o))
			if res, _ := rep.Result("compare.samples"); res.Status != tc.want {
				t.Errorf("%s: %s", res.Status, res.Says)
			}
		})
	}
}

// What changed since an earlier run: the server's facts, checks, greedy texts,
// and speed with its noise.
func TestBaseline(t *testing.T) {
	run := func(version, text string) *Record {
		f := &fakeAsker{server: fakeServer(), answer: func(_ int, r dialect.Request) dialect.Exchange {
			x := says(text)
			return x
		}}
		f.server.Version = version
		o := options(t)
		o.Selection = Selection{Only: []string{"text.*", "knowledge.capital"}}
		return Run(context.Background(), f, o)
	}
	was, is := run("0.5.9", "The capital of France is Paris."), run("0.5.10", "The capital of France is Lyon.")
	a, b := judged(t, was), judged(t, is)
	a.Speed.Decode, b.Speed.Decode = []float64{50, 51, 49, 50, 52}, []float64{40, 41, 39, 40, 42}
	d := Compare(a, b, was, is)
	if len(d.Server) != 1 || d.Server[0] != "version: 0.5.9 -> 0.5.10" {
		t.Errorf("server: %v", d.Server)
	}
	found := false
	for _, c := range d.Checks {
		found = found || c == StatusChange{Check: "knowledge.capital", Was: Pass, Is: Fail}
	}
	if !found {
		t.Errorf("checks: %v", d.Checks)
	}
	if d.SameTexts != 0 || d.OtherTexts == 0 {
		t.Errorf("texts: %d same, %d other", d.SameTexts, d.OtherTexts)
	}
	if d.Decode == nil || d.Decode.High >= 1 || math.Abs(d.Decode.Ratio-0.8) > 0.05 {
		t.Errorf("decode: %+v", d.Decode)
	}
	if d.TTFT != nil {
		t.Errorf("a speed that neither run has: %+v", d.TTFT)
	}
}
