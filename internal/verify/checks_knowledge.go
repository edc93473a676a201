package verify

import (
	"encoding/json"
	"fmt"
	"strings"

	"kilter/internal/catalog"
)

// knowledgeChecks ask what every usable model knows. The single questions are
// notes; what they weigh together depends on the model's size.
func knowledgeChecks() []*Check {
	garbage := []string{"text.nan_marker", "text.token_zero", "text.empty", "text.null_channels", "text.scraps", "text.constant", "text.salad", "text.reserved_tokens"}
	one := func(id, question string, level Level, probe string) *Check {
		return &Check{
			ID: "knowledge." + id, Question: question, Ceiling: Note, Level: level,
			DependsOn: garbage, Probes: []string{probe},
			Judge: func(in *Input) Outcome { return judgeQuestion(in, probe, id) },
		}
	}
	return []*Check{
		one("arithmetic", "Does it add two numbers?", Smoke, probeKnowledge),
		one("capital", "Does it know the capital of France?", Smoke, probeKnowledge),
		one("copy", "Does it repeat a sentence?", Smoke, probeKnowledge),
		one("count", "Does it count to ten?", Smoke, probeKnowledge),
		one("json", "Does it write a small JSON object?", Smoke, probeKnowledge),
		{
			ID: "knowledge.python", Question: "Does the Python function that it writes really find primes?",
			Ceiling: Note, DependsOn: garbage, Probes: []string{probePython}, Judge: judgePython,
		},
		one("product", "Does it multiply two numbers?", Standard, probeMore),
		one("opposite", "Does it know the opposite of a word?", Standard, probeMore),
		one("spell", "Does it write a word in capital letters?", Standard, probeMore),
		one("days", "Does it know the days of the week?", Standard, probeMore),
		{
			ID: "knowledge.battery", Question: "Does it know as much as a model of its size does?",
			Ceiling: Degrades, DependsOn: append([]string{"text.loop_token", "text.loop_phrase", "text.utf8", "contract.reasoning_split"}, garbage...),
			Probes: []string{probeKnowledge, probePython, probeMore}, Judge: judgeBattery,
		},
	}
}

// judgeQuestion judges one answer of the battery. Fail means a wrong answer.
func judgeQuestion(in *Input, probe, id string) Outcome {
	s := in.Shot(probe, id)
	as := answersOf(probe, orEmpty(s))
	if len(as) == 0 {
		return in.unanswered(probe, id)
	}
	q, ok := in.Know.Question(id)
	if !ok {
		return NotAsked("the catalogue has no such question")
	}
	a := as[0]
	text := outsideThinking(in, a.content)
	if strings.TrimSpace(text) == "" && a.cutShort {
		return Unsure("the model was still reasoning when its tokens ran out")
	}
	if strings.TrimSpace(text) == "" && len(s.Request.Stop) > 0 && strings.TrimSpace(a.text) != "" {
		return Unsure("the stop string ended the reasoning")
	}
	if right(q, text, in.Server.NoTemplate) {
		return Passed("%s", quote(strings.TrimSpace(text)))
	}
	return Failed(Note, "answered %s", quote(strings.TrimSpace(text))).With(a.exhibit())
}

func orEmpty(s *Shot) *Shot {
	if s == nil {
		return &Shot{}
	}
	return s
}

// outsideThinking removes reasoning that a server without a reasoning parser
// leaves in the content.
func outsideThinking(in *Input, text string) string {
	if i := strings.LastIndex(text, "</think>"); i >= 0 {
		return text[i+len("</think>"):]
	}
	if strings.HasPrefix(strings.TrimSpace(text), "<think>") {
		return ""
	}
	return text
}

func right(q *catalog.Question, text string, raw bool) bool {
	if raw {
		return q.AcceptsRaw(text)
	}
	if len(q.JSON) > 0 {
		return jsonHas(text, q.JSON)
	}
	return q.Accepts(text)
}

// jsonHas reports whether text, perhaps inside a code fence, is a JSON object
// with the wanted members.
func jsonHas(text string, want map[string]string) bool {
	start, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	if start < 0 || end < start {
		return false
	}
	var got map[string]json.RawMessage
	if json.Unmarshal([]byte(text[start:end+1]), &got) != nil {
		return false
	}
	for k, v := range want {
		if strings.TrimSpace(string(got[k])) != v {
			return false
		}
	}
	return true
}

// judgeBattery adds the questions up and holds them against the model's size.
func judgeBattery(in *Input) Outcome {
	rightOnes, judged, asked := 0, 0, 0
	var wrongs []string
	for _, c := range knowledgeChecks() {
		if c.ID == "knowledge.battery" || c.Level > in.Level {
			continue
		}
		asked++
		switch o := c.Judge(in); o.Status {
		case Pass:
			rightOnes++
			judged++
		case Fail:
			judged++
			wrongs = append(wrongs, strings.TrimPrefix(c.ID, "knowledge."))
		}
	}
	if judged < 3 {
		return Unsure("only %d of %d questions could be judged", judged, asked)
	}
	share := float64(rightOnes) / float64(judged)
	numbers := map[string]float64{"right": float64(rightOnes), "judged": float64(judged)}
	said := fmt.Sprintf("%d of %d right", rightOnes, judged)
	if len(wrongs) > 0 {
		said += " (wrong: " + strings.Join(wrongs, ", ") + ")"
	}
	var o Outcome
	expect, ok := in.Know.ExpectFor(in.Server.Params)
	switch {
	case share <= in.Know.Limit("knowledge_floor") && !in.Server.NoTemplate:
		o = Failed(Degrades, "%s: less than the smallest healthy models know", said)
	case !ok || in.Server.Params == 0:
		o = Passed("%s; the model's size is not known, so nothing is expected", said)
		if share < 0.5 {
			o = Warned("%s; the model's size is not known: judge yourself whether that is little for it", said)
		}
	case in.Server.NoTemplate:
		o = Passed("%s; little is expected of a model without a chat template", said)
		if share < expect.WeakBelow {
			o = Warned("%s; the model is weak, or not trained to answer", said)
		}
	case share < expect.FailBelow:
		o = Failed(Degrades, "%s: far below a healthy model of %s parameters", said, human(in.Server.Params))
	case share < expect.WeakBelow:
		o = Warned("%s: weak for a model of %s parameters", said, human(in.Server.Params))
		if in.small() {
			o = Warned("%s: weak, as a model of %s parameters can be", said, human(in.Server.Params))
		}
	default:
		o = Passed("%s", said)
	}
	o.Numbers = numbers
	return o
}

// knowsNothing reports whether at least three questions of the battery could be
// judged and none was answered rightly.
func (in *Input) knowsNothing() bool {
	judged := 0
	for i := range in.Know.Battery {
		q := &in.Know.Battery[i]
		probe := probeMore
		if q.Level == Smoke.String() {
			probe = probeKnowledge
		}
		switch judgeQuestion(in, probe, q.ID).Status {
		case Pass:
			return false
		case Fail:
			judged++
		}
	}
	return judged >= 3
}

// human writes a number of parameters as people do: 135M, 8B, 397B.
func human(n float64) string {
	switch {
	case n >= 1e12:
		return fmt.Sprintf("%.3gT", n/1e12)
	case n >= 1e9:
		return fmt.Sprintf("%.3gB", n/1e9)
	}
	return fmt.Sprintf("%.3gM", n/1e6)
}
