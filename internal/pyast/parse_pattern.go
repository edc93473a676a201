package pyast

// isMatch decides whether "match" at the current token starts a match
// statement: only then does its logical line end with ":" before a block that
// starts with "case".
func (p *parser) isMatch() bool {
	i := p.i + 1
	for p.toks[i].kind != tNewline {
		if p.toks[i].kind == tEOF {
			return false
		}
		i++
	}
	return p.toks[i-1].kind == tColon && i+2 < len(p.toks) && p.toks[i+1].kind == tIndent &&
		p.toks[i+2].kind == tName && p.src[p.toks[i+2].pos:p.toks[i+2].end] == "case"
}

func (p *parser) match() Stmt {
	from := p.pos()
	p.i++
	s := &Match{Subject: p.tupleOf(p.starNamed)}
	noStar(s.Subject)
	p.expect(tColon)
	p.expect(tNewline)
	p.expect(tIndent)
	for p.softIs("case") {
		at := p.pos()
		p.i++
		c := &MatchCase{Pattern: p.patterns()}
		if p.accept(kwIf) {
			c.Guard = p.named()
		}
		c.Body = p.block()
		c.Span = p.span(at)
		s.Cases = append(s.Cases, c)
	}
	p.expect(tDedent)
	s.Span = p.span(from)
	return s
}

// patterns is a pattern, or a sequence without brackets.
func (p *parser) patterns() Pattern {
	from := p.pos()
	first := p.maybeStarPattern()
	_, star := first.(*MatchStar)
	if !p.is(tComma) && !star {
		return first
	}
	s := &MatchSequence{Patterns: []Pattern{first}}
	for p.accept(tComma) && !p.is(tColon) && !p.is(kwIf) {
		s.Patterns = append(s.Patterns, p.maybeStarPattern())
	}
	if star && len(s.Patterns) == 1 && p.toks[p.i-1].kind != tComma {
		fail(int(from), "invalid syntax: a single starred pattern needs a comma")
	}
	s.Span = p.span(from)
	return s
}

func (p *parser) maybeStarPattern() Pattern {
	from := p.pos()
	if !p.accept(tStar) {
		return p.asPattern()
	}
	name := p.captureName()
	return &MatchStar{p.span(from), name}
}

// captureName consumes a name and returns "" for the wildcard.
func (p *parser) captureName() string {
	if n := p.name(); n != "_" {
		return n
	}
	return ""
}

// asPattern is or_pattern ['as' name].
func (p *parser) asPattern() Pattern {
	p.enter()
	defer p.leave()
	from := p.pos()
	x := p.closedPattern()
	if p.is(tVBar) {
		or := &MatchOr{Patterns: []Pattern{x}}
		for p.accept(tVBar) {
			or.Patterns = append(or.Patterns, p.closedPattern())
		}
		or.Span = p.span(from)
		x = or
	}
	if p.accept(kwAs) {
		if p.softIs("_") {
			p.unexpected("cannot use '_' as a target")
		}
		name := p.name()
		return &MatchAs{p.span(from), x, name}
	}
	return x
}

func (p *parser) closedPattern() Pattern {
	from := p.pos()
	switch p.kind() {
	case kwNone, kwTrue, kwFalse:
		e := p.atom()
		return &MatchSingleton{p.span(from), e}
	case tNumber, tMinus, tString, tFStart:
		e := p.patternLiteral()
		return &MatchValue{p.span(from), e}
	case tName:
		if p.peek(1) != tDot && p.peek(1) != tLPar {
			name := p.captureName()
			return &MatchAs{Span: p.span(from), Name: name}
		}
		e := p.dottedName()
		if p.is(tLPar) {
			return p.classPattern(from, e)
		}
		return &MatchValue{p.span(from), e}
	case tLPar:
		return p.groupPattern()
	case tLSqb:
		p.i++
		s := &MatchSequence{Patterns: p.patternList(tRSqb)}
		p.expect(tRSqb)
		s.Span = p.span(from)
		return s
	case tLBrace:
		return p.mappingPattern()
	}
	p.unexpected("invalid syntax: expected a pattern")
	return nil
}

