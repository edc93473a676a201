package audit

import (
	"context"
	"slices"
	"strings"

	"kilter/internal/checkpoint"
	"kilter/internal/model"
	"kilter/internal/numeric"
)

// judgeScale judges one tensor of scales.
func (a *audit) judgeScale(ctx context.Context, i int, r *reading) {
	s := &a.subjects[i]
	if r.nan > 0 {
		a.wrongValues(ctx, CodeNaNScale, i, r.nan, isAre(r.nan)+" NaN", isNaN)
	}
	if r.inf > 0 {
		a.wrongValues(ctx, CodeInfScale, i, r.inf, isAre(r.inf)+" infinite", isInf)
	}
	if r.zero > 0 && !a.inHole[i] && !a.scalesOfNothing(ctx, i) {
		a.wrongValues(ctx, CodeZeroScale, i, r.zero, isAre(r.zero)+" zero", isZero)
	}
	if r.negative > 0 && !signed(s) {
		a.wrongValues(ctx, CodeNegative, i, r.negative, isAre(r.negative)+" negative", isNegative)
	}
	// E4M3 and E8M0 have no hardware that flushes their small values, and
	// float16 is widened before it is used.
	if r.subnormal > 0 && (s.scanAs == numeric.F32 || s.scanAs == numeric.BF16) {
		a.wrongValues(ctx, CodeSubnormal, i, r.subnormal, isAre(r.subnormal)+" below 1.2e-38", func(x float32) bool {
			return x != 0 && x < minNormal && x > -minNormal
		})
	}
}

// minNormal is the smallest normal float32, and bfloat16.
const minNormal = 0x1p-126

// signed reports whether scales of a format may be negative: some quantisers of
// integers use a sign to reach both ends of the range.
func signed(s *subject) bool {
	if s.mod == nil || s.role != model.Scale {
		return false
	}
	switch s.mod.Format {
	case model.INT4, model.INT8, model.AWQ, model.GPTQ, model.INT4ModelOpt:
		return true
	}
	return false
}

// maxZeroScales bounds the zero scales whose weights are looked at.
const maxZeroScales = 1 << 16

// scalesOfNothing reports whether each zero of a tensor of block scales belongs
// to weights whose codes are all zero. Some quantisers write such scales, and
// they do no harm.
func (a *audit) scalesOfNothing(ctx context.Context, i int) bool {
	s, t := &a.subjects[i], a.c.Tensors.At(i)
	if s.mod == nil || s.role != model.Scale || t.Elements() < 2 || a.readings[i].zero > maxZeroScales {
		return false
	}
	w, ok := a.m.Tensor(s.mod, model.Packed)
	if !ok {
		w, ok = a.m.Tensor(s.mod, model.Weight)
	}
	if !ok || !w.Readable || w.Length%t.Elements() != 0 {
		return false
	}
	switch s.mod.Format {
	case model.NVFP4, model.NVFP4Reciprocal, model.FP8Channel, model.INT4, model.INT8:
		// Scale k belongs to the k-th run of codes.
	default:
		return false
	}
	scales, err := a.readSmall(ctx, t, 1<<28)
	if err != nil {
		return false
	}
	h, err := a.c.FS().Open(ctx, a.c.Files[w.File].Path)
	if err != nil {
		return false
	}
	defer h.Close()
	size := int64(s.scanAs.BlockBytes())
	value := make([]float32, 1)
	block := make([]byte, w.Length/t.Elements())
	empty := emptyCode(w.DType)
	for k := range t.Elements() {
		if err := s.scanAs.Decode(value, scales[k*size:(k+1)*size]); err != nil || value[0] != 0 {
			continue
		}
		if n, _ := h.ReadAt(block, w.Offset+k*int64(len(block))); n < len(block) {
			return false
		}
		for _, c := range block {
			if c != empty && c&^0x88 != empty {
				return false
			}
		}
	}
	return true
}

// emptyCode is the byte that stands for weights of 0: offset codes of 4 bits
// have 8 for it.
func emptyCode(d numeric.DType) byte {
	if d == numeric.I32 {
		return 0x88
	}
	return 0
}

// hasGlobalScale reports whether a format has one scale for the tensor that
// servers take the maximum, or the first, of where they fuse.
func hasGlobalScale(f model.Format) bool { return f == model.NVFP4 || f == model.NVFP4Reciprocal }

