package dialect

import (
	"context"
	"encoding/pem"
	"errors"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"kilter/internal/evidence"
)

const (
	sglangModels   = `{"object":"list","data":[{"id":"nvidia/Qwen3.5-397B-A17B-NVFP4","object":"model","created":1,"owned_by":"sglang","root":"nvidia/Qwen3.5-397B-A17B-NVFP4","parent":null,"max_model_len":262144}]}`
	sglangInfo     = `{"model_path":"nvidia/Qwen3.5-397B-A17B-NVFP4","tp_size":8,"quantization":"modelopt_fp4","attention_backend":"triton","moe_runner_backend":"auto","fp4_gemm_backend":"auto","kv_cache_dtype":"auto","reasoning_parser":"qwen3","tool_call_parser":"qwen3_coder","chunked_prefill_size":8192,"speculative_algorithm":null,"context_length":null,"enable_metrics":false,"api_key":"topsecretkey","admin_api_key":"othersecretkey","max_total_num_tokens":20480,"status":"ready","internal_states":[{"attention_backend":"triton","moe_runner_backend":"flashinfer_cutlass","api_key":"topsecretkey","last_gen_throughput":12.5,"memory_usage":{"weight":30.1,"graph":{"prefill":1}}}],"version":"0.5.9"}`
	sglangModel    = `{"model_path":"nvidia/Qwen3.5-397B-A17B-NVFP4","is_generation":true,"weight_version":"default","architectures":["Qwen3_5MoeForConditionalGeneration"]}`
	vllmModels     = `{"object":"list","data":[{"id":"qwen","object":"model","created":1,"owned_by":"vllm","root":"Qwen/Qwen3-8B","parent":null,"max_model_len":40960,"permission":[]},{"id":"lora","object":"model","owned_by":"vllm","root":"/l","parent":"qwen"}]}`
	llamaModels    = `{"models":[],"object":"list","data":[{"id":"smollm2","aliases":["smollm2"],"object":"model","owned_by":"llamacpp","meta":{"vocab_type":2,"n_vocab":49152,"n_ctx":1024,"n_ctx_train":8192,"n_params":134515008,"size":96576768,"ftype":"Q4_1"}}]}`
	llamaProps     = `{"default_generation_settings":{"params":{},"n_ctx":1024},"total_slots":2,"model_alias":"smollm2","model_ftype":"Q4_1","model_path":"/m/s.gguf","endpoint_metrics":false,"endpoint_slots":true,"chat_template":"{{ x }}","build_info":"b11434-sdist"}`
	ollamaModels   = `{"object":"list","data":[{"id":"smollm2:latest","object":"model","created":1,"owned_by":"library"}]}`
	ollamaShow     = `{"details":{"parent_model":"","format":"gguf","family":"llama","families":["llama"],"parameter_size":"134.52M","quantization_level":"Q4_1"},"model_info":{"general.architecture":"llama","general.parameter_count":134515008,"llama.context_length":8192,"llama.vocab_size":49152},"capabilities":["completion"]}`
	openaiModels   = `{"object":"list","data":[{"id":"some-7B","object":"model","owned_by":"me"}]}`
	embedModelInfo = `{"model_path":"BAAI/bge","is_generation":false}`
)

