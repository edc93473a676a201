package pyrun

import (
	"errors"
	"fmt"
)

// Limits bounds a module. Zero means the default. All limits are hard.
type Limits struct {
	// Steps bounds the work of Load and, separately, of each Call: one step is
	// one instruction, or comparable work inside a builtin. Default 20 million,
	// which takes between a fifth of a second and two seconds.
	Steps int64
	// Bytes bounds the memory of the values of a module. A program whose live
	// values exceed three quarters of it ends with ErrMemory. Default 64 MiB.
	Bytes int64
	// Depth bounds the nesting of Python calls. Default and maximum 1000, as in
	// CPython.
	Depth int
	// OutputBytes bounds what print may write; the rest is dropped and
	// Module.Output says so. Default 64 KiB.
	OutputBytes int
	// SourceBytes bounds the source. Default 1 MiB.
	SourceBytes int
}

func (l Limits) withDefaults() Limits {
	if l.Steps <= 0 {
		l.Steps = 20_000_000
	}
	if l.Bytes <= 0 {
		l.Bytes = 64 << 20
	}
	if l.Depth <= 0 || l.Depth > 1000 {
		l.Depth = 1000
	}
	if l.OutputBytes <= 0 {
		l.OutputBytes = 64 << 10
	}
	if l.SourceBytes <= 0 {
		l.SourceBytes = 1 << 20
	}
	return l
}

// The limits as errors. The errors that Load and Call return wrap them.
var (
	ErrSteps  = errors.New("step limit reached")
	ErrMemory = errors.New("memory limit reached")
	ErrDepth  = errors.New("recursion limit reached")
)

// Unsupported says that the program needs something that is not implemented, or
// not defined well enough to be judged.
type Unsupported struct {
	What string
	Line int // 0 when not known
}

func (e *Unsupported) Error() string {
	if e.Line > 0 {
		return fmt.Sprintf("line %d: not supported: %s", e.Line, e.What)
	}
	return "not supported: " + e.What
}

// Raised is a Python exception that the program raised and did not catch.
type Raised struct {
	Class   string // for example "ZeroDivisionError"
	Message string // str() of the exception
	Line    int    // where it was raised; 0 when not known
}

func (e *Raised) Error() string {
	s := e.Class
	if e.Message != "" {
		s += ": " + e.Message
	}
	if e.Line > 0 {
		return fmt.Sprintf("line %d: %s", e.Line, s)
	}
	return s
}
