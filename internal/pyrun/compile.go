package pyrun

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"kilter/internal/pyast"
)

// maxInstructions bounds the code of a module. The body of a finally clause is
// compiled once for every way out of its try, so nested ones grow quickly.
const maxInstructions = 1 << 20

// compiler writes the code of all scopes of a file.
type compiler struct {
	in       *interp
	file     *pyast.File
	scopes   *scopes
	total    int  // instructions so far
	internal bool // not the program's own source: no line numbers
}

// unit is the code of one scope while it is written.
type unit struct {
	*compiler
	sc     *scope
	outer  *unit
	code   *code
	line   int32
	consts map[any]int32
	names  map[string]int32
	locals map[string]int32
	blocks []block
	inDef  bool // return is allowed
}

// block is a construct that a jump out of it must clean up.
type block struct {
	kind    blockKind
	top     int          // loop: where continue goes
	breaks  []int        // loop: jumps to patch
	finally []pyast.Stmt // blockFinally
	name    string       // blockName
}

type blockKind uint8

const (
	blockWhile   blockKind = iota
	blockFor               // its iterator is on the stack
	blockTry               // an opTry is active
	blockFinally           // the same, and a body to run on the way out
	blockHandler           // an exception is being handled
	blockName              // an opTry that unbinds the name of the exception
)

// compile compiles a file. Errors leave by panic with compileError.
func compile(in *interp, f *pyast.File, internal bool) (c *code, err error) {
	sc, err := analyse(f)
	if err != nil {
		return nil, err
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case compileError:
			c, err = nil, r.err
		default:
			panic(r)
		}
	}()
	cc := &compiler{in: in, file: f, scopes: sc, internal: internal}
	u := cc.unit(sc.of[f], nil, "<module>")
	u.body(f.Body)
	return u.finish(), nil
}

type compileError struct{ err error }

func (c *compiler) fail(p pyast.Pos, format string, args ...any) {
	at := c.file.Position(p)
	panic(compileError{&pyast.SyntaxError{Line: at.Line, Col: at.Col, Msg: fmt.Sprintf(format, args...)}})
}

func (c *compiler) unit(sc *scope, outer *unit, name string) *unit {
	u := &unit{
		compiler: c, sc: sc, outer: outer,
		code:   &code{name: name, qualified: name, varArgs: -1, varKw: -1, classCell: -1, generator: sc.generator, internal: c.internal},
		consts: map[any]int32{}, names: map[string]int32{}, locals: map[string]int32{},
	}
	if outer != nil && outer.code.name != "<module>" {
		u.code.qualified = outer.code.qualified + "."
		if outer.sc.kind == funcScope {
			u.code.qualified += "<locals>."
		}
		u.code.qualified += name
	}
	if outer != nil {
		u.line = outer.line
	}
	u.code.cells = append(append([]string(nil), sc.cells...), sc.frees...)
	u.code.nCells = len(sc.cells)
	return u
}

func (u *unit) finish() *code {
	u.emit(opConst, u.constant(noneType{}))
	u.emit(opReturn, 0)
	return u.code
}

func (u *unit) at(n pyast.Node) {
	if !u.internal {
		u.line = int32(u.file.Position(n.Pos()).Line)
	}
}

func (u *unit) emit(op opcode, a int32) int { return u.emit2(op, a, 0) }

func (u *unit) emit2(op opcode, a int32, b int) int {
	if u.total++; u.total > maxInstructions {
		panic(compileError{&Unsupported{What: "a program this large"}})
	}
	if b > 0xFFFF {
		panic(compileError{&Unsupported{What: "this many names", Line: int(u.line)}})
	}
	u.code.ins = append(u.code.ins, instr{op, uint16(b), a})
	u.code.lines = append(u.code.lines, u.line)
	return len(u.code.ins) - 1
}

// patch lets the jump at i go to here.
func (u *unit) patch(i int) { u.code.ins[i].a = int32(len(u.code.ins)) }

func (u *unit) here() int { return len(u.code.ins) }

// constant returns the index of a constant; key tells equal ones apart by type.
func (u *unit) constant(v value) int32 {
	var key any
	switch v := v.(type) {
	case int64, bool, noneType:
		key = v
	case *str:
		key = v.s
	}
	if key != nil {
		if i, ok := u.consts[key]; ok {
			return i
		}
		u.consts[key] = int32(len(u.code.consts))
	}
	u.code.consts = append(u.code.consts, v)
	return int32(len(u.code.consts) - 1)
}

func (u *unit) load(v value) { u.emit(opConst, u.constant(v)) }

func (u *unit) loadStr(s string) { u.load(newStr(s)) }

func (u *unit) nameIndex(name string) int32 {
	if i, ok := u.names[name]; ok {
		return i
	}
	i := int32(len(u.code.names))
	u.names[name] = i
	u.code.names = append(u.code.names, name)
	return i
}

