// Package pyast reads Python 3 source (syntax up to 3.13) into a typed syntax
// tree.
//
// It has two users with different needs, and the tree serves both:
//
//   - package pyrun executes small functions that a language model wrote, so
//     the tree keeps everything that has a meaning at run time;
//   - readers of engine sources (dataclass fields, add_argument calls, lists of
//     literals) look for shapes with [Inspect] and quote the source with
//     [File.Text].
//
// # The tree
//
// There is one Go type per node kind, named as in CPython's ast module where the
// shape is the same. Three things differ, each because it is easier to read:
// an if/elif/else chain is one flat [If]; the parameters of a function are one
// ordered list of [Param] with a kind; the four comprehensions are one [Comp].
// Parentheses leave no node: the span of a parenthesised expression excludes
// them, that of a tuple includes its own.
//
// A node knows where it starts and ends as byte offsets ([Pos]); [File.Position]
// turns an offset into a line and a column.
//
// # Untrusted input
//
// Parse never panics, whatever the input, and takes time linear in its size.
// [Options] bounds the size of the source and the height of the tree; brackets
// nest to 200 and blocks to 100, as in CPython. Code that walks a tree
// recursively is therefore safe: no path from the root is longer than
// Options.MaxDepth nodes.
//
// # What is not checked
//
// Parse accepts what CPython's ast.parse accepts. Errors that CPython finds
// later, when it compiles ("return outside function", "name assigned before
// global declaration"), are not reported here. Where versions differ the newer
// one decides, so some sources are accepted that an older Python refuses.
// Identifiers are not NFKC-normalised. A \N{NAME} escape is kept as written and
// flagged ([Str].Unresolved), because the table of names is not in Go's
// standard library.
package pyast
