package pyast

// startsExpr reports whether the current token can start an expression or a
// starred expression; it decides whether a comma was a trailing one.
func (p *parser) startsExpr() bool {
	switch k := p.kind(); k {
	case tName, tNumber, tString, tFStart, tLPar, tLSqb, tLBrace, tEllipsis, tStar, tPlus, tMinus, tTilde,
		kwFalse, kwNone, kwTrue, kwNot, kwLambda, kwAwait:
		return true
	}
	return false
}

// tupleOf parses item (',' item)* [',']: one item, or a tuple without
// parentheses when there is a comma.
func (p *parser) tupleOf(item func() Expr) Expr {
	from := p.pos()
	e := item()
	if !p.is(tComma) {
		return e
	}
	t := &Tuple{Elts: []Expr{e}}
	for p.accept(tComma) && p.startsExpr() {
		t.Elts = append(t.Elts, item())
	}
	t.Span = p.span(from)
	return t
}

// starExprs is what may stand alone, after "=", "return" or "in".
func (p *parser) starExprs() Expr { return p.tupleOf(p.starExpr) }

func (p *parser) yieldOrStarExprs() Expr {
	if p.is(kwYield) {
		return p.yield()
	}
	return p.starExprs()
}

// starExpr is '*' bitwise_or | expression.
func (p *parser) starExpr() Expr {
	if p.is(tStar) {
		return p.star()
	}
	return p.expression()
}

// starNamed is '*' bitwise_or | named_expression.
func (p *parser) starNamed() Expr {
	if p.is(tStar) {
		return p.star()
	}
	return p.named()
}

func (p *parser) star() Expr {
	from := p.pos()
	p.expect(tStar)
	e := p.binary(0)
	return &Starred{p.span(from), e}
}

func noStar(e Expr) {
	if s, ok := e.(*Starred); ok {
		fail(int(s.From), "cannot use starred expression here")
	}
}

// starTargets parses the target of a for clause.
func (p *parser) starTargets() Expr {
	e := p.tupleOf(p.starTarget)
	checkTarget(e, "assign to")
	return e
}

// starTarget stops before "in", which a comparison would take.
func (p *parser) starTarget() Expr {
	if p.is(tStar) {
		return p.star()
	}
	return p.binary(0)
}

func (p *parser) yield() Expr {
	from := p.pos()
	p.expect(kwYield)
	if p.accept(kwFrom) {
		e := p.expression()
		return &YieldFrom{p.span(from), e}
	}
	var e Expr
	if p.startsExpr() {
		e = p.starExprs()
	}
	return &Yield{p.span(from), e}
}

// named is NAME ':=' expression | expression.
func (p *parser) named() Expr {
	from := p.pos()
	if p.is(tName) && p.peek(1) == tWalrus {
		id := p.name()
		n := &NamedExpr{Target: &Name{p.span(from), id}}
		p.i++
		n.Value = p.expression()
		n.Span = p.span(from)
		return n
	}
	e := p.expression()
	if p.is(tWalrus) {
		fail(int(from), "cannot use assignment expressions with %s", describe(e))
	}
	return e
}

// expression is a conditional expression, a lambda, or less.
func (p *parser) expression() Expr {
	p.enter()
	defer p.leave()
	from := p.pos()
	if p.accept(kwLambda) {
		l := &Lambda{Params: p.params(tColon)}
		p.expect(tColon)
		l.Body = p.expression()
		l.Span = p.span(from)
		return l
	}
	e := p.disjunction()
	if !p.accept(kwIf) {
		return e
	}
	c := &IfExp{Then: e, Test: p.disjunction()}
	p.expect(kwElse)
	c.Else = p.expression()
	c.Span = p.span(from)
	return c
}

func (p *parser) disjunction() Expr {
	from := p.pos()
	e := p.conjunction()
	if !p.is(kwOr) {
		return e
	}
	b := &BoolOp{Values: []Expr{e}}
	for p.accept(kwOr) {
		b.Values = append(b.Values, p.conjunction())
	}
	b.Span = p.span(from)
	return b
}

func (p *parser) conjunction() Expr {
	from := p.pos()
	e := p.inversion()
	if !p.is(kwAnd) {
		return e
	}
	b := &BoolOp{And: true, Values: []Expr{e}}
	for p.accept(kwAnd) {
		b.Values = append(b.Values, p.inversion())
	}
	b.Span = p.span(from)
	return b
}

func (p *parser) inversion() Expr {
	if !p.is(kwNot) {
		return p.comparison()
	}
	p.enter()
	defer p.leave()
	from := p.pos()
	p.i++
	x := p.inversion()
	return &UnaryOp{p.span(from), Not, x}
}

func (p *parser) comparison() Expr {
	from := p.pos()
	e := p.binary(0)
	op, n := p.cmpOp()
	if n == 0 {
		return e
	}
	c := &Compare{Left: e}
	for ; n > 0; op, n = p.cmpOp() {
		p.i += n
		c.Ops = append(c.Ops, op)
		c.Rights = append(c.Rights, p.binary(0))
	}
	c.Span = p.span(from)
	return c
}

// cmpOp returns the comparison at the current token and its length in tokens,
// 0 when there is none.
func (p *parser) cmpOp() (CmpOperator, int) {
	switch p.kind() {
	case tEqEq:
		return Eq, 1
	case tNotEq:
		return NotEq, 1
	case tLess:
		return Lt, 1
	case tLessEq:
		return LtE, 1
	case tGreater:
		return Gt, 1
	case tGreaterEq:
		return GtE, 1
	case kwIn:
		return In, 1
	case kwNot:
		if p.peek(1) == kwIn {
			return NotIn, 2
		}
	case kwIs:
		if p.peek(1) == kwNot {
			return IsNot, 2
		}
		return Is, 1
	}
	return 0, 0
}

