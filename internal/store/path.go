package store

import (
	"errors"
	"path/filepath"
)

// DefaultPath returns where the runs of this user are kept. getenv and home
// are os.Getenv and os.UserHomeDir outside of tests.
func DefaultPath(getenv func(string) string, home func() (string, error)) (string, error) {
	// The XDG specification says to ignore a path that is not absolute.
	if state := getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		return filepath.Join(state, "kilter", "kilter.db"), nil
	}
	dir, err := home()
	if err != nil || !filepath.IsAbs(dir) {
		return "", errors.New("no folder for kilter's state: neither HOME nor XDG_STATE_HOME is set; set one, or run with --no-store")
	}
	return filepath.Join(dir, ".local", "state", "kilter", "kilter.db"), nil
}
