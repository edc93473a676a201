package enginetest

import (
	"context"
	"net/http"
	"strings"
)

func before(change func(*Call)) func(*Front) {
	return func(f *Front) { f.Hooks.Before = change }
}

func onReply(change func(*Call, *Reply)) func(*Front) {
	return func(f *Front) { f.Hooks.Answer = change }
}

func onEvents(change func(*Call, []string) []string) func(*Front) {
	return func(f *Front) { f.Hooks.Events = change }
}

// drop removes the n-th event that carries text from every stream.
func drop(n int) func(*Front) {
	return onEvents(func(_ *Call, events []string) []string {
		var out []string
		seen := 0
		for _, e := range events {
			if strings.Contains(e, `"content":"`) && !strings.Contains(e, `"content":""`) || strings.Contains(e, `"text":"`) {
				if seen++; seen == n {
					continue
				}
			}
			out = append(out, e)
		}
		return out
	})
}

// finished changes how answers end.
func finished(change func(c *Call, ch *Choice)) func(*Front) {
	return onReply(func(c *Call, r *Reply) {
		for i := range r.Choices {
			change(c, &r.Choices[i])
		}
	})
}

// called changes tool calls, those of streams alone if only says so.
func called(onlyStreams bool, change func(*Choice)) func(*Front) {
	return func(f *Front) {
		f.Tools = true
		f.Hooks.Answer = func(c *Call, r *Reply) {
			if len(c.Tools) == 0 || onlyStreams && !c.Stream {
				return
			}
			for i := range r.Choices {
				change(&r.Choices[i])
			}
		}
	}
}

func brokenArgs(ch *Choice) {
	ch.Calls[0].Args = strings.TrimSuffix(strings.TrimSpace(ch.Calls[0].Args), "}")
}

