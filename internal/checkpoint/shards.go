package checkpoint

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"sync"

	"kilter/internal/checkpoint/gguf"
	"kilter/internal/checkpoint/problem"
	"kilter/internal/checkpoint/safetensors"
)

// A shard is a file that is to be opened.
type shard struct {
	name  string
	stray bool
}

// openShards opens the files that belong to an index, or all where there is
// none, and strays.
func (c *Checkpoint) openShards(ctx context.Context, found []Info) error {
	list := make(map[string]shard)
	indexed := c.Index != nil && !c.Index.Broken
	if indexed {
		for _, name := range c.Index.Files {
			if why := indexFileName(name); why != "" {
				c.add(problem.Problem{Kind: IndexName, File: c.Index.Name, Other: name, Says: "the file's name " + problem.Quote(name) + " " + why})
				continue
			}
			list[name] = shard{name: name}
		}
	}
	for _, e := range found {
		if _, ok := list[e.Name]; ok {
			continue
		}
		list[e.Name] = shard{name: e.Name, stray: indexed}
		if indexed {
			c.add(problem.Problem{Kind: IndexStrayFile, File: e.Name, Other: c.Index.Name, Tolerated: true,
				Says: "the index does not name it, so loaders ignore it", Hint: "remove it if it is left over from another download"})
		}
	}
	if !indexed {
		c.addParts(list)
	}
	return c.openList(ctx, sortShards(list))
}

// addParts adds the files that the names of the others tell of, and notes that
// no index tells.
func (c *Checkpoint) addParts(list map[string]shard) {
	done := make(map[string]bool) // models whose parts are listed
	for _, name := range slices.Sorted(maps.Keys(list)) {
		s := splitOf(name)
		if model := fmt.Sprint(s.prefix, s.count); s.count > 0 && !done[model] {
			done[model] = true
			for _, part := range s.names() {
				list[part] = shard{name: part}
			}
		}
	}
	if len(list) > 1 {
		c.add(problem.Problem{Kind: NoIndex, File: c.Root, Tolerated: true, Says: fmt.Sprintf("%d safetensors files and no index that says what belongs to them", len(list))})
	}
}

func sortShards(list map[string]shard) []shard {
	return slices.SortedFunc(maps.Values(list), func(a, b shard) int { return CompareNames(a.name, b.name) })
}

func sortedNames(names map[string]string) []string {
	return slices.SortedFunc(maps.Keys(names), CompareNames)
}

// workers is how many headers are read at once. One after the other would do
// on this machine, but over SSH each costs a round trip.
const workers = 8

// openList reads the headers of files and collects their tensors.
func (c *Checkpoint) openList(ctx context.Context, list []shard) error {
	c.Files = make([]File, len(list))
	problems := make([]problem.List, len(list))
	next := make(chan int)
	var b budget
	var wg sync.WaitGroup
	for range min(workers, len(list)) {
		wg.Go(func() {
			for i := range next {
				c.Files[i], problems[i] = c.openOne(ctx, list[i], &b)
			}
		})
	}
	for i := range list {
		if ctx.Err() != nil {
			break
		}
		next <- i
	}
	close(next)
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	for i := range problems {
		c.Problems.Join(&problems[i], list[i].name)
	}
	c.collect()
	c.compareIndex()
	return nil
}

