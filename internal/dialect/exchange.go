package dialect

import (
	"encoding/json"
	"time"
)

// An Exchange is one request with all that came back. It is a plain value that
// survives JSON, so that observations can be stored and judged again.
type Exchange struct {
	Op Op `json:"op"`
	// Method and Path are what was called, such as POST /v1/chat/completions.
	Method string `json:"method"`
	Path   string `json:"path"`
	// Sent is the request's body, redacted.
	Sent json.RawMessage `json:"sent,omitempty"`
	// Status is the HTTP status; 0 when no answer came.
	Status int `json:"status,omitempty"`
	// Header holds the few response headers that checks read, by lower-case name.
	Header map[string]string `json:"header,omitempty"`
	// Body is the answer as it came (of a stream, its first part), redacted
	// and cut to Limits.KeepBody; BodyBytes counts all that was read.
	Body      string `json:"body,omitempty"`
	BodyCut   bool   `json:"body_cut,omitempty"`
	BodyBytes int64  `json:"body_bytes,omitempty"`

	// Start is when the request was sent. The durations count from there:
	// until the response's headers, until the first piece of text, reasoning
	// or tool call (streams only), until the end.
	Start   time.Time     `json:"start"`
	Headers time.Duration `json:"headers_ns,omitempty"`
	First   time.Duration `json:"first_ns,omitempty"`
	Total   time.Duration `json:"total_ns"`

	// Fail is set when no whole answer came, or it was no answer of this API.
	// An Answer may still hold what came before.
	Fail *Failure `json:"fail,omitempty"`
	// Answer is the parsed answer of OpChat and OpCompletion.
	Answer *Answer `json:"answer,omitempty"`
	// Stream is set for streamed requests.
	Stream *StreamInfo `json:"stream,omitempty"`
	// Tokens is the answer of OpTokenize; Count that of OpTokenize and OpCountChat.
	Tokens []int `json:"tokens,omitempty"`
	Count  int   `json:"count,omitempty"`
	// Scores is the answer of OpScore: one item a scored position of
	// Request.Tokens (the first token has none).
	Scores []Score `json:"scores,omitempty"`
	// Requests is how many HTTP requests this exchange took, if not one.
	Requests int `json:"requests,omitempty"`
	// Load is the answer of OpLoad.
	Load *Load `json:"load,omitempty"`
}

// OK reports whether a whole answer came with a 2xx status.
func (x *Exchange) OK() bool {
	return x.Fail == nil && x.Status >= 200 && x.Status < 300
}

// A FailKind says how an exchange failed.
type FailKind string

// The kinds of failure.
const (
	FailRefused   FailKind = "refused"   // no TCP connection, or no such host
	FailTLS       FailKind = "tls"       // certificate or handshake
	FailTimeout   FailKind = "timeout"   // no response headers in time
	FailHang      FailKind = "hang"      // headers came, then silence
	FailTooSlow   FailKind = "too_slow"  // bytes kept coming past the deadline
	FailClosed    FailKind = "closed"    // the connection ended before the answer did
	FailTooLarge  FailKind = "too_large" // over Limits
	FailNotJSON   FailKind = "not_json"  // 2xx, but no JSON (a web page, say)
	FailBadStream FailKind = "bad_stream"
	FailAuth      FailKind = "auth"      // 401, 403
	FailLoading   FailKind = "loading"   // 503 of a server that loads its model
	FailStatus    FailKind = "status"    // any other status outside 2xx, or an error object with 200
	FailShape     FailKind = "shape"     // JSON, but not an answer of this API
	FailCancelled FailKind = "cancelled" // by the caller: deadline of the run, Ctrl-C
	FailUnoffered FailKind = "unoffered" // this dialect has no such operation
	FailEmbedding FailKind = "embedding" // the model makes embeddings, no text
	FailModel     FailKind = "model"     // no such model, or which of several is not said (Connect only)
)

// A Failure says why no whole answer came.
type Failure struct {
	Kind FailKind `json:"kind"`
	// Message names the thing that failed, for a person; redacted.
	Message string `json:"message"`
	// Type and Code are those of the engine's own error object, if it sent one.
	Type string `json:"type,omitempty"`
	Code string `json:"code,omitempty"`
	// Hint is what to do about it, where that is known.
	Hint string `json:"hint,omitempty"`
}

// An Answer is a parsed chat or text completion; of a stream, the joined one.
type Answer struct {
	ID          string   `json:"id,omitempty"`
	Model       string   `json:"model,omitempty"`
	Fingerprint string   `json:"fingerprint,omitempty"`
	Created     int64    `json:"created,omitempty"`
	Choices     []Choice `json:"choices"`
	Usage       *Usage   `json:"usage,omitempty"`
	// BareNaN is set when the body held NaN or Infinity outside a string,
	// which is no JSON: the server prints non-finite numbers as they are.
	BareNaN bool `json:"bare_nan,omitempty"`
}

