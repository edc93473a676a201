package audit_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"kilter/internal/audit"
	"kilter/internal/checkpoint"
	"kilter/internal/model"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// run audits a path.
func run(t testing.TB, path string, opts audit.Options) *audit.Report {
	t.Helper()
	ctx := context.Background()
	c, err := checkpoint.Open(ctx, checkpoint.Local{}, path, checkpoint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Read(ctx, c)
	if err != nil {
		t.Fatal(err)
	}
	rep, err := audit.Run(ctx, m, opts)
	if err != nil {
		t.Fatal(err)
	}
	return rep
}

// told lists what was found, but for notes.
func told(rep *audit.Report) []string {
	var out []string
	for _, f := range rep.Findings {
		if f.Severity != audit.Note {
			out = append(out, string(f.Code))
		}
	}
	return out
}

func describe(rep *audit.Report) string {
	var b strings.Builder
	for _, f := range rep.Findings {
		fmt.Fprintf(&b, "%s %s (%d)\n", f.Severity, f.Code, f.Count)
		for i, p := range f.Places {
			if i < 4 {
				fmt.Fprintf(&b, "    %s [%d,%d) %s: %s\n", p.File, p.Begin, p.End, p.Tensor, p.Says)
			}
		}
	}
	fmt.Fprintf(&b, "not covered: %s\n", strings.Join(rep.NotCovered, "; "))
	return b.String()
}

func TestCleanFamiliesRaiseNoAlarm(t *testing.T) {
	for name, make := range families() {
		t.Run(name, func(t *testing.T) {
			rep := run(t, make().write(t), audit.Options{})
			if rep.Verdict != audit.Sound || len(told(rep)) > 0 {
				t.Errorf("%s\n%s", rep.Verdict, describe(rep))
			}
		})
	}
}

// Real files, where the engines' set-up has put them.
func TestRealModelsRaiseNoAlarm(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip(err)
	}
	models := filepath.Join(home, ".cache/kilter/engines/models")
	entries, _ := os.ReadDir(models)
	if len(entries) == 0 {
		t.Skipf("needs real models in %s, which the real engines' set-up makes (see test/engine)", models)
	}
	for _, e := range entries {
		t.Run(e.Name(), func(t *testing.T) {
			rep := run(t, filepath.Join(models, e.Name()), audit.Options{})
			if rep.Verdict != audit.Sound {
				t.Errorf("%s\n%s", rep.Verdict, describe(rep))
			}
		})
	}
}

// What the model package's tests have of real writers.
func TestRecordedFamiliesRaiseNoAlarm(t *testing.T) {
	found, _ := filepath.Glob("../model/testdata/*/config.json")
	if len(found) == 0 {
		t.Skip("needs tiny checkpoints in internal/model/testdata, which its record.py makes")
	}
	for _, config := range found {
		dir := filepath.Dir(config)
		if weights, _ := filepath.Glob(dir + "/*.safetensors"); len(weights) == 0 {
			continue
		}
		t.Run(filepath.Base(dir), func(t *testing.T) {
			rep := run(t, dir, audit.Options{})
			if want := madeUp[filepath.Base(dir)]; !slices.Equal(told(rep), want) {
				t.Errorf("found %v, want %v\n%s", told(rep), want, describe(rep))
			}
		})
	}
}

// madeUp is what is true of tiny checkpoints whose script made a part up.
var madeUp = map[string][]string{
	"deepseek_v3_fp8": {"audit.constant_tensor", "audit.identical_layers"}, // its MTP layer is a copy of layer 1, and eh_proj ones
	"kimi_k25_int4":   {"audit.constant_tensor"},                           // its vision tower is ones
	"qwen3_nvfp4_ct":  {"audit.global_scale_mismatch"},                     // compressed module by module, without joining what servers fuse
}
