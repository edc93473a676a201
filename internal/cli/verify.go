package cli

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"kilter/internal/deployment"
	"kilter/internal/report"
	"kilter/internal/verify"
)

// VerifyOptions are those of kilter verify.
type VerifyOptions struct {
	*factory

	// As given: by flag, environment or deployment file.
	URL           string
	File          string
	Level         string
	Only, Skip    []string
	List          bool
	Model         string
	APIKeyFile    string
	Header        []string
	CAFile        string
	Timeout       time.Duration
	Wait          time.Duration
	Deadline      time.Duration // 0: defaultDeadline of the level
	BudgetTokens  int
	NoStore       bool
	Replay        string
	Baseline      string
	Against       string
	AgainstModel  string
	AgainstKey    string // file
	Output        string
	Verbose       bool
	ExplainConfig bool

	// Settled by settle.
	level    verify.Level
	sel      verify.Selection
	secrets  secrets
	file     *deployment.Deployment
	settings []Setting
}

const (
	// defaultTimeout bounds one request. A slow CPU server needs more than a
	// minute for the longest answer that smoke asks for.
	defaultTimeout = 2 * time.Minute
)

// defaultDeadline bounds a run: several times what a healthy server needs, so
// that a sick one ends it.
func defaultDeadline(l verify.Level) time.Duration {
	switch l {
	case verify.Smoke:
		return 3 * time.Minute
	case verify.Standard:
		return 15 * time.Minute
	}
	return time.Hour
}

const verifyLong = `Judge a running LLM server: is what it says what its weights say?

kilter sends a few requests, one after the other, and judges all that comes
back: text, log-probabilities, knowledge, the API's contract. SGLang, vLLM,
llama.cpp, ollama and any server with OpenAI's endpoints are recognised by
themselves. It only asks questions: it changes nothing on the server, and it
holds back while the server is busy with others.

Each setting can be given as a flag, as an environment variable (KILTER_LEVEL
for --level), or in a deployment file (-f). The flag wins, then the variable,
then the file; --explain-config shows which did.`

const verifyExamples = `Judge a server in some seconds:

  kilter verify http://localhost:8000

With an API key; through a gateway that wants a header:

  KILTER_API_KEY=... kilter verify https://llm.example.com
  kilter verify https://llm.example.com --header 'X-Team: ops'

Ask more, after a restart that may take 20 minutes to load:

  kilter verify http://localhost:30000 --level standard --wait 20m

In CI; as an alert:

  kilter verify http://localhost:8000 -o junit > kilter.xml
  kilter verify http://localhost:8000 -o prometheus > kilter.prom

What changed since the last run; is the copy on port 8001 the same:

  kilter verify http://localhost:8000 --baseline last
  kilter verify http://localhost:8000 --against http://localhost:8001

Look again at what was seen, without the server:

  kilter verify --replay last`

const verifyExit = `0  proven or consistent: no fault found (the report says where it looked)
1  kilter itself failed
2  called in a wrong way: a malformed URL, flag or deployment file
3  wrong: the server's answers are broken
4  degraded: it works, but not as it should
5  inconclusive: nothing could be judged, for example since the server can't
   be reached, refuses the key, is still loading or is no text model

The exit code is the same for every output format.`

func newVerifyCmd(f *factory, runF func(context.Context, *VerifyOptions) error) *cobra.Command {
	o := &VerifyOptions{factory: f}
	cmd := &cobra.Command{
		Use:         "verify URL",
		Short:       "Judge a running server: is what it says what its weights say?",
		Long:        verifyLong,
		Example:     verifyExamples,
		Annotations: map[string]string{exitStatus: verifyExit},
		Args:        atMostOneURL,
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{
				cobra.CompletionWithDesc("http://localhost:8000", "vLLM"),
				cobra.CompletionWithDesc("http://localhost:30000", "SGLang"),
				cobra.CompletionWithDesc("http://localhost:8080", "llama.cpp"),
				cobra.CompletionWithDesc("http://localhost:11434", "ollama"),
			}, cobra.ShellCompDirectiveNoFileComp
		},
	}
	o.addFlags(cmd)
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := o.settle(cmd.Flags(), args); err != nil {
			return err
		}
		if runF != nil {
			return runF(cmd.Context(), o)
		}
		return runVerify(cmd.Context(), o)
	}
	return cmd
}

