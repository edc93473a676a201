package report

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"kilter/internal/audit"
)

// writeAuditText writes for a tired engineer: the verdict and its one reason
// first, then where it is to be seen, what it does not prove, what to do next,
// what else was found, and at the end what was looked at and what was not.
func writeAuditText(w io.Writer, rep *audit.Report, o Options) error {
	t := &auditText{printer: newPrinter(o), rep: rep, verbose: o.Verbose, page: o.Page}
	t.head()
	t.cause()
	t.findings()
	t.checked()
	t.coverage()
	_, err := io.WriteString(w, t.b.String())
	return err
}

// An auditText is a report while it is written.
type auditText struct {
	*printer
	rep     *audit.Report
	verbose bool
	page    func(string) (string, bool)
}

func auditMark(v audit.Word) span {
	switch v {
	case audit.Sound:
		return styled(green, "[ok]")
	case audit.WordSuspicious:
		return styled(yellow, "[!]")
	case audit.WordBroken:
		return styled(red, "[X]")
	}
	return styled(cyan, "[?]")
}

// head writes the verdict, of what, and why.
func (t *auditText) head() {
	m := t.rep.Model
	mark := auditMark(t.rep.Verdict)
	title := []span{styled(mark.style, strings.ToUpper(string(t.rep.Verdict))), say(" "), styled(bold, brief(m.Name, maxName))}
	where := "at " + brief(m.Path, maxName)
	if line := append(slices.Clip(title), say(" "+where)); markWidth+spanCells(line) <= t.width {
		title, where = line, ""
	}
	t.para([]span{mark}, markWidth, title...)
	t.para(nil, markWidth, say(where))
	kind := m.Architecture
	if kind == "" {
		kind = "unknown architecture"
	}
	if m.Format == "gguf" {
		kind += " in GGUF"
	}
	t.para(nil, markWidth, say(fmt.Sprintf("%s, %s in %s, %s", brief(kind, maxName), many(m.Tensors, "tensor"), many(len(t.shards()), "file"), byteSize(m.Bytes))))
	reason := []span{styled(bold, brief(sentence(t.rep.Reason), maxSays))}
	if t.rep.Cause != "" {
		reason = []span{styled(mark.style, string(t.rep.Cause)), say(": "), styled(bold, brief(t.rep.Reason, maxSays))}
	}
	t.para(nil, markWidth, reason...)
	t.blank()
}

// shards are the files with tensors: the first of the list.
func (t *auditText) shards() []audit.File {
	var out []audit.File
	for _, f := range t.rep.Files {
		if strings.HasSuffix(f.Name, ".safetensors") || strings.HasSuffix(f.Name, ".gguf") {
			out = append(out, f)
		}
	}
	return out
}

// maxShown bounds the places of a finding on screen, for the cause and for
// others.
const (
	maxCausePlaces = 4
	maxOtherPlaces = 1
)

// cause shows where the heaviest finding is, what it does not prove and what to
// do next.
func (t *auditText) cause() {
	if t.rep.Cause == "" || len(t.rep.Findings) == 0 {
		return
	}
	f := t.rep.Findings[0]
	t.places(&f, maxCausePlaces)
	t.blank()
	var notProven, toDo passage
	if t.page != nil {
		if page, ok := t.page(string(f.Code)); ok {
			notProven, toDo = section(page, headingFindingNotProven), section(page, headingToDo)
		}
	}
	x := text{printer: t.printer}
	x.labelled("does not prove", notProven.prose)
	if hint := firstHint(f.Places); hint != "" {
		toDo.prose = brief(sentence(hint), maxSays) + " " + toDo.prose
	}
	x.labelled("next", strings.TrimSpace(toDo.prose))
	label := "next"
	if toDo.prose != "" {
		label = ""
	}
	for _, cmd := range append(toDo.commands, "kilter explain "+string(f.Code)) {
		x.command(label, safe(t.filledIn(cmd)))
		label = ""
	}
	t.blank()
}

// headingFindingNotProven is the section of a finding's page that text quotes.
const headingFindingNotProven = "What it does not prove"

func firstHint(places []audit.Place) string {
	for _, p := range places {
		if p.Hint != "" {
			return p.Hint
		}
	}
	return ""
}

// filledIn puts this model's path where a page says PATH, if it needs no quotes.
func (t *auditText) filledIn(cmd string) string {
	if strings.ContainsFunc(t.rep.Model.Path, needsQuotes) {
		return cmd
	}
	words := strings.Split(cmd, " ")
	for i, w := range words {
		if w == "PATH" {
			words[i] = t.rep.Model.Path
		}
	}
	return strings.Join(words, " ")
}

func needsQuotes(r rune) bool {
	return !strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789/._-+@%:", r)
}

