package enginetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
)

// An object is a JSON object in order: name, value, name, value. Engines write
// their members in an order of their own, and some of them bytes that are no
// UTF-8 and numbers that are no JSON; encoding/json would mend both.
type object []any

type list []any

// bare is JSON, or what should have been, as it is.
type bare string

// encoder writes objects; nonFinite is what stands for NaN.
type encoder struct {
	b         bytes.Buffer
	nonFinite string
}

func (o object) encode(bareNaN bool) []byte {
	e := encoder{nonFinite: "null"}
	if bareNaN {
		e.nonFinite = "NaN"
	}
	e.value(o)
	return e.b.Bytes()
}

func (e *encoder) value(v any) {
	switch v := v.(type) {
	case nil:
		e.b.WriteString("null")
	case object:
		e.b.WriteByte('{')
		for i := 0; i+1 < len(v); i += 2 {
			if i > 0 {
				e.b.WriteByte(',')
			}
			e.text(v[i].(string))
			e.b.WriteByte(':')
			e.value(v[i+1])
		}
		e.b.WriteByte('}')
	case list:
		e.b.WriteByte('[')
		for i, x := range v {
			if i > 0 {
				e.b.WriteByte(',')
			}
			e.value(x)
		}
		e.b.WriteByte(']')
	case []int:
		e.b.WriteByte('[')
		for i, x := range v {
			if i > 0 {
				e.b.WriteByte(',')
			}
			e.b.WriteString(strconv.Itoa(x))
		}
		e.b.WriteByte(']')
	case bare:
		if v == "" {
			v = "null"
		}
		e.b.WriteString(string(v))
	case json.RawMessage:
		e.b.Write(v)
	case string:
		e.text(v)
	case *string:
		if v == nil {
			e.b.WriteString("null")
		} else {
			e.text(*v)
		}
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			e.b.WriteString(e.nonFinite)
		} else {
			e.b.WriteString(strconv.FormatFloat(v, 'g', -1, 64))
		}
	case int:
		e.b.WriteString(strconv.Itoa(v))
	case bool:
		e.b.WriteString(strconv.FormatBool(v))
	default:
		panic(fmt.Sprintf("enginetest: no JSON for %T", v))
	}
}

// text writes a string; bytes that are no UTF-8 stay as they are.
func (e *encoder) text(s string) {
	const hex = "0123456789abcdef"
	e.b.WriteByte('"')
	for i := range len(s) {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			e.b.WriteByte('\\')
			e.b.WriteByte(c)
		case c == '\n':
			e.b.WriteString(`\n`)
		case c < 0x20:
			e.b.WriteString(`\u00`)
			e.b.WriteByte(hex[c>>4])
			e.b.WriteByte(hex[c&15])
		default:
			e.b.WriteByte(c)
		}
	}
	e.b.WriteByte('"')
}

// quoted is s as a JSON string.
func quoted(s string) string {
	var e encoder
	e.text(s)
	return e.b.String()
}

func byteList(s string) []int {
	out := make([]int, len(s))
	for i := range len(s) {
		out[i] = int(s[i])
	}
	return out
}
