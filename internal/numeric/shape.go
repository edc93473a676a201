package numeric

import "fmt"

// wantLen is the one way this package says that a buffer has a wrong length.
func wantLen(format, what string, got, want, weights int) error {
	if got == want {
		return nil
	}
	return fmt.Errorf("%s: %d %s for %d weights, want %d", format, got, what, weights, want)
}

// wantBlocks refuses a row that is no whole number of blocks.
func wantBlocks(format string, weights, block int) error {
	if weights%block == 0 {
		return nil
	}
	return fmt.Errorf("%s: %d weights are no whole blocks of %d", format, weights, block)
}

// ceilDiv returns n/d rounded up without overflow, for n >= 0 and d > 0.
func ceilDiv(n, d int) int {
	q := n / d
	if n%d != 0 {
		q++
	}
	return q
}

// amax returns the largest magnitude of x; NaNs do not count.
func amax(x []float32) float32 {
	var m float32
	for _, v := range x {
		m = max(m, abs32(v))
	}
	return m
}

func abs32(x float32) float32 {
	switch {
	case x < 0:
		return -x
	case x > 0:
		return x
	}
	return 0 // ±0, and NaN
}
