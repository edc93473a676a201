package verify

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"kilter/internal/dialect"
)

// A session is one run in progress. It sends requests one after the other,
// keeps what came back, and knows when to stop.
type session struct {
	ctx   context.Context
	srv   Asker
	o     Options
	rec   *Record
	now   func() time.Time
	start time.Time

	obs     *Observation // that of the probe that runs
	planned int          // generating requests that are planned
	done    int

	// Learned on the way.
	raw        bool // the model has no chat template: plain completions
	thinks     bool // it reasons although it was asked not to
	noLogprobs bool // a request with log-probabilities was refused
	deaf       int  // requests in a row that got no answer
	limited    int  // requests that met the server's rate limit

	lastLoad time.Time
	busy     bool // others' requests were running when last looked
}

const (
	// How long a run holds back for others in all, and how long one pause is.
	maxWait   = 20 * time.Second
	busyPause = 250 * time.Millisecond
	loadEvery = 30 * time.Second
	// After so many requests in a row without an answer, the run ends.
	maxDeaf = 2
)

func newSession(ctx context.Context, srv Asker, o Options, rec *Record, now func() time.Time) *session {
	return &session{ctx: ctx, srv: srv, o: o, rec: rec, now: now, start: now(), raw: rec.Server.NoTemplate}
}

// runProbes runs what the selected checks need, cheapest first.
func (s *session) runProbes() {
	plan := s.plan()
	for _, p := range plan {
		s.planned += p.Generations
	}
	for _, p := range plan {
		if s.rec.Stopped != "" {
			return
		}
		s.rec.Observations = append(s.rec.Observations, Observation{Probe: p.ID})
		s.obs = &s.rec.Observations[len(s.rec.Observations)-1]
		before := s.done
		if why := p.skip(s); why != "" {
			s.obs.Skipped = why
		} else {
			p.Run(s)
			s.endIfCertain()
		}
		// What a probe left out no longer counts as to come.
		s.planned += (s.done - before) - p.Generations
	}
}

// plan returns the probes that at least one selected check of this level reads.
func (s *session) plan() []*Probe {
	need := map[string]bool{}
	for _, c := range s.o.Checks {
		if c.Level > s.o.Level || !s.o.Selection.Holds(c.ID) {
			continue
		}
		for _, p := range c.Probes {
			need[p] = true
		}
	}
	var plan []*Probe
	for _, p := range probes() {
		if need[p.ID] && p.Level <= s.o.Level {
			plan = append(plan, p)
		}
	}
	return plan
}

// A shotKind says how the answer may be judged.
type shotKind int

const (
	bound shotKind = iota // constrained, forced, bad or cancelled
	free                  // the model wrote what it wanted
	prose                 // and was asked for ordinary English
)

// ask sends one request to the server under test and keeps what came back. It
// returns the kept shot; its Exchange is nil when the run had to stop before.
func (s *session) ask(label, doing string, kind shotKind, req dialect.Request) *Shot {
	return s.askOn(s.srv, label, doing, kind, req)
}

func (s *session) askOn(srv Asker, label, doing string, kind shotKind, req dialect.Request) *Shot {
	s.obs.Shots = append(s.obs.Shots, Shot{Label: label, Free: kind >= free, Prose: kind == prose, Request: req})
	shot := &s.obs.Shots[len(s.obs.Shots)-1]
	if why := s.mayAsk(req); why != "" {
		shot.Skipped = why
		return shot
	}
	s.tell(doing, false)
	if generates(req.Op) {
		s.holdBack(doing)
	}
	ctx, cancel := s.bounded()
	x := srv.Do(ctx, req)
	cancel()
	shot.Exchange = &x
	s.account(srv == s.srv, req, &x)
	return shot
}

