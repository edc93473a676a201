package verify

import (
	"fmt"
	"strings"
)

// envelopeOf tells under which conditions the server was tried.
func envelopeOf(rec *Record) Envelope {
	in := &Input{Record: rec}
	var e Envelope
	shortIn, longIn, shortOut, longOut := 0, 0, 0, 0
	streams, wholes, scored, unscored, sampled, greedy := 0, 0, 0, 0, 0, 0
	for _, a := range in.answers(func(string, *Shot) bool { return true }) {
		if a.x.Stream != nil {
			streams++
		} else {
			wholes++
		}
		if len(a.choice.Logprobs) > 0 {
			scored++
		} else {
			unscored++
		}
		if t := a.shot.Request.Temperature; t != nil && *t > 0 {
			sampled++
		} else {
			greedy++
		}
		if u := a.x.Answer.Usage; u != nil && u.Prompt != nil && *u.Prompt > 0 {
			if shortIn == 0 || *u.Prompt < shortIn {
				shortIn = *u.Prompt
			}
			longIn = max(longIn, *u.Prompt)
			e.Prefill = true
		}
		if a.tokens > 0 {
			if shortOut == 0 || a.tokens < shortOut {
				shortOut = a.tokens
			}
			longOut = max(longOut, a.tokens)
			e.Decode = e.Decode || a.tokens > 1
		}
	}
	n := streams + wholes
	if n > 0 {
		e.InFlight = 1
	}
	e.LongestOut = longOut
	if c := rec.Server.MaxContext; c > 0 && c-longIn < provenOutput {
		e.OutputLimit = c - longIn
	}
	if o := in.Observation(probeReference); o != nil && o.Reference != nil && o.Reference.Fail == "" {
		e.HasReference = true
	}
	span := func(lo, hi int) string {
		switch {
		case hi == 0:
			return ""
		case lo == hi:
			return fmt.Sprintf("%d tokens", hi)
		}
		return fmt.Sprintf("%d to %d tokens", lo, hi)
	}
	both := func(a, b int, an, bn string) string {
		switch {
		case a > 0 && b > 0:
			return an + " and " + bn
		case a > 0:
			return an
		case b > 0:
			return bn
		}
		return ""
	}
	one := ""
	if n > 0 {
		one = "one request at a time"
	}
	e.Axes = []Axis{
		{Name: "prompt length", Tried: span(shortIn, longIn), Missing: "long prompts"},
		{Name: "output length", Tried: span(shortOut, longOut), Missing: fmt.Sprintf("outputs of %d tokens and more", provenOutput)},
		{Name: "concurrency", Tried: one, Missing: "many requests at once"},
		{Name: "prefix cache", Missing: "cold and warm, told apart"},
		{Name: "sampling", Tried: strings.Replace(both(greedy, sampled, "temperature 0", "temperature 1"), "and temperature ", "and ", 1), Missing: missing(sampled, "temperature 1")},
		{Name: "delivery", Tried: both(wholes, streams, "whole", "streamed"), Missing: missing(streams, "streamed")},
		{Name: "log-probabilities", Tried: both(scored, unscored, "with", "without"), Missing: missing(scored, "with")},
		{Name: "reference", Tried: map[bool]string{true: "scored by the weights"}[e.HasReference], Missing: map[bool]string{false: "the model's own weights"}[e.HasReference]},
	}
	return e
}

func missing(n int, what string) string {
	if n > 0 {
		return ""
	}
	return what
}
