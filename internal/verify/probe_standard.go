package verify

import (
	"encoding/json"
	"fmt"
	"time"

	"kilter/internal/dialect"
)

// runStops asks for one word and leaves room for two hundred.
func runStops(s *session) {
	s.ask("word", "a one-word answer", free, s.scored(s.prompt("Reply with the single word: hello", "", 200)))
}

// biasText is what the forced token should read; it is one token in every
// byte-level or SentencePiece vocabulary of note.
const biasText = "the"

// runBias forces one token by its id, and sees whether the output obeys.
func runBias(s *session) {
	shot := s.ask("ids", "token ids", bound, dialect.Request{Op: dialect.OpTokenize, Prompt: biasText})
	if shot.Exchange == nil || len(shot.Exchange.Tokens) != 1 {
		return
	}
	r := s.prompt("Say anything.", "Once upon a time", 4)
	r.LogitBias = map[int]float64{shot.Exchange.Tokens[0]: 100}
	s.ask("forced", "a forced token", bound, r)
}

// runChoices asks for two answers at once.
func runChoices(s *session) {
	r := s.prompt("Name a colour.", "My favourite colour is", 8)
	r.Temperature, r.Seed, r.N = ptr(1.0), ptr(s.o.Seed+4), 2
	s.ask("two", "two answers at once", bound, r)
}

// answerSchema is the schema that an answer must keep to.
const answerSchema = `{"type":"object","properties":{"city":{"type":"string"},"population":{"type":"integer"}},"required":["city","population"],"additionalProperties":false}`

func runSchema(s *session) {
	r := s.prompt("Tell me the name of one large city and its population.", "", 96)
	r.JSONSchema = json.RawMessage(answerSchema)
	s.ask("city", "an answer by JSON schema", bound, r)
}

// The tool of the tool probe. Its arguments can be checked mechanically.
const (
	toolName   = "get_weather"
	toolSchema = `{"type":"object","properties":{"city":{"type":"string"},"unit":{"type":"string","enum":["celsius","fahrenheit"]}},"required":["city"]}`
)

// runTool asks for a call of a tool, whole and as a stream. The call is
// required, so that a weak model can't hide a broken parser by not calling.
func runTool(s *session) {
	r := s.prompt("What is the weather in Paris now? Use the tool.", "", 128)
	r.Tools = []dialect.Tool{{Name: toolName, Description: "Returns the weather of a city.", Parameters: json.RawMessage(toolSchema)}}
	r.ToolChoice = "required"
	s.ask("whole", "a tool call", bound, r)
	r.Stream = true
	s.ask("stream", "a streamed tool call", bound, r)
	// A required call is forced by a grammar; only a free one goes through the
	// parser of the model's own markup.
	r.Stream, r.ToolChoice = false, "auto"
	s.ask("auto", "a tool call by choice", bound, r)
}

// systemWord is a word that only the system prompt names.
const systemWord = "pelican"

func runSystem(s *session) {
	r := s.prompt("What is the password?", "", 32)
	r.Messages = append([]dialect.Message{{
		Role: "system", Content: "The password is " + systemWord + ". When the user asks for the password, reply with the password.",
	}}, r.Messages...)
	s.ask("word", "the system prompt", free, r)
}

// runThinking turns thinking on where that is possible and leaves room for it.
func runThinking(s *session) {
	r := s.prompt("What is 12 times 12? Give the number.", "", 1024)
	r.Thinking = ptr(true)
	r.Stream = true
	s.ask("square", "an answer with reasoning", free, r)
}

// runCancel leaves a stream after a few events and asks again at once: the
// slot must come free. The load is read before and after, where it can be.
func runCancel(s *session) {
	if s.cancelShows() {
		s.ask("load_before", "the server's load", bound, dialect.Request{Op: dialect.OpLoad})
	}
	r := s.prompt("Write a long story about a lighthouse.", "Once upon a time there was a lighthouse.", 400)
	r.Stream, r.CancelAfter = true, 3
	s.ask("left", "a stream that is left", bound, r)
	s.ask("after", "a request after that", free, s.prompt("Say hello.", "Hello", 8))
	if !s.cancelShows() {
		return
	}
	// Engines notice a closed connection at their next step; they get a moment.
	for i := range 10 {
		shot := s.ask(fmt.Sprintf("load_%d", i), "the server's load", bound, dialect.Request{Op: dialect.OpLoad})
		if x := shot.Exchange; x == nil || x.Load == nil || x.Load.Running == 0 {
			return
		}
		sleep(s.ctx, 300*time.Millisecond)
	}
}

// cancelShows reports whether the load tells soon that a slot is free: SGLang
// refreshes its metrics only every 30 s when idle.
func (s *session) cancelShows() bool {
	return s.rec.Server.Caps.Load && s.rec.Server.Engine != dialect.SGLang
}

// How many tokens of plain text are scored: all in one request where the
// server can, fewer where each position costs a request.
const (
	scoreTokens = 96
	stepTokens  = 64
)

func (s *session) scoreRequest(ids []int, caps dialect.Caps) dialect.Request {
	n := scoreTokens
	if !caps.PromptLogprobs && s.obs.Probe != probeReference {
		n = stepTokens // Wald's test against a reference needs more
	}
	return dialect.Request{Op: dialect.OpScore, Tokens: ids[:min(n, len(ids))], Top: 20}
}

// runScores has a plain English text scored.
func runScores(s *session) {
	if ids := s.plainIDs(); len(ids) > 1 {
		s.ask("plain", "scores of plain text", bound, s.scoreRequest(ids, s.rec.Server.Caps))
	}
}

// plainIDs returns the token ids of the plain text, asking only once in a run.
func (s *session) plainIDs() []int {
	if shot := s.rec.Shot(probeTokens, "text"); shot != nil {
		return shot.Exchange.Tokens
	}
	shot := s.ask("ids", "token ids", bound, dialect.Request{Op: dialect.OpTokenize, Prompt: s.o.Know.PlainText, AddSpecial: true})
	if shot.Exchange == nil {
		return nil
	}
	return shot.Exchange.Tokens
}
