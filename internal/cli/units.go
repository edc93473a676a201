package cli

import (
	"strconv"
	"strings"
)

// thousands writes a number with commas.
func thousands(n int64) string {
	s := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// billions writes a number of parameters: exact below a million.
func billions(n int64) string {
	switch {
	case n < 1e6:
		return thousands(n)
	case n < 1e9:
		return decimals(float64(n)/1e6) + " M"
	}
	return decimals(float64(n)/1e9) + " B"
}

// decimals writes a number with as many decimals as are worth reading.
func decimals(f float64) string {
	switch {
	case f < 10:
		return strconv.FormatFloat(f, 'f', 2, 64)
	case f < 1000:
		return strconv.FormatFloat(f, 'f', 1, 64)
	}
	return thousands(int64(f + 0.5))
}

// bothUnits writes bytes as file managers do, and as memory is counted.
func bothUnits(n int64) string {
	if n < 1e6 {
		return thousands(n) + " bytes"
	}
	if n < 1e9 {
		return decimals(float64(n)/1e6) + " MB"
	}
	return decimals(float64(n)/1e9) + " GB (" + decimals(float64(n)/(1<<30)) + " GiB)"
}

// size writes bytes in the unit that suits them.
func size(n int64) string {
	f := float64(n)
	switch {
	case n < 0:
		return "-" + size(-n)
	case n < 1<<10:
		return thousands(n) + " B"
	case n < 1<<20:
		return decimals(f/(1<<10)) + " KiB"
	case n < 1<<30:
		return decimals(f/(1<<20)) + " MiB"
	}
	return decimals(f/(1<<30)) + " GiB"
}

// count writes a number of things.
func count(n int, thing string) string {
	s := thousands(int64(n)) + " " + thing
	if n != 1 {
		s += "s"
	}
	return strings.TrimSpace(s)
}
