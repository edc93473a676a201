package verify

import "fmt"

// A Level says how much a run asks.
type Level int

// The levels. Each holds the one before.
const (
	// Smoke finds gross faults: under 20 requests and 15 s on a healthy server.
	Smoke Level = iota
	// Standard adds the rest of the contract, scored text and comparisons of
	// repeated requests.
	Standard
	// Deep adds what one prompt can't show: state, load and length.
	Deep
)

var levelNames = [...]string{"smoke", "standard", "deep"}

// Levels returns the names of all levels, lightest first.
func Levels() []string { return append([]string(nil), levelNames[:]...) }

// ParseLevel reads a level's name.
func ParseLevel(s string) (Level, error) {
	for i, name := range levelNames {
		if s == name {
			return Level(i), nil
		}
	}
	return 0, fmt.Errorf("level %q: want smoke, standard or deep", s)
}

// String returns the level's name.
func (l Level) String() string {
	if l < Smoke || l > Deep {
		return fmt.Sprintf("level(%d)", int(l))
	}
	return levelNames[l]
}

// MarshalText writes the level's name.
func (l Level) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText reads a level's name.
func (l *Level) UnmarshalText(b []byte) (err error) {
	*l, err = ParseLevel(string(b))
	return err
}
