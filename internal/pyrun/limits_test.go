package pyrun

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"kilter/internal/pyast"
)

// anyOf are the errors that end a hostile program. errUnsupported and errSyntax
// stand for the two types.
var (
	errUnsupported = errors.New("unsupported")
	errSyntax      = errors.New("syntax error")
	errRaised      = errors.New("raised")

	// Which of the two comes first is not worth a promise.
	errMemoryOrSteps = errors.New("memory or step limit")
)

func kindOf(err error) error {
	var u *Unsupported
	var s *pyast.SyntaxError
	var r *Raised
	switch {
	case err == nil:
		return nil
	case errors.As(err, &u):
		return errUnsupported
	case errors.As(err, &s):
		return errSyntax
	case errors.As(err, &r):
		return errRaised
	}
	for _, k := range []error{ErrSteps, ErrMemory, ErrDepth, context.Canceled, context.DeadlineExceeded} {
		if errors.Is(err, k) {
			return k
		}
	}
	return err
}

// TestHostile executes programs that want to hang or to eat the memory. Each must
// end soon, with the right error, and without using much more memory than it may.
func TestHostile(t *testing.T) {
	rep := strings.Repeat
	cases := []struct {
		name, src string
		want      error
	}{
		{"loop", "while True: pass", ErrSteps},
		{"loop in a comprehension", "[0 for x in iter(int, 1) if x]", ErrSteps},
		{"all over infinite", "all(True for _ in iter(int, 1))", ErrSteps},
		{"sum of a huge range", "sum(range(10**12))", ErrSteps},
		{"list of a huge range", "list(range(10**12))", ErrMemory},
		{"in of a generator", "5 in (0 for _ in range(10**12))", ErrSteps},
		{"unpack", "a, *b = iter(int, 1)", ErrMemory},
		{"string times", "x = 'a' * 10**12", ErrMemory},
		{"string times 2", "x = 10**15 * 'ab'", ErrMemory},
		{"list times", "x = [0] * 10**12", ErrMemory},
		{"tuple times", "x = (0,) * 10**9", ErrMemory},
		{"append", "l = []\nwhile True: l.append(1)", ErrMemory},
		{"extend self", "l = [1]\nwhile True: l += l", ErrMemory},
		{"extend by itself", "l = [1]\nwhile True: l.extend(l)", ErrMemory},
		{"double a string", "s = 'a'\nwhile True: s += s", ErrMemory},
		{"double a string by format", "s = 'a'\nwhile True: s = f'{s}{s}'", ErrMemory},
		{"double by join", "s = 'a'\nwhile True: s = s.join('xyz')", ErrMemory},
		{"double by replace", "s = 'a'\nwhile True: s = s.replace('a', 'aa')", ErrMemory},
		{"double by percent", "s = 'a'\nwhile True: s = '%s%s' % (s, s)", ErrMemory},
		{"double by repr", "s = '\\\\'\nwhile True: s = repr(s)", ErrMemory},
		{"distinct strings", "l = {}\ni = 0\nwhile True:\n  l[str(i)] = 'x' * 1000\n  i += 1", ErrMemory},
		{"dict", "d = {}\ni = 0\nwhile True:\n  d[i] = i\n  i += 1", ErrMemory},
		{"set", "s = set()\ni = 0\nwhile True:\n  s.add(i)\n  i += 1", ErrMemory},
		{"set of a generator", "set(x for x in range(10**12))", ErrMemory},
		{"nested comprehension", "[[y for y in range(10**5)] for x in range(10**5)]", ErrMemory},
		{"dict comprehension", "{x: [x] for x in range(10**9)}", ErrMemory},
		{"frozensets", "s = frozenset()\nwhile True: s = frozenset([s, 1])", errMemoryOrSteps},
		{"power", "x = 2 ** 10**9", ErrMemory},
		{"power tower", "x = 10 ** 10 ** 10", ErrMemory},
		{"power of a power", "x = 3\nwhile True: x = x ** 3", errMemoryOrSteps},
		{"square", "x = 3\nwhile True: x *= x", errMemoryOrSteps},
		{"shift", "x = 1 << 10**10", ErrMemory},
		{"shift more", "x = 1\nwhile True: x <<= x.bit_length()", ErrMemory},
		{"factorial", "import math\nmath.factorial(10**9)", ErrMemory},
		{"comb", "import math\nmath.comb(10**9, 5 * 10**8)", ErrMemory},
		{"powmod", "x = 2**60000\nwhile True: pow(3, x, x + 1)", ErrSteps},
		{"big division", "x = 3**200000\nwhile True: x // 7**100000", ErrSteps},
		{"gcd", "import math\nx = 3**200000; y = 2**300001 + 1\nwhile True: math.gcd(x, y)", ErrSteps},
		{"isqrt", "import math\nx = 3**400000\nwhile True: math.isqrt(x)", ErrSteps},
		{"true division", "x = 3**400000; y = 5**300000\nwhile True: x / y", ErrSteps},
		{"hash of a big int", "x = 3**400000\nwhile True: {x: 1}", ErrSteps},
		{"compare big ints", "x = 3**400000\ny = x + 1\nwhile x < y: pass", ErrSteps},
		{"recursion", "def f(n): return f(n + 1)\nf(0)", ErrDepth},
		{"mutual recursion", "def f(): g()\ndef g(): f()\nf()", ErrDepth},
		{"recursion in a key", "def f(x): return sorted([1, 2], key=f)\nf(0)", ErrDepth},
		{"recursion in eq", "class A:\n  def __eq__(self, o): return self == o\nA() == A()", ErrDepth},
		{"recursion in repr", "class A:\n  def __repr__(self): return repr(self)\nrepr(A())", ErrDepth},
		{"recursion in getitem", "class A:\n  def __getitem__(self, i): return self[i]\nA()[0]", ErrDepth},
		{"recursion in call", "class A:\n  def __call__(self): return self()\nA()()", ErrDepth},
		{"recursion in iter", "class A:\n  def __iter__(self): return iter(self)\niter(A())", ErrDepth},
		{"recursion in a property", "class A:\n  @property\n  def x(self): return self.x\nA().x", ErrDepth},
		{"recursion in init", "class A:\n  def __init__(self): A()\nA()", ErrDepth},
		{"caught recursion", "def f():\n  try: f()\n  except RecursionError: f()\nf()", ErrSteps},
		{"generators in generators", "def g(n):\n  yield from g(n + 1)\nlist(g(0))", ErrDepth},
		{"map in map", "it = iter([1])\nfor _ in range(20000): it = map(lambda x: x, it)\nnext(it)", ErrDepth},
		{"zip in zip", "it = iter([1])\nfor _ in range(20000): it = zip(it)\nlist(it)", ErrDepth},
		{"nested lists repr", "l = []\nfor _ in range(30000): l = [l]\nrepr(l)", ErrDepth},
		{"nested lists eq", "l = []\nm = []\nfor _ in range(20000): l = [l]; m = [m]\nl == m", ErrDepth},
		{"nested tuples hash", "l = ()\nfor _ in range(30000): l = (l,)\n{l: 1}", ErrDepth},
		{"nested tuples wide hash", "l = (1,)\nfor _ in range(60): l = (l, l)\nhash(l)", errMemoryOrSteps},
		{"nested lists wide repr", "l = [1]\nfor _ in range(60): l = [l, l]\nrepr(l)", errMemoryOrSteps},
		{"nested lists wide eq", "l = [1]; m = [1]\nfor _ in range(60): l = [l, l]; m = [m, m]\nl == m", ErrSteps},
		{"self reference eq", "l = []; l.append(l); m = []; m.append(m)\nl == m", ErrDepth},
		{"sort with a bomb", "sorted(range(1000), key=lambda x: 'a' * 10**6)", ErrMemory},
		{"sort with a loop", "class A:\n  def __lt__(self, o):\n    while True: pass\nsorted([A(), A()])", ErrSteps},
		{"sort much", "l = list(range(1000))\nwhile True: sorted(l)", ErrSteps},
		{"format width", "x = '{:>1000000000000}'.format(1)", ErrMemory},
		{"format width 2", "x = f'{1:{10**15}}'", ErrMemory},
		{"format width 3", "x = '%1000000000000d' % 1", ErrMemory},
		{"format width star", "x = '%*d' % (10**15, 1)", ErrMemory},
		{"format width digits", "x = f'{1:0999999999999999999999}'", errRaised},
		{"format group width", "x = f'{1:0>1000000000,}'", ErrMemory},
		{"format group zeros", "x = f'{1:01000000000,}'", ErrMemory},
		{"format precision", "x = f'{1.5:.1000000000f}'", errUnsupported},
		{"format nesting", "x = '{:{:{}}}'.format(1, 2, 3)", errRaised},
		{"format braces", "x = ('{' * 100001).format()", errRaised},
		{"format attributes", "x = '{0.__class__.__mro__}'.format(1)", errUnsupported},
		{"zfill", "x = 'a'.zfill(10**12)", ErrMemory},
		{"center", "x = 'a'.center(10**12)", ErrMemory},
		{"center odd", "x = 'a'.center(10**12 + 1)", ErrMemory},
		{"int of a huge string", "int('9' * 10**6)", errRaised},
		{"int of a huge hex string", "x = int('f' * 10**7, 16)", ErrMemory},
		{"str of a huge int", "str(2**100000)", errRaised},
		{"huge literal", "x = " + rep("9", 100000), errSyntax},
		{"deep source", "x = " + rep("(", 100000), errSyntax},
		{"deep source 2", "x = " + rep("-", 100000) + "1", errUnsupported},
		{"long sum", "x = 1" + rep("+1", 100000), errUnsupported},
		{"huge f-string", "x = 1\ny = f'" + rep("{x}", 40000) + "'", nil},
		{"huge source", rep("x = 1\n", 200000), errUnsupported},
		{"finally bomb", finallyBomb(30), errUnsupported},
		{"print", "while True: print('x' * 1000)", ErrSteps},
		{"closures", "l = []\nwhile True: l.append(lambda: l)", ErrMemory},
		{"instances", "class A: pass\nl = None\nwhile True:\n  a = A()\n  a.next = l\n  l = a", ErrMemory},
		{"attributes", "class A: pass\na = A()\ni = 0\nwhile True:\n  setattr(a, 'x' + str(i), i)\n  i += 1", ErrMemory},
		{"exceptions", "l = []\nwhile True:\n  try: raise ValueError('x' * 1000)\n  except ValueError as e: l.append(e)", ErrMemory},
		{"generators", "l = []\ndef g():\n  yield 1\nwhile True:\n  x = g()\n  next(x)\n  l.append(x)", ErrMemory},
		{"bound methods", "l = []\nwhile True: l.append(l.append)", ErrMemory},
		{"iterators", "l = []\nwhile True: l.append(iter(l))", ErrMemory},
		{"slices", "l = []\nwhile True: l.append(slice(1, 2, 3))", ErrMemory},
		{"classes", "l = []\nwhile True:\n  class A: pass\n  l.append(A)", ErrMemory},
		{"floats in a list", "l = []\nwhile True: l.append(len(l) / 3)", ErrMemory},
		{"strings of one slice", "s = 'abc' * 1000\nl = []\nwhile True: l.append(s[1:])", ErrMemory},
		{"hidden in sorted", "def g():\n  while True: yield 'x' * 1000\nsorted(g())", ErrMemory},
		{"hidden in join", "def g():\n  while True: yield 'x' * 1000\n''.join(g())", ErrMemory},
		{"hidden in sum", "def g():\n  while True: yield [0] * 1000\nsum(g(), [])", ErrMemory},
		{"hidden in zip", "z = zip(*[iter([1])] * 10**7)", ErrMemory},
		{"hidden in reduce", "from functools import reduce\nreduce(lambda a, b: a + a, range(100), 'x')", ErrMemory},
		{"hidden in a cache", "from functools import cache\n@cache\ndef f(n): return 'x' * 1000\ni = 0\nwhile True:\n  f(i)\n  i += 1", ErrMemory},
		{"hidden in nested natives", "def f(n):\n  l = list(range(100000))\n  return max(map(f, [n + 1]))\nf(0)", ErrMemory},
		{"many arguments", "def f(*a): return f(*a, *a)\nf(1)", ErrMemory},
		{"many locals", "def f():\n  " + rep("x = 1; ", 300) + "\n  f()\nf()", ErrDepth},
		{"set collisions", "s = set()\nfor i in range(10**5): s.add(i * (2**61 - 1))", ErrSteps},
		{"repeated hash", "t = tuple(range(10**5))\nwhile True: {t: 1}", ErrSteps},
		{"string search", "s = 'a' * 10**6\nwhile True: s.find('b')", ErrSteps},
		{"string index", "s = 'é' * 10**6\nwhile True: s[999999]", ErrSteps},
		{"string compare", "s = 'a' * 10**6; t = 'a' * 10**6\nwhile s == t: pass", ErrSteps},
		{"insert at the front", "l = []\nwhile True: l.insert(0, 1)", ErrSteps},
		{"pop from the front", "l = list(range(10**5))\nwhile True:\n  l.pop(0); l.append(1)", ErrSteps},
		{"copy much", "l = list(range(10**5))\nwhile True: l[:]", ErrSteps},
		{"throw away much", "while True: 'x' * 10**6", ErrSteps},
		{"dict churn", "d = {}\ni = 0\nwhile True:\n  d[i] = 1\n  del d[i]\n  i += 1", ErrSteps},
		{"set churn", "d = set()\ni = 0\nwhile True:\n  d.add(i)\n  d.remove(i)\n  i += 1", ErrSteps},
		{"round", "round(10**100000, -50000)", nil},
		{"itertools", "import itertools\nlist(itertools.count())", ErrMemory},
		{"itertools product", "import itertools\nfor x in itertools.product(range(100), repeat=20): pass", ErrSteps},
		{"product pools", "import itertools\nlist(itertools.product([1], repeat=10**9))", ErrMemory},
		{"swallow everything", "while True:\n  try: x = [0] * 10**12\n  except: pass\n  finally: pass", ErrMemory},
		{"swallow steps", "def f():\n  try:\n    while True: pass\n  finally:\n    while True: pass\nf()", ErrSteps},
		{"catch memory", "try: x = 'a' * 10**12\nexcept BaseException: pass", ErrMemory},
		{"inheritance", "class A: pass\nwhile True:\n  class A(A): pass", errUnsupported},
		{"percent signs", "s = '%%' * 10**5\nwhile True: s % ()", ErrSteps},
		{"prefixes", "t = ('x',) * 10**5\nwhile True: 'a'.startswith(t)", ErrSteps},
		{"isinstance of many", "t = (int,) * 10**5\nwhile True: isinstance('a', t)", ErrSteps},
		{"except many", "t = (ValueError,) * 10**5\nwhile True:\n  try: 1 / 0\n  except t: pass\n  except: pass", ErrSteps},
		{"zip of many", "t = [iter(lambda: 0, 1)] * 10**4\nfor _ in zip(*t): pass", ErrSteps},
		{"keyword arguments", "def f(**k): pass\nd = {str(i): i for i in range(10**4)}\nwhile True: f(**d)", ErrSteps},
		{"many parameters", "def f(" + params(5000) + "): pass\nwhile True: f()", ErrSteps},
		{"float of big", "x = 3**1000000\nwhile True:\n  try: float(x)\n  except OverflowError: pass", ErrSteps},
		{"compare with big", "x = 3**1000000\nwhile 1.5 < x: pass", ErrSteps},
		{"captured variables", "def f(" + params(20000) + "): return " + rep("lambda: ", 900) + "(" + strings.ReplaceAll(params(20000), "=0", "") + ")", errUnsupported},
		{"print many", "t = [1] * 10**5\nwhile True: print(*t)", ErrSteps},
		{"input", "input()", errUnsupported},
		{"open", "open('/etc/passwd')", errUnsupported},
		{"eval", "eval('1')", errUnsupported},
		{"import os", "import os\nos.system('x')", errUnsupported},
		{"dunder import", "__import__('os')", errUnsupported},
		{"subclasses", "().__class__.__bases__[0].__subclasses__()", errUnsupported},
		{"globals", "(lambda: 0).__globals__", errUnsupported},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			begin := time.Now()
			lim := Limits{Steps: 2_000_000, Bytes: 12 << 20}
			if c.want == ErrMemory { // far away from the other limit
				lim = Limits{Steps: 20_000_000, Bytes: 6 << 20}
			}
			_, err := Load(ctx, c.src, lim)
			got := kindOf(err)
			if c.want == errMemoryOrSteps && (got == ErrMemory || got == ErrSteps) {
				got = c.want
			}
			if got != c.want {
				t.Errorf("got %v, want %v", err, c.want)
			}
			if d := time.Since(begin); d > 5*time.Second {
				t.Errorf("took %v", d)
			}
		})
	}
}

