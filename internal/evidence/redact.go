package evidence

import (
	"encoding/json"
	"regexp"
	"strings"
)

// Hidden stands where a secret stood.
const Hidden = "[redacted]"

// A Redactor replaces secrets by Hidden. The zero value and the nil pointer
// know the shapes below; Literals adds values that are secret whatever they
// look like. It errs on the side of hiding: a hash that looks like a key is
// hidden too.
type Redactor struct {
	// Literals are secret values of this run, such as its API key. Values
	// shorter than four bytes are ignored: hiding them would hide the text.
	Literals []string
}

// The shapes. In each, the first group is kept and the rest is hidden.
var shapes = []*regexp.Regexp{
	// Authorization headers, however they are printed or quoted.
	regexp.MustCompile(`(?i)((?:proxy-)?authorization["']?\s*[:=]\s*["']?(?:bearer\s+|basic\s+|token\s+)?)[^\s"',;]+`),
	regexp.MustCompile(`(?i)(\bbearer\s+)[A-Za-z0-9._~+/=-]{6,}`),
	// Flags: --api-key X, --admin-api-key=X, --hf-token X, --password X.
	// (--tokenizer-path and --max-total-tokens hold no secret.)
	regexp.MustCompile(`(?i)(--?(?:[a-z0-9-]*(?:api[-_]?key|secret|password|passwd|credentials?)|(?:(?:hf|auth|access|hub|github|api|admin)[-_])?token)(?:\s+|=)["']?)[^\s"']+`),
	// Assignments and JSON members: HF_TOKEN=x, "api_key": "x", api_key='x'.
	regexp.MustCompile(`(?i)(\b[a-z0-9_.-]*(?:api[-_]?key|apikey|access[-_]?key|secret|password|passwd|(?:hf|auth|access|refresh|bearer|session|github|hub|api)[-_]?token)[a-z0-9_]*["']?\s*[:=]\s*["']?)[^\s"',;&}\])]+`),
	// Credentials inside a URL.
	regexp.MustCompile(`([a-z][a-z0-9+.-]*://)[^/\s@"']+@`),
	// Keys with a well-known prefix.
	regexp.MustCompile(`()\b(?:sk-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{16,}|nvapi-[A-Za-z0-9_-]{16,}|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|xox[abprs]-[A-Za-z0-9-]{10,}|AKIA[0-9A-Z]{16}|AIza[0-9A-Za-z_-]{30,}|eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*)`),
}

// secretName says that a member or variable of this name holds a secret.
var secretName = regexp.MustCompile(`(?i)(api[-_]?key|apikey|access[-_]?key|secret|password|passwd|credential|authorization|cookie|(^|[-_.])(hf|auth|access|refresh|bearer|session|github|hub|api)[-_]?token$|(?-i:^TOKEN$))`)

// SecretName reports whether a variable, header or member of this name is
// taken to hold a secret.
func SecretName(name string) bool { return secretName.MatchString(name) }

// String returns s without the secrets that the redactor can recognise.
func (r *Redactor) String(s string) string {
	if s == "" {
		return s
	}
	if r != nil {
		for _, lit := range r.Literals {
			if len(lit) >= 4 {
				s = strings.ReplaceAll(s, lit, Hidden)
			}
		}
	}
	for i, re := range shapes {
		repl := "${1}" + Hidden
		if i == 4 {
			repl += "@"
		}
		s = re.ReplaceAllString(s, repl)
	}
	return s
}

// Value redacts every string inside v, which is a JSON-like value. A member
// whose name says that it holds a secret is hidden whole.
func (r *Redactor) Value(v any) any {
	switch v := v.(type) {
	case string:
		return r.String(v)
	case []string:
		out := make([]string, len(v))
		for i, s := range v {
			out[i] = r.String(s)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = r.Value(x)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, x := range v {
			if _, isString := x.(string); isString && SecretName(k) {
				out[k] = Hidden
				continue
			}
			out[k] = r.Value(x)
		}
		return out
	case map[string]string:
		out := make(map[string]string, len(v))
		for k, s := range v {
			if SecretName(k) {
				s = Hidden
			}
			out[k] = r.String(s)
		}
		return out
	case nil, bool, int, int64, uint64, float64, json.Number:
		return v
	}
	// Anything else is brought into JSON's shape first, so that no field of a
	// struct can slip past.
	b, err := json.Marshal(v)
	if err != nil {
		return Hidden
	}
	var plain any
	if err := json.Unmarshal(b, &plain); err != nil {
		return Hidden
	}
	return r.Value(plain)
}
