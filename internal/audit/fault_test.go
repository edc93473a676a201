package audit_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"kilter/internal/audit"
	"kilter/internal/numeric"
)

// A fault is one thing made wrong in a clean checkpoint.
type fault struct {
	name string
	from func() *tiny
	make func(c *tiny)
	// after changes the folder that was written.
	after func(t *testing.T, dir string)
	want  audit.Code
	// says is a part of what is said of the first place.
	says string
}

const (
	down2   = "model.layers.2.mlp.down_proj"
	expert5 = "model.language_model.layers.5.mlp.experts.2."
	shard1  = "model-00001-of-00002.safetensors"
	shard2  = "model-00002-of-00002.safetensors"
)

// set writes a value over an element of a tensor.
func (x *tensor) set(i int, b ...byte) { copy(x.data[i*len(b):], b) }

func bf16(v float32) []byte { return binary.LittleEndian.AppendUint16(nil, numeric.EncodeBF16(v)) }

func edit(dir, name string, change func(b []byte) []byte) error {
	b, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, name), change(b), 0o600)
}

// onDisk changes a file.
func onDisk(name string, change func(b []byte) []byte) func(*testing.T, string) {
	return func(t *testing.T, dir string) { check(t, edit(dir, name, change)) }
}

// dataOf returns where the tensors of a file begin.
func dataOf(b []byte) int { return 8 + int(binary.LittleEndian.Uint64(b)) }

