package verify

import (
	"encoding/json"
	"strings"

	"kilter/internal/catalog"
	"kilter/internal/dialect"
	"kilter/internal/evidence"
)

// A Probe sends a few requests and records what came back. It judges nothing.
type Probe struct {
	ID    string
	Level Level
	// Generations is how many generating requests it usually sends.
	Generations int
	// Skip returns why the probe can't run on this server, or ""; nil means
	// that it always can.
	Skip func(*session) string
	Run  func(*session)
}

func (p *Probe) skip(s *session) string {
	if p.Skip == nil {
		return ""
	}
	return p.Skip(s)
}

// The probes' ids, by which checks find what they judge.
const (
	probeLoad      = "load" // made by the session itself
	probeOpen      = "open"
	probeKnowledge = "knowledge"
	probePython    = "python"
	probeStream    = "stream"
	probeSampling  = "sampling"
	probeTokens    = "tokens"
	probeBad       = "bad_request"
	probeMore      = "more_knowledge"
	probeStops     = "stops"
	probeBias      = "logit_bias"
	probeChoices   = "choices"
	probeSchema    = "json_schema"
	probeTool      = "tool"
	probeSystem    = "system"
	probeThinking  = "thinking"
	probeCancel    = "cancel"
	probeScores    = "scores"
	probeAgainst   = "against"
)

// probes returns all probes in the order in which they run: what finds gross
// faults first, then from cheap to dear.
func probes() []*Probe {
	return []*Probe{
		{ID: probeOpen, Generations: 2, Run: runOpen},
		{ID: probeKnowledge, Generations: 5, Run: runKnowledge},
		{ID: probeStream, Generations: 1, Run: runStream},
		{ID: probeSampling, Generations: 3, Run: runSampling},
		{ID: probeTokens, Skip: needTokenize, Run: runTokens},
		{ID: probeBad, Generations: 1, Run: runBad},
		{ID: probePython, Generations: 1, Run: runPython},
		{ID: probeMore, Level: Standard, Generations: 4, Run: runMore},
		{ID: probeStops, Level: Standard, Generations: 1, Skip: needChat, Run: runStops},
		{ID: probeBias, Level: Standard, Generations: 1, Skip: needBias, Run: runBias},
		{ID: probeChoices, Level: Standard, Generations: 1, Skip: needChoices, Run: runChoices},
		{ID: probeSchema, Level: Standard, Generations: 1, Skip: needChat, Run: runSchema},
		{ID: probeTool, Level: Standard, Generations: 3, Skip: needTools, Run: runTool},
		{ID: probeSystem, Level: Standard, Generations: 1, Skip: needChat, Run: runSystem},
		{ID: probeThinking, Level: Standard, Generations: 1, Skip: needThinkingSwitch, Run: runThinking},
		{ID: probeCancel, Level: Standard, Generations: 2, Run: runCancel},
		{ID: probeScores, Level: Standard, Generations: 1, Skip: needScores, Run: runScores},
		{ID: probeReference, Generations: 1, Skip: needReference, Run: runReference},
		{ID: probeAgainst, Generations: 3, Skip: needAgainst, Run: runAgainst},
	}
}

func needChat(s *session) string {
	if s.raw {
		return "the model has no chat template"
	}
	return ""
}

func needTokenize(s *session) string {
	if !s.rec.Server.Caps.Tokenize {
		return s.rec.Server.Engine.Title() + " offers no tokenizer over HTTP"
	}
	return ""
}

func needChoices(s *session) string {
	if s.rec.Server.Engine == dialect.Ollama {
		return "ollama gives one answer a request"
	}
	return ""
}

// needBias asks for token ids, and for a model whose answers are plain text:
// forced tokens break a message format that the server parses.
func needBias(s *session) string {
	for i := range s.o.Know.FormattedModels {
		if p := &s.o.Know.FormattedModels[i]; p.Find(s.rec.Server.Model) != "" {
			return p.Means
		}
	}
	return needTokenize(s)
}

// needTools asks for a chat template that can show tools to the model; only
// llama.cpp tells (chat_template_caps of /props).
func needTools(s *session) string {
	if s.rec.Server.Engine == dialect.Ollama {
		return "ollama ignores tool_choice"
	}
	if f, ok := evidence.Find(s.rec.Server.Facts, "engine.props.chat_template_caps"); ok {
		if caps, isMap := f.Value.(map[string]any); isMap && caps["supports_tools"] == false {
			return "the model's chat template knows no tools"
		}
	}
	return needChat(s)
}