// openOne reads one file's header.
func (c *Checkpoint) openOne(ctx context.Context, s shard, b *budget) (f File, problems problem.List) {
	f = File{Name: s.name, Path: path.Join(c.Root, s.name), Stray: s.stray}
	fail := func(err error) (File, problem.List) {
		p := fileProblem(ctx, c.fs, f.Path, err)
		if p.File = s.name; p.Kind == Missing {
			p.Hint = "finish the download"
		}
		problems.Add(*p)
		return f, problems
	}
	f.Expect = expected(ctx, c.fs, f.Path)
	h, err := c.fs.Open(ctx, f.Path)
	if err != nil {
		return fail(err)
	}
	defer h.Close()
	before, err := h.Stat()
	if err != nil {
		return fail(err)
	}
	f.Size, f.ModTime = before.Size, before.ModTime
	if f.Size == 0 {
		problems.Add(problem.Problem{Kind: Empty, Says: "the file is empty", Hint: hintAgain})
		return f, problems
	}
	if f.Size <= maxPointer {
		if _, p := readWhole(ctx, c.fs, f.Path, maxPointer); p != nil {
			p.File = s.name
			problems.Add(*p)
			return f, problems
		}
	}
	r := &headerReader{r: h, budget: b}
	switch c.Format {
	case GGUF:
		f.GGUF, problems, err = gguf.Check(r, f.Size)
	default:
		f.Safetensors, problems, err = safetensors.Check(r, f.Size)
	}
	if !r.done() {
		f.GGUF, f.Safetensors = nil, nil
		problems.Add(problem.Problem{Kind: TooLarge, Says: fmt.Sprintf("the headers of all files have more than %d bytes; this one was not kept", maxHeaders)})
	}
	if err != nil {
		return fail(err)
	}
	after, err := h.Stat()
	if err != nil {
		return fail(err)
	}
	if after.Size != before.Size || !after.ModTime.Equal(before.ModTime) {
		problems.Add(problem.Problem{Kind: Changing, Begin: before.Size, End: after.Size, Hint: hintWait,
			Says: fmt.Sprintf("the file is being written: %d bytes became %d within moments", before.Size, after.Size)})
	}
	return f, problems
}

// collect makes one list of all files' tensors.
func (c *Checkpoint) collect() {
	n := 0
	for i := range c.Files {
		if f := &c.Files[i]; f.Stray {
			continue
		} else if f.Safetensors != nil {
			n += len(f.Safetensors.Tensors)
		} else if f.GGUF != nil {
			n += len(f.GGUF.Tensors)
		}
	}
	ts := Tensors{list: make([]Tensor, 0, n), byName: make(map[string]int32, n)}
	for i := range c.Files {
		ts.files = append(ts.files, len(ts.list))
		f := &c.Files[i]
		switch {
		case f.Stray:
		case f.Safetensors != nil:
			for _, t := range f.Safetensors.Tensors {
				c.collectOne(&ts, Tensor{t.Name, t.DType, t.TypeName, t.Shape, i, t.Begin, t.End - t.Begin, t.Readable})
			}
		case f.GGUF != nil:
			for j := range f.GGUF.Tensors {
				t := &f.GGUF.Tensors[j]
				length := int64(-1)
				if t.End >= 0 {
					length = t.End - t.Begin
				}
				c.collectOne(&ts, Tensor{t.Name, t.DType, t.TypeName, t.Shape(), i, t.Begin, length, t.Readable})
			}
		}
		slices.SortStableFunc(ts.list[ts.files[i]:], func(a, b Tensor) int { return cmp.Compare(a.Offset, b.Offset) })
		for j := ts.files[i]; j < len(ts.list); j++ {
			ts.byName[ts.list[j].Name] = int32(j)
		}
	}
	ts.files = append(ts.files, len(ts.list))
	c.Tensors = ts
}

// collectOne adds a tensor unless its name is taken.
func (c *Checkpoint) collectOne(ts *Tensors, t Tensor) {
	if i, taken := ts.byName[t.Name]; taken {
		other := ts.list[i].File
		if other != t.File { // within a file its reader has said so
			c.add(problem.Problem{Kind: DuplicateTensor, File: c.Files[t.File].Name, Tensor: t.Name, Other: c.Files[other].Name,
				Begin: t.Offset, End: t.Offset + max(0, t.Length),
				Says: "it is in " + problem.Quote(c.Files[other].Name) + " too; which one a server takes depends on its loader"})
		}
		return
	}
	ts.byName[t.Name] = int32(len(ts.list))
	ts.list = append(ts.list, t)
}
