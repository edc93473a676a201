package pyast

import (
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// accepted and refused are sources on whose validity CPython 3.13's ast.parse
// agrees; TestPeer checks that it does.
var accepted = []string{
	"",
	"\ufeffx = 1\n",
	"x = 1",
	"if x:\n\tpass\nelif y: pass; pass;\nelse:\n  pass\n",
	"x = (yield)\ny = yield a, b\nawait_ = 1\n",
	"def f(a, /, b: int = 1, *c: *T, d, e=2, **g) -> int: return a\n",
	"def f(*, a): pass\nlambda *a, b=1, **k: (a, b, k)\nlambda: 0\n",
	"class A[T: int, *Ts, **P](B, metaclass=M): x: int = 3\n",
	"type X[T] = list[T]\ntype = 1\ntype(x)\nprint(type)\n",
	"match x:\n  case [1, *_, -2.5, 1+2j] if y: pass\n  case {'a': b, **rest} | A(1, c=d) as z: pass\n  case (a, b), None, x.y: pass\n  case *a, b: pass\n  case _: pass\n",
	"match = case = 1\nmatch[1] = 2\nmatch(x)\nmatch, case = 1, 2\nmatch: int = 3\n",
	"with (open(a) as b, c as d,): pass\nwith (a, b): pass\nwith (a): pass\nwith (a).b as c, d: pass\nwith (yield): pass\nwith (x := 1): pass\n",
	"async def f():\n  async with a as b: pass\n  async for x in y: await z\n  return [x async for x in y if x]\n",
	"try: pass\nexcept* (A, B) as e: pass\nfinally: pass\n",
	"try: pass\nexcept A: pass\nexcept: pass\nelse: pass\n",
	"a = b, *c = d = 1, *e\n(a), [b, (c, *d)] = x\nfor a, (b, *c), in d, *e: pass\ndel a, (b, [c]), d.e, f[0],\n",
	"x[a:b, ::2, :, *c, ..., d := 1]\nx[*a]\nx[1:2:3]\nx[()]\n",
	"f(a, *b, c=1, *d, **e, f=2)\nf(x for x in y)\nf(a := 1, b)\nf((x for x in y), 1)\n",
	"{**a, 'b': 1}\n{*a, b}\n{a: b for a, b in c}\n{a for a in b}\n{}\n{1: 2,}\n{(a := 1): 2}\n{a := 1, 2}\n",
	"x = a if b else c if d else lambda: e\nnot not a\n-a ** -b ** c\na < b <= c != d is not e not in f\n",
	"x: int\n(x): int = 1\nx.y: int\nx += yield\nx @= 2\nx //= 3; x **= 4; x >>= 5\n",
	"from . import a\nfrom ... import b as c, d\nfrom .... import e\nfrom .x.y import (a, b as c,)\nfrom z import *\nimport a.b.c as d, e\n",
	"@a.b(c)\n@(yield)\n@x := y\ndef f(): pass\n@d\nclass A: pass\n",
	"0x_ff + 0o17 + 0b1_0 + 1_000.5e-1_0 + 1j + .5 + 1. + 0_0 + 00 + 1e5 + 0e0 + 0j\n1if x else 2\n1 .real\n1..real\n[1for x in y]\n",
	"'a' \"b\" r'\\d' u'x'\nb'a' rb'\\d'\n'''a\n'b' ''c'''\n'\\\n' '\\x41\\u0041\\U0001F600\\101\\d'\n",
	"f'{x}' 'y' f'{x!r:>{w}.{p}}' f'{{}}' f'{x=}{x = !s:5}' f'{a[\"b\"]}' f'''{\nx\n}'''\n",
	"f'{x:{y:{z}}}' f'{x!r}' rf'\\{x}\\d'\nf'{(lambda x: 1)}' f'{x != y}' f'{ {1: 2}[1] }' f'\\N{DIGIT ONE}'\n",
	"f'{f'{f'{1}'}'}'\nf'{x:%H:%M}'\nf'\\{6}'\nf'{*a, b}'\nf'{yield x}'\n",
	"x = \\\n  1\nif a and \\\n    b: pass\n",
	"if a:\n    x\n\\\n    y\n",
	"  # comment\n\nif x:\n        # deeper\n    a\n# c\n    b\n",
	"x = [\n  1, # one\n\n  2]\n",
	"a\r\nb\rc\n'''x\r\ny'''\n",
	"global a, b\nnonlocal c\nassert a, b\nraise\nraise a from b\nreturn\nbreak\n",
	"é = 1\nµ = ℘\nx·y = 2\n",
	"print(*a, sep='')\nexec = 1\n\f\nx\n",
	"a; b;\n",
	"x = ...\nx = (1,)\nx = 1,\nx = ()\nfor x in 1,: pass\n",
	"*a, b\n*a\nprint((*a, b))\n",
	"def f() -> 1: pass\nfor x[0] in y: pass\nfor (x) in y: pass\n",
	"while x: pass\nelse: pass\n[i for i in range(5) if i if j for k in l]\n",
	"0o1or x\n[0x1for x in y]\n",
}

var refused = []string{
	"x =", "= 1", "x = = 1", "1 = x", "f() = 1", "a + b = 1", "None = 1", "x + 1 += 2", "(a, b) += 1", "[a] += 1",
	"if x\n  pass", "if x:\npass", "  x", "if x:\n    a\n  b", "if x:\n\ta\n        b", "def f(a, a=1, b): pass", "def f(*): pass",
	"def f(*, **k): pass", "def f(**k, a): pass", "def f(a, /, b, /): pass", "def f(/, a): pass", "lambda *: 1", "def f(a:int=1=2): pass",
	"f(a=1, b)", "f(**a, b)", "f(**a, *b)", "f(x for x in y, 1)", "f(1, x for x in y)", "f(a.b=1)", "f(True=1)",
	"class A(x for x in y): pass", "import a.b as c.d", "from a import", "from a import (b", "from a import *, b", "from . import",
	"x := 1", "(x.y := 1)", "[x := 1 for", "a == not b", "x if y", "lambda x: yield", "not", "a not b", "a is is b",
	"(", ")", "(]", "[1, 2", "{1: 2, 3}", "{1, 2: 3}", "{**a for a in b}", "[*a for a in b]", "(*a)", "{a: *b}", "{a := 1: 2}",
	"'abc", "\"abc\n", "'''abc", "f'{x'", "f'{}'", "f'}'", "f'{x!}'", "f'{x!z}'", "f'{x y}'", "f'{lambda x: 1}'", "f'{!r}'", "f'{x:{y}'", "f'{a b}'",
	"b'é'", "'\\x4'", "'\\u12'", "'\\U99999999'", "b'a' 'b'", "f'a' b'c'", "'\\N{'",
	"012", "1__0", "1_", "0x", "0b2", "0o8", "1x", "0_x", "1.5abc", "1e", "0xg", "1_.5",
	"x = $", "x ? y", "a ! b", "x = 1 \\ y", "\\", "x\x00", "`x`", "a <> b",
	"try: pass", "try: pass\nelse: pass", "try: pass\nexcept A: pass\nexcept* B: pass", "try: pass\nexcept*: pass",
	"with a as 1: pass", "for 1 in x: pass", "for x in: pass", "for f() in x: pass", "del f()", "del *a", "del a + b", "del",
	"match x:\n  case a.b.c(: pass", "match x:\n  pass", "match x:\n  case {a: b}: pass", "match x:\n  case *a: pass",
	"match x:\n  case 1 + 2: pass", "match x:\n  case A(b=1, 2): pass", "match x:\n  case a as _: pass", "match x:\n  case {**_}: pass", "match x:\n case -a: pass",
	"async x", "async lambda: 1", "@x\ny", "@x", "else: pass", "elif x: pass", "def f()\n  pass", "def 1(): pass", "class: pass", "class A", "def f(None): pass",
	"x: int: str", "a, b: int", "[a]: int", "f(): int", "x[*a:b]", "x[]", "x.1", "x..y", "a b", "print x", "return return", "pass pass", "if x: if y: pass",
	"global", "global a.b", "raise a from", "assert", "while: pass", "yield = 1", "x = yield = 1", "await = 1", "async = 1", "type X", "type X = ", "type X.y = 1",
	"{", "a[1:2:3:4]", "lambda", "lambda x", "0777", "x\n  y", "if x:\n  a\n b", "[x for x in]", "[x for x in y if]", "[for x in y]", "(x for x in y if a else b)",
	"[x for x in lambda: y, 1]", "[x for x in a if lambda: 1]", "f(*)", "f(**)", "{*}", "*", "**a", "a = *", "->", "x -> y",
}

func TestAccepted(t *testing.T) {
	for _, src := range accepted {
		if _, err := Parse(src); err != nil {
			t.Errorf("%q: %v", src, err)
		}
	}
}

func TestRefused(t *testing.T) {
	for _, src := range refused {
		_, err := Parse(src)
		var se *SyntaxError
		if err == nil {
			t.Errorf("%q: accepted", src)
		} else if !errors.As(err, &se) || se.Line < 1 || se.Col < 1 || se.Msg == "" {
			t.Errorf("%q: error %#v", src, err)
		}
	}
}

// TestPeer holds the two tables above, and our trees for the accepted sources,
// against CPython 3.13, where it is installed.
func TestPeer(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a Python")
	}
	python := ""
	for _, p := range []string{"/root/.pyenv/versions/3.13.0/bin/python3", "python3.13"} {
		if exec.Command(p, "-c", "import sys; sys.exit(sys.version_info < (3, 13))").Run() == nil {
			python = p
			break
		}
	}
	if python == "" {
		t.Skip("no Python 3.13 or later: install one as python3.13")
	}
	dir := t.TempDir()
	all := append(append([]string(nil), accepted...), refused...)
	var names []string
	for i, src := range all {
		name := filepath.Join(dir, string(rune('a'+i/26%26))+string(rune('a'+i%26))+string(rune('a'+i/676))+".py")
		writeFile(t, name, src)
		names = append(names, name)
	}
	cmd := exec.Command(python, "testdata/dump.py", "--full")
	cmd.Stdin = strings.NewReader(strings.Join(names, "\n"))
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	if len(lines) != len(all) {
		t.Fatalf("%d answers for %d sources", len(lines), len(all))
	}
	for i, line := range lines {
		src := all[i]
		parts := strings.SplitN(line, "\t", 3)
		if (parts[1] == "ok") != (i < len(accepted)) {
			t.Errorf("%q: CPython says %s %s", src, parts[1], parts[2])
			continue
		}
		if f, err := Parse(src); err == nil && !strings.Contains(src, `\N{`) && !strings.Contains(src, "µ") {
			if got := dump(f); got != parts[2] {
				t.Errorf("%q:\n got %s\nwant %s", src, got, parts[2])
			}
		}
	}
}

