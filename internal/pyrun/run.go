package pyrun

import (
	"slices"

	"kilter/internal/pyast"
)

// run executes a frame until it returns, yields (f.yields), or fails.
func (in *interp) run(f *frame) (value, error) {
	if in.depth >= in.lim.Depth {
		return nil, in.raise(in.t.RecursionError, "maximum recursion depth exceeded")
	}
	in.depth++
	in.frames = append(in.frames, f)
	v, err := in.loop(f)
	in.frames[len(in.frames)-1] = nil
	in.frames = in.frames[:len(in.frames)-1]
	in.depth--
	if u, ok := err.(*Unsupported); ok && u.Line == 0 {
		u.Line = f.line()
	}
	return v, err
}

// loop executes instructions. The frequent ones are here, the others in step.
func (in *interp) loop(f *frame) (value, error) {
	ins := f.code.ins
	if f.thrown != nil {
		if v, yields, err := in.throwInto(f); err != nil {
			if !in.unwind(f, err) {
				return nil, err
			}
		} else if yields {
			return v, nil
		}
	}
	for {
		if in.fuel--; in.fuel < 0 {
			if err := in.refill(); err != nil {
				return nil, err
			}
		}
		i := ins[f.ip]
		f.ip++
		var err error
		switch i.op {
		case opConst:
			f.push(f.code.consts[i.a])
		case opPop:
			f.pop()
		case opDup:
			f.push(f.top())
		case opLoadLocal:
			v := f.locals[i.a]
			if v == nil {
				err = in.unboundLocal(f.code.locals[i.a])
				break
			}
			f.push(v)
		case opStoreLocal:
			f.locals[i.a] = f.pop()
		case opLoadGlobal:
			v := in.globals[i.a]
			if v == nil {
				if v, err = in.builtinName(i.a); err != nil {
					break
				}
			}
			f.push(v)
		case opStoreGlobal:
			in.storeGlobal(i.a, f.pop())
		case opBinary:
			n := len(f.stack)
			var v value
			if v, err = in.binary(pyast.Operator(i.a), f.stack[n-2], f.stack[n-1]); err == nil {
				f.stack[n-1] = nil
				f.stack = f.stack[:n-1]
				f.stack[n-2] = v
			}
		case opInplace:
			n := len(f.stack)
			var v value
			if v, err = in.inplace(pyast.Operator(i.a), f.stack[n-2], f.stack[n-1]); err == nil {
				f.stack[n-1] = nil
				f.stack = f.stack[:n-1]
				f.stack[n-2] = v
			}
		case opCompare:
			n := len(f.stack)
			var v value
			if v, err = in.compare(pyast.CmpOperator(i.a), f.stack[n-2], f.stack[n-1]); err == nil {
				f.stack[n-1] = nil
				f.stack = f.stack[:n-1]
				f.stack[n-2] = v
			}
		case opJump:
			f.ip = int(i.a)
		case opJumpIfFalse, opJumpIfTrue:
			var t bool
			if t, err = in.truth(f.top()); err == nil {
				f.pop()
				if t == (i.op == opJumpIfTrue) {
					f.ip = int(i.a)
				}
			}
		case opForIter:
			var v value
			var ok bool
			if v, ok, err = in.next(f.top()); err != nil {
				break
			}
			if ok {
				f.push(v)
			} else {
				f.pop()
				f.ip = int(i.a)
			}
		case opCall:
			n := int(i.a)
			from := len(f.stack) - n
			var v value
			if v, err = in.call(f.stack[from-1], f.stack[from:], kwargs{}); err == nil {
				f.drop(n)
				f.stack[from-1] = v
			}
		case opCallMethod:
			n := int(i.a)
			from := len(f.stack) - n
			var v value
			if fn := f.stack[from-2]; fn != nil {
				v, err = in.call(fn, f.stack[from-1:], kwargs{})
			} else {
				v, err = in.call(f.stack[from-1], f.stack[from:], kwargs{})
			}
			if err == nil {
				f.drop(n + 1)
				f.stack[from-2] = v
			}
		case opLoadItem:
			n := len(f.stack)
			var v value
			if v, err = in.getItem(f.stack[n-2], f.stack[n-1]); err == nil {
				f.pop()
				f.stack[n-2] = v
			}
		case opReturn:
			f.yields = false
			return f.pop(), nil
		case opYield:
			f.yields = true
			return f.pop(), nil
		case opYieldFrom:
			var v value
			var yields bool
			if v, yields, err = in.yieldFrom(f); err == nil {
				if yields {
					f.yields = true
					return v, nil
				}
				f.push(v)
			}
		default:
			err = in.step(f, i)
		}
		if err != nil && !in.unwind(f, err) {
			return nil, err
		}
	}
}

