package pyrun

import (
	"math"
	"math/big"
	"strings"

	"kilter/internal/pyast"
)

// compare is x op y.
func (in *interp) compare(op pyast.CmpOperator, x, y value) (value, error) {
	if a, ok := x.(int64); ok {
		if b, ok := y.(int64); ok {
			switch op {
			case pyast.Eq:
				return a == b, nil
			case pyast.NotEq:
				return a != b, nil
			case pyast.Lt:
				return a < b, nil
			case pyast.LtE:
				return a <= b, nil
			case pyast.Gt:
				return a > b, nil
			case pyast.GtE:
				return a >= b, nil
			}
		}
	}
	switch op {
	case pyast.Is, pyast.IsNot:
		is, err := in.identical(x, y)
		return is == (op == pyast.Is), err
	case pyast.In, pyast.NotIn:
		has, err := in.contains(y, x)
		return has == (op == pyast.In), err
	}
	return in.rich(op, x, y)
}

// rich is a comparison that a class may define; its result may be any value.
func (in *interp) rich(op pyast.CmpOperator, x, y value) (value, error) {
	if v, ok, err := in.userCompare(op, x, y); ok || err != nil {
		return v, err
	}
	switch op {
	case pyast.Eq:
		return in.equalBuiltin(x, y)
	case pyast.NotEq:
		eq, err := in.equalBuiltin(x, y)
		return !eq, err
	}
	return in.order(op, x, y)
}

func cmpName(op pyast.CmpOperator) string {
	return [...]string{"__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__"}[op]
}

func swapped(op pyast.CmpOperator) pyast.CmpOperator {
	return [...]pyast.CmpOperator{pyast.Eq, pyast.NotEq, pyast.Gt, pyast.GtE, pyast.Lt, pyast.LtE}[op]
}

// userCompare calls __eq__, __lt__ and their like.
func (in *interp) userCompare(op pyast.CmpOperator, x, y value) (v value, ok bool, err error) {
	_, xUser := x.(*instance)
	_, yUser := y.(*instance)
	if !xUser && !yUser {
		return nil, false, nil
	}
	try := func(self, other value, op pyast.CmpOperator) (value, bool, error) {
		if _, ok := in.special(self, cmpName(op)); ok {
			v, err := in.callMethod(self.(*instance), cmpName(op), other)
			_, not := v.(notImplType)
			return v, err == nil && !not, err
		}
		if op == pyast.NotEq { // the default calls __eq__
			if _, ok := in.special(self, "__eq__"); ok {
				v, err := in.callMethod(self.(*instance), "__eq__", other)
				if _, not := v.(notImplType); err != nil || not {
					return nil, false, err
				}
				t, err := in.truth(v)
				return !t, err == nil, err
			}
		}
		return nil, false, nil
	}
	type side struct {
		self, other value
		op          pyast.CmpOperator
	}
	sides := []side{{x, y, op}, {y, x, swapped(op)}}
	if cx, cy := in.typeOf(x), in.typeOf(y); cx != cy && cy.isSub(cx) {
		sides[0], sides[1] = sides[1], sides[0]
	}
	for _, s := range sides {
		if v, ok, err = try(s.self, s.other, s.op); ok || err != nil {
			return v, ok, err
		}
	}
	return nil, false, nil
}

