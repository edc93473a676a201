package verify

import (
	"strings"

	"kilter/internal/dialect"
)

// contractChecks ask whether the server keeps to its API, as clients rely on it.
func contractChecks() []*Check {
	return append([]*Check{
		{
			ID: "contract.finish_reason", Question: "Does every answer say, in known words, why it ended?",
			Ceiling: Degrades, DependsOn: []string{"text.nan_marker", "contract.stream_frames"}, Probes: freeProbes, Judge: judgeFinishReason,
		},
		{
			ID: "contract.max_tokens", Question: "Is the token limit kept?",
			Ceiling: Degrades, Probes: freeProbes, Judge: judgeMaxTokens,
		},
		{
			ID: "contract.stop", Question: "Do stop strings end the answer, and stay out of it?",
			Ceiling: Degrades, DependsOn: []string{"text.token_zero", "text.constant", "text.scraps"}, Probes: []string{probeKnowledge}, Judge: judgeStop,
		},
		{
			ID: "contract.usage", Question: "Do the token counts add up?",
			Ceiling: Degrades, DependsOn: []string{"contract.max_tokens"}, Probes: freeProbes, Judge: judgeUsage,
		},
		{
			ID: "contract.prompt_tokens", Question: "Is the prompt as long as the tokenizer says?",
			Ceiling: Degrades, Probes: []string{probeTokens, probeKnowledge}, Judge: judgePromptTokens,
		},
		{
			ID: "contract.stream_frames", Question: "Are streams whole and well-formed?",
			Ceiling: Degrades, Probes: []string{probeStream, probePython}, Judge: judgeStreamFrames,
		},
		{
			ID: "contract.stream_equal", Question: "Does a stream bring the same text as a whole answer?",
			Ceiling: Degrades, DependsOn: []string{"contract.stream_frames", "text.utf8", "text.loop_token", "text.loop_phrase"},
			Probes: []string{probeStream, probeKnowledge}, Judge: judgeStreamEqual,
		},
		{
			ID: "contract.logprobs", Question: "Do log-probabilities come when they are asked for?",
			Ceiling: Note, Probes: []string{probeOpen, probeKnowledge}, Judge: judgeLogprobsGiven,
		},
		{
			ID: "contract.bad_request", Question: "Is a bad request refused as the client's fault (4xx)?",
			Ceiling: Degrades, Probes: []string{probeBad}, Judge: judgeBadRequest,
		},
		{
			ID: "contract.markup", Question: "Are answers free of the chat template's own markup?",
			Ceiling: Degrades, DependsOn: []string{"text.reserved_tokens"}, Probes: freeProbes, Judge: judgeMarkup,
		},
		{
			ID: "contract.reasoning_split", Question: "Is reasoning kept apart from the answer?",
			Ceiling: Degrades, DependsOn: []string{"text.token_zero", "text.empty"}, Probes: freeProbes, Judge: judgeReasoningSplit,
		},
	}, standardContract()...)
}

// finishWords are the finish reasons that clients know.
var finishWords = map[string]bool{
	"stop": true, "length": true, "tool_calls": true, "content_filter": true, "function_call": true, "eos": true, "abort": true, "load": true, "repetition": true,
}

func judgeFinishReason(in *Input) Outcome {
	n := 0
	for _, a := range in.answers(func(string, *Shot) bool { return true }) {
		if a.x.Fail != nil || (a.x.Stream != nil && a.x.Stream.Cancelled) {
			continue
		}
		n++
		switch {
		case a.choice.FinishReason == nil:
			return Failed(Degrades, "an answer ends without a finish_reason").With(a.exhibit())
		case !finishWords[*a.choice.FinishReason]:
			return Failed(Degrades, "an answer ends with finish_reason %s, which no client knows", quote(*a.choice.FinishReason)).
				With(around(a.probe, a.shot, *a.choice.FinishReason))
		case *a.choice.FinishReason == "length" && a.tokens > 0 && a.choice.Reasoning == nil && a.shot.Request.MaxTokens > 0 && 2*a.tokens < a.shot.Request.MaxTokens:
			return Failed(Degrades, "an answer of %d tokens ends with finish_reason \"length\" under a limit of %d", a.tokens, a.shot.Request.MaxTokens).
				With(a.exhibit())
		case *a.choice.FinishReason == "abort":
			return Failed(Degrades, "the server aborted an answer by itself").With(a.exhibit())
		}
	}
	if n == 0 {
		return in.noAnswers()
	}
	return Passed("all of %s", plural(n, "answer"))
}

