package model_test

import (
	"context"
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"kilter/internal/checkpoint"
	"kilter/internal/model"
	"kilter/internal/modeltest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func read(t testing.TB, path string) *model.Model {
	t.Helper()
	c, err := checkpoint.Open(context.Background(), checkpoint.Local{}, path, checkpoint.Options{})
	if err != nil {
		t.Fatal(err)
	}
	m, err := model.Read(context.Background(), c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// A recording is what testdata/make_tiny.py noted of a checkpoint.
type recording struct {
	Params int64 `json:"num_parameters"`
	Biases int64 `json:"correction_biases"`
}

func recorded(t *testing.T) map[string]recording {
	t.Helper()
	b, err := os.ReadFile("testdata/recorded.json")
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]recording
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// Each tiny checkpoint is what its name says, has as many parameters as
// transformers counts, and every tensor is expected, of the expected shape and
// loaded; nothing is missing and nothing differs.
func TestTinyCheckpoints(t *testing.T) {
	families := map[string]string{
		"mistral": "llama", "llama_nvfp4_modelopt": "llama", "qwen3_nvfp4_ct": "qwen3", "gpt_oss_mxfp4": "gpt_oss", "deepseek_v3_fp8": "deepseek_v3",
		"kimi_k25_int4": "deepseek_v3", "qwen3_5_moe_nvfp4": "qwen3_5_moe", "qwen3_5_moe_text": "qwen3_5_moe",
	}
	seen := map[string]bool{}
	for name, rec := range recorded(t) {
		t.Run(name, func(t *testing.T) {
			m := read(t, filepath.Join("testdata", name))
			want := families[name]
			if want == "" {
				want = name
			}
			seen[m.Family] = true
			if m.Family != want || len(m.Notes) > 0 || m.UnknownCount > 0 {
				t.Errorf("family %q, notes %q, unknown %q", m.Family, m.Notes, m.Unknown)
			}
			vision := m.VisionParams
			if name == "kimi_k25_int4" {
				vision = 0 // put in by hand
			}
			if got := m.Params + vision; got != rec.Params+rec.Biases {
				t.Errorf("%d parameters, transformers has %d and %d correction biases", got, rec.Params, rec.Biases)
			}
			for _, d := range m.Differences {
				if d.Kind != model.DifferKV {
					t.Errorf("differs: %+v", d)
				}
			}
			checkExpected(t, m)
		})
	}
	for _, f := range model.Families() {
		if !seen[f] {
			t.Errorf("no tiny checkpoint of family %s", f)
		}
	}
}

func checkExpected(t *testing.T, m *model.Model) {
	t.Helper()
	tensors := &m.Checkpoint().Tensors
	expected := map[string]bool{}
	for e := range m.Expected() {
		tensor, stored := tensors.Lookup(e.Name)
		switch {
		case stored != e.Stored:
			t.Errorf("%s: stored %v, said to be %v", e.Name, stored, e.Stored)
		case !stored && !e.Optional:
			t.Errorf("missing: %s", e.Name)
		case stored && e.Shape != nil && !slices.Equal(squeeze(e.Shape), squeeze(tensor.Shape)):
			t.Errorf("%s: shape %v, expected %v", e.Name, tensor.Shape, e.Shape)
		}
		if expected[e.Name] {
			t.Errorf("expected twice: %s", e.Name)
		}
		expected[e.Name] = true
	}
	for tensor := range tensors.All() {
		if m.Place(tensor.Name) != model.Loaded {
			t.Errorf("%s: place %v", tensor.Name, m.Place(tensor.Name))
		}
		mod, role, ok := m.ModuleOf(tensor.Name)
		if !ok || !mod.Has(role) {
			t.Fatalf("%s: of no module", tensor.Name)
		}
		if !expected[tensor.Name] && mod.Part != model.Vision && role != model.KScale && role != model.VScale {
			t.Errorf("not expected: %s", tensor.Name)
		}
		if mod.Format == model.Incomplete {
			t.Errorf("%s: incomplete", tensor.Name)
		}
	}
}

func squeeze(shape []int64) (out []int64) {
	for _, n := range shape {
		if n != 1 {
			out = append(out, n)
		}
	}
	return out
}

// The same models as GGUFs: names by the gguf package, all of them expected.
func TestTinyGGUFs(t *testing.T) {
	files, err := filepath.Glob("testdata/gguf/*.gguf")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".gguf")
		t.Run(name, func(t *testing.T) {
			m, hf := read(t, path), read(t, filepath.Join("testdata", name))
			if m.Family != hf.Family || len(m.Notes) > 0 || m.UnknownCount > 0 || len(m.Differences) > 0 {
				t.Errorf("family %q, notes %q, unknown %q, differs %+v", m.Family, m.Notes, m.Unknown, m.Differences)
			}
			checkExpected(t, m)
			if name == "qwen3_moe" { // its one layer with experts alone
				return
			}
			if m.Params != hf.Params || m.ActiveParams != hf.ActiveParams {
				t.Errorf("%d parameters, %d active; as safetensors %d and %d", m.Params, m.ActiveParams, hf.Params, hf.ActiveParams)
			}
			if m.KVPerRequest(model.BF16, 256) != hf.KVPerRequest(model.BF16, 256) || m.StatePerRequest() != hf.StatePerRequest() {
				t.Errorf("%d and %d bytes a request; as safetensors %d and %d", m.KVPerRequest(model.BF16, 256), m.StatePerRequest(), hf.KVPerRequest(model.BF16, 256), hf.StatePerRequest())
			}
			if d := cmp.Diff(hf.Layers, m.Layers); d != "" {
				t.Error(d)
			}
		})
	}
}

