package pyrun

import (
	"math/big"

	"kilter/internal/pyast"
)

// binary is x op y.
func (in *interp) binary(op pyast.Operator, x, y value) (value, error) {
	if a, ok := x.(int64); ok {
		if b, ok := y.(int64); ok && op != pyast.Div && op != pyast.Pow {
			v, ok, err := in.smallOp(op, a, b)
			if ok || err != nil {
				return v, err
			}
		}
	}
	if isNumber(x) && isNumber(y) {
		return in.numberOp(op, x, y)
	}
	if v, ok, err := in.sequenceOp(op, x, y); ok || err != nil {
		return v, err
	}
	return in.userOp(op, x, y, "")
}

// numberOp is an operation on two numbers.
func (in *interp) numberOp(op pyast.Operator, x, y value) (value, error) {
	if isInt(x) && isInt(y) {
		xb, xIsBool := x.(bool)
		yb, yIsBool := y.(bool)
		if xIsBool && yIsBool {
			switch op {
			case pyast.BitAnd:
				return xb && yb, nil
			case pyast.BitOr:
				return xb || yb, nil
			case pyast.BitXor:
				return xb != yb, nil
			}
		}
		switch op {
		case pyast.Div:
			return in.trueDiv(x, y)
		case pyast.MatMul:
			return nil, in.operandError(op, x, y, "")
		}
		return in.intOp(op, x, y)
	}
	switch op {
	case pyast.BitAnd, pyast.BitOr, pyast.BitXor, pyast.LShift, pyast.RShift, pyast.MatMul:
		return nil, in.operandError(op, x, y, "")
	}
	a, err := in.toFloat(x)
	if err != nil {
		return nil, err
	}
	b, err := in.toFloat(y)
	if err != nil {
		return nil, err
	}
	return in.floatOp(op, a, b)
}

// trueDiv divides two ints with correct rounding.
func (in *interp) trueDiv(x, y value) (value, error) {
	a, aok := small(x)
	b, bok := small(y)
	if bok && b == 0 {
		return nil, in.raise(in.t.ZeroDivisionError, "division by zero")
	}
	const exact = 1 << 53
	if aok && bok && abs64(a) <= exact && abs64(b) <= exact && a != -1<<63 && b != -1<<63 {
		return float64(a) / float64(b), nil
	}
	la, lb := bitLen(x), bitLen(y)
	if err := in.charge(1 + (la+lb)*(la+lb)/(64*64*16)); err != nil {
		return nil, err
	}
	if err := in.alloc((la + lb) / 2); err != nil {
		return nil, err
	}
	f, _ := new(big.Rat).SetFrac(bigOf(x), bigOf(y)).Float64()
	if f > maxFloat || f < -maxFloat {
		return nil, in.raise(in.t.OverflowError, "integer division result too large for a float")
	}
	return f, nil
}

// inplace is x op= y, which changes lists and sets.
func (in *interp) inplace(op pyast.Operator, x, y value) (value, error) {
	switch a := x.(type) {
	case *list:
		switch op {
		case pyast.Add:
			return a, in.extend(a, y)
		case pyast.Mul:
			if !isInt(y) {
				break
			}
			v, err := in.repeat(a, y)
			if err != nil {
				return nil, err
			}
			a.v = v.(*list).v
			return a, nil
		}
	case *set:
		b, ok := y.(*set)
		if ok && !a.frozen {
			switch op {
			case pyast.BitOr:
				return a, in.setUpdate(a, b)
			case pyast.BitAnd:
				return a, in.setIntersectUpdate(a, b)
			case pyast.Sub:
				return a, in.setDifferenceUpdate(a, b)
			case pyast.BitXor:
				return a, in.setSymmetricUpdate(a, b)
			}
		}
	case *dict:
		if op == pyast.BitOr {
			if b, ok := y.(*dict); ok {
				return a, in.dictUpdate(a, b)
			}
			return nil, unsupported("|= of a dict and a %s", in.typeName(y))
		}
	case *instance:
		name := "__i" + operatorName(op) + "__"
		if _, ok := in.special(a, name); ok {
			v, err := in.callMethod(a, name, y)
			if _, not := v.(notImplType); err != nil || !not {
				return v, err
			}
		}
		return in.userOp(op, x, y, "=")
	}
	if isNumber(x) && isNumber(y) {
		return in.binary(op, x, y)
	}
	if v, ok, err := in.sequenceOp(op, x, y); ok || err != nil {
		return v, err
	}
	return in.userOp(op, x, y, "=")
}

// sequenceOp is an operation on built-in collections.
func (in *interp) sequenceOp(op pyast.Operator, x, y value) (value, bool, error) {
	switch op {
	case pyast.Mul:
		if isSequence(x) && isInt(y) {
			v, err := in.repeat(x, y)
			return v, true, err
		}
		if isSequence(y) && isInt(x) {
			v, err := in.repeat(y, x)
			return v, true, err
		}
	case pyast.Add:
		return in.concat(x, y)
	case pyast.Mod:
		if s, ok := x.(*str); ok {
			v, err := in.percent(s, y)
			return v, true, err
		}
	case pyast.BitOr, pyast.BitAnd, pyast.BitXor, pyast.Sub:
		return in.collectionOp(op, x, y)
	}
	return nil, false, nil
}

