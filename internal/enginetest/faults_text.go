package enginetest

import (
	"context"
	"math"
	"strings"
)

// onAnswer is a fault that rewrites free answers.
func onAnswer(change func(c *Call, old []Token, ended bool) ([]Token, bool)) func(*Front) {
	return func(f *Front) {
		f.Hooks.Answer = func(c *Call, r *Reply) {
			rewrite(c, r, func(old []Token, ended bool) ([]Token, bool) { return change(c, old, ended) })
		}
	}
}

// garbage is a fault whose answers are n pieces of its own, up to the limit.
func garbage(pieces func(c *Call, n int) []string) func(*Front) {
	return onAnswer(func(c *Call, old []Token, _ bool) ([]Token, bool) {
		return like(old, pieces(c, c.Max)...), false
	})
}

// appended adds a text to the end of each answer that ends by itself.
func appended(s string) func(*Front) {
	return onAnswer(func(_ *Call, old []Token, ended bool) ([]Token, bool) {
		if !ended {
			return old, false
		}
		return append(cloneTokens(old), like(old, words(s)...)...), true
	})
}

// null makes the numbers of tokens those of a NaN row.
func null(tokens []Token, id int) []Token {
	for i := range tokens {
		t := &tokens[i]
		t.LP = math.NaN()
		if id >= 0 {
			t.ID = id
		}
		for k := range t.Top {
			t.Top[k].LP = math.NaN()
		}
	}
	return tokens
}

// bangs is the incident's first answer: every token is 0, and the reasoning
// parser takes all of it for reasoning.
func bangs(withNumbers bool) func(*Front) {
	return func(f *Front) {
		f.Hooks.Answer = func(c *Call, r *Reply) {
			tokens := null(like(nil, repeat("!", c.Max)...), 0)
			if !withNumbers {
				for i := range tokens {
					tokens[i].LP = 0
				}
			}
			ch := &r.Choices[0]
			ch.write(c, tokens, false)
			ch.Reasoning, ch.Content, ch.Thought = ch.Content, nil, len(tokens)
			r.Choices = r.Choices[:1]
			r.recount()
		}
	}
}

// marked ends each answer as SGLang does after a token id outside the vocabulary.
func marked(finish, matched string) func(*Front) {
	return func(f *Front) {
		f.Hooks.Answer = func(c *Call, r *Reply) {
			for i := range r.Choices {
				ch := &r.Choices[i]
				ch.write(c, ch.Tokens[:min(len(ch.Tokens), 3)], true)
				ch.Finish, ch.Matched = &finish, matched
			}
			r.recount()
		}
	}
}

