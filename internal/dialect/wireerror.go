package dialect

import (
	"bytes"
	"encoding/json"
	"html"
	"regexp"
	"strings"
)

// maxMessage is the most bytes of a server's own words that a Failure quotes.
const maxMessage = 400

// wireFault is an engine's error object, whichever shape it came in.
type wireFault struct {
	message, typ, code string
}

// parseFault reads the body of an error:
//
//   - {"error": {"message", "type", "code"}}: OpenAI, vLLM, llama.cpp, ollama;
//     {"error": "text"}: ollama's own endpoints
//   - {"object": "error", "message", "type", "code"}: SGLang, older vLLM
//   - {"detail": "text" or [{"loc", "msg"}]}: FastAPI
//   - {"message": "text"}: gateways
//
// ok is false where it is none of them.
func parseFault(b []byte) (f wireFault, ok bool) {
	b = bytes.TrimSpace(b)
	if len(b) == 0 || b[0] != '{' {
		return f, false
	}
	type object struct {
		Error   json.RawMessage `json:"error"`
		Object  looseString     `json:"object"`
		Message json.RawMessage `json:"message"`
		Type    looseString     `json:"type"`
		Code    looseString     `json:"code"`
		Detail  json.RawMessage `json:"detail"`
	}
	var o object
	if json.Unmarshal(b, &o) != nil {
		return f, false
	}
	if !isNull(o.Error) {
		if o.Error[0] == '{' {
			var in object
			_ = json.Unmarshal(o.Error, &in)
			f = wireFault{text(in.Message), string(in.Type), string(in.Code)}
			if f.message == "" {
				f.message = string(o.Error)
			}
			return f, true
		}
		return wireFault{text(o.Error), string(o.Type), string(o.Code)}, true
	}
	if !isNull(o.Detail) {
		return wireFault{detail(o.Detail), string(o.Type), string(o.Code)}, true
	}
	if m := text(o.Message); m != "" {
		return wireFault{m, string(o.Type), string(o.Code)}, true
	}
	return f, o.Object == "error"
}

func text(raw json.RawMessage) string {
	var s looseString
	_ = s.UnmarshalJSON(raw)
	return string(s)
}

// detail reads FastAPI's list of what did not validate.
func detail(raw json.RawMessage) string {
	var list []struct {
		Loc []looseString `json:"loc"`
		Msg looseString   `json:"msg"`
	}
	if json.Unmarshal(raw, &list) != nil || len(list) == 0 {
		return text(raw)
	}
	var parts []string
	for _, d := range list {
		var loc []string
		for _, l := range d.Loc {
			loc = append(loc, string(l))
		}
		parts = append(parts, strings.TrimPrefix(strings.Join(loc, ".")+": ", ": ")+string(d.Msg))
	}
	return strings.Join(parts, "; ")
}

var (
	titleRE = regexp.MustCompile(`(?is)<title[^>]*>(.*?)</title>`)
	spaceRE = regexp.MustCompile(`\s+`)
)

// isHTML reports whether a body is a web page.
func isHTML(contentType string, body []byte) bool {
	b := bytes.ToLower(bytes.TrimSpace(body[:min(len(body), 256)]))
	if bytes.HasPrefix(b, []byte("<!doctype html")) || bytes.HasPrefix(b, []byte("<html")) {
		return true
	}
	return strings.Contains(contentType, "text/html") && bytes.HasPrefix(b, []byte("<"))
}

// describe says what a body is that is no answer, for a person; redacted.
func (c *Client) describe(contentType string, body []byte) string {
	body = []byte(c.redactHead(body, 16<<10))
	if f, ok := parseFault(body); ok && f.message != "" {
		return f.message
	}
	if isHTML(contentType, body) {
		if m := titleRE.FindSubmatch(body); m != nil {
			if t := strings.TrimSpace(spaceRE.ReplaceAllString(html.UnescapeString(string(m[1])), " ")); t != "" {
				return "a web page titled " + quoteShort(t)
			}
		}
		return "a web page"
	}
	if len(bytes.TrimSpace(body)) == 0 {
		return "an empty body"
	}
	return quoteShort(string(body))
}

// quoteShort puts s in quotes on one line, cut.
func quoteShort(s string) string {
	s = strings.TrimSpace(spaceRE.ReplaceAllString(strings.ToValidUTF8(s, "\uFFFD"), " "))
	return `"` + cut(s, 160) + `"`
}

// cut shortens s to about n bytes at a character's border.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && s[n]&0xC0 == 0x80 {
		n--
	}
	return s[:n] + "…"
}
