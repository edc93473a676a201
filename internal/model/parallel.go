package model

import (
	"fmt"
	"slices"
)

// A Parallel says over how many GPUs a server spreads a model: TP·PP of them.
// Expert parallelism (EP) divides the experts among the TP ranks.
type Parallel struct {
	TP int `json:"tp"`
	EP int `json:"ep"`
	PP int `json:"pp"`
}

// GPUs returns how many it takes.
func (p Parallel) GPUs() int { return p.TP * p.PP }

// A Share is what one rank holds of a model.
type Share struct {
	Parallel
	// Stages are those of pipeline parallelism; all ranks of one are alike.
	Stages []Stage `json:"stages"`
	// Replicated are the bytes of the largest stage's rank that every other rank
	// of it holds too.
	Replicated int64 `json:"replicated_bytes"`
	// Impossible are the reasons why servers refuse this division, Notes what
	// they do all the same.
	Impossible []string `json:"impossible"`
	Notes      []string `json:"notes"`
}

// A Stage is a run of layers, and what one rank of it holds.
type Stage struct {
	// Layers are [From, To).
	From int `json:"from"`
	To   int `json:"to"`
	// Weights are those of one rank.
	Weights int64 `json:"weights_bytes"`
	// KVPerToken is for each type of cache, State for each request.
	KVPerToken map[KVType]int64 `json:"kv_bytes_per_token"`
	State      int64            `json:"state_bytes_per_request"`
}

// Largest returns the bytes of the rank that holds most weights.
func (s *Share) Largest() int64 {
	n := int64(0)
	for _, st := range s.Stages {
		n = max(n, st.Weights)
	}
	return n
}

// ShareOf says what one rank holds.
func (m *Model) ShareOf(p Parallel) Share {
	p = Parallel{max(1, p.TP), max(1, p.EP), max(1, p.PP)}
	s := Share{Parallel: p, Impossible: []string{}, Notes: []string{}}
	m.checkDivision(&s)
	for i := range p.PP {
		from, to := i*len(m.Layers)/p.PP, (i+1)*len(m.Layers)/p.PP
		full, _, linear := m.mixers(from, to)
		st := Stage{From: from, To: to, KVPerToken: map[KVType]int64{}, State: mul(linear, m.layerState(int64(p.TP)))}
		for _, k := range KVTypes() {
			st.KVPerToken[k] = mul(full, m.layerKV(k, int64(p.TP)))
		}
		s.Stages = append(s.Stages, st)
	}
	replicated := make([]int64, p.PP)
	for i := range m.modules {
		mod := &m.modules[i]
		bytes := m.ModuleBytes(mod)
		part := m.partOf(mod, bytes, int64(p.TP))
		for _, i := range m.stagesOf(mod, s.Stages) {
			s.Stages[i].Weights = plus(s.Stages[i].Weights, part)
			if part == bytes {
				replicated[i] = plus(replicated[i], part)
			}
		}
	}
	for i, st := range s.Stages {
		if p.TP > 1 && st.Weights == s.Largest() {
			s.Replicated = replicated[i]
		}
	}
	return s
}

// partOf returns the bytes of a module on one of tp ranks.
func (m *Model) partOf(mod *Module, bytes, tp int64) int64 {
	if mod.Slot == nil || tp == 1 {
		return bytes // unknown modules and the vision tower: as if each rank had them
	}
	switch mod.Slot.Split {
	case Columns, Rows, ByExpert:
		return (bytes + tp - 1) / tp
	case KVHeads:
		n := min(tp, max(1, m.Sizes.KVHeads))
		return (bytes + n - 1) / n
	}
	return bytes
}

// stagesOf returns the stages that hold a module.
func (m *Model) stagesOf(mod *Module, stages []Stage) []int {
	last := len(stages) - 1
	switch {
	case mod.MTP:
		return []int{last}
	case mod.Part == Embedding && m.Sizes.Tied && last > 0:
		return []int{0, last}
	case mod.Part == Embedding, mod.Part == Vision:
		return []int{0}
	case mod.Layer >= 0 && (mod.Slot != nil || mod.Layer < len(m.Layers)):
		for i, st := range stages {
			if mod.Layer < st.To {
				return []int{i}
			}
		}
	}
	return []int{last}
}

// checkDivision finds what does not divide.
func (m *Model) checkDivision(s *Share) {
	z := &m.Sizes
	tp, ep, pp := int64(s.TP), int64(s.EP), int64(s.PP)
	no := func(format string, a ...any) { s.Impossible = append(s.Impossible, fmt.Sprintf(format, a...)) }
	if tp%ep != 0 {
		no("ep %d does not divide tp %d", ep, tp)
		return
	}
	if pp > 1 && pp > z.Layers {
		no("%d layers are fewer than pp %d", z.Layers, pp)
	}
	divides := func(n int64, what string) {
		if n > 0 && n%tp != 0 {
			no("%d %s do not divide by tp %d", n, what, tp)
		}
	}
	full, sliding, linear := m.Mixers()
	if full+sliding > 0 {
		divides(z.Heads, "attention heads")
		switch {
		case z.Latent != nil:
			if tp > 1 {
				s.Notes = append(s.Notes, "each rank holds the whole latent KV cache")
			}
		case z.KVHeads > 0 && tp > z.KVHeads:
			if tp%z.KVHeads != 0 {
				no("tp %d is no multiple of %d KV heads", tp, z.KVHeads)
			} else {
				heads := "the KV head is"
				if z.KVHeads > 1 {
					heads = fmt.Sprintf("each of the %d KV heads is", z.KVHeads)
				}
				s.Notes = append(s.Notes, fmt.Sprintf("%s on %d ranks", heads, tp/z.KVHeads))
			}
		default:
			divides(z.KVHeads, "KV heads")
		}
	}
	if l := z.Linear; l != nil && linear > 0 {
		divides(l.KeyHeads, "key heads of linear attention")
		divides(l.ValueHeads, "value heads of linear attention")
	}
	if slices.ContainsFunc(m.Layers, func(l Layer) bool { return !l.MoE }) {
		m.checkInner(s, MLP, z.Intermediate, tp, "intermediate size")
	}
	if z.Experts == 0 {
		return
	}
	if z.Experts%ep != 0 {
		no("%d experts do not divide by ep %d", z.Experts, ep)
	}
	m.checkInner(s, Experts, z.ExpertIntermediate, tp/ep, "intermediate size of experts")
	m.checkInner(s, SharedExpert, z.SharedIntermediate, tp, "intermediate size of the shared expert")
}

