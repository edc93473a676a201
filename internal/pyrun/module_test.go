package pyrun

import (
	"context"
	"errors"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"kilter/internal/pyast"
)

func load(t testing.TB, src string) *Module {
	t.Helper()
	m, err := Load(t.Context(), src, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestFunctions(t *testing.T) {
	m := load(t, `
import math
from math import sqrt
def b(): pass
def a(): pass
c = lambda: 0
class K: pass
x = 5
def b(): pass
def gone(): pass
del gone
if True:
    def inside(): pass
print("hello", 1, sep="-")
`)
	if got, want := m.Functions(), []string{"b", "a", "c", "inside"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if out, cut := m.Output(); out != "hello-1\n" || cut {
		t.Errorf("output %q, %v", out, cut)
	}
}

func TestConversions(t *testing.T) {
	m := load(t, "def same(x): return x\ndef kinds(*a): return [type(x).__name__ for x in a]\ndef two(): return (1, [2.5, 'x', None, True])")
	huge := new(big.Int).Lsh(big.NewInt(1), 100)
	for _, v := range []any{nil, true, int64(-5), 2.5, "naïve", []any{int64(1), "a"}, Tuple{int64(1)}, huge} {
		got, err := m.Call(t.Context(), "same", v)
		if err != nil || !reflect.DeepEqual(got, v) {
			t.Errorf("%v: got %v, %v", v, got, err)
		}
	}
	got, err := m.Call(t.Context(), "kinds", 1, int64(1), true, 1.0, "a", []any{}, Tuple{}, nil, huge)
	want := []any{"int", "int", "bool", "float", "str", "list", "tuple", "NoneType", "int"}
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, %v", got, err)
	}
	if got, err := m.Call(t.Context(), "two"); err != nil || !reflect.DeepEqual(got, Tuple{int64(1), []any{2.5, "x", nil, true}}) {
		t.Errorf("got %#v, %v", got, err)
	}
	if got, err := m.Call(t.Context(), "same", new(big.Int).SetInt64(7)); err != nil || got != int64(7) {
		t.Errorf("got %#v, %v", got, err)
	}
	m = load(t, "def d(): return {'a': {1}}\ndef f(): return f")
	if got, err := m.Call(t.Context(), "d"); err != nil || got != (Object{"dict", "{'a': {1}}"}) {
		t.Errorf("got %#v, %v", got, err)
	}
	if got, err := m.Call(t.Context(), "f"); err != nil || got != (Object{"function", ""}) {
		t.Errorf("got %#v, %v", got, err)
	}
	var u *Unsupported
	if _, err := m.Call(t.Context(), "d", struct{}{}); !errors.As(err, &u) {
		t.Errorf("got %v", err)
	}
	if _, err := m.Call(t.Context(), "d", "\xff"); !errors.As(err, &u) {
		t.Errorf("got %v", err)
	}
}

func TestRaised(t *testing.T) {
	m := load(t, "def f(n):\n    if n:\n        return g(n)\n    return 1\n\ndef g(n):\n    return n / 0\n")
	_, err := m.Call(t.Context(), "f", 1)
	var r *Raised
	if !errors.As(err, &r) || *r != (Raised{"ZeroDivisionError", "division by zero", 7}) {
		t.Errorf("got %#v", err)
	}
	_, err = m.Call(t.Context(), "nope")
	if !errors.As(err, &r) || r.Class != "NameError" {
		t.Errorf("got %v", err)
	}
	_, err = m.Call(t.Context(), "f")
	if !errors.As(err, &r) || r.Class != "TypeError" || r.Message != "f() missing 1 required positional argument: 'n'" {
		t.Errorf("got %v", err)
	}
	_, err = Load(t.Context(), "x = 1\nassert x == 2, 'no'", Limits{})
	if !errors.As(err, &r) || *r != (Raised{"AssertionError", "no", 2}) {
		t.Errorf("got %#v", err)
	}
}

func TestSyntaxErrors(t *testing.T) {
	for _, src := range []string{
		"def f(:", "return 1", "yield 1", "break", "continue", "def f():\n  continue", "for x in y:\n  def f(): break",
		"def f(a, a): pass", "x = *a", "*a = b", "*a, *b = c", "nonlocal x", "def f(): nonlocal x", "def f(x): global x",
		"def f():\n  x = 1\n  global x", "def f():\n  print(x)\n  global x", "f(a=1, a=2)", "def f():\n  from math import *",
		"[x := 1 for x in y]", "class A:\n  [y := 1 for x in z]", "[(yield x) for x in y]", "try: pass\nexcept: pass\nexcept A: pass",
		"class A: return 1", "def f():\n  global x\n  x: int = 1",
	} {
		var s *pyast.SyntaxError
		if _, err := Load(t.Context(), src, Limits{}); !errors.As(err, &s) {
			t.Errorf("%q: got %v", src, err)
		}
	}
}

// TestUnsupported lists programs that CPython executes and this package does not.
// They must never look like exceptions of the program.
func TestUnsupported(t *testing.T) {
	for _, src := range []string{
		"with open('x') as f: pass", "match 1:\n  case 1: pass", "async def f(): pass", "type X = int", "def f[T](x): pass",
		"1j", "b'x'", "(-8) ** 0.5", "import random\nrandom.randint(1, 2)", "import numpy as np\nnp.zeros(3)", "import sys\nsys.maxsize",
		"from random import randint\nrandint(1, 2)", "from collections import deque, Counter\nCounter('a')", "from sympy import isprime\nx = isprime(7)",
		"import math\nmath.sin(1)", "from math import sin\nsin(1)", "from typing import NamedTuple\nclass A(NamedTuple): pass",
		"class A(int): pass", "class A(list): pass", "class A: pass\nclass B: pass\nclass C(A, B): pass", "class A(metaclass=type): pass",
		"class A:\n  def __hash__(self): return 1", "class A:\n  __slots__ = ('x',)", "class A:\n  def __new__(cls): pass",
		"id(5)", "vars()", "globals()", "locals()", "dir()", "exec('1')", "eval('1')", "bytes(3)", "complex(1)", "memoryview(b'')", "help()",
		"'a'.encode()", "'é'.upper()", "'é'.isalpha()", "'²'.isdigit()", "int('٣')", "x = '\\N{BULLET}'", "x = '\\ud800'", "chr(0xD800)",
		"x = 1000\ny = 1000\nx is y", "'ab' is 'ab' + ''", "1.5 is 1.5", "hash('a')", "repr(lambda: 0)", "print(object())", "str(print.__self__)",
		"d = {float('nan'): 1}", "sorted([1.0, float('nan')])", "float('nan') in [float('nan')]", "sum([0.1] * 10)",
		"range(10**30)", "f'{1:n}'", "f'{1.0:z}'", "'%(a)s' % {'a': 1}", "try: pass\nexcept* ValueError: pass\nf'{1!a}'",
		"x = [1]\nx.__len__()", "(5).__add__(6)", "int.__name__.__class__.__base__", "super().x", "type('A', (), {})", "(lambda: 0).__code__", "def f():\n  '\\ud800'\nf.__doc__", "class A:\n  '\\ud800'\nA.__doc__",
		"from dataclasses import dataclass\n@dataclass\nclass A:\n  x: int", "import os.path\nos.path.join('a')", "from . import x", "print('x', file=5)",
		"try:\n  import gmpy2\nexcept ImportError:\n  gmpy2 = None\nif gmpy2: gmpy2.is_prime(7)", "a = [1]\na |= [2] if False else a.__iter__()",
		"from itertools import groupby\ngroupby([])", "math = __import__('math')", "NotImplemented and 1", "reversed({}.keys()) if False else {}.keys() & {1}",
		"x = 5\ndel x.real\n", "'a\\vb'.splitlines()", "import functools\nfunctools.partial(int)", "def f(): pass\nf.__name__ = 'g'",
		"BaseExceptionGroup", "class A:\n  def __del__(self): pass", "open", "breakpoint()", "async def f():\n  await g()", "raise OSError(1, 'x')",
	} {
		t.Run(strings.ReplaceAll(src, "/", "_"), func(t *testing.T) {
			_, err := Load(t.Context(), src, Limits{})
			if kindOf(err) != errUnsupported {
				t.Errorf("%q: got %v", src, err)
			}
		})
	}
}

// TestUnusedUnsupported: what is not executed does no harm.
func TestUnusedUnsupported(t *testing.T) {
	m := load(t, `
import sys, os, random
from collections import Counter
from typing import List, Optional, Dict, Tuple
from __future__ import annotations
T = Optional[List[int]]
U = int | None
def helper():
    with open("x") as f:
        return f.read()
def timed(x: "Unknown", y: Nope = None) -> AlsoNope:
    z: Missing = x
    return z
async_result = None
if __name__ == "__main__":
    sys.exit(main())
`)
	if v, err := m.Call(t.Context(), "timed", 3); err != nil || v != int64(3) {
		t.Errorf("got %v, %v", v, err)
	}
	_, err := m.Call(t.Context(), "helper")
	var u *Unsupported
	if !errors.As(err, &u) || u.Line != 9 {
		t.Errorf("got %v", err)
	}
}

func TestOutputIsBounded(t *testing.T) {
	m, err := Load(t.Context(), "for i in range(100): print('0123456789')", Limits{OutputBytes: 50})
	if err != nil {
		t.Fatal(err)
	}
	if out, cut := m.Output(); len(out) != 50 || !cut {
		t.Errorf("output %q, %v", out, cut)
	}
}

func TestDepth(t *testing.T) {
	m := load(t, "def f(n): return 0 if n == 0 else 1 + f(n - 1)\ndef g(n):\n  try: return f(n)\n  except RecursionError: return 'deep'")
	if v, err := m.Call(t.Context(), "f", 950); err != nil || v != int64(950) {
		t.Errorf("got %v, %v", v, err)
	}
	if _, err := m.Call(t.Context(), "f", 1100); !errors.Is(err, ErrDepth) {
		t.Errorf("got %v", err)
	}
	if v, err := m.Call(t.Context(), "g", 5000); err != nil || v != "deep" {
		t.Errorf("got %v, %v", v, err)
	}
}

// TestNoGoroutines: an abandoned generator leaves nothing behind.
func TestNoGoroutines(t *testing.T) {
	before := runtime.NumGoroutine()
	m := load(t, "def g():\n  while True: yield 1\nkept = g()\nnext(kept)\ndef f():\n  for x in g():\n    return x")
	for range 50 {
		if _, err := m.Call(t.Context(), "f"); err != nil {
			t.Fatal(err)
		}
	}
	if n := runtime.NumGoroutine(); n > before {
		t.Errorf("%d goroutines, %d before", n, before)
	}
}

// TestExactMath holds exactmath against a correctly rounded reference at points
// where Go's math.Pow is off.
func TestExactMath(t *testing.T) {
	for _, c := range []struct{ got, want float64 }{
		{pow(10, -2), 0.01}, {pow(1.1, 10), 2.5937424601000023}, {pow(2, 0.5), math.Sqrt2}, {pow(27, 1.0/3), 3},
		{pow(-2, 3), -8}, {pow(-2, -3), -0.125}, {pow(1e-300, 2), 0}, {pow(0.5, 1074), 5e-324}, {pow(2, 1023), 8.98846567431158e307},
		{logOf(10), math.Ln10}, {logOf(2), math.Ln2}, {log10Of(1000), 3}, {log10Of(1e22), 22}, {log2Of(1 << 40), 40}, {log2Of(3), 1.584962500721156},
		{expOf(1), math.E}, {expOf(-745), 5e-324}, {expOf(-800), 0}, {pow(math.Inf(1), -1), 0}, {pow(7, 0), 1},
	} {
		if c.got != c.want {
			t.Errorf("got %v, want %v", c.got, c.want)
		}
	}
}

// runOnce executes a source and calls its functions, as a caller of this package
// would, and checks what must hold for any source.
func runOnce(t *testing.T, src string) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	begin := time.Now()
	lim := Limits{Steps: 100_000, Bytes: 4 << 20, OutputBytes: 1000}
	check := func(err error) {
		switch k := kindOf(err); k {
		case nil, errUnsupported, errSyntax, errRaised, ErrSteps, ErrMemory, ErrDepth:
		default:
			t.Fatalf("undocumented error %v", err)
		}
	}
	m, err := Load(ctx, src, lim)
	check(err)
	if err == nil {
		for _, f := range m.Functions() {
			_, err := m.Call(ctx, f, 7)
			check(err)
			_, err = m.Call(ctx, f)
			check(err)
		}
		if out, _ := m.Output(); len(out) > lim.OutputBytes {
			t.Fatalf("%d bytes of output", len(out))
		}
	}
	if d := time.Since(begin); d > 5*time.Second {
		t.Fatalf("took %v", d)
	}
}

func corpusSources(t testing.TB) []string {
	var list []string
	for _, pattern := range []string{"testdata/primes/*.py", "testdata/semantics/*.py"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			list = append(list, string(b))
		}
	}
	return list
}

