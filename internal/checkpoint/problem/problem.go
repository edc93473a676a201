// Package problem holds the one type that says what is wrong with a checkpoint
// file. The readers of formats report with it and audit turns it into
// findings, so a Kind is a stable name and never a sentence.
package problem

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Kind is the stable name of a problem, such as "safetensors.overlap". The
// packages that find problems declare theirs.
type Kind string

// Shrank is the kind of a file that has fewer bytes than it had when it was
// opened: somebody is writing it, or a download is being redone.
const Shrank Kind = "file.shrank"

// A Problem is one thing that is wrong with a file.
type Problem struct {
	Kind Kind
	// File is the file's name; the readers of one file leave it empty.
	File string
	// Tensor is the tensor in question; empty for the file as a whole.
	Tensor string
	// Other is the second party: the tensor overlapped, the file that a tensor
	// should be in.
	Other string
	// Begin and End are the bytes of the file in question, [Begin, End); both
	// zero where no place can be named.
	Begin, End int64
	// Says is what is wrong, one sentence without a full stop.
	Says string
	// Hint is the next step, empty where there is none to name.
	Hint string
	// Tolerated is set where the known loaders read the file all the same.
	Tolerated bool
	// Err is the error underneath, if any.
	Err error
}

// Error renders the problem on one line; names are quoted and cut, since they
// come from the file.
func (p *Problem) Error() string {
	var b strings.Builder
	if p.File != "" {
		b.WriteString(p.File + ": ")
	}
	if p.Tensor != "" {
		b.WriteString("tensor " + Quote(p.Tensor) + ": ")
	}
	b.WriteString(p.Says)
	if p.Hint != "" {
		b.WriteString("; " + p.Hint)
	}
	return b.String()
}

// Unwrap returns the error underneath.
func (p *Problem) Unwrap() error { return p.Err }

// Is reports whether an error is, or wraps, a Problem of a kind.
func Is(err error, kind Kind) bool {
	p, ok := errors.AsType[*Problem](err)
	return ok && p.Kind == kind
}

// keptPerKind bounds how many problems of one kind a List keeps: a hostile file
// can hold a million, and nobody reads the hundred-and-first.
const keptPerKind = 100

// A List collects problems in the order in which they were found. It keeps the
// first hundred of each kind and counts the rest. The zero value is empty.
type List struct {
	kept   []Problem
	counts map[Kind]int
}

// Add adds a problem.
func (l *List) Add(p Problem) {
	if l.counts == nil {
		l.counts = make(map[Kind]int)
	}
	l.counts[p.Kind]++
	if l.counts[p.Kind] <= keptPerKind {
		l.kept = append(l.kept, p)
	}
}

// Join adds another list's problems, giving those without a file this one.
func (l *List) Join(other *List, file string) {
	before := make(map[Kind]int)
	for _, p := range other.kept {
		if p.File == "" {
			p.File = file
		}
		before[p.Kind]++
		l.Add(p)
	}
	for kind, n := range other.counts {
		if n > before[kind] {
			l.counts[kind] += n - before[kind]
		}
	}
}

// All returns the problems kept.
func (l *List) All() []Problem { return l.kept }

// Len returns how many problems were found, kept or not.
func (l *List) Len() int {
	n := 0
	for _, c := range l.counts {
		n += c
	}
	return n
}

// Count returns how many problems of a kind were found, kept or not.
func (l *List) Count(kind Kind) int { return l.counts[kind] }

// Kinds returns the kinds found, sorted.
func (l *List) Kinds() []Kind {
	kinds := make([]Kind, 0, len(l.counts))
	for k := range l.counts {
		kinds = append(kinds, k)
	}
	slices.Sort(kinds)
	return kinds
}

// Err returns the first problem that loaders do not tolerate, or nil.
func (l *List) Err() error {
	for i := range l.kept {
		if !l.kept[i].Tolerated {
			return &l.kept[i]
		}
	}
	return nil
}

// Quote renders a name from a file for a message: quoted, without control
// characters, and cut when long.
func Quote(name string) string {
	const most = 120
	cut := ""
	if len(name) > most {
		end := most
		for end > most-utf8.UTFMax && !utf8.RuneStart(name[end]) {
			end--
		}
		cut, name = fmt.Sprintf("… (%d bytes)", len(name)), name[:end]
	}
	plain := strings.IndexFunc(name, func(r rune) bool {
		return !unicode.IsPrint(r) || r == '"' || r == '\\' || r == utf8.RuneError
	}) < 0
	if plain {
		return name + cut
	}
	return fmt.Sprintf("%q", name) + cut
}
