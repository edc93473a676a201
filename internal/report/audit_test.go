package report_test

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"kilter/internal/audit"
	"kilter/internal/report"
)

func finding(code audit.Code, count int, places ...audit.Place) audit.Finding {
	d, ok := audit.Lookup(string(code))
	if !ok {
		panic(code)
	}
	return audit.Finding{Declaration: d, Says: places[0].Says, Count: count, Places: places}
}

// audits are reports built by hand, one for each verdict and one that is hostile.
func audits() map[string]*audit.Report {
	base := func(v audit.Word, reason string, cause audit.Code, list ...audit.Finding) *audit.Report {
		r := &audit.Report{
			Schema: audit.ReportSchema, Verdict: v, Reason: reason, Cause: cause, Findings: list,
			Model: audit.Model{Path: "/models/Qwen3.5-397B-A17B-NVFP4", Root: "/models/Qwen3.5-397B-A17B-NVFP4", Name: "Qwen3.5-397B-A17B-NVFP4",
				Architecture: "Qwen3_5MoeForConditionalGeneration", Family: "qwen3_5_moe", Format: "safetensors", Layout: "folder", Tensors: 371_234, Bytes: 238_900_000_000},
			Files: []audit.File{{Name: "model-00001-of-00002.safetensors", Size: 119_450_000_000, Read: true, SHA256: strings.Repeat("ab", 32)},
				{Name: "model-00002-of-00002.safetensors", Size: 119_450_000_000, Read: true, SHA256: strings.Repeat("cd", 32)}},
			Checked: []audit.Checked{{Group: audit.Structure, Says: "2 headers of safetensors with 371,234 tensors"}, {Group: audit.Complete, Says: "371,200 tensors that qwen3_5_moe needs, and no other"},
				{Group: audit.Checksum, Skipped: "2 files hashed, and nothing to compare with"}, {Group: audit.Values, Says: "211 GB of 1,234 tensors"}, {Group: audit.Scales, Says: "26.5 GB of 370,000 tensors"},
				{Group: audit.Config, Skipped: "there is no config.json"}},
			NotCovered: []string{"whether the bytes of 2 files are those that were published: no hash to compare with (--checksums FILE gives one)"},
			Counts:     map[audit.Severity]int{}, ReadBytes: 238_900_000_000, ReadFor: 131 * time.Second, Started: start, Ended: start.Add(133 * time.Second),
		}
		for _, f := range list {
			r.Counts[f.Severity]++
		}
		return r
	}
	scale := audit.Place{File: "model-00002-of-00002.safetensors", Tensor: "model.language_model.layers.41.mlp.experts.377.down_proj.weight_scale", Begin: 88_123_456_789, End: 88_123_456_790,
		Says: "1 of 262,144 values is NaN; the first at [3812 41]", Numbers: map[string]float64{"values": 1, "of": 262144}}
	zero := audit.Place{File: "model-00001-of-00002.safetensors", Tensor: "model.language_model.layers.3.self_attn.q_proj.weight", Other: "lm_head.weight", Begin: 4096, End: 1_052_672,
		Says: "1,048,576 bytes from byte 4,096 on are zero, over 9 tensors up to lm_head.weight, to the file's end", Hint: "the file was allocated and not written to its end: finish the download"}
	pair := audit.Place{File: "model-00001-of-00002.safetensors", Tensor: "model.language_model.layers.9.mlp.experts.12.up_proj.weight_scale_2", Other: "model.language_model.layers.9.mlp.experts.12.gate_proj.weight_scale_2",
		Begin: 10, End: 14, Says: "it is 0.0003, and that of model.language_model.layers.9.mlp.experts.12.gate_proj.weight_scale_2, which servers fuse with it, is 9.3e-05"}
	note := audit.Place{File: "hf_quant_config.json", Says: "the configuration asks for an FP8 KV cache, so servers use one unless they are told otherwise; no scales for it are stored, so they take 1.0"}
	evil := audit.Place{File: "\x1b[2J", Tensor: "a\nb\u202e", Says: "\x1b]0;x\x07 " + strings.Repeat("long ", 400), Hint: "\x1b[31m", Begin: 1, End: math.MaxInt64, Numbers: map[string]float64{"nan": math.NaN(), "one": 1}}
	hostile := base(audit.WordBroken, "\x1b[31mred", audit.CodeNaNScale, finding(audit.CodeNaNScale, 1_000_000, evil, evil))
	hostile.Model.Name, hostile.Model.Path, hostile.Model.Architecture = nasty, nasty, nasty
	hostile.NotCovered = []string{nasty}
	stopped := base(audit.Inconclusive, "the audit was interrupted before all was read", "")
	stopped.Stopped = "interrupted"
	return map[string]*audit.Report{
		"sound":      base(audit.Sound, "nothing was found where it was looked", ""),
		"broken":     base(audit.WordBroken, "A block of zeros lies where weights should be", audit.CodeZeroBlock, finding(audit.CodeZeroBlock, 1, zero), finding(audit.CodeNaNScale, 3, scale, scale, scale), finding(audit.CodeGlobalScale, 15_360, pair), finding(audit.CodeKVForced, 1, note)),
		"suspicious": base(audit.WordSuspicious, "Modules that servers fuse have different global scales", audit.CodeGlobalScale, finding(audit.CodeGlobalScale, 15_360, pair, pair, pair, pair, pair)),
		"unread":     base(audit.Inconclusive, "A file cannot be read", audit.CodeUnreadable, finding(audit.CodeUnreadable, 1, audit.Place{File: "model-00002-of-00002.safetensors", Says: "read: input/output error"})),
		"stopped":    stopped,
		"hostile":    hostile,
	}
}

