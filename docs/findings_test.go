package docs_test

import (
	"fmt"
	"net/url"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"kilter/docs"
	"kilter/internal/audit"
)

var findingSections = []string{"How it is decided", "What it rests on", "What it does not prove", "What to do", "Sources"}

func TestEveryFindingHasAPageAndEveryPageAFinding(t *testing.T) {
	var want []string
	for _, d := range audit.Declarations() {
		want = append(want, string(d.Code))
		page, ok := docs.Page(string(d.Code))
		if !ok {
			t.Errorf("%s has no page", d.Code)
			continue
		}
		begin := fmt.Sprintf("# %s\n\n%s.\n\nSeverity: %s · Group: %s\n\n## %s\n", d.Code, d.Title, d.Severity, d.Group, findingSections[0])
		if !strings.HasPrefix(page, begin) {
			t.Errorf("%s: the page should begin with\n%s", d.Code, begin)
		}
	}
	slices.Sort(want)
	if got := docs.FindingIDs(); !slices.Equal(got, want) {
		t.Errorf("pages %v\nfindings %v", got, want)
	}
}

func TestFindingPagesHaveTheirSections(t *testing.T) {
	for _, id := range docs.FindingIDs() {
		page, _ := docs.Page(id)
		if !utf8.ValidString(page) || strings.Contains(page, "\r") || !strings.HasSuffix(page, "\n") || strings.HasSuffix(page, "\n\n") {
			t.Errorf("%s: want UTF-8, line feeds, and one at the end", id)
		}
		var got []string
		for _, m := range heading.FindAllStringSubmatch(page, -1) {
			got = append(got, m[1])
		}
		if !slices.Equal(got, findingSections) {
			t.Errorf("%s: sections %q, want %q", id, got, findingSections)
			continue
		}
		for _, name := range []string{"What it does not prove", "What to do"} {
			text := firstParagraph(section(page, name))
			if n := utf8.RuneCountInString(text); n == 0 || n > maxPrinted {
				t.Errorf("%s: the first paragraph of %q has %d characters, and the report takes %d", id, name, n, maxPrinted)
			}
		}
		before, _, fenced := strings.Cut(section(page, "What to do"), "\n```")
		if fenced && !strings.HasSuffix(strings.TrimSpace(before), ":") {
			t.Errorf("%s: what stands before the commands of \"What to do\" should end in a colon", id)
		}
		for _, line := range strings.Split(section(page, "Sources"), "\n") {
			u, err := url.Parse(strings.TrimPrefix(line, "- "))
			if err != nil || u.Scheme != "https" || !strings.Contains(u.Host, ".") || strings.ContainsAny(line[2:], " <>") {
				t.Errorf("%s: source %q is no https URL", id, line)
			}
		}
		for _, m := range link.FindAllStringSubmatch(page, -1) {
			other, ok := strings.CutSuffix(m[1], ".md")
			if _, have := docs.Page(other); !ok || !have {
				t.Errorf("%s links to %s, which is no page", id, m[1])
			}
		}
	}
}

// The index lists every finding under its group, with its severity and title.
func TestFindingIndexIsComplete(t *testing.T) {
	b, err := os.ReadFile("findings/README.md")
	if err != nil {
		t.Fatal(err)
	}
	listed := 0
	for _, d := range audit.Declarations() {
		line := fmt.Sprintf("- [%s](%s.md) (%s): %s", d.Code, d.Code, d.Severity, d.Title)
		if !slices.Contains(strings.Split(section(string(b), string(d.Group)), "\n"), line) {
			t.Errorf("docs/findings/README.md should have, under %q,\n%s", d.Group, line)
		}
	}
	for _, line := range strings.Split(string(b), "\n") {
		if strings.HasPrefix(line, "- [") {
			listed++
		}
	}
	if want := len(audit.Declarations()); listed != want {
		t.Errorf("docs/findings/README.md lists %d findings, want %d", listed, want)
	}
}
