// Package kilter_test holds the rules of this repository as tests: how packages
// may import each other, what must be documented, what must not come back.
package kilter_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

const module = "kilter"

// layers is the architecture, top to bottom (docs/architecture.md). A package
// may import those that stand below it or to its right, and never back.
// An entry that ends in /... stands for a folder of peers, which may not import
// each other.
//
// A new package goes on the lowest line on which it finds all that it needs.
func layers() [][]string {
	return [][]string{
		{"cmd/kilter"},
		{"internal/cli"},
		{"docs"},
		{"internal/report"},
		{"internal/fix"},
		{"internal/deploy", "internal/diagnose"},
		{"internal/rehearsal"},
		{"internal/plan", "internal/verify", "internal/host"},
		{"internal/engine/..."},
		{"internal/catalog"},
		{"internal/oracle", "internal/dialect", "internal/remote", "internal/store", "internal/pyrun", "internal/pyast", "internal/cubin"},
		{"internal/audit", "internal/model", "internal/tokenizer", "internal/chat", "internal/checkpoint/bulk", "internal/checkpoint",
			"internal/checkpoint/safetensors", "internal/checkpoint/gguf", "internal/checkpoint/problem", "internal/checkpoint/internal/jsonlex", "internal/numeric"},
		{"internal/evidence", "internal/deployment", "internal/stats", "internal/spell"},
	}
}

// testSupport are packages that only tests may import. They may look at all.
func testSupport() []string { return []string{"internal/enginetest", "internal/modeltest"} }

// core are the packages that judge. They must stay usable without any platform.
func core() []string {
	return []string{"internal/verify", "internal/diagnose", "internal/oracle"}
}

// forbidden are module path prefixes that no package imports, with the reason;
// .golangci.yml says the same to an editor.
func forbidden() map[string]string {
	return map[string]string{
		"github.com/openai/openai-go":    "20 MB; kilter must see what the JSON really holds",
		"k8s.io/":                        "only a Kubernetes target may, in a package of its own",
		"sigs.k8s.io/":                   "only a Kubernetes target may, in a package of its own",
		"github.com/aws/aws-sdk-go":      "kilter needs no cloud",
		"cloud.google.com/go":            "kilter needs no cloud",
		"github.com/Azure/azure-sdk-for": "kilter needs no cloud",
		"github.com/mattn/go-sqlite3":    "needs cgo; use modernc.org/sqlite",
		"github.com/pkg/errors":          "the standard library wraps errors",
		"io/ioutil":                      "deprecated",
	}
}

// longFiles are the files that may be over maxLines, with the reason.
func longFiles() map[string]string { return map[string]string{} }

const maxLines = 600

// A source is one parsed Go file.
type source struct {
	path string // slash-separated, from the root
	test bool
	file *ast.File
	text []byte
}

func (s source) dir() string { return path.Dir(s.path) }

type tree struct {
	fset    *token.FileSet
	sources []source
	files   []string // all files of the project
}

var readTree = sync.OnceValues(func() (*tree, error) {
	tr := &tree{fset: token.NewFileSet()}
	files, err := projectFiles()
	if err != nil {
		return nil, err
	}
	tr.files = files
	for _, name := range files {
		if !strings.HasSuffix(name, ".go") || strings.Contains(name, "/testdata/") {
			continue
		}
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // deleted, and not yet committed
		}
		if err != nil {
			return nil, err
		}
		file, err := parser.ParseFile(tr.fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		tr.sources = append(tr.sources, source{name, strings.HasSuffix(name, "_test.go"), file, text})
	}
	return tr, nil
})

// projectFiles lists what git tracks and what it would track; without git, the
// files on disk.
func projectFiles() ([]string, error) {
	out, err := exec.Command("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard").Output()
	if err == nil {
		files := strings.Split(strings.TrimRight(string(out), "\x00"), "\x00")
		slices.Sort(files)
		return slices.Compact(files), nil
	}
	var files []string
	err = filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && name != "." && strings.HasPrefix(d.Name(), ".") && d.Name() != ".ci" {
			return filepath.SkipDir
		}
		if !d.IsDir() {
			files = append(files, filepath.ToSlash(name))
		}
		return nil
	})
	return files, err
}

