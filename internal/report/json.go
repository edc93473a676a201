package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"unicode"
	"unicode/utf8"

	"kilter/internal/verify"
)

// writeJSON writes the report itself, indented: schema kilter.verdict/v1.
func writeJSON(w io.Writer, rep *verify.Report, _ Options) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(withoutNonFinite(rep)); err != nil {
		return fmt.Errorf("the report as JSON: %w", err)
	}
	_, err := w.Write(escapeUnprintable(b.Bytes()))
	return err
}

// escapeUnprintable writes what encoding/json leaves as it is but a terminal
// obeys (DEL, the C1 controls, bidirectional overrides) as \u escapes. Outside
// of strings JSON has no such characters, so this changes no value.
func escapeUnprintable(doc []byte) []byte {
	clean := true
	for _, c := range doc {
		if c >= 0x7F {
			clean = false
			break
		}
	}
	if clean {
		return doc
	}
	out := make([]byte, 0, len(doc)+64)
	for len(doc) > 0 {
		r, size := utf8.DecodeRune(doc)
		switch {
		case r < 0x7F || unicode.IsPrint(r):
			out = append(out, doc[:size]...)
		case r > 0xFFFF:
			hi, lo := (r-0x10000)>>10+0xD800, (r-0x10000)&0x3FF+0xDC00
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		doc = doc[size:]
	}
	return out
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// withoutNonFinite returns rep, or a copy that leaves out what JSON has no
// numbers for: a report must be written whatever a check measured.
func withoutNonFinite(rep *verify.Report) *verify.Report {
	c := *rep
	c.Results = make([]verify.Result, len(rep.Results))
	for i, res := range rep.Results {
		for _, v := range res.Numbers {
			if !finite(v) {
				res.Numbers = onlyFinite(res.Numbers)
				break
			}
		}
		c.Results[i] = res
	}
	c.Speed.TTFT = finiteOf(rep.Speed.TTFT)
	c.Speed.Decode = finiteOf(rep.Speed.Decode)
	if rep.Baseline != nil {
		b := *rep.Baseline
		b.TTFT, b.Decode = finiteChange(b.TTFT), finiteChange(b.Decode)
		c.Baseline = &b
	}
	// An empty list is [], so that a reader may walk it.
	if c.Results == nil {
		c.Results = []verify.Result{}
	}
	if c.Envelope.Axes == nil {
		c.Envelope.Axes = []verify.Axis{}
	}
	if c.Counts == nil {
		c.Counts = map[verify.Status]int{}
	}
	return &c
}

func onlyFinite(in map[string]float64) map[string]float64 {
	out := map[string]float64{}
	for k, v := range in {
		if finite(v) {
			out[k] = v
		}
	}
	return out
}

func finiteOf(in []float64) []float64 {
	var out []float64
	for _, v := range in {
		if finite(v) {
			out = append(out, v)
		}
	}
	return out
}

// finiteChange drops a comparison that holds a number that is none.
func finiteChange(c *verify.SpeedChange) *verify.SpeedChange {
	if c == nil {
		return nil
	}
	for _, v := range []float64{c.Was, c.Is, c.Ratio, c.Low, c.High} {
		if !finite(v) {
			return nil
		}
	}
	return c
}
