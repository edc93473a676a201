package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"kilter/internal/audit"
	"kilter/internal/checkpoint"
	"kilter/internal/checkpoint/problem"
	"kilter/internal/model"
	"kilter/internal/report"
)

// AuditOptions are those of kilter audit.
type AuditOptions struct {
	*factory

	Path          string
	Revision      string
	Checksums     string // file
	NoHash        bool
	NoValues      bool
	Output        string
	Verbose       bool
	ExplainConfig bool

	settings []Setting
}

const auditLong = `Audit a checkpoint: are its bytes sound?

kilter reads every byte once and says what no server can repair: files that end
early, tensors and scales that are missing, bytes that are not those that were
published, NaN, blocks of zeros, scales that do not fit, a configuration that
speaks of other tensors. It needs no GPU and no Python, and changes nothing.

PATH is a model's folder, a model of the Hugging Face hub's cache
(models--ORG--NAME), an index, a .safetensors or a .gguf file.`

const auditExamples = `Audit a download before it is served:

  kilter audit /models/Qwen3.5-397B-A17B-NVFP4

One in the hub's cache, whose files are named by their hashes:

  kilter audit ~/.cache/huggingface/hub/models--Qwen--Qwen3-8B

Against the hashes that somebody published:

  kilter audit /models/qwen --checksums SHA256SUMS

Headers, names and configuration only, in a second:

  kilter audit /models/qwen --no-hash --no-values

In CI:

  kilter audit /models/qwen -o junit > kilter.xml
  kilter audit /models/qwen -o sarif > kilter.sarif`

const auditExit = `0  sound: nothing was found (the report says where it looked)
1  kilter itself failed
2  called in a wrong way
3  broken: structure, missing or truncated data, a checksum that differs, NaN,
   a block of zeros
4  suspicious: something that may be meant, and that a person should look at
5  inconclusive: the path or a file could not be read, or interrupted

The exit code is the same for every output format.`

func newAuditCmd(f *factory, runF func(context.Context, *AuditOptions) error) *cobra.Command {
	o := &AuditOptions{factory: f}
	cmd := &cobra.Command{
		Use:         "audit PATH",
		Short:       "Audit a checkpoint: are its bytes sound?",
		Long:        auditLong,
		Example:     auditExamples,
		Annotations: map[string]string{exitStatus: auditExit},
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usagef("audit looks at one model, and got %q too", args[1])
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.SortFlags = false

	const look = "FLAGS: WHAT TO LOOK AT"
	flags.StringVar(&o.Checksums, "checksums", "", "compare with the hashes in `FILE`, as sha256sum writes them")
	flags.BoolVar(&o.NoHash, "no-hash", false, "compute no SHA-256: faster, and sees no wrong bytes that look right")
	flags.BoolVar(&o.NoValues, "no-values", false, "look at no values: hashes and headers only")
	flags.StringVar(&o.Revision, "revision", "", "the `REF` or commit to take, in the hub's cache")
	inGroup(flags, look, "checksums", "no-hash", "no-values", "revision")

	const output = "FLAGS: OUTPUT"
	addOutput(cmd, &o.Output, report.AuditFormats())
	flags.BoolVarP(&o.Verbose, "verbose", "v", false, "list every place and hash, and say on stderr what is read")
	flags.BoolVar(&o.ExplainConfig, "explain-config", false, "print each setting and where it came from, and read nothing")
	inGroup(flags, output, "output", "verbose", "explain-config")

	completeFunc(cmd, "revision", cobra.NoFileCompletions)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := o.settle(cmd.Flags(), args); err != nil {
			return err
		}
		if runF != nil {
			return runF(cmd.Context(), o)
		}
		return runAudit(cmd.Context(), o)
	}
	return cmd
}

