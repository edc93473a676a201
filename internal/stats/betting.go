package stats

import (
	"fmt"
	"math"
)

// bets are the fractions of its capital that each gambler of a BettingMean
// stakes on every observation. Half of the initial capital goes to the one that
// stakes everything: it is the best one when the data are as far from the null
// as they can be, which is the common case here (two equal servers differ by
// 0), and costs ln 2 there. The others share the rest and cover means that lie
// closer to the null; each costs at most ln(2*12) = 3.2 nats against having
// known the best fraction beforehand.
var bets = [...]float64{1, 0.95, 0.8, 0.6, 0.4, 0.27, 0.18, 0.12, 0.08, 0.05, 0.03, 0.02, 0.01}

// boldWeight is the share of the initial capital of bets[0].
const boldWeight = 0.5

// BettingMean is a one-sided, anytime-valid test on the mean of observations
// in [0,1]. For H0: E[x_t | past] <= m, a gambler who stakes the fraction f of
// his capital on each observation at the odds that H0 calls fair or better has
//
//	K_n(f) = prod_t (1 - f + f x_t/m)
//
// which is the capital process 1 + lambda (x_t - m) with lambda = f/m. It is a
// nonnegative supermartingale under H0, and so is the e-value
//
//	E_n = sum_j w_j K_n(f_j),   sum_j w_j = 1
//
// over a fixed grid of f. By Ville's inequality P(some E_n >= 1/alpha) <= alpha
// under H0. No variance, no independence, no sample size fixed beforehand. For
// H0: E[x_t | past] >= m the same is done with 1-x and 1-m.
//
// Source: I. Waudby-Smith, A. Ramdas, "Estimating means of bounded random
// variables by betting", JRSS-B 86(1), 2024, https://arxiv.org/abs/2010.09686:
// the capital process, and averaging over several bettors.
//
// Make one with [NewMeanAtMost] or [NewMeanAtLeast], named for their null.
type BettingMean struct {
	mean       float64 // m, or 1-m when flipped
	flip       bool    // test 1-x
	n          int
	logCapital [len(bets)]float64 // ln(w_j K_n(f_j))
	logE       float64
	maxLogE    float64
}

// NewMeanAtMost returns a test of H0: E[x_t | past] <= m; a large E says that
// the mean is larger than m. m is in (0,1).
func NewMeanAtMost(m float64) (*BettingMean, error) { return newBettingMean(m, false) }

// NewMeanAtLeast returns a test of H0: E[x_t | past] >= m; a large E says that
// the mean is smaller than m. m is in (0,1).
func NewMeanAtLeast(m float64) (*BettingMean, error) { return newBettingMean(m, true) }

func newBettingMean(m float64, flip bool) (*BettingMean, error) {
	if !inOpenUnit(m) {
		return nil, fmt.Errorf("stats: a mean of values in [0,1] is tested against m in (0,1), got %v", m)
	}
	b := &BettingMean{mean: m, flip: flip}
	if flip {
		b.mean = 1 - m
	}
	b.logCapital[0] = math.Log(boldWeight)
	for j := 1; j < len(bets); j++ {
		b.logCapital[j] = math.Log((1 - boldWeight) / float64(len(bets)-1))
	}
	return b, nil
}

// Observe adds one observation. One that is NaN or outside [0,1] is refused and
// changes nothing.
func (b *BettingMean) Observe(x float64) error {
	if math.IsNaN(x) {
		return errNaN
	}
	if x < 0 || x > 1 {
		return fmt.Errorf("stats: observation %v is outside [0,1]", x)
	}
	if b.flip {
		x = 1 - x
	}
	gain := x/b.mean - 1
	for j, f := range bets {
		// At f = 1 and x = 0 this gambler is ruined for good: ln 0 = -Inf.
		b.logCapital[j] += math.Log1p(f * gain)
	}
	b.n++
	b.logE = LogSumExp(b.logCapital[:])
	b.maxLogE = max(b.maxLogE, b.logE)
	return nil
}

// LogE returns ln E_n.
func (b *BettingMean) LogE() float64 { return b.logE }

// E returns the e-value E_n; it overflows to +Inf above 1e308, where LogE does not.
func (b *BettingMean) E() float64 { return math.Exp(b.logE) }

// Reject reports whether the null is rejected at level alpha: whether the
// e-value has reached 1/alpha at any time so far. It is false for alpha outside (0,1).
func (b *BettingMean) Reject(alpha float64) bool {
	return inOpenUnit(alpha) && b.maxLogE >= -math.Log(alpha)
}

// N returns the number of observations.
func (b *BettingMean) N() int { return b.n }

// EquivalenceDecision is the state of an Equivalence test.
type EquivalenceDecision int

// The states of an Equivalence test.
const (
	Undecided EquivalenceDecision = iota // the evidence decides nothing yet
	Same                                 // mean |difference| >= High is ruled out at Beta
	Different                            // mean |difference| <= Low is ruled out at Alpha
)

