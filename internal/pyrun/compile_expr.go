package pyrun

import (
	"math/big"
	"unicode/utf8"

	"kilter/internal/pyast"
)

// expr compiles an expression; its value ends on top of the stack.
func (u *unit) expr(e pyast.Expr) {
	switch e := e.(type) {
	case *pyast.Int:
		if e.Big != nil {
			u.load(new(big.Int).Set(e.Big))
		} else {
			u.load(e.Small)
		}
	case *pyast.Float:
		u.load(e.Value)
	case *pyast.Str:
		if e.Unresolved || !utf8.ValidString(e.Value) {
			u.unsupported(e, "\\N{…} escapes and lone surrogates")
		}
		u.loadStr(e.Value)
	case *pyast.Bool:
		u.load(e.Value)
	case *pyast.None:
		u.load(noneType{})
	case *pyast.Ellipsis:
		u.load(ellipsisType{})
	case *pyast.Name:
		u.at(e)
		u.variable(e.ID, loadVar)
	case *pyast.BinOp:
		u.expr(e.Left)
		u.expr(e.Right)
		u.at(e)
		u.emit(opBinary, int32(e.Op))
	case *pyast.UnaryOp:
		u.unaryOp(e)
	case *pyast.BoolOp:
		u.boolOp(e)
	case *pyast.Compare:
		u.compare(e)
	case *pyast.IfExp:
		no := u.jumpUnless(e.Test)
		u.expr(e.Then)
		end := u.emit(opJump, 0)
		u.patch(no)
		u.expr(e.Else)
		u.patch(end)
	case *pyast.NamedExpr:
		u.expr(e.Value)
		u.emit(opDup, 0)
		u.variable(e.Target.ID, storeVar)
	case *pyast.Attribute:
		u.expr(e.Value)
		u.at(e)
		u.emit(opLoadAttr, u.attr(e))
	case *pyast.Subscript:
		u.expr(e.Value)
		u.expr(e.Index)
		u.at(e)
		u.emit(opLoadItem, 0)
	case *pyast.Slice:
		for _, p := range []pyast.Expr{e.Lo, e.Hi, e.Step} {
			if p != nil {
				u.expr(p)
			} else {
				u.load(noneType{})
			}
		}
		u.emit(opSlice, 0)
	case *pyast.Call:
		u.call(e)
	case *pyast.Lambda:
		u.function(e, "<lambda>", e.Params, func(f *unit) {
			f.expr(e.Body)
			f.emit(opReturn, 0)
		})
	case *pyast.JoinedStr:
		u.joinedStr(e)
	default:
		u.display(e)
	}
}

// display compiles what builds a collection, and the rest.
func (u *unit) display(e pyast.Expr) {
	switch e := e.(type) {
	case *pyast.Tuple:
		if u.elements(e.Elts, opTuple, opList, opListAppend, opListExtend) {
			u.emit(opListToTup, 0)
		}
	case *pyast.List:
		u.elements(e.Elts, opList, opList, opListAppend, opListExtend)
	case *pyast.Set:
		u.elements(e.Elts, opSet, opSet, opSetAdd, opSetUpdate)
	case *pyast.Dict:
		u.dict(e)
	case *pyast.Comp:
		u.comp(e)
	case *pyast.Yield:
		if e.X != nil {
			u.expr(e.X)
		} else {
			u.load(noneType{})
		}
		u.at(e)
		u.emit(opYield, 0)
	case *pyast.YieldFrom:
		u.expr(e.X)
		u.at(e)
		u.emit(opIter, 1)
		u.load(noneType{})
		u.emit(opYieldFrom, 0)
	case *pyast.Starred:
		u.fail(e.From, "can't use starred expression here")
	case *pyast.Imag:
		u.unsupported(e, "complex numbers")
	case *pyast.Bytes:
		u.unsupported(e, "bytes")
	case *pyast.Await:
		u.unsupported(e, "await")
	default:
		u.unsupported(e, "this expression")
	}
}

func (u *unit) attr(e *pyast.Attribute) int32 { return u.nameIndex(u.mangle(e.Attr)) }

func (u *unit) unaryOp(e *pyast.UnaryOp) {
	u.expr(e.X)
	u.at(e)
	if e.Op == pyast.Not {
		u.emit(opNot, 0)
	} else {
		u.emit(opUnary, int32(e.Op))
	}
}

