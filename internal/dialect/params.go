package dialect

import (
	"regexp"
	"strconv"
	"strings"
)

// sizeRE finds a number of parameters in a model's name: 397B, 0.5b, 135M,
// 8x7B, 1T. What stands before it is the start or a separator, and no letter
// or digit follows, so that A17B (active parameters), 4bit, 262k, Q4_1 and
// mb-2 are none.
var sizeRE = regexp.MustCompile(`(?i)(?:^|[-_/:. ])(?:(\d{1,3})x)?(\d{1,4}(?:\.\d{1,3})?)(t|b|m)(?:$|[^a-z0-9])`)

// paramsOfName reads the number of parameters from a model's name or path, as
// Qwen3.5-397B-A17B: all of them, not the active ones.
func paramsOfName(name string) (float64, bool) {
	// The folder of a path may name another model; its last part wins.
	for _, part := range lastFirst(name) {
		best := 0.0
		rest := part
		for {
			m := sizeRE.FindStringSubmatchIndex(rest)
			if m == nil {
				break
			}
			groups := func(i int) string {
				if m[2*i] < 0 {
					return ""
				}
				return rest[m[2*i]:m[2*i+1]]
			}
			if n, ok := sizeOf(groups(2) + groups(3)); ok {
				if times, err := strconv.ParseFloat(groups(1), 64); err == nil {
					n *= times
				}
				best = max(best, n)
			}
			rest = rest[m[7]:] // the separator may begin the next one
		}
		if best > 0 {
			return best, true
		}
	}
	return 0, false
}

func lastFirst(path string) []string {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	for i, j := 0, len(parts)-1; i < j; i, j = i+1, j-1 {
		parts[i], parts[j] = parts[j], parts[i]
	}
	return parts
}

// sizeOf reads "134.52M", "7.6B" or "1T".
func sizeOf(s string) (float64, bool) {
	s = strings.TrimSpace(s)
	if s == "" {
		return 0, false
	}
	unit := map[byte]float64{'k': 1e3, 'm': 1e6, 'b': 1e9, 't': 1e12}[s[len(s)-1]|0x20]
	if unit == 0 {
		return 0, false
	}
	n, err := strconv.ParseFloat(s[:len(s)-1], 64)
	if err != nil || n <= 0 || n > 1e6 {
		return 0, false
	}
	return n * unit, true
}

var versionRE = regexp.MustCompile(`^v?(\d+)\.(\d+)(?:\.(\d+))?`)

// versionAtLeast compares the release part of a version. A version that
// cannot be read is never at least anything.
func versionAtLeast(version string, major, minor, patch int) bool {
	m := versionRE.FindStringSubmatch(version)
	if m == nil {
		return false
	}
	for i, want := range [...]int{major, minor, patch} {
		have, _ := strconv.Atoi(m[i+1])
		if have != want {
			return have > want
		}
	}
	return true
}