func needThinkingSwitch(s *session) string {
	if s.raw {
		return needChat(s)
	}
	if !s.rec.Server.Caps.ThinkingSwitch {
		return s.rec.Server.Engine.Title() + " has no switch for thinking in its requests"
	}
	return ""
}

func needScores(s *session) string {
	c := s.rec.Server.Caps
	if !c.Tokenize || !(c.PromptLogprobs || c.StepLogprobs) {
		return s.rec.Server.Engine.Title() + " can't score a given text"
	}
	return ""
}

// The prompts of the first two requests: that of the incident which made
// kilter, and a plain question.
const (
	openPrime    = "Write a Python function to check if a number is prime"
	openSky      = "Why is the sky blue?"
	openPrimeRaw = "def is_prime(n):"
	openSkyRaw   = "The sky is blue because"
)

// thinkingRoom is added to the token limit of an answer of a model that
// reasons although it was asked not to.
const thinkingRoom = 512

func zero() *float64 { return ptr(0.0) }

func ptr[T any](v T) *T { return &v }

// prompt builds a greedy request: a chat, or a plain completion of the raw
// text where the model has no chat template.
func (s *session) prompt(chat, raw string, maxTokens int) dialect.Request {
	r := dialect.Request{Op: dialect.OpChat, MaxTokens: maxTokens, Temperature: zero()}
	if s.raw {
		r.Op, r.Prompt = dialect.OpCompletion, raw
	} else {
		r.Messages = []dialect.Message{{Role: "user", Content: chat}}
		if s.rec.Server.Caps.ThinkingSwitch {
			r.Thinking = ptr(false)
		}
	}
	if s.thinks {
		r.MaxTokens += thinkingRoom
	}
	return r
}

// scored asks for log-probabilities too, if the server has them.
func (s *session) scored(r dialect.Request) dialect.Request {
	if s.rec.Server.Caps.Logprobs && !s.noLogprobs {
		r.Logprobs, r.Top = true, 5
		if r.Temperature != nil && *r.Temperature == 0 {
			// SGLang and vLLM take a penalty from the model's generation
			// config; with one, the choice is rightly not the arg-max.
			s.extra(&r, "repetition_penalty", "1")
		}
	}
	return r
}

// extra sets a member that SGLang and vLLM know beyond OpenAI's API.
func (s *session) extra(r *dialect.Request, name, value string) {
	if e := s.rec.Server.Engine; e != dialect.SGLang && e != dialect.VLLM {
		return
	}
	if r.Extra == nil {
		r.Extra = map[string]json.RawMessage{}
	}
	r.Extra[name] = json.RawMessage(value)
}

// runOpen asks the two first questions: eight tokens each, since a gross fault
// shows at once.
func runOpen(s *session) {
	const tokens = 8
	first := s.scored(s.prompt(openPrime, openPrimeRaw, tokens))
	shot := s.ask("prime", "first words", free, first)
	if !s.raw && s.rec.Server.Caps.Completion && noTemplate(shot) {
		// The engine says that there is no chat template: the rest of the run
		// continues plain text.
		s.raw, s.rec.Server.NoTemplate = true, true
		first = s.scored(s.prompt(openPrime, openPrimeRaw, tokens))
		shot = s.ask("prime_raw", "first words", free, first)
	}
	if first.Logprobs && (refused(shot) || broke(shot)) {
		// Some servers refuse log-probabilities, or fall over them; all the
		// rest can be judged.
		s.noLogprobs = true
		shot = s.ask("prime_plain", "first words", free, s.prompt(openPrime, openPrimeRaw, tokens))
	}
	s.endIfCertain()
	second := s.ask("sky", "first words", prose, s.scored(s.prompt(openSky, openSkyRaw, tokens)))
	// Only now: these two stay short, whatever the first one shows.
	s.learn(shot)
	s.learn(second)
}

// noTemplate reports whether a chat was refused because the model brings no
// chat template (vLLM and SGLang under transformers 4.44 and later).
func noTemplate(shot *Shot) bool {
	return refused(shot) && strings.Contains(strings.ToLower(shot.Exchange.Fail.Message), "chat template")
}

// refused reports whether the server answered that it won't do this.
func refused(shot *Shot) bool {
	x := shot.Exchange
	return x != nil && x.Fail != nil && x.Fail.Kind == dialect.FailStatus && x.Status >= 400 && x.Status < 500
}

