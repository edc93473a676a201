package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kilter/internal/spell"
)

// An enumValue is a flag with a fixed list of values.
type enumValue struct {
	to    *string
	known []string
}

var _ pflag.Value = (*enumValue)(nil)

func (v *enumValue) String() string { return *v.to }
func (v *enumValue) Type() string   { return strings.Join(v.known, "|") }

func (v *enumValue) Set(s string) error {
	if slices.Contains(v.known, s) {
		*v.to = s
		return nil
	}
	msg := "want " + orList(v.known)
	if near := spell.Nearest(s, v.known); near != "" {
		msg += fmt.Sprintf("; did you mean %q?", near)
	}
	return errors.New(msg)
}

// addEnum defines a flag with a fixed list of values, the first the default, and
// its completion.
func addEnum(cmd *cobra.Command, flags *pflag.FlagSet, to *string, name, short string, known []string, usage string) {
	*to = known[0]
	flags.VarP(&enumValue{to, known}, name, short, usage)
	complete(cmd, name, known)
}

// A durationValue is a flag for a length of time; none can be negative.
type durationValue struct{ to *time.Duration }

var _ pflag.Value = durationValue{}

func (v durationValue) Type() string { return "duration" }

func (v durationValue) String() string {
	if *v.to == 0 {
		return "0" // what pflag knows as the zero value, and leaves out of help
	}
	return shortDuration(*v.to)
}

func (v durationValue) Set(s string) error {
	d, err := time.ParseDuration(s)
	if err != nil {
		return errors.New("want a number with its unit, such as 90s, 10m or 1h30m")
	}
	if d < 0 {
		return errors.New("want a time that is not negative")
	}
	*v.to = d
	return nil
}

// A positiveDuration is a durationValue that can't be zero: a limit of no time
// would end everything at once.
type positiveDuration struct{ durationValue }

// Set reads a length of time above zero.
func (v positiveDuration) Set(s string) error {
	if err := v.durationValue.Set(s); err != nil {
		return err
	}
	if *v.to == 0 {
		return errors.New("want a time above zero, such as 90s")
	}
	return nil
}

// A countValue is a flag for a number that is not negative.
type countValue struct{ to *int }

var _ pflag.Value = countValue{}

func (v countValue) Type() string   { return "number" }
func (v countValue) String() string { return strconv.Itoa(*v.to) }

func (v countValue) Set(s string) error {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return errors.New("want a whole number that is not negative")
	}
	*v.to = n
	return nil
}

// addOutput defines -o.
func addOutput(cmd *cobra.Command, to *string, formats []string) {
	addEnum(cmd, cmd.Flags(), to, "output", "o", formats, "write the result as `FORMAT`: "+orList(formats))
}

func textAndJSON() []string { return []string{"text", "json"} }

// complete sets the completion of a flag to fixed words. It fails only for a
// flag that does not exist, which no release has.
func complete(cmd *cobra.Command, flag string, words []string) {
	completeFunc(cmd, flag, func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return words, cobra.ShellCompDirectiveNoFileComp
	})
}

func completeFunc(cmd *cobra.Command, flag string, f cobra.CompletionFunc) {
	if err := cmd.RegisterFlagCompletionFunc(flag, f); err != nil {
		panic("cli: " + err.Error())
	}
}

// orList joins words as in a sentence: a, b or c.
func orList(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " or " + words[len(words)-1]
}

// shortDuration writes a duration without the zeros at its end: 10m, not 10m0s.
func shortDuration(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// noArgs is cobra.NoArgs with an error that says what to do.
func noArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return usagef("%s takes no argument, and got %q", cmd.CommandPath(), args[0]).hint("run %s --help", cmd.CommandPath())
}
