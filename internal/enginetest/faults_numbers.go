package enginetest

import "math"

// onTokens is a fault of the numbers alone: the text stays as it is.
func onTokens(change func(c *Call, tokens []Token)) func(*Front) {
	return func(f *Front) {
		f.Hooks.Answer = func(c *Call, r *Reply) {
			for i := range r.Choices {
				change(c, r.Choices[i].Tokens)
			}
		}
	}
}

func numberFaults() []Fault {
	return []Fault{
		{
			Name: "logprob-null", Says: "the text is good and log-probabilities are null",
			Dialects: withLogprobs, Expect: "numbers.null", Verdict: "wrong",
			Apply: onTokens(func(_ *Call, tokens []Token) { null(tokens, -1) }),
		},
		{
			Name: "logprob-some-null", Says: "every fifth log-probability is null",
			Dialects: withLogprobs, Expect: "numbers.null", Verdict: "wrong",
			Apply: onTokens(func(_ *Call, tokens []Token) {
				for i := 4; i < len(tokens); i += 5 {
					null(tokens[i:i+1], -1)
				}
			}),
		},
		{
			Name: "bare-nan", Says: "log-probabilities are NaN, which is no JSON",
			Dialects: withLogprobs, Expect: "numbers.nan", Verdict: "wrong",
			Apply: func(f *Front) {
				f.Hooks.Answer = func(_ *Call, r *Reply) {
					r.BareNaN = true
					for i := range r.Choices {
						null(r.Choices[i].Tokens, -1)
					}
				}
			},
		},
		{
			Name: "positive", Says: "some log-probabilities are above zero",
			Dialects: withLogprobs, Expect: "numbers.positive", Verdict: "degraded",
			Apply: onTokens(func(_ *Call, tokens []Token) {
				for i := 2; i < len(tokens); i += 7 {
					setLP(&tokens[i], 0.31)
				}
			}),
		},
		{
			Name: "mass", Says: "the top probabilities of a position sum to three",
			Dialects: withLogprobs, Expect: "numbers.mass", Verdict: "degraded",
			Apply: onTokens(func(_ *Call, tokens []Token) {
				for i := range tokens {
					setLP(&tokens[i], -0.5)
					for k := range tokens[i].Top {
						tokens[i].Top[k].LP = -0.5
					}
				}
			}),
		},
		{
			Name: "collapsed", Says: "every token has probability 1, sampled ones too",
			Dialects: withLogprobs, Expect: "numbers.collapsed", Verdict: "degraded",
			Apply: onTokens(func(_ *Call, tokens []Token) { certain(tokens) }),
		},
		{
			Name: "flat", Says: "the text is good and all tokens are equally likely",
			Dialects: withLogprobs, Expect: "numbers.uniform", Verdict: "wrong",
			Apply: onTokens(func(_ *Call, tokens []Token) { flat(tokens) }),
		},
		{
			Name: "not-argmax", Says: "at temperature 0 the second best token is chosen",
			Dialects: withLogprobs, Expect: "numbers.argmax", Verdict: "degraded",
			Apply: onTokens(func(c *Call, tokens []Token) {
				if c.Sampled() {
					return
				}
				for i := 1; i < len(tokens); i += 3 {
					t := &tokens[i]
					other := false
					for k := range t.Top {
						switch x := &t.Top[k]; {
						case x.ID == t.ID:
						case other:
							x.LP = -6
						default:
							x.LP, other = -0.3, true
						}
					}
					setLP(t, -2.5)
				}
			}),
		},
		{
			Name: "perplexity", Says: "plain English is as likely as noise",
			Dialects: withScores, Level: "standard", Expect: "numbers.plain_text", Verdict: "wrong",
			Apply: func(f *Front) {
				f.Hooks.Scores = func(steps []Step) {
					for i := range steps {
						steps[i].LP -= 11
						for k := range steps[i].Top {
							steps[i].Top[k].ID += 7 // others than before
							steps[i].Top[k].LP = -math.Log(wholeVocab)
						}
					}
				}
			},
		},
	}
}

// setLP changes a token's log-probability, in its list too.
func setLP(t *Token, lp float64) {
	t.LP = lp
	for k := range t.Top {
		if t.Top[k].ID == t.ID {
			t.Top[k].LP = lp
		}
	}
}

// certain gives every chosen token probability 1.
func certain(tokens []Token) {
	for i := range tokens {
		t := &tokens[i]
		for k := range t.Top {
			t.Top[k].LP = -40
		}
		setLP(t, 0)
	}
}
