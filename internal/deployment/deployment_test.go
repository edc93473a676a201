package deployment_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"

	"kilter/internal/deployment"
)

var update = flag.Bool("update", false, "rewrite testdata/bad/*.want")

const schemaFile = "../../docs/schema/deployment.v1.json"

func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.NewCompiler().Compile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plain reads a YAML file as a JSON Schema validator in an editor does.
func plain(data []byte) (any, error) {
	var v any
	if err := yaml.Load(data, &v); err != nil {
		return nil, err
	}
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return jsonschema.UnmarshalJSON(bytes.NewReader(b))
}

func glob(t *testing.T, pattern string) map[string][]byte {
	t.Helper()
	paths, err := filepath.Glob(pattern)
	if err != nil || len(paths) == 0 {
		t.Fatalf("%s: %v %v", pattern, paths, err)
	}
	out := map[string][]byte{}
	for _, p := range paths {
		data, err := os.ReadFile(p)
		if err != nil {
			t.Fatal(err)
		}
		out[p] = data
	}
	return out
}

func TestGood(t *testing.T) {
	sch := schema(t)
	for path, data := range glob(t, "testdata/good/*.yaml") {
		d, err := deployment.Load(path)
		if err != nil {
			t.Error(err)
			continue
		}
		v, err := plain(data)
		if err != nil {
			t.Fatal(err)
		}
		if err := sch.Validate(v); err != nil {
			t.Errorf("%s: %v", path, err)
		}
		// What is written is read back the same.
		out, err := yaml.Dump(d)
		if err != nil {
			t.Fatal(err)
		}
		again, err := deployment.Parse("again", out)
		if err != nil {
			t.Errorf("%s: written again:\n%s\n%v", path, out, err)
			continue
		}
		if diff := cmp.Diff(d, again, cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: written and read again (-was +is):\n%s\n%s", path, diff, out)
		}
	}
}

func TestValuesAreKeptAsWritten(t *testing.T) {
	d, err := deployment.Load("testdata/good/systemd.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text := func(s ...string) (out []deployment.Value) {
		for _, v := range s {
			out = append(out, deployment.Value{Text: v})
		}
		return out
	}
	key := deployment.Secret{File: "/run/secrets/qwen-key"}
	want := deployment.Flags{
		{Name: "--tp", Values: text("8")},
		{Name: "--quantization", Values: text("modelopt_fp4")},
		{Name: "--mem-fraction-static", Values: text("0.90")},
		{Name: "--trust-remote-code"},
		{Name: "--enable-metrics"},
		{Name: "--cuda-graph-bs", Values: text("1", "2", "4")},
		{Name: "--attention-backend", Values: text("triton")},
		{Name: "--api-key", Values: []deployment.Value{{Secret: key}}},
	}
	if diff := cmp.Diff(want, d.Engine.Flags); diff != "" {
		t.Errorf("flags (-want +got):\n%s", diff)
	}
	if d.Engine.Version != "0.10" || d.Engine.Commit != "1234567" {
		t.Errorf("version %q, commit %q: want them as written", d.Engine.Version, d.Engine.Commit)
	}
	if d.Endpoint.APIKey != key || d.Limits.Downtime != deployment.Duration(90*time.Minute) {
		t.Errorf("api_key %v, downtime %v", d.Endpoint.APIKey, d.Limits.Downtime)
	}
	if v, ok := d.Engine.Flags.Get("--tp"); !ok || v[0].Text != "8" {
		t.Errorf("Get(--tp) = %v, %v", v, ok)
	}
	if _, ok := d.Engine.Flags.Get("--dp"); ok {
		t.Error("Get(--dp): it is not there")
	}
}

// Each bad file has its errors beside it; -update rewrites them.
func TestBad(t *testing.T) {
	sch := schema(t)
	for path, data := range glob(t, "testdata/bad/*.yaml") {
		_, err := deployment.Load(path)
		var errs deployment.Errors
		if !errors.As(err, &errs) {
			t.Errorf("%s: error %v (%T), want Errors", path, err, err)
			continue
		}
		got := err.Error() + "\n"
		if strings.Contains(got, "0123456789abcdef") {
			t.Errorf("%s: the error repeats a secret:\n%s", path, got)
		}
		golden := strings.TrimSuffix(path, ".yaml") + ".want"
		if *update {
			if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(golden)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(want), got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
		// The schema knows what is wrong too, but for what it can't express.
		if slices.Contains([]string{"process-without-command", "literal-secrets", "two-documents"}, strings.TrimSuffix(filepath.Base(path), ".yaml")) {
			continue
		}
		if v, err := plain(data); err == nil && sch.Validate(v) == nil {
			t.Errorf("%s: the schema accepts it", path)
		}
	}
}

// The schema has the fields that the types have, and no others.
func TestSchemaHasTheFieldsOfTheTypes(t *testing.T) {
	data, err := os.ReadFile(schemaFile)
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := json.Unmarshal(data, &root); err != nil {
		t.Fatal(err)
	}
	var walk func(path string, typ reflect.Type, node map[string]any)
	walk = func(path string, typ reflect.Type, node map[string]any) {
		if typ.Kind() == reflect.Pointer {
			typ = typ.Elem()
		}
		if ref, ok := node["$ref"].(string); ok {
			node = root["$defs"].(map[string]any)[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		}
		props, _ := node["properties"].(map[string]any)
		if typ.Kind() != reflect.Struct || typ == reflect.TypeFor[deployment.Value]() {
			return
		}
		var have, want []string
		for name := range props {
			have = append(have, name)
		}
		for f := range typ.Fields() {
			name, _, _ := strings.Cut(f.Tag.Get("yaml"), ",")
			want = append(want, name)
			if sub, ok := props[name].(map[string]any); ok {
				walk(path+"."+name, f.Type, sub)
			}
		}
		slices.Sort(have)
		slices.Sort(want)
		if diff := cmp.Diff(want, have); diff != "" {
			t.Errorf("schema%s (-types +schema):\n%s", path, diff)
		}
	}
	walk("", reflect.TypeFor[deployment.Deployment](), root)
}

func TestLoadNamesTheFile(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "none.yaml")
	if _, err := deployment.Load(missing); err == nil || !strings.Contains(err.Error(), missing) {
		t.Errorf("Load of a missing file: %v", err)
	}
	big := filepath.Join(t.TempDir(), "big.yaml")
	if err := os.WriteFile(big, bytes.Repeat([]byte("# x\n"), 1<<19), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := deployment.Load(big); err == nil || !strings.Contains(err.Error(), "no deployment file") {
		t.Errorf("Load of a big file: %v", err)
	}
}

func FuzzParse(f *testing.F) {
	for _, pattern := range []string{"testdata/good/*.yaml", "testdata/bad/*.yaml"} {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, p := range paths {
			data, err := os.ReadFile(p)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := deployment.Parse("f.yaml", data)
		if err != nil {
			var errs deployment.Errors
			if !errors.As(err, &errs) || len(errs) == 0 || !strings.HasPrefix(err.Error(), "f.yaml") {
				t.Fatalf("error %q (%T) has no place", err, err)
			}
			return
		}
		if p := d.Validate(); len(p) > 0 {
			t.Fatalf("Parse accepted what Validate refuses: %v", p)
		}
		out, err := yaml.Dump(d)
		if err != nil {
			t.Fatal(err)
		}
		again, err := deployment.Parse("again.yaml", out)
		if err != nil {
			t.Fatalf("%v\nwritten as\n%s", err, out)
		}
		if diff := cmp.Diff(d, again, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("written and read again (-was +is):\n%s\n%s", diff, out)
		}
	})
}
