package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"kilter/internal/audit"
)

// auditEncodings are the formats of an audit's report:
//
//	text   for a person; docs say that it may change between releases
//	json   the report itself, schema kilter.audit/v1 (docs/schema)
//	junit  for CI: a test suite for each group, a test case for each code
//	sarif  for code scanning: SARIF 2.1.0, a result for each place
func auditEncodings() []auditEncoding {
	return []auditEncoding{
		{"text", writeAuditText},
		{"json", writeAuditJSON},
		{"junit", writeAuditJUnit},
		{"sarif", writeSARIF},
	}
}

type auditEncoding struct {
	name  string
	write func(io.Writer, *audit.Report, Options) error
}

// AuditFormats returns the names of all formats of an audit's report, the
// default first.
func AuditFormats() []string {
	var names []string
	for _, e := range auditEncodings() {
		names = append(names, e.name)
	}
	return names
}

// WriteAudit encodes an audit's report.
func WriteAudit(w io.Writer, rep *audit.Report, o Options) error {
	if o.Format == "" {
		o.Format = AuditFormats()[0]
	}
	for _, e := range auditEncodings() {
		if e.name == o.Format {
			return e.write(w, rep, o)
		}
	}
	return fmt.Errorf("output format %q: want %s", o.Format, strings.Join(AuditFormats(), ", "))
}

// writeAuditJSON writes the report itself, indented: schema kilter.audit/v1.
func writeAuditJSON(w io.Writer, rep *audit.Report, _ Options) error {
	c := *rep
	c.Findings = make([]audit.Finding, len(rep.Findings))
	for i, f := range rep.Findings {
		f.Places = append([]audit.Place{}, f.Places...)
		for j := range f.Places {
			f.Places[j].Numbers = finiteNumbers(f.Places[j].Numbers)
		}
		c.Findings[i] = f
	}
	// An empty list is [], so that a reader may walk it.
	if c.Files == nil {
		c.Files = []audit.File{}
	}
	if c.Checked == nil {
		c.Checked = []audit.Checked{}
	}
	if c.NotCovered == nil {
		c.NotCovered = []string{}
	}
	if c.Counts == nil {
		c.Counts = map[audit.Severity]int{}
	}
	return writeIndented(w, &c)
}

func finiteNumbers(in map[string]float64) map[string]float64 {
	for _, v := range in {
		if !finite(v) {
			return onlyFinite(in)
		}
	}
	return in
}

// writeIndented writes a document as JSON that no terminal acts upon.
func writeIndented(w io.Writer, doc any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return fmt.Errorf("the report as JSON: %w", err)
	}
	_, err := w.Write(escapeUnprintable(b.Bytes()))
	return err
}
