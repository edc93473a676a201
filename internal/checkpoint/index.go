package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"kilter/internal/checkpoint/internal/jsonlex"
	"kilter/internal/checkpoint/problem"
)

// An Index is what *.safetensors.index.json says.
type Index struct {
	// Name is the index's file, relative to the checkpoint's Root.
	Name string
	// TotalSize is metadata.total_size in bytes and TotalParameters
	// metadata.total_parameters; -1 where the index has none.
	TotalSize, TotalParameters int64
	// Entries are weight_map, in the index's order, and Files the files that it
	// names, in the order of their names.
	Entries []IndexEntry
	Files   []string
	// Broken is set where the index could not be read to its end: Entries are
	// what could, and the folder's files are taken as if there were no index.
	Broken bool

	byName map[string]int32
}

// An IndexEntry says which file holds a tensor.
type IndexEntry struct {
	Tensor string
	File   string
}

// Lookup returns the file that the index names for a tensor.
func (x *Index) Lookup(tensor string) (file string, ok bool) {
	i, ok := x.byName[tensor]
	if !ok {
		return "", false
	}
	return x.Entries[i].File, true
}

// Bounds of an index: bytes of its JSON, tensors, files, and bytes of a name.
const (
	maxIndex       = 100_000_000
	maxIndexed     = 2_000_000
	maxIndexFiles  = 100_000
	maxIndexedName = 16 << 10
)

// parseIndex reads an index of size bytes as far as it can, and says what is
// wrong. The error is that of reading r.
func parseIndex(r io.Reader, size int64) (*Index, problem.List, error) {
	x := &Index{TotalSize: -1, TotalParameters: -1, byName: make(map[string]int32)}
	p := indexParser{Index: x, lex: jsonlex.New(r, int(max(1, min(size, 256<<10)))), files: make(map[string]string)}
	err := p.lex.Object(maxIndexedName, p.member)
	if err == nil {
		_, err = p.lex.End()
	}
	var syntax *jsonlex.SyntaxError
	if errors.As(err, &syntax) {
		p.add(problem.Problem{Kind: IndexSyntax, Begin: syntax.Offset, End: syntax.Offset + 1, Says: "the index is no valid JSON of its format: " + syntax.Error(), Hint: hintAgain})
		x.Broken, err = true, nil
	} else if err == nil && !p.mapped {
		p.add(problem.Problem{Kind: IndexSyntax, Says: "the index has no weight_map", Hint: hintAgain})
		x.Broken = true
	}
	x.Files = sortedNames(p.files)
	return x, p.problems, err
}

// An indexParser fills an Index.
type indexParser struct {
	*Index
	lex      *jsonlex.Lexer
	files    map[string]string // so that equal names share their bytes
	mapped   bool
	problems problem.List
}

func (p *indexParser) add(x problem.Problem) { p.problems.Add(x) }

func (p *indexParser) member(key []byte) error {
	switch string(key) {
	case "metadata":
		if c, err := p.lex.Peek(); err == nil && c == '{' {
			return p.lex.Object(maxIndexedName, p.metadata)
		}
	case "weight_map":
		if p.mapped {
			p.add(problem.Problem{Kind: IndexDuplicate, Says: "the index has weight_map twice; which one a server takes depends on its parser"})
		}
		p.mapped = true
		return p.lex.Object(maxIndexedName, p.entry)
	}
	return p.lex.Skip()
}

func (p *indexParser) metadata(key []byte) error {
	to := &p.TotalSize
	switch string(key) {
	case "total_size":
	case "total_parameters":
		to = &p.TotalParameters
	default:
		return p.lex.Skip()
	}
	// Some writers give a float (1.6e10) or a string; neither is worth a refusal.
	if c, err := p.lex.Peek(); err != nil || c < '0' || c > '9' {
		return p.lex.Skip()
	}
	n, whole, err := p.lex.Number()
	if err == nil && whole {
		*to = n
	}
	return err
}

