package docs_test

import (
	"fmt"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"kilter/docs"
	"kilter/internal/verify"
)

// sections are those of every page, in this order.
var sections = []string{
	"How it is decided",
	"What it rests on",
	"What a failure does not prove",
	"What to do",
	"Sources",
}

// printed are the sections whose first paragraph stands on the verdict screen.
var printed = []string{"What a failure does not prove", "What to do"}

// maxPrinted bounds such a paragraph, in characters.
const maxPrinted = 240

func TestEveryCheckHasAPageAndEveryPageACheck(t *testing.T) {
	var want []string
	for _, c := range verify.Checks() {
		want = append(want, c.ID)
		if _, ok := docs.Page(c.ID); !ok {
			t.Errorf("check %s has no page", c.ID)
		}
	}
	slices.Sort(want)
	if got := docs.IDs(); !slices.Equal(got, want) {
		t.Errorf("pages %v\nchecks %v", got, want)
	}
}

func TestPageOfNothing(t *testing.T) {
	for _, id := range []string{"", "README", "text", "text.no_such_check", "../docs.go", "x/text.empty", `..\docs.go`} {
		if page, ok := docs.Page(id); ok {
			t.Errorf("Page(%q) = %d bytes, want none", id, len(page))
		}
	}
}

// The page says the same as the declaration: question, ceiling, level, kind
// and dependencies.
func TestPagesRepeatTheDeclaration(t *testing.T) {
	for _, c := range verify.Checks() {
		page, ok := docs.Page(c.ID)
		if !ok {
			continue // reported above
		}
		kind := c.Kind
		if kind == "" {
			kind = verify.Declared
		}
		depends := "nothing"
		if len(c.DependsOn) > 0 {
			depends = strings.Join(c.DependsOn, ", ")
		}
		want := fmt.Sprintf("# %s\n\n%s\n\nCeiling: %s · Level: %s · %s · Depends on: %s\n\n## %s\n",
			c.ID, c.Question, c.Ceiling, c.Level, kind, depends, sections[0])
		if !strings.HasPrefix(page, want) {
			t.Errorf("%s: the page should begin with\n%s\nit begins with\n%.*s", c.ID, want, len(want), page)
		}
	}
}

var (
	heading    = regexp.MustCompile(`(?m)^## (.+)$`)
	issueFirst = regexp.MustCompile(`(?m)^[ \t]*#\d+`) // the number of an issue
)

func TestPagesHaveTheirSections(t *testing.T) {
	for _, id := range docs.IDs() {
		page, _ := docs.Page(id)
		if !utf8.ValidString(page) || strings.Contains(page, "\r") || !strings.HasSuffix(page, "\n") || strings.HasSuffix(page, "\n\n") {
			t.Errorf("%s: want UTF-8, line feeds, and one at the end", id)
		}
		var got []string
		for _, m := range heading.FindAllStringSubmatch(page, -1) {
			got = append(got, m[1])
		}
		if !slices.Equal(got, sections) {
			t.Errorf("%s: sections %q, want %q", id, got, sections)
			continue
		}
		for _, name := range sections {
			if section(page, name) == "" {
				t.Errorf("%s: nothing stands under %q", id, name)
			}
		}
		for _, name := range printed {
			text := firstParagraph(section(page, name))
			switch n := utf8.RuneCountInString(text); {
			case n > maxPrinted:
				t.Errorf("%s: the first paragraph of %q has %d characters, and the verdict screen takes %d", id, name, n, maxPrinted)
			case n == 0 || strings.ContainsAny(text[:1], "-|#"):
				t.Errorf("%s: %q should begin with a sentence, not with %.20q", id, name, text)
			}
		}
		if n := strings.Count(page, "```"); n%2 != 0 {
			t.Errorf("%s: %d fences", id, n)
		}
		if at := issueFirst.FindString(page); at != "" {
			t.Errorf("%s: a line begins with %q, which would be taken for a heading", id, strings.TrimSpace(at))
		}
		// A list of commands on the screen has to be one: what stands before
		// the first fence of "What to do" ends in a colon.
		before, _, fenced := strings.Cut(section(page, "What to do"), "\n```")
		if fenced && !strings.HasSuffix(strings.TrimSpace(before), ":") {
			t.Errorf("%s: what stands before the commands of \"What to do\" should end in a colon", id)
		}
	}
}

var link = regexp.MustCompile(`\]\(([^)]+)\)`)

func TestSourcesAndLinks(t *testing.T) {
	for _, id := range docs.IDs() {
		page, _ := docs.Page(id)
		for _, line := range strings.Split(section(page, "Sources"), "\n") {
			source, ok := strings.CutPrefix(line, "- ")
			if !ok {
				t.Errorf("%s: Sources holds %q, want a list of URLs", id, line)
				continue
			}
			u, err := url.Parse(source)
			if err != nil || u.Scheme != "https" || !strings.Contains(u.Host, ".") || strings.ContainsAny(source, " <>") {
				t.Errorf("%s: source %q is no https URL", id, source)
			}
		}
		for _, m := range link.FindAllStringSubmatch(page, -1) {
			other, ok := strings.CutSuffix(m[1], ".md")
			if _, have := docs.Page(other); !ok || !have {
				t.Errorf("%s links to %s, which is no page of a check", id, m[1])
			}
		}
	}
}

// The index lists every check under its group, with its question.
func TestIndexIsComplete(t *testing.T) {
	b, err := os.ReadFile("checks/README.md")
	if err != nil {
		t.Fatal(err)
	}
	index := string(b)
	var want []string
	for _, c := range verify.Checks() {
		want = append(want, fmt.Sprintf("- [%s](%s.md): %s", c.ID, c.ID, c.Question))
		if !strings.Contains(section(index, c.Group()), want[len(want)-1]+"\n") && !strings.HasSuffix(section(index, c.Group()), want[len(want)-1]) {
			t.Errorf("docs/checks/README.md should have, under %q,\n%s", c.Group(), want[len(want)-1])
		}
	}
	for _, line := range strings.Split(index, "\n") {
		if strings.HasPrefix(line, "- [") && !slices.Contains(want, line) {
			t.Errorf("docs/checks/README.md lists what is no check: %s", line)
		}
	}
}

// section returns what stands under a heading of level two.
func section(page, name string) string {
	_, text, ok := strings.Cut("\n"+page, "\n## "+name+"\n")
	if !ok {
		return ""
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return strings.TrimSpace(text)
}

// firstParagraph returns the prose before the first blank line or fence, on
// one line.
func firstParagraph(text string) string {
	text, _, _ = strings.Cut(text, "\n\n")
	text, _, _ = strings.Cut(text, "\n```")
	return strings.Join(strings.Fields(text), " ")
}
