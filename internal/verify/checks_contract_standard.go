package verify

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// standardContract are the parts of the contract that cost requests of their own.
func standardContract() []*Check {
	garbage := []string{"text.nan_marker", "text.token_zero"}
	return []*Check{
		{
			ID: "contract.logit_bias", Question: "Does a token that is forced by logit_bias come?",
			Ceiling: Degrades, DependsOn: garbage, Level: Standard, Probes: []string{probeBias}, Judge: judgeBias,
		},
		{
			ID: "contract.n", Question: "Do two answers come when two are asked for?",
			Ceiling: Degrades, Level: Standard, Probes: []string{probeChoices}, Judge: judgeChoices,
		},
		{
			ID: "contract.json_schema", Question: "Does an answer keep to a JSON schema?",
			Ceiling: Degrades, DependsOn: garbage, Level: Standard, Probes: []string{probeSchema}, Judge: judgeSchema,
		},
		{
			ID: "contract.tool_call", Question: "Does a required tool call come, with arguments that fit?",
			Ceiling: Degrades, DependsOn: append([]string{"contract.tool_markup"}, garbage...), Level: Standard, Probes: []string{probeTool},
			Judge: func(in *Input) Outcome { return judgeTool(in, "whole") },
		},
		{
			ID: "contract.tool_stream", Question: "Does the tool call come as well in a stream?",
			Ceiling: Degrades, DependsOn: append([]string{"contract.tool_call", "contract.tool_markup", "contract.stream_frames"}, garbage...),
			Level: Standard, Probes: []string{probeTool},
			Judge: func(in *Input) Outcome { return judgeTool(in, "stream") },
		},
		{
			ID: "contract.tool_markup", Question: "Is no markup of a tool call left in the content?",
			Ceiling: Degrades, DependsOn: garbage, Level: Standard, Probes: []string{probeTool}, Judge: judgeToolMarkup,
		},
		{
			ID: "contract.system_prompt", Question: "Does the system prompt reach the model?",
			Ceiling: Degrades, DependsOn: append([]string{"knowledge.battery", "text.constant"}, garbage...), Level: Standard, Probes: []string{probeSystem}, Judge: judgeSystem,
		},
		{
			ID: "contract.cancel", Question: "Does a request that is left free its slot?",
			Ceiling: Degrades, Level: Standard, Probes: []string{probeCancel}, Judge: judgeCancel,
		},
	}
}

func judgeBias(in *Input) Outcome {
	if s := in.Shot(probeBias, "ids"); s != nil && s.Exchange.Fail == nil && len(s.Exchange.Tokens) != 1 {
		return NotAsked("%q is not one token in this vocabulary", biasText)
	}
	as, s, o := in.choicesOf(probeBias, "forced", "a request with logit_bias")
	if o != nil {
		return *o
	}
	got := strings.TrimSpace(as[0].text)
	want := strings.Repeat(biasText, max(as[0].tokens, 1))
	if squeeze(got) == want || squeeze(got) == biasText+biasText+biasText+biasText {
		return Passed("%s tokens forced, %s came", fmt.Sprint(as[0].tokens), quote(got))
	}
	if strings.Contains(squeeze(got), biasText) && strings.Trim(squeeze(got), biasText) == "" {
		return Passed("%s came", quote(got))
	}
	return Failed(Degrades, "%q was forced by its token id, and %s came: logit_bias is ignored, or token ids are not what they seem", biasText, quote(got)).
		With(exhibitOf(probeBias, s))
}

func squeeze(s string) string { return strings.Join(strings.Fields(s), "") }

func judgeChoices(in *Input) Outcome {
	as, s, o := in.choicesOf(probeChoices, "two", "a request with n = 2")
	if o != nil {
		return *o
	}
	if len(as) != 2 {
		return Failed(Degrades, "%s came where 2 were asked for: n is ignored", plural(len(as), "answer")).With(exhibitOf(probeChoices, s))
	}
	if as[0].choice.Index == as[1].choice.Index {
		return Failed(Degrades, "two answers came with the same index").With(exhibitOf(probeChoices, s))
	}
	return Passed("two came")
}

func judgeSchema(in *Input) Outcome {
	as, s, o := in.choicesOf(probeSchema, "city", "a request with a JSON schema")
	if o != nil {
		return *o
	}
	a := as[0]
	text := strings.TrimSpace(a.content)
	if a.cutShort {
		return Unsure("the answer was cut at %d tokens", a.tokens)
	}
	if text == "" && a.text != "" {
		return Unsure("all text is in the reasoning channel")
	}
	var got struct {
		City       *string      `json:"city"`
		Population *json.Number `json:"population"`
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&got); err != nil || got.City == nil || got.Population == nil || !whole(*got.Population) || dec.More() {
		return Failed(Degrades, "the answer %s does not keep to the schema that was given", quote(text)).With(exhibitOf(probeSchema, s))
	}
	return Passed("%s", quote(text))
}

// whole reports whether n is an integer as JSON Schema understands it: 1e6 is one.
func whole(n json.Number) bool {
	f, err := n.Float64()
	return err == nil && f == math.Trunc(f)
}

