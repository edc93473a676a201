package verify

import (
	"fmt"
	"strings"

	"kilter/internal/catalog"
	"kilter/internal/dialect"
)

// An Input is all that a check may look at.
type Input struct {
	*Record
	// Know is the knowledge that judging rests on: batteries, token texts,
	// tolerances.
	Know *catalog.Verify
}

// Judge runs the selected checks over a record and adds them up to a verdict.
// It is a pure function of its arguments: the same record gives the same report.
func Judge(rec *Record, sel Selection, checks []*Check, know *catalog.Verify) *Report {
	in := &Input{Record: rec, Know: know}
	rep := &Report{
		Schema:    ReportSchema,
		Run:       rec.ID,
		Kilter:    rec.Kilter,
		Started:   rec.Started,
		Ended:     rec.Ended,
		Server:    rec.Server,
		Level:     rec.Level,
		Selection: sel,
		Narrowed:  sel.Narrowed(),
		Stopped:   rec.Stopped,
		Cost:      rec.Cost,
		Counts:    map[Status]int{},
		Envelope:  envelopeOf(rec),
		Speed:     speedOf(rec),
		Limits:    limitsOf(rec),
	}
	if rec.ConnectFail != nil {
		rep.Hint = rec.ConnectFail.Hint
	}
	failed := map[string]Effect{}
	for _, c := range checks {
		res := Result{
			Check: c.ID, Question: c.Question, Ceiling: c.Ceiling, Kind: c.Kind, Depends: c.DependsOn,
			Outcome: ask(c, in, sel),
		}
		if res.Kind == "" {
			res.Kind = Declared
		}
		if res.Status == Fail {
			failed[c.ID] = res.Effect
		}
		rep.Results = append(rep.Results, res)
		rep.Counts[res.Status]++
	}
	byID := map[string]*Check{}
	for _, c := range checks {
		byID[c.ID] = c
	}
	for i := range rep.Results {
		if rep.Results[i].Status == Fail {
			rep.Results[i].Because = cause(rep.Results[i].Check, byID, failed)
		}
	}
	decide(rep, rec, byID)
	return rep
}

// ask runs one check and holds it to its declaration.
func ask(c *Check, in *Input, sel Selection) Outcome {
	switch {
	case !sel.Holds(c.ID):
		return NotAsked("not selected")
	case c.Level > in.Level:
		return NotAsked("needs --level %s", c.Level)
	}
	o := c.Judge(in)
	if o.Status == Fail && o.Effect > c.Ceiling {
		o.Effect = c.Ceiling
	}
	if o.Status != Fail {
		o.Effect = None
	}
	for i := range o.Exhibits {
		o.Exhibits[i].Text = cut(o.Exhibits[i].Text, maxExhibit)
	}
	return o
}

// cause follows dependencies to their end and returns the failed check that a
// failure of id comes from, or "". A failure that weighs less than that of id is
// no cause of it: it would hide the heavier one.
func cause(id string, byID map[string]*Check, failed map[string]Effect) string {
	seen := map[string]bool{id: true}
	weight := failed[id]
	var root func(string) string
	root = func(id string) string {
		for _, d := range byID[id].DependsOn {
			if seen[d] || byID[d] == nil {
				continue
			}
			seen[d] = true
			if r := root(d); r != "" {
				return r
			}
			if e, ok := failed[d]; ok && e >= weight {
				return d
			}
		}
		return ""
	}
	return root(id)
}

// decide applies the rules of the package documentation.
func decide(rep *Report, rec *Record, byID map[string]*Check) {
	for _, e := range []Effect{Wrongs, Degrades} {
		for _, res := range rep.Failures() {
			if res.Effect != e {
				continue
			}
			rep.Verdict = Wrong
			if e == Degrades {
				rep.Verdict = Degraded
			}
			rep.Cause, rep.Reason, rep.Certain = res.Check, res.Says, res.Certain
			return
		}
	}
	if rep.Stopped != "" && !strings.HasPrefix(rep.Stopped, stoppedCertain) {
		// The question was not asked to its end, and what was not asked is no
		// pass.
		rep.Verdict = VerdictInconclusive
		rep.Reason = "the run did not come to its end: " + rep.Stopped
		return
	}
	if why := thin(rec); why != "" {
		rep.Verdict, rep.Reason = VerdictInconclusive, why
		return
	}
	judged := 0
	for _, res := range rep.Results {
		switch res.Status {
		case Pass, Warn, Fail:
			judged++
		}
	}
	for _, res := range rep.Results {
		if !byID[res.Check].Essential || !rep.Selection.Holds(res.Check) {
			continue
		}
		if res.Status == Inconclusive || res.Status == Skipped {
			rep.Verdict, rep.Cause, rep.Reason = VerdictInconclusive, res.Check, res.Says
			return
		}
	}
	if judged == 0 {
		rep.Verdict = VerdictInconclusive
		rep.Reason = "nothing could be judged"
		if len(rep.Results) > 0 && rep.Stopped != "" {
			rep.Reason += ": " + rep.Stopped
		}
		return
	}
	if agreed, ok := rep.Result("reference.agreement"); ok && agreed.Status == Pass && !rep.Narrowed {
		missing := rep.Envelope.Proves()
		if len(missing) == 0 {
			rep.Verdict, rep.Reason = Proven, agreed.Says
			return
		}
		rep.Verdict = Consistent
		rep.Reason = fmt.Sprintf("agrees with the reference, in a smaller envelope than proven needs (missing: %s)", strings.Join(missing, "; "))
		return
	}
	rep.Verdict = Consistent
	rep.Reason = fmt.Sprintf("%d of %d checks could be judged, and none found a fault", judged, len(rep.Results))
	if rep.Counts[Fail] > 0 {
		rep.Reason += " that weighs"
	}
	if rep.Narrowed {
		rep.Reason += " (narrowed by --only or --skip)"
	}
}

// thin says why too little of the plan was asked for any verdict but a fault:
// more than half of the requests for text were left out for the budget, or
// refused by the server for the time being.
func thin(rec *Record) string {
	answered, left, refused := 0, 0, 0
	for _, o := range rec.Observations {
		for _, s := range o.Shots {
			switch x := s.Exchange; {
			case !generates(s.Request.Op) || o.Probe == probeAgainst:
			case x == nil:
				left++
			case x.Fail != nil && x.Fail.Kind == dialect.FailStatus && (x.Status == 429 || passing(x.Status)):
				refused++
			default:
				answered++
			}
		}
	}
	switch {
	case left > answered:
		return fmt.Sprintf("too little was asked: %d of %d requests for text were left out for --budget-tokens", left, left+refused+answered)
	case refused > answered:
		return fmt.Sprintf("too little was answered: the server put off %d of %d requests for text (HTTP 429, 502, 503, 504 or 529)", refused, left+refused+answered)
	}
	return ""
}

const maxExhibit = 600

// cut shortens s to at most n bytes at a rune's border.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
