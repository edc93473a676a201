package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"kilter/internal/audit"
)

// A FindingExplanation is what kilter explain -o json prints of a finding.
type FindingExplanation struct {
	Schema string `json:"schema"`
	audit.Declaration
	// Page is the finding's page in Markdown.
	Page string `json:"page"`
}

const findingSchema = "kilter.finding/v1"

// explainFinding prints what is declared of a code, and then its page.
func explainFinding(o *ExplainOptions, d audit.Declaration) error {
	page, _ := o.Page(o.ID)
	if o.Format == "json" {
		return writeJSON(o.IO.Out, FindingExplanation{Schema: findingSchema, Declaration: d, Page: page})
	}
	var b strings.Builder
	b.WriteString(o.IO.paintOut(bold, string(d.Code)) + "\n" + d.Title + ".\n\n")
	fmt.Fprintf(&b, "  %-10s %s\n  %-10s %s\n", "severity", severityMeans(d.Severity), "group", d.Group)
	o.renderPage(&b, pageBody(page, d.Title+".", "Severity: "))
	_, err := fmt.Fprint(o.IO.Out, b.String())
	return err
}

func severityMeans(s audit.Severity) string {
	switch s {
	case audit.Broken:
		return "broken (no server can be right: exit code 3)"
	case audit.Unread:
		return "unread (nothing is known of it: exit code 5)"
	case audit.Suspicious:
		return "suspicious (it may be meant: exit code 4)"
	}
	return "note (it changes no verdict)"
}

// findingIDs are the codes of all findings.
func findingIDs() []string {
	var ids []string
	for _, d := range audit.Declarations() {
		ids = append(ids, string(d.Code))
	}
	return ids
}

func findingCompletions() []string {
	var out []string
	for _, d := range audit.Declarations() {
		out = append(out, cobra.CompletionWithDesc(string(d.Code), d.Title))
	}
	return out
}
