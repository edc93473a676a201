package verify

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"kilter/internal/dialect"
	"kilter/internal/evidence"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func options(t *testing.T) Options {
	return Options{ID: "r", Checks: Checks(), Know: knowledge(t)}
}

func judged(t *testing.T, rec *Record) *Report {
	return Judge(rec, rec.Selection, Checks(), knowledge(t))
}

// Certain garbage ends the run: at the first answer where the engine itself
// names a NaN, at the second where only the text shows it.
func TestCertainGarbageEndsTheRun(t *testing.T) {
	for _, tc := range []struct {
		name     string
		answer   func(int, dialect.Request) dialect.Exchange
		requests int
		cause    string
	}{
		{"NaN happened", func(int, dialect.Request) dialect.Exchange { return nanAnswer() }, 1, "text.nan_marker"},
		{"!!!!!!!!", func(int, dialect.Request) dialect.Exchange { return says("!!!!!!!!") }, 2, "text.token_zero"},
		{"HTTP 500", func(int, dialect.Request) dialect.Exchange { return fails(dialect.FailStatus, 500) }, 2, "alive.completes"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			f := &fakeAsker{server: fakeServer(), answer: tc.answer}
			rec := Run(context.Background(), f, options(t))
			rep := judged(t, rec)
			n, tokens := f.generated()
			if rep.Verdict != Wrong || rep.Cause != tc.cause || n != tc.requests || tokens > 16 {
				t.Errorf("%s by %s after %d requests and at most %d tokens; want wrong by %s after %d and 16",
					rep.Verdict, rep.Cause, n, tokens, tc.cause, tc.requests)
			}
			if !strings.HasPrefix(rec.Stopped, stoppedCertain) {
				t.Errorf("stopped: %q", rec.Stopped)
			}
		})
	}
}

// A server that goes away in the middle is inconclusive, never wrong, and is
// not asked again and again.
func TestServerThatGoesAway(t *testing.T) {
	f := &fakeAsker{server: fakeServer(), answer: func(n int, _ dialect.Request) dialect.Exchange {
		if n <= 1 {
			return says("Here is a function.")
		}
		return fails(dialect.FailRefused, 0)
	}}
	rec := Run(context.Background(), f, options(t))
	if rep := judged(t, rec); rep.Verdict == Wrong {
		t.Errorf("verdict %s by %s", rep.Verdict, rep.Cause)
	}
	if n, _ := f.generated(); n != 1+maxDeaf {
		t.Errorf("%d requests, want %d", n, 1+maxDeaf)
	}
	if !strings.Contains(rec.Stopped, "no longer answers") {
		t.Errorf("stopped: %q", rec.Stopped)
	}
}

// A server that never answers is inconclusive.
func TestServerThatHangs(t *testing.T) {
	f := &fakeAsker{server: fakeServer(), answer: func(int, dialect.Request) dialect.Exchange { return fails(dialect.FailHang, 200) }}
	rep := judged(t, Run(context.Background(), f, options(t)))
	if rep.Verdict != VerdictInconclusive {
		t.Errorf("verdict %s by %s: %s", rep.Verdict, rep.Cause, rep.Reason)
	}
}

// The token budget is never overdrawn: what does not fit is left out and says so.
func TestBudgetIsKept(t *testing.T) {
	for _, budget := range []int{1, 100, 300, 500} {
		f := &fakeAsker{server: fakeServer(), answer: func(_ int, r dialect.Request) dialect.Exchange {
			x := says(strings.Repeat("word ", 2))
			x.Answer.Usage.Completion = ptr(r.MaxTokens) // as dear as can be
			x.Answer.Usage.Total = ptr(9 + r.MaxTokens)
			return x
		}}
		o := options(t)
		o.BudgetTokens = budget
		rec := Run(context.Background(), f, o)
		if spent := rec.Cost.PromptTokens + rec.Cost.OutputTokens; spent > budget {
			t.Errorf("budget %d: %d tokens spent", budget, spent)
		}
		left := 0
		for _, ob := range rec.Observations {
			for _, s := range ob.Shots {
				if strings.Contains(s.Skipped, "--budget-tokens") {
					left++
				}
			}
		}
		if left == 0 {
			t.Errorf("budget %d: nothing says that it was left out", budget)
		}
		if budget == 1 {
			if rep := judged(t, rec); rep.Verdict != VerdictInconclusive {
				t.Errorf("nothing was asked, and the verdict is %s", rep.Verdict)
			}
		}
	}
}

