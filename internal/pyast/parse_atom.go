package pyast

// atom parses a name, a literal or a bracketed form.
func (p *parser) atom() Expr {
	from := p.pos()
	switch p.kind() {
	case tName:
		id := p.name()
		return &Name{p.span(from), id}
	case tNumber:
		return p.number()
	case tString, tFStart:
		return p.strings()
	case kwTrue, kwFalse:
		v := p.next().kind == kwTrue
		return &Bool{p.span(from), v}
	case kwNone:
		p.i++
		return &None{p.span(from)}
	case tEllipsis:
		p.i++
		return &Ellipsis{p.span(from)}
	case tLPar:
		return p.paren()
	case tLSqb:
		return p.list()
	case tLBrace:
		return p.brace()
	}
	p.unexpected("invalid syntax: expected an expression")
	return nil
}

// paren parses a group, a tuple or a generator expression.
func (p *parser) paren() Expr {
	from := p.pos()
	p.expect(tLPar)
	if p.accept(tRPar) {
		return &Tuple{Span: p.span(from)}
	}
	if p.is(kwYield) {
		e := p.yield()
		p.expect(tRPar)
		return e
	}
	e := p.starNamed()
	switch {
	case p.is(tComma):
		t := &Tuple{Elts: []Expr{e}}
		for p.accept(tComma) && !p.is(tRPar) {
			t.Elts = append(t.Elts, p.starNamed())
		}
		p.expect(tRPar)
		t.Span = p.span(from)
		return t
	case p.is(kwFor), p.is(kwAsync):
		return p.comp(from, GeneratorExp, e, nil, tRPar)
	}
	noStar(e)
	p.expect(tRPar)
	return e
}

func (p *parser) list() Expr {
	from := p.pos()
	p.expect(tLSqb)
	l := &List{}
	for !p.is(tRSqb) {
		e := p.starNamed()
		if len(l.Elts) == 0 && (p.is(kwFor) || p.is(kwAsync)) {
			return p.comp(from, ListComp, e, nil, tRSqb)
		}
		l.Elts = append(l.Elts, e)
		if !p.accept(tComma) {
			break
		}
	}
	p.expect(tRSqb)
	l.Span = p.span(from)
	return l
}

// brace parses a dict, a set, or a comprehension of either.
func (p *parser) brace() Expr {
	from := p.pos()
	p.expect(tLBrace)
	if p.accept(tRBrace) {
		return &Dict{Span: p.span(from)}
	}
	if !p.is(tDblStar) {
		bare := p.is(tName)
		e := p.starNamed()
		if !p.is(tColon) {
			return p.set(from, e)
		}
		noStar(e)
		if _, ok := e.(*NamedExpr); ok && bare {
			fail(int(e.Pos()), "cannot use assignment expressions as a dict key")
		}
		p.i++
		v := p.expression()
		if p.is(kwFor) || p.is(kwAsync) {
			return p.comp(from, DictComp, e, v, tRBrace)
		}
		return p.dict(from, []DictItem{{e, v}})
	}
	return p.dict(from, nil)
}

func (p *parser) set(from Pos, first Expr) Expr {
	if p.is(kwFor) || p.is(kwAsync) {
		return p.comp(from, SetComp, first, nil, tRBrace)
	}
	s := &Set{Elts: []Expr{first}}
	for p.accept(tComma) && !p.is(tRBrace) {
		s.Elts = append(s.Elts, p.starNamed())
	}
	p.expect(tRBrace)
	s.Span = p.span(from)
	return s
}

// dict parses the items after those given.
func (p *parser) dict(from Pos, items []DictItem) Expr {
	d := &Dict{Items: items}
	for len(d.Items) == 0 || p.accept(tComma) {
		if p.is(tRBrace) {
			break
		}
		if p.accept(tDblStar) {
			d.Items = append(d.Items, DictItem{nil, p.binary(0)})
			continue
		}
		k := p.expression()
		p.expect(tColon)
		d.Items = append(d.Items, DictItem{k, p.expression()})
	}
	p.expect(tRBrace)
	d.Span = p.span(from)
	return d
}

func (p *parser) comp(from Pos, kind CompKind, elt, value Expr, end kind) Expr {
	if s, ok := elt.(*Starred); ok {
		fail(int(s.From), "iterable unpacking cannot be used in comprehension")
	}
	c := &Comp{Kind: kind, Elt: elt, Value: value, Clauses: p.compClauses()}
	p.expect(end)
	c.Span = p.span(from)
	return c
}

// compClauses parses one or more "for … in … if …".
func (p *parser) compClauses() []*CompClause {
	var list []*CompClause
	for p.is(kwFor) || p.is(kwAsync) {
		from := p.pos()
		c := &CompClause{Async: p.accept(kwAsync)}
		p.expect(kwFor)
		c.Target = p.starTargets()
		p.expect(kwIn)
		c.Iter = p.disjunction()
		for p.accept(kwIf) {
			c.Ifs = append(c.Ifs, p.disjunction())
		}
		c.Span = p.span(from)
		list = append(list, c)
	}
	return list
}
