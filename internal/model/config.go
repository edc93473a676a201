package model

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strings"
)

// An object is a JSON object of a configuration. A key of another type than
// asked for is noted and reads as missing, as does null.
type object struct {
	at     string // what it is called in notes: "config.json", "config.json: text_config"
	fields map[string]any
	notes  *notes
}

// notes collects what a configuration has wrong.
type notes struct{ add func(string) }

// maxConfigDepth bounds the nesting of a configuration.
const maxConfigDepth = 64

// parseObject reads a JSON object as Python's json module would: NaN and
// Infinity are allowed, and read as null.
func parseObject(at string, data []byte, add func(string)) (object, bool) {
	o := object{at: at, notes: &notes{add}}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if depth(data) > maxConfigDepth {
		add(fmt.Sprintf("%s: nested deeper than %d", at, maxConfigDepth))
		return o, false
	}
	dec := json.NewDecoder(bytes.NewReader(withoutNaN(data)))
	dec.UseNumber()
	var v any
	if err := dec.Decode(&v); err != nil {
		add(fmt.Sprintf("%s is no valid JSON: %v", at, err))
		return o, false
	}
	fields, ok := v.(map[string]any)
	if !ok {
		add(fmt.Sprintf("%s is %s and no object", at, kindOf(v)))
		return o, false
	}
	o.fields = fields
	return o, true
}

// depth returns how deep brackets nest outside of strings.
func depth(data []byte) int {
	deep, most := 0, 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = endOfString(data, i) - 1
		case '{', '[':
			deep++
			most = max(most, deep)
		case '}', ']':
			deep--
		}
	}
	return most
}

// withoutNaN replaces NaN, Infinity and -Infinity outside of strings by null.
func withoutNaN(data []byte) []byte {
	if !bytes.Contains(data, []byte("NaN")) && !bytes.Contains(data, []byte("Infinity")) {
		return data
	}
	out := make([]byte, 0, len(data))
	for i := 0; i < len(data); {
		if data[i] == '"' {
			end := endOfString(data, i)
			out = append(out, data[i:end]...)
			i = end
			continue
		}
		skip := 0
		for _, word := range []string{"NaN", "Infinity", "-Infinity"} {
			if bytes.HasPrefix(data[i:], []byte(word)) {
				skip = len(word)
			}
		}
		if skip > 0 {
			out = append(out, "null"...)
			i += skip
			continue
		}
		out = append(out, data[i])
		i++
	}
	return out
}

// endOfString returns where the string that begins at i ends, after its quote.
func endOfString(data []byte, i int) int {
	for i++; i < len(data); i++ {
		switch data[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return len(data)
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case string:
		return "a string"
	case bool:
		return "true or false"
	case json.Number:
		return "the number " + v.String()
	case []any:
		return "a list"
	case map[string]any:
		return "an object"
	}
	return "something else"
}

// wrong notes a key whose value is not what it should be.
func (o object) wrong(key, want string, v any) {
	if o.notes != nil {
		o.notes.add(fmt.Sprintf("%s: %s is %s, want %s", o.at, key, kindOf(v), want))
	}
}

func (o object) has(key string) bool { return o.fields[key] != nil }

// int returns a whole number from 0 to most. A float that is whole counts.
func (o object) int(key string, most int64) (int64, bool) {
	v := o.fields[key]
	if v == nil {
		return 0, false
	}
	n, ok := v.(json.Number)
	if !ok {
		o.wrong(key, "a whole number", v)
		return 0, false
	}
	i, err := n.Int64()
	if err != nil {
		f, ferr := n.Float64()
		if ferr != nil || f != math.Trunc(f) || math.Abs(f) > 1<<53 {
			o.wrong(key, "a whole number", v)
			return 0, false
		}
		i = int64(f)
	}
	if i < 0 || i > most {
		o.wrong(key, fmt.Sprintf("a number from 0 to %d", most), v)
		return 0, false
	}
	return i, true
}

// first returns the first of several keys that there is.
func (o object) first(most int64, keys ...string) int64 {
	for _, k := range keys {
		if n, ok := o.int(k, most); ok {
			return n
		}
	}
	return 0
}

func (o object) float(key string) (float64, bool) {
	v := o.fields[key]
	if v == nil {
		return 0, false
	}
	n, ok := v.(json.Number)
	if !ok {
		o.wrong(key, "a number", v)
		return 0, false
	}
	f, err := n.Float64()
	if err != nil {
		o.wrong(key, "a number", v)
		return 0, false
	}
	return f, true
}

func (o object) str(key string) (string, bool) {
	v := o.fields[key]
	if v == nil {
		return "", false
	}
	s, ok := v.(string)
	if !ok {
		o.wrong(key, "a string", v)
	}
	return s, ok
}

func (o object) bool(key string) (value, ok bool) {
	v := o.fields[key]
	if v == nil {
		return false, false
	}
	b, ok := v.(bool)
	if !ok {
		o.wrong(key, "true or false", v)
	}
	return b, ok
}

func (o object) object(key string) (object, bool) {
	v := o.fields[key]
	if v == nil {
		return object{}, false
	}
	f, ok := v.(map[string]any)
	if !ok {
		o.wrong(key, "an object", v)
		return object{}, false
	}
	return object{at: o.at + ": " + key, fields: f, notes: o.notes}, true
}

// strings returns a list of strings; elements of other types are noted and
// left out.
func (o object) strings(key string, most int) []string {
	v := o.fields[key]
	if v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		o.wrong(key, "a list", v)
		return nil
	}
	if len(list) > most {
		o.notes.add(fmt.Sprintf("%s: %s has %d elements, of which %d are read", o.at, key, len(list), most))
		list = list[:most]
	}
	out := make([]string, 0, len(list))
	for _, e := range list {
		if s, ok := e.(string); ok {
			out = append(out, s)
		} else {
			o.wrong(key, "a list of strings", e)
		}
	}
	return out
}

// ints returns a list of whole numbers.
func (o object) ints(key string, most int) []int64 {
	v := o.fields[key]
	if v == nil {
		return nil
	}
	list, ok := v.([]any)
	if !ok {
		o.wrong(key, "a list", v)
		return nil
	}
	out := make([]int64, 0, min(len(list), most))
	for i, e := range list {
		if i == most {
			break
		}
		n, ok := e.(json.Number)
		if !ok {
			o.wrong(key, "a list of whole numbers", e)
			return nil
		}
		x, err := n.Int64()
		if err != nil {
			o.wrong(key, "a list of whole numbers", e)
			return nil
		}
		out = append(out, x)
	}
	return out
}

// keys returns the members' names that begin with a text.
func (o object) keys(prefix string) (names []string) {
	for k := range o.fields {
		if strings.HasPrefix(k, prefix) {
			names = append(names, k)
		}
	}
	return names
}
