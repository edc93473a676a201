package dialect

import "kilter/internal/evidence"

// An Engine names the program behind a URL, by its dialect.
type Engine string

// The engines whose dialects are known. OpenAI stands for any other server
// with OpenAI's endpoints.
const (
	SGLang   Engine = "sglang"
	VLLM     Engine = "vllm"
	LlamaCPP Engine = "llamacpp"
	Ollama   Engine = "ollama"
	OpenAI   Engine = "openai"
)

// Title returns the engine's name as its authors write it.
func (e Engine) Title() string {
	switch e {
	case SGLang:
		return "SGLang"
	case VLLM:
		return "vLLM"
	case LlamaCPP:
		return "llama.cpp"
	case Ollama:
		return "ollama"
	}
	return "OpenAI-compatible server"
}

// A Server is what recognition learned of a server. It is stored with each
// run and holds no secret.
type Server struct {
	// URL is the base without a trailing slash and without /v1; credentials
	// in it are redacted.
	URL     string `json:"url"`
	Engine  Engine `json:"engine"`
	Version string `json:"version,omitempty"`
	// Model is the id that requests name; Models are all that are listed.
	Model  string   `json:"model"`
	Models []string `json:"models,omitempty"`
	// ModelPath is where the server says it loaded the model from.
	ModelPath string `json:"model_path,omitempty"`
	// Quantization as the server names it, such as "modelopt_fp4" or "Q4_1".
	Quantization string `json:"quantization,omitempty"`
	// MaxContext is the longest prompt plus output in tokens; 0: not known.
	MaxContext int `json:"max_context,omitempty"`
	// VocabSize is the number of token ids; 0: not known.
	VocabSize int `json:"vocab_size,omitempty"`
	// Params is the number of the model's parameters; 0: not known.
	// ParamsFrom says how it is known: the endpoint, or "name".
	Params     float64 `json:"params,omitempty"`
	ParamsFrom string  `json:"params_from,omitempty"`
	// NoTemplate: the model brings no chat template and the server makes one
	// up, so that its chat answers say nothing about the weights.
	NoTemplate bool `json:"no_template,omitempty"`
	// Caps says what this server offers.
	Caps Caps `json:"caps"`
	// Gateway lists the signs that something stands between kilter and the
	// engine, such as `header Via: 1.1 litellm`. The verdict is then of the mix.
	Gateway []string `json:"gateway,omitempty"`
	// Facts are all that was read, each with its source.
	Facts []evidence.Fact `json:"facts,omitempty"`
}

// Caps says what a server offers beyond chat completions. It is filled from
// the dialect and, where a version may lack it, from the server's own answers.
type Caps struct {
	// Completion: /v1/completions continues a plain prompt.
	Completion bool `json:"completion"`
	// TokenPrompt: a prompt can be given as token ids.
	TokenPrompt bool `json:"token_prompt"`
	// Logprobs: chosen and top log-probabilities of generated tokens.
	Logprobs bool `json:"logprobs"`
	// PromptLogprobs: one request scores every token of a given prompt.
	PromptLogprobs bool `json:"prompt_logprobs"`
	// StepLogprobs: the distribution after a token prefix, one request a
	// position (llama.cpp, which offers no prompt log-probabilities).
	StepLogprobs bool `json:"step_logprobs"`
	// Tokenize and CountChat: token ids of a text; number of tokens of a chat
	// after the server's own template.
	Tokenize  bool `json:"tokenize"`
	CountChat bool `json:"count_chat"`
	// Load: how many requests run and wait can be read.
	Load bool `json:"load"`
	// ThinkingSwitch: a request can turn the model's thinking off.
	ThinkingSwitch bool `json:"thinking_switch"`
	// MaxTop is the most top log-probabilities that a request may ask for.
	MaxTop int `json:"max_top,omitempty"`
}
