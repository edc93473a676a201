package cli

import (
	"github.com/spf13/cobra"

	"kilter/internal/spell"
)

const rootLong = `kilter takes an LLM server from healthy to correct, and keeps it there.

A server that answers 200 and talks garbage looks fine to every health check.
kilter reads the answers themselves.`

const rootExamples = `Judge the server on this machine's port 8000 (SGLang, vLLM, llama.cpp, ollama
or anything else that speaks OpenAI's API):

  kilter verify http://localhost:8000

See what it would ask, and what one of its findings means:

  kilter verify --list
  kilter explain text.token_zero`

const rootExit = `0  proven, consistent, sound        4  degraded, suspicious
1  kilter itself failed             5  inconclusive
2  called in a wrong way            6  fix failed, old state restored
3  wrong, broken                    7  rollback failed: a person must look`

func newRootCmd(f *factory) *cobra.Command {
	root := &cobra.Command{
		Use:     "kilter",
		Short:   "Take an LLM server from healthy to correct",
		Long:    rootLong,
		Example: rootExamples,
		Version: f.Version.Version,
		Annotations: map[string]string{
			exitStatus: rootExit,
		},
		Args:              knownCommand,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error { return settleColor(cmd, f.IO) },
		RunE:              func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
		SilenceErrors:     true,
		SilenceUsage:      true,
		TraverseChildren:  true,
	}
	root.SetOut(f.IO.Out)
	root.SetErr(f.IO.Err)
	root.SetVersionTemplate(f.Version.String() + "\n")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return &flagError{err} })
	setHelp(root, f.IO)

	colors := []string{colorAuto, colorAlways, colorNever}
	addEnum(root, root.PersistentFlags(), &f.IO.Color, "color", "", colors, "`WHEN` to colour: "+orList(colors))

	// cobra would call it -v too, which is --verbose here.
	root.Flags().Bool("version", false, "print the version")

	// In the order of help. A command without a group would not be shown.
	for _, g := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"JUDGE", []*cobra.Command{newVerifyCmd(f, nil), newAuditCmd(f, nil)}},
		{"LOOK UP", []*cobra.Command{newInspectCmd(f, nil), newExplainCmd(f, nil)}},
		{otherCommands, []*cobra.Command{newVersionCmd(f, nil)}},
	} {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, cmd := range g.commands {
			cmd.GroupID = g.title
			root.AddCommand(cmd)
		}
	}
	addCompletionCmd(root)
	root.SetHelpCommand(newHelpCmd(root))
	for _, cmd := range append(root.Commands(), root) {
		cmd.Flags().BoolP("help", "h", false, "print this help")
	}
	return root
}

const otherCommands = "OTHER"

// addCompletionCmd adds cobra's own command, in this program's words.
func addCompletionCmd(root *cobra.Command) {
	root.SetCompletionCommandGroupID(otherCommands)
	root.InitDefaultCompletionCmd()
	for _, cmd := range root.Commands() {
		if cmd.Name() == "completion" {
			cmd.Short = "Print a script that completes commands in your shell"
			cmd.Args = knownCommand
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
}

// settleColor takes --color from the environment where no flag gave it.
func settleColor(cmd *cobra.Command, s *IOStreams) error {
	k := &knob{name: "color", flag: cmd.Flag("color"), env: "KILTER_COLOR"}
	_, err := settle([]*knob{k}, s.Getenv, nil, "")
	return err
}

// newHelpCmd is cobra's, but for an error where there is no such command.
func newHelpCmd(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:    "help [COMMAND]",
		Short:  "Print the help of a command",
		Hidden: true, // --help is what the help itself names
		RunE: func(_ *cobra.Command, args []string) error {
			cmd, rest, err := root.Find(args)
			if err == nil && len(rest) > 0 {
				err = knownCommand(cmd, rest)
			}
			if err != nil {
				return err
			}
			return cmd.Help()
		},
	}
}

// knownCommand refuses what is no command. It is for commands that have others
// below them: cobra calls it with what it could not find there.
func knownCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	err := usagef("unknown command %q", args[0])
	if near := spell.Nearest(args[0], names); near != "" {
		return err.hint("did you mean %q?", near)
	}
	return err.hint("%s --help lists the commands", cmd.CommandPath())
}