func faults() []fault {
	return []fault{
		// The public ones: performance.md names where each was reported.
		{name: "right size, wrong bytes (huggingface_hub 3643)", from: llama, want: audit.CodeChecksum,
			after: func(t *testing.T, dir string) {
				hubCache(t, dir)
				check(t, edit(dir, "model-00001-of-00002.safetensors", func(b []byte) []byte { b[len(b)-9] ^= 0x10; return b }))
			}},
		{name: "tensors zeroed in a cached blob, by kind (aprender 2337)", from: llama, want: audit.CodeZeroTensor, make: func(c *tiny) {
			for _, l := range []string{"0", "2", "4"} {
				clear(c.at("model.layers." + l + ".mlp.down_proj.weight").data)
				clear(c.at("model.layers." + l + ".self_attn.v_proj.weight").data)
			}
			clear(c.at("lm_head.weight").data)
		}},
		{name: "a run of zeros over tensors", from: llama, want: audit.CodeZeroBlock, says: "over 3 tensors",
			after: onDisk(shard2, func(b []byte) []byte {
				clear(b[(len(b)/2)&^4095 : (len(b)/2)&^4095+10*4096])
				return b
			})},
		{name: "a matrix zeroed exactly", from: llama, want: audit.CodeZeroTensor, make: func(c *tiny) { clear(c.at(down2 + ".weight").data) }},
		{name: "zeroed header (VeritasPP 2)", from: llama, want: audit.CodeHeader,
			after: onDisk(shard1, func(b []byte) []byte { clear(b[:4096]); return b })},
		{name: "an expert lacks input_scale (vLLM 45212)", from: qwen35, want: audit.CodeInputScale, says: "it has no activation scale, and 95 of 96 NVFP4 modules have one",
			make: func(c *tiny) { c.dropName(expert5 + "down_proj.input_scale") }},
		{name: "weight-only NVFP4 served as W4A4 (vLLM 54189)", from: qwen35, want: audit.CodeWeightOnly,
			make: func(c *tiny) { c.drop(func(n string) bool { return strings.HasSuffix(n, ".input_scale") }) }},
		{name: "gate and up have different global scales (vLLM 54150)", from: qwen35, want: audit.CodeGlobalScale,
			make: func(c *tiny) { c.at(expert5 + "up_proj.weight_scale_2").data = f32(0.0003) }},
		{name: "a BF16 layer is not excluded (vLLM 52501)", from: llamaCompressed, want: audit.CodeIgnore,
			make: func(c *tiny) {
				c.drop(func(n string) bool {
					return strings.HasPrefix(n, "model.layers.5.mlp.gate_proj.") || strings.HasPrefix(n, "model.layers.5.mlp.up_proj.")
				})
				c.bf16("model.layers.5.mlp.gate_proj.weight", inter, hidden)
				c.bf16("model.layers.5.mlp.up_proj.weight", inter, hidden)
			}},
		{name: "the ignore list excludes what is quantised", from: llamaCompressed, want: audit.CodeIgnore,
			make: func(c *tiny) {
				c.config["quantization_config"].(map[string]any)["ignore"] = []string{"lm_head", "re:.*layers.5.*"}
			}},

		// Files.
		{name: "truncated shard", from: llama, want: audit.CodeTruncated, after: onDisk(shard2, func(b []byte) []byte { return b[:len(b)-5000] })},
		{name: "empty shard", from: llama, want: audit.CodeTruncated, after: onDisk(shard2, func([]byte) []byte { return nil })},
		{name: "allocated, not written to its end", from: llama, want: audit.CodeZeroBlock, says: "to the file's end",
			after: onDisk(shard2, func(b []byte) []byte { clear(b[len(b)-20_000:]); return b })},
		{name: "a page lost in a matrix", from: llama, want: audit.CodeZeroBlock,
			after: onDisk(shard1, func(b []byte) []byte {
				at := (dataOf(b)+8192+4095)&^4095 + 4096
				clear(b[at : at+4096])
				return b
			})},
		{name: "missing shard", from: llama, want: audit.CodeMissingFile, after: func(t *testing.T, dir string) { check(t, os.Remove(filepath.Join(dir, shard2))) }},
		{name: "dangling link", from: llama, want: audit.CodeMissingFile, after: func(t *testing.T, dir string) {
			check(t, os.Remove(filepath.Join(dir, shard2)))
			check(t, os.Symlink("../../blobs/none", filepath.Join(dir, shard2)))
		}},
		{name: "LFS pointer", from: llama, want: audit.CodeLFSPointer, after: onDisk(shard2, func([]byte) []byte {
			return []byte("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 123456\n")
		})},
		{name: "leftover of a download", from: llama, want: audit.CodeLeftover, after: func(t *testing.T, dir string) {
			check(t, os.WriteFile(filepath.Join(dir, "model-00002.safetensors.incomplete"), []byte("x"), 0o600))
		}},
		{name: "header is no JSON", from: llama, want: audit.CodeHeader, after: onDisk(shard1, func(b []byte) []byte { b[40] = '\x00'; return b })},
		{name: "header length of 8 EiB", from: llama, want: audit.CodeHeader, after: onDisk(shard1, func(b []byte) []byte { b[7] = 0x7f; return b })},
		{name: "bytes after the last tensor", from: llama, want: audit.CodeLayout, after: onDisk(shard2, func(b []byte) []byte { return append(b, "rest"...) })},
		{name: "tensors overlap", from: llama, want: audit.CodeLayout, after: onDisk(shard2, func(b []byte) []byte {
			return renamed(b, `"data_offsets":[`, func(h string) string { return overlap(h) })
		})},
		{name: "tensor twice in a header", from: llama, want: audit.CodeDuplicate, make: func(c *tiny) {
			c.tensors = append(c.tensors, *c.at("model.layers.5.mlp.down_proj.weight"))
		}},
		{name: "tensor in two shards", from: llama, want: audit.CodeDuplicate, make: func(c *tiny) {
			c.tensors = append(c.tensors, *c.at("model.norm.weight"))
		}},
		{name: "stray file", from: llama, want: audit.CodeStrayFile, after: func(t *testing.T, dir string) {
			check(t, os.WriteFile(filepath.Join(dir, "old.safetensors"), safetensors([]tensor{{"a", "F32", []int64{1}, f32(1)}}), 0o600))
		}},
		{name: "no index", from: llama, want: audit.CodeNoIndex, make: func(c *tiny) { c.noIndex = true }},

		// Index.
		{name: "index names a tensor that is nowhere", from: llama, want: audit.CodeMissingTensor, after: index(func(x map[string]any) {
			x["weight_map"].(map[string]any)["model.layers.0.mlp.extra.weight"] = shard1
		})},
		{name: "index names the wrong shard", from: llama, want: audit.CodeMisplaced, after: index(func(x map[string]any) {
			x["weight_map"].(map[string]any)["model.embed_tokens.weight"] = shard2
		})},
		{name: "index lacks a tensor", from: llama, want: audit.CodeStrayTensor, after: index(func(x map[string]any) {
			delete(x["weight_map"].(map[string]any), "model.embed_tokens.weight")
		})},
		{name: "index's total size is wrong", from: llama, want: audit.CodeIndexTotal, after: index(func(x map[string]any) {
			x["metadata"].(map[string]any)["total_size"] = 12345
		})},
		{name: "index leads out of the folder", from: llama, want: audit.CodeIndex, after: index(func(x map[string]any) {
			x["weight_map"].(map[string]any)["extra.weight"] = "../../etc/passwd"
		})},

		// Tensors.
		{name: "a norm is missing", from: llama, want: audit.CodeMissingTensor, make: func(c *tiny) { c.dropName("model.layers.3.input_layernorm.weight") }},
		{name: "an expert is missing", from: qwen35, want: audit.CodeMissingTensor, make: func(c *tiny) {
			c.drop(func(n string) bool { return strings.HasPrefix(n, expert5) })
		}},
		{name: "untied and no head", from: llama, want: audit.CodeMissingTensor, make: func(c *tiny) { c.dropName("lm_head.weight") }},
		{name: "last layer is missing", from: llama, want: audit.CodeMissingTensor, make: func(c *tiny) {
			c.drop(func(n string) bool { return strings.HasPrefix(n, "model.layers.5.") })
		}},
		{name: "a tensor that nobody loads", from: llama, want: audit.CodeUnused, make: func(c *tiny) { c.bf16("model.layers.0.mlp.gate_projj.weight", inter, hidden) }},
		{name: "another shape", from: llama, want: audit.CodeShape, make: func(c *tiny) {
			c.dropName(down2 + ".weight")
			c.bf16(down2+".weight", hidden, inter/2)
		}},

		// Values.
		{name: "NaN in a weight", from: llama, want: audit.CodeNaNValue, says: "the first at [1 5]", make: func(c *tiny) { c.at(down2+".weight").set(inter+5, 0xc0, 0x7f) }},
		{name: "NaN in an FP8 weight", from: llamaFP8, want: audit.CodeNaNValue, make: func(c *tiny) { c.at(down2+".weight").set(77, 0x7f) }},
		{name: "infinity in a norm", from: llama, want: audit.CodeInfValue, make: func(c *tiny) { c.at("model.norm.weight").set(3, 0x80, 0x7f) }},
		{name: "rows of zeros", from: llama, want: audit.CodeZeroRows, make: func(c *tiny) { clear(c.at(down2 + ".weight").data[4*inter*2 : 6*inter*2]) }},
		{name: "constant matrix", from: llama, want: audit.CodeConstant, make: func(c *tiny) {
			c.dropName(down2 + ".weight")
			c.fill(down2+".weight", 0.25, hidden, inter)
		}},
		{name: "constant rows", from: llama, want: audit.CodeConstRows, make: func(c *tiny) {
			x := c.at(down2 + ".weight")
			for i := range inter {
				x.set(7*inter+i, bf16(0.125)...)
			}
		}},
		{name: "bit flip in an exponent", from: llama, want: audit.CodeMagnitude, make: func(c *tiny) { c.at(down2+".weight").set(99, bf16(1e30)...) }},
		{name: "a layer scaled by 1,000", from: llama, want: audit.CodeMagnitude, make: func(c *tiny) {
			x := c.at(down2 + ".weight")
			copy(x.data, encode(numeric.BF16, random("scaled", hidden*inter, 50)))
		}},
		{name: "too large for float16", from: llama, want: audit.CodeFP16, make: func(c *tiny) { c.at("model.layers.2.input_layernorm.weight").set(3, bf16(70000)...) }},
		{name: "a layer copied over another", from: llama, want: audit.CodeIdentical, says: "matrices of model.layers.4 hold the same bytes as those of model.layers.1",
			make: func(c *tiny) {
				for i := range c.tensors {
					if rest, ok := strings.CutPrefix(c.tensors[i].name, "model.layers.4."); ok {
						c.tensors[i].data = c.at("model.layers.1." + rest).data
					}
				}
			}},
		{name: "an expert copied over another", from: qwen35, want: audit.CodeIdentical, make: func(c *tiny) {
			copy(c.at(expert5+"down_proj.weight").data, c.at("model.language_model.layers.5.mlp.experts.0.down_proj.weight").data)
		}},

		// Scales.
		{name: "NaN in a block scale", from: qwen35, want: audit.CodeNaNScale, make: func(c *tiny) { c.at(expert5+"down_proj.weight_scale").set(9, 0x7f) }},
		{name: "NaN in an E8M0 scale", from: gptOSS, want: audit.CodeNaNScale, make: func(c *tiny) { c.at("model.layers.3.mlp.experts.down_proj_scales").set(9, 0xff) }},
		{name: "infinite input_scale", from: qwen35, want: audit.CodeInfScale, make: func(c *tiny) {
			c.at(expert5 + "down_proj.input_scale").data = f32(float32(math.Inf(1)))
		}},
		{name: "zero input_scale", from: qwen35, want: audit.CodeZeroScale, make: func(c *tiny) { c.at(expert5 + "down_proj.input_scale").data = f32(0) }},
		{name: "zero block scales (vLLM 54189)", from: qwen35, want: audit.CodeZeroScale, make: func(c *tiny) { clear(c.at(expert5 + "down_proj.weight_scale").data[:40]) }},
		{name: "negative scale", from: llamaFP8, want: audit.CodeNegative, make: func(c *tiny) { c.at(down2 + ".weight_scale").data = f32(-0.001) }},
		{name: "subnormal scale", from: llamaFP8Block, want: audit.CodeSubnormal, make: func(c *tiny) {
			for _, l := range []string{"0", "1", "2", "3", "4", "5"} { // else it were an outlier, too
				c.at("model.layers." + l + ".mlp.down_proj.weight_scale_inv").data = f32(1e-39)
			}
		}},
		{name: "global scale far from its siblings'", from: qwen35, want: audit.CodeMagnitude, make: func(c *tiny) {
			c.at(expert5 + "down_proj.weight_scale_2").data = f32(10)
		}},
		{name: "half of a fused pair is quantised", from: llamaCompressed, want: audit.CodeFusedMixed, make: func(c *tiny) {
			c.drop(func(n string) bool { return strings.HasPrefix(n, "model.layers.5.mlp.up_proj.") })
			c.bf16("model.layers.5.mlp.up_proj.weight", inter, hidden)
			c.config["quantization_config"].(map[string]any)["ignore"] = []string{"lm_head", "model.layers.5.mlp.up_proj"}
		}},
		{name: "no block scale", from: qwen35, want: audit.CodeScaleMissing, make: func(c *tiny) { c.dropName(expert5 + "down_proj.weight_scale") }},
		{name: "no global scale", from: qwen35, want: audit.CodeScaleMissing, make: func(c *tiny) { c.dropName(expert5 + "down_proj.weight_scale_2") }},
		{name: "no scale, architecture not known", from: unknown, want: audit.CodeScaleMissing, make: func(c *tiny) { c.dropName(down2 + ".weight_scale") }},
		{name: "scales of another block size", from: qwen35, want: audit.CodeScaleShape, make: func(c *tiny) {
			x := c.at(expert5 + "down_proj.weight_scale")
			x.data, x.shape = x.data[:len(x.data)/2], []int64{x.shape[0], x.shape[1] / 2}
		}},

		// Configuration.
		{name: "no config.json", from: llama, want: audit.CodeConfig, make: func(c *tiny) { c.config = nil }},
		{name: "config.json cut", from: llama, want: audit.CodeConfig, after: onDisk("config.json", func(b []byte) []byte { return b[:len(b)/2] })},
		{name: "two quantisations", from: llamaFP8, want: audit.CodeQuant, make: func(c *tiny) {
			c.sides = map[string][]byte{"hf_quant_config.json": []byte(`{"producer":{"name":"modelopt"},"quantization":{"quant_algo":"NVFP4","group_size":16,"kv_cache_quant_algo":null,"exclude_modules":["lm_head"]}}`)}
		}},
		{name: "no quantization_config", from: llamaFP8, want: audit.CodeQuant, make: func(c *tiny) { delete(c.config, "quantization_config") }},
		{name: "tied, and another head", from: llama, want: audit.CodeTied, make: func(c *tiny) { c.config["tie_word_embeddings"] = true }},
		{name: "vocabulary too small", from: llama, want: audit.CodeVocab, make: func(c *tiny) { c.config["vocab_size"] = vocab - 32 }},
		{name: "tokenizer too large", from: llama, want: audit.CodeIDRange, make: func(c *tiny) { c.sides["tokenizer.json"] = tokenizer(vocab + 1) }},
		{name: "more layers than configured", from: llama, want: audit.CodeLayers, make: func(c *tiny) { c.config["num_hidden_layers"] = layers - 1 }},
		{name: "two thetas", from: llama, want: audit.CodeRope, make: func(c *tiny) {
			c.config["rope_parameters"] = map[string]any{"rope_type": "default", "rope_theta": 5e5}
		}},
		{name: "float16 said, bfloat16 stored", from: llama, want: audit.CodeDType, make: func(c *tiny) { c.config["torch_dtype"] = "float16" }},
		{name: "KV scales in some layers", from: llamaFP8, want: audit.CodeKVScale, make: func(c *tiny) {
			c.config["quantization_config"].(map[string]any)["kv_cache_scheme"] = map[string]any{"num_bits": 8, "type": "float", "dynamic": false}
			for _, l := range []string{"0", "1", "2"} {
				c.add("model.layers."+l+".self_attn.k_proj.k_scale", "F32", f32(0.05))
				c.add("model.layers."+l+".self_attn.v_proj.v_scale", "F32", f32(0.05))
			}
		}},
	}
}