// patternLiteral is a number, perhaps negative or complex, or strings.
func (p *parser) patternLiteral() Expr {
	if p.is(tString) || p.is(tFStart) {
		return p.strings()
	}
	from := p.pos()
	signed := func() Expr {
		at := p.pos()
		if p.accept(tMinus) {
			if !p.is(tNumber) {
				p.unexpected("expected a number")
			}
			x := p.number()
			return &UnaryOp{p.span(at), Neg, x}
		}
		if !p.is(tNumber) {
			p.unexpected("expected a number")
		}
		return p.number()
	}
	e := signed()
	if k := p.kind(); k == tPlus || k == tMinus {
		p.i++
		if !p.is(tNumber) {
			p.unexpected("expected an imaginary number")
		}
		im := p.number()
		if _, ok := im.(*Imag); !ok {
			fail(int(im.Pos()), "imaginary number required in complex literal")
		}
		op := Add
		if k == tMinus {
			op = Sub
		}
		e = &BinOp{p.span(from), e, op, im}
	}
	return e
}

func (p *parser) dottedName() Expr {
	from := p.pos()
	id := p.name()
	var e Expr = &Name{p.span(from), id}
	for p.accept(tDot) {
		attr := p.name()
		e = &Attribute{p.span(from), e, attr}
	}
	return e
}

// patternList parses patterns up to, not including, end.
func (p *parser) patternList(end kind) []Pattern {
	var list []Pattern
	for !p.is(end) {
		list = append(list, p.maybeStarPattern())
		if !p.accept(tComma) {
			break
		}
	}
	return list
}

// groupPattern is (pattern), which leaves no node, or a sequence.
func (p *parser) groupPattern() Pattern {
	from := p.pos()
	p.expect(tLPar)
	list := p.patternList(tRPar)
	comma := p.toks[p.i-1].kind == tComma
	p.expect(tRPar)
	if len(list) == 1 && !comma {
		if _, star := list[0].(*MatchStar); star {
			fail(int(from), "invalid syntax: a single starred pattern needs a comma")
		}
		return list[0]
	}
	return &MatchSequence{p.span(from), list}
}

func (p *parser) mappingPattern() Pattern {
	from := p.pos()
	p.expect(tLBrace)
	m := &MatchMapping{}
	for !p.is(tRBrace) {
		if p.accept(tDblStar) {
			if p.softIs("_") {
				p.unexpected("expected a name")
			}
			m.Rest = p.name()
			p.accept(tComma)
			break
		}
		var k Expr
		switch p.kind() {
		case kwNone, kwTrue, kwFalse:
			k = p.atom()
		case tName:
			if k = p.dottedName(); p.toks[p.i-2].kind != tDot {
				fail(int(k.Pos()), "mapping pattern keys may only match literals and attribute lookups")
			}
		default:
			k = p.patternLiteral()
		}
		p.expect(tColon)
		m.Keys = append(m.Keys, k)
		m.Patterns = append(m.Patterns, p.asPattern())
		if !p.accept(tComma) {
			break
		}
	}
	p.expect(tRBrace)
	m.Span = p.span(from)
	return m
}

func (p *parser) classPattern(from Pos, class Expr) Pattern {
	p.expect(tLPar)
	m := &MatchClass{Class: class}
	for !p.is(tRPar) {
		if p.is(tName) && p.peek(1) == tEqual {
			m.KwNames = append(m.KwNames, p.name())
			p.i++
			m.KwPatterns = append(m.KwPatterns, p.asPattern())
		} else {
			if len(m.KwNames) > 0 {
				p.unexpected("positional patterns follow keyword patterns")
			}
			m.Patterns = append(m.Patterns, p.asPattern())
		}
		if !p.accept(tComma) {
			break
		}
	}
	p.expect(tRPar)
	m.Span = p.span(from)
	return m
}
