package verify

import (
	"fmt"
	"math"
	"strings"

	"kilter/internal/dialect"
)

// numbersChecks judge the log-probabilities that come with answers.
func numbersChecks() []*Check {
	finite := []string{"text.nan_marker", "text.token_zero", "numbers.nan", "numbers.null"}
	return []*Check{
		{
			ID: "numbers.nan", Question: "Are numbers in answers JSON numbers, not bare NaN or Infinity?",
			Ceiling: Wrongs, DependsOn: []string{"text.nan_marker", "text.token_zero"}, Probes: freeProbes, Judge: judgeBareNaN,
		},
		{
			ID: "numbers.null", Question: "Does every generated token have a log-probability, not null?",
			Ceiling: Wrongs, DependsOn: []string{"text.nan_marker", "text.token_zero", "numbers.nan"}, Probes: freeProbes, Judge: judgeNullLogprob,
		},
		{
			ID: "numbers.positive", Question: "Is every log-probability at most zero?",
			Ceiling: Degrades, DependsOn: finite, Probes: freeProbes, Judge: judgePositive,
		},
		{
			ID: "numbers.mass", Question: "Do the top probabilities of a position sum to at most one?",
			Ceiling: Degrades, DependsOn: append([]string{"numbers.positive"}, finite...), Probes: freeProbes, Judge: judgeMass,
		},
		{
			ID: "numbers.uniform", Question: "Does the model prefer some tokens over others?",
			Ceiling: Wrongs, DependsOn: finite, Probes: freeProbes, Judge: judgeUniform,
		},
		{
			ID: "numbers.collapsed", Question: "Does sampled text leave any doubt about the next token?",
			Ceiling: Degrades, DependsOn: append([]string{"text.constant", "text.scraps"}, finite...), Probes: []string{probeSampling}, Judge: judgeCollapsed,
		},
		{
			ID: "numbers.argmax", Question: "At temperature 0, is the chosen token the most likely one?",
			Ceiling: Degrades, DependsOn: append([]string{"numbers.uniform"}, finite...), Probes: freeProbes, Judge: judgeArgMax,
		},
		{
			ID: "numbers.plain_text", Question: "Is plain English likely under the model?",
			Ceiling: Wrongs, DependsOn: append([]string{"numbers.uniform"}, finite...), Level: Standard, Probes: []string{probeScores, probeTokens}, Judge: judgePlainText,
		},
	}
}

// scoredAnswers are free answers for which log-probabilities were asked.
func (in *Input) scoredAnswers() []answer {
	return in.answers(func(_ string, s *Shot) bool { return s.Free && s.Request.Logprobs })
}

// noNumbers explains why there is nothing to judge.
func (in *Input) noNumbers() Outcome {
	switch {
	case in.ConnectFail != nil:
		return NotAsked("no server to ask")
	case !in.Server.Caps.Logprobs:
		return NotAsked("%s gives no log-probabilities", in.Server.Engine.Title())
	case in.Shot(probeOpen, "prime_plain") != nil:
		return NotAsked("the server refuses requests for log-probabilities")
	case in.positions(func(answer, int, *dialect.TokenLogprob) bool { return false }) > 0:
		return Unsure("none of the log-probabilities is a finite number")
	case len(in.scoredAnswers()) > 0:
		return NotAsked("the server gave no log-probabilities although they were asked for")
	}
	return in.noAnswers()
}

// positions calls f for every generated token with log-probabilities, until it
// returns false, and returns how many there were.
func (in *Input) positions(f func(a answer, i int, t *dialect.TokenLogprob) bool) int {
	n := 0
	for _, a := range in.scoredAnswers() {
		for i := range a.choice.Logprobs {
			n++
			if !f(a, i, &a.choice.Logprobs[i]) {
				return n
			}
		}
	}
	return n
}

func judgeBareNaN(in *Input) Outcome {
	n := 0
	for _, a := range in.answers(func(string, *Shot) bool { return true }) {
		n++
		if a.x.Answer.BareNaN && !onlyMasked(a) {
			o := Failed(Degrades, "an answer holds bare NaN or Infinity, which is no JSON: clients refuse it")
			if notFinite(a) {
				o = Failed(Wrongs, "log-probabilities come as bare NaN, which is no JSON: the numbers behind the text are not finite")
			}
			return o.With(around(a.probe, a.shot, "NaN"))
		}
	}
	for oi := range in.Observations {
		o := &in.Observations[oi]
		for si := range o.Shots {
			s := &o.Shots[si]
			if s.Exchange == nil || s.Exchange.Fail == nil || s.Exchange.Status < 500 || !s.Request.Logprobs {
				continue
			}
			for _, m := range in.Know.NaNErrors {
				if strings.Contains(s.Exchange.Fail.Message, m.Text) || strings.Contains(s.Exchange.Body, m.Text) {
					return Failed(Degrades, "the server fails to write log-probabilities (%q): one of them is not finite, a NaN or a masked token", m.Text).With(exhibitOf(o.Probe, s))
				}
			}
		}
	}
	if n == 0 {
		return in.noAnswers()
	}
	for _, a := range in.answers(func(string, *Shot) bool { return true }) {
		if a.x.Answer.BareNaN {
			return Warned("an answer holds bare -Infinity, the log-probability of a masked token, which is no JSON: strict clients refuse it").
				With(around(a.probe, a.shot, "Infinity"))
		}
	}
	return Passed("all numbers of %s are JSON", plural(n, "answer"))
}

