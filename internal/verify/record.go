package verify

import (
	"time"

	"kilter/internal/dialect"
)

// RecordSchema names the stored form of a Record.
const RecordSchema = "kilter.record/v1"

// A Record is all that a run saw, and so all that a judgement may rest on. It
// survives JSON: a stored Record can be judged again.
type Record struct {
	Schema string `json:"schema"`
	// ID is unique on this machine and sorts by time, such as
	// "20261129-031502-4f2a".
	ID      string    `json:"id"`
	Kilter  string    `json:"kilter"` // version that recorded it
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"`
	Level   Level     `json:"level"`
	// Selection is what --only and --skip asked for when it was recorded.
	Selection Selection      `json:"selection"`
	Server    dialect.Server `json:"server"`
	// Against is the second server of a comparison.
	Against *dialect.Server `json:"against,omitempty"`
	// Observations are in the order in which they were made.
	Observations []Observation `json:"observations"`
	// Stopped says why the run ended before its plan did: certain garbage, the
	// deadline, the token budget, an interrupt. Empty when it ran to its end.
	Stopped string `json:"stopped,omitempty"`
	// ConnectFail is set when no server could be recognised; there are then no
	// observations.
	ConnectFail *dialect.Failure `json:"connect_fail,omitempty"`
	// Waits is how long the run held back because others' requests ran.
	Waits time.Duration `json:"waits_ns,omitempty"`
	// Cost is what the run took from the server.
	Cost Cost `json:"cost"`
}

// A Cost is what a run took from the server.
type Cost struct {
	// Requests counts HTTP requests, reads of the server's state included;
	// Generations those that generated text.
	Requests    int `json:"requests"`
	Generations int `json:"generations"`
	// PromptTokens and OutputTokens are as the server counted them; where it
	// does not say, outputs are counted by log-probabilities or stream events.
	PromptTokens int `json:"prompt_tokens"`
	OutputTokens int `json:"output_tokens"`
}

// An Observation is what one probe saw.
type Observation struct {
	Probe string `json:"probe"`
	// Skipped is the reason why the probe did not run at all.
	Skipped string `json:"skipped,omitempty"`
	Shots   []Shot `json:"shots,omitempty"`
	// Reference is what the reference said, for the probe that asks it.
	Reference *ReferenceRecord `json:"reference,omitempty"`
}

// A Shot is one request of a probe and what came back.
type Shot struct {
	Label string `json:"label"`
	// Free: the model was free in what it wrote, so checks of text may judge
	// it. Not set for constrained, forced, cancelled and bad requests.
	Free bool `json:"free,omitempty"`
	// Prose: the answer should be ordinary English prose.
	Prose bool `json:"prose,omitempty"`
	// Skipped is the reason why this one was not sent.
	Skipped  string            `json:"skipped,omitempty"`
	Request  dialect.Request   `json:"request"`
	Exchange *dialect.Exchange `json:"exchange,omitempty"`
}

// Observation returns what the named probe saw; nil if it left no trace.
func (r *Record) Observation(probe string) *Observation {
	for i := range r.Observations {
		if r.Observations[i].Probe == probe {
			return &r.Observations[i]
		}
	}
	return nil
}

// Shot returns a probe's shot by label; nil if there is none or it was not sent.
func (r *Record) Shot(probe, label string) *Shot {
	o := r.Observation(probe)
	if o == nil {
		return nil
	}
	for i := range o.Shots {
		if s := &o.Shots[i]; s.Label == label && s.Exchange != nil {
			return s
		}
	}
	return nil
}
