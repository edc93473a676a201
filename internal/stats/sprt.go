package stats

import (
	"fmt"
	"math"
)

// Decision is the state of an SPRT.
type Decision int

// The states of an SPRT.
const (
	Continue      Decision = iota // the evidence decides nothing yet
	AcceptHealthy                 // the broken hypothesis is ruled out at Beta
	RejectHealthy                 // the healthy hypothesis is ruled out at Alpha
)

func (d Decision) String() string {
	switch d {
	case Continue:
		return "continue"
	case AcceptHealthy:
		return "accept healthy"
	case RejectHealthy:
		return "reject healthy"
	}
	return fmt.Sprintf("Decision(%d)", int(d))
}

// SPRTConfig states two hypotheses on how often a token agrees with its
// reference, and how often each may be wrongly ruled out.
type SPRTConfig struct {
	P0 float64 // agreement of a healthy server, at least
	P1 float64 // agreement of a broken server, at most; 0 < P1 < P0 < 1

	Alpha float64 // bound on P(RejectHealthy) where agreement is >= P0: a false alarm
	Beta  float64 // bound on P(AcceptHealthy) where agreement is <= P1: a miss

	// ClusterCap bounds the |log ratio| in nats that one cluster, the tokens of
	// one request, may add. 0 means no cap. A cap c makes every decision rest on
	// more than ln(1/Alpha)/c requests: 7 nats at Alpha = 1e-6 means two, 5 means
	// three. Each request pays a charge of ln(1+exp(-c)) for the cap (see SPRT):
	// 0.001 nats at c = 7, 0.007 at 5, 0.13 at 2. A request must bring more than
	// that in the mean, or the test never ends: requests of one token want a
	// large cap or none. At c <= 0.4812 the charge would exceed the cap itself,
	// which is refused.
	ClusterCap float64
}

func (c SPRTConfig) validate() error {
	switch {
	case !inOpenUnit(c.P0) || !inOpenUnit(c.P1) || c.P1 >= c.P0:
		return fmt.Errorf("stats: SPRT needs 0 < P1 < P0 < 1, got P1=%v P0=%v", c.P1, c.P0)
	case !inOpenUnit(c.Alpha) || !inOpenUnit(c.Beta) || c.Alpha+c.Beta >= 1:
		return fmt.Errorf("stats: SPRT needs Alpha and Beta in (0,1) with a sum below 1, got %v and %v", c.Alpha, c.Beta)
	case c.ClusterCap != 0 && !(c.ClusterCap > math.Log(math.Phi)):
		return fmt.Errorf("stats: SPRT needs ClusterCap 0 (none) or above %.4f nats, got %v", math.Log(math.Phi), c.ClusterCap)
	}
	return nil
}

// ExpectedSamples returns Wald's lower bounds on the mean number of
// observations of any sequential test with these error rates, without a
// cluster cap:
//
//	E[N | broken]  >= kl(1-beta, alpha) / kl(p1, p0)   (about ln(1/alpha) / kl(p1, p0))
//	E[N | healthy] >= kl(alpha, 1-beta) / kl(p0, p1)   (about ln(1/beta)  / kl(p0, p1))
//
// where kl(a, b) = a ln(a/b) + (1-a) ln((1-a)/(1-b)). What an SPRT needs above
// that is the overshoot of its last step. Source: A. Wald, "Sequential tests of
// statistical hypotheses", Ann. Math. Statist. 16(2), 1945,
// https://doi.org/10.1214/aoms/1177731118.
func (c SPRTConfig) ExpectedSamples() (broken, healthy float64, err error) {
	if err := c.validate(); err != nil {
		return 0, 0, err
	}
	broken = bernoulliKL(1-c.Beta, c.Alpha) / bernoulliKL(c.P1, c.P0)
	healthy = bernoulliKL(c.Alpha, 1-c.Beta) / bernoulliKL(c.P0, c.P1)
	return broken, healthy, nil
}

// bernoulliKL is KL(Bernoulli(a) || Bernoulli(b)) in nats, for a and b in (0,1).
func bernoulliKL(a, b float64) float64 {
	return a*math.Log(a/b) + (1-a)*math.Log((1-a)/(1-b))
}

