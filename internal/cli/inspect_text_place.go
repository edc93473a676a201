package cli

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"kilter/internal/model"
)

// differences says what the configuration claims of quantisation, and where
// tensors or its other files do not agree.
func (p *page) differences(doc *Inspection) {
	m := doc.Model
	if len(m.Claims) == 0 && len(m.Differences) == 0 {
		return
	}
	p.heading("CONFIGURATION AGAINST TENSORS")
	var said []string // files that say the same stand on one line
	for i, c := range m.Claims {
		said = append(said, c.File)
		if line := claimLine(&c); i+1 == len(m.Claims) || claimLine(&m.Claims[i+1]) != line {
			p.row("claim", strings.Join(said, ", ")+": "+line)
			said = nil
		}
	}
	for i, d := range m.Differences {
		const most = 12
		if i == most {
			p.mark(yellow, "[!]", fmt.Sprintf("and %d more: -o json has them all", len(m.Differences)-most))
			break
		}
		p.mark(yellow, "[!]", differenceLine(d))
	}
	if len(m.Differences) == 0 {
		p.mark(green, "[ok]", "the tensors are stored as it says")
	}
}

func claimLine(c *model.Claim) string {
	var parts []string
	for _, w := range []string{c.Method, c.Algorithm} {
		if w != "" {
			parts = append(parts, w)
		}
	}
	line := strings.Join(parts, " ")
	if c.GroupSize > 0 {
		line += fmt.Sprintf(", %d weights to a scale", c.GroupSize)
	}
	if c.KV != "" {
		line += ", KV cache " + c.KV
	}
	if n := len(c.Ignored); n > 0 {
		line += ", leaves out " + count(n, "pattern")
	}
	return line
}

func differenceLine(d model.Difference) string {
	what := map[string]string{
		model.DifferShape: "shape %s implied, %s stored", model.DifferLayers: "%s, but %s", model.DifferExperts: "config says %s, tensors have %s",
		model.DifferClaims: "%s, %s", model.DifferGroup: "config says %s weights to a scale, stored are %s",
		model.DifferTied: "%s, but there is %s", model.DifferKV: "config says %s, and there are %s",
	}[d.Kind]
	if what == "" {
		what = "config says %s, stored: %s"
	}
	line := d.Where + ": " + fmt.Sprintf(what, d.Config, d.Stored)
	if d.Count > 1 {
		line += fmt.Sprintf(" (%s of them)", thousands(int64(d.Count)))
	}
	return line
}

// request tells what a request takes beside the weights.
func (p *page) request(doc *Inspection) {
	c, m := doc.Cache, doc.Model
	if c.Request[model.BF16] == 0 && c.State == 0 {
		return
	}
	p.heading("A REQUEST")
	if c.PerToken[model.BF16] > 0 {
		p.row("KV cache", fmt.Sprintf("%s a token in bf16, %s in fp8 (%s)", size(c.PerToken[model.BF16]), size(c.PerToken[model.FP8]), count(int(c.Full), "layer")))
	}
	if c.Sliding > 0 {
		keep := "keep"
		if c.Sliding == 1 {
			keep = "keeps"
		}
		p.row("", fmt.Sprintf("%s "+keep+" the last %s tokens only, %s in bf16", count(int(c.Sliding), "sliding layer"), thousands(m.Sizes.Window),
			size(c.Window[model.BF16])))
	}
	if c.Context > 0 {
		p.row("", fmt.Sprintf("%s for %s tokens in bf16, %s in fp8", size(c.Request[model.BF16]), thousands(c.Context), size(c.Request[model.FP8])))
	}
	if n := c.MTP[model.BF16]; n > 0 {
		p.row("", fmt.Sprintf("%s a token more in bf16 where the MTP layer drafts", size(n)))
	}
	if c.State > 0 {
		p.row("state", fmt.Sprintf("%s whatever the length (%s, %s)", size(c.State), count(int(c.Linear), "linear layer"), m.Sizes.Linear.StateDType))
	}
	if m.Family == "" {
		p.row("", "as if every layer had grouped-query attention; how servers divide the model is not known")
	}
	if c.Forced != "" {
		p.row("type", fmt.Sprintf("the checkpoint asks for %s, which a server left to choose takes", c.Forced))
	}
}

// shares tells what each GPU holds.
func (p *page) shares(doc *Inspection) {
	if len(doc.Shares) == 0 {
		return
	}
	if doc.Model.Family == "" {
		return
	}
	kv := doc.Cache.KV
	p.heading(fmt.Sprintf("%-16s%12s%20s%14s", "EACH GPU HOLDS", "weights", "1,000 tokens "+string(kv), "state"))
	for _, s := range doc.Shares {
		last := len(s.Stages) > 1
		for i, st := range s.Stages {
			name := parallelName(s.Parallel)
			if last {
				name = fmt.Sprintf("stage %d (%d-%d)", i, st.From, st.To-1)
			}
			if len(s.Impossible) > 0 {
				p.b.WriteString(fmt.Sprintf("  %-14s", name) + p.io.paintOut(yellow, "no: ") + wrap(safe(strings.Join(s.Impossible, "; ")), p.width, 20) + "\n")
				break
			}
			line := fmt.Sprintf("  %-14s%12s%20s%14s", name, size(st.Weights), size(1000*st.KVPerToken[kv]), orDash(st.State))
			p.b.WriteString(strings.TrimRight(line, " ") + "\n")
		}
	}
	var notes []string
	for _, s := range doc.Shares {
		if len(s.Impossible) > 0 {
			continue
		}
		for _, n := range s.Notes {
			notes = append(notes, parallelName(s.Parallel)+": "+n)
		}
	}
	if largest := doc.Shares[len(doc.Shares)-1]; largest.TP > 1 && largest.Replicated > 0 && len(largest.Impossible) == 0 {
		notes = append(notes, fmt.Sprintf("%s: %s of the weights are on every rank", parallelName(largest.Parallel), size(largest.Replicated)))
	}
	for _, n := range notes {
		p.row("", n)
	}
}

