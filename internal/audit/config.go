package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"path"
	"regexp"
	"strings"

	"kilter/internal/checkpoint"
	"kilter/internal/model"
)

// config compares what the configuration says with what is stored.
func (a *audit) config(ctx context.Context) {
	if a.c.Format == checkpoint.Safetensors && a.c.Sides["config.json"] == nil {
		if a.c.Layout != checkpoint.OneFile {
			a.found.add(CodeConfig, Place{File: "config.json", Says: "there is none beside the weights", Hint: "download it too: no server knows the architecture without"})
		}
		a.rep.skipped(Config, "there is no config.json")
		return
	}
	a.validJSON()
	a.differences()
	a.unfusedNames()
	a.vocabulary(ctx)
	a.tied(ctx)
	a.kvCache()
	if root, ok := a.readConfig(); ok {
		a.rope(root)
	}
	says := "sizes, vocabulary, positions"
	if len(a.m.Claims) > 0 {
		says += ", quantisation"
	}
	a.rep.checked(Config, "%s of %s", says, a.configName())
	for _, n := range a.m.Notes {
		a.rep.uncovered("%s", n)
	}
}

func (a *audit) configName() string {
	if a.c.Format == checkpoint.GGUF {
		return "the GGUF's metadata"
	}
	return strings.Join(sortedKeys(a.jsonSides()), ", ")
}

// jsonSides are the side files that were read and should be JSON.
func (a *audit) jsonSides() map[string][]byte {
	out := make(map[string][]byte)
	for name, s := range a.c.Sides {
		if path.Ext(name) == ".json" && s.Data != nil {
			out[name] = s.Data
		}
	}
	return out
}

// validJSON reports side files that no JSON parser reads.
func (a *audit) validJSON() {
	sides := a.jsonSides()
	for _, name := range sortedKeys(sides) {
		var v any
		if err := json.Unmarshal(withoutNaN(sides[name]), &v); err != nil {
			a.found.add(CodeConfig, Place{File: name, End: int64(len(sides[name])), Says: "it is no valid JSON: " + err.Error(), Hint: "download it again"})
		}
	}
}

// Python's json module writes and reads NaN and infinities.
var nonNumber = regexp.MustCompile(`([:\[,]\s*)(?:NaN|-?Infinity)`)

func withoutNaN(data []byte) []byte { return nonNumber.ReplaceAll(data, []byte("${1}null")) }

// readConfig returns config.json's settings of the text model.
func (a *audit) readConfig() (map[string]any, bool) {
	s := a.c.Sides["config.json"]
	if s == nil || s.Data == nil || a.c.Format != checkpoint.Safetensors {
		return nil, false
	}
	var root map[string]any
	if json.Unmarshal(withoutNaN(s.Data), &root) != nil {
		return nil, false
	}
	for _, key := range []string{"text_config", "language_config", "llm_config"} {
		if text, ok := root[key].(map[string]any); ok {
			return text, true
		}
	}
	return root, root != nil
}

// differences turns what model found into findings.
func (a *audit) differences() {
	for i := range a.m.Differences {
		d := &a.m.Differences[i]
		code, ok := a.codeOfDifference(d)
		if !ok {
			continue
		}
		p := Place{Tensor: d.Example, Says: fmt.Sprintf("%s: the configuration says %s, and stored is %s", d.Where, d.Config, d.Stored)}
		if d.Count > 1 {
			p.Says += fmt.Sprintf(" (%s)", counted(d.Count, "module"))
			p.Numbers = map[string]float64{"modules": float64(d.Count)}
		}
		if t, ok := a.c.Tensors.Lookup(d.Example); ok {
			p.File, p.Begin, p.End = a.c.Files[t.File].Name, t.Offset, t.Offset+max(0, t.Length)
		}
		a.found.add(code, p)
	}
}