func FuzzRun(f *testing.F) {
	for _, src := range corpusSources(f) {
		if len(src) < 20_000 {
			f.Add(src)
		}
		// Functions on their own, and expressions.
		for _, part := range strings.Split(src, "\n\n") {
			if strings.HasPrefix(part, "def ") && strings.HasSuffix(strings.SplitN(part, "\n", 2)[0], "():") {
				name, _, _ := strings.Cut(part[4:], "(")
				f.Add(part + "\nprint(" + name + "())")
			}
		}
		for i, line := range strings.Split(src, "\n") {
			if e, ok := strings.CutPrefix(line, "#> "); ok && (i%4 == 0 || len(src) < 20_000) {
				f.Add("print(" + e + ")")
			}
		}
	}
	f.Fuzz(func(t *testing.T, src string) { runOnce(t, src) })
}

func BenchmarkSteps(b *testing.B) {
	const src = "def f(n):\n  total = 0\n  i = 0\n  while i < n:\n    if i % 3 == 0:\n      total += i\n    i += 1\n  return total"
	m := load(b, src)
	var steps int64
	for b.Loop() {
		if _, err := m.Call(context.Background(), "f", 100_000); err != nil {
			b.Fatal(err)
		}
		steps += m.in.lim.Steps - m.in.left - m.in.fuel
	}
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds()/1e6, "Msteps/s")
}

func BenchmarkIsPrime(b *testing.B) {
	m := load(b, "def is_prime(n):\n  return n > 1 and all(n % i for i in range(2, int(n**0.5) + 1))")
	for b.Loop() {
		if v, err := m.Call(context.Background(), "is_prime", 1_000_003); err != nil || v != true {
			b.Fatal(v, err)
		}
	}
}

func BenchmarkLoad(b *testing.B) {
	src, err := os.ReadFile("testdata/primes/trial_sqrt.py")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := Load(context.Background(), string(src), Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