// identical is x is y. Where CPython's answer depends on how it shares objects,
// there is none.
func (in *interp) identical(x, y value) (bool, error) {
	switch a := x.(type) {
	case int64:
		if b, ok := y.(int64); ok {
			if a == b && (a < -5 || a > 256) {
				return false, unsupported("the identity of equal ints")
			}
			return a == b, nil
		}
		return false, nil
	case *big.Int:
		if b, ok := y.(*big.Int); ok && a.Cmp(b) == 0 {
			return a == b, unsupported("the identity of equal ints")
		}
		return false, nil
	case float64:
		if b, ok := y.(float64); ok && (a == b || a != a && b != b) {
			return false, unsupported("the identity of floats")
		}
		return false, nil
	case *str:
		if b, ok := y.(*str); ok && a != b && a.s == b.s {
			if len(a.s) <= 1 {
				return true, nil
			}
			return false, unsupported("the identity of equal strings")
		}
		return x == y, nil
	case *tuple:
		if b, ok := y.(*tuple); ok && a != b {
			if len(a.v) == 0 && len(b.v) == 0 {
				return true, nil
			}
			eq, err := in.equal(a, b)
			if err == nil && eq {
				err = unsupported("the identity of equal tuples")
			}
			return false, err
		}
		return x == y, nil
	case *method, *opaque, *module:
		return false, unsupported("the identity of a %s", in.typeName(x))
	}
	return x == y, nil
}

// same is identity or equality, as containers use it.
func (in *interp) same(x, y value) (bool, error) {
	if a, ok := x.(float64); ok && a != a {
		if b, ok := y.(float64); ok && b != b {
			return false, unsupported("the identity of floats")
		}
	}
	switch x.(type) {
	case *instance, *list, *tuple, *dict, *set:
		if x == y {
			return true, nil
		}
	}
	return in.equal(x, y)
}

// equal is x == y as a bool.
func (in *interp) equal(x, y value) (bool, error) {
	v, ok, err := in.userCompare(pyast.Eq, x, y)
	if err != nil {
		return false, err
	}
	if ok {
		return in.truth(v)
	}
	return in.equalBuiltin(x, y)
}

func (in *interp) equalBuiltin(x, y value) (bool, error) {
	if isNumber(x) && isNumber(y) {
		return cmpNumbers(x, y) == 0, in.chargeBig(x, y)
	}
	switch a := x.(type) {
	case *str:
		b, ok := y.(*str)
		if !ok {
			break
		}
		if len(a.s) == len(b.s) && len(a.s) > 256 {
			if err := in.charge(int64(len(a.s)) / 64); err != nil {
				return false, err
			}
		}
		return a.s == b.s, nil
	case *list:
		if b, ok := y.(*list); ok {
			return in.equalItems(a.v, b.v)
		}
	case *tuple:
		if b, ok := y.(*tuple); ok {
			return in.equalItems(a.v, b.v)
		}
	case *dict:
		if b, ok := y.(*dict); ok {
			return in.equalDicts(a, b)
		}
	case *set:
		if b, ok := y.(*set); ok {
			if a.used != b.used {
				return false, nil
			}
			return in.isSubset(a, b)
		}
	case *rng:
		if b, ok := y.(*rng); ok {
			return a.length == b.length && (a.length == 0 || a.start == b.start && (a.length == 1 || a.step == b.step)), nil
		}
	case *method:
		if b, ok := y.(*method); ok {
			return a.fn == b.fn && a.self == b.self, nil
		}
	case *opaque, *slice, *dictView:
		return false, unsupported("comparing a %s", in.typeName(x))
	}
	if err := in.known(y); err != nil {
		return false, err
	}
	return x == y, in.known(x)
}

func (in *interp) equalItems(a, b []value) (bool, error) {
	if len(a) != len(b) {
		return false, nil
	}
	if err := in.enter(); err != nil {
		return false, err
	}
	defer func() { in.nest-- }()
	for i := 0; i < len(a) && i < len(b); i++ {
		if err := in.charge(1); err != nil {
			return false, err
		}
		if eq, err := in.same(a[i], b[i]); err != nil || !eq {
			return false, err
		}
	}
	return true, nil
}

func (in *interp) equalDicts(a, b *dict) (bool, error) {
	if len(a.index) != len(b.index) {
		return false, nil
	}
	if err := in.enter(); err != nil {
		return false, err
	}
	defer func() { in.nest-- }()
	for i := 0; i < len(a.entries); i++ {
		e := a.entries[i]
		if err := in.charge(1); err != nil {
			return false, err
		}
		if !e.live {
			continue
		}
		v, ok, err := in.dictGet(b, e.key)
		if err != nil || !ok {
			return false, err
		}
		if eq, err := in.same(e.val, v); err != nil || !eq {
			return false, err
		}
	}
	return true, nil
}