func judgeMaxTokens(in *Input) Outcome {
	n := 0
	for _, a := range in.answers(func(string, *Shot) bool { return true }) {
		if a.shot.Request.MaxTokens == 0 || a.tokens < 0 || len(a.x.Answer.Choices) != 1 {
			continue
		}
		n++
		if a.tokens > a.shot.Request.MaxTokens {
			return Failed(Degrades, "%d tokens came where at most %d were asked for", a.tokens, a.shot.Request.MaxTokens).With(a.exhibit())
		}
	}
	if n == 0 {
		return in.unanswered(probeOpen, "")
	}
	return Passed("kept in %s", plural(n, "answer"))
}

func judgeStop(in *Input) Outcome {
	s := in.Shot(probeKnowledge, stopping)
	as := answersOf(probeKnowledge, orEmpty(s))
	if len(as) == 0 || len(s.Request.Stop) == 0 {
		return in.unanswered(probeKnowledge, stopping)
	}
	a, stop := as[0], s.Request.Stop[0]
	switch {
	case strings.Contains(a.content, stop):
		return Failed(Degrades, "the stop string %q stands in the answer %s", stop, quote(a.content)).With(a.exhibit())
	case a.choice.FinishReason != nil && *a.choice.FinishReason == "length":
		return Unsure("the answer did not come as far as the stop string %q", stop)
	case a.choice.Reasoning != nil && strings.TrimSpace(a.content) == "":
		return Unsure("the stop string may have ended the reasoning")
	case len(a.choice.MatchedStop) > 0 && strings.Contains(string(a.choice.MatchedStop), `"`):
		return Passed("ended before %q, and says so", stop)
	case strings.HasSuffix(strings.TrimRight(a.content, " ,\n"), "7"):
		return Passed("ended before %q", stop)
	}
	return Unsure("the answer ended by itself before the stop string %q could", stop)
}

func judgeUsage(in *Input) Outcome {
	n := 0
	for _, a := range in.answers(func(string, *Shot) bool { return true }) {
		u := a.x.Answer.Usage
		if u == nil || u.Prompt == nil || u.Completion == nil || a.x.Fail != nil || len(a.shot.Request.Stop) > 0 {
			continue
		}
		n++
		switch {
		case *u.Prompt <= 0:
			return Failed(Degrades, "a prompt of %d tokens is counted", *u.Prompt).With(around(a.probe, a.shot, "usage"))
		case u.Total != nil && *u.Total != *u.Prompt+*u.Completion:
			return Failed(Degrades, "%d prompt and %d output tokens are counted as %d in all", *u.Prompt, *u.Completion, *u.Total).
				With(around(a.probe, a.shot, "usage"))
		case *u.Completion <= 0 && strings.TrimSpace(a.text) != "":
			return Failed(Degrades, "%d output tokens are counted for an answer with text", *u.Completion).With(around(a.probe, a.shot, "usage"))
		case len(a.x.Answer.Choices) == 1 && len(a.choice.Logprobs) > *u.Completion+1:
			return Failed(Degrades, "%d output tokens are counted and %d have log-probabilities", *u.Completion, len(a.choice.Logprobs)).
				With(around(a.probe, a.shot, "usage"))
		}
	}
	if n == 0 {
		if len(in.free()) > 0 {
			return Warned("no answer carries token counts")
		}
		return in.noAnswers()
	}
	return Passed("in all of %s", plural(n, "answer"))
}