// mayAsk returns why the request must not be sent, or "". The reason ends the
// run, except for a request that is merely too large for what is left.
func (s *session) mayAsk(req dialect.Request) string {
	if s.rec.Stopped != "" {
		return s.rec.Stopped
	}
	if err := s.ctx.Err(); err != nil {
		s.rec.Stopped = "interrupted"
		if errors.Is(err, context.DeadlineExceeded) {
			s.rec.Stopped = "the deadline passed"
		}
		return s.rec.Stopped
	}
	if s.o.Deadline > 0 && s.now().Sub(s.start) >= s.o.Deadline {
		s.rec.Stopped = fmt.Sprintf("the deadline of %s passed", s.o.Deadline)
		return s.rec.Stopped
	}
	if s.o.BudgetTokens > 0 {
		left := s.o.BudgetTokens - s.rec.Cost.PromptTokens - s.rec.Cost.OutputTokens
		if want := estimate(req); want > left {
			return fmt.Sprintf("needs about %d tokens and %d of --budget-tokens are left", want, max(left, 0))
		}
	}
	return ""
}

// bounded returns the context of one request: the run's deadline holds inside it.
func (s *session) bounded() (context.Context, context.CancelFunc) {
	if s.o.Deadline <= 0 {
		return context.WithCancel(s.ctx)
	}
	return context.WithTimeout(s.ctx, s.o.Deadline-s.now().Sub(s.start))
}

// estimate is a cautious guess of what a request costs in tokens.
func estimate(req dialect.Request) int {
	chars := len(req.Prompt) + len(req.JSONSchema)
	for _, m := range req.Messages {
		chars += len(m.Content) + 16
	}
	for _, t := range req.Tools {
		chars += len(t.Name) + len(t.Description) + len(t.Parameters)
	}
	switch req.Op {
	case dialect.OpChat, dialect.OpCompletion:
		return chars/3 + len(req.Tokens) + req.MaxTokens*max(req.N, 1)
	case dialect.OpScore:
		return len(req.Tokens) + 1
	}
	return 0
}

func generates(op dialect.Op) bool {
	return op == dialect.OpChat || op == dialect.OpCompletion || op == dialect.OpScore
}

// account adds a finished exchange to the cost and looks whether the server
// still answers; ours is false for the other server of a comparison.
func (s *session) account(ours bool, req dialect.Request, x *dialect.Exchange) {
	if generates(req.Op) {
		s.done++
		s.rec.Cost.Generations += max(x.Requests, 1)
	}
	prompt, output := tokensOf(x)
	if req.Op == dialect.OpScore {
		prompt, output = len(req.Tokens), max(x.Requests, 1)
	}
	s.rec.Cost.PromptTokens += prompt
	s.rec.Cost.OutputTokens += output
	if !ours {
		return // what the other server does ends nothing
	}
	if x.Fail == nil {
		s.deaf = 0
		return
	}
	if x.Status == http.StatusTooManyRequests {
		s.limited++
		if s.limited >= maxDeaf && s.rec.Stopped == "" {
			s.rec.Stopped = "the server limits how often it is asked (HTTP 429)"
		}
	}
	switch x.Fail.Kind {
	case dialect.FailRefused, dialect.FailTimeout, dialect.FailHang, dialect.FailTLS, dialect.FailLoading:
		s.deaf++
		if s.deaf >= maxDeaf && s.rec.Stopped == "" {
			s.rec.Stopped = "the server no longer answers: " + x.Fail.Message
		}
	case dialect.FailCancelled:
		if s.ctx.Err() != nil && s.rec.Stopped == "" {
			s.rec.Stopped = "interrupted"
		} else if s.o.Deadline > 0 && s.now().Sub(s.start) >= s.o.Deadline && s.rec.Stopped == "" {
			s.rec.Stopped = fmt.Sprintf("the deadline of %s passed", s.o.Deadline)
		}
	}
}

