package report_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"kilter/internal/dialect"
	"kilter/internal/evidence"
	"kilter/internal/verify"
)

// Reports built by hand, one for each shape that a reader can meet. They do not
// follow the real list of checks, which may grow without changing an encoder.

// shape names a report.
type shape struct {
	name string
	rep  *verify.Report
}

func shapes() []shape {
	return []shape{
		{"healthy", healthy()},
		{"token_zero", tokenZero()},
		{"nan_happened", nanHappened()},
		{"degraded", degraded()},
		{"unreachable", unreachable()},
		{"narrowed", narrowed()},
		{"baseline", baseline()},
	}
}

var start = time.Date(2026, 11, 29, 3, 15, 2, 0, time.UTC)

// declared are the checks of these reports: id, question, ceiling.
var declared = []struct {
	id, question string
	ceiling      verify.Effect
}{
	{"alive.reachable", "Does something answer at this URL?", verify.Wrongs},
	{"alive.model", "Does the server list the model that was asked for?", verify.Wrongs},
	{"alive.engine", "Is the engine known?", verify.Note},
	{"alive.one_backend", "Does one backend answer, or several?", verify.Note},
	{"text.token_zero", "Is the text something else than token 0 over and over?", verify.Wrongs},
	{"text.nan_marker", "Are all token ids inside the vocabulary?", verify.Wrongs},
	{"text.empty", "Do tokens that were paid for show up as text?", verify.Wrongs},
	{"text.one_token_loop", "Is the text free of one token repeated without end?", verify.Degrades},
	{"text.ngram_loop", "Is the text free of a phrase repeated without end?", verify.Note},
	{"text.salad", "Is the text ordinary prose, not tokens at random?", verify.Wrongs},
	{"text.utf8", "Is the text valid UTF-8?", verify.Degrades},
	{"text.never_stops", "Does a short answer end by itself?", verify.Degrades},
	{"numbers.present", "Are log-probabilities numbers?", verify.Wrongs},
	{"numbers.sum", "Do probabilities sum to at most 1?", verify.Wrongs},
	{"numbers.argmax", "Is the chosen token the most likely one at temperature 0?", verify.Degrades},
	{"numbers.perplexity", "Is plain English as likely as it should be?", verify.Wrongs},
	{"knowledge.arithmetic", "Can the model add?", verify.Degrades},
	{"knowledge.capitals", "Does the model know capitals?", verify.Degrades},
	{"knowledge.python", "Does the model's prime check work when run?", verify.Degrades},
	{"knowledge.battery", "Does the model answer as many questions as its size allows?", verify.Degrades},
	{"contract.finish_reason", "Is finish_reason what happened?", verify.Degrades},
	{"contract.usage", "Does usage add up?", verify.Degrades},
	{"contract.stop", "Do stop strings stop?", verify.Degrades},
	{"contract.stream", "Is the streamed answer the same?", verify.Degrades},
	{"contract.tool_call", "Is a tool call schema-valid?", verify.Degrades},
	{"contract.bad_request", "Does a bad request get a 4xx?", verify.Degrades},
	{"contract.n", "Does n > 1 give n answers?", verify.Degrades},
	{"compare.same", "Is the second server the same?", verify.Note},
	{"reference.agreement", "Does the server agree with its weights?", verify.Wrongs},
}