func (p *indexParser) entry(key []byte) error {
	if len(p.Entries) >= maxIndexed {
		return p.lex.Errorf("more than %d tensors", maxIndexed)
	}
	tensor := string(key)
	value, err := p.lex.String(maxIndexedName)
	if err != nil {
		return err
	}
	file, ok := p.files[string(value)]
	if !ok {
		if len(p.files) >= maxIndexFiles {
			return p.lex.Errorf("more than %d files", maxIndexFiles)
		}
		file = string(value)
		p.files[file] = file
	}
	if i, twice := p.byName[tensor]; twice {
		x := problem.Problem{Kind: IndexDuplicate, Tensor: tensor, Other: file, Says: "the index has it twice"}
		if was := p.Entries[i].File; was != file {
			x.Says = fmt.Sprintf("the index has it in %s and in %s", problem.Quote(was), problem.Quote(file))
		} else {
			x.Tolerated = true
		}
		p.add(x)
		return nil
	}
	p.byName[tensor] = int32(len(p.Entries))
	p.Entries = append(p.Entries, IndexEntry{tensor, file})
	return nil
}

// loadIndex reads an index; what is wrong with it goes to the problems.
func (c *Checkpoint) loadIndex(ctx context.Context, name string) error {
	full := path.Join(c.Root, name)
	h, err := c.fs.Open(ctx, full)
	if err != nil {
		c.add(*c.named(fileProblem(ctx, c.fs, full, err), name))
		return ctx.Err()
	}
	defer h.Close()
	info, err := h.Stat()
	if err != nil {
		c.add(*c.named(fileProblem(ctx, c.fs, full, err), name))
		return ctx.Err()
	}
	if info.Size <= maxPointer {
		if _, p := readWhole(ctx, c.fs, full, maxPointer); p != nil {
			c.add(*c.named(p, name))
			return ctx.Err()
		}
	}
	if info.Size > maxIndex {
		c.add(problem.Problem{Kind: TooLarge, File: name, Says: fmt.Sprintf("the index has %d bytes, more than the %d that are read", info.Size, maxIndex)})
		return nil
	}
	x, problems, err := parseIndex(io.NewSectionReader(h, 0, info.Size), info.Size)
	if err != nil {
		c.add(*c.named(fileProblem(ctx, c.fs, full, err), name))
		return ctx.Err()
	}
	x.Name = name
	c.Problems.Join(&problems, name)
	c.Index = x
	return nil
}

// indexFileName says what is wrong with a file's name in the index.
func indexFileName(name string) string {
	switch {
	case name == "" || name == "." || name == "..":
		return "is no file's name"
	case strings.ContainsAny(name, "/\\\x00"):
		return "leads out of the folder"
	}
	return ""
}

// compareIndex reports where index and files differ.
func (c *Checkpoint) compareIndex() {
	x := c.Index
	if x == nil || x.Broken {
		return
	}
	unreadable := make(map[string]bool) // files whose tensors are not known
	for i := range c.Files {
		if h := c.Files[i].Safetensors; h == nil || h.Data == 0 {
			unreadable[c.Files[i].Name] = true
		}
	}
	for _, e := range x.Entries {
		t, ok := c.Tensors.Lookup(e.Tensor)
		switch {
		case !ok && unreadable[e.File]:
		case !ok:
			c.add(problem.Problem{Kind: IndexTensor, File: x.Name, Tensor: e.Tensor, Other: e.File,
				Says: "the index has it in " + problem.Quote(e.File) + ", where it is not", Hint: hintAgain})
		case c.Files[t.File].Name != e.File:
			c.add(problem.Problem{Kind: IndexMisplaced, File: x.Name, Tensor: e.Tensor, Other: c.Files[t.File].Name,
				Says: fmt.Sprintf("the index has it in %s and it is in %s", problem.Quote(e.File), problem.Quote(c.Files[t.File].Name))})
		}
	}
	total := int64(0)
	for t := range c.Tensors.All() {
		total += max(0, t.Length)
		if _, ok := x.byName[t.Name]; !ok {
			c.add(problem.Problem{Kind: IndexStrayTensor, File: c.Files[t.File].Name, Tensor: t.Name,
				Says: "the index does not have it"})
		}
	}
	if x.TotalSize >= 0 && x.TotalSize != total && len(unreadable) == 0 {
		c.add(problem.Problem{Kind: IndexTotal, File: x.Name, Tolerated: true,
			Says: fmt.Sprintf("total_size is %d and the tensors have %d bytes", x.TotalSize, total)})
	}
}
