package checkpoint

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"kilter/internal/checkpoint/problem"
)

// Options change what Open takes.
type Options struct {
	// Revision is a ref or the beginning of a commit, where the path is a model
	// of the hub cache; empty means refs/main, else the newest.
	Revision string
}

// Open opens the checkpoint at a path. The error is a *problem.Problem where
// the path leads to no model, or the context's.
func Open(ctx context.Context, fsys FS, name string, opts Options) (*Checkpoint, error) {
	c := &Checkpoint{Path: name, fs: fsys, Sides: make(map[string]*Side)}
	info, err := fsys.Stat(ctx, name)
	if err == nil && !info.Mode.IsDir() && !info.Mode.IsRegular() {
		err = &NotRegularError{info.Mode}
	}
	if err == nil {
		if info.Mode.IsDir() {
			err = c.openFolder(ctx, name, opts)
		} else {
			err = c.openFile(ctx, name, info)
		}
	} else if ctx.Err() == nil {
		err = fileProblem(ctx, fsys, name, err)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// openFolder opens a folder, or the snapshot of a hub cache's model.
func (c *Checkpoint) openFolder(ctx context.Context, folder string, opts Options) error {
	c.Layout, c.Root = Folder, folder
	entries, err := c.fs.List(ctx, folder)
	if err != nil {
		return fileProblem(ctx, c.fs, folder, err)
	}
	if slices.ContainsFunc(entries, func(i Info) bool { return i.Name == "snapshots" && i.Mode.IsDir() }) {
		c.Layout = HubModel
		if c.Root, err = c.hubSnapshot(ctx, folder, opts.Revision); err != nil {
			return err
		}
		if entries, err = c.fs.List(ctx, c.Root); err != nil {
			return fileProblem(ctx, c.fs, c.Root, err)
		}
	}
	c.hubAround(c.Root)
	s := sortEntries(entries)
	c.Leftovers = s.leftovers
	c.findLeftovers(ctx)
	switch {
	case len(s.safetensors) > 0 || len(s.indexes) > 0:
		c.Format = Safetensors
		c.Others = slices.Concat(s.others, s.ggufs)
		if i := mainIndex(s.indexes); i != "" {
			if err := c.loadIndex(ctx, i); err != nil {
				return err
			}
		}
		err = c.openShards(ctx, s.safetensors)
	case len(s.ggufs) > 0:
		c.Format, c.Others = GGUF, s.others
		err = c.openGGUFs(ctx, s.ggufs)
	default:
		return c.noModel(entries)
	}
	if err != nil {
		return err
	}
	return c.loadSides(ctx, entries)
}

// A sorting is a folder's entries by what they are for.
type sorting struct {
	safetensors, ggufs, indexes, leftovers, others []Info
}

func sortEntries(entries []Info) (s sorting) {
	for _, e := range entries {
		_, side := sideKind(e.Name)
		switch {
		case isLeftover(e.Name):
			s.leftovers = append(s.leftovers, e)
		case strings.HasSuffix(e.Name, ".safetensors"):
			s.safetensors = append(s.safetensors, e)
		case strings.HasSuffix(e.Name, ".safetensors.index.json"):
			s.indexes = append(s.indexes, e)
		case strings.HasSuffix(e.Name, ".gguf"):
			s.ggufs = append(s.ggufs, e)
		case !side:
			s.others = append(s.others, e)
		}
	}
	return s
}

// mainIndex chooses the index that loaders take.
func mainIndex(indexes []Info) string {
	for _, e := range indexes {
		if e.Name == "model.safetensors.index.json" {
			return e.Name
		}
	}
	if len(indexes) == 1 {
		return indexes[0].Name
	}
	return ""
}

// noModel says what a folder has instead.
func (c *Checkpoint) noModel(entries []Info) error {
	p := &problem.Problem{Kind: NoModel, File: c.Root, Says: "the folder has no *.safetensors and no *.gguf",
		Hint: "name the folder with config.json and the weights"}
	var models []string
	for _, e := range entries {
		switch {
		case strings.HasPrefix(e.Name, "models--") && e.Mode.IsDir():
			models = append(models, e.Name)
		case strings.HasPrefix(e.Name, "pytorch_model") || strings.HasSuffix(e.Name, ".pt") || strings.HasSuffix(e.Name, ".pth") || e.Name == "tf_model.h5":
			p.Says += ", but " + problem.Quote(e.Name)
			p.Hint = "kilter reads safetensors and GGUF only; convert the model"
			return p
		}
	}
	switch {
	case len(entries) == 0:
		p.Says = "the folder is empty"
	case len(models) > 0:
		p.Says = fmt.Sprintf("it is a hub cache with %d models", len(models))
		p.Hint = "name one of them: " + problem.Quote(path.Join(c.Root, models[0]))
	case len(c.Leftovers) > 0:
		p.Says += ", but an unfinished download, " + problem.Quote(c.Leftovers[0].Name)
		p.Hint = "finish the download"
	}
	return p
}

// openFile opens what a single file stands for.
func (c *Checkpoint) openFile(ctx context.Context, name string, info Info) error {
	c.Root, c.Layout = path.Dir(name), OneFile
	base := path.Base(name)
	info.Name = base
	format, err := c.sniff(ctx, name, info)
	if err != nil {
		return err
	}
	entries, err := c.fs.List(ctx, c.Root)
	if err != nil {
		entries = []Info{info} // the folder may be closed to this user and the file open
	}
	c.hubAround(c.Root)
	switch format {
	case "index":
		c.Layout, c.Format = IndexFile, Safetensors
		if err := c.loadIndex(ctx, base); err != nil {
			return err
		}
		if c.Index == nil {
			return c.Problems.Err()
		}
		s := sortEntries(entries)
		c.Leftovers, c.Others = s.leftovers, slices.Concat(s.others, s.ggufs)
		c.findLeftovers(ctx)
		err = c.openShards(ctx, s.safetensors)
	case string(GGUF):
		c.Format = GGUF
		err = c.openSplit(ctx, splitOf(base))
	default:
		c.Format = Safetensors
		if err := c.indexBeside(ctx, base, entries); err != nil {
			return err
		}
		err = c.openList(ctx, []shard{{name: base}})
	}
	if err != nil {
		return err
	}
	return c.loadSides(ctx, entries)
}

// indexBeside notes whether one file is part of a model. The index is not
// kept: it speaks of files that were not opened.
func (c *Checkpoint) indexBeside(ctx context.Context, base string, entries []Info) error {
	name := mainIndex(sortEntries(entries).indexes)
	if name == "" {
		return nil
	}
	other := &Checkpoint{Root: c.Root, fs: c.fs}
	if err := other.loadIndex(ctx, name); err != nil {
		return err
	}
	c.Partial = other.Index != nil && len(other.Index.Files) > 1 && slices.Contains(other.Index.Files, base)
	return nil
}

// sniff tells what a file is: by its first bytes, and by its name where these
// say nothing, so that a damaged file is reported as what it should be.
func (c *Checkpoint) sniff(ctx context.Context, name string, info Info) (string, error) {
	h, err := c.fs.Open(ctx, name)
	if err != nil {
		return "", fileProblem(ctx, c.fs, name, err)
	}
	defer h.Close()
	first := make([]byte, min(info.Size, 16))
	n, _ := h.ReadAt(first, 0)
	first = first[:n]
	switch {
	case strings.HasSuffix(name, ".index.json"):
		return "index", nil
	case strings.HasPrefix(string(first), "GGUF"), strings.HasSuffix(name, ".gguf"):
		return string(GGUF), nil
	case strings.HasSuffix(name, ".safetensors"), len(first) > 8 && first[8] == '{':
		return string(Safetensors), nil
	}
	p := &problem.Problem{Kind: Unknown, File: name, Says: "it is neither safetensors nor GGUF nor an index", Hint: "name a model's folder or one of its files"}
	switch {
	case len(first) == 0:
		p.Kind, p.Says, p.Hint = Empty, "the file is empty", hintAgain
	case strings.HasSuffix(name, ".json"):
		p.Hint = "name the folder that it is in: " + problem.Quote(path.Dir(name))
	case isLeftover(name):
		p.Kind, p.Says, p.Hint = Leftover, "it is an unfinished download", "finish the download"
	case strings.HasPrefix(string(first), "PK\x03\x04") || strings.HasPrefix(string(first), "\x80\x02"):
		p.Says, p.Hint = "it is a PyTorch file", "kilter reads safetensors and GGUF only; convert the model"
	}
	return "", p
}
