package pyrun

import (
	"math"
	"math/big"
	"strconv"
	"strings"

	"kilter/internal/pyast"
)

const maxFloat = math.MaxFloat64

// toFloat converts a number.
func (in *interp) toFloat(v value) (float64, error) {
	switch v := v.(type) {
	case float64:
		return v, nil
	case *big.Int:
		if v.BitLen() > 1024 {
			return 0, in.raise(in.t.OverflowError, "int too large to convert to float")
		}
		f, _ := new(big.Float).SetInt(v).Float64()
		if math.IsInf(f, 0) {
			return 0, in.raise(in.t.OverflowError, "int too large to convert to float")
		}
		return f, nil
	}
	n, ok := small(v)
	if !ok {
		return 0, in.typeError([]value{v}, "must be real number, not %s", in.typeName(v))
	}
	return float64(n), nil
}

func (in *interp) floatOp(op pyast.Operator, a, b float64) (value, error) {
	switch op {
	case pyast.Add:
		return a + b, nil
	case pyast.Sub:
		return a - b, nil
	case pyast.Mul:
		return a * b, nil
	case pyast.Div:
		if b == 0 {
			return nil, in.raise(in.t.ZeroDivisionError, "float division by zero")
		}
		return a / b, nil
	case pyast.FloorDiv:
		if b == 0 {
			return nil, in.raise(in.t.ZeroDivisionError, "float floor division by zero")
		}
		q, _ := floatDivMod(a, b)
		return q, nil
	case pyast.Mod:
		if b == 0 {
			return nil, in.raise(in.t.ZeroDivisionError, "float modulo")
		}
		_, r := floatDivMod(a, b)
		return r, nil
	case pyast.Pow:
		return in.floatPow(a, b)
	}
	return nil, unsupported("operator %v on float", op)
}

// floatDivMod is CPython's float_divmod.
func floatDivMod(a, b float64) (q, r float64) {
	r = math.Mod(a, b)
	q = (a - r) / b
	if r != 0 {
		if (b < 0) != (r < 0) {
			r += b
			q--
		}
	} else {
		r = math.Copysign(0, b)
	}
	if q == 0 {
		return math.Copysign(0, a/b), r
	}
	f := math.Floor(q)
	if q-f > 0.5 {
		f++
	}
	return f, r
}

// floatPow is a ** b.
func (in *interp) floatPow(a, b float64) (value, error) {
	switch {
	case a == 0 && b < 0:
		return nil, in.raise(in.t.ZeroDivisionError, "0.0 cannot be raised to a negative power")
	case a < 0 && b != math.Trunc(b) && !math.IsInf(a, 0):
		return nil, unsupported("complex numbers")
	}
	if err := in.charge(20); err != nil {
		return nil, err
	}
	z := pow(a, b)
	if math.IsInf(z, 0) && !math.IsInf(a, 0) && !math.IsInf(b, 0) {
		return nil, in.overflow()
	}
	return z, nil
}

func (in *interp) overflow() error {
	return &raised{&instance{cls: in.t.OverflowError, id: in.newID(),
		args: []value{int64(34), newStr("Numerical result out of range")}}}
}

// floatRepr is repr() of a float: the shortest text that reads back the same.
func floatRepr(f float64) string {
	switch {
	case math.IsInf(f, 1):
		return "inf"
	case math.IsInf(f, -1):
		return "-inf"
	case math.IsNaN(f):
		return "nan"
	}
	s := strconv.FormatFloat(f, 'e', -1, 64)
	i := strings.IndexByte(s, 'e')
	exp, _ := strconv.Atoi(s[i+1:])
	if -5 < exp && exp < 16 {
		s = strconv.FormatFloat(f, 'f', -1, 64)
		if strings.IndexByte(s, '.') < 0 {
			s += ".0"
		}
	}
	return s
}