func params(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "a%d=0,", i)
	}
	return b.String()
}

func finallyBomb(n int) string {
	var b strings.Builder
	b.WriteString("def f():\n")
	for i := range n {
		b.WriteString(strings.Repeat(" ", i+1) + "try: pass\n" + strings.Repeat(" ", i+1) + "finally:\n")
	}
	b.WriteString(strings.Repeat(" ", n+1) + "pass\n")
	return b.String()
}

// TestMemoryIsBounded looks at Go's heap while hostile programs run.
func TestMemoryIsBounded(t *testing.T) {
	if testing.Short() {
		t.Skip("runs alone")
	}
	const limit = 16 << 20
	for _, src := range []string{
		"l = []\nwhile True: l.append(len(l) / 3)",
		"l = []\nwhile True: l.append(2**70 + len(l))",
		"l = []\nwhile True: l.append(str(len(l)))",
		"l = []\nwhile True: l.append([])",
		"l = []\nwhile True: l.append({})",
		"l = []\nwhile True: l.append({1})",
		"l = []\nwhile True: l.append((1, 2))",
		"l = []\nwhile True: l.append(lambda: 0)",
		"l = []\nwhile True: l.append(iter(l))",
		"l = []\nwhile True: l.append(x for x in l)",
		"l = []\nclass A: pass\nwhile True:\n  a = A(); a.x = 1; l.append(a)",
		"d = {}\nwhile True: d[len(d)] = d",
		"d = {}\nwhile True: d[str(len(d))] = 1",
		"d = {}\nwhile True: d[len(d), 1] = 1",
		"d = set()\nwhile True: d.add(len(d))",
		"d = set()\nwhile True: d.add((len(d), 'abc'))",
		"d = set()\nwhile True: d.add(frozenset([len(d), -1, -2, -3]))",
		"s = 'x'\nwhile True: s += s[:len(s) // 2 + 1]",
		"def f(n):\n  x = 'a' * 100000\n  return f(n + 1)\nf(0)",
	} {
		runtime.GC()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		done := make(chan uint64)
		stop := make(chan struct{})
		go func() {
			peak := uint64(0)
			for {
				select {
				case <-stop:
					done <- peak
					return
				case <-time.After(2 * time.Millisecond):
					runtime.ReadMemStats(&after)
					peak = max(peak, after.HeapAlloc)
				}
			}
		}()
		begin := time.Now()
		_, err := Load(t.Context(), src, Limits{Bytes: limit, Steps: 1 << 40})
		t.Logf("%q: %v", src, time.Since(begin).Round(time.Millisecond))
		close(stop)
		peak := <-done
		if k := kindOf(err); k != ErrMemory && k != ErrDepth {
			t.Errorf("%q: %v", src, err)
		}
		// Go's collector lets the heap double before it runs.
		if used := int64(peak) - int64(before.HeapAlloc); used > 4*limit {
			t.Errorf("%q: used %d MiB with a limit of %d MiB", src, used>>20, limit>>20)
		}
	}
}

