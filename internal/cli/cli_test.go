package cli

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/spf13/pflag"
	"go.uber.org/goleak"

	"kilter/internal/deployment"
	"kilter/internal/dialect"
	"kilter/internal/verify"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A lab is a factory with nothing of this machine in it, and what it printed.
type lab struct {
	*factory
	out, err bytes.Buffer
	env      map[string]string
}

func newLab(t *testing.T) *lab {
	t.Helper()
	l := &lab{env: map[string]string{}}
	f := newFactory("v0.0.0-test")
	f.IO = &IOStreams{
		Out: &l.out, Err: &l.err, Color: colorAuto,
		Columns: func() int { return 80 },
		Getenv:  func(name string) string { return l.env[name] },
	}
	path := filepath.Join(t.TempDir(), "kilter.db")
	f.StorePath = func() (string, error) { return path, nil }
	f.Signals = func(ctx context.Context) (context.Context, func()) { return ctx, func() {} }
	l.factory = f
	return l
}

// server makes Connect answer with the given text, whoever asks for what.
func (l *lab) server(text string, seen *[]dialect.Options) {
	l.Connect = func(_ context.Context, o dialect.Options, _ time.Duration, _ func(string)) (verify.Asker, error) {
		if seen != nil {
			*seen = append(*seen, o)
		}
		return &parrot{url: o.URL, text: text}, nil
	}
}

// A parrot is a server that gives one text for an answer.
type parrot struct {
	url, text string
	requests  int
}

func (p *parrot) Server() dialect.Server {
	return dialect.Server{URL: p.url, Engine: dialect.VLLM, Version: "0.16.0", Model: "m", Models: []string{"m"}}
}
func (p *parrot) Requests() int { return p.requests }

func (p *parrot) Do(_ context.Context, r dialect.Request) dialect.Exchange {
	p.requests++
	reason, n := "stop", 16
	return dialect.Exchange{
		Op: r.Op, Method: "POST", Path: "/v1/chat/completions", Status: 200, Start: time.Now(), Total: time.Millisecond,
		Answer: &dialect.Answer{
			Choices: []dialect.Choice{{Content: &p.text, FinishReason: &reason}},
			Usage:   &dialect.Usage{Prompt: &n, Completion: &n},
		},
	}
}

func TestVerdictSetsTheExitCode(t *testing.T) {
	for w, want := range map[verify.Word]ExitCode{
		verify.Proven: 0, verify.Consistent: 0, verify.Wrong: 3, verify.Degraded: 4, verify.VerdictInconclusive: 5,
	} {
		if got := ofVerdict(w); got != want {
			t.Errorf("%s: exit code %d, want %d", w, got, want)
		}
	}
}

func TestVerifyJudgesAndStores(t *testing.T) {
	l := newLab(t)
	l.server(strings.Repeat("!", 16), nil)
	if code := run(l.factory, []string{"verify", "http://h:1"}); code != ExitWrong {
		t.Fatalf("exit code %d, want %d\n%s%s", code, ExitWrong, l.out.String(), l.err.String())
	}
	if !strings.Contains(l.err.String(), "note: stored; kilter verify --replay ") {
		t.Errorf("stderr: %s", l.err.String())
	}
	first := l.out.String()
	l.out.Reset()
	if code := run(l.factory, []string{"verify", "--replay", "last"}); code != ExitWrong {
		t.Errorf("replay: exit code %d", code)
	}
	if diff := cmp.Diff(first, l.out.String()); diff != "" {
		t.Errorf("replay (-first +again):\n%s", diff)
	}
}

func TestKeysGoToTheirOwnServerOnly(t *testing.T) {
	l := newLab(t)
	var seen []dialect.Options
	l.server("!!!!!!!!!!!!!!!!", &seen)
	l.env["KILTER_API_KEY"] = "first-key"
	l.env["KILTER_AGAINST_API_KEY"] = "second-key"
	l.env["KILTER_HEADER"] = "X-One: 1\nX-Two: 2"
	run(l.factory, []string{"verify", "http://a", "--against", "http://b", "--against-model", "n", "--header", "X-Three: 3"})
	if len(seen) != 2 {
		t.Fatalf("%d connections, want 2\n%s", len(seen), l.err.String())
	}
	a, b := seen[0], seen[1]
	if a.APIKey != "first-key" || len(a.Headers) != 1 || a.Headers.Get("X-Three") != "3" {
		t.Errorf("first server: key %q, headers %v; want those of --header in place of the environment's", a.APIKey, a.Headers)
	}
	if b.APIKey != "second-key" || len(b.Headers) != 0 || b.Model != "n" {
		t.Errorf("second server: key %q, headers %v, model %q", b.APIKey, b.Headers, b.Model)
	}
}

