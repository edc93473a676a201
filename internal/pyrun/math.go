package pyrun

import (
	"math"
	"math/big"

	"kilter/internal/pyast"
)

// newMath defines the part of math that is implemented; known is the rest.
func newMath(in *interp, m *module) {
	m.known = " acos acosh asin asinh atan atan2 atanh cbrt cos cosh degrees erf erfc exp2 expm1 fma fmax fmin frexp gamma isnormal " +
		"issubnormal ldexp lgamma log1p modf nextafter radians remainder signbit sin sinh sumprod tan tanh ulp integer "
	m.ns["pi"], m.ns["e"], m.ns["tau"] = math.Pi, math.E, 2*math.Pi
	m.ns["inf"], m.ns["nan"] = math.Inf(1), math.NaN()
	def := func(name string, min, max int, fn builtinFunc, kw ...string) {
		m.ns[name] = &builtin{name: name, min: min, max: max, kw: kw, fn: fn, id: in.newID()}
	}
	domain := func(in *interp) error { return in.raise(in.t.ValueError, "math domain error") }
	float := func(name string, cost int64, f func(in *interp, x float64) (value, error)) {
		def(name, 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
			x, err := in.toFloat(a[0])
			if err != nil {
				return nil, err
			}
			if err := in.charge(cost); err != nil {
				return nil, err
			}
			return f(in, x)
		})
	}
	float("sqrt", 1, func(in *interp, x float64) (value, error) {
		if x < 0 {
			return nil, domain(in)
		}
		return math.Sqrt(x), nil
	})
	float("fabs", 1, func(in *interp, x float64) (value, error) { return math.Abs(x), nil })
	float("isnan", 1, func(in *interp, x float64) (value, error) { return math.IsNaN(x), nil })
	float("isinf", 1, func(in *interp, x float64) (value, error) { return math.IsInf(x, 0), nil })
	float("isfinite", 1, func(in *interp, x float64) (value, error) { return !math.IsInf(x, 0) && !math.IsNaN(x), nil })
	float("exp", 20, func(in *interp, x float64) (value, error) {
		z := expOf(x)
		if math.IsInf(z, 0) && !math.IsInf(x, 0) {
			return nil, in.raise(in.t.OverflowError, "math range error")
		}
		return z, nil
	})
	rounding := func(name string, f func(float64) float64) {
		def(name, 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
			if isInt(a[0]) {
				return plainInt(a[0]), nil
			}
			x, err := in.toFloat(a[0])
			if err != nil {
				return nil, err
			}
			return in.floatToInt(f(x))
		})
	}
	rounding("floor", math.Floor)
	rounding("ceil", math.Ceil)
	rounding("trunc", math.Trunc)
	def("log", 1, 2, func(in *interp, a []value, _ kwargs) (value, error) {
		x, err := in.logOf(a[0], logOf)
		if err != nil || len(a) == 1 {
			return x, err
		}
		b, err := in.logOf(a[1], logOf)
		if err != nil {
			return nil, err
		}
		return in.binary(pyast.Div, x, b)
	})
	def("log2", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) { return in.logOf(a[0], log2Of) })
	def("log10", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) { return in.logOf(a[0], log10Of) })
	binary := func(name string, f func(in *interp, x, y float64) (value, error)) {
		def(name, 2, 2, func(in *interp, a []value, _ kwargs) (value, error) {
			x, err := in.toFloat(a[0])
			if err != nil {
				return nil, err
			}
			y, err := in.toFloat(a[1])
			if err != nil {
				return nil, err
			}
			return f(in, x, y)
		})
	}
	binary("pow", func(in *interp, x, y float64) (value, error) {
		if x == 0 && y < 0 || x < 0 && y != math.Trunc(y) && !math.IsInf(x, 0) {
			return nil, domain(in)
		}
		if err := in.charge(20); err != nil {
			return nil, err
		}
		z := pow(x, y)
		if math.IsInf(z, 0) && !math.IsInf(x, 0) && !math.IsInf(y, 0) {
			return nil, in.raise(in.t.OverflowError, "math range error")
		}
		return z, nil
	})
	binary("copysign", func(in *interp, x, y float64) (value, error) { return math.Copysign(x, y), nil })
	binary("fmod", func(in *interp, x, y float64) (value, error) {
		if y == 0 && !math.IsNaN(x) || math.IsInf(x, 0) && !math.IsNaN(y) {
			return nil, domain(in)
		}
		return math.Mod(x, y), nil
	})
	newMathMore(in, def)
}

