package cli

import (
	"regexp"
	"strings"
	"unicode/utf8"
)

// listItem matches the marker of a list's item with the spaces around it.
var listItem = regexp.MustCompile(`^\s*(?:[-*]|\d+\.)\s+`)

// reflow fits the prose of a page in Markdown to a width. Headings, tables and
// code keep their lines.
func reflow(page string, width int) []string {
	var out []string
	var para strings.Builder
	end := func() {
		if para.Len() == 0 {
			return
		}
		text := para.String()
		marker := listItem.FindString(text)
		n := utf8.RuneCountInString(marker)
		out = append(out, strings.Split(marker+wrap(text[len(marker):], width, n), "\n")...)
		para.Reset()
	}
	fenced := false
	for _, line := range strings.Split(page, "\n") {
		trimmed := strings.TrimSpace(line)
		fence := strings.HasPrefix(trimmed, "```")
		switch {
		case fenced || fence || trimmed == "" || trimmed[0] == '#' || trimmed[0] == '|',
			para.Len() == 0 && strings.HasPrefix(line, "    "):
			end()
			out = append(out, line)
			fenced = fenced != fence
		case listItem.MatchString(line):
			end()
			para.WriteString(strings.TrimRight(line, " "))
		case para.Len() > 0:
			para.WriteString(" " + trimmed)
		default:
			para.WriteString(trimmed)
		}
	}
	end()
	return out
}