// onlyMasked reports whether all numbers that are not finite are -Infinity in a
// list of alternatives, as masking leaves them.
func onlyMasked(a answer) bool {
	masked := false
	for _, t := range a.choice.Logprobs {
		for _, n := range append([]dialect.Number{t.Logprob}, tops(&t)...) {
			switch n.Kind {
			case dialect.NaN, dialect.PosInf:
				return false
			case dialect.NegInf:
				masked = true
			}
		}
	}
	return masked
}

func judgeNullLogprob(in *Input) Outcome {
	var bad answer
	nulls, at := 0, 0
	n := in.positions(func(a answer, i int, t *dialect.TokenLogprob) bool {
		switch t.Logprob.Kind {
		case dialect.Null, dialect.NaN, dialect.PosInf:
			if nulls == 0 {
				bad, at = a, i
			}
			nulls++
		}
		return true
	})
	switch {
	case n == 0:
		return in.noNumbers()
	case nulls > 0:
		t := bad.choice.Logprobs[at]
		return Failed(Wrongs, "%d of %d generated tokens have the log-probability %s (the first is token %d, %s): NaN in the logits",
			nulls, n, t.Logprob, at+1, quote(t.Token)).With(around(bad.probe, bad.shot, t.Logprob.String()))
	}
	return Passed("all of %d generated tokens", n)
}

func judgePositive(in *Input) Outcome {
	slack := in.Know.Limit("logprob_slack")
	var bad answer
	var worst dialect.Number
	n := in.positions(func(a answer, _ int, t *dialect.TokenLogprob) bool {
		for _, lp := range append([]dialect.Number{t.Logprob}, tops(t)...) {
			if lp.IsFinite() && lp.Value > slack && lp.Value > worst.Value {
				bad, worst = a, lp
			}
		}
		return true
	})
	switch {
	case n == 0:
		return in.noNumbers()
	case worst.Value > 0:
		return Failed(Degrades, "a log-probability is %s, which is a probability of %.3g: more than one", worst, math.Exp(worst.Value)).
			With(around(bad.probe, bad.shot, worst.String()))
	}
	return Passed("all of %d positions", n)
}

func tops(t *dialect.TokenLogprob) []dialect.Number {
	out := make([]dialect.Number, len(t.Top))
	for i, top := range t.Top {
		out[i] = top.Logprob
	}
	return out
}

// judgeMass sums the probabilities of different tokens at one position.
func judgeMass(in *Input) Outcome {
	slack := in.Know.Limit("mass_slack")
	judged := 0
	var bad answer
	worst := 0.0
	in.positions(func(a answer, _ int, t *dialect.TokenLogprob) bool {
		if len(t.Top) == 0 {
			return true
		}
		judged++
		if m := mass(t); m > 1+slack && m > worst {
			bad, worst = a, m
		}
		return true
	})
	switch {
	case judged == 0:
		return in.noNumbers()
	case worst > 0:
		return Failed(Degrades, "the top probabilities of one position sum to %.4f", worst).With(bad.exhibit())
	}
	return Passed("all of %d positions", judged)
}

// mass sums the finite top probabilities; a token that is listed twice by the
// same id or text counts once.
func mass(t *dialect.TokenLogprob) float64 {
	seen := map[string]bool{}
	sum := 0.0
	for _, top := range t.Top {
		key := top.Token
		if top.ID != nil {
			key = fmt.Sprint(*top.ID)
		}
		if seen[key] || !top.Logprob.IsFinite() {
			continue
		}
		seen[key] = true
		sum += math.Exp(top.Logprob.Value)
	}
	return sum
}

// judgeUniform looks for positions at which even the best token is unlikely.
func judgeUniform(in *Input) Outcome {
	floor := in.Know.Limit("uniform_top")
	flat, judged := 0, 0
	var first answer
	in.positions(func(a answer, _ int, t *dialect.TokenLogprob) bool {
		best := t.Logprob
		for _, top := range t.Top {
			if top.Logprob.IsFinite() && (!best.IsFinite() || top.Logprob.Value > best.Value) {
				best = top.Logprob
			}
		}
		if !best.IsFinite() {
			return true
		}
		judged++
		if best.Value < floor && len(t.Top) > 0 {
			if flat == 0 {
				first = a
			}
			flat++
		}
		return true
	})
	switch {
	case judged == 0:
		return in.noNumbers()
	case judged < int(in.Know.Limit("uniform_positions")):
		return Unsure("only %s", plural(judged, "position"))
	case float64(flat) >= in.Know.Limit("uniform_share")*float64(judged):
		o := Failed(Wrongs, "at %d of %d positions no token is likelier than %.2g: the distribution is flat, as after NaN logits are replaced by a constant",
			flat, judged, math.Exp(floor))
		return o.With(first.exhibit())
	}
	return Passed("at %d of %d positions some token stands out", judged-flat, judged)
}

