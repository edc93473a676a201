package model

import (
	"context"

	"kilter/internal/checkpoint"
)

// A Model is a checkpoint with its Description, and with what that rests on.
type Model struct {
	Description

	cp       *checkpoint.Checkpoint
	table    *table
	modules  []Module
	byModule map[string]int32
	conf     object // the text configuration
	root     object // config.json whole
	claims   []claim
	sayings  map[saidKey]said
	// saysByExpert: 0 not known yet, 1 no, 2 yes.
	saysByExpert int
}

// A Description is what a checkpoint says of itself: its configuration and,
// beside it, what is really stored.
type Description struct {
	// Name is the repository of the hub cache, a GGUF's general.name, or the
	// folder's name.
	Name string `json:"name"`
	// Architecture is the first of config.json's architectures, or a GGUF's
	// general.architecture; Type is config.json's model_type. Both empty where
	// there is no configuration.
	Architecture string `json:"architecture,omitempty"`
	Type         string `json:"model_type,omitempty"`
	// Family is the one whose tables were used; empty for an architecture that
	// kilter does not know, of which only the generic part is told.
	Family string `json:"family,omitempty"`
	// Sizes are those of the configuration.
	Sizes Sizes `json:"sizes"`
	// Layers are the decoder's layers; those of multi-token prediction are not
	// among them.
	Layers []Layer `json:"layers"`
	// Params and ActiveParams count weights as they were before quantisation,
	// from the stored tensors: those of the text model, MTP layers and vision
	// tower left out. A tied embedding counts once. Active are those that one
	// token reads.
	Params       int64 `json:"params"`
	ActiveParams int64 `json:"active_params"`
	// MTPParams and VisionParams are those left out.
	MTPParams    int64 `json:"mtp_params"`
	VisionParams int64 `json:"vision_params"`
	// Bytes are those of all tensors.
	Bytes int64 `json:"bytes"`
	// Parts and DTypes split all tensors' bytes.
	Parts  []PartBytes  `json:"parts"`
	DTypes []DTypeBytes `json:"dtypes"`
	// Groups are the quantisation map: modules of one kind stored in one way.
	Groups []Group `json:"groups"`
	// Claims are what config.json and hf_quant_config.json say of quantisation,
	// in the order of their precedence.
	Claims []Claim `json:"claims,omitempty"`
	// Differences are where configuration and tensors, or two files of the
	// configuration, do not agree.
	Differences []Difference `json:"differences,omitempty"`
	// Unknown are names of tensors that no table of the family has, a hundred
	// at most; UnknownCount counts all.
	Unknown      []string  `json:"unknown,omitempty"`
	UnknownCount int       `json:"unknown_count,omitempty"`
	Tokenizer    Tokenizer `json:"tokenizer"`
	// Notes are what could not be read, and why.
	Notes []string `json:"notes,omitempty"`
}

// Read describes a checkpoint. The error is the context's: whatever is wrong
// with the files is in Notes, and in the checkpoint's own Problems.
func Read(ctx context.Context, c *checkpoint.Checkpoint) (*Model, error) {
	m := &Model{cp: c, Description: Description{
		Name: nameOf(c), Layers: []Layer{}, Parts: []PartBytes{}, DTypes: []DTypeBytes{}, Groups: []Group{},
	}}
	if c.Format == checkpoint.GGUF {
		m.readMetadata()
	} else {
		m.readConfig()
	}
	m.chooseTable()
	m.buildModules()
	m.count()
	m.readClaims()
	m.groupModules()
	m.compare()
	if err := m.readTokenizer(ctx); err != nil {
		return nil, err
	}
	return m, nil
}

// Checkpoint returns what the model was read from.
func (m *Model) Checkpoint() *checkpoint.Checkpoint { return m.cp }

