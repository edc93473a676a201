package verify

import "context"

// A Reference is an independent source of truth about the served weights: the
// oracle on the checkpoint as deployed, or the engine's own emulation backend.
// A second endpoint is no reference, since two broken servers can agree.
type Reference interface {
	// Name says what the reference is, for reports: "oracle on /models/q (exact)".
	Name() string
	// Score returns, for each sequence of token ids, the log-probabilities of
	// every position given the tokens before it: out[i][t] belongs to
	// seqs[i][t] and has Positions' zero value at t = 0. All sequences come in
	// one call, since a reference may read its weights once for all of them.
	Score(ctx context.Context, seqs [][]int) ([][]Position, error)
}

// A Position is what a reference says of one position: the log-probability of
// the given token, and the most likely token with its margin over the second
// (nats). Near-ties (a small margin) carry little evidence.
type Position struct {
	Logprob float64 `json:"logprob"`
	ArgMax  int     `json:"argmax"`
	Margin  float64 `json:"margin"`
}
