package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReflow(t *testing.T) {
	page := `# text.x

Words that go on and on, and
on the next line too.
- an item that is longer than the
  width is
- a second one

` + "```\n$ a command that is longer than the width\n```" + `
| a table | that is longer than the width |
    code that is longer than the width
1. numbered items are longer too, see`
	want := `# text.x

Words that go on and on, and
on the next line too.
- an item that is longer than
  the width is
- a second one

` + "```\n$ a command that is longer than the width\n```" + `
| a table | that is longer than the width |
    code that is longer than the width
1. numbered items are longer
   too, see`
	if diff := cmp.Diff(want, strings.Join(reflow(page, 29), "\n")); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(page, strings.Join(reflow(page, 0), "\n")); diff == "" {
		t.Error("without a width, paragraphs are still joined")
	}
}