func TestContext(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	begin := time.Now()
	_, err := Load(ctx, "while True: pass", Limits{Steps: 1 << 60})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(begin) > 2*time.Second {
		t.Errorf("got %v after %v", err, time.Since(begin))
	}
	m, err := Load(t.Context(), "def f():\n  while True:\n    try: pass\n    except: pass\ndef g(): return 1", Limits{Steps: 1 << 60})
	if err != nil {
		t.Fatal(err)
	}
	ctx2, cancel2 := context.WithCancel(t.Context())
	time.AfterFunc(20*time.Millisecond, cancel2)
	if _, err := m.Call(ctx2, "f"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	// The module is usable after an error.
	if v, err := m.Call(t.Context(), "g"); err != nil || v != int64(1) {
		t.Errorf("got %v, %v", v, err)
	}
}

// TestLegitimateMemory is the other side: garbage does not count.
func TestLegitimateMemory(t *testing.T) {
	src := "def f():\n  s = ''\n  for i in range(3000): s += 'abcdefghij'\n  for _ in range(2000): l = [0] * 10000\n  return len(s)"
	m, err := Load(t.Context(), src, Limits{Bytes: 4 << 20})
	if err != nil {
		t.Fatal(err)
	}
	if v, err := m.Call(t.Context(), "f"); err != nil || v != int64(30000) {
		t.Errorf("got %v, %v", v, err)
	}
}
