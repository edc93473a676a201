package model_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"kilter/internal/checkpoint"
	"kilter/internal/model"
	"kilter/internal/modeltest"
)

// FuzzConfig gives anything for the files beside the tensors: nothing panics,
// runs away or comes out below zero.
func FuzzConfig(f *testing.F) {
	configs, err := filepath.Glob("testdata/*/config.json")
	if err != nil || len(configs) == 0 {
		f.Fatal("no configurations: ", err)
	}
	for _, name := range configs {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		quant, _ := os.ReadFile(filepath.Join(filepath.Dir(name), "hf_quant_config.json"))
		f.Add(b, quant, []byte(`{"model":{"type":"BPE","vocab":{"!":0}},"added_tokens":[{"id":1,"content":"<s>"}]}`))
	}
	f.Add([]byte(`{"num_hidden_layers":Infinity,"x":NaN}`), []byte(`[`), []byte(`{"model":{"vocab":[["a",0.1]]}}`))
	f.Add([]byte(`{"model_type":"deepseek_v3","num_hidden_layers":4096,"n_routed_experts":65536,"hidden_size":2097152}`), []byte("{}"), []byte("{"))
	dir := f.TempDir()
	tensors := []modeltest.Tensor{
		{Name: "model.embed_tokens.weight", DType: "BF16", Shape: []int64{64, 32}},
		{Name: "model.layers.0.mlp.experts.1.up_proj.weight", DType: "U8", Shape: []int64{16, 16}},
		{Name: "model.layers.0.mlp.experts.1.up_proj.weight_scale", DType: "F8_E4M3", Shape: []int64{16, 2}},
		{Name: "model.layers.0.self_attn.q_proj.weight_packed", DType: "I32", Shape: []int64{16, 4}},
		{Name: "model.layers.0.self_attn.q_proj.weight_scale", DType: "BF16", Shape: []int64{16, 1}},
		{Name: "model.layers.0.self_attn.k_proj.weight_scale", DType: "BF16"},
	}
	if err := modeltest.Write(dir, tensors, 1, nil); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, config, quant, tokenizer []byte) {
		for name, b := range map[string][]byte{"config.json": config, "hf_quant_config.json": quant, "tokenizer.json": tokenizer, "tokenizer_config.json": config} {
			if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		c, err := checkpoint.Open(context.Background(), checkpoint.Local{}, dir, checkpoint.Options{})
		if err != nil {
			t.Fatal(err)
		}
		m, err := model.Read(context.Background(), c)
		if err != nil {
			t.Fatal(err)
		}
		sizes := []int64{m.Params, m.ActiveParams, m.Bytes, m.KVPerToken(model.BF16), m.KVPerRequest(model.FP8, 1<<40), m.StatePerRequest(), m.MTPPerToken(model.BF16)}
		share := m.ShareOf(model.Parallel{TP: 8, EP: 2, PP: 3})
		fit := m.FitOn(80<<30, model.Parallel{TP: 8, EP: 2, PP: 3}, model.BF16, 0)
		sizes = append(sizes, share.Largest(), share.Replicated, fit.Longest, fit.Requests)
		for i, n := range sizes {
			if n < 0 {
				t.Errorf("size %d is %d", i, n)
			}
		}
		n := 0
		for e := range m.Expected() {
			if n++; n > 10_000 || e.Name == "" {
				break
			}
		}
		for x := range c.Tensors.All() {
			m.Place(x.Name)
		}
	})
}