// SPRT is Wald's sequential probability ratio test on yes/no agreement. Each
// observation adds
//
//	ln(P1/P0)          when the token agrees      (negative: towards healthy)
//	ln((1-P1)/(1-P0))  when it does not           (positive: towards broken)
//
// and the test ends when the sum leaves (-ln(1/Beta), ln(1/Alpha)). These
// boundaries lie slightly outside Wald's ln((1-Beta)/Alpha) and its mirror
// image; in return both error rates are bounds (Ville's inequality) and not
// approximations, and hold when the agreement given the past is anything >= P0
// or <= P1. The first decision is final, later observations are ignored: use
// one SPRT for each thing to be judged (prefill, decode, cold cache), not one
// for all of them.
//
// # The cluster cap
//
// Tokens of one prompt rise and fall together, so many of them from one prompt
// are less evidence than they look. With a cap c, cluster i adds clip(L_i, -c, c),
// where L_i is the sum over its observations. Clipping from below breaks the
// martingale: E0[exp(clip L)] may exceed 1. But
//
//	exp(clip(L, -c, c)) <= exp(L) + exp(-c),   so   E0[exp(clip L)] <= 1 + exp(-c)
//
// and likewise for -L where the server is broken. Every cluster is therefore
// charged ln(1 + exp(-c)) against whichever decision is asked for (0.007
// nats at c = 5), which restores both bounds exactly, also in mid-cluster,
// since exp(L_t) + exp(-c) is itself a martingale.
//
// Agreement that varies from prompt to prompt around P0 is outside both
// hypotheses; there the cap does not prove a rate, it demands several prompts
// to say the same. Make an SPRT with [NewSPRT].
type SPRT struct {
	agree, differ       float64 // log ratio of one observation
	logAlpha, logBeta   float64 // ln(1/Alpha), ln(1/Beta)
	clusterCap          float64 // +Inf without a cap
	charge              float64 // ln(1 + exp(-cap)), by cluster
	closed              float64 // sum of the clipped shares of finished clusters
	current             float64 // unclipped share of the open cluster
	clusterObservations int     // in the open cluster
	observations        int
	clusters            int // with at least one observation
	decision            Decision
}

// NewSPRT returns a test that has seen nothing.
func NewSPRT(c SPRTConfig) (*SPRT, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	s := &SPRT{
		agree:      math.Log(c.P1 / c.P0),
		differ:     math.Log((1 - c.P1) / (1 - c.P0)),
		logAlpha:   -math.Log(c.Alpha),
		logBeta:    -math.Log(c.Beta),
		clusterCap: math.Inf(1),
	}
	if c.ClusterCap != 0 {
		s.clusterCap = c.ClusterCap
		s.charge = math.Log1p(math.Exp(-c.ClusterCap))
	}
	return s, nil
}

// NextCluster says that the observations that follow come from another request.
// Without a cap it changes nothing but the count of clusters.
func (s *SPRT) NextCluster() {
	if s.decision != Continue {
		return
	}
	s.closed += s.clip(s.current)
	s.current = 0
	s.clusterObservations = 0
}

// Observe adds one observation and returns the decision after it. Feed the
// tokens of one request one after another; requests in flight together are fed
// as each completes.
func (s *SPRT) Observe(agree bool) Decision {
	if s.decision != Continue {
		return s.decision
	}
	if s.clusterObservations == 0 {
		s.clusters++
	}
	s.clusterObservations++
	s.observations++
	if agree {
		s.current += s.agree
	} else {
		s.current += s.differ
	}
	ratio, charged := s.LogRatio(), float64(s.clusters)*s.charge
	switch {
	case ratio-charged >= s.logAlpha:
		s.decision = RejectHealthy
	case ratio+charged <= -s.logBeta:
		s.decision = AcceptHealthy
	}
	return s.decision
}

func (s *SPRT) clip(x float64) float64 { return max(-s.clusterCap, min(s.clusterCap, x)) }

// Decision returns what has been decided so far.
func (s *SPRT) Decision() Decision { return s.decision }

// LogRatio returns the evidence so far in nats, positive towards broken: the
// sum of the clusters' capped log-likelihood ratios, before the charge.
func (s *SPRT) LogRatio() float64 { return s.closed + s.clip(s.current) }

// Observations returns how many observations the decision rests on, and from
// how many clusters they came.
func (s *SPRT) Observations() (n, clusters int) { return s.observations, s.clusters }