func load(t *testing.T) *tree {
	t.Helper()
	tr, err := readTree()
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// place returns a package's line and its column in layers.
func place(pkg string) (line, column int, ok bool) {
	for i, names := range layers() {
		for j, name := range names {
			folder, peers := strings.CutSuffix(name, "/...")
			if name == pkg || peers && strings.HasPrefix(pkg, folder+"/") {
				return i, j, true
			}
		}
	}
	return 0, 0, false
}

func TestImportsPointDown(t *testing.T) {
	for _, src := range load(t).sources {
		if src.test || src.dir() == "." || strings.HasPrefix(src.path, "test/") || slices.Contains(testSupport(), src.dir()) {
			continue // tests may look at everything
		}
		line, column, ok := place(src.dir())
		if !ok {
			t.Errorf("%s: package %s is in no layer: add it to layers() in house_test.go and to docs/architecture.md", src.path, src.dir())
			continue
		}
		for _, spec := range src.file.Imports {
			target, ours := strings.CutPrefix(strings.Trim(spec.Path.Value, `"`), module+"/")
			if !ours {
				continue
			}
			if slices.Contains(testSupport(), target) {
				t.Errorf("%s imports %s, which is for tests alone", src.path, target)
			}
			l, c, ok := place(target)
			if !ok {
				continue // reported for its own files
			}
			if l < line || l == line && c <= column {
				t.Errorf("%s imports %s, which stands above it or to its left: see layers() in house_test.go", src.path, target)
			}
		}
	}
}

func TestForbiddenImports(t *testing.T) {
	for _, src := range load(t).sources {
		for _, spec := range src.file.Imports {
			imported := strings.Trim(spec.Path.Value, `"`)
			for prefix, why := range forbidden() {
				if strings.HasPrefix(imported, prefix) {
					t.Errorf("%s imports %s: %s", src.path, imported, why)
				}
			}
		}
	}
}

// The core must not reach a platform through something else either.
func TestCoreDependsOnNoPlatform(t *testing.T) {
	for _, pkg := range core() {
		if _, err := os.Stat(pkg); err != nil {
			continue // not written yet
		}
		out, err := exec.Command("go", "list", "-deps", "./"+pkg).CombinedOutput()
		if err != nil {
			t.Fatalf("go list -deps ./%s: %v\n%s", pkg, err, out)
		}
		for _, dep := range strings.Fields(string(out)) {
			for prefix, why := range forbidden() {
				if strings.HasPrefix(dep, prefix) {
					t.Errorf("%s depends on %s: %s", pkg, dep, why)
				}
			}
		}
	}
}

func TestPackagesAreDocumented(t *testing.T) {
	documented := map[string]int{} // package folder -> number of doc comments
	for _, src := range load(t).sources {
		if src.test {
			continue
		}
		if _, ok := documented[src.dir()]; !ok {
			documented[src.dir()] = 0
		}
		if src.file.Doc != nil {
			documented[src.dir()]++
			want := "Package " + src.file.Name.Name + " "
			if text := src.file.Doc.Text(); src.file.Name.Name != "main" && !strings.HasPrefix(text, want) {
				t.Errorf("%s: the package comment should begin with %q", src.path, want)
			}
		}
	}
	for dir, n := range documented {
		if n != 1 {
			t.Errorf("package %s has %d package comments, want one", dir, n)
		}
	}
}

func TestExportedNamesAreDocumented(t *testing.T) {
	tr := load(t)
	for _, src := range tr.sources {
		if src.test || src.file.Name.Name == "main" {
			continue
		}
		missing := func(pos token.Pos, name string) {
			t.Errorf("%s: %s is exported and has no comment", tr.fset.Position(pos), name)
		}
		for _, decl := range src.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Name.IsExported() && d.Doc == nil && exportedReceiver(d) && !obvious(d) {
					missing(d.Pos(), d.Name.Name)
				}
			case *ast.GenDecl:
				for _, spec := range d.Specs {
					switch s := spec.(type) {
					case *ast.TypeSpec:
						if s.Name.IsExported() && s.Doc == nil && d.Doc == nil {
							missing(s.Pos(), s.Name.Name)
						}
					case *ast.ValueSpec:
						for _, name := range s.Names {
							if name.IsExported() && s.Doc == nil && s.Comment == nil && d.Doc == nil {
								missing(s.Pos(), name.Name)
							}
						}
					}
				}
			}
		}
	}
}