// tokensOf returns how many tokens an answer took, as the server counted them
// or else as far as it can be seen.
func tokensOf(x *dialect.Exchange) (prompt, output int) {
	if x.Answer == nil {
		return 0, 0
	}
	if u := x.Answer.Usage; u != nil {
		if u.Prompt != nil {
			prompt = *u.Prompt
		}
		if u.Completion != nil {
			return prompt, *u.Completion
		}
	}
	for _, c := range x.Answer.Choices {
		output += len(c.Logprobs)
	}
	if output == 0 && x.Stream != nil {
		output = x.Stream.TextEvents
	}
	return prompt, output
}

// holdBack waits while the server has requests of others queued, and leaves
// them a pause while some run.
func (s *session) holdBack(doing string) {
	if !s.rec.Server.Caps.Load {
		return
	}
	for s.rec.Waits < maxWait && s.ctx.Err() == nil {
		if !s.lastLoad.IsZero() && s.now().Sub(s.lastLoad) < loadEvery && !s.busy {
			return
		}
		ctx, cancel := s.bounded()
		x := s.srv.Do(ctx, dialect.Request{Op: dialect.OpLoad})
		cancel()
		s.lastLoad = s.now()
		if x.Load == nil {
			s.busy = false
			return
		}
		if first := s.rec.Observation(probeLoad); first == nil {
			keep := Observation{Probe: probeLoad, Shots: []Shot{{Label: "before", Request: dialect.Request{Op: dialect.OpLoad}, Exchange: &x}}}
			// The current observation must stay the last one.
			n := len(s.rec.Observations) - 1
			s.rec.Observations = append(s.rec.Observations[:n], keep, s.rec.Observations[n])
			s.obs = &s.rec.Observations[n+1]
		}
		s.busy = x.Load.Running > 0 || x.Load.Waiting > 0
		if !s.busy {
			return
		}
		s.tell(doing, true)
		pause := busyPause
		if x.Load.Waiting > 0 {
			pause = 4 * busyPause
		}
		began := s.now()
		sleep(s.ctx, pause)
		s.rec.Waits += s.now().Sub(began)
		if x.Load.Waiting == 0 {
			return // others run, none waits: one request of ours does no harm
		}
	}
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

// endIfCertain ends the run when what was seen can't be changed by more.
func (s *session) endIfCertain() {
	if s.rec.Stopped != "" {
		return
	}
	rep := Judge(s.rec, s.o.Selection, s.o.Checks, s.o.Know)
	if rep.Certain && (rep.Verdict == Wrong || rep.Verdict == VerdictInconclusive) {
		s.rec.Stopped = stoppedCertain + rep.Cause
	}
}

// stoppedCertain begins Record.Stopped when certain garbage ended the run.
const stoppedCertain = "nothing more could change the verdict: "

func (s *session) tell(doing string, waiting bool) {
	if s.o.Progress == nil {
		return
	}
	p := Progress{Doing: doing, Done: s.done, Planned: max(s.planned, s.done+1), Elapsed: s.now().Sub(s.start), Waiting: waiting}
	if s.done > 0 && s.planned > s.done {
		p.Left = p.Elapsed / time.Duration(s.done) * time.Duration(s.planned-s.done)
	}
	s.o.Progress(p)
}

// learn notes what a free answer tells about the model.
func (s *session) learn(shot *Shot) {
	if shot.Exchange == nil || shot.Exchange.Answer == nil {
		return
	}
	if u := shot.Exchange.Answer.Usage; u != nil && u.Reasoning != nil && *u.Reasoning > 0 {
		s.thinks = true // out of sight
	}
	for _, c := range shot.Exchange.Answer.Choices {
		reasoned := c.Reasoning != nil && strings.TrimSpace(*c.Reasoning) != ""
		// All tokens spent and no text: it reasons where nobody sees it.
		spent := strings.TrimSpace(c.Text()) == "" && c.FinishReason != nil && *c.FinishReason == "length"
		opened := c.Content != nil && strings.HasPrefix(strings.TrimSpace(*c.Content), "<think>")
		if reasoned || opened || spent {
			s.thinks = true
		}
	}
}
