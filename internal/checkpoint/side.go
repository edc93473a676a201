package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"kilter/internal/checkpoint/problem"
)

// A Side is a file beside the tensors.
type Side struct {
	Name, Path string
	Size       int64
	Expect     Digest
	// Data is the content; nil for files that Open does not read and those that
	// it could not.
	Data []byte
}

// maxSide bounds the side files that Open reads, and maxReadSide what ReadSide
// reads at most.
const (
	maxSide     = 16 << 20
	maxReadSide = 256 << 20
)

// sideKind tells what to do with a file by its name: read it, note that it is
// there, or neither.
func sideKind(name string) (read, known bool) {
	switch name {
	case "config.json", "generation_config.json", "hf_quant_config.json", "quant_model_description.json",
		"tokenizer_config.json", "special_tokens_map.json", "added_tokens.json",
		"chat_template.jinja", "chat_template.json", "preprocessor_config.json":
		return true, true
	case "tokenizer.json", "tokenizer.model", "tiktoken.model", "vocab.json", "merges.txt":
		return false, true
	}
	return false, false
}

// ReadSide returns a side file's content, read now where Open did not. A file
// larger than most bytes is an error.
func (c *Checkpoint) ReadSide(ctx context.Context, name string, most int64) ([]byte, error) {
	s, ok := c.Sides[name]
	if !ok {
		return nil, &problem.Problem{Kind: Missing, File: path.Join(c.Root, name), Says: "no such file beside the model"}
	}
	if s.Data != nil {
		return s.Data, nil
	}
	data, p := readWhole(ctx, c.fs, s.Path, min(most, maxReadSide))
	if p != nil {
		return nil, p
	}
	return data, nil
}

// readWhole reads a regular file of at most most bytes.
func readWhole(ctx context.Context, fsys FS, name string, most int64) ([]byte, *problem.Problem) {
	h, err := fsys.Open(ctx, name)
	if err != nil {
		return nil, fileProblem(ctx, fsys, name, err)
	}
	defer h.Close()
	info, err := h.Stat()
	if err != nil {
		return nil, fileProblem(ctx, fsys, name, err)
	}
	if info.Size > most {
		return nil, &problem.Problem{Kind: TooLarge, File: name, Says: fmt.Sprintf("the file has %d bytes, more than the %d that are read of such a file", info.Size, most)}
	}
	data := make([]byte, info.Size)
	if n, err := h.ReadAt(data, 0); n < len(data) {
		if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return nil, &problem.Problem{Kind: problem.Shrank, File: name, Begin: int64(n), End: info.Size, Hint: hintWait,
				Says: fmt.Sprintf("the file had %d bytes and now ends at %d", info.Size, n)}
		}
		return nil, fileProblem(ctx, fsys, name, err)
	}
	if p := lfsPointer(name, data); p != nil {
		return nil, p
	}
	return data, nil
}

// lfsPointer recognises what a clone without Git LFS leaves instead of a file.
func lfsPointer(name string, data []byte) *problem.Problem {
	const begins = "version https://git-lfs"
	if len(data) > maxPointer || !strings.HasPrefix(string(data), begins) {
		return nil
	}
	p := &problem.Problem{Kind: LFSPointer, File: name, End: int64(len(data)),
		Says: "the file is a Git LFS pointer and not the file itself", Hint: "run 'git lfs pull' in the clone, or download the file"}
	for line := range strings.Lines(string(data)) {
		if size, ok := strings.CutPrefix(strings.TrimSpace(line), "size "); ok && len(size) < 20 {
			p.Says += ", which has " + problem.Quote(size) + " bytes"
		}
	}
	return p
}

// maxPointer is how large a Git LFS pointer is at most.
const maxPointer = 1024

// loadSides reads the side files among the entries of the root.
func (c *Checkpoint) loadSides(ctx context.Context, entries []Info) error {
	for _, e := range entries {
		read, known := sideKind(e.Name)
		if !known {
			continue
		}
		s := &Side{Name: e.Name, Path: path.Join(c.Root, e.Name), Size: e.Size}
		if e.Mode.Type() != 0 {
			info, err := c.fs.Stat(ctx, s.Path)
			if err == nil && !info.Mode.IsRegular() {
				err = &NotRegularError{info.Mode}
			}
			if err != nil {
				c.add(*c.named(fileProblem(ctx, c.fs, s.Path, err), e.Name))
				continue
			}
			s.Size = info.Size
			s.Expect = expected(ctx, c.fs, s.Path)
		}
		c.Sides[e.Name] = s
		if !read && s.Size > maxPointer {
			continue
		}
		data, p := readWhole(ctx, c.fs, s.Path, maxSide)
		if p != nil {
			c.add(*c.named(p, e.Name))
		} else if read {
			s.Data = data
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// named gives a problem its file's name within the checkpoint.
func (c *Checkpoint) named(p *problem.Problem, name string) *problem.Problem {
	p.File = name
	return p
}
