package store

import (
	"errors"
	"fmt"
	"strings"
)

// ErrNotFound is the error of Get and Last where no run fits.
var ErrNotFound = errors.New("no such run")

// An AmbiguousError is the error of Get where several runs begin with the
// given text.
type AmbiguousError struct {
	Prefix string
	// IDs are some of those that fit, newest first.
	IDs []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%q fits several runs: %s", e.Prefix, strings.Join(e.IDs, ", "))
}

// A NewerError is the error of Open for a file that a later kilter wrote.
type NewerError struct {
	Path        string
	Have, Known int
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s has schema %d and this kilter knows only %d: it was written by a later kilter; update this one, or point XDG_STATE_HOME elsewhere",
		e.Path, e.Have, e.Known)
}
