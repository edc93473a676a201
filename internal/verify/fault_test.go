package verify_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"kilter/internal/catalog"
	"kilter/internal/dialect"
	"kilter/internal/enginetest"
	"kilter/internal/verify"
)

// upstream is the recorded cassette, or a live server's.
var upstream = sync.OnceValues(func() (*enginetest.Cassette, error) {
	url := os.Getenv(liveServer)
	if url == "" {
		return enginetest.Recorded()
	}
	tape := enginetest.Live(url)
	know, err := knowledge()
	if err != nil {
		return nil, err
	}
	// llama.cpp's scores step by step are the beginning of these.
	return tape, tape.WarmScores(context.Background(), know.PlainText)
})

// liveServer names the variable with the URL of a real llama.cpp server.
const liveServer = "KILTER_TEST_LLAMACPP"

var knowledge = sync.OnceValues(catalog.LoadVerify)

// A bench is one Front with a client before it.
type bench struct {
	front  *enginetest.Front
	client *dialect.Client
	know   *catalog.Verify
}

// start serves a Front until the test ends. The double itself must not fail.
func start(t *testing.T, d enginetest.Dialect, size enginetest.Size, apply func(*enginetest.Front), o dialect.Options) *bench {
	t.Helper()
	tape, err := upstream()
	if err != nil {
		t.Fatal(err)
	}
	know, err := knowledge()
	if err != nil {
		t.Fatal(err)
	}
	front := &enginetest.Front{Dialect: d, Upstream: tape, Size: size}
	if apply != nil {
		apply(front)
	}
	srv := httptest.NewServer(front)
	o.URL = srv.URL
	if o.Timeout == 0 {
		o.Timeout = 5 * time.Minute
	}
	o.Limits.KeepBody = 8 << 10 // redacting more costs most of the time
	client, err := dialect.Connect(t.Context(), o)
	if err != nil {
		srv.Close()
		t.Fatal(err)
	}
	t.Cleanup(func() {
		client.Close()
		srv.Close()
		for _, err := range front.Errs() {
			t.Errorf("the double failed: %v", err)
		}
	})
	return &bench{front, client, know}
}

func (b *bench) run(ctx context.Context, level verify.Level, change func(*verify.Options)) (*verify.Record, *verify.Report) {
	o := verify.Options{ID: "test", Kilter: "test", Level: level, Checks: verify.Checks(), Know: b.know}
	if change != nil {
		change(&o)
	}
	rec := verify.Run(ctx, b.client, o)
	return rec, verify.Judge(rec, o.Selection, o.Checks, o.Know)
}

func levelOf(t *testing.T, s string) verify.Level {
	t.Helper()
	l, err := verify.ParseLevel(s)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// serious are the unhidden failures that change a verdict.
func serious(rep *verify.Report) []string {
	var ids []string
	for _, res := range rep.Failures() {
		if res.Effect >= verify.Degrades {
			ids = append(ids, res.Check)
		}
	}
	slices.Sort(ids)
	return ids
}

// explain prints what a report holds against the server.
func explain(rep *verify.Report) string {
	var b strings.Builder
	fmt.Fprintf(&b, "verdict %s (%s): %s; stopped %q\n", rep.Verdict, rep.Cause, rep.Reason, rep.Stopped)
	for _, res := range rep.Results {
		if res.Status == verify.Fail || res.Status == verify.Inconclusive || res.Status == verify.Warn {
			fmt.Fprintf(&b, "  %-12s %-24s %-8s because=%s %s\n", res.Status, res.Check, res.Effect, res.Because, res.Says)
		}
	}
	return b.String()
}

// some are the dialects in which the i-th case is tried.
func some(i int, all []enginetest.Dialect) []enginetest.Dialect {
	if everyDialect || len(all) == 0 {
		return all
	}
	return all[i%len(all) : i%len(all)+1]
}

// short are timeouts for servers that hang. Everything else answers at once,
// unless a real server has to think first.
func short(name string) dialect.Options {
	if strings.HasPrefix(name, "hang") && os.Getenv(liveServer) != "" {
		return dialect.Options{Timeout: 20 * time.Second, IdleTimeout: 10 * time.Second}
	}
	if strings.HasPrefix(name, "hang") {
		return dialect.Options{Timeout: 2 * time.Second, IdleTimeout: time.Second}
	}
	return dialect.Options{}
}

// hits collects which checks ever failed or warned.
type hits struct {
	mu  sync.Mutex
	ids map[string]bool
}

func (h *hits) add(rep *verify.Report) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, res := range rep.Results {
		if res.Status == verify.Fail || res.Status == verify.Warn {
			h.ids[res.Check] = true
		}
	}
}

