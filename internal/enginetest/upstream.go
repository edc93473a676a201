package enginetest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"
)

// An Ask is a request to the model behind a Front: Body is what goes to
// llama.cpp's /v1/chat/completions (with messages) or /v1/completions (with a
// prompt), but for the token limit, which is Max, and log-probabilities, which
// are always asked for.
type Ask struct {
	Body map[string]any
	Max  int
}

func (a Ask) key() string {
	b, err := json.Marshal(a.Body) // sorts the members
	if err != nil {
		panic("enginetest: " + err.Error())
	}
	return string(b)
}

// An Upstream gives the answers of a real model.
type Upstream interface {
	// Generate completes a chat or a prompt.
	Generate(ctx context.Context, a Ask) (*Reply, error)
	// Scores returns, for the positions from 1 on, the distribution after the
	// tokens before it.
	Scores(ctx context.Context, tokens []int) ([]Step, error)
	// Post asks one of llama.cpp's own endpoints.
	Post(ctx context.Context, path string, body any) ([]byte, error)
}

// A Reply is an answer in no engine's form. Hooks of a Fault rewrite it before
// it is encoded.
type Reply struct {
	Model, Fingerprint string
	Choices            []Choice
	// The token counts as they are told; NoUsage leaves them out.
	Prompt, Completion, Total int
	NoUsage                   bool
	// BareNaN writes numbers that are not finite as NaN, else as null.
	BareNaN bool
}

// A Choice is one answer of a Reply.
type Choice struct {
	// Content and Reasoning may hold bytes that are no UTF-8; nil is null.
	Content, Reasoning *string
	Calls              []ToolCall
	// Finish is nil for null. Matched is SGLang's matched_stop and vLLM's
	// stop_reason, as JSON; empty is null.
	Finish  *string
	Matched string
	// Tokens carry the numbers of the whole answer, the end of the turn
	// included; Thought is how many of them are reasoning.
	Tokens  []Token
	Thought int
}

// A ToolCall is a call of a function with its arguments as text.
type ToolCall struct{ Name, Args string }

// A Token is one generated token.
type Token struct {
	ID   int
	Text string
	LP   float64
	Top  []Top
}

// A Top is one alternative of a position.
type Top struct {
	ID   int
	Text string
	LP   float64
}

// A Step is the distribution at one position of a given text.
type Step struct {
	ID  int // the given token
	LP  float64
	Top []Top
}

// clone lets hooks change a reply that others hold too.
func (r *Reply) clone() *Reply {
	out := *r
	out.Choices = slices.Clone(r.Choices)
	for i := range out.Choices {
		out.Choices[i].Tokens = cloneTokens(out.Choices[i].Tokens)
		out.Choices[i].Calls = slices.Clone(out.Choices[i].Calls)
	}
	return &out
}

func cloneTokens(tokens []Token) []Token {
	out := slices.Clone(tokens)
	for i := range out {
		out[i].Top = slices.Clone(out[i].Top)
	}
	return out
}

// live asks a running llama.cpp server.
type live struct{ url string }

// topOf is how many alternatives are recorded of generated and of given tokens.
const (
	topGenerated = 5
	topScored    = 20
	wholeVocab   = 49152
)

func (l live) post(ctx context.Context, path string, body any) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Minute)
	defer cancel()
	send, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, strings.TrimRight(l.url, "/")+path, bytes.NewReader(send))
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s%s: %s: %s", l.url, path, resp.Status, b[:min(len(b), 300)])
	}
	return b, err
}

type liveToken struct {
	ID    int         `json:"id"`
	Text  string      `json:"token"`
	Bytes []int       `json:"bytes"`
	LP    float64     `json:"logprob"`
	Top   []liveToken `json:"top_logprobs"`
}

func (t liveToken) text() string {
	if len(t.Bytes) == 0 {
		return t.Text
	}
	b := make([]byte, len(t.Bytes))
	for i, v := range t.Bytes {
		b[i] = byte(v)
	}
	return string(b)
}

func (t liveToken) tops() []Top {
	var out []Top
	for _, top := range t.Top {
		out = append(out, Top{top.ID, top.text(), rounded(top.LP)})
	}
	return out
}

// rounded keeps five digits after the point: enough for every check, and short.
func rounded(v float64) float64 { return math.Round(v*1e5) / 1e5 }

func (l live) generate(ctx context.Context, a Ask) (*Reply, error) {
	body := map[string]any{}
	for k, v := range a.Body {
		body[k] = v
	}
	path := "/v1/completions"
	body["max_tokens"] = a.Max
	if _, chat := body["messages"]; chat {
		path = "/v1/chat/completions"
		body["logprobs"], body["top_logprobs"] = true, topGenerated
	} else {
		body["logprobs"] = topGenerated
	}
	b, err := l.post(ctx, path, body)
	if err != nil {
		return nil, err
	}
	var w struct {
		Choices []struct {
			Finish  string `json:"finish_reason"`
			Text    string `json:"text"`
			Message struct {
				Content string `json:"content"`
			} `json:"message"`
			Logprobs struct {
				Content []liveToken `json:"content"`
			} `json:"logprobs"`
		} `json:"choices"`
		Usage struct {
			Prompt     int `json:"prompt_tokens"`
			Completion int `json:"completion_tokens"`
		} `json:"usage"`
	}
	if err := json.Unmarshal(b, &w); err != nil {
		return nil, err
	}
	r := &Reply{Prompt: w.Usage.Prompt, Completion: w.Usage.Completion}
	for _, c := range w.Choices {
		text := c.Message.Content + c.Text
		out := Choice{Content: &text, Finish: &c.Finish}
		for _, t := range c.Logprobs.Content {
			out.Tokens = append(out.Tokens, Token{t.ID, t.text(), rounded(t.LP), t.tops()})
		}
		r.Choices = append(r.Choices, out)
	}
	return r, nil
}

// scores asks for one step after the other; a given token that is not among
// the most likely ones is looked up in the whole vocabulary.
func (l live) scores(ctx context.Context, tokens []int) ([]Step, error) {
	var out []Step
	for i := 1; i < len(tokens); i++ {
		step := Step{ID: tokens[i], LP: math.NaN()}
		for _, n := range []int{topScored, wholeVocab} {
			b, err := l.post(ctx, "/completion", map[string]any{
				"prompt": tokens[:i], "n_predict": 1, "n_probs": n, "temperature": 0, "cache_prompt": true,
			})
			if err != nil {
				return nil, err
			}
			var w struct {
				Probs []liveToken `json:"completion_probabilities"`
			}
			if err := json.Unmarshal(b, &w); err != nil || len(w.Probs) == 0 {
				return nil, fmt.Errorf("%s/completion gives no probabilities: %w", l.url, err)
			}
			for _, t := range w.Probs[0].Top {
				if t.ID == step.ID {
					step.LP = rounded(t.LP)
				}
			}
			if n == topScored {
				step.Top = w.Probs[0].tops()
			}
			if !math.IsNaN(step.LP) {
				break
			}
		}
		if math.IsNaN(step.LP) {
			return nil, fmt.Errorf("%s gives token %d no log-probability at position %d", l.url, step.ID, i)
		}
		out = append(out, step)
	}
	return out, nil
}
