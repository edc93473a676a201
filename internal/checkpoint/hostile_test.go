package checkpoint_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"kilter/internal/checkpoint"
	"kilter/internal/checkpoint/problem"
)

// within fails the test if f takes longer than a file that nobody writes would
// make it wait.
func within(t *testing.T, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Fatal("hangs")
	}
}

func TestPathsThatAreNoModel(t *testing.T) {
	root := tree(t, map[string]any{
		"empty": nil, "nothing/README.md": []byte("x"), "torch/pytorch_model.bin": []byte("x"), "half/model.safetensors.incomplete": []byte("x"),
		"loop": "loop", "dangling": "gone", "zero.safetensors": []byte{}, "zero.bin": []byte{}, "config.json": []byte("{}"),
		"torch.bin": []byte("PK\x03\x04abcdefgh"), "text.txt": []byte("hello, world, this is text"), "named.safetensors/x": []byte("x"),
		"a.safetensors.incomplete": []byte("xxxxxxxxxxxxxxxxxxx"), "bad.safetensors.index.json": []byte("version https://git-lfs.github.com/spec/v1\n"),
	})
	within(t, func() {
		fails(t, root+"/none", checkpoint.Missing)
		fails(t, root+"/none/deeper", checkpoint.Missing)
		fails(t, root+"/empty", checkpoint.NoModel)
		fails(t, root+"/nothing", checkpoint.NoModel)
		if p := fails(t, root+"/torch", checkpoint.NoModel); !strings.Contains(p.Hint, "convert") {
			t.Error(p)
		}
		if p := fails(t, root+"/half", checkpoint.NoModel); !strings.Contains(p.Says, "unfinished") {
			t.Error(p)
		}
		fails(t, root+"/loop", checkpoint.Loop)
		fails(t, root+"/dangling", checkpoint.Dangling)
		fails(t, root+"/zero.bin", checkpoint.Empty)
		fails(t, root+"/torch.bin", checkpoint.Unknown)
		fails(t, root+"/text.txt", checkpoint.Unknown)
		fails(t, root+"/config.json", checkpoint.Unknown)
		fails(t, root+"/named.safetensors", checkpoint.NoModel)
		fails(t, root+"/a.safetensors.incomplete", checkpoint.Leftover)
		fails(t, root+"/bad.safetensors.index.json", checkpoint.LFSPointer)
		fails(t, "/dev/zero", checkpoint.NotRegular)
		wantProblems(t, open(t, root+"/zero.safetensors"), "file.empty zero.safetensors")
	})
}

func TestFilesThatAreNoFiles(t *testing.T) {
	root := tree(t, map[string]any{
		"good.safetensors": shard("a"), "zero.safetensors": []byte{}, "folder.safetensors": nil, "loop.safetensors": "loop.safetensors", "dangling.safetensors": "gone",
		"dev.safetensors": "/dev/zero", "lfs.safetensors": []byte("version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 4976698672\n"), "zeros.safetensors": make([]byte, 5000),
		"cut.safetensors": shard("b")[:40], "config.json": "/dev/zero", "tokenizer_config.json": nil, "generation_config.json": make([]byte, 17<<20), "tokenizer.json": []byte("version https://git-lfs.github.com/spec/v1\n"),
	})
	fifo, sock := filepath.Join(root, "fifo.safetensors"), filepath.Join(root, "s.safetensors")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Skip(err)
	}
	if err := syscall.Mkfifo(filepath.Join(root, "chat_template.jinja"), 0o600); err != nil {
		t.Skip(err)
	}
	l, err := net.Listen("unix", sock)
	if err != nil {
		t.Skip(err)
	}
	defer l.Close()
	within(t, func() {
		fails(t, fifo, checkpoint.NotRegular)
		fails(t, sock, checkpoint.NotRegular)
		c := open(t, root)
		wantProblems(t, c, "file.not_regular fifo.safetensors", "file.not_regular s.safetensors", "file.not_regular folder.safetensors", "file.not_regular dev.safetensors",
			"file.symlink_loop loop.safetensors", "file.dangling_link dangling.safetensors", "file.empty zero.safetensors", "file.lfs_pointer lfs.safetensors",
			"safetensors.header_length zeros.safetensors", "safetensors.header_length cut.safetensors", "index.none "+root,
			"file.not_regular config.json", "file.not_regular chat_template.jinja", "file.not_regular tokenizer_config.json", "file.too_large generation_config.json", "file.lfs_pointer tokenizer.json")
		if names(c) != "a" {
			t.Error(names(c))
		}
		for _, p := range c.Problems.All() {
			if strings.Contains(p.Says, "4976698672") {
				return
			}
		}
		t.Error("the size behind the LFS pointer is not told")
	})
}