// index changes the index of the folder.
func index(change func(x map[string]any)) func(*testing.T, string) {
	return onDisk("model.safetensors.index.json", func(b []byte) []byte {
		var x map[string]any
		if err := json.Unmarshal(b, &x); err != nil {
			panic(err)
		}
		change(x)
		b, err := json.Marshal(x)
		if err != nil {
			panic(err)
		}
		return b
	})
}

// renamed changes a file's header without changing its length.
func renamed(b []byte, has string, change func(string) string) []byte {
	header := string(b[8:dataOf(b)])
	if !strings.Contains(header, has) {
		panic("no " + has)
	}
	now := change(header)
	if len(now) != len(header) {
		panic("another length")
	}
	return slices.Concat(b[:8], []byte(now), b[dataOf(b):])
}

// overlap makes the second tensor of a header begin where the first does, and
// leaves its size as it is.
func overlap(h string) string {
	const key = `"data_offsets":[`
	first := strings.Index(h, key)
	second := first + 1 + strings.Index(h[first+1:], key)
	var a, b int
	rest := h[second+len(key):]
	rest = rest[:strings.IndexByte(rest, ']')]
	if n := bytes.Count([]byte(rest), []byte(",")); n != 1 {
		panic(rest)
	}
	parts := strings.Split(rest, ",")
	a, b = atoi(parts[0]), atoi(parts[1])
	moved := pad(a-64, len(parts[0])) + "," + pad(b-64, len(parts[1]))
	return strings.Replace(h, rest, moved, 1)
}