// obvious are methods of well-known interfaces, whose meaning is fixed there.
func obvious(d *ast.FuncDecl) bool {
	return d.Recv != nil && slices.Contains([]string{
		"Error", "Unwrap", "Is", "As", "String", "Len", "Less", "Swap", "Read", "Write", "Close", "Set", "Type",
		"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "MarshalYAML", "UnmarshalYAML",
	}, d.Name.Name)
}

func exportedReceiver(d *ast.FuncDecl) bool {
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return true
	}
	typ := d.Recv.List[0].Type
	for {
		switch x := typ.(type) {
		case *ast.StarExpr:
			typ = x.X
		case *ast.IndexExpr:
			typ = x.X
		case *ast.Ident:
			return x.IsExported()
		default:
			return true
		}
	}
}

// No package runs code or registers itself when it is imported, and none keeps
// state: what a package-level variable holds, it holds from the start. Tables,
// compiled expressions, errors and embedded files are such. To assign to one,
// or to a part of it, is not allowed.
func TestNoInitAndNoGlobalState(t *testing.T) {
	tr := load(t)
	globals := map[string]map[string]bool{} // package folder -> its variables
	for _, src := range tr.sources {
		if src.test {
			continue
		}
		for _, decl := range src.file.Decls {
			switch d := decl.(type) {
			case *ast.FuncDecl:
				if d.Recv == nil && d.Name.Name == "init" {
					t.Errorf("%s: func init: build the value where it is needed", tr.fset.Position(d.Pos()))
				}
			case *ast.GenDecl:
				if d.Tok != token.VAR {
					continue
				}
				for _, spec := range d.Specs {
					s := spec.(*ast.ValueSpec)
					for _, name := range s.Names {
						if globals[src.dir()] == nil {
							globals[src.dir()] = map[string]bool{}
						}
						globals[src.dir()][name.Name] = true
					}
					if len(s.Values) == 0 && !setFromOutside(d.Doc, s.Doc, s.Comment) {
						t.Errorf("%s: a package-level variable without a value is state: keep it in a struct", tr.fset.Position(s.Pos()))
					}
				}
			}
		}
	}
	for _, src := range tr.sources {
		if src.test {
			continue
		}
		for _, decl := range src.file.Decls {
			f, ok := decl.(*ast.FuncDecl)
			if !ok || f.Body == nil {
				continue
			}
			own := localNames(f)
			ast.Inspect(f.Body, func(n ast.Node) bool {
				for _, target := range assigned(n) {
					if name := root(target); globals[src.dir()][name] && !own[name] {
						t.Errorf("%s: assigns to the package-level variable %s", tr.fset.Position(target.Pos()), name)
					}
				}
				return true
			})
		}
	}
}

// setFromOutside reports whether a variable's comments say that the compiler or
// the linker gives it its value.
func setFromOutside(comments ...*ast.CommentGroup) bool {
	for _, group := range comments {
		if group == nil {
			continue
		}
		for _, c := range group.List {
			if strings.HasPrefix(c.Text, "//go:embed") || strings.Contains(c.Text, "-ldflags") {
				return true
			}
		}
	}
	return false
}

// assigned returns what a statement writes to.
func assigned(n ast.Node) []ast.Expr {
	switch s := n.(type) {
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE {
			return s.Lhs
		}
	case *ast.IncDecStmt:
		return []ast.Expr{s.X}
	}
	return nil
}