// note adds to Notes, once.
func (m *Model) note(says string) {
	const most = 100
	if len(m.Notes) >= most {
		return
	}
	for _, n := range m.Notes {
		if n == says {
			return
		}
	}
	m.Notes = append(m.Notes, says)
}

// A Mixer is how a layer lets tokens see each other.
type Mixer string

// The mixers.
const (
	// Full: attention over all tokens before; its KV cache grows with each.
	Full Mixer = "full"
	// Sliding: attention over the last Sizes.Window tokens.
	Sliding Mixer = "sliding"
	// Linear: linear attention (gated DeltaNet); a state of fixed size.
	Linear Mixer = "linear"
)

// A Layer is one layer of the decoder.
type Layer struct {
	Mixer Mixer `json:"mixer"`
	// MoE is set where the feed-forward part has experts.
	MoE bool `json:"moe"`
}

// Sizes are a model's dimensions; 0 where the configuration does not say or
// the model has no such thing.
type Sizes struct {
	Vocab        int64 `json:"vocab"`
	Hidden       int64 `json:"hidden"`
	Layers       int64 `json:"layers"`
	Heads        int64 `json:"heads"`
	KVHeads      int64 `json:"kv_heads"`
	HeadDim      int64 `json:"head_dim"`
	Intermediate int64 `json:"intermediate"` // of dense layers
	Context      int64 `json:"context"`
	Window       int64 `json:"window,omitempty"` // of sliding layers

	Experts            int64 `json:"experts,omitempty"`
	ActiveExperts      int64 `json:"active_experts,omitempty"`
	SharedExperts      int64 `json:"shared_experts,omitempty"`
	ExpertIntermediate int64 `json:"expert_intermediate,omitempty"`
	SharedIntermediate int64 `json:"shared_intermediate,omitempty"` // of all shared experts together

	MTPLayers int64 `json:"mtp_layers,omitempty"`
	// Vision is set where the checkpoint has, or the configuration describes, a
	// tower for images.
	Vision bool `json:"vision,omitempty"`
	// Tied is set where the output head is the embedding.
	Tied bool `json:"tied"`
	// DType is what the configuration says that weights are, such as "bfloat16".
	DType string `json:"dtype,omitempty"`

	Rope   Rope             `json:"rope"`
	Linear *LinearAttention `json:"linear_attention,omitempty"`
	Latent *LatentAttention `json:"latent_attention,omitempty"`
}

// A Rope says how positions are encoded.
type Rope struct {
	Type  string  `json:"type,omitempty"` // "default", "yarn", "llama3", "linear"
	Theta float64 `json:"theta,omitempty"`
	// LocalTheta is that of sliding layers where they have another.
	LocalTheta float64 `json:"local_theta,omitempty"`
	// Partial is the share of a head's dimensions that rotate; 0 means all.
	Partial float64 `json:"partial,omitempty"`
	// Factor is how many times the context was stretched beyond Original.
	Factor   float64 `json:"factor,omitempty"`
	Original int64   `json:"original_context,omitempty"`
}

// LinearAttention are the sizes of gated DeltaNet layers.
type LinearAttention struct {
	KeyHeads   int64 `json:"key_heads"`
	ValueHeads int64 `json:"value_heads"`
	KeyDim     int64 `json:"key_dim"`   // of one head
	ValueDim   int64 `json:"value_dim"` // of one head
	Conv       int64 `json:"conv"`      // the convolution's kernel
	// StateDType is that of the recurrent state, such as "float32".
	StateDType string `json:"state_dtype"`
}

// LatentAttention are the sizes of multi-head latent attention (MLA), whose
// cache holds one compressed vector for all heads.
type LatentAttention struct {
	QRank    int64 `json:"q_rank"` // 0: queries are not compressed
	KVRank   int64 `json:"kv_rank"`
	NopeDim  int64 `json:"nope_dim"`
	RopeDim  int64 `json:"rope_dim"`
	ValueDim int64 `json:"value_dim"`
}

// A Part is what a tensor is there for.
type Part string