func judgePromptTokens(in *Input) Outcome {
	if in.Server.NoTemplate {
		return NotAsked("the model has no chat template")
	}
	if o := in.Observation(probeTokens); o != nil && o.Skipped == "" && !in.Server.Caps.CountChat {
		return NotAsked("%s can't tell the length of a chat", in.Server.Engine.Title())
	}
	counted := in.Shot(probeTokens, "chat")
	asked := in.Shot(probeKnowledge, capital)
	if counted == nil || counted.Exchange.Fail != nil || counted.Exchange.Count == 0 {
		return in.unanswered(probeTokens, "chat")
	}
	as := answersOf(probeKnowledge, orEmpty(asked))
	if len(as) == 0 || as[0].x.Answer.Usage == nil || as[0].x.Answer.Usage.Prompt == nil {
		return Unsure("the server does not count prompt tokens")
	}
	want, got := counted.Exchange.Count, *as[0].x.Answer.Usage.Prompt
	switch d := got - want; {
	case d == 0:
		return Passed("%d tokens, both ways", got)
	case d == 1 || d == -1:
		return Warned("the prompt counts as %d tokens and is tokenised into %d: a begin-of-text token is added once more or once less", got, want)
	case d > 1 && d <= int(in.Know.Limit("prompt_tokens_slack")) || d < -1 && -d <= int(in.Know.Limit("prompt_tokens_slack")):
		return Warned("the prompt counts as %d tokens and is tokenised into %d: template options may differ", got, want)
	}
	return Failed(Degrades, "the prompt counts as %d tokens and the server's own tokenizer makes it %d: another template or tokenizer is at work", got, want).
		With(around(probeKnowledge, asked, "usage"), exhibitOf(probeTokens, counted))
}

func judgeStreamFrames(in *Input) Outcome {
	n := 0
	noDone := false
	for oi := range in.Observations {
		o := &in.Observations[oi]
		for si := range o.Shots {
			s := &o.Shots[si]
			x := s.Exchange
			if x == nil || !s.Request.Stream || (x.Stream != nil && x.Stream.Cancelled) {
				continue
			}
			if st := x.Stream; st != nil && st.ErrorEvent != "" && x.Status == 200 {
				return Failed(Degrades, "a stream with status 200 ends in an error: %s", cut(st.ErrorEvent, 160)).With(exhibitOf(o.Probe, s))
			}
			if f := x.Fail; f != nil {
				switch f.Kind {
				case dialect.FailClosed, dialect.FailBadStream, dialect.FailTooLarge:
					return Failed(Degrades, "a stream broke: %s", f.Message).With(exhibitOf(o.Probe, s))
				case dialect.FailNotJSON, dialect.FailShape:
					if !in.answeredWhole() {
						return Unsure("a stream is none, and no other request is answered either: %s", f.Message)
					}
					return Failed(Degrades, "a stream is none: %s", f.Message).With(exhibitOf(o.Probe, s))
				}
				continue
			}
			st := x.Stream
			if st == nil {
				continue
			}
			n++
			switch {
			case st.Malformed > 0:
				return Failed(Degrades, "%d of %d events of a stream are no JSON: %s", st.Malformed, st.Events, quote(st.FirstMalformed)).
					With(Exhibit{Probe: o.Probe, Shot: s.Label, Text: st.FirstMalformed})
			case !st.Done:
				noDone = true
			}
		}
	}
	switch {
	case n == 0:
		return in.unanswered(probeStream, "")
	case noDone:
		return Warned("streams end without [DONE]")
	}
	return Passed("%s, whole", plural(n, "stream"))
}

// answeredWhole reports whether any request that was not streamed was answered.
func (in *Input) answeredWhole() bool {
	for _, a := range in.answers(func(_ string, s *Shot) bool { return !s.Request.Stream }) {
		if a.x.OK() {
			return true
		}
	}
	return false
}