func contractFaults() []Fault {
	return []Fault{
		{
			Name: "finish-missing", Says: "answers end without a finish_reason",
			Expect: "contract.finish_reason", Verdict: "degraded",
			Apply: finished(func(_ *Call, ch *Choice) { ch.Finish = nil }),
		},
		{
			Name: "finish-unknown", Says: `finish_reason "end_turn"`,
			Expect: "contract.finish_reason", Verdict: "degraded",
			Apply: finished(func(_ *Call, ch *Choice) {
				if *ch.Finish == "stop" {
					ch.Finish = ptr("end_turn")
				}
			}),
		},
		{
			Name: "finish-length", Says: `answers that end by themselves say "length"`,
			Expect: "contract.finish_reason", Verdict: "degraded",
			Apply: finished(func(_ *Call, ch *Choice) {
				if *ch.Finish == "stop" {
					ch.Finish, ch.Matched = ptr("length"), ""
				}
			}),
		},
		{
			Name: "max-tokens", Says: "the token limit is ignored",
			Expect: "contract.max_tokens", Verdict: "degraded",
			Apply: func(f *Front) {
				onReply(func(c *Call, r *Reply) {
					if !c.Free() {
						return
					}
					more := *c
					more.Max = 2*c.Max + 8
					rewrite(&more, r, func(old []Token, ended bool) ([]Token, bool) {
						if ended {
							return old, true
						}
						story := f.Story(context.Background(), c)
						return append(cloneTokens(old), story[:min(len(story), c.Max+4)]...), true
					})
				})(f)
			},
		},
		{
			Name: "stop-kept", Says: "the stop string is ignored, and stands in the answer",
			Expect: "contract.stop", Verdict: "degraded", Apply: before(func(c *Call) { c.Stop = nil }),
		},
		{
			Name: "usage", Says: "prompt and output tokens do not add up to the total",
			Expect: "contract.usage", Verdict: "degraded", Apply: onReply(func(_ *Call, r *Reply) { r.Total += 7 }),
		},
		{
			Name: "prompt-tokens", Says: "40 % more prompt tokens are counted than the tokenizer gives",
			Dialects: withBias, Expect: "contract.prompt_tokens", Verdict: "degraded",
			Apply: onReply(func(_ *Call, r *Reply) { r.Prompt = r.Prompt * 7 / 5; r.Total = r.Prompt + r.Completion }),
		},
		{
			Name: "stream-first", Says: "streams lose their first token",
			Expect: "contract.stream_equal", Verdict: "degraded", Apply: drop(1),
		},
		{
			Name: "stream-middle", Says: "streams lose a token in the middle",
			Expect: "contract.stream_equal", Verdict: "degraded", Apply: drop(4),
		},
		{
			Name: "stream-closed", Says: "the connection breaks in the middle of a stream",
			Expect: "contract.stream_frames", Verdict: "degraded", Apply: func(f *Front) { f.Framing.Break = 4 },
		},
		{
			Name: "stream-malformed", Says: "an event of a stream is cut JSON",
			Expect: "contract.stream_frames", Verdict: "degraded",
			Apply: onEvents(func(_ *Call, events []string) []string {
				events[3] = events[3][:len(events[3])/2]
				return events
			}),
		},
		{
			Name: "stream-error", Says: "a stream with status 200 ends in an error event",
			Expect: "contract.stream_frames", Verdict: "degraded",
			Apply: func(f *Front) {
				onEvents(func(_ *Call, events []string) []string {
					return append(events[:4:4], string(f.fault(500, "CUDA error: an illegal memory access was encountered").encode(false)))
				})(f)
			},
		},
		{
			Name: "bad-request-500", Says: "a bad request is answered as the server's own fault",
			Expect: "contract.bad_request", Verdict: "degraded",
			Apply: func(f *Front) {
				f.Hooks.Take = func(w http.ResponseWriter, _ *http.Request, c *Call) bool {
					if c.Bad() {
						f.Fail(w, http.StatusInternalServerError, "Internal server error")
					}
					return c.Bad()
				}
			},
		},
		{
			Name: "logit-bias", Says: "logit_bias is ignored",
			Dialects: withBias, Level: "standard", Expect: "contract.logit_bias", Verdict: "degraded",
			Apply: before(func(c *Call) { c.LogitBias = nil }),
		},
		{
			Name: "n", Says: "one answer comes where two are asked for",
			Dialects: withN, Level: "standard", Expect: "contract.n", Verdict: "degraded", Apply: before(func(c *Call) { c.N = 1 }),
		},
		{
			Name: "json-schema", Says: "the JSON schema is ignored",
			Level: "standard", Expect: "contract.json_schema", Verdict: "degraded",
			Apply: func(f *Front) {
				f.Hooks.Before = func(c *Call) {
					if len(c.Schema) > 0 {
						c.Schema = nil
						c.Messages = []Message{{Role: "user", Content: "What is the capital of France? Answer in one short sentence."}}
					}
				}
			},
		},
		{
			Name: "tool-markup", Says: "the tool call is left as markup in the content",
			Dialects: withTools, Level: "standard", Expect: "contract.tool_markup", Verdict: "degraded",
			Apply: called(false, func(ch *Choice) {
				text := "<tool_call>\n{\"name\": \"" + ch.Calls[0].Name + "\", \"arguments\": " + ch.Calls[0].Args + "}\n</tool_call>"
				ch.Content, ch.Calls, ch.Finish = &text, nil, ptr("stop")
			}),
		},
		{
			Name: "tool-args", Says: "the arguments of tool calls are cut JSON",
			Dialects: withTools, Level: "standard", Expect: "contract.tool_call", Verdict: "degraded", Apply: called(false, brokenArgs),
		},
		{
			Name: "tool-name", Says: "tool calls name another function",
			Dialects: withTools, Level: "standard", Expect: "contract.tool_call", Verdict: "degraded",
			Apply: called(false, func(ch *Choice) { ch.Calls[0].Name = "function" }),
		},
		{
			Name: "tool-city", Says: "tool calls lack a required argument",
			Dialects: withTools, Level: "standard", Expect: "contract.tool_call", Verdict: "degraded",
			Apply: called(false, func(ch *Choice) { ch.Calls[0].Args = `{"unit": "celsius"}` }),
		},
		{
			Name: "tool-text", Says: "text comes where a tool call was required",
			Dialects: withTools, Level: "standard", Expect: "contract.tool_call", Verdict: "degraded",
			Apply: called(false, func(ch *Choice) {
				ch.Content, ch.Calls, ch.Finish = ptr("It is sunny in Paris."), nil, ptr("stop")
			}),
		},
		{
			Name: "tool-stream", Says: "the arguments of streamed tool calls alone are cut",
			Dialects: withTools, Level: "standard", Expect: "contract.tool_stream", Verdict: "degraded", Apply: called(true, brokenArgs),
		},
		{
			Name: "think-in-content", Says: "reasoning and </think> stand in the content",
			Expect: "contract.reasoning_split", Verdict: "degraded",
			Apply: onAnswer(func(c *Call, old []Token, ended bool) ([]Token, bool) {
				thought := pick(c, []string{"Short answer.\n", "Simple one.\n", "They ask.\n", "Let me see.\n"}, 1)[0]
				return append(like(old, append(words(thought), "</think>", "\n\n")...), old...), ended
			}),
		},
		{
			Name: "all-reasoning", Says: "the whole answer is in the reasoning channel, and the content null",
			Dialects: []Dialect{SGLang, VLLM, LlamaCPP, OpenAI}, Expect: "contract.reasoning_split", Verdict: "degraded",
			Apply: func(f *Front) {
				f.Hooks.Before = func(c *Call) {
					if c.Max > thinkingRoom {
						c.Max -= thinkingRoom
					}
				}
				f.Hooks.Answer = func(c *Call, r *Reply) {
					if !c.Chat || !c.Free() {
						return
					}
					for i := range r.Choices {
						ch := &r.Choices[i]
						ch.Reasoning, ch.Content, ch.Thought = ch.Content, nil, len(ch.Tokens)
					}
				}
			},
		},
		{
			Name: "markup", Says: "the template's own markup stands at the end of answers",
			Expect: "contract.markup", Verdict: "degraded", Apply: appended("<|im_end|>"),
		},
		{
			Name: "system-prompt", Says: "the system prompt is dropped",
			Level: "standard", Expect: "contract.system_prompt", Verdict: "degraded",
			Apply: before(func(c *Call) {
				if len(c.Messages) > 1 && c.Messages[0].Role == "system" {
					c.Messages = c.Messages[1:]
				}
			}),
		},
		{
			Name: "cancel", Says: "a request that the client left keeps its slot",
			// SGLang tells its load too late to judge by.
			Dialects: []Dialect{LlamaCPP, VLLM}, Level: "standard", Expect: "contract.cancel", Verdict: "degraded",
			Apply: func(f *Front) {
				left := make(chan struct{}, 1)
				f.Hooks.Events = func(c *Call, events []string) []string {
					if c.Max >= 400 && strings.Contains(c.Question(), "lighthouse") {
						select {
						case left <- struct{}{}:
						default:
						}
					}
					return events
				}
				f.Hooks.Load = func(running, waiting int) (int, int) { return running + len(left), waiting }
			},
		},
	}
}
