package report

import (
	"regexp"
	"strings"
)

// The headings of a check's docs page that text quotes. A test holds every
// page to them.
const (
	headingNotProven = "What a failure does not prove"
	headingToDo      = "What to do"
)

// A passage is what text takes from a section of a page: its first paragraph,
// and the commands that follow it at once.
type passage struct {
	prose    string
	commands []string
}

// section returns the passage under a heading of level two; empty when there is
// none.
func section(markdown, heading string) passage {
	var out passage
	var prose []string
	inside, fenced := false, false
	for _, line := range strings.Split(markdown, "\n") {
		line = strings.TrimRight(line, " \r")
		switch {
		case !inside:
			inside = strings.EqualFold(line, "## "+heading)
		case fenced && strings.HasPrefix(line, "```"):
			return finish(out, prose)
		case fenced:
			if cmd := strings.TrimPrefix(strings.TrimSpace(line), "$ "); cmd != "" {
				out.commands = append(out.commands, cmd)
			}
		case strings.HasPrefix(line, "```"):
			fenced = true
		case strings.HasPrefix(line, "#"):
			return finish(out, prose)
		case line == "" && len(prose) > 0 && !strings.HasSuffix(prose[len(prose)-1], ":"):
			return finish(out, prose)
		case line == "":
			// Between the heading and the paragraph, or between "run this:" and
			// the commands.
		case len(prose) > 0 && strings.HasSuffix(prose[len(prose)-1], ":") && listItem.MatchString(line):
			// A list after "one of these:" is part of the paragraph's sense, but
			// too long here: explain shows it.
			return finish(out, prose)
		default:
			prose = append(prose, strings.TrimSpace(line))
		}
	}
	return finish(out, prose)
}

func finish(p passage, prose []string) passage {
	text := strings.Join(prose, " ")
	text = link.ReplaceAllString(text, "$1")
	text = strong.ReplaceAllString(text, "$1")
	p.prose = listItem.ReplaceAllString(text, "")
	return p
}

var (
	link     = regexp.MustCompile(`\[([^\]]+)\]\([^)]*\)`)
	strong   = regexp.MustCompile(`\*\*([^*]+)\*\*`)
	listItem = regexp.MustCompile(`^(?:[-*]|\d+\.) +`)
)
