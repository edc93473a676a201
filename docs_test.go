package kilter_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"kilter/internal/verify"
)

// Every check has its page, every page its check, and each page has the
// headings that reports and kilter explain quote.
func TestCheckPages(t *testing.T) {
	const folder = "docs/checks"
	known := map[string]bool{}
	for _, c := range verify.Checks() {
		known[c.ID] = true
		page, err := os.ReadFile(filepath.Join(folder, c.ID+".md"))
		if err != nil {
			t.Errorf("check %s has no page: %v", c.ID, err)
			continue
		}
		text := "\n" + string(page)
		if !strings.HasPrefix(text, "\n# "+c.ID+"\n") {
			t.Errorf("%s/%s.md should begin with %q", folder, c.ID, "# "+c.ID)
		}
		for _, heading := range []string{"## What a failure does not prove", "## What to do"} {
			_, section, ok := strings.Cut(text, "\n"+heading+"\n")
			if !ok {
				t.Errorf("%s/%s.md has no %q", folder, c.ID, heading)
				continue
			}
			section, _, _ = strings.Cut(section, "\n## ")
			if strings.TrimSpace(section) == "" {
				t.Errorf("%s/%s.md: nothing stands under %q", folder, c.ID, heading)
			}
		}
	}
	pages, err := filepath.Glob(folder + "/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if id := strings.TrimSuffix(filepath.Base(page), ".md"); id != "README" && !known[id] {
			t.Errorf("%s is the page of no check", page)
		}
	}
}

// Links between the documents of this repository lead somewhere.
func TestDocsLinks(t *testing.T) {
	for _, name := range load(t).files {
		if !strings.HasSuffix(name, ".md") || strings.Contains(name, "testdata/") {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			continue // deleted and not committed
		}
		for _, part := range strings.Split(string(text), "](")[1:] {
			target, _, ok := strings.Cut(part, ")")
			target, _, _ = strings.Cut(target, "#")
			if !ok || target == "" || strings.Contains(target, "://") || strings.ContainsAny(target, " \n") || strings.HasPrefix(target, "mailto:") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(name), filepath.FromSlash(target))); err != nil {
				t.Errorf("%s links to %s, which is not there", name, target)
			}
		}
	}
}
