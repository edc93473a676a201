package pyrun

import (
	"fmt"

	"kilter/internal/pyast"
)

// A scope is a region in which a name has one meaning: a module, a function, a
// class or a comprehension. The compiler collects all scopes of a source before
// it writes code, because a name may be captured by a function further down.
type scope struct {
	kind      scopeKind
	parent    *scope
	syms      map[string]*symbol
	order     []*symbol // in order of first mention
	generator bool
	classCell bool           // a class whose methods use super() or __class__
	cells     []string       // variables of this scope that inner scopes capture
	frees     []string       // variables of outer scopes that this one uses
	cellAt    map[string]int // index in cells
	freeAt    map[string]int // index in frees
}

type scopeKind uint8

const (
	moduleScope scopeKind = iota
	funcScope
	classScope
	compScope // a function too, but := binds outside
)

// symbol is a name in a scope.
type symbol struct {
	name             string
	pos              pyast.Pos
	bound, param     bool
	global, nonlocal bool
	where            storage
	resolved         bool
}

// storage is where a variable lives.
type storage uint8

const (
	inGlobal storage = iota
	inLocal
	inCell // a cell of this scope, or of an outer one
	inClass
)

// scopes maps the nodes that open a scope.
type scopes struct {
	file *pyast.File
	of   map[pyast.Node]*scope
	all  []*scope
	err  *pyast.SyntaxError
	work int // steps of resolve, bounded
	iter int // depth of iterables of comprehensions around the node being visited
}

// maxScopeWork bounds the search for the owners of variables: each inner function
// passes on what the ones inside it use.
const maxScopeWork = 1 << 20

// analyse finds all scopes of a file and decides where each variable lives.
func analyse(f *pyast.File) (*scopes, error) {
	s := &scopes{file: f, of: map[pyast.Node]*scope{}}
	m := s.open(f, moduleScope, nil)
	s.stmts(f.Body, m)
	for _, sc := range s.all {
		for i := 0; i < len(sc.order); i++ { // resolve may add names
			if s.resolve(sc, sc.order[i]); s.work > maxScopeWork {
				return nil, &Unsupported{What: "a program with this many variables in nested functions"}
			}
		}
	}
	if s.err != nil {
		return nil, s.err
	}
	return s, nil
}

func (s *scopes) fail(p pyast.Pos, format string, args ...any) {
	if s.err == nil {
		at := s.file.Position(p)
		s.err = &pyast.SyntaxError{Line: at.Line, Col: at.Col, Msg: fmt.Sprintf(format, args...)}
	}
}

func (s *scopes) open(n pyast.Node, kind scopeKind, parent *scope) *scope {
	sc := &scope{kind: kind, parent: parent, syms: map[string]*symbol{}, cellAt: map[string]int{}, freeAt: map[string]int{}}
	s.of[n] = sc
	s.all = append(s.all, sc)
	return sc
}

func (sc *scope) sym(name string, p pyast.Pos) *symbol {
	y := sc.syms[name]
	if y == nil {
		y = &symbol{name: name, pos: p}
		sc.syms[name] = y
		sc.order = append(sc.order, y)
	}
	return y
}

func (sc *scope) isFunc() bool { return sc.kind == funcScope || sc.kind == compScope }

func (s *scopes) use(sc *scope, name string, p pyast.Pos) {
	sc.sym(name, p)
	if name == "super" && sc.isFunc() {
		sc.sym("__class__", p)
	}
}

func (s *scopes) bind(sc *scope, name string, p pyast.Pos) {
	sc.sym(name, p).bound = true
}

// bindWalrus binds the target of := in the scope around all comprehensions.
func (s *scopes) bindWalrus(sc *scope, name string, p pyast.Pos) {
	if s.iter > 0 {
		s.fail(p, "assignment expression cannot be used in a comprehension iterable expression")
	}
	outer := sc
	for outer.kind == compScope {
		if y := outer.syms[name]; y != nil && y.bound {
			s.fail(p, "assignment expression cannot rebind comprehension iteration variable '%s'", name)
		}
		outer = outer.parent
	}
	if outer != sc && outer.kind == classScope {
		s.fail(p, "assignment expression within a comprehension cannot be used in a class body")
	}
	s.bind(outer, name, p)
	for c := sc; c != outer; c = c.parent {
		y := c.sym(name, p)
		if outer.kind == moduleScope || outer.syms[name].global {
			y.global = true
		} else {
			y.nonlocal = true
		}
	}
}