// codeOfDifference returns the code for a kind of difference; false for one
// that says nothing here.
func (a *audit) codeOfDifference(d *model.Difference) (Code, bool) {
	switch d.Kind {
	case model.DifferIgnored, model.DifferPlain:
		return CodeIgnore, !a.fusedName(d)
	case model.DifferGroup:
		return CodeQuant, !a.found.has(CodeScaleShape)
	case model.DifferFormat, model.DifferUnclaimed, model.DifferClaims:
		return CodeQuant, true
	case model.DifferLayers, model.DifferExperts:
		// Fewer layers are tensors that are missing, and known as such.
		return CodeLayers, !a.found.has(CodeMissingTensor) && !a.c.Partial && !a.incompleteFile()
	case model.DifferDType:
		// Loading bfloat16 as float16 loses large values; all else is a matter of
		// taste.
		return CodeDType, strings.Contains(d.Config, "float16") && !strings.Contains(d.Config, "bfloat16") && strings.Contains(d.Stored, "BF16")
	}
	return "", false // shapes, tied embeddings and the KV cache are judged here
}

// fusedAs are the names that parts have in servers, where they are one matrix.
func fusedAs(part string) string {
	switch part {
	case "q_proj", "k_proj", "v_proj":
		return "qkv_proj"
	case "gate_proj", "up_proj":
		return "gate_up_proj"
	case "in_proj_qkv", "in_proj_z":
		return "in_proj_qkvz"
	case "in_proj_b", "in_proj_a":
		return "in_proj_ba"
	case "q_a_proj", "kv_a_proj_with_mqa":
		return "fused_qkv_a_proj_with_mqa"
	}
	return ""
}

// excludedAs reports whether the configuration excludes a module under another
// last name.
func (a *audit) excludedAs(mod *model.Module, last string) bool {
	dot := strings.LastIndexByte(mod.Name, '.')
	other := model.Module{Name: mod.Name[:dot+1] + last, Slot: mod.Slot, Part: mod.Part, Layer: mod.Layer, Expert: -1, MTP: mod.MTP}
	_, excluded, ok := a.m.ClaimFor(&other)
	return ok && excluded
}

// fusedName reports whether the configuration excludes a module under the name
// that it has in servers, where it is part of a larger one.
func (a *audit) fusedName(d *model.Difference) bool {
	mod, _, ok := a.m.ModuleOf(d.Example)
	if d.Kind != model.DifferPlain || !ok {
		return false
	}
	last := fusedAs(mod.Name[strings.LastIndexByte(mod.Name, '.')+1:])
	return last != "" && a.excludedAs(mod, last)
}

// unfusedNames notes linear attention that is excluded part by part. Servers
// did not always know which parts the fused matrix has, and took it for
// quantised then.
func (a *audit) unfusedNames() {
	for mod := range a.m.Modules() {
		if mod.Slot == nil || mod.Slot.Fuse != "qkvz" && mod.Slot.Fuse != "ba" {
			continue
		}
		if _, excluded, ok := a.m.ClaimFor(mod); !ok || !excluded {
			continue
		}
		last := fusedAs(mod.Name[strings.LastIndexByte(mod.Name, '.')+1:])
		if last != "" && !a.excludedAs(mod, last) {
			a.found.add(CodeUnfused, a.place(a.mainTensor(mod), "it is excluded by its own name, and servers look for %s", last))
		}
	}
}

// vocabulary compares configuration, embedding and tokenizer.
func (a *audit) vocabulary(ctx context.Context) {
	rows := int64(0)
	for mod := range a.m.Modules() {
		if (mod.Part != model.Embedding && mod.Part != model.Head) || mod.MTP {
			continue
		}
		i, ok := a.tensorIndex(mod, model.Weight)
		if t := a.c.Tensors.At(i); ok && len(t.Shape) == 2 && a.classAt(i) == table {
			if mod.Part == model.Embedding {
				rows = t.Shape[0]
			}
			if v := a.m.Sizes.Vocab; v > 0 && t.Shape[0] != v && mod.Slot != nil {
				a.found.add(CodeVocab, a.place(i, "it has %s rows, and the configuration's vocabulary has %s", group3(t.Shape[0]), group3(v)))
			}
		}
	}
	if last, file := a.lastToken(ctx); rows > 0 && last >= rows {
		a.found.add(CodeIDRange, Place{File: file, Says: fmt.Sprintf("its largest id is %s, and the embedding has %s rows", group3(last), group3(rows)),
			Numbers: map[string]float64{"largest_id": float64(last), "rows": float64(rows)}})
	}
}

// maxTokenizer bounds a tokenizer.json that is read; the largest have 20 MB.
const maxTokenizer = 128 << 20

