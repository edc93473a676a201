package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"kilter/internal/catalog"
	"kilter/internal/dialect"
	"kilter/internal/report"
	"kilter/internal/verify"
)

// judgeServer asks a running server and judges what it says.
func judgeServer(ctx context.Context, o *VerifyOptions) error {
	know, err := o.Know()
	if err != nil {
		return err
	}
	// A baseline that does not exist should not cost a run.
	base, err := o.findBaseline(ctx)
	if err != nil {
		return err
	}
	if o.file != nil && o.file.MustHold.Oracle {
		o.IO.warn("%s asks for agreement with an oracle (must_hold.oracle), which this kilter does not have yet: the verdict can't be proven", o.File)
	}

	runCtx, stop := o.Signals(ctx)
	defer stop()
	show := newProgress(o.IO, o.Verbose)
	rec, connectErr := o.record(runCtx, know, show)
	show.close()
	var usageErr *UserError
	if errors.As(connectErr, &usageErr) && usageErr.Code == ExitUsage {
		return connectErr
	}

	// From here on nothing may be lost to a signal: a second one ends kilter.
	rep := verify.Judge(rec, o.sel, o.Checks(), know)
	if rec.ConnectFail == nil {
		o.compare(ctx, base, rec, rep, know)
	}
	// Stored before it is written: a reader that goes away loses no run.
	say := func() {}
	if connectErr == nil && !o.NoStore {
		say = o.keep(ctx, rec, rep)
	}
	if err := o.write(rep); err != nil {
		return err
	}
	if o.IO.OutTTY && o.IO.ErrTTY {
		fmt.Fprintln(o.IO.Err) // keeps what follows apart from the report
	}
	if connectErr != nil {
		o.IO.report(connectErr)
	}
	say()
	if code := ofVerdict(rep.Verdict); code != ExitOK {
		return exitWith(code)
	}
	return nil
}

// record connects and runs. It always returns a record; the error says why
// there was no server to ask.
func (o *VerifyOptions) record(ctx context.Context, know *catalog.Verify, show *progress) (*verify.Record, error) {
	opts := verify.Options{
		ID: verify.NewID(o.Now()), Kilter: o.Version.Version,
		Level: o.level, Selection: o.sel, Checks: o.Checks(), Know: know,
		Deadline: o.Deadline, BudgetTokens: o.BudgetTokens,
		Progress: show.update, Now: o.Now,
	}
	rec := &verify.Record{
		Schema: verify.RecordSchema, ID: opts.ID, Kilter: opts.Kilter, Started: o.Now().UTC(),
		Level: opts.Level, Selection: opts.Selection,
		Server: dialect.Server{URL: shownURL(o.URL)},
	}
	fail := func(ctx context.Context, err error, server string) (*verify.Record, error) {
		failure, userErr := o.explainConnect(ctx, err, server)
		rec.ConnectFail, rec.Ended = failure, o.Now().UTC()
		if errors.Is(context.Cause(ctx), errInterrupted) {
			rec.Stopped = errInterrupted.Error()
		}
		return rec, userErr
	}

	// Recognition is bound as a whole too, not only each of its requests.
	connectCtx, cancel := context.WithTimeout(ctx, o.Wait+o.Deadline)
	defer cancel()
	show.say("connecting to " + shownURL(o.URL))
	srv, err := o.Connect(connectCtx, dialect.Options{
		URL: o.URL, APIKey: o.secrets.apiKey, Headers: o.secrets.headers, Model: o.Model,
		Timeout: o.Timeout, CAFile: o.CAFile, UserAgent: "kilter/" + o.Version.Version, Now: o.Now,
	}, o.Wait, show.say)
	if err != nil {
		return fail(connectCtx, err, "")
	}
	defer closeAsker(srv)
	rec.Server = srv.Server()
	if o.Against != "" {
		show.say("connecting to " + shownURL(o.Against))
		// Keys and headers of the first server are none of the second's business.
		other, err := o.Connect(connectCtx, dialect.Options{
			URL: o.Against, APIKey: o.secrets.againstKey, Model: o.AgainstModel,
			Timeout: o.Timeout, CAFile: o.CAFile, UserAgent: "kilter/" + o.Version.Version, Now: o.Now,
		}, o.Wait, show.say)
		if err != nil {
			return fail(connectCtx, err, "--against: ")
		}
		defer closeAsker(other)
		opts.Against = other
	}
	return verify.Run(ctx, srv, opts), nil
}

// closeAsker drops what a server's client holds, where it holds anything.
func closeAsker(a verify.Asker) {
	if c, ok := a.(interface{ Close() }); ok {
		c.Close()
	}
}

// explainConnect turns the error of Connect into what is recorded and what is
// said. server names the second server of a comparison.
func (o *VerifyOptions) explainConnect(ctx context.Context, err error, server string) (*dialect.Failure, error) {
	var ce *dialect.ConnectError
	if !errors.As(err, &ce) {
		// The options themselves are wrong: a CA file, say.
		return nil, usage(err)
	}
	failure := &dialect.Failure{Kind: ce.Kind, Message: server + ce.Error()}
	out := &UserError{Code: ExitInconclusive, Err: errors.New(failure.Message)}
	switch {
	case errors.Is(context.Cause(ctx), errInterrupted):
		failure.Message = "interrupted before " + ce.URL + " was recognised"
		out.Err = errors.New(failure.Message)
	case errors.Is(context.Cause(ctx), context.DeadlineExceeded):
		failure.Message = fmt.Sprintf("%s%s: not recognised within %s", server, ce.URL, shortDuration(o.Wait+o.Deadline))
		out.Err = errors.New(failure.Message)
		out = out.hint("look at the server's log; --deadline sets how long a run may take")
	case ce.Kind == dialect.FailAuth && server != "":
		out = out.hint("the second server needs a key of its own: set KILTER_AGAINST_API_KEY, or use --against-api-key-file")
	case ce.Hint != "":
		out = out.hint("%s", ce.Hint)
	}
	if len(out.Hints) > 0 {
		failure.Hint = out.Hints[0]
	}
	return failure, out
}

// write encodes the report to stdout.
func (o *VerifyOptions) write(rep *verify.Report) error {
	var b bytes.Buffer
	width := 0
	if o.IO.OutTTY {
		width = o.IO.Columns()
	}
	err := report.Write(&b, rep, report.Options{
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