// checkInner: the inner dimension of a feed-forward part has to divide into
// whole blocks of weights.
func (m *Model) checkInner(s *Share, part Part, size, n int64, what string) {
	if size == 0 || n <= 1 {
		return
	}
	if size%n != 0 {
		s.Impossible = append(s.Impossible, fmt.Sprintf("%s %d does not divide by %d", what, size, n))
		return
	}
	block, format := int64(1), Format("")
	for _, g := range m.Groups {
		if g.Part != part {
			continue
		}
		b := map[Format]int64{NVFP4: 16, NVFP4Reciprocal: 16, MXFP4: 32, MXFP8: 32, FP8Block: 128, INT4: 32}[g.Format]
		if c := m.Claim(); c != nil && c.GroupSize > 0 && (g.Format == INT4 || g.Format == FP8Block) {
			b = c.GroupSize
		}
		if b > block {
			block, format = b, g.Format
		}
	}
	switch rest := size / n; {
	case rest%block != 0 && format == MXFP4:
		s.Notes = append(s.Notes, fmt.Sprintf("%s %d by %d leaves %d, no whole blocks of %d (%s): servers divide blocks unevenly, and pad", what, size, n, rest, block, format))
	case rest%block != 0:
		s.Impossible = append(s.Impossible, fmt.Sprintf("%s %d by %d leaves %d, no whole blocks of %d (%s)", what, size, n, rest, block, format))
	case part == Experts && block == 16 && rest%64 != 0:
		s.Notes = append(s.Notes, fmt.Sprintf("%s %d by %d leaves %d: CUTLASS kernels for NVFP4 want a multiple of 64", what, size, n, rest))
	}
}

// Reserve is the share of a GPU's memory that is not counted on: activations,
// CUDA graphs, workspaces, the runtime itself. Servers' own defaults leave 8 to
// 12 % (vLLM --gpu-memory-utilization, SGLang --mem-fraction-static).
const Reserve = 0.10

// A Fit says what context some GPUs have room for.
type Fit struct {
	Parallel
	// Memory is that of one GPU, Usable what is left of it after the Reserve.
	Memory int64  `json:"memory_bytes"`
	Usable int64  `json:"usable_bytes"`
	KV     KVType `json:"kv_type"`
	// Free is what the weights leave on the rank with least room; negative where
	// they do not fit.
	Free int64 `json:"free_bytes"`
	// Longest is the longest single request, no longer than the model's context.
	Longest int64 `json:"longest_tokens"`
	// Context is the length asked about, and Requests how many of that length
	// fit at once.
	Context  int64 `json:"context_tokens"`
	Requests int64 `json:"requests"`
	// Impossible is the Share's.
	Impossible []string `json:"impossible"`
}

// FitOn says what fits on GPUs of so many bytes, divided in a way. A context
// of 0 stands for the model's own.
func (m *Model) FitOn(memory int64, p Parallel, k KVType, context int64) Fit {
	s := m.ShareOf(p)
	f := Fit{Parallel: s.Parallel, Memory: memory, Usable: int64(float64(memory) * (1 - Reserve)), KV: k, Context: context, Impossible: s.Impossible}
	if f.Context <= 0 {
		f.Context = m.Sizes.Context
	}
	if len(s.Stages) == 0 {
		return f
	}
	// need returns the bytes of a request on the rank of a stage.
	need := func(st *Stage, tokens int64) int64 {
		full, sliding, _ := m.mixers(st.From, st.To)
		return plus(m.requestKV(k, tokens, full, sliding, int64(p.TP)), st.State)
	}
	f.Free = f.Usable - s.Largest()
	f.Longest, f.Requests = m.Sizes.Context, 1<<40
	if f.Longest == 0 {
		f.Longest = f.Context
	}
	for i := range s.Stages {
		st := &s.Stages[i]
		room := f.Usable - st.Weights
		if room < 0 {
			f.Longest, f.Requests = 0, 0
			return f
		}
		low, high := int64(0), f.Longest // the longest that fits is in [low, high]
		for low < high {
			mid := low + (high-low+1)/2
			if need(st, mid) <= room {
				low = mid
			} else {
				high = mid - 1
			}
		}
		f.Longest = low
		if n := need(st, f.Context); n > 0 {
			f.Requests = min(f.Requests, room/n)
		}
	}
	if len(s.Impossible) > 0 || f.Requests == 1<<40 {
		f.Requests = 0
	}
	return f
}