func TestFormatsAndSizes(t *testing.T) {
	format := func(m *model.Model, part model.Part) string {
		for _, p := range m.Parts {
			if p.Part == part {
				return p.Formats[0]
			}
		}
		return ""
	}
	for _, c := range []struct {
		name string
		part model.Part
		want model.Format
	}{
		{"qwen3_5_moe_nvfp4", model.Experts, model.NVFP4}, {"qwen3_5_moe_nvfp4", model.SharedExpert, "BF16"}, {"qwen3_5_moe_nvfp4", model.MTP, "BF16"},
		{"qwen3_nvfp4_ct", model.Attention, model.NVFP4Reciprocal}, {"llama_nvfp4_modelopt", model.MLP, model.NVFP4},
		{"gpt_oss_mxfp4", model.Experts, model.MXFP4}, {"gpt_oss", model.Experts, "BF16"},
		{"deepseek_v3_fp8", model.Experts, model.FP8Block}, {"deepseek_v3_fp8", model.Head, "BF16"},
		{"kimi_k25_int4", model.Experts, model.INT4}, {"kimi_k25_int4", model.SharedExpert, "BF16"},
	} {
		if got := format(read(t, filepath.Join("testdata", c.name)), c.part); got != string(c.want) {
			t.Errorf("%s: %s is stored as %q, want %q", c.name, c.part, got, c.want)
		}
	}
	kinds := func(name string) (out string) {
		for _, l := range read(t, filepath.Join("testdata", name)).Layers {
			c := string(l.Mixer)[:1]
			if l.MoE {
				c = strings.ToUpper(c)
			}
			out += c
		}
		return out
	}
	for name, want := range map[string]string{
		"llama": "ff", "mistral": "ss", "qwen3_moe": "fF", "qwen3_next": "LLLF", "qwen3_5": "lllf", "qwen3_5_moe": "LLLF",
		"gemma3": "sssssf", "gpt_oss": "SF", "deepseek_v3": "fF", "kimi_k25_int4": "fF",
	} {
		if got := kinds(name); got != want {
			t.Errorf("%s: layers %s, want %s", name, got, want)
		}
	}
}

// The cache and the state, computed by hand from the configurations.
func TestMemoryByHand(t *testing.T) {
	for _, c := range []struct {
		name                       string
		token, request, state, fp8 int64 // bf16, 256 tokens in bf16, state, a token in fp8
	}{
		// 2 layers · 2 (K, V) · 2 KV heads · 8 · 2 bytes
		{"qwen3", 128, 128 * 256, 0, 64},
		// 1 full layer: 2 · 2 · 8 · 2; 5 sliding layers of 32 tokens
		{"gemma3", 64, 64*256 + 5*64*32, 0, 32},
		// all sliding, window 32
		{"mistral", 0, 2 * 64 * 32, 0, 0},
		// 2 layers · (16 + 8) · 2
		{"deepseek_v3", 96, 96 * 256, 0, 48},
		// 1 full layer. 3 linear ones: 4 value heads · 8 · 8 · 4 bytes, and
		// (2·2·8 + 4·8) channels · 3 · 2 bytes
		{"qwen3_5_moe", 64, 64 * 256, 3 * (4*8*8*4 + 64*3*2), 32},
	} {
		m := read(t, filepath.Join("testdata", c.name))
		got := []int64{m.KVPerToken(model.BF16), m.KVPerRequest(model.BF16, 256), m.StatePerRequest(), m.KVPerToken(model.FP8)}
		if want := []int64{c.token, c.request, c.state, c.fp8}; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", c.name, got, want)
		}
	}
}

