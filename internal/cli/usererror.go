package cli

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// A UserError is an error with hints: what a person can do next.
type UserError struct {
	Code  ExitCode
	Err   error
	Hints []string
}

func (e *UserError) Error() string { return e.Err.Error() }
func (e *UserError) Unwrap() error { return e.Err }

// usage makes an error in how kilter was called.
func usage(err error, hints ...string) *UserError {
	return &UserError{Code: ExitUsage, Err: err, Hints: hints}
}

// usagef is usage with a message.
func usagef(format string, a ...any) *UserError { return usage(fmt.Errorf(format, a...)) }

// hint adds a hint.
func (e *UserError) hint(format string, a ...any) *UserError {
	e.Hints = append(e.Hints, fmt.Sprintf(format, a...))
	return e
}

// report prints an error and returns the exit code that it stands for.
func (s *IOStreams) report(err error) ExitCode {
	var exit exitWith
	var user *UserError
	switch {
	case err == nil:
		return ExitOK
	case errors.As(err, &exit):
		return ExitCode(exit)
	case errors.As(err, &user):
		s.printError(user)
		return user.Code
	}
	s.printError(&UserError{Err: err})
	return ExitFailed
}

// printError prints error and hints. Messages may quote what a server or a
// file said, so nothing in them reaches the terminal as it came.
func (s *IOStreams) printError(e *UserError) {
	s.say("error", red, e.Err.Error())
	for _, h := range e.Hints {
		s.say("hint", cyan, h)
	}
}

// warn prints something that went wrong and changes no result.
func (s *IOStreams) warn(format string, a ...any) {
	s.say("warning", yellow, fmt.Sprintf(format, a...))
}

// note prints something good to know.
func (s *IOStreams) note(format string, a ...any) { s.say("note", dim, fmt.Sprintf(format, a...)) }

func (s *IOStreams) say(kind string, style style, text string) {
	text = strings.TrimRight(safe(text), "\n")
	// A caret has to stay under its line, so only plain sentences are wrapped.
	if s.ErrTTY && !strings.Contains(text, "\n") {
		text = wrap(text, s.Columns()-1, len(kind)+2)
	}
	fmt.Fprintf(s.Err, "%s %s\n", s.paintErr(style, kind+":"), text)
}

// wrap breaks a text at spaces into lines of at most width columns, of which
// the first indent ones are taken on the first line and left empty on others.
func wrap(text string, width, indent int) string {
	if width < indent+20 {
		return text // no terminal, or one too narrow for it to matter
	}
	var b strings.Builder
	used := indent
	for i, word := range strings.Split(text, " ") {
		n := utf8.RuneCountInString(word)
		switch {
		case i == 0:
		case used+1+n > width:
			b.WriteString("\n" + strings.Repeat(" ", indent))
			used = indent
		default:
			b.WriteByte(' ')
			used++
		}
		b.WriteString(word)
		used += n
	}
	return b.String()
}