func atoi(s string) (n int) {
	for _, c := range s {
		n = n*10 + int(c-'0')
	}
	return n
}

func pad(n, width int) string {
	b, _ := json.Marshal(n)
	return strings.Repeat(" ", width-len(b)) + string(b)
}

// hubCache turns a folder into a snapshot of a hub cache: files are links to
// blobs that have their hashes for names.
func hubCache(t *testing.T, dir string) {
	t.Helper()
	blobs := filepath.Join(dir, "blobs")
	check(t, os.Mkdir(blobs, 0o700))
	entries, err := os.ReadDir(dir)
	check(t, err)
	for _, e := range entries {
		if e.IsDir() || !strings.HasSuffix(e.Name(), ".safetensors") {
			continue
		}
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		check(t, err)
		blob := filepath.Join(blobs, sha256Hex(b))
		check(t, os.Rename(filepath.Join(dir, e.Name()), blob))
		check(t, os.Symlink("blobs/"+filepath.Base(blob), filepath.Join(dir, e.Name())))
	}
}

// Ways of writing an ignore list that are right, and the notes on them.
func TestIgnoreLists(t *testing.T) {
	with := func(patterns ...string) *audit.Report {
		c := qwen35()
		q := c.config["quantization_config"].(map[string]any)
		list := slices.DeleteFunc(q["ignore"].([]string), func(p string) bool { return strings.Contains(p, "linear_attn") })
		q["ignore"] = append(list, patterns...)
		return run(t, c.write(t), audit.Options{NoHash: true, NoValues: true})
	}
	for what, c := range map[string]struct {
		patterns []string
		note     bool
	}{
		"globs":       {[]string{"*linear_attn*"}, false},
		"fused names": {[]string{"*.in_proj_qkvz", "*.in_proj_ba", "*.linear_attn.out_proj"}, false},
		"parts":       {[]string{"*.in_proj_qkv", "*.in_proj_z", "*.in_proj_a", "*.in_proj_b", "*.linear_attn.out_proj"}, true},
	} {
		rep := with(c.patterns...)
		noted := slices.ContainsFunc(rep.Findings, func(f audit.Finding) bool { return f.Code == audit.CodeUnfused })
		if rep.Verdict != audit.Sound || noted != c.note {
			t.Errorf("%s: %s, noted %v\n%s", what, rep.Verdict, noted, describe(rep))
		}
	}
}

