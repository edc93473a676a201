package cli

import (
	"context"
	"os"
	"time"

	"kilter/docs"
	"kilter/internal/catalog"
	"kilter/internal/dialect"
	"kilter/internal/store"
	"kilter/internal/verify"
)

// A factory holds what commands need from the world, so that tests can give
// them another one.
type factory struct {
	IO  *IOStreams
	Now func() time.Time
	// Version is that of this binary.
	Version Version
	// Connect recognises a server; it waits for one that is still loading.
	Connect Connect
	// StorePath says where runs are kept.
	StorePath func() (string, error)
	// Checks are all checks, Know what they judge by.
	Checks func() []*verify.Check
	Know   func() (*catalog.Verify, error)
	// Page returns the docs page of a check, in Markdown.
	Page func(id string) (string, bool)
	// Signals makes a context that ends when the user wants it to.
	Signals func(context.Context) (context.Context, func())
}

// A Connect recognises the server that o names. While it is loading, it tries
// again for up to wait, and tells note why.
type Connect func(ctx context.Context, o dialect.Options, wait time.Duration, note func(string)) (verify.Asker, error)

func newFactory(version string) *factory {
	return &factory{
		IO:      systemStreams(),
		Now:     time.Now,
		Version: readVersion(version),
		Connect: func(ctx context.Context, o dialect.Options, wait time.Duration, note func(string)) (verify.Asker, error) {
			c, err := dialect.ConnectWait(ctx, o, wait, note)
			if err != nil {
				return nil, err // not a nil *Client in an interface
			}
			return c, nil
		},
		StorePath: func() (string, error) { return store.DefaultPath(os.Getenv, os.UserHomeDir) },
		Checks:    verify.Checks,
		Know:      catalog.LoadVerify,
		Page:      docs.Page,
		Signals:   untilSignal,
	}
}