func TestRecognise(t *testing.T) {
	for _, tc := range []struct {
		name     string
		bodies   map[string]string
		want     Server
		requests int
	}{
		{"SGLang", map[string]string{"GET /v1/models": sglangModels, "GET /server_info": sglangInfo, "GET /model_info": sglangModel},
			Server{Engine: SGLang, Version: "0.5.9", Model: "nvidia/Qwen3.5-397B-A17B-NVFP4", MaxContext: 262144, Quantization: "modelopt_fp4", Params: 397e9, ParamsFrom: "name"}, 3},
		{"older SGLang", map[string]string{"GET /v1/models": sglangModels, "GET /get_server_info": sglangInfo, "GET /get_model_info": sglangModel},
			Server{Engine: SGLang, Version: "0.5.9", Model: "nvidia/Qwen3.5-397B-A17B-NVFP4", MaxContext: 262144, Quantization: "modelopt_fp4", Params: 397e9, ParamsFrom: "name"}, 5},
		{"vLLM", map[string]string{"GET /v1/models": vllmModels, "GET /version": `{"version":"0.32.0"}`},
			Server{Engine: VLLM, Version: "0.32.0", Model: "qwen", MaxContext: 40960, Params: 8e9, ParamsFrom: "name"}, 2},
		{"llama.cpp", map[string]string{"GET /v1/models": llamaModels, "GET /props": llamaProps},
			Server{Engine: LlamaCPP, Version: "b11434-sdist", Model: "smollm2", MaxContext: 1024, VocabSize: 49152, Quantization: "Q4_1", Params: 134515008, ParamsFrom: "/v1/models"}, 2},
		{"ollama", map[string]string{"GET /v1/models": ollamaModels, "GET /api/version": `{"version":"0.6.5"}`, "POST /api/show": ollamaShow},
			Server{Engine: Ollama, Version: "0.6.5", Model: "smollm2:latest", VocabSize: 49152, Quantization: "Q4_1", Params: 134515008, ParamsFrom: "/api/show"}, 3},
		{"nothing known", map[string]string{"GET /v1/models": openaiModels},
			Server{Engine: OpenAI, Model: "some-7B", Params: 7e9, ParamsFrom: "name"}, 6},
		{"vLLM under another name", map[string]string{"GET /v1/models": openaiModels, "GET /version": `{"version":"0.32.0"}`, "GET /metrics": "# x\nvllm:num_requests_running 0\n"},
			Server{Engine: VLLM, Version: "0.32.0", Model: "some-7B", Params: 7e9, ParamsFrom: "name"}, 7},
		{"another server with /version", map[string]string{"GET /v1/models": openaiModels, "GET /version": `{"version":"1.0"}`},
			Server{Engine: OpenAI, Model: "some-7B", Params: 7e9, ParamsFrom: "name"}, 7},
		{"SGLang behind a gateway that lets /v1 through", map[string]string{"GET /v1/models": sglangModels},
			Server{Engine: OpenAI, Model: "nvidia/Qwen3.5-397B-A17B-NVFP4", MaxContext: 262144, Params: 397e9, ParamsFrom: "name"}, 3},
		{"llama.cpp without /v1/models", map[string]string{"GET /props": llamaProps},
			Server{Engine: LlamaCPP, Version: "b11434-sdist", Model: "smollm2", MaxContext: 1024, Quantization: "Q4_1"}, 2},
	} {
		r := &routes{bodies: tc.bodies}
		c, err := Connect(t.Context(), Options{URL: r.start(t) + "/v1"})
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		c.Close()
		got := c.Server()
		short := Server{Engine: got.Engine, Version: got.Version, Model: got.Model, MaxContext: got.MaxContext, VocabSize: got.VocabSize, Quantization: got.Quantization, Params: got.Params, ParamsFrom: got.ParamsFrom}
		if short.Engine != tc.want.Engine || short.Version != tc.want.Version || short.Model != tc.want.Model || short.MaxContext != tc.want.MaxContext ||
			short.VocabSize != tc.want.VocabSize || short.Quantization != tc.want.Quantization || short.Params != tc.want.Params || short.ParamsFrom != tc.want.ParamsFrom {
			t.Errorf("%s:\ngot  %+v\nwant %+v", tc.name, short, tc.want)
		}
		if c.Requests() != tc.requests || len(r.asked) != tc.requests {
			t.Errorf("%s: %d requests (%v), want %d", tc.name, c.Requests(), r.asked, tc.requests)
		}
	}
}