func (d EquivalenceDecision) String() string {
	switch d {
	case Undecided:
		return "undecided"
	case Same:
		return "same"
	case Different:
		return "different"
	}
	return fmt.Sprintf("EquivalenceDecision(%d)", int(d))
}

// EquivalenceConfig states when two servers count as the same: by the mean of
// their absolute difference in log-probability, each difference clipped at Scale.
type EquivalenceConfig struct {
	Low   float64 // nats; mean differences up to Low must not be called different
	High  float64 // nats; mean differences from High on must not be called the same; 0 < Low <= High < Scale
	Scale float64 // nats; larger differences count as Scale, so that one outlier can't decide

	Alpha float64 // bound on P(Different) where the mean is <= Low
	Beta  float64 // bound on P(Same) where the mean is >= High
}

func (c EquivalenceConfig) validate() error {
	if !(c.Low > 0 && c.Low <= c.High && c.High < c.Scale && !math.IsInf(c.Scale, 1)) || !inOpenUnit(c.Low/c.Scale) {
		return fmt.Errorf("stats: Equivalence needs 0 < Low <= High < Scale < Inf, got Low=%v High=%v Scale=%v", c.Low, c.High, c.Scale)
	}
	if !inOpenUnit(c.Alpha) || !inOpenUnit(c.Beta) {
		return fmt.Errorf("stats: Equivalence needs Alpha and Beta in (0,1), got %v and %v", c.Alpha, c.Beta)
	}
	return nil
}

// SamplesIfEqual returns how many observations suffice for Same when every
// difference is 0, for planning how much to ask:
//
//	n = ceil( ln(2/Beta) / -ln(1 - High/Scale) )
//
// The 2 pays for not knowing beforehand that all are 0.
func (c EquivalenceConfig) SamplesIfEqual() (int, error) {
	if err := c.validate(); err != nil {
		return 0, err
	}
	return int(math.Ceil(math.Log(1/(boldWeight*c.Beta)) / -math.Log1p(-c.High/c.Scale))), nil
}

// Equivalence decides sequentially whether two servers give the same
// log-probabilities. On x = min(|difference|, Scale)/Scale it runs two
// [BettingMean] tests,
//
//	Different  once H0: E[x] <= Low/Scale  is rejected at Alpha,
//	Same       once H0: E[x] >= High/Scale is rejected at Beta,
//
// and stays Undecided otherwise. A mean strictly between Low and High may end
// as either. The first decision is final, later observations are ignored.
//
// Both rates hold if the stated bound holds for each observation given the past.
// Where prompts differ in difficulty, observe one mean of clipped differences
// per request and not one difference per token. Make one with [NewEquivalence].
type Equivalence struct {
	scale       float64
	alpha, beta float64
	atMostLow   *BettingMean
	atLeastHigh *BettingMean
	sum         float64 // nats
	decision    EquivalenceDecision
}

// NewEquivalence returns a test that has seen nothing.
func NewEquivalence(c EquivalenceConfig) (*Equivalence, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	low, err := NewMeanAtMost(c.Low / c.Scale)
	if err != nil {
		return nil, err
	}
	high, err := NewMeanAtLeast(c.High / c.Scale)
	if err != nil {
		return nil, err
	}
	return &Equivalence{scale: c.Scale, alpha: c.Alpha, beta: c.Beta, atMostLow: low, atLeastHigh: high}, nil
}

// Observe adds one difference in nats, of either sign; an infinite one counts
// as Scale. NaN is refused and changes nothing: the caller knows whether a NaN
// log-probability is a fault of the server (it is) or of the measurement.
func (e *Equivalence) Observe(difference float64) error {
	if math.IsNaN(difference) {
		return errNaN
	}
	if e.decision != Undecided {
		return nil
	}
	d := min(math.Abs(difference), e.scale)
	if err := e.atMostLow.Observe(d / e.scale); err != nil {
		return err
	}
	if err := e.atLeastHigh.Observe(d / e.scale); err != nil {
		return err
	}
	e.sum += d
	switch {
	case e.atMostLow.Reject(e.alpha):
		e.decision = Different
	case e.atLeastHigh.Reject(e.beta):
		e.decision = Same
	}
	return nil
}

// Decision returns what has been decided so far.
func (e *Equivalence) Decision() EquivalenceDecision { return e.decision }

// N returns the number of observations that the decision rests on.
func (e *Equivalence) N() int { return e.atMostLow.N() }

// Mean returns the mean clipped |difference| in nats, and NaN before the first
// observation.
func (e *Equivalence) Mean() float64 { return e.sum / float64(e.N()) }

// LogE returns the log e-values for Different and for Same.
func (e *Equivalence) LogE() (different, same float64) {
	return e.atMostLow.LogE(), e.atLeastHigh.LogE()
}
