package model

import (
	"math/bits"
	"strings"

	"kilter/internal/checkpoint"
	"kilter/internal/numeric"
)

// settleFormat tells a module's format from the tensors that are beside each
// other: the table of docs/inspect.md.
func (m *Model) settleFormat(mod *Module) {
	mod.Format = m.formatOf(mod)
	switch mod.Format {
	case NVFP4, NVFP4Reciprocal, MXFP4, INT4ModelOpt:
		mod.Bits = 4
	case MXFP8, FP8Tensor, FP8Channel, FP8Block:
		mod.Bits = 8
	case INT4, INT8, AWQ, GPTQ:
		mod.Bits = m.packedBits(mod)
		if mod.Format == INT4 && mod.Bits == 8 {
			mod.Format = INT8
		}
	default:
		if t := m.main(mod); t != nil && t.DType != numeric.Invalid && t.DType.Block() > 0 {
			mod.Bits = t.DType.BlockBytes() * 8 / t.DType.Block()
		}
	}
}

func (m *Model) formatOf(mod *Module) Format {
	if m.table.gguf {
		if t := m.main(mod); t != nil {
			return Format(t.TypeName)
		}
		return Incomplete
	}
	scale, hasScale := m.Tensor(mod, Scale)
	if t, ok := m.Tensor(mod, Packed); ok {
		return m.packedFormat(mod, t, scale)
	}
	t, ok := m.Tensor(mod, Weight)
	if !ok {
		switch {
		case mod.Has(Bias) && !hasScale:
			b, _ := m.Tensor(mod, Bias)
			return Format(b.TypeName)
		case !hasScale && !mod.Has(ScaleInv) && !mod.Has(GlobalScale) && !mod.Has(InputScale) && (mod.Has(KScale) || mod.Has(VScale) || mod.Has(QScale)):
			return KVScales
		}
		return Incomplete
	}
	switch t.DType {
	case numeric.U8, numeric.I8, numeric.F4:
		switch {
		case hasScale && scale.DType == numeric.F8E4M3, !hasScale && mod.Has(GlobalScale):
			return NVFP4
		case hasScale && isPowers(scale.DType):
			return MXFP4
		case hasScale && t.DType == numeric.I8:
			return INT8
		case hasScale:
			return INT4ModelOpt
		}
		return Incomplete
	case numeric.F8E4M3, numeric.F8E5M2:
		if s, ok := m.Tensor(mod, ScaleInv); ok {
			scale, hasScale = s, true
		}
		switch {
		case !hasScale:
			return Incomplete
		case isPowers(scale.DType) && len(scale.Shape) == len(t.Shape) && len(t.Shape) > 1 && scale.Shape[len(scale.Shape)-1]*32 == t.Shape[len(t.Shape)-1]:
			return MXFP8
		case mod.Has(ScaleInv) && len(scale.Shape) > 1:
			return FP8Block
		case scale.Elements() == 1:
			return FP8Tensor
		case len(scale.Shape) < 2 || scale.Shape[len(scale.Shape)-1] == 1 && len(t.Shape) > 0 && scale.Elements() == t.Elements()/max(1, t.Shape[len(t.Shape)-1]):
			return FP8Channel
		}
		return FP8Block
	}
	return Format(t.TypeName)
}

// KVScales is no format of weights: scales of an attention's KV cache.
const KVScales Format = "KV scales"

// isPowers reports whether a type can hold the powers of two of MX formats.
func isPowers(d numeric.DType) bool { return d == numeric.U8 || d == numeric.F8E8M0 }

// packedFormat is for modules with weight_packed, qweight or _blocks.
func (m *Model) packedFormat(mod *Module, t, scale *checkpoint.Tensor) Format {
	switch mod.names[Packed].label() {
	case "_blocks":
		if scale == nil {
			return Incomplete
		}
		return MXFP4
	case "qweight":
		if scale == nil || len(scale.Shape) < 2 || len(t.Shape) < 2 {
			return Incomplete
		}
		// AWQ packs outputs, GPTQ inputs.
		if scale.Shape[1] == t.Shape[1] {
			return GPTQ
		}
		return AWQ
	}
	switch {
	case scale == nil:
		return Incomplete
	case t.DType == numeric.I32:
		return INT4
	case isPowers(scale.DType):
		return MXFP4
	case t.DType == numeric.U8 && scale.DType == numeric.F8E4M3:
		return NVFP4Reciprocal
	}
	return Incomplete
}

// packedBits says how wide the codes in 32-bit words are: by the shape that
// the architecture gives the weight; 4 where that is not known.
func (m *Model) packedBits(mod *Module) int {
	t, ok := m.Tensor(mod, Packed)
	e := mod.entry
	if !ok || t.DType != numeric.I32 || e == nil || len(e.dims) != len(t.Shape) || len(e.dims) == 0 {
		return 4
	}
	weights := int64(1)
	for _, d := range e.dims {
		weights = mul(weights, d)
	}
	if words := t.Elements(); words > 0 && weights > 0 && words < 1<<50 {
		if b := int(words * 32 / weights); b == 2 || b == 3 || b == 8 {
			return b
		}
	}
	return 4
}

// perElement returns how many weights one element of the main tensor holds.
func (m *Model) perElement(mod *Module, t *checkpoint.Tensor) int64 {
	switch mod.Format {
	case NVFP4, NVFP4Reciprocal, MXFP4, INT4ModelOpt:
		if t.DType == numeric.U8 || t.DType == numeric.I8 {
			return 2
		}
	case INT4, INT8, AWQ, GPTQ:
		if t.DType == numeric.I32 && mod.Bits > 0 {
			return int64(32 / mod.Bits)
		}
	}
	return 1
}

// Quantised reports whether a format is one with scales.
func (f Format) Quantised() bool {
	switch f {
	case NVFP4, NVFP4Reciprocal, MXFP4, MXFP8, FP8Tensor, FP8Channel, FP8Block, INT4, INT8, AWQ, GPTQ, INT4ModelOpt, Incomplete:
		return true
	}
	return strings.HasPrefix(string(f), "Q") || strings.HasPrefix(string(f), "IQ") || strings.HasPrefix(string(f), "TQ")
}

// mul multiplies sizes that are not negative; what overflows is the largest
// number.
func mul(a int64, more ...int64) int64 {
	for _, b := range more {
		hi, lo := bits.Mul64(uint64(max(0, a)), uint64(max(0, b)))
		if hi > 0 || lo > 1<<63-1 {
			return 1<<63 - 1
		}
		a = int64(lo)
	}
	return a
}

// plus adds sizes that are not negative, like mul.
func plus(a int64, more ...int64) int64 {
	for _, b := range more {
		if a > 1<<63-1-b {
			return 1<<63 - 1
		}
		a += b
	}
	return a
}
