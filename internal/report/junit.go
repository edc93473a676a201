package report

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"kilter/internal/verify"
)

// The JUnit XML that CI systems read (the Ant task's format, as Jenkins and
// GitLab document it).
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Name     string       `xml:"name,attr"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Errors   int          `xml:"errors,attr"`
		Skipped  int          `xml:"skipped,attr"`
		Time     string       `xml:"time,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name       string          `xml:"name,attr"`
		Tests      int             `xml:"tests,attr"`
		Failures   int             `xml:"failures,attr"`
		Errors     int             `xml:"errors,attr"`
		Skipped    int             `xml:"skipped,attr"`
		Timestamp  string          `xml:"timestamp,attr,omitempty"`
		Properties []junitProperty `xml:"properties>property"`
		Cases      []junitCase     `xml:"testcase"`
	}
	junitProperty struct {
		Name  string `xml:"name,attr"`
		Value string `xml:"value,attr"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitMessage `xml:"failure"`
		Error   *junitMessage `xml:"error"`
		Skipped *junitMessage `xml:"skipped"`
		Out     string        `xml:"system-out,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

// writeJUnit writes a suite for the verdict, one for each group and one case for each check. A
// note or a warning changes no verdict, so its case passes and says what it
// found in system-out; an inconclusive check is skipped, which is no pass.
func writeJUnit(w io.Writer, rep *verify.Report, _ Options) error {
	doc := junitSuites{Name: "kilter verify"}
	if took := rep.Ended.Sub(rep.Started); took > 0 {
		doc.Time = fmt.Sprintf("%.3f", took.Seconds())
	} else {
		doc.Time = "0"
	}
	verdict := verdictSuite(rep)
	doc.Suites = append(doc.Suites, verdict)
	doc.Tests, doc.Failures, doc.Errors = 1, verdict.Failures, verdict.Errors
	for _, g := range groupsOf(rep) {
		suite := junitSuite{Name: g.name, Tests: len(g.results), Properties: properties(rep)}
		if !rep.Started.IsZero() {
			suite.Timestamp = rep.Started.UTC().Format("2006-01-02T15:04:05")
		}
		for _, res := range g.results {
			c := caseOf(res)
			if c.Failure != nil {
				suite.Failures++
			}
			if c.Skipped != nil {
				suite.Skipped++
			}
			suite.Cases = append(suite.Cases, c)
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

// verdictSuite is the verdict as a test of its own: without it a run in which
// nothing could be judged would be all skipped, which CI systems show as green.
func verdictSuite(rep *verify.Report) junitSuite {
	c := junitCase{Class: "kilter", Name: "verdict"}
	suite := junitSuite{Name: "verdict", Tests: 1, Properties: properties(rep)}
	says := &junitMessage{Message: safe(string(rep.Verdict) + ": " + rep.Reason), Type: string(rep.Verdict)}
	switch rep.Verdict {
	case verify.Proven, verify.Consistent:
		c.Out = says.Message
	case verify.VerdictInconclusive:
		c.Error, suite.Errors = says, 1
	default:
		c.Failure, suite.Failures = says, 1
	}
	suite.Cases = []junitCase{c}
	return suite
}

// properties say what was judged, since a suite alone does not.
func properties(rep *verify.Report) []junitProperty {
	all := []junitProperty{
		{"verdict", string(rep.Verdict)},
		{"reason", rep.Reason},
		{"cause", rep.Cause},
		{"url", rep.Server.URL},
		{"engine", string(rep.Server.Engine)},
		{"version", rep.Server.Version},
		{"model", rep.Server.Model},
		{"level", rep.Level.String()},
		{"run", rep.Run},
	}
	var out []junitProperty
	for _, p := range all {
		if p.Value != "" {
			out = append(out, junitProperty{p.Name, safe(p.Value)})
		}
	}
	return out
}

// caseOf turns one result into a test case. XML forbids most control
// characters even when escaped, so every string is spelled out by safe.
func caseOf(res verify.Result) junitCase {
	c := junitCase{Class: "kilter." + res.Check, Name: res.Check}
	if i := strings.LastIndexByte(res.Check, '.'); i >= 0 {
		c.Class = "kilter." + res.Check[:i]
	}
	says := safe(res.Says)
	switch res.Status {
	case verify.Fail:
		if res.Effect < verify.Degrades {
			c.Out = "note: " + says + "\n" + detail(res)
			break
		}
		if res.Because != "" {
			says = "consequence of " + res.Because + ": " + says
		}
		c.Failure = &junitMessage{Message: says, Type: res.Effect.String(), Text: detail(res)}
	case verify.Warn:
		c.Out = "warning: " + says + "\n" + detail(res)
	case verify.Inconclusive, verify.Skipped:
		c.Skipped = &junitMessage{Message: string(res.Status) + ": " + says}
	}
	return c
}

// detail is the question and the evidence, a line each.
func detail(res verify.Result) string {
	lines := []string{safe(res.Question)}
	for _, x := range res.Exhibits {
		lines = append(lines, fmt.Sprintf("%s / %s: %s", safe(x.Probe), safe(x.Shot), safe(x.Text)))
	}
	return strings.Join(lines, "\n") + "\n"
}
