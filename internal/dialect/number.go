package dialect

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// A NumberKind says what stood in the place of a number.
type NumberKind uint8

// The kinds. The zero value is Missing.
const (
	Missing NumberKind = iota
	Null
	NaN
	PosInf
	NegInf
	Finite
)

// A Number is a JSON number as LLM servers really send them: a log-probability
// of a NaN row arrives as null from one server, as bare NaN from another and
// not at all from a third, and these are different evidence.
type Number struct {
	Kind  NumberKind
	Value float64 // set for Finite only
}

// Num returns the Number of a float64, finite or not.
func Num(v float64) Number {
	switch {
	case math.IsNaN(v):
		return Number{Kind: NaN}
	case math.IsInf(v, 1):
		return Number{Kind: PosInf}
	case math.IsInf(v, -1):
		return Number{Kind: NegInf}
	}
	return Number{Kind: Finite, Value: v}
}

// Float returns the value as a float64; Missing and Null are NaN.
func (n Number) Float() float64 {
	switch n.Kind {
	case Finite:
		return n.Value
	case PosInf:
		return math.Inf(1)
	case NegInf:
		return math.Inf(-1)
	}
	return math.NaN()
}

// IsFinite reports whether n is an ordinary number.
func (n Number) IsFinite() bool { return n.Kind == Finite }

// String returns the number as it stood in the JSON.
func (n Number) String() string {
	switch n.Kind {
	case Null:
		return "null"
	case NaN:
		return "NaN"
	case PosInf:
		return "Infinity"
	case NegInf:
		return "-Infinity"
	case Finite:
		return strconv.FormatFloat(n.Value, 'g', -1, 64)
	}
	return "missing"
}

// MarshalJSON writes non-finite numbers as strings, so that stored
// observations are valid JSON, and Missing as the string "missing".
func (n Number) MarshalJSON() ([]byte, error) {
	switch n.Kind {
	case Finite:
		if math.IsNaN(n.Value) || math.IsInf(n.Value, 0) {
			return json.Marshal(Num(n.Value).String())
		}
		return json.Marshal(n.Value)
	case Null:
		return []byte("null"), nil
	}
	return json.Marshal(n.String())
}

// UnmarshalJSON reads what MarshalJSON wrote, and the strings that bare NaN
// and Infinity were turned into before parsing.
func (n *Number) UnmarshalJSON(b []byte) error {
	b = bytes.TrimSpace(b)
	switch string(b) {
	case "null":
		*n = Number{Kind: Null}
		return nil
	case `"missing"`:
		*n = Number{}
		return nil
	case `"NaN"`, `"nan"`:
		*n = Number{Kind: NaN}
		return nil
	case `"Infinity"`, `"inf"`:
		*n = Number{Kind: PosInf}
		return nil
	case `"-Infinity"`, `"-inf"`:
		*n = Number{Kind: NegInf}
		return nil
	}
	v, err := strconv.ParseFloat(string(b), 64)
	if err != nil && !math.IsInf(v, 0) {
		return fmt.Errorf("%q is not a number", b)
	}
	*n = Num(v)
	return nil
}
