package pyast

// compound parses a compound statement, or returns nil at a simple one.
func (p *parser) compound() Stmt {
	from := p.pos()
	switch p.kind() {
	case kwIf:
		return p.ifStmt()
	case kwWhile:
		p.i++
		s := &While{Test: p.named()}
		s.Body = p.block()
		s.Else = p.elseBlock()
		s.Span = p.span(from)
		return s
	case kwFor:
		return p.forStmt(from, false)
	case kwTry:
		return p.tryStmt()
	case kwWith:
		return p.withStmt(from, false)
	case kwDef:
		return p.funcDef(from, false, nil)
	case kwClass:
		return p.classDef(nil)
	case tAt:
		return p.decorated()
	case kwAsync:
		p.i++
		switch p.kind() {
		case kwDef:
			return p.funcDef(from, true, nil)
		case kwFor:
			return p.forStmt(from, true)
		case kwWith:
			return p.withStmt(from, true)
		}
		p.unexpected("expected 'def', 'with' or 'for' after 'async'")
	case tName:
		if p.softIs("match") && p.isMatch() {
			return p.match()
		}
	}
	return nil
}

// block parses ":" and the statements it governs. The span of a statement that
// ends with a block ends with its last statement.
func (p *parser) block() []Stmt {
	p.expect(tColon)
	if !p.is(tNewline) {
		var body []Stmt
		for {
			body = append(body, p.simple())
			if !p.accept(tSemi) || p.is(tNewline) {
				break
			}
		}
		p.expect(tNewline)
		return body
	}
	p.i++
	if !p.is(tIndent) {
		p.unexpected("expected an indented block")
	}
	p.i++
	var body []Stmt
	for !p.accept(tDedent) {
		if p.is(tIndent) {
			p.unexpected("unexpected indent")
		}
		body = p.statement(body)
	}
	return body
}

func (p *parser) elseBlock() []Stmt {
	if p.accept(kwElse) {
		return p.block()
	}
	return nil
}

func (p *parser) ifStmt() Stmt {
	from := p.pos()
	s := &If{}
	for p.is(kwIf) && len(s.Clauses) == 0 || p.is(kwElif) {
		at := p.pos()
		p.i++
		c := &IfClause{Test: p.named()}
		c.Body = p.block()
		c.Span = p.span(at)
		s.Clauses = append(s.Clauses, c)
	}
	s.Else = p.elseBlock()
	s.Span = p.span(from)
	return s
}

func (p *parser) forStmt(from Pos, async bool) Stmt {
	p.expect(kwFor)
	s := &For{Async: async, Target: p.starTargets()}
	p.expect(kwIn)
	s.Iter = p.starExprs()
	s.Body = p.block()
	s.Else = p.elseBlock()
	s.Span = p.span(from)
	return s
}

func (p *parser) tryStmt() Stmt {
	from := p.pos()
	p.i++
	s := &Try{Body: p.block()}
	for p.is(kwExcept) {
		at := p.pos()
		p.i++
		h := &ExceptHandler{}
		star := p.accept(tStar)
		if len(s.Handlers) > 0 && star != s.Star {
			fail(int(at), "cannot have both 'except' and 'except*' on the same 'try'")
		}
		s.Star = star
		if !p.is(tColon) {
			h.Type = p.expression()
			if p.accept(kwAs) {
				h.Name = p.name()
			}
		} else if star {
			p.unexpected("expected one or more exception types")
		}
		h.Body = p.block()
		h.Span = p.span(at)
		s.Handlers = append(s.Handlers, h)
	}
	if len(s.Handlers) > 0 {
		s.Else = p.elseBlock()
	}
	if p.accept(kwFinally) {
		s.Finally = p.block()
	} else if len(s.Handlers) == 0 {
		p.unexpected("expected 'except' or 'finally' block")
	}
	s.Span = p.span(from)
	return s
}

func (p *parser) withStmt(from Pos, async bool) Stmt {
	p.expect(kwWith)
	s := &With{Async: async}
	// "with (a as b, c as d):" or an expression that starts with a parenthesis?
	paren := p.is(tLPar) && p.try(func() {
		p.i++
		for {
			s.Items = append(s.Items, p.withItem())
			if !p.accept(tComma) || p.is(tRPar) {
				break
			}
		}
		p.expect(tRPar)
		if !p.is(tColon) {
			p.unexpected("expected ':'")
		}
	})
	if !paren {
		s.Items = nil
		for {
			s.Items = append(s.Items, p.withItem())
			if !p.accept(tComma) {
				break
			}
		}
	}
	s.Body = p.block()
	s.Span = p.span(from)
	return s
}

