package audit

import (
	"fmt"
	"slices"
	"time"

	"kilter/internal/checkpoint"
	"kilter/internal/model"
)

// A Word is a verdict.
type Word string

// The verdicts.
const (
	// Sound: nothing was found.
	Sound Word = "sound"
	// WordSuspicious: a person should look.
	WordSuspicious Word = "suspicious"
	// WordBroken: no server can be right with these files.
	WordBroken Word = "broken"
	// Inconclusive: something could not be read, or the audit was interrupted,
	// and what was read shows nothing broken.
	Inconclusive Word = "inconclusive"
)

// ReportSchema names the JSON document.
const ReportSchema = "kilter.audit/v1"

// A Report is what an audit found.
type Report struct {
	Schema  string `json:"schema"`
	Verdict Word   `json:"verdict"`
	// Reason is the verdict's cause in one sentence without a period, and Cause
	// the code that it comes from; empty where there is none.
	Reason string `json:"reason"`
	Cause  Code   `json:"cause,omitempty"`
	Model  Model  `json:"model"`
	// Findings are the heaviest first.
	Findings []Finding `json:"findings"`
	// Counts says how many findings there are of each severity.
	Counts map[Severity]int `json:"counts"`
	// Files are those with tensors, and the others whose hashes were compared.
	Files []File `json:"files"`
	// Checked are the groups of the audit with what was looked at in each.
	Checked []Checked `json:"checked"`
	// NotCovered says what was not looked at, and why.
	NotCovered []string `json:"not_covered"`
	// Stopped says why the audit ended early.
	Stopped string `json:"stopped,omitempty"`
	// ReadBytes were read in ReadFor.
	ReadBytes int64         `json:"read_bytes"`
	ReadFor   time.Duration `json:"read_ns"`
	Started   time.Time     `json:"started"`
	Ended     time.Time     `json:"ended"`
}

// A Model says what was audited.
type Model struct {
	Path         string `json:"path"`
	Root         string `json:"root"`
	Name         string `json:"name"`
	Architecture string `json:"architecture,omitempty"`
	// Family is empty for an architecture that kilter does not know.
	Family   string `json:"family,omitempty"`
	Format   string `json:"format"`
	Layout   string `json:"layout"`
	Revision string `json:"revision,omitempty"`
	Tensors  int    `json:"tensors"`
	Bytes    int64  `json:"bytes"`
}

// A File is one file and what became of its hash.
type File struct {
	Name string `json:"file"`
	Size int64  `json:"bytes"`
	// Read is set where all of its bytes, or all of its tensors', were read.
	Read bool `json:"read"`
	// SHA256 is empty where it was not computed.
	SHA256 string `json:"sha256,omitempty"`
	// Expected is algorithm, colon and hash; ExpectedBy says who promises it.
	Expected   string `json:"expected,omitempty"`
	ExpectedBy string `json:"expected_by,omitempty"`
	// Match is set where hash and promise agree.
	Match bool `json:"match"`
}

// A Checked says what one group of the audit looked at.
type Checked struct {
	Group Group `json:"group"`
	// Says is what was looked at, one sentence without a period; Skipped why it
	// was not.
	Says    string `json:"says,omitempty"`
	Skipped string `json:"skipped,omitempty"`
}

func newReport(c *checkpoint.Checkpoint, m *model.Model, now time.Time) *Report {
	r := &Report{
		Schema: ReportSchema, Started: now.UTC(), Findings: []Finding{}, Files: []File{}, Counts: map[Severity]int{},
		Checked: []Checked{}, NotCovered: []string{},
		Model: Model{
			Path: c.Path, Root: c.Root, Name: m.Name, Architecture: m.Architecture, Family: m.Family,
			Format: string(c.Format), Layout: string(c.Layout), Tensors: c.Tensors.Len(),
		},
	}
	if c.Hub != nil {
		r.Model.Revision = c.Hub.Revision
	}
	for i := range c.Files {
		r.Files = append(r.Files, File{Name: c.Files[i].Name, Size: c.Files[i].Size})
		r.Model.Bytes += c.Files[i].Size
	}
	return r
}

// uncovered notes what was not looked at, once.
func (r *Report) uncovered(format string, args ...any) {
	if says := fmt.Sprintf(format, args...); !slices.Contains(r.NotCovered, says) {
		r.NotCovered = append(r.NotCovered, says)
	}
}

func (r *Report) checked(g Group, format string, args ...any) {
	r.Checked = append(r.Checked, Checked{Group: g, Says: fmt.Sprintf(format, args...)})
}

func (r *Report) skipped(g Group, why string) {
	r.Checked = append(r.Checked, Checked{Group: g, Skipped: why})
}

// finish adds the findings up to a verdict.
func (r *Report) finish(f *findings, now time.Time) {
	r.Findings, r.Ended = f.list(), now.UTC()
	for _, s := range severities() {
		r.Counts[s] = 0
	}
	for _, x := range r.Findings {
		r.Counts[x.Severity]++
	}
	slices.SortStableFunc(r.Checked, func(a, b Checked) int {
		return slices.Index(Groups(), a.Group) - slices.Index(Groups(), b.Group)
	})
	switch {
	case r.Counts[Broken] > 0:
		r.Verdict = WordBroken
	case r.Stopped != "":
		r.Verdict, r.Reason = Inconclusive, "the audit was "+r.Stopped+" before all was read"
		return
	case r.Counts[Unread] > 0:
		r.Verdict = Inconclusive
	case r.Counts[Suspicious] > 0:
		r.Verdict = WordSuspicious
	default:
		r.Verdict, r.Reason = Sound, "nothing was found where it was looked"
		return
	}
	first := r.Findings[0]
	r.Cause, r.Reason = first.Code, first.Title
}

// counted writes a number with its noun.
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return group3(int64(n)) + " " + noun + "s"
}

// group3 writes a number with a comma after every third digit.
func group3(n int64) string {
	s := fmt.Sprint(n)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}

// size writes bytes as a person says them.
func size(n int64) string {
	units := []string{"bytes", "kB", "MB", "GB", "TB"}
	v, u := float64(n), 0
	for v >= 1000 && u < len(units)-1 {
		v, u = v/1000, u+1
	}
	if u == 0 {
		return fmt.Sprintf("%d %s", n, units[u])
	}
	return fmt.Sprintf("%.3g %s", v, units[u])
}
