package enginetest

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"
)

//go:embed testdata/smollm2.json
var recorded []byte

// A Cassette is an Upstream that answers from what was recorded, and asks the
// live server, if it has one, for what was not. It is safe for concurrent use.
type Cassette struct {
	live *live

	mu     sync.Mutex
	texts  map[string][]taped // by Ask.key, with different limits
	steps  []tapedSteps
	posts  map[string]json.RawMessage
	misses []string
}

type taped struct {
	max   int
	reply *Reply
}

type tapedSteps struct {
	tokens []int
	steps  []Step
}

// A MissError says that the cassette holds no answer to a request.
type MissError struct{ What string }

func (e *MissError) Error() string {
	return "not on the cassette internal/enginetest/testdata/smollm2.json: " + e.What +
		"\nrecord it again: bash test/engine/serve.sh llamacpp-smollm2 18081 & KILTER_RECORD=http://127.0.0.1:18081 go test ./internal/enginetest -run Record"
}

// Recorded returns the cassette that comes with the package.
func Recorded() (*Cassette, error) {
	c := &Cassette{texts: map[string][]taped{}, posts: map[string]json.RawMessage{}}
	return c, c.load(recorded)
}

// Live returns an empty cassette before a running llama.cpp server: each
// request goes there once.
func Live(url string) *Cassette {
	return &Cassette{live: &live{url}, texts: map[string][]taped{}, posts: map[string]json.RawMessage{}}
}

// Misses returns what was asked for and could not be answered.
func (c *Cassette) Misses() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.misses)
}

func (c *Cassette) miss(what string) error {
	c.misses = append(c.misses, what)
	return &MissError{what}
}

// Generate is the Upstream's.
func (c *Cassette) Generate(ctx context.Context, a Ask) (*Reply, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := a.key()
	if r := find(c.texts[key], a.Max); r != nil {
		return r, nil
	}
	if c.live == nil {
		return nil, c.miss(fmt.Sprintf("%s with %d tokens", key, a.Max))
	}
	r, err := c.live.generate(context.WithoutCancel(ctx), a)
	if err != nil {
		return nil, err
	}
	c.texts[key] = append(c.texts[key], taped{a.Max, r})
	return r.clone(), nil
}

// find returns the answer under a limit: the recorded one, or what follows
// from another. An answer that ended by itself is the same under every limit
// that it keeps, and a longer one begins like a shorter one.
func find(tapes []taped, limit int) *Reply {
	for _, t := range tapes {
		if t.max == limit {
			return t.reply.clone()
		}
	}
	for _, t := range tapes {
		r := t.reply.clone()
		if t.max < limit {
			if r.Completion <= limit && !slices.ContainsFunc(r.Choices, func(c Choice) bool { return *c.Finish == "length" }) {
				return r
			}
			continue
		}
		r.Completion = min(r.Completion, limit)
		for i := range r.Choices {
			if ch := &r.Choices[i]; len(ch.Tokens) > limit {
				ch.cut(limit)
			}
		}
		return r
	}
	return nil
}

// cut ends an answer after some tokens, as the limit does.
func (ch *Choice) cut(limit int) {
	ch.Tokens = ch.Tokens[:limit]
	text := ""
	for _, t := range ch.Tokens {
		text += t.Text
	}
	for text != "" && !utf8.ValidString(text) {
		text = text[:len(text)-1]
	}
	length := "length"
	ch.Content, ch.Finish = &text, &length
}

// Scores is the Upstream's. A shorter beginning of recorded tokens is recorded too.
func (c *Cassette) Scores(ctx context.Context, tokens []int) ([]Step, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.steps {
		if len(tokens) > 0 && len(tokens) <= len(s.tokens) && slices.Equal(tokens, s.tokens[:len(tokens)]) {
			return cloneSteps(s.steps[:len(tokens)-1]), nil
		}
	}
	if c.live == nil {
		return nil, c.miss(fmt.Sprintf("scores of %d tokens %v", len(tokens), tokens))
	}
	steps, err := c.live.scores(context.WithoutCancel(ctx), tokens)
	if err != nil {
		return nil, err
	}
	c.steps = append(c.steps, tapedSteps{slices.Clone(tokens), steps})
	return cloneSteps(steps), nil
}

func cloneSteps(in []Step) []Step {
	out := slices.Clone(in)
	for i := range out {
		out[i].Top = slices.Clone(out[i].Top)
	}
	return out
}

// scoredTokens is how much of a text verify scores at most.
const scoredTokens = 96

// WarmScores has the beginning of a text scored, which Next needs.
func (c *Cassette) WarmScores(ctx context.Context, text string) error {
	b, err := c.Post(ctx, "/tokenize", map[string]any{"content": text, "add_special": true, "parse_special": true})
	if err != nil {
		return err
	}
	var reply struct {
		Tokens []int `json:"tokens"`
	}
	if err := json.Unmarshal(b, &reply); err != nil {
		return err
	}
	_, err = c.Scores(ctx, reply.Tokens[:min(scoredTokens, len(reply.Tokens))])
	return err
}

// Next returns the distribution after a prompt of tokens, for llama.cpp's
// step by step scoring; ok is false if no recorded sequence goes on from it.
func (c *Cassette) Next(tokens []int) (Step, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, s := range c.steps {
		if n := len(tokens); n > 0 && n < len(s.tokens) && slices.Equal(tokens, s.tokens[:n]) {
			return cloneSteps(s.steps[n-1 : n])[0], true
		}
	}
	return Step{}, false
}

