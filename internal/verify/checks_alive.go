package verify

import (
	"fmt"
	"net/http"
	"sort"
	"strings"
	"time"

	"kilter/internal/dialect"
)

// aliveChecks ask whether there is a server to judge, and which.
func aliveChecks() []*Check {
	return []*Check{
		{
			ID: "alive.reachable", Question: "Does a server answer at this URL, with this API?",
			Ceiling: Note, Essential: true, Probes: []string{probeOpen}, Judge: judgeReachable,
		},
		{
			ID: "alive.completes", Question: "Does a plain request get a whole answer?",
			Ceiling: Wrongs, Essential: true, Probes: []string{probeOpen}, Judge: judgeCompletes,
		},
		{
			ID: "alive.model_listed", Question: "Is the model that was asked for among those listed?",
			Ceiling: Note, Probes: []string{probeOpen}, Judge: judgeModelListed,
		},
		{
			ID: "alive.engine", Question: "Is it known which engine answers, and in which version?",
			Ceiling: Note, Probes: []string{probeOpen}, Judge: judgeEngine,
		},
		{
			ID: "alive.responsive", Question: "Do all answers come within their time?",
			Ceiling: Degrades, DependsOn: []string{"alive.completes"}, Probes: freeProbes, Judge: judgeResponsive,
		},
		{
			ID: "alive.one_backend", Question: "Does one and the same server stand behind the URL?",
			Ceiling: Note, Probes: freeProbes, Judge: judgeOneBackend,
		},
		{
			ID: "alive.model_echo", Question: "Do answers come from the model that was asked for?",
			Ceiling: Note, Probes: []string{probeOpen}, Judge: judgeModelEcho,
		},
		{
			ID: "alive.chat_template", Question: "Does the model bring a chat template of its own?",
			Ceiling: Note, Probes: []string{probeOpen}, Judge: judgeChatTemplate,
		},
	}
}

func judgeReachable(in *Input) Outcome {
	if f := in.ConnectFail; f != nil {
		return Unsure("%s", f.Message)
	}
	s := in.Server
	name := s.Engine.Title()
	if s.Version != "" {
		name += " " + s.Version
	}
	return Passed("%s serves %s", name, s.Model)
}

func judgeCompletes(in *Input) Outcome {
	if in.ConnectFail != nil {
		return NotAsked("no server to ask")
	}
	asked, broken := 0, []*Shot{}
	var brokenProbe string
	for oi := range in.Observations {
		o := &in.Observations[oi]
		for si := range o.Shots {
			s := &o.Shots[si]
			if !s.Free || s.Exchange == nil {
				continue
			}
			asked++
			x := s.Exchange
			if x.OK() && x.Answer != nil && len(x.Answer.Choices) > 0 {
				return Passed("a request was answered in %s", round(x.Total))
			}
			if x.Fail != nil && x.Fail.Kind == dialect.FailStatus && x.Status >= 500 && !passing(x.Status) {
				broken = append(broken, s)
				brokenProbe = o.Probe
			}
		}
	}
	switch {
	case asked == 0:
		return in.unanswered(probeOpen, "")
	case len(broken) >= 2 && len(broken) == asked:
		o := Failed(Wrongs, "every request for text fails with an error of the server (HTTP %d: %s)",
			broken[0].Exchange.Status, broken[0].Exchange.Fail.Message)
		o.Certain = true
		return o.With(exhibitOf(brokenProbe, broken[0]))
	}
	return in.noAnswers()
}

// passing reports whether a status says that a gateway found no server, or the
// server no room: that may pass, and tells nothing of the model.
func passing(status int) bool {
	switch status {
	case http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout, 529:
		return true
	}
	return false
}

func round(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(100 * time.Millisecond)
}

func judgeModelListed(in *Input) Outcome {
	if in.ConnectFail != nil {
		return NotAsked("no server to ask")
	}
	for _, m := range in.Server.Models {
		if m == in.Server.Model {
			return Passed("%s is one of %s", m, plural(len(in.Server.Models), "listed model"))
		}
	}
	if len(in.Server.Models) == 0 {
		return Warned("the server lists no models; %s was asked for all the same", in.Server.Model)
	}
	return Warned("%s is not listed (listed: %s)", in.Server.Model, cut(strings.Join(in.Server.Models, ", "), 120))
}

func judgeEngine(in *Input) Outcome {
	if in.ConnectFail != nil {
		return NotAsked("no server to ask")
	}
	s := in.Server
	switch {
	case s.Engine == dialect.OpenAI:
		return Warned("no endpoint of a known engine answers; judged as any OpenAI-compatible server")
	case s.Version == "":
		return Warned("%s, which does not tell its version", s.Engine.Title())
	}
	return Passed("%s %s", s.Engine.Title(), s.Version)
}

// judgeResponsive tells a slow server from a dead one, and a stream that
// stalls from one that breaks.
func judgeResponsive(in *Input) Outcome {
	asked := 0
	var late []string
	var shots []Exhibit
	for oi := range in.Observations {
		o := &in.Observations[oi]
		for si := range o.Shots {
			s := &o.Shots[si]
			if s.Exchange == nil || !generates(s.Request.Op) || o.Probe == probeAgainst {
				continue
			}
			asked++
			if f := s.Exchange.Fail; f != nil {
				switch f.Kind {
				case dialect.FailTimeout, dialect.FailHang, dialect.FailTooSlow:
					late = append(late, f.Message)
					shots = append(shots, Exhibit{Probe: o.Probe, Shot: s.Label, Text: f.Message})
				}
			}
		}
	}
	switch {
	case asked == 0:
		return in.unanswered(probeOpen, "")
	case len(late) == 0:
		return Passed("%s, none late", plural(asked, "request"))
	case in.Stopped != "" && !strings.HasPrefix(in.Stopped, stoppedCertain):
		// The run ended because of it: nothing was judged that could be.
		return Unsure("%s", late[0]).With(shots...)
	}
	return Failed(Degrades, "%d of %d requests got no answer in time (%s)", len(late), asked, late[0]).With(shots...)
}