func TestPositions(t *testing.T) {
	src := "def f(x):\n    return (x +\n            1)\n"
	f, err := Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	var got string
	Inspect(f, func(n Node) bool {
		if b, ok := n.(*BinOp); ok {
			got = f.Text(b) + " " + f.Position(b.Pos()).String() + " " + f.Position(b.End()).String()
		}
		return true
	})
	if want := "x +\n            1 2:13 3:14"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestErrorPosition(t *testing.T) {
	_, err := Parse("a = 1\nb = (2 +\n  * 3)\n")
	var se *SyntaxError
	if !errors.As(err, &se) || se.Line != 3 || se.Col != 3 {
		t.Errorf("got %v", err)
	}
}

// TestHostile holds the bounds: deep nesting is an error, and time is linear.
func TestHostile(t *testing.T) {
	const n = 100_000
	rep := strings.Repeat
	cases := map[string]struct {
		src string
		ok  bool
	}{
		"parentheses":      {rep("(", n), false},
		"closed":           {rep("(", n) + rep(")", n), false},
		"brackets 150":     {rep("[", 150) + rep("]", 150), true},
		"minus":            {rep("-", n) + "1", false},
		"not":              {rep("not ", n) + "x", false},
		"power":            {rep("x**", n) + "x", false},
		"lambda":           {rep("lambda:", n) + "x", false},
		"conditional":      {rep("x if x else ", n) + "x", false},
		"sum":              {rep("x+", n) + "x", false},
		"sum 900":          {rep("x+", 900) + "x", true},
		"attributes":       {"x" + rep(".y", n), false},
		"calls":            {"x" + rep("()", n), false},
		"subscripts":       {"x" + rep("[0]", n), false},
		"and":              {rep("x and ", n) + "x", true},
		"comparison":       {rep("x<", n) + "x", true},
		"tuple":            {rep("x,", n), true},
		"elif":             {"if x: pass\n" + rep("elif x: pass\n", n/10), true},
		"strings":          {rep("'a' ", n), true},
		"f-strings":        {rep("f'{x}' ", n), true},
		"f-string nest":    {rep("f'{", 1000) + "1" + rep("}'", 1000), false},
		"f-string braces":  {"f'" + rep("{{", n) + "'", true},
		"f-string spec":    {"f'{x" + rep(":{x", 1000) + rep("}", 1000) + "}'", false},
		"f-string pieces":  {"f'" + rep("{{}}{x}", n/10) + "'", true},
		"long name":        {rep("x", n*10), true},
		"long int":         {rep("9", n), false},
		"long hex":         {"0x" + rep("f", n*10), true},
		"match":            {rep("match (", n), false},
		"with":             {"with " + rep("(", n) + "a", false},
		"with items":       {"with (" + rep("a, ", n/10) + "b) as c: pass", true},
		"blocks":           {blocks(500), false},
		"blocks 90":        {blocks(90), true},
		"patterns":         {"match x:\n  case " + rep("[", n) + ": pass", false},
		"pattern or":       {"match x:\n  case " + rep("1|", n/10) + "2: pass", true},
		"backslashes":      {rep("\\\n", n) + "x", true},
		"blank lines":      {rep("\n", n), true},
		"dedents":          {rep("if x:\n if x:\n  if x:\n   pass\n", n/20), true},
		"decorators":       {rep("@a\n", n/10) + "def f(): pass", true},
		"semicolons":       {rep("x;", n), true},
		"type parameters":  {"def f[" + rep("T,", n/10) + "]() : pass", true},
		"match statements": {rep("match(x)\n", n/10), true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			_, err := Parse(c.src)
			if d := time.Since(begin); d > 2*time.Second {
				t.Errorf("took %v", d)
			}
			if (err == nil) != c.ok {
				t.Errorf("error %v, want success %v", err, c.ok)
			}
		})
	}
	for src, opt := range map[string]Options{"x = 1": {MaxBytes: 4}, "-----1": {MaxDepth: 5}} {
		var se *SyntaxError
		if _, err := ParseWith(src, opt); !errors.As(err, &se) || !se.Limit {
			t.Errorf("%q with %+v: %v", src, opt, err)
		}
	}
}

func blocks(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(strings.Repeat(" ", i) + "if x:\n")
	}
	b.WriteString(strings.Repeat(" ", n) + "pass\n")
	return b.String()
}

func FuzzParse(f *testing.F) {
	for _, src := range accepted {
		f.Add(src)
	}
	for _, src := range refused {
		f.Add(src)
	}
	f.Fuzz(func(t *testing.T, src string) {
		file, err := ParseWith(src, Options{MaxDepth: 300})
		if err != nil {
			var se *SyntaxError
			if !errors.As(err, &se) || se.Line < 1 || se.Col < 1 {
				t.Fatalf("error %#v", err)
			}
			return
		}
		Inspect(file, func(n Node) bool {
			if n.Pos() < 0 || n.Pos() > n.End() || int(n.End()) > len(src) {
				t.Fatalf("%T spans %d to %d of %d", n, n.Pos(), n.End(), len(src))
			}
			return true
		})
		dump(file)
	})
}

func BenchmarkParse(b *testing.B) {
	src := readFile(b, "testdata/dump.py")
	src = strings.Repeat(src, 20)
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		if _, err := Parse(src); err != nil {
			b.Fatal(err)
		}
	}
}
