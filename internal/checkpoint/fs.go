package checkpoint

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"time"
)

// An FS is how a checkpoint's files are reached, on this machine or another.
// Names are paths with slashes. Errors wrap fs.ErrNotExist, fs.ErrPermission,
// ErrLoop where they fit, or are a *NotRegularError.
type FS interface {
	// Open opens a regular file for reading at any offset; anything else is a
	// *NotRegularError, without waiting on it.
	Open(ctx context.Context, name string) (Handle, error)
	// Stat follows links.
	Stat(ctx context.Context, name string) (Info, error)
	// List returns the entries of a folder, sorted by name. It does not follow
	// links: a link's Mode says so.
	List(ctx context.Context, name string) ([]Info, error)
	// Readlink returns where a link points, as it is written there.
	Readlink(ctx context.Context, name string) (string, error)
}

// A Handle is an open file. Reads at different offsets may run at once.
type Handle interface {
	io.ReaderAt
	io.Closer
	// Stat returns what the open file is now.
	Stat() (Info, error)
}

// An Info is what is known of a file without reading it.
type Info struct {
	Name    string // the last element of its path
	Size    int64
	Mode    fs.FileMode
	ModTime time.Time
}

// ErrLoop is the error for links that lead to themselves.
var ErrLoop = errors.New("too many symbolic links, or links that lead in a circle")

// A NotRegularError is the error for opening what is no regular file.
type NotRegularError struct {
	// Mode says what it is.
	Mode fs.FileMode
}

func (e *NotRegularError) Error() string { return "no regular file but " + describe(e.Mode) }

// ErrTooMany is the error for a folder with more entries than are listed.
var ErrTooMany = errors.New("too many entries in the folder")
