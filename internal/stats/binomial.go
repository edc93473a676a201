package stats

import (
	"fmt"
	"math"
)

// ClopperPearson returns the exact two-sided interval for a rate of which k
// events in n independent trials were seen: every p that neither one-sided
// binomial test at (1-conf)/2 rejects,
//
//	lo: P(X >= k | n, lo) = (1-conf)/2,   0 if k = 0
//	hi: P(X <= k | n, hi) = (1-conf)/2,   1 if k = n
//
// Its coverage is at least conf for every p. Source: C. Clopper, E. Pearson,
// Biometrika 26(4), 1934, https://doi.org/10.1093/biomet/26.4.404.
func ClopperPearson(k, n int, conf float64) (lo, hi float64, err error) {
	if n < 1 || k < 0 || k > n || !inOpenUnit(conf) {
		return 0, 0, fmt.Errorf("stats: ClopperPearson needs 0 <= k <= n, n >= 1 and conf in (0,1), got k=%d n=%d conf=%v", k, n, conf)
	}
	tail := (1 - conf) / 2
	// The mirror image keeps the relative precision of an upper limit near 1.
	return binomialLower(k, n, tail), 1 - binomialLower(n-k, n, tail), nil
}

// binomialLower solves P(X >= k | n, p) = tail for p by bisection;
// P(X >= k | n, p) = I_p(k, n-k+1) grows with p.
func binomialLower(k, n int, tail float64) float64 {
	if k == 0 {
		return 0
	}
	lo, hi := 0.0, 1.0
	for {
		mid := lo + (hi-lo)/2
		if mid == lo || mid == hi {
			return mid
		}
		if regularizedBeta(float64(k), float64(n-k+1), mid) < tail {
			lo = mid
		} else {
			hi = mid
		}
	}
}

// ZeroEventsUpper returns the one-sided upper limit, at confidence conf, for
// the rate of an event that n independent trials did not show:
//
//	p = 1 - (1-conf)^(1/n)
//
// the exact form of the "rule of three", p < 3/n at conf = 0.95.
func ZeroEventsUpper(n int, conf float64) (float64, error) {
	if n < 1 || !inOpenUnit(conf) {
		return 0, fmt.Errorf("stats: ZeroEventsUpper needs n >= 1 and conf in (0,1), got n=%d conf=%v", n, conf)
	}
	return -math.Expm1(math.Log1p(-conf) / float64(n)), nil
}

// regularizedBeta is the regularised incomplete beta function I_x(a, b) for
// a, b > 0 and x in [0,1], by its continued fraction (DLMF 8.17.22,
// https://dlmf.nist.gov/8.17#v) evaluated with the modified Lentz method.
// The continued fraction needs about sqrt(max(a, b)) steps.
func regularizedBeta(a, b, x float64) float64 {
	if x <= 0 {
		return 0
	}
	if x >= 1 {
		return 1
	}
	if x > (a+1)/(a+b+2) { // it converges fast only below the mean
		return 1 - regularizedBeta(b, a, 1-x)
	}
	lab, _ := math.Lgamma(a + b)
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	front := math.Exp(lab-la-lb+a*math.Log(x)+b*math.Log1p(-x)) / a

	const tiny = 1e-300
	nonzero := func(v float64) float64 {
		if math.Abs(v) < tiny {
			return tiny
		}
		return v
	}
	c, d := 1.0, 1/nonzero(1-(a+b)*x/(a+1))
	f := d
	for m := 1.0; m < 1e6; m++ {
		even := m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		d = 1 / nonzero(1+even*d)
		c = nonzero(1 + even/c)
		f *= d * c
		odd := -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		d = 1 / nonzero(1+odd*d)
		c = nonzero(1 + odd/c)
		f *= d * c
		if math.Abs(d*c-1) < 1e-15 {
			break
		}
	}
	return front * f
}