// judgeStreamEqual compares the stream with the whole answer, and with a
// second whole answer where they differ: servers need not repeat themselves.
func judgeStreamEqual(in *Input) Outcome {
	whole, stream, again := in.Shot(probeKnowledge, capital), in.Shot(probeStream, "stream"), in.Shot(probeStream, "again")
	if whole == nil || stream == nil || !whole.Exchange.OK() || !stream.Exchange.OK() {
		return in.unanswered(probeStream, "stream")
	}
	second := in.Shot(probeStream, "stream_again")
	w, s := textOf(whole), textOf(stream)
	switch {
	case sameText(whole, stream):
		return Passed("the same to the letter")
	case again == nil || !again.Exchange.OK() || second == nil || !second.Exchange.OK():
		return Unsure("they differ, and the question could not be asked again")
	case sameText(again, whole) && sameText(second, whole):
		return Warned("one of two streams differs from the whole answer: a server that is busy may choose otherwise at a near-tie")
	case sameText(again, whole):
		return Failed(Degrades, "the whole answer is %s twice, and as a stream %s", quote(w), quote(s)).
			With(exhibitOf(probeStream, stream), exhibitOf(probeKnowledge, whole))
	case sameText(again, stream):
		return Warned("the first answer differs from the two after it: a cold and a warm cache may give different text")
	}
	return Unsure("the server does not repeat itself at temperature 0: three answers, three texts")
}

// sameText compares content and reasoning, without the white space around
// them, which servers trim in one form and not in the other.
func sameText(a, b *Shot) bool {
	parts := func(s *Shot) (content, reasoning string) {
		if textOf(s) == "" {
			return "", ""
		}
		c := s.Exchange.Answer.Choices[0]
		if c.Content != nil {
			content = strings.TrimSpace(*c.Content)
		}
		if c.Reasoning != nil {
			reasoning = strings.TrimSpace(*c.Reasoning)
		}
		return content, reasoning
	}
	ac, ar := parts(a)
	bc, br := parts(b)
	return ac == bc && ar == br
}

func judgeLogprobsGiven(in *Input) Outcome {
	if s := in.Shot(probeOpen, "prime_plain"); s != nil {
		refusal := in.Shot(probeOpen, "prime")
		if raw := in.Shot(probeOpen, "prime_raw"); raw != nil {
			refusal = raw
		}
		return Failed(Note, "requests with log-probabilities are refused: %s", refusal.Exchange.Fail.Message).With(exhibitOf(probeOpen, refusal))
	}
	asked, given := 0, 0
	var first answer
	for _, a := range in.scoredAnswers() {
		if a.x.Fail != nil || a.tokens == 0 {
			continue
		}
		asked++
		if len(a.choice.Logprobs) > 0 {
			given++
		} else if first.shot == nil {
			first = a
		}
	}
	switch {
	case asked == 0:
		if !in.Server.Caps.Logprobs && in.ConnectFail == nil {
			return NotAsked("%s gives no log-probabilities", in.Server.Engine.Title())
		}
		return in.unanswered(probeOpen, "")
	case given == 0:
		return Failed(Note, "none came in %s that asked for them", plural(asked, "answer")).With(first.exhibit())
	case given < asked:
		return Failed(Note, "%d of %d answers came without them", asked-given, asked).With(first.exhibit())
	}
	return Passed("in all of %s", plural(given, "answer"))
}

func judgeBadRequest(in *Input) Outcome {
	s := in.Shot(probeBad, "type")
	if s == nil || s.Exchange.Status == 0 {
		return in.unanswered(probeBad, "type")
	}
	switch x := s.Exchange; {
	case x.Status >= 500:
		return Failed(Degrades, `a temperature of "hot" is answered with HTTP %d, as if the server were at fault: clients will retry`, x.Status).With(exhibitOf(probeBad, s))
	case x.Status >= 400:
		return Passed(`a temperature of "hot" gets HTTP %d`, x.Status)
	}
	return Warned(`a temperature of "hot" is accepted (HTTP %d)`, s.Exchange.Status).With(exhibitOf(probeBad, s))
}

