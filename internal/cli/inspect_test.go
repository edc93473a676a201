package cli

import (
	"context"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"kilter/internal/model"
	"kilter/internal/modeltest"
)

var updateInspect = flag.Bool("update-inspect", false, "rewrite the golden pages of kilter inspect")

const tiny = "../model/testdata"

// inspect runs the command and returns what it printed.
func (l *lab) inspect(t *testing.T, args ...string) (out string, code ExitCode) {
	t.Helper()
	l.out.Reset()
	l.err.Reset()
	code = run(l.factory, append([]string{"inspect"}, args...))
	return l.out.String(), code
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata/inspect", name)
	if *updateInspect {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v; go test ./internal/cli -run TestInspect -update-inspect writes it", err)
	}
	if got != string(want) {
		t.Errorf("%s differs (go test ./internal/cli -run TestInspect -update-inspect, then git diff):\n%s", path, got)
	}
}

// Each family's page and document.
func TestInspectGolden(t *testing.T) {
	folders, err := filepath.Glob(tiny + "/*/config.json")
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(tiny + "/gguf/*.gguf")
	if err != nil || len(folders) < 17 || len(files) < 7 {
		t.Fatalf("only %d and %d tiny checkpoints: %v", len(folders), len(files), err)
	}
	for _, path := range append(folders, files...) {
		path = strings.TrimSuffix(path, "/config.json")
		name := filepath.Base(path)
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			out, code := l.inspect(t, path)
			if code != ExitOK || l.err.Len() > 0 {
				t.Fatalf("exit %d: %s", code, l.err.String())
			}
			narrow(t, out)
			golden(t, name+".txt", out)
			out, code = l.inspect(t, path, "-o", "json")
			if code != ExitOK {
				t.Fatalf("exit %d: %s", code, l.err.String())
			}
			golden(t, name+".json", out)
		})
	}
}

// narrow holds a page to 80 columns.
func narrow(t *testing.T, page string) {
	t.Helper()
	for line := range strings.Lines(page) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
}

// What an operator sees of the published 397B-A17B configuration.
func TestInspect397B(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "Qwen3.5-397B-A17B-NVFP4")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := modeltest.Qwen397B(dir, 12); err != nil {
		t.Fatal(err)
	}
	l := newLab(t)
	for name, args := range map[string][]string{
		"397b.txt":     nil,
		"397b-8.txt":   {"--gpus", "8", "--gpu-memory", "95.6"},
		"397b-fp8.txt": {"--gpus", "4", "--gpu-memory", "95.6", "--tp", "2", "--pp", "2", "--ep", "2", "--kv-dtype", "bf16", "--context", "32768"},
	} {
		out, code := l.inspect(t, append([]string{dir}, args...)...)
		if code != ExitOK {
			t.Fatalf("exit %d: %s", code, l.err.String())
		}
		out = strings.Replace(out, "  path         "+dir, "  path         /models/Qwen3.5-397B-A17B-NVFP4", 1)
		lines := strings.SplitAfter(out, "\n")
		for i, line := range lines {
			if strings.HasPrefix(line, "  path ") {
				lines[i] = "  path         /models/Qwen3.5-397B-A17B-NVFP4\n"
				for i+1 < len(lines) && strings.HasPrefix(lines[i+1], "      ") { // a long name of a temporary folder was wrapped
					lines = append(lines[:i+1], lines[i+2:]...)
				}
				break
			}
		}
		out = strings.Join(lines, "")
		narrow(t, out)
		golden(t, name, out)
	}
}