func textFaults() []Fault {
	const thai, chinese = " ข้อความภาษาไทยที่ไม่ควรอยู่ที่นี่", "这是不应该出现在这里的文字内容"
	return []Fault{
		{
			Name: "incident-1", Says: `the incident's first answer: content null, reasoning_content "!!!!!!!!", log-probabilities null`,
			Dialects: []Dialect{SGLang}, Size: Huge, Expect: "text.token_zero", Verdict: "wrong",
			Apply: func(f *Front) { f.Version = "0.5.9"; bangs(true)(f) },
		},
		{
			Name: "incident-2", Says: `the incident's second answer: finish_reason "stop", matched_stop "NaN happened"`,
			Dialects: []Dialect{SGLang}, Size: Huge, Expect: "text.nan_marker", Verdict: "wrong",
			Apply: func(f *Front) { f.Version = "0.5.9"; marked("stop", `"NaN happened"`)(f) },
		},
		{
			Name: "nan-finish", Says: `finish_reason "NaN happened"`,
			Dialects: []Dialect{SGLang, VLLM, OpenAI}, Expect: "text.nan_marker", Verdict: "wrong", Apply: marked("NaN happened", ""),
		},
		{
			Name: "bangs-reasoning", Says: "every answer is a run of ! in the reasoning channel",
			Dialects: []Dialect{SGLang, VLLM, LlamaCPP}, Expect: "text.token_zero", Verdict: "wrong", Apply: bangs(true),
		},
		{
			Name: "bangs", Says: "every answer is a run of ! with ordinary numbers",
			Expect: "text.token_zero", Verdict: "wrong", Apply: garbage(func(_ *Call, n int) []string { return repeat("!", n) }),
		},
		{
			Name: "pad", Says: "every answer is a run of <pad>, Gemma's token 0",
			Expect: "text.token_zero", Verdict: "wrong", Apply: garbage(func(_ *Call, n int) []string { return repeat("<pad>", n) }),
		},
		{
			Name: "zero-ids", Says: "every token id is 0 and every log-probability null, the text is nothing known",
			Dialects: withBias, Expect: "text.token_zero", Verdict: "wrong",
			Apply: onAnswer(func(c *Call, old []Token, _ bool) ([]Token, bool) {
				return null(like(old, repeat("~", c.Max)...), 0), false
			}),
		},
		{
			Name: "late-bangs", Says: "text is good for 20 tokens, then a run of !",
			Expect: "text.token_zero", Verdict: "wrong",
			Apply: onAnswer(func(c *Call, old []Token, ended bool) ([]Token, bool) {
				if len(old) <= 20 {
					return old, ended
				}
				return append(old[:20:20], like(old, repeat("!", c.Max)...)...), false
			}),
		},
		{
			Name: "constant", Says: `every answer is "+"`,
			Expect: "text.constant", Verdict: "wrong",
			Apply: onAnswer(func(_ *Call, old []Token, _ bool) ([]Token, bool) { return like(old, "+"), true }),
		},
		{
			Name: "constant-run", Says: `every answer is "+++++…" up to the limit`,
			Expect: "text.constant", Verdict: "wrong", Apply: garbage(func(_ *Call, n int) []string { return repeat("+", n) }),
		},
		{
			Name: "loop-token", Says: "each answer gets stuck on one token, another each time",
			Expect: "text.loop_token", Verdict: "degraded",
			Apply: onAnswer(func(c *Call, old []Token, _ bool) ([]Token, bool) {
				stuck := pick(c, []string{" a", " no", " the", " of", " is", "na", "la", " we"}, 1)
				return append(old[:min(6, len(old)):min(6, len(old))], like(old, repeat(stuck[0], c.Max)...)...), false
			}),
		},
		{
			Name: "loop-phrase", Says: "each answer repeats a phrase to its end",
			Expect: "text.loop_phrase", Verdict: "degraded",
			Apply: onAnswer(func(c *Call, old []Token, _ bool) ([]Token, bool) {
				phrase := pick(c, []string{" and so on", " is the one", ", you see", " in the end"}, 1)[0]
				return append(old[:min(6, len(old)):min(6, len(old))], like(old, words(strings.Repeat(phrase, 1+c.Max/2))...)...), false
			}),
		},
		{
			Name: "salad", Says: "tokens of a multilingual vocabulary drawn at random",
			Expect: "text.salad", Verdict: "wrong",
			Apply: garbage(func(c *Call, n int) []string { return pick(c, multilingual, n) }),
		},
		{
			Name: "salad-latin", Says: "pieces of Latin words drawn at random",
			Expect: "text.salad", Verdict: "wrong",
			Apply: garbage(func(c *Call, n int) []string { return pick(c, latin, n) }),
		}, {
			Name: "salad-code", Says: "pieces of Latin words and of code drawn at random",
			Expect: "text.salad", Verdict: "wrong",
			Apply: garbage(func(c *Call, n int) []string { return pick(c, latinCode, n) }),
		},
		{
			Name: "salad-uniform", Says: "tokens drawn at random, and the numbers say so: all have 1/49152",
			Dialects: withLogprobs, Expect: "numbers.uniform", Verdict: "wrong",
			Apply: onAnswer(func(c *Call, old []Token, _ bool) ([]Token, bool) {
				return flat(like(old, pick(c, multilingual, c.Max)...)), false
			}),
		},
		{
			Name: "scraps", Says: "answers of blanks, commas and quotes",
			Expect: "text.scraps", Verdict: "wrong",
			Apply: garbage(func(c *Call, n int) []string { return pick(c, []string{" ,", ",", " ", "\n", " '", " .", "  "}, n) }),
		},
		{
			Name: "thai", Says: "Thai at the end of English answers",
			Expect: "text.script", Verdict: "degraded", Apply: appended(thai),
		},
		{
			Name: "chinese", Says: "Chinese at the end of English answers",
			Expect: "text.script", Verdict: "degraded", Apply: appended(chinese),
		},
		{
			Name: "reserved", Says: "reserved special tokens at the end of answers",
			Expect: "text.reserved_tokens", Verdict: "wrong", Apply: appended("<|reserved_special_token_12|> <|reserved_special_token_247|>"),
		},
		{
			Name: "bad-utf8", Says: "bytes inside answers that are no UTF-8",
			Expect: "text.utf8", Verdict: "degraded", Apply: appended(" caf\xe9 cr\xe8me"),
		},
		{
			Name: "replacement", Says: "U+FFFD inside answers",
			Expect: "text.utf8", Verdict: "degraded", Apply: appended(" caf\uFFFD cr\uFFFDme"),
		},
		{
			Name: "empty", Says: "tokens are spent and the content is empty",
			Expect: "text.empty", Verdict: "wrong", Apply: voided(ptr(""), true),
		},
		{
			Name: "empty-cut", Says: "tokens are spent up to the limit and the content is empty",
			Expect: "text.empty", Verdict: "degraded", Apply: voided(ptr(""), false),
		},
		{
			Name: "null-channels", Says: "tokens are spent and content and reasoning are null",
			Expect: "text.null_channels", Verdict: "wrong", Apply: voided(nil, true),
		},
		{
			Name: "never-stops", Says: "no answer ends: each goes on with another text",
			Expect: "text.never_stops", Verdict: "degraded",
			Apply: func(f *Front) {
				onAnswer(func(c *Call, old []Token, _ bool) ([]Token, bool) {
					story := f.Story(context.Background(), c)
					return append(append(cloneTokens(old), like(old, "\n\n")...), append(story, story...)...), false
				})(f)
			},
		},
		{
			Name: "seeds", Says: "the seed is ignored: every sample is the same",
			Expect: "text.seeds", Verdict: "degraded",
			Apply: func(f *Front) {
				f.Hooks.Before = func(c *Call) {
					if c.Sampled() && strings.Contains(c.Question(), "words") {
						c.Seed = ptr(0)
					}
				}
			},
		},
		{
			Name: "knowledge", Says: "fluent answers that belong to other questions",
			Size: Huge, Expect: "knowledge.battery", Verdict: "degraded", Apply: shuffled,
		},
		{
			Name: "weak-397b", Says: "a model of 397B that knows what SmolLM2-135M knows",
			Size: Huge, Expect: "knowledge.battery", Verdict: "degraded", Apply: func(*Front) {},
		},
		{
			Name: "knowledge-3b", Says: "the same of a model of 3B, with all questions asked",
			Level: "standard", Expect: "knowledge.battery", Verdict: "degraded", Apply: shuffled,
		},
	}
}

