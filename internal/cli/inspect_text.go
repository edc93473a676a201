package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"kilter/internal/model"
)

// A page writes text in sections: a heading, then rows of a label and what
// belongs to it, wrapped under itself.
type page struct {
	b     strings.Builder
	io    *IOStreams
	width int
}

const (
	pageLabel = 13 // columns of a row's label
	pageWidth = 100
)

func newPage(s *IOStreams) *page {
	w := s.Columns()
	if w <= 0 || !s.OutTTY {
		w = helpWidth
	}
	return &page{io: s, width: min(max(w, 60), pageWidth)}
}

func (p *page) heading(text string) {
	if p.b.Len() > 0 {
		p.b.WriteByte('\n')
	}
	p.b.WriteString(p.io.paintOut(bold, text) + "\n")
}

// row writes a label and a text of one style.
func (p *page) row(label, text string) {
	if text == "" {
		return
	}
	text = wrap(safe(text), p.width, pageLabel+2)
	p.b.WriteString("  " + p.io.paintOut(dim, fmt.Sprintf("%-*s", pageLabel, label)) + text + "\n")
}

// mark writes a line behind a mark such as [!].
func (p *page) mark(st style, mark, text string) {
	p.b.WriteString(p.io.paintOut(st, fmt.Sprintf("%-5s", mark)) + wrap(safe(text), p.width, 5) + "\n")
}

// inspection writes the page.
func (p *page) inspection(doc *Inspection) string {
	m := doc.Model
	p.heading(safe(m.Name))
	p.row("path", doc.Path)
	if doc.Revision != "" {
		p.row("revision", doc.Revision)
	}
	p.row("files", fmt.Sprintf("%s%s, %s, %s", count(doc.Files, doc.Format+" file"),
		map[string]string{"hub cache": " in the hub cache", "index": " of an index"}[doc.Layout], count(doc.Tensors, "tensor"), bothUnits(doc.FileBytes)))
	if doc.Partial {
		p.mark(yellow, "[!]", "This is one file of several: what follows is of this file alone. Name the folder for the whole.")
	}
	p.architecture(doc)
	p.weights(doc)
	p.differences(doc)
	p.request(doc)
	p.shares(doc)
	p.fit(doc)
	p.tokenizer(doc)
	p.rest(doc)
	return p.b.String()
}

// architecture tells what kind of model it is.
func (p *page) architecture(doc *Inspection) {
	m := doc.Model
	s := &m.Sizes
	p.heading("MODEL")
	switch {
	case m.Family != "":
		p.row("architecture", fmt.Sprintf("%s (family %s)", cmp.Or(m.Architecture, m.Type), m.Family))
	case m.Architecture+m.Type != "":
		p.row("architecture", fmt.Sprintf("%s: kilter has no tables of it, so no name is judged and the generic part alone is told", cmp.Or(m.Architecture, m.Type)))
	default:
		p.row("architecture", "not named: only the generic part is told")
	}
	params := billions(m.Params)
	if m.ActiveParams < m.Params {
		params += fmt.Sprintf(" in all, %s read for a token", billions(m.ActiveParams))
	}
	p.row("parameters", params+otherWeights(m))
	p.row("layers", layersLine(m))
	if s.Experts > 0 {
		line := fmt.Sprintf("%d, of which a token takes %d", s.Experts, s.ActiveExperts)
		if s.SharedExperts > 0 {
			line += " and " + count(int(s.SharedExperts), "shared one")
		}
		if n := moeLayers(m); n < len(m.Layers) {
			line += fmt.Sprintf("; in %d of %d layers", n, len(m.Layers))
		}
		p.row("experts", line)
	}
	p.row("attention", attentionLine(s))
	p.row("context", contextLine(s))
	if s.Vocab > 0 {
		tied := "head of its own"
		if s.Tied {
			tied = "the embedding is the head"
		}
		p.row("vocabulary", fmt.Sprintf("%s tokens, hidden size %s, %s", thousands(s.Vocab), thousands(s.Hidden), tied))
	}
	if s.MTPLayers > 0 && (m.MTPParams > 0 || !doc.Partial) {
		stored := "stored: it can draft for speculative decoding"
		if m.MTPParams == 0 {
			stored = "named in the configuration, and not stored"
		}
		p.row("mtp", count(int(s.MTPLayers), "layer")+", "+stored)
	}
	if s.Vision {
		p.row("vision", "a tower for images, which kilter does not judge")
	}
}

