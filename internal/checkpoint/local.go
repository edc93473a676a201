package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"
)

// Local is the file system of this machine.
type Local struct{}

// maxEntries bounds the entries of a folder.
const maxEntries = 100_000

// Open implements FS.
func (Local) Open(ctx context.Context, name string) (Handle, error) {
	// Opening a device can act upon it, so look before; a FIFO put there in
	// between does not block, since it is opened without waiting.
	if _, err := (Local{}).regular(ctx, name); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, localError(err)
	}
	st, err := f.Stat()
	if err == nil {
		err = isRegular(name, st.Mode())
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return localHandle{f}, nil
}

func (l Local) regular(ctx context.Context, name string) (Info, error) {
	info, err := l.Stat(ctx, name)
	if err != nil {
		return info, err
	}
	return info, isRegular(name, info.Mode)
}

func isRegular(name string, mode fs.FileMode) error {
	if mode.IsRegular() {
		return nil
	}
	return fmt.Errorf("open %s: %w", name, &NotRegularError{mode})
}

// Stat implements FS.
func (Local) Stat(ctx context.Context, name string) (Info, error) {
	if err := ctx.Err(); err != nil {
		return Info{}, err
	}
	st, err := os.Stat(name)
	if err != nil {
		return Info{}, localError(err)
	}
	return infoOf(st), nil
}

// List implements FS.
func (Local) List(ctx context.Context, name string) ([]Info, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	// A folder is opened without waiting too, for what it may be by now.
	dir, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, localError(err)
	}
	defer dir.Close()
	var all []Info
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		entries, err := dir.ReadDir(1000)
		for _, e := range entries {
			st, err := e.Info()
			if errors.Is(err, fs.ErrNotExist) {
				continue // removed in the meantime
			}
			if err != nil {
				return nil, localError(err)
			}
			all = append(all, infoOf(st))
		}
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, localError(err)
		}
		if len(all) > maxEntries {
			return nil, fmt.Errorf("list %s: %w: more than %d", name, ErrTooMany, maxEntries)
		}
	}
	slices.SortFunc(all, func(a, b Info) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

// Readlink implements FS.
func (Local) Readlink(ctx context.Context, name string) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	to, err := os.Readlink(name)
	return to, localError(err)
}

// A localHandle is an open file of this machine. Package bulk finds the
// *os.File through OSFile.
type localHandle struct{ *os.File }

func (h localHandle) Stat() (Info, error) {
	st, err := h.File.Stat()
	if err != nil {
		return Info{}, localError(err)
	}
	return infoOf(st), nil
}

// OSFile returns the file itself.
func (h localHandle) OSFile() *os.File { return h.File }

func infoOf(st fs.FileInfo) Info {
	return Info{Name: st.Name(), Size: st.Size(), Mode: st.Mode(), ModTime: st.ModTime()}
}

// localError adds ErrLoop to the system's error.
func localError(err error) error {
	if errors.Is(err, syscall.ELOOP) {
		return fmt.Errorf("%w: %w", err, ErrLoop)
	}
	return err
}

// describe says what a file is that is no regular one.
func describe(mode fs.FileMode) string {
	switch {
	case mode.IsDir():
		return "a folder"
	case mode&fs.ModeNamedPipe != 0:
		return "a named pipe (FIFO)"
	case mode&fs.ModeSocket != 0:
		return "a socket"
	case mode&fs.ModeDevice != 0:
		return "a device"
	case mode&fs.ModeSymlink != 0:
		return "a link"
	}
	return "something else: " + mode.String()
}