// step executes one of the less frequent instructions.
func (in *interp) step(f *frame, i instr) error {
	switch i.op {
	case opUnsupported:
		return unsupported("%s", f.code.consts[i.a].(*str).s)
	case opDup2:
		n := len(f.stack)
		f.stack = append(f.stack, f.stack[n-2], f.stack[n-1])
	case opRot2:
		n := len(f.stack)
		f.stack[n-1], f.stack[n-2] = f.stack[n-2], f.stack[n-1]
	case opRot3:
		n := len(f.stack)
		f.stack[n-1], f.stack[n-2], f.stack[n-3] = f.stack[n-2], f.stack[n-3], f.stack[n-1]
	case opUnary:
		return in.replace1(f, func(x value) (value, error) { return in.unary(pyast.UnaryOperator(i.a), x) })
	case opNot:
		t, err := in.truth(f.top())
		if err != nil {
			return err
		}
		f.stack[len(f.stack)-1] = !t
	case opJumpIfFalseOrPop, opJumpIfTrueOrPop:
		t, err := in.truth(f.top())
		if err != nil {
			return err
		}
		if t == (i.op == opJumpIfTrueOrPop) {
			f.ip = int(i.a)
		} else {
			f.pop()
		}
	case opLoadAttr:
		return in.replace1(f, func(x value) (value, error) { return in.getAttr(x, f.code.names[i.a]) })
	case opLoadMethod:
		fn, self, err := in.getMethod(f.top(), f.code.names[i.a])
		if err != nil {
			return err
		}
		f.stack[len(f.stack)-1] = fn
		f.push(self)
	case opStoreAttr:
		n := len(f.stack)
		if err := in.setAttr(f.stack[n-1], f.code.names[i.a], f.stack[n-2]); err != nil {
			return err
		}
		f.drop(2)
	case opDelAttr:
		if err := in.delAttr(f.top(), f.code.names[i.a]); err != nil {
			return err
		}
		f.pop()
	case opStoreItem:
		n := len(f.stack)
		if err := in.setItem(f.stack[n-2], f.stack[n-1], f.stack[n-3]); err != nil {
			return err
		}
		f.drop(3)
	case opDelItem:
		n := len(f.stack)
		if err := in.delItem(f.stack[n-2], f.stack[n-1]); err != nil {
			return err
		}
		f.drop(2)
	case opIter:
		return in.replace1(f, func(x value) (value, error) { return in.iter(x) })
	case opUnpack:
		return in.unpack(f, int(i.a))
	case opUnpackEx:
		return in.unpackStar(f, int(i.a), int(i.b))
	case opFormat:
		return in.formatField(f, byte(i.a), i.b == 1)
	default:
		if i.op >= opTuple && i.op <= opSlice {
			return in.buildStep(f, i)
		}
		if i.op >= opLoadLocal && i.op <= opDelName {
			return in.nameStep(f, i)
		}
		return in.rareStep(f, i)
	}
	return nil
}

// replace1 replaces the top of the stack.
func (in *interp) replace1(f *frame, op func(value) (value, error)) error {
	v, err := op(f.top())
	if err == nil {
		f.stack[len(f.stack)-1] = v
	}
	return err
}