// collectionOp is |, &, ^ or - on sets, dicts, views and types.
func (in *interp) collectionOp(op pyast.Operator, x, y value) (value, bool, error) {
	if a, ok := x.(*set); ok {
		if b, ok := y.(*set); ok {
			v, err := in.setOp(op, a, b)
			return v, true, err
		}
	}
	if a, ok := x.(*dict); ok && op == pyast.BitOr {
		if b, ok := y.(*dict); ok {
			d, err := in.newDict()
			if err == nil {
				err = in.dictUpdate(d, a)
			}
			if err == nil {
				err = in.dictUpdate(d, b)
			}
			return d, true, err
		}
	}
	for _, v := range []value{x, y} {
		if _, ok := v.(*dictView); ok {
			return nil, true, unsupported("operators on dict views")
		}
	}
	if op == pyast.BitOr && isType(x) && isType(y) { // int | None in a type alias
		return &opaque{what: "a union of types"}, true, in.alloc(sizeObject)
	}
	return nil, false, nil
}

func isType(v value) bool {
	switch v := v.(type) {
	case *class, noneType:
		return true
	case *opaque:
		return !v.missing
	}
	return false
}

func isSequence(v value) bool {
	switch v.(type) {
	case *str, *list, *tuple:
		return true
	}
	return false
}

func (in *interp) concat(x, y value) (value, bool, error) {
	switch a := x.(type) {
	case *str:
		if b, ok := y.(*str); ok {
			if err := in.work(int64(len(a.s)) + int64(len(b.s))); err != nil {
				return nil, true, err
			}
			return &str{a.s + b.s, a.n + b.n}, true, nil
		}
		return nil, true, in.typeError([]value{y}, "can only concatenate str (not \"%s\") to str", in.typeName(y))
	case *list:
		if b, ok := y.(*list); ok {
			v, err := in.join(a.v, b.v)
			return &list{v}, true, err
		}
		if _, user := y.(*instance); !user {
			return nil, true, in.typeError([]value{y}, "can only concatenate list (not \"%s\") to list", in.typeName(y))
		}
	case *tuple:
		if b, ok := y.(*tuple); ok {
			v, err := in.join(a.v, b.v)
			return &tuple{v}, true, err
		}
		if _, user := y.(*instance); !user {
			return nil, true, in.typeError([]value{y}, "can only concatenate tuple (not \"%s\") to tuple", in.typeName(y))
		}
	}
	return nil, false, nil
}

// work announces n bytes and pays for writing them.
func (in *interp) work(n int64) error {
	if err := in.alloc(sizeObject + n); err != nil {
		return err
	}
	return in.charge(n / 32)
}

// workN is work for n items.
func (in *interp) workN(n int64) error {
	if err := in.allocN(n+2, sizeSlot); err != nil {
		return err
	}
	return in.charge(n / 4)
}

func (in *interp) join(a, b []value) ([]value, error) {
	if err := in.workN(int64(len(a) + len(b))); err != nil {
		return nil, err
	}
	return append(append(make([]value, 0, len(a)+len(b)), a...), b...), nil
}

// repeat is sequence * n.
func (in *interp) repeat(x, n value) (value, error) {
	count := int64(0)
	if b := bigOf(n); !b.IsInt64() {
		return nil, in.raise(in.t.OverflowError, "cannot fit 'int' into an index-sized integer")
	} else if b.Sign() > 0 {
		count = b.Int64()
	}
	switch a := x.(type) {
	case *str:
		size := int64(len(a.s))
		if size == 0 || count == 0 {
			return &str{}, nil
		}
		if count > in.lim.Bytes/size {
			return nil, ErrMemory
		}
		if err := in.work(size * count); err != nil {
			return nil, err
		}
		b := make([]byte, 0, size*count)
		for range count {
			b = append(b, a.s...)
		}
		return &str{string(b), a.n * int(count)}, nil
	case *list:
		v, err := in.repeatItems(a.v, count)
		return &list{v}, err
	case *tuple:
		v, err := in.repeatItems(a.v, count)
		return &tuple{v}, err
	}
	return nil, unsupported("repeating a %s", in.typeName(x))
}

func (in *interp) repeatItems(a []value, count int64) ([]value, error) {
	size := int64(len(a))
	if size == 0 || count == 0 {
		return nil, nil
	}
	if count > in.lim.Bytes/size {
		return nil, ErrMemory
	}
	if err := in.workN(size * count); err != nil {
		return nil, err
	}
	v := make([]value, 0, size*count)
	for range count {
		v = append(v, a...)
	}
	return v, nil
}

func operatorName(op pyast.Operator) string {
	return [...]string{"add", "sub", "mul", "matmul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "or", "xor", "and"}[op]
}

// userOp calls __add__ and __radd__ and their like.
func (in *interp) userOp(op pyast.Operator, x, y value, eq string) (value, error) {
	name := operatorName(op)
	type attempt struct {
		self  value
		name  string
		other value
	}
	tries := []attempt{{x, "__" + name + "__", y}, {y, "__r" + name + "__", x}}
	if cx, cy := in.typeOf(x), in.typeOf(y); cx == cy {
		tries = tries[:1]
	} else if cy.isSub(cx) {
		tries[0], tries[1] = tries[1], tries[0]
	}
	for _, t := range tries {
		if _, ok := in.special(t.self, t.name); !ok {
			continue
		}
		v, err := in.callMethod(t.self.(*instance), t.name, t.other)
		if _, not := v.(notImplType); err != nil || !not {
			return v, err
		}
	}
	return nil, in.operandError(op, x, y, eq)
}

func (in *interp) operandError(op pyast.Operator, x, y value, eq string) error {
	sign := op.String() + eq
	if sign == "**" {
		sign = "** or pow()"
	}
	switch {
	case op == pyast.Mul && isSequence(x):
		return in.typeError([]value{y}, "can't multiply sequence by non-int of type '%s'", in.typeName(y))
	case op == pyast.Mul && isSequence(y):
		return in.typeError([]value{x}, "can't multiply sequence by non-int of type '%s'", in.typeName(x))
	}
	return in.typeError([]value{x, y}, "unsupported operand type(s) for %s: '%s' and '%s'", sign, in.typeName(x), in.typeName(y))
}