// TestEveryFaultIsNamed gives each fault to each dialect that can have it: the
// declared check tells it, and no other.
func TestEveryFaultIsNamed(t *testing.T) {
	seen := &hits{ids: map[string]bool{}}
	t.Run("fault", func(t *testing.T) {
		for i, fault := range enginetest.Faults() {
			for _, d := range some(i, fault.Dialects) {
				t.Run(fault.Name+"/"+string(d), func(t *testing.T) {
					t.Parallel()
					b := start(t, d, fault.Size, fault.Apply, short(fault.Name))
					rec, rep := b.run(t.Context(), levelOf(t, fault.Level), nil)
					seen.add(rep)
					if got := serious(rep); !slices.Equal(got, []string{fault.Expect}) || string(rep.Verdict) != fault.Verdict {
						t.Errorf("%s: want %s by %s alone, got %s by %v\n%s", fault.Says, fault.Verdict, fault.Expect, rep.Verdict, got, explain(rep))
					}
					t.Logf("%-20s %-9s %-8s %-26s %-9s %2d requests, %3d tokens", fault.Name, d, fault.Level, rep.Cause, rep.Verdict, rec.Cost.Generations, rec.Cost.OutputTokens)
				})
			}
		}
	})
	t.Log(table())
	for _, c := range verify.Checks() {
		if _, ok := hitElsewhere[c.ID]; !ok && !seen.ids[c.ID] {
			t.Errorf("no fault makes %s fail or warn", c.ID)
		}
	}
}

// table lists the faults for the documentation (go test -v).
func table() string {
	var b strings.Builder
	b.WriteString("\n| fault | what is wrong | dialects | level | told by | verdict |\n|---|---|---|---|---|---|\n")
	for _, f := range enginetest.Faults() {
		var names []string
		for _, d := range f.Dialects {
			names = append(names, string(d))
		}
		dialects := strings.Join(names, ", ")
		if len(names) == len(enginetest.Dialects()) {
			dialects = "all"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | `%s` | %s |\n", f.Name, f.Says, dialects, f.Level, f.Expect, f.Verdict)
	}
	return b.String()
}

// hitElsewhere are the checks that no Fault can make fail, and why.
var hitElsewhere = map[string]string{
	"alive.reachable":     "there is no server: TestUnreachable",
	"alive.model_echo":    "a note: TestNoFaultInHealth",
	"alive.model_listed":  "a note: TestNoFaultInHealth",
	"alive.engine":        "a note: only the generic dialect warns, TestNoFaultInHealth",
	"alive.one_backend":   "a note: TestNoFaultInHealth",
	"alive.chat_template": "a note: TestNoFaultInHealth",
	"contract.logprobs":   "a note: TestNoFaultInHealth",
	"reference.agreement": "needs a reference: TestReferenceBesideFronts",
	"compare.scores":      "needs --against: TestAgainstOfFronts",
	"compare.samples":     "needs --against: TestAgainstOfFronts",
}

// TestNoFaultInHealth holds that no oddity of a healthy server is a fault.
func TestNoFaultInHealth(t *testing.T) {
	for i, h := range enginetest.Healthy() {
		for _, d := range some(i, h.Dialects) {
			t.Run(h.Name+"/"+string(d), func(t *testing.T) {
				t.Parallel()
				b := start(t, d, h.Size, h.Apply, dialect.Options{})
				_, rep := b.run(t.Context(), levelOf(t, h.Level), nil)
				if got := serious(rep); len(got) > 0 || rep.Verdict != verify.Consistent {
					t.Errorf("%s: %s\n%s", h.Says, rep.Verdict, explain(rep))
				}
				for _, id := range h.Notes {
					if res, _ := rep.Result(id); res.Status != verify.Fail || res.Effect != verify.Note {
						t.Errorf("%s: %s is %s (%s), want a note", h.Says, id, res.Status, res.Says)
					}
				}
				for _, id := range h.Warns {
					if res, _ := rep.Result(id); res.Status != verify.Warn {
						t.Errorf("%s: %s is %s (%s), want a warning", h.Says, id, res.Status, res.Says)
					}
				}
			})
		}
	}
}
