package enginetest

import (
	"strings"
	"unicode/utf8"
)

// A Fault makes exactly one thing wrong.
type Fault struct {
	// Name says what, in words that can stand in a file name.
	Name string
	// Says is the fault in one line, for people.
	Says     string
	Dialects []Dialect
	// Level is the lowest level of verify that must find it, Size how large the
	// model pretends to be.
	Level string
	Size  Size
	// Expect is the check that must tell it, and alone; Verdict what follows.
	Expect  string
	Verdict string
	Apply   func(*Front)
}

// Dialects that a fault needs something of.
var (
	everywhere   = []Dialect{LlamaCPP, SGLang, VLLM, Ollama, OpenAI}
	withLogprobs = []Dialect{LlamaCPP, SGLang, VLLM, OpenAI}
	withScores   = []Dialect{LlamaCPP, SGLang, VLLM}
	withTools    = []Dialect{LlamaCPP, SGLang, VLLM, OpenAI}
	withBias     = []Dialect{LlamaCPP, SGLang, VLLM}
	withN        = []Dialect{LlamaCPP, SGLang, VLLM, OpenAI}
)

// Faults returns all of them.
func Faults() []Fault {
	var all []Fault
	for _, group := range [][]Fault{textFaults(), numberFaults(), contractFaults(), aliveFaults()} {
		all = append(all, group...)
	}
	for i := range all {
		f := &all[i]
		if f.Level == "" {
			f.Level = "smoke"
		}
		if f.Size == Unknown {
			f.Size = Small
		}
		if f.Dialects == nil {
			f.Dialects = everywhere
		}
	}
	return all
}

const endOfTurn = 2

// body are an answer's tokens without the end of the turn, and whether there
// was one.
func body(tokens []Token) ([]Token, bool) {
	if n := len(tokens); n > 0 && tokens[n-1].ID == endOfTurn {
		return tokens[:n-1], true
	}
	return tokens, false
}

// rewrite replaces the answers of a free call. change gets an answer's tokens
// without the end of the turn and returns the new ones; ended is whether the
// model stops by itself after them. Limit and stop strings are kept.
func rewrite(c *Call, r *Reply, change func(old []Token, ended bool) (tokens []Token, stops bool)) {
	if !c.Free() {
		return
	}
	for i := range r.Choices {
		ch := &r.Choices[i]
		old, ended := body(ch.Tokens)
		if !ended && *ch.Finish == "stop" {
			ended = true // a stop string, or a cut that the server made
		}
		tokens, stops := change(old, ended)
		ch.write(c, tokens, stops)
	}
	r.recount()
}

// recount makes the token counts add up again.
func (r *Reply) recount() {
	r.Completion = len(r.Choices[0].Tokens)
	r.Total = r.Prompt + r.Completion
}

// write sets the content of a choice.
func (ch *Choice) write(c *Call, tokens []Token, stops bool) {
	finish := "stop"
	tokens = cloneTokens(tokens)
	text := ""
	matched := ""
	for i, t := range tokens {
		text += t.Text
		if i == c.Max {
			break
		}
		for _, s := range c.Stop {
			if at := strings.Index(text, s); at >= 0 && matched == "" {
				tokens, matched = tokens[:i+1], s
			}
		}
		if matched != "" {
			break
		}
	}
	switch {
	case matched != "":
		text, _, _ = strings.Cut(text, matched)
		ch.Matched = quoted(matched)
	case len(tokens) >= c.Max || !stops:
		finish = "length"
		tokens = tokens[:min(c.Max, len(tokens))]
		ch.Matched = ""
	default:
		tokens = append(tokens, Token{ID: endOfTurn, LP: -0.01, Top: []Top{{endOfTurn, "", -0.01}, {198, "\n", -5}}})
	}
	if matched == "" {
		text = ""
		for _, t := range tokens {
			text += t.Text
		}
		if finish == "length" {
			text = wholeRunes(text)
		}
	}
	ch.Content, ch.Finish, ch.Tokens = &text, &finish, tokens
}

// wholeRunes cuts off the beginning of a character at the end of s.
func wholeRunes(s string) string {
	for n := 1; n <= 3 && n <= len(s); n++ {
		if c := s[len(s)-n]; utf8.RuneStart(c) {
			if !utf8.FullRuneInString(s[len(s)-n:]) {
				return s[:len(s)-n]
			}
			break
		}
	}
	return s
}

// like makes tokens of texts with the numbers of real ones: each takes those
// of the next, with itself in the place of the chosen token.
func like(real []Token, texts ...string) []Token {
	out := make([]Token, len(texts))
	for i, s := range texts {
		t := Token{LP: -0.2, Top: []Top{{0, "", -0.2}, {28, ",", -2.5}, {30, ".", -3.5}}}
		if len(real) > 0 {
			t = cloneTokens(real[i%len(real) : i%len(real)+1])[0]
		}
		old := t.ID
		t.ID, t.Text = idOf(s), s
		for k := range t.Top {
			switch x := &t.Top[k]; {
			case x.ID == old || k == 0 && i%max(len(real), 1) == 0 && len(real) == 0:
				x.ID, x.Text = t.ID, t.Text
			case x.Text == s:
				x.ID, x.Text = 40000+k, "…"
			}
		}
		out[i] = t
	}
	return out
}

// idOf makes up the id of a text that the real vocabulary may lack.
func idOf(s string) int {
	h := (&Call{Prompt: s}).hash()
	return 300 + h%40000
}

// words splits a text into pieces as tokenizers do: blanks go with what follows.
func words(s string) []string {
	var out []string
	start := 0
	for i := 1; i < len(s); i++ {
		if s[i] == ' ' || s[i] == '\n' {
			out = append(out, s[start:i])
			start = i
		}
	}
	if start < len(s) {
		out = append(out, s[start:])
	}
	return out
}

func repeat(s string, n int) []string {
	out := make([]string, max(n, 0))
	for i := range out {
		out[i] = s
	}
	return out
}

// pick returns n pieces of a list, drawn by a generator that depends on the call.
func pick(c *Call, from []string, n int) []string {
	out := make([]string, n)
	x := uint32(c.hash())*2654435761 + 12345
	for i := range out {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		out[i] = from[int(x>>8)%len(from)]
	}
	return out
}

func ptr[T any](v T) *T { return &v }
