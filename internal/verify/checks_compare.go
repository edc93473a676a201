package verify

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"kilter/internal/dialect"
	"kilter/internal/stats"
)

// compareChecks hold the server against a reference, and against another
// server. Only the first can raise a verdict: two broken servers agree.
func compareChecks() []*Check {
	return []*Check{
		{
			ID: "reference.agreement", Question: "Does the server choose the tokens that the weights choose?",
			Ceiling: Wrongs, Kind: Sequential, Probes: []string{probeReference}, Judge: judgeReference,
		},
		{
			ID: "compare.scores", Question: "Do both servers give the same text the same log-probabilities?",
			Ceiling: Note, Kind: Sequential, Probes: []string{probeAgainst}, Judge: judgeScores,
		},
		{
			ID: "compare.samples", Question: "Do both servers write from the same distribution?",
			Ceiling: Note, Kind: Sequential, Probes: []string{probeAgainst}, Judge: judgeSamples,
		},
	}
}

// judgeScores runs the equivalence test on the differences of scored positions.
func judgeScores(in *Input) Outcome {
	if in.ConnectFail != nil {
		return NotAsked("no server to ask")
	}
	if in.Against == nil {
		return NotAsked("no --against was given")
	}
	if !scores(in.Server) || !scores(*in.Against) {
		return NotAsked("not both servers can score a given text")
	}
	ids, other := in.Shot(probeAgainst, sideA+".ids"), in.Shot(probeAgainst, sideB+".ids")
	if ids == nil || other == nil || len(ids.Exchange.Tokens) == 0 || len(other.Exchange.Tokens) == 0 {
		return in.unanswered(probeAgainst, sideB+".ids")
	}
	if !sameIDs(ids.Exchange.Tokens, other.Exchange.Tokens) {
		return Failed(Note, "different: the two cut one text into other token ids (%d and %d of them), so they do not serve one model",
			len(ids.Exchange.Tokens), len(other.Exchange.Tokens))
	}
	a, b := in.Shot(probeAgainst, sideA+".score"), in.Shot(probeAgainst, sideB+".score")
	if a == nil || b == nil || len(a.Exchange.Scores) == 0 || len(b.Exchange.Scores) == 0 {
		return in.unanswered(probeAgainst, sideB+".score")
	}
	noise := 0.0
	for _, side := range []string{sideA, sideB} {
		first, again := in.Shot(probeAgainst, side+".score"), in.Shot(probeAgainst, side+".again")
		if again != nil {
			noise = max(noise, meanOf(differences(first.Exchange.Scores, again.Exchange.Scores)))
		}
	}
	// A server that differs from itself by more than the limit can't be told
	// from another: the limits rise with its noise.
	low, high := in.Know.Limit("same_mean"), in.Know.Limit("different_mean")
	low, high = max(low, 2*noise), max(high, 4*noise)
	cfg := stats.EquivalenceConfig{
		Low: low, High: high, Scale: in.Know.Limit("compare_clip"),
		Alpha: in.Know.Limit("compare_alpha"), Beta: in.Know.Limit("compare_alpha"),
	}
	test, err := stats.NewEquivalence(cfg)
	if err != nil {
		return Unsure("the servers' own noise (%.3f nats) is too large to compare them", noise)
	}
	for _, d := range differences(a.Exchange.Scores, b.Exchange.Scores) {
		if err := test.Observe(d); err != nil {
			return Failed(Note, "different: one of the two gives no number for a token of plain text")
		}
		if test.Decision() != stats.Undecided {
			break
		}
	}
	numbers := map[string]float64{"positions": float64(test.N()), "mean_difference_nats": test.Mean(), "own_noise_nats": noise, "alpha": cfg.Alpha}
	var o Outcome
	switch test.Decision() {
	case stats.Same:
		o = Passed("same: over %d positions the log-probabilities differ by %.4f nats on average, and by less than %.2f with an error of at most %g (which says nothing about whether both are right)",
			test.N(), test.Mean(), cfg.High, cfg.Beta)
	case stats.Different:
		o = Failed(Note, "different: over %d positions the log-probabilities differ by %.3f nats on average, and by more than %.2f with an error of at most %g",
			test.N(), test.Mean(), cfg.Low, cfg.Alpha)
	default:
		o = Unsure("neither same nor different: over %d positions the log-probabilities differ by %.3f nats on average; the limits are %.2f and %.2f",
			test.N(), test.Mean(), cfg.Low, cfg.High)
	}
	o.Numbers = numbers
	return o
}

// differences returns, for each position that both scored, the difference of
// the log-probabilities of the tokens that both tell, weighted by their mean
// probability: the expected difference under the mixture of both, in nats.
// Where the given token is in both, it counts as one of them.
func differences(a, b []dialect.Score) []float64 {
	at := map[int]*dialect.Score{}
	for i := range b {
		at[b[i].Pos] = &b[i]
	}
	var out []float64
	for i := range a {
		other := at[a[i].Pos]
		if other == nil {
			continue
		}
		pa, pb := distribution(&a[i]), distribution(other)
		sum, weight := 0.0, 0.0
		for id, la := range pa {
			lb, ok := pb[id]
			if !ok {
				// Not among the other's tokens: at most as likely as its last.
				lb = least(pb)
				if lb > la {
					continue
				}
			}
			w := (math.Exp(la) + math.Exp(lb)) / 2
			sum += w * math.Abs(la-lb)
			weight += w
		}
		if weight > 0 {
			out = append(out, sum/weight)
		}
	}
	return out
}

