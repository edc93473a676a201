package bulk

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"kilter/internal/checkpoint"
	"kilter/internal/checkpoint/problem"
)

// A Strategy is how bytes come from the file to the caller.
type Strategy uint8

// The strategies.
const (
	// Auto takes Buffered for a file in the page cache and Direct for one that
	// is not.
	Auto Strategy = iota
	// Buffered reads through the page cache.
	Buffered
	// Direct reads around the page cache (O_DIRECT), several pieces at a time.
	Direct
	// Mapped maps the file, a window at a time.
	Mapped
)

// String returns the strategy's name.
func (s Strategy) String() string {
	names := [...]string{"auto", "buffered", "direct", "mapped"}
	if int(s) < len(names) {
		return names[s]
	}
	return fmt.Sprintf("strategy(%d)", uint8(s))
}

// Options tune a Reader; zero values mean what was measured to be best.
type Options struct {
	Strategy Strategy
	// Chunk is the bytes of a piece, rounded up to 4 KiB.
	Chunk int
	// Depth is how many pieces are read ahead, by as many goroutines. It does
	// nothing for Mapped.
	Depth int
}

// align is what O_DIRECT wants offsets, lengths and memory to be multiples of;
// no disk in use needs more.
const align = 4096

// ErrStrategy is the error of Open for a strategy that this file or system
// does not have.
var ErrStrategy = errors.New("cannot be read in this way")

// A Reader reads ranges of one file. Its methods may be called by several
// goroutines at once; each call has its own buffers.
type Reader struct {
	src      checkpoint.Handle
	size     int64
	strategy Strategy
	chunk    int
	depth    int
	// read fills p from an offset, both aligned; short only at the file's end.
	read  func(p []byte, off int64) (int, error)
	close func() error

	mu   sync.Mutex
	free [][]byte
}

// Open prepares the reading of an open file, which must stay open until the
// Reader is closed. Only Buffered can read a file of another machine.
func Open(src checkpoint.Handle, opts Options) (*Reader, error) {
	info, err := src.Stat()
	if err != nil {
		return nil, err
	}
	r := &Reader{src: src, size: info.Size, strategy: opts.Strategy, read: src.ReadAt, close: func() error { return nil }}
	switch opts.Strategy {
	case Auto:
		r.choose()
	case Direct:
		err = r.openDirect()
	case Mapped:
		err = r.canMap()
	}
	if err != nil {
		return nil, err
	}
	r.chunk, r.depth = opts.Chunk, opts.Depth
	if r.chunk <= 0 {
		r.chunk = defaultChunk(r.strategy)
	}
	if r.depth <= 0 {
		r.depth = defaultDepth(r.strategy)
	}
	r.chunk = (r.chunk + align - 1) &^ (align - 1)
	return r, nil
}

func defaultChunk(s Strategy) int {
	if s == Direct {
		return 4 << 20
	}
	return 1 << 20
}

func defaultDepth(s Strategy) int {
	if s == Direct {
		return 4
	}
	return 1
}

// choose decides for Auto. A file of which more than a third has to come from
// the disk is read around the page cache: what is in it is lost then, but the
// rest comes faster and evicts nobody's pages.
func (r *Reader) choose() {
	r.strategy = Buffered
	if cached, known := r.cached(); known && cached < 2.0/3 && r.size >= minDirect && r.openDirect() == nil {
		r.strategy = Direct
	}
}

// minDirect is the size below which reading around the page cache saves
// nothing worth having.
const minDirect = 16 << 20

// Strategy returns how the file is read.
func (r *Reader) Strategy() Strategy { return r.strategy }

// Size returns the file's size when the Reader was opened.
func (r *Reader) Size() int64 { return r.size }

// Close ends the Reader; the file stays open.
func (r *Reader) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = nil
	return r.close()
}