func judgeOneBackend(in *Input) Outcome {
	if in.ConnectFail != nil {
		return NotAsked("no server to ask")
	}
	prints, servers := map[string]bool{}, map[string]bool{}
	n := 0
	for _, a := range in.answers(func(string, *Shot) bool { return true }) {
		n++
		if f := a.x.Answer.Fingerprint; f != "" {
			prints[f] = true
		}
		for _, h := range []string{"x-served-by", "x-backend", "x-upstream", "x-pod-name", "x-instance-id", "x-server-id"} {
			if v := a.x.Header[h]; v != "" {
				servers[h+": "+v] = true
			}
		}
	}
	if n == 0 {
		return in.unanswered(probeOpen, "")
	}
	switch {
	case len(servers) > 1:
		return Warned("answers name %d backends (%s): the verdict is of their mix; verify each on its own",
			len(servers), cut(strings.Join(keys(servers), ", "), 160))
	case len(prints) > 1:
		return Warned("answers carry %d system fingerprints (%s): more than one backend, or one that was restarted; verify each on its own",
			len(prints), cut(strings.Join(keys(prints), ", "), 120))
	case len(in.Server.Gateway) > 0:
		return Warned("something stands in front of the engine (%s): the verdict is of what it passes on",
			cut(strings.Join(in.Server.Gateway, ", "), 160))
	}
	return Passed("nothing tells of a gateway or of a second backend")
}

func keys(m map[string]bool) []string {
	out := make([]string, 0, len(m))
	for k := range m {
		out = append(out, k)
	}
	sort.Strings(out)
	return out
}

func judgeModelEcho(in *Input) Outcome {
	names := map[string]bool{}
	var first Exhibit
	for _, a := range in.answers(func(string, *Shot) bool { return true }) {
		name := a.x.Answer.Model
		if name == "" || sameModel(name, in.Server.Model) {
			names[in.Server.Model] = true
			continue
		}
		if !names[name] {
			first = around(a.probe, a.shot, name)
		}
		names[name] = true
	}
	switch {
	case len(names) == 0:
		return in.unanswered(probeOpen, "")
	case len(names) > 1 || !names[in.Server.Model]:
		delete(names, in.Server.Model)
		return Failed(Note, "asked for %s, answered by %s", in.Server.Model, strings.Join(keys(names), " and ")).With(first)
	}
	return Passed("all answers name %s", in.Server.Model)
}

// sameModel allows for the forms in which servers write one model's name.
func sameModel(a, b string) bool {
	norm := func(s string) string {
		s = strings.ToLower(strings.TrimSuffix(s, ":latest"))
		return s[strings.LastIndexByte(s, '/')+1:]
	}
	return norm(a) == norm(b)
}

func judgeChatTemplate(in *Input) Outcome {
	if in.ConnectFail != nil {
		return NotAsked("no server to ask")
	}
	if in.Server.NoTemplate {
		return Warned("the model has none, and the server makes one up: judged by plain completions; chat answers of this server say nothing")
	}
	return Passed("chat requests are judged as clients send them")
}

// speedOf collects what streams tell of speed.
func speedOf(rec *Record) Speed {
	var sp Speed
	in := &Input{Record: rec}
	for _, a := range in.answers(func(string, *Shot) bool { return true }) {
		if a.x.Stream == nil || a.x.Fail != nil || a.x.Stream.Cancelled || a.x.First <= 0 {
			continue
		}
		sp.TTFT = append(sp.TTFT, a.x.First.Seconds())
		after := (a.x.Total - a.x.First).Seconds()
		if a.tokens >= 8 && after > 0 {
			sp.Decode = append(sp.Decode, float64(a.tokens-1)/after)
		}
	}
	return sp
}

// limitsOf names what no verdict of this version covers, where it is met.
func limitsOf(rec *Record) []string {
	var out []string
	for _, f := range rec.Server.Facts {
		value := fmt.Sprint(f.Value)
		switch f.What {
		case "engine.props.modalities": // llama.cpp: {"vision":true,"audio":false}
			inputs, _ := f.Value.(map[string]any)
			for _, kind := range []string{"vision", "audio"} {
				if inputs[kind] == true {
					out = append(out, kind+" inputs are not judged")
				}
			}
		case "model.capabilities": // ollama
			if strings.Contains(value, "vision") {
				out = append(out, "vision inputs are not judged")
			}
		case "model.has_image_understanding": // SGLang
			if value == "true" {
				out = append(out, "vision inputs are not judged")
			}
		case "engine.flags.enable_lora":
			if value == "true" {
				out = append(out, "LoRA adapters are not judged")
			}
		case "model.parent":
			if value != "" && value != "null" {
				out = append(out, "the model is an adapter of "+value+", and is judged as any model")
			}
		case "engine.flags.nnodes":
			if value != "0" && value != "1" {
				out = append(out, "serving over "+value+" nodes is judged only as a whole")
			}
		}
	}
	return out
}
