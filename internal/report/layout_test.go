package report

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func joined(line []span) string {
	var b strings.Builder
	for _, s := range line {
		b.WriteString(s.text)
	}
	return b.String()
}

// Wrapping keeps every word whole and in order, and no line is too wide unless
// one word is.
func TestWrap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var spans []span
		var all strings.Builder
		for i := rapid.IntRange(0, 8).Draw(t, "spans"); i > 0; i-- {
			s := span{
				safe(rapid.StringOf(rapid.RuneFrom([]rune("ab  界é!-\n"))).Draw(t, "text")),
				rapid.SampledFrom([]style{plain, bold, red}).Draw(t, "style"),
			}
			spans = append(spans, s)
			all.WriteString(s.text)
		}
		w := rapid.IntRange(1, 30).Draw(t, "width")
		var got []string
		for _, line := range wrap(spans, w) {
			text := joined(line)
			if cells(text) > w && strings.Contains(text, " ") {
				t.Fatalf("%q is wider than %d", text, w)
			}
			got = append(got, strings.Fields(text)...)
		}
		if a, b := strings.Join(got, "\x00"), strings.Join(strings.Fields(all.String()), "\x00"); a != b {
			t.Fatalf("words %q, want %q", a, b)
		}
	})
}

func TestRowKeepsColumns(t *testing.T) {
	p := newPrinter(Options{Width: 40})
	p.row([]cell{{[]span{say("name")}, 8}, {[]span{say("tried this and that")}, 12}, {[]span{say("not tried: all of the rest of it")}, 0}})
	want := "" +
		"name    tried this  not tried: all of\n" +
		"        and that    the rest of it\n"
	if got := p.b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestChop(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := safe(rapid.String().Draw(t, "text"))
		w := rapid.IntRange(2, 20).Draw(t, "width")
		lines := chop(s, w)
		for _, line := range lines {
			if cells(line) > w {
				t.Fatalf("%q is wider than %d", line, w)
			}
		}
		if got := strings.Join(lines, ""); got != s {
			t.Fatalf("%q, want %q", got, s)
		}
	})
}

func TestSafe(t *testing.T) {
	for in, want := range map[string]string{
		"plain, ünïcode 界": "plain, ünïcode 界",
		"\x1b[31m":         `\x1b[31m`,
		"a\nb\r\tc":        `a\nb\r\tc`,
		"\xff\x80":         `\xff\x80`,
		"�":                "�", // U+FFFD that really was sent
		"\u0085\u200b":     `\u0085\u200b`,
		"\U000e0041":       `\U000e0041`,
		`{"a":"\n"}`:       `{"a":"\n"}`,
	} {
		if got := safe(in); got != want {
			t.Errorf("safe(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestCells(t *testing.T) {
	for in, want := range map[string]int{"abc": 3, "界": 2, "é": 1, "e\u0301": 1, "🙂": 2, "": 0} {
		if got := cells(in); got != want {
			t.Errorf("cells(%q) = %d, want %d", in, got, want)
		}
	}
}

func TestBrief(t *testing.T) {
	for _, tc := range []struct {
		in   string
		n    int
		want string
	}{
		{"short", 10, "short"},
		{"much too long", 6, "much …"},
		{strings.Repeat("界", 1000), 3, "界界…"},
		{strings.Repeat("\x1b", 1000), 5, `\x1b…`},
	} {
		if got := brief(tc.in, tc.n); got != tc.want {
			t.Errorf("brief(%.20q, %d) = %q, want %q", tc.in, tc.n, got, tc.want)
		}
	}
}

func TestSection(t *testing.T) {
	page := `# id

## Before

no

## What to do

Do ` + "`this`" + ` and
**that**, see [there](x.md):

` + "```" + `
$ one --flag
two
` + "```" + `

Then more.

## After
`
	got := section(page, headingToDo)
	if got.prose != "Do `this` and that, see there:" {
		t.Errorf("prose = %q", got.prose)
	}
	if strings.Join(got.commands, "|") != "one --flag|two" {
		t.Errorf("commands = %q", got.commands)
	}
	if got := section(page, headingNotProven); got.prose != "" || got.commands != nil {
		t.Errorf("a heading that the page lacks gives %+v", got)
	}
	if got := section("## What to do\n\n- First.\n- Second.\n", headingToDo); !strings.HasPrefix(got.prose, "First.") {
		t.Errorf("a list gives %q", got.prose)
	}
	if got := section("## What to do\nOne paragraph.\n\nAnother.\n```\nno\n```\n", headingToDo); got.prose != "One paragraph." || got.commands != nil {
		t.Errorf("the first paragraph is %+v", got)
	}
}

func TestNumbersForPeople(t *testing.T) {
	for v, want := range map[float64]string{0.1193: "0.119", 34.12: "34.1", 123.4: "123", 1234: "1,234", 1: "1"} {
		if got := digits(v); got != want {
			t.Errorf("digits(%v) = %s, want %s", v, got, want)
		}
	}
	for v, want := range map[float64]string{0.119: "119 ms", 9.8: "9.8 s", 0.0000032: "3.2 us"} {
		if got := seconds(v); got != want {
			t.Errorf("seconds(%v) = %s, want %s", v, got, want)
		}
	}
	for v, want := range map[int]string{0: "0", 999: "999", 1204: "1,204", -1234567: "-1,234,567"} {
		if got := group3(v); got != want {
			t.Errorf("group3(%v) = %s, want %s", v, got, want)
		}
	}
}
