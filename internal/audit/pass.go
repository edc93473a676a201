package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"kilter/internal/checkpoint"
	"kilter/internal/checkpoint/bulk"
	"kilter/internal/checkpoint/problem"
	"kilter/internal/numeric"
)

// A Progress says how far the pass over the bytes is.
type Progress struct {
	// Doing is what is being done, such as "reading model-00001.safetensors".
	Doing string
	// Done and Total are bytes.
	Done, Total int64
	Elapsed     time.Duration
	// Left is an estimate; 0 while there is none.
	Left time.Duration
}

// progressEvery is how often progress is told.
const progressEvery = 200 * time.Millisecond

// maxWorkers bounds the files that are read at once, and with them the memory:
// a worker holds up to 16 MiB of buffers.
const maxWorkers = 16

// unhashedJob is how many bytes of a file one job takes where no hash ties it
// to the whole file.
const unhashedJob = 64 << 20

// A job is a part of a file that one worker reads from begin to end.
type job struct {
	file     int
	from, to int64
	tensors  [2]int // the indexes of its tensors, [from, to)
	whole    bool   // it is all of the file, and hashed
	result   jobResult
}

// A jobResult is what a job found, but for its tensors.
type jobResult struct {
	done   bool
	digest digests
	zeros  []extent
	more   bool // there were more zero runs than are kept
	err    error
	now    checkpoint.Info // what the file was after it was read
}

// An extent is a run of bytes of a file, [begin, end).
type extent struct{ begin, end int64 }

// A pass goes once over the bytes of all files.
type pass struct {
	c       *checkpoint.Checkpoint
	opts    Options
	seed    maphash.Seed
	scanAs  []numeric.DType // by tensor: what its bytes are looked at as; Invalid: not
	results []reading       // by tensor
	jobs    []job

	done, total atomic.Int64
	doing       atomic.Pointer[string]
	began       time.Time
}

// run reads all files. The error is the context's.
func (p *pass) run(ctx context.Context) error {
	p.plan()
	workers := min(len(p.jobs), cmp.Or(p.opts.Workers, max(2, runtime.GOMAXPROCS(0))), maxWorkers)
	p.began = p.opts.Now()
	var wg, tell sync.WaitGroup
	next := make(chan *job)
	for range workers {
		wg.Go(func() {
			w := walker{pass: p}
			w.print.h.SetSeed(p.seed)
			for j := range next {
				w.run(ctx, j)
			}
		})
	}
	stop := make(chan struct{})
	if p.opts.Progress != nil {
		tell.Go(func() { p.tell(stop) })
	}
feed:
	for i := range p.jobs {
		select {
		case next <- &p.jobs[i]:
		case <-ctx.Done():
			break feed
		}
	}
	close(next)
	wg.Wait()
	close(stop)
	tell.Wait()
	return ctx.Err()
}

// plan cuts the work into jobs, the largest first, so that no worker is left
// alone with a large one at the end.
func (p *pass) plan() {
	first := tensorsByFile(p.c)
	for i := range p.c.Files {
		f := &p.c.Files[i]
		if f.Size == 0 || p.opts.skip[f.Name] {
			continue
		}
		hash := !p.opts.NoHash && (!f.Stray || p.opts.expected(f) != checkpoint.Digest{})
		switch {
		case hash:
			p.jobs = append(p.jobs, job{file: i, to: f.Size, tensors: [2]int{first[i], first[i+1]}, whole: true})
		case !p.opts.NoValues:
			p.cut(i, first[i], first[i+1])
		}
	}
	slices.SortStableFunc(p.jobs, func(a, b job) int { return cmp.Compare(b.to-b.from, a.to-a.from) })
	for _, j := range p.jobs {
		p.total.Add(j.to - j.from)
	}
}

