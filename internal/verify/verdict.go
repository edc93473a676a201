package verify

import (
	"time"

	"kilter/internal/dialect"
)

// ReportSchema names the JSON form of a Report.
const ReportSchema = "kilter.verdict/v1"

// A Word is a verdict.
type Word string

// The verdicts; the package documentation says how each is reached.
const (
	Proven              Word = "proven"
	Consistent          Word = "consistent"
	Degraded            Word = "degraded"
	Wrong               Word = "wrong"
	VerdictInconclusive Word = "inconclusive"
)

// A Result is a check with its outcome.
type Result struct {
	Check    string   `json:"check"`
	Question string   `json:"question"`
	Ceiling  Effect   `json:"ceiling"`
	Kind     Kind     `json:"kind"`
	Depends  []string `json:"depends_on,omitempty"`
	Outcome
	// Because is the failed check of which this failure is a consequence.
	Because string `json:"because,omitempty"`
}

// A Report is a judged Record.
type Report struct {
	Schema  string         `json:"schema"`
	Run     string         `json:"run,omitempty"`
	Kilter  string         `json:"kilter"`
	Started time.Time      `json:"started"`
	Ended   time.Time      `json:"ended"`
	Server  dialect.Server `json:"server"`
	Level   Level          `json:"level"`
	// Selection and Narrowed tell that only part of the question was asked.
	Selection Selection `json:"selection"`
	Narrowed  bool      `json:"narrowed"`

	Verdict Word `json:"verdict"`
	// Cause is the check that decides the verdict; empty when all is well.
	Cause string `json:"cause,omitempty"`
	// Reason is the one sentence that matters.
	Reason string `json:"reason"`
	// Hint is the next step where no server could be judged at all.
	Hint string `json:"hint,omitempty"`
	// Certain: the run ended at once, since nothing more could change it.
	Certain bool `json:"certain,omitempty"`
	// Stopped says why the run ended early.
	Stopped string `json:"stopped,omitempty"`

	Counts   map[Status]int `json:"counts"`
	Results  []Result       `json:"results"`
	Envelope Envelope       `json:"envelope"`
	Cost     Cost           `json:"cost"`
	Speed    Speed          `json:"speed"`
	// Limits says what this kind of verdict does not cover here: inputs and
	// deployments that kilter does not judge yet.
	Limits []string `json:"limits,omitempty"`

	Baseline *BaselineDiff `json:"baseline,omitempty"`
}

// Failures returns the failed checks that are no consequence of another, the
// heaviest first, in the checks' order among equals.
func (r *Report) Failures() []Result {
	var out []Result
	for e := Wrongs; e >= Note; e-- {
		for _, res := range r.Results {
			if res.Status == Fail && res.Effect == e && res.Because == "" {
				out = append(out, res)
			}
		}
	}
	return out
}

// Result returns the result of the check with this id.
func (r *Report) Result(id string) (Result, bool) {
	for _, res := range r.Results {
		if res.Check == id {
			return res, true
		}
	}
	return Result{}, false
}

// An Axis is one condition under which a server was or was not tried.
type Axis struct {
	Name string `json:"name"`
	// Tried describes the range that was tried, such as "8 to 320 tokens";
	// empty when it was not tried.
	Tried string `json:"tried,omitempty"`
	// Missing says why not, or what lies outside of what was tried.
	Missing string `json:"missing,omitempty"`
}

// An Envelope is the set of conditions that a verdict covers.
type Envelope struct {
	Axes []Axis `json:"axes"`
	// What counts towards proven.
	Prefill      bool `json:"prefill"`
	Decode       bool `json:"decode"`
	InFlight     int  `json:"in_flight"`      // most prompts at once, lengths odd and different
	AllJudged    bool `json:"all_judged"`     // every answer was judged by the reference
	LongestOut   int  `json:"longest_output"` // tokens
	OutputLimit  int  `json:"output_limit"`   // the server's own limit if below 4096; 0: none known
	ColdAndWarm  bool `json:"cold_and_warm"`
	HasReference bool `json:"has_reference"`
}

// The envelope that proven needs (package documentation of the product: design).
const (
	provenInFlight = 64
	provenOutput   = 4096
)

// Proves reports whether an agreeing reference inside this envelope makes a
// verdict proven, and if not, what is missing.
func (e Envelope) Proves() (missing []string) {
	if !e.HasReference {
		missing = append(missing, "a reference (the model's own weights)")
	}
	if !e.Prefill || !e.Decode {
		missing = append(missing, "both prefill and decode")
	}
	if e.InFlight < provenInFlight {
		missing = append(missing, "64 prompts of different odd lengths in flight at once")
	}
	if !e.AllJudged {
		missing = append(missing, "every answer judged")
	}
	if e.LongestOut < provenOutput && (e.OutputLimit == 0 || e.LongestOut < e.OutputLimit) {
		missing = append(missing, "one output of at least 4,096 tokens")
	}
	if !e.ColdAndWarm {
		missing = append(missing, "cold and warm cache")
	}
	return missing
}

// A Speed holds what the run saw of speed, one sample a streamed answer. It is
// that of one request at a time, not of the server under load.
type Speed struct {
	// TTFT is the time to the first piece of text, in seconds.
	TTFT []float64 `json:"ttft_s,omitempty"`
	// Decode is tokens per second after the first piece.
	Decode []float64 `json:"decode_tokens_per_s,omitempty"`
}
