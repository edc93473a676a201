package audit_test

import (
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"kilter/internal/audit"
	"kilter/internal/checkpoint"
	"kilter/internal/checkpoint/bulk"
	"kilter/internal/model"
)

// opened opens a folder, lets something happen to it, and audits it.
func opened(t *testing.T, dir string, fsys checkpoint.FS, then func(c *checkpoint.Checkpoint), opts audit.Options) *audit.Report {
	t.Helper()
	ctx := context.Background()
	c, err := checkpoint.Open(ctx, fsys, dir, checkpoint.Options{})
	check(t, err)
	m, err := model.Read(ctx, c)
	check(t, err)
	then(c)
	rep, err := audit.Run(ctx, m, opts)
	check(t, err)
	return rep
}

func TestFileChangesAfterItsHeaderWasRead(t *testing.T) {
	name := "model-00001-of-00002.safetensors"
	for what, change := range map[string]func(path string) error{
		"shrinks": func(path string) error { return os.Truncate(path, 9000) },
		"grows": func(path string) error {
			f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteString("more")
			return err
		},
		"is rewritten": func(path string) error { return os.Chtimes(path, time.Now(), time.Now().Add(time.Hour)) },
	} {
		for _, opts := range []audit.Options{{}, {NoHash: true}} {
			dir := llama().write(t)
			rep := opened(t, dir, checkpoint.Local{}, func(*checkpoint.Checkpoint) { check(t, change(filepath.Join(dir, name))) }, opts)
			if got := told(rep); !slices.Equal(got, []string{"audit.changing"}) {
				t.Errorf("%s: found %v\n%s", what, got, describe(rep))
			}
		}
	}
}

// A spoiled file system gives files that do something when they are read.
type spoiled struct {
	checkpoint.FS
	read func(path string, off int64) error
}

type spoiledHandle struct {
	checkpoint.Handle
	path string
	read func(path string, off int64) error
}

func (s spoiled) Open(ctx context.Context, name string) (checkpoint.Handle, error) {
	h, err := s.FS.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	return spoiledHandle{h, name, s.read}, nil
}

func (h spoiledHandle) ReadAt(p []byte, off int64) (int, error) {
	if err := h.read(h.path, off); err != nil {
		return 0, err
	}
	return h.Handle.ReadAt(p, off)
}

func TestFileShrinksWhileItIsRead(t *testing.T) {
	c := llama()
	c.bf16("model.layers.0.extra.weight", 2048, 1024) // several pieces
	dir := c.write(t)
	armed := false
	fsys := spoiled{checkpoint.Local{}, func(path string, off int64) error {
		if armed && off >= 1<<20 {
			return os.Truncate(path, 1<<20)
		}
		return nil
	}}
	rep := opened(t, dir, fsys, func(*checkpoint.Checkpoint) { armed = true }, audit.Options{})
	if !slices.Contains(told(rep), "audit.changing") || slices.Contains(told(rep), "audit.zero_block") || rep.Verdict != audit.WordBroken {
		t.Errorf("found %v\n%s", told(rep), describe(rep))
	}
}

func TestUnreadableFileIsInconclusive(t *testing.T) {
	dir := llama().write(t)
	armed := false
	fsys := spoiled{checkpoint.Local{}, func(path string, _ int64) error {
		if armed && strings.HasSuffix(path, "2.safetensors") {
			return &os.PathError{Op: "read", Path: path, Err: syscall.EIO}
		}
		return nil
	}}
	rep := opened(t, dir, fsys, func(*checkpoint.Checkpoint) { armed = true }, audit.Options{})
	if got := told(rep); !slices.Equal(got, []string{"audit.unreadable"}) || rep.Verdict != audit.Inconclusive {
		t.Errorf("%s: found %v\n%s", rep.Verdict, got, describe(rep))
	}
	if !strings.Contains(strings.Join(rep.NotCovered, "\n"), "were not read") {
		t.Errorf("not covered: %q", rep.NotCovered)
	}
}

