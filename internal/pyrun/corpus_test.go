package pyrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// expectation is what testdata/record.py wrote about a file of the corpus.
type expectation struct {
	Load   *outcome
	Output string
	Calls  []outcome
}

type outcome struct {
	Expr, Raises, Message string
	Result                *string
}

// TestCorpus executes the corpus and compares with CPython: results by repr,
// exceptions by class and message, and what was printed.
func TestCorpus(t *testing.T) {
	b, err := os.ReadFile("testdata/expected.json")
	if err != nil {
		t.Fatal(err)
	}
	var expected map[string]expectation
	if err := json.Unmarshal(b, &expected); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	calls := 0
	for name, want := range expected {
		calls += len(want.Calls)
		t.Run(strings.TrimSuffix(name, ".py"), func(t *testing.T) {
			src, err := os.ReadFile("testdata/" + name)
			if err != nil {
				t.Fatal(err)
			}
			compareModule(ctx, t, string(src), want)
		})
	}
	if calls < 1000 {
		t.Errorf("the corpus has only %d calls", calls)
	}
}

func compareModule(ctx context.Context, t *testing.T, src string, want expectation) {
	// Every expression becomes a function of the module.
	var b strings.Builder
	b.WriteString(src)
	for i, c := range want.Calls {
		fmt.Fprintf(&b, "\ndef kilter_call_%d():\n    return (%s)\n", i, c.Expr)
	}
	m, err := Load(ctx, b.String(), Limits{})
	if want.Load != nil {
		if got := describe(nil, nil, err); got != wanted(*want.Load) {
			t.Errorf("loading: got %s, want %s", got, wanted(*want.Load))
		}
		return
	}
	if err != nil {
		t.Fatalf("loading: %v", err)
	}
	for i, c := range want.Calls {
		v, err := m.call(ctx, fmt.Sprintf("kilter_call_%d", i), nil)
		if got := describe(m, v, err); got != wanted(c) {
			t.Errorf("%s\n got %s\nwant %s", c.Expr, got, wanted(c))
		}
	}
	if got, _ := m.Output(); got != want.Output {
		t.Errorf("output\n got %q\nwant %q", got, want.Output)
	}
}

func wanted(o outcome) string {
	if o.Result != nil {
		return *o.Result
	}
	return o.Raises + ": " + o.Message
}

func describe(m *Module, v value, err error) string {
	var r *Raised
	switch {
	case errors.As(err, &r):
		return r.Class + ": " + r.Message
	case err != nil:
		return "error: " + err.Error()
	}
	s, err := m.in.repr(v)
	if err != nil {
		return "repr: " + err.Error()
	}
	return s.s
}

// TestNames: a name that CPython has must never look like a mistake of the
// program, implemented or not.
func TestNames(t *testing.T) {
	b, err := os.ReadFile("testdata/names.json")
	if err != nil {
		t.Fatal(err)
	}
	var names map[string][]string
	if err := json.Unmarshal(b, &names); err != nil {
		t.Fatal(err)
	}
	of := map[string]string{
		"int": "5", "float": "5.5", "bool": "True", "str": "'a'", "list": "[]", "tuple": "()", "dict": "{}", "set": "set()",
		"frozenset": "frozenset()", "range": "range(3)", "slice": "slice(1)", "property": "property(len)",
		"generator": "(x for x in ())", "Exception": "ValueError()", "function": "(lambda: 0)", "builtins": "", "math": "",
	}
	n := 0
	for typ, list := range names {
		expr, ok := of[typ]
		if !ok {
			t.Errorf("no expression for %s", typ)
		}
		for _, name := range list {
			n++
			src := "x = " + expr + "." + name
			switch typ {
			case "builtins":
				src = "x = " + name
			case "math":
				src = "import math\nx = math." + name
			}
			if _, err := Load(t.Context(), src, Limits{}); kindOf(err) == errRaised {
				t.Errorf("%s: %v", src, err)
			}
		}
	}
	if n < 200 {
		t.Errorf("only %d names", n)
	}
}
