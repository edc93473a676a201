package pyrun

import "kilter/internal/pyast"

func (u *unit) stmts(list []pyast.Stmt) {
	for _, s := range list {
		u.stmt(s)
	}
}

func (u *unit) stmt(s pyast.Stmt) {
	u.at(s)
	switch s := s.(type) {
	case *pyast.ExprStmt:
		u.expr(s.X)
		u.emit(opPop, 0)
	case *pyast.Assign:
		u.expr(s.Value)
		for i, t := range s.Targets {
			if i < len(s.Targets)-1 {
				u.emit(opDup, 0)
			}
			u.store(t)
		}
	case *pyast.AugAssign:
		u.augAssign(s)
	case *pyast.AnnAssign:
		if s.Value != nil {
			u.expr(s.Value)
			u.store(s.Target)
		}
	case *pyast.Return:
		u.returnStmt(s)
	case *pyast.If:
		u.ifStmt(s)
	case *pyast.While:
		u.whileStmt(s)
	case *pyast.For:
		u.forStmt(s)
	case *pyast.Break, *pyast.Continue:
		u.leaveLoop(s)
	case *pyast.Pass, *pyast.Global, *pyast.Nonlocal:
	case *pyast.FuncDef:
		u.funcDef(s)
	case *pyast.ClassDef:
		u.classDef(s)
	case *pyast.Delete:
		for _, t := range s.Targets {
			u.del(t)
		}
	case *pyast.Raise:
		n := int32(0)
		if s.Exc != nil {
			u.expr(s.Exc)
			n++
		}
		if s.Cause != nil {
			u.expr(s.Cause)
			n++
		}
		u.at(s)
		u.emit(opRaise, n)
	case *pyast.Assert:
		u.assert(s)
	case *pyast.Try:
		u.tryStmt(s)
	case *pyast.Import:
		u.importStmt(s)
	case *pyast.ImportFrom:
		u.importFrom(s)
	case *pyast.With:
		u.unsupported(s, "the with statement")
	case *pyast.Match:
		u.unsupported(s, "the match statement")
	case *pyast.TypeAlias:
		u.unsupported(s, "the type statement")
	default:
		u.unsupported(s, "this statement")
	}
}

func (u *unit) assert(s *pyast.Assert) {
	u.expr(s.Test)
	ok := u.emit(opJumpIfTrue, 0)
	u.emit(opAssertErr, 0)
	if s.Msg != nil {
		u.expr(s.Msg)
		u.emit(opCall, 1)
	}
	u.at(s)
	u.emit(opRaise, 1)
	u.patch(ok)
}

// augAssign evaluates the parts of the target once.
func (u *unit) augAssign(s *pyast.AugAssign) {
	op := func() {
		u.expr(s.Value)
		u.at(s)
		u.emit(opInplace, int32(s.Op))
	}
	switch t := s.Target.(type) {
	case *pyast.Name:
		u.variable(t.ID, loadVar)
		op()
		u.variable(t.ID, storeVar)
	case *pyast.Attribute:
		u.expr(t.Value)
		u.emit(opDup, 0)
		u.emit(opLoadAttr, u.attr(t))
		op()
		u.emit(opRot2, 0)
		u.emit(opStoreAttr, u.attr(t))
	case *pyast.Subscript:
		u.expr(t.Value)
		u.expr(t.Index)
		u.emit(opDup2, 0)
		u.emit(opLoadItem, 0)
		op()
		u.emit(opRot3, 0)
		u.emit(opStoreItem, 0)
	}
}

// store assigns the top of the stack.
func (u *unit) store(e pyast.Expr) {
	switch e := e.(type) {
	case *pyast.Name:
		u.variable(e.ID, storeVar)
	case *pyast.Attribute:
		u.expr(e.Value)
		u.at(e)
		u.emit(opStoreAttr, u.attr(e))
	case *pyast.Subscript:
		u.expr(e.Value)
		u.expr(e.Index)
		u.at(e)
		u.emit(opStoreItem, 0)
	case *pyast.Tuple:
		u.unpack(e, e.Elts)
	case *pyast.List:
		u.unpack(e, e.Elts)
	case *pyast.Starred:
		u.fail(e.From, "starred assignment target must be in a list or tuple")
	default:
		u.unsupported(e, "this assignment target")
	}
}

func (u *unit) unpack(n pyast.Node, elts []pyast.Expr) {
	star := -1
	for i, e := range elts {
		if _, ok := e.(*pyast.Starred); ok {
			if star >= 0 {
				u.fail(e.Pos(), "multiple starred expressions in assignment")
			}
			star = i
		}
	}
	u.at(n)
	if star < 0 {
		u.emit(opUnpack, int32(len(elts)))
	} else {
		u.emit2(opUnpackEx, int32(star), len(elts)-star-1)
	}
	for _, e := range elts {
		if s, ok := e.(*pyast.Starred); ok {
			e = s.Value
		}
		u.store(e)
	}
}