// The deadline and an interrupt end the run, with what was seen until then.
func TestDeadlineAndInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(int, dialect.Request) dialect.Exchange {
			time.Sleep(4 * time.Second)
			return says("An answer.")
		}
		f := &fakeAsker{server: fakeServer(), answer: slow}
		o := options(t)
		o.Deadline = 10 * time.Second
		rec := Run(context.Background(), f, o)
		if n, _ := f.generated(); n != 3 || !strings.Contains(rec.Stopped, "deadline of 10s") {
			t.Errorf("%d requests, stopped: %q", n, rec.Stopped)
		}

		ctx, cancel := context.WithCancel(context.Background())
		f = &fakeAsker{server: fakeServer(), answer: func(n int, r dialect.Request) dialect.Exchange {
			if n == 2 {
				cancel()
			}
			return slow(n, r)
		}}
		rec = Run(ctx, f, options(t))
		if n, _ := f.generated(); n != 2 || rec.Stopped != "interrupted" {
			t.Errorf("%d requests, stopped: %q", n, rec.Stopped)
		}
	})
}

// While others' requests are queued, the run holds back, for so long and no
// longer; while they merely run, it leaves a pause.
func TestPoliteGuest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fakeAsker{server: fakeServer(), answer: func(int, dialect.Request) dialect.Exchange { return says("An answer.") }}
		f.server.Caps.Load = true
		f.load = func() *dialect.Load { return &dialect.Load{Running: 8, Waiting: 4} }
		rec := Run(context.Background(), f, options(t))
		if rec.Waits < maxWait || rec.Waits > maxWait+time.Second {
			t.Errorf("waited %s, want about %s", rec.Waits, maxWait)
		}
		if rec.Observation(probeLoad) == nil {
			t.Error("the load is not kept as an observation")
		}

		f.seen, f.n = nil, 0
		f.load = func() *dialect.Load { return &dialect.Load{Running: 1} }
		rec = Run(context.Background(), f, options(t))
		if rec.Waits == 0 || rec.Waits > maxWait {
			t.Errorf("waited %s", rec.Waits)
		}

		f.seen, f.n = nil, 0
		f.load = func() *dialect.Load { return &dialect.Load{} }
		rec = Run(context.Background(), f, options(t))
		if rec.Waits != 0 {
			t.Errorf("waited %s for an idle server", rec.Waits)
		}
	})
}

// Only what the selected checks read is asked.
func TestSelectionSavesRequests(t *testing.T) {
	f := &fakeAsker{server: fakeServer(), answer: func(int, dialect.Request) dialect.Exchange { return says("An answer.") }}
	o := options(t)
	o.Selection = Selection{Only: []string{"contract.bad_request"}}
	Run(context.Background(), f, o)
	if n, _ := f.generated(); n != 1 {
		t.Errorf("%d requests for one check that needs one", n)
	}
}

// A healthy smoke run stays under twenty requests, what recognition takes included.
func TestSmokeIsSmall(t *testing.T) {
	f := &fakeAsker{server: fakeServer(), answer: func(n int, _ dialect.Request) dialect.Exchange {
		return says("An answer, number " + strings.Repeat("i", n))
	}}
	f.server.Caps = dialect.Caps{Logprobs: true, Load: true, Tokenize: true, CountChat: true, ThinkingSwitch: true}
	f.load = func() *dialect.Load { return &dialect.Load{} }
	rec := Run(context.Background(), f, options(t))
	const recognition = 3 // SGLang: /v1/models, /server_info, /model_info
	// These answers differ from shot to shot, so the question of the stream is asked twice more.
	if n := rec.Cost.Requests + recognition - 2; n >= 20 {
		t.Errorf("%d requests", n)
	}
}