// lastToken returns the tokenizer's largest id and the file that has it; -1
// where it is not known.
func (a *audit) lastToken(ctx context.Context) (int64, string) {
	if a.c.Format == checkpoint.GGUF {
		return int64(a.m.Tokenizer.Tokens) - 1, a.c.Files[0].Name
	}
	const name = "tokenizer.json"
	if a.c.Sides[name] == nil {
		return -1, name
	}
	data, err := a.c.ReadSide(ctx, name, maxTokenizer)
	if err != nil {
		return -1, name
	}
	var t struct {
		Added []struct {
			ID int64 `json:"id"`
		} `json:"added_tokens"`
		Model struct {
			Vocab json.RawMessage `json:"vocab"`
		} `json:"model"`
	}
	if err := json.Unmarshal(data, &t); err != nil {
		a.found.add(CodeConfig, Place{File: name, End: int64(len(data)), Says: "it is no valid JSON of its format: " + err.Error(), Hint: "download it again"})
		return -1, name
	}
	last := int64(-1)
	for _, x := range t.Added {
		last = max(last, x.ID)
	}
	var byText map[string]int64
	var pieces []json.RawMessage // Unigram: pieces with scores
	if json.Unmarshal(t.Model.Vocab, &byText) == nil {
		for _, id := range byText {
			last = max(last, id)
		}
	} else if json.Unmarshal(t.Model.Vocab, &pieces) == nil {
		last = max(last, int64(len(pieces))-1)
	}
	return last, name
}

// tied looks at an output head that is stored although it is said to be the
// embedding.
func (a *audit) tied(ctx context.Context) {
	if !a.m.Sizes.Tied || a.c.Format != checkpoint.Safetensors || a.opts.NoValues {
		return
	}
	embedding, head := -1, -1
	for mod := range a.m.Modules() {
		i, ok := a.tensorIndex(mod, model.Weight)
		switch {
		case !ok || mod.MTP || mod.Part == model.Vision:
		case mod.Part == model.Embedding && strings.HasSuffix(mod.Name, "embed_tokens"):
			embedding = i
		case mod.Part == model.Head || strings.HasSuffix(mod.Name, "lm_head"):
			head = i
		}
	}
	if embedding < 0 || head < 0 || !a.readings[embedding].read || !a.readings[head].read {
		return
	}
	if a.readings[embedding].print == a.readings[head].print && a.sameBytes(ctx, embedding, head) {
		return
	}
	p := a.place(head, "the configuration says that the head is the embedding (tie_word_embeddings), and one with other values is stored")
	p.Other = a.c.Tensors.At(embedding).Name
	a.found.add(CodeTied, p)
}

// kvCache tells whether servers will quantise the KV cache, and whether scales
// for it are there for all layers or for none.
func (a *audit) kvCache() {
	with, layers, lacks := 0, 0, -1
	for mod := range a.m.Modules() {
		if mod.MTP || mod.Part != model.Attention || mod.Slot == nil || !strings.HasSuffix(mod.Name, ".k_proj") {
			continue
		}
		layers++
		parent, _ := a.m.Module(strings.TrimSuffix(mod.Name, ".k_proj"))
		attn, _ := a.m.Module(strings.TrimSuffix(mod.Name, ".k_proj") + ".attn")
		if mod.Has(model.KScale) || parent != nil && parent.Has(model.KScale) || attn != nil && attn.Has(model.KScale) {
			with++
		} else if lacks < 0 {
			lacks = a.mainTensor(mod)
		}
	}
	if with > 0 && with < layers && lacks >= 0 {
		a.found.add(CodeKVScale, a.place(lacks, "its layer has no k_scale, and %d of %d layers have one", with, layers))
	}
	scheme := a.m.KVScheme()
	if scheme == "" {
		return
	}
	says := fmt.Sprintf("the configuration asks for an %s KV cache, so servers use one unless they are told otherwise", scheme)
	if with == 0 {
		says += "; no scales for it are stored, so they take 1.0"
	} else {
		says += fmt.Sprintf("; %d of %d layers have scales for it", with, layers)
	}
	a.found.add(CodeKVForced, Place{File: a.claimFile(), Says: says, Hint: "--kv-cache-dtype bfloat16 (SGLang) or auto with the entry removed is the way back"})
}

// claimFile is the file that speaks of the KV cache.
func (a *audit) claimFile() string {
	for _, c := range a.m.Claims {
		if c.KV != "" {
			return c.File
		}
	}
	return "config.json"
}