func orDash(n int64) string {
	if n == 0 {
		return "-"
	}
	return size(n)
}

func parallelName(x model.Parallel) string {
	name := fmt.Sprintf("tp %d", x.TP)
	if x.EP > 1 {
		name += fmt.Sprintf(" ep %d", x.EP)
	}
	if x.PP > 1 {
		name += fmt.Sprintf(" pp %d", x.PP)
	}
	return name
}

// fit tells what context there is room for.
func (p *page) fit(doc *Inspection) {
	f := doc.Fit
	if f == nil {
		return
	}
	p.heading(fmt.Sprintf("ON %d GPUS OF %s GIB", f.GPUs(), strconv.FormatFloat(math.Round(float64(f.Memory)/(1<<30)*100)/100, 'f', -1, 64)))
	p.row("division", parallelName(f.Parallel))
	if len(f.Impossible) > 0 {
		p.mark(red, "[X]", "servers refuse this division: "+strings.Join(f.Impossible, "; "))
		return
	}
	weights := f.Usable - f.Free
	room := fmt.Sprintf("%s of %s, which is what %.0f %% for activations, graphs and the runtime leave", size(weights), size(f.Usable), model.Reserve*100)
	p.row("weights", room)
	if f.Free < 0 {
		p.mark(red, "[X]", fmt.Sprintf("the weights do not fit: %s a GPU are missing", size(-f.Free)))
		return
	}
	p.row("left", fmt.Sprintf("%s a GPU for the KV cache (%s) and state", size(f.Free), f.KV))
	if f.Longest == 0 || f.Context == 0 {
		return
	}
	own := ""
	if f.Longest == doc.Model.Sizes.Context {
		own = ", the model's whole context"
	}
	p.row("longest", fmt.Sprintf("one request of %s tokens%s", thousands(f.Longest), own))
	if f.Requests == 0 {
		p.mark(yellow, "[!]", fmt.Sprintf("no request of %s tokens fits", thousands(f.Context)))
		return
	}
	p.row("at once", fmt.Sprintf("%s of %s tokens", count(int(f.Requests), "request"), thousands(f.Context)))
}

// tokenizer tells what a garbled answer has to be read by.
func (p *page) tokenizer(doc *Inspection) {
	t := &doc.Model.Tokenizer
	if t.Source == "" && t.Template == nil && len(t.Special) == 0 {
		return
	}
	p.heading("TOKENIZER")
	if t.Tokens > 0 {
		line := fmt.Sprintf("%s, %s tokens", strings.TrimSpace(t.Source+" "+t.Model), thousands(int64(t.Tokens)))
		if pad := doc.Model.Sizes.Vocab - int64(t.Tokens); pad > 0 {
			line += fmt.Sprintf("; %s rows of the embedding are padding", thousands(pad))
		}
		p.row("vocabulary", line)
	} else {
		p.row("vocabulary", t.Source)
	}
	if t.Zero != nil {
		p.row("token 0", fmt.Sprintf("%s: what a server repeats whose logits are NaN or all equal", strconv.Quote(*t.Zero)))
	}
	p.row("special", specialLine(t.Special))
	x := t.Template
	if x == nil {
		p.row("template", "none: a server takes a default, or refuses chats")
		return
	}
	p.row("template", fmt.Sprintf("%s, %s bytes", x.Source, thousands(int64(x.Length))))
	if len(x.Reasoning) > 0 {
		line := "marks thoughts with " + strings.Join(x.Reasoning, " ")
		if x.OpensThought {
			line += "; its prompt can end inside of one"
		}
		if len(x.Switches) > 0 {
			line += "; switches: " + strings.Join(x.Switches, ", ")
		}
		p.row("reasoning", line)
	}
	switch {
	case len(x.Tools) > 0:
		p.row("tools", "calls are written with "+strings.Join(x.Tools, " "))
	case x.TakesTools:
		p.row("tools", "it lists the tools of a request, with no markup that kilter knows")
	default:
		p.row("tools", "it does not mention any")
	}
}

func specialLine(list []model.SpecialToken) string {
	var parts []string
	for _, s := range list {
		text := s.Text
		switch {
		case text == "":
			text = strconv.FormatInt(s.ID, 10)
		case s.ID >= 0:
			text += fmt.Sprintf(" (%d)", s.ID)
		}
		parts = append(parts, s.Task+" "+text)
	}
	const most = 10
	if len(parts) > most {
		parts = append(parts[:most], fmt.Sprintf("and %d more", len(list)-most))
	}
	return strings.Join(parts, ", ")
}

// rest tells what could not be read or is not known.
func (p *page) rest(doc *Inspection) {
	m := doc.Model
	if len(m.Notes) == 0 && m.UnknownCount == 0 && doc.ProblemCount == 0 {
		return
	}
	p.heading("TO NOTE")
	if n := m.UnknownCount; n > 0 {
		p.mark(yellow, "[!]", fmt.Sprintf("%s that no loader of the family has, such as %s", count(n, "module"), m.Unknown[0]))
	}
	if n := doc.ProblemCount; n > 0 {
		first := doc.Problems[0]
		p.mark(yellow, "[!]", fmt.Sprintf("%s with the files, the first: %s: %s", count(n, "problem"), first.File, first.Says))
		p.row("", "kilter audit judges them all")
	}
	for _, n := range m.Notes {
		p.mark(dim, "-", n)
	}
}
