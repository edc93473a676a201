package report_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"kilter/internal/report"
	"kilter/internal/verify"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares got with a file under testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./internal/report -update writes it)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got); go test ./internal/report -update if this is meant:\n%s", path, diff)
	}
}

func text(t testing.TB, rep *verify.Report, o report.Options) string {
	t.Helper()
	var b strings.Builder
	o.Format = "text"
	if err := report.Write(&b, rep, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTextGolden(t *testing.T) {
	for _, s := range shapes() {
		for _, width := range []int{60, 80, 120} {
			t.Run(fmt.Sprintf("%s/%d", s.name, width), func(t *testing.T) {
				golden(t, fmt.Sprintf("text/%s-%d.txt", s.name, width), text(t, s.rep, report.Options{Width: width, Page: pages(t)}))
			})
		}
		t.Run(s.name+"/color", func(t *testing.T) {
			got := text(t, s.rep, report.Options{Width: 80, Color: true, Page: pages(t)})
			golden(t, "text/"+s.name+"-color.txt", strings.ReplaceAll(got, "\x1b", "<ESC>"))
		})
		t.Run(s.name+"/verbose", func(t *testing.T) {
			golden(t, "text/"+s.name+"-verbose.txt", text(t, s.rep, report.Options{Width: 100, Verbose: true, Page: pages(t)}))
		})
	}
}

// A healthy server's report must be seen whole on the smallest usual screen.
func TestHealthyFitsOnAScreen(t *testing.T) {
	got := text(t, healthy(), report.Options{Width: 80, Page: pages(t)})
	if n := strings.Count(got, "\n"); n > 24 {
		t.Errorf("%d lines, want at most 24:\n%s", n, got)
	}
}

var sgr = regexp.MustCompile("\x1b\\[[0-9;]*m")

// Colour adds escape codes and nothing else, and no code is cut by a line's end.
func TestColorOnlyAddsCodes(t *testing.T) {
	for _, s := range shapes() {
		for _, width := range []int{40, 60, 80, 120} {
			colored := text(t, s.rep, report.Options{Width: width, Color: true})
			bare := text(t, s.rep, report.Options{Width: width})
			if diff := cmp.Diff(bare, sgr.ReplaceAllString(colored, "")); diff != "" {
				t.Errorf("%s at %d (-bare +coloured without codes):\n%s", s.name, width, diff)
			}
			for _, line := range strings.Split(colored, "\n") {
				if codes := sgr.FindAllString(line, -1); len(codes)%2 != 0 || len(codes) > 0 && codes[len(codes)-1] != "\x1b[0m" {
					t.Errorf("%s at %d: a colour stays on: %q", s.name, width, line)
				}
			}
		}
	}
}

func TestFirstLinesTellTheVerdict(t *testing.T) {
	for _, tc := range []struct {
		rep  *verify.Report
		want []string
	}{
		{healthy(), []string{"[ok] CONSISTENT", "SmolLM2-135M-Instruct-Q4_1", "llama.cpp b11434", "http://127.0.0.1:8080"}},
		{tokenZero(), []string{"[X]  WRONG", "nvidia/Qwen3.5-397B-A17B-NVFP4", "SGLang 0.5.9", "text.token_zero", `"!"`}},
		{nanHappened(), []string{"[X]  WRONG", `"NaN happened"`}},
		{degraded(), []string{"[!]  DEGRADED", "gateway", "contract.usage"}},
		{unreachable(), []string{"[?]  INCONCLUSIVE", "connection refused"}},
		{narrowed(), []string{"[ok] CONSISTENT", "--only text.* --skip text.salad"}},
		{baseline(), []string{"[ok] PROVEN"}},
	} {
		lines := strings.Split(text(t, tc.rep, report.Options{}), "\n")
		head := strings.Join(lines[:6], "\n")
		for _, want := range tc.want {
			if !strings.Contains(head, want) {
				t.Errorf("%s: %q is not in the first lines:\n%s", tc.rep.Verdict, want, head)
			}
		}
	}
}

// printable fails unless every byte of s is safe on a terminal.
func printable(t *testing.T, s string) {
	t.Helper()
	if !utf8.ValidString(s) {
		t.Errorf("invalid UTF-8 in %q", s)
	}
	for _, r := range s {
		if r != '\n' && !unicode.IsPrint(r) {
			t.Errorf("%U reaches the terminal: %q", r, s)
			return
		}
	}
}

func TestHostileTextIsSpelledOut(t *testing.T) {
	for _, o := range []report.Options{{}, {Verbose: true}, {Width: 60}} {
		got := text(t, hostile(nasty), o)
		printable(t, got)
		for _, want := range []string{`\x1b[2J`, `\xff`, `\u202e`, `\u009b`, `\x00`} {
			if !strings.Contains(got, want) {
				t.Errorf("%s is not spelled out in:\n%s", want, got)
			}
		}
		// No quoted line may look like a verdict of kilter's own.
		for _, line := range strings.Split(got, "\n")[1:] {
			if strings.HasPrefix(line, "[ok] PROVEN") || strings.HasPrefix(line, "[ok] CONSISTENT") {
				t.Errorf("a server's text passes for a verdict: %q", line)
			}
		}
	}
	golden(t, "text/hostile-80.txt", text(t, hostile(nasty), report.Options{Width: 80}))
}

// FuzzText feeds what a server could send into every string of a report.
func FuzzText(f *testing.F) {
	f.Add(nasty, 80, false)
	f.Add(strings.Repeat("!", 5000), 60, true)
	f.Add(strings.Repeat("界", 300), 41, true)
	f.Add(strings.Repeat("a\n", 300), 0, false)
	f.Add("", -1, true)
	f.Add("\x9b", 1000, false)
	f.Fuzz(func(t *testing.T, s string, width int, verbose bool) {
		printable(t, text(t, hostile(s), report.Options{Width: width, Verbose: verbose}))
		if colored := text(t, hostile(s), report.Options{Width: width, Verbose: verbose, Color: true}); sgr.MatchString(colored) {
			printable(t, sgr.ReplaceAllString(colored, ""))
		}
		for _, format := range report.Formats()[1:] {
			var b strings.Builder
			if err := report.Write(&b, hostile(s), report.Options{Format: format}); err != nil {
				t.Errorf("%s: %v", format, err)
			}
			if !utf8.ValidString(b.String()) {
				t.Errorf("%s: invalid UTF-8", format)
			}
		}
	})
}

func TestUnknownFormatNamesTheChoices(t *testing.T) {
	err := report.Write(&strings.Builder{}, healthy(), report.Options{Format: "yaml"})
	if err == nil || !strings.Contains(err.Error(), "text, json, junit, prometheus") || !strings.Contains(err.Error(), "yaml") {
		t.Errorf("error = %v", err)
	}
}

// The empty report and one with everything unset must not panic in any format.
func TestEmptyReport(t *testing.T) {
	for _, format := range append([]string{""}, report.Formats()...) {
		for _, rep := range []*verify.Report{{}, {Cause: "no.such"}, {Results: []verify.Result{{}}}} {
			if err := report.Write(&strings.Builder{}, rep, report.Options{Format: format, Verbose: true, Page: pages(t)}); err != nil {
				t.Errorf("%q: %v", format, err)
			}
		}
	}
}
