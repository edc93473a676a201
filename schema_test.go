package kilter_test

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"kilter/internal/audit"
	"kilter/internal/cli"
	"kilter/internal/dialect"
	"kilter/internal/report"
	"kilter/internal/verify"
)

// The documents whose Go types are known here. (kilter.deployment/v1 is tested
// by its own package, kilter.checks/v1 by TestChecksDocument.)
func documents() map[string]reflect.Type {
	return map[string]reflect.Type{
		"verdict.v1.json": reflect.TypeFor[verify.Report](),
		"record.v1.json":  reflect.TypeFor[verify.Record](),
		"version.v1.json": reflect.TypeFor[cli.Version](),
		"inspect.v1.json": reflect.TypeFor[cli.Inspection](),
		"audit.v1.json":   reflect.TypeFor[audit.Report](),
		"finding.v1.json": reflect.TypeFor[cli.FindingExplanation](),
	}
}

const schemaDir = "docs/schema"

// readSchema returns a schema as a generic value.
func readSchema(t *testing.T, file string) map[string]any {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(schemaDir, file))
	if err != nil {
		t.Fatal(err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(b))
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return v.(map[string]any)
}

// strictSchemas compiles every schema of the folder in its strict variant: an
// object with properties has no others. What is published allows more, so that
// a document can grow; here, a member that no schema names is a defect.
func strictSchemas(t *testing.T) map[string]*jsonschema.Schema {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(schemaDir, "*.json"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no schemas in %s: %v", schemaDir, err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.AssertFormat()
	const base = "https://schema.test/"
	for _, path := range files {
		doc := readSchema(t, filepath.Base(path))
		delete(doc, "$id")
		forbidOthers(doc)
		if err := compiler.AddResource(base+filepath.Base(path), doc); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
	}
	out := map[string]*jsonschema.Schema{}
	for _, path := range files {
		s, err := compiler.Compile(base + filepath.Base(path))
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out[filepath.Base(path)] = s
	}
	return out
}

func forbidOthers(schema any) {
	switch s := schema.(type) {
	case []any:
		for _, x := range s {
			forbidOthers(x)
		}
	case map[string]any:
		if _, ok := s["properties"].(map[string]any); ok && s["type"] == "object" {
			if _, set := s["additionalProperties"]; !set {
				s["additionalProperties"] = false
			}
		}
		for _, x := range s {
			forbidOthers(x)
		}
	}
}

// Every member of a Go type stands in the schema and every member of the schema
// in the type, with the same JSON type; what is always written is required.
func TestSchemasMirrorTheTypes(t *testing.T) {
	for file, typ := range documents() {
		t.Run(file, func(t *testing.T) {
			m := &mirror{t: t, seen: map[string]bool{}}
			m.same(typ, readSchema(t, file), file, file)
		})
	}
}

// A mirror compares types with schemas.
type mirror struct {
	t    *testing.T
	seen map[string]bool
}

// resolve follows a $ref, which may lead into another file.
func (m *mirror) resolve(schema map[string]any, file string) (map[string]any, string) {
	for {
		ref, ok := schema["$ref"].(string)
		if !ok {
			return schema, file
		}
		path, pointer, _ := strings.Cut(ref, "#/")
		if path != "" {
			file = path
		}
		var at any = readSchema(m.t, file)
		for _, step := range strings.Split(pointer, "/") {
			at = at.(map[string]any)[step]
		}
		if schema, ok = at.(map[string]any); !ok {
			m.t.Fatalf("%s: %s leads nowhere", file, ref)
		}
	}
}

func (m *mirror) same(typ reflect.Type, schema map[string]any, file, at string) {
	schema, file = m.resolve(schema, file)
	for typ.Kind() == reflect.Pointer {
		typ = typ.Elem()
	}
	if seen := typ.String() + file + fmt.Sprint(schema["description"]); m.seen[seen] && typ.Kind() == reflect.Struct {
		return
	} else {
		m.seen[seen] = true
	}
	if want := jsonTypes(typ); want != "" {
		if got := typesOf(schema); !strings.Contains(got, want) {
			m.t.Errorf("%s: type %s in the schema, %s in Go (%s)", at, got, want, typ)
		}
		return
	}
	switch typ.Kind() {
	case reflect.Slice:
		m.same(typ.Elem(), object(schema["items"]), file, at+"[]")
	case reflect.Map:
		m.same(typ.Elem(), object(schema["additionalProperties"]), file, at+"{}")
	case reflect.Struct:
		m.members(typ, schema, file, at)
	}
}

func (m *mirror) members(typ reflect.Type, schema map[string]any, file, at string) {
	properties := object(schema["properties"])
	required, _ := schema["required"].([]any)
	known := map[string]bool{}
	for _, f := range reflect.VisibleFields(typ) {
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous || name == "-" {
			continue
		}
		known[name] = true
		p, ok := properties[name].(map[string]any)
		if !ok {
			m.t.Errorf("%s.%s (%s.%s) is not in %s", at, name, typ, f.Name, file)
			continue
		}
		if always := !strings.Contains(options, "omit"); always != slices.Contains(required, any(name)) {
			m.t.Errorf("%s.%s: always written is %v, so required should be too", at, name, always)
		}
		m.same(f.Type, p, file, at+"."+name)
	}
	for name := range properties {
		if !known[name] {
			m.t.Errorf("%s.%s is in %s, but not in %s", at, name, file, typ)
		}
	}
}

func object(v any) map[string]any {
	o, _ := v.(map[string]any)
	return o
}

// jsonTypes returns the JSON type of a Go type that is written whole; "" for
// those whose parts are compared.
func jsonTypes(typ reflect.Type) string {
	switch {
	case typ == reflect.TypeFor[time.Duration]():
		return "integer"
	case typ == reflect.TypeFor[json.RawMessage](), typ == reflect.TypeFor[dialect.Number](), typ.Kind() == reflect.Interface:
		return "any"
	case typ == reflect.TypeFor[time.Time](), typ.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return "string"
	}
	switch typ.Kind() {
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64:
		return "integer"
	case reflect.Float64:
		return "number"
	}
	return ""
}

// typesOf names the types that a schema allows; "any" stands for one that does
// not say.
func typesOf(schema map[string]any) string {
	switch typ := schema["type"].(type) {
	case string:
		return typ
	case []any:
		return fmt.Sprint(typ...)
	}
	for _, words := range []any{schema["enum"], schema["const"]} {
		if words != nil {
			return "string"
		}
	}
	return "any"
}

// Documents with nothing set, with everything set, and with the largest and
// strangest values that JSON can hold.
func TestDocumentsMatchTheirSchemas(t *testing.T) {
	schemas := strictSchemas(t)
	for _, fill := range []filler{{}, {full: true}, {full: true, huge: true}} {
		for file, typ := range documents() {
			t.Run(fmt.Sprintf("%s/full=%v/huge=%v", file, fill.full, fill.huge), func(t *testing.T) {
				v := reflect.New(typ)
				fill.fill(v.Elem())
				var b bytes.Buffer
				var err error
				switch doc := v.Interface().(type) {
				case *verify.Report:
					doc.Schema, doc.Verdict = verify.ReportSchema, verify.Consistent
					err = report.Write(&b, doc, report.Options{Format: "json"})
				case *verify.Record:
					doc.Schema = verify.RecordSchema
					err = json.NewEncoder(&b).Encode(doc)
				case *cli.Version:
					doc.Schema = "kilter.version/v1"
					err = json.NewEncoder(&b).Encode(doc)
				case *audit.Report:
					doc.Schema, doc.Verdict = audit.ReportSchema, audit.Sound
					err = report.WriteAudit(&b, doc, report.Options{Format: "json"})
				case *cli.FindingExplanation:
					doc.Schema = "kilter.finding/v1"
					doc.Severity, doc.Group, doc.Code = audit.Broken, audit.Values, audit.CodeNaNValue
					err = json.NewEncoder(&b).Encode(doc)
				case *cli.Inspection:
					doc.Schema = "kilter.inspect/v1"
					err = cli.WriteInspection(&b, doc)
				}
				if err != nil {
					t.Fatal(err)
				}
				validate(t, schemas[file], b.Bytes())
			})
		}
	}
}

// What kilter inspect prints of each family's checkpoint.
func TestInspectionsMatchTheirSchema(t *testing.T) {
	schema := strictSchemas(t)["inspect.v1.json"]
	files, err := filepath.Glob("internal/cli/testdata/inspect/*.json")
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents: %v", err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		validate(t, schema, b)
	}
}

