package report

import (
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"kilter/internal/verify"
)

// writeText writes for a tired engineer: the verdict and its one reason first,
// then the raw evidence, what it does not prove, what to do next, what else
// failed, and at the end what was judged and what was not.
func writeText(w io.Writer, rep *verify.Report, o Options) error {
	t := &text{printer: newPrinter(o), rep: rep, verbose: o.Verbose, page: o.Page}
	t.head()
	t.evidence()
	t.failures()
	t.warnings()
	t.groups()
	t.coverage()
	t.baseline()
	_, err := io.WriteString(w, t.b.String())
	return err
}

// A text is a report while it is written.
type text struct {
	*printer
	rep     *verify.Report
	verbose bool
	page    func(string) (string, bool)
}

const (
	// markWidth is the indent of the lines under a verdict or a group; a mark
	// and a space fit in it.
	markWidth = 5
	// labelWidth is the column of labels such as "evidence" and "cost".
	labelWidth = 15
	// maxSays and maxName bound what a server can make a line hold, in runes.
	maxSays = 400
	maxName = 120
)

// A mark is ASCII, so that it survives a pipe, a log and NO_COLOR.
func verdictMark(v verify.Word) span {
	switch v {
	case verify.Proven, verify.Consistent:
		return styled(green, "[ok]")
	case verify.Degraded:
		return styled(yellow, "[!]")
	case verify.Wrong:
		return styled(red, "[X]")
	}
	return styled(cyan, "[?]")
}

// head writes the verdict, of what, and why.
func (t *text) head() {
	rep, srv := t.rep, t.rep.Server
	mark := verdictMark(rep.Verdict)
	title := []span{styled(mark.style, strings.ToUpper(string(rep.Verdict)))}
	where := "at " + brief(srv.URL, maxName)
	if srv.Model != "" {
		title = append(title, say(" "), styled(bold, brief(srv.Model, maxName)))
		where = "on " + brief(strings.TrimSpace(srv.Engine.Title()+" "+srv.Version), maxName) + " " + where
	}
	if line := append(slices.Clip(title), say(" "+where)); markWidth+spanCells(line) <= t.width {
		title, where = line, ""
	}
	t.para([]span{mark}, markWidth, title...)
	t.para(nil, markWidth, say(where))
	if len(srv.Gateway) > 0 {
		t.para(nil, markWidth, say("Behind a gateway ("+brief(strings.Join(srv.Gateway, ", "), maxName)+"): this verdict is of the mix."))
	}
	reason := []span{styled(bold, brief(sentence(rep.Reason), maxSays))}
	if rep.Cause != "" {
		reason = append([]span{styled(mark.style, rep.Cause), say(": ")}, styled(bold, brief(rep.Reason, maxSays)))
	}
	t.para(nil, markWidth, reason...)
	if rep.Narrowed {
		t.para(nil, markWidth, say("Only part of the question was asked: "+brief(selected(rep.Selection), maxSays)))
	}
	if rep.Cause != "" {
		t.blank()
	}
}

// selected spells a selection as the flags that made it.
func selected(s verify.Selection) string {
	var flags []string
	if len(s.Only) > 0 {
		flags = append(flags, "--only "+strings.Join(s.Only, ","))
	}
	if len(s.Skip) > 0 {
		flags = append(flags, "--skip "+strings.Join(s.Skip, ","))
	}
	return strings.Join(flags, " ")
}

// sentence gives a reason that stands alone its capital and its period.
func sentence(s string) string {
	if s == "" {
		return s
	}
	if c := s[0]; c >= 'a' && c <= 'z' {
		s = string(c-'a'+'A') + s[1:]
	}
	if strings.ContainsRune(".!?", rune(s[len(s)-1])) {
		return s
	}
	return s + "."
}

// evidence shows what the cause rests on, what that does not prove and what to
// do next.
func (t *text) evidence() {
	if t.rep.Cause == "" {
		return
	}
	res, ok := t.rep.Result(t.rep.Cause)
	if !ok {
		return
	}
	if len(res.Exhibits) > 0 {
		t.exhibit(res.Exhibits[0])
		t.blank()
	}
	var notProven, toDo passage
	if t.page != nil {
		if page, ok := t.page(res.Check); ok {
			if res.Status == verify.Fail {
				notProven = section(page, headingNotProven)
			}
			toDo = section(page, headingToDo)
		}
	}
	if t.rep.Hint != "" {
		toDo = passage{prose: safe(sentence(t.rep.Hint))}
	}
	t.labelled("does not prove", notProven.prose)
	t.labelled("next", toDo.prose)
	label := "next"
	if toDo.prose != "" {
		label = ""
	}
	for _, cmd := range append(toDo.commands, "kilter explain "+res.Check) {
		t.command(label, safe(t.filledIn(cmd)))
		label = ""
	}
	t.blank()
}

