package store

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// BusyTimeout is how long a process waits for another one's write.
const BusyTimeout = 5 * time.Second

// A Store is an open file of runs. It is safe for concurrent use.
type Store struct {
	path string
	db   *sql.DB
	// keepRuns and keepBytes are KeepRuns and KeepBytes outside of tests.
	keepRuns  int
	keepBytes int64
}

// Open opens the file at path, makes it and its folder where they are missing,
// and brings its schema up to date.
func Open(ctx context.Context, path string) (*Store, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("no folder for kilter's runs: %w; make it writable, or run with --no-store", err)
	}
	// SQLite would make the file with the umask's mode; its -wal and -shm files
	// take the mode of the file.
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("can't write kilter's runs: %w; make it writable, or run with --no-store", err)
	}
	if err := f.Close(); err != nil {
		return nil, fmt.Errorf("can't write kilter's runs: %w", err)
	}
	db, err := sql.Open("sqlite", dsn(path))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	// One connection: a CLI gains nothing from more, and readers of this
	// process then never race its writer.
	db.SetMaxOpenConns(1)
	s := &Store{path: path, db: db, keepRuns: KeepRuns, keepBytes: KeepBytes}
	if err := s.migrate(ctx); err != nil {
		return nil, errors.Join(s.explain("open", err), db.Close())
	}
	return s, nil
}

// Path returns where the file is.
func (s *Store) Path() string { return s.path }

// Close ends the use of the store.
func (s *Store) Close() error { return s.explain("close", s.db.Close()) }

// dsn spells a path, whatever characters it holds, as SQLite's URI with the
// settings that every connection needs.
func dsn(path string) string {
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		fmt.Sprintf("busy_timeout(%d)", BusyTimeout.Milliseconds()),
		"journal_mode(WAL)",
		"synchronous(NORMAL)",
	}}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: q.Encode()}).String()
}

//go:embed migrations/*.sql
var migrations embed.FS

// migrate runs the migrations that the file lacks. The first transaction takes
// the write lock, so of two processes that start on a new file one waits and
// then finds the work done.
func (s *Store) migrate(ctx context.Context) error {
	names, err := fs.Glob(migrations, "migrations/*.sql") // sorted
	if err != nil {
		return err
	}
	var have int
	if err := s.db.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return err
	}
	if have == len(names) {
		return nil
	}
	tx, err := s.db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }() // after Commit it does nothing
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&have); err != nil {
		return err
	}
	if have > len(names) {
		return &NewerError{Path: s.path, Have: have, Known: len(names)}
	}
	for i := have; i < len(names); i++ {
		script, err := migrations.ReadFile(names[i])
		if err != nil {
			return err
		}
		if _, err := tx.ExecContext(ctx, string(script)); err != nil {
			return fmt.Errorf("%s: %w", names[i], err)
		}
	}
	// PRAGMA takes no bound parameters.
	if _, err := tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(names))); err != nil {
		return err
	}
	return tx.Commit()
}

// explain names the file and the next step in the errors that a person can do
// something about.
func (s *Store) explain(doing string, err error) error {
	if err == nil {
		return nil
	}
	var newer *NewerError
	if errors.As(err, &newer) {
		return err
	}
	next := ""
	var se *sqlite.Error
	if errors.As(err, &se) {
		switch se.Code() & 0xff { // the low byte is the primary code
		case sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT:
			next = fmt.Sprintf("; move it away (mv %s %s.broken): only past runs are lost", shellQuote(s.path), shellQuote(s.path))
		case sqlite3.SQLITE_FULL:
			next = "; free some space on that disk, or run with --no-store"
		case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
			next = "; make the file and its folder writable, or run with --no-store"
		case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
			next = fmt.Sprintf("; another process has held it for %s: end that one, or run with --no-store", BusyTimeout)
		case sqlite3.SQLITE_IOERR:
			next = "; the disk or network file system refused: point XDG_STATE_HOME to a local disk, or run with --no-store"
		}
	}
	return fmt.Errorf("%s %s: %w%s", doing, s.path, err, next)
}

func shellQuote(s string) string {
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !strings.ContainsRune("/._-+@%:=,", r) && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	}) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
