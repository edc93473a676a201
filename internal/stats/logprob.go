package stats

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
)

// Probabilities that a server reports come from a softmax in float32, printed
// with few digits, so their sum misses 1 by a little.
const (
	massFloor = 1e-6  // the smallest mass that "1 - sum" can be trusted to tell from 0
	massSlack = 0.005 // a list whose sum exceeds 1 by more is no list of probabilities
)

// LogSumExp returns ln(sum_i exp(x_i)) without overflow: -Inf for no terms, NaN
// if a term is NaN.
func LogSumExp(xs []float64) float64 {
	top := math.Inf(-1)
	for _, x := range xs {
		top = max(top, x) // NaN if x is
	}
	if math.IsInf(top, 0) || math.IsNaN(top) {
		return top
	}
	sum := 0.0
	for _, x := range xs {
		sum += math.Exp(x - top)
	}
	return top + math.Log(sum)
}

// Perplexity returns exp(-(1/n) sum_t ln p_t) of tokens with the given
// log-probabilities in nats. A server gives null for tokens that it did not
// score, the first of a prompt for one: the caller leaves those out.
func Perplexity(logprobs []float64) (float64, error) {
	if len(logprobs) == 0 {
		return 0, errors.New("stats: perplexity of no tokens")
	}
	sum := 0.0
	for _, lp := range logprobs {
		if err := checkLogprob(lp); err != nil {
			return 0, err
		}
		sum += lp
	}
	return math.Exp(-sum / float64(len(logprobs))), nil
}

// EntropyLowerBound returns a lower bound in nats on the Shannon entropy of a
// distribution of which the top k log-probabilities are known; with all of
// them, r = 0 and it is the entropy itself:
//
//	H >= -sum_{i<=k} p_i ln p_i + r * max(-ln r, -ln p_min),   r = 1 - sum_{i<=k} p_i
//
// because every outcome not listed has a probability <= min(r, p_min), p_min
// being the smallest listed one, so that each of them weighs its share of r
// with at least that surprise. A uniform distribution over V tokens gives ln V
// for any k, which is how a NaN turned into equal logits is told from a
// confident model.
//
// The list must be the top k alone: an engine that appends the sampled token
// when it is not among them makes p_min too small.
func EntropyLowerBound(topLogprobs []float64) (float64, error) {
	if len(topLogprobs) == 0 {
		return 0, errors.New("stats: entropy of no outcomes")
	}
	h, mass, least := 0.0, 0.0, 0.0
	for _, lp := range topLogprobs {
		if err := checkLogprob(lp); err != nil {
			return 0, err
		}
		p := math.Exp(lp)
		h -= xlogy(p, p)
		mass += p
		least = min(least, lp)
	}
	if err := checkMass(mass); err != nil {
		return 0, err
	}
	if r := 1 - mass; r > massFloor {
		// least is -Inf if an impossible outcome is listed; then nothing is left over.
		if math.IsInf(least, -1) {
			return 0, fmt.Errorf("stats: an outcome of probability 0 is listed, but the others sum to %v", mass)
		}
		h += r * max(-math.Log(r), -least)
	}
	return max(0, h), nil
}

// KLLowerBound returns a lower bound in nats on
//
//	KL(P || Q) = sum_x P(x) ln(P(x)/Q(x))
//
// from lists that hold the log-probabilities of some outcomes only, such as the
// top k of each, keyed by token. With all outcomes in both lists it is the
// divergence itself.
//
// # Why it is a lower bound
//
// Merging outcomes into cells can only lower a divergence (the data-processing
// inequality; for KL it is the log-sum inequality: T. Cover, J. Thomas,
// "Elements of Information Theory", theorem 2.7.1). The cells are
//
//	each outcome in both lists        P and Q known
//	B: the outcomes in Q's list only  Q(B) = b known;  P(B) = s unknown
//	R: the outcomes not in Q's list   Q(R) = r known;  P(R) = t - s
//
// with t = 1 - P(common). All that P's list says on s is 0 <= s <= 1 - P(listed),
// and the s in that range which gives the least divergence is taken:
//
//	KL >= sum_common p ln(p/q) + min_s [ s ln(s/b) + (t-s) ln((t-s)/r) ],
//	s = min( t b/(b+r), 1 - P(listed) )
//
// Were the whole remainder lumped into one cell, two lists without a common
// token would show a divergence of 0; kept apart, they show the most.
//
// r is taken as at least 1e-6, since a rounded sum can't tell less from
// nothing; that too only lowers the result.
func KLLowerBound[K cmp.Ordered](p, q map[K]float64) (float64, error) {
	pListed, err := listedMass(p)
	if err != nil {
		return 0, fmt.Errorf("first distribution: %w", err)
	}
	qListed, err := listedMass(q)
	if err != nil {
		return 0, fmt.Errorf("second distribution: %w", err)
	}
	kl, pCommon, qOnly := 0.0, 0.0, 0.0
	for _, token := range slices.Sorted(maps.Keys(q)) { // sorted: the same sum every time
		lq := q[token]
		lp, common := p[token]
		if !common {
			qOnly += math.Exp(lq)
			continue
		}
		if mass := math.Exp(lp); mass > 0 {
			kl += mass * (lp - lq)
			pCommon += mass
		}
	}
	r := max(massFloor, 1-qListed)
	t := max(0, 1-pCommon)
	s := min(t*qOnly/(qOnly+r), max(massFloor, 1-pListed))
	kl += xlogy(s, s/qOnly) + xlogy(t-s, (t-s)/r)
	return max(0, kl), nil
}

// listedMass is the sum of the listed probabilities, checked.
func listedMass[K cmp.Ordered](logprobs map[K]float64) (float64, error) {
	if len(logprobs) == 0 {
		return 0, errors.New("stats: no outcomes")
	}
	mass := 0.0
	for _, token := range slices.Sorted(maps.Keys(logprobs)) {
		if err := checkLogprob(logprobs[token]); err != nil {
			return 0, err
		}
		mass += math.Exp(logprobs[token])
	}
	return mass, checkMass(mass)
}

// xlogy is x ln y, and 0 for x = 0 whatever y is.
func xlogy(x, y float64) float64 {
	if x == 0 {
		return 0
	}
	return x * math.Log(y)
}

func checkLogprob(lp float64) error {
	if math.IsNaN(lp) {
		return errNaN
	}
	if lp > massSlack {
		return fmt.Errorf("stats: %v is no log-probability: it is positive", lp)
	}
	return nil
}

func checkMass(mass float64) error {
	if mass > 1+massSlack {
		return fmt.Errorf("stats: listed probabilities sum to %v, above 1", mass)
	}
	return nil
}
