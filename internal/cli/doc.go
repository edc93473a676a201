// Package cli is the command line: one file a command, each with its Options,
// a newXCmd(f, runF) that only reads flags, and a runX that does the work. It
// wires the packages below it together, and nobody imports it.
//
// # How one command runs
//
// Main builds a factory (streams, environment, clock, how to connect) and the
// tree of commands. cobra picks the command and parses its flags; the command
// fills its Options and calls runF, which tests replace. settings.go then
// settles each value from flag, environment, deployment file and default. The
// run returns nil, an error, or an exitWith that carries a verdict's exit code;
// Main alone prints errors and picks the exit code.
//
// # What goes where
//
// Results go to stdout. Progress, notes, warnings, errors and hints go to
// stderr, in lower case and without a period: "error: …" says what went wrong
// and names the thing, "hint: …" says what to do next, "warning: …" tells of
// something that changes no result, "note: …" of something good to know.
package cli