func distribution(s *dialect.Score) map[string]float64 {
	out := map[string]float64{}
	for _, t := range s.Top {
		key := "t" + t.Token
		if t.ID != nil {
			key = strconv.Itoa(*t.ID)
		}
		if t.Logprob.IsFinite() {
			out[key] = t.Logprob.Value
		}
	}
	if s.Logprob.IsFinite() {
		out[strconv.Itoa(s.ID)] = s.Logprob.Value
	}
	return out
}

func least(m map[string]float64) float64 {
	low := math.Inf(1)
	for _, v := range m {
		low = min(low, v)
	}
	return low
}

func meanOf(x []float64) float64 {
	if len(x) == 0 {
		return 0
	}
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(len(x))
}

// The two-sample test of sampled text: as many permutations as its alpha needs.
const (
	mmdPermutations = 9999
	mmdRunes        = 48
)

func judgeSamples(in *Input) Outcome {
	if in.ConnectFail != nil {
		return NotAsked("no server to ask")
	}
	if in.Against == nil {
		return NotAsked("no --against was given")
	}
	if scores(in.Server) && scores(*in.Against) {
		return NotAsked("log-probabilities tell more, and both servers give them")
	}
	obs := in.Observation(probeAgainst)
	if obs == nil {
		return in.unanswered(probeAgainst, "")
	}
	prompts := make([]stats.PromptSamples, len(samplePrompts()))
	n := 0
	for i := range obs.Shots {
		s := &obs.Shots[i]
		parts := strings.Split(s.Label, ".")
		if len(parts) != 4 || parts[1] != "sample" || s.Exchange == nil || !s.Exchange.OK() {
			continue
		}
		p, err := strconv.Atoi(parts[2])
		if err != nil || p < 0 || p >= len(prompts) {
			continue
		}
		seq := cutRunes(textOf(s), mmdRunes)
		if parts[0] == sideA {
			prompts[p].A = append(prompts[p].A, seq)
		} else {
			prompts[p].B = append(prompts[p].B, seq)
		}
		n++
	}
	var full []stats.PromptSamples
	for _, p := range prompts {
		if len(p.A) >= 2 && len(p.B) >= 2 {
			full = append(full, p)
		}
	}
	if len(full) == 0 {
		return in.unanswered(probeAgainst, "")
	}
	res, err := stats.MMDHamming(full, mmdRunes, mmdPermutations, 1)
	if err != nil {
		return Unsure("the samples could not be compared: %v", err)
	}
	alpha := in.Know.Limit("compare_alpha")
	numbers := map[string]float64{"p": res.P, "mmd2": res.MMD2, "answers": float64(n), "alpha": alpha}
	o := Unsure("no difference found in %d sampled answers (p = %.3f); sampled text of this length finds only large differences, so this is no proof of sameness", n, res.P)
	if res.P <= alpha {
		o = Failed(Note, "different: %d sampled answers of the two come from different distributions (p = %.4f, error at most %g)", n, res.P, alpha)
	}
	o.Numbers = numbers
	return o
}

func cutRunes(s string, n int) []rune {
	r := []rune(s)
	return r[:min(n, len(r))]
}

// judgeReference runs Wald's test on the agreement of the server's most likely
// token with the reference's, position by position.
func judgeReference(in *Input) Outcome {
	obs := in.Observation(probeReference)
	if obs == nil || obs.Reference == nil {
		if obs != nil && obs.Skipped != "" {
			return NotAsked("%s", obs.Skipped)
		}
		return NotAsked("no reference was given: nothing here proves that the weights agree")
	}
	ref := obs.Reference
	if ref.Fail != "" {
		return Unsure("%s gave no answer: %s", ref.Name, ref.Fail)
	}
	cfg := stats.SPRTConfig{
		P0: in.Know.Limit("agree_healthy"), P1: in.Know.Limit("agree_broken"),
		Alpha: in.Know.Limit("agree_alpha"), Beta: in.Know.Limit("agree_alpha"),
	}
	test, err := stats.NewSPRT(cfg)
	if err != nil {
		return Unsure("the test can't be set up: %v", err)
	}
	margin := in.Know.Limit("agree_margin")
	same, n, kl := 0, 0, 0.0
	for _, p := range ref.Points {
		if !p.Server.IsFinite() {
			return Failed(Wrongs, "the server has no finite log-probability for a token to which %s gives %.3f", ref.Name, p.Reference.Logprob)
		}
		kl += math.Abs(p.Server.Value - p.Reference.Logprob)
		if p.Reference.Margin < margin {
			continue // near a tie either choice is healthy
		}
		n++
		if p.ServerArgMax == p.Reference.ArgMax {
			same++
		}
		test.Observe(p.ServerArgMax == p.Reference.ArgMax)
	}
	numbers := map[string]float64{"positions": float64(n), "agree": float64(same), "mean_difference_nats": kl / float64(max(len(ref.Points), 1)), "alpha": cfg.Alpha, "beta": cfg.Beta}
	said := fmt.Sprintf("%d of %d clear choices are those of %s", same, n, ref.Name)
	var o Outcome
	switch test.Decision() {
	case stats.AcceptHealthy:
		o = Passed("%s (sequential test: a server that agrees in only %.0f %% passes with at most %g)", said, 100*cfg.P1, cfg.Beta)
	case stats.RejectHealthy:
		o = Failed(Wrongs, "%s (sequential test: a healthy server fails with at most %g)", said, cfg.Alpha)
	default:
		o = Unsure("%s: too few to decide", said)
	}
	o.Numbers = numbers
	return o
}
