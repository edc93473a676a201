// Package verify judges a running LLM server: is what it says what its weights
// say? It holds the probes that ask, the checks that judge, and the rules by
// which many checks become one verdict.
//
// # Model
//
// A probe sends a few requests and records an Observation: what was sent, what
// came back, when. A check is a pure function over the observations of a run
// (a Record) with a stable id, one question, a ceiling and the checks it
// depends on. Many checks share one probe: that is how fifty checks fit in
// twenty requests. Since checks are pure, a stored Record can be judged again,
// by a later kilter too, and always gives the same outcomes.
//
//	cli -> Connect -> Run(probes) -> Record -> Judge(checks) -> Report
//
// # Outcomes
//
// A check ends in one of five outcomes.
//
//	pass          the question was answered, and well
//	fail          it was answered badly; Effect says how much that weighs
//	warn          something a person should know, which changes no verdict
//	inconclusive  what was seen does not suffice to answer
//	skipped       it was not asked: the level, --only/--skip, the budget, or
//	              a server that does not offer what is needed
//
// inconclusive and skipped are never counted as a pass.
//
// # How outcomes add up
//
// Each check declares a ceiling: the worst that a failure may cause, which is
// note, degraded or wrong. A failure's Effect is at most its ceiling. Healthy
// models loop, and small ones can't count, so loops and sums have low
// ceilings; a NaN has none of these excuses.
//
//  1. A failed check whose dependencies (followed to the end) hold a failed
//     check is a consequence: it is kept, marked with its cause, and does not
//     add to the verdict. A check may depend only on checks of at least its
//     own ceiling, and only a failure that weighs at least as much hides
//     another, so that nothing is hidden by something lighter.
//  2. If an effect of wrong remains, the verdict is wrong; else if an effect
//     of degraded remains, it is degraded.
//  3. Else, if the run was interrupted or met its deadline, or most of its
//     requests were left out for the budget or put off by the server, or a
//     check that is marked Essential was selected and is inconclusive or skipped, or nothing
//     at all was judged, the verdict is inconclusive, and says why.
//  4. Else, if a reference agreed inside an envelope that meets Envelope.Proves,
//     the verdict is proven.
//  5. Else it is consistent.
//
// --only and --skip narrow the question; the report then says so, and proven
// can't be reached.
//
// # Which checks are tests in the statistical sense
//
// Where there is a null hypothesis with a probability behind it (agreement with
// a reference, equality of two servers), a check runs a sequential test with
// stated alpha and beta, from package stats. Everywhere else the rule is
// declared in words on the check's page and has no error rate, and none is
// invented for it: the false-alarm rate of such rules is measured on healthy
// servers (docs/verify.md) and reported as an interval.
//
// # Politeness
//
// A server that kilter did not start has other users. Requests go one after
// the other, caches are left alone, and the run waits while the server reports
// that requests of others are queued. Certain garbage ends a run at once.
package verify