// The published 397B-A17B configuration: numbers by hand.
func TestQwen397B(t *testing.T) {
	dir := t.TempDir()
	if err := modeltest.Qwen397B(dir, 7); err != nil {
		t.Fatal(err)
	}
	m := read(t, dir)
	if n := m.Checkpoint().Problems.Len(); n > 0 {
		t.Errorf("%d problems: %v", n, m.Checkpoint().Problems.All()[0].Error())
	}
	checkExpected(t, m)
	full, sliding, linear := m.Mixers()
	if full != 15 || sliding != 0 || linear != 45 {
		t.Errorf("%d full, %d sliding, %d linear layers", full, sliding, linear)
	}
	const hidden, vocab = 4096, 248320
	attention := int64((16384+512+512)*hidden + hidden*8192 + 2*256)
	gdn := int64((12288+8192+2*64)*hidden + 12288*4 + 64 + 64 + 128 + hidden*8192)
	shared := int64(3*1024*hidden + hidden) // and its gate
	expert := int64(3 * 1024 * hidden)
	layer := shared + 512*hidden + 2*hidden
	rest := 15*attention + 45*gdn + 60*layer + 2*vocab*hidden + hidden
	if want := rest + 60*512*expert; m.Params != want {
		t.Errorf("%d parameters, want %d", m.Params, want)
	}
	if want := rest + 60*10*expert; m.ActiveParams != want || want < 17e9 || want > 18e9 {
		t.Errorf("%d active parameters, want %d", m.ActiveParams, want)
	}
	// 15 layers · 2 · 2 heads · 256 · 2 bytes; 45 layers of 64·128·128 floats and
	// 12288 channels · 3 · 2 bytes.
	if kv, state := m.KVPerToken(model.BF16), m.StatePerRequest(); kv != 30720 || state != 45*(64*128*128*4+12288*3*2) {
		t.Errorf("%d bytes a token, state %d", kv, state)
	}
	if len(m.Claims) != 2 || m.Claims[0].Format != model.NVFP4 || m.KVScheme() != "FP8" {
		t.Errorf("claims %+v", m.Claims)
	}
	whole, eighth := m.ShareOf(model.Parallel{TP: 1}), m.ShareOf(model.Parallel{TP: 8})
	if whole.Largest() != m.Bytes || len(eighth.Impossible) > 0 {
		t.Errorf("one rank holds %d of %d bytes; tp 8: %v", whole.Largest(), m.Bytes, eighth.Impossible)
	}
	if low := m.Bytes / 8; eighth.Largest() < low || eighth.Largest() > low+eighth.Replicated+64<<20 {
		t.Errorf("tp 8: a rank holds %d, an eighth is %d and %d are on each", eighth.Largest(), low, eighth.Replicated)
	}
	fit := m.FitOn(96<<30, model.Parallel{TP: 8, PP: 1}, model.FP8, 0)
	perRequest := int64(15*2*1*256*262144 + 45*(8*128*128*4+1536*3*2))
	if fit.Longest != 262144 || fit.Requests != fit.Free/perRequest || fit.Requests < 20 {
		t.Errorf("%+v, a request takes %d", fit, perRequest)
	}
	if small := m.FitOn(24<<30, model.Parallel{TP: 8, PP: 1}, model.FP8, 0); small.Free >= 0 || small.Requests != 0 || small.Longest != 0 {
		t.Errorf("fits on 24 GiB: %+v", small)
	}
}

func TestRealModels(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Skip("no home folder: ", err)
	}
	dir := filepath.Join(home, ".cache/kilter/engines/models")
	for name, want := range map[string]int64{
		"smollm2-135m-instruct-hf": 134515008, "smollm2-135m-instruct-q4_1.gguf": 134515008, "smollm2-135m-instruct-q8_0.gguf": 134515008,
		"gemma-3-270m-q4_k_m.gguf": 268098176,
	} {
		path := filepath.Join(dir, name)
		if _, err := os.Stat(path); err != nil {
			t.Skipf("%s is not there: bash test/engine/install.sh weights", path)
		}
		m := read(t, path)
		if m.Params != want || len(m.Differences) > 0 || len(m.Notes) > 0 || m.UnknownCount > 0 {
			t.Errorf("%s: %d parameters, want %d; %v %v %v", name, m.Params, want, m.Differences, m.Notes, m.Unknown)
		}
		for e := range m.Expected() {
			if !e.Stored && !e.Optional {
				t.Errorf("%s: missing %s", name, e.Name)
			}
		}
		for tensor := range m.Checkpoint().Tensors.All() {
			if m.Place(tensor.Name) != model.Loaded {
				t.Errorf("%s: %s is not loaded", name, tensor.Name)
			}
		}
		if m.Tokenizer.Zero == nil || m.Tokenizer.Tokens == 0 || len(m.Tokenizer.Special) == 0 {
			t.Errorf("%s: tokenizer %+v", name, m.Tokenizer)
		}
	}
}

// Sizes survive the way into a document and back.
func TestDescriptionIsJSON(t *testing.T) {
	m := read(t, "testdata/qwen3_5_moe_nvfp4")
	b, err := json.Marshal(m.Description)
	if err != nil {
		t.Fatal(err)
	}
	var back model.Description
	if err := json.Unmarshal(b, &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(m.Description, back); d != "" {
		t.Error(d)
	}
	var raw map[string]any
	if err := json.Unmarshal(b, &raw); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"family", "sizes", "layers", "groups", "claims", "tokenizer"} {
		if raw[key] == nil {
			t.Errorf("no %s in %v", key, slices.Sorted(maps.Keys(raw)))
		}
	}
}
