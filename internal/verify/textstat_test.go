package verify

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestLoops(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       bool
	}{
		{"a phrase", strings.Repeat("the end of the world. ", 8), true},
		{"a phrase after text", "It began well. " + strings.Repeat("and then again ", 8), true},
		{"a phrase cut in the middle", strings.Repeat("return False\n", 9) + "return Fa", true},
		{"a sentence", "The capital of France is Paris, which lies on the Seine.", false},
		{"numbers", "1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18", false},
		{"a short rule", "Title\n----------", false},
		{"three lines alike", "yes\nyes\nyes", false},
		{"empty", "", false},
	} {
		if got := loops(tc.text, 48, 6); got != tc.want {
			t.Errorf("%s: loops = %v", tc.name, got)
		}
	}
}

func TestScriptCount(t *testing.T) {
	counts, letters := scriptCount("Paris ist schön — Παρίσι, Париж, 巴黎 ปารีส 🙂 42")
	if letters == 0 || counts["Latin"] != 13 || counts["Cyrillic"] != 5 || counts["Han"] != 2 || counts["Greek"] != 6 || counts["Thai"] == 0 {
		t.Errorf("%v of %d", counts, letters)
	}
	if counts, _ := scriptCount("👩‍👩‍👧 1/2 §"); len(counts) != 0 {
		t.Errorf("emoji and signs count as letters: %v", counts)
	}
}

func TestRunOf(t *testing.T) {
	for _, tc := range []struct {
		text, piece string
		n           int
		all         bool
	}{
		{"!!!!!!!!", "!", 8, true},
		{" !!!! !!!!\n", "!", 8, true},
		{"wow!!!", "!", 3, false},
		{"<pad><pad><pad>", "<pad>", 3, true},
		{"", "!", 0, false},
		{"!a", "!", 0, false},
	} {
		if n, all := runOf(tc.text, tc.piece); n != tc.n || all != tc.all {
			t.Errorf("runOf(%q, %q) = %d, %v", tc.text, tc.piece, n, all)
		}
	}
}

func TestPythonOf(t *testing.T) {
	const code = "def is_prime(n):\n    return n > 1\n"
	for _, tc := range []struct{ name, text, want string }{
		{"fenced", "Here:\n```python\n" + code + "```\nIt works.", code},
		{"fenced, no language", "```\n" + code + "```", code},
		{"the second block defines", "```bash\npip install x\n```\n```py\n" + code + "```", code},
		{"cut inside the fence", "```python\n" + code, code},
		{"bare", code, code},
		{"bare with prose around", "Sure!\nimport math\n" + code + "\nThis function checks it.", "import math\n" + code + "\n"},
		{"none", "I can't write code.", ""},
	} {
		if got := pythonOf(tc.text); strings.TrimSpace(got) != strings.TrimSpace(tc.want) {
			t.Errorf("%s: %q, want %q", tc.name, got, tc.want)
		}
	}
}

func TestCutKeepsRunesWhole(t *testing.T) {
	for n := range 12 {
		if s := cut("aé日🙂z", n); !utf8.ValidString(s) {
			t.Errorf("cut at %d: %q", n, s)
		}
	}
}

func TestSameModel(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want bool
	}{
		{"Qwen/Qwen3-8B", "qwen3-8b", true}, {"smollm2:latest", "smollm2", true}, {"/models/q", "q", true}, {"llama", "qwen", false},
	} {
		if got := sameModel(tc.a, tc.b); got != tc.want {
			t.Errorf("sameModel(%q, %q) = %v", tc.a, tc.b, got)
		}
	}
}