// settle gives every option its value from flag, environment or default.
func (o *AuditOptions) settle(flags *pflag.FlagSet, args []string) error {
	path := pflag.NewFlagSet("", pflag.ContinueOnError)
	path.StringVar(&o.Path, "path", "", "")
	if len(args) == 1 {
		o.Path = args[0]
		path.Lookup("path").Changed = true
	}
	knobs := []*knob{{name: "path", flag: path.Lookup("path"), argument: true}}
	names := []string{"checksums", "no-hash", "no-values", "revision", "output", "verbose"}
	if flags.Lookup("color") != nil { // the root's
		names = append(names, "color")
	}
	for _, name := range names {
		knobs = append(knobs, &knob{name: name, flag: flags.Lookup(name), env: "KILTER_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))})
	}
	var err error
	if o.settings, err = settle(knobs, o.IO.Getenv, nil, ""); err != nil {
		return err
	}
	switch {
	case o.ExplainConfig:
		if o.Output != "text" && o.Output != "json" {
			return usagef("-o %s is a form of a report, and there is none here", o.Output).hint("want -o text or -o json")
		}
	case o.Path == "":
		return usagef("which model? its path is missing").
			hint("kilter audit /models/NAME looks at a folder").
			hint("kilter audit --help says more")
	case o.NoHash && o.Checksums != "":
		return usagef("--checksums has no meaning with --no-hash")
	}
	return nil
}

func runAudit(ctx context.Context, o *AuditOptions) error {
	if o.ExplainConfig {
		return explainConfig(o.IO, o.Output, Config{Command: "kilter audit", Settings: o.settings})
	}
	sums, err := o.readChecksums()
	if err != nil {
		return err
	}
	// Headers of half a million tensors leave as much garbage as they need: the
	// collector runs earlier above this, whatever the model's size.
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(memoryGoal))
	runCtx, stop := o.Signals(ctx)
	defer stop()
	show := newByteProgress(o.IO, o.Verbose)
	rep, err := o.look(runCtx, sums, show)
	show.close()
	if err != nil {
		return err
	}
	if err := o.write(rep); err != nil {
		return err
	}
	if code := ofAudit(rep.Verdict); code != ExitOK {
		return exitWith(code)
	}
	return nil
}

// memoryGoal keeps an audit of the largest models under 500 MB.
const memoryGoal = 380 << 20

// ofAudit returns the exit code of a verdict.
func ofAudit(w audit.Word) ExitCode {
	switch w {
	case audit.Sound:
		return ExitOK
	case audit.WordBroken:
		return ExitWrong
	case audit.WordSuspicious:
		return ExitDegraded
	}
	return ExitInconclusive
}

// readChecksums reads the file of --checksums.
func (o *AuditOptions) readChecksums() (*audit.Checksums, error) {
	if o.Checksums == "" {
		return nil, nil
	}
	f, err := os.Open(o.Checksums)
	if err != nil {
		return nil, usagef("--checksums: %w", err)
	}
	defer f.Close()
	sums, err := audit.ParseChecksums(o.Checksums, f)
	if err != nil {
		return nil, usagef("--checksums: %w", err).hint("sha256sum * > SHA256SUMS makes such a file")
	}
	return sums, nil
}

// look opens the checkpoint and audits it.
func (o *AuditOptions) look(ctx context.Context, sums *audit.Checksums, show *byteProgress) (*audit.Report, error) {
	show.say("opening " + o.Path)
	c, err := checkpoint.Open(ctx, checkpoint.Local{}, o.Path, checkpoint.Options{Revision: o.Revision})
	if err != nil {
		return nil, o.explainOpen(ctx, err)
	}
	m, err := model.Read(ctx, c)
	if err != nil {
		return nil, o.explainOpen(ctx, err)
	}
	rep, err := audit.Run(ctx, m, audit.Options{
		Checksums: sums, NoHash: o.NoHash, NoValues: o.NoValues, Now: o.Now,
		Progress: show.update,
	})
	if err != nil {
		return nil, usagef("--checksums: %w", err).hint("names in it are looked for below %s and beside the list itself", c.Root)
	}
	return rep, nil
}

// explainOpen turns the error of opening into what is said.
func (o *AuditOptions) explainOpen(ctx context.Context, err error) error {
	if errors.Is(context.Cause(ctx), errInterrupted) {
		return &UserError{Code: ExitInconclusive, Err: errors.New("interrupted before anything was read")}
	}
	out := &UserError{Code: ExitInconclusive, Err: err}
	var p *problem.Problem
	if errors.As(err, &p) {
		out.Err = fmt.Errorf("%s: %s", problem.Quote(p.File), p.Says)
		if p.Hint != "" {
			out.Hints = []string{p.Hint}
		}
	}
	return out
}

// write encodes the report to stdout.
func (o *AuditOptions) write(rep *audit.Report) error {
	var b bytes.Buffer
	width := 0
	if o.IO.OutTTY {
		width = o.IO.Columns()
	}
	err := report.WriteAudit(&b, rep, report.Options{
		Format: o.Output, Color: o.IO.colored(o.IO.OutTTY), Width: width, Verbose: o.Verbose, Page: o.Page,
	})
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	if _, err := o.IO.Out.Write(b.Bytes()); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}