// resolve decides where the variable y of sc lives.
func (s *scopes) resolve(sc *scope, y *symbol) {
	if y.resolved {
		return
	}
	y.resolved = true
	switch {
	case y.global || sc.kind == moduleScope:
		y.where = inGlobal
		return
	case y.bound && !y.nonlocal:
		if sc.kind == classScope {
			y.where = inClass
		} else if y.where != inCell {
			y.where = inLocal
		}
		return
	}
	owner := sc.parent
	for ; owner != nil && owner.kind != moduleScope; owner = owner.parent {
		s.work++
		if owner.kind == classScope {
			if y.name == "__class__" {
				owner.classCell = true
				break
			}
			continue
		}
		if o := owner.syms[y.name]; o != nil {
			if o.global && !y.nonlocal {
				owner = nil
				break
			}
			if o.bound && !o.nonlocal && !o.global {
				break
			}
		}
	}
	if owner == nil || owner.kind == moduleScope {
		if y.nonlocal {
			s.fail(y.pos, "no binding for nonlocal '%s' found", y.name)
		}
		y.where = inGlobal
		if sc.kind == classScope {
			y.where = inClass
		}
		return
	}
	// Every scope between the two passes the cell on.
	for c := sc; c != owner; c = c.parent {
		s.work++
		if c.kind == classScope && c != sc {
			c.free(y.name)
			continue
		}
		i := c.sym(y.name, y.pos)
		i.resolved, i.where = true, inCell
		if c == sc && sc.kind == classScope {
			i.where = inClass
		}
		c.free(y.name)
	}
	if owner.kind == classScope {
		owner.cell(y.name)
		return
	}
	o := owner.syms[y.name]
	o.resolved, o.where = true, inCell
	owner.cell(y.name)
}

func (sc *scope) cell(name string) {
	if _, ok := sc.cellAt[name]; !ok {
		sc.cellAt[name] = len(sc.cells)
		sc.cells = append(sc.cells, name)
	}
}

func (sc *scope) free(name string) {
	if _, ok := sc.freeAt[name]; !ok {
		sc.freeAt[name] = len(sc.frees)
		sc.frees = append(sc.frees, name)
	}
}

// cellSlot returns the index of a captured variable among the cells of a frame:
// own ones come first, then those of outer scopes.
func (sc *scope) cellSlot(name string) int {
	if i, ok := sc.cellAt[name]; ok {
		return i
	}
	return len(sc.cells) + sc.freeAt[name]
}

// stmts collects the names of statements.
func (s *scopes) stmts(list []pyast.Stmt, sc *scope) {
	for _, st := range list {
		s.visit(st, sc)
	}
}

// visit collects the names of a node and of all nodes below it.
func (s *scopes) visit(n pyast.Node, sc *scope) {
	pyast.Inspect(n, func(n pyast.Node) bool {
		switch n := n.(type) {
		case *pyast.Name:
			s.use(sc, n.ID, n.From)
		case *pyast.NamedExpr:
			s.bindWalrus(sc, n.Target.ID, n.From)
			s.visit(n.Value, sc)
			return false
		case *pyast.Lambda:
			s.function(n, n.Params, nil, []pyast.Node{n.Body}, sc)
			return false
		case *pyast.Comp:
			s.comp(n, sc)
			return false
		case *pyast.Yield, *pyast.YieldFrom:
			s.yield(n, sc)
		case *pyast.FuncDef:
			s.bind(sc, n.Name, n.From)
			body := make([]pyast.Node, len(n.Body))
			for i, b := range n.Body {
				body[i] = b
			}
			s.function(n, n.Params, n.Decorators, body, sc)
			return false
		case *pyast.ClassDef:
			s.class(n, sc)
			return false
		case *pyast.Assign:
			for _, t := range n.Targets {
				s.target(t, sc)
			}
		case *pyast.AugAssign:
			s.target(n.Target, sc)
		case *pyast.AnnAssign:
			s.target(n.Target, sc)
			if id, ok := n.Target.(*pyast.Name); ok && (sc.syms[id.ID].global || sc.syms[id.ID].nonlocal) && n.Simple {
				s.fail(n.From, "annotated name '%s' can't be global or nonlocal", id.ID)
			}
			s.visit(n.Target, sc)
			if n.Value != nil {
				s.visit(n.Value, sc)
			}
			return false // annotations are not evaluated
		case *pyast.TypeAlias:
			s.bind(sc, n.Name.ID, n.From)
			return false
		case *pyast.For:
			s.target(n.Target, sc)
		case *pyast.WithItem:
			if n.Target != nil {
				s.target(n.Target, sc)
			}
		case *pyast.Delete:
			for _, t := range n.Targets {
				s.target(t, sc)
			}
		case *pyast.ExceptHandler:
			if n.Name != "" {
				s.bind(sc, n.Name, n.From)
			}
		case *pyast.Alias:
			s.alias(n, sc)
		case *pyast.MatchAs:
			if n.Name != "" {
				s.bind(sc, n.Name, n.From)
			}
		case *pyast.MatchStar:
			if n.Name != "" {
				s.bind(sc, n.Name, n.From)
			}
		case *pyast.MatchMapping:
			if n.Rest != "" {
				s.bind(sc, n.Rest, n.From)
			}
		case *pyast.Global:
			s.declare(sc, n.Names, n.From, true)
		case *pyast.Nonlocal:
			s.declare(sc, n.Names, n.From, false)
		}
		return true
	})
}