// A fused group are modules that servers hold in one matrix.
type fusedGroup struct {
	fuse string
	mods []*model.Module
}

// fusedGroups returns the groups of two and more, in the order of storage.
func (a *audit) fusedGroups() []fusedGroup {
	if a.c.Format == checkpoint.GGUF {
		return nil // its servers do not fuse
	}
	type key struct{ parent, fuse string }
	at := make(map[key]int)
	var groups []fusedGroup
	for mod := range a.m.Modules() {
		dot := strings.LastIndexByte(mod.Name, '.')
		fuse := fuseOf(mod, mod.Name[dot+1:])
		if dot < 0 || fuse == "" || !mod.Has(model.Weight) && !mod.Has(model.Packed) {
			continue
		}
		k := key{mod.Name[:dot], fuse}
		i, ok := at[k]
		if !ok {
			i = len(groups)
			at[k] = i
			groups = append(groups, fusedGroup{fuse: fuse})
		}
		groups[i].mods = append(groups[i].mods, mod)
	}
	return slices.DeleteFunc(groups, func(g fusedGroup) bool { return len(g.mods) < 2 })
}

// fusedFormats compares the formats of modules that servers hold in one matrix.
func (a *audit) fusedFormats() {
	for _, g := range a.fusedGroups() {
		first := g.mods[0]
		for _, mod := range g.mods[1:] {
			if mod.Format == first.Format || mod.Format == model.Incomplete || first.Format == model.Incomplete {
				continue
			}
			if !mod.Format.Quantised() && !first.Format.Quantised() {
				continue
			}
			i := a.mainTensor(mod)
			p := a.place(i, "it is %s, and %s, which servers fuse with it, is %s", mod.Format, first.Name, first.Format)
			p.Other = a.c.Tensors.At(a.mainTensor(first)).Name
			a.found.add(CodeFusedMixed, p)
			break
		}
	}
}

// fusedScales compares the global scales of modules that servers hold in one
// matrix: the block scales were made for each module's own.
func (a *audit) fusedScales() {
	for _, g := range a.fusedGroups() {
		mods := slices.DeleteFunc(slices.Clone(g.mods), func(mod *model.Module) bool {
			return !hasGlobalScale(mod.Format) || !mod.Has(model.GlobalScale)
		})
		a.compareScales(mods)
	}
}

func (a *audit) compareScales(mods []*model.Module) {
	first, have := 0, false
	for _, mod := range mods {
		i, ok := a.tensorIndex(mod, model.GlobalScale)
		if r := &a.readings[i]; !ok || !r.scanned || r.values != 1 || r.nan+r.inf+r.zero > 0 {
			continue
		}
		if !have {
			first, have = i, true
			continue
		}
		was, is := a.readings[first].value(), a.readings[i].value()
		if was == is {
			continue
		}
		p := a.place(i, "it is %.6g, and that of %s, which servers fuse with it, is %.6g", is, a.c.Tensors.At(first).Name, was)
		p.Other = a.c.Tensors.At(first).Name
		p.Numbers = map[string]float64{"is": is, "other": was}
		a.found.add(CodeGlobalScale, p)
	}
}

// fuseOf returns what a module is fused to; the names serve where the
// architecture is not known.
func fuseOf(mod *model.Module, last string) string {
	if mod.Slot != nil {
		return mod.Slot.Fuse
	}
	switch last {
	case "q_proj", "k_proj", "v_proj":
		return "qkv"
	case "gate_proj", "up_proj", "w1", "w3":
		return "gate_up"
	}
	return ""
}