func (u *unit) del(e pyast.Expr) {
	u.at(e)
	switch e := e.(type) {
	case *pyast.Name:
		u.variable(e.ID, delVar)
	case *pyast.Attribute:
		u.expr(e.Value)
		u.emit(opDelAttr, u.attr(e))
	case *pyast.Subscript:
		u.expr(e.Value)
		u.expr(e.Index)
		u.emit(opDelItem, 0)
	case *pyast.Tuple:
		for _, x := range e.Elts {
			u.del(x)
		}
	case *pyast.List:
		for _, x := range e.Elts {
			u.del(x)
		}
	}
}

func (u *unit) ifStmt(s *pyast.If) {
	var ends []int
	for i, c := range s.Clauses {
		u.at(c)
		next := u.jumpUnless(c.Test)
		u.stmts(c.Body)
		if i < len(s.Clauses)-1 || len(s.Else) > 0 {
			ends = append(ends, u.emit(opJump, 0))
		}
		u.patch(next)
	}
	u.stmts(s.Else)
	for _, e := range ends {
		u.patch(e)
	}
}

// jumpUnless evaluates a condition and returns the jump taken when it is false.
func (u *unit) jumpUnless(e pyast.Expr) int {
	u.expr(e)
	return u.emit(opJumpIfFalse, 0)
}

func (u *unit) whileStmt(s *pyast.While) {
	top := u.here()
	exit := u.jumpUnless(s.Test)
	u.blocks = append(u.blocks, block{kind: blockWhile, top: top})
	u.stmts(s.Body)
	u.emit(opJump, int32(top))
	b := u.popBlock()
	u.patch(exit)
	u.stmts(s.Else)
	for _, j := range b.breaks {
		u.patch(j)
	}
}

func (u *unit) forStmt(s *pyast.For) {
	if s.Async {
		u.unsupported(s, "async for")
		return
	}
	u.expr(s.Iter)
	u.at(s)
	u.emit(opIter, 0)
	top := u.here()
	next := u.emit(opForIter, 0)
	u.blocks = append(u.blocks, block{kind: blockFor, top: top})
	u.store(s.Target)
	u.stmts(s.Body)
	u.emit(opJump, int32(top))
	b := u.popBlock()
	u.patch(next)
	u.stmts(s.Else)
	for _, j := range b.breaks {
		u.patch(j)
	}
}

func (u *unit) popBlock() block {
	b := u.blocks[len(u.blocks)-1]
	u.blocks = u.blocks[:len(u.blocks)-1]
	return b
}

// unwind emits what must happen on a jump out of the block at index i. With
// keep, the top of the stack is a return value to preserve.
func (u *unit) unwind(i int, keep bool) {
	b := u.blocks[i]
	switch b.kind {
	case blockFor:
		if keep {
			u.emit(opRot2, 0)
		}
		u.emit(opPop, 0)
	case blockTry:
		u.emit(opPopBlock, 0)
	case blockFinally:
		u.emit(opPopBlock, 0)
		saved := u.blocks
		// The body runs outside the try, in a copy: what it opens it also closes.
		u.blocks = append([]block(nil), u.blocks[:i]...)
		u.stmts(b.finally)
		for k := range i { // breaks inside the body leave loops outside
			saved[k].breaks = u.blocks[k].breaks
		}
		u.blocks = saved
	case blockHandler:
		u.emit(opPopExc, 0)
	case blockName:
		u.emit(opPopBlock, 0)
		u.clearName(b.name)
	}
}

func (u *unit) clearName(name string) {
	u.load(noneType{})
	u.variable(name, storeVar)
	u.variable(name, delVar)
}

func (u *unit) returnStmt(s *pyast.Return) {
	if !u.inDef {
		u.fail(s.From, "'return' outside function")
	}
	if s.Value != nil {
		u.expr(s.Value)
	} else {
		u.load(noneType{})
	}
	u.at(s)
	for i := len(u.blocks) - 1; i >= 0; i-- {
		u.unwind(i, true)
	}
	u.emit(opReturn, 0)
}

func (u *unit) leaveLoop(s pyast.Stmt) {
	_, isBreak := s.(*pyast.Break)
	for i := len(u.blocks) - 1; i >= 0; i-- {
		if b := &u.blocks[i]; b.kind == blockFor || b.kind == blockWhile {
			if !isBreak {
				u.emit(opJump, int32(b.top))
				return
			}
			if b.kind == blockFor {
				u.emit(opPop, 0)
			}
			b.breaks = append(b.breaks, u.emit(opJump, 0))
			return
		}
		u.unwind(i, false)
	}
	if isBreak {
		u.fail(s.Pos(), "'break' outside loop")
	}
	u.fail(s.Pos(), "'continue' not properly in loop")
}

