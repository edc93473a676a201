package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"path"
	"slices"
	"sort"
	"time"

	"kilter/internal/checkpoint"
	"kilter/internal/checkpoint/bulk"
	"kilter/internal/checkpoint/problem"
	"kilter/internal/model"
	"kilter/internal/numeric"
)

// Options are what an audit may leave out, and how it works.
type Options struct {
	// Checksums are the hashes that files should have; nil where none were
	// given. Without them, the hub cache's own names count.
	Checksums *Checksums
	// NoHash leaves out the hashes, NoValues the look at the values.
	NoHash, NoValues bool
	// Strategy is how bytes come from the files, and Workers how many files are
	// read at once; zero values mean what is best.
	Strategy bulk.Strategy
	Workers  int
	// Progress, if set, is called some times a second.
	Progress func(Progress)
	// Now is the clock; nil means the system's.
	Now func() time.Time

	sums map[string]string // Checksums by the files' names
	skip map[string]bool   // files that are known to be unreadable
}

// ErrNoSums is the error for checksums that are of no file of the model.
var ErrNoSums = errors.New("names no file of the model")

// Run audits a checkpoint. m is what model.Read found in it.
//
// The error is ErrNoSums; whatever is wrong with the files is in the report.
// When the context ends, the report says so and holds what was found until
// then.
func Run(ctx context.Context, m *model.Model, opts Options) (*Report, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	a := &audit{m: m, c: m.Checkpoint(), opts: opts, skipped: make(map[string]bool)}
	a.opts.skip = a.skipped
	a.rep = newReport(a.c, m, opts.Now())
	a.structure()
	if err := a.settleSums(); err != nil {
		return nil, err
	}
	a.describe()
	a.complete()
	if err := a.readAll(ctx); err == nil {
		a.readSides(ctx)
	}
	a.judge(ctx)
	a.config(ctx)
	if ctx.Err() != nil {
		a.rep.Stopped = errStopped.Error()
	}
	a.rep.finish(&a.found, opts.Now())
	return a.rep, nil
}

// An audit is one run.
type audit struct {
	m     *model.Model
	c     *checkpoint.Checkpoint
	opts  Options
	rep   *Report
	found findings

	skipped   map[string]bool // files whose bytes were not read
	badHeader map[string]bool // files of which some tensors may not be known
	subjects  []subject       // by tensor
	readings  []reading       // by tensor
	zeros     [][]extent      // by file: runs of zero pages
	inHole    map[int]bool    // tensors that a hole covers, in part or whole
	located   map[Code]int    // how many tensors were read once more
	missing   map[string]bool // modules of which a tensor is known to be missing
}

// errDiffer ends a comparison.
var errDiffer = errors.New("they differ")

// indexOf returns a stored tensor's index: tensors are in the order of files
// and offsets.
func (a *audit) indexOf(t *checkpoint.Tensor) int {
	i := sort.Search(a.c.Tensors.Len(), func(i int) bool {
		u := a.c.Tensors.At(i)
		return u.File > t.File || u.File == t.File && u.Offset >= t.Offset
	})
	for a.c.Tensors.At(i) != t {
		i++
	}
	return i
}

// sortedKeys returns a map's keys in order, so that a report does not depend on
// the order of maps.
func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// place begins a place in a tensor.
func (a *audit) place(i int, format string, args ...any) Place {
	t := a.c.Tensors.At(i)
	return Place{File: a.c.Files[t.File].Name, Tensor: t.Name, Begin: t.Offset, End: t.Offset + max(0, t.Length), Says: fmt.Sprintf(format, args...)}
}

