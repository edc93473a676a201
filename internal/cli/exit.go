package cli

import "kilter/internal/verify"

// An ExitCode is what kilter tells the shell. The codes are part of the
// interface: they never change their meaning.
type ExitCode int

// The exit codes of all commands.
const (
	ExitOK             ExitCode = 0 // proven, consistent, sound
	ExitFailed         ExitCode = 1 // kilter itself failed
	ExitUsage          ExitCode = 2
	ExitWrong          ExitCode = 3 // wrong, broken
	ExitDegraded       ExitCode = 4 // degraded, suspicious
	ExitInconclusive   ExitCode = 5
	ExitFixFailed      ExitCode = 6 // fix failed, the old state is restored
	ExitRollbackFailed ExitCode = 7 // rollback failed: a person must look
)

// ofVerdict returns the exit code of a verdict.
func ofVerdict(w verify.Word) ExitCode {
	switch w {
	case verify.Proven, verify.Consistent:
		return ExitOK
	case verify.Degraded:
		return ExitDegraded
	case verify.Wrong:
		return ExitWrong
	}
	return ExitInconclusive
}

// An exitWith ends a command that has done its work with a code other than 0.
// All has been said by then, so nothing more is printed.
type exitWith ExitCode

func (e exitWith) Error() string { return "exit" }