func newMathMore(in *interp, def func(string, int, int, builtinFunc, ...string)) {
	def("hypot", 0, -1, func(in *interp, a []value, _ kwargs) (value, error) {
		if len(a) != 2 {
			return nil, unsupported("math.hypot of %d numbers", len(a))
		}
		x, err := in.toFloat(a[0])
		if err != nil {
			return nil, err
		}
		y, err := in.toFloat(a[1])
		if err != nil {
			return nil, err
		}
		if math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsNaN(x) || math.IsNaN(y) {
			return math.Hypot(x, y), nil
		}
		s := new(big.Float).Add(new(big.Float).Mul(bf(x).SetPrec(2200), bf(x)), new(big.Float).Mul(bf(y).SetPrec(2200), bf(y)))
		if s.Sign() == 0 {
			return 0.0, nil
		}
		return toF64(s.Sqrt(s.SetPrec(workBits))), in.charge(20)
	})
	newMathInts(in, def)
	def("isclose", 2, 2, func(in *interp, a []value, kw kwargs) (value, error) {
		x, err := in.toFloat(a[0])
		if err != nil {
			return nil, err
		}
		y, err := in.toFloat(a[1])
		if err != nil {
			return nil, err
		}
		rel, abs := 1e-9, 0.0
		for name, p := range map[string]*float64{"rel_tol": &rel, "abs_tol": &abs} {
			if v, ok := kw.get(name); ok {
				if *p, err = in.toFloat(v); err != nil {
					return nil, err
				}
			}
		}
		if rel < 0 || abs < 0 {
			return nil, in.raise(in.t.ValueError, "tolerances must be non-negative")
		}
		if x == y {
			return true, nil
		}
		if math.IsInf(x, 0) || math.IsInf(y, 0) {
			return false, nil
		}
		d := math.Abs(y - x)
		return d <= math.Abs(rel*y) || d <= math.Abs(rel*x) || d <= abs, nil
	}, "rel_tol", "abs_tol")
	def("prod", 1, 1, func(in *interp, a []value, kw kwargs) (value, error) {
		var total value = int64(1)
		if s, ok := kw.get("start"); ok {
			total = s
		}
		slot := in.push(total)
		defer in.pop(slot)
		err := in.eachOf(a[0], func(v value) (bool, error) {
			var err error
			total, err = in.binary(pyast.Mul, total, v)
			in.temps[slot] = total
			return true, err
		})
		return total, err
	}, "start")
	def("fsum", 1, 1, func(in *interp, a []value, kw kwargs) (value, error) {
		total := new(big.Float).SetPrec(2200)
		err := in.eachOf(a[0], func(v value) (bool, error) {
			x, err := in.toFloat(v)
			if err != nil {
				return false, err
			}
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return false, unsupported("math.fsum of inf or nan")
			}
			total.Add(total, bf(x))
			return true, in.charge(4)
		})
		f := toF64(total)
		if err == nil && math.IsInf(f, 0) {
			err = in.raise(in.t.OverflowError, "intermediate overflow in fsum")
		}
		return f, err
	})
	def("dist", 2, 2, func(in *interp, a []value, _ kwargs) (value, error) { return nil, unsupported("math.dist") })
}

