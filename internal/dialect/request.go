package dialect

import "encoding/json"

// An Op is what a request asks for.
type Op string

// The operations. OpChat and OpCompletion generate text; the others read.
const (
	OpChat       Op = "chat"
	OpCompletion Op = "completion"
	// OpTokenize returns the token ids of Request.Prompt, with what begins a
	// prompt (BOS) if Request.AddSpecial.
	OpTokenize Op = "tokenize"
	// OpCountChat returns how many tokens Request.Messages are after the
	// server's chat template.
	OpCountChat Op = "count_chat"
	// OpScore returns the log-probability of each token of Request.Tokens given
	// those before it (teacher forcing), with the Top most likely ones.
	OpScore Op = "score"
	// OpLoad returns how many requests run and wait.
	OpLoad Op = "load"
)

// A Message is one turn of a chat.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// A Tool is a function that the model may call; Parameters is a JSON Schema.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description,omitempty"`
	Parameters  json.RawMessage `json:"parameters"`
}

// A Request is neutral: the client turns it into the engine's own form.
// Pointer fields that are nil are not sent.
type Request struct {
	Op       Op        `json:"op"`
	Messages []Message `json:"messages,omitempty"`
	// Prompt is the text of OpCompletion or OpTokenize.
	Prompt string `json:"prompt,omitempty"`
	// AddSpecial has OpTokenize add what the vocabulary begins a prompt with.
	AddSpecial bool `json:"add_special,omitempty"`
	// Tokens is a prompt of token ids, for OpCompletion and OpScore.
	Tokens      []int    `json:"tokens,omitempty"`
	MaxTokens   int      `json:"max_tokens,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
	Seed        *int     `json:"seed,omitempty"`
	N           int      `json:"n,omitempty"`
	Stop        []string `json:"stop,omitempty"`
	// Top asks for log-probabilities of the chosen token and the Top most
	// likely ones (chosen only for 0 with Logprobs set).
	Logprobs bool `json:"logprobs,omitempty"`
	Top      int  `json:"top,omitempty"`
	// LogitBias maps token ids to biases.
	LogitBias map[int]float64 `json:"logit_bias,omitempty"`
	// JSONSchema constrains the output.
	JSONSchema json.RawMessage `json:"json_schema,omitempty"`
	Tools      []Tool          `json:"tools,omitempty"`
	// ToolChoice is "auto", "required" or "none"; empty is not sent.
	ToolChoice string `json:"tool_choice,omitempty"`
	Stream     bool   `json:"stream,omitempty"`
	// Thinking turns the model's thinking on or off where the server has the
	// switch; nil leaves it to the server.
	Thinking *bool `json:"thinking,omitempty"`
	// Extra members are merged into the body last and win: for requests that
	// are bad on purpose, and for what one engine alone offers.
	Extra map[string]json.RawMessage `json:"extra,omitempty"`
	// CancelAfter, when above 0, ends a streamed request after that many events
	// that carry text.
	CancelAfter int `json:"cancel_after,omitempty"`
}