func TestSGLangFacts(t *testing.T) {
	r := &routes{bodies: map[string]string{"GET /v1/models": sglangModels, "GET /server_info": sglangInfo, "GET /model_info": sglangModel}}
	c, err := Connect(t.Context(), Options{URL: r.start(t), APIKey: "topsecretkey"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	facts := c.Server().Facts
	for what, want := range map[string]any{
		"engine.version": "0.5.9", "engine.flags.attention_backend": "triton", "engine.flags.tp_size": int64(8),
		"engine.flags.moe_runner_backend": "auto", "engine.resolved.moe_runner_backend": "flashinfer_cutlass",
		"engine.flags.enable_metrics": false, "engine.flags.api_key": evidence.Hidden, "engine.flags.admin_api_key": evidence.Hidden,
		"engine.state.max_total_num_tokens": int64(20480), "model.max_context": int64(262144), "model.weight_version": "default",
	} {
		f, ok := evidence.Find(facts, what)
		if got := plain(f.Value); !ok || got != want && !(what == "model.max_context" && got == 262144) {
			t.Errorf("%s = %v (%v), want %v", what, f.Value, ok, want)
		}
	}
	f, _ := evidence.Find(facts, "engine.flags.attention_backend")
	if !strings.HasSuffix(f.Source, "/server_info") || !strings.Contains(f.Command, `curl -s --oauth2-bearer "$KILTER_API_KEY" http://`) {
		t.Errorf("source %q, command %q", f.Source, f.Command)
	}
	if b := string(mustJSON(c.Server())); strings.Contains(b, "topsecret") || strings.Contains(b, "othersecret") {
		t.Error("a key survived in the facts")
	}
	if caps := c.Server().Caps; caps.CountChat || !caps.PromptLogprobs {
		t.Errorf("caps of 0.5.9: %+v", caps)
	}
}

func TestGateway(t *testing.T) {
	for name, value := range map[string]string{
		"Via": "1.1 litellm", "X-Litellm-Version": "1.0", "Cf-Ray": "abc", "X-Envoy-Upstream-Service-Time": "3", "X-Kong-Proxy-Latency": "1",
		"X-Served-By": "a", "Server": "openresty/1.27", "X-Portkey-Provider": "x",
	} {
		r := &routes{bodies: map[string]string{"GET /v1/models": llamaModels, "GET /props": llamaProps}, header: http.Header{name: {value}}}
		c, err := Connect(t.Context(), Options{URL: r.start(t)})
		if err != nil {
			t.Fatal(err)
		}
		c.Close()
		if g := c.Server().Gateway; len(g) != 1 || g[0] != "header "+name+": "+value {
			t.Errorf("%s: %v", name, g)
		}
	}
	if g := gatewaySigns(http.Header{"Server": {"uvicorn"}, "Content-Type": {"x"}}); g != nil {
		t.Errorf("uvicorn is no gateway: %v", g)
	}
	r := &routes{bodies: map[string]string{"GET /llm/qwen/v1/models": openaiModels}}
	c, err := Connect(t.Context(), Options{URL: r.start(t) + "/llm/qwen/v1"})
	if err != nil || c.Server().Model != "some-7B" {
		t.Errorf("a path before /v1 is lost: %v", err)
	} else {
		c.Close()
	}
}

func TestConnectErrors(t *testing.T) {
	for _, tc := range []struct {
		name   string
		bodies map[string]string
		o      Options
		kind   FailKind
		text   string
		hint   string
	}{
		{"no key", map[string]string{"GET /v1/models": `401 {"error":"Unauthorized"}`}, Options{}, FailAuth, "Unauthorized", "set KILTER_API_KEY or use --api-key-file"},
		{"wrong key", map[string]string{"GET /v1/models": `403 {"error":"no"}`}, Options{APIKey: "abcdef"}, FailAuth, "403", "refuses the API key"},
		{"a web page", map[string]string{"GET /v1/models": `<!doctype html><title>Open WebUI</title>`}, Options{}, FailNotJSON, "Open WebUI", "a web page, not an API"},
		{"loading", map[string]string{"GET /v1/models": `503 {"error":{"code":503,"message":"Loading model"}}`}, Options{}, FailLoading, "Loading model", "--wait"},
		{"a gateway before nothing", map[string]string{"GET /v1/models": `503 no healthy upstream`}, Options{}, FailLoading, "no healthy upstream", "--wait"},
		{"loading after the list", map[string]string{"GET /v1/models": llamaModels, "GET /props": `503 {"error":{"message":"Loading model"}}`}, Options{}, FailLoading, "Loading", "--wait"},
		{"SGLang starts", map[string]string{"GET /v1/models": sglangModels, "GET /server_info": `{"model_path":"x","status":"starting"}`}, Options{}, FailLoading, "starting", "--wait"},
		{"nothing here", nil, Options{}, FailStatus, "404", "/v1/models"},
		{"other JSON", map[string]string{"GET /v1/models": `{"hello":1}`}, Options{}, FailShape, "no list of models", "/v1/models"},
		{"SGLang embeddings", map[string]string{"GET /v1/models": sglangModels, "GET /server_info": sglangInfo, "GET /model_info": embedModelInfo}, Options{}, FailEmbedding, "embeddings", "not covered"},
		{"listed as embedding", map[string]string{"GET /v1/models": `{"data":[{"id":"e","type":"embedding"}]}`}, Options{}, FailEmbedding, "embedding", "not covered"},
		{"ollama embeddings", map[string]string{"GET /v1/models": ollamaModels, "GET /api/version": `{"version":"0.9"}`, "POST /api/show": `{"capabilities":["embedding"]}`}, Options{}, FailEmbedding, "embeddings", "not covered"},
		{"several models", map[string]string{"GET /v1/models": `{"data":[{"id":"a"},{"id":"b"}]}`}, Options{}, FailModel, "2 models", "a, b"},
		{"no such model", map[string]string{"GET /v1/models": `{"data":[{"id":"a"},{"id":"b"}]}`}, Options{Model: "c"}, FailModel, `no model "c"`, "a, b"},
		{"no model", map[string]string{"GET /v1/models": `{"object":"list","data":null}`}, Options{}, FailModel, "lists no model", "--model"},
	} {
		r := &routes{bodies: tc.bodies}
		tc.o.URL = r.start(t)
		c, err := Connect(t.Context(), tc.o)
		var ce *ConnectError
		if !errors.As(err, &ce) {
			t.Errorf("%s: %v, %v", tc.name, c, err)
			continue
		}
		if ce.Kind != tc.kind || !strings.Contains(ce.Message, tc.text) || !strings.Contains(ce.Hint, tc.hint) {
			t.Errorf("%s: %s %q, hint %q", tc.name, ce.Kind, ce.Message, ce.Hint)
		}
	}
	for _, o := range []Options{{URL: "nope"}, {URL: "http://h", CAFile: "/no/such/file"}} {
		_, err := Connect(t.Context(), o)
		var ce *ConnectError
		if err == nil || errors.As(err, &ce) {
			t.Errorf("%+v: %v is no usage error", o, err)
		}
	}
}

func TestNoConnection(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	for url, text := range map[string]string{"http://" + addr: "connection refused", "http://no-such-host.invalid": "no such host"} {
		_, err := Connect(t.Context(), Options{URL: url})
		var ce *ConnectError
		if !errors.As(err, &ce) || ce.Kind != FailRefused || !strings.Contains(ce.Message, text) || ce.Hint == "" {
			t.Errorf("%s: %v", url, err)
		}
	}
}

func TestTLSMistakes(t *testing.T) {
	h := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(openaiModels)) })
	secure, open := httptest.NewUnstartedServer(h), httptest.NewServer(h)
	secure.Config.ErrorLog = log.New(io.Discard, "", 0)
	secure.StartTLS()
	defer secure.Close()
	defer open.Close()
	// A server that knows nothing but TLS answers plain HTTP with an alert.
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_, _ = conn.Read(make([]byte, 512))
			_, _ = conn.Write([]byte{0x15, 3, 1, 0, 2, 2, 70})
			conn.Close()
		}
	}()
	for url, hint := range map[string]string{
		strings.Replace(secure.URL, "https:", "http:", 1): "use https://",
		strings.Replace(open.URL, "http:", "https:", 1):   "use http://",
		secure.URL:                    "--ca-file",
		"http://" + l.Addr().String(): "use https://",
	} {
		_, err := Connect(t.Context(), Options{URL: url})
		var ce *ConnectError
		if !errors.As(err, &ce) || ce.Kind != FailTLS || !strings.Contains(ce.Hint, hint) {
			t.Errorf("%s: %v", url, err)
		}
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: secure.Certificate().Raw})
	if err := os.WriteFile(ca, block, 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Connect(t.Context(), Options{URL: secure.URL, CAFile: ca})
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
}

