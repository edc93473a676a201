package verify

import (
	"strings"
	"unicode/utf8"
)

// judgeLoopToken finds answers that end in one token again and again.
func judgeLoopToken(in *Input) Outcome {
	return in.judgeLoop("one token", func(a answer) bool { return stuck(a, int(in.Know.Limit("loop_tokens"))) })
}

// judgeLoopPhrase finds answers that end in copies of one piece.
func judgeLoopPhrase(in *Input) Outcome {
	least, copies := int(in.Know.Limit("loop_tokens")), int(in.Know.Limit("loop_copies"))
	return in.judgeLoop("one phrase", func(a answer) bool { return !stuck(a, least) && loops(a.text, least, copies) })
}

func (in *Input) judgeLoop(what string, bad func(answer) bool) Outcome {
	as := in.free()
	if len(as) == 0 {
		return in.noAnswers()
	}
	var looped []answer
	for _, a := range as {
		if bad(a) {
			looped = append(looped, a)
		}
	}
	if len(looped) == 0 {
		return Passed("no loop in %s", plural(len(as), "answer"))
	}
	o := Failed(Degrades, "%d of %d answers end in %s, repeated: %s", len(looped), len(as), what, quote(lastRunes(looped[0].text, 40)))
	if in.small() || in.Server.NoTemplate {
		o.Effect = Note
		o.Says += "; models this small do so in good health"
		if !in.small() {
			o.Says = strings.TrimSuffix(o.Says, "; models this small do so in good health") + "; models without a chat template do so in good health"
		}
	}
	return o.With(tailExhibit(looped[0]))
}

func lastRunes(s string, n int) string {
	s = strings.TrimSpace(s)
	if c := utf8.RuneCountInString(s); c > n {
		r := []rune(s)
		return "…" + string(r[c-n:])
	}
	return s
}

// judgeNeverStops looks whether any of the short questions got an answer that
// ended by itself.
func judgeNeverStops(in *Input) Outcome {
	if in.Server.NoTemplate {
		return NotAsked("the model has no chat template, and plain completions need not end")
	}
	ended, cutOff := 0, []answer{}
	for _, a := range in.free() {
		if len(a.shot.Request.Stop) > 0 || a.shot.Request.MaxTokens < 24 || a.x.Fail != nil || a.choice.FinishReason == nil {
			continue
		}
		if hiddenReasoning(a) || a.cutShort && strings.TrimSpace(a.text) == "" {
			continue // its tokens went where nobody sees them
		}
		switch *a.choice.FinishReason {
		case "length":
			cutOff = append(cutOff, a)
		case "stop", "tool_calls":
			ended++
		}
	}
	switch {
	case ended > 0:
		return Passed("%d of %d answers ended by themselves", ended, ended+len(cutOff))
	case len(cutOff) < 4:
		if len(cutOff) == 0 {
			return in.unanswered(probeKnowledge, "")
		}
		return Unsure("only %s, none of which ended by itself", plural(len(cutOff), "answer"))
	}
	for _, a := range cutOff {
		if strings.TrimSpace(a.content) == "" && strings.TrimSpace(a.text) != "" {
			return Unsure("the model was still reasoning when its tokens ran out")
		}
	}
	o := Failed(Degrades, "none of %s ended by itself, not even to questions of one word: the end-of-turn token never comes", plural(len(cutOff), "answer"))
	if in.small() {
		o.Effect = Note
	}
	return o.With(tailExhibit(cutOff[0]))
}

func judgeSeeds(in *Input) Outcome {
	a, b := in.Shot(probeSampling, "words_a"), in.Shot(probeSampling, "words_b")
	if a == nil || b == nil || textOf(a) == "" || textOf(b) == "" {
		return in.unanswered(probeSampling, "words_b")
	}
	if textOf(a) != textOf(b) {
		return Passed("two seeds, two answers")
	}
	c := in.Shot(probeSampling, "words_c")
	if c == nil || textOf(c) == "" {
		return Unsure("two seeds gave the same words, and no third was asked")
	}
	if textOf(c) != textOf(a) {
		return Warned("two of three seeds gave the same words")
	}
	return Failed(Degrades, "three seeds at temperature 1 give the same words to the letter: sampling does not sample").
		With(exhibitOf(probeSampling, a), exhibitOf(probeSampling, b))
}