func (u *unit) boolOp(e *pyast.BoolOp) {
	op := opJumpIfTrueOrPop
	if e.And {
		op = opJumpIfFalseOrPop
	}
	var ends []int
	for i, v := range e.Values {
		u.expr(v)
		if i < len(e.Values)-1 {
			ends = append(ends, u.emit(op, 0))
		}
	}
	for _, j := range ends {
		u.patch(j)
	}
}

// compare compiles a chain; each operand is evaluated once, and only as long as
// the comparisons before it are true.
func (u *unit) compare(e *pyast.Compare) {
	u.expr(e.Left)
	var fails []int
	last := len(e.Ops) - 1
	for i, r := range e.Rights {
		u.expr(r)
		if i < last {
			u.emit(opDup, 0)
			u.emit(opRot3, 0)
		}
		u.at(e)
		u.emit(opCompare, int32(e.Ops[i]))
		if i < last {
			fails = append(fails, u.emit(opJumpIfFalseOrPop, 0))
		}
	}
	if last > 0 {
		end := u.emit(opJump, 0)
		for _, j := range fails {
			u.patch(j)
		}
		u.emit(opRot2, 0)
		u.emit(opPop, 0)
		u.patch(end)
	}
}

// elements builds a collection. With a star in it, it is built step by step in
// a collection made by open, and elements reports true.
func (u *unit) elements(elts []pyast.Expr, whole, open, add, extend opcode) bool {
	args := int32(0)
	if whole == opArgs {
		whole, args = opList, 1
	}
	star := false
	for _, e := range elts {
		_, s := e.(*pyast.Starred)
		star = star || s
	}
	if !star {
		for _, e := range elts {
			u.expr(e)
		}
		u.emit(whole, int32(len(elts)))
		return false
	}
	u.emit(open, 0)
	for _, e := range elts {
		if s, ok := e.(*pyast.Starred); ok {
			u.expr(s.Value)
			u.at(s)
			u.emit(extend, args)
		} else {
			u.expr(e)
			u.emit(add, 1)
		}
	}
	return true
}

func (u *unit) dict(e *pyast.Dict) {
	star := false
	for _, it := range e.Items {
		star = star || it.Key == nil
	}
	if !star {
		for _, it := range e.Items {
			u.expr(it.Key)
			u.expr(it.Value)
		}
		u.at(e)
		u.emit(opDict, int32(len(e.Items)))
		return
	}
	u.emit(opDict, 0)
	for _, it := range e.Items {
		if it.Key == nil {
			u.expr(it.Value)
			u.emit(opDictUpdate, 0)
		} else {
			u.expr(it.Key)
			u.expr(it.Value)
			u.emit(opDictAdd, 1)
		}
	}
}

func (u *unit) call(e *pyast.Call) {
	plain := len(e.Keywords) == 0
	for _, a := range e.Args {
		_, s := a.(*pyast.Starred)
		plain = plain && !s
	}
	switch f := e.Func.(type) {
	case *pyast.Name:
		if f.ID == "super" && len(e.Args)+len(e.Keywords) == 0 && u.super(e) {
			return
		}
	case *pyast.Attribute:
		if plain {
			u.expr(f.Value)
			u.at(f)
			u.emit(opLoadMethod, u.attr(f))
			for _, a := range e.Args {
				u.expr(a)
			}
			u.at(e)
			u.emit(opCallMethod, int32(len(e.Args)))
			return
		}
	}
	u.expr(e.Func)
	if plain {
		for _, a := range e.Args {
			u.expr(a)
		}
		u.at(e)
		u.emit(opCall, int32(len(e.Args)))
		return
	}
	u.callNamed(e)
}

