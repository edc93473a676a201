package model

import (
	"slices"
	"strings"
)

// A Template is what a chat template has in it. It is read as text and not run.
type Template struct {
	// Source is the file, or the key of a GGUF.
	Source string `json:"source"`
	Length int    `json:"length"`
	// Reasoning and Tools are the markup of thoughts and of tool calls that it
	// names, in the order in which they appear.
	Reasoning []string `json:"reasoning"`
	Tools     []string `json:"tools"`
	// Switches are the variables that turn thinking on or off.
	Switches []string `json:"switches"`
	// OpensThought is set where the prompt ends with the opening of a thought,
	// so that an answer begins inside of one.
	OpensThought bool `json:"opens_thought"`
	// TakesTools is set where it lists the tools of a request.
	TakesTools bool `json:"takes_tools"`
}

// Markup that templates write, from the templates of the models that the
// families cover, and of their kin.
var (
	reasoningMarkup = []string{
		"<think>", "</think>", "<|channel|>analysis", "<|channel|>", "<thinking>", "</thinking>", "◁think▷", "◁/think▷",
		"[THINK]", "[/THINK]", "<reasoning>", "<|START_THINKING|>", "<seed:think>", "<|thought_start|>",
	}
	toolMarkup = []string{
		"<tool_call>", "</tool_call>", "<tool_response>", "<function=", "<parameter=", "<|tool_calls_section_begin|>", "<|tool_call_begin|>",
		"<|tool_call_argument_begin|>", "<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>", "<｜tool▁sep｜>", "<|python_tag|>",
		"[TOOL_CALLS]", "[TOOL_RESULTS]", "<|tool_call|>", "<function_call>", "<arg_key>", "<|channel|>commentary", "<minimax:tool_call>",
		"to=functions.", "```tool_code", "<start_function_call>",
	}
	thinkingSwitches = []string{"enable_thinking", "thinking_budget", "reasoning_effort", "thinking", "preserve_thinking"}
)

func readTemplate(source, text string) *Template {
	t := &Template{Source: source, Length: len(text), Reasoning: found(text, reasoningMarkup), Tools: found(text, toolMarkup), Switches: []string{}}
	for _, name := range thinkingSwitches {
		if hasWord(text, name) {
			t.Switches = append(t.Switches, name)
		}
	}
	t.TakesTools = hasWord(text, "tools")
	// What the template writes for add_generation_prompt stands at its end.
	if i := strings.LastIndex(text, "add_generation_prompt"); i >= 0 {
		rest := text[i:]
		open, shut := strings.LastIndex(rest, "<think>"), strings.LastIndex(rest, "</think>")
		t.OpensThought = open >= 0 && (open > shut || strings.Count(rest, "<think>") > strings.Count(rest, "</think>"))
	}
	return t
}

// found returns the words that a text has, in their order there.
func found(text string, words []string) []string {
	type at struct {
		word string
		i    int
	}
	var list []at
	for _, w := range words {
		if i := strings.Index(text, w); i >= 0 {
			list = append(list, at{w, i})
		}
	}
	slices.SortStableFunc(list, func(a, b at) int { return a.i - b.i })
	out := []string{}
	for _, x := range list {
		out = append(out, x.word)
	}
	return out
}

// hasWord looks for a name that stands by itself.
func hasWord(text, word string) bool {
	letter := func(c byte) bool {
		return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
	}
	for i := 0; ; {
		j := strings.Index(text[i:], word)
		if j < 0 {
			return false
		}
		begin, end := i+j, i+j+len(word)
		if (begin == 0 || !letter(text[begin-1])) && (end == len(text) || !letter(text[end])) {
			return true
		}
		i = end
	}
}
