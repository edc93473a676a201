package deployment

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"sort"
	"strings"

	"go.yaml.in/yaml/v4"

	"kilter/internal/spell"
)

// maxFile is far above what any deployment needs.
const maxFile = 1 << 20

// Load reads and parses the file at path.
func Load(path string) (*Deployment, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("deployment file: %w", err)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFile+1))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, fmt.Errorf("deployment file: %w", err)
	}
	return Parse(path, data)
}

// Parse reads a deployment and validates it. The error is of type Errors; file
// is the name that it gives.
func Parse(file string, data []byte) (*Deployment, error) {
	p := &parser{file: file, lines: strings.Split(string(data), "\n")}
	if len(data) > maxFile {
		return nil, p.fail(0, 0, fmt.Sprintf("is over %d bytes, and so no deployment file", maxFile))
	}
	doc, err := p.document(data)
	if err != nil {
		return nil, err
	}
	d := &Deployment{}
	if err := doc.Load(d, yaml.WithKnownFields()); err != nil {
		return nil, p.translate(err)
	}
	var errs Errors
	for _, problem := range d.Validate() {
		n := find(doc, problem)
		errs = append(errs, p.error(n.Line, n.Column, problem.Error()))
	}
	if len(errs) > 0 {
		sort.SliceStable(errs, func(i, k int) bool { return errs[i].Line < errs[k].Line })
		return nil, errs
	}
	return d, nil
}

type parser struct {
	file  string
	lines []string
}

// document returns the root node of the only document in data.
func (p *parser) document(data []byte) (*yaml.Node, error) {
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err != nil {
		return nil, p.fail(0, 0, err.Error())
	}
	var doc, second yaml.Node
	switch err := loader.Load(&doc); {
	case errors.Is(err, io.EOF), err == nil && len(doc.Content) == 0, err == nil && doc.Content[0].Tag == "!!null":
		return nil, p.fail(0, 0, "is empty; a deployment file starts with schema: "+Schema)
	case err != nil:
		return nil, p.translate(err)
	}
	switch err := loader.Load(&second); {
	case err == nil:
		return nil, p.fail(second.Line, second.Column, "a second document starts here; write one deployment a file")
	case !errors.Is(err, io.EOF):
		return nil, p.translate(err)
	}
	return &doc, nil
}

func (p *parser) error(line, col int, says string) *Error {
	e := &Error{File: p.file, Line: line, Column: col, Says: says}
	if line > 0 && line <= len(p.lines) {
		e.Source = strings.TrimSuffix(p.lines[line-1], "\r")
	}
	return e
}

func (p *parser) fail(line, col int, says string) Errors {
	return Errors{p.error(line, col, says)}
}

// translate turns what the YAML library says of Go types into what a person
// who edits the file can use.
func (p *parser) translate(err error) Errors {
	var many *yaml.LoadErrors
	if !errors.As(err, &many) {
		var one *yaml.LoadError
		if !errors.As(err, &one) {
			return p.fail(0, 0, err.Error())
		}
		many = &yaml.LoadErrors{Errors: []*yaml.LoadError{one}}
	}
	var out Errors
	for _, e := range many.Errors {
		says := e.Message
		if m := unknownField.FindStringSubmatch(says); m != nil {
			says = fmt.Sprintf("unknown field %q", m[1])
			if known := fields()[m[2]]; len(known) > 0 {
				if near := spell.Nearest(m[1], known); near != "" {
					says += fmt.Sprintf("; did you mean %q?", near)
				} else {
					says += "; known here: " + strings.Join(known, ", ")
				}
			}
		} else if m := wrongKind.FindStringSubmatch(says); m != nil {
			says = "want " + wanted(m[2]) + " here, not " + kindOf(m[1])
		} else if m := twice.FindStringSubmatch(says); m != nil {
			says = fmt.Sprintf("%q is already set in line %s", m[1], m[2])
		} else if e.ContextMsg != "" {
			says += " (" + e.ContextMsg + fmt.Sprintf(" from line %d on)", e.ContextMark.Line)
		}
		out = append(out, p.error(e.Mark.Line, e.Mark.Column, says))
	}
	return out
}

// What the YAML library says. Its wording is held by this package's tests.
var (
	unknownField = regexp.MustCompile(`^field (.*) not found in type (\S+)$`)
	wrongKind    = regexp.MustCompile("(?s)^cannot construct !!(\\w+)(?: `.*`)? into (\\S+)")
	twice        = regexp.MustCompile(`^mapping key "(.*)" already defined at line (\d+)$`)
)

func kindOf(tag string) string {
	switch tag {
	case "map":
		return "a mapping"
	case "seq":
		return "a list"
	case "null":
		return "nothing"
	}
	return "a single value"
}

func wanted(goType string) string {
	switch {
	case goType == "string":
		return "a text"
	case goType == "bool":
		return "true or false"
	case strings.HasPrefix(goType, "[]"):
		return "a list"
	}
	if known := fields()[goType]; len(known) > 0 {
		return "a mapping with " + strings.Join(known, ", ")
	}
	return "a mapping"
}

// fields returns the names of the fields by Go type.
func fields() map[string][]string {
	out := map[string][]string{}
	var walk func(reflect.Type)
	walk = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			walk(t.Elem())
			return
		case reflect.Struct:
		default:
			return
		}
		for f := range t.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			if name == "" {
				continue
			}
			out[t.String()] = append(out[t.String()], name)
			walk(f.Type)
		}
	}
	walk(reflect.TypeFor[Deployment]())
	out["deployment.plain"] = []string{"env", "file"} // Secret inside its UnmarshalYAML
	return out
}

// find returns the node of a problem below doc, or the deepest one on the way.
func find(doc *yaml.Node, p Problem) *yaml.Node {
	n := doc.Content[0]
	for i, name := range p.Path {
		for n.Kind == yaml.AliasNode {
			n = n.Alias
		}
		key := -1
		for k := 0; n.Kind == yaml.MappingNode && k+1 < len(n.Content); k += 2 {
			if n.Content[k].Value == name {
				key = k
			}
		}
		switch {
		case key < 0:
			return n
		case p.Key && i == len(p.Path)-1:
			return n.Content[key]
		}
		n = n.Content[key+1]
	}
	return n
}

// at gives an error the place of a node.
func at(n *yaml.Node, err error) error {
	return &yaml.LoadErrors{Errors: []*yaml.LoadError{
		yaml.NewLoadError("constructor", err.Error(), yaml.Mark{Line: n.Line, Column: n.Column}, err),
	}}
}