func atMostOneURL(_ *cobra.Command, args []string) error {
	if len(args) > 1 {
		return usagef("verify judges one server, and got %q too", args[1]).
			hint("compare two servers with kilter verify URL --against URL2")
	}
	return nil
}

func (o *VerifyOptions) addFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.SortFlags = false

	const ask = "FLAGS: WHAT TO ASK"
	addEnum(cmd, flags, &o.Level, "level", "", verify.Levels(), "how much to ask, as `LEVEL`: smoke (seconds), standard (minutes) or deep")
	flags.StringSliceVar(&o.Only, "only", nil, "only the checks that match `GLOB`s, such as text.*,numbers.*")
	flags.StringSliceVar(&o.Skip, "skip", nil, "all but the checks that match `GLOB`s")
	flags.BoolVar(&o.List, "list", false, "list the checks and ask nothing")
	flags.StringVar(&o.Against, "against", "", "compare with a second server at `URL`: same or different")
	flags.StringVar(&o.AgainstModel, "against-model", "", "the second server's model `ID`")
	flags.StringVar(&o.AgainstKey, "against-api-key-file", "", "`FILE` with the second server's key (or KILTER_AGAINST_API_KEY)")
	inGroup(flags, ask, "level", "only", "skip", "list", "against", "against-model", "against-api-key-file")

	const reach = "FLAGS: HOW TO REACH THE SERVER"
	flags.StringVarP(&o.File, "file", "f", "", "deployment `FILE` that has the URL, the model and what must hold")
	flags.StringVar(&o.Model, "model", "", "model `ID` to ask for, where the server lists several")
	flags.StringVar(&o.APIKeyFile, "api-key-file", "", "`FILE` whose first line is the API key (or KILTER_API_KEY)")
	flags.StringArrayVar(&o.Header, "header", nil, "send the header `'NAME: VALUE'` with each request; repeatable")
	flags.StringVar(&o.CAFile, "ca-file", "", "trust the certificates in `FILE` (PEM) too")
	inGroup(flags, reach, "file", "model", "api-key-file", "header", "ca-file")

	const bounds = "FLAGS: BOUNDS"
	o.Timeout = defaultTimeout
	flags.Var(positiveDuration{durationValue{&o.Timeout}}, "timeout", "most `TIME` for one request")
	flags.Var(durationValue{&o.Wait}, "wait", "`TIME` to wait for a server that is still starting or loading")
	flags.Var(positiveDuration{durationValue{&o.Deadline}}, "deadline", "most `TIME` for the run (default 3m for smoke, 15m for standard, 1h for deep)")
	flags.Var(countValue{&o.BudgetTokens}, "budget-tokens", "most `TOKENS`, prompts and answers together; 0: no bound")
	inGroup(flags, bounds, "timeout", "wait", "deadline", "budget-tokens")

	const stored = "FLAGS: STORED RUNS"
	flags.StringVar(&o.Replay, "replay", "", "judge a stored `RUN` again (an id, its beginning, or last) without any request")
	flags.StringVar(&o.Baseline, "baseline", "", "say what changed since `RUN` (an id, its beginning, or last)")
	flags.BoolVar(&o.NoStore, "no-store", false, "keep no record of this run")
	inGroup(flags, stored, "replay", "baseline", "no-store")

	const output = "FLAGS: OUTPUT"
	addOutput(cmd, &o.Output, report.Formats())
	flags.BoolVarP(&o.Verbose, "verbose", "v", false, "list each check, and say on stderr what is asked")
	flags.BoolVar(&o.ExplainConfig, "explain-config", false, "print each setting and where it came from, and ask nothing")
	inGroup(flags, output, "output", "verbose", "explain-config")

	completeFunc(cmd, "only", o.completeGlobs)
	completeFunc(cmd, "skip", o.completeGlobs)
	completeFunc(cmd, "replay", o.completeRuns)
	completeFunc(cmd, "baseline", o.completeRuns)
	for _, free := range []string{"model", "against", "against-model", "header", "timeout", "wait", "deadline", "budget-tokens"} {
		completeFunc(cmd, free, cobra.NoFileCompletions)
	}
}

func runVerify(ctx context.Context, o *VerifyOptions) error {
	switch {
	case o.ExplainConfig:
		return explainConfig(o.IO, o.Output, Config{Command: "kilter verify", Settings: o.settings})
	case o.List:
		return listChecks(o)
	case o.Replay != "":
		return replayRun(ctx, o)
	}
	return judgeServer(ctx, o)
}
