package dialect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"
)

// parseLogprobs reads every shape of log-probabilities of generated tokens:
//
//   - chat completions: {"content": [{token, bytes, logprob, top_logprobs}]},
//     with an id as well from llama.cpp, which uses it for /v1/completions too;
//   - OpenAI's older /v1/completions: {tokens, token_logprobs, top_logprobs:
//     [{token: logprob}], text_offset};
//   - llama.cpp's completion_probabilities: a list of items {id, token, bytes,
//     logprob, top_logprobs} or, with post_sampling_probs, {…, prob, top_probs},
//     or from before 2025 {content, probs: [{tok_str, prob}]}.
//
// What is none of them gives nil.
func parseLogprobs(raw json.RawMessage) []TokenLogprob {
	raw = bytes.TrimSpace(raw)
	if isNull(raw) {
		return nil
	}
	if raw[0] == '[' {
		return parseLogprobItems(raw)
	}
	var w struct {
		Content json.RawMessage              `json:"content"`
		Tokens  []looseString                `json:"tokens"`
		Lps     []looseNumber                `json:"token_logprobs"`
		Tops    []map[string]json.RawMessage `json:"top_logprobs"`
	}
	_ = json.Unmarshal(raw, &w) // a member of another type is left out
	if !isNull(w.Content) {
		return parseLogprobItems(w.Content)
	}
	if w.Tokens == nil {
		return nil
	}
	out := make([]TokenLogprob, len(w.Tokens))
	for i, tok := range w.Tokens {
		out[i].Token = string(tok)
		out[i].ID = tokenID(string(tok))
		if i < len(w.Lps) {
			out[i].Logprob = w.Lps[i].Number
		}
		if i < len(w.Tops) && w.Tops[i] != nil {
			out[i].Top = topOfMap(w.Tops[i])
		}
	}
	return out
}

type wireLogprob struct {
	ID    looseInt      `json:"id"`
	Token *looseString  `json:"token"`
	Bytes []looseInt    `json:"bytes"`
	LP    looseNumber   `json:"logprob"`
	Prob  looseNumber   `json:"prob"`
	Top   []wireLogprob `json:"top_logprobs"`
	TopP  []wireLogprob `json:"top_probs"`
	// llama.cpp before 2025.
	TokStr  *looseString  `json:"tok_str"`
	Content *looseString  `json:"content"`
	Probs   []wireLogprob `json:"probs"`
}

func parseLogprobItems(raw json.RawMessage) []TokenLogprob {
	var items []wireLogprob
	_ = json.Unmarshal(raw, &items)
	if items == nil {
		return nil
	}
	out := make([]TokenLogprob, len(items))
	for i := range items {
		w := &items[i]
		t := &out[i]
		t.Token, t.ID = w.token()
		for _, b := range w.Bytes {
			t.Bytes = append(t.Bytes, b.n)
		}
		t.Logprob = w.logprob()
		for _, list := range [...][]wireLogprob{w.Top, w.TopP, w.Probs} {
			for k := range list {
				top := TopLogprob{Logprob: list[k].logprob()}
				top.Token, top.ID = list[k].token()
				t.Top = append(t.Top, top)
			}
		}
		// The old shape tells the chosen token's probability in its list only.
		if t.Logprob.Kind == Missing {
			for _, top := range t.Top {
				if top.Token == t.Token {
					t.Logprob = top.Logprob
					break
				}
			}
		}
	}
	return out
}

func (w *wireLogprob) token() (string, *int) {
	id := w.ID.ptr()
	for _, s := range [...]*looseString{w.Token, w.TokStr, w.Content} {
		if s == nil {
			continue
		}
		if id == nil {
			id = tokenID(string(*s))
		}
		return string(*s), id
	}
	return "", id
}

func (w *wireLogprob) logprob() Number {
	if w.LP.Kind != Missing || w.Prob.Kind == Missing {
		return w.LP.Number
	}
	if w.Prob.Kind == Finite {
		return Num(math.Log(w.Prob.Value))
	}
	return w.Prob.Number
}

// tokenID reads vLLM's "token_id:N" (return_tokens_as_token_ids).
func tokenID(token string) *int {
	digits, ok := strings.CutPrefix(token, "token_id:")
	if !ok {
		return nil
	}
	n, err := strconv.Atoi(digits)
	if err != nil {
		return nil
	}
	return &n
}

func topOfMap(m map[string]json.RawMessage) []TopLogprob {
	out := make([]TopLogprob, 0, len(m))
	for tok, raw := range m {
		var n looseNumber
		_ = n.UnmarshalJSON(raw)
		out = append(out, TopLogprob{Token: tok, ID: tokenID(tok), Logprob: n.Number})
	}
	sortTop(out)
	return out
}

// sortTop orders alternatives most likely first; what is not finite goes last.
func sortTop(top []TopLogprob) {
	slices.SortStableFunc(top, func(a, b TopLogprob) int {
		if c := cmp.Compare(rank(b.Logprob), rank(a.Logprob)); c != 0 {
			return c
		}
		return cmp.Compare(a.Token, b.Token)
	})
}

func rank(n Number) float64 {
	if f := n.Float(); !math.IsNaN(f) {
		return f
	}
	return math.Inf(-1)
}
