package verify

import (
	"fmt"
	"math"

	"kilter/internal/dialect"
)

const probeReference = "reference"

// A ReferenceRecord keeps what the reference said beside what the server said,
// so that the comparison can be judged again without the reference.
type ReferenceRecord struct {
	Name string `json:"name"`
	// Fail says why the reference gave no answer.
	Fail   string           `json:"fail,omitempty"`
	Points []ReferencePoint `json:"points,omitempty"`
}

// A ReferencePoint is one position of a scored sequence.
type ReferencePoint struct {
	Server       dialect.Number `json:"server"`
	ServerArgMax int            `json:"server_argmax"`
	Reference    Position       `json:"reference"`
}

func needReference(s *session) string {
	if s.o.Reference == nil {
		return "no reference was given"
	}
	return needScores(s)
}

// runReference has the server and the reference score the same tokens.
func runReference(s *session) {
	ids := s.plainIDs()
	if len(ids) < 2 {
		return
	}
	r := s.scoreRequest(ids, s.rec.Server.Caps)
	shot := s.ask("plain", "scores for the reference", bound, r)
	rec := &ReferenceRecord{Name: s.o.Reference.Name()}
	s.obs.Reference = rec
	if shot.Exchange == nil || len(shot.Exchange.Scores) == 0 {
		rec.Fail = "the server scored nothing"
		return
	}
	s.tell("the reference's own scores", false)
	ctx, cancel := s.bounded()
	defer cancel()
	out, err := s.o.Reference.Score(ctx, [][]int{r.Tokens})
	if err != nil {
		rec.Fail = err.Error()
		return
	}
	if len(out) != 1 || len(out[0]) != len(r.Tokens) {
		rec.Fail = "it scored another number of positions"
		return
	}
	for _, sc := range shot.Exchange.Scores {
		best, found := 0, false
		top := dialect.Number{}
		for _, t := range sc.Top {
			if t.ID != nil && t.Logprob.IsFinite() && (!found || t.Logprob.Value > top.Value) {
				best, top, found = *t.ID, t.Logprob, true
			}
		}
		if !found || sc.Pos <= 0 || sc.Pos >= len(out[0]) {
			continue
		}
		lp := sc.Logprob
		if lp.Kind == dialect.Missing {
			continue // not among the server's top tokens: nothing to compare
		}
		if p := out[0][sc.Pos]; math.IsNaN(p.Logprob+p.Margin) || math.IsInf(p.Logprob+p.Margin, 0) {
			rec.Fail = fmt.Sprintf("its log-probability of position %d is not finite", sc.Pos)
			return
		}
		rec.Points = append(rec.Points, ReferencePoint{Server: lp, ServerArgMax: best, Reference: out[0][sc.Pos]})
	}
}
