package audit

import (
	"strings"

	"kilter/internal/checkpoint"
	"kilter/internal/model"
	"kilter/internal/numeric"
)

// A class is how a tensor's values are judged.
type class uint8

const (
	// matrix: weights that multiply activations; none of it should be empty.
	matrix class = iota
	// codes: a matrix whose values need scales that lie elsewhere.
	codes
	// table: embedding and output head, whose unused rows may be zero.
	table
	// vector: norms, biases and all else that may be zero or constant as a whole.
	vector
	// scale: what codes or activations are multiplied with.
	scale
	// index: integers that are no weights: zero points, groups, shapes.
	index
)

// A subject is what is known of a tensor before its bytes are read.
type subject struct {
	mod     *model.Module // nil where the tensor belongs to none
	role    model.Role
	class   class
	scanAs  numeric.DType // what its bytes are looked at as; Invalid: not at all
	pattern int32         // tensors that differ in numbers alone have one
}

// describe gives each tensor its class.
func (a *audit) describe() {
	a.subjects = make([]subject, a.c.Tensors.Len())
	patterns := make(map[string]int32)
	var buf []byte
	unknown := make(map[string]int)
	for i := range a.subjects {
		t := a.c.Tensors.At(i)
		s := &a.subjects[i]
		s.mod, s.role, _ = a.m.ModuleOf(t.Name)
		buf = patternOf(buf[:0], t.Name)
		buf = append(append(buf, ' '), t.TypeName...)
		id, ok := patterns[string(buf)]
		if !ok {
			id = int32(len(patterns))
			patterns[string(buf)] = id
		}
		s.pattern = id
		s.class = classOf(t, s)
		s.scanAs = scanTypeOf(t, s)
		if s.scanAs == numeric.Invalid && t.Readable {
			unknown[t.TypeName]++
		}
	}
	for _, name := range sortedKeys(unknown) {
		a.found.add(CodeUnknownType, Place{Says: counted(unknown[name], "tensor") + " of type " + name,
			Hint: "only NaN, zeros and magnitudes of their values are unknown; their hashes are compared like all others"})
	}
}

// patternOf writes a name with * for each number between dots.
func patternOf(buf []byte, name string) []byte {
	for begin := 0; begin <= len(name); {
		end := strings.IndexByte(name[begin:], '.')
		if end < 0 {
			end = len(name)
		} else {
			end += begin
		}
		if begin > 0 {
			buf = append(buf, '.')
		}
		if isNumber(name[begin:end]) {
			buf = append(buf, '*')
		} else {
			buf = append(buf, name[begin:end]...)
		}
		begin = end + 1
	}
	return buf
}

func isNumber(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return s != ""
}

// classOf says how a tensor is judged.
func classOf(t *checkpoint.Tensor, s *subject) class {
	switch s.role {
	case model.Scale, model.ScaleInv, model.GlobalScale, model.InputScale, model.KScale, model.VScale, model.QScale:
		return scale
	case model.ZeroPoint, model.GroupIndex, model.PackedShape:
		return index
	case model.Bias, model.PreScale:
		return vector
	}
	wide := 0
	for _, d := range t.Shape {
		if d > 1 {
			wide++
		}
	}
	switch {
	case wide < 2, s.mod != nil && s.mod.Slot != nil && s.mod.Slot.Kind == model.VectorKind,
		strings.Contains(t.Name, "norm"), strings.Contains(t.Name, "inv_freq"), strings.HasSuffix(t.Name, "bias"):
		return vector
	case s.mod != nil && (s.mod.Part == model.Embedding || s.mod.Part == model.Head), isTable(t.Name):
		return table
	case s.role == model.Packed || s.role == model.Weight && isCodes(t.DType):
		return codes
	case isCodes(t.DType), t.DType == numeric.Bool:
		return index // integers of no module: masks, positions
	}
	return matrix
}

// isTable recognises embeddings of models whose architecture is not known.
func isTable(name string) bool {
	for _, part := range []string{"embed", "lm_head", "token_embd", ".wte.", ".wpe.", "pos_emb", "position"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return name == "output.weight" || strings.HasPrefix(name, "wte.") || strings.HasPrefix(name, "wpe.")
}

// isCodes reports whether a type holds codes that are nothing without scales.
func isCodes(d numeric.DType) bool {
	switch d {
	case numeric.U8, numeric.I8, numeric.U16, numeric.I16, numeric.U32, numeric.I32, numeric.U64, numeric.I64, numeric.F4:
		return true
	}
	return false
}

// scanTypeOf says what a tensor's bytes are: nibbles and powers of two are
// stored as U8.
func scanTypeOf(t *checkpoint.Tensor, s *subject) numeric.DType {
	if t.DType != numeric.U8 || s.mod == nil {
		return t.DType
	}
	switch s.mod.Format {
	case model.NVFP4, model.NVFP4Reciprocal, model.MXFP4, model.MXFP8:
		if s.role == model.Scale {
			return numeric.F8E8M0
		}
		if s.class == codes {
			return numeric.F4
		}
	}
	return t.DType
}

// isBlocks reports whether a type is one of GGUF's blocks, whose scales lie
// among the codes.
func isBlocks(d numeric.DType) bool { return d.Block() > 1 && d != numeric.F4 }

// siblingsOf groups the tensors of some class by pattern and stored type, each
// group in the order of storage.
func (a *audit) siblingsOf(want func(i int, s *subject) bool) map[int32][]int {
	groups := make(map[int32][]int)
	for i := range a.subjects {
		if s := &a.subjects[i]; want(i, s) {
			groups[s.pattern] = append(groups[s.pattern], i)
		}
	}
	return groups
}