// build makes a consistent report in which every check passes but those in o.
func build(srv dialect.Server, o map[string]verify.Outcome) *verify.Report {
	rep := &verify.Report{
		Schema: verify.ReportSchema, Run: "20261129-031502-4f2a", Kilter: "0.1.0",
		Started: start, Ended: start.Add(9800 * time.Millisecond),
		Server: srv, Level: verify.Smoke, Verdict: verify.Consistent,
		Counts: map[verify.Status]int{},
		Envelope: verify.Envelope{
			Axes: []verify.Axis{
				{Name: "prompt length", Tried: "21 to 320 tokens", Missing: "long prompts"},
				{Name: "output length", Tried: "1 to 200 tokens", Missing: "outputs of 4096 tokens and more"},
				{Name: "concurrency", Tried: "one request at a time", Missing: "many requests at once"},
				{Name: "prefix cache", Missing: "cold and warm, told apart"},
				{Name: "sampling", Tried: "temperature 0 and 1"},
				{Name: "delivery", Tried: "whole and streamed"},
				{Name: "log-probabilities", Tried: "with and without"},
				{Name: "reference", Missing: "the model's own weights"},
			},
			Prefill: true, Decode: true, InFlight: 1, LongestOut: 200,
		},
		Cost:  verify.Cost{Requests: 18, Generations: 12, PromptTokens: 1204, OutputTokens: 388},
		Speed: verify.Speed{TTFT: []float64{0.112, 0.121, 0.119}, Decode: []float64{34.1, 33.7, 35.2}},
	}
	for _, d := range declared {
		res := verify.Result{Check: d.id, Question: d.question, Ceiling: d.ceiling, Kind: verify.Declared, Outcome: verify.Passed("as it should be")}
		switch d.id {
		case "compare.same":
			res.Outcome = verify.NotAsked("no second server was given (--against)")
		case "reference.agreement":
			res.Kind = verify.Sequential
			res.Outcome = verify.NotAsked("no reference was given")
		case "contract.tool_call", "contract.n", "numbers.perplexity":
			res.Outcome = verify.NotAsked("needs --level standard")
		}
		if out, ok := o[d.id]; ok {
			res.Outcome = out
		}
		rep.Results = append(rep.Results, res)
		rep.Counts[res.Status]++
	}
	judged := rep.Counts[verify.Pass] + rep.Counts[verify.Warn] + rep.Counts[verify.Fail]
	rep.Reason = fmt.Sprintf("%d of %d checks could be judged, and none found a fault", judged, len(rep.Results))
	return rep
}

// because marks a failed check as the consequence of another.
func because(rep *verify.Report, cause string, ids ...string) {
	for i := range rep.Results {
		for _, id := range ids {
			if rep.Results[i].Check == id {
				rep.Results[i].Because = cause
				rep.Results[i].Depends = []string{cause}
			}
		}
	}
}

func smolLM() dialect.Server {
	return dialect.Server{
		URL: "http://127.0.0.1:8080", Engine: dialect.LlamaCPP, Version: "b11434",
		Model: "SmolLM2-135M-Instruct-Q4_1", Models: []string{"SmolLM2-135M-Instruct-Q4_1"},
		Quantization: "Q4_1", MaxContext: 8192, VocabSize: 49152, Params: 134515008, ParamsFrom: "/props",
		Caps: dialect.Caps{Completion: true, TokenPrompt: true, Logprobs: true, StepLogprobs: true, Tokenize: true, CountChat: true, Load: true, MaxTop: 20},
		Facts: []evidence.Fact{
			{What: "engine.version", Value: "b11434", Source: "GET /props", Command: "curl http://127.0.0.1:8080/props", Time: start},
			{What: "kernel.fp4_gemm", Source: "GET /props", Time: start, Absent: true},
		},
	}
}

func qwen() dialect.Server {
	return dialect.Server{
		URL: "http://10.0.0.7:30000", Engine: dialect.SGLang, Version: "0.5.9",
		Model: "nvidia/Qwen3.5-397B-A17B-NVFP4", ModelPath: "/models/Qwen3.5-397B-A17B-NVFP4",
		Quantization: "modelopt_fp4", MaxContext: 262144, Params: 397e9, ParamsFrom: "name",
	}
}

func healthy() *verify.Report {
	return build(smolLM(), map[string]verify.Outcome{
		"knowledge.arithmetic": verify.Unsure("the answer ran out of tokens inside reasoning"),
		"knowledge.battery":    verify.Warned("3 of 8 right: weak, as so small a model may be"),
	})
}

