package cli

import (
	"kilter/internal/model"
)

// An Inspection is what kilter inspect -o json prints.
type Inspection struct {
	Schema string `json:"schema"`
	// Path is what was asked for, Root the folder of the files.
	Path     string `json:"path"`
	Root     string `json:"root"`
	Layout   string `json:"layout"`
	Format   string `json:"format"`
	Revision string `json:"revision,omitempty"`
	// Files are those with tensors, FileBytes their sizes together.
	Files     int   `json:"files"`
	FileBytes int64 `json:"file_bytes"`
	Tensors   int   `json:"tensors"`
	// Partial: one file of several was opened.
	Partial bool               `json:"partial,omitempty"`
	Model   *model.Description `json:"model"`
	Cache   Cache              `json:"cache"`
	Shares  []model.Share      `json:"shares"`
	Fit     *model.Fit         `json:"fit,omitempty"`
	// Problems are the first of what is wrong with the files, ProblemCount counts
	// all; kilter audit judges them.
	Problems     []FileProblem `json:"problems"`
	ProblemCount int           `json:"problem_count"`
}

// A Cache is what a request takes on all ranks together.
type Cache struct {
	// KV is the type that counts: the one asked for, or the checkpoint's.
	KV model.KVType `json:"kv_type"`
	// Forced is what the checkpoint asks for, as it says it.
	Forced string `json:"checkpoint_asks,omitempty"`
	// Context is the length of the request of which Request tells.
	Context  int64                  `json:"context_tokens"`
	PerToken map[model.KVType]int64 `json:"kv_bytes_per_token"`
	Request  map[model.KVType]int64 `json:"kv_bytes_per_request"`
	State    int64                  `json:"state_bytes_per_request"`
	// Window is the part of Request that layers with a sliding window keep, and
	// MTP what each token takes more where MTP layers draft.
	Window map[model.KVType]int64 `json:"window_bytes_per_request,omitempty"`
	MTP    map[model.KVType]int64 `json:"mtp_kv_bytes_per_token,omitempty"`
	// Full, Sliding and Linear count the layers of each kind.
	Full    int64 `json:"full_layers"`
	Sliding int64 `json:"sliding_layers"`
	Linear  int64 `json:"linear_layers"`
}

// A FileProblem is something wrong with a file.
type FileProblem struct {
	Kind   string `json:"kind"`
	File   string `json:"file,omitempty"`
	Tensor string `json:"tensor,omitempty"`
	Says   string `json:"says"`
	Hint   string `json:"hint,omitempty"`
}

// inspection puts the document together.
func (o *InspectOptions) inspection(m *model.Model) *Inspection {
	c := m.Checkpoint()
	doc := &Inspection{
		Schema: "kilter.inspect/v1", Path: o.Path, Root: c.Root, Layout: string(c.Layout), Format: string(c.Format),
		Files: len(c.Files), Tensors: c.Tensors.Len(), Partial: c.Partial, Model: &m.Description,
		Problems: []FileProblem{}, ProblemCount: c.Problems.Len(),
	}
	if c.Hub != nil {
		doc.Revision = c.Hub.Revision
	}
	for _, f := range c.Files {
		doc.FileBytes += f.Size
	}
	const most = 20
	for _, p := range c.Problems.All() {
		if len(doc.Problems) < most {
			doc.Problems = append(doc.Problems, FileProblem{string(p.Kind), p.File, p.Tensor, p.Says, p.Hint})
		}
	}
	doc.Cache = o.cache(m)
	o.place(doc, m)
	return doc
}

func (o *InspectOptions) cache(m *model.Model) Cache {
	c := Cache{
		KV: model.KVType(o.KV), Forced: m.KVScheme(), Context: int64(o.Context), State: m.StatePerRequest(),
		PerToken: map[model.KVType]int64{}, Request: map[model.KVType]int64{},
	}
	if o.KV == "auto" || o.KV == "" {
		c.KV = model.BF16
		if c.Forced == "FP8" {
			c.KV = model.FP8
		}
	}
	if c.Context == 0 {
		c.Context = m.Sizes.Context
	}
	c.Full, c.Sliding, c.Linear = m.Mixers()
	for _, k := range model.KVTypes() {
		c.PerToken[k] = m.KVPerToken(k)
		c.Request[k] = m.KVPerRequest(k, c.Context)
		if c.Sliding > 0 {
			c.Window = put(c.Window, k, m.WindowPerRequest(k, c.Context))
		}
		if n := m.MTPPerToken(k); n > 0 {
			c.MTP = put(c.MTP, k, n)
		}
	}
	return c
}

// place says what each GPU holds: as asked, else over 1, 2, 4 and 8.
func (o *InspectOptions) place(doc *Inspection, m *model.Model) {
	doc.Shares = []model.Share{}
	if doc.Partial || doc.Model.Family == "" {
		return // one file says nothing of the whole, and unknown names nothing of who holds what
	}
	if o.GPUs == 0 {
		for _, n := range []int{1, 2, 4, 8} {
			doc.Shares = append(doc.Shares, m.ShareOf(model.Parallel{TP: n}))
		}
		return
	}
	p := model.Parallel{TP: o.TP, EP: o.EP, PP: o.PP}
	doc.Shares = append(doc.Shares, m.ShareOf(p))
	if o.Memory > 0 {
		fit := m.FitOn(int64(o.Memory*(1<<30)), p, doc.Cache.KV, doc.Cache.Context)
		doc.Fit = &fit
	}
}

func put(in map[model.KVType]int64, k model.KVType, n int64) map[model.KVType]int64 {
	if in == nil {
		in = map[model.KVType]int64{}
	}
	in[k] = n
	return in
}
