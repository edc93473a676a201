package dialect

import (
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// enginesCache is where test/engine/install.sh puts the real engines.
func enginesCache() string {
	if dir := os.Getenv("KILTER_TEST_CACHE"); dir != "" {
		return dir
	}
	dir, _ := os.UserCacheDir()
	return filepath.Join(dir, "kilter", "engines")
}

// startLlama runs the real llama.cpp server until the test ends.
func startLlama(t *testing.T, model string, args ...string) (url string) {
	t.Helper()
	bin, weights := filepath.Join(enginesCache(), "bin", "llama-server"), filepath.Join(enginesCache(), "models", model)
	for _, f := range []string{bin, weights} {
		if _, err := os.Stat(f); err != nil {
			t.Skipf("no real llama.cpp server here (%v): test/engine/install.sh gets it", err)
		}
	}
	if testing.Short() {
		t.Skip("-short: no real server")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(l.Addr().String())
	l.Close()
	cmd := exec.Command(bin, append([]string{
		"--model", weights, "--alias", "smollm2", "--host", "127.0.0.1", "--port", port, "--offline", "--jinja",
		"--ctx-size", "2048", "--parallel", "2", "--threads", "2", "--no-warmup",
	}, args...)...)
	var log strings.Builder
	cmd.Stdout, cmd.Stderr = &log, &log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Log(log.String()[max(0, log.Len()-2000):])
		}
	})
	return "http://127.0.0.1:" + port
}

func TestRealLlamaCPP(t *testing.T) {
	url := startLlama(t, "smollm2-135m-instruct-q4_1.gguf", "--metrics", "--api-key", "livetestkey")
	var notes []string
	_, err := ConnectWait(t.Context(), Options{URL: url}, time.Minute, func(s string) { notes = append(notes, s) })
	var ce *ConnectError
	if !errors.As(err, &ce) || ce.Kind != FailAuth {
		t.Fatalf("without its key: %v (%q)", err, notes)
	}
	// Headers go over the wire as they are, so this is another way to the key.
	c, err := ConnectWait(t.Context(), Options{URL: url + "/v1", Headers: http.Header{"authorization": {"Bearer livetestkey"}}}, time.Minute, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s := c.Server()
	if s.Engine != LlamaCPP || s.Version == "" || s.Model != "smollm2" || s.Params != 134515008 || s.MaxContext != 1024 || s.VocabSize != 49152 || s.Quantization != "Q4_1" || c.Requests() > 3 {
		t.Errorf("%+v after %d requests", s, c.Requests())
	}
	t.Logf("%s %s; notes %q", s.Engine, s.Version, notes)
	checkReal(t, c)

	prompt := c.Do(t.Context(), Request{Op: OpTokenize, Prompt: "The capital of France is"})
	greedy := c.Do(t.Context(), Request{Op: OpCompletion, Tokens: prompt.Tokens, MaxTokens: 2, Temperature: ptr(0.0), Top: 3})
	if greedy.Fail != nil || len(greedy.Answer.Choices[0].Logprobs) != 2 {
		t.Fatalf("%+v", greedy)
	}
	tokens := prompt.Tokens
	for _, lp := range greedy.Answer.Choices[0].Logprobs {
		tokens = append(tokens, *lp.ID)
	}
	score := c.Do(t.Context(), Request{Op: OpScore, Tokens: tokens, Top: 3})
	if score.Fail != nil || len(score.Scores) != len(tokens)-1 || score.Requests != len(tokens)-1 {
		t.Fatalf("%+v", score)
	}
	for i, lp := range greedy.Answer.Choices[0].Logprobs {
		sc := score.Scores[len(prompt.Tokens)-1+i]
		if sc.ID != *lp.ID || *sc.Top[0].ID != *lp.ID || len(sc.Top) != 3 || sc.Logprob.Value-lp.Logprob.Value > 0.05 || lp.Logprob.Value-sc.Logprob.Value > 0.05 {
			t.Errorf("token %d: generated %+v, scored %+v", i, lp, sc)
		}
	}
	// Special tokens are tokens like any other.
	if eos := c.Do(t.Context(), Request{Op: OpScore, Tokens: []int{1, 2, 198}, Top: 1}); eos.Fail != nil || len(eos.Scores) != 2 {
		t.Errorf("across special tokens: %+v", eos.Fail)
	}
	if x := c.Do(t.Context(), Request{Op: OpCompletion, Tokens: make([]int, 3000), MaxTokens: 1}); x.Fail == nil || x.Fail.Kind != FailStatus || x.Fail.Type != "exceed_context_size_error" {
		t.Errorf("a prompt over the context: %+v", x.Fail)
	}
	if b := string(mustJSON([]any{c.Server(), greedy, score})); strings.Contains(b, "livetestkey") {
		t.Error("the key is in what is stored")
	}
}

// A base model with a BOS token, whose chat template is llama.cpp's own.
func TestRealGemma(t *testing.T) {
	if os.Getenv("KILTER_TEST_SLOW") == "" {
		t.Skip("a second real server takes long: set KILTER_TEST_SLOW=1")
	}
	url := startLlama(t, "gemma-3-270m-q4_k_m.gguf")
	c, err := ConnectWait(t.Context(), Options{URL: url}, time.Minute, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	checkReal(t, c)
}

// checkReal holds for any real server.
func checkReal(t *testing.T, c *Client) {
	t.Helper()
	ask := []Message{{"system", "Be brief."}, {"user", "What is 2+2? 你好 😀"}}
	whole := c.Do(t.Context(), Request{Op: OpChat, Messages: ask, MaxTokens: 6, Temperature: ptr(0.0)})
	if whole.Fail != nil || len(whole.Answer.Choices) != 1 || whole.Answer.Choices[0].Content == nil || whole.Answer.Choices[0].FinishReason == nil {
		t.Fatalf("%+v", whole)
	}
	streamed := c.Do(t.Context(), Request{Op: OpChat, Messages: ask, MaxTokens: 6, Temperature: ptr(0.0), Stream: true})
	if streamed.Fail != nil || !streamed.Stream.Done || !streamed.Stream.Usage || streamed.Stream.Malformed > 0 || streamed.First <= 0 ||
		deref(streamed.Answer.Choices[0].Content) != deref(whole.Answer.Choices[0].Content) {
		t.Errorf("%+v\n%+v", streamed, streamed.Stream)
	}
	caps := c.Server().Caps
	if caps.CountChat {
		count := c.Do(t.Context(), Request{Op: OpCountChat, Messages: ask})
		if count.Fail != nil || count.Count != *whole.Answer.Usage.Prompt {
			t.Errorf("the chat is %d tokens, and usage says %d (%+v)", count.Count, *whole.Answer.Usage.Prompt, count.Fail)
		}
	}
	if caps.Load {
		load := c.Do(t.Context(), Request{Op: OpLoad})
		if load.Fail != nil || load.Load.Running != 0 || load.Load.Waiting != 0 {
			t.Errorf("load of an idle server: %+v %+v", load.Load, load.Fail)
		}
	}
	cut := c.Do(t.Context(), Request{Op: OpChat, Messages: ask, MaxTokens: 200, Stream: true, CancelAfter: 2})
	if cut.Fail != nil || !cut.Stream.Cancelled || cut.Stream.TextEvents != 2 {
		t.Errorf("%+v %+v", cut.Fail, cut.Stream)
	}
	t.Logf("%q, %d requests so far", deref(whole.Answer.Choices[0].Content), c.Requests())
}