// missingInputs reports modules without an activation scale where most modules
// of their name have one, or the configuration asks for one; and checkpoints
// that have none at all although it does.
func (a *audit) missingInputs() {
	type key struct{ format, pattern string }
	type count struct{ with, all int }
	byPattern, byFormat := make(map[key]count), make(map[string]count)
	var without []*model.Module
	add := func(c count, has bool) count {
		if c.all++; has {
			c.with++
		}
		return c
	}
	for mod := range a.m.Modules() {
		switch mod.Format {
		case model.NVFP4, model.NVFP4Reciprocal, model.FP8Tensor:
		default:
			continue
		}
		has, f := mod.Has(model.InputScale), string(mod.Format)
		k := key{f, mod.Pattern()}
		byPattern[k], byFormat[f] = add(byPattern[k], has), add(byFormat[f], has)
		if !has {
			without = append(without, mod)
		}
	}
	said := make(map[string]bool) // formats of which no module has a scale
	for _, mod := range without {
		f := string(mod.Format)
		near, all := byPattern[key{f, mod.Pattern()}], byFormat[f]
		wanted := hasGlobalScale(mod.Format) && a.wantsInputs()
		switch {
		case all.with == 0:
			if wanted && !said[f] {
				said[f] = true
				a.found.add(CodeWeightOnly, a.place(a.mainTensor(mod),
					"none of %s has an activation scale, and the configuration says that activations are 4 bits wide, too", counted(all.all, f+" module")))
			}
		case (2*near.with > near.all || wanted) && !a.missing[mod.Name]:
			a.found.add(CodeInputScale, a.place(a.mainTensor(mod),
				"it has no activation scale, and %d of %s have one", all.with, counted(all.all, f+" module")))
		}
	}
}

// mainTensor returns the index of a module's weight, or of what there is.
func (a *audit) mainTensor(mod *model.Module) int {
	for _, r := range []model.Role{model.Packed, model.Weight, model.Scale, model.ScaleInv, model.GlobalScale, model.InputScale} {
		if i, ok := a.tensorIndex(mod, r); ok {
			return i
		}
	}
	return 0
}

// scaleShapes compares the shapes of block scales with those of their codes.
func (a *audit) scaleShapes() {
	for mod := range a.m.Modules() {
		w, ok := a.m.Tensor(mod, model.Packed)
		if !ok {
			w, ok = a.m.Tensor(mod, model.Weight)
		}
		role := model.Scale
		if mod.Has(model.ScaleInv) {
			role = model.ScaleInv
		}
		i, has := a.tensorIndex(mod, role)
		if !ok || !has {
			continue
		}
		t := a.c.Tensors.At(i)
		want := scaleShape(mod.Format, w, t)
		if want == nil || slices.Equal(want, t.Shape) {
			continue
		}
		p := a.place(i, "its shape is %v, and codes of shape %v need %v", t.Shape, w.Shape, want)
		if n := len(want); n >= 2 {
			rows, cols := want[n-2], want[n-1]
			if size, err := numeric.SwizzledSize(int(rows), int(cols)); err == nil && t.Elements() == int64(size) {
				p.Says += "; it may be swizzled for one kind of kernel already"
			}
		}
		a.found.add(CodeScaleShape, p)
	}
}

// scaleShape returns the shape of block scales; nil where any will do.
func scaleShape(f model.Format, w, t *checkpoint.Tensor) []int64 {
	n := len(w.Shape)
	if n < 2 {
		return nil
	}
	cols := w.Shape[n-1]
	with := func(last int64) []int64 { return append(slices.Clone(w.Shape[:n-1]), last) }
	switch f {
	case model.NVFP4, model.NVFP4Reciprocal:
		if w.DType == numeric.U8 && cols%8 == 0 {
			return with(cols / 8)
		}
	case model.MXFP4:
		// gpt-oss has a dimension of its own for the bytes of a block.
		if cols == 16 && len(t.Shape) == n-1 {
			return w.Shape[:n-1]
		}
		if w.DType == numeric.U8 && cols%16 == 0 && len(t.Shape) == n {
			return with(cols / 16)
		}
	case model.FP8Block:
		// The block is 128x128 in all that is published; a scale of another
		// block has as many rows and columns as blocks of some size fit.
		const block = numeric.FP8BlockSize
		want := slices.Clone(w.Shape)
		want[n-2], want[n-1] = (want[n-2]+block-1)/block, (cols+block-1)/block
		if len(t.Shape) != n || t.Shape[n-2] > want[n-2] || t.Shape[n-1] > want[n-1] {
			return nil // smaller blocks; model compares with weight_block_size
		}
		return want
	}
	return nil
}

// wantsInputs reports whether the configuration says that activations are
// quantised to 4 bits with scales from the checkpoint.
func (a *audit) wantsInputs() bool {
	return slices.ContainsFunc(a.m.Claims, func(c model.Claim) bool {
		return hasGlobalScale(c.Format) && c.Static && !c.WeightOnly
	})
}