// voided takes the text away and leaves tokens spent: as many as the limit
// lets, or one less and the end of the turn.
func voided(content *string, ends bool) func(*Front) {
	return func(f *Front) {
		f.Hooks.Answer = func(c *Call, r *Reply) {
			if !c.Free() {
				return
			}
			for i := range r.Choices {
				ch := &r.Choices[i]
				n := c.Max
				if ends {
					n = c.Max - 2
				}
				ch.write(c, like(ch.Tokens, repeat("", n)...), ends)
				ch.Content = content
			}
			r.recount()
		}
	}
}

// shuffled answers each question with the answer to another.
func shuffled(f *Front) {
	others := []string{
		"What is the opposite of \"hot\"? Reply with one word.", "Name a colour.", "Say hello.",
	}
	f.Hooks.Answer = func(c *Call, r *Reply) {
		if !c.Chat || !c.Free() || c.Sampled() {
			return
		}
		asked := *c
		other := others[c.hash()%len(others)]
		if other == c.Question() {
			other = "Name a colour."
		}
		asked.Messages = []Message{{Role: "user", Content: other}}
		asked.Max = max(c.Max, 24)
		asked.Stop = nil
		given, err := f.Upstream.Generate(context.Background(), asked.ask())
		if err != nil {
			f.note(err)
			return
		}
		rewrite(c, r, func([]Token, bool) ([]Token, bool) {
			tokens, ended := body(given.Choices[0].Tokens)
			return tokens, ended
		})
	}
}

// flat makes every token as likely as any other.
func flat(tokens []Token) []Token {
	lp := -math.Log(wholeVocab)
	for i := range tokens {
		tokens[i].LP = lp
		for k := range tokens[i].Top {
			tokens[i].Top[k].LP = lp
		}
	}
	return tokens
}

var multilingual = []string{
	" trag", "ที่", "мо", "的", "ción", " Gew", "한", "ب", "κα", "の", "ющ", "能", " pfer", "ไม่", "를", "ال", "ness", "द", "ই", " зна", "ました", "ого", " ört", "ית", "λο",
}

// latinCode is latin as a vocabulary has it that was made from code as well.
var latinCode = append([]string{" getElement", "ById", " _SIZE", " toString", " x86", " isEmpty", "_map"}, latin...)

var latin = []string{
	" trag", "ción", " Gew", "pfer", "ness", "ört", " quil", "abl", " xor", "mente", " Krist", "ugs", " dro", "ivel", " brak", "zon", " splu", "erat", " vind", "ock", " harb", "ulli", " tem", "rix",
}