// chargeBig pays for looking through two numbers.
func (in *interp) chargeBig(x, y value) error {
	for _, v := range [...]value{x, y} {
		if b, ok := v.(*big.Int); ok && b.BitLen() > 4096 {
			if err := in.charge(int64(b.BitLen()) / 2048); err != nil {
				return err
			}
		}
	}
	return nil
}

// cmpNumbers compares numbers exactly. A NaN is unequal: 2.
func cmpNumbers(x, y value) int {
	a, aok := small(x)
	b, bok := small(y)
	if aok && bok {
		switch {
		case a < b:
			return -1
		case a > b:
			return 1
		}
		return 0
	}
	fx, xf := x.(float64)
	fy, yf := y.(float64)
	switch {
	case xf && yf:
		return cmpFloats(fx, fy)
	case xf:
		return cmpFloatInt(fx, y)
	case yf:
		if c := cmpFloatInt(fy, x); c != 2 {
			return -c
		}
		return 2
	}
	return bigOf(x).Cmp(bigOf(y))
}

func cmpFloats(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	case a == b:
		return 0
	}
	return 2
}

func cmpFloatInt(f float64, i value) int {
	if math.IsNaN(f) {
		return 2
	}
	if math.IsInf(f, 1) {
		return 1
	}
	if math.IsInf(f, -1) {
		return -1
	}
	if b, ok := i.(*big.Int); ok && b.BitLen() > 1024 {
		return -b.Sign()
	}
	if n, ok := small(i); ok && abs64(n) < 1<<53 && n != -1<<63 {
		return cmpFloats(f, float64(n))
	}
	return new(big.Rat).SetFloat64(f).Cmp(new(big.Rat).SetInt(bigOf(i)))
}

// order is <, <=, > or >= on built-in values.
func (in *interp) order(op pyast.CmpOperator, x, y value) (value, error) {
	decide := func(c int) (value, error) {
		switch op {
		case pyast.Lt:
			return c == -1, nil
		case pyast.LtE:
			return c == -1 || c == 0, nil
		case pyast.Gt:
			return c == 1, nil
		}
		return c == 1 || c == 0, nil
	}
	if isNumber(x) && isNumber(y) {
		if err := in.chargeBig(x, y); err != nil {
			return nil, err
		}
		return decide(cmpNumbers(x, y))
	}
	switch a := x.(type) {
	case *str:
		if b, ok := y.(*str); ok {
			if err := in.charge(int64(min(len(a.s), len(b.s))) / 64); err != nil {
				return nil, err
			}
			return decide(strings.Compare(a.s, b.s)) // UTF-8 sorts as code points do
		}
	case *list:
		if b, ok := y.(*list); ok {
			return in.orderItems(op, a.v, b.v)
		}
	case *tuple:
		if b, ok := y.(*tuple); ok {
			return in.orderItems(op, a.v, b.v)
		}
	case *set:
		if b, ok := y.(*set); ok {
			return in.orderSets(op, a, b)
		}
	case *dictView:
		return nil, unsupported("comparing dict views")
	}
	return nil, in.typeError([]value{x, y}, "'%v' not supported between instances of '%s' and '%s'", op, in.typeName(x), in.typeName(y))
}

// orderItems compares at the first difference.
func (in *interp) orderItems(op pyast.CmpOperator, a, b []value) (value, error) {
	if err := in.enter(); err != nil {
		return nil, err
	}
	defer func() { in.nest-- }()
	for i := 0; i < len(a) && i < len(b); i++ {
		if err := in.charge(1); err != nil {
			return nil, err
		}
		eq, err := in.same(a[i], b[i])
		if err != nil {
			return nil, err
		}
		if !eq {
			return in.rich(op, a[i], b[i])
		}
	}
	return in.order(op, int64(len(a)), int64(len(b)))
}

