package enginetest

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"slices"
	"strconv"
)

// The versions that the Fronts say they are.
const (
	llamaVersion  = "b11434-sdist"
	sglangVersion = "0.5.18"
	vllmVersion   = "0.32.0"
	ollamaVersion = "0.6.5"

	vllmFingerprint = "vllm-0.32.0-5b218d54"
)

func (f *Front) version() string {
	if f.Version != "" {
		return f.Version
	}
	return map[Dialect]string{LlamaCPP: llamaVersion, SGLang: sglangVersion, VLLM: vllmVersion, Ollama: ollamaVersion}[f.Dialect]
}

// modelName is what /v1/models lists and answers carry.
func (f *Front) modelName() string {
	switch f.Dialect {
	case LlamaCPP:
		return "smollm2"
	case Ollama:
		return "smollm2:latest"
	}
	return f.Size.model()
}

func (f *Front) models() object {
	name := f.modelName()
	card := object{"id", name, "object", "model", "created", created}
	switch f.Dialect {
	case LlamaCPP:
		meta := object{"vocab_type", 2, "n_vocab", 49152, "n_ctx", 4096, "n_ctx_train", 8192, "n_embd", 576}
		if n := f.Size.Params(); n > 0 {
			meta = append(meta, "n_params", int(n))
		}
		card = append(card, "aliases", list{name}, "owned_by", "llamacpp", "meta", append(meta, "size", 96576768, "ftype", "Q4_1"))
	case SGLang, VLLM:
		card = append(card, "owned_by", string(f.Dialect), "root", name, "parent", nil, "max_model_len", 4096)
	case Ollama:
		card = append(card, "owned_by", "library")
	default:
		card = append(card, "owned_by", "me")
	}
	return object{"object", "list", "data", list{card}}
}

// generating is the load that /metrics tells.
func (f *Front) generating() (running, waiting int) {
	running = int(f.running.Load())
	if f.Hooks.Load != nil {
		return f.Hooks.Load(running, 0)
	}
	return running, 0
}

func (f *Front) metrics(w http.ResponseWriter, run, wait, labels string) {
	running, waiting := f.generating()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = io.WriteString(w, "# HELP "+run+" Number of requests.\n# TYPE "+run+" gauge\n"+run+labels+" "+strconv.Itoa(running)+
		".0\n# TYPE "+wait+" gauge\n"+wait+labels+" "+strconv.Itoa(waiting)+".0\n")
}

// pass hands a request on to llama.cpp's own endpoint and returns its reply.
func (f *Front) pass(w http.ResponseWriter, r *http.Request, path string, body any) []byte {
	b, err := f.Upstream.Post(r.Context(), path, body)
	if err != nil {
		f.note(err)
		f.Fail(w, http.StatusInternalServerError, "enginetest: "+err.Error())
		return nil
	}
	return b
}

// llamaCPP answers on the paths that llama.cpp alone has.
func (f *Front) llamaCPP(w http.ResponseWriter, r *http.Request, key string, body []byte) bool {
	switch key {
	case "GET /health":
		f.json(w, object{"status", "ok"})
	case "GET /props":
		f.json(w, object{
			"default_generation_settings", object{"params", object{}, "n_ctx", 4096}, "total_slots", 2, "model_alias", "smollm2",
			"model_ftype", "Q4_1", "model_path", "/models/smollm2-135m-instruct-q4_1.gguf",
			"modalities", object{"vision", false, "audio", false}, "endpoint_slots", true, "endpoint_props", false, "endpoint_metrics", true,
			"chat_template", "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}",
			"bos_token", "<|im_start|>", "eos_token", "<|im_end|>", "build_info", f.version(), "is_sleeping", false,
		})
	case "GET /metrics":
		f.metrics(w, "llamacpp:requests_processing", "llamacpp:requests_deferred", "")
	case "POST /tokenize", "POST /apply-template":
		var sent map[string]any
		if json.Unmarshal(body, &sent) != nil {
			f.Fail(w, http.StatusBadRequest, "no JSON")
			return true
		}
		delete(sent, "chat_template_kwargs")
		if b := f.pass(w, r, r.URL.Path, sent); b != nil {
			f.raw(w, http.StatusOK, b)
		}
	case "POST /completion":
		f.step(w, r, body)
	default:
		return false
	}
	return true
}