// otherWeights tells of weights that are not counted among a model's own.
func otherWeights(m *model.Description) string {
	var more []string
	if m.MTPParams > 0 {
		more = append(more, "MTP "+billions(m.MTPParams))
	}
	if m.VisionParams > 0 {
		more = append(more, "vision "+billions(m.VisionParams))
	}
	if len(more) == 0 {
		return ""
	}
	return "; beside them " + strings.Join(more, " and ")
}

func moeLayers(m *model.Description) (n int) {
	for _, l := range m.Layers {
		if l.MoE {
			n++
		}
	}
	return n
}

// layersLine counts layers by their kind, and names those of the rarer one.
func layersLine(m *model.Description) string {
	if len(m.Layers) == 0 {
		return ""
	}
	by := map[model.Mixer][]int{}
	for i, l := range m.Layers {
		by[l.Mixer] = append(by[l.Mixer], i)
	}
	names := map[model.Mixer]string{model.Linear: "linear attention (gated DeltaNet)", model.Sliding: "sliding window", model.Full: "full attention"}
	var parts []string
	for _, k := range []model.Mixer{model.Linear, model.Sliding, model.Full} {
		if n := len(by[k]); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, names[k]))
		}
	}
	if len(parts) == 1 {
		return fmt.Sprintf("%d, all %s", len(m.Layers), names[m.Layers[0].Mixer])
	}
	line := fmt.Sprintf("%d: %s", len(m.Layers), strings.Join(parts, ", "))
	if full := by[model.Full]; len(full) > 0 && len(full) < len(m.Layers) {
		line += " (" + series(full) + ")"
	}
	return line
}

// series writes numbers, those of equal distance by their first and last.
func series(n []int) string {
	text := func(list []int) string {
		return strings.Trim(strings.Join(strings.Fields(fmt.Sprint(list)), ", "), "[]")
	}
	if len(n) > 4 {
		step := n[1] - n[0]
		for i := 2; i < len(n); i++ {
			if n[i]-n[i-1] != step {
				step = 0
			}
		}
		if step > 0 {
			return fmt.Sprintf("layers %s, ... %d", text(n[:3]), n[len(n)-1])
		}
	}
	if len(n) > 16 {
		return fmt.Sprintf("layers %s, ... %d", text(n[:8]), n[len(n)-1])
	}
	if len(n) == 1 {
		return "layer " + text(n)
	}
	return "layers " + text(n)
}

func attentionLine(s *model.Sizes) string {
	if s.Heads == 0 {
		return ""
	}
	line := fmt.Sprintf("%s, %s of %d", count(int(s.Heads), "head"), count(int(s.KVHeads), "KV head"), s.HeadDim)
	if a := s.Latent; a != nil {
		line = fmt.Sprintf("%d heads, latent (MLA): the cache keeps %d + %d numbers for all heads", s.Heads, a.KVRank, a.RopeDim)
	}
	if l := s.Linear; l != nil && l.ValueHeads > 0 {
		line += fmt.Sprintf("; linear: %d key heads of %d, %d value heads of %d", l.KeyHeads, l.KeyDim, l.ValueHeads, l.ValueDim)
	}
	return line
}