// buildStep executes the instructions that build collections.
func (in *interp) buildStep(f *frame, i instr) error {
	n := int(i.a)
	switch i.op {
	case opTuple:
		if err := in.allocN(int64(n)+2, sizeSlot); err != nil {
			return err
		}
		f.push(&tuple{f.popN(n)})
	case opList:
		if err := in.allocN(int64(n)+2, sizeSlot); err != nil {
			return err
		}
		f.push(&list{f.popN(n)})
	case opSet:
		s, err := in.newSet()
		if err != nil {
			return err
		}
		for _, v := range f.stack[len(f.stack)-n:] {
			if err := in.setAdd(s, v); err != nil {
				return err
			}
		}
		f.drop(n)
		f.push(s)
	case opDict:
		d, err := in.newDict()
		if err != nil {
			return err
		}
		vs := f.stack[len(f.stack)-2*n:]
		for k := 0; k < len(vs); k += 2 {
			if err := in.dictSet(d, vs[k], vs[k+1]); err != nil {
				return err
			}
		}
		f.drop(2 * n)
		f.push(d)
	case opString:
		return in.joinStack(f, n)
	case opListToTup:
		l := f.pop().(*list)
		if err := in.alloc(sizeObject); err != nil {
			return err
		}
		f.push(&tuple{l.v})
	case opListAppend:
		if err := in.appendTo(f.stack[len(f.stack)-1-n].(*list), f.top()); err != nil {
			return err
		}
		f.pop()
	case opSetAdd:
		if err := in.setAdd(f.stack[len(f.stack)-1-n].(*set), f.top()); err != nil {
			return err
		}
		f.pop()
	case opDictAdd:
		m := len(f.stack)
		if err := in.dictSet(f.stack[m-2-n].(*dict), f.stack[m-2], f.stack[m-1]); err != nil {
			return err
		}
		f.drop(2)
	case opListExtend:
		if err := in.extend(f.stack[len(f.stack)-2].(*list), f.top()); err != nil {
			what := "Value"
			if n == 1 {
				what = in.callableName(f.stack[len(f.stack)-3]) + " argument"
				if fn, ok := f.stack[len(f.stack)-3].(*function); ok && !fn.code.internal {
					what = "kilter." + what
				}
			}
			return in.notIterable(err, f.top(), what)
		}
		f.pop()
	case opSetUpdate:
		if err := in.setUpdate(f.stack[len(f.stack)-2].(*set), f.top()); err != nil {
			return in.notIterable(err, f.top(), "Value")
		}
		f.pop()
	case opDictUpdate:
		src, ok := f.top().(*dict)
		if !ok {
			return in.typeError([]value{f.top()}, "'%s' object is not a mapping", in.typeName(f.top()))
		}
		if err := in.dictUpdate(f.stack[len(f.stack)-2].(*dict), src); err != nil {
			return err
		}
		f.pop()
	case opDictMerge:
		return in.mergeKeywords(f)
	case opSlice:
		if err := in.alloc(sizeObject); err != nil {
			return err
		}
		vs := f.popN(3)
		f.push(&slice{vs[0], vs[1], vs[2]})
	}
	return nil
}

// notIterable puts the error about a starred value into CPython's words.
func (in *interp) notIterable(err error, v value, what string) error {
	switch v.(type) {
	case *instance, *generator, iterator:
		return err // it may come from inside
	}
	if _, again := in.iter(v); again == nil {
		return err
	}
	if r, ok := err.(*raised); ok && r.exc.cls == in.t.TypeError {
		return in.typeError([]value{v}, "%s after * must be an iterable, not %s", what, in.typeName(v))
	}
	return err
}

// mergeKeywords adds the mapping on top to the keyword arguments below.
func (in *interp) mergeKeywords(f *frame) error {
	src, ok := f.top().(*dict)
	if !ok {
		return in.typeError([]value{f.top()}, "argument after ** must be a mapping, not %s", in.typeName(f.top()))
	}
	dst := f.stack[len(f.stack)-2].(*dict)
	for _, e := range src.entries {
		if err := in.charge(1); err != nil {
			return err
		}
		if !e.live {
			continue
		}
		k, ok := e.key.(*str)
		if !ok {
			return in.raise(in.t.TypeError, "keywords must be strings")
		}
		if _, dup, err := in.dictGet(dst, k); err != nil {
			return err
		} else if dup {
			return in.raise(in.t.TypeError, "%s got multiple values for keyword argument '%s'",
				in.callableName(f.stack[len(f.stack)-4]), k.s)
		}
		if err := in.dictSet(dst, k, e.val); err != nil {
			return err
		}
	}
	f.pop()
	return nil
}

