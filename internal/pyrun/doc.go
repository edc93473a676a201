// Package pyrun executes small Python functions that a language model wrote, to
// find out whether they are right.
//
//	m, err := pyrun.Load(ctx, src, pyrun.Limits{})
//	got, err := m.Call(ctx, "is_prime", 7)
//
// # What the errors mean
//
// The source is judged by how it ends, so the kinds of error matter:
//
//   - *[pyast.SyntaxError]: the source is not Python (one that is only too long
//     or too deeply nested is Unsupported);
//   - *[Raised]: the program raised a Python exception and did not catch it. It
//     does so on CPython too;
//   - *[Unsupported]: the program needs something that this package does not
//     implement, or whose result depends on the Python version, the platform or
//     chance. Nothing is known about the program;
//   - [ErrSteps], [ErrMemory], [ErrDepth]: a limit was reached. A program that
//     recurses without end raises RecursionError on CPython; here, when nothing
//     catches it, it is ErrDepth;
//   - the context's error.
//
// # How it works
//
// The source is parsed by pyast, compiled to a stack code (compile*.go) and
// executed by a loop (run.go). A generator is a frame that is resumed later, so
// there are no goroutines. Values are Go values: bool, int64, *big.Int, float64,
// *str, *list, … (object.go).
//
// # Untrusted input
//
// Every instruction and every piece of work inside a builtin is paid for in
// steps before it is done (interp.charge). Every allocation is announced before
// it is made (interp.alloc); when the announcements add up to the limit, the
// live values are measured, starting from the frames, and only they count
// (memory.go). Recursion is bounded in the parser, the compiler, between Python
// functions, and in the walks over nested values. There is no input, no clock,
// no randomness, and the only modules are parts of math, functools and
// itertools.
//
// # Semantics
//
// The reference is CPython 3.11; where a later version differs, either the two
// agree on what is executed here or the case is Unsupported. Annotations are not
// evaluated, as in CPython 3.14. Sets iterate in CPython's order as far as that
// is defined (numbers, and tuples of numbers); for strings CPython's order is
// random and ours is just one. Floating-point powers, logarithms and
// exponentials are correctly rounded.
//
// Known differences: a generator that is abandoned in the middle does not run its
// finally clauses; functools.lru_cache never forgets; the functions of itertools
// are generators; identifiers are not NFKC-normalised; an import of a module that
// does not exist fails when the module is used, as Unsupported.
//
// # Tests
//
// testdata/primes and testdata/semantics hold the corpus, testdata/record.py
// writes what CPython makes of it, and the tests compare. peer_test.go compares
// with a living CPython, on random programs and on what fuzzing found.
package pyrun
