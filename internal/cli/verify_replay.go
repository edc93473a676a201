package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"kilter/internal/catalog"
	"kilter/internal/store"
	"kilter/internal/verify"
)

// lastRun is the name by which a person asks for the newest run that fits.
const lastRun = "last"

// replayRun judges a stored run again.
func replayRun(ctx context.Context, o *VerifyOptions) error {
	know, err := o.Know()
	if err != nil {
		return err
	}
	filter := store.Filter{}
	if o.URL != "" {
		filter.Target = shownURL(o.URL)
	}
	rec, err := o.loadRun(ctx, "--replay", o.Replay, filter)
	if err != nil {
		return err
	}
	sel := o.sel
	if !sel.Narrowed() {
		sel = rec.Selection
	}
	rep := verify.Judge(rec, sel, o.Checks(), know)
	// The deployment file's baseline is meant for new runs.
	if o.Baseline != "" {
		base, err := o.findBaseline(ctx)
		if err != nil {
			return err
		}
		o.compare(ctx, base, rec, rep, know)
	}
	if err := o.write(rep); err != nil {
		return err
	}
	if code := ofVerdict(rep.Verdict); code != ExitOK {
		return exitWith(code)
	}
	return nil
}

// findBaseline loads the run that --baseline names. It is nil where there is
// none, and for last, which depends on the server: see compare.
func (o *VerifyOptions) findBaseline(ctx context.Context) (*verify.Record, error) {
	if o.Baseline == "" || o.Baseline == lastRun {
		return nil, nil
	}
	return o.loadRun(ctx, "--baseline", o.Baseline, store.Filter{})
}

// compare adds to the report what changed since the baseline. A baseline that
// can't be had is said and changes nothing else.
func (o *VerifyOptions) compare(ctx context.Context, base, rec *verify.Record, rep *verify.Report, know *catalog.Verify) {
	if o.Baseline == lastRun {
		var err error
		base, err = o.loadRun(ctx, "--baseline", lastRun, store.Filter{
			Target: rec.Server.URL, Model: rec.Server.Model, Before: rec.Started,
		})
		switch {
		case errors.Is(err, store.ErrNotFound):
			o.IO.note("no earlier run of %s with %s is stored: this one is the first, and there is nothing to compare with", rec.Server.URL, rec.Server.Model)
			return
		case err != nil:
			o.IO.warn("not compared with an earlier run: %v", err)
			return
		}
	}
	if base == nil {
		return
	}
	baseRep := verify.Judge(base, rep.Selection, o.Checks(), know)
	rep.Baseline = verify.Compare(baseRep, rep, base, rec)
}

// loadRun reads a stored run. flag names the flag that asked for it.
func (o *VerifyOptions) loadRun(ctx context.Context, flag, id string, filter store.Filter) (*verify.Record, error) {
	s, err := o.openStore(ctx)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", flag, id, err)
	}
	var run store.Run
	if id == lastRun {
		run, err = s.Last(ctx, filter)
	} else {
		run, err = s.Get(ctx, id)
	}
	err = errors.Join(err, s.Close())
	var ambiguous *store.AmbiguousError
	switch {
	case errors.As(err, &ambiguous):
		return nil, usagef("%s: %w", flag, err).hint("give more of the id")
	case errors.Is(err, store.ErrNotFound) && filter.Target != "":
		return nil, usagef("%s %s: no run of %s is stored: %w", flag, id, filter.Target, err)
	case errors.Is(err, store.ErrNotFound):
		return nil, usagef("%s %s: %w", flag, id, err).
			hint("each run says on stderr under which id it is stored; %s last takes the newest", flag)
	case err != nil:
		return nil, fmt.Errorf("%s %s: %w", flag, id, err)
	}
	rec := &verify.Record{}
	if err := json.Unmarshal(run.Record, rec); err != nil {
		return nil, fmt.Errorf("%s %s: the stored run can't be read: %w", flag, run.ID, err)
	}
	if rec.Schema != verify.RecordSchema {
		return nil, fmt.Errorf("%s %s: the stored run has schema %q, and this kilter reads %s: it was written by another version", flag, run.ID, rec.Schema, verify.RecordSchema)
	}
	return rec, nil
}