// broke reports whether the server answered with an error of its own.
func broke(shot *Shot) bool {
	x := shot.Exchange
	return x != nil && x.Fail != nil && x.Fail.Kind == dialect.FailStatus && x.Status >= 500
}

func (s *session) question(q *catalog.Question) dialect.Request {
	r := s.prompt(q.Prompt, q.Raw, q.MaxTokens)
	r.Stop = q.Stop
	return r
}

// stopping is the question that also tests a stop string.
const stopping = "count"

// capital is the question that is asked again as a stream.
const capital = "capital"

func runKnowledge(s *session) {
	for i := range s.o.Know.Battery {
		q := &s.o.Know.Battery[i]
		if q.Level == Smoke.String() {
			s.askQuestion(q)
		}
	}
}

func runMore(s *session) {
	for i := range s.o.Know.Battery {
		q := &s.o.Know.Battery[i]
		if q.Level != Smoke.String() {
			s.askQuestion(q)
		}
	}
}

func (s *session) askQuestion(q *catalog.Question) {
	r := s.question(q)
	if q.ID != capital { // that one stays as plain as clients send it
		r = s.scored(r)
	}
	s.ask(q.ID, "knowledge: "+q.ID, free, r)
}

// runStream asks one question of the battery again, as a stream, and once more
// both ways if the stream's text is another: only then can a broken stream be
// told from a server that does not repeat itself.
func runStream(s *session) {
	q, ok := s.o.Know.Question(capital)
	if !ok {
		return
	}
	r := s.question(q)
	r.Stream = true
	streamed := s.ask("stream", "a stream", free, r)
	whole := s.rec.Shot(probeKnowledge, capital)
	if whole == nil || sameText(streamed, whole) {
		return
	}
	again := r
	again.Stream = false
	s.ask("again", "the same, whole", free, again)
	s.ask("stream_again", "the same, streamed", free, r)
}

// runSampling asks for random words under two seeds, and for a piece of prose.
func runSampling(s *session) {
	words := func(seed int) dialect.Request {
		r := s.prompt("List eight random English words, separated by commas.", "Eight random English words, separated by commas:", 40)
		r.Temperature, r.Seed = ptr(1.0), ptr(s.o.Seed+seed)
		// A narrow top-k or top-p of the model's generation config can leave
		// no choice.
		s.extra(&r, "top_k", "-1")
		s.extra(&r, "top_p", "1")
		return s.scored(r)
	}
	a := s.ask("words_a", "sampled words", free, words(0))
	b := s.ask("words_b", "sampled words", free, words(1))
	if t := textOf(a); t != "" && t == textOf(b) {
		s.ask("words_c", "sampled words", free, words(2))
	}
	r := s.prompt("Describe the sea in two sentences.", "The sea is a place where", 64)
	r.Temperature, r.Seed = ptr(1.0), ptr(s.o.Seed+3)
	s.ask("prose", "sampled prose", prose, s.scored(r))
}

// runTokens asks for the token ids of a text and for the length of a chat that
// was asked before.
func runTokens(s *session) {
	s.ask("text", "token ids", bound, dialect.Request{Op: dialect.OpTokenize, Prompt: s.o.Know.PlainText, AddSpecial: true})
	if s.raw || !s.rec.Server.Caps.CountChat {
		return
	}
	if q, ok := s.o.Know.Question(capital); ok {
		r := s.question(q)
		s.ask("chat", "length of a chat", bound, dialect.Request{Op: dialect.OpCountChat, Messages: r.Messages, Thinking: r.Thinking})
	}
}

// runBad sends a request that no server may take: a word in place of a number.
func runBad(s *session) {
	r := s.prompt("Hello", "Hello", 4)
	r.Extra = map[string]json.RawMessage{"temperature": json.RawMessage(`"hot"`)}
	s.ask("type", "a bad request", bound, r)
}

// runPython asks for the function of the incident, streamed: the longest
// answer of a smoke run, by which speed is measured too.
func runPython(s *session) {
	q := &s.o.Know.Python
	r := s.prompt(q.Prompt, q.Raw, q.MaxTokens)
	r.Stream = true
	if s.raw {
		r.Stop = []string{"\ndef ", "\nprint", "\n#"}
	}
	s.ask("prime", "a Python function", free, s.scored(r))
}