func validate(t *testing.T, schema *jsonschema.Schema, doc []byte) {
	t.Helper()
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(doc))
	if err != nil {
		t.Fatalf("%v\n%s", err, doc)
	}
	if err := schema.Validate(v); err != nil {
		t.Errorf("%v\n%.300q", err, doc)
	}
}

// A filler sets every field of a value.
type filler struct{ full, huge bool }

func (f filler) fill(v reflect.Value) {
	switch v.Interface().(type) {
	case verify.Status:
		v.SetString(string(verify.Fail))
		return
	case verify.Word:
		v.SetString(string(verify.Wrong))
		return
	case verify.Effect:
		v.SetInt(int64(verify.Wrongs))
		return
	case audit.Severity:
		v.SetString(string(audit.Broken))
		return
	case audit.Group:
		v.SetString(string(audit.Values))
		return
	case audit.Code:
		v.SetString(string(audit.CodeNaNValue))
		return
	case verify.Level:
		v.SetInt(int64(verify.Deep))
		return
	case time.Time:
		v.Set(reflect.ValueOf(time.Date(2026, 11, 29, 3, 15, 2, 123456789, time.UTC)))
		return
	case json.RawMessage:
		if f.full {
			v.Set(reflect.ValueOf(json.RawMessage(`{"any":["thing",null,1e300]}`)))
		}
		return
	case dialect.Number:
		if f.full {
			v.Set(reflect.ValueOf(dialect.Num(math.NaN())))
		}
		return
	}
	if !f.full && v.Kind() != reflect.Struct {
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem())
	case reflect.Slice:
		n := 1
		if f.huge && v.Type().Elem().Kind() != reflect.Struct {
			n = 20
		}
		v.Set(reflect.MakeSlice(v.Type(), n, n))
		for i := range n {
			f.fill(v.Index(i))
		}
		if numbers, ok := v.Interface().([]dialect.TopLogprob); ok && f.huge {
			numbers[0].Logprob = dialect.Number{Kind: dialect.Null}
		}
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		f.fill(key)
		f.fill(value)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Interface:
		v.Set(reflect.ValueOf(map[string]any{"list": []any{1.5, "two", nil, true}}))
	case reflect.String:
		v.SetString("text")
		if f.huge {
			v.SetString(strings.Repeat("!\x1b\xff界", 1_000))
		}
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
		if f.huge {
			v.SetInt(math.MaxInt64)
		}
	case reflect.Float64:
		v.SetFloat(0.5)
		if f.huge {
			v.SetFloat(math.MaxFloat64)
		}
	default:
		panic("filler: " + v.Type().String())
	}
}

