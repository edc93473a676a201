package store_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"kilter/internal/store"
)

func TestMain(m *testing.M) {
	if path := os.Getenv("STORE_TEST_WRITE"); path != "" {
		os.Exit(writeMany(path, os.Getenv("STORE_TEST_NAME")))
	}
	goleak.VerifyTestMain(m)
}

var start = time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC)

// run makes the n-th run of a day.
func run(n int) store.Run {
	return store.Run{
		ID:      fmt.Sprintf("20261129-%06d-%04x", n, n*7919%65536),
		Started: start.Add(time.Duration(n) * time.Second),
		Target:  "http://127.0.0.1:8000", Model: "m", Level: "smoke", Verdict: "consistent", Kilter: "v0.1.0",
		Record: fmt.Appendf(nil, `{"n":%d}`, n),
	}
}

func open(t *testing.T, path string) *store.Store {
	t.Helper()
	s, err := store.Open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func put(t *testing.T, s *store.Store, runs ...store.Run) {
	t.Helper()
	for _, r := range runs {
		if err := s.Put(t.Context(), r); err != nil {
			t.Fatal(err)
		}
	}
}

func ids(runs []store.Run) (out []string) {
	for _, r := range runs {
		out = append(out, r.ID)
	}
	return out
}

func TestPutAndGet(t *testing.T) {
	// Every character that means something in a URI or a query.
	path := filepath.Join(t.TempDir(), "odd ?#%&=;' name", "kilter.db")
	s := open(t, path)
	want := run(1)
	put(t, s, want)
	got, err := s.Get(t.Context(), want.ID)
	if err != nil {
		t.Fatal(err)
	}
	want.Bytes = int64(len(want.Record))
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("Get (-want +got):\n%s", d)
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}

func TestModes(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state", "kilter")
	s := open(t, filepath.Join(dir, "kilter.db"))
	put(t, s, run(1))
	for _, d := range []string{filepath.Dir(dir), dir} {
		if fi, err := os.Stat(d); err != nil || fi.Mode().Perm() != 0o700 {
			t.Errorf("%s: mode %v (%v), want 0700", d, fi.Mode(), err)
		}
	}
	files, err := os.ReadDir(dir)
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if fi, err := f.Info(); err != nil || fi.Mode().Perm() != 0o600 {
			t.Errorf("%s: mode %v (%v), want 0600", f.Name(), fi.Mode(), err)
		}
	}
}

func TestGetByPrefix(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "k.db"))
	a, b, c := run(1), run(2), run(3)
	a.ID, b.ID, c.ID = "20261129-01-aa", "20261129-01-ab", "20261129-01-a"
	put(t, s, a, b, c)
	for prefix, want := range map[string]string{
		"20261129-01-aa": a.ID,
		"20261129-01-ab": b.ID,
		"20261129-01-a":  c.ID, // a whole id wins over longer ones
	} {
		if got, err := s.Get(t.Context(), prefix); err != nil || got.ID != want {
			t.Errorf("Get(%q) = %q, %v; want %q", prefix, got.ID, err, want)
		}
	}
	var amb *store.AmbiguousError
	if _, err := s.Get(t.Context(), "2026"); !errors.As(err, &amb) || len(amb.IDs) != 3 {
		t.Errorf("Get of a shared prefix: %v", err)
	}
	// Wildcards of SQL are plain characters here.
	for _, id := range []string{"", "%", "_", "2027", "20261129-01-aaa", "*"} {
		if got, err := s.Get(t.Context(), id); !errors.Is(err, store.ErrNotFound) {
			t.Errorf("Get(%q) = %q, %v; want ErrNotFound", id, got.ID, err)
		}
	}
}

func TestLastAndList(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "k.db"))
	other := run(3)
	other.Target = "http://other"
	model := run(2)
	model.Model = "n"
	put(t, s, run(1), other, model)

	last, err := s.Last(t.Context(), store.Filter{})
	if err != nil || last.ID != other.ID || string(last.Record) != `{"n":3}` {
		t.Errorf("Last() = %+v, %v", last, err)
	}
	last, err = s.Last(t.Context(), store.Filter{Target: "http://127.0.0.1:8000", Model: "m"})
	if err != nil || last.ID != run(1).ID {
		t.Errorf("Last(target, model) = %q, %v", last.ID, err)
	}
	last, err = s.Last(t.Context(), store.Filter{Before: other.Started})
	if err != nil || last.ID != model.ID {
		t.Errorf("Last(before) = %q, %v", last.ID, err)
	}
	if _, err = s.Last(t.Context(), store.Filter{Target: "http://nowhere"}); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("Last of nothing: %v", err)
	}
	runs, err := s.List(t.Context(), store.Filter{Limit: 2})
	if d := cmp.Diff([]string{other.ID, model.ID}, ids(runs)); d != "" || err != nil {
		t.Errorf("List (-want +got):\n%s %v", d, err)
	}
	if len(runs[0].Record) != 0 || runs[0].Bytes == 0 {
		t.Errorf("List: record %q of %d bytes; want only its length", runs[0].Record, runs[0].Bytes)
	}
}

