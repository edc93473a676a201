package verify

import (
	"fmt"
	"path"
	"strings"
)

// A Status is the outcome of a check in one word.
type Status string

// The five outcomes; the package documentation says what each means.
const (
	Pass         Status = "pass"
	Fail         Status = "fail"
	Warn         Status = "warn"
	Inconclusive Status = "inconclusive"
	Skipped      Status = "skipped"
)

// An Effect is what a failure does to the verdict; ceilings are effects too.
type Effect int

// The effects, lightest first. None is that of every outcome but Fail.
const (
	None Effect = iota
	Note
	Degrades
	Wrongs
)

var effectNames = [...]string{"none", "note", "degraded", "wrong"}

// String returns the effect as it is written in reports.
func (e Effect) String() string {
	if e < None || e > Wrongs {
		return fmt.Sprintf("effect(%d)", int(e))
	}
	return effectNames[e]
}

// MarshalText writes the effect's name.
func (e Effect) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// UnmarshalText reads what MarshalText wrote.
func (e *Effect) UnmarshalText(b []byte) error {
	for i, name := range effectNames {
		if name == string(b) {
			*e = Effect(i)
			return nil
		}
	}
	return fmt.Errorf("effect %q: want none, note, degraded or wrong", b)
}

// A Kind says by which sort of rule a check decides.
type Kind string

// Declared rules are written down in words and have no error rate of their
// own; sequential tests have a stated alpha and beta.
const (
	Declared   Kind = "declared rule"
	Sequential Kind = "sequential test"
)

// A Check asks one question of a Record. It is a value; Judge must be pure.
type Check struct {
	// ID is stable: group, dot, name. Question is one line ending in "?".
	ID       string
	Question string
	// Ceiling is the worst that a failure alone may cause.
	Ceiling Effect
	// DependsOn lists the checks whose failure makes a failure of this one
	// a mere consequence.
	DependsOn []string
	// Level is the lowest level that sends what the check needs.
	Level Level
	// Probes are those whose observations it reads; a run whose selection
	// needs none of a probe's checks does not send it.
	Probes []string
	// Essential: without an answer to this one there is no verdict.
	Essential bool
	// Kind is Declared if empty.
	Kind Kind
	// Judge answers the question.
	Judge func(*Input) Outcome
}

// Group is the part of the id before the dot.
func (c *Check) Group() string {
	group, _, _ := strings.Cut(c.ID, ".")
	return group
}

// An Outcome is a check's answer.
type Outcome struct {
	Status Status `json:"status"`
	// Effect is set for Fail: what it does to the verdict.
	Effect Effect `json:"effect,omitempty"`
	// Says is the answer in one sentence, without the check's name.
	Says string `json:"says"`
	// Exhibits are the raw evidence, the most telling first.
	Exhibits []Exhibit `json:"exhibits,omitempty"`
	// Certain: no further evidence could change this; the run may end.
	Certain bool `json:"certain,omitempty"`
	// Numbers are what the check measured, by name and unit, such as
	// "mean_logprob_nats".
	Numbers map[string]float64 `json:"numbers,omitempty"`
}

// An Exhibit is a piece of raw evidence and where it is kept.
type Exhibit struct {
	Probe string `json:"probe"`
	Shot  string `json:"shot"`
	// Text is the piece of the raw answer, cut.
	Text string `json:"text"`
}

// Passed builds a Pass outcome.
func Passed(format string, a ...any) Outcome {
	return Outcome{Status: Pass, Says: fmt.Sprintf(format, a...)}
}

// Warned builds a Warn outcome.
func Warned(format string, a ...any) Outcome {
	return Outcome{Status: Warn, Says: fmt.Sprintf(format, a...)}
}

// Unsure builds an Inconclusive outcome.
func Unsure(format string, a ...any) Outcome {
	return Outcome{Status: Inconclusive, Says: fmt.Sprintf(format, a...)}
}

// NotAsked builds a Skipped outcome.
func NotAsked(format string, a ...any) Outcome {
	return Outcome{Status: Skipped, Says: fmt.Sprintf(format, a...)}
}

// Failed builds a Fail outcome with the given effect.
func Failed(e Effect, format string, a ...any) Outcome {
	return Outcome{Status: Fail, Effect: e, Says: fmt.Sprintf(format, a...)}
}

// With returns o with exhibits added.
func (o Outcome) With(x ...Exhibit) Outcome {
	o.Exhibits = append(o.Exhibits, x...)
	return o
}

// A Selection narrows the checks of a run by id globs such as "text.*"; the
// zero Selection holds all.
type Selection struct {
	Only []string `json:"only,omitempty"`
	Skip []string `json:"skip,omitempty"`
}

// Holds reports whether the check with this id is selected.
func (s Selection) Holds(id string) bool {
	if len(s.Only) > 0 && !matchAny(s.Only, id) {
		return false
	}
	return !matchAny(s.Skip, id)
}

// Narrowed reports whether the selection leaves anything out by design.
func (s Selection) Narrowed() bool { return len(s.Only) > 0 || len(s.Skip) > 0 }

// Validate returns an error that names the first pattern that is malformed or
// that matches none of the checks.
func (s Selection) Validate(checks []*Check) error {
	for _, pat := range append(append([]string(nil), s.Only...), s.Skip...) {
		if _, err := path.Match(pat, "x"); err != nil {
			return fmt.Errorf("%q is not a pattern: %w", pat, err)
		}
		found := false
		for _, c := range checks {
			if ok, _ := path.Match(pat, c.ID); ok {
				found = true
				break
			}
		}
		if !found {
			return fmt.Errorf("%q matches no check", pat)
		}
	}
	return nil
}

func matchAny(pats []string, id string) bool {
	for _, p := range pats {
		if ok, _ := path.Match(p, id); ok {
			return true
		}
	}
	return false
}
