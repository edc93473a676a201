package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// Keys of a command's annotations.
const (
	exitStatus = "exit-status" // text of its section
	flagGroup  = "flag-group"  // of a flag: the heading that it stands under
)

// helpWidth keeps help readable on a wide terminal.
const helpWidth = 80

// setHelp gives the command and those below it kilter's form of help: what it
// is, how it is called, examples, flags by topic, exit status.
func setHelp(root *cobra.Command, streams *IOStreams) {
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		fmt.Fprint(cmd.OutOrStdout(), helpText(cmd, func(s string) string { return streams.paintOut(bold, s) }))
	})
	// cobra prints usage only where it is asked for: errors have their hint.
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := fmt.Fprintf(cmd.OutOrStderr(), "usage: %s\n", cmd.UseLine())
		return err
	})
}

func helpText(cmd *cobra.Command, heading func(string) string) string {
	var b strings.Builder
	long := cmd.Long
	if long == "" {
		long = cmd.Short
	}
	b.WriteString(strings.TrimSpace(long) + "\n")
	section := func(title, text string) {
		if text = strings.Trim(text, "\n"); text != "" {
			fmt.Fprintf(&b, "\n%s\n%s\n", heading(title), text)
		}
	}
	use := cmd.UseLine()
	if cmd.HasAvailableSubCommands() {
		use = cmd.CommandPath() + " COMMAND [flags]"
	}
	section("USAGE", "  "+use)
	for _, g := range commandGroups(cmd) {
		section(g.title, g.list)
	}
	section("EXAMPLES", indent(cmd.Example))
	for _, g := range flagGroups(cmd) {
		section(g.title, g.set.FlagUsagesWrapped(helpWidth))
	}
	section("EXIT STATUS", indent(cmd.Annotations[exitStatus]))
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(&b, "\n%s COMMAND --help says more of a command.\n", cmd.CommandPath())
	}
	return b.String()
}

type commandGroup struct{ title, list string }

// commandGroups lists the commands below cmd by group, those without one last.
func commandGroups(cmd *cobra.Command) []commandGroup {
	width := 0
	for _, c := range cmd.Commands() {
		width = max(width, len(c.Name()))
	}
	list := func(id string) string {
		var b strings.Builder
		for _, c := range cmd.Commands() {
			if c.GroupID == id && c.IsAvailableCommand() {
				fmt.Fprintf(&b, "  %-*s  %s\n", width, c.Name(), c.Short)
			}
		}
		return b.String()
	}
	var out []commandGroup
	for _, g := range cmd.Groups() {
		out = append(out, commandGroup{g.Title, list(g.ID)})
	}
	return append(out, commandGroup{"COMMANDS", list("")})
}

func indent(text string) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i, l := range lines {
		if l != "" {
			lines[i] = "  " + l
		}
	}
	return strings.Join(lines, "\n")
}

type group struct {
	title string
	set   *pflag.FlagSet
}

// flagGroups returns a command's flags by topic, in the order in which the
// topics were first used, those without a topic last.
func flagGroups(cmd *cobra.Command) []*group {
	rest := &group{"FLAGS", newFlagSet()}
	var groups []*group
	byTitle := map[string]*group{}
	add := func(f *pflag.Flag) {
		g := rest
		if title := f.Annotations[flagGroup]; len(title) == 1 {
			g = byTitle[title[0]]
			if g == nil {
				g = &group{title[0], newFlagSet()}
				byTitle[title[0]] = g
				groups = append(groups, g)
			}
		}
		g.set.AddFlag(f)
	}
	local := cmd.LocalFlags()
	local.SortFlags = false
	local.VisitAll(add)
	cmd.InheritedFlags().VisitAll(add)
	if len(groups) > 0 {
		rest.title = "OTHER FLAGS"
	}
	return append(groups, rest)
}

func newFlagSet() *pflag.FlagSet {
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	set.SortFlags = false
	return set
}

// inGroup puts the flags under a heading of help.
func inGroup(flags *pflag.FlagSet, title string, names ...string) {
	for _, name := range names {
		f := flags.Lookup(name)
		if f.Annotations == nil {
			f.Annotations = map[string][]string{}
		}
		f.Annotations[flagGroup] = []string{title}
	}
}
