package dialect

import (
	"encoding/json"
	"errors"
)

// The forms of /v1/chat/completions and /v1/completions, whole or as the
// chunks of a stream, with the members that each engine adds.

type wireAnswer struct {
	ID          looseString     `json:"id"`
	Created     looseInt        `json:"created"`
	Model       looseString     `json:"model"`
	Fingerprint looseString     `json:"system_fingerprint"`
	Choices     []wireChoice    `json:"choices"`
	Usage       *wireUsage      `json:"usage"`
	Error       json.RawMessage `json:"error"`
	// SGLang's and FastAPI's error objects.
	Object  looseString     `json:"object"`
	Message json.RawMessage `json:"message"`
	Detail  json.RawMessage `json:"detail"`
}

type wireChoice struct {
	Index        looseInt        `json:"index"`
	Message      *wireMessage    `json:"message"`
	Delta        *wireMessage    `json:"delta"`
	Text         rawText         `json:"text"`
	FinishReason json.RawMessage `json:"finish_reason"`
	MatchedStop  json.RawMessage `json:"matched_stop"` // SGLang
	StopReason   json.RawMessage `json:"stop_reason"`  // vLLM
	Logprobs     json.RawMessage `json:"logprobs"`
	// vLLM and SGLang 0.5.17; SGLang from 0.5.18 on.
	TokenIDs         json.RawMessage `json:"token_ids"`
	ResponseTokenIDs json.RawMessage `json:"response_token_ids"`
}

type wireMessage struct {
	Role             looseString    `json:"role"`
	Content          rawText        `json:"content"`
	ReasoningContent rawText        `json:"reasoning_content"` // SGLang, llama.cpp, older vLLM
	Reasoning        rawText        `json:"reasoning"`         // vLLM, ollama
	ToolCalls        []wireToolCall `json:"tool_calls"`
}

type wireToolCall struct {
	Index    looseInt    `json:"index"`
	ID       looseString `json:"id"`
	Function struct {
		Name      looseString `json:"name"`
		Arguments rawText     `json:"arguments"`
	} `json:"function"`
}

type wireUsage struct {
	Prompt        looseInt `json:"prompt_tokens"`
	Completion    looseInt `json:"completion_tokens"`
	Total         looseInt `json:"total_tokens"`
	Reasoning     looseInt `json:"reasoning_tokens"` // SGLang
	PromptDetails *struct {
		Cached looseInt `json:"cached_tokens"`
	} `json:"prompt_tokens_details"`
	CompletionDetails *struct {
		Reasoning looseInt `json:"reasoning_tokens"`
	} `json:"completion_tokens_details"`
}

func (u *wireUsage) usage() *Usage {
	if u == nil {
		return nil
	}
	out := &Usage{
		Prompt: u.Prompt.ptr(), Completion: u.Completion.ptr(), Total: u.Total.ptr(),
		Reasoning: u.Reasoning.ptr(),
	}
	if d := u.PromptDetails; d != nil {
		out.Cached = d.Cached.ptr()
	}
	if d := u.CompletionDetails; d != nil && d.Reasoning.ok {
		out.Reasoning = d.Reasoning.ptr()
	}
	return out
}

// decodeAnswer parses a body or the data of one event. Members of the wrong
// type are left out; err is set only for what is no JSON at all.
func decodeAnswer(b []byte, w *wireAnswer) (bareNaN bool, err error) {
	b, bareNaN = quoteNonFinite(b)
	err = json.Unmarshal(b, w)
	var wrongType *json.UnmarshalTypeError
	if errors.As(err, &wrongType) {
		err = nil
	}
	return bareNaN, err
}

// ints reads a list of integers; ok is false for anything else.
func ints(raw json.RawMessage) (out []int, ok bool) {
	if isNull(raw) {
		return nil, false
	}
	var list []looseInt
	if json.Unmarshal(raw, &list) != nil {
		return nil, false
	}
	out = make([]int, len(list))
	for i, v := range list {
		if !v.ok {
			return nil, false
		}
		out[i] = v.n
	}
	return out, true
}

func isNull(raw json.RawMessage) bool { return len(raw) == 0 || string(raw) == "null" }
