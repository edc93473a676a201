package catalog

import (
	"bytes"
	_ "embed"
	"fmt"
	"regexp"

	"go.yaml.in/yaml/v4"
)

//go:embed data/verify.yaml
var verifyYAML []byte

// Verify is the knowledge that package verify judges by.
type Verify struct {
	// TokenZero are the texts that token id 0 has in common vocabularies.
	TokenZero []TokenText `yaml:"token_zero"`
	// Reserved are patterns of special tokens that no answer should show;
	// Markup are those of chat templates; Thinking those that mark reasoning;
	// ToolMarkup those that mark tool calls.
	Reserved   []Pattern `yaml:"reserved"`
	Markup     []Pattern `yaml:"markup"`
	Thinking   []Pattern `yaml:"thinking"`
	ToolMarkup []Pattern `yaml:"tool_markup"`
	// FormattedModels are patterns of names of models whose every answer has a
	// message format, so that tokens can't be forced into it.
	FormattedModels []Pattern `yaml:"formatted_models"`
	// FallbackTemplates are chat templates that a server makes up for a model
	// that brings none.
	FallbackTemplates []Marker `yaml:"fallback_templates"`
	// NaNMarkers are finish reasons by which an engine says that a token id
	// lay outside the vocabulary.
	NaNMarkers []Marker `yaml:"nan_markers"`
	// NaNErrors are error texts of servers that can't write a NaN.
	NaNErrors []Marker `yaml:"nan_errors"`
	// CommonWords are the most common words of English.
	CommonWords []string `yaml:"common_words"`
	// Battery are the questions of knowledge, Expect how many of them a model
	// of a given size gets right.
	Battery []Question `yaml:"battery"`
	Expect  []Expect   `yaml:"expect"`
	// Python is the question whose answer is executed.
	Python PythonQuestion `yaml:"python"`
	// PlainText is ordinary English for scoring.
	PlainText string `yaml:"plain_text"`
	// Limits are the tolerances of the checks, by name.
	Limits map[string]Tolerance `yaml:"limits"`

	common map[string]bool
}

// A TokenText is the text of a token in a family of vocabularies.
type TokenText struct {
	Text     string `yaml:"text"`
	Families string `yaml:"families"`
	Source   string `yaml:"source"`
}

// A Pattern is a regular expression with the source of the tokens it stands for.
type Pattern struct {
	Match  string `yaml:"match"`
	Means  string `yaml:"means"`
	Source string `yaml:"source"`

	re *regexp.Regexp
}

// Find returns the first place where the pattern matches in s, or "".
func (p *Pattern) Find(s string) string { return p.re.FindString(s) }

// A Marker is a literal text in a field of an answer.
type Marker struct {
	Text   string `yaml:"text"`
	Means  string `yaml:"means"`
	Source string `yaml:"source"`
}

// A Question is asked at temperature 0 and judged mechanically.
type Question struct {
	ID     string `yaml:"id"` // that of its check, without the group
	Level  string `yaml:"level"`
	Prompt string `yaml:"prompt"`
	// Raw is what a model without a chat template continues.
	Raw string `yaml:"raw"`
	// MaxTokens bounds the answer (not counting reasoning).
	MaxTokens int `yaml:"max_tokens"`
	// Stop ends the answer, where the question also tests stop strings.
	Stop []string `yaml:"stop"`
	// Accept is a regular expression that a right answer matches; Reject one
	// that it must not. JSON lists members that a JSON answer must have,
	// with their values.
	Accept string            `yaml:"accept"`
	Reject string            `yaml:"reject"`
	JSON   map[string]string `yaml:"json"`
	// AcceptRaw takes the place of all of these for a continued Raw, where
	// it is set.
	AcceptRaw string `yaml:"accept_raw"`

	accept, reject, acceptRaw *regexp.Regexp
}

// Accepts reports whether text matches Accept (empty: anything does), and
// does not match Reject.
func (q *Question) Accepts(text string) bool {
	if q.accept != nil && !q.accept.MatchString(text) {
		return false
	}
	return q.reject == nil || !q.reject.MatchString(text)
}

