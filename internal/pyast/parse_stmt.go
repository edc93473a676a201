package pyast

// statement appends the statements of one logical line, or one compound
// statement.
func (p *parser) statement(body []Stmt) []Stmt {
	p.enter()
	defer p.leave()
	if s := p.compound(); s != nil {
		return append(body, s)
	}
	for {
		body = append(body, p.simple())
		if !p.accept(tSemi) || p.is(tNewline) {
			break
		}
	}
	p.expect(tNewline)
	return body
}

// simple parses one simple statement.
func (p *parser) simple() Stmt {
	from := p.pos()
	switch p.kind() {
	case kwPass:
		p.i++
		return &Pass{p.span(from)}
	case kwBreak:
		p.i++
		return &Break{p.span(from)}
	case kwContinue:
		p.i++
		return &Continue{p.span(from)}
	case kwReturn:
		p.i++
		var v Expr
		if !p.is(tNewline) && !p.is(tSemi) {
			v = p.starExprs()
		}
		return &Return{p.span(from), v}
	case kwDel:
		return p.del()
	case kwRaise:
		p.i++
		s := &Raise{}
		if !p.is(tNewline) && !p.is(tSemi) {
			s.Exc = p.expression()
			if p.accept(kwFrom) {
				s.Cause = p.expression()
			}
		}
		s.Span = p.span(from)
		return s
	case kwAssert:
		p.i++
		s := &Assert{Test: p.expression()}
		if p.accept(tComma) {
			s.Msg = p.expression()
		}
		s.Span = p.span(from)
		return s
	case kwGlobal:
		p.i++
		return &Global{Names: p.names(), Span: p.span(from)}
	case kwNonlocal:
		p.i++
		return &Nonlocal{Names: p.names(), Span: p.span(from)}
	case kwImport:
		return p.importStmt()
	case kwFrom:
		return p.importFrom()
	case tName:
		if p.softIs("type") && p.peek(1) == tName {
			return p.typeAlias()
		}
	}
	return p.exprStmt()
}

func (p *parser) names() []string {
	names := []string{p.name()}
	for p.accept(tComma) {
		names = append(names, p.name())
	}
	return names
}

func (p *parser) del() Stmt {
	from := p.pos()
	p.i++
	s := &Delete{}
	for {
		t := p.starExpr()
		checkTarget(t, "delete")
		s.Targets = append(s.Targets, t)
		if !p.accept(tComma) || !p.startsExpr() {
			break
		}
	}
	s.Span = p.span(from)
	return s
}

func (p *parser) importStmt() Stmt {
	from := p.pos()
	p.i++
	s := &Import{}
	for {
		at := p.pos()
		a := &Alias{Name: p.dotted()}
		if p.accept(kwAs) {
			a.As = p.name()
		}
		a.Span = p.span(at)
		s.Names = append(s.Names, a)
		if !p.accept(tComma) {
			break
		}
	}
	s.Span = p.span(from)
	return s
}

func (p *parser) importFrom() Stmt {
	from := p.pos()
	p.i++
	s := &ImportFrom{}
	for {
		if p.accept(tDot) {
			s.Level++
		} else if p.accept(tEllipsis) {
			s.Level += 3
		} else {
			break
		}
	}
	if s.Level == 0 || !p.is(kwImport) {
		s.Module = p.dotted()
	}
	p.expect(kwImport)
	at := p.pos()
	if p.accept(tStar) {
		s.Names = []*Alias{{Span: p.span(at), Name: "*"}}
		s.Span = p.span(from)
		return s
	}
	paren := p.accept(tLPar)
	for {
		at := p.pos()
		a := &Alias{Name: p.name()}
		if p.accept(kwAs) {
			a.As = p.name()
		}
		a.Span = p.span(at)
		s.Names = append(s.Names, a)
		if !p.accept(tComma) || paren && p.is(tRPar) {
			break
		}
	}
	if paren {
		p.expect(tRPar)
	}
	s.Span = p.span(from)
	return s
}

