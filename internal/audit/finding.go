package audit

import (
	"cmp"
	"slices"
)

// A Severity is how much a finding weighs.
type Severity string

// The severities, the heaviest first.
const (
	// Broken: no server can be right with these files.
	Broken Severity = "broken"
	// Unread: something could not be read, so nothing is known of it.
	Unread Severity = "unread"
	// Suspicious: it may be meant, and a person should look.
	Suspicious Severity = "suspicious"
	// Note: good to know; it changes no verdict.
	Note Severity = "note"
)

// severities are all, the heaviest first.
func severities() []Severity { return []Severity{Broken, Unread, Suspicious, Note} }

// A Code names a kind of finding. Codes are stable: one that changes its
// meaning gets a new name.
type Code string

// A Declaration is what is fixed about a code.
type Declaration struct {
	Code     Code     `json:"code"`
	Severity Severity `json:"severity"`
	// Group is the part of the audit that finds it.
	Group Group `json:"group"`
	// Title is what is wrong, as a sentence without a period.
	Title string `json:"title"`
}

// A Group is a part of the audit.
type Group string

// The groups, in the order in which they are told.
const (
	Structure Group = "structure"
	Complete  Group = "complete"
	Checksum  Group = "checksums"
	Values    Group = "values"
	Scales    Group = "scales"
	Config    Group = "config"
)

// Groups returns all groups in their order.
func Groups() []Group { return []Group{Structure, Complete, Checksum, Values, Scales, Config} }

// A Finding is a code with all places where it was found.
type Finding struct {
	Declaration
	// Says is what was found, in one sentence without a period.
	Says string `json:"says"`
	// Count is how many places there are, and Places the first of them.
	Count  int     `json:"count"`
	Places []Place `json:"places"`
}

// A Place is where something was found, and the numbers that show it.
type Place struct {
	// File and Tensor are names as stored; either may be empty.
	File   string `json:"file,omitempty"`
	Tensor string `json:"tensor,omitempty"`
	// Other is the second party: the tensor that was compared with, the file
	// that it should be in.
	Other string `json:"other,omitempty"`
	// Begin and End are the bytes of the file in question, [Begin, End); both 0
	// where no place can be named.
	Begin int64 `json:"begin_byte,omitempty"`
	End   int64 `json:"end_byte,omitempty"`
	// Says is what is there, one sentence without a period.
	Says string `json:"says"`
	// Hint is the next step for this very place, where there is one to name.
	Hint string `json:"hint,omitempty"`
	// Numbers are the evidence; all finite.
	Numbers map[string]float64 `json:"numbers,omitempty"`
}

// maxPlaces bounds the places of a finding that are kept: nobody reads the
// hundred-and-first.
const maxPlaces = 100

// findings collects what was found.
type findings struct {
	byCode map[Code]*Finding
}

// add adds a place under a code.
func (f *findings) add(code Code, p Place) {
	if f.byCode == nil {
		f.byCode = make(map[Code]*Finding)
	}
	x := f.byCode[code]
	if x == nil {
		x = &Finding{Declaration: declarationOf(code), Places: []Place{}}
		f.byCode[code] = x
	}
	x.Count++
	if len(x.Places) < maxPlaces {
		x.Places = append(x.Places, p)
	}
}

// count raises the count without a place, for what a list has counted and not
// kept.
func (f *findings) count(code Code, n int) {
	if x := f.byCode[code]; x != nil && n > 0 {
		x.Count += n
	}
}

// has reports whether a code was found.
func (f *findings) has(code Code) bool { return f.byCode[code] != nil }

// any reports whether something of a severity was found.
func (f *findings) any(s Severity) bool {
	for _, x := range f.byCode {
		if x.Severity == s {
			return true
		}
	}
	return false
}

// list returns the findings, the heaviest first, then in the order of the
// declarations.
func (f *findings) list() []Finding {
	order := make(map[Code]int)
	for i, d := range Declarations() {
		order[d.Code] = i
	}
	weight := func(s Severity) int { return slices.Index(severities(), s) }
	out := []Finding{}
	for _, x := range f.byCode {
		x.Says = x.Title
		if len(x.Places) > 0 {
			x.Says = summary(x)
		}
		out = append(out, *x)
	}
	slices.SortFunc(out, func(a, b Finding) int {
		return cmp.Or(cmp.Compare(weight(a.Severity), weight(b.Severity)), cmp.Compare(order[a.Code], order[b.Code]))
	})
	return out
}

// summary says what was found in all places together.
func summary(x *Finding) string {
	p := x.Places[0]
	says := p.Says
	if p.Tensor != "" {
		says = p.Tensor + ": " + says
	} else if p.File != "" {
		says = p.File + ": " + says
	}
	if x.Count > 1 {
		says += " (and " + counted(x.Count-1, "more place") + ")"
	}
	return says
}
