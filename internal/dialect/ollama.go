package dialect

import (
	"context"
	"slices"
	"strings"
)

// ollama is the wire form of ollama's server: OpenAI's endpoints and no more
// that kilter can use.
type ollama struct{ openAI }

// recogniseOllama asks for /api/version and /api/show.
func recogniseOllama(ctx context.Context, c *Client, rec *recognition) *Failure {
	info, path, fail := rec.first(ctx, "/api/version")
	if fail != nil {
		return fail
	}
	version, ok := info["version"].(string)
	if !ok {
		return shape("%s is not ollama's", path)
	}
	s := &c.server
	s.Version = version
	rec.is(Ollama)
	rec.fact("engine.version", version, path)
	if s.Model == "" {
		return nil // Connect says what is missing
	}

	show, path, fail := rec.post(ctx, "/api/show", map[string]any{"model": s.Model})
	if fail != nil {
		return nil
	}
	if t := stringOf(show["template"]); t != "" {
		rec.fact("model.chat_template", t, path) // in Go's form; {{ .Prompt }} for none
	}
	details, _ := show["details"].(map[string]any)
	for _, name := range sortedKeys(details) {
		if v := details[name]; scalar(v) && v != "" {
			rec.fact("model."+name, v, path)
		}
	}
	setString(&s.Quantization, stringOf(details["quantization_level"]))
	if n, ok := sizeOf(stringOf(details["parameter_size"])); ok {
		rec.params(n, "/api/show")
	}
	model, _ := show["model_info"].(map[string]any)
	for _, name := range sortedKeys(model) {
		v := model[name]
		switch {
		case name == "general.parameter_count":
			if n := floatOf(v); n > 0 {
				rec.params(n, "/api/show")
			}
		case strings.HasSuffix(name, ".vocab_size"):
			s.VocabSize = intOf(v)
			rec.fact("model.vocab_size", v, path)
		case strings.HasSuffix(name, ".context_length"):
			// What the model was made for; what is served is another setting.
			rec.fact("model.context_train", v, path)
		case name == "general.architecture" || name == "general.file_type":
			rec.fact("model."+strings.TrimPrefix(name, "general."), v, path)
		}
	}
	if caps, ok := show["capabilities"].([]any); ok && len(caps) > 0 {
		rec.fact("model.capabilities", caps, path)
		if !slices.Contains(caps, any("completion")) {
			return &Failure{Kind: FailEmbedding, Message: "ollama serves " + s.Model + " for embeddings: it generates no text"}
		}
	}
	return nil
}

func ollamaCaps(version string) Caps {
	c := Caps{Completion: true}
	if versionAtLeast(version, 0, 12, 11) {
		c.Logprobs, c.MaxTop = true, 20
	}
	return c
}
