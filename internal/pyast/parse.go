package pyast

import (
	"strings"
	"unicode/utf8"
)

// Options bounds what Parse accepts. The zero value means the defaults.
type Options struct {
	MaxBytes int // size of the source; default 16 MiB, at most 1 GiB
	MaxDepth int // height of the tree in nodes; default 1000, at most 10000
}

func (o Options) withDefaults() Options {
	if o.MaxBytes <= 0 {
		o.MaxBytes = 16 << 20
	}
	if o.MaxDepth <= 0 {
		o.MaxDepth = 1000
	}
	o.MaxBytes = min(o.MaxBytes, 1<<30)
	o.MaxDepth = min(o.MaxDepth, 10000)
	return o
}

// Parse reads a module with the default options. The error is a *[SyntaxError].
func Parse(src string) (*File, error) { return ParseWith(src, Options{}) }

// ParseWith reads a module. The error is a *[SyntaxError].
func ParseWith(src string, opt Options) (f *File, err error) {
	opt = opt.withDefaults()
	if len(src) > opt.MaxBytes {
		return nil, &SyntaxError{Line: 1, Col: 1, Msg: "source is too large", Limit: true}
	}
	start := 0
	if strings.HasPrefix(src, "\ufeff") {
		start = len("\ufeff")
	}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case bailout:
			at := newLineTable(src, start).position(Pos(min(r.at, len(src))))
			f, err = nil, &SyntaxError{at.Line, at.Col, r.msg, r.limit}
		default:
			panic(r)
		}
	}()
	checkText(src)
	p := &parser{src: src, toks: lex(src, start), maxDepth: opt.MaxDepth}
	f = &File{Source: src, Body: p.module()}
	if deep := tooDeep(f, opt.MaxDepth); deep != nil {
		tooNested(int(deep.Pos()))
	}
	f.lines = newLineTable(src, start)
	return f, nil
}

// checkText refuses what is not text.
func checkText(src string) {
	if i := strings.IndexByte(src, 0); i >= 0 {
		fail(i, "source code cannot contain null bytes")
	}
	if utf8.ValidString(src) {
		return
	}
	for i, r := range src {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(src[i:]); n == 1 {
				fail(i, "source is not valid UTF-8")
			}
		}
	}
}

// parser is a recursive-descent parser over tokens. Its methods are named after
// the rules of the reference grammar. Errors leave by fail.
type parser struct {
	src      string
	toks     []token
	i        int // the current token
	depth    int // nested calls that enter counts
	maxDepth int
}

func (p *parser) kind() kind { return p.toks[p.i].kind }

// peek returns the kind of the n-th token after the current one.
func (p *parser) peek(n int) kind {
	if p.i+n < len(p.toks) {
		return p.toks[p.i+n].kind
	}
	return tEOF
}

func (p *parser) is(k kind) bool { return p.toks[p.i].kind == k }

// next consumes the current token; the end of the file is never consumed.
func (p *parser) next() token {
	t := p.toks[p.i]
	if t.kind != tEOF {
		p.i++
	}
	return t
}

func (p *parser) accept(k kind) bool {
	if p.toks[p.i].kind == k {
		p.i++
		return true
	}
	return false
}

func (p *parser) expect(k kind) token {
	if p.toks[p.i].kind != k {
		p.unexpected("expected " + k.describe())
	}
	return p.next()
}

// unexpected fails at the current token.
func (p *parser) unexpected(msg string) {
	t := p.toks[p.i]
	switch t.kind {
	case tEOF:
		msg += ", found end of file"
	case tNewline, tIndent, tDedent:
		msg += ", found " + t.kind.describe()
	default:
		s := p.src[t.pos:t.end]
		if len(s) > 40 {
			s = strings.ToValidUTF8(s[:40], "") + "…"
		}
		msg += ", found '" + s + "'"
	}
	fail(int(t.pos), "%s", msg)
}

func (p *parser) pos() Pos { return Pos(p.toks[p.i].pos) }

// span is what lies between from and the last consumed token; the tokens that
// end a line or a block cover nothing.
func (p *parser) span(from Pos) Span {
	i := p.i - 1
	for i > 0 && tNewline <= p.toks[i].kind && p.toks[i].kind <= tDedent {
		i--
	}
	return Span{from, Pos(p.toks[i].end)}
}

// enter and leave bracket every rule that can nest in itself, so that the stack
// is bounded before the tree exists.
func (p *parser) enter() {
	if p.depth++; p.depth > p.maxDepth {
		tooNested(int(p.pos()))
	}
}

func (p *parser) leave() { p.depth-- }

// try runs f and reports whether it succeeded; if not, nothing is consumed.
func (p *parser) try(f func()) (ok bool) {
	i, depth := p.i, p.depth
	defer func() {
		switch r := recover().(type) {
		case nil:
		case bailout:
			p.i, p.depth = i, depth
			ok = false
		default:
			panic(r)
		}
	}()
	f()
	return true
}

// name consumes an identifier that is not a keyword.
func (p *parser) name() string {
	t := p.expect(tName)
	return p.src[t.pos:t.end]
}

// softIs reports whether the current token is the soft keyword s.
func (p *parser) softIs(s string) bool {
	t := p.toks[p.i]
	return t.kind == tName && p.src[t.pos:t.end] == s
}

func (p *parser) module() []Stmt {
	var body []Stmt
	for !p.is(tEOF) {
		body = p.statement(body)
	}
	return body
}