func (p *parser) withItem() *WithItem {
	from := p.pos()
	it := &WithItem{Context: p.expression()}
	if p.accept(kwAs) {
		it.Target = p.starTarget()
		checkTarget(it.Target, "assign to")
	}
	it.Span = p.span(from)
	return it
}

func (p *parser) decorated() Stmt {
	var decs []Expr
	for p.accept(tAt) {
		decs = append(decs, p.named())
		p.expect(tNewline)
	}
	from := p.pos()
	switch {
	case p.is(kwClass):
		return p.classDef(decs)
	case p.accept(kwAsync):
		return p.funcDef(from, true, decs)
	}
	return p.funcDef(from, false, decs)
}

// funcDef parses from "def". The span starts at "def" or "async", not at the
// decorators.
func (p *parser) funcDef(from Pos, async bool, decs []Expr) Stmt {
	p.expect(kwDef)
	s := &FuncDef{Async: async, Decorators: decs, Name: p.name()}
	s.TypeParams = p.typeParams()
	p.expect(tLPar)
	s.Params = p.params(tRPar)
	p.expect(tRPar)
	if p.accept(tArrow) {
		s.Returns = p.expression()
	}
	s.Body = p.block()
	s.Span = p.span(from)
	return s
}

func (p *parser) classDef(decs []Expr) Stmt {
	from := p.pos()
	p.i++
	s := &ClassDef{Decorators: decs, Name: p.name()}
	s.TypeParams = p.typeParams()
	if p.accept(tLPar) {
		s.Bases, s.Keywords = p.arguments(false)
		p.expect(tRPar)
	}
	s.Body = p.block()
	s.Span = p.span(from)
	return s
}

func (p *parser) typeParams() []*TypeParam {
	if !p.accept(tLSqb) {
		return nil
	}
	var list []*TypeParam
	for {
		from := p.pos()
		t := &TypeParam{}
		if p.accept(tStar) {
			t.Stars = 1
		} else if p.accept(tDblStar) {
			t.Stars = 2
		}
		t.Name = p.name()
		if t.Stars == 0 && p.accept(tColon) {
			t.Bound = p.expression()
		}
		if p.accept(tEqual) {
			if t.Default = p.starExpr(); t.Stars != 1 {
				noStar(t.Default)
			}
		}
		t.Span = p.span(from)
		list = append(list, t)
		if !p.accept(tComma) || p.is(tRSqb) {
			break
		}
	}
	p.expect(tRSqb)
	return list
}

// params parses parameters up to the token end, which is ")" for a function and
// ":" for a lambda; a lambda's have no annotations.
func (p *parser) params(end kind) []*Param {
	var list []*Param
	kind := PosOrKw
	defaults := false
	slash := false
	bareStar := -1 // offset of a "*" that still needs a name after it
	for !p.is(end) {
		from := p.pos()
		switch {
		case p.is(tSlash):
			if slash || kind != PosOrKw || len(list) == 0 {
				p.unexpected("'/' must follow the positional-only parameters and come once, before '*'")
			}
			p.i++
			slash = true
			for _, a := range list {
				a.Kind = PosOnly
			}
		case p.is(tStar) && kind == PosOrKw:
			p.i++
			kind = KwOnly
			if p.is(tComma) {
				bareStar = int(from)
				break
			}
			a := p.param(VarArgs, end)
			a.Span = p.span(from)
			list = append(list, a)
		case p.is(tDblStar):
			p.i++
			a := p.param(VarKw, end)
			a.Span = p.span(from)
			list = append(list, a)
			p.accept(tComma)
			if bareStar >= 0 {
				fail(bareStar, "named arguments must follow bare *")
			}
			if !p.is(end) {
				p.unexpected("arguments cannot follow var-keyword argument")
			}
			return list
		default:
			a := p.param(kind, end)
			bareStar = -1
			if a.Default != nil {
				defaults = true
			} else if defaults && kind == PosOrKw {
				fail(int(from), "parameter without a default follows parameter with a default")
			}
			list = append(list, a)
		}
		if !p.accept(tComma) {
			break
		}
	}
	if bareStar >= 0 {
		fail(bareStar, "named arguments must follow bare *")
	}
	return list
}

func (p *parser) param(k ParamKind, end kind) *Param {
	from := p.pos()
	a := &Param{Kind: k, Name: p.name()}
	if end == tRPar && p.accept(tColon) {
		if k == VarArgs {
			a.Annotation = p.starExpr()
		} else {
			a.Annotation = p.expression()
		}
	}
	if k != VarArgs && k != VarKw && p.accept(tEqual) {
		a.Default = p.expression()
	}
	a.Span = p.span(from)
	return a
}
