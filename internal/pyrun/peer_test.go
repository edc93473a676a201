package pyrun

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"kilter/internal/pyast"
)

// TestPeer executes many sources here and under CPython and compares how they
// end and what they print. The sources are those that FuzzRun found interesting:
//
//	go test -run xxx -fuzz FuzzRun -fuzztime 60s -fuzzminimizetime 1x ./internal/pyrun/
//	KILTER_PYRUN_PEER=python3.11 go test -count=1 -run TestPeer -v ./internal/pyrun/
//
// They are mutations of the corpus; CPython executes them without a sandbox.
func TestPeer(t *testing.T) {
	python := os.Getenv("KILTER_PYRUN_PEER")
	if python == "" {
		t.Skip("set KILTER_PYRUN_PEER to a Python 3.11 to compare with it")
	}
	sources := peerSources(t)
	var in bytes.Buffer
	for _, src := range sources {
		b, err := json.Marshal(src)
		if err != nil {
			t.Fatal(err)
		}
		in.Write(append(b, '\n'))
	}
	cmd := exec.Command(python, "testdata/peer.py")
	cmd.Stdin = &in
	cmd.Stderr = os.Stderr
	pipe, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := bufio.NewScanner(pipe)
	answers.Buffer(nil, 1<<24)
	counts := map[string]int{}
	for _, src := range sources {
		if !answers.Scan() {
			t.Fatalf("CPython ended early, at %q", src)
		}
		var want struct {
			OK, Timeout            bool
			Class, Message, Output string
		}
		if err := json.Unmarshal(answers.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		m, err := Load(t.Context(), src, Limits{Steps: 3_000_000})
		var r *Raised
		var s *pyast.SyntaxError
		switch k := kindOf(err); {
		case annotated(src): // annotations are not evaluated here
			counts["not comparable"]++
		case want.Class == "ModuleNotFoundError" || want.Class == "ImportError":
			counts["not comparable"]++ // here an unknown module fails when it is used
		case want.Timeout || k == errUnsupported || k == ErrSteps || k == ErrMemory || k == ErrDepth:
			counts["not comparable"]++
		case k == nil && want.OK:
			counts["both succeed"]++
			if out, cut := m.Output(); !cut && out[:min(len(out), 900)] != want.Output[:min(len(want.Output), 900)] && len(out) < 900 {
				t.Errorf("%q: output %q, CPython %q", src, out, want.Output)
			}
		case errors.As(err, &s):
			counts["syntax error"]++
			if !strings.Contains("SyntaxError IndentationError TabError", want.Class) || want.Class == "" {
				t.Errorf("%q: %v, CPython %+v", src, err, want)
			}
		case errors.As(err, &r):
			counts["exception"]++
			if r.Class != want.Class {
				t.Errorf("%q: %v, CPython %+v", src, err, want)
			} else if r.Message != want.Message {
				counts["other message"]++
				t.Logf("%.200q: %v, CPython %v", src, err, want.Message)
			}
		default:
			t.Errorf("%q: %v, CPython %+v", src, err, want)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	t.Logf("%d sources: %v", len(sources), counts)
}

// peerSources reads the programs of testdata/programs.py, where
// KILTER_PYRUN_SOURCES names a file with them, or the fuzz cache.
func peerSources(t *testing.T) []string {
	name := os.Getenv("KILTER_PYRUN_SOURCES")
	if name == "" {
		return fuzzCache(t)
	}
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for line := range strings.Lines(string(b)) {
		var s string
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatal(err)
		}
		list = append(list, s)
	}
	return list
}

// fuzzCache reads the inputs that go test -fuzz keeps for FuzzRun.
func fuzzCache(t *testing.T) []string {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(out)), "fuzz/kilter/internal/pyrun/FuzzRun/*"))
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitN(string(b), "\n", 3)
		if len(lines) < 2 {
			continue
		}
		q := strings.TrimSuffix(strings.TrimPrefix(lines[1], "string("), ")")
		if s, err := strconv.Unquote(q); err == nil && !strings.Contains(s, "__import__") {
			list = append(list, strings.ToValidUTF8(s, "?"))
		}
	}
	if len(list) == 0 {
		t.Skip("the fuzz cache is empty: run FuzzRun first")
	}
	return list
}

func annotated(src string) bool {
	f, err := pyast.Parse(src)
	if err != nil {
		return false
	}
	found := false
	pyast.Inspect(f, func(n pyast.Node) bool {
		switch n := n.(type) {
		case *pyast.AnnAssign:
			found = true
		case *pyast.Param:
			found = found || n.Annotation != nil
		case *pyast.FuncDef:
			found = found || n.Returns != nil
		}
		return true
	})
	return found
}
