package catalog

import (
	"net/url"
	"slices"
	"strings"
	"testing"
)

func load(t *testing.T) *Verify {
	t.Helper()
	v, err := LoadVerify()
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Every entry says where it was learned: a URL, a paper, "declared" for a rule
// of our own, or where it was measured.
func TestEveryEntryNamesItsSource(t *testing.T) {
	v := load(t)
	check := func(what, source string) {
		t.Helper()
		if source == "" {
			t.Errorf("%s names no source", what)
			return
		}
		for _, part := range strings.Fields(source) {
			if strings.HasPrefix(part, "http") {
				if u, err := url.Parse(strings.TrimRight(part, ";,")); err != nil || u.Host == "" {
					t.Errorf("%s: %q is no URL", what, part)
				}
			}
		}
	}
	for _, x := range v.TokenZero {
		check("token_zero "+x.Text, x.Source)
	}
	for _, list := range [][]Pattern{v.Reserved, v.Markup, v.Thinking, v.ToolMarkup, v.FormattedModels} {
		for _, x := range list {
			check("pattern "+x.Match, x.Source)
			if x.Means == "" {
				t.Errorf("pattern %s does not say what it means", x.Match)
			}
		}
	}
	for _, x := range slices.Concat(v.NaNMarkers, v.NaNErrors, v.FallbackTemplates) {
		check("marker "+x.Text, x.Source)
	}
	for _, x := range v.Expect {
		check("expect", x.Source)
	}
	for name, x := range v.Limits {
		check("limit "+name, x.Source)
		if x.Unit == "" {
			t.Errorf("limit %s has no unit", name)
		}
	}
	check("python", v.Python.Source)
}

// The right answers are right, and near misses are not.
func TestBatteryJudges(t *testing.T) {
	v := load(t)
	for _, tc := range []struct {
		id, text string
		want     bool
	}{
		{"arithmetic", "42", true},
		{"arithmetic", "17 + 25 = 42.", true},
		{"arithmetic", "142", false},
		{"arithmetic", "420", false},
		{"capital", "The capital of France is Paris.", true},
		{"capital", "PARIS", true},
		{"capital", "parish", false},
		{"copy", "The quick brown fox jumps over the lazy dog.", true},
		{"copy", "The quick brown fox.", false},
		{"count", "1, 2, 3, 4, 5, 6, 7, ", true},
		{"count", "1,2,3,4,5,6,7", true},
		{"count", "1, 2, 3, 5, 7", false},
		{"opposite", "Cold.", true},
		{"opposite", "scolding", false},
		{"spell", "SERVER", true},
		{"spell", "Server", false},
		{"days", "Tuesday", true},
		{"product", "6 times 7 is 42.", true},
	} {
		q, ok := v.Question(tc.id)
		if !ok {
			t.Fatalf("no question %s", tc.id)
		}
		if got := q.Accepts(tc.text); got != tc.want {
			t.Errorf("%s: Accepts(%q) = %v", tc.id, tc.text, got)
		}
	}
	if q, _ := v.Question("json"); !q.AcceptsRaw(" true}, {") || q.AcceptsRaw(" false}") {
		t.Error("json: the continuation true is right, and false is wrong")
	}
}

func TestExpectations(t *testing.T) {
	v := load(t)
	for _, tc := range []struct {
		params, failBelow float64
	}{{135e6, 0}, {1.7e9, 0.34}, {8e9, 0.67}, {14e9, 0.67}, {397e9, 0.9}} {
		e, ok := v.ExpectFor(tc.params)
		if !ok || e.FailBelow != tc.failBelow {
			t.Errorf("ExpectFor(%g) = %+v, %v", tc.params, e, ok)
		}
	}
}

// Patterns find what they are for, and leave ordinary text alone.
func TestPatterns(t *testing.T) {
	v := load(t)
	find := func(list []Pattern, s string) string {
		for i := range list {
			if m := list[i].Find(s); m != "" {
				return m
			}
		}
		return ""
	}
	for _, s := range []string{"<|reserved_special_token_12|>", "<unused99>", "[unused3]", "<pad>", "<unk>", "<extra_id_0>"} {
		if find(v.Reserved, "a "+s+" b") == "" {
			t.Errorf("reserved: %q is not found", s)
		}
	}
	for _, s := range []string{"<|im_end|>", "<start_of_turn>", "<|eot_id|>", "[INST]", "<|channel|>"} {
		if find(v.Markup, "a "+s+" b") == "" {
			t.Errorf("markup: %q is not found", s)
		}
	}
	for _, s := range []string{"<tool_call>{", "[TOOL_CALLS] [", "<function=get_weather>"} {
		if find(v.ToolMarkup, s) == "" {
			t.Errorf("tool markup: %q is not found", s)
		}
	}
	plain := "if a < b and b > c: print(x[0]) # <div> </div> |a|b| [link](url) List<String> f(x) = <x, y>"
	for name, list := range map[string][]Pattern{"reserved": v.Reserved, "markup": v.Markup, "thinking": v.Thinking, "tool": v.ToolMarkup} {
		if m := find(list, plain); m != "" {
			t.Errorf("%s: found %q in ordinary text", name, m)
		}
	}
}

func TestUnknownMembersAreErrors(t *testing.T) {
	if _, err := parseVerify([]byte("token_zeros: []\n")); err == nil {
		t.Error("a misspelt member was taken")
	}
	if _, err := parseVerify([]byte("reserved:\n  - {match: '(', means: x, source: y}\n")); err == nil {
		t.Error("a bad pattern was taken")
	}
}