// AcceptsRaw is Accepts for the continuation of Raw.
func (q *Question) AcceptsRaw(text string) bool {
	if q.acceptRaw != nil {
		return q.acceptRaw.MatchString(text)
	}
	return q.Accepts(text)
}

// A PythonQuestion asks for a function, which is then executed on Cases.
type PythonQuestion struct {
	Prompt    string       `yaml:"prompt"`
	Raw       string       `yaml:"raw"`
	MaxTokens int          `yaml:"max_tokens"`
	Cases     []PythonCase `yaml:"cases"`
	// Source says why this question.
	Source string `yaml:"source"`
}

// A PythonCase is one call with one argument and its right result.
type PythonCase struct {
	Arg  int  `yaml:"arg"`
	Want bool `yaml:"want"`
}

// An Expect says what a healthy model of a size gets right: fewer than Fail
// right of the battery is a fault, fewer than Weak worth a note.
type Expect struct {
	// MinParams is the smallest number of parameters that the row holds for.
	MinParams float64 `yaml:"min_params"`
	// FailBelow and WeakBelow are shares of the questions that were judged.
	FailBelow float64 `yaml:"fail_below"`
	WeakBelow float64 `yaml:"weak_below"`
	Source    string  `yaml:"source"`
}

// A Tolerance is a number by which a check decides.
type Tolerance struct {
	Value  float64 `yaml:"value"`
	Unit   string  `yaml:"unit"`
	Why    string  `yaml:"why"`
	Source string  `yaml:"source"`
}

// LoadVerify reads the embedded knowledge. An error is a defect of the binary.
func LoadVerify() (*Verify, error) { return parseVerify(verifyYAML) }

func parseVerify(data []byte) (*Verify, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	dec.KnownFields(true)
	v := &Verify{}
	if err := dec.Decode(v); err != nil {
		return nil, fmt.Errorf("catalogue data/verify.yaml: %w", err)
	}
	for _, list := range [][]Pattern{v.Reserved, v.Markup, v.Thinking, v.ToolMarkup, v.FormattedModels} {
		for i := range list {
			re, err := regexp.Compile(list[i].Match)
			if err != nil {
				return nil, fmt.Errorf("catalogue data/verify.yaml: pattern %q: %w", list[i].Match, err)
			}
			list[i].re = re
		}
	}
	for i := range v.Battery {
		q := &v.Battery[i]
		for _, p := range []struct {
			text string
			re   **regexp.Regexp
		}{{q.Accept, &q.accept}, {q.Reject, &q.reject}, {q.AcceptRaw, &q.acceptRaw}} {
			if p.text == "" {
				continue
			}
			re, err := regexp.Compile(p.text)
			if err != nil {
				return nil, fmt.Errorf("catalogue data/verify.yaml: question %s: %w", q.ID, err)
			}
			*p.re = re
		}
	}
	v.common = make(map[string]bool, len(v.CommonWords))
	for _, w := range v.CommonWords {
		v.common[w] = true
	}
	return v, nil
}

// Common reports whether the lower-case word is one of CommonWords.
func (v *Verify) Common(word string) bool { return v.common[word] }

// Limit returns the value of a tolerance. A name that the catalogue lacks is a
// defect of the program, which a test excludes.
func (v *Verify) Limit(name string) float64 {
	t, ok := v.Limits[name]
	if !ok {
		panic("catalogue data/verify.yaml has no limit " + name)
	}
	return t.Value
}

// ExpectFor returns the row for a model of the given number of parameters
// (0: not known); ok is false where nothing can be expected.
func (v *Verify) ExpectFor(params float64) (Expect, bool) {
	var best Expect
	ok := false
	for _, e := range v.Expect {
		if params >= e.MinParams && (!ok || e.MinParams >= best.MinParams) {
			best, ok = e, true
		}
	}
	return best, ok
}

// Question returns the battery's question with this id.
func (v *Verify) Question(id string) (*Question, bool) {
	for i := range v.Battery {
		if v.Battery[i].ID == id {
			return &v.Battery[i], true
		}
	}
	return nil, false
}