func TestCancelled(t *testing.T) {
	dir := llama().write(t)
	ctx, cancel := context.WithCancel(context.Background())
	c, err := checkpoint.Open(ctx, checkpoint.Local{}, dir, checkpoint.Options{})
	check(t, err)
	m, err := model.Read(ctx, c)
	check(t, err)
	cancel()
	rep, err := audit.Run(ctx, m, audit.Options{})
	if err != nil || rep.Verdict != audit.Inconclusive || rep.Stopped == "" {
		t.Errorf("%v, %s, stopped %q", err, rep.Verdict, rep.Stopped)
	}
	// What is certain stays certain.
	check(t, os.Truncate(filepath.Join(dir, shard2), 5000))
	c, err = checkpoint.Open(context.Background(), checkpoint.Local{}, dir, checkpoint.Options{})
	check(t, err)
	m, err = model.Read(context.Background(), c)
	check(t, err)
	if rep, err = audit.Run(ctx, m, audit.Options{}); err != nil || rep.Verdict != audit.WordBroken || rep.Stopped == "" {
		t.Errorf("%v, %s, stopped %q", err, rep.Verdict, rep.Stopped)
	}
}

// Every way of reading, and every number of workers, finds the same.
func TestWaysOfReadingAgree(t *testing.T) {
	c := qwen35()
	c.at(expert5+"down_proj.weight_scale").set(9, 0x7f)
	c.at("model.language_model.layers.0.mlp.shared_expert.up_proj.weight").set(3, 0xc0, 0x7f)
	dir := c.write(t)
	want := ""
	for _, s := range []bulk.Strategy{bulk.Buffered, bulk.Direct, bulk.Mapped} {
		for _, opts := range []audit.Options{{Workers: 1}, {Workers: 7}, {NoHash: true, Workers: 3}} {
			opts.Strategy = s
			rep := run(t, dir, opts)
			for i := range rep.Findings {
				rep.Findings[i].Declaration = audit.Declaration{Code: rep.Findings[i].Code}
			}
			got := describe(rep)
			got, _, _ = strings.Cut(got, "not covered")
			if want == "" {
				want = got
			}
			if got != want || rep.Verdict != audit.WordBroken {
				t.Errorf("%v %+v:\n%s\nwant\n%s", s, opts, got, want)
			}
		}
	}
}

func TestNoValuesAndNoHash(t *testing.T) {
	c := llama()
	c.at(down2+".weight").set(5, 0xc0, 0x7f)
	dir := c.write(t)
	rep := run(t, dir, audit.Options{NoValues: true})
	if rep.Verdict != audit.Sound || rep.Files[0].SHA256 == "" {
		t.Errorf("%s\n%s", rep.Verdict, describe(rep))
	}
	if !strings.Contains(strings.Join(rep.NotCovered, "\n"), "--no-values") {
		t.Errorf("not covered: %q", rep.NotCovered)
	}
	rep = run(t, dir, audit.Options{NoHash: true})
	if got := told(rep); !slices.Equal(got, []string{"audit.nan_value"}) || rep.Files[0].SHA256 != "" {
		t.Errorf("found %v", got)
	}
	rep = run(t, dir, audit.Options{NoHash: true, NoValues: true})
	if rep.ReadBytes != 0 || rep.Verdict != audit.Sound {
		t.Errorf("%d bytes read, %s", rep.ReadBytes, rep.Verdict)
	}
}

func TestProgressReachesItsEnd(t *testing.T) {
	dir := llama().write(t)
	var last audit.Progress
	run(t, dir, audit.Options{Progress: func(u audit.Progress) { last = u }})
	if last.Done == 0 || last.Done != last.Total {
		t.Errorf("%+v", last)
	}
}

