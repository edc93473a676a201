package spell_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"kilter/internal/spell"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"smoke", "smoke", 0}, {"smkoe", "smoke", 1},
		{"smok", "smoke", 1}, {"kitten", "sitting", 3},
	} {
		if got := spell.Distance(c.a, c.b); got != c.want || spell.Distance(c.b, c.a) != got {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

func TestNear(t *testing.T) {
	words := []string{"text.token_zero", "text.empty", "numbers.sum", "served_name"}
	for s, want := range map[string][]string{
		"text.token_zer":  {"text.token_zero"},
		"text.token-zero": {"text.token_zero"},
		"TEXT.EMPTY":      {"text.empty"},
		"token":           {"text.token_zero"},
		"text":            {"text.empty", "text.token_zero"},
		"served-name":     {"served_name"},
		"zzz":             nil,
		"":                nil,
	} {
		if d := cmp.Diff(want, spell.Near(s, words, 3)); d != "" {
			t.Errorf("Near(%q) (-want +got):\n%s", s, d)
		}
	}
}