// root returns the name at the bottom of x[i].y and the like.
func root(e ast.Expr) string {
	for {
		switch x := e.(type) {
		case *ast.IndexExpr:
			e = x.X
		case *ast.SelectorExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.ParenExpr:
			e = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// localNames returns every name that a function declares anywhere inside, which
// may hide a package-level one.
func localNames(f *ast.FuncDecl) map[string]bool {
	names := map[string]bool{}
	add := func(list ...ast.Expr) {
		for _, e := range list {
			if id, ok := e.(*ast.Ident); ok {
				names[id.Name] = true
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch x := n.(type) {
		case *ast.Field:
			for _, id := range x.Names {
				names[id.Name] = true
			}
		case *ast.AssignStmt:
			if x.Tok == token.DEFINE {
				add(x.Lhs...)
			}
		case *ast.RangeStmt:
			if x.Tok == token.DEFINE {
				add(x.Key, x.Value)
			}
		case *ast.ValueSpec:
			for _, id := range x.Names {
				names[id.Name] = true
			}
		}
		return true
	})
	return names
}

func TestGoModHasNoReplace(t *testing.T) {
	out, err := exec.Command("go", "mod", "edit", "-json").Output()
	if err != nil {
		t.Fatal(err)
	}
	var mod struct {
		Module  struct{ Path string }
		Replace []any
		Exclude []any
	}
	if err := json.Unmarshal(out, &mod); err != nil {
		t.Fatal(err)
	}
	if mod.Module.Path != module || len(mod.Replace)+len(mod.Exclude) > 0 {
		t.Errorf("go.mod: module %s, %d replaced, %d excluded: go install must work for everybody", mod.Module.Path, len(mod.Replace), len(mod.Exclude))
	}
}

func TestFilesAreShort(t *testing.T) {
	allowed := longFiles()
	for _, src := range load(t).sources {
		lines := bytes.Count(src.text, []byte("\n"))
		if _, ok := allowed[src.path]; !src.test && lines > maxLines && !ok {
			t.Errorf("%s has %d lines, over %d: one concept a file, or an entry with a reason in longFiles()", src.path, lines, maxLines)
		}
	}
	for name := range allowed {
		if text, err := os.ReadFile(name); err != nil || bytes.Count(text, []byte("\n")) <= maxLines {
			t.Errorf("longFiles() holds %s, which is not long", name)
		}
	}
}

// Files of the project speak of kilter alone: no path of the machine it was
// written on, and nothing of how it was written. (The patterns are put together
// from halves, so that this file does not match.)
func TestFilesSpeakOfKilterAlone(t *testing.T) {
	strange := regexp.MustCompile(`(?i)` + strings.Join([]string{
		"(^|[^a-z0-9_.~})-])/wor" + "k/",
		"[.]libr" + "ary",
		"sub" + "agent",
	}, "|"))
	for _, name := range load(t).files {
		text, err := os.ReadFile(name)
		if err != nil || bytes.IndexByte(text, 0) >= 0 {
			continue // deleted and not committed, or binary
		}
		for i, line := range bytes.Split(text, []byte("\n")) {
			if found := strange.Find(line); found != nil {
				t.Errorf("%s:%d: %q does not belong here", name, i+1, found)
			}
		}
	}
}

// A test that is skipped says what is missing and how to get it.
func TestSkipsSayWhy(t *testing.T) {
	tr := load(t)
	for _, src := range tr.sources {
		if !src.test {
			continue
		}
		ast.Inspect(src.file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if sel, ok := call.Fun.(*ast.SelectorExpr); ok && (sel.Sel.Name == "SkipNow" || sel.Sel.Name == "Skip" && len(call.Args) == 0) {
				if id, ok := sel.X.(*ast.Ident); ok && (id.Name == "t" || id.Name == "b" || id.Name == "tb" || id.Name == "f") {
					t.Errorf("%s: a skip without a message", tr.fset.Position(call.Pos()))
				}
			}
			return true
		})
	}
}

func TestGofmt(t *testing.T) {
	out, err := exec.Command("gofmt", append([]string{"-l"}, goFiles(t)...)...).CombinedOutput()
	if err != nil || len(bytes.TrimSpace(out)) > 0 {
		t.Errorf("gofmt -l: %v\n%s", err, out)
	}
}

func goFiles(t *testing.T) (names []string) {
	for _, src := range load(t).sources {
		names = append(names, src.path)
	}
	return names
}

// The command builds without cgo, and what it prints matches its schemas.
func TestCommand(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "kilter")
	build := exec.Command("go", "build", "-o", bin, "./cmd/kilter")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("CGO_ENABLED=0 go build ./cmd/kilter: %v\n%s", err, out)
	}
	schemas := strictSchemas(t)
	for file, args := range map[string][]string{
		"version.v1.json": {"version", "-o", "json"},
		"checks.v1.json":  {"verify", "--list", "-o", "json"},
	} {
		out, err := exec.Command(bin, args...).Output()
		if err != nil {
			t.Errorf("kilter %s: %v", strings.Join(args, " "), err)
			continue
		}
		validate(t, schemas[file], out)
	}
}