func encodeAudit(t *testing.T, rep *audit.Report, o report.Options) string {
	t.Helper()
	var b strings.Builder
	if err := report.WriteAudit(&b, rep, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestAuditTextGolden(t *testing.T) {
	for name, rep := range audits() {
		for _, width := range []int{80, 120} {
			out := encodeAudit(t, rep, report.Options{Width: width, Page: pages(t)})
			printable(t, out)
			golden(t, fmt.Sprintf("audit/%s-%d.txt", name, width), out)
		}
		verbose := encodeAudit(t, rep, report.Options{Width: 80, Verbose: true, Page: pages(t)})
		printable(t, verbose)
		golden(t, fmt.Sprintf("audit/%s-verbose.txt", name), verbose)
	}
}

func TestAuditJSON(t *testing.T) {
	for name, rep := range audits() {
		out := encodeAudit(t, rep, report.Options{Format: "json"})
		printable(t, out)
		var doc audit.Report
		if err := json.Unmarshal([]byte(out), &doc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if doc.Schema != audit.ReportSchema || doc.Verdict != rep.Verdict || len(doc.Findings) != len(rep.Findings) {
			t.Errorf("%s: %+v", name, doc)
		}
		if name == "hostile" {
			if n := doc.Findings[0].Places[0].Numbers; len(n) != 1 || n["one"] != 1 {
				t.Errorf("%s: numbers %v", name, n)
			}
		}
	}
}

// Each code is a case, and fails where it was found and weighs.
func TestAuditJUnit(t *testing.T) {
	for name, rep := range audits() {
		out := encodeAudit(t, rep, report.Options{Format: "junit"})
		var doc junit
		if err := xml.Unmarshal([]byte(out), &doc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if doc.Tests != len(audit.Declarations()) || doc.Failures != rep.Counts[audit.Broken]+rep.Counts[audit.Suspicious] {
			t.Errorf("%s: %d tests, %d failures", name, doc.Tests, doc.Failures)
		}
		for _, s := range doc.Suites {
			for _, c := range s.Cases {
				if s.Name == "config" && name == "sound" && c.Skipped == nil {
					t.Errorf("%s is no pass: its group was not looked at", c.Name)
				}
			}
		}
	}
}

// The parts of SARIF that code scanning needs.
func TestSARIF(t *testing.T) {
	for name, rep := range audits() {
		out := encodeAudit(t, rep, report.Options{Format: "sarif", Page: pages(t)})
		printable(t, out)
		var doc struct {
			Version string
			Runs    []struct {
				Tool struct {
					Driver struct {
						Rules []struct{ ID string }
					}
				}
				Results []struct {
					RuleID    string
					RuleIndex int
					Level     string
					Message   struct{ Text string }
					Locations []struct {
						PhysicalLocation *struct {
							ArtifactLocation struct{ URI string }
							Region           *struct{ ByteOffset, ByteLength int64 }
						}
					}
				}
			}
		}
		if err := json.Unmarshal([]byte(out), &doc); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		run := doc.Runs[0]
		n := 0
		for _, f := range rep.Findings {
			n += len(f.Places)
		}
		if doc.Version != "2.1.0" || len(run.Results) != n {
			t.Errorf("%s: version %q, %d results, want %d", name, doc.Version, len(run.Results), n)
		}
		for _, r := range run.Results {
			if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || r.Message.Text == "" || r.Level == "" {
				t.Errorf("%s: %+v", name, r)
			}
			for _, l := range r.Locations {
				if p := l.PhysicalLocation; p != nil && (p.ArtifactLocation.URI == "" || p.Region != nil && p.Region.ByteLength <= 0) {
					t.Errorf("%s: %+v", name, *p)
				}
			}
		}
	}
}
