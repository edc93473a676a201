package dialect

import (
	"bytes"
	"encoding/json"
)

// A joiner makes one Answer of the events of a stream; a whole answer is a
// stream of one event.
type joiner struct {
	answer  Answer
	choices []*joinedChoice // in order of appearance
	usage   *Usage
	split   bool
}

type joinedChoice struct {
	Choice
	content, reasoning       []byte
	contentSet, reasoningSet bool
	tools                    []*joinedTool
}

type joinedTool struct {
	index    int
	id, name string
	args     []byte
}

// choice returns the choice of an index. Choices are few, so this is a walk.
func (j *joiner) choice(index int) *joinedChoice {
	for _, c := range j.choices {
		if c.Index == index {
			return c
		}
	}
	c := &joinedChoice{Choice: Choice{Index: index}}
	j.choices = append(j.choices, c)
	return c
}

// add joins one event; text reports whether it held text, reasoning or part
// of a tool call.
func (j *joiner) add(w *wireAnswer) (text bool) {
	a := &j.answer
	setString(&a.ID, string(w.ID))
	setString(&a.Model, string(w.Model))
	setString(&a.Fingerprint, string(w.Fingerprint))
	if w.Created.ok && a.Created == 0 {
		a.Created = int64(w.Created.n)
	}
	if w.Usage != nil {
		j.usage = w.Usage.usage()
	}
	for i := range w.Choices {
		wc := &w.Choices[i]
		index := i
		if wc.Index.ok {
			index = wc.Index.n
		}
		if j.choice(index).add(wc, &j.split) {
			text = true
		}
	}
	return text
}

func setString(dst *string, s string) {
	if *dst == "" {
		*dst = s
	}
}

func (c *joinedChoice) add(w *wireChoice, split *bool) (text bool) {
	for _, m := range [...]*wireMessage{w.Message, w.Delta} {
		if m == nil {
			continue
		}
		if m.Content.set {
			text = c.addContent(m.Content.b, split) || text
		}
		field, part := "reasoning_content", m.ReasoningContent
		if !part.set || c.ReasoningField == "reasoning" {
			field, part = "reasoning", m.Reasoning
		}
		if part.set {
			text = c.addReasoning(field, part.b, split) || text
		}
		for i := range m.ToolCalls {
			c.addTool(&m.ToolCalls[i], i)
			text = true
		}
	}
	if w.Text.set {
		text = c.addContent(w.Text.b, split) || text
	}
	if !isNull(w.FinishReason) {
		var s looseString
		_ = s.UnmarshalJSON(w.FinishReason)
		reason := string(s)
		c.FinishReason = &reason
	}
	if !isNull(w.MatchedStop) {
		c.MatchedStop = bytes.Clone(w.MatchedStop)
	} else if !isNull(w.StopReason) {
		c.MatchedStop = bytes.Clone(w.StopReason)
	}
	from := len(c.TokenIDs)
	if ids, ok := ints(w.TokenIDs); ok {
		c.TokenIDs = append(c.TokenIDs, ids...)
	} else if ids, ok := ints(w.ResponseTokenIDs); ok {
		c.TokenIDs = append(c.TokenIDs, ids...)
	}
	if !isNull(w.Logprobs) {
		lps := parseLogprobs(w.Logprobs)
		// Ids that came beside the log-probabilities, one for one.
		if ids := c.TokenIDs[from:]; len(ids) == len(lps) {
			for i := range lps {
				lps[i].identify(ids[i])
			}
		}
		c.Logprobs = append(c.Logprobs, lps...)
	}
	return text
}

// identify gives a token its id, and the alternative that is the same token.
func (t *TokenLogprob) identify(id int) {
	if t.ID != nil {
		return
	}
	t.ID = &id
	for i := range t.Top {
		if top := &t.Top[i]; top.ID == nil && top.Token == t.Token && top.Logprob == t.Logprob {
			top.ID = &id
			return
		}
	}
}

func (c *joinedChoice) addContent(b []byte, split *bool) bool {
	c.contentSet = true
	return appendText(&c.content, b, split)
}

func (c *joinedChoice) addReasoning(field string, b []byte, split *bool) bool {
	c.reasoningSet = true
	c.ReasoningField = field
	return appendText(&c.reasoning, b, split)
}

// appendText joins text as bytes, so that a character that two events share
// becomes whole; split is set when one did.
func appendText(dst *[]byte, b []byte, split *bool) bool {
	if len(b) == 0 {
		return false
	}
	if !*split && b[0] >= 0x80 && cutRune(*dst) {
		joined := append(bytes.Clone((*dst)[max(0, len(*dst)-3):]), b[:min(3, len(b))]...)
		joined = joinSurrogates(joined)
		*split = continues(*dst, b) || len(joined) == 4
	}
	*dst = append(*dst, b...)
	return true
}

// continues reports whether next goes on with the sequence that b was cut in.
func continues(b, next []byte) bool {
	return cutRune(b) && next[0]&0xC0 == 0x80
}

func (c *joinedChoice) addTool(w *wireToolCall, position int) {
	var t *joinedTool
	index := position
	if w.Index.ok {
		index = w.Index.n
	}
	for _, have := range c.tools {
		if have.index == index {
			t = have
		}
	}
	// Without an index, another id begins another call.
	if t != nil && !w.Index.ok && w.ID != "" && t.id != "" && t.id != string(w.ID) {
		t, index = nil, len(c.tools)
	}
	if t == nil {
		t = &joinedTool{index: index}
		c.tools = append(c.tools, t)
	}
	setString(&t.id, string(w.ID))
	setString(&t.name, string(w.Function.Name))
	t.args = append(t.args, w.Function.Arguments.b...)
}

// finish returns the joined answer.
func (j *joiner) finish() *Answer {
	a := j.answer
	a.Usage = j.usage
	a.Choices = make([]Choice, 0, len(j.choices))
	for _, c := range j.choices {
		out := c.Choice
		out.Content, out.BadUTF8 = textPtr(c.content, c.contentSet, out.BadUTF8)
		out.Reasoning, out.BadUTF8 = textPtr(c.reasoning, c.reasoningSet, out.BadUTF8)
		for _, t := range c.tools {
			args, bad := validText(t.args)
			out.BadUTF8 = out.BadUTF8 || bad
			out.ToolCalls = append(out.ToolCalls, ToolCall{ID: t.id, Name: t.name, Arguments: args})
		}
		if len(out.MatchedStop) > 0 && !json.Valid(out.MatchedStop) {
			out.MatchedStop = nil
		}
		a.Choices = append(a.Choices, out)
	}
	return &a
}

func textPtr(b []byte, set, wasBad bool) (*string, bool) {
	if !set {
		return nil, wasBad
	}
	s, bad := validText(b)
	return &s, bad || wasBad
}

// finished reports whether every choice has its finish reason.
func (j *joiner) finished() bool {
	for _, c := range j.choices {
		if c.FinishReason == nil {
			return false
		}
	}
	return len(j.choices) > 0
}