// callNamed compiles a call with keywords or stars.
func (u *unit) callNamed(e *pyast.Call) {
	star, unpack := false, false
	seen := map[string]bool{}
	for _, a := range e.Args {
		_, s := a.(*pyast.Starred)
		star = star || s
	}
	for _, k := range e.Keywords {
		unpack = unpack || k.Name == ""
		if k.Name != "" && seen[k.Name] {
			u.fail(k.From, "keyword argument repeated: %s", k.Name)
		}
		seen[k.Name] = true
	}
	if !star && !unpack {
		names := &tuple{}
		for _, a := range e.Args {
			u.expr(a)
		}
		for _, k := range e.Keywords {
			u.expr(k.Value)
			names.v = append(names.v, newStr(k.Name))
		}
		u.at(e)
		u.emit2(opCallKw, int32(len(e.Args)+len(e.Keywords)), int(u.constant(names)))
		return
	}
	u.elements(e.Args, opArgs, opList, opListAppend, opListExtend)
	if len(e.Keywords) == 0 {
		u.at(e)
		u.emit(opCallEx, 0)
		return
	}
	u.emit(opDict, 0)
	for _, k := range e.Keywords {
		if k.Name == "" {
			u.expr(k.Value)
		} else {
			u.loadStr(k.Name)
			u.expr(k.Value)
			u.emit(opDict, 1)
		}
		u.at(e)
		u.emit(opDictMerge, 0)
	}
	u.emit(opCallEx, 1)
}

// super compiles super() without arguments; it needs the class that the method
// was defined in and the first parameter of the method.
func (u *unit) super(e *pyast.Call) bool {
	y := u.sc.syms["__class__"]
	if u.sc.kind != funcScope || u.sc.syms["super"].where != inGlobal || y == nil || y.where != inCell || len(u.code.params) == 0 {
		return false
	}
	u.variable(u.code.params[0], loadVar)
	u.variable("__class__", loadVar)
	u.at(e)
	u.emit(opSuper, 0)
	return true
}

func (u *unit) comp(e *pyast.Comp) {
	for _, c := range e.Clauses {
		if c.Async {
			u.unsupported(e, "async comprehensions")
			return
		}
	}
	sc := u.scopes.of[e]
	name := [...]string{"<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"}[e.Kind]
	f := u.unit(sc, u, name)
	f.at(e)
	f.code.params = []string{".0"}
	f.code.nPos, f.code.nPosOnly = 1, 1
	f.local(".0")
	switch e.Kind {
	case pyast.ListComp:
		f.emit(opList, 0)
	case pyast.SetComp:
		f.emit(opSet, 0)
	case pyast.DictComp:
		f.emit(opDict, 0)
	case pyast.GeneratorExp:
		f.code.generator = true
	}
	f.clauses(e, 0)
	if e.Kind == pyast.GeneratorExp {
		f.load(noneType{})
	}
	f.emit(opReturn, 0)
	u.emit(opTuple, 0)
	u.closure(sc)
	u.code.consts = append(u.code.consts, f.code)
	u.emit(opFunction, int32(len(u.code.consts)-1))
	u.expr(e.Clauses[0].Iter)
	u.at(e)
	u.emit(opIter, 0)
	u.emit(opCall, 1)
}

// clauses compiles the loops of a comprehension from clause i inwards.
func (u *unit) clauses(e *pyast.Comp, i int) {
	if i == len(e.Clauses) {
		u.expr(e.Elt)
		depth := int32(i + 1) // the collection lies below the iterators
		switch e.Kind {
		case pyast.ListComp:
			u.emit(opListAppend, depth)
		case pyast.SetComp:
			u.emit(opSetAdd, depth)
		case pyast.DictComp:
			u.expr(e.Value)
			u.emit(opDictAdd, depth)
		case pyast.GeneratorExp:
			u.emit(opYield, 0)
			u.emit(opPop, 0)
		}
		return
	}
	c := e.Clauses[i]
	if i == 0 {
		u.emit(opLoadLocal, 0)
	} else {
		u.expr(c.Iter)
		u.at(c)
		u.emit(opIter, 0)
	}
	top := u.here()
	next := u.emit(opForIter, 0)
	u.store(c.Target)
	for _, cond := range c.Ifs {
		u.expr(cond)
		u.emit(opJumpIfFalse, int32(top))
	}
	u.clauses(e, i+1)
	u.emit(opJump, int32(top))
	u.patch(next)
}

func (u *unit) joinedStr(e *pyast.JoinedStr) {
	n := int32(0)
	for _, p := range e.Parts {
		u.part(p)
		n++
	}
	u.emit(opString, n)
}

func (u *unit) part(p pyast.Expr) {
	v, ok := p.(*pyast.FormattedValue)
	if !ok {
		u.expr(p)
		return
	}
	u.expr(v.Value)
	u.at(v)
	if v.Spec != nil {
		u.joinedStr(v.Spec)
		u.emit2(opFormat, int32(v.Conv), 1)
	} else {
		u.emit(opFormat, int32(v.Conv))
	}
}
