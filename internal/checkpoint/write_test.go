package checkpoint_test

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"kilter/internal/checkpoint"
	"kilter/internal/checkpoint/problem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// shard makes a safetensors file of tensors of four bytes each.
func shard(names ...string) []byte {
	var members []string
	for i, n := range names {
		key, _ := json.Marshal(n)
		members = append(members, fmt.Sprintf(`%s:{"dtype":"F32","shape":[1],"data_offsets":[%d,%d]}`, key, 4*i, 4*i+4))
	}
	header := "{" + strings.Join(members, ",") + "}"
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, 4*len(names))...)
}

// index makes an index of "tensor=file" pairs.
func index(total int, pairs ...string) []byte {
	var members []string
	for _, p := range pairs {
		tensor, file, _ := strings.Cut(p, "=")
		members = append(members, fmt.Sprintf("%q: %q", tensor, file))
	}
	return fmt.Appendf(nil, `{"metadata": {"total_size": %d}, "weight_map": {%s}}`, total, strings.Join(members, ", "))
}

// part makes a GGUF with the keys of a part, if count is above 0, and tensors
// of four bytes each.
func part(no, count, total int, names ...string) []byte {
	le := binary.LittleEndian
	str := func(b []byte, s string) []byte { return append(le.AppendUint64(b, uint64(len(s))), s...) }
	pairs := 1
	if count > 0 {
		pairs = 4
	}
	b := le.AppendUint32([]byte("GGUF"), 3)
	b = le.AppendUint64(le.AppendUint64(b, uint64(len(names))), uint64(pairs))
	b = str(le.AppendUint32(str(b, "general.architecture"), 8), "llama")
	if count > 0 {
		b = le.AppendUint16(le.AppendUint32(str(b, "split.no"), 2), uint16(no))
		b = le.AppendUint16(le.AppendUint32(str(b, "split.count"), 2), uint16(count))
		b = le.AppendUint32(le.AppendUint32(str(b, "split.tensors.count"), 5), uint32(total))
	}
	for i, n := range names {
		b = le.AppendUint64(le.AppendUint32(str(b, n), 1), 1)
		b = le.AppendUint64(le.AppendUint32(b, 0), uint64(32*i))
	}
	for len(b)%32 != 0 {
		b = append(b, 0)
	}
	return append(b, make([]byte, 32*len(names))...)
}

// tree writes files, by their paths, into a new folder. A value that is a
// string is where a link points.
func tree(t testing.TB, files map[string]any) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		full := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		switch c := content.(type) {
		case []byte:
			err = os.WriteFile(full, c, 0o600)
		case string:
			err = os.Symlink(c, full)
		case nil:
			err = os.Mkdir(full, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func open(t testing.TB, name string) *checkpoint.Checkpoint {
	t.Helper()
	c, err := checkpoint.Open(context.Background(), checkpoint.Local{}, name, checkpoint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// fails opens what is no model and checks that the error says so.
func fails(t testing.TB, name string, want problem.Kind) *problem.Problem {
	t.Helper()
	_, err := checkpoint.Open(context.Background(), checkpoint.Local{}, name, checkpoint.Options{})
	p, ok := errors.AsType[*problem.Problem](err)
	if !ok || p.Kind != want {
		t.Errorf("%s: %v, want %s", name, err, want)
		return &problem.Problem{}
	}
	if p.File == "" || p.Hint == "" {
		t.Errorf("%s: %q names no file or no next step", name, p.Error())
	}
	return p
}

// wantProblems compares the problems, as "kind file tensor".
func wantProblems(t testing.TB, c *checkpoint.Checkpoint, want ...string) {
	t.Helper()
	got := []string{}
	for _, p := range c.Problems.All() {
		got = append(got, strings.TrimRight(fmt.Sprintf("%s %s %s", p.Kind, p.File, p.Tensor), " "))
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("problems\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func names(c *checkpoint.Checkpoint) string {
	var all []string
	for x := range c.Tensors.ByName() {
		all = append(all, x.Name)
	}
	return strings.Join(all, " ")
}