// step is llama.cpp's answer to the score of one position, out of what
// Cassette.Scores has of the whole text.
func (f *Front) step(w http.ResponseWriter, r *http.Request, body []byte) {
	var sent struct {
		Prompt []int `json:"prompt"`
		Top    int   `json:"n_probs"`
	}
	if json.Unmarshal(body, &sent) != nil {
		f.Fail(w, http.StatusBadRequest, "no list of tokens")
		return
	}
	next, ok := f.Upstream.Next(sent.Prompt)
	if !ok {
		err := &MissError{fmt.Sprintf("the step after %d tokens %v", len(sent.Prompt), sent.Prompt)}
		f.note(err)
		f.Fail(w, http.StatusInternalServerError, err.Error())
		return
	}
	one := []Step{next}
	if f.Hooks.Scores != nil {
		f.Hooks.Scores(one)
	}
	next = one[0]
	best := Token{ID: next.Top[0].ID, Text: next.Top[0].Text, LP: next.Top[0].LP, Top: next.Top[:min(sent.Top, len(next.Top))]}
	probs := oldProbs([]Token{best})
	if !f.OldLogprobs {
		top := list{}
		for _, x := range best.Top {
			top = append(top, f.logprob(x.ID, x.Text, x.LP))
		}
		probs = list{append(f.logprob(best.ID, best.Text, best.LP), "top_logprobs", top)}
	}
	f.json(w, object{"index", 0, "content", best.Text, "id_slot", 0, "stop", true, "model", "smollm2", "tokens_predicted", 1,
		"tokens_evaluated", len(sent.Prompt), "stop_type", "limit", "completion_probabilities", probs})
}

// sglang answers on the paths that SGLang alone has.
func (f *Front) sglang(w http.ResponseWriter, r *http.Request, key string, body []byte) bool {
	name := f.modelName()
	switch key {
	case "GET /server_info", "GET /get_server_info":
		args := object{
			"model_path", name, "tokenizer_path", name, "served_model_name", name, "host", "0.0.0.0", "port", 30000, "tp_size", 8,
			"dtype", "auto", "quantization", "modelopt_fp4", "kv_cache_dtype", "auto", "context_length", nil, "attention_backend", "triton",
			"moe_runner_backend", "auto", "fp4_gemm_runner_backend", "auto", "reasoning_parser", "qwen3", "tool_call_parser", "qwen3_coder",
			"chunked_prefill_size", 8192, "mem_fraction_static", 0.85, "enable_metrics", true, "speculative_algorithm", nil, "api_key", nil,
		}
		state := append(object{}, args...)
		f.json(w, append(args, "max_total_num_tokens", 1048576, "status", "ready",
			"internal_states", list{append(state, "last_gen_throughput", 41.7, "memory_usage", object{"weight", 27.9, "kvcache", 40.1, "token_capacity", 1048576})},
			"version", f.version()))
	case "GET /model_info", "GET /get_model_info":
		f.json(w, object{"model_path", name, "tokenizer_path", name, "is_generation", true, "preferred_sampling_params", nil,
			"weight_version", "default", "has_image_understanding", false, "has_audio_understanding", false, "model_type", "qwen3_5_moe",
			"architectures", list{"Qwen3_5MoeForCausalLM"}})
	case "GET /metrics":
		f.metrics(w, "sglang:num_running_reqs", "sglang:num_queue_reqs", `{engine_type="unified",model_name="`+name+`",tp_rank="0"}`)
	case "POST /tokenize":
		f.tokenize(w, r, body)
	case "POST /generate":
		f.generate(w, r, body)
	default:
		return false
	}
	return true
}

// generate is SGLang's native endpoint, as far as it scores given tokens.
func (f *Front) generate(w http.ResponseWriter, r *http.Request, body []byte) {
	var sent struct {
		IDs []int `json:"input_ids"`
		Top int   `json:"top_logprobs_num"`
	}
	if json.Unmarshal(body, &sent) != nil || len(sent.IDs) == 0 {
		f.Fail(w, http.StatusBadRequest, "input_ids is missing")
		return
	}
	steps, ok := f.scores(w, r, sent.IDs)
	if !ok {
		return
	}
	input, tops := list{list{nil, sent.IDs[0], nil}}, list{nil}
	for _, s := range steps {
		input = append(input, list{s.LP, s.ID, nil})
		var top list
		for _, x := range s.Top[:min(sent.Top, len(s.Top))] {
			top = append(top, list{x.LP, x.ID, nil})
		}
		tops = append(tops, top)
	}
	f.json(w, object{"text", " and", "output_ids", []int{284}, "meta_info", object{
		"id", "f3a1", "finish_reason", object{"type", "length", "length", 1}, "prompt_tokens", len(sent.IDs), "completion_tokens", 1,
		"cached_tokens", 0, "weight_version", "default", "input_token_logprobs", input, "input_top_logprobs", tops,
		"output_token_logprobs", list{list{-1.25, 284, nil}}, "e2e_latency", 0.05,
	}})
}

func (f *Front) scores(w http.ResponseWriter, r *http.Request, ids []int) ([]Step, bool) {
	steps, err := f.Upstream.Scores(r.Context(), ids)
	if err != nil {
		f.note(err)
		f.Fail(w, http.StatusInternalServerError, err.Error())
		return nil, false
	}
	if f.Hooks.Scores != nil {
		f.Hooks.Scores(steps)
	}
	return steps, true
}

