package deployment

import (
	"fmt"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"

	"kilter/internal/spell"
)

// A Problem is one thing that is wrong with a deployment. Path leads to it:
// endpoint, url. Key is set where the last name itself is wrong, not its value.
type Problem struct {
	Path []string
	Key  bool
	Says string
}

func (p Problem) Error() string {
	if len(p.Path) == 0 {
		return p.Says
	}
	return strings.Join(p.Path, ".") + ": " + p.Says
}

// levels are those of verify, which lies above this package; a test of cli
// holds them equal.
var levels = []string{"smoke", "standard", "deep"}

// Levels returns the levels that must_hold.level may name.
func Levels() []string { return slices.Clone(levels) }

var (
	nameShape   = regexp.MustCompile(`^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$`)
	hostShape   = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._@:\[\]%-]*$`)
	unitShape   = regexp.MustCompile(`^[A-Za-z0-9:_.\\@-]+\.service$`)
	envShape    = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	flagShape   = regexp.MustCompile(`^--?[A-Za-z0-9][A-Za-z0-9._-]*$`)
	headerShape = regexp.MustCompile("^[A-Za-z0-9!#$%&'*+.^_`|~-]+$")
	// secretName matches variables, flags and headers whose value is a secret.
	secretName = regexp.MustCompile(`(?i)(api[-_]?key|access[-_]?key|secret|passw|credential|authorization|cookie|(^|[-_])(hf|auth|access|github|hub|api|bearer)[-_]token$|^-*token$)`)
)

// Validate returns all that is wrong, in the order of the file's fields.
func (d *Deployment) Validate() []Problem {
	v := &validator{}
	switch {
	case d.Schema == "":
		v.add("is missing; write "+Schema, "schema")
	case d.Schema != Schema:
		v.add(fmt.Sprintf("%q is not known; this kilter reads %s", d.Schema, Schema), "schema")
	}
	if !nameShape.MatchString(d.Name) {
		v.add("want 1 to 63 of a-z, 0-9 and -, beginning and ending with a letter or digit", "name")
	}
	v.engine(&d.Engine)
	v.target(&d.Target, &d.Engine)
	v.endpoint(&d.Endpoint)
	if d.Ready.Path != "" && !strings.HasPrefix(d.Ready.Path, "/") {
		v.add("want the path of a URL, such as /health", "ready", "path")
	}
	v.oneOf(d.MustHold.Level, levels, "must_hold", "level")
	for _, glob := range d.Limits.Flags {
		if _, err := path.Match(glob, ""); err != nil || !strings.HasPrefix(glob, "-") && !strings.HasPrefix(glob, "*") {
			v.add(fmt.Sprintf("%q is not the name of a flag or a pattern of names, such as --attention-*", glob), "limits", "flags")
		}
	}
	return v.problems
}

type validator struct{ problems []Problem }

func (v *validator) add(says string, path ...string) {
	v.problems = append(v.problems, Problem{Path: path, Says: says})
}

// addKey is add for a name that is wrong.
func (v *validator) addKey(says string, path ...string) {
	v.problems = append(v.problems, Problem{Path: path, Key: true, Says: says})
}

// oneOf accepts the empty text too.
func (v *validator) oneOf(s string, known []string, path ...string) {
	if s == "" || slices.Contains(known, s) {
		return
	}
	says := fmt.Sprintf("%q: want %s", s, strings.Join(known, ", "))
	if near := spell.Nearest(s, known); near != "" {
		says += fmt.Sprintf("; did you mean %q?", near)
	}
	v.add(says, path...)
}

func (v *validator) engine(e *Engine) {
	v.oneOf(e.Name, []string{SGLang, VLLM, LlamaCPP}, "engine", "name")
	for _, f := range e.Flags {
		at := []string{"engine", "flags", f.Name}
		if !flagShape.MatchString(f.Name) {
			v.addKey("is no flag: spell it as on the command line, with its dashes", at...)
		}
		for _, val := range f.Values {
			v.value(f.Name, val, at...)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.Env)) {
		at := []string{"engine", "env", name}
		if !envShape.MatchString(name) {
			v.addKey("is no name of an environment variable", at...)
		}
		v.value(name, e.Env[name], at...)
	}
}

// value refuses a literal where the name says that a secret belongs, and
// checks the place of a secret.
func (v *validator) value(name string, val Value, path ...string) {
	if val.Secret.IsZero() && val.Text != "" && secretName.MatchString(name) {
		v.add("a secret does not belong into this file: write {env: NAME} or {file: PATH}, where it lies", path...)
	}
	v.secret(val.Secret, path...)
}

func (v *validator) secret(s Secret, path ...string) {
	switch {
	case s.Env != "" && s.File != "":
		v.add("want env or file, not both", path...)
	case s.Env != "" && !envShape.MatchString(s.Env):
		v.add(fmt.Sprintf("%q is no name of an environment variable", s.Env), append(path, "env")...)
	}
}

func (v *validator) target(t *Target, e *Engine) {
	kinds := []string{Process, Systemd, Container}
	v.oneOf(t.Kind, kinds, "target", "kind")
	if t.Host != "" && !hostShape.MatchString(t.Host) {
		v.add("want host or user@host, as for ssh", "target", "host")
	}
	set := map[string]bool{Process: t.Process != nil, Systemd: t.Systemd != nil, Container: t.Container != nil}
	for _, k := range kinds {
		if set[k] && k != t.Kind {
			v.add(fmt.Sprintf("is set, but kind is %q", t.Kind), "target", k)
		}
	}
	if t.Kind == Process && len(e.Command) == 0 {
		v.add("a process needs engine.command, which starts it", "target", "kind")
	}
	switch {
	case t.Kind == Systemd && t.Systemd == nil:
		v.add("kind systemd needs systemd: {unit: NAME.service}", "target")
	case t.Systemd != nil:
		if !unitShape.MatchString(t.Systemd.Unit) {
			v.add("want the name of a service, such as sglang-qwen.service", "target", Systemd, "unit")
		}
		v.oneOf(t.Systemd.Scope, []string{"system", "user"}, "target", Systemd, "scope")
	}
	switch {
	case t.Kind == Container && t.Container == nil:
		v.add("kind container needs container: {name: NAME}", "target")
	case t.Container != nil:
		if !hostShape.MatchString(t.Container.Name) {
			v.add("want the name of a container", "target", Container, "name")
		}
		v.oneOf(t.Container.Runtime, []string{"docker", "podman"}, "target", Container, "runtime")
	}
}

func (v *validator) endpoint(e *Endpoint) {
	u, err := url.Parse(e.URL)
	switch {
	case e.URL == "":
		v.add("is missing; write the server's address, such as http://localhost:30000", "endpoint", "url")
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		v.add("want http://HOST:PORT or https://…", "endpoint", "url")
	case u.User != nil:
		v.add("a secret does not belong into this file: take user and password out of the URL and use api_key or headers", "endpoint", "url")
	}
	v.secret(e.APIKey, "endpoint", "api_key")
	for _, name := range slices.Sorted(maps.Keys(e.Headers)) {
		at := []string{"endpoint", "headers", name}
		val := e.Headers[name]
		if !headerShape.MatchString(name) {
			v.addKey("is no name of a header", at...)
		}
		if strings.ContainsAny(val.Text, "\r\n\x00") {
			v.add("a header is one line", at...)
		}
		v.value(name, val, at...)
	}
}