func judgeTool(in *Input, label string) Outcome {
	as, s, o := in.choicesOf(probeTool, label, "a request with a required tool")
	if o != nil {
		return *o
	}
	a := as[0]
	if len(a.choice.ToolCalls) == 0 {
		if a.cutShort {
			return Unsure("the answer was cut at %d tokens, before a call", a.tokens)
		}
		if a.choice.FinishReason != nil && *a.choice.FinishReason == "stop" && strings.TrimSpace(a.content) != "" {
			return Failed(Degrades, "the call was required, and text came: %s", quote(a.content)).With(exhibitOf(probeTool, s))
		}
		return Failed(Degrades, "the call was required, and none came").With(exhibitOf(probeTool, s))
	}
	call := a.choice.ToolCalls[0]
	if call.Name != toolName {
		return Failed(Degrades, "the call names %s, and the only tool is %s", quote(call.Name), toolName).With(exhibitOf(probeTool, s))
	}
	var args map[string]json.RawMessage
	if err := json.Unmarshal([]byte(call.Arguments), &args); err != nil {
		if a.cutShort {
			return Unsure("the answer was cut at %d tokens, inside the call", a.tokens)
		}
		return Failed(Degrades, "the call's arguments are no JSON: %s", quote(call.Arguments)).With(exhibitOf(probeTool, s))
	}
	var city, unit string
	if err := json.Unmarshal(args["city"], &city); err != nil {
		return Failed(Degrades, "the call's arguments %s lack the required member city", quote(call.Arguments)).With(exhibitOf(probeTool, s))
	}
	if raw, ok := args["unit"]; ok {
		if err := json.Unmarshal(raw, &unit); err != nil || (unit != "celsius" && unit != "fahrenheit") {
			return Failed(Degrades, "the call's unit %s is none of those in the schema", quote(string(raw))).With(exhibitOf(probeTool, s))
		}
	}
	for k := range args {
		if k != "city" && k != "unit" {
			return Warned("the call has an argument %s that the schema does not name", quote(k))
		}
	}
	if f := a.choice.FinishReason; f != nil && *f != "tool_calls" && *f != "function_call" && *f != "stop" {
		return Warned("the call came with finish_reason %q", *f)
	}
	return Passed("%s(%s)", call.Name, cut(call.Arguments, 60))
}

func judgeToolMarkup(in *Input) Outcome {
	as := in.answers(func(p string, _ *Shot) bool { return p == probeTool })
	if len(as) == 0 {
		return in.unanswered(probeTool, "")
	}
	for _, a := range as {
		for i := range in.Know.ToolMarkup {
			if m := in.Know.ToolMarkup[i].Find(a.content); m != "" {
				return Failed(Degrades, "%s stands in the content (%s): no tool-call parser, or another model's", m, in.Know.ToolMarkup[i].Means).
					With(around(a.probe, a.shot, m))
			}
		}
	}
	return Passed("none in %s", plural(len(as), "answer"))
}

func judgeSystem(in *Input) Outcome {
	as, s, o := in.choicesOf(probeSystem, "word", "a request with a system prompt")
	if o != nil {
		return *o
	}
	a := as[0]
	switch {
	case strings.Contains(strings.ToLower(a.text), systemWord):
		return Passed("the answer knows what only the system prompt says")
	case a.cutShort && strings.TrimSpace(a.content) == "" && a.text != "":
		return Unsure("the model was still reasoning when its tokens ran out")
	case in.small() || in.Server.Params == 0:
		return Warned("the answer %s does not hold what the system prompt says; the model may be too small to follow it", quote(a.text)).With(exhibitOf(probeSystem, s))
	}
	return Failed(Degrades, "the answer %s does not hold what only the system prompt says", quote(a.text)).With(exhibitOf(probeSystem, s))
}

func judgeCancel(in *Input) Outcome {
	left := in.Shot(probeCancel, "left")
	if left == nil {
		return in.unanswered(probeCancel, "left")
	}
	if left.Exchange.Stream == nil || !left.Exchange.Stream.Cancelled {
		return Unsure("the answer ended before it could be left")
	}
	after, s, o := in.choicesOf(probeCancel, "after", "a request right after one that was left")
	if o != nil {
		if o.Status == Warn {
			return Unsure("%s", o.Says)
		}
		return *o
	}
	_ = after
	obs := in.Observation(probeCancel)
	last := &obs.Shots[len(obs.Shots)-1]
	if !strings.HasPrefix(last.Label, "load_") || last.Label == "load_before" || last.Exchange == nil || last.Exchange.Load == nil {
		return Passed("the next request is answered in %s", round(s.Exchange.Total))
	}
	if l := last.Exchange.Load; l.Running > 0 {
		if before := in.Shot(probeCancel, "load_before"); before == nil || before.Exchange.Load == nil || before.Exchange.Load.Running > 0 {
			return Unsure("requests still run, perhaps those of others")
		}
		return Failed(Degrades, "%s still run%s a few seconds after the client left (%s)", plural(l.Running, "request"), map[bool]string{true: "s", false: ""}[l.Running == 1], l.Source).
			With(exhibitOf(probeCancel, last))
	}
	return Passed("the slot is free again, and the next request is answered in %s", round(s.Exchange.Total))
}
