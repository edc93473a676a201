package jsonlex

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf8"

	"pgregory.net/rapid"
)

// lex skips one value through a window of a size; bytes come one at a time.
func lex(data []byte, window int) error {
	l := New(iotest.OneByteReader(bytes.NewReader(data)), window)
	if window > 8 {
		l = New(bytes.NewReader(data), window)
	}
	if err := l.Skip(); err != nil {
		return err
	}
	_, err := l.End()
	return err
}

// strict reports whether the standard library takes the text, and it holds
// nothing that this package is stricter about.
func strict(data []byte) (valid, known bool) {
	if !json.Valid(data) {
		return false, true
	}
	return utf8.Valid(data) && !bytes.Contains(data, []byte(`\u`)), utf8.Valid(data) && !bytes.Contains(data, []byte(`\u`))
}

func TestAgreesWithEncodingJSON(t *testing.T) {
	texts := []string{
		`{}`, `[]`, `""`, `0`, `-0`, `-1.5e+3`, `1E5`, `01`, `-`, `+1`, `.5`, `1.`, `1e`, `1e+`, `tru`, `true`, `nul`, `null`, `[1,]`, `[,1]`, `{"a"}`, `{"a":}`, `{"a":1,}`,
		`{"a":1 "b":2}`, `{a:1}`, `{'a':1}`, `"\x"`, `"\/\b\f\n\r\t\"\\"`, "\"\t\"", "\"\x00\"", `"`, `"\`, ``, ` `, ` 1 `, `1 2`, `[[[[]]]]`, `{"a":{"b":[{},{"c":null}]}}`, "\ufeff1", `"é😀"`, `[1 2]`, `{"a":1]`, `[1}`,
	}
	for _, s := range texts {
		for _, window := range []int{1, 2, 3, 7, 64} {
			if err := lex([]byte(s), window); (err == nil) != json.Valid([]byte(s)) {
				t.Errorf("%q through %d: %v", s, window, err)
			}
		}
	}
	pieces := rapid.SampledFrom([]string{"{", "}", "[", "]", ",", ":", `"a"`, `"é"`, `"\n"`, "1", "-2.5e3", "true", "null", " ", "\n", `"`, "x", "0"})
	rapid.Check(t, func(t *rapid.T) {
		s := []byte(strings.Join(rapid.SliceOfN(pieces, 1, 12).Draw(t, "pieces"), ""))
		window := rapid.IntRange(1, 20).Draw(t, "window")
		if valid, known := strict(s); known {
			if err := lex(s, window); (err == nil) != valid {
				t.Fatalf("%q through %d: %v", s, window, err)
			}
		}
	})
}

// Whatever the window, a map reads as encoding/json reads it.
func TestObject(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := rapid.MapOfN(rapid.String(), rapid.Int64Range(0, 1<<62), 0, 8).Draw(t, "map")
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if rapid.Bool().Draw(t, "indent") {
			var b bytes.Buffer
			if err := json.Indent(&b, data, " ", "\t"); err != nil {
				t.Fatal(err)
			}
			data = b.Bytes()
		}
		l := New(bytes.NewReader(data), rapid.IntRange(1, 40).Draw(t, "window"))
		got := make(map[string]int64)
		err = l.Object(1000, func(key []byte) error {
			k := string(key)
			n, err := l.Int()
			got[k] = n
			return err
		})
		if _, err2 := l.End(); err != nil || err2 != nil || len(got) != len(want) {
			t.Fatalf("%q: %v, %v, %v", data, got, err, err2)
		}
		for k, v := range want {
			if got[k] != v {
				t.Fatalf("%q: %d, want %d", k, got[k], v)
			}
		}
	})
}

func TestBounds(t *testing.T) {
	for _, window := range []int{1, 5, 100} {
		l := New(strings.NewReader(`"abcdefghij" "abcdefghij" "éé" "abc"`), window)
		if b, whole, err := l.Prefix(4); err != nil || whole || string(b) != "abcd" {
			t.Errorf("%q, %v, %v", b, whole, err)
		}
		if b, whole, err := l.Prefix(10); err != nil || !whole || string(b) != "abcdefghij" {
			t.Errorf("%q, %v, %v", b, whole, err)
		}
		if b, whole, err := l.Prefix(3); err != nil || whole || string(b) != "é" {
			t.Errorf("%q, %v, %v", b, whole, err)
		}
		if _, err := l.String(2); err == nil {
			t.Error("a longer string")
		}
	}
	if err := lex([]byte(strings.Repeat("[", 1<<20)), 4096); err == nil || !strings.Contains(err.Error(), "deeper") {
		t.Error(err)
	}
	for text, want := range map[string]int64{"0": 0, "9223372036854775807": 1<<63 - 1, "9223372036854775808": -1, "00": -1, "1.0": -1, "1e1": -1, "-1": -1, "x": -1, "": -1} {
		n, err := New(strings.NewReader(text), 3).Int()
		if err != nil {
			n = -1
		}
		if n != want {
			t.Errorf("%s: %d, %v", text, n, err)
		}
	}
	for text, want := range map[string]int64{"12 ": 12, "1.5": -1, "1e3": -1, "99999999999999999999999": -1} {
		n, whole, err := New(strings.NewReader(text), 3).Number()
		if !whole {
			n = -1
		}
		if n != want || err != nil {
			t.Errorf("%s: %d, %v", text, n, err)
		}
	}
}

func TestStricterThanEncodingJSON(t *testing.T) {
	for _, s := range []string{"\"\xff\"", "\"\xc0\x80\"", "\"\xed\xa0\x80\"", "\"\xf4\x90\x80\x80\"", "\"\xe2\x82\"", `"\ud83d"`, `"\ud83d\u0041"`, `"\ude00"`, `"\ud83dx"`, `"\uZZZZ"`} {
		for _, window := range []int{1, 3, 64} {
			var syntax *SyntaxError
			if err := lex([]byte(s), window); !errors.As(err, &syntax) {
				t.Errorf("%q: %v", s, err)
			}
		}
	}
	l := New(strings.NewReader(`"\ud83d\ude00\u00e9"`), 2)
	if b, err := l.String(100); err != nil || string(b) != "😀é" {
		t.Errorf("%q, %v", b, err)
	}
}

func TestReadError(t *testing.T) {
	l := New(io.MultiReader(strings.NewReader(`{"a`), iotest.ErrReader(io.ErrClosedPipe)), 2)
	if err := l.Skip(); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
	var syntax *SyntaxError
	if err := New(strings.NewReader(`{"a`), 2).Skip(); !errors.As(err, &syntax) || !syntax.Ended {
		t.Error(err)
	}
	spaces := []string{"1   ", "1 \n"}
	var got []bool
	for _, s := range spaces {
		l := New(strings.NewReader(s), 1)
		if err := l.Skip(); err != nil {
			t.Fatal(err)
		}
		only, err := l.End()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, only)
	}
	if !slices.Equal(got, []bool{true, false}) {
		t.Error(got)
	}
}
