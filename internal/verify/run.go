package verify

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"kilter/internal/catalog"
	"kilter/internal/dialect"
	"kilter/internal/evidence"
)

// An Asker is a recognised server. *dialect.Client is one.
type Asker interface {
	// Server returns what recognition learned.
	Server() dialect.Server
	// Do sends one request; failures are part of the exchange.
	Do(context.Context, dialect.Request) dialect.Exchange
	// Requests counts the HTTP requests made so far.
	Requests() int
}

// Options say how to run.
type Options struct {
	// ID and Kilter go into the record; see NewID.
	ID, Kilter string
	Level      Level
	Selection  Selection
	Checks     []*Check
	Know       *catalog.Verify
	// Deadline ends the run; zero means none.
	Deadline time.Duration
	// BudgetTokens bounds prompt plus output tokens; zero means no bound.
	BudgetTokens int
	// Seed is the first of the seeds of sampled requests; runs with the same
	// one ask the same.
	Seed int
	// Against is a second server to compare with; nil for none.
	Against Asker
	// Reference is the independent source of truth; nil for none.
	Reference Reference
	// Progress, if set, is told what happens; it is called from Run's goroutine.
	Progress func(Progress)
	// Now is the clock; nil means time.Now.
	Now func() time.Time
}

// A Progress says how far a run is.
type Progress struct {
	// Doing is what is asked now, in a few words.
	Doing string
	// Done and Planned count generating requests.
	Done, Planned int
	// Elapsed is the time since the start; Left estimates the rest (0: unknown).
	Elapsed, Left time.Duration
	// Waiting is set while the run holds back for others' requests.
	Waiting bool
}

// NewID returns a run id that sorts by time.
func NewID(now time.Time) string {
	return fmt.Sprintf("%s-%04x", now.UTC().Format("20060102-150405"), rand.Uint32N(1<<16))
}

// Run sends what the selected checks need and returns all that was seen. It
// always returns a record, however the server behaves; Stopped tells why it
// ended early.
func Run(ctx context.Context, srv Asker, o Options) *Record {
	now := o.Now
	if now == nil {
		now = time.Now
	}
	rec := &Record{
		Schema: RecordSchema, ID: o.ID, Kilter: o.Kilter, Started: now().UTC(),
		Level: o.Level, Selection: o.Selection, Server: srv.Server(),
	}
	rec.Server.NoTemplate = rec.Server.NoTemplate || fallbackTemplate(rec.Server, o.Know)
	if o.Against != nil {
		other := o.Against.Server()
		rec.Against = &other
	}
	s := newSession(ctx, srv, o, rec, now)
	s.runProbes()
	rec.Ended = now().UTC()
	rec.Cost.Requests = srv.Requests()
	if o.Against != nil {
		rec.Cost.Requests += o.Against.Requests()
	}
	return rec
}

// fallbackTemplate reports whether the server's chat template is one that it
// makes up for models that bring none.
func fallbackTemplate(s dialect.Server, know *catalog.Verify) bool {
	f, ok := evidence.Find(s.Facts, "model.chat_template")
	if !ok {
		return false
	}
	text, _ := f.Value.(string)
	for _, t := range know.FallbackTemplates {
		if strings.TrimSpace(text) == strings.TrimSpace(t.Text) {
			return true
		}
	}
	return false
}
