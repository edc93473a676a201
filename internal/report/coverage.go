package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"kilter/internal/verify"
)

// coverage writes what the verdict rests on: conditions tried and not tried,
// checks that were not asked and why, what the run cost and what it saw of speed.
func (t *text) coverage() {
	t.axes()
	if reasons := skips(t.rep); reasons != "" {
		t.fact("skipped", reasons+". "+rule)
	} else if t.rep.Counts[verify.Inconclusive] > 0 {
		t.fact("inconclusive", rule)
	}
	if t.rep.Stopped != "" {
		t.fact("ended early", brief(t.rep.Stopped, maxSays))
	}
	t.fact("not covered", brief(strings.Join(t.rep.Limits, "; "), maxSays))
	t.fact("cost", cost(t.rep))
	t.fact("speed", speed(t.rep.Speed))
}

// rule is said wherever something was not judged.
const rule = "Skipped or inconclusive never counts as a pass."

// fact writes a line behind a label, unless it is empty.
func (t *text) fact(label, says string) {
	if says != "" {
		t.para([]span{styled(dim, label)}, t.axisWidth(), say(says))
	}
}

// axes writes the envelope as a table.
func (t *text) axes() {
	axes := t.rep.Envelope.Axes
	if !slices.ContainsFunc(axes, func(a verify.Axis) bool { return a.Tried != "" }) {
		t.fact("tried", "nothing, so nothing is known of this server's answers")
		return
	}
	nameWidth, triedWidth := t.axisWidth(), len("tried")+2
	for _, a := range axes {
		triedWidth = max(triedWidth, cells(brief(a.Tried, maxName))+2)
	}
	triedWidth = min(triedWidth, (t.width-nameWidth)/2)
	row := func(name, tried, missing span) {
		t.row([]cell{{[]span{name}, nameWidth}, {[]span{tried}, triedWidth}, {[]span{missing}, 0}})
	}
	row(styled(dim, "level "+t.rep.Level.String()), styled(dim, "tried"), styled(dim, "not tried"))
	for _, a := range axes {
		tried, missing := brief(a.Tried, maxName), brief(a.Missing, maxName)
		if tried == "" && missing == "" {
			missing = "any"
		}
		row(say(safe(a.Name)), say(orDash(tried)), say(orDash(missing)))
	}
}

