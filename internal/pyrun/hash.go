package pyrun

import (
	"encoding/binary"
	"math"
	"math/big"
	"math/bits"
	"slices"
	"strings"
)

// hkey identifies a hashable value: two values are equal as keys of a dict if and
// only if their hkeys are. Go's maps hash it, with a random seed, so that nobody
// can choose keys that collide.
type hkey struct {
	kind byte
	n    int64
	s    string
}

const (
	keyNone byte = iota
	keyInt
	keyBig
	keyFloat
	keyStr
	keyTuple
	keySet
	keyObject
	keyRange
)

// key returns the hkey of a value, or TypeError when it is not hashable.
func (in *interp) key(v value) (hkey, error) {
	switch v := v.(type) {
	case noneType:
		return hkey{kind: keyNone}, nil
	case ellipsisType:
		return hkey{kind: keyNone, n: 1}, nil
	case notImplType:
		return hkey{kind: keyNone, n: 2}, nil
	case bool, int64:
		n, _ := small(v)
		return hkey{kind: keyInt, n: n}, nil
	case *big.Int:
		if err := in.work(int64(v.BitLen() / 8)); err != nil {
			return hkey{}, err
		}
		return hkey{kind: keyBig, n: int64(v.Sign()), s: string(v.Bytes())}, nil
	case float64:
		switch {
		case math.IsNaN(v):
			return hkey{}, unsupported("NaN as a key")
		case v == math.Trunc(v) && !math.IsInf(v, 0):
			i, err := in.floatToInt(v)
			if err != nil {
				return hkey{}, err
			}
			return in.key(i)
		}
		return hkey{kind: keyFloat, n: int64(math.Float64bits(v))}, nil
	case *str:
		return hkey{kind: keyStr, s: v.s}, in.charge(int64(len(v.s)) / 64)
	case *tuple:
		return in.tupleKey(v)
	case *set:
		if v.frozen {
			return in.setKey(v)
		}
	case *rng:
		if v.length == 0 {
			return hkey{kind: keyRange}, nil
		}
		k := binary.AppendVarint(binary.AppendVarint(nil, v.length), v.start)
		if v.length > 1 {
			k = binary.AppendVarint(k, v.step)
		}
		return hkey{kind: keyRange, s: string(k)}, nil
	case *instance:
		if _, ok := in.special(v, "__eq__"); !ok {
			return hkey{kind: keyObject, n: v.id}, nil
		}
	case *class:
		return hkey{kind: keyObject, n: v.id}, nil
	case *function:
		return hkey{kind: keyObject, n: v.id}, nil
	case *builtin:
		return hkey{kind: keyObject, n: v.id}, nil
	case *list, *dict:
	default:
		return hkey{}, unsupported("a %s as a key", in.typeName(v))
	}
	return hkey{}, in.raise(in.t.TypeError, "unhashable type: '%s'", in.typeName(v))
}

// encode makes a key part of a longer one.
func (k hkey) encode(b []byte) []byte {
	b = append(b, k.kind)
	b = binary.AppendVarint(b, k.n)
	b = binary.AppendUvarint(b, uint64(len(k.s)))
	return append(b, k.s...)
}

func (in *interp) tupleKey(t *tuple) (hkey, error) {
	if err := in.descend(); err != nil {
		return hkey{}, err
	}
	defer in.ascend()
	var b []byte
	for _, x := range t.v {
		k, err := in.key(x)
		if err != nil {
			return hkey{}, err
		}
		if err := in.work(int64(len(k.s))); err != nil {
			return hkey{}, err
		}
		if err := in.charge(2); err != nil {
			return hkey{}, err
		}
		b = k.encode(b)
	}
	return hkey{kind: keyTuple, n: int64(len(t.v)), s: string(b)}, nil
}

func (in *interp) setKey(s *set) (hkey, error) {
	if err := in.descend(); err != nil {
		return hkey{}, err
	}
	defer in.ascend()
	var parts []string
	size := 0
	for _, e := range s.table {
		if e.used() {
			k, err := in.key(e.val)
			if err != nil {
				return hkey{}, err
			}
			p := string(k.encode(nil))
			size += len(p)
			parts = append(parts, p)
			if err := in.work(int64(len(p)) + sizeSlot); err != nil {
				return hkey{}, err
			}
			if err := in.charge(4); err != nil {
				return hkey{}, err
			}
		}
	}
	slices.Sort(parts)
	return hkey{kind: keySet, n: int64(s.used), s: strings.Join(parts, "")}, in.work(int64(size))
}

// hashOf is CPython's hash where that is defined by the value, and anything where
// it is not; see randomHash.
func (in *interp) hashOf(v value) int64 {
	switch v := v.(type) {
	case bool, int64, *big.Int:
		return hashInt(v)
	case float64:
		return hashFloat(v)
	case *tuple:
		const p1, p2, p5 = 11400714785074694791, 14029467366897019727, 2870177450012600261
		acc := uint64(p5)
		for _, x := range v.v {
			acc += uint64(in.hashOf(x)) * p2
			acc = bits.RotateLeft64(acc, 31) * p1
		}
		acc += uint64(len(v.v)) ^ (p5 ^ 3527539)
		if acc == math.MaxUint64 {
			return 1546275796
		}
		return int64(acc)
	case *set:
		return hashFrozen(v)
	case *str:
		h := uint64(14695981039346656037)
		for i := range len(v.s) {
			h = (h ^ uint64(v.s[i])) * 1099511628211
		}
		return fixHash(int64(h))
	}
	k, _ := in.key(v)
	return fixHash(k.n*16 + int64(k.kind))
}

// randomHash reports whether CPython's hash of a value differs from run to run:
// for strings, None and objects, and what holds them.
func randomHash(v value) bool {
	switch v := v.(type) {
	case bool, int64, *big.Int, float64:
		return false
	case *tuple:
		return slices.ContainsFunc(v.v, randomHash)
	case *set:
		return slices.ContainsFunc(v.table, func(e setEntry) bool { return e.used() && randomHash(e.val) })
	}
	return true
}

// hashFrozen is CPython's frozenset_hash.
func hashFrozen(s *set) int64 {
	h := uint64(0)
	for _, e := range s.table {
		if e.used() {
			x := uint64(e.hash)
			h ^= ((x ^ 89869747) ^ (x << 16)) * 3644798167
		}
	}
	h ^= uint64(s.used+1) * 1927868237
	h ^= h>>11 ^ h>>25
	if h = h*69069 + 907133923; h == math.MaxUint64 {
		return 590923713
	}
	return int64(h)
}
