package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"kilter/internal/deployment"
	"kilter/internal/dialect"
	"kilter/internal/evidence"
	"kilter/internal/spell"
	"kilter/internal/verify"
)

// settle gives every option its value from flag, environment, deployment file
// or default, and refuses what does not fit together.
func (o *VerifyOptions) settle(flags *pflag.FlagSet, args []string) error {
	fileKnob := &knob{name: "file", flag: flags.Lookup("file"), env: "KILTER_FILE"}
	var err error
	if o.settings, err = settle([]*knob{fileKnob}, o.IO.Getenv, nil, ""); err != nil {
		return err
	}
	if o.File != "" {
		if o.file, err = deployment.Load(o.File); err != nil {
			return usage(err)
		}
	}
	more, err := settle(o.knobs(flags, args), o.IO.Getenv, o.file, o.File)
	if err != nil {
		return err
	}
	o.settings = append(o.settings, more...)
	if o.level, err = verify.ParseLevel(o.Level); err != nil {
		return usage(err)
	}
	if err := o.settleSelection(); err != nil {
		return err
	}
	if err := o.refuseConflicts(flags); err != nil {
		return err
	}
	if err := o.settleSecrets(); err != nil {
		return err
	}
	o.settings = append(o.settings, o.secrets.settings...)
	o.settings = append(o.settings, o.storeSetting())
	if err := o.settleURLs(); err != nil {
		return err
	}
	if o.Deadline == 0 {
		o.Deadline = defaultDeadline(o.level)
	}
	return nil
}

// knobs are the settings but for secrets, in the order in which they are shown.
func (o *VerifyOptions) knobs(flags *pflag.FlagSet, args []string) []*knob {
	// The URL is an argument, which pflag does not know of.
	url := pflag.NewFlagSet("", pflag.ContinueOnError)
	url.StringVar(&o.URL, "url", "", "")
	if len(args) == 1 {
		o.URL = args[0]
		url.Lookup("url").Changed = true
	}
	of := func(name string) *knob {
		return &knob{
			name: name, flag: flags.Lookup(name),
			env: "KILTER_" + strings.ToUpper(strings.ReplaceAll(name, "-", "_")),
		}
	}
	in := func(k *knob, field string, file func(*deployment.Deployment) string) *knob {
		k.field, k.file = field, file
		return k
	}
	deadline := of("deadline")
	deadline.shown = func() string {
		l, err := verify.ParseLevel(o.Level)
		if err != nil {
			return "-"
		}
		return shortDuration(defaultDeadline(l))
	}
	budget := of("budget-tokens")
	budget.shown = func() string { return "no bound" }
	replay := of("replay")
	replay.env = "" // it would turn each run into a replay
	knobs := []*knob{
		in(&knob{name: "url", flag: url.Lookup("url"), env: "KILTER_URL", argument: true},
			"endpoint.url", func(d *deployment.Deployment) string { return d.Endpoint.URL }),
		in(of("model"), "model.served_name", func(d *deployment.Deployment) string { return d.Model.ServedName }),
		in(of("level"), "must_hold.level", func(d *deployment.Deployment) string { return d.MustHold.Level }),
		of("only"),
		of("skip"),
		in(of("ca-file"), "endpoint.ca_file", func(d *deployment.Deployment) string { return beside(o.File, d.Endpoint.CAFile) }),
		of("timeout"),
		of("wait"),
		deadline,
		budget,
		in(of("baseline"), "must_hold.baseline", func(d *deployment.Deployment) string { return d.MustHold.Baseline }),
		replay,
		of("against"),
		of("against-model"),
		of("no-store"),
		of("output"),
		of("verbose"),
	}
	if flags.Lookup("color") != nil { // the root's
		knobs = append(knobs, of("color"))
	}
	return knobs
}

func (o *VerifyOptions) storeSetting() Setting {
	path, err := o.StorePath()
	source := "XDG_STATE_HOME"
	switch {
	case o.NoStore:
		return Setting{Name: "store", Value: "-", Source: "no-store"}
	case err != nil:
		return Setting{Name: "store", Value: "-", Source: err.Error()}
	case o.IO.Getenv("XDG_STATE_HOME") == "":
		source = fromDefault
	}
	return Setting{Name: "store", Value: path, Source: source}
}

// settleSelection holds --only and --skip to the checks that there are.
func (o *VerifyOptions) settleSelection() error {
	checks := o.Checks()
	var ids, groups []string
	for _, c := range checks {
		ids = append(ids, c.ID)
		if g := c.Group() + ".*"; len(groups) == 0 || groups[len(groups)-1] != g {
			groups = append(groups, g)
		}
	}
	known := slices.Concat(groups, ids)
	for i, glob := range slices.Concat(o.Only, o.Skip) {
		flag := "only"
		if i >= len(o.Only) {
			flag = "skip"
		}
		if err := (verify.Selection{Only: []string{glob}}).Validate(checks); err != nil {
			e := usagef("--%s: %w", flag, err)
			if near := spell.Near(glob, known, 3); len(near) > 0 {
				return e.hint("did you mean %s?", orList(near))
			}
			return e.hint("kilter verify --list shows the checks; quote patterns: --%s 'text.*'", flag)
		}
	}
	o.sel = verify.Selection{Only: o.Only, Skip: o.Skip}
	if !o.sel.Narrowed() {
		return nil
	}
	least, left := verify.Deep, false
	for _, c := range checks {
		if o.sel.Holds(c.ID) {
			left, least = true, min(least, c.Level)
		}
	}
	switch {
	case !left:
		return usagef("--only and --skip together leave no check")
	case least > o.level && o.Replay == "" && !o.List:
		return usagef("all selected checks need a higher level").hint("add --level %s", least)
	}
	return nil
}

// refuseConflicts refuses flags that have no meaning together. What comes from
// the environment or a file is not in the way.
func (o *VerifyOptions) refuseConflicts(flags *pflag.FlagSet) error {
	if o.Replay != "" {
		for _, name := range []string{"against", "against-model", "against-api-key-file", "level", "model", "api-key-file", "header", "ca-file", "timeout", "wait", "deadline", "budget-tokens", "list"} {
			if flags.Changed(name) {
				return usagef("--%s has no meaning with --replay, which sends nothing", name)
			}
		}
	}
	if o.AgainstModel != "" && o.Against == "" {
		return usagef("--against-model needs --against URL")
	}
	if f := o.Output; o.List || o.ExplainConfig {
		if f != "text" && f != "json" {
			return usagef("-o %s is a form of a verdict, and there is none here", f).hint("want -o text or -o json")
		}
	}
	needsURL := !o.List && !o.ExplainConfig && o.Replay == ""
	if needsURL && o.URL == "" {
		return usagef("which server? its URL is missing").
			hint("kilter verify http://localhost:8000 judges this machine's port 8000").
			hint("usual ports: 8000 (vLLM), 30000 (SGLang), 8080 (llama.cpp), 11434 (ollama)").
			hint("kilter verify --help says more")
	}
	return nil
}

// settleURLs refuses what is no server's URL.
func (o *VerifyOptions) settleURLs() error {
	if o.URL != "" {
		base, err := dialect.ParseURL(o.URL)
		if err != nil {
			return usage(err)
		}
		o.URL = base
	}
	if o.Against != "" {
		base, err := dialect.ParseURL(o.Against)
		if err != nil {
			return usage(fmt.Errorf("--against: %w", err))
		}
		o.Against = base
	}
	return nil
}

// shownURL is a URL without its password, as records have it.
func shownURL(base string) string {
	var hide *evidence.Redactor
	return hide.String(base)
}