// tokenZero is the incident's first answer.
func tokenZero() *verify.Report {
	failed := func(e verify.Effect, says string) verify.Outcome { return verify.Failed(e, "%s", says) }
	first := failed(verify.Wrongs, `all 16 tokens of the first answer are token id 0 ("!"), the arg-max of a row of NaN`).With(verify.Exhibit{
		Probe: "gross", Shot: "prime",
		Text: `{"id":"d9c5","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":null,"reasoning_content":"` +
			strings.Repeat("!", 16) + `","tool_calls":null},"logprobs":null,"finish_reason":"length","matched_stop":null}],"usage":{"prompt_tokens":21,"total_tokens":37,"completion_tokens":16}}`,
	})
	first.Certain = true
	o := map[string]verify.Outcome{
		"text.token_zero":      first,
		"text.one_token_loop":  failed(verify.Degrades, "one token 16 times in a row"),
		"text.empty":           failed(verify.Wrongs, "no text of 16 tokens"),
		"knowledge.python":     failed(verify.Degrades, "there is no function in the answer"),
		"contract.usage":       verify.Passed("21 + 16 = 37"),
		"alive.one_backend":    verify.Unsure("one answer tells nothing"),
		"numbers.present":      verify.Unsure("no log-probabilities came"),
		"text.nan_marker":      verify.Passed("finish_reason and matched_stop name no NaN"),
		"knowledge.capitals":   verify.NotAsked("the run ended early"),
		"knowledge.arithmetic": verify.NotAsked("the run ended early"),
		"knowledge.battery":    verify.NotAsked("the run ended early"),
		"contract.stop":        verify.NotAsked("the run ended early"),
	}
	rep := build(qwen(), o)
	because(rep, "text.token_zero", "text.one_token_loop", "text.empty", "knowledge.python")
	rep.Verdict, rep.Cause, rep.Reason, rep.Certain = verify.Wrong, "text.token_zero", first.Says, true
	rep.Stopped = "certain garbage: nothing more could change the verdict"
	rep.Ended = start.Add(1200 * time.Millisecond)
	rep.Cost = verify.Cost{Requests: 5, Generations: 1, PromptTokens: 21, OutputTokens: 16}
	rep.Speed = verify.Speed{}
	rep.Limits = []string{"whether each of the 8 ranks is sound: one answer is the mix of all"}
	return rep
}

// nanHappened is its second.
func nanHappened() *verify.Report {
	first := verify.Failed(verify.Wrongs, `the server says "NaN happened": it sampled a token id outside of the vocabulary`).With(verify.Exhibit{
		Probe: "gross", Shot: "prime",
		Text: `{"choices":[{"index":0,"message":{"content":null,"reasoning_content":""},"finish_reason":"stop","matched_stop":"NaN happened"}]}`,
	})
	rep := build(qwen(), map[string]verify.Outcome{"text.nan_marker": first})
	rep.Verdict, rep.Cause, rep.Reason = verify.Wrong, "text.nan_marker", first.Says
	return rep
}

func degraded() *verify.Report {
	usage := verify.Failed(verify.Degrades, "usage does not add up: 21 + 16 is not 40").With(verify.Exhibit{
		Probe: "contract", Shot: "short", Text: `"usage":{"prompt_tokens":21,"completion_tokens":16,"total_tokens":40}`,
	})
	srv := smolLM()
	srv.Gateway = []string{"header Via: 1.1 litellm"}
	rep := build(srv, map[string]verify.Outcome{
		"contract.usage":         usage,
		"contract.finish_reason": verify.Failed(verify.Degrades, `finish_reason is "stop" where max_tokens ended the answer`),
		"contract.stop":          verify.Failed(verify.Degrades, "the stop string is part of the answer"),
		"contract.stream":        verify.Failed(verify.Degrades, "the streamed answer ends with another finish_reason"),
		"text.ngram_loop":        verify.Failed(verify.Note, `"the the" 14 times`),
		"knowledge.battery":      verify.Warned("5 of 8 right"),
	})
	because(rep, "contract.finish_reason", "contract.stream", "contract.stop")
	rep.Verdict, rep.Cause, rep.Reason = verify.Degraded, "contract.usage", usage.Says
	rep.Limits = []string{"vision inputs"}
	return rep
}

func unreachable() *verify.Report {
	o := map[string]verify.Outcome{}
	for _, d := range declared {
		o[d.id] = verify.NotAsked("no server was recognised")
	}
	o["alive.reachable"] = verify.Unsure("connection refused at 127.0.0.1:8080: nothing listens there")
	rep := build(dialect.Server{URL: "http://127.0.0.1:8080"}, o)
	rep.Verdict, rep.Cause, rep.Reason = verify.VerdictInconclusive, "alive.reachable", o["alive.reachable"].Says
	rep.Run = ""
	rep.Envelope = verify.Envelope{}
	rep.Cost = verify.Cost{Requests: 1}
	rep.Speed = verify.Speed{}
	rep.Ended = rep.Started.Add(3 * time.Millisecond)
	return rep
}

