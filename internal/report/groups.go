package report

import (
	"fmt"
	"slices"
	"strings"

	"kilter/internal/verify"
)

// groupOrder is that in which a person asks. Other groups come after, in the
// order of their first check.
func groupOrder() []string {
	return []string{"alive", "text", "numbers", "knowledge", "contract", "thinking", "compare", "reference"}
}

// A group holds the results of the checks whose ids share a first part.
type group struct {
	name    string
	results []verify.Result
}

// groupsOf sorts results into groups.
func groupsOf(rep *verify.Report) []group {
	byName := map[string][]verify.Result{}
	order := groupOrder()
	for _, res := range rep.Results {
		name, _, _ := strings.Cut(res.Check, ".")
		byName[name] = append(byName[name], res)
		if !slices.Contains(order, name) {
			order = append(order, name)
		}
	}
	var out []group
	for _, name := range order {
		if list := byName[name]; len(list) > 0 {
			out = append(out, group{name, list})
		}
	}
	return out
}

// with returns the names (ids without the group) of the results that have a
// status; consequences are left out.
func (g group) with(status verify.Status) (names []string) {
	for _, res := range g.results {
		if res.Status == status && res.Because == "" {
			names = append(names, strings.TrimPrefix(res.Check, g.name+"."))
		}
	}
	return names
}

// noted returns the names of failures that weigh nothing.
func (g group) noted() (names []string) {
	for _, res := range g.results {
		if res.Status == verify.Fail && res.Because == "" && res.Effect < verify.Degrades {
			names = append(names, strings.TrimPrefix(res.Check, g.name+"."))
		}
	}
	return names
}

// consequences counts failures that come from another.
func (g group) consequences() int {
	n := 0
	for _, res := range g.results {
		if res.Status == verify.Fail && res.Because != "" {
			n++
		}
	}
	return n
}

// mark is the group's state in one sign: that of its worst result.
func (g group) mark() span {
	worst := styled(dim, "[-]")
	rank := 0
	for _, res := range g.results {
		if m, r := resultMark(res); r > rank {
			worst, rank = m, r
		}
	}
	return worst
}

// resultMark is a result's sign, with a rank that grows with its weight.
func resultMark(res verify.Result) (span, int) {
	switch {
	case res.Status == verify.Pass:
		return styled(green, "[ok]"), 1
	case res.Status == verify.Inconclusive:
		return styled(cyan, "[?]"), 2
	case res.Status == verify.Warn, res.Status == verify.Fail && (res.Because != "" || res.Effect < verify.Wrongs):
		return styled(yellow, "[!]"), 3
	case res.Status == verify.Fail:
		return styled(red, "[X]"), 4
	}
	return styled(dim, "[-]"), 0
}

// groups ticks the groups off. Those in which nothing needs a look stand side by
// side; the others get a line of their own, which names what is not a pass.
func (t *text) groups() {
	var calm, other []group
	var idle []string // names of groups that were skipped whole
	skipped := 0
	for _, g := range groupsOf(t.rep) {
		switch {
		case t.verbose:
			t.checks(g)
		case len(g.with(verify.Skipped)) == len(g.results):
			idle = append(idle, g.name)
			skipped += len(g.results)
		case len(g.with(verify.Pass))+len(g.with(verify.Skipped)) == len(g.results):
			calm = append(calm, g)
		default:
			other = append(other, g)
		}
	}
	nameWidth := 0
	for _, g := range other {
		nameWidth = max(nameWidth, cells(g.name)+2)
	}
	for _, g := range other {
		t.row([]cell{{[]span{g.mark()}, markWidth}, {[]span{styled(bold, g.name)}, nameWidth}, {g.counts(), 0}})
	}
	t.sideBySide(calm)
	if len(idle) > 0 {
		t.para([]span{styled(dim, "[-]")}, markWidth, styled(bold, strings.Join(idle, ", ")), say(fmt.Sprintf(": all %d skipped", skipped)))
	}
	t.blank()
}

// sideBySide writes groups in as many columns as fit.
func (t *text) sideBySide(groups []group) {
	nameWidth, countWidth := 0, 0
	for _, g := range groups {
		nameWidth = max(nameWidth, cells(g.name)+2)
		countWidth = max(countWidth, spanCells(g.counts())+2)
	}
	columns := max(1, t.width/(markWidth+nameWidth+countWidth))
	for list := range slices.Chunk(groups, columns) {
		var row []cell
		for _, g := range list {
			row = append(row, cell{[]span{g.mark()}, markWidth}, cell{[]span{styled(bold, g.name)}, nameWidth}, cell{g.counts(), countWidth})
		}
		t.row(row)
	}
}

// counts is what a group's line says.
func (g group) counts() []span {
	var parts []string
	named := func(names []string, word string) {
		if len(names) > 0 {
			parts = append(parts, fmt.Sprintf("%d %s: %s", len(names), word, strings.Join(names, ", ")))
		}
	}
	noted := g.noted()
	failed := slices.DeleteFunc(g.with(verify.Fail), func(name string) bool { return slices.Contains(noted, name) })
	named(failed, "failed")
	if n := g.consequences(); n > 0 {
		parts = append(parts, fmt.Sprintf("%d failed as a consequence", n))
	}
	named(noted, "noted")
	named(g.with(verify.Warn), "warned")
	named(g.with(verify.Inconclusive), "inconclusive")
	if n := len(g.with(verify.Pass)); n > 0 {
		parts = append(parts, fmt.Sprintf("%d passed", n))
	}
	if n := len(g.with(verify.Skipped)); n > 0 {
		parts = append(parts, fmt.Sprintf("%d skipped", n))
	}
	return []span{say(strings.Join(parts, "; "))}
}

// checks lists every check of a group, for Verbose.
func (t *text) checks(g group) {
	t.para(nil, 0, styled(bold, g.name))
	for _, res := range g.results {
		mark, _ := resultMark(res)
		says := brief(res.Says, maxSays)
		if res.Because != "" {
			says = "consequence of " + res.Because + ": " + says
		}
		t.row([]cell{
			{[]span{mark}, markWidth},
			{[]span{say(string(res.Status))}, len(verify.Inconclusive) + 1},
			{[]span{say(res.Check + ": " + says)}, 0},
		})
	}
}
