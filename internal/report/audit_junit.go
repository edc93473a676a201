package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"kilter/internal/audit"
)

// writeAuditJUnit writes one suite for each group and one case for each code
// that the group can find. A note's case passes and says what it found in
// system-out; the codes of a group that was not looked at are skipped, which is
// no pass.
func writeAuditJUnit(w io.Writer, rep *audit.Report, _ Options) error {
	doc := junitSuites{Name: "kilter audit", Time: "0"}
	if took := rep.Ended.Sub(rep.Started); took > 0 {
		doc.Time = fmt.Sprintf("%.3f", took.Seconds())
	}
	found := map[audit.Code]*audit.Finding{}
	for i := range rep.Findings {
		found[rep.Findings[i].Code] = &rep.Findings[i]
	}
	skipped := map[audit.Group]string{}
	for _, c := range rep.Checked {
		if c.Skipped != "" {
			skipped[c.Group] = c.Skipped
		}
	}
	for _, g := range audit.Groups() {
		suite := junitSuite{Name: string(g), Properties: auditProperties(rep)}
		if !rep.Started.IsZero() {
			suite.Timestamp = rep.Started.UTC().Format("2006-01-02T15:04:05")
		}
		for _, d := range audit.Declarations() {
			if d.Group != g {
				continue
			}
			c := junitCase{Class: "kilter.audit." + string(g), Name: string(d.Code)}
			switch f := found[d.Code]; {
			case f == nil && rep.Stopped != "":
				c.Skipped = &junitMessage{Message: "skipped: " + safe(rep.Stopped)}
			case f == nil && skipped[g] != "":
				c.Skipped = &junitMessage{Message: "skipped: " + safe(skipped[g])}
			case f == nil:
			case f.Severity == audit.Note:
				c.Out = "note: " + safe(f.Says) + "\n" + auditDetail(f)
			case f.Severity == audit.Unread:
				c.Skipped = &junitMessage{Message: "inconclusive: " + safe(f.Says)}
			default:
				c.Failure = &junitMessage{Message: safe(f.Says), Type: string(f.Severity), Text: auditDetail(f)}
			}
			suite.add(c)
		}
		doc.Suites = append(doc.Suites, suite)
		doc.Tests += suite.Tests
		doc.Failures += suite.Failures
		doc.Skipped += suite.Skipped
	}
	b, err := xml.MarshalIndent(doc, "", "  ")
	if err != nil {
		return fmt.Errorf("the report as JUnit XML: %w", err)
	}
	_, err = io.WriteString(w, xml.Header+string(b)+"\n")
	return err
}

// add counts and keeps a case.
func (s *junitSuite) add(c junitCase) {
	s.Tests++
	if c.Failure != nil {
		s.Failures++
	}
	if c.Skipped != nil {
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

func auditProperties(rep *audit.Report) []junitProperty {
	var out []junitProperty
	for _, p := range []junitProperty{
		{"verdict", string(rep.Verdict)}, {"reason", rep.Reason}, {"cause", string(rep.Cause)},
		{"path", rep.Model.Path}, {"model", rep.Model.Name}, {"architecture", rep.Model.Architecture},
		{"format", rep.Model.Format}, {"revision", rep.Model.Revision},
	} {
		if p.Value != "" {
			out = append(out, junitProperty{p.Name, safe(p.Value)})
		}
	}
	return out
}

// auditDetail lists a finding's places, a line each.
func auditDetail(f *audit.Finding) string {
	lines := []string{safe(f.Title)}
	for _, p := range f.Places {
		lines = append(lines, safe(strings.Join(nonEmpty(p.File, bytesAt(p), p.Tensor, p.Says), ": ")))
	}
	if more := f.Count - len(f.Places); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n") + "\n"
}