func TestKeepsTheNewest(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "k.db"))
	store.SetBounds(s, 3, 1000)
	put(t, s, run(1), run(2), run(3), run(4))
	runs, err := s.List(t.Context(), store.Filter{})
	if d := cmp.Diff([]string{run(4).ID, run(3).ID, run(2).ID}, ids(runs)); d != "" || err != nil {
		t.Errorf("after a fourth (-want +got):\n%s %v", d, err)
	}
	big := run(5)
	big.Record = bytes.Repeat([]byte("x"), 990)
	put(t, s, big)
	runs, _ = s.List(t.Context(), store.Filter{})
	if d := cmp.Diff([]string{big.ID, run(4).ID}, ids(runs)); d != "" {
		t.Errorf("after a big one (-want +got):\n%s", d)
	}
	// Over the bound alone, and older than the rest: what was just stored stays.
	huge := run(0)
	huge.Record = bytes.Repeat([]byte("x"), 2000)
	put(t, s, huge)
	runs, _ = s.List(t.Context(), store.Filter{})
	if d := cmp.Diff([]string{huge.ID}, ids(runs)); d != "" {
		t.Errorf("after a huge one (-want +got):\n%s", d)
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.db")
	put(t, open(t, path), run(1))
	exec1(t, path, "PRAGMA user_version = 99")
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, err = store.Open(t.Context(), path)
	var newer *store.NewerError
	if !errors.As(err, &newer) || newer.Have != 99 || !strings.Contains(err.Error(), path) {
		t.Fatalf("Open: %v", err)
	}
	if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
		t.Error("the file was changed")
	}
}

func TestBadFiles(t *testing.T) {
	dir := t.TempDir()
	garbage := filepath.Join(dir, "garbage.db")
	if err := os.WriteFile(garbage, bytes.Repeat([]byte("not a database "), 500), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ path, want string }{
		"garbage":          {garbage, "move it away (mv " + garbage},
		"folder is a file": {filepath.Join(file, "kilter.db"), "--no-store"},
		"path is a folder": {dir, "--no-store"},
	} {
		s, err := store.Open(t.Context(), c.path)
		if err == nil {
			_ = s.Close()
			t.Errorf("%s: opened", name)
			continue
		}
		if !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v; want %q", name, err, c.want)
		}
	}
}

func TestDefaultPath(t *testing.T) {
	home := func() (string, error) { return "/home/u", nil }
	for state, want := range map[string]string{
		"":         "/home/u/.local/state/kilter/kilter.db",
		"relative": "/home/u/.local/state/kilter/kilter.db",
		"/state":   "/state/kilter/kilter.db",
	} {
		got, err := store.DefaultPath(func(string) string { return state }, home)
		if err != nil || got != want {
			t.Errorf("XDG_STATE_HOME=%q: %q, %v; want %q", state, got, err, want)
		}
	}
	_, err := store.DefaultPath(func(string) string { return "" }, func() (string, error) { return "", errors.New("no home") })
	if err == nil || !strings.Contains(err.Error(), "--no-store") {
		t.Errorf("without a home: %v", err)
	}
}

// Two handles, as of two goroutines, start on a file that does not exist.
func TestTwoHandles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.db")
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		wg.Go(func() {
			if rc := writeMany(path, name); rc != 0 {
				t.Errorf("writer %s: exit status %d", name, rc)
			}
		})
	}
	wg.Wait()
	wantAll(t, path)
}

func TestTwoProcesses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "k.db")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b"} {
		wg.Go(func() {
			cmd := exec.CommandContext(t.Context(), self)
			cmd.Env = append(os.Environ(), "STORE_TEST_WRITE="+path, "STORE_TEST_NAME="+name)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("writer %s: %v\n%s", name, err, out)
			}
		})
	}
	wg.Wait()
	wantAll(t, path)
}

const perWriter = 40

func writeMany(path, name string) int {
	ctx := context.Background()
	s, err := store.Open(ctx, path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	for n := range perWriter {
		r := run(n)
		r.ID += name
		if err := s.Put(ctx, r); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	if err := s.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func wantAll(t *testing.T, path string) {
	t.Helper()
	runs, err := open(t, path).List(t.Context(), store.Filter{})
	if err != nil || len(runs) != 2*perWriter {
		t.Errorf("%d runs (%v), want %d", len(runs), err, 2*perWriter)
	}
}

func exec1(t *testing.T, path, query string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(query); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
