package verify

import (
	"encoding/json"
	"fmt"
	"strings"

	"kilter/internal/dialect"
)

// An answer is one choice of one shot, with what checks want to know of it.
type answer struct {
	probe  string
	shot   *Shot
	x      *dialect.Exchange
	choice *dialect.Choice
	// text is reasoning and content joined; content is the latter alone.
	text, content string
	// tokens is how many were generated: as counted by the server for a
	// single choice, else by log-probabilities; -1 if not known.
	tokens int
	// cutShort: the token limit ended it, or kilter did, or it broke off.
	cutShort bool
}

// answers returns the answers of all shots for which keep holds, of those that
// brought any.
func (in *Input) answers(keep func(probe string, s *Shot) bool) []answer {
	var out []answer
	for oi := range in.Observations {
		o := &in.Observations[oi]
		if o.Probe == probeAgainst {
			continue // half of it is another server's
		}
		for si := range o.Shots {
			s := &o.Shots[si]
			if s.Exchange == nil || s.Exchange.Answer == nil || !keep(o.Probe, s) {
				continue
			}
			out = append(out, answersOf(o.Probe, s)...)
		}
	}
	return out
}

func answersOf(probe string, s *Shot) []answer {
	x := s.Exchange
	if x == nil || x.Answer == nil {
		return nil
	}
	var out []answer
	for i := range x.Answer.Choices {
		c := &x.Answer.Choices[i]
		a := answer{probe: probe, shot: s, x: x, choice: c, text: c.Text(), tokens: -1}
		if c.Content != nil {
			a.content = *c.Content
		}
		switch {
		case len(x.Answer.Choices) == 1 && x.Answer.Usage != nil && x.Answer.Usage.Completion != nil:
			a.tokens = *x.Answer.Usage.Completion
		case len(c.Logprobs) > 0:
			a.tokens = len(c.Logprobs)
		case len(c.TokenIDs) > 0:
			a.tokens = len(c.TokenIDs)
		}
		a.cutShort = x.Fail != nil || c.FinishReason == nil || *c.FinishReason == "length" ||
			(x.Stream != nil && x.Stream.Cancelled)
		out = append(out, a)
	}
	return out
}

// free are the answers in which the model wrote what it wanted.
func (in *Input) free() []answer {
	return in.answers(func(_ string, s *Shot) bool { return s.Free })
}

// greedy are free answers at temperature 0.
func (in *Input) greedy() []answer {
	return in.answers(func(_ string, s *Shot) bool {
		return s.Free && s.Request.Temperature != nil && *s.Request.Temperature == 0
	})
}

// textOf is the text of a shot's first choice, or "".
func textOf(s *Shot) string {
	if s == nil || s.Exchange == nil || s.Exchange.Answer == nil || len(s.Exchange.Answer.Choices) == 0 {
		return ""
	}
	return s.Exchange.Answer.Choices[0].Text()
}

// exhibit shows the raw body behind an answer; of a stream, the joined choice
// as JSON, since its raw events are hard to read.
func (a answer) exhibit() Exhibit { return exhibitOf(a.probe, a.shot) }

func exhibitOf(probe string, s *Shot) Exhibit {
	e := Exhibit{Probe: probe, Shot: s.Label}
	x := s.Exchange
	switch {
	case x == nil:
	case x.Stream != nil && x.Answer != nil:
		b, err := json.Marshal(x.Answer)
		if err == nil {
			e.Text = string(b)
		}
	default:
		e.Text = strings.TrimSpace(x.Body)
	}
	return e
}

// around shows the raw body from a little before the first place of what, so
// that the telling part is not cut away.
func around(probe string, s *Shot, what string) Exhibit {
	e := exhibitOf(probe, s)
	if i := strings.Index(e.Text, what); i > maxExhibit/3 {
		start := i - maxExhibit/3
		for start > 0 && e.Text[start]&0xC0 == 0x80 {
			start--
		}
		e.Text = "…" + e.Text[start:]
	}
	return e
}

// quote renders a piece of text for a sentence: short, on one line.
func quote(s string) string { return fmt.Sprintf("%q", cut(s, 60)) }

// plural returns "1 answer" or "3 answers".
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// small reports whether the model is known to be so small that it loops and
// errs in good health.
func (in *Input) small() bool {
	return in.Server.Params > 0 && in.Server.Params < in.Know.Limit("small_model")
}

// unanswered explains why a check that needs a shot has none.
func (in *Input) unanswered(probe, label string) Outcome {
	o := in.Observation(probe)
	if o == nil {
		if in.Stopped != "" {
			return NotAsked("the run ended before: %s", in.Stopped)
		}
		return NotAsked("not asked in this run")
	}
	if o.Skipped != "" {
		return NotAsked("%s", o.Skipped)
	}
	for i := range o.Shots {
		s := &o.Shots[i]
		if label != "" && s.Label != label {
			continue
		}
		if s.Skipped != "" {
			return NotAsked("%s", s.Skipped)
		}
		if s.Exchange != nil && s.Exchange.Fail != nil {
			return Unsure("the request got no answer that could be judged: %s", s.Exchange.Fail.Message)
		}
	}
	if in.Stopped != "" {
		return NotAsked("the run ended before: %s", in.Stopped)
	}
	return Unsure("no answer that could be judged")
}

// noAnswers is unanswered for checks that read all free answers.
func (in *Input) noAnswers() Outcome {
	if in.ConnectFail != nil {
		return NotAsked("no server to ask")
	}
	for oi := range in.Observations {
		for si := range in.Observations[oi].Shots {
			if x := in.Observations[oi].Shots[si].Exchange; x != nil && x.Fail != nil {
				return Unsure("no text came: %s", x.Fail.Message)
			}
		}
	}
	return Unsure("no text came that could be judged")
}