func (u *unit) local(name string) int32 {
	if i, ok := u.locals[name]; ok {
		return i
	}
	i := int32(len(u.code.locals))
	u.locals[name] = i
	u.code.locals = append(u.code.locals, name)
	return i
}

// unsupported compiles to the end of the run, should it get there.
func (u *unit) unsupported(n pyast.Node, what string) {
	u.at(n)
	u.emit(opUnsupported, u.constant(newStr(what)))
}

// access says what to do with a variable.
type access uint8

const (
	loadVar access = iota
	storeVar
	delVar
)

func (u *unit) variable(name string, do access) {
	if u.mangle(name) != name {
		panic(compileError{&Unsupported{What: "private names in a class", Line: int(u.line)}})
	}
	y := u.sc.syms[name]
	where := inGlobal
	if y != nil {
		where = y.where
	}
	switch where {
	case inGlobal:
		u.emit([...]opcode{opLoadGlobal, opStoreGlobal, opDelGlobal}[do], u.in.globalSlot(name))
	case inLocal:
		u.emit([...]opcode{opLoadLocal, opStoreLocal, opDelLocal}[do], u.local(name))
	case inCell:
		u.emit([...]opcode{opLoadCell, opStoreCell, opDelCell}[do], int32(u.sc.cellSlot(name)))
	case inClass:
		n := int(u.nameIndex(name))
		_, free := u.sc.freeAt[name]
		switch {
		case do != loadVar:
			u.emit2([...]opcode{0, opStoreName, opDelName}[do], 0, n)
		case free && !y.bound:
			u.emit2(opLoadNameCell, int32(u.sc.cellSlot(name)), n)
		default:
			u.emit2(opLoadName, u.in.globalSlot(name), n)
		}
	}
}

// mangle renames a private name such as __x inside a class.
func (u *unit) mangle(name string) string {
	if !strings.HasPrefix(name, "__") || strings.HasSuffix(name, "__") {
		return name
	}
	for o := u; o != nil; o = o.outer {
		if o.sc.kind == classScope {
			if class := strings.TrimLeft(o.code.name, "_"); class != "" {
				return "_" + class + name
			}
			return name
		}
	}
	return name
}

// closure pushes a tuple of the cells that inner needs, or nothing.
func (u *unit) closure(inner *scope) {
	for _, name := range inner.frees {
		u.emit(opPushCell, int32(u.sc.cellSlot(name)))
	}
	u.emit(opTuple, int32(len(inner.frees)))
}

// function compiles a function and pushes it.
func (u *unit) function(n pyast.Node, name string, params []*pyast.Param, body func(*unit)) {
	sc := u.scopes.of[n]
	f := u.unit(sc, u, name)
	f.inDef = true
	f.parameters(params)
	body(f)
	c := f.finish()
	// Defaults: one per named parameter, nil where there is none.
	has := false
	for _, p := range params {
		has = has || p.Default != nil
	}
	count := int32(0)
	if has {
		missing := int32(-1)
		for _, p := range ordered(params) {
			if p.Default != nil {
				u.expr(p.Default)
			} else {
				if missing < 0 {
					missing = u.constant(noDefault{})
				}
				u.emit(opConst, missing)
			}
			count++
		}
	}
	u.emit(opTuple, count)
	u.closure(sc)
	u.code.consts = append(u.code.consts, c)
	u.emit(opFunction, int32(len(u.code.consts)-1))
}

// ordered returns the parameters that take a name, keyword-only ones last.
func ordered(params []*pyast.Param) []*pyast.Param {
	var list []*pyast.Param
	for _, p := range params {
		if p.Kind != pyast.VarArgs && p.Kind != pyast.VarKw {
			list = append(list, p)
		}
	}
	return list
}

// parameters lays out the locals: named parameters, then *args, then **kwargs.
func (u *unit) parameters(params []*pyast.Param) {
	c := u.code
	for _, p := range ordered(params) {
		c.params = append(c.params, p.Name)
		u.local(p.Name)
		switch p.Kind {
		case pyast.PosOnly:
			c.nPosOnly++
			c.nPos++
		case pyast.PosOrKw:
			c.nPos++
		case pyast.KwOnly:
			c.nKwOnly++
		}
	}
	for _, p := range params {
		switch p.Kind {
		case pyast.VarArgs:
			c.varArgs = int(u.local(p.Name))
		case pyast.VarKw:
			c.varKw = int(u.local(p.Name))
		}
	}
	for i, name := range c.locals {
		if at, ok := u.sc.cellAt[name]; ok {
			c.cellParam = append(c.cellParam, cellParam{i, at})
		}
	}
}

// body compiles statements and takes a leading string as the docstring.
func (u *unit) body(list []pyast.Stmt) {
	if len(list) > 0 {
		if e, ok := list[0].(*pyast.ExprStmt); ok {
			if s, ok := e.X.(*pyast.Str); ok {
				u.code.doc = s.Value
				u.code.oddDoc = s.Unresolved || !utf8.ValidString(s.Value)
				list = list[1:]
			}
		}
	}
	u.stmts(list)
}