func narrowed() *verify.Report {
	o := map[string]verify.Outcome{}
	for _, d := range declared {
		if !strings.HasPrefix(d.id, "text.") || d.id == "text.salad" {
			o[d.id] = verify.NotAsked("not selected")
		}
	}
	rep := build(smolLM(), o)
	rep.Selection = verify.Selection{Only: []string{"text.*"}, Skip: []string{"text.salad"}}
	rep.Narrowed = true
	rep.Reason += " (narrowed by --only or --skip)"
	return rep
}

func baseline() *verify.Report {
	rep := healthy()
	rep.Verdict = verify.Proven
	rep.Reason = "agrees with the oracle on /models/smollm2 in 512 positions"
	rep.Baseline = &verify.BaselineDiff{
		Run: "20261128-221907-0b11", Started: "2026-11-28T22:19:07Z", Verdict: verify.Consistent,
		Server:    []string{"version: b11400 -> b11434"},
		Checks:    []verify.StatusChange{{Check: "knowledge.battery", Was: verify.Pass, Is: verify.Warn}},
		SameTexts: 5, OtherTexts: 1,
		TTFT:   &verify.SpeedChange{Was: 0.119, Is: 0.152, Ratio: 1.277, Low: 1.12, High: 1.46},
		Decode: &verify.SpeedChange{Was: 34.4, Is: 34.1, Ratio: 0.991, Low: 0.95, High: 1.04},
	}
	return rep
}

// hostile holds, in every string that a server can fill, what must not reach a
// terminal or break a format, and numbers that JSON has no words for.
func hostile(s string) *verify.Report {
	srv := qwen()
	srv.URL, srv.Version, srv.Model, srv.Gateway = "http://h/"+s, s, s, []string{s}
	first := verify.Failed(verify.Wrongs, "%s", s).With(verify.Exhibit{Probe: s, Shot: s, Text: s})
	first.Numbers = map[string]float64{"nan": math.NaN(), "inf": math.Inf(1), "one": 1}
	rep := build(srv, map[string]verify.Outcome{
		"text.token_zero":  first,
		"text.nan_marker":  verify.Failed(verify.Wrongs, "%s", s).With(verify.Exhibit{Text: s}),
		"text.utf8":        verify.Failed(verify.Note, "%s", s),
		"text.salad":       verify.Warned("%s", s),
		"numbers.present":  verify.Unsure("%s", s),
		"numbers.sum":      verify.NotAsked("%s", s),
		"contract.usage":   verify.Failed(verify.Degrades, "%s", s),
		"knowledge.python": verify.Failed(verify.Degrades, "%s", s),
	})
	because(rep, "text.token_zero", "knowledge.python")
	rep.Verdict, rep.Cause, rep.Reason, rep.Stopped, rep.Limits = verify.Wrong, "text.token_zero", s, s, []string{s}
	rep.Speed = verify.Speed{TTFT: []float64{math.NaN(), math.Inf(1)}, Decode: []float64{math.NaN(), 3}}
	rep.Baseline = &verify.BaselineDiff{Run: s, Started: s, Verdict: verify.Wrong, Server: []string{s},
		TTFT: &verify.SpeedChange{Ratio: math.Inf(1)}, Decode: &verify.SpeedChange{Ratio: math.NaN()}}
	return rep
}

// nasty is a collection of what servers have sent or could.
var nasty = strings.Join([]string{
	"\x1b[2J\x1b[H[ok] CONSISTENT", "\x1b]0;title\x07", "\u009b31m", "a\r\nb\n[ok] PROVEN", "\x00\x08\x7f",
	"\xff\xfe\x80 bad", "\u202egnol\u202c", "\ufffe\uffff\ufeff", "界界界", "]]>&lt;\"'\\", "\t", "👩‍👩‍👧", "{}[]",
}, " ")

// pages stands for docs/checks.
func pages(t testing.TB) func(string) (string, bool) {
	return func(id string) (string, bool) {
		b, err := os.ReadFile("testdata/pages/" + id + ".md")
		if os.IsNotExist(err) {
			return "", false
		}
		if err != nil {
			t.Fatal(err)
		}
		return string(b), true
	}
}

// plainJSON decodes into a generic value, as a reader in another language does.
func plainJSON(t testing.TB, b []byte) any {
	t.Helper()
	var v any
	if err := json.Unmarshal(b, &v); err != nil {
		t.Fatalf("not JSON: %v\n%s", err, b)
	}
	return v
}