// axisWidth is the column of the axes' names and of the labels around them.
func (t *text) axisWidth() int {
	w := labelWidth
	for _, a := range t.rep.Envelope.Axes {
		w = max(w, cells(safe(a.Name))+2)
	}
	return min(w, t.width/3)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// skips folds the reasons of skipped checks, the most frequent first.
func skips(rep *verify.Report) string {
	count := map[string]int{}
	var reasons []string
	for _, res := range rep.Results {
		if res.Status != verify.Skipped {
			continue
		}
		if count[res.Says] == 0 {
			reasons = append(reasons, res.Says)
		}
		count[res.Says]++
	}
	slices.SortStableFunc(reasons, func(a, b string) int { return count[b] - count[a] })
	var parts []string
	for _, reason := range reasons {
		n := count[reason]
		says := brief(reason, maxName)
		if rest, ok := strings.CutPrefix(says, "needs "); ok {
			verb := "need"
			if n == 1 {
				verb = "needs"
			}
			parts = append(parts, fmt.Sprintf("%d %s %s", n, verb, rest))
			continue
		}
		if says == "not selected" {
			parts = append(parts, fmt.Sprintf("%d not selected", n))
			continue
		}
		parts = append(parts, fmt.Sprintf("%d: %s", n, says))
	}
	return strings.Join(parts, "; ")
}

// cost says what the run took.
func cost(rep *verify.Report) string {
	c := rep.Cost
	parts := []string{fmt.Sprintf("%s request%s", group3(c.Requests), plural(c.Requests))}
	if c.PromptTokens+c.OutputTokens > 0 {
		parts = append(parts, fmt.Sprintf("%s prompt + %s output tokens", group3(c.PromptTokens), group3(c.OutputTokens)))
	}
	if took := rep.Ended.Sub(rep.Started); took > 0 {
		parts = append(parts, seconds(took.Seconds()))
	}
	return strings.Join(parts, ", ")
}

// speed gives medians; a run sees too few answers for more.
func speed(s verify.Speed) string {
	var parts []string
	if ttft, ok := median(s.TTFT); ok {
		parts = append(parts, "first token "+seconds(ttft))
	}
	if rate, ok := median(s.Decode); ok {
		parts = append(parts, digits(rate)+" tokens/s")
	}
	if len(parts) == 0 {
		return ""
	}
	n := max(len(s.TTFT), len(s.Decode))
	of := fmt.Sprintf("medians of %d, one by one", n)
	if n == 1 {
		of = "one answer"
	}
	return strings.Join(parts, ", ") + " (" + of + ")"
}

// baseline says what changed since an earlier run.
func (t *text) baseline() {
	d := t.rep.Baseline
	if d == nil {
		return
	}
	t.blank()
	since := d.Started
	if at, err := time.Parse(time.RFC3339Nano, d.Started); err == nil {
		since = at.UTC().Format("2006-01-02 15:04 UTC")
	}
	verdict := "still " + string(d.Verdict)
	if d.Verdict != t.rep.Verdict {
		verdict = fmt.Sprintf("%s -> %s", d.Verdict, t.rep.Verdict)
	}
	t.fact("since", fmt.Sprintf("%s (run %s): %s", brief(since, maxName), brief(d.Run, maxName), verdict))
	for _, change := range d.Server {
		t.fact("server", brief(change, maxSays))
	}
	for _, c := range d.Checks {
		t.fact("check", fmt.Sprintf("%s: %s -> %s", c.Check, c.Was, c.Is))
	}
	if n := d.SameTexts + d.OtherTexts; n > 0 {
		t.fact("answers", fmt.Sprintf("%d of %d the same to the letter at temperature 0", d.SameTexts, n))
	}
	t.fact("first token", speedChange(d.TTFT, seconds))
	t.fact("tokens/s", speedChange(d.Decode, digits))
}

// speedChange names a ratio a change only where its interval leaves out 1.
func speedChange(c *verify.SpeedChange, unit func(float64) string) string {
	if c = finiteChange(c); c == nil {
		return ""
	}
	s := fmt.Sprintf("%s -> %s (x%s, 95 %% interval %s to %s", unit(c.Was), unit(c.Is), digits(c.Ratio), digits(c.Low), digits(c.High))
	if c.Low <= 1 && c.High >= 1 {
		s += ": within the noise"
	}
	return s + ")"
}

// median returns the middle of the finite samples.
func median(samples []float64) (float64, bool) {
	var s []float64
	for _, v := range samples {
		if finite(v) {
			s = append(s, v)
		}
	}
	if len(s) == 0 {
		return 0, false
	}
	slices.Sort(s)
	mid := len(s) / 2
	if len(s)%2 == 1 {
		return s[mid], true
	}
	return (s[mid-1] + s[mid]) / 2, true
}

// seconds writes a duration as a person says it.
func seconds(s float64) string {
	switch {
	case !finite(s):
		return digits(s) + " s"
	case s < 0.001:
		return digits(s*1e6) + " us"
	case s < 1:
		return digits(s*1e3) + " ms"
	}
	return digits(s) + " s"
}

// digits writes three significant digits, without an exponent where a person
// can read it.
func digits(v float64) string {
	s := strconv.FormatFloat(v, 'g', 3, 64)
	if strings.ContainsAny(s, "eE") && v >= 1000 && v < 1e9 {
		return group3(int(v))
	}
	return s
}

// group3 writes an integer with a comma after every third digit.
func group3(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}
