package stats

import "errors"

// errNaN is the error for an observation that is no number.
var errNaN = errors.New("stats: observation is NaN")

// inOpenUnit reports 0 < x < 1; it is false for NaN.
func inOpenUnit(x float64) bool { return x > 0 && x < 1 }