// Each calls fn with the n bytes from off, in order, in pieces. A piece is
// valid until fn returns, and fn must not let another goroutine touch it: where
// the file is mapped, only this one survives that the file shrinks. An error of
// fn ends the reading and is returned.
//
// A file that has shrunk is a *problem.Problem of kind problem.Shrank. By then
// fn may have seen zeros in the place of lost bytes, so what it found counts
// only if Each returns nil.
//
// When the context ends no further piece is begun; a read that the system has
// already begun is waited for.
func (r *Reader) Each(ctx context.Context, off, n int64, fn func(off int64, p []byte) error) error {
	if off < 0 || n < 0 || off > r.size-n {
		return r.shrank(fmt.Sprintf("bytes [%d, %d) are wanted of a file that had %d bytes when it was opened", off, off+n, r.size))
	}
	if n == 0 {
		return ctx.Err()
	}
	var err error
	switch {
	case r.strategy == Mapped:
		err = r.eachMapped(ctx, off, n, fn)
	case r.depth == 1:
		err = r.eachInTurn(ctx, off, n, fn)
	default:
		err = r.eachAhead(ctx, off, n, fn)
	}
	if err != nil {
		return err
	}
	return r.check(off + n)
}

// check returns an error if the file no longer reaches to end.
func (r *Reader) check(end int64) error {
	info, err := r.src.Stat()
	if err != nil {
		return err
	}
	if info.Size < end {
		return r.shrank(fmt.Sprintf("the file had %d bytes and now has %d", r.size, info.Size))
	}
	return nil
}

func (r *Reader) shrank(says string) error {
	return &problem.Problem{Kind: problem.Shrank, Says: says, Hint: "wait until nothing writes it, then try again"}
}

// fill reads the piece at an aligned offset; it returns the bytes up to end.
func (r *Reader) fill(buf []byte, off, end int64) ([]byte, error) {
	want := int(min(int64(len(buf)), end-off))
	ask := (want + align - 1) &^ (align - 1) // what O_DIRECT can read
	n, err := r.read(buf[:ask], off)
	if n >= want {
		return buf[:want], nil
	}
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, r.shrank(fmt.Sprintf("the file had %d bytes and now ends at %d", r.size, off+int64(n)))
	}
	return nil, fmt.Errorf("read at byte %d: %w", off, err)
}

// eachInTurn reads a piece, hands it over, and so on.
func (r *Reader) eachInTurn(ctx context.Context, off, n int64, fn func(int64, []byte) error) error {
	buf := r.buffer()
	defer r.release(buf)
	for at := off &^ (align - 1); at < off+n; at += int64(len(buf)) {
		if err := ctx.Err(); err != nil {
			return err
		}
		p, err := r.fill(buf, at, off+n)
		if err == nil {
			err = hand(fn, at, p, off)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// hand gives a piece to fn without what lies before off.
func hand(fn func(int64, []byte) error, at int64, p []byte, off int64) error {
	if at < off {
		p, at = p[off-at:], off
	}
	return fn(at, p)
}

// A slot is a buffer with the goroutine that fills it.
type slot struct {
	buf  []byte
	free chan struct{} // the buffer may be filled
	full chan filled
}

type filled struct {
	p   []byte
	err error
}

// eachAhead reads pieces with as many goroutines as slots, each at its own
// share of the pieces, and hands them over in order. All goroutines have ended
// when it returns.
func (r *Reader) eachAhead(ctx context.Context, off, n int64, fn func(int64, []byte) error) error {
	ctx, cancel := context.WithCancel(ctx)
	first := off &^ (align - 1)
	chunk := int64(r.chunk)
	pieces := (off + n - first + chunk - 1) / chunk
	slots := make([]slot, min(int64(r.depth), pieces))
	var wg sync.WaitGroup
	defer func() {
		cancel()
		wg.Wait()
		for _, s := range slots {
			r.release(s.buf)
		}
	}()
	for i := range slots {
		s := slot{r.buffer(), make(chan struct{}, 1), make(chan filled, 1)}
		slots[i] = s
		s.free <- struct{}{}
		wg.Go(func() {
			for k := int64(i); k < pieces; k += int64(len(slots)) {
				select {
				case <-ctx.Done():
					return
				case <-s.free:
				}
				p, err := r.fill(s.buf, first+k*chunk, off+n)
				if s.full <- (filled{p, err}); err != nil {
					return
				}
			}
		})
	}
	for k := range pieces {
		s := slots[k%int64(len(slots))]
		var got filled
		select {
		case <-ctx.Done():
			return ctx.Err()
		case got = <-s.full:
		}
		if got.err != nil {
			return got.err
		}
		if err := hand(fn, first+k*chunk, got.p, off); err != nil {
			return err
		}
		s.free <- struct{}{}
	}
	return nil
}
