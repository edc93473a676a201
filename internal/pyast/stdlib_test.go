package pyast

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// knownDifferences are files whose tree may differ, and why.
var knownDifferences = map[string]string{
	"test_unicode_identifiers.py": "identifiers are not NFKC-normalised",
	"test_traceback.py":           "identifiers are not NFKC-normalised",
	"nonascii2.py":                "declared as ISO-8859-5; we read UTF-8 only",
}

// TestStdlib compares our tree with CPython's, node by node and position by
// position, for every file of one or more Python source trees:
//
//	KILTER_PYAST_TREE=/usr/lib/python3.11[:dir…] [KILTER_PYTHON=python3] go test -run TestStdlib -v ./internal/pyast/
//
// A file that CPython refuses is expected to be refused, but versions differ, so
// that half is only counted and listed.
func TestStdlib(t *testing.T) {
	roots := os.Getenv("KILTER_PYAST_TREE")
	if roots == "" {
		t.Skip("set KILTER_PYAST_TREE to a folder with Python sources, such as /usr/lib/python3.11")
	}
	python := os.Getenv("KILTER_PYTHON")
	if python == "" {
		python = "python3"
	}
	var paths bytes.Buffer
	for _, root := range filepath.SplitList(roots) {
		err := filepath.WalkDir(root, func(p string, e fs.DirEntry, err error) error {
			if err == nil && e.Type().IsRegular() && strings.HasSuffix(p, ".py") {
				paths.WriteString(p + "\n")
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(python, "testdata/dump.py")
	cmd.Stdin = &paths
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("no Python: %v", err)
	}
	var same, bothRefuse, onlyPython, notUTF8, named int
	sc := bufio.NewScanner(out)
	sc.Buffer(nil, 1<<26)
	for sc.Scan() {
		path, rest, _ := strings.Cut(sc.Text(), "\t")
		verdict, want, _ := strings.Cut(rest, "\t")
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		f, err := Parse(string(b))
		switch {
		case verdict == "error" && err != nil:
			bothRefuse++
		case verdict == "error":
			onlyPython++
			t.Logf("%s: accepted; CPython: %s", path, want)
		case err != nil && !utf8.Valid(b):
			notUTF8++
		case err != nil:
			t.Errorf("%s: %v", path, err)
		case bytes.Contains(b, []byte(`\N{`)):
			named++
		default:
			sum := sha256.Sum256([]byte(dump(f)))
			if hex.EncodeToString(sum[:]) == want {
				same++
			} else if why := knownDifferences[filepath.Base(path)]; why != "" {
				t.Logf("%s: the tree differs, as known: %s", path, why)
			} else {
				t.Errorf("%s: the tree differs", path)
			}
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
	t.Logf("%d files with the same tree; %d refused by both, %d by CPython alone; not compared: %d not UTF-8, %d with \\N{…} escapes",
		same, bothRefuse, onlyPython, notUTF8, named)
}