// command writes a command to be copied: on one line, however long, since a
// line break inside would be copied with it.
func (t *text) command(label, cmd string) {
	t.write(styled(dim, label))
	t.b.WriteString(strings.Repeat(" ", labelWidth-cells(label)))
	t.write(styled(bold, cmd))
	t.b.WriteByte('\n')
}

// filledIn puts this server's URL where a page says URL, if it needs no quotes.
func (t *text) filledIn(cmd string) string {
	url := t.rep.Server.URL
	if !plainURL.MatchString(url) {
		return cmd
	}
	return placeholder.ReplaceAllString(cmd, "${1}"+url+"${2}")
}

var (
	plainURL    = regexp.MustCompile(`^https?://[A-Za-z0-9._:/%~-]+$`)
	placeholder = regexp.MustCompile(`(^| )URL(/| |$)`)
)

// labelled writes prose of the docs behind a label. Its `code` is bold where
// there is colour.
func (t *text) labelled(label, prose string) {
	if prose == "" {
		return
	}
	var body []span
	for i, piece := range strings.Split(safe(prose), "`") {
		switch {
		case i%2 == 0:
			body = append(body, say(piece))
		case t.color:
			body = append(body, styled(bold, piece))
		default:
			body = append(body, say("`"+piece+"`"))
		}
	}
	t.para([]span{styled(dim, label)}, labelWidth, body...)
}

// maxExhibitLines bounds an exhibit on screen.
const maxExhibitLines = 6

// exhibit quotes raw evidence behind a bar.
func (t *text) exhibit(x verify.Exhibit) {
	from := strings.Join(nonEmpty(safe(x.Probe), safe(x.Shot)), " / ")
	if from != "" {
		from = "evidence: " + from
	} else {
		from = "evidence"
	}
	t.para(nil, markWidth, styled(dim, from))
	var lines []string
	for _, line := range strings.Split(strings.TrimRight(x.Text, "\r\n"), "\n") {
		lines = append(lines, chop(safe(strings.TrimSuffix(line, "\r")), t.width-markWidth-len("| ")-1)...) // 1: "…"
		if len(lines) > maxExhibitLines {
			lines = lines[:maxExhibitLines]
			lines[maxExhibitLines-1] += "…"
			break
		}
	}
	for _, line := range lines {
		t.b.WriteString(strings.Repeat(" ", markWidth))
		t.write(styled(dim, "|"))
		t.b.WriteString(" " + line + "\n")
	}
}

func nonEmpty(list ...string) []string {
	var out []string
	for _, s := range list {
		if s != "" {
			out = append(out, s)
		}
	}
	return out
}

// effectName is a failure's weight in one word.
func effectName(e verify.Effect) span {
	switch e {
	case verify.Wrongs:
		return styled(red, "wrong")
	case verify.Degrades:
		return styled(yellow, "degraded")
	}
	return say("note")
}

// failures lists what failed beside the cause, one line each. Consequences are
// counted under what they come from.
func (t *text) failures() {
	follow := map[string]int{}
	for _, res := range t.rep.Results {
		if res.Status == verify.Fail && res.Because != "" {
			follow[res.Because]++
		}
	}
	consequences := func(id string) {
		if n := follow[id]; n > 0 {
			t.para(nil, markWidth, styled(dim, fmt.Sprintf("+%d consequence%s of %s", n, plural(n), id)))
		}
	}
	if res, ok := t.rep.Result(t.rep.Cause); ok && res.Status == verify.Fail {
		consequences(t.rep.Cause)
	}
	for _, res := range t.rep.Failures() {
		if res.Check == t.rep.Cause {
			continue
		}
		t.finding(effectName(res.Effect), res)
		consequences(res.Check)
	}
	if t.verbose {
		for _, res := range t.rep.Failures() {
			if res.Check == t.rep.Cause || len(res.Exhibits) == 0 {
				continue
			}
			t.blank()
			t.para(nil, markWidth, say(res.Check))
			t.exhibit(res.Exhibits[0])
		}
	}
}

func (t *text) warnings() {
	for _, res := range t.rep.Results {
		if res.Status == verify.Warn {
			t.finding(say("warning"), res)
		}
	}
	t.blank()
}

// finding writes what a check says on a line of its own.
func (t *text) finding(kind span, res verify.Result) {
	t.row([]cell{{nil, markWidth}, {[]span{kind}, len("degraded ")}, {[]span{say(res.Check + ": " + brief(res.Says, maxSays))}, 0}})
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}
