package enginetest

import (
	"net/http"
	"strings"
)

func aliveFaults() []Fault {
	return []Fault{
		{
			Name: "all-500", Says: "every request for text is answered with status 500",
			Expect: "alive.completes", Verdict: "wrong",
			Apply: func(f *Front) {
				f.Hooks.Take = func(w http.ResponseWriter, _ *http.Request, _ *Call) bool {
					f.Fail(w, http.StatusInternalServerError, "EngineCore encountered an issue. See stack trace for the root cause.")
					return true
				}
			},
		},
		{
			Name: "hang", Says: "some requests get no answer at all", Dialects: []Dialect{SGLang, OpenAI},
			Expect: "alive.responsive", Verdict: "degraded",
			Apply: func(f *Front) {
				f.Hooks.Take = func(_ http.ResponseWriter, r *http.Request, c *Call) bool {
					if !aboutTheSea(c) {
						return false
					}
					<-r.Context().Done()
					return true
				}
			},
		},
		{
			Name: "hang-body", Says: "some answers stop after their headers", Dialects: []Dialect{LlamaCPP, VLLM},
			Expect: "alive.responsive", Verdict: "degraded",
			Apply: func(f *Front) {
				f.Hooks.Take = func(w http.ResponseWriter, r *http.Request, c *Call) bool {
					if !aboutTheSea(c) {
						return false
					}
					w.Header().Set("Content-Type", "application/json")
					w.WriteHeader(http.StatusOK)
					_ = http.NewResponseController(w).Flush()
					<-r.Context().Done()
					return true
				}
			},
		},
	}
}

// aboutTheSea is one request of a run on which no other check depends.
func aboutTheSea(c *Call) bool { return c.Sampled() && strings.Contains(c.Question(), "sea") }