// A model whose template the server made up is judged by plain completions.
func TestModelWithoutChatTemplate(t *testing.T) {
	f := &fakeAsker{server: fakeServer(), answer: func(int, dialect.Request) dialect.Exchange { return says(" 5, 6, 7,") }}
	f.server.Facts = []evidence.Fact{{What: "model.chat_template", Value: knowledge(t).FallbackTemplates[0].Text}}
	rec := Run(context.Background(), f, options(t))
	for _, r := range f.seen {
		if r.Op == dialect.OpChat {
			t.Fatalf("a chat was asked: %v", r.Messages)
		}
	}
	if rep := judged(t, rec); rep.Results == nil || !rec.Server.NoTemplate {
		t.Error("the record does not say that there is no template")
	}

	// vLLM refuses chats then.
	f = &fakeAsker{server: fakeServer(), answer: func(_ int, r dialect.Request) dialect.Exchange {
		if r.Op == dialect.OpChat {
			x := fails(dialect.FailStatus, 400)
			x.Fail.Message = "As of transformers v4.44, default chat template is no longer allowed"
			return x
		}
		return says(" 5, 6, 7,")
	}}
	f.server.Caps.Completion = true
	rec = Run(context.Background(), f, options(t))
	chats := 0
	for _, r := range f.seen {
		if r.Op == dialect.OpChat {
			chats++
		}
	}
	if chats != 1 || !rec.Server.NoTemplate {
		t.Errorf("%d chats were asked of a server that refuses them", chats)
	}
}

// A model that reasons although it was asked not to gets room for it.
func TestReasoningGetsRoom(t *testing.T) {
	f := &fakeAsker{server: fakeServer(), answer: func(_ int, r dialect.Request) dialect.Exchange {
		x := says("")
		x.Answer.Choices[0].Content, x.Answer.Choices[0].Reasoning = nil, ptr("Let me think.")
		return x
	}}
	Run(context.Background(), f, options(t))
	if r := f.seen[len(f.seen)-1]; r.MaxTokens < thinkingRoom {
		t.Errorf("the last request leaves %d tokens", r.MaxTokens)
	}
}

type fakeReference struct {
	score func(seqs [][]int) ([][]Position, error)
}

func (fakeReference) Name() string { return "a reference" }

func (r fakeReference) Score(_ context.Context, seqs [][]int) ([][]Position, error) {
	return r.score(seqs)
}

// The reference decides: agreement passes, another model's choices are wrong,
// and a reference that fails or near-ties alone decide nothing.
func TestReference(t *testing.T) {
	const n = 96
	ids := make([]int, n)
	for i := range ids {
		ids[i] = i + 100
	}
	server := func(argmax func(pos int) int) *fakeAsker {
		f := &fakeAsker{server: fakeServer(), answer: func(_ int, r dialect.Request) dialect.Exchange {
			switch r.Op {
			case dialect.OpTokenize:
				return dialect.Exchange{Status: 200, Tokens: ids, Count: n}
			case dialect.OpScore:
				x := dialect.Exchange{Status: 200}
				for i := 1; i < len(r.Tokens); i++ {
					x.Scores = append(x.Scores, dialect.Score{Pos: i, ID: r.Tokens[i], Logprob: dialect.Num(-1),
						Top: []dialect.TopLogprob{{ID: ptr(argmax(i)), Logprob: dialect.Num(-0.5)}}})
				}
				return x
			}
			return says("An answer.")
		}}
		f.server.Caps = dialect.Caps{Tokenize: true, PromptLogprobs: true}
		return f
	}
	reference := func(margin float64) fakeReference {
		return fakeReference{score: func(seqs [][]int) ([][]Position, error) {
			out := make([]Position, len(seqs[0]))
			for i := range out {
				out[i] = Position{Logprob: -1.01, ArgMax: i, Margin: margin}
			}
			return [][]Position{out}, nil
		}}
	}
	same := func(i int) int { return i }
	for _, tc := range []struct {
		name   string
		argmax func(int) int
		ref    fakeReference
		want   Status
	}{
		{"agrees", same, reference(2), Pass},
		{"another model", func(i int) int { return i + 1 }, reference(2), Fail},
		{"only near-ties", func(i int) int { return i + 1 }, reference(0.01), Inconclusive},
		{"the reference fails", same, fakeReference{score: func([][]int) ([][]Position, error) { return nil, errors.New("no such file") }}, Inconclusive},
		{"the reference is short", same, fakeReference{score: func([][]int) ([][]Position, error) { return [][]Position{{}}, nil }}, Inconclusive},
	} {
		t.Run(tc.name, func(t *testing.T) {
			o := options(t)
			o.Reference = tc.ref
			o.Selection = Selection{Only: []string{"reference.*"}}
			rep := judged(t, Run(context.Background(), server(tc.argmax), o))
			res, _ := rep.Result("reference.agreement")
			if res.Status != tc.want {
				t.Errorf("%s: %s (%s), want %s", tc.name, res.Status, res.Says, tc.want)
			}
			if rep.Verdict == Proven {
				t.Error("proven in an envelope of one request at a time")
			}
		})
	}
}

