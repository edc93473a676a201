// Package report turns a verify.Report into what people and programs read. It
// holds encoders only: it judges nothing, fetches nothing, and gives the same
// bytes for the same report.
//
// # Formats
//
//	text        for a person; docs say that it may change between releases
//	json        the report itself, schema kilter.verdict/v1 (docs/schema)
//	junit       for CI: a test suite for each group, a test case for each check
//	prometheus  for alerts: the text exposition format
//
// # Nothing that a server sent reaches a terminal as it came
//
// A report quotes the server under test, which is not trusted: it can send
// escape codes that clear the screen, or a line that looks like a verdict. Every
// string passes through safe, which spells out what is not printable, and
// quoted evidence stands behind a bar at the left, so that it can't be taken
// for kilter's own words.
package report

import (
	"fmt"
	"io"
	"strings"

	"kilter/internal/verify"
)

// Options say how to encode.
type Options struct {
	// Format is one of Formats; empty means text.
	Format string

	// What follows is for text alone.

	// Color allows escape codes of colour.
	Color bool
	// Width is that of the terminal in columns; 0 means that it is not known.
	Width int
	// Verbose lists every check in place of counting those that passed.
	Verbose bool
	// Page returns a check's docs page in Markdown; nil when there is none.
	Page func(id string) (string, bool)
}

// An encoding is a format with the function that writes it.
type encoding struct {
	name  string
	write func(io.Writer, *verify.Report, Options) error
}

func encodings() []encoding {
	return []encoding{
		{"text", writeText},
		{"json", writeJSON},
		{"junit", writeJUnit},
		{"prometheus", writePrometheus},
	}
}

// Formats returns the names of all formats, the default first.
func Formats() []string {
	var names []string
	for _, e := range encodings() {
		names = append(names, e.name)
	}
	return names
}

// Write encodes the report.
func Write(w io.Writer, rep *verify.Report, o Options) error {
	if o.Format == "" {
		o.Format = Formats()[0]
	}
	for _, e := range encodings() {
		if e.name == o.Format {
			return e.write(w, rep, o)
		}
	}
	return fmt.Errorf("output format %q: want %s", o.Format, strings.Join(Formats(), ", "))
}
