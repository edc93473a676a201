package deployment

import (
	"errors"
	"fmt"
	"time"

	"go.yaml.in/yaml/v4"
)

// A Secret says where a secret text lies: in an environment variable, or in a
// file whose first line it is. The zero Secret is none.
type Secret struct {
	Env  string `yaml:"env,omitempty"`
	File string `yaml:"file,omitempty"`
}

// IsZero reports whether there is no secret.
func (s Secret) IsZero() bool { return s == Secret{} }

// String names the place, never the secret.
func (s Secret) String() string {
	switch {
	case s.Env != "":
		return "env " + s.Env
	case s.File != "":
		return "file " + s.File
	}
	return ""
}

// UnmarshalYAML refuses a scalar, which would be the secret itself.
func (s *Secret) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return errors.New("a secret does not belong into this file: write {env: NAME} or {file: PATH}, where it lies")
	}
	type plain Secret // without this method
	return n.Load((*plain)(s), yaml.WithKnownFields())
}

// A Value is a text, or the place of a secret one. Of numbers and booleans
// the text is kept as it is written: 0.90 stays 0.90.
type Value struct {
	Text   string
	Secret Secret
}

// UnmarshalYAML reads a scalar, or a mapping as of a Secret.
func (v *Value) UnmarshalYAML(n *yaml.Node) error {
	switch n.Kind {
	case yaml.ScalarNode:
		if n.Tag == "!!null" {
			return errors.New(`a value is missing here; an empty text is written ""`)
		}
		v.Text = n.Value
		return nil
	case yaml.MappingNode:
		return v.Secret.UnmarshalYAML(n)
	}
	return errors.New("want a text, or {env: NAME} or {file: PATH} for a secret one")
}

// MarshalYAML writes what UnmarshalYAML reads.
func (v Value) MarshalYAML() (any, error) {
	if !v.Secret.IsZero() {
		return v.Secret, nil
	}
	return v.Text, nil
}

// A Duration is a time.Duration that is written as 90s or 1h30m.
type Duration time.Duration

// UnmarshalYAML reads a duration with its unit.
func (d *Duration) UnmarshalYAML(n *yaml.Node) error {
	v, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || v < 0 {
		return errors.New("want a duration with its unit, such as 90s, 20m or 1h30m")
	}
	*d = Duration(v)
	return nil
}

// MarshalYAML writes what UnmarshalYAML reads.
func (d Duration) MarshalYAML() (any, error) { return time.Duration(d).String(), nil }

// A Flag is one use of a flag on the command line. Name is spelled as the
// engine does, with its dashes. Values are what follows it: none for a switch.
type Flag struct {
	Name   string
	Values []Value
}

// Flags are in the order of the command line. In the file they are a mapping
// from name to value:
//
//	--tp: 8                      one value
//	--trust-remote-code:         a switch
//	--cuda-graph-bs: [1, 2, 4]   several values
//	--lora: [[a.gguf], [b.gguf]] the flag several times
type Flags []Flag

// UnmarshalYAML reads a mapping, and keeps its order.
func (f *Flags) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.MappingNode {
		return errors.New("want a mapping from flag to value, such as --tp: 8")
	}
	var out Flags
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		name, value := n.Content[i].Value, n.Content[i+1]
		if seen[name] {
			return at(n.Content[i], fmt.Errorf("flag %s is here twice; write --flag: [[first], [second]] for a flag that the engine takes several times", name))
		}
		seen[name] = true
		uses, err := flagUses(value)
		if err != nil {
			return err
		}
		for _, values := range uses {
			out = append(out, Flag{Name: name, Values: values})
		}
	}
	*f = out
	return nil
}

// flagUses reads the value of a flag: a list of uses, each a list of values.
func flagUses(n *yaml.Node) ([][]Value, error) {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch {
	case n.Kind == yaml.ScalarNode && (n.Tag == "!!null" || n.Tag == "!!bool" && n.Value == "true"):
		return [][]Value{nil}, nil
	case n.Kind == yaml.ScalarNode && n.Tag == "!!bool" && n.Value == "false":
		return nil, at(n, errors.New(`a switch is on or not there: leave it out, write the engine's own negative (--no-…), or "false" for a value of that text`))
	case n.Kind == yaml.SequenceNode && len(n.Content) > 0 && n.Content[0].Kind == yaml.SequenceNode:
		var uses [][]Value
		for _, use := range n.Content {
			values, err := flagValues(use)
			if err != nil {
				return nil, err
			}
			uses = append(uses, values)
		}
		return uses, nil
	case n.Kind == yaml.SequenceNode:
		values, err := flagValues(n)
		return [][]Value{values}, err
	}
	var v Value
	if err := v.UnmarshalYAML(n); err != nil {
		return nil, at(n, err)
	}
	return [][]Value{{v}}, nil
}

func flagValues(n *yaml.Node) ([]Value, error) {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		return nil, at(n, errors.New("want a list of values here"))
	}
	var values []Value
	for _, item := range n.Content {
		var v Value
		if err := v.UnmarshalYAML(item); err != nil {
			return nil, at(item, err)
		}
		values = append(values, v)
	}
	return values, nil
}

// MarshalYAML writes what UnmarshalYAML reads.
func (f Flags) MarshalYAML() (any, error) {
	uses := map[string][][]Value{}
	var order []string
	for _, flag := range f {
		if uses[flag.Name] == nil {
			order = append(order, flag.Name)
		}
		uses[flag.Name] = append(uses[flag.Name], flag.Values)
	}
	m := &yaml.Node{Kind: yaml.MappingNode}
	for _, name := range order {
		var value any
		switch u := uses[name]; {
		case len(u) > 1:
			value = u
		case len(u[0]) > 1:
			value = u[0]
		case len(u[0]) == 1:
			value = u[0][0]
		}
		var k, v yaml.Node
		if err := k.Encode(name); err != nil {
			return nil, err
		}
		if err := v.Encode(value); err != nil {
			return nil, err
		}
		m.Content = append(m.Content, &k, &v)
	}
	return m, nil
}

// Get returns the values of the last use of a flag, which is the one that
// counts for most engines.
func (f Flags) Get(name string) (values []Value, ok bool) {
	for _, flag := range f {
		if flag.Name == name {
			values, ok = flag.Values, true
		}
	}
	return values, ok
}