// The incident's first answer from a server that gives no log-probabilities:
// two requests of eight tokens decide, although the text comes as reasoning.
func TestTokenZeroAsReasoning(t *testing.T) {
	f := &fakeAsker{server: fakeServer(), answer: func(int, dialect.Request) dialect.Exchange {
		x := says("")
		c := &x.Answer.Choices[0]
		c.Content, c.Reasoning, c.FinishReason = nil, ptr("!!!!!!!!"), ptr("length")
		x.Answer.Usage.Completion = ptr(8)
		return x
	}}
	rep := judged(t, Run(context.Background(), f, options(t)))
	n, tokens := f.generated()
	if rep.Cause != "text.token_zero" || n != 2 || tokens != 16 {
		t.Errorf("%s by %s after %d requests of %d tokens", rep.Verdict, rep.Cause, n, tokens)
	}
}

// What another server says in a comparison never counts against this one.
func TestOtherServerConvictsNobody(t *testing.T) {
	healthy := &fakeAsker{server: fakeServer(), answer: func(n int, _ dialect.Request) dialect.Exchange {
		return says("The sea is wide and it is blue, number " + strings.Repeat("i", n%7))
	}}
	o := options(t)
	o.Against = &fakeAsker{server: fakeServer(), answer: func(int, dialect.Request) dialect.Exchange { return nanAnswer() }}
	o.Selection = Selection{Only: []string{"text.nan_marker", "contract.*", "compare.*"}}
	rep := judged(t, Run(context.Background(), healthy, o))
	if res, _ := rep.Result("text.nan_marker"); res.Status == Fail {
		t.Errorf("the other server's answer counts: %s", res.Says)
	}
}

// A server that limits how often it is asked is not asked on and on, and is
// inconclusive.
func TestRateLimit(t *testing.T) {
	f := &fakeAsker{server: fakeServer(), answer: func(n int, _ dialect.Request) dialect.Exchange {
		if n <= 4 {
			return says(strings.Repeat("x", n) + " it.")
		}
		return fails(dialect.FailStatus, 429)
	}}
	rep := judged(t, Run(context.Background(), f, options(t)))
	if n, _ := f.generated(); n != 4+maxDeaf || rep.Verdict != VerdictInconclusive || !strings.Contains(rep.Reason, "429") {
		t.Errorf("%s after %d requests: %s", rep.Verdict, n, rep.Reason)
	}
}

// A budget that leaves most of the questions out leaves the verdict open.
func TestTinyBudgetIsNoPass(t *testing.T) {
	f := &fakeAsker{server: fakeServer(), answer: func(int, dialect.Request) dialect.Exchange { return says("Hello.") }}
	o := options(t)
	o.BudgetTokens = 40
	rep := judged(t, Run(context.Background(), f, o))
	if rep.Verdict != VerdictInconclusive || !strings.Contains(rep.Reason, "--budget-tokens") {
		t.Errorf("%s: %s", rep.Verdict, rep.Reason)
	}
}
