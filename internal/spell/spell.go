// Package spell finds what a misspelt word was most likely meant to be, for
// errors that say "did you mean".
package spell

import (
	"slices"
	"strings"
)

// maxWord is above any name that kilter knows; longer words have no near one.
const maxWord = 64

// Nearest returns the word that s is most likely a misspelling of, or "".
func Nearest(s string, words []string) string {
	if near := Near(s, words, 1); len(near) > 0 {
		return near[0]
	}
	return ""
}

// Near returns up to n of the words that s is most likely a misspelling of,
// the nearest first: those within a third of their length, then those that begin
// with s, then those that hold it.
func Near(s string, words []string, n int) []string {
	type candidate struct {
		word string
		dist int
	}
	var found []candidate
	s = fold(s)
	for _, w := range words {
		f := fold(w)
		d := Distance(s, f)
		switch {
		case s == "":
			continue
		case d <= max(1, len(f)/3):
		case len(s) >= 3 && strings.HasPrefix(f, s):
			d = maxWord + len(f)
		case len(s) >= 3 && strings.Contains(f, s):
			d = 2*maxWord + len(f)
		default:
			continue
		}
		found = append(found, candidate{w, d})
	}
	slices.SortStableFunc(found, func(a, b candidate) int { return a.dist - b.dist })
	var out []string
	for _, c := range found[:min(n, len(found))] {
		out = append(out, c.word)
	}
	return out
}

// fold makes words equal that differ in case or in - against _ only.
func fold(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "_") }

// Distance is the number of bytes to insert, delete, replace or swap with
// their neighbour to get from a to b (optimal string alignment).
func Distance(a, b string) int {
	if len(a) > maxWord || len(b) > maxWord {
		return max(len(a), len(b))
	}
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for k := range d[0] {
		d[0][k] = k
	}
	for i := 1; i <= len(a); i++ {
		for k := 1; k <= len(b); k++ {
			cost := 1
			if a[i-1] == b[k-1] {
				cost = 0
			}
			d[i][k] = min(d[i-1][k]+1, d[i][k-1]+1, d[i-1][k-1]+cost)
			if i > 1 && k > 1 && a[i-1] == b[k-2] && a[i-2] == b[k-1] {
				d[i][k] = min(d[i][k], d[i-2][k-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}
