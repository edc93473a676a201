package dialect

import (
	"strings"
	"testing"
)

func TestParseURL(t *testing.T) {
	for in, want := range map[string]string{
		"http://h:8000":                          "http://h:8000",
		"http://h:8000/":                         "http://h:8000",
		" http://h:8000/v1/ ":                    "http://h:8000",
		"HTTP://H:8000/v1/chat/completions":      "http://h:8000",
		"http://h/v1/models":                     "http://h",
		"http://h/health":                        "http://h",
		"http://h/v1/health":                     "http://h",
		"https://gw.example/llm/qwen/v1":         "https://gw.example/llm/qwen",
		"https://gw.example/llm/qwen//":          "https://gw.example/llm/qwen",
		"http://[::1]:30000/v1":                  "http://[::1]:30000",
		"http://u:p@h:1/v1":                      "http://u:p@h:1",
		"https://h/a%2Fb/v1":                     "https://h/a%2Fb",
		"http://h/openai/v1/v1/chat/completions": "http://h/openai",
	} {
		if got, err := ParseURL(in); err != nil || got != want {
			t.Errorf("ParseURL(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		"":                      "empty",
		"h:8000":                "write http://h:8000",
		"localhost":             "write http://localhost",
		"ftp://h":               "speaks http:// and https:// only",
		"http://":               "names no host",
		"http:///v1":            "names no host",
		"http://h:99999":        "from 1 to 65535",
		"http://h:x":            "is not a URL",
		"http://h/?key=1":       "query",
		"http://h/#top":         "fragment",
		"http://u:secret@h:x/":  "[redacted]",
		"http://u:secret@/":     "[redacted]",
		"unix:///run/sglang.so": "speaks http",
	} {
		_, err := ParseURL(in)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("ParseURL(%q): %v; want an error with %q", in, err, want)
		}
	}
}

func TestParamsOfName(t *testing.T) {
	for name, want := range map[string]float64{
		"nvidia/Qwen3.5-397B-A17B-NVFP4":   397e9,
		"SmolLM2-135M-Instruct.Q4_1.gguf":  135e6,
		"smollm2-135m-instruct-q4_1.gguf":  135e6,
		"mistralai/Mixtral-8x7B-v0.1":      56e9,
		"mistralai/Mixtral-8x22B":          176e9,
		"Qwen/Qwen3-0.6B":                  0.6e9,
		"meta-llama/Llama-3.1-8B-Instruct": 8e9,
		"qwen2.5:7b":                       7e9,
		"llama3.2:1b-instruct-q8_0":        1e9,
		"gemma-3-270m-q4-k-m":              270e6,
		"/models/llama-70b/weights":        70e9,
		"/models/70b/qwen3-8b":             8e9,
		"moonshotai/Kimi-K2-Instruct-1T":   1e12,
		"gpt-oss-120b":                     120e9,
		"openai/gpt-oss-20b-4bit":          20e9,
		"Qwen3-30B-A3B-Instruct-2507-4bit": 30e9,
		"phi-3-mini-128k-instruct":         0,
		"Qwen3.5":                          0,
		"mistral-v0.1":                     0,
		"model-4bit":                       0,
		"yarn-262k":                        0,
		"deepseek-ai/DeepSeek-V3.2":        0,
		"m":                                0,
		"8bit-model":                       0,
		"glm-4.5-air-w4a16":                0,
		"tiny-q4_0":                        0,
	} {
		got, ok := paramsOfName(name)
		if ok != (want > 0) || got != want {
			t.Errorf("paramsOfName(%q) = %g, %v; want %g", name, got, ok, want)
		}
	}
}

func TestVersionAtLeast(t *testing.T) {
	for v, want := range map[string]bool{
		"0.5.12": true, "0.5.11": false, "0.6": true, "0.5.13.dev3+gabc": true, "v1.0.0": true,
		"0.5.12.post1": true, "b11434-sdist": false, "": false, "0.5": false,
	} {
		if got := versionAtLeast(v, 0, 5, 12); got != want {
			t.Errorf("versionAtLeast(%q, 0.5.12) = %v", v, got)
		}
	}
}
