package verify

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"kilter/internal/catalog"
	"kilter/internal/dialect"
)

func knowledge(t testing.TB) *catalog.Verify {
	t.Helper()
	k, err := catalog.LoadVerify()
	if err != nil {
		t.Fatal(err)
	}
	return k
}

// said is a check that always ends in o.
func said(id string, ceiling Effect, o Outcome, depends ...string) *Check {
	return &Check{ID: id, Question: "?", Ceiling: ceiling, DependsOn: depends, Judge: func(*Input) Outcome { return o }}
}

func essential(c *Check) *Check { c.Essential = true; return c }

// The rules by which outcomes become a verdict, one by one.
func TestVerdictRules(t *testing.T) {
	pass, warn := Passed("p"), Warned("w")
	for _, tc := range []struct {
		name   string
		checks []*Check
		sel    Selection
		want   Word
		cause  string
	}{
		{"all pass", []*Check{said("a.a", Wrongs, pass), said("a.b", Wrongs, pass)}, Selection{}, Consistent, ""},
		{"a warning changes nothing", []*Check{said("a.a", Wrongs, warn)}, Selection{}, Consistent, ""},
		{"a note changes nothing", []*Check{said("a.a", Wrongs, pass), said("a.n", Note, Failed(Note, "n"))}, Selection{}, Consistent, ""},
		{"wrong beats degraded", []*Check{said("a.d", Degrades, Failed(Degrades, "d")), said("a.w", Wrongs, Failed(Wrongs, "w"))}, Selection{}, Wrong, "a.w"},
		{"degraded", []*Check{said("a.a", Wrongs, pass), said("a.d", Wrongs, Failed(Degrades, "d"))}, Selection{}, Degraded, "a.d"},
		{"the ceiling holds", []*Check{said("a.d", Degrades, Failed(Wrongs, "d"))}, Selection{}, Degraded, "a.d"},
		{"a loop alone is never wrong", []*Check{said("text.loop", Degrades, Failed(Wrongs, "d"))}, Selection{}, Degraded, "text.loop"},
		{"a fault stands although something essential is open",
			[]*Check{essential(said("a.e", Wrongs, Unsure("e"))), said("a.d", Wrongs, Failed(Degrades, "d"))}, Selection{}, Degraded, "a.d"},
		{"essential and open", []*Check{essential(said("a.e", Wrongs, Unsure("e"))), said("a.a", Wrongs, pass)}, Selection{}, VerdictInconclusive, "a.e"},
		{"essential and skipped", []*Check{essential(said("a.e", Wrongs, NotAsked("e"))), said("a.a", Wrongs, pass)}, Selection{}, VerdictInconclusive, "a.e"},
		{"essential but not selected", []*Check{essential(said("a.e", Wrongs, Unsure("e"))), said("b.a", Wrongs, pass)}, Selection{Only: []string{"b.*"}}, Consistent, ""},
		{"nothing judged", []*Check{said("a.a", Wrongs, NotAsked("s")), said("a.b", Wrongs, Unsure("u"))}, Selection{}, VerdictInconclusive, ""},
		{"nothing wrong until it was interrupted", []*Check{said("a.a", Wrongs, pass)}, Selection{Skip: []string{"interrupted"}}, VerdictInconclusive, ""},
		{"all left out", []*Check{said("a.a", Wrongs, pass)}, Selection{Skip: []string{"*"}}, VerdictInconclusive, ""},
		{"a reference that agrees in a small envelope is not proven",
			[]*Check{said("reference.agreement", Wrongs, pass)}, Selection{}, Consistent, ""},
		{"a reference that disagrees", []*Check{said("reference.agreement", Wrongs, Failed(Wrongs, "r"))}, Selection{}, Wrong, "reference.agreement"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			rec := &Record{}
			if slices.Equal(tc.sel.Skip, []string{"interrupted"}) {
				rec.Stopped = "interrupted"
			}
			rep := Judge(rec, tc.sel, tc.checks, knowledge(t))
			if rep.Verdict != tc.want || rep.Cause != tc.cause {
				t.Errorf("verdict %s by %q, want %s by %q (%s)", rep.Verdict, rep.Cause, tc.want, tc.cause, rep.Reason)
			}
			if rep.Reason == "" {
				t.Error("no reason is given")
			}
		})
	}
}

