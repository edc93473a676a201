package enginetest

import (
	"context"
	"math"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// A Health is a way to be odd in good health. No check may find a fault in it.
type Health struct {
	Name     string
	Says     string
	Dialects []Dialect
	Level    string
	Size     Size
	// Warns are checks that must warn, Notes those that must fail as a note.
	Warns, Notes []string
	Apply        func(*Front)
}

// Healthy returns all of them.
func Healthy() []Health {
	all := append(healthyShapes(), healthyTexts()...)
	for i := range all {
		h := &all[i]
		if h.Level == "" {
			h.Level = "smoke"
		}
		if h.Dialects == nil {
			h.Dialects = everywhere
		}
		if h.Apply == nil {
			h.Apply = func(*Front) {}
		}
	}
	return all
}

func framed(change func(*Framing)) func(*Front) {
	return func(f *Front) { change(&f.Framing) }
}

func headers(change func(h http.Header, n int)) func(*Front) {
	return func(f *Front) { f.Hooks.Header = change }
}

func healthyShapes() []Health {
	return []Health{
		{Name: "plain", Says: "the engine as it is", Level: "standard", Size: Tiny},
		{Name: "plain-size-unknown", Says: "a model of unknown size", Level: "standard"},
		{Name: "plain-3b", Says: "a model of 3B", Level: "standard", Size: Small},
		{
			Name: "sglang-old", Says: "SGLang 0.5.9: no token ids, no length of a chat", Dialects: []Dialect{SGLang}, Level: "standard", Size: Small,
			Apply: func(f *Front) { f.Version = "0.5.9" },
		},
		{
			Name: "tools", Says: "llama.cpp with a template that has tools", Dialects: []Dialect{LlamaCPP}, Level: "standard", Size: Small,
			Apply: func(f *Front) { f.Tools = true },
		},
		{Name: "no-role-first", Says: "streams begin with text", Size: Small, Apply: func(f *Front) { f.NoRoleFirst = true }},
		{Name: "crlf", Says: "events end in CRLF", Size: Small, Apply: framed(func(fr *Framing) { fr.CRLF = true })},
		{Name: "keep-alive", Says: "comments between events", Size: Small, Apply: framed(func(fr *Framing) { fr.Comments = true })},
		{
			Name: "split", Says: "accents and an emoji, in pieces of seven bytes", Size: Small,
			Apply: func(f *Front) { f.Framing.Split = true; appended(" Voilà, c'était très réussi 😀.")(f) },
		},
		{Name: "slow", Says: "slow, but alive", Size: Small, Dialects: []Dialect{SGLang, OpenAI}, Apply: framed(func(fr *Framing) { fr.Pause = 5 * time.Millisecond })},
		{
			Name: "no-usage", Says: "no answer carries token counts", Size: Small, Warns: []string{"contract.usage"},
			Apply: onReply(func(_ *Call, r *Reply) { r.NoUsage = true }),
		},
		{
			Name: "bad-request-taken", Says: "a bad request is answered as if it were good", Size: Small, Warns: []string{"contract.bad_request"},
			Apply: func(f *Front) {
				f.Hooks.Take = func(w http.ResponseWriter, r *http.Request, c *Call) bool {
					if !c.Bad() {
						return false
					}
					c.Max = 4
					c.Messages = []Message{{Role: "user", Content: "Hello"}}
					c.Temperature = ptr(0.0)
					if answer, err := f.answer(r.Context(), c); err != nil {
						f.note(err)
					} else {
						f.json(w, f.whole(c, answer))
					}
					return true
				}
			},
		},
		{
			Name: "logprobs-refused", Says: "requests with log-probabilities get status 400", Size: Small, Dialects: withLogprobs,
			Notes: []string{"contract.logprobs"},
			Apply: func(f *Front) {
				f.Hooks.Take = func(w http.ResponseWriter, _ *http.Request, c *Call) bool {
					if c.Logprobs {
						f.Fail(w, http.StatusBadRequest, "logprobs are not supported")
					}
					return c.Logprobs
				}
			},
		},
		{
			Name: "logprobs-left-out", Says: "log-probabilities are asked for and do not come", Size: Small, Dialects: withLogprobs,
			Notes: []string{"contract.logprobs"},
			Apply: onReply(func(_ *Call, r *Reply) {
				for i := range r.Choices {
					r.Choices[i].Tokens = nil
				}
			}),
		},
		{
			Name: "logprobs-old", Says: "llama.cpp's log-probabilities from before 2025", Size: Small, Dialects: []Dialect{LlamaCPP}, Level: "standard",
			Apply: func(f *Front) { f.OldLogprobs = true },
		},
		{
			Name: "post-sampling", Says: "log-probabilities after sampling: at temperature 0 the chosen token has all", Size: Small, Dialects: withLogprobs,
			Apply: onTokens(func(c *Call, tokens []Token) {
				if c.Sampled() {
					return
				}
				for i := range tokens {
					for k := range tokens[i].Top {
						tokens[i].Top[k].LP = math.Inf(-1)
					}
					setLP(&tokens[i], 0)
				}
			}),
		},
		{
			Name: "other-model", Says: "answers name another model than was asked for", Size: Small, Notes: []string{"alive.model_echo"},
			Apply: onReply(func(_ *Call, r *Reply) { r.Model = "meta-llama/Llama-3.2-1B-Instruct" }),
		},
		{
			Name: "gateway", Says: "a gateway in front of the engine", Size: Small, Warns: []string{"alive.one_backend"},
			Apply: headers(func(h http.Header, _ int) { h.Set("Via", "1.1 litellm"); h.Set("X-Litellm-Version", "1.81.0") }),
		},
		{
			Name: "two-backends", Says: "two backends behind one URL, by their headers", Size: Small, Warns: []string{"alive.one_backend"},
			Apply: headers(func(h http.Header, n int) { h.Set("X-Served-By", "pod-"+strconv.Itoa(n%2)) }),
		},
		{
			Name: "two-fingerprints", Says: "answers carry two system fingerprints", Size: Small, Warns: []string{"alive.one_backend"},
			Dialects: []Dialect{LlamaCPP, OpenAI, VLLM, Ollama},
			Apply:    onReply(func(c *Call, r *Reply) { r.Fingerprint = "fp_" + strconv.Itoa(c.Serial%2) }),
		},
		{
			Name: "others", Says: "three requests of others run all the time", Size: Small, Dialects: []Dialect{VLLM},
			Apply: func(f *Front) { f.Hooks.Load = func(running, _ int) (int, int) { return running + 3, 0 } },
		},
		{
			Name: "others-leave", Says: "others' requests run and one waits, for the first second", Size: Small, Dialects: []Dialect{LlamaCPP}, Level: "standard",
			Apply: func(f *Front) {
				var first time.Time
				f.Hooks.Load = func(running, waiting int) (int, int) {
					if first.IsZero() {
						first = time.Now()
					}
					if time.Since(first) < time.Second {
						return running + 3, 1
					}
					return running, waiting
				}
			},
		},
		{
			Name: "no-template", Says: "chats are refused: the model brings no chat template", Size: Small, Dialects: []Dialect{SGLang, VLLM},
			Level: "standard", Warns: []string{"alive.chat_template"},
			Apply: func(f *Front) {
				f.Hooks.Take = func(w http.ResponseWriter, _ *http.Request, c *Call) bool {
					if c.Chat && !c.Bad() {
						f.Fail(w, http.StatusBadRequest, "As of transformers v4.44, default chat template is no longer allowed, so you must provide a chat template if the tokenizer does not define one.")
						return true
					}
					return false
				}
			},
		},
	}
}

func healthyTexts() []Health {
	thinkers := []Dialect{SGLang, VLLM, LlamaCPP, OpenAI}
	return []Health{
		{Name: "exclaims", Says: `answers end in "!!!"`, Size: Small, Apply: appended("!!!")},
		{Name: "rules", Says: "markdown rules and headings", Size: Small, Apply: appended("\n\n--------\n\n## Note\n\n* * *\n")},
		{Name: "table", Says: "a markdown table", Size: Small, Apply: appended("\n\n| a | b |\n|---|---|\n| 1 | 2 |\n")},
		{Name: "fence", Says: "an empty code fence", Size: Small, Apply: appended("\n```\n```\n")},
		{Name: "emoji", Says: "emoji with joiners", Size: Small, Apply: appended(" 👩‍💻🎉")},
		{Name: "accents", Says: "letters with accents", Size: Small, Apply: appended(" Café, naïve, Zürich, Łódź, señor.")},
		{Name: "greek", Says: "Greek letters of a formula", Size: Small, Apply: appended(" So λ = 2π/k and Δx ≈ α.")},
		{Name: "quote", Says: "two Chinese characters, quoted", Size: Small, Warns: []string{"text.script"}, Apply: appended(" (as they say in China: 你好, which is a friendly way to greet)")},
		{
			Name: "persona", Says: "every answer opens with the same phrase", Size: Small,
			Apply: onAnswer(func(_ *Call, old []Token, ended bool) ([]Token, bool) {
				return append(like(old, words("Certainly! I am glad to help you with that: ")...), old...), ended
			}),
		},
		{Name: "numbers", Says: "a row of numbers and of dots", Size: Small, Apply: appended(" 0 0 0 0 1 1 1 ........")},
		{
			Name: "thinks", Says: "a model that reasons whatever it is asked", Size: Small, Dialects: thinkers,
			Apply: func(f *Front) { f.Thinks = true },
		},
		{
			Name: "thinks-alike", Says: "reasoning that always begins with the same words", Size: Small, Dialects: thinkers,
			Apply: func(f *Front) {
				f.Hooks.Before = func(c *Call) {
					if c.Max > thinkingRoom {
						c.Max -= thinkingRoom
					}
				}
				f.Hooks.Answer = func(c *Call, r *Reply) {
					if !c.Chat || !c.Free() {
						return
					}
					for i := range r.Choices {
						ch := &r.Choices[i]
						ch.Matched = ""
						ch.think(c, like(ch.Tokens, words("Okay, the user is asking a question. Let me think about it: "+strconv.Itoa(c.hash()))...))
					}
					r.recount()
				}
			},
		},
		{
			Name: "thinks-on", Says: "the tokens run out inside the reasoning", Size: Small, Dialects: thinkers,
			Apply: func(f *Front) { f.ThinksOn = true },
		},
		{
			Name: "verbose", Says: "long answers that end", Size: Small,
			Apply: func(f *Front) {
				onAnswer(func(c *Call, old []Token, ended bool) ([]Token, bool) {
					if !ended {
						return old, false
					}
					story := f.Story(context.Background(), c)
					return append(append(cloneTokens(old), like(old, "\n\n")...), sentence(story)...), true
				})(f)
			},
		},
	}
}

// sentence is the beginning of a text up to its first full stop.
func sentence(tokens []Token) []Token {
	for i, t := range tokens {
		if i > 4 && strings.HasSuffix(t.Text, ".") {
			return tokens[:i+1]
		}
	}
	return tokens
}
