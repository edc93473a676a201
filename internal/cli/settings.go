package cli

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/spf13/pflag"

	"kilter/internal/deployment"
	"kilter/internal/evidence"
)

// A Setting is a value that a command uses, and where it came from.
type Setting struct {
	Name  string `json:"setting"`
	Value string `json:"value"`
	// Source is the flag, the variable, the file with its field, or "default".
	Source string `json:"source"`
}

const fromDefault = "default"

// A knob is a setting that can be given in several ways. The first that gives
// a value wins: flag (or argument), environment, deployment file, default.
type knob struct {
	name string
	// flag holds the value. Its name is the setting's; flag.Changed says that
	// the command line gave it.
	flag *pflag.Flag
	// argument: flag stands for the command's argument.
	argument bool
	// env is the variable that gives it; empty: none does.
	env string
	// field is where the deployment file has it, and file reads it there.
	field string
	file  func(*deployment.Deployment) string
	// secret: the value is never shown.
	secret bool
	// shown, if set, is shown in place of the default's value.
	shown func() string
}

// settle gives each knob its value and returns where each came from. file is
// nil where there is none; path is its name.
func settle(knobs []*knob, getenv func(string) string, file *deployment.Deployment, path string) ([]Setting, error) {
	var out []Setting
	for _, k := range knobs {
		source, err := k.settle(getenv, file, path)
		if err != nil {
			return nil, err
		}
		out = append(out, Setting{Name: k.name, Value: k.display(source), Source: source})
	}
	return out, nil
}

func (k *knob) settle(getenv func(string) string, file *deployment.Deployment, path string) (string, error) {
	if k.flag.Changed && k.argument {
		return "argument", nil
	}
	if k.flag.Changed {
		return "--" + k.flag.Name, nil
	}
	// An empty variable counts as none: that is how scripts switch one off.
	if k.env != "" {
		if v := getenv(k.env); v != "" {
			if err := k.flag.Value.Set(v); err != nil {
				return "", usagef("%s=%s: %w", k.env, k.quote(v), err)
			}
			return k.env, nil
		}
	}
	if file != nil && k.file != nil {
		if v := k.file(file); v != "" {
			if err := k.flag.Value.Set(v); err != nil {
				return "", usagef("%s: %s: %s: %w", path, k.field, k.quote(v), err)
			}
			return path + " " + k.field, nil
		}
	}
	return fromDefault, nil
}

func (k *knob) quote(v string) string {
	if k.secret {
		return evidence.Hidden
	}
	return fmt.Sprintf("%q", v)
}

func (k *knob) display(source string) string {
	v := k.flag.Value.String()
	if list, ok := k.flag.Value.(pflag.SliceValue); ok {
		v = strings.Join(list.GetSlice(), ", ")
	}
	switch {
	case source == fromDefault && k.shown != nil:
		return k.shown()
	case v == "":
		return "-"
	case k.secret:
		return evidence.Hidden
	}
	var hide *evidence.Redactor
	return hide.String(v)
}

// A Config is what --explain-config prints.
type Config struct {
	Schema   string    `json:"schema"`
	Command  string    `json:"command"`
	Settings []Setting `json:"settings"`
}

const configSchema = "kilter.config/v1"

// explainConfig prints the settings of a command and where each came from.
func explainConfig(s *IOStreams, format string, c Config) error {
	c.Schema = configSchema
	if format == "json" {
		return writeJSON(s.Out, c)
	}
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "SETTING\tVALUE\tSOURCE")
	for _, x := range c.Settings {
		fmt.Fprintf(w, "%s\t%s\t%s\n", x.Name, safe(x.Value), safe(x.Source))
	}
	if err := w.Flush(); err != nil {
		return err
	}
	head, rest, _ := strings.Cut(b.String(), "\n")
	_, err := fmt.Fprintf(s.Out, "%s\n%s", s.paintOut(bold, head), rest)
	return err
}
