package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"kilter/internal/store"
	"kilter/internal/verify"
)

// storeTimeout bounds the use of the store: a verdict is not kept waiting for a
// network file system that hangs.
const storeTimeout = 20 * time.Second

func (f *factory) openStore(ctx context.Context) (*store.Store, error) {
	path, err := f.StorePath()
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, path)
}

// keep stores a run and says so. A store that fails never hides the verdict,
// nor changes it.
// It returns what is to be said of that, after the report.
func (o *VerifyOptions) keep(ctx context.Context, rec *verify.Record, rep *verify.Report) (say func()) {
	ctx, cancel := context.WithTimeout(ctx, storeTimeout)
	defer cancel()
	if err := o.put(ctx, rec, rep); err != nil {
		return func() { o.IO.warn("this run is not stored: %v", err) }
	}
	return func() { o.IO.note("stored; kilter verify --replay %s judges it again", rec.ID) }
}

func (o *VerifyOptions) put(ctx context.Context, rec *verify.Record, rep *verify.Report) (err error) {
	body, err := json.Marshal(rec)
	if err != nil {
		return fmt.Errorf("encode the run: %w", err)
	}
	s, err := o.openStore(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Close()) }()
	return s.Put(ctx, store.Run{
		ID: rec.ID, Started: rec.Started, Target: rec.Server.URL, Model: rec.Server.Model,
		Level: rec.Level.String(), Verdict: string(rep.Verdict), Kilter: rec.Kilter, Record: body,
	})
}

// completeRuns offers the stored runs to the shell, newest first.
func (f *factory) completeRuns(cmd *cobra.Command, _ []string, _ string) ([]string, cobra.ShellCompDirective) {
	words := []string{cobra.CompletionWithDesc(lastRun, "the newest that fits")}
	ctx, cancel := context.WithTimeout(cmd.Context(), 2*time.Second)
	defer cancel()
	s, err := f.openStore(ctx)
	if err != nil {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
	runs, err := s.List(ctx, store.Filter{Limit: 20})
	if err := errors.Join(err, s.Close()); err != nil {
		return words, cobra.ShellCompDirectiveNoFileComp
	}
	for _, r := range runs {
		words = append(words, cobra.CompletionWithDesc(r.ID, fmt.Sprintf("%s %s %s", r.Verdict, r.Target, r.Model)))
	}
	return words, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveKeepOrder
}