// A Choice is one of the n answers. Content and Reasoning are nil where the
// member was null or missing in every part, and empty where it was "".
type Choice struct {
	Index     int        `json:"index"`
	Content   *string    `json:"content"`
	Reasoning *string    `json:"reasoning"`
	ToolCalls []ToolCall `json:"tool_calls,omitempty"`
	// ReasoningField is the member's name: "reasoning" or "reasoning_content".
	ReasoningField string `json:"reasoning_field,omitempty"`
	// FinishReason is nil where it was null or missing.
	FinishReason *string `json:"finish_reason"`
	// MatchedStop is SGLang's matched_stop or vLLM's stop_reason, as JSON.
	MatchedStop json.RawMessage `json:"matched_stop,omitempty"`
	// Logprobs is nil where none came, whatever was asked for.
	Logprobs []TokenLogprob `json:"logprobs,omitempty"`
	// TokenIDs are the generated ids, where the server gives them.
	TokenIDs []int `json:"token_ids,omitempty"`
	// BadUTF8 is set when the raw bytes of the text were not valid UTF-8.
	BadUTF8 bool `json:"bad_utf8,omitempty"`
}

// Text returns reasoning and content joined, as judged by text checks.
func (c Choice) Text() string {
	var s string
	if c.Reasoning != nil {
		s = *c.Reasoning
	}
	if c.Content != nil {
		s += *c.Content
	}
	return s
}

// A ToolCall is a call of a function; Arguments is the text as it came, which
// should be JSON.
type ToolCall struct {
	ID        string `json:"id,omitempty"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

// A Usage holds token counts; a nil member was missing or null.
type Usage struct {
	Prompt     *int `json:"prompt_tokens"`
	Completion *int `json:"completion_tokens"`
	Total      *int `json:"total_tokens"`
	Reasoning  *int `json:"reasoning_tokens,omitempty"`
	Cached     *int `json:"cached_tokens,omitempty"`
}

// A TokenLogprob is one generated token with its log-probability (nats) and
// the most likely alternatives, most likely first.
type TokenLogprob struct {
	Token   string       `json:"token"`
	ID      *int         `json:"id,omitempty"`
	Bytes   []int        `json:"bytes,omitempty"`
	Logprob Number       `json:"logprob"`
	Top     []TopLogprob `json:"top,omitempty"`
}

// A TopLogprob is one alternative of a position.
type TopLogprob struct {
	Token   string `json:"token"`
	ID      *int   `json:"id,omitempty"`
	Logprob Number `json:"logprob"`
}

// A Score is one teacher-forced position: the log-probability of the given
// token (Missing where the server tells only its Top and the token is not
// among them) and the Top most likely tokens there.
type Score struct {
	// Pos is the index into Request.Tokens.
	Pos     int          `json:"pos"`
	ID      int          `json:"id"`
	Logprob Number       `json:"logprob"`
	Top     []TopLogprob `json:"top,omitempty"`
}

// A Load is what else the server has to do.
type Load struct {
	Running int    `json:"running"`
	Waiting int    `json:"waiting"`
	Source  string `json:"source"`
}

// A StreamInfo describes how a stream came.
type StreamInfo struct {
	// Events counts data events but [DONE]; TextEvents those with text,
	// reasoning or part of a tool call.
	Events     int `json:"events"`
	TextEvents int `json:"text_events"`
	// Done: [DONE] came. Usage: some event carried a usage object.
	Done  bool `json:"done"`
	Usage bool `json:"usage"`
	// RoleFirst: the first event held a role and no text.
	RoleFirst bool `json:"role_first,omitempty"`
	// CRLF: lines end in \r\n.
	CRLF bool `json:"crlf,omitempty"`
	// Malformed counts data events that were no JSON; FirstMalformed is the
	// first of them, cut.
	Malformed      int    `json:"malformed,omitempty"`
	FirstMalformed string `json:"first_malformed,omitempty"`
	// ErrorEvent is the message of an error object sent inside the stream.
	ErrorEvent string `json:"error_event,omitempty"`
	// Split: an event's text ended inside a UTF-8 sequence that the next one
	// completed.
	Split bool `json:"split,omitempty"`
	// LongestGap is the longest time between two events.
	LongestGap time.Duration `json:"longest_gap_ns,omitempty"`
	// Cancelled: kilter ended the stream on purpose (Request.CancelAfter).
	Cancelled bool `json:"cancelled,omitempty"`
}
