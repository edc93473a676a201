package cli

import (
	"bufio"
	"fmt"

	"github.com/spf13/cobra"

	"kilter/internal/verify"
)

// A CheckList is what kilter verify --list -o json prints.
type CheckList struct {
	Schema string      `json:"schema"`
	Checks []CheckInfo `json:"checks"`
}

// A CheckInfo is a check as declared.
type CheckInfo struct {
	ID        string   `json:"id"`
	Group     string   `json:"group"`
	Question  string   `json:"question"`
	Ceiling   string   `json:"ceiling"`
	Level     string   `json:"level"`
	Kind      string   `json:"kind"`
	Essential bool     `json:"essential"`
	DependsOn []string `json:"depends_on"`
}

func infoOf(c *verify.Check) CheckInfo {
	kind := c.Kind
	if kind == "" {
		kind = verify.Declared
	}
	return CheckInfo{
		ID: c.ID, Group: c.Group(), Question: c.Question, Ceiling: c.Ceiling.String(), Level: c.Level.String(),
		Kind: string(kind), Essential: c.Essential, DependsOn: append([]string{}, c.DependsOn...),
	}
}

// listChecks prints the selected checks, one a line, the id first. There is no
// heading, so that each line is a check for grep, awk and wc.
func listChecks(o *VerifyOptions) error {
	list := CheckList{Schema: "kilter.checks/v1", Checks: []CheckInfo{}}
	width := 0
	for _, c := range o.Checks() {
		if o.sel.Holds(c.ID) {
			list.Checks = append(list.Checks, infoOf(c))
			width = max(width, len(c.ID))
		}
	}
	if o.Output == "json" {
		return writeJSON(o.IO.Out, list)
	}
	w := bufio.NewWriter(o.IO.Out)
	for _, c := range list.Checks {
		id := fmt.Sprintf("%-*s", width, c.ID)
		fmt.Fprintf(w, "%s  %-8s  %-8s  %s\n", o.IO.paintOut(bold, id), c.Ceiling, c.Level, c.Question)
	}
	return w.Flush()
}

// completeGlobs offers groups and ids of checks to the shell.
func (f *factory) completeGlobs(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	var groups, ids []string
	for _, c := range f.Checks() {
		if g := c.Group() + ".*"; len(groups) == 0 || groups[len(groups)-1] != g {
			groups = append(groups, g)
		}
		ids = append(ids, cobra.CompletionWithDesc(c.ID, c.Question))
	}
	return append(groups, ids...), cobra.ShellCompDirectiveNoFileComp
}