// newMathInts defines the functions on integers.
func newMathInts(in *interp, def func(string, int, int, builtinFunc, ...string)) {
	wantInt := func(in *interp, v value) error {
		if isInt(v) {
			return nil
		}
		return in.typeError([]value{v}, "'%s' object cannot be interpreted as an integer", in.typeName(v))
	}
	def("isqrt", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		if err := wantInt(in, a[0]); err != nil {
			return nil, err
		}
		b := bigOf(a[0])
		if b.Sign() < 0 {
			return nil, in.raise(in.t.ValueError, "isqrt() argument must be nonnegative")
		}
		n := bitLen(a[0])
		if err := in.roomFor(n, n, n); err != nil {
			return nil, err
		}
		if err := in.charge(16 * mulCost(n, n)); err != nil { // Newton's method
			return nil, err
		}
		return norm(new(big.Int).Sqrt(b)), nil
	})
	fold := func(name string, start int64, f func(in *interp, x, y value) (value, error)) {
		def(name, 0, -1, func(in *interp, a []value, _ kwargs) (value, error) {
			var acc value = start
			for _, v := range a {
				if err := wantInt(in, v); err != nil {
					return nil, err
				}
				n := bitLen(acc) + bitLen(v)
				if err := in.roomFor(n, n, n); err != nil {
					return nil, err
				}
				// The algorithms for gcd are quadratic.
				if err := in.charge((bitLen(acc)/64 + 1) * (bitLen(v)/64 + 1) / 8); err != nil {
					return nil, err
				}
				var err error
				if acc, err = f(in, acc, v); err != nil {
					return nil, err
				}
			}
			return acc, nil
		})
	}
	gcd := func(x, y value) *big.Int {
		return new(big.Int).GCD(nil, nil, new(big.Int).Abs(bigOf(x)), new(big.Int).Abs(bigOf(y)))
	}
	fold("gcd", 0, func(in *interp, x, y value) (value, error) { return norm(gcd(x, y)), nil })
	fold("lcm", 1, func(in *interp, x, y value) (value, error) {
		g := gcd(x, y)
		if g.Sign() == 0 || bigOf(x).Sign() == 0 || bigOf(y).Sign() == 0 {
			return int64(0), nil
		}
		z := new(big.Int).Quo(bigOf(x), g)
		return norm(z.Abs(z.Mul(z, bigOf(y)))), nil
	})
	def("factorial", 1, 1, func(in *interp, a []value, _ kwargs) (value, error) {
		if err := wantInt(in, a[0]); err != nil {
			return nil, err
		}
		n, ok := small(a[0])
		if !ok || n < 0 {
			if bigOf(a[0]).Sign() < 0 {
				return nil, in.raise(in.t.ValueError, "factorial() not defined for negative values")
			}
			return nil, ErrMemory
		}
		return in.rangeProduct(2, n)
	})
	def("comb", 2, 2, func(in *interp, a []value, _ kwargs) (value, error) { return in.combPerm(a, true) })
	def("perm", 1, 2, func(in *interp, a []value, _ kwargs) (value, error) {
		if len(a) == 1 || a[1] == (noneType{}) {
			return nil, unsupported("math.perm of one number")
		}
		return in.combPerm(a, false)
	})
}

// rangeProduct is from * (from+1) * … * to.
func (in *interp) rangeProduct(from, to int64) (value, error) {
	if to < from {
		return int64(1), nil
	}
	n := to - from + 1
	size := n * bitLen(to)
	if n > maxIntBits {
		return nil, ErrMemory
	}
	if err := in.roomFor(min(size, maxIntBits), size, size); err != nil {
		return nil, err
	}
	if size > 2*maxIntBits {
		return nil, ErrMemory
	}
	if err := in.charge(n); err != nil {
		return nil, err
	}
	return norm(new(big.Int).MulRange(from, to)), nil
}

func (in *interp) combPerm(a []value, comb bool) (value, error) {
	for _, v := range a {
		if !isInt(v) {
			return nil, in.typeError(a, "'%s' object cannot be interpreted as an integer", in.typeName(v))
		}
	}
	n, ok1 := small(a[0])
	k, ok2 := small(a[1])
	if bigOf(a[0]).Sign() < 0 {
		return nil, in.raise(in.t.ValueError, "n must be a non-negative integer")
	}
	if bigOf(a[1]).Sign() < 0 {
		return nil, in.raise(in.t.ValueError, "k must be a non-negative integer")
	}
	if !ok1 || !ok2 {
		return nil, unsupported("combinations of numbers this large")
	}
	if k > n {
		return int64(0), nil
	}
	if comb {
		k = min(k, n-k)
	}
	p, err := in.rangeProduct(n-k+1, n)
	if err != nil || !comb {
		return p, err
	}
	d, err := in.rangeProduct(2, k)
	if err != nil {
		return nil, err
	}
	q, _, err := in.divMod(p, d)
	return q, err
}

// logOf is a logarithm of a number of any size.
func (in *interp) logOf(v value, f func(float64) float64) (value, error) {
	if err := in.charge(30); err != nil {
		return nil, err
	}
	if b, ok := v.(*big.Int); ok && b.Sign() > 0 && b.BitLen() > 1023 {
		return nil, unsupported("the logarithm of an int this large")
	}
	if isInt(v) && bigOf(v).Sign() <= 0 {
		return nil, in.raise(in.t.ValueError, "math domain error")
	}
	x, err := in.toFloat(v)
	switch {
	case err != nil:
		return nil, err
	case math.IsNaN(x) || math.IsInf(x, 1):
		return x, nil
	case x <= 0:
		return nil, in.raise(in.t.ValueError, "math domain error")
	}
	return f(x), nil
}
