package dialect

import (
	"encoding/json"
	"net/http"
	"strings"

	"kilter/internal/evidence"
)

// newRedactor knows the secrets that these options send.
func newRedactor(o Options, base string) *evidence.Redactor {
	r := &evidence.Redactor{}
	add := func(s string) {
		if s = strings.TrimSpace(s); len(s) >= 4 {
			r.Literals = append(r.Literals, s)
		}
	}
	add(o.APIKey)
	for name, values := range o.Headers {
		if !evidence.SecretName(name) {
			continue
		}
		for _, v := range values {
			if _, token, ok := strings.Cut(v, " "); ok {
				add(token)
			}
			add(v)
		}
	}
	if _, rest, ok := strings.Cut(base, "://"); ok {
		host, _, _ := strings.Cut(rest, "/")
		if i := strings.LastIndexByte(host, '@'); i >= 0 {
			add(host[:i])
			if _, pass, ok := strings.Cut(host[:i], ":"); ok {
				add(pass)
			}
		}
	}
	return r
}

// redact is Redactor.String made fit for bodies: the redactor's patterns run
// at about 1 MB/s, so only lines that may hold a secret go through them.
func (c *Client) redact(s string) string {
	for _, lit := range c.redactor.Literals {
		s = strings.ReplaceAll(s, lit, evidence.Hidden)
	}
	if !maySecret(s) {
		return s
	}
	var out strings.Builder
	for len(s) > 0 {
		// A secret may stand on the line after its name, so a suspicious line
		// goes with the two after it.
		n := lineLen(s)
		if !maySecret(s[:n]) {
			out.WriteString(s[:n])
			s = s[n:]
			continue
		}
		n += lineLen(s[n:])
		n += lineLen(s[n:])
		out.WriteString(c.redactor.String(s[:n]))
		s = s[n:]
	}
	return out.String()
}

func lineLen(s string) int {
	if i := strings.IndexByte(s, '\n'); i >= 0 {
		return i + 1
	}
	return len(s)
}

// maySecret reports whether any of the redactor's shapes can match in s. It
// looks at the rarer letters of the words that those need.
func maySecret(s string) bool {
	for i := 0; i < len(s); i++ {
		hit := false
		switch s[i] {
		case 'z', 'Z': // authorization, AIza
			hit = around(s, i, 7, "authorization") || around(s, i, 2, "aiza")
		case 'b', 'B':
			hit = around(s, i, 0, "bearer")
		case 'k', 'K': // api_key, access key, tokens by name or flag, sk-, AKIA
			hit = keyWord(s, i) || tokenWord(s, i) || around(s, i, 1, "sk-") || around(s, i, 1, "akia")
		case 'c', 'C':
			hit = around(s, i, 2, "secret")
		case 'w', 'W':
			hit = around(s, i, 4, "passw")
		case 'd', 'D':
			hit = around(s, i, 3, "credential")
		case '@':
			hit = true // credentials in a URL
		case '_':
			hit = around(s, i, 2, "hf_") || around(s, i, 10, "github_pat_") || i >= 3 && around(s, i-3, 0, "gh")
		case 'v', 'V':
			hit = around(s, i, 1, "nvapi-")
		case 'x', 'X':
			hit = around(s, i, 0, "xox")
		case 'y', 'Y':
			hit = around(s, i, 1, "eyj")
		}
		if hit {
			return true
		}
	}
	return false
}

// around reports whether word, whose letter at is s[i], stands in s there.
func around(s string, i, at int, word string) bool {
	from := i - at
	return from >= 0 && from+len(word) <= len(s) && strings.EqualFold(s[from:from+len(word)], word)
}

// keyWord: the k of apikey, api_key, access-key.
func keyWord(s string, i int) bool {
	if !around(s, i, 0, "key") {
		return false
	}
	before := s[:i]
	if n := len(before); n > 0 && (before[n-1] == '-' || before[n-1] == '_') {
		before = before[:n-1]
	}
	return endsWith(before, "api") || endsWith(before, "access")
}

