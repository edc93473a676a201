package verify

import (
	"fmt"

	"kilter/internal/dialect"
)

// Labels of the shots that compare two servers: the side, then the number.
const (
	sideA = "a"
	sideB = "b"
)

// How sampled text is compared where log-probabilities can't be: so many
// answers a prompt and server.
const (
	sampleRounds = 10
	sampleTokens = 16
	noiseTokens  = 24
)

// samplePrompts leave a model much choice.
func samplePrompts() []string {
	return []string{
		"List eight random English words, separated by commas.",
		"Write one sentence about the sea.",
		"Give a name to a new kind of cheese, and nothing else.",
		"Name five things in a kitchen.",
	}
}

func needAgainst(s *session) string {
	if s.o.Against == nil {
		return "no --against was given"
	}
	return ""
}

// runAgainst compares two servers: by the scores that both give the same
// tokens, or else by sampled text.
func runAgainst(s *session) {
	a, b := s.srv.Server(), s.o.Against.Server()
	if scores(a) && scores(b) {
		ids := func(srv Asker, side string) []int {
			shot := s.askOn(srv, side+".ids", "token ids", bound, dialect.Request{Op: dialect.OpTokenize, Prompt: s.o.Know.PlainText, AddSpecial: true})
			if shot.Exchange == nil {
				return nil
			}
			return shot.Exchange.Tokens
		}
		idsA, idsB := ids(s.srv, sideA), ids(s.o.Against, sideB)
		if !sameIDs(idsA, idsB) || len(idsA) < 2 {
			return // the check sees two vocabularies, or no answer
		}
		caps := a.Caps
		if !b.Caps.PromptLogprobs {
			caps = b.Caps
		}
		r := s.scoreRequest(idsA, caps)
		s.askOn(s.srv, sideA+".score", "scores of this server", bound, r)
		s.askOn(s.o.Against, sideB+".score", "scores of the other server", bound, r)
		// Once more on each: the noise that a server has with itself. Where each
		// position costs a request, some of them must do.
		if !caps.PromptLogprobs {
			r.Tokens = r.Tokens[:min(noiseTokens, len(r.Tokens))]
		}
		s.askOn(s.srv, sideA+".again", "this server's own noise", bound, r)
		s.askOn(s.o.Against, sideB+".again", "the other server's own noise", bound, r)
		return
	}
	s.planned += 2 * sampleRounds * len(samplePrompts())
	for p, text := range samplePrompts() {
		for i := range sampleRounds {
			for _, side := range []string{sideA, sideB} {
				srv := s.srv
				if side == sideB {
					srv = s.o.Against
				}
				r := s.prompt(text, text, sampleTokens)
				r.Temperature, r.Seed = ptr(1.0), ptr(s.o.Seed+1000*p+i)
				if side == sideB {
					// Other seeds, so that equal servers differ only by chance.
					r.Seed = ptr(500000 + *r.Seed)
				}
				s.askOn(srv, fmt.Sprintf("%s.sample.%d.%d", side, p, i), "sampled text", bound, r)
			}
		}
	}
}

func scores(s dialect.Server) bool {
	return s.Caps.Tokenize && (s.Caps.PromptLogprobs || s.Caps.StepLogprobs)
}

func sameIDs(a, b []int) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}