// nameStep executes the less frequent accesses to variables.
func (in *interp) nameStep(f *frame, i instr) error {
	switch i.op {
	case opDelLocal:
		if f.locals[i.a] == nil {
			return in.unboundLocal(f.code.locals[i.a])
		}
		f.locals[i.a] = nil
	case opLoadCell:
		c := f.cells[i.a].(*cell)
		if c.v == nil {
			return in.unboundCell(f.code, i.a)
		}
		f.push(c.v)
	case opStoreCell:
		f.cells[i.a].(*cell).v = f.pop()
	case opDelCell:
		c := f.cells[i.a].(*cell)
		if c.v == nil {
			return in.unboundCell(f.code, i.a)
		}
		c.v = nil
	case opPushCell:
		f.push(f.cells[i.a])
	case opDelGlobal:
		if in.globals[i.a] == nil {
			return in.raise(in.t.NameError, "name '%s' is not defined", in.names[i.a])
		}
		in.globals[i.a] = nil
	case opLoadName, opLoadNameCell:
		v := f.ns[f.code.names[i.b]]
		var err error
		switch {
		case v != nil:
		case i.op == opLoadNameCell:
			if v = f.cells[i.a].(*cell).v; v == nil {
				return in.unboundCell(f.code, i.a)
			}
		default:
			if v = in.globals[i.a]; v == nil {
				if v, err = in.builtinName(i.a); err != nil {
					return err
				}
			}
		}
		f.push(v)
	case opStoreName:
		f.ns[f.code.names[i.b]] = f.pop()
	case opDelName:
		name := f.code.names[i.b]
		if f.ns[name] == nil {
			return in.raise(in.t.NameError, "name '%s' is not defined", name)
		}
		delete(f.ns, name)
	}
	return nil
}

// rareStep executes calls with names, definitions, exceptions and imports.
func (in *interp) rareStep(f *frame, i instr) error {
	switch i.op {
	case opCallKw:
		return in.callKw(f, int(i.a), f.code.consts[i.b].(*tuple).v)
	case opCallEx:
		return in.callEx(f, i.a == 1)
	case opSuper:
		vs := f.popN(2)
		c, ok := vs[1].(*class)
		if !ok {
			return unsupported("this use of super")
		}
		f.push(&superObj{vs[0], c})
	case opFunction:
		return in.makeFunction(f, f.code.consts[i.a].(*code))
	case opClass:
		return in.makeClass(f, f.code.consts[i.a].(*code))
	case opRaise:
		return in.raiseStmt(f, int(i.a))
	case opTry:
		f.tries = append(f.tries, tryBlock{int(i.a), len(f.stack), len(f.excs)})
	case opPopBlock:
		f.tries = f.tries[:len(f.tries)-1]
	case opLoadExc:
		f.push(f.excs[len(f.excs)-1])
	case opExcMatch:
		n := len(f.stack)
		ok, err := in.excMatch(f.stack[n-2], f.stack[n-1])
		if err != nil {
			return err
		}
		f.drop(2)
		f.push(ok)
	case opPopExc:
		n := len(f.excs) - 1
		f.excs[n] = nil
		f.excs = f.excs[:n]
	case opReraise:
		n := len(f.excs) - 1
		e := f.excs[n]
		f.excs[n] = nil
		f.excs = f.excs[:n]
		return &raised{e}
	case opAssertErr:
		f.push(in.t.AssertionError)
	case opImport:
		m, err := in.importModule(f.code.consts[i.a].(*str).s)
		if err != nil {
			return err
		}
		f.push(m)
	case opImportName:
		v, err := in.importName(f.top().(*module), f.code.consts[i.a].(*str).s)
		if err != nil {
			return err
		}
		f.push(v)
	case opImportStar:
		m := f.pop().(*module)
		if m.missing {
			return unsupported("module %s", m.name)
		}
		for name, v := range m.ns {
			in.setGlobal(name, v)
		}
	}
	return nil
}

func (in *interp) unboundLocal(name string) error {
	return in.raise(in.t.UnboundLocalError, "cannot access local variable '%s' where it is not associated with a value", name)
}

func (in *interp) unboundCell(c *code, i int32) error {
	if int(i) < c.nCells {
		return in.unboundLocal(c.cells[i])
	}
	return in.raise(in.t.NameError, "cannot access free variable '%s' where it is not associated with a value in enclosing scope", c.cells[i])
}

// builtinName returns the builtin for a global slot that is not assigned.
func (in *interp) builtinName(slot int32) (value, error) {
	if v := in.fallback[slot]; v != nil {
		return v, nil
	}
	name := in.names[slot]
	if unimplemented(name) {
		return nil, unsupported("builtin %s", name)
	}
	return nil, in.raise(in.t.NameError, "name '%s' is not defined", name)
}

// storeGlobal assigns a global and keeps the list of functions in order of
// definition.
func (in *interp) storeGlobal(slot int32, v value) {
	in.globals[slot] = v
	switch v.(type) {
	case *function, *cached:
		if !slices.Contains(in.defined, in.names[slot]) {
			in.defined = append(in.defined, in.names[slot])
		}
	}
}