// judgeCollapsed looks at sampled text: there, at least one position must be open.
func judgeCollapsed(in *Input) Outcome {
	gap := in.Know.Limit("collapsed_gap")
	judged, sure := 0, 0
	var first answer
	for _, a := range in.answers(func(p string, s *Shot) bool { return p == probeSampling && s.Free }) {
		for _, t := range a.choice.Logprobs {
			if !t.Logprob.IsFinite() {
				continue
			}
			if judged == 0 {
				first = a
			}
			judged++
			if t.Logprob.Value > -gap {
				sure++
			}
		}
	}
	switch {
	case judged == 0:
		return in.noNumbers()
	case judged < int(in.Know.Limit("collapsed_positions")):
		return Unsure("only %s of sampled text", plural(judged, "position"))
	case sure == judged:
		return Failed(Degrades, "all of %d sampled tokens have probability 1: the distribution has collapsed to one token", judged).With(first.exhibit())
	}
	return Passed("%d of %d sampled tokens were open", judged-sure, judged)
}

// judgeArgMax compares the chosen token with the best of the top list.
func judgeArgMax(in *Input) Outcome {
	gap, least := in.Know.Limit("argmax_gap"), int(in.Know.Limit("argmax_positions"))
	judged, off := 0, 0
	var first answer
	var says string
	for _, a := range in.greedy() {
		if !a.shot.Request.Logprobs {
			continue
		}
		for i, t := range a.choice.Logprobs {
			if !t.Logprob.IsFinite() || len(t.Top) == 0 {
				continue
			}
			best := dialect.TopLogprob{Logprob: dialect.Num(math.Inf(-1))}
			for _, top := range t.Top {
				if top.Logprob.IsFinite() && top.Logprob.Float() > best.Logprob.Float() {
					best = top
				}
			}
			if !best.Logprob.IsFinite() {
				continue
			}
			judged++
			if best.Logprob.Value-t.Logprob.Value > gap {
				if off == 0 {
					first = a
					says = fmt.Sprintf("token %d is %s (%s) where %s (%s) was likelier", i+1, quote(t.Token), t.Logprob, quote(best.Token), best.Logprob)
				}
				off++
			}
		}
	}
	switch {
	case judged == 0:
		return in.noNumbers()
	case off >= least:
		return Failed(Degrades, "at %d of %d positions the greedy choice is not the most likely token: %s", off, judged, says).With(first.exhibit())
	case off > 0:
		return Warned("at one of %d positions the greedy choice is not the most likely token: %s", judged, says).With(first.exhibit())
	}
	return Passed("all of %d positions", judged)
}

// judgePlainText scores a text that every language model finds easy.
func judgePlainText(in *Input) Outcome {
	s := in.Shot(probeScores, "plain")
	if s == nil || len(s.Exchange.Scores) == 0 {
		return in.unanswered(probeScores, "plain")
	}
	limit := in.Know.Limit("text_nats")
	sum, n, bad := 0.0, 0, 0
	for _, sc := range s.Exchange.Scores {
		lp := sc.Logprob
		switch lp.Kind {
		case dialect.Null, dialect.NaN, dialect.PosInf:
			bad++
			continue
		case dialect.Finite:
		default:
			// The server tells only its top tokens, and this is none of them:
			// it is at most as likely as the last of those.
			lp = dialect.Number{}
			for _, top := range sc.Top {
				if top.Logprob.IsFinite() && (!lp.IsFinite() || top.Logprob.Value < lp.Value) {
					lp = top.Logprob
				}
			}
			if !lp.IsFinite() {
				continue
			}
		}
		sum -= lp.Value
		n++
	}
	switch {
	case bad > 0:
		return Failed(Wrongs, "%d of %d scored positions of plain English have no finite log-probability", bad, bad+n).With(exhibitOf(probeScores, s))
	case n < 16:
		return Unsure("only %s could be scored", plural(n, "position"))
	}
	mean := sum / float64(n)
	o := Passed("%.2f nats a token over %d tokens of plain English (perplexity %.0f)", mean, n, math.Exp(mean))
	if mean > limit {
		o = Failed(Wrongs, "%.2f nats a token over %d tokens of plain English (perplexity %.0f): no language model at work", mean, n, math.Exp(mean)).
			With(exhibitOf(probeScores, s))
	}
	o.Numbers = map[string]float64{"mean_nats": mean}
	return o
}
