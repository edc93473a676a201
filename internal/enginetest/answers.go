package enginetest

import (
	"bytes"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// created is the time that answers carry.
const created = 1795972977

// whole encodes an answer that is not streamed.
func (f *Front) whole(c *Call, r *Reply) object {
	var choices list
	for i := range r.Choices {
		choices = append(choices, f.choice(c, r, i))
	}
	kind := "chat.completion"
	if !c.Chat {
		kind = "text_completion"
	}
	o := f.envelope(c, r, kind, choices)
	if !r.NoUsage {
		o = append(o, "usage", f.usage(r))
	}
	if f.Dialect == LlamaCPP && f.OldLogprobs && c.Logprobs {
		o = append(o, "completion_probabilities", oldProbs(r.Choices[0].Tokens))
	}
	switch f.Dialect {
	case SGLang:
		o = append(o, "metadata", object{"weight_version", "default"})
	case VLLM:
		if c.Chat {
			o = append(o, "prompt_logprobs", nil, "prompt_token_ids", nil, "prompt_text", nil)
		}
		o = append(o, "kv_transfer_params", nil, "ec_transfer_params", nil, "metrics", nil)
	}
	return o
}

// envelope is what answers and events have in common.
func (f *Front) envelope(c *Call, r *Reply, kind string, choices list) object {
	if choices == nil {
		choices = list{}
	}
	id := "chatcmpl-" + strconv.Itoa(c.Serial)
	switch f.Dialect {
	case LlamaCPP:
		return object{"choices", choices, "created", created, "model", r.Model, "system_fingerprint", r.Fingerprint, "object", kind, "id", id}
	case Ollama:
		return object{"id", id, "object", kind, "created", created, "model", r.Model, "system_fingerprint", r.Fingerprint, "choices", choices}
	}
	o := object{"id", id, "object", kind, "created", created, "model", r.Model, "choices", choices}
	if f.Dialect == VLLM && strings.HasSuffix(kind, ".chunk") {
		return o
	}
	if f.Dialect == VLLM {
		o = append(o, "service_tier", nil)
	}
	switch {
	case r.Fingerprint != "":
		o = append(o, "system_fingerprint", r.Fingerprint)
	case f.Dialect == OpenAI:
		o = append(o, "system_fingerprint", nil)
	}
	return o
}

func (f *Front) usage(r *Reply) object {
	u := object{"prompt_tokens", r.Prompt, "total_tokens", r.Total, "completion_tokens", r.Completion}
	switch f.Dialect {
	case SGLang:
		u = append(u, "prompt_tokens_details", nil, "reasoning_tokens", 0)
	case VLLM:
		u = append(u, "prompt_tokens_details", nil, "completion_tokens_details", nil)
	case LlamaCPP:
		u = append(u, "prompt_tokens_details", object{"cached_tokens", 0})
	}
	return u
}

// reasoningField is what the engine calls the channel.
func (f *Front) reasoningField() string {
	if f.Dialect == VLLM || f.Dialect == Ollama {
		return "reasoning"
	}
	return "reasoning_content"
}

// choice encodes one whole choice.
func (f *Front) choice(c *Call, r *Reply, i int) object {
	ch := &r.Choices[i]
	o := object{"index", i}
	if c.Chat {
		m := object{"role", "assistant", "content", ch.Content}
		if f.Dialect == VLLM {
			m = append(m, "refusal", nil, "annotations", nil, "audio", nil, "function_call", nil)
		}
		switch calls := f.toolCalls(ch); {
		case len(calls) > 0:
			m = append(m, "tool_calls", calls)
		case f.Dialect == SGLang:
			m = append(m, "tool_calls", nil)
		}
		if ch.Reasoning != nil || f.Dialect == SGLang || f.Dialect == VLLM {
			m = append(m, f.reasoningField(), ch.Reasoning)
		}
		o = append(o, "message", m)
	} else {
		o = append(o, "text", ch.Content)
	}
	o = append(o, f.logprobs(c, ch.Tokens)...)
	return append(o, f.ending(c, ch, ch.Tokens)...)
}

func (f *Front) toolCalls(ch *Choice) list {
	var calls list
	for i, call := range ch.Calls {
		o := object{"id", "call_" + strconv.Itoa(i), "type", "function", "function", object{"name", call.Name, "arguments", call.Args}}
		if f.Dialect == SGLang {
			o = append(o, "index", i)
		}
		calls = append(calls, o)
	}
	return calls
}

// ending are the members that say how a choice ended, and its token ids.
func (f *Front) ending(c *Call, ch *Choice, tokens []Token) object {
	o := object{"finish_reason", ch.Finish}
	switch f.Dialect {
	case SGLang:
		o = append(o, "matched_stop", bare(ch.Matched))
		if c.TokenIDs {
			o = append(o, "response_token_ids", idsOf(tokens))
		}
	case VLLM:
		if ch.Finish != nil || !c.Stream || !c.Chat {
			o = append(o, "stop_reason", bare(ch.Matched))
		}
		if c.TokenIDs {
			o = append(o, "token_ids", idsOf(tokens))
		} else {
			o = append(o, "token_ids", nil)
		}
		if !c.Stream {
			o = append(o, "routed_experts", nil)
		}
	}
	return o
}

func idsOf(tokens []Token) []int {
	out := make([]int, len(tokens))
	for i, t := range tokens {
		out[i] = t.ID
	}
	return out
}

// logprobs are the member logprobs in the dialect's shape.
func (f *Front) logprobs(c *Call, tokens []Token) object {
	switch {
	case f.Dialect == Ollama:
		return nil
	case !c.Logprobs || f.Dialect == LlamaCPP && f.OldLogprobs:
		if f.Dialect == LlamaCPP {
			return nil
		}
		return object{"logprobs", nil}
	case !c.Chat && f.Dialect != LlamaCPP:
		texts, lps, tops, offsets, at := list{}, list{}, list{}, []int{}, 0
		for _, t := range tokens {
			texts, lps, offsets = append(texts, t.Text), append(lps, t.LP), append(offsets, at)
			at += utf8.RuneCountInString(t.Text)
			var top object
			for _, x := range t.Top[:min(c.Top, len(t.Top))] {
				top = append(top, x.Text, x.LP)
			}
			tops = append(tops, top)
		}
		return object{"logprobs", object{"text_offset", offsets, "token_logprobs", lps, "tokens", texts, "top_logprobs", tops}}
	}
	items := list{}
	for _, t := range tokens {
		top := list{}
		for _, x := range t.Top[:min(c.Top, len(t.Top))] {
			top = append(top, f.logprob(x.ID, x.Text, x.LP))
		}
		items = append(items, append(f.logprob(t.ID, t.Text, t.LP), "top_logprobs", top))
	}
	return object{"logprobs", object{"content", items}}
}

func (f *Front) logprob(id int, text string, lp float64) object {
	whole := strings.ToValidUTF8(text, "\uFFFD")
	if id == endOfTurn && text == "" && f.Dialect != LlamaCPP {
		whole, text = "<|im_end|>", "<|im_end|>"
	}
	o := object{"token", whole, "bytes", byteList(text), "logprob", lp}
	if f.Dialect == LlamaCPP {
		o = append(object{"id", id}, o...)
	}
	return o
}

// pieces cuts a choice's text into the deltas of a stream, token by token, as
// far as the tokens are the text. The last item holds what is left, if any.
type piece struct {
	reasoning, content string
	tokens             []Token
}

func (ch *Choice) pieces() []piece {
	var out []piece
	var content, reasoning string
	if ch.Content != nil {
		content = *ch.Content
	}
	if ch.Reasoning != nil {
		reasoning = *ch.Reasoning
	}
	for i, t := range ch.Tokens {
		p := piece{tokens: ch.Tokens[i : i+1]}
		rest := &content
		if i < ch.Thought {
			rest = &reasoning
		}
		if t.Text != "" && strings.HasPrefix(*rest, t.Text) {
			*rest = (*rest)[len(t.Text):]
			if i < ch.Thought {
				p.reasoning = t.Text
			} else {
				p.content = t.Text
			}
		} else if i >= ch.Thought {
			// The end of the turn, or what the server cut away.
			p.content, content = content, ""
		}
		out = append(out, p)
	}
	if content != "" || reasoning != "" || ch.Content != nil && *ch.Content == "" {
		out = append(out, piece{reasoning: reasoning, content: content})
	}
	return out
}

// events encodes an answer as the data of a stream's events, without [DONE].
func (f *Front) events(c *Call, r *Reply) []string {
	var out []string
	kind := "chat.completion.chunk"
	if !c.Chat {
		kind = "text_completion"
	}
	send := func(i int, delta object, tokens []Token, ch *Choice) {
		o := object{"index", i}
		if c.Chat {
			o = append(o, "delta", delta)
		} else {
			text := any("")
			if len(delta) > 0 {
				text = delta[1]
			}
			o = append(o, "text", text)
		}
		if len(tokens) > 0 {
			o = append(o, f.logprobs(c, tokens)...)
		}
		o = append(o, f.ending(c, ch, tokens)...)
		out = append(out, string(f.envelope(c, r, kind, list{o}).encode(r.BareNaN)))
	}
	for i := range r.Choices {
		ch := &r.Choices[i]
		if c.Chat && !f.NoRoleFirst && f.Dialect != Ollama {
			first := object{"role", "assistant", "content", ""}
			if f.Dialect == LlamaCPP {
				first[3] = nil
			}
			if f.Dialect == SGLang {
				first = append(first, "reasoning_content", nil, "tool_calls", nil)
			}
			send(i, first, nil, &Choice{})
		}
		if len(ch.Calls) > 0 {
			f.toolDeltas(ch, func(d object) { send(i, d, nil, &Choice{}) })
		} else {
			for _, p := range ch.pieces() {
				delta := object{}
				switch {
				case p.reasoning != "":
					delta = object{f.reasoningField(), p.reasoning}
				case p.content != "" || p.tokens == nil:
					delta = object{"content", p.content}
				}
				if f.Dialect == Ollama {
					delta = append(object{"role", "assistant"}, delta...)
					if !c.Chat {
						delta = delta[2:]
					}
				}
				send(i, delta, p.tokens, &Choice{})
			}
		}
		last := object{}
		if f.Dialect == VLLM {
			last = object{"content", ""}
		}
		send(i, last, nil, ch)
	}
	if c.Usage && !r.NoUsage {
		o := append(f.envelope(c, r, kind, nil), "usage", f.usage(r))
		out = append(out, string(o.encode(false)))
	}
	if f.Hooks.Events != nil {
		out = f.Hooks.Events(c, out)
	}
	return out
}

// toolDeltas are the parts of streamed tool calls: the name first, then pieces
// of the arguments.
func (f *Front) toolDeltas(ch *Choice, send func(object)) {
	for i, call := range ch.Calls {
		send(object{"tool_calls", list{object{"index", i, "id", "call_" + strconv.Itoa(i), "type", "function",
			"function", object{"name", call.Name, "arguments", ""}}}})
		for args := call.Args; args != ""; {
			n := min(len(args), 6)
			for n < len(args) && !utf8.RuneStart(args[n]) {
				n++
			}
			send(object{"tool_calls", list{object{"index", i, "function", object{"arguments", args[:n]}}}})
			args = args[n:]
		}
	}
}

// stream sends events.
func (f *Front) stream(w http.ResponseWriter, r *http.Request, c *Call, events []string) {
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	w.WriteHeader(http.StatusOK)
	end := "\n"
	if f.Framing.CRLF {
		end = "\r\n"
	}
	flush := func() { _ = http.NewResponseController(w).Flush() }
	write := func(b []byte) bool {
		step := len(b)
		if f.Framing.Split {
			step = 7
		}
		for len(b) > 0 {
			n := min(step, len(b))
			if _, err := w.Write(b[:n]); err != nil {
				return false
			}
			b = b[n:]
			if f.Framing.Split {
				flush()
			}
		}
		return r.Context().Err() == nil
	}
	for i, data := range events {
		if f.Framing.Break > 0 && i == f.Framing.Break {
			flush()
			panic(http.ErrAbortHandler)
		}
		var b bytes.Buffer
		if f.Framing.Comments && i%3 == 0 {
			b.WriteString(": keep-alive" + end + end)
		}
		b.WriteString("data: " + data + end + end)
		if !write(b.Bytes()) {
			return
		}
		if f.Framing.Pause > 0 {
			flush()
			time.Sleep(f.Framing.Pause)
		}
	}
	write([]byte("data: [DONE]" + end + end))
}