// settleSums resolves the names in the checksums.
func (a *audit) settleSums() error {
	s := a.opts.Checksums
	if s == nil || a.opts.NoHash {
		return nil
	}
	var names []string
	for i := range a.c.Files {
		names = append(names, a.c.Files[i].Name)
	}
	for name := range a.c.Sides {
		names = append(names, name)
	}
	for _, o := range a.c.Others {
		names = append(names, o.Name)
	}
	if a.c.Index != nil {
		names = append(names, a.c.Index.Name)
	}
	byName, others := s.resolve(a.c.Root, names)
	if len(byName) == 0 {
		return fmt.Errorf("%s: %w", s.Name, ErrNoSums)
	}
	a.opts.sums = byName
	for _, e := range others {
		if a.c.Layout == checkpoint.OneFile {
			break // the list is of the whole model, and one file of it was named
		}
		a.found.add(CodeMissingFile, Place{File: e.File, Other: s.Name,
			Says: fmt.Sprintf("%s has its checksum on line %d, and it is not in the folder", path.Base(s.Name), e.Line)})
	}
	return nil
}

// readAll goes over the bytes and takes over what the pass found, but for the
// tensors' readings, which are judged later.
func (a *audit) readAll(ctx context.Context) error {
	p := &pass{c: a.c, opts: a.opts, seed: maphash.MakeSeed(),
		scanAs: make([]numeric.DType, a.c.Tensors.Len()), results: make([]reading, a.c.Tensors.Len())}
	if !a.opts.NoValues {
		for i := range a.subjects {
			p.scanAs[i] = a.subjects[i].scanAs
		}
	}
	began := a.opts.Now()
	err := p.run(ctx)
	a.readings = p.results
	a.zeros = make([][]extent, len(a.c.Files))
	for i := range p.jobs {
		a.takeJob(&p.jobs[i])
	}
	a.rep.ReadBytes, a.rep.ReadFor = p.done.Load(), a.opts.Now().Sub(began)
	return err
}

// takeJob takes over what a job found of its file.
func (a *audit) takeJob(j *job) {
	f := &a.c.Files[j.file]
	r := &j.result
	entry := &a.rep.Files[j.file]
	switch {
	case r.err != nil && isChange(r.err):
		a.changing(f.Name, r.err.Error())
	case r.err != nil:
		a.unread(f.Name, r.err)
	case r.done && (r.now.Size != f.Size || !r.now.ModTime.Equal(f.ModTime)):
		a.changing(f.Name, "it was written to since its header was read")
	case r.done && j.whole:
		entry.SHA256 = r.digest.hex("sha256")
		a.compareDigest(entry, a.opts.expected(f), &r.digest)
	}
	if r.done {
		entry.Read = true
		a.zeros[j.file] = append(a.zeros[j.file], r.zeros...)
		if r.more {
			a.rep.uncovered("%s has more than %d runs of zero pages, of which the rest was not looked at", f.Name, maxRuns)
		}
	}
}

func (a *audit) changing(file, says string) {
	if a.skipped[file] {
		return
	}
	a.skipped[file] = true
	a.found.add(CodeChanging, Place{File: file, Says: says, Hint: "wait until nothing writes it, then audit again"})
}

func (a *audit) unread(file string, err error) {
	if a.skipped[file] {
		return
	}
	a.skipped[file] = true
	var p *problem.Problem
	if errors.As(err, &p) {
		a.found.add(CodeUnreadable, Place{File: file, Says: p.Says, Hint: p.Hint})
		return
	}
	a.found.add(CodeUnreadable, Place{File: file, Says: err.Error(), Hint: "check the disk or the network mount; the kernel's log says more (dmesg)"})
}

// compareDigest compares a file's hash with the one that it should have.
func (a *audit) compareDigest(entry *File, expect checkpoint.Digest, got *digests) {
	if expect.Hex == "" {
		return
	}
	entry.Expected, entry.ExpectedBy = expect.Algorithm+":"+expect.Hex, "hub cache"
	if a.opts.sums[entry.Name] != "" {
		entry.ExpectedBy = a.opts.Checksums.Name
	}
	is := got.hex(expect.Algorithm)
	if entry.Match = is == expect.Hex; entry.Match {
		return
	}
	const enough = 16 // digits; the report's files have all of them
	a.found.add(CodeChecksum, Place{File: entry.Name, Other: entry.ExpectedBy, End: entry.Size,
		Says: fmt.Sprintf("%s begins with %s and should with %s", expect.Algorithm, is[:enough], expect.Hex[:enough])})
}
