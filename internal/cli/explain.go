package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"kilter/internal/audit"
	"kilter/internal/spell"
	"kilter/internal/verify"
)

// ExplainOptions are those of kilter explain.
type ExplainOptions struct {
	*factory
	ID     string
	Format string
}

// An Explanation is what kilter explain -o json prints.
type Explanation struct {
	Schema string `json:"schema"`
	CheckInfo
	// Page is the check's page in Markdown.
	Page string `json:"page"`
}

const explainLong = `Explain a check of kilter verify or a finding of kilter audit: how it is decided,
what it rests on, what it does not prove, and what to do about it.

kilter verify --list shows the ids of checks; reports name the codes of
findings.`

func newExplainCmd(f *factory, runF func(*ExplainOptions) error) *cobra.Command {
	o := &ExplainOptions{factory: f}
	cmd := &cobra.Command{
		Use:     "explain ID",
		Short:   "Say what a check or finding means, what it rests on and what to do",
		Long:    explainLong,
		Example: "kilter explain text.token_zero\nkilter explain audit.zero_block",
		Annotations: map[string]string{
			exitStatus: "0  explained\n2  there is no such check or finding",
		},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return usagef("explain takes the id of one check").
					hint("kilter verify --list shows the ids; kilter explain text.token_zero explains one")
			}
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			var ids []string
			for _, c := range f.Checks() {
				if len(args) == 0 {
					ids = append(ids, cobra.CompletionWithDesc(c.ID, c.Question))
				}
			}
			if len(args) == 0 {
				ids = append(ids, findingCompletions()...)
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			o.ID = args[0]
			if runF != nil {
				return runF(o)
			}
			return runExplain(o)
		},
	}
	addOutput(cmd, &o.Format, textAndJSON())
	return cmd
}

func runExplain(o *ExplainOptions) error {
	if d, ok := audit.Lookup(o.ID); ok {
		return explainFinding(o, d)
	}
	var check *verify.Check
	ids := findingIDs()
	for _, c := range o.Checks() {
		ids = append(ids, c.ID)
		if c.ID == o.ID {
			check = c
		}
	}
	if check == nil {
		what := "check"
		if strings.HasPrefix(o.ID, "audit.") {
			what = "finding"
		}
		err := usagef("there is no %s %q", what, o.ID)
		if near := spell.Near(o.ID, ids, 3); len(near) > 0 {
			return err.hint("did you mean %s?", orList(near))
		}
		return err.hint("kilter verify --list shows the ids")
	}
	page, _ := o.Page(o.ID)
	info := infoOf(check)
	if o.Format == "json" {
		return writeJSON(o.IO.Out, Explanation{Schema: "kilter.explanation/v1", CheckInfo: info, Page: page})
	}
	_, err := fmt.Fprint(o.IO.Out, o.render(info, page))
	return err
}

// render prints what the check declares, from the program itself, and then
// its page.
func (o *ExplainOptions) render(c CheckInfo, page string) string {
	var b strings.Builder
	b.WriteString(o.IO.paintOut(bold, c.ID) + "\n" + c.Question + "\n\n")
	row := func(name, value string) {
		if value != "" {
			fmt.Fprintf(&b, "  %-10s %s\n", name, value)
		}
	}
	row("ceiling", ceilingMeans(c.Ceiling))
	row("level", c.Level)
	row("decides by", c.Kind)
	for i, line := range reflow(strings.Join(c.DependsOn, ", "), min(o.IO.Columns(), widestProse)-13) {
		row([]string{"depends on", ""}[min(i, 1)], line)
	}
	if c.Essential {
		row("essential", "without an answer to it there is no verdict")
	}
	o.renderPage(&b, pageBody(page, c.Question, "Ceiling: "))
	return b.String()
}

// renderPage prints what a page says under its headings.
func (o *ExplainOptions) renderPage(b *strings.Builder, body string) {
	lines := strings.Split(body, "\n")
	if o.IO.OutTTY {
		lines = reflow(body, min(o.IO.Columns(), widestProse))
	}
	for _, line := range lines {
		if strings.HasPrefix(line, "## ") {
			line = o.IO.paintOut(bold, strings.TrimLeft(line, "# "))
		}
		b.WriteString(line + "\n")
	}
}

// pageBody is a page without what is declared in the program and printed from
// there: the id, a sentence, and the line that begins with facts.
func pageBody(page, sentence, facts string) string {
	var body []string
	head := true
	for _, line := range strings.Split(page, "\n") {
		head = head && !strings.HasPrefix(line, "## ")
		if head && (strings.HasPrefix(line, "# ") || line == sentence || strings.HasPrefix(line, facts)) {
			continue
		}
		body = append(body, line)
	}
	return "\n" + strings.TrimSpace(strings.Join(body, "\n"))
}

// widestProse keeps a page readable on a wide terminal.
const widestProse = 100

func ceilingMeans(ceiling string) string {
	switch ceiling {
	case "wrong":
		return "wrong (alone it can make the verdict wrong)"
	case "degraded":
		return "degraded (alone it can make the verdict degraded at most)"
	case "note":
		return "note (it changes no verdict)"
	}
	return ceiling
}
