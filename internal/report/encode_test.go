package report_test

import (
	"encoding/json"
	"encoding/xml"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/common/expfmt"
	"github.com/prometheus/common/model"

	"kilter/internal/report"
	"kilter/internal/verify"
)

func encode(t testing.TB, format string, rep *verify.Report) string {
	t.Helper()
	var b strings.Builder
	if err := report.Write(&b, rep, report.Options{Format: format}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestJSONGolden(t *testing.T) {
	golden(t, "token_zero.json", encode(t, "json", tokenZero()))
}

func TestJSONIsTheReport(t *testing.T) {
	for _, s := range shapes() {
		doc := plainJSON(t, []byte(encode(t, "json", s.rep))).(map[string]any)
		if doc["schema"] != "kilter.verdict/v1" || doc["verdict"] != string(s.rep.Verdict) {
			t.Errorf("%s: schema %v, verdict %v", s.name, doc["schema"], doc["verdict"])
		}
		if got := len(doc["results"].([]any)); got != len(s.rep.Results) {
			t.Errorf("%s: %d results, want %d", s.name, got, len(s.rep.Results))
		}
	}
}

// Whatever a check measured, there is a report; and encoding changes none.
func TestJSONLeavesOutWhatIsNoNumber(t *testing.T) {
	rep := hostile(nasty)
	doc := plainJSON(t, []byte(encode(t, "json", rep))).(map[string]any)
	for _, res := range doc["results"].([]any) {
		if numbers, ok := res.(map[string]any)["numbers"].(map[string]any); ok {
			if diff := cmp.Diff(map[string]any{"one": 1.0}, numbers); diff != "" {
				t.Errorf("numbers (-want +got):\n%s", diff)
			}
		}
	}
	if len(rep.Speed.TTFT) != 2 {
		t.Error("the report itself was changed")
	}
	printable(t, encode(t, "json", rep))
	// What was escaped for the terminal is the same value for a reader.
	b, err := json.Marshal(nasty)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := doc["server"].(map[string]any)["model"], plainJSON(t, b); got != want {
		t.Errorf("model = %q, want %q", got, want)
	}
}

// junit is what a CI system reads.
type junit struct {
	Tests    int `xml:"tests,attr"`
	Failures int `xml:"failures,attr"`
	Skipped  int `xml:"skipped,attr"`
	Suites   []struct {
		Name     string `xml:"name,attr"`
		Tests    int    `xml:"tests,attr"`
		Failures int    `xml:"failures,attr"`
		Cases    []struct {
			Name    string `xml:"name,attr"`
			Failure *struct {
				Message string `xml:"message,attr"`
				Type    string `xml:"type,attr"`
				Text    string `xml:",chardata"`
			} `xml:"failure"`
			Skipped *struct {
				Message string `xml:"message,attr"`
			} `xml:"skipped"`
			Error *struct {
				Message string `xml:"message,attr"`
			} `xml:"error"`
			Out string `xml:"system-out"`
		} `xml:"testcase"`
	} `xml:"testsuite"`
}

func TestJUnit(t *testing.T) {
	golden(t, "degraded.xml", encode(t, "junit", degraded()))
	all := append(shapes(), shape{"hostile", hostile(nasty)})
	for _, s := range all {
		out := encode(t, "junit", s.rep)
		var doc junit
		dec := xml.NewDecoder(strings.NewReader(out))
		dec.Strict = true
		if err := dec.Decode(&doc); err != nil {
			t.Fatalf("%s: %v\n%s", s.name, err, out)
		}
		seen := 0
		for _, suite := range doc.Suites {
			for _, c := range suite.Cases {
				seen++
				if suite.Name == "verdict" {
					// An inconclusive run must not look green.
					bad := s.rep.Verdict == verify.Wrong || s.rep.Verdict == verify.Degraded
					open := s.rep.Verdict == verify.VerdictInconclusive
					if (c.Failure != nil) != bad || (c.Error != nil) != open {
						t.Errorf("%s: the verdict %s came out as %+v", s.name, s.rep.Verdict, c)
					}
					continue
				}
				res, ok := s.rep.Result(c.Name)
				if !ok {
					t.Fatalf("%s: no check %q", s.name, c.Name)
				}
				if !strings.HasPrefix(c.Name, suite.Name+".") {
					t.Errorf("%s: %s is in suite %s", s.name, c.Name, suite.Name)
				}
				wantFail := res.Status == verify.Fail && res.Effect >= verify.Degrades
				wantSkip := res.Status == verify.Inconclusive || res.Status == verify.Skipped
				wantOut := res.Status == verify.Warn || res.Status == verify.Fail && res.Effect == verify.Note
				if (c.Failure != nil) != wantFail || (c.Skipped != nil) != wantSkip || (c.Out != "") != wantOut {
					t.Errorf("%s: %s is %s (%s) and came out as %+v", s.name, c.Name, res.Status, res.Effect, c)
				}
				if c.Skipped != nil && !strings.HasPrefix(c.Skipped.Message, string(res.Status)+": ") {
					t.Errorf("%s: %s: message %q", s.name, c.Name, c.Skipped.Message)
				}
			}
		}
		if seen != len(s.rep.Results)+1 || doc.Tests != seen {
			t.Errorf("%s: %d cases, tests=%d, want %d", s.name, seen, doc.Tests, len(s.rep.Results)+1)
		}
		if want := s.rep.Counts[verify.Inconclusive] + s.rep.Counts[verify.Skipped]; doc.Skipped != want {
			t.Errorf("%s: skipped=%d, want %d", s.name, doc.Skipped, want)
		}
	}
}

func TestPrometheus(t *testing.T) {
	golden(t, "baseline.prom", encode(t, "prometheus", baseline()))
	all := append(shapes(), shape{"hostile", hostile(nasty)}, shape{"empty", &verify.Report{}})
	for _, s := range all {
		out := encode(t, "prometheus", s.rep)
		parser := expfmt.NewTextParser(model.LegacyValidation)
		families, err := parser.TextToMetricFamilies(strings.NewReader(out))
		if err != nil {
			t.Fatalf("%s: %v\n%s", s.name, err, out)
		}
		label := func(family, name, value string) (found float64, ok bool) {
			for _, m := range families[family].GetMetric() {
				for _, l := range m.GetLabel() {
					if l.GetName() == name && l.GetValue() == value {
						return m.GetGauge().GetValue(), true
					}
				}
			}
			return 0, false
		}
		for _, word := range []verify.Word{verify.Proven, verify.Consistent, verify.Degraded, verify.Wrong, verify.VerdictInconclusive} {
			want := 0.0
			if word == s.rep.Verdict {
				want = 1
			}
			if got, ok := label("kilter_verify_verdict", "verdict", string(word)); !ok || got != want {
				t.Errorf("%s: verdict %s = %v, want %v", s.name, word, got, want)
			}
		}
		for _, res := range s.rep.Results {
			if got, _ := label("kilter_verify_check_status", "check", res.Check); got != 1 {
				t.Errorf("%s: no status of %s", s.name, res.Check)
			}
		}
		for status, n := range s.rep.Counts {
			if got, _ := label("kilter_verify_checks", "status", string(status)); got != float64(n) {
				t.Errorf("%s: %v %s, want %d", s.name, got, status, n)
			}
		}
	}
}

// A label's value survives the format's own escapes.
func TestPrometheusLabels(t *testing.T) {
	rep := healthy()
	rep.Server.Model = `a"b\c{}` + "\n,="
	parser := expfmt.NewTextParser(model.LegacyValidation)
	families, err := parser.TextToMetricFamilies(strings.NewReader(encode(t, "prometheus", rep)))
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range families["kilter_verify_info"].GetMetric()[0].GetLabel() {
		if l.GetName() == "model" && l.GetValue() != `a"b\c{}\n,=` {
			t.Errorf("model = %q", l.GetValue())
		}
	}
}