// Consequences hide under their first cause, through checks that passed too.
func TestConsequencesHideUnderTheirCause(t *testing.T) {
	checks := []*Check{
		said("a.root", Wrongs, Failed(Wrongs, "root")),
		said("a.mid", Wrongs, Passed("fine"), "a.root"),
		said("a.leaf", Wrongs, Failed(Wrongs, "leaf"), "a.mid"),
		said("a.other", Wrongs, Failed(Wrongs, "other")),
		said("a.deep", Degrades, Failed(Degrades, "deep"), "a.leaf"),
	}
	rep := Judge(&Record{}, Selection{}, checks, knowledge(t))
	got := map[string]string{}
	for _, r := range rep.Results {
		got[r.Check] = r.Because
	}
	want := map[string]string{"a.root": "", "a.mid": "", "a.leaf": "a.root", "a.other": "", "a.deep": "a.root"}
	for id, because := range want {
		if got[id] != because {
			t.Errorf("%s is because of %q, want %q", id, got[id], because)
		}
	}
	if f := rep.Failures(); len(f) != 2 || rep.Cause != "a.root" {
		t.Errorf("%d failures of their own, cause %s", len(f), rep.Cause)
	}
}

// A failure hides no heavier one, whatever the ceilings say.
func TestLighterFailureHidesNothing(t *testing.T) {
	checks := []*Check{
		said("a.light", Wrongs, Failed(Degrades, "one answer")),
		said("a.heavy", Wrongs, Failed(Wrongs, "all answers"), "a.light"),
	}
	if rep := Judge(&Record{}, Selection{}, checks, knowledge(t)); rep.Verdict != Wrong || rep.Cause != "a.heavy" {
		t.Errorf("%s by %s", rep.Verdict, rep.Cause)
	}
}

// What is not selected or belongs to a higher level is skipped, with the reason.
func TestSelectionAndLevel(t *testing.T) {
	high := said("b.high", Wrongs, Passed("p"))
	high.Level = Standard
	checks := []*Check{said("a.a", Wrongs, Passed("p")), said("a.b", Wrongs, Passed("p")), high}
	rep := Judge(&Record{Level: Smoke}, Selection{Only: []string{"a.*"}, Skip: []string{"a.b"}}, checks, knowledge(t))
	want := []Status{Pass, Skipped, Skipped}
	for i, r := range rep.Results {
		if r.Status != want[i] {
			t.Errorf("%s: %s, want %s (%s)", r.Check, r.Status, want[i], r.Says)
		}
	}
	if !rep.Narrowed {
		t.Error("the report does not say that it is narrowed")
	}
	if err := (Selection{Only: []string{"zz.*"}}).Validate(checks); err == nil {
		t.Error("a pattern that matches nothing was taken")
	}
	if err := (Selection{Skip: []string{"[a"}}).Validate(checks); err == nil {
		t.Error("a malformed pattern was taken")
	}
}

// The declarations of the real checks hold together.
func TestDeclarations(t *testing.T) {
	checks := Checks()
	if len(checks) < 40 {
		t.Errorf("%d checks, want at least 40", len(checks))
	}
	known := map[string]bool{}
	for _, p := range probes() {
		if known[p.ID] {
			t.Errorf("probe %s is declared twice", p.ID)
		}
		known[p.ID] = true
	}
	byID := map[string]*Check{}
	shape := regexp.MustCompile(`^[a-z]+\.[a-z0-9_]+$`)
	for _, c := range checks {
		switch {
		case !shape.MatchString(c.ID):
			t.Errorf("id %q: want group.name", c.ID)
		case byID[c.ID] != nil:
			t.Errorf("%s is declared twice", c.ID)
		case c.Question == "" || c.Question[len(c.Question)-1] != '?':
			t.Errorf("%s: question %q", c.ID, c.Question)
		case c.Ceiling < Note || c.Ceiling > Wrongs:
			t.Errorf("%s declares no ceiling", c.ID)
		case len(c.Probes) == 0:
			t.Errorf("%s reads no probe", c.ID)
		case c.Judge == nil:
			t.Errorf("%s can't judge", c.ID)
		}
		byID[c.ID] = c
		for _, p := range c.Probes {
			if !known[p] {
				t.Errorf("%s reads probe %s, which does not exist", c.ID, p)
			}
		}
	}
	for _, c := range checks {
		for _, d := range c.DependsOn {
			switch {
			case byID[d] == nil:
				t.Errorf("%s depends on %s, which does not exist", c.ID, d)
			case byID[d].Ceiling < c.Ceiling:
				t.Errorf("%s (%s) depends on %s, which weighs less (%s) and would hide it", c.ID, c.Ceiling, d, byID[d].Ceiling)
			}
		}
		// Following dependencies must end.
		var walk func(id string, path []string)
		walk = func(id string, path []string) {
			if slices.Contains(path, id) {
				t.Fatalf("dependencies run in a circle: %v", append(path, id))
			}
			for _, d := range byID[id].DependsOn {
				walk(d, append(path, id))
			}
		}
		walk(c.ID, nil)
	}
}

