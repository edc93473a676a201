package pyast

// strings parses one or more adjacent string literals into one node: a *Str, a
// *Bytes or, when one of them is an f-string, a *JoinedStr.
func (p *parser) strings() Expr {
	from := p.pos()
	j := &joiner{p: p}
	nBytes, nText, formatted := 0, 0, false
literals:
	for {
		t := p.toks[p.i]
		switch t.kind {
		case tFStart:
			formatted = true
			nText++
			p.fstring(j)
		case tString:
			p.i++
			pre, body, end := splitString(p.src[t.pos:t.end])
			if pre.bytes {
				nBytes++
			} else {
				nText++
			}
			j.literal(int(t.pos)+body, int(t.pos)+end, pre)
		default:
			break literals
		}
		if nBytes > 0 && nText > 0 {
			fail(int(t.pos), "cannot mix bytes and nonbytes literals")
		}
	}
	sp := p.span(from)
	switch {
	case formatted:
		return &JoinedStr{sp, j.done()}
	case nBytes > 0:
		return &Bytes{sp, j.flush().Value}
	}
	s := j.flush()
	s.Span = sp
	return s
}

// splitString finds the prefix and the body of a whole string literal.
func splitString(s string) (pre prefix, body, end int) {
	n := 0
	for s[n] != '"' && s[n] != '\'' {
		n++
	}
	pre, _ = stringPrefix(s[:n])
	q := 1
	if len(s)-n >= 6 && s[n+1] == s[n] && s[n+2] == s[n] {
		q = 3
	}
	return pre, n + q, len(s) - q
}

// joiner collects the parts of adjacent string literals and merges texts.
type joiner struct {
	p      *parser
	parts  []Expr
	text   Str    // the text since the last field, while pieces is 1
	more   []byte // the same, once there are more pieces
	pieces int
}

// literal adds the text src[from:to].
func (j *joiner) literal(from, to int, pre prefix) {
	s, unresolved := j.p.text(from, to, pre)
	j.add(Span{Pos(from), Pos(to)}, s, unresolved)
}

func (j *joiner) add(sp Span, s string, unresolved bool) {
	switch j.pieces {
	case 0:
		j.text = Str{sp, s, unresolved}
	case 1:
		j.more = append(j.more[:0], j.text.Value...)
		fallthrough
	default:
		j.more = append(j.more, s...)
		j.text.To = sp.To
		j.text.Unresolved = j.text.Unresolved || unresolved
	}
	j.pieces++
}

// flush returns the text since the last field and starts anew.
func (j *joiner) flush() *Str {
	s := j.text
	if j.pieces > 1 {
		s.Value = string(j.more)
	}
	j.pieces = 0
	j.text = Str{}
	return &s
}

// done returns all parts.
func (j *joiner) done() []Expr {
	if s := j.flush(); s.Value != "" {
		j.parts = append(j.parts, s)
	}
	return j.parts
}

// fstring parses one f-string into j.
func (p *parser) fstring(j *joiner) {
	p.enter()
	defer p.leave()
	t := p.expect(tFStart)
	s := p.src[t.pos:t.end]
	n := 0
	for s[n] != '"' && s[n] != '\'' {
		n++
	}
	pre, _ := stringPrefix(s[:n])
	for !p.accept(tFEnd) {
		p.fpart(j, pre, false)
	}
}

// fpart parses literal text or one replacement field into j.
func (p *parser) fpart(j *joiner, pre prefix, spec bool) {
	if p.is(tLBrace) {
		p.field(j, pre)
		return
	}
	t := p.expect(tFMiddle)
	from, to := int(t.pos), int(t.end)
	// Outside a spec "{{" and "}}" stand for one brace. Decode around them, so
	// that a brace that comes from an escape is not taken for one of them.
	start := from
	for i := from; !spec && i+1 < to; i++ {
		if p.src[i] == '\\' && !pre.raw {
			if p.src[i+1] == 'N' { // \N{NAME}
				for i+1 < to && p.src[i] != '}' {
					i++
				}
			} else if p.src[i+1] != '{' && p.src[i+1] != '}' {
				i++
			}
			continue
		}
		if c := p.src[i]; (c == '{' || c == '}') && p.src[i+1] == c {
			j.literal(start, i+1, pre)
			start = i + 2
			i++
		}
	}
	if start < to {
		j.literal(start, to, pre)
	}
}

// field parses {Value=!Conv:Spec}.
func (p *parser) field(j *joiner, pre prefix) {
	p.enter()
	defer p.leave()
	from := p.pos()
	open := p.expect(tLBrace)
	if p.is(tRBrace) || p.is(tBang) || p.is(tColon) || p.is(tEqual) {
		p.unexpected("f-string: valid expression required before '}'")
	}
	v := &FormattedValue{}
	if p.is(kwYield) {
		v.Value = p.yield()
	} else {
		// A ":=" cannot occur: the lexer took the colon for the start of the spec.
		v.Value = p.starExprs()
	}
	debug := p.accept(tEqual)
	if debug {
		// The text is what stands between the brace and the next token.
		s, _ := p.text(int(open.end), int(p.pos()), prefix{raw: true})
		j.add(Span{Pos(open.end), p.pos()}, s, false)
	}
	if p.accept(tBang) {
		bang := p.toks[p.i-1]
		c := p.expect(tName)
		if s := p.src[c.pos:c.end]; c.pos != bang.end || s != "s" && s != "r" && s != "a" {
			fail(int(c.pos), "f-string: invalid conversion character: expected 's', 'r', or 'a'")
		}
		v.Conv = p.src[c.pos]
	}
	if p.is(tColon) {
		at := p.pos()
		p.i++
		sj := &joiner{p: p}
		for !p.is(tRBrace) {
			p.fpart(sj, pre, true)
		}
		v.Spec = &JoinedStr{Parts: sj.done()}
		v.Spec.Span = Span{at, p.pos()}
	} else if debug && v.Conv == 0 {
		v.Conv = 'r'
	}
	if !p.is(tRBrace) {
		p.unexpected("f-string: expecting '}'")
	}
	p.i++
	v.Span = p.span(from)
	j.parts = append(j.done(), v)
}