// tokenize is /tokenize of SGLang and vLLM, of a text or of a chat.
func (f *Front) tokenize(w http.ResponseWriter, r *http.Request, body []byte) {
	var sent struct {
		Prompt   string    `json:"prompt"`
		Messages []Message `json:"messages"`
		Special  bool      `json:"add_special_tokens"`
	}
	if json.Unmarshal(body, &sent) != nil {
		f.Fail(w, http.StatusBadRequest, "no JSON")
		return
	}
	text, special := sent.Prompt, sent.Special
	if sent.Messages != nil {
		b := f.pass(w, r, "/apply-template", map[string]any{"messages": sent.Messages})
		var reply struct {
			Prompt string `json:"prompt"`
		}
		if b == nil || json.Unmarshal(b, &reply) != nil {
			return
		}
		text, special = reply.Prompt, true
	}
	b := f.pass(w, r, "/tokenize", map[string]any{"content": text, "add_special": special, "parse_special": special})
	var reply struct {
		Tokens []int `json:"tokens"`
	}
	if b == nil || json.Unmarshal(b, &reply) != nil {
		return
	}
	f.json(w, object{"count", len(reply.Tokens), "max_model_len", 4096, "tokens", reply.Tokens})
}

// vllm answers on the paths that vLLM alone has.
func (f *Front) vllm(w http.ResponseWriter, r *http.Request, key string, body []byte) bool {
	switch key {
	case "GET /health":
		w.WriteHeader(http.StatusOK)
	case "GET /version":
		f.json(w, object{"version", f.version()})
	case "GET /metrics":
		f.metrics(w, "vllm:num_requests_running", "vllm:num_requests_waiting", `{engine="0",model_name="`+f.modelName()+`"}`)
	case "POST /tokenize":
		f.tokenize(w, r, body)
	default:
		return false
	}
	return true
}

// promptLogprobs is vLLM's answer to a completion that asks for them.
func (f *Front) promptLogprobs(w http.ResponseWriter, r *http.Request, c *Call) {
	steps, ok := f.scores(w, r, c.Tokens)
	if !ok {
		return
	}
	given := list{nil}
	for _, s := range steps {
		top := s.Top[:min(*c.PromptTop, len(s.Top))]
		var o object
		if !slices.ContainsFunc(top, func(x Top) bool { return x.ID == s.ID }) {
			// The given token comes first, and on top of what was asked for.
			o = object{strconv.Itoa(s.ID), object{"logprob", s.LP, "rank", len(s.Top) + 30, "decoded_token", "?"}}
		}
		for i, x := range top {
			o = append(o, strconv.Itoa(x.ID), object{"logprob", x.LP, "rank", i + 1, "decoded_token", x.Text})
		}
		given = append(given, o)
	}
	f.json(w, object{"id", "cmpl-" + strconv.Itoa(c.Serial), "object", "text_completion", "created", created, "model", f.modelName(),
		"choices", list{object{"index", 0, "text", " and", "logprobs", nil, "finish_reason", "length", "stop_reason", nil,
			"token_ids", nil, "prompt_logprobs", given, "prompt_token_ids", nil, "routed_experts", nil}},
		"service_tier", nil, "system_fingerprint", vllmFingerprint, "usage", object{"prompt_tokens", len(c.Tokens), "total_tokens", len(c.Tokens) + 1, "completion_tokens", 1, "prompt_tokens_details", nil, "completion_tokens_details", nil},
		"kv_transfer_params", nil, "ec_transfer_params", nil, "metrics", nil})
}

// ollama answers on the paths that ollama alone has.
func (f *Front) ollama(w http.ResponseWriter, _ *http.Request, key string, _ []byte) bool {
	details := object{"parent_model", "", "format", "gguf", "family", "llama", "families", list{"llama"}, "quantization_level", "Q4_1"}
	info := object{"general.architecture", "llama", "general.file_type", 3, "llama.context_length", 8192, "llama.vocab_size", 49152}
	if n := f.Size.Params(); n > 0 {
		details = append(details, "parameter_size", string(f.Size))
		info = append(info, "general.parameter_count", int(n))
	}
	switch key {
	case "GET /api/version":
		f.json(w, object{"version", f.version()})
	case "GET /api/tags":
		f.json(w, object{"models", list{object{"name", "smollm2:latest", "model", "smollm2:latest", "size", 98363022, "details", details}}})
	case "POST /api/show":
		f.json(w, object{"modelfile", "FROM smollm2", "template", "{{ .Prompt }}", "details", details, "model_info", info, "capabilities", list{"completion"}})
	default:
		return false
	}
	return true
}

// oldProbs is llama.cpp's shape of log-probabilities from before 2025.
func oldProbs(tokens []Token) list {
	out := list{}
	for _, t := range tokens {
		probs := list{}
		for _, x := range t.Top {
			probs = append(probs, object{"tok_str", x.Text, "prob", prob(x.LP)})
		}
		out = append(out, object{"content", t.Text, "probs", probs})
	}
	return out
}

func prob(lp float64) float64 { return math.Exp(lp) }
