package pyrun

import (
	"math"
	"math/big"
)

// The functions here compute with far more than 53 bits and round once, so their
// results are correctly rounded but for cases of about one in 2^60. C libraries
// are within a fraction of an ulp of that; Go's math.Pow, Log and Exp are not.

const workBits = 180

func bf(x float64) *big.Float { return new(big.Float).SetPrec(workBits).SetFloat64(x) }

func toF64(x *big.Float) float64 {
	f, _ := x.Float64()
	return f
}

// ln2 is log(2) = 2 atanh(1/3).
func ln2() *big.Float { return lnNear(bf(2)) }

// lnNear is log(x) for x near 1: 2 atanh((x-1)/(x+1)), by its power series.
func lnNear(x *big.Float) *big.Float {
	one := bf(1)
	t := new(big.Float).Quo(new(big.Float).Sub(x, one), new(big.Float).Add(x, one))
	t2 := new(big.Float).Mul(t, t)
	sum := bf(0)
	term := new(big.Float).Set(t)
	for k := 1.0; ; k += 2 {
		d := new(big.Float).Quo(term, bf(k))
		sum.Add(sum, d)
		if d.Sign() == 0 || d.MantExp(nil) < sum.MantExp(nil)-workBits {
			return sum.Mul(sum, bf(2))
		}
		term.Mul(term, t2)
	}
}

// bigLog is log(x) for x > 0.
func bigLog(x *big.Float) *big.Float {
	m := new(big.Float)
	e := x.MantExp(m) // x = m 2^e, 1/2 <= m < 1
	if f := toF64(m); f < math.Sqrt2/2 {
		m.Mul(m, bf(2))
		e--
	}
	m.SetPrec(workBits)
	if e == 0 {
		return lnNear(m)
	}
	return new(big.Float).Add(lnNear(m), new(big.Float).Mul(ln2(), bf(float64(e))))
}

// bigExp is exp(x) for |x| < 1000.
func bigExp(x *big.Float) *big.Float {
	k := math.Round(toF64(x) / math.Ln2)
	r := new(big.Float).Sub(x, new(big.Float).Mul(ln2(), bf(k)))
	r.SetMantExp(r, -8) // r/256: then square eight times
	sum, term := bf(1), bf(1)
	for n := 1.0; n < 60; n++ {
		term.Mul(term, r)
		term.Quo(term, bf(n))
		sum.Add(sum, term)
		if term.Sign() == 0 || term.MantExp(nil) < -workBits {
			break
		}
	}
	for range 8 {
		sum.Mul(sum, sum)
	}
	return sum.SetMantExp(sum, int(k))
}

// pow is C's pow.
func pow(a, b float64) float64 {
	switch {
	case b == 0 || a == 1:
		return 1
	case a == 0, math.IsNaN(a), math.IsNaN(b), math.IsInf(a, 0), math.IsInf(b, 0):
		return math.Pow(a, b)
	case b == 1:
		return a
	case b == 0.5:
		return math.Sqrt(a)
	case b == 2:
		return a * a
	}
	sign := 1.0
	if a < 0 {
		if b != math.Trunc(b) {
			return math.NaN()
		}
		if math.Mod(b, 2) != 0 {
			sign = -1
		}
		a = -a
		if a == 1 {
			return sign
		}
	}
	rough := b * math.Log2(a)
	if rough > 1030 {
		return math.Inf(int(sign))
	}
	if rough < -1090 {
		return sign * 0
	}
	if b == math.Trunc(b) && 0 < b && b <= 64 { // exactly
		z, x := bf(1).SetPrec(4000), bf(a).SetPrec(4000)
		for n := int(b); n > 0; n >>= 1 {
			if n&1 == 1 {
				z.Mul(z, x)
			}
			x.Mul(x, x)
		}
		return sign * toF64(z)
	}
	z := new(big.Float).Mul(bigLog(bf(a)), bf(b))
	return sign * toF64(bigExp(z))
}

func logOf(x float64) float64 {
	if x == 1 {
		return 0
	}
	return toF64(bigLog(bf(x)))
}

func log2Of(x float64) float64 {
	if m, e := math.Frexp(x); m == 0.5 {
		return float64(e - 1)
	}
	return toF64(new(big.Float).Quo(bigLog(bf(x)), ln2()))
}

func log10Of(x float64) float64 {
	if x == 1 {
		return 0
	}
	z := new(big.Float).Quo(bigLog(bf(x)), bigLog(bf(10)))
	f := toF64(z)
	if r := math.Round(f); r == f || math.Abs(f-r) < 1e-12 {
		if 0 < r && r < 23 && pow(10, r) == x { // exact powers
			return r
		}
	}
	return f
}

func expOf(x float64) float64 {
	switch {
	case x == 0:
		return 1
	case math.IsNaN(x) || math.IsInf(x, 0):
		return math.Exp(x)
	case x > 720:
		return math.Inf(1)
	case x < -760:
		return 0
	}
	return toF64(bigExp(bf(x)))
}