// places lists where a finding is.
func (t *auditText) places(f *audit.Finding, most int) {
	if t.verbose {
		most = len(f.Places)
	}
	for i, p := range f.Places {
		if i == most {
			break
		}
		where := strings.Join(nonEmpty(brief(p.File, maxName), bytesAt(p)), ", ")
		if where != "" {
			t.para(nil, markWidth, styled(dim, where))
		}
		says := brief(p.Says, maxSays)
		if p.Tensor != "" {
			says = brief(p.Tensor, maxName) + ": " + says
		}
		for _, line := range wrap([]span{say(says)}, t.width-markWidth-len("| ")) {
			t.b.WriteString(strings.Repeat(" ", markWidth))
			t.write(styled(dim, "|"))
			t.b.WriteString(" ")
			for _, s := range line {
				t.write(s)
			}
			t.b.WriteByte('\n')
		}
	}
	if more := f.Count - min(most, len(f.Places)); more > 0 {
		hint := "-v lists them"
		if t.verbose {
			hint = "the first are listed"
		}
		t.para(nil, markWidth, styled(dim, fmt.Sprintf("and %s more (%s)", group3(more), hint)))
	}
}

// bytesAt is a place's range of bytes.
func bytesAt(p audit.Place) string {
	switch {
	case p.End == 0, p.Begin == 0 && p.Tensor == "":
		return ""
	case p.End <= p.Begin+1:
		return "byte " + group3(int(p.Begin))
	}
	return fmt.Sprintf("bytes %s to %s", group3(int(p.Begin)), group3(int(p.End-1)))
}

func severityName(s audit.Severity) span {
	switch s {
	case audit.Broken:
		return styled(red, string(s))
	case audit.Suspicious:
		return styled(yellow, string(s))
	case audit.Unread:
		return styled(cyan, string(s))
	}
	return say(string(s))
}

// findings lists what was found beside the cause.
func (t *auditText) findings() {
	for i := range t.rep.Findings {
		f := &t.rep.Findings[i]
		if i == 0 && t.rep.Cause != "" {
			continue
		}
		says := brief(f.Title, maxSays)
		t.row([]cell{{nil, markWidth}, {[]span{severityName(f.Severity)}, len("suspicious ")}, {[]span{say(string(f.Code) + ": " + says)}, 0}})
		t.places(f, maxOtherPlaces)
	}
	t.blank()
}

// checked ticks the groups of the audit off.
func (t *auditText) checked() {
	worst := map[audit.Group]audit.Severity{}
	count := map[audit.Group]int{}
	for _, f := range t.rep.Findings {
		if count[f.Group]++; worst[f.Group] == "" && f.Severity != audit.Note {
			worst[f.Group] = f.Severity
		}
	}
	for _, g := range t.rep.Checked {
		mark, says := styled(green, "[ok]"), g.Says
		switch worst[g.Group] {
		case audit.Broken:
			mark = styled(red, "[X]")
		case audit.Suspicious:
			mark = styled(yellow, "[!]")
		case audit.Unread:
			mark = styled(cyan, "[?]")
		case "":
			if g.Skipped != "" {
				mark, says = styled(dim, "[-]"), "skipped: "+g.Skipped
			}
		}
		t.row([]cell{{[]span{mark}, markWidth}, {[]span{styled(bold, string(g.Group))}, len("checksums ")}, {[]span{say(brief(says, maxSays))}, 0}})
	}
	t.blank()
}

// coverage says what was not looked at, and what it took.
func (t *auditText) coverage() {
	x := text{printer: t.printer}
	fact := func(label, says string) {
		if says != "" {
			x.para([]span{styled(dim, label)}, labelWidth, say(says))
		}
	}
	if t.verbose {
		for _, f := range t.rep.Files {
			if f.SHA256 != "" {
				// As sha256sum writes it, and on one line, to be copied.
				t.write(styled(dim, "sha256"))
				t.b.WriteString(strings.Repeat(" ", labelWidth-len("sha256")) + f.SHA256 + "  " + safe(f.Name) + "\n")
			}
		}
	}
	fact("ended early", brief(t.rep.Stopped, maxSays))
	for i, n := range t.rep.NotCovered {
		label := ""
		if i == 0 {
			label = "not covered"
		}
		x.para([]span{styled(dim, label)}, labelWidth, say(brief(n, maxSays)))
	}
	if t.rep.ReadBytes > 0 {
		took := t.rep.ReadFor
		fact("took", fmt.Sprintf("%s for %s (%s/s)", spent(took), byteSize(t.rep.ReadBytes), byteSize(int64(float64(t.rep.ReadBytes)/max(took.Seconds(), 1e-6)))))
	}
}

func spent(d time.Duration) string {
	if d < time.Minute {
		return seconds(d.Seconds())
	}
	return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
}

func many(n int, noun string) string { return group3(n) + " " + noun + plural(n) }

// byteSize writes bytes as a person says them.
func byteSize(n int64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB"}
	v, u := float64(n), 0
	for v >= 1000 && u < len(units)-1 {
		v, u = v/1000, u+1
	}
	if u == 0 {
		return fmt.Sprintf("%d bytes", n)
	}
	return digits(v) + " " + units[u]
}
