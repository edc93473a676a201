package pyrun

import (
	"math"
	"math/big"
	"math/bits"

	"kilter/internal/pyast"
)

// maxIntBits bounds an integer: its size in memory and the time to work with it.
const maxIntBits = 1 << 24

func isInt(v value) bool {
	switch v.(type) {
	case bool, int64, *big.Int:
		return true
	}
	return false
}

func isNumber(v value) bool {
	_, f := v.(float64)
	return f || isInt(v)
}

// small returns a bool or a small int as int64.
func small(v value) (int64, bool) {
	switch v := v.(type) {
	case int64:
		return v, true
	case bool:
		if v {
			return 1, true
		}
		return 0, true
	}
	return 0, false
}

// bigOf returns any int as a big.Int, not to be changed.
func bigOf(v value) *big.Int {
	if b, ok := v.(*big.Int); ok {
		return b
	}
	n, _ := small(v)
	return big.NewInt(n)
}

// plainInt turns a bool into an int.
func plainInt(v value) value {
	if b, ok := v.(bool); ok {
		n, _ := small(b)
		return n
	}
	return v
}

func bitLen(v value) int64 {
	if b, ok := v.(*big.Int); ok {
		return int64(b.BitLen())
	}
	n, _ := small(v)
	if n < 0 {
		n = -n
	}
	return int64(bits.Len64(uint64(n)))
}

// roomFor pays for an integer of n bits and for work on two of a and b bits.
func (in *interp) roomFor(n, a, b int64) error {
	if n > maxIntBits {
		return ErrMemory
	}
	if err := in.alloc(sizeObject + n/8); err != nil {
		return err
	}
	return in.charge(1 + mulCost(a, b))
}

// mulCost estimates a multiplication of a and b bits, in steps.
func mulCost(a, b int64) int64 {
	m, n := float64(min(a, b)/64+1), float64(max(a, b)/64+1)
	if m < 40 {
		return int64(m * n / 32)
	}
	return int64(n * math.Pow(m, 0.585) / 32) // Karatsuba
}

// intOp is an arithmetic operation on two ints.
func (in *interp) intOp(op pyast.Operator, x, y value) (value, error) {
	a, aok := small(x)
	b, bok := small(y)
	if aok && bok {
		if v, ok, err := in.smallOp(op, a, b); ok || err != nil {
			return v, err
		}
	}
	return in.bigOp(op, x, y)
}

// smallOp reports ok=false when the result may not fit.
func (in *interp) smallOp(op pyast.Operator, a, b int64) (v value, ok bool, err error) {
	switch op {
	case pyast.Add:
		c := a + b
		return c, (c > a) == (b > 0), nil
	case pyast.Sub:
		c := a - b
		return c, (c < a) == (b > 0), nil
	case pyast.Mul:
		hi, lo := bits.Mul64(uint64(abs64(a)), uint64(abs64(b)))
		return a * b, hi == 0 && lo < 1<<63, nil
	case pyast.FloorDiv:
		if b == 0 {
			return nil, false, in.raise(in.t.ZeroDivisionError, "integer division or modulo by zero")
		}
		if b == -1 {
			return -a, a != math.MinInt64, nil
		}
		q := a / b
		if a%b != 0 && (a < 0) != (b < 0) {
			q--
		}
		return q, true, nil
	case pyast.Mod:
		if b == 0 {
			return nil, false, in.raise(in.t.ZeroDivisionError, "integer modulo by zero")
		}
		if b == -1 {
			return int64(0), true, nil
		}
		r := a % b
		if r != 0 && (r < 0) != (b < 0) {
			r += b
		}
		return r, true, nil
	case pyast.BitAnd:
		return a & b, true, nil
	case pyast.BitOr:
		return a | b, true, nil
	case pyast.BitXor:
		return a ^ b, true, nil
	case pyast.RShift:
		if b < 0 {
			return nil, false, in.raise(in.t.ValueError, "negative shift count")
		}
		return a >> min(uint64(b), 63), true, nil
	case pyast.LShift:
		if b >= 0 && b < 62 && a>>(62-b) == 0 {
			return a << b, true, nil
		}
	}
	return nil, false, nil
}

func abs64(a int64) int64 {
	if a < 0 {
		return -a
	}
	return a
}

