package verify_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"kilter/internal/dialect"
	"kilter/internal/enginetest"
	"kilter/internal/report"
	"kilter/internal/verify"
)

func faultNamed(t *testing.T, name string) enginetest.Fault {
	t.Helper()
	for _, f := range enginetest.Faults() {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("no fault %s", name)
	return enginetest.Fault{}
}

// TestIncident gives kilter the two answers of the incident that made it: each
// must be told from the first two requests and 16 generated tokens.
func TestIncident(t *testing.T) {
	for name, says := range map[string][]string{
		"incident-1": {"token 0", "arg-max of a NaN row", `"!!!!`},
		"incident-2": {"NaN happened", "token id outside the vocabulary"},
	} {
		t.Run(name, func(t *testing.T) {
			fault := faultNamed(t, name)
			b := start(t, enginetest.SGLang, fault.Size, fault.Apply, dialect.Options{})
			rec, rep := b.run(t.Context(), verify.Smoke, nil)
			if rep.Verdict != verify.Wrong || rep.Cause != fault.Expect || !rep.Certain {
				t.Errorf("%s by %s, certain %t\n%s", rep.Verdict, rep.Cause, rep.Certain, explain(rep))
			}
			if b.front.Calls() > 2 || rec.Cost.Generations > 2 || rec.Cost.OutputTokens > 16 {
				t.Errorf("took %d requests (%+v)", b.front.Calls(), rec.Cost)
			}
			if !strings.HasPrefix(rec.Stopped, "nothing more could change the verdict") {
				t.Errorf("stopped %q", rec.Stopped)
			}
			var text bytes.Buffer
			if err := report.Write(&text, rep, report.Options{Format: "text"}); err != nil {
				t.Fatal(err)
			}
			flat := strings.Join(strings.Fields(text.String()), " ")
			for _, want := range says {
				if !strings.Contains(flat, want) {
					t.Errorf("the report does not say %q:\n%s", want, text.String())
				}
			}
			t.Log(text.String())
		})
	}
	// The two are told apart: the first says nothing of the marker, the second
	// nothing of token 0.
	first := faultNamed(t, "incident-1")
	b := start(t, enginetest.SGLang, first.Size, first.Apply, dialect.Options{})
	_, rep := b.run(t.Context(), verify.Smoke, nil)
	if res, _ := rep.Result("text.nan_marker"); res.Status != verify.Pass {
		t.Errorf("text.nan_marker is %s: %s", res.Status, res.Says)
	}
}

func TestUnreachable(t *testing.T) {
	_, err := dialect.Connect(t.Context(), dialect.Options{URL: "http://127.0.0.1:1"})
	var ce *dialect.ConnectError
	if !errors.As(err, &ce) {
		t.Fatalf("%v", err)
	}
	know, err := knowledge()
	if err != nil {
		t.Fatal(err)
	}
	rec := &verify.Record{Schema: verify.RecordSchema, ConnectFail: &dialect.Failure{Kind: ce.Kind, Message: ce.Message}}
	rep := verify.Judge(rec, verify.Selection{}, verify.Checks(), know)
	if rep.Verdict != verify.VerdictInconclusive || rep.Cause != "alive.reachable" {
		t.Errorf("%s", explain(rep))
	}
}

// A fakeReference scores by the upstream itself, and moves every wrong-th
// choice to another token.
type fakeReference struct {
	tape  *enginetest.Cassette
	wrong int
}

func (fakeReference) Name() string { return "fake reference" }

func (r fakeReference) Score(ctx context.Context, seqs [][]int) ([][]verify.Position, error) {
	var out [][]verify.Position
	for _, tokens := range seqs {
		steps, err := r.tape.Scores(ctx, tokens)
		if err != nil {
			return nil, err
		}
		seq := []verify.Position{{}}
		for i, s := range steps {
			p := verify.Position{Logprob: s.LP, ArgMax: s.Top[0].ID, Margin: s.Top[0].LP - s.Top[1].LP}
			if r.wrong > 0 && i%r.wrong == 0 {
				p.ArgMax = s.Top[1].ID
			}
			seq = append(seq, p)
		}
		out = append(out, seq)
	}
	return out, nil
}

func TestReferenceBesideFronts(t *testing.T) {
	tape, err := upstream()
	if err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		name    string
		wrong   int
		status  verify.Status
		verdict verify.Word
	}{
		{"agrees", 0, verify.Pass, verify.Consistent},
		{"disagrees", 2, verify.Fail, verify.Wrong},
	} {
		for _, d := range []enginetest.Dialect{enginetest.SGLang, enginetest.VLLM} {
			t.Run(tc.name+"/"+string(d), func(t *testing.T) {
				b := start(t, d, enginetest.Small, nil, dialect.Options{})
				_, rep := b.run(t.Context(), verify.Standard, func(o *verify.Options) { o.Reference = fakeReference{tape, tc.wrong} })
				res, _ := rep.Result("reference.agreement")
				if res.Status != tc.status || rep.Verdict != tc.verdict {
					t.Errorf("%s: %s; verdict %s (%s)", res.Status, res.Says, rep.Verdict, rep.Reason)
				}
				if tc.wrong > 0 && rep.Cause != "reference.agreement" {
					t.Errorf("the cause is %s", rep.Cause)
				}
			})
		}
	}
}

// TestAgainst compares two Fronts: by scores where both have them, else by
// sampled text.
func TestAgainstOfFronts(t *testing.T) {
	other := func(f *enginetest.Front) {
		f.Hooks.Scores = func(steps []enginetest.Step) {
			for i := range steps {
				steps[i].LP *= 1.4
				for k := range steps[i].Top {
					steps[i].Top[k].LP *= 1.4
				}
			}
		}
	}
	constant := faultNamed(t, "constant").Apply
	for _, tc := range []struct {
		name   string
		a, b   enginetest.Dialect
		apply  func(*enginetest.Front)
		check  string
		status verify.Status
		says   string
	}{
		{"same", enginetest.SGLang, enginetest.SGLang, nil, "compare.scores", verify.Pass, "same: "},
		{"same on two engines", enginetest.LlamaCPP, enginetest.VLLM, nil, "compare.scores", verify.Pass, "same: "},
		{"other weights", enginetest.SGLang, enginetest.VLLM, other, "compare.scores", verify.Fail, "different: "},
		{"other weights in steps", enginetest.LlamaCPP, enginetest.LlamaCPP, other, "compare.scores", verify.Fail, "different: "},
		{"same without scores", enginetest.OpenAI, enginetest.OpenAI, nil, "compare.samples", verify.Inconclusive, "no difference"},
		{"other text", enginetest.OpenAI, enginetest.Ollama, constant, "compare.samples", verify.Fail, "different: "},
	} {
		t.Run(tc.name, func(t *testing.T) {
			a := start(t, tc.a, enginetest.Small, nil, dialect.Options{})
			b := start(t, tc.b, enginetest.Small, tc.apply, dialect.Options{})
			_, rep := a.run(t.Context(), verify.Smoke, func(o *verify.Options) {
				o.Against, o.Selection = b.client, verify.Selection{Only: []string{"compare.*", "alive.*"}}
			})
			res, _ := rep.Result(tc.check)
			if res.Status != tc.status || !strings.HasPrefix(res.Says, tc.says) {
				t.Errorf("%s: %s", res.Status, res.Says)
			}
			if got := serious(rep); len(got) > 0 {
				t.Errorf("a comparison weighs: %v", got)
			}
		})
	}
}