// floatToInt truncates towards zero.
func (in *interp) floatToInt(f float64) (value, error) {
	switch {
	case math.IsNaN(f):
		return nil, in.raise(in.t.ValueError, "cannot convert float NaN to integer")
	case math.IsInf(f, 0):
		return nil, in.raise(in.t.OverflowError, "cannot convert float infinity to integer")
	case -1<<62 < f && f < 1<<62:
		return int64(f), nil
	}
	z, _ := big.NewFloat(f).Int(nil)
	return norm(z), nil
}

// roundFloat is round(f, n): the nearest float to the decimal rounding.
func (in *interp) roundFloat(f float64, n int64) (value, error) {
	switch {
	case f == 0 || math.IsInf(f, 0) || math.IsNaN(f) || n > 323:
		return f, nil
	case n < -308:
		return math.Copysign(0, f), nil
	case n >= 0:
		z, _ := strconv.ParseFloat(strconv.FormatFloat(f, 'f', int(n), 64), 64)
		if math.IsInf(z, 0) {
			return nil, in.raise(in.t.OverflowError, "rounded value too large to represent")
		}
		return z, nil
	}
	// Tens and more: round the exact value, halves to even.
	exact, _ := new(big.Rat).SetString(strconv.FormatFloat(f, 'f', -1, 64))
	exact.SetFloat64(f)
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(-n), nil)
	q := roundRat(exact.Quo(exact, new(big.Rat).SetInt(unit)))
	z, _ := new(big.Float).SetInt(q.Mul(q, unit)).Float64()
	if math.IsInf(z, 0) {
		return nil, in.raise(in.t.OverflowError, "rounded value too large to represent")
	}
	if z == 0 {
		z = math.Copysign(0, f)
	}
	return z, nil
}

// roundRat rounds to the nearest integer, halves to even.
func roundRat(r *big.Rat) *big.Int {
	q, m := new(big.Int).DivMod(r.Num(), r.Denom(), new(big.Int))
	switch c := m.Lsh(m, 1).Cmp(r.Denom()); {
	case c > 0, c == 0 && q.Bit(0) == 1:
		q.Add(q, big.NewInt(1))
	}
	return q
}

// roundInt is round(v, n) of an int: for negative n, halves to even.
func (in *interp) roundInt(v value, n int64) (value, error) {
	if n >= 0 {
		return plainInt(v), nil
	}
	if -n > bitLen(v) { // 10**-n > 2*|v|
		return int64(0), nil
	}
	if err := in.roomFor(-n*4, bitLen(v), bitLen(v)); err != nil {
		return nil, err
	}
	unit := new(big.Int).Exp(big.NewInt(10), big.NewInt(-n), nil)
	q := roundRat(new(big.Rat).SetFrac(bigOf(v), unit))
	return norm(q.Mul(q, unit)), nil
}

// hashFloat is hash() of a float: equal numbers hash equally.
func hashFloat(f float64) int64 {
	if math.IsInf(f, 1) {
		return 314159
	}
	if math.IsInf(f, -1) {
		return -314159
	}
	m, e := math.Frexp(f)
	sign := int64(1)
	if m < 0 {
		sign, m = -1, -m
	}
	x := uint64(0)
	for m != 0 {
		x = x<<28&hashModulus | x>>(61-28)
		m *= 1 << 28
		e -= 28
		y := uint64(m)
		m -= float64(y)
		if x += y; x >= hashModulus {
			x -= hashModulus
		}
	}
	if e >= 0 {
		e %= 61
	} else {
		e = 61 - 1 - (-1-e)%61
	}
	x = x<<uint(e)&hashModulus | x>>uint(61-e)
	return fixHash(int64(x) * sign)
}

const hashModulus = 1<<61 - 1

func fixHash(h int64) int64 {
	if h == -1 {
		return -2
	}
	return h
}

func hashInt(v value) int64 {
	if n, ok := small(v); ok {
		if -hashModulus < n && n < hashModulus {
			return fixHash(n)
		}
	}
	r := new(big.Int).Rem(bigOf(v), big.NewInt(hashModulus))
	return fixHash(r.Int64())
}