// denied is a file system that refuses, since a test as root may read all.
type denied struct {
	checkpoint.Local
	name string
}

func (d denied) Open(ctx context.Context, name string) (checkpoint.Handle, error) {
	if filepath.Base(name) == d.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return d.Local.Open(ctx, name)
}

func TestNoPermission(t *testing.T) {
	root := tree(t, map[string]any{"a.safetensors": shard("a"), "b.safetensors": shard("b"), "config.json": []byte("{}")})
	ctx := context.Background()
	c, err := checkpoint.Open(ctx, denied{name: "b.safetensors"}, root, checkpoint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	wantProblems(t, c, "index.none "+root, "file.permission b.safetensors")
	if _, err = checkpoint.Open(ctx, denied{name: "b.safetensors"}, root+"/b.safetensors", checkpoint.Options{}); !problem.Is(err, checkpoint.Permission) || !errors.Is(err, fs.ErrPermission) {
		t.Error(err)
	}
	if c, err = checkpoint.Open(ctx, denied{name: "config.json"}, root, checkpoint.Options{}); err != nil {
		t.Fatal(err)
	}
	wantProblems(t, c, "index.none "+root, "file.permission config.json")
}

// growing is a file system whose files grow and shrink under the reader.
type growing struct {
	checkpoint.Local
	by func(name string)
}

func (g growing) Open(ctx context.Context, name string) (checkpoint.Handle, error) {
	h, err := g.Local.Open(ctx, name)
	return growingHandle{h, name, g.by}, err
}

type growingHandle struct {
	checkpoint.Handle
	name string
	by   func(string)
}

func (h growingHandle) ReadAt(p []byte, off int64) (int, error) {
	h.by(h.name)
	return h.Handle.ReadAt(p, off)
}

func TestFileIsWrittenWhileRead(t *testing.T) {
	ctx := context.Background()
	many := make([]string, 100)
	for i := range many {
		many[i] = fmt.Sprint("t", i)
	}
	root := tree(t, map[string]any{"a.safetensors": shard(many...)})
	c, err := checkpoint.Open(ctx, growing{by: func(name string) { _ = os.Truncate(name, 100_000) }}, root, checkpoint.Options{})
	if err != nil || c.Problems.Count(checkpoint.Changing) != 1 {
		t.Error(c.Problems.All(), err)
	}
	root = tree(t, map[string]any{"a.safetensors": shard(many...)})
	c, err = checkpoint.Open(ctx, growing{by: func(name string) { _ = os.Truncate(name, 1500) }}, root, checkpoint.Options{})
	if err != nil || c.Problems.Count(problem.Shrank) != 1 {
		t.Error(c.Problems.All(), err)
	}
}

func TestTooManyEntries(t *testing.T) {
	if _, err := checkpoint.Open(context.Background(), crowded{}, "/somewhere", checkpoint.Options{}); !problem.Is(err, checkpoint.Unreadable) || !errors.Is(err, checkpoint.ErrTooMany) {
		t.Error(err)
	}
}

type crowded struct{ checkpoint.Local }

func (crowded) Stat(context.Context, string) (checkpoint.Info, error) {
	return checkpoint.Info{Mode: fs.ModeDir}, nil
}

func (crowded) List(context.Context, string) ([]checkpoint.Info, error) {
	return nil, fmt.Errorf("list: %w", checkpoint.ErrTooMany)
}