// Every limit that the code asks for is in the catalogue, and every one there
// is asked for.
func TestLimitsAreUsed(t *testing.T) {
	files, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	used := map[string]bool{}
	asks := regexp.MustCompile(`Know\.Limit\("([a-z_]+)"\)`)
	for _, f := range files {
		src, err := os.ReadFile(f.Name())
		if err != nil {
			continue
		}
		for _, m := range asks.FindAllStringSubmatch(string(src), -1) {
			used[m[1]] = true
		}
	}
	k := knowledge(t)
	for name := range used {
		if _, ok := k.Limits[name]; !ok {
			t.Errorf("the catalogue has no limit %s", name)
		}
	}
	for name := range k.Limits {
		if !used[name] {
			t.Errorf("nothing uses the limit %s", name)
		}
	}
}

// Judging is pure and never panics, whatever a record holds: it is read from a
// disk, and was written by a server.
func TestJudgeTakesAnyRecord(t *testing.T) {
	k := knowledge(t)
	probeIDs := []string{}
	for _, p := range probes() {
		probeIDs = append(probeIDs, p.ID)
	}
	labels := []string{"prime", "sky", "capital", "count", "json", "stream", "again", "words_a", "words_b", "words_c", "prose", "text", "chat",
		"type", "word", "ids", "forced", "two", "city", "whole", "square", "left", "after", "load_0", "plain", "a.ids", "b.ids", "a.score", "b.score", "a.sample.0.1"}
	rapid.Check(t, func(rt *rapid.T) {
		number := rapid.Custom(func(rt *rapid.T) dialect.Number {
			return rapid.SampledFrom([]dialect.Number{{}, {Kind: dialect.Null}, {Kind: dialect.NaN}, dialect.Num(-0.5), dialect.Num(1), {Kind: dialect.NegInf}, {Kind: dialect.PosInf}}).Draw(rt, "number")
		})
		text := rapid.SampledFrom([]string{"", "!!!!!!!!", "Paris.", "def is_prime(n):\n  return n", "{\"name\": \"kilter\", \"ok\": true}", "\uFFFD\uFFFDx", "а б в г д", ", , , , , , , , , ,", "<think>x", "<tool_call>"})
		rec := &Record{Level: Level(rapid.IntRange(0, 2).Draw(rt, "level"))}
		rec.Server.Params = rapid.SampledFrom([]float64{0, 135e6, 397e9}).Draw(rt, "params")
		rec.Server.Caps = dialect.Caps{Logprobs: rapid.Bool().Draw(rt, "lp"), Tokenize: rapid.Bool().Draw(rt, "tok"), StepLogprobs: true, CountChat: true}
		rec.Server.NoTemplate = rapid.Bool().Draw(rt, "raw")
		if rapid.Bool().Draw(rt, "against") {
			rec.Against = &dialect.Server{Caps: rec.Server.Caps}
		}
		for range rapid.IntRange(0, 12).Draw(rt, "observations") {
			o := Observation{Probe: rapid.SampledFrom(probeIDs).Draw(rt, "probe")}
			for range rapid.IntRange(0, 4).Draw(rt, "shots") {
				s := Shot{Label: rapid.SampledFrom(labels).Draw(rt, "label"), Free: rapid.Bool().Draw(rt, "free"), Prose: rapid.Bool().Draw(rt, "prose")}
				s.Request.MaxTokens = rapid.IntRange(0, 64).Draw(rt, "max")
				s.Request.Logprobs = rapid.Bool().Draw(rt, "logprobs")
				s.Request.Stream = rapid.Bool().Draw(rt, "stream")
				s.Request.Temperature = rapid.SampledFrom([]*float64{nil, ptr(0.0), ptr(1.0)}).Draw(rt, "temperature")
				if rapid.Bool().Draw(rt, "sent") {
					x := &dialect.Exchange{Status: rapid.SampledFrom([]int{0, 200, 400, 500}).Draw(rt, "status"), Tokens: []int{1, 2}, Count: 3}
					if rapid.Bool().Draw(rt, "failed") {
						x.Fail = &dialect.Failure{Kind: rapid.SampledFrom([]dialect.FailKind{dialect.FailClosed, dialect.FailHang, dialect.FailStatus, dialect.FailRefused}).Draw(rt, "kind"), Message: "m"}
					}
					if s.Request.Stream {
						x.Stream = &dialect.StreamInfo{Events: 3, Malformed: rapid.IntRange(0, 1).Draw(rt, "malformed")}
					}
					if rapid.Bool().Draw(rt, "answered") {
						x.Answer = &dialect.Answer{BareNaN: rapid.Bool().Draw(rt, "nan")}
						for range rapid.IntRange(0, 2).Draw(rt, "choices") {
							c := dialect.Choice{}
							if rapid.Bool().Draw(rt, "content") {
								c.Content = ptr(text.Draw(rt, "text"))
							}
							if rapid.Bool().Draw(rt, "reasoning") {
								c.Reasoning = ptr(text.Draw(rt, "reason"))
							}
							if rapid.Bool().Draw(rt, "finish") {
								c.FinishReason = ptr(rapid.SampledFrom([]string{"stop", "length", "NaN happened", ""}).Draw(rt, "why"))
							}
							for range rapid.IntRange(0, 20).Draw(rt, "tokens") {
								c.Logprobs = append(c.Logprobs, dialect.TokenLogprob{Token: "a", Logprob: number.Draw(rt, "lp"), Top: []dialect.TopLogprob{{Token: "b", Logprob: number.Draw(rt, "top")}}})
							}
							x.Answer.Choices = append(x.Answer.Choices, c)
						}
						if rapid.Bool().Draw(rt, "usage") {
							x.Answer.Usage = &dialect.Usage{Prompt: ptr(rapid.IntRange(-1, 9).Draw(rt, "p")), Completion: ptr(rapid.IntRange(-1, 40).Draw(rt, "c"))}
						}
					}
					x.Scores = []dialect.Score{{Pos: 1, ID: 2, Logprob: number.Draw(rt, "score")}}
					s.Exchange = x
				}
				o.Shots = append(o.Shots, s)
			}
			rec.Observations = append(rec.Observations, o)
		}
		a := Judge(rec, Selection{}, Checks(), k)
		raw, err := json.Marshal(rec)
		if err != nil {
			rt.Fatal(err)
		}
		var back Record
		if err := json.Unmarshal(raw, &back); err != nil {
			rt.Fatal(err)
		}
		b := Judge(&back, Selection{}, Checks(), k)
		if a.Verdict != b.Verdict || a.Cause != b.Cause {
			rt.Fatalf("judged again from its stored form: %s by %s, at first %s by %s", b.Verdict, b.Cause, a.Verdict, a.Cause)
		}
	})
}

func TestEnvelopeProves(t *testing.T) {
	full := Envelope{Prefill: true, Decode: true, InFlight: 64, AllJudged: true, LongestOut: 4096, ColdAndWarm: true, HasReference: true}
	if m := full.Proves(); len(m) != 0 {
		t.Errorf("a full envelope lacks %v", m)
	}
	short := full
	short.LongestOut, short.OutputLimit = 1024, 1024
	if m := short.Proves(); len(m) != 0 {
		t.Errorf("the server's own limit is enough, yet %v is missing", m)
	}
	for name, change := range map[string]func(*Envelope){
		"reference": func(e *Envelope) { e.HasReference = false },
		"decode":    func(e *Envelope) { e.Decode = false },
		"in flight": func(e *Envelope) { e.InFlight = 63 },
		"judged":    func(e *Envelope) { e.AllJudged = false },
		"output":    func(e *Envelope) { e.LongestOut = 4095 },
		"cache":     func(e *Envelope) { e.ColdAndWarm = false },
	} {
		e := full
		change(&e)
		if len(e.Proves()) != 1 {
			t.Errorf("without %s: missing %v, want one thing", name, e.Proves())
		}
	}
}
