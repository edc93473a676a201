package checkpoint_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"os"

	"kilter/internal/checkpoint"
	"kilter/internal/checkpoint/problem"
)

const (
	one = "model-00001-of-00002.safetensors"
	two = "model-00002-of-00002.safetensors"
	idx = "model.safetensors.index.json"
)

func TestFolderOfOneFile(t *testing.T) {
	root := tree(t, map[string]any{
		"model.safetensors": shard("layers.10.w", "layers.2.w"), "config.json": []byte(`{"a":1}`), "tokenizer.json": bytes.Repeat([]byte("x"), 5000),
		"chat_template.jinja": []byte("{{x}}"), "README.md": []byte("hello"), "original": nil,
	})
	c := open(t, root)
	wantProblems(t, c)
	if c.Layout != checkpoint.Folder || c.Format != checkpoint.Safetensors || c.Root != root || len(c.Files) != 1 || names(c) != "layers.2.w layers.10.w" {
		t.Errorf("%+v", c)
	}
	if string(c.Sides["config.json"].Data) != `{"a":1}` || c.Sides["tokenizer.json"].Data != nil || c.Sides["tokenizer.json"].Size != 5000 {
		t.Errorf("%+v", c.Sides)
	}
	if data, err := c.ReadSide(context.Background(), "tokenizer.json", 5000); err != nil || len(data) != 5000 {
		t.Errorf("%d, %v", len(data), err)
	}
	if _, err := c.ReadSide(context.Background(), "tokenizer.json", 4999); !problem.Is(err, checkpoint.TooLarge) {
		t.Error(err)
	}
	if _, err := c.ReadSide(context.Background(), "vocab.json", 1); !problem.Is(err, checkpoint.Missing) {
		t.Error(err)
	}
	if len(c.Others) != 2 {
		t.Errorf("%v", c.Others)
	}
	x, ok := c.Tensors.Lookup("layers.2.w")
	if !ok || c.Files[x.File].Name != "model.safetensors" || x.Length != 4 || x.Elements() != 1 || !x.Readable {
		t.Errorf("%+v", x)
	}
	if _, ok := c.Tensors.Lookup("none"); ok {
		t.Error("found a tensor that is not there")
	}
	var order []string
	for x := range c.Tensors.InFile(0) {
		order = append(order, x.Name)
	}
	if strings.Join(order, " ") != "layers.10.w layers.2.w" {
		t.Error(order)
	}
	for range c.Tensors.InFile(1) {
		t.Error("a second file")
	}
}

