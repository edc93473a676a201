package audit_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"kilter/internal/audit"
)

// FuzzQuantConfig puts anything into config.json and hf_quant_config.json of
// small checkpoints: no panic, no lie about the tensors, a report that can be
// written.
func FuzzQuantConfig(f *testing.F) {
	var dirs []string
	for _, make := range []func() *tiny{llamaCompressed, qwen35} {
		c := make()
		b, err := json.Marshal(c.config)
		check(f, err)
		f.Add(b, []byte(`{"quantization":{"quant_algo":"NVFP4","kv_cache_quant_algo":"FP8","group_size":16,"exclude_modules":["lm_head","*.mlp.gate"]}}`))
		dirs = append(dirs, c.write(f))
	}
	f.Add([]byte(`{"model_type":"llama","quantization_config":{"quant_method":"compressed-tensors","config_groups":{"g":{"targets":["re:["]}},"ignore":["re:(","*"]}}`), []byte(`{`))
	f.Add([]byte(`{"num_hidden_layers":1e9,"rope_parameters":{"mrope_section":[1e300,"x"]},"rope_theta":NaN}`), []byte(`null`))
	f.Fuzz(func(t *testing.T, config, quant []byte) {
		for _, dir := range dirs {
			check(t, os.WriteFile(filepath.Join(dir, "config.json"), config, 0o600))
			check(t, os.WriteFile(filepath.Join(dir, "hf_quant_config.json"), quant, 0o600))
			rep := run(t, dir, audit.Options{NoHash: true, NoValues: true})
			if _, err := json.Marshal(rep); err != nil {
				t.Fatal(err)
			}
			for _, x := range rep.Findings {
				if x.Group == audit.Structure || x.Group == audit.Values || x.Count < len(x.Places) || x.Says == "" {
					t.Errorf("%+v", x)
				}
			}
		}
	})
}
