package model

// A KVType is the type that a server holds its KV cache in.
type KVType string

// The types.
const (
	BF16 KVType = "bf16"
	FP8  KVType = "fp8"
)

// KVTypes returns the types of a KV cache.
func KVTypes() []KVType { return []KVType{BF16, FP8} }

// bytes returns those of one number.
func (k KVType) bytes() int64 {
	if k == FP8 {
		return 1
	}
	return 2
}

// convBytes: the inputs that a gated DeltaNet's convolution looks back on are
// kept in bf16 whatever the KV cache is.
const convBytes = 2

// stateBytes returns the bytes of one number of the recurrent state.
func (l *LinearAttention) stateBytes() int64 {
	switch l.StateDType {
	case "bfloat16", "float16":
		return 2
	}
	return 4
}

// layerKV returns the bytes that one token takes in one attention layer's
// cache on one of tp ranks. Grouped-query attention keeps K and V of each KV
// head, and each rank holds one head at least; latent attention keeps one
// vector of kv_rank + rope_dim numbers for all heads, on each rank.
func (m *Model) layerKV(k KVType, tp int64) int64 {
	s := &m.Sizes
	if a := s.Latent; a != nil {
		return mul(a.KVRank+a.RopeDim, k.bytes())
	}
	heads := max(s.KVHeads/max(1, tp), min(s.KVHeads, 1))
	return mul(2, heads, s.HeadDim, k.bytes())
}

// layerState returns the bytes of one request's state in one linear layer on
// one of tp ranks: a key_dim x value_dim matrix for each value head, and the
// last conv-1 inputs of the convolution over q, k and v.
func (m *Model) layerState(tp int64) int64 {
	l := m.Sizes.Linear
	if l == nil {
		return 0
	}
	tp = max(1, tp)
	state := mul((l.ValueHeads+tp-1)/tp, l.KeyDim, l.ValueDim, l.stateBytes())
	channels := plus(mul(2, l.KeyHeads, l.KeyDim), mul(l.ValueHeads, l.ValueDim))
	return plus(state, mul((channels+tp-1)/tp, max(0, l.Conv-1), convBytes))
}

// mixers counts the layers of a range by their mixer.
func (m *Model) mixers(from, to int) (full, sliding, linear int64) {
	for _, l := range m.Layers[from:to] {
		switch l.Mixer {
		case Linear:
			linear++
		case Sliding:
			sliding++
		default:
			full++
		}
	}
	return full, sliding, linear
}

// Mixers counts the layers by their mixer.
func (m *Model) Mixers() (full, sliding, linear int64) { return m.mixers(0, len(m.Layers)) }

// KVPerToken returns the bytes that each further token takes, however long the
// text: those of the layers of full attention. MTP layers are left out.
func (m *Model) KVPerToken(k KVType) int64 {
	full, _, _ := m.Mixers()
	return mul(full, m.layerKV(k, 1))
}

// KVPerRequest returns the bytes of the KV cache of a request of so many
// tokens. Layers with a sliding window keep the window only, as servers do that
// have a cache for each kind of layer.
func (m *Model) KVPerRequest(k KVType, tokens int64) int64 {
	full, sliding, _ := m.Mixers()
	return m.requestKV(k, tokens, full, sliding, 1)
}

// WindowPerRequest returns the part of KVPerRequest that layers with a sliding
// window keep.
func (m *Model) WindowPerRequest(k KVType, tokens int64) int64 {
	_, sliding, _ := m.Mixers()
	return m.requestKV(k, tokens, 0, sliding, 1)
}

func (m *Model) requestKV(k KVType, tokens, full, sliding, tp int64) int64 {
	one := m.layerKV(k, tp)
	return plus(mul(full, one, tokens), mul(sliding, one, min(tokens, m.Sizes.Window)))
}

// StatePerRequest returns the bytes of a request's recurrent state, which do
// not grow with its length.
func (m *Model) StatePerRequest() int64 {
	_, _, linear := m.Mixers()
	return mul(linear, m.layerState(1))
}

// MTPPerToken returns the bytes that each token takes in the caches of MTP
// layers, where a server drafts with them.
func (m *Model) MTPPerToken(k KVType) int64 {
	if m.MTPParams == 0 {
		return 0
	}
	return mul(max(1, m.Sizes.MTPLayers), m.layerKV(k, 1))
}
