package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"
)

// What is kept; the package documentation says how.
const (
	KeepRuns  = 500
	KeepBytes = 256 << 20
)

// A Run is one judged server at one time. Target is the server's URL without
// credentials. Record is what its recorder wrote; List leaves it empty.
type Run struct {
	ID      string
	Started time.Time
	Target  string
	Model   string
	Level   string
	Verdict string
	Kilter  string
	Bytes   int64
	Record  []byte
}

// A Filter selects runs; empty fields select all.
type Filter struct {
	Target string
	Model  string
	// Before selects runs that started earlier; zero: all.
	Before time.Time
	// Limit is the most that List returns; zero: all.
	Limit int
}

const columns = "id, started, target, model, level, verdict, kilter, bytes"

// Put stores a run, in place of one with the same id, and drops what is over
// the bounds.
func (s *Store) Put(ctx context.Context, r Run) error {
	return s.explain("store run "+r.ID+" in", s.put(ctx, r))
}

func (s *Store) put(ctx context.Context, r Run) error {
	if r.ID == "" {
		return errors.New("the run has no id")
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	if _, err := tx.ExecContext(ctx, `INSERT OR REPLACE INTO runs (`+columns+`, record) VALUES (?,?,?,?,?,?,?,?,?)`,
		r.ID, r.Started.UnixNano(), r.Target, r.Model, r.Level, r.Verdict, r.Kilter, len(r.Record), string(r.Record)); err != nil {
		return err
	}
	// The run just stored stays even where clocks make it the oldest.
	if _, err := tx.ExecContext(ctx, `
		DELETE FROM runs WHERE id != ?1 AND id IN (
			SELECT id FROM (
				SELECT id, row_number() OVER newest AS n, sum(bytes) OVER newest AS total FROM runs
				WINDOW newest AS (ORDER BY id = ?1 DESC, started DESC, id DESC)
			) WHERE n > ?2 OR total > ?3)`,
		r.ID, s.keepRuns, s.keepBytes); err != nil {
		return err
	}
	return tx.Commit()
}

// Get returns the run whose id is, or begins with, the given text. Without one
// the error is ErrNotFound, with several an AmbiguousError.
func (s *Store) Get(ctx context.Context, id string) (Run, error) {
	if id == "" {
		return Run{}, fmt.Errorf("run %q: %w", id, ErrNotFound)
	}
	// Ids that begin with a text lie between it and the text with the highest
	// code point behind it.
	runs, err := s.query(ctx, true, `WHERE id >= ?1 AND id < ?1 || char(0x10FFFF) ORDER BY id = ?1 DESC, started DESC, id DESC LIMIT 5`, id)
	switch {
	case err != nil:
		return Run{}, s.explain("read", err)
	case len(runs) == 0:
		return Run{}, fmt.Errorf("run %q: %w in %s", id, ErrNotFound, s.path)
	case len(runs) > 1 && runs[0].ID != id:
		e := &AmbiguousError{Prefix: id}
		for _, r := range runs {
			e.IDs = append(e.IDs, r.ID)
		}
		return Run{}, e
	}
	return runs[0], nil
}

// Last returns the newest run that fits; without one the error is ErrNotFound.
func (s *Store) Last(ctx context.Context, f Filter) (Run, error) {
	f.Limit = 1
	where, args := f.where()
	runs, err := s.query(ctx, true, where, args...)
	if err != nil {
		return Run{}, s.explain("read", err)
	}
	if len(runs) == 0 {
		return Run{}, fmt.Errorf("%w in %s", ErrNotFound, s.path)
	}
	return runs[0], nil
}

// List returns the runs that fit, newest first, without their records.
func (s *Store) List(ctx context.Context, f Filter) ([]Run, error) {
	where, args := f.where()
	runs, err := s.query(ctx, false, where, args...)
	return runs, s.explain("read", err)
}

func (f Filter) where() (string, []any) {
	var conds []string
	var args []any
	add := func(cond string, arg any) {
		conds = append(conds, cond)
		args = append(args, arg)
	}
	if f.Target != "" {
		add("target = ?", f.Target)
	}
	if f.Model != "" {
		add("model = ?", f.Model)
	}
	if !f.Before.IsZero() {
		add("started < ?", f.Before.UnixNano())
	}
	q := ""
	if len(conds) > 0 {
		q = "WHERE " + strings.Join(conds, " AND ")
	}
	q += " ORDER BY started DESC, id DESC"
	if f.Limit > 0 {
		q += " LIMIT ?"
		args = append(args, f.Limit)
	}
	return q, args
}

func (s *Store) query(ctx context.Context, records bool, where string, args ...any) (runs []Run, err error) {
	record := "''"
	if records {
		record = "record"
	}
	q := "SELECT " + columns + ", " + record + " FROM runs " + where //nolint:gosec // of constants of this file; values are bound
	rows, err := s.db.QueryContext(ctx, q, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var r Run
		var started int64
		var rec sql.RawBytes
		if err := rows.Scan(&r.ID, &started, &r.Target, &r.Model, &r.Level, &r.Verdict, &r.Kilter, &r.Bytes, &rec); err != nil {
			return nil, err
		}
		r.Started = time.Unix(0, started).UTC()
		if records {
			r.Record = append([]byte(nil), rec...)
		}
		runs = append(runs, r)
	}
	return runs, rows.Err()
}