// Every kind of number survives the way into a document.
func TestNumbersMatchTheirSchema(t *testing.T) {
	schema := strictSchemas(t)["record.v1.json"]
	for _, n := range []dialect.Number{
		{}, {Kind: dialect.Null}, dialect.Num(math.NaN()), dialect.Num(math.Inf(1)), dialect.Num(math.Inf(-1)),
		dialect.Num(-0.25), dialect.Num(math.MaxFloat64), {Kind: dialect.Finite, Value: math.NaN()},
	} {
		rec := &verify.Record{Schema: verify.RecordSchema, Observations: []verify.Observation{{Shots: []verify.Shot{{
			Exchange: &dialect.Exchange{Answer: &dialect.Answer{Choices: []dialect.Choice{{
				Logprobs: []dialect.TokenLogprob{{Logprob: n, Top: []dialect.TopLogprob{{Logprob: n}}}},
			}}}, Scores: []dialect.Score{{Logprob: n}}},
		}}}}}
		b, err := json.Marshal(rec)
		if err != nil {
			t.Fatalf("%v: %v", n, err)
		}
		validate(t, schema, b)
	}
}

// The strict variant does catch what no schema names.
func TestStrictSchemasAreStrict(t *testing.T) {
	schema := strictSchemas(t)["version.v1.json"]
	good := `{"schema":"kilter.version/v1","version":"devel","go":"go1.26","platform":"linux/amd64"}`
	validate(t, schema, []byte(good))
	for _, bad := range []string{
		strings.Replace(good, `"go"`, `"undocumented":1,"go"`, 1),
		strings.Replace(good, `"version":"devel",`, "", 1),
		strings.Replace(good, "version/v1", "version/v2", 1),
	} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(bad))
		if err != nil {
			t.Fatal(err)
		}
		if schema.Validate(v) == nil {
			t.Errorf("accepted: %s", bad)
		}
	}
}
