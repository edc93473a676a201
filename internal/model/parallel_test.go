package model_test

import (
	"slices"
	"strings"
	"testing"

	"kilter/internal/model"
)

// The ranks of a division hold, together, all bytes and what they repeat.
func TestSharesAddUp(t *testing.T) {
	for _, name := range []string{"llama", "qwen3_moe", "qwen3_5_moe_nvfp4", "gemma3", "deepseek_v3", "gpt_oss", "kimi_k25_int4"} {
		m := read(t, "testdata/"+name)
		for _, p := range []model.Parallel{{TP: 1}, {TP: 2}, {TP: 4, EP: 2}, {TP: 1, PP: 2}, {TP: 2, PP: 2}} {
			s := m.ShareOf(p)
			total, layers := int64(0), 0
			for _, st := range s.Stages {
				total += st.Weights * int64(s.TP)
				layers += st.To - st.From
			}
			if total < m.Bytes || total > m.Bytes*int64(s.TP)*2 || layers != len(m.Layers) {
				t.Errorf("%s %+v: %d bytes in all ranks, the model has %d; %d layers", name, p, total, m.Bytes, layers)
			}
			if s.TP == 1 && s.PP == 1 && total != m.Bytes {
				t.Errorf("%s: one rank holds %d of %d", name, total, m.Bytes)
			}
		}
	}
}

func TestWhatDoesNotDivide(t *testing.T) {
	for _, c := range []struct {
		name string
		p    model.Parallel
		want string // of Impossible; empty: it divides
	}{
		{"qwen3_moe", model.Parallel{TP: 2}, ""},
		{"qwen3_moe", model.Parallel{TP: 3}, "4 attention heads do not divide by tp 3"},
		{"qwen3_moe", model.Parallel{TP: 8}, "4 attention heads do not divide by tp 8"},
		{"qwen3_moe", model.Parallel{TP: 4, EP: 3}, "ep 3 does not divide tp 4"},
		{"qwen3_moe", model.Parallel{TP: 1, PP: 3}, "2 layers are fewer than pp 3"},
		{"qwen3_5_moe_nvfp4", model.Parallel{TP: 2}, "intermediate size of experts 16 by 2 leaves 8, no whole blocks of 16 (NVFP4)"},
		{"qwen3_5_moe_nvfp4", model.Parallel{TP: 2, EP: 2}, ""}, // whole experts
		{"gpt_oss_mxfp4", model.Parallel{TP: 2}, ""},            // servers pad
		{"deepseek_v3_fp8", model.Parallel{TP: 2}, "no whole blocks of 128 (FP8 block)"},
	} {
		s := read(t, "testdata/"+c.name).ShareOf(c.p)
		if got := strings.Join(s.Impossible, "; "); c.want == "" && got != "" || !strings.Contains(got, c.want) {
			t.Errorf("%s %+v: %q, want %q", c.name, c.p, got, c.want)
		}
	}
	s := read(t, "testdata/qwen3").ShareOf(model.Parallel{TP: 4})
	if !slices.Contains(s.Notes, "each of the 2 KV heads is on 2 ranks") || s.Stages[0].KVPerToken[model.BF16] != 64 {
		t.Errorf("%+v", s)
	}
}

func TestFit(t *testing.T) {
	m := read(t, "testdata/qwen3") // 128 bytes a token, 256 tokens
	for _, c := range []struct {
		spare             int64 // bytes beside weights, after the reserve
		context           int64
		longest, requests int64
	}{
		{0, 0, 0, 0}, {128 * 100, 0, 100, 0}, {128 * 100, 50, 100, 2}, {128 * 256 * 3, 0, 256, 3}, {-128 * 300, 0, 0, 0},
	} {
		memory := int64(float64(m.Bytes+c.spare)/(1-model.Reserve)) + 1
		f := m.FitOn(memory, model.Parallel{TP: 1, PP: 1}, model.BF16, c.context)
		if f.Longest != c.longest || f.Requests != c.requests {
			t.Errorf("%d bytes spare, %d tokens: %+v, want %d and %d", c.spare, c.context, f, c.longest, c.requests)
		}
	}
}