// tokenWord: the k of token after a dash or one of the names of tokens that
// are secret. The many others ("prompt_tokens") are none.
func tokenWord(s string, i int) bool {
	if !around(s, i, 2, "token") {
		return false
	}
	before := s[:i-2]
	if strings.HasSuffix(before, "-") {
		return true
	}
	before = strings.TrimSuffix(before, "_")
	for _, name := range [...]string{"hf", "auth", "access", "refresh", "bearer", "session", "github", "hub", "api", "admin"} {
		if endsWith(before, name) {
			return true
		}
	}
	return false
}

func endsWith(s, word string) bool {
	return len(s) >= len(word) && strings.EqualFold(s[len(s)-len(word):], word)
}

// redactHead returns the first bytes of b, up to about n of them, redacted. It
// redacts before it cuts: what is left of half a secret nobody recognises.
func (c *Client) redactHead(b []byte, n int) string {
	extra := c.longestSecret()
	whole := len(b) <= n+extra
	if !whole {
		b = b[:n+extra]
	}
	s := c.redact(strings.ToValidUTF8(string(b), "\uFFFD"))
	if !whole {
		s = s[:max(0, len(s)-extra)]
	}
	return clip(s, n)
}

// clip cuts s to at most n bytes at a character's border.
func clip(s string, n int) string {
	if len(s) <= n {
		n = len(s)
	}
	for n > 0 && n < len(s) && s[n]&0xC0 == 0x80 {
		n--
	}
	return strings.ToValidUTF8(s[:n], "")
}

// scrub replaces this run's own secrets in an answer, and leaves the rest of
// what the model said alone.
func (c *Client) scrub(a *Answer) *Answer {
	clean := func(s *string) {
		if s == nil {
			return
		}
		for _, lit := range c.redactor.Literals {
			if strings.Contains(*s, lit) {
				*s = strings.ReplaceAll(*s, lit, evidence.Hidden)
			}
		}
	}
	clean(&a.ID)
	clean(&a.Model)
	clean(&a.Fingerprint)
	for i := range a.Choices {
		ch := &a.Choices[i]
		clean(ch.Content)
		clean(ch.Reasoning)
		clean(ch.FinishReason)
		if s := string(ch.MatchedStop); s != "" {
			clean(&s)
			ch.MatchedStop = json.RawMessage(s)
		}
		for k := range ch.ToolCalls {
			clean(&ch.ToolCalls[k].ID)
			clean(&ch.ToolCalls[k].Name)
			clean(&ch.ToolCalls[k].Arguments)
		}
	}
	return a
}

// redactJSON redacts a request's body. One that is over most bytes, or no JSON,
// is replaced by its beginning and its size.
func (c *Client) redactJSON(b []byte, most int) []byte {
	if len(b) == 0 || most == 0 {
		return nil
	}
	if len(b) <= most {
		if out := []byte(c.redact(string(b))); json.Valid(out) {
			return out
		}
	}
	return mustJSON(struct {
		Cut   bool   `json:"kilter_cut"`
		Bytes int    `json:"bytes"`
		Start string `json:"start"`
	}{true, len(b), c.redactHead(b, 4096)})
}

// longestSecret is how many bytes beyond a cut have to be read so that a
// secret across it is seen whole.
func (c *Client) longestSecret() int {
	n := 256
	for _, lit := range c.redactor.Literals {
		n = max(n, len(lit))
	}
	return n
}

// keptHeaders are the response headers that checks read.
var keptHeaders = []string{
	"Content-Type", "Content-Encoding", "Server", "Via", "Date", "Retry-After", "Location",
	"X-Request-Id", "X-Served-By", "Cf-Ray",
}

func (c *Client) keepHeaders(h http.Header) map[string]string {
	out := map[string]string{}
	for _, name := range keptHeaders {
		if v := h.Get(name); v != "" {
			out[strings.ToLower(name)] = cut(c.redact(v), 256)
		}
	}
	if len(out) == 0 {
		return nil
	}
	return out
}