func judgeMarkup(in *Input) Outcome {
	if in.Server.NoTemplate {
		return NotAsked("the model has no chat template")
	}
	as := in.free()
	if len(as) == 0 {
		return in.noAnswers()
	}
	for _, a := range as {
		for i := range in.Know.Markup {
			if m := in.Know.Markup[i].Find(a.text); m != "" {
				return Failed(Degrades, "an answer shows %s (%s): the end of a turn is not recognised, or special tokens are not removed", m, in.Know.Markup[i].Means).
					With(around(a.probe, a.shot, m))
			}
		}
	}
	return Passed("none in %s", plural(len(as), "answer"))
}

// judgeReasoningSplit finds reasoning inside content, and answers that ended
// by themselves with all their text in the reasoning channel.
func judgeReasoningSplit(in *Input) Outcome {
	if in.Server.NoTemplate {
		return NotAsked("the model has no chat template")
	}
	as := in.free()
	if len(as) == 0 {
		return in.noAnswers()
	}
	reasoned, ranOut := 0, 0
	for _, a := range as {
		for i := range in.Know.Thinking {
			if m := in.Know.Thinking[i].Find(a.content); m != "" {
				return Failed(Degrades, "%s stands in the content: no reasoning parser, or another model's", m).With(around(a.probe, a.shot, m))
			}
		}
		if a.choice.Reasoning == nil || strings.TrimSpace(*a.choice.Reasoning) == "" {
			continue
		}
		reasoned++
		if strings.TrimSpace(a.content) != "" || len(a.choice.ToolCalls) > 0 || a.x.Fail != nil {
			continue
		}
		if a.choice.FinishReason != nil && *a.choice.FinishReason == "stop" && len(a.shot.Request.Stop) == 0 {
			return Failed(Degrades, "an answer ended by itself with all of its text in %s and none in content: the parser takes the answer for reasoning",
				orDefault(a.choice.ReasoningField, "the reasoning channel")).With(a.exhibit())
		}
		ranOut++
	}
	switch {
	case reasoned == 0:
		return Passed("no reasoning, and none in the content")
	case ranOut == reasoned:
		return Unsure("in all of %s the tokens ran out inside the reasoning", plural(reasoned, "answer"))
	}
	return Passed("apart in %s", plural(reasoned-ranOut, "answer"))
}

func orDefault(s, d string) string {
	if s == "" {
		return d
	}
	return s
}

// failedShot is how the standard checks of single shots treat requests that
// were refused or failed.
func (in *Input) failedShot(probe string, s *Shot, what string) (Outcome, bool) {
	x := s.Exchange
	switch {
	case x.Fail == nil:
		return Outcome{}, false
	case x.Status >= 500:
		return Failed(Degrades, "%s is answered with an error of the server (HTTP %d: %s)", what, x.Status, x.Fail.Message).With(exhibitOf(probe, s)), true
	case x.Status >= 400:
		return Warned("%s is refused (HTTP %d: %s)", what, x.Status, cut(x.Fail.Message, 160)), true
	}
	return Unsure("%s got no answer that could be judged: %s", what, x.Fail.Message), true
}

// choicesOf returns a shot's answers, or the outcome that stands for it.
func (in *Input) choicesOf(probe, label, what string) ([]answer, *Shot, *Outcome) {
	s := in.Shot(probe, label)
	if s == nil {
		o := in.unanswered(probe, label)
		return nil, nil, &o
	}
	if o, failed := in.failedShot(probe, s, what); failed {
		return nil, s, &o
	}
	as := answersOf(probe, s)
	if len(as) == 0 {
		o := Unsure("%s got an answer without choices", what)
		return nil, s, &o
	}
	return as, s, nil
}