// Whatever goes wrong before there is a server, a whole report is printed.
func TestConnectFailures(t *testing.T) {
	interrupted, cancel := context.WithCancelCause(t.Context())
	cancel(errInterrupted)
	for name, c := range map[string]struct {
		err  error
		ctx  context.Context
		code ExitCode
		out  string
		says []string
	}{
		"refused": {
			err:  &dialect.ConnectError{Kind: dialect.FailRefused, URL: "http://h", Message: "connection refused", Hint: "start it"},
			code: ExitInconclusive, out: "INCONCLUSIVE", says: []string{"error: http://h: connection refused\n", "hint: start it\n"},
		},
		"interrupted": {
			err: &dialect.ConnectError{Kind: dialect.FailCancelled, URL: "http://h", Message: "cancelled"}, ctx: interrupted,
			code: ExitInconclusive, out: "interrupted", says: []string{"error: interrupted before http://h was recognised\n"},
		},
		"options": {
			err:  errors.New("ca.pem holds no certificate in PEM form"),
			code: ExitUsage, says: []string{"error: ca.pem holds no certificate in PEM form\n"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t)
			l.Connect = func(context.Context, dialect.Options, time.Duration, func(string)) (verify.Asker, error) {
				return nil, c.err
			}
			if c.ctx != nil {
				l.Signals = func(context.Context) (context.Context, func()) { return c.ctx, func() {} }
			}
			if code := run(l.factory, []string{"verify", "http://h"}); code != c.code {
				t.Errorf("exit code %d, want %d", code, c.code)
			}
			if !strings.Contains(l.out.String(), c.out) || c.out == "" && l.out.Len() > 0 {
				t.Errorf("stdout: %s", l.out.String())
			}
			for _, s := range c.says {
				if !strings.Contains(l.err.String(), s) {
					t.Errorf("stderr has no %q: %s", s, l.err.String())
				}
			}
		})
	}
}

// The error of Connect may quote what a server sent.
func TestErrorsAreSafeForATerminal(t *testing.T) {
	l := newLab(t)
	l.IO.report(usagef("bad \x1b[2Jthing\r\n\u202e!").hint("do\x07"))
	if got, want := l.err.String(), "error: bad \\u001b[2Jthing\\u000d\n\\u202e!\nhint: do\\u0007\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPanicIsKiltersOwnFailure(t *testing.T) {
	l := newLab(t)
	l.Checks = func() []*verify.Check { panic("oops") }
	if code := run(l.factory, []string{"verify", "--list"}); code != ExitFailed {
		t.Errorf("exit code %d, want %d", code, ExitFailed)
	}
	if !strings.Contains(l.err.String(), "error: kilter itself failed: oops") {
		t.Errorf("stderr: %s", l.err.String())
	}
}

func TestFlagsReachTheOptions(t *testing.T) {
	l := newLab(t)
	var got *VerifyOptions
	cmd := newVerifyCmd(l.factory, func(_ context.Context, o *VerifyOptions) error { got = o; return nil })
	cmd.SetArgs([]string{"https://H:8000/v1/", "--level", "deep", "--only", "text.*,numbers.*", "--only", "alive.*", "--skip", "text.utf8",
		"--timeout", "5s", "--wait", "1m", "--budget-tokens", "9", "-o", "json"})
	if err := cmd.Execute(); err != nil {
		t.Fatal(err)
	}
	if got.URL != "https://h:8000" || got.level != verify.Deep || got.Deadline != time.Hour ||
		got.Timeout != 5*time.Second || got.Wait != time.Minute || got.BudgetTokens != 9 || got.Output != "json" {
		t.Errorf("options: %+v", got)
	}
	want := verify.Selection{Only: []string{"text.*", "numbers.*", "alive.*"}, Skip: []string{"text.utf8"}}
	if diff := cmp.Diff(want, got.sel); diff != "" {
		t.Errorf("selection (-want +got):\n%s", diff)
	}
}

