package evidence

import (
	"fmt"
	"time"
)

// A Fact is one piece of evidence. Facts are values: they are copied, stored
// and compared, never changed. Make them with a Collector, which redacts.
type Fact struct {
	// What names the thing in dotted form, from general to special, such as
	// "engine.version" or "model.max_context".
	What string `json:"what"`
	// Value is a JSON scalar, a list or an object of them. It is nil when
	// Absent is set.
	Value any `json:"value,omitempty"`
	// Source says where it was read: a URL, a path, "journal of sglang.service".
	Source string `json:"source"`
	// Command is what a person can run to see the same, where there is one.
	Command string `json:"command,omitempty"`
	// Time is when it was read.
	Time time.Time `json:"time"`
	// Absent marks negative evidence: the source was read whole and does not
	// hold What.
	Absent bool `json:"absent,omitempty"`
	// Void is the reason why this negative evidence proves nothing, such as
	// "the log is rotated"; empty when it counts.
	Void string `json:"void,omitempty"`
}

// String renders the fact as "what = value (source)".
func (f Fact) String() string {
	switch {
	case f.Absent && f.Void != "":
		return fmt.Sprintf("%s not seen in %s (proves nothing: %s)", f.What, f.Source, f.Void)
	case f.Absent:
		return fmt.Sprintf("%s not in %s", f.What, f.Source)
	}
	return fmt.Sprintf("%s = %v (%s)", f.What, f.Value, f.Source)
}

// A Collector makes facts. Its zero value works: it uses the default shapes of
// secrets and the wall clock. A Collector is not safe for concurrent use;
// give each goroutine its own and join the results.
type Collector struct {
	// Redactor cleans everything that enters; nil means the zero Redactor.
	Redactor *Redactor
	// Now is the clock; nil means time.Now.
	Now func() time.Time

	facts []Fact
}

// Add records that source holds value under the name what.
func (c *Collector) Add(what string, value any, source, command string) Fact {
	return c.put(Fact{What: what, Value: c.Redactor.Value(value), Source: source, Command: command})
}

// AddAbsent records that source was read and does not hold what. A non-empty
// void is the reason why that proves nothing.
func (c *Collector) AddAbsent(what, source, command, void string) Fact {
	return c.put(Fact{What: what, Source: source, Command: command, Absent: true, Void: void})
}

func (c *Collector) put(f Fact) Fact {
	f.Source = c.Redactor.String(f.Source)
	f.Command = c.Redactor.String(f.Command)
	f.Void = c.Redactor.String(f.Void)
	now := time.Now
	if c.Now != nil {
		now = c.Now
	}
	f.Time = now().UTC()
	c.facts = append(c.facts, f)
	return f
}

// Facts returns what was collected so far, in order.
func (c *Collector) Facts() []Fact {
	return append([]Fact(nil), c.facts...)
}

// Find returns the first fact named what.
func Find(facts []Fact, what string) (Fact, bool) {
	for _, f := range facts {
		if f.What == what {
			return f, true
		}
	}
	return Fact{}, false
}