// dotted parses a.b.c.
func (p *parser) dotted() string {
	s := p.name()
	for p.accept(tDot) {
		s += "." + p.name()
	}
	return s
}

func (p *parser) typeAlias() Stmt {
	from := p.pos()
	p.i++
	at := p.pos()
	s := &TypeAlias{}
	id := p.name()
	s.Name = &Name{p.span(at), id}
	s.TypeParams = p.typeParams()
	p.expect(tEqual)
	s.Value = p.expression()
	s.Span = p.span(from)
	return s
}

// exprStmt parses an expression statement or any kind of assignment.
func (p *parser) exprStmt() Stmt {
	from := p.pos()
	paren := p.is(tLPar)
	e := p.yieldOrStarExprs()
	switch k := p.kind(); {
	case k == tColon:
		return p.annAssign(from, e, paren)
	case tPlusEq <= k && k <= tAmperEq:
		switch e.(type) {
		case *Name, *Attribute, *Subscript:
		default:
			fail(int(e.Pos()), "'%s' is an illegal expression for augmented assignment", describe(e))
		}
		p.i++
		s := &AugAssign{Target: e, Op: Operator(k - tPlusEq), Value: p.yieldOrStarExprs()}
		s.Span = p.span(from)
		return s
	case k != tEqual:
		return &ExprStmt{p.span(from), e}
	}
	s := &Assign{}
	for p.accept(tEqual) {
		checkTarget(e, "assign to")
		s.Targets = append(s.Targets, e)
		e = p.yieldOrStarExprs()
	}
	s.Value = e
	s.Span = p.span(from)
	return s
}

func (p *parser) annAssign(from Pos, target Expr, paren bool) Stmt {
	s := &AnnAssign{Target: target}
	switch target.(type) {
	case *Name:
		s.Simple = !paren
	case *Attribute, *Subscript:
	case *Tuple, *List:
		fail(int(from), "only single target (not %s) can be annotated", describe(target))
	default:
		fail(int(from), "illegal target for annotation")
	}
	p.expect(tColon)
	s.Annotation = p.expression()
	if p.accept(tEqual) {
		s.Value = p.yieldOrStarExprs()
	}
	s.Span = p.span(from)
	return s
}

// checkTarget refuses what cannot be assigned to or, when verb is "delete",
// cannot be deleted.
func checkTarget(e Expr, verb string) {
	switch e := e.(type) {
	case *Name, *Attribute, *Subscript:
		return
	case *Tuple:
		for _, x := range e.Elts {
			checkTarget(x, verb)
		}
		return
	case *List:
		for _, x := range e.Elts {
			checkTarget(x, verb)
		}
		return
	case *Starred:
		if verb != "delete" {
			checkTarget(e.Value, verb)
			return
		}
	}
	fail(int(e.Pos()), "cannot %s %s", verb, describe(e))
}

// describe names an expression the way CPython's messages do.
func describe(e Expr) string {
	switch e := e.(type) {
	case *Int, *Float, *Imag, *Str, *Bytes:
		return "literal"
	case *Bool:
		if e.Value {
			return "True"
		}
		return "False"
	case *None:
		return "None"
	case *Ellipsis:
		return "ellipsis"
	case *JoinedStr, *FormattedValue:
		return "f-string expression"
	case *Name:
		return "name"
	case *Attribute:
		return "attribute"
	case *Subscript:
		return "subscript"
	case *Starred:
		return "starred"
	case *Call:
		return "function call"
	case *UnaryOp, *BinOp, *BoolOp:
		return "expression"
	case *Compare:
		return "comparison"
	case *IfExp:
		return "conditional expression"
	case *NamedExpr:
		return "named expression"
	case *Lambda:
		return "lambda"
	case *Tuple:
		return "tuple"
	case *List:
		return "list"
	case *Set:
		return "set display"
	case *Dict:
		return "dict literal"
	case *Comp:
		return [...]string{"list comprehension", "set comprehension", "dict comprehension", "generator expression"}[e.Kind]
	case *Await:
		return "await expression"
	case *Yield, *YieldFrom:
		return "yield expression"
	}
	return "expression"
}