// The parts, in the order in which they are told.
const (
	Embedding    Part = "embedding"
	Attention    Part = "attention"
	LinearAttn   Part = "linear attention"
	Router       Part = "router"
	Experts      Part = "experts"
	SharedExpert Part = "shared expert"
	MLP          Part = "mlp"
	Norm         Part = "norms"
	Head         Part = "output head"
	MTP          Part = "mtp"
	Vision       Part = "vision"
	Other        Part = "other"
)

func parts() []Part {
	return []Part{Embedding, Attention, LinearAttn, Router, Experts, SharedExpert, MLP, Norm, Head, MTP, Vision, Other}
}

// PartBytes are the weights and bytes of one part.
type PartBytes struct {
	Part   Part  `json:"part"`
	Params int64 `json:"params"`
	Bytes  int64 `json:"bytes"`
	// Formats are the ways in which its weights are stored, the largest first.
	Formats []string `json:"formats"`
}

// DTypeBytes are the bytes of all tensors of one stored type.
type DTypeBytes struct {
	DType   string `json:"dtype"`
	Tensors int    `json:"tensors"`
	Bytes   int64  `json:"bytes"`
}

// A Group are modules of one kind (the same name but for the numbers of layer
// and expert) that are stored in one way.
type Group struct {
	// Pattern is the modules' name with * for numbers.
	Pattern string `json:"pattern"`
	Part    Part   `json:"part"`
	Format  Format `json:"format"`
	// DType is the stored type of the weight itself, such as "U8" for NVFP4.
	DType string `json:"dtype"`
	// Tensors are the roles found beside each other, as "weight_scale".
	Tensors []string `json:"tensors"`
	Modules int      `json:"modules"`
	Params  int64    `json:"params"`
	Bytes   int64    `json:"bytes"`
	// Layers are the numbers of layers, as "0-59" or "3,7,11"; empty outside of
	// layers.
	Layers string `json:"layers,omitempty"`
	// Claimed is the format that the configuration says it has; empty where it
	// says nothing. Differs is set where that is another.
	Claimed string `json:"claimed,omitempty"`
	Differs bool   `json:"differs,omitempty"`
}

// A Difference is one between configuration and tensors.
type Difference struct {
	// Kind is one of the Differ… words.
	Kind string `json:"kind"`
	// Where is the module's or tensor's pattern, or the configuration's key.
	Where string `json:"where"`
	// Config and Stored are the two sides.
	Config string `json:"config"`
	Stored string `json:"stored"`
	// Count says how many modules it concerns.
	Count int `json:"count"`
	// Example is the name of one tensor.
	Example string `json:"example,omitempty"`
}

// The kinds of differences.
const (
	// DifferFormat: a module is quantised otherwise than the configuration says.
	DifferFormat = "format"
	// DifferIgnored: a module is quantised that the configuration excludes.
	DifferIgnored = "ignored"
	// DifferPlain: a module is not quantised although the configuration says so.
	DifferPlain = "plain"
	// DifferUnclaimed: modules are quantised and no configuration says so.
	DifferUnclaimed = "unclaimed"
	// DifferClaims: config.json and hf_quant_config.json do not agree.
	DifferClaims = "claims"
	// DifferGroup: the block or group of weights under one scale has another size.
	DifferGroup = "group_size"
	// DifferShape: a tensor has another shape than the configuration implies.
	DifferShape = "shape"
	// DifferLayers: the tensors have another number of layers.
	DifferLayers = "layers"
	// DifferExperts: the tensors have another number of experts.
	DifferExperts = "experts"
	// DifferDType: weights that are not quantised have another type than dtype.
	DifferDType = "dtype"
	// DifferTied: tied embeddings and a stored head, or none of both.
	DifferTied = "tied"
	// DifferKV: scales of the KV cache are stored and nothing says that it is
	// quantised, or the other way round.
	DifferKV = "kv_cache"
)