func contextLine(s *model.Sizes) string {
	if s.Context == 0 {
		return ""
	}
	line := thousands(s.Context) + " tokens"
	r := s.Rope
	if r.Theta > 0 {
		line += fmt.Sprintf("; rope theta %s", thousands(int64(r.Theta)))
		if r.LocalTheta > 0 {
			line += fmt.Sprintf(" (%s in sliding layers)", thousands(int64(r.LocalTheta)))
		}
		if r.Partial > 0 && r.Partial < 1 {
			line += fmt.Sprintf(" over %.0f %% of a head", r.Partial*100)
		}
	}
	if r.Factor > 1 {
		line += fmt.Sprintf("; %s, stretched %g times", cmp.Or(r.Type, "scaled"), r.Factor)
		if r.Original > 0 {
			line += " from " + thousands(r.Original)
		}
	}
	if s.Window > 0 {
		line += "; window " + thousands(s.Window)
	}
	return line
}

// A weightRow is one line of the table of weights.
type weightRow struct {
	part, format, claimed string
	differs               bool
	params, bytes         int64
}

// weights is the table of what is stored, beside what the configuration says.
func (p *page) weights(doc *Inspection) {
	m := doc.Model
	var rows []weightRow
	claims := false
	for _, g := range m.Groups {
		row := weightRow{string(g.Part), string(g.Format), g.Claimed, g.Differs, g.Params, g.Bytes}
		claims = claims || g.Claimed != ""
		i := slices.IndexFunc(rows, func(r weightRow) bool {
			return r.part == row.part && r.format == row.format && r.differs == row.differs && (r.claimed == row.claimed || r.claimed == "" && !r.differs || row.claimed == "" && !row.differs)
		})
		if i < 0 {
			rows = append(rows, row)
			continue
		}
		rows[i].params += row.params
		rows[i].bytes += row.bytes
		rows[i].claimed = cmp.Or(rows[i].claimed, row.claimed)
	}
	rows = foldSmall(rows)
	unit, name := unitOf(m.Bytes)
	in := func(n int64) string { return decimals(float64(n) / unit) }
	head := fmt.Sprintf("%-18s%12s%11s  %-22s", "WEIGHTS", "parameters", name, "stored as")
	if claims {
		head += "config says"
	}
	p.heading(strings.TrimRight(head, " "))
	for _, r := range rows {
		line := fmt.Sprintf("%-16s%12s%11s  %-22s%s", r.part, billions(r.params), in(r.bytes), r.format, r.claimed)
		mark := "  "
		if r.differs {
			mark = p.io.paintOut(yellow, "! ")
		}
		p.b.WriteString(mark + safe(strings.TrimRight(line, " ")) + "\n")
	}
	p.b.WriteString("  " + strings.TrimRight(fmt.Sprintf("%-16s%12s%11s", "total", billions(m.Params+m.MTPParams+m.VisionParams), in(m.Bytes)), " ") + "\n")
}

// foldSmall puts rows of a part that hold next to nothing, such as the vectors
// of an attention layer, to the part's largest row, which stands first.
func foldSmall(rows []weightRow) []weightRow {
	largest := map[string]int64{}
	for _, r := range rows {
		largest[r.part] = max(largest[r.part], r.bytes)
	}
	place := map[string]int{}
	for i, r := range rows {
		if _, ok := place[r.part]; !ok {
			place[r.part] = i
		}
	}
	slices.SortStableFunc(rows, func(a, b weightRow) int {
		return cmp.Or(cmp.Compare(place[a.part], place[b.part]), cmp.Compare(b.bytes, a.bytes))
	})
	var out []weightRow
	rest := map[string]weightRow{}
	for _, r := range rows {
		if !r.differs && r.bytes*1000 < largest[r.part] {
			x := rest[r.part]
			x.params += r.params
			x.bytes += r.bytes
			rest[r.part] = x
			continue
		}
		out = append(out, r)
	}
	for i := range out {
		if x, ok := rest[out[i].part]; ok {
			out[i].params += x.params
			out[i].bytes += x.bytes
			delete(rest, out[i].part)
		}
	}
	return out
}

// unitOf returns the unit that suits the largest of several sizes.
func unitOf(largest int64) (unit float64, name string) {
	switch {
	case largest >= 1<<30:
		return 1 << 30, "GiB"
	case largest >= 1<<20:
		return 1 << 20, "MiB"
	}
	return 1 << 10, "KiB"
}