// cut makes jobs of a file's tensors, without a cut inside a tensor.
func (p *pass) cut(file, from, to int) {
	for i := from; i < to; {
		j := job{file: file, tensors: [2]int{i, i}, from: -1}
		for ; i < to && j.to-max(j.from, 0) < unhashedJob; i++ {
			t := p.c.Tensors.At(i)
			if !t.Readable {
				continue
			}
			if j.from < 0 {
				j.from = t.Offset
			}
			j.to = max(j.to, t.Offset+t.Length)
		}
		if j.tensors[1] = i; j.from >= 0 && j.to > j.from {
			p.jobs = append(p.jobs, j)
		}
	}
}

// tensorsByFile returns where each file's tensors begin in c.Tensors, and the
// end of all.
func tensorsByFile(c *checkpoint.Checkpoint) []int {
	first := make([]int, len(c.Files)+1)
	i := 0
	for f := range c.Files {
		first[f] = i
		for i < c.Tensors.Len() && c.Tensors.At(i).File == f {
			i++
		}
	}
	first[len(c.Files)] = i
	return first
}

// tell reports progress until it is stopped, and once more then.
func (p *pass) tell(stop <-chan struct{}) {
	t := time.NewTicker(progressEvery)
	defer t.Stop()
	for {
		p.opts.Progress(p.progress())
		select {
		case <-stop:
			p.opts.Progress(p.progress())
			return
		case <-t.C:
		}
	}
}

func (p *pass) progress() Progress {
	u := Progress{Done: p.done.Load(), Total: p.total.Load(), Elapsed: p.opts.Now().Sub(p.began), Doing: "reading"}
	if name := p.doing.Load(); name != nil {
		u.Doing = "reading " + *name
	}
	// The first moments say little: files are opened, disks wake up.
	if u.Elapsed > time.Second && u.Done > 0 {
		u.Left = time.Duration(float64(u.Elapsed) * float64(u.Total-u.Done) / float64(u.Done))
	}
	return u
}

// A walker reads one job after the other.
type walker struct {
	*pass
	scanner numeric.Scanner
	print   fingerprint

	digest digests
	zeros  zeroRuns
	next   int // the tensor that is being read, or comes next
	last   int
	reach  int64 // where the tensors before it end
}

// piece is how many bytes are hashed and then scanned, so that they are still
// in the core's own cache the second time.
const piece = 256 << 10

// run reads one job.
func (w *walker) run(ctx context.Context, j *job) {
	f := &w.c.Files[j.file]
	w.doing.Store(&f.Name)
	err := w.read(ctx, j, f)
	if err != nil && ctx.Err() == nil {
		j.result.err = err
	}
	if err != nil {
		w.forget(j)
		return
	}
	j.result.done = true
	if j.whole {
		j.result.digest = w.digest
	}
	j.result.zeros, j.result.more = w.zeros.runs, w.zeros.more
}

// forget withdraws what was found in a job that did not end well: a file that
// shrinks shows zeros which were never in it.
func (w *walker) forget(j *job) {
	for i := j.tensors[0]; i < j.tensors[1]; i++ {
		w.results[i] = reading{}
	}
}

func (w *walker) read(ctx context.Context, j *job, f *checkpoint.File) error {
	h, err := w.c.FS().Open(ctx, f.Path)
	if err != nil {
		return err
	}
	defer h.Close()
	before, err := h.Stat()
	if err != nil {
		return err
	}
	if before.Size != f.Size {
		return shrank(f.Size, before.Size)
	}
	r, err := openBulk(h, w.opts.Strategy)
	if err != nil {
		return err
	}
	defer r.Close() //nolint:errcheck // it was only read
	w.digest, w.zeros = digests{}, zeroRuns{}
	if j.whole {
		w.digest = newDigests(w.opts.expected(f), f.Size)
	}
	w.next, w.last, w.reach = j.tensors[0], j.tensors[1], 0
	w.open()
	err = r.Each(ctx, j.from, j.to-j.from, func(off int64, p []byte) error {
		for len(p) > 0 {
			n := min(len(p), piece)
			w.take(off, p[:n])
			w.done.Add(int64(n))
			off, p = off+int64(n), p[n:]
		}
		return nil
	})
	if err != nil {
		return err
	}
	j.result.now, err = h.Stat()
	return err
}