// Post is the Upstream's.
func (c *Cassette) Post(ctx context.Context, path string, body any) ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	key := path + " " + string(b)
	if r, ok := c.posts[key]; ok {
		return r, nil
	}
	if c.live == nil {
		return nil, c.miss(key)
	}
	r, err := c.live.post(context.WithoutCancel(ctx), path, body)
	if err != nil {
		return nil, err
	}
	c.posts[key] = r
	return r, nil
}

// The form on disk. A token is [id, logprob, id, logprob, …]: itself, then its
// alternatives; vocab holds the texts, those that are no UTF-8 in base64.
type tape struct {
	Server string                     `json:"server"`
	Vocab  map[string]string          `json:"vocab"`
	Base64 map[string]string          `json:"vocab_base64"`
	Texts  []tapeText                 `json:"texts"`
	Scores []tapeScores               `json:"scores"`
	Posts  map[string]json.RawMessage `json:"posts"`
}

type tapeText struct {
	Ask        json.RawMessage `json:"ask"`
	Max        int             `json:"max"`
	Prompt     int             `json:"prompt_tokens"`
	Completion int             `json:"completion_tokens"`
	Choices    []tapeChoice    `json:"choices"`
}

type tapeChoice struct {
	Text   string      `json:"text"`
	Finish string      `json:"finish"`
	Tokens [][]float64 `json:"tokens"`
}

type tapeScores struct {
	Tokens []int       `json:"tokens"`
	Steps  [][]float64 `json:"steps"`
}

func (c *Cassette) load(b []byte) error {
	var t tape
	if err := json.Unmarshal(b, &t); err != nil {
		return fmt.Errorf("testdata/smollm2.json: %w", err)
	}
	text := func(id int) string {
		key := strconv.Itoa(id)
		if s, ok := t.Vocab[key]; ok {
			return s
		}
		raw, err := base64.StdEncoding.DecodeString(t.Base64[key])
		if err != nil {
			return ""
		}
		return string(raw)
	}
	tops := func(row []float64) []Top {
		var out []Top
		for i := 2; i+1 < len(row); i += 2 {
			out = append(out, Top{int(row[i]), text(int(row[i])), row[i+1]})
		}
		return out
	}
	for _, tt := range t.Texts {
		r := &Reply{Prompt: tt.Prompt, Completion: tt.Completion}
		for _, ch := range tt.Choices {
			out := Choice{Content: &ch.Text, Finish: &ch.Finish}
			for _, row := range ch.Tokens {
				out.Tokens = append(out.Tokens, Token{int(row[0]), text(int(row[0])), row[1], tops(row)})
			}
			// A character of several tokens is one token of the recording, with
			// the last one's id.
			out.mend()
			r.Choices = append(r.Choices, out)
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, tt.Ask); err != nil {
			return err
		}
		c.texts[compact.String()] = append(c.texts[compact.String()], taped{tt.Max, r})
	}
	for _, s := range t.Scores {
		ts := tapedSteps{tokens: s.Tokens}
		for _, row := range s.Steps {
			ts.steps = append(ts.steps, Step{int(row[0]), row[1], tops(row)})
		}
		c.steps = append(c.steps, ts)
	}
	for key, raw := range t.Posts {
		path, body, _ := strings.Cut(key, " ")
		c.posts[path+" "+body] = raw
	}
	return nil
}

// mend makes the texts of the tokens those of the content, where the recording
// gave one id two texts.
func (ch *Choice) mend() {
	rest := *ch.Content
	for i := range ch.Tokens {
		t := &ch.Tokens[i]
		if strings.HasPrefix(rest, t.Text) {
			rest = rest[len(t.Text):]
			continue
		}
		if !utf8.ValidString(t.Text) && rest != "" {
			_, n := utf8.DecodeRuneInString(rest)
			t.Text, rest = rest[:n], rest[n:]
		}
	}
}

// Save writes all that was asked to a file.
func (c *Cassette) Save(path, server string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	t := tape{Server: server, Vocab: map[string]string{}, Base64: map[string]string{}, Posts: c.posts}
	learn := func(id int, s string) float64 {
		if utf8.ValidString(s) {
			t.Vocab[strconv.Itoa(id)] = s
		} else {
			t.Base64[strconv.Itoa(id)] = base64.StdEncoding.EncodeToString([]byte(s))
		}
		return float64(id)
	}
	row := func(id int, lp float64, top []Top) []float64 {
		out := []float64{float64(id), lp}
		for _, x := range top {
			out = append(out, learn(x.ID, x.Text), x.LP)
		}
		return out
	}
	keys := make([]string, 0, len(c.texts))
	for k := range c.texts {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		for _, tp := range c.texts[k] {
			tt := tapeText{Ask: json.RawMessage(k), Max: tp.max, Prompt: tp.reply.Prompt, Completion: tp.reply.Completion}
			for _, ch := range tp.reply.Choices {
				out := tapeChoice{Text: *ch.Content, Finish: *ch.Finish}
				for _, tok := range ch.Tokens {
					learn(tok.ID, tok.Text)
					out.Tokens = append(out.Tokens, row(tok.ID, tok.LP, tok.Top))
				}
				tt.Choices = append(tt.Choices, out)
			}
			t.Texts = append(t.Texts, tt)
		}
	}
	for _, s := range c.steps {
		ts := tapeScores{Tokens: s.tokens}
		for _, st := range s.steps {
			ts.Steps = append(ts.Steps, row(st.ID, st.LP, st.Top))
		}
		t.Scores = append(t.Scores, ts)
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(t); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}