// One checkpoint whose configuration lies is marked as such, in colour too.
func TestInspectMarksDifferences(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "liar")
	if err := os.CopyFS(dir, os.DirFS(tiny+"/qwen3_5_moe_nvfp4")); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(dir + "/config.json")
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(b), "\"model.language_model.layers.*.self_attn*\",", "", 1)
	if text == string(b) {
		t.Fatal("the ignore list has another form")
	}
	if err := os.WriteFile(dir+"/config.json", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	l := newLab(t)
	out, code := l.inspect(t, dir)
	if code != ExitOK {
		t.Fatal(code)
	}
	for _, want := range []string{
		"\n! attention ", "BF16                  NVFP4",
		"[!]  model.language_model.layers.*.self_attn.q_proj: config says NVFP4, stored:\n", "[!]  ignored modules: config.json has not, hf_quant_config.json has it",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	out, _ = l.inspect(t, dir, "--color", "always")
	if !strings.Contains(out, "\x1b[1;33m[!] ") || !strings.Contains(out, "\x1b[1mWEIGHTS") {
		t.Errorf("no colour in\n%q", out)
	}
}

// Names in files can hold anything; none of it reaches the terminal.
func TestInspectIsSafe(t *testing.T) {
	dir := t.TempDir()
	err := modeltest.Write(dir, []modeltest.Tensor{{Name: "x.weight", DType: "BF16", Shape: []int64{2}}}, 1, map[string]any{
		"config.json": `{"architectures":["Evil\u001b[2J\u202e\u009b1m"],"model_type":"e\u0007vil","quantization_config":{"quant_method":"\u001b]0;x"}}`,
	})
	if err != nil {
		t.Fatal(err)
	}
	l := newLab(t)
	for _, format := range []string{"text", "json"} {
		out, code := l.inspect(t, dir, "-o", format)
		if code != ExitOK || strings.ContainsAny(out, "\x1b\u202e\u009b\a") {
			t.Errorf("exit %d, %q", code, out)
		}
	}
}

func TestInspectUsage(t *testing.T) {
	for _, c := range []struct {
		args       []string
		says, hint string
	}{
		{nil, "which model? its path is missing", "kilter inspect PATH"},
		{[]string{"a", "b"}, `inspect describes one model, and got "b" too`, ""},
		{[]string{"none"}, "none: no such file", ""},
		{[]string{"testdata"}, "no *.safetensors and no *.gguf", "name the folder with config.json"},
		{[]string{tiny + "/llama/config.json"}, "neither safetensors nor GGUF", "name the folder that it is in"},
		{[]string{tiny + "/llama", "--gpu-memory", "80"}, "--gpu-memory needs --gpus or --tp", "--gpus 8"},
		{[]string{tiny + "/llama", "--gpu-memory", "lots"}, "want a number of GiB", ""},
		{[]string{tiny + "/llama", "--gpu-memory", "NaN"}, "want a number of GiB", ""},
		{[]string{tiny + "/llama", "--gpus", "8", "--tp", "8", "--pp", "2"}, "--tp 8 times --pp 2 take 16 GPUs, and --gpus is 8", ""},
		{[]string{tiny + "/llama", "--gpus", "100000"}, "more than kilter counts with", ""},
		{[]string{tiny + "/llama", "--kv-dtype", "fp16"}, "want auto, bf16 or fp8", ""},
		{[]string{tiny + "/llama", "-o", "yaml"}, "want text or json", ""},
		{[]string{"--revision", "x", "."}, "no *.safetensors and no *.gguf", ""},
	} {
		l := newLab(t)
		out, code := l.inspect(t, c.args...)
		if code != ExitUsage || out != "" || !strings.Contains(l.err.String(), c.says) || !strings.Contains(l.err.String(), c.hint) {
			t.Errorf("%q: exit %d, %q, %s", c.args, code, out, l.err.String())
		}
	}
}

func TestInspectSettlesTheDivision(t *testing.T) {
	for _, c := range []struct {
		flags []string
		want  model.Parallel
		note  string
	}{
		{[]string{"--gpus", "8"}, model.Parallel{TP: 8, EP: 1, PP: 1}, ""},
		{[]string{"--gpus", "8", "--pp", "2"}, model.Parallel{TP: 4, EP: 1, PP: 2}, ""},
		{[]string{"--gpus", "8", "--tp", "2"}, model.Parallel{TP: 2, EP: 1, PP: 1}, "leave 6 of 8 GPUs idle"},
		{[]string{"--tp", "4", "--ep", "4"}, model.Parallel{TP: 4, EP: 4, PP: 1}, ""},
		{[]string{"--ep", "8"}, model.Parallel{TP: 8, EP: 8, PP: 1}, ""},
	} {
		l := newLab(t)
		var got model.Parallel
		cmd := newInspectCmd(l.factory, func(_ context.Context, o *InspectOptions) error {
			got = model.Parallel{TP: o.TP, EP: o.EP, PP: o.PP}
			return nil
		})
		cmd.SetArgs(append([]string{"x"}, c.flags...))
		if err := cmd.Execute(); err != nil || got != c.want || !strings.Contains(l.err.String(), c.note) {
			t.Errorf("%q: %+v, %v, %s", c.flags, got, err, l.err.String())
		}
	}
}

// A signal ends it as one, and a disk that is full is kilter's own failure.
func TestInspectEnds(t *testing.T) {
	l := newLab(t)
	l.Signals = func(ctx context.Context) (context.Context, func()) {
		ctx, cancel := context.WithCancelCause(ctx)
		cancel(errInterrupted)
		return ctx, func() {}
	}
	if out, code := l.inspect(t, tiny+"/llama"); code != ExitFailed || out != "" || !strings.Contains(l.err.String(), "interrupted") {
		t.Errorf("exit %d, %s", code, l.err.String())
	}
	l = newLab(t)
	l.IO.Out = full{}
	if _, code := l.inspect(t, tiny+"/llama"); code != ExitFailed || !strings.Contains(l.err.String(), "write the page: no space") {
		t.Errorf("exit %d, %s", code, l.err.String())
	}
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }
