package dialect

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestQuoteNonFinite(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":NaN}`:                   `{"a":"NaN"}`,
		`[NaN, Infinity,-Infinity]`:   `[NaN, Infinity,-Infinity]`,
		`{"a":nan,"b":inf,"c":-inf}`:  `{"a":"NaN","b":"Infinity","c":"-Infinity"}`,
		`{"a":-nan}`:                  `{"a":"NaN"}`,
		`{"a":"NaN happened"}`:        `{"a":"NaN happened"}`,
		`{"a":"x\"NaN","b":1}`:        `{"a":"x\"NaN","b":1}`,
		`{"a":null,"b":true,"c":1e5}`: `{"a":null,"b":true,"c":1e5}`,
		`{"a":"unclosed NaN`:          `{"a":"unclosed NaN`,
		`NaN`:                         `"NaN"`,
		`nanny`:                       `nanny`,
		`{"a":info}`:                  `{"a":info}`,
		`{"a":"\\"}NaN`:               `{"a":"\\"}"NaN"`,
	} {
		if in == `[NaN, Infinity,-Infinity]` {
			want = `["NaN", "Infinity","-Infinity"]`
		}
		got, found := quoteNonFinite([]byte(in))
		if string(got) != want || found != (in != want) {
			t.Errorf("quoteNonFinite(%s) = %s, %v; want %s", in, got, found, want)
		}
	}
}

func FuzzNaNRewriter(f *testing.F) {
	for _, s := range []string{`{"a":NaN,"b":[-Infinity,"NaN \" inf"]}`, `nan`, `"\`, `{"a":-inf}`, "[1,2"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		before := bytes.Clone(b)
		out, found := quoteNonFinite(b)
		if !bytes.Equal(b, before) {
			t.Fatal("the input was changed")
		}
		if !found && !bytes.Equal(out, b) {
			t.Fatalf("changed without saying so: %q", out)
		}
		if json.Valid(b) && found {
			t.Fatalf("valid JSON was changed: %q to %q", b, out)
		}
		if again, found := quoteNonFinite(out); found {
			t.Fatalf("not done at once: %q to %q", out, again)
		}
	})
}