func (in *interp) orderSets(op pyast.CmpOperator, a, b *set) (value, error) {
	if op == pyast.Gt || op == pyast.GtE {
		a, b = b, a
	}
	if a.used > b.used || a.used == b.used && (op == pyast.Lt || op == pyast.Gt) {
		return false, nil
	}
	return in.isSubset(a, b)
}

// less is x < y as a bool, for sorting.
func (in *interp) less(x, y value) (bool, error) {
	if err := in.charge(1); err != nil {
		return false, err
	}
	v, err := in.compare(pyast.Lt, x, y)
	if err != nil {
		return false, err
	}
	return in.truth(v)
}

// truth is bool(v).
func (in *interp) truth(v value) (bool, error) {
	switch v := v.(type) {
	case bool:
		return v, nil
	case int64:
		return v != 0, nil
	case float64:
		return v != 0, nil
	case noneType:
		return false, nil
	case *big.Int:
		return v.Sign() != 0, nil
	case *str:
		return v.s != "", nil
	case *list:
		return len(v.v) > 0, nil
	case *tuple:
		return len(v.v) > 0, nil
	case *dict:
		return len(v.index) > 0, nil
	case *set:
		return v.used > 0, nil
	case *rng:
		return v.length > 0, nil
	case *dictView:
		return len(v.d.index) > 0, nil
	case notImplType:
		return false, unsupported("the truth of NotImplemented")
	case *instance:
		if _, ok := in.special(v, "__bool__"); ok {
			r, err := in.callMethod(v, "__bool__")
			if err != nil {
				return false, err
			}
			b, ok := r.(bool)
			if !ok {
				return false, in.raise(in.t.TypeError, "__bool__ should return bool, returned %s", in.typeName(r))
			}
			return b, nil
		}
		if _, ok := in.special(v, "__len__"); ok {
			n, err := in.length(v)
			return n != 0, err
		}
	case *opaque, *module:
		return true, in.known(v)
	}
	return true, nil
}

// contains is v in c.
func (in *interp) contains(c, v value) (bool, error) {
	switch c := c.(type) {
	case *str:
		s, ok := v.(*str)
		if !ok {
			return false, in.typeError([]value{v}, "'in <string>' requires string as left operand, not %s", in.typeName(v))
		}
		if err := in.charge(int64(len(c.s)) / 32); err != nil {
			return false, err
		}
		return strings.Contains(c.s, s.s), nil
	case *dict:
		_, ok, err := in.dictGet(c, v)
		return ok, err
	case *set:
		return in.setHas(c, v)
	case *dictView:
		if c.kind == viewKeys {
			_, ok, err := in.dictGet(c.d, v)
			return ok, err
		}
	case *rng:
		if isInt(v) {
			i, ok := small(v)
			return ok && c.has(i), nil
		}
	case *instance:
		if _, ok := in.special(c, "__contains__"); ok {
			r, err := in.callMethod(c, "__contains__", v)
			if err != nil {
				return false, err
			}
			return in.truth(r)
		}
	}
	it, err := in.iter(c)
	if err != nil {
		if r, ok := err.(*raised); ok && r.exc.cls == in.t.TypeError {
			err = in.typeError([]value{c}, "argument of type '%s' is not iterable", in.typeName(c))
		}
		return false, err
	}
	found := false
	err = in.each(it, func(x value) (bool, error) {
		found, err = in.same(x, v)
		return !found, err
	})
	return found, err
}

func (r *rng) has(i int64) bool {
	if r.step > 0 {
		return i >= r.start && i < r.stop && uint64(i-r.start)%uint64(r.step) == 0
	}
	return i <= r.start && i > r.stop && uint64(r.start-i)%uint64(-r.step) == 0
}