// openBulk prepares the reading of a file. From the page cache it reads pieces
// that fit into a core's cache together with a neighbour's: they are copied,
// hashed and scanned without leaving it.
func openBulk(h checkpoint.Handle, s bulk.Strategy) (*bulk.Reader, error) {
	r, err := bulk.Open(h, bulk.Options{Strategy: s})
	if err != nil || r.Strategy() != bulk.Buffered {
		return r, err
	}
	if err := r.Close(); err != nil {
		return nil, err
	}
	return bulk.Open(h, bulk.Options{Strategy: bulk.Buffered, Chunk: piece})
}

// shrank is the problem of a file whose size changed since its header was read.
func shrank(was, is int64) error {
	return &problem.Problem{Kind: problem.Shrank, Says: fmt.Sprintf("the file had %d bytes and now has %d", was, is), Hint: "wait until nothing writes it, then try again"}
}

// isChange reports whether an error is of a file that is being written.
func isChange(err error) bool {
	return problem.Is(err, problem.Shrank) || problem.Is(err, checkpoint.Changing)
}

// take hashes and scans the next bytes of the job.
func (w *walker) take(off int64, p []byte) {
	w.digest.write(p)
	if w.opts.NoValues {
		return
	}
	w.zeros.feed(off, p)
	for len(p) > 0 && w.next < w.last {
		t := w.c.Tensors.At(w.next)
		if off < t.Offset { // between two tensors
			n := min(int64(len(p)), t.Offset-off)
			off, p = off+n, p[n:]
			continue
		}
		n := min(int64(len(p)), t.Offset+t.Length-off)
		if w.scanAs[w.next] != numeric.Invalid {
			_, _ = w.scanner.Write(p[:n]) // fails only on a scanner that was not set up
		}
		w.print.feed(off-t.Offset, p[:n])
		off, p = off+n, p[n:]
		if off == t.Offset+t.Length {
			w.finish()
			w.next++
			w.open()
		}
	}
}

// open prepares for the next tensor with bytes. Of tensors that overlap, the
// later ones are left out.
func (w *walker) open() {
	for ; w.next < w.last; w.next++ {
		t := w.c.Tensors.At(w.next)
		if !t.Readable || t.Length <= 0 || t.Offset < w.reach {
			continue
		}
		w.reach = t.Offset + t.Length
		if d := w.scanAs[w.next]; d != numeric.Invalid {
			if w.scanner.Reset(d, rowOf(t, d)) != nil && w.scanner.Reset(d, 0) != nil {
				w.scanAs[w.next] = numeric.Invalid
			}
		}
		w.print.reset(t.Length)
		return
	}
}

// finish keeps what was found in a tensor.
func (w *walker) finish() {
	r := reading{read: true, print: w.print.sum()}
	if w.scanAs[w.next] != numeric.Invalid {
		if st, err := w.scanner.Stats(); err == nil {
			r.keep(&st)
		}
	}
	w.results[w.next] = r
}

// leastRow is how many elements a row needs to be judged as such: a few equal
// ones are no wonder.
const leastRow = 32

// rowOf returns the elements of a tensor's rows, 0 where rows mean nothing.
func rowOf(t *checkpoint.Tensor, d numeric.DType) int64 {
	if len(t.Shape) < 2 {
		return 0
	}
	row := t.Shape[len(t.Shape)-1]
	if d == numeric.F4 && t.DType == numeric.U8 {
		row *= 2
	}
	if row < leastRow || t.Elements() == t.Shape[len(t.Shape)-1] {
		return 0
	}
	return row
}

// errStopped is why a pass that the caller ended is not whole.
var errStopped = errors.New("interrupted")