// Memory does not grow with the model: 48 shards of 4 MiB, sparse, whose
// zeros are looked at like any bytes.
func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("reads 192 MiB")
	}
	dir := t.TempDir()
	const size = 4 << 20
	for i := range 48 {
		name := "model.layers." + strconv.Itoa(i) + ".mlp.down_proj.weight"
		b := safetensors([]tensor{{name, "BF16", []int64{size / 2 / 1024, 1024}, nil}})
		b = []byte(strings.Replace(string(b), "[0,0]", "[0,"+strconv.Itoa(size)+"]", 1))
		// The header's length is kept by its padding, or grows by some bytes.
		h := b[8:]
		b = append(binary.LittleEndian.AppendUint64(nil, uint64(len(h))), h...)
		path := filepath.Join(dir, "model-"+strconv.Itoa(10000+i)+".safetensors")
		check(t, os.WriteFile(path, b, 0o600))
		check(t, os.Truncate(path, int64(len(b))+size))
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	rep := run(t, dir, audit.Options{NoHash: true, Workers: 16})
	runtime.ReadMemStats(&after)
	if rep.ReadBytes != 48*size || rep.Verdict != audit.WordBroken {
		t.Errorf("%d bytes read, %s\n%s", rep.ReadBytes, rep.Verdict, describe(rep))
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 120<<20 {
		t.Errorf("%d MiB were allocated in all", grown>>20)
	}
}

func TestHubCache(t *testing.T) {
	root := filepath.Join(t.TempDir(), "models--org--name")
	rev := strings.Repeat("ab", 20)
	snapshot := filepath.Join(root, "snapshots", rev)
	for _, d := range []string{snapshot, filepath.Join(root, "blobs"), filepath.Join(root, "refs")} {
		check(t, os.MkdirAll(d, 0o700))
	}
	check(t, os.WriteFile(filepath.Join(root, "refs", "main"), []byte(rev), 0o600))
	src := llama().write(t)
	entries, err := os.ReadDir(src)
	check(t, err)
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(src, e.Name()))
		check(t, err)
		blob := sha256Hex(b)
		if strings.HasSuffix(e.Name(), ".json") {
			blob = gitHex(b)
		}
		check(t, os.WriteFile(filepath.Join(root, "blobs", blob), b, 0o600))
		check(t, os.Symlink("../../blobs/"+blob, filepath.Join(snapshot, e.Name())))
	}
	rep := run(t, root, audit.Options{})
	compared := 0
	for _, f := range rep.Files {
		if f.Match {
			compared++
		}
	}
	if rep.Verdict != audit.Sound || compared < 4 || rep.Model.Revision != rev {
		t.Errorf("%s, %d files match\n%s", rep.Verdict, compared, describe(rep))
	}

	// A config.json that somebody changed in the cache.
	target, err := filepath.EvalSymlinks(filepath.Join(snapshot, "config.json"))
	check(t, err)
	b, err := os.ReadFile(target)
	check(t, err)
	check(t, os.WriteFile(target, append(b, '\n'), 0o600))
	if got := told(run(t, root, audit.Options{})); !slices.Equal(got, []string{"audit.checksum"}) {
		t.Errorf("found %v", got)
	}
	check(t, os.WriteFile(target, b, 0o600))

	// A ref to a snapshot whose download did not begin.
	check(t, os.WriteFile(filepath.Join(root, "refs", "main"), []byte(strings.Repeat("cd", 20)), 0o600))
	if got := told(run(t, root, audit.Options{})); !slices.Equal(got, []string{"audit.hub_ref"}) {
		t.Errorf("found %v", got)
	}
}

func TestChecksumsFile(t *testing.T) {
	dir := llama().write(t)
	var lines []string
	for _, name := range []string{shard1, shard2, "config.json"} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		check(t, err)
		lines = append(lines, sha256Hex(b)+"  ./"+name)
	}
	sums := func(text string) *audit.Checksums {
		s, err := audit.ParseChecksums(filepath.Join(dir, "SHA256SUMS"), strings.NewReader(text))
		check(t, err)
		return s
	}
	rep := run(t, dir, audit.Options{Checksums: sums(strings.Join(lines, "\n"))})
	if rep.Verdict != audit.Sound || !rep.Files[0].Match {
		t.Errorf("%s\n%s", rep.Verdict, describe(rep))
	}
	wrong := strings.Repeat("0", 64) + "  " + shard1
	if got := told(run(t, dir, audit.Options{Checksums: sums(wrong)})); !slices.Equal(got, []string{"audit.checksum"}) {
		t.Errorf("found %v", got)
	}
	more := lines[0] + "\n" + strings.Repeat("1", 64) + "  model-00003.safetensors"
	if got := told(run(t, dir, audit.Options{Checksums: sums(more)})); !slices.Equal(got, []string{"audit.missing_file"}) {
		t.Errorf("found %v", got)
	}

	ctx := context.Background()
	c, err := checkpoint.Open(ctx, checkpoint.Local{}, dir, checkpoint.Options{})
	check(t, err)
	m, err := model.Read(ctx, c)
	check(t, err)
	_, err = audit.Run(ctx, m, audit.Options{Checksums: sums(strings.Repeat("1", 64) + "  other.bin")})
	if !errors.Is(err, audit.ErrNoSums) {
		t.Errorf("error %v, want ErrNoSums", err)
	}
}
