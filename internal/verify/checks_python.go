package verify

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	"kilter/internal/pyast"
	"kilter/internal/pyrun"
)

var (
	fence   = regexp.MustCompile("(?s)```(?:[Pp]ython3?|py)?[ \t]*\r?\n(.*?)(?:```|\\z)")
	defLine = regexp.MustCompile(`(?m)^(?:async )?def \w+\(`)
)

// pythonOf extracts the code from an answer: the first fenced block that
// defines a function, or else everything from the first line that does.
func pythonOf(text string) string {
	for _, m := range fence.FindAllStringSubmatch(text, -1) {
		if defLine.MatchString(m[1]) {
			return m[1]
		}
	}
	loc := defLine.FindStringIndex(text)
	if loc == nil {
		return ""
	}
	// Keep what stands before it and looks like code (imports), drop prose after.
	var out []string
	for _, line := range strings.Split(text[:loc[0]], "\n") {
		if strings.HasPrefix(line, "import ") || strings.HasPrefix(line, "from ") || strings.HasPrefix(line, "@") {
			out = append(out, line)
		}
	}
	for _, line := range strings.Split(text[loc[0]:], "\n") {
		if line != "" && line[0] != ' ' && line[0] != '\t' && line[0] != '#' && len(out) > 0 &&
			!defLine.MatchString(line) && !strings.HasPrefix(line, "import ") && !strings.HasPrefix(line, "from ") &&
			!strings.HasPrefix(line, "@") && !strings.HasPrefix(line, "def ") {
			break
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// pythonTime bounds the execution of one answer. It is generous: the step
// limit of pyrun ends a program long before.
const pythonTime = 10 * time.Second

// judgePython executes the function that the model wrote on known cases.
func judgePython(in *Input) Outcome {
	s := in.Shot(probePython, "prime")
	as := answersOf(probePython, orEmpty(s))
	if len(as) == 0 {
		return in.unanswered(probePython, "prime")
	}
	a := as[0]
	text := outsideThinking(in, a.content)
	if in.Server.NoTemplate {
		text = in.Know.Python.Raw + text
	}
	if strings.TrimSpace(text) == "" && a.cutShort && strings.TrimSpace(a.text) != "" {
		return Unsure("the model was still reasoning when its tokens ran out")
	}
	code := pythonOf(text)
	if code == "" {
		if a.cutShort {
			return Unsure("the answer was cut before a function began")
		}
		return Failed(Note, "no function in the answer: %s", quote(strings.TrimSpace(text))).With(a.exhibit())
	}
	ctx, cancel := context.WithTimeout(context.Background(), pythonTime)
	defer cancel()
	m, err := pyrun.Load(ctx, code, pyrun.Limits{})
	if err != nil {
		o := pythonError("the module", err)
		if a.cutShort && o.Status == Fail {
			return Unsure("the answer was cut inside the function")
		}
		return o.With(a.exhibit())
	}
	name := primeFunction(m.Functions())
	if name == "" {
		return Unsure("none of the functions %s is about primes", strings.Join(m.Functions(), ", ")).With(a.exhibit())
	}
	for _, c := range in.Know.Python.Cases {
		got, err := m.Call(ctx, name, c.Arg)
		if err != nil {
			return pythonError(fmt.Sprintf("%s(%d)", name, c.Arg), err).With(a.exhibit())
		}
		if truth(got) != c.Want {
			return Failed(Note, "%s(%d) gives %v, executed", name, c.Arg, got).With(a.exhibit())
		}
	}
	return Passed("%s is right on all of %d numbers, executed", name, len(in.Know.Python.Cases))
}

// primeFunction picks the function to execute: the first that is named for
// primes, or the only one.
func primeFunction(names []string) string {
	for _, n := range names {
		if strings.Contains(strings.ToLower(n), "prime") {
			return n
		}
	}
	if len(names) == 1 {
		return names[0]
	}
	return ""
}

// pythonError tells an answer that is wrong from one that kilter can't run.
func pythonError(what string, err error) Outcome {
	var raised *pyrun.Raised
	var syntax *pyast.SyntaxError
	switch {
	case errors.As(err, &raised):
		return Failed(Note, "%s raises %v", what, raised)
	case errors.As(err, &syntax):
		return Failed(Note, "the code is no Python: %v", syntax)
	case errors.Is(err, pyrun.ErrSteps):
		return Failed(Note, "%s does not end in time", what)
	case errors.Is(err, pyrun.ErrDepth):
		return Failed(Note, "%s calls itself without end", what)
	}
	return Unsure("%s could not be executed here: %v", what, err)
}

func truth(v any) bool {
	switch v := v.(type) {
	case bool:
		return v
	case int64:
		return v != 0
	case int:
		return v != 0
	}
	return false
}