func (in *interp) bigOp(op pyast.Operator, x, y value) (value, error) {
	a, b := bigOf(x), bigOf(y)
	la, lb := bitLen(x), bitLen(y)
	z := new(big.Int)
	switch op {
	case pyast.Add, pyast.Sub, pyast.BitAnd, pyast.BitOr, pyast.BitXor:
		if err := in.roomFor(max(la, lb)+1, max(la, lb), 0); err != nil {
			return nil, err
		}
		switch op {
		case pyast.Add:
			z.Add(a, b)
		case pyast.Sub:
			z.Sub(a, b)
		case pyast.BitAnd:
			z.And(a, b)
		case pyast.BitOr:
			z.Or(a, b)
		case pyast.BitXor:
			z.Xor(a, b)
		}
		return norm(z), nil
	case pyast.Mul:
		if err := in.roomFor(la+lb, la, lb); err != nil {
			return nil, err
		}
		return norm(z.Mul(a, b)), nil
	case pyast.FloorDiv, pyast.Mod:
		if op == pyast.Mod && b.Sign() == 0 {
			return nil, in.raise(in.t.ZeroDivisionError, "integer modulo by zero")
		}
		q, r, err := in.divMod(x, y)
		if op == pyast.Mod {
			return r, err
		}
		return q, err
	case pyast.LShift:
		if b.Sign() < 0 {
			return nil, in.raise(in.t.ValueError, "negative shift count")
		}
		if a.Sign() == 0 {
			return int64(0), nil
		}
		if !b.IsInt64() || b.Int64() > maxIntBits {
			return nil, ErrMemory
		}
		if err := in.roomFor(la+b.Int64(), la+b.Int64(), 0); err != nil {
			return nil, err
		}
		return norm(z.Lsh(a, uint(b.Int64()))), nil
	case pyast.RShift:
		if b.Sign() < 0 {
			return nil, in.raise(in.t.ValueError, "negative shift count")
		}
		if !b.IsInt64() || b.Int64() > la {
			if a.Sign() < 0 {
				return int64(-1), nil
			}
			return int64(0), nil
		}
		if err := in.roomFor(la, la, 0); err != nil {
			return nil, err
		}
		return norm(z.Rsh(a, uint(b.Int64()))), nil
	case pyast.Pow:
		return in.intPow(x, y)
	}
	return nil, unsupported("operator %v on int", op)
}

// divMod divides with the quotient rounded down.
func (in *interp) divMod(x, y value) (q, r value, err error) {
	a, b := bigOf(x), bigOf(y)
	if b.Sign() == 0 {
		return nil, nil, in.raise(in.t.ZeroDivisionError, "integer division or modulo by zero")
	}
	la, lb := bitLen(x), bitLen(y)
	if err := in.roomFor(la+lb, max(la-lb, 0), lb); err != nil {
		return nil, nil, err
	}
	if err := in.charge(la / 512); err != nil {
		return nil, nil, err
	}
	qz, rz := new(big.Int).QuoRem(a, b, new(big.Int))
	if rz.Sign() != 0 && (rz.Sign() < 0) != (b.Sign() < 0) {
		rz.Add(rz, b)
		qz.Sub(qz, big.NewInt(1))
	}
	return norm(qz), norm(rz), nil
}

// intPow is x ** y; a negative exponent makes a float.
func (in *interp) intPow(x, y value) (value, error) {
	a, b := bigOf(x), bigOf(y)
	if b.Sign() < 0 {
		fx, err := in.toFloat(x)
		if err != nil {
			return nil, err
		}
		fy, err := in.toFloat(y)
		if err != nil {
			return nil, err
		}
		return in.floatPow(fx, fy)
	}
	switch {
	case b.Sign() == 0:
		return int64(1), nil
	case a.BitLen() <= 1: // -1, 0, 1
		if a.Sign() < 0 && b.Bit(0) == 0 {
			return int64(1), nil
		}
		return plainInt(x), nil
	case !b.IsInt64() || b.Int64() > maxIntBits:
		return nil, ErrMemory
	}
	n := (bitLen(x)) * b.Int64()
	if bitLen(x) > maxIntBits || n > maxIntBits+bitLen(x) {
		return nil, ErrMemory
	}
	if err := in.roomFor(min(n, maxIntBits), n, n); err != nil {
		return nil, err
	}
	return norm(new(big.Int).Exp(a, b, nil)), nil
}

// powMod is pow(x, y, m).
func (in *interp) powMod(x, y, m value) (value, error) {
	a, b, c := bigOf(x), bigOf(y), bigOf(m)
	if c.Sign() == 0 {
		return nil, in.raise(in.t.ValueError, "pow() 3rd argument cannot be 0")
	}
	lm := bitLen(m) + 64
	if err := in.roomFor(lm, lm, lm); err != nil {
		return nil, err
	}
	words := lm / 64
	if err := in.charge((bitLen(y)+1)*(1+words*words/16) + mulCost(bitLen(x), lm)); err != nil {
		return nil, err
	}
	mod := new(big.Int).Abs(c)
	base := new(big.Int).Mod(a, mod)
	exp := b
	if b.Sign() < 0 {
		if base = new(big.Int).ModInverse(base, mod); base == nil {
			return nil, in.raise(in.t.ValueError, "base is not invertible for the given modulus")
		}
		exp = new(big.Int).Neg(b)
	}
	z := new(big.Int).Exp(base, exp, mod)
	if c.Sign() < 0 && z.Sign() != 0 {
		z.Add(z, c)
	}
	return norm(z), nil
}

// unary is -x, +x or ~x.
func (in *interp) unary(op pyast.UnaryOperator, x value) (value, error) {
	switch v := x.(type) {
	case float64:
		switch op {
		case pyast.Neg:
			return -v, nil
		case pyast.Plus:
			return v, nil
		}
	case int64, bool, *big.Int:
		switch op {
		case pyast.Neg:
			return in.intOp(pyast.Sub, int64(0), x)
		case pyast.Plus:
			return plainInt(x), nil
		case pyast.Invert:
			return in.intOp(pyast.Sub, int64(-1), x)
		}
	}
	name := [...]string{"__neg__", "__pos__", "__invert__"}[op]
	if _, ok := in.special(x, name); ok {
		return in.callMethod(x.(*instance), name)
	}
	return nil, in.typeError([]value{x}, "bad operand type for unary %v: '%s'", op, in.typeName(x))
}