func TestIndex(t *testing.T) {
	sound := index(12, "a="+one, "b="+one, "c="+two)
	cases := []struct {
		name    string
		files   map[string]any
		tensors string
		want    []string
	}{
		{"sound", map[string]any{idx: sound, one: shard("a", "b"), two: shard("c")}, "a b c", nil},
		{"shard missing", map[string]any{idx: sound, one: shard("a", "b")}, "a b", []string{"file.missing " + two}},
		{"tensor missing", map[string]any{idx: sound, one: shard("a"), two: shard("c")}, "a c", []string{"index.missing_tensor " + idx + " b", "index.total_size " + idx}},
		{"tensor in another shard", map[string]any{idx: sound, one: shard("a"), two: shard("b", "c")}, "a b c", []string{"index.misplaced_tensor " + idx + " b"}},
		{"tensor in both", map[string]any{idx: sound, one: shard("a", "b"), two: shard("b", "c")}, "a b c", []string{"model.duplicate_tensor " + two + " b"}},
		{"stray tensor", map[string]any{idx: sound, one: shard("a", "b"), two: shard("c", "d")}, "a b c d", []string{"index.stray_tensor " + two + " d", "index.total_size " + idx}},
		{"stray file", map[string]any{idx: sound, one: shard("a", "b"), two: shard("c"), "consolidated.safetensors": shard("a", "z")}, "a b c", []string{"index.stray_file consolidated.safetensors"}},
		{"wrong total", map[string]any{idx: index(13, "a="+one, "b="+one, "c="+two), one: shard("a", "b"), two: shard("c")}, "a b c", []string{"index.total_size " + idx}},
		{"total as a float", map[string]any{idx: bytes.Replace(sound, []byte("12"), []byte("1.2e1"), 1), one: shard("a", "b"), two: shard("c")}, "a b c", nil},
		{"no metadata", map[string]any{idx: []byte(`{"weight_map":{"a":"` + one + `"}}`), one: shard("a")}, "a", nil},
		{"metadata null", map[string]any{idx: []byte(`{"metadata":null,"weight_map":{"a":"` + one + `"}}`), one: shard("a")}, "a", nil},
		{"duplicate, two files", map[string]any{idx: index(-0, "a="+one, "a="+two), one: shard("a"), two: shard("c")}, "a c",
			[]string{"index.duplicate " + idx + " a", "index.stray_tensor " + two + " c", "index.total_size " + idx}},
		{"name leads out", map[string]any{idx: index(4, "a="+one, "b=../../etc/passwd", "c=/dev/zero", "d=..", "e="), one: shard("a")}, "a", []string{
			"index.file_name " + idx, "index.file_name " + idx, "index.file_name " + idx, "index.file_name " + idx,
			"index.missing_tensor " + idx + " b", "index.missing_tensor " + idx + " c", "index.missing_tensor " + idx + " d", "index.missing_tensor " + idx + " e"}},
		{"no JSON", map[string]any{idx: []byte("oops"), one: shard("a")}, "a", []string{"index.syntax " + idx, "index.none ROOT", "file.missing " + two}},
		{"cut", map[string]any{idx: sound[:len(sound)-20], one: shard("a", "b"), two: shard("c")}, "a b c", []string{"index.syntax " + idx, "index.none ROOT"}},
		{"no weight_map", map[string]any{idx: []byte(`{}`), one: shard("a")}, "a", []string{"index.syntax " + idx, "index.none ROOT", "file.missing " + two}},
		{"LFS pointer", map[string]any{idx: []byte("version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 123\n"), one: shard("a")}, "a", []string{"file.lfs_pointer " + idx, "index.none ROOT", "file.missing " + two}},
		{"no index", map[string]any{one: shard("a"), two: shard("b")}, "a b", []string{"index.none ROOT"}},
		{"no index, one missing", map[string]any{"m-00001-of-00003.safetensors": shard("a"), "m-00003-of-00003.safetensors": shard("b")}, "a b", []string{"index.none ROOT", "file.missing m-00002-of-00003.safetensors"}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			root := tree(t, c.files)
			got := open(t, root)
			for i := range c.want {
				c.want[i] = strings.Replace(c.want[i], "ROOT", root, 1)
			}
			if names(got) != c.tensors {
				t.Errorf("tensors %s", names(got))
			}
			wantProblems(t, got, c.want...)
		})
	}
}

func TestNamedIndexAndNamedShard(t *testing.T) {
	root := tree(t, map[string]any{idx: index(12, "a="+one, "b="+one, "c="+two), one: shard("a", "b"), two: shard("c"), "config.json": []byte("{}")})
	c := open(t, root+"/"+idx)
	wantProblems(t, c)
	if c.Layout != checkpoint.IndexFile || len(c.Files) != 2 || c.Tensors.Len() != 3 || c.Sides["config.json"] == nil {
		t.Errorf("%+v", c)
	}
	if f, ok := c.Index.Lookup("c"); !ok || f != two {
		t.Error(f)
	}
	c = open(t, root+"/"+two)
	wantProblems(t, c)
	if c.Layout != checkpoint.OneFile || len(c.Files) != 1 || names(c) != "c" || !c.Partial || c.Index != nil {
		t.Errorf("%+v", c)
	}
}

