package cli

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kilter/internal/spell"
)

// Main runs kilter with the arguments after its name, and returns the exit
// code. version is what the linker set, or empty.
func Main(args []string, version string) ExitCode { return run(newFactory(version), args) }

func run(f *factory, args []string) (code ExitCode) {
	// A panic would end with code 2, which says that the caller was wrong.
	defer func() {
		if p := recover(); p != nil {
			f.IO.printError(&UserError{
				Err:   fmt.Errorf("kilter itself failed: %v\n%s", p, debug.Stack()),
				Hints: []string{"this is a defect of " + f.Version.String() + "; please report the lines above"},
			})
			code = ExitFailed
		}
	}()
	root := newRootCmd(f)
	root.SetArgs(args)
	cmd, err := root.ExecuteContextC(context.Background())
	return f.IO.report(asUsage(cmd, err))
}

// asUsage makes a usage error of those that come from cobra itself, which are
// all about how kilter was called.
func asUsage(cmd *cobra.Command, err error) error {
	var fromCobra *flagError
	if !errors.As(err, &fromCobra) {
		return err
	}
	out := usage(fromCobra.err)
	var unknown *pflag.NotExistError
	if errors.As(err, &unknown) && len(unknown.GetSpecifiedName()) > 1 {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near := spell.Nearest(unknown.GetSpecifiedName(), names); near != "" {
			return out.hint("did you mean --%s?", near)
		}
	}
	return out.hint("run %s --help", cmd.CommandPath())
}

// A flagError is an error of parsing flags.
type flagError struct{ err error }

func (e *flagError) Error() string { return e.err.Error() }
func (e *flagError) Unwrap() error { return e.err }