func TestRedirects(t *testing.T) {
	var leaked atomic.Bool
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		leaked.Store(true)
		_, _ = w.Write([]byte(openaiModels))
	}))
	defer other.Close()
	var srv *httptest.Server
	srv = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/away/v1/models":
			http.Redirect(w, r, other.URL+"/v1/models", http.StatusTemporaryRedirect)
		case "/here/v1/models":
			http.Redirect(w, r, srv.URL+"/v1/models", http.StatusTemporaryRedirect)
		case "/v1/models":
			_, _ = w.Write([]byte(openaiModels))
		case "/here/v1/chat/completions":
			http.Redirect(w, r, "/v1/models", http.StatusFound)
		default:
			http.NotFound(w, r)
		}
	}))
	defer srv.Close()
	_, err := Connect(t.Context(), Options{URL: srv.URL + "/away", APIKey: "abcdefgh"})
	if err == nil || leaked.Load() || !strings.Contains(err.Error(), "redirects to") {
		t.Errorf("%v, asked the other host: %v", err, leaked.Load())
	}
	c, err := Connect(t.Context(), Options{URL: srv.URL + "/here"})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if x := c.Do(t.Context(), Request{Op: OpChat}); x.Fail == nil || x.Status != http.StatusFound {
		t.Errorf("a POST that becomes a GET: %+v", x.Fail)
	}
}