func (u *unit) tryStmt(s *pyast.Try) {
	if s.Star {
		u.unsupported(s, "except*")
		return
	}
	if len(s.Finally) == 0 {
		u.tryExcept(s)
		return
	}
	handler := u.emit(opTry, 0)
	u.blocks = append(u.blocks, block{kind: blockFinally, finally: s.Finally})
	if len(s.Handlers) > 0 {
		u.tryExcept(s)
	} else {
		u.stmts(s.Body)
	}
	u.popBlock()
	u.emit(opPopBlock, 0)
	u.stmts(s.Finally)
	end := u.emit(opJump, 0)
	u.patch(handler)
	u.blocks = append(u.blocks, block{kind: blockHandler})
	u.stmts(s.Finally)
	u.popBlock()
	u.emit(opReraise, 0)
	u.patch(end)
}

func (u *unit) tryExcept(s *pyast.Try) {
	handler := u.emit(opTry, 0)
	u.blocks = append(u.blocks, block{kind: blockTry})
	u.stmts(s.Body)
	u.popBlock()
	u.emit(opPopBlock, 0)
	u.stmts(s.Else)
	ends := []int{u.emit(opJump, 0)}
	u.patch(handler)
	u.blocks = append(u.blocks, block{kind: blockHandler})
	for i, h := range s.Handlers {
		u.at(h)
		next := -1
		if h.Type != nil {
			u.emit(opLoadExc, 0)
			u.expr(h.Type)
			u.at(h)
			u.emit(opExcMatch, 0)
			next = u.emit(opJumpIfFalse, 0)
		} else if i < len(s.Handlers)-1 {
			u.fail(h.From, "default 'except:' must be last")
		}
		if h.Name == "" {
			u.stmts(h.Body)
			u.emit(opPopExc, 0)
		} else {
			u.emit(opLoadExc, 0)
			u.variable(h.Name, storeVar)
			cleanup := u.emit(opTry, 0)
			u.blocks = append(u.blocks, block{kind: blockName, name: h.Name})
			u.stmts(h.Body)
			u.popBlock()
			u.emit(opPopBlock, 0)
			u.clearName(h.Name)
			u.emit(opPopExc, 0)
			ends = append(ends, u.emit(opJump, 0))
			u.patch(cleanup)
			u.clearName(h.Name)
			u.emit(opReraise, 0)
		}
		ends = append(ends, u.emit(opJump, 0))
		if next >= 0 {
			u.patch(next)
		}
	}
	u.popBlock()
	u.emit(opReraise, 0)
	for _, e := range ends {
		u.patch(e)
	}
}

func (u *unit) funcDef(s *pyast.FuncDef) {
	if s.Async {
		u.unsupported(s, "async functions")
		return
	}
	for _, d := range s.Decorators {
		u.expr(d)
	}
	if len(s.TypeParams) > 0 {
		u.unsupported(s, "type parameters")
	}
	u.function(s, s.Name, s.Params, func(f *unit) { f.body(s.Body) })
	u.at(s)
	for range s.Decorators {
		u.emit(opCall, 1)
	}
	u.variable(s.Name, storeVar)
}

func (u *unit) classDef(s *pyast.ClassDef) {
	for _, d := range s.Decorators {
		u.expr(d)
	}
	if len(s.TypeParams) > 0 || len(s.Keywords) > 0 {
		u.unsupported(s, "type parameters and keywords of a class")
	}
	for _, b := range s.Bases {
		if _, ok := b.(*pyast.Starred); ok {
			u.unsupported(b, "starred base classes")
		}
		u.expr(b)
	}
	u.emit(opTuple, int32(len(s.Bases)))
	sc := u.scopes.of[s]
	c := u.unit(sc, u, s.Name)
	c.body(s.Body)
	body := c.finish()
	if sc.classCell {
		body.classCell = sc.cellSlot("__class__")
	}
	u.closure(sc)
	u.at(s)
	u.code.consts = append(u.code.consts, body)
	u.emit(opClass, int32(len(u.code.consts)-1))
	for range s.Decorators {
		u.emit(opCall, 1)
	}
	u.variable(s.Name, storeVar)
}

func (u *unit) importStmt(s *pyast.Import) {
	for _, a := range s.Names {
		name, as := a.Name, a.As
		if as == "" {
			as = firstPart(name)
			if as != name {
				name = as
			}
		}
		u.emit(opImport, u.constant(newStr(name)))
		u.variable(as, storeVar)
	}
}

func (u *unit) importFrom(s *pyast.ImportFrom) {
	if s.Level > 0 {
		u.unsupported(s, "relative imports")
		return
	}
	if s.Module == "__future__" {
		return
	}
	u.emit(opImport, u.constant(newStr(s.Module)))
	for _, a := range s.Names {
		if a.Name == "*" {
			u.emit(opImportStar, 0)
			return
		}
		as := a.As
		if as == "" {
			as = a.Name
		}
		u.emit(opImportName, u.constant(newStr(a.Name)))
		u.variable(as, storeVar)
	}
	u.emit(opPop, 0)
}