func (s *scopes) alias(n *pyast.Alias, sc *scope) {
	name := n.As
	if name == "" {
		name = firstPart(n.Name)
	}
	if name != "*" {
		s.bind(sc, name, n.From)
	} else if sc.kind != moduleScope {
		s.fail(n.From, "import * only allowed at module level")
	}
}

func (s *scopes) declare(sc *scope, names []string, p pyast.Pos, global bool) {
	word := "nonlocal"
	if global {
		word = "global"
	}
	for _, name := range names {
		if y := sc.syms[name]; y != nil {
			switch {
			case y.param:
				s.fail(p, "name '%s' is parameter and %s", name, word)
			case y.global && !global || y.nonlocal && global:
				s.fail(p, "name '%s' is nonlocal and global", name)
			case y.global || y.nonlocal:
			case y.bound:
				s.fail(p, "name '%s' is assigned to before %s declaration", name, word)
			default:
				s.fail(p, "name '%s' is used prior to %s declaration", name, word)
			}
		}
		y := sc.sym(name, p)
		if global {
			y.global = true
		} else if y.nonlocal = true; sc.kind == moduleScope {
			s.fail(p, "nonlocal declaration not allowed at module level")
		}
	}
}

// target binds the names in an assignment target.
func (s *scopes) target(e pyast.Expr, sc *scope) {
	switch e := e.(type) {
	case *pyast.Name:
		if e.ID == "__debug__" {
			s.fail(e.From, "cannot assign to __debug__")
		}
		s.bind(sc, e.ID, e.From)
	case *pyast.Tuple:
		for _, x := range e.Elts {
			s.target(x, sc)
		}
	case *pyast.List:
		for _, x := range e.Elts {
			s.target(x, sc)
		}
	case *pyast.Starred:
		s.target(e.Value, sc)
	}
}

func (s *scopes) yield(n pyast.Node, sc *scope) {
	switch sc.kind {
	case funcScope:
		sc.generator = true
	case compScope:
		s.fail(n.Pos(), "'yield' inside a comprehension")
	default:
		s.fail(n.Pos(), "'yield' outside function")
	}
}

func (s *scopes) function(n pyast.Node, params []*pyast.Param, decorators []pyast.Expr, body []pyast.Node, sc *scope) {
	for _, d := range decorators {
		s.visit(d, sc)
	}
	for _, p := range params {
		if p.Default != nil {
			s.visit(p.Default, sc)
		}
	}
	in := s.open(n, funcScope, sc)
	for _, p := range params {
		y := in.sym(p.Name, p.From)
		if y.param {
			s.fail(p.From, "duplicate argument '%s' in function definition", p.Name)
		}
		y.bound, y.param = true, true
	}
	for _, b := range body {
		s.visit(b, in)
	}
}

func (s *scopes) class(n *pyast.ClassDef, sc *scope) {
	for _, d := range n.Decorators {
		s.visit(d, sc)
	}
	for _, b := range n.Bases {
		s.visit(b, sc)
	}
	for _, k := range n.Keywords {
		s.visit(k.Value, sc)
	}
	s.bind(sc, n.Name, n.From)
	s.stmts(n.Body, s.open(n, classScope, sc))
}

func (s *scopes) comp(n *pyast.Comp, sc *scope) {
	s.iter++
	s.visit(n.Clauses[0].Iter, sc) // the first iterable is evaluated outside
	s.iter--
	in := s.open(n, compScope, sc)
	for _, c := range n.Clauses {
		s.target(c.Target, in)
	}
	for i, c := range n.Clauses {
		s.visit(c.Target, in)
		if i > 0 {
			s.iter++
			s.visit(c.Iter, in)
			s.iter--
		}
		for _, e := range c.Ifs {
			s.visit(e, in)
		}
	}
	s.visit(n.Elt, in)
	if n.Value != nil {
		s.visit(n.Value, in)
	}
}

// firstPart is the part of a dotted name before the first dot.
func firstPart(name string) string {
	for i := range len(name) {
		if name[i] == '.' {
			return name[:i]
		}
	}
	return name
}
