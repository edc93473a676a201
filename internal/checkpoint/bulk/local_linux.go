package bulk

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"unsafe"

	"golang.org/x/sys/unix"
)

// osFile returns the file of this machine behind the source, or nil.
func (r *Reader) osFile() *os.File {
	if h, ok := r.src.(interface{ OSFile() *os.File }); ok {
		return h.OSFile()
	}
	return nil
}

// openDirect opens the same file once more, with O_DIRECT. It goes by the open
// descriptor, so it is the same file whatever its name leads to by now.
func (r *Reader) openDirect() error {
	f := r.osFile()
	if f == nil {
		return fmt.Errorf("%v: %w: it is on another machine", Direct, ErrStrategy)
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var direct *os.File
	if err2 := conn.Control(func(fd uintptr) {
		direct, err = os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", fd), os.O_RDONLY|unix.O_DIRECT, 0)
	}); err2 != nil {
		return err2
	}
	if err != nil {
		return fmt.Errorf("%v: %w: %w", Direct, ErrStrategy, err)
	}
	r.close = direct.Close
	r.read = func(p []byte, off int64) (int, error) { return r.readDirect(direct, p, off) }
	return nil
}

// readDirect reads p at off, both aligned, and what the file system will not
// read so through the page cache.
func (r *Reader) readDirect(f *os.File, p []byte, off int64) (int, error) {
	n := 0
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, err
	}
	var failed error
	err = conn.Control(func(fd uintptr) {
		for n < len(p) && n%align == 0 {
			var got int
			got, failed = unix.Pread(int(fd), p[n:], off+int64(n))
			if errors.Is(failed, unix.EINTR) {
				failed = nil
				continue
			}
			if n += max(0, got); got <= 0 {
				return
			}
		}
	})
	if err == nil {
		err = failed
	}
	if errors.Is(err, unix.EINVAL) || err == nil && n < len(p) && n%align != 0 && off+int64(n) < r.size {
		var rest int
		rest, err = r.src.ReadAt(p[n:], off+int64(n))
		n += rest
	}
	return n, err
}

// cached returns which part of the file is in the page cache, from a few dozen
// samples: reads that would have to wait for the disk give up at once.
func (r *Reader) cached() (part float64, known bool) {
	f := r.osFile()
	if f == nil {
		return 0, false
	}
	conn, err := f.SyscallConn()
	if err != nil {
		return 0, false
	}
	const samples = 64
	hits, buf := 0, make([]byte, 1)
	known = true
	err = conn.Control(func(fd uintptr) {
		for i := range int64(samples) {
			// Anywhere within the share but for its beginning, where reading ahead ends.
			at := r.size/samples*i + (r.size/samples)*(i%7+1)/9
			switch n, err := unix.Preadv2(int(fd), [][]byte{buf}, at, unix.RWF_NOWAIT); {
			case n == 1:
				hits++
			case err != nil && !errors.Is(err, unix.EAGAIN):
				known = false
				return
			}
		}
	})
	return float64(hits) / samples, known && err == nil
}

// canMap says whether the file can be mapped.
func (r *Reader) canMap() error {
	if r.osFile() == nil {
		return fmt.Errorf("%v: %w: it is on another machine", Mapped, ErrStrategy)
	}
	return nil
}

// mapWindow is how much is mapped at a time. Mapped pages count as resident
// memory, so a whole file would look like a leak of its size.
const mapWindow = 32 << 20

// eachMapped maps a window after the other and hands them over in pieces.
func (r *Reader) eachMapped(ctx context.Context, off, n int64, fn func(int64, []byte) error) error {
	conn, err := r.osFile().SyscallConn()
	if err != nil {
		return err
	}
	window := int64(max(mapWindow, r.chunk))
	for at := off &^ (align - 1); at < off+n; at += window {
		var m []byte
		size := min(window, off+n-at)
		if err2 := conn.Control(func(fd uintptr) {
			m, err = unix.Mmap(int(fd), at, int(size), unix.PROT_READ, unix.MAP_SHARED)
		}); err2 != nil {
			return err2
		}
		if err != nil {
			return fmt.Errorf("map bytes [%d, %d): %w", at, at+size, err)
		}
		// Maps all pages that are in memory at once, instead of a fault each;
		// what it cannot do comes as faults.
		_ = unix.Madvise(m, unix.MADV_POPULATE_READ)
		err = r.window(ctx, m, at, off, fn)
		if err2 := unix.Munmap(m); err == nil {
			err = err2
		}
		if err == nil {
			err = r.check(at + size)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// window hands over one window. Touching a page beyond the end of a file that
// has shrunk is a fault, which becomes an error.
func (r *Reader) window(ctx context.Context, m []byte, at, off int64, fn func(int64, []byte) error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		e := recover()
		if e == nil {
			return
		}
		fault, ok := e.(interface {
			runtime.Error
			Addr() uintptr
		})
		if !ok || fault.Addr()-uintptr(unsafe.Pointer(&m[0])) >= uintptr(len(m)) { //nolint:gosec // only the address is looked at
			panic(e)
		}
		place := at + int64(fault.Addr()-uintptr(unsafe.Pointer(&m[0]))) //nolint:gosec // as above
		if err = r.check(at + int64(len(m))); err == nil {
			err = fmt.Errorf("read at byte %d: the system could not bring the page from the disk: %w", place, unix.EIO)
		}
	}()
	for from := 0; from < len(m); from += r.chunk {
		if err := ctx.Err(); err != nil {
			return err
		}
		p := m[from:min(len(m), from+r.chunk)]
		if err := hand(fn, at+int64(from), p, off); err != nil {
			return err
		}
	}
	return nil
}