func TestConnectWait(t *testing.T) {
	var asked atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) < 3 {
			w.WriteHeader(503)
			_, _ = w.Write([]byte(`{"error":{"message":"Loading model","code":503}}`))
			return
		}
		_, _ = w.Write([]byte(openaiModels))
	}))
	defer srv.Close()
	var notes []string
	c, err := ConnectWait(t.Context(), Options{URL: srv.URL}, time.Minute, func(s string) { notes = append(notes, s) })
	if err != nil {
		t.Fatal(err)
	}
	c.Close()
	if len(notes) != 1 || !strings.Contains(notes[0], "Loading model") {
		t.Errorf("notes: %q", notes)
	}
	asked.Store(-1000)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if _, err := ConnectWait(ctx, Options{URL: srv.URL}, time.Minute, nil); err == nil {
		t.Error("the end of the context did not end the wait")
	}
	// What will not pass is not waited for.
	r := &routes{bodies: map[string]string{"GET /v1/models": "401 no"}}
	if _, err := ConnectWait(t.Context(), Options{URL: r.start(t)}, time.Minute, nil); err == nil || len(r.asked) != 1 {
		t.Errorf("%v after %v", err, r.asked)
	}
}

// SGLang whose scheduler hangs lists its model and says nothing of itself.
func TestHungEngine(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/models" {
			<-r.Context().Done()
			return
		}
		_, _ = w.Write([]byte(sglangModels))
	}))
	defer srv.Close()
	c, err := Connect(t.Context(), Options{URL: srv.URL, Timeout: 60 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	f, ok := evidence.Find(c.Server().Facts, "engine.version")
	if s := c.Server(); s.Engine != SGLang || !s.Caps.PromptLogprobs || !ok || !f.Absent || !strings.Contains(f.Void, "no response within") {
		t.Errorf("%+v, %v", s.Engine, f)
	}
}

func TestFactsAreUnique(t *testing.T) {
	r := &routes{bodies: map[string]string{"GET /v1/models": sglangModels, "GET /server_info": sglangInfo, "GET /model_info": sglangModel}}
	c, err := Connect(t.Context(), Options{URL: r.start(t)})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	var seen []string
	for _, f := range c.Server().Facts {
		if slices.Contains(seen, f.What) && f.What != "model.path" && f.What != "gateway" {
			t.Errorf("two facts named %s", f.What)
		}
		seen = append(seen, f.What)
	}
}