func TestHubCache(t *testing.T) {
	sha, git := strings.Repeat("ab", 32), strings.Repeat("cd", 20)
	old, main := strings.Repeat("1", 40), strings.Repeat("2", 40)
	snap := "models--org--some--name/snapshots/"
	files := map[string]any{
		"models--org--some--name/refs/main":        []byte(main),
		"models--org--some--name/blobs/" + sha:     shard("a"),
		"models--org--some--name/blobs/" + git:     []byte("{}"),
		snap + main + "/model.safetensors":         "../../blobs/" + sha,
		snap + main + "/config.json":               "../../blobs/" + git,
		snap + main + "/README.md":                 "../../blobs/gone",
		snap + old + "/model.safetensors":          "../../blobs/" + strings.Repeat("ef", 32),
		"models--org--some--name/.no_exist/" + old: nil,
	}
	root := tree(t, files)
	model := root + "/models--org--some--name"
	c := open(t, model)
	wantProblems(t, c)
	if c.Layout != checkpoint.HubModel || c.Hub.Repo != "org/some--name" || c.Hub.Revision != main || c.Hub.Ref != "main" || len(c.Hub.Revisions) != 2 {
		t.Errorf("%+v", c.Hub)
	}
	if c.Files[0].Expect != (checkpoint.Digest{Algorithm: "sha256", Hex: sha}) || c.Sides["config.json"].Expect != (checkpoint.Digest{Algorithm: "git-sha1", Hex: git}) {
		t.Errorf("%+v %+v", c.Files[0].Expect, c.Sides["config.json"])
	}
	if c = open(t, model+"/snapshots/"+main); c.Hub == nil || c.Hub.Revision != main || c.Files[0].Expect.Hex != sha {
		t.Errorf("%+v", c)
	}
	if c = open(t, model+"/snapshots/"+main+"/model.safetensors"); c.Hub == nil || c.Hub.Revision != main || c.Files[0].Expect.Hex != sha {
		t.Errorf("%+v", c)
	}
	c, err := checkpoint.Open(context.Background(), checkpoint.Local{}, model, checkpoint.Options{Revision: "111"})
	if err != nil || c.Hub.Revision != old {
		t.Fatal(c, err)
	}
	wantProblems(t, c, "file.dangling_link model.safetensors")
	if _, err = checkpoint.Open(context.Background(), checkpoint.Local{}, model, checkpoint.Options{Revision: "../../x"}); !problem.Is(err, checkpoint.NoModel) {
		t.Error(err)
	}
	if p := fails(t, root, checkpoint.NoModel); !strings.Contains(p.Hint, "models--org") {
		t.Error(p)
	}

	// A ref to a snapshot that is not there: the newest is taken, and said so.
	if err := os.WriteFile(model+"/refs/main", []byte(strings.Repeat("3", 40)), 0o600); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(time.Hour)
	if err := os.Chtimes(model+"/snapshots/"+main, later, later); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(model+"/blobs/"+sha+".incomplete", []byte("half"), 0o600); err != nil {
		t.Fatal(err)
	}
	c = open(t, model)
	wantProblems(t, c, "hub.ref refs/main", "file.leftover ../../blobs/"+sha+".incomplete")
	if c.Hub.Revision != main || len(c.Leftovers) != 1 {
		t.Errorf("%+v", c.Hub)
	}
	fails(t, tree(t, map[string]any{"m/snapshots": nil})+"/m", checkpoint.NoModel)
}

func TestGGUF(t *testing.T) {
	sets := func(names ...string) map[string]any {
		all := map[string]any{"README.md": []byte("x")}
		for _, n := range names {
			all[n] = part(0, 0, 0, "a", "b")
		}
		return all
	}
	c := open(t, tree(t, sets("m.gguf", "mmproj-m.gguf")))
	wantProblems(t, c)
	if c.Format != checkpoint.GGUF || len(c.Files) != 1 || names(c) != "a b" || c.Metadata().Architecture() != "llama" || len(c.Others) != 2 {
		t.Errorf("%+v", c)
	}
	fails(t, tree(t, sets("m.gguf", "n.gguf")), checkpoint.Ambiguous)
	if c := open(t, tree(t, sets("mmproj.gguf"))); len(c.Files) != 1 {
		t.Errorf("%+v", c)
	}

	p1, p2, p3 := "m-00001-of-00003.gguf", "m-00002-of-00003.gguf", "m-00003-of-00003.gguf"
	whole := map[string]any{p1: part(0, 3, 4), p2: part(1, 3, 4, "a", "b"), p3: part(2, 3, 4, "c", "d")}
	for _, named := range []string{"", "/" + p1, "/" + p3} {
		c = open(t, tree(t, whole)+named)
		wantProblems(t, c)
		if len(c.Files) != 3 || names(c) != "a b c d" || c.Metadata() == nil {
			t.Errorf("%s: %+v", named, c)
		}
	}
	delete(whole, p2)
	wantProblems(t, open(t, tree(t, whole)), "file.missing "+p2)
	whole[p2] = part(2, 3, 4, "a", "b")
	wantProblems(t, open(t, tree(t, whole)), "split.key "+p2)
	whole[p2] = part(1, 3, 4, "a")
	wantProblems(t, open(t, tree(t, whole)), "split.tensors")
	whole[p2] = part(1, 3, 4, "a", "c")
	wantProblems(t, open(t, tree(t, whole)), "model.duplicate_tensor "+p3+" c")
	wantProblems(t, open(t, tree(t, map[string]any{"x.gguf": part(1, 3, 4, "a")})), "split.key x.gguf")
	wantProblems(t, open(t, tree(t, map[string]any{p1: part(0, 0, 0, "a"), p2: part(1, 3, 3, "b"), p3: part(2, 3, 3, "c")})), "split.key "+p1)
}

func TestCancelled(t *testing.T) {
	root := tree(t, map[string]any{"model.safetensors": shard("a")})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := checkpoint.Open(ctx, checkpoint.Local{}, root, checkpoint.Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