func TestPrecedence(t *testing.T) {
	file := &deployment.Deployment{Name: "file"}
	for name, c := range map[string]struct {
		args       []string
		env        string
		file       *deployment.Deployment
		value, src string
	}{
		"default":            {value: "default", src: "default"},
		"file":               {file: file, value: "file", src: "d.yaml name"},
		"environment":        {file: file, env: "env", value: "env", src: "KILTER_X"},
		"flag":               {file: file, env: "env", args: []string{"--x", "flag"}, value: "flag", src: "--x"},
		"empty flag":         {file: file, env: "env", args: []string{"--x", ""}, value: "-", src: "--x"},
		"file without it":    {file: &deployment.Deployment{}, value: "default", src: "default"},
		"flag as by default": {env: "env", args: []string{"--x=default"}, value: "default", src: "--x"},
	} {
		flags := pflag.NewFlagSet("", pflag.ContinueOnError)
		flags.String("x", "default", "")
		if err := flags.Parse(c.args); err != nil {
			t.Fatal(err)
		}
		got, err := settle([]*knob{{
			name: "x", flag: flags.Lookup("x"), env: "KILTER_X",
			field: "name", file: func(d *deployment.Deployment) string { return d.Name },
		}}, func(string) string { return c.env }, c.file, "d.yaml")
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]Setting{{"x", c.value, c.src}}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The deployment file is read below verify, and so has its own list.
func TestDeploymentHasTheLevelsOfVerify(t *testing.T) {
	if diff := cmp.Diff(verify.Levels(), deployment.Levels()); diff != "" {
		t.Error(diff)
	}
}

func TestDocumentsMatchTheirSchemas(t *testing.T) {
	for file, args := range map[string][]string{
		"config.v1.json":      {"verify", "http://h", "--explain-config", "-o", "json"},
		"checks.v1.json":      {"verify", "--list", "-o", "json"},
		"explanation.v1.json": {"explain", "text.token_zero", "-o", "json"},
		"version.v1.json":     {"version", "-o", "json"},
	} {
		l := newLab(t)
		if code := run(l.factory, args); code != ExitOK {
			t.Fatalf("%v: exit code %d: %s", args, code, l.err.String())
		}
		schema, err := jsonschema.NewCompiler().Compile("../../docs/schema/" + file)
		if err != nil {
			t.Fatal(err)
		}
		v, err := jsonschema.UnmarshalJSON(&l.out)
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(v); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
}

func TestSignalEndsTheContext(t *testing.T) {
	for _, sig := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		ctx, stop := untilSignal(t.Context())
		self, err := os.FindProcess(os.Getpid())
		if err != nil {
			t.Fatal(err)
		}
		if err := self.Signal(sig); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
			t.Fatalf("%v did not end the context", sig)
		}
		if !errors.Is(context.Cause(ctx), errInterrupted) {
			t.Errorf("%v: cause %v", sig, context.Cause(ctx))
		}
		stop()
	}
	ctx, stop := untilSignal(t.Context())
	stop()
	if errors.Is(context.Cause(ctx), errInterrupted) {
		t.Error("without a signal, the context must not end as interrupted")
	}
}

func TestColor(t *testing.T) {
	for _, c := range []struct {
		flag string
		env  map[string]string
		tty  bool
		want bool
	}{
		{colorAuto, nil, true, true},
		{colorAuto, nil, false, false},
		{colorAlways, map[string]string{"NO_COLOR": "1"}, false, true},
		{colorNever, map[string]string{"CLICOLOR_FORCE": "1"}, true, false},
		{colorAuto, map[string]string{"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, true, false},
		{colorAuto, map[string]string{"CLICOLOR_FORCE": "1"}, false, true},
		{colorAuto, map[string]string{"CLICOLOR_FORCE": "0"}, false, false},
		{colorAuto, map[string]string{"TERM": "dumb"}, true, false},
	} {
		s := &IOStreams{Color: c.flag, Getenv: func(n string) string { return c.env[n] }}
		if got := s.colored(c.tty); got != c.want {
			t.Errorf("--color %s, %v, terminal %v: %v, want %v", c.flag, c.env, c.tty, got, c.want)
		}
	}
}

func TestWrap(t *testing.T) {
	if got, want := wrap("aaaa bbbb cccc dddd eeee", 28, 6), "aaaa bbbb cccc dddd\n      eeee"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := wrap("aaaa bbbb", 10, 6); got != "aaaa bbbb" {
		t.Errorf("narrow: %q", got)
	}
}
