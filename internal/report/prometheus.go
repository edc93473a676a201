package report

import (
	"io"
	"strconv"
	"strings"
	"time"

	"kilter/internal/verify"
)

// writePrometheus writes the text exposition format, version 0.0.4, for a
// textfile collector or a push gateway:
// https://prometheus.io/docs/instrumenting/exposition_formats/
func writePrometheus(w io.Writer, rep *verify.Report, _ Options) error {
	m := &metrics{}
	srv := rep.Server

	m.family("kilter_verify_info", "What was judged; the value is always 1.")
	m.sample(1, "url", srv.URL, "engine", string(srv.Engine), "version", srv.Version, "model", srv.Model,
		"level", rep.Level.String(), "run", rep.Run, "kilter", rep.Kilter)

	m.family("kilter_verify_verdict", "1 for the verdict that was reached, 0 for the others.")
	for _, word := range []verify.Word{verify.Proven, verify.Consistent, verify.Degraded, verify.Wrong, verify.VerdictInconclusive} {
		m.sample(oneIf(word == rep.Verdict), "verdict", string(word))
	}

	m.family("kilter_verify_check_status", "1 for the status of each check; the other statuses are left out.")
	for _, res := range rep.Results {
		m.sample(1, "check", res.Check, "status", string(res.Status))
	}

	m.family("kilter_verify_checks", "Number of checks by status.")
	for _, status := range []verify.Status{verify.Pass, verify.Fail, verify.Warn, verify.Inconclusive, verify.Skipped} {
		m.sample(float64(rep.Counts[status]), "status", string(status))
	}

	if v, ok := median(rep.Speed.TTFT); ok {
		m.family("kilter_verify_time_to_first_token_seconds", "Median time to the first piece of text, one request at a time.")
		m.sample(v)
	}
	if v, ok := median(rep.Speed.Decode); ok {
		m.family("kilter_verify_decode_tokens_per_second", "Median rate after the first piece of text, one request at a time.")
		m.sample(v)
	}

	m.family("kilter_verify_requests", "HTTP requests that the run made.")
	m.sample(float64(rep.Cost.Requests))
	m.family("kilter_verify_generations", "Requests of the run that generated text.")
	m.sample(float64(rep.Cost.Generations))
	m.family("kilter_verify_tokens", "Tokens that the run took from the server.")
	m.sample(float64(rep.Cost.PromptTokens), "kind", "prompt")
	m.sample(float64(rep.Cost.OutputTokens), "kind", "output")
	m.family("kilter_verify_duration_seconds", "How long the run took.")
	m.sample(max(rep.Ended.Sub(rep.Started).Seconds(), 0))
	m.family("kilter_verify_timestamp_seconds", "When the run ended, in Unix time.")
	m.sample(unixSeconds(rep.Ended))

	_, err := io.WriteString(w, m.b.String())
	return err
}

// metrics writes families of gauges.
type metrics struct {
	b    strings.Builder
	name string
}

func (m *metrics) family(name, help string) {
	m.name = name
	m.b.WriteString("# HELP " + name + " " + help + "\n# TYPE " + name + " gauge\n")
}

// sample writes one value; labels are names and values in turn.
func (m *metrics) sample(v float64, labels ...string) {
	m.b.WriteString(m.name)
	for i := 0; i+1 < len(labels); i += 2 {
		m.b.WriteString([]string{"{", ","}[min(i, 1)])
		m.b.WriteString(labels[i] + `="` + escapeLabel(labels[i+1]) + `"`)
	}
	if len(labels) > 0 {
		m.b.WriteString("}")
	}
	m.b.WriteString(" " + strconv.FormatFloat(v, 'f', -1, 64) + "\n")
}

// escapeLabel makes a label's value: printable, with the three characters
// escaped that the format gives a meaning.
func escapeLabel(s string) string {
	return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(safe(s))
}

func oneIf(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func unixSeconds(t time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return float64(t.UnixMilli()) / 1000
}