func TestFaultsAreFoundUnderTheirOwnCode(t *testing.T) {
	found := map[audit.Code]bool{}
	for _, f := range faults() {
		found[f.want] = true
		t.Run(f.name, func(t *testing.T) {
			c := f.from()
			if f.make != nil {
				f.make(c)
			}
			dir := c.write(t)
			if f.after != nil {
				f.after(t, dir)
			}
			rep := run(t, dir, audit.Options{})
			if got := told(rep); !slices.Equal(got, []string{string(f.want)}) {
				t.Fatalf("found %v, want %s\n%s", got, f.want, describe(rep))
			}
			d, _ := audit.Lookup(string(f.want))
			if want := map[audit.Severity]audit.Word{audit.Broken: audit.WordBroken, audit.Suspicious: audit.WordSuspicious}[d.Severity]; rep.Verdict != want || rep.Cause != f.want {
				t.Errorf("verdict %s because of %s, want %s because of %s", rep.Verdict, rep.Cause, want, f.want)
			}
			if p := rep.Findings[0].Places[0]; !strings.Contains(p.Says, f.says) {
				t.Errorf("says %q, want %q in it", p.Says, f.says)
			}
		})
	}
	for _, d := range audit.Declarations() {
		if !found[d.Code] && d.Severity != audit.Note {
			t.Logf("no fault here for %s", d.Code)
		}
	}
}