// binop returns the binary operator at the current token with its precedence,
// -1 when there is none. "**" binds tighter than a sign; see power.
func (p *parser) binop() (Operator, int) {
	switch k := p.kind(); k {
	case tVBar:
		return BitOr, 0
	case tCircumflex:
		return BitXor, 1
	case tAmper:
		return BitAnd, 2
	case tLShift, tRShift:
		return Operator(k - tPlus), 3
	case tPlus, tMinus:
		return Operator(k - tPlus), 4
	case tStar, tSlash, tDblSlash, tPercent:
		return Operator(k - tPlus), 5
	case tAt:
		return MatMul, 5
	}
	return 0, -1
}

// binary parses operators of at least the given precedence, left-associative;
// binary(0) is the grammar's bitwise_or.
func (p *parser) binary(min int) Expr {
	from := p.pos()
	e := p.unary()
	for {
		op, prec := p.binop()
		if prec < min {
			return e
		}
		p.i++
		r := p.binary(prec + 1)
		e = &BinOp{p.span(from), e, op, r}
	}
}

func (p *parser) unary() Expr {
	var op UnaryOperator
	switch p.kind() {
	case tMinus:
		op = Neg
	case tPlus:
		op = Plus
	case tTilde:
		op = Invert
	default:
		return p.power()
	}
	p.enter()
	defer p.leave()
	from := p.pos()
	p.i++
	x := p.unary()
	return &UnaryOp{p.span(from), op, x}
}

// power is await_primary ['**' unary]: right-associative, through unary.
func (p *parser) power() Expr {
	from := p.pos()
	var e Expr
	if p.accept(kwAwait) {
		x := p.primary()
		e = &Await{p.span(from), x}
	} else {
		e = p.primary()
	}
	if !p.accept(tDblStar) {
		return e
	}
	p.enter()
	defer p.leave()
	r := p.unary()
	return &BinOp{p.span(from), e, Pow, r}
}

// primary is an atom with its attributes, calls and subscripts.
func (p *parser) primary() Expr {
	from := p.pos()
	e := p.atom()
	for {
		switch p.kind() {
		case tDot:
			p.i++
			attr := p.name()
			e = &Attribute{p.span(from), e, attr}
		case tLPar:
			p.i++
			c := &Call{Func: e}
			c.Args, c.Keywords = p.arguments(true)
			p.expect(tRPar)
			c.Span = p.span(from)
			e = c
		case tLSqb:
			p.i++
			idx := p.slices()
			p.expect(tRSqb)
			e = &Subscript{p.span(from), e, idx}
		default:
			return e
		}
	}
}

func (p *parser) slices() Expr {
	from := p.pos()
	e := p.slice()
	if !p.is(tComma) {
		if _, star := e.(*Starred); !star {
			return e
		}
	}
	t := &Tuple{Elts: []Expr{e}} // a[*b] is a[(*b,)]
	for p.accept(tComma) && !p.is(tRSqb) {
		t.Elts = append(t.Elts, p.slice())
	}
	t.Span = p.span(from)
	return t
}

func (p *parser) slice() Expr {
	from := p.pos()
	s := &Slice{}
	if !p.is(tColon) {
		e := p.starNamed()
		if !p.is(tColon) {
			return e
		}
		noStar(e)
		s.Lo = e
	}
	p.expect(tColon)
	if p.startsExpr() {
		s.Hi = p.expression()
	}
	if p.accept(tColon) && p.startsExpr() {
		s.Step = p.expression()
	}
	s.Span = p.span(from)
	return s
}

// arguments parses the arguments of a call, or of a class header, up to, not
// including, ")". In a call a generator expression that is the only argument
// needs no parentheses; its span then includes those of the call.
func (p *parser) arguments(call bool) (args []Expr, kws []*Keyword) {
	unpacked := false // after **kwargs
	open := Pos(p.toks[p.i-1].pos)
	for !p.is(tRPar) {
		from := p.pos()
		switch {
		case p.accept(tDblStar):
			v := p.expression()
			kws = append(kws, &Keyword{p.span(from), "", v})
			unpacked = true
		case p.accept(tStar):
			if unpacked {
				fail(int(from), "iterable argument unpacking follows keyword argument unpacking")
			}
			v := p.expression()
			args = append(args, &Starred{p.span(from), v})
		case p.is(tName) && p.peek(1) == tEqual:
			name := p.name()
			p.i++
			v := p.expression()
			kws = append(kws, &Keyword{p.span(from), name, v})
		default:
			e := p.named()
			if p.is(kwFor) || p.is(kwAsync) {
				clauses := p.compClauses()
				if len(args)+len(kws) > 0 || !p.is(tRPar) || !call {
					fail(int(from), "Generator expression must be parenthesized")
				}
				e = &Comp{Span: Span{open, Pos(p.toks[p.i].end)}, Kind: GeneratorExp, Elt: e, Clauses: clauses}
			}
			if len(kws) > 0 {
				if unpacked {
					fail(int(from), "positional argument follows keyword argument unpacking")
				}
				fail(int(from), "positional argument follows keyword argument")
			}
			if p.is(tEqual) {
				fail(int(from), "expression cannot contain assignment, perhaps you meant \"==\"?")
			}
			args = append(args, e)
		}
		if !p.accept(tComma) {
			break
		}
	}
	return args, kws
}
