package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"unicode"
	"unicode/utf8"
)

// WriteInspection writes the document as JSON. Names in it come from files that
// nobody vouches for, so what a terminal would act upon is escaped. A list that
// is always written is [] when it is empty.
func WriteInspection(w io.Writer, doc *Inspection) error {
	fillLists(reflect.ValueOf(doc).Elem())
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(doc); err != nil {
		return err
	}
	_, err := w.Write(escapeUnprintable(b.Bytes()))
	return err
}

// fillLists replaces lists and maps that are nil, and that are always written,
// by empty ones.
func fillLists(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			fillLists(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			fillLists(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			always := !strings.Contains(v.Type().Field(i).Tag.Get("json"), "omit")
			switch {
			case f.Kind() == reflect.Slice && f.IsNil() && always:
				f.Set(reflect.MakeSlice(f.Type(), 0, 0))
			case f.Kind() == reflect.Map && f.IsNil() && always:
				f.Set(reflect.MakeMap(f.Type()))
			case f.Kind() == reflect.Pointer && f.IsNil() && always && f.Type().Elem().Kind() == reflect.Struct:
				f.Set(reflect.New(f.Type().Elem()))
				fillLists(f)
			default:
				fillLists(f)
			}
		}
	}
}

// escapeUnprintable writes what encoding/json leaves as it is and a terminal
// obeys (DEL, the C1 controls, bidirectional overrides) as \u escapes. Outside
// of strings JSON has no such characters, so this changes no value.
func escapeUnprintable(doc []byte) []byte {
	if bytes.IndexFunc(doc, func(r rune) bool { return r >= 0x7F }) < 0 {
		return doc
	}
	out := make([]byte, 0, len(doc)+64)
	for len(doc) > 0 {
		r, size := utf8.DecodeRune(doc)
		switch {
		case r < 0x7F || unicode.IsPrint(r):
			out = append(out, doc[:size]...)
		case r > 0xFFFF:
			hi, lo := (r-0x10000)>>10+0xD800, (r-0x10000)&0x3FF+0xDC00
			out = fmt.Appendf(out, `\u%04x\u%04x`, hi, lo)
		default:
			out = fmt.Appendf(out, `\u%04x`, r)
		}
		doc = doc[size:]
	}
	return out
}
