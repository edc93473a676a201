package pyast

import "math/big"

// Node is any part of the tree.
type Node interface {
	Pos() Pos // offset of the first byte
	End() Pos // offset after the last byte
}

// Expr is an expression.
type Expr interface {
	Node
	expr()
}

// Stmt is a statement.
type Stmt interface {
	Node
	stmt()
}

// Pattern is what follows "case".
type Pattern interface {
	Node
	pattern()
}

// Span is the part of the source that a node covers.
type Span struct{ From, To Pos }

// Pos returns the offset of the first byte.
func (s Span) Pos() Pos { return s.From }

// End returns the offset after the last byte.
func (s Span) End() Pos { return s.To }

// File is a parsed source.
type File struct {
	Source string
	Body   []Stmt
	lines  lineTable
}

// Pos returns 0.
func (f *File) Pos() Pos { return 0 }

// End returns the length of the source.
func (f *File) End() Pos { return Pos(len(f.Source)) }

// Position turns an offset into a line and a column.
func (f *File) Position(p Pos) Position { return f.lines.position(p) }

// Text returns the source of a node.
func (f *File) Text(n Node) string { return f.Source[n.Pos():n.End()] }

// Literals.
type (
	// Int is an integer literal.
	Int struct {
		Span
		Small int64    // the value, when Big is nil
		Big   *big.Int // the value, when it does not fit into an int64
	}
	// Float is a floating-point literal.
	Float struct {
		Span
		Value float64
	}
	// Imag is an imaginary literal such as 2j.
	Imag struct {
		Span
		Value float64
	}
	// Str is a string literal, or several adjacent ones, decoded. A lone
	// surrogate ("\ud800") is held as three bytes (WTF-8), so Value is not always
	// valid UTF-8.
	Str struct {
		Span
		Value      string
		Unresolved bool // Value holds a \N{NAME} escape as written
	}
	// Bytes is a bytes literal, decoded.
	Bytes struct {
		Span
		Value string
	}
	// Bool is True or False.
	Bool struct {
		Span
		Value bool
	}
	// None is None.
	None struct{ Span }
	// Ellipsis is "...".
	Ellipsis struct{ Span }
	// JoinedStr is an f-string, or adjacent strings of which one is an f-string.
	// Each part is a *Str or a *FormattedValue; no two adjacent parts are *Str.
	JoinedStr struct {
		Span
		Parts []Expr
	}
	// FormattedValue is one replacement field of an f-string. A debug field
	// ({x=}) has the text "x=" in the part before it and, with neither conversion
	// nor spec, the conversion 'r'.
	FormattedValue struct {
		Span
		Value Expr
		Conv  byte       // 's', 'r', 'a', or 0
		Spec  *JoinedStr // nil when absent
	}
)

// Expressions.
type (
	// Name is an identifier.
	Name struct {
		Span
		ID string
	}
	// Attribute is Value.Attr.
	Attribute struct {
		Span
		Value Expr
		Attr  string
	}
	// Subscript is Value[Index]; Index may be a *Slice or a *Tuple with slices.
	Subscript struct {
		Span
		Value, Index Expr
	}
	// Slice is Lo:Hi:Step inside a subscript; a missing part is nil.
	Slice struct {
		Span
		Lo, Hi, Step Expr
	}
	// Call is Func(Args, Keywords). Args may hold *Starred.
	Call struct {
		Span
		Func     Expr
		Args     []Expr
		Keywords []*Keyword
	}
	// Keyword is Name=Value in a call or a class header, or **Value when Name is "".
	Keyword struct {
		Span
		Name  string
		Value Expr
	}
	// Starred is *Value.
	Starred struct {
		Span
		Value Expr
	}
	// UnaryOp is Op X.
	UnaryOp struct {
		Span
		Op UnaryOperator
		X  Expr
	}
	// BinOp is Left Op Right.
	BinOp struct {
		Span
		Left  Expr
		Op    Operator
		Right Expr
	}
	// BoolOp is two or more Values joined by "or" or, when And, by "and".
	BoolOp struct {
		Span
		And    bool
		Values []Expr
	}
	// Compare is the chain Left Ops[0] Rights[0] Ops[1] Rights[1] …
	Compare struct {
		Span
		Left   Expr
		Ops    []CmpOperator
		Rights []Expr
	}
	// IfExp is Then if Test else Else.
	IfExp struct {
		Span
		Test, Then, Else Expr
	}
	// NamedExpr is Target := Value.
	NamedExpr struct {
		Span
		Target *Name
		Value  Expr
	}
	// Lambda is lambda Params: Body.
	Lambda struct {
		Span
		Params []*Param
		Body   Expr
	}
	// Tuple is a tuple display, with or without parentheses.
	Tuple struct {
		Span
		Elts []Expr
	}
	// List is a list display.
	List struct {
		Span
		Elts []Expr
	}
	// Set is a set display.
	Set struct {
		Span
		Elts []Expr
	}
	// Dict is a dict display.
	Dict struct {
		Span
		Items []DictItem
	}
	// DictItem is Key: Value, or **Value when Key is nil.
	DictItem struct{ Key, Value Expr }
	// Comp is a comprehension or a generator expression.
	Comp struct {
		Span
		Kind    CompKind
		Elt     Expr // the key, for a DictComp
		Value   Expr // the value, for a DictComp; else nil
		Clauses []*CompClause
	}
	// CompClause is "for Target in Iter" with its conditions.
	CompClause struct {
		Span
		Async        bool
		Target, Iter Expr
		Ifs          []Expr
	}
	// Await is await X.
	Await struct {
		Span
		X Expr
	}
	// Yield is yield X; X may be nil.
	Yield struct {
		Span
		X Expr
	}
	// YieldFrom is yield from X.
	YieldFrom struct {
		Span
		X Expr
	}
)

// Param is one parameter of a function or a lambda.
type Param struct {
	Span
	Name       string
	Kind       ParamKind
	Annotation Expr // or nil
	Default    Expr // or nil
}

// ParamKind says how a parameter takes its argument.
type ParamKind uint8

// The kinds, in the order in which they may appear.
const (
	PosOnly ParamKind = iota // before "/"
	PosOrKw
	VarArgs // *args
	KwOnly  // after "*"
	VarKw   // **kwargs
)

// TypeParam is one name in the [T, *Ts, **P] of a generic definition.
type TypeParam struct {
	Span
	Name    string
	Stars   int  // 0 TypeVar, 1 TypeVarTuple, 2 ParamSpec
	Bound   Expr // or nil
	Default Expr // or nil
}

// CompKind says what a comprehension builds.
type CompKind uint8

// The comprehensions.
const (
	ListComp CompKind = iota
	SetComp
	DictComp
	GeneratorExp
)

// Statements.
type (
	// FuncDef is a function definition.
	FuncDef struct {
		Span
		Async      bool
		Name       string
		TypeParams []*TypeParam
		Params     []*Param
		Returns    Expr // or nil
		Body       []Stmt
		Decorators []Expr
	}
	// ClassDef is a class definition.
	ClassDef struct {
		Span
		Name       string
		TypeParams []*TypeParam
		Bases      []Expr
		Keywords   []*Keyword
		Body       []Stmt
		Decorators []Expr
	}
	// Return is return Value; Value may be nil.
	Return struct {
		Span
		Value Expr
	}
	// Delete is del Targets.
	Delete struct {
		Span
		Targets []Expr
	}
	// Assign is Targets[0] = Targets[1] = … = Value.
	Assign struct {
		Span
		Targets []Expr
		Value   Expr
	}
	// AugAssign is Target Op= Value.
	AugAssign struct {
		Span
		Target Expr
		Op     Operator
		Value  Expr
	}
	// AnnAssign is Target: Annotation = Value; Value may be nil.
	AnnAssign struct {
		Span
		Target     Expr
		Annotation Expr
		Value      Expr
		Simple     bool // Target is a bare name, without parentheses
	}
	// TypeAlias is type Name[TypeParams] = Value.
	TypeAlias struct {
		Span
		Name       *Name
		TypeParams []*TypeParam
		Value      Expr
	}
	// For is a for loop.
	For struct {
		Span
		Async        bool
		Target, Iter Expr
		Body, Else   []Stmt
	}
	// While is a while loop.
	While struct {
		Span
		Test       Expr
		Body, Else []Stmt
	}
	// If is a whole if/elif/else chain.
	If struct {
		Span
		Clauses []*IfClause // at least one
		Else    []Stmt
	}
	// IfClause is "if" or "elif" Test: Body.
	IfClause struct {
		Span
		Test Expr
		Body []Stmt
	}
	// With is a with statement.
	With struct {
		Span
		Async bool
		Items []*WithItem
		Body  []Stmt
	}
	// WithItem is Context as Target; Target may be nil.
	WithItem struct {
		Span
		Context, Target Expr
	}
	// Match is a match statement.
	Match struct {
		Span
		Subject Expr
		Cases   []*MatchCase
	}
	// MatchCase is case Pattern if Guard: Body; Guard may be nil.
	MatchCase struct {
		Span
		Pattern Pattern
		Guard   Expr
		Body    []Stmt
	}
	// Raise is raise Exc from Cause; both may be nil.
	Raise struct {
		Span
		Exc, Cause Expr
	}
	// Try is a try statement.
	Try struct {
		Span
		Star     bool // except*
		Body     []Stmt
		Handlers []*ExceptHandler
		Else     []Stmt
		Finally  []Stmt
	}
	// ExceptHandler is except Type as Name: Body; Type may be nil, Name "".
	ExceptHandler struct {
		Span
		Type Expr
		Name string
		Body []Stmt
	}
	// Assert is assert Test, Msg; Msg may be nil.
	Assert struct {
		Span
		Test, Msg Expr
	}
	// Import is import Names.
	Import struct {
		Span
		Names []*Alias
	}
	// ImportFrom is from Module import Names; a star import has the one name "*".
	ImportFrom struct {
		Span
		Level  int    // number of leading dots
		Module string // dotted; "" in "from . import x"
		Names  []*Alias
	}
	// Alias is Name as As; As may be "".
	Alias struct {
		Span
		Name, As string
	}
	// Global is global Names.
	Global struct {
		Span
		Names []string
	}
	// Nonlocal is nonlocal Names.
	Nonlocal struct {
		Span
		Names []string
	}
	// ExprStmt is an expression as a statement.
	ExprStmt struct {
		Span
		X Expr
	}
	// Pass is pass.
	Pass struct{ Span }
	// Break is break.
	Break struct{ Span }
	// Continue is continue.
	Continue struct{ Span }
)

// Patterns.
type (
	// MatchValue compares with Value: a literal or a dotted name.
	MatchValue struct {
		Span
		Value Expr
	}
	// MatchSingleton compares by identity with None, True or False.
	MatchSingleton struct {
		Span
		Value Expr
	}
	// MatchSequence is [Patterns].
	MatchSequence struct {
		Span
		Patterns []Pattern
	}
	// MatchStar is *Name inside a sequence; Name is "" for *_.
	MatchStar struct {
		Span
		Name string
	}
	// MatchMapping is {Keys[i]: Patterns[i], **Rest}; Rest may be "".
	MatchMapping struct {
		Span
		Keys     []Expr
		Patterns []Pattern
		Rest     string
	}
	// MatchClass is Class(Patterns, KwNames[i]=KwPatterns[i]).
	MatchClass struct {
		Span
		Class      Expr
		Patterns   []Pattern
		KwNames    []string
		KwPatterns []Pattern
	}
	// MatchAs is Pattern as Name. A bare name has no Pattern; "_" has neither.
	MatchAs struct {
		Span
		Pattern Pattern
		Name    string
	}
	// MatchOr is two or more alternatives.
	MatchOr struct {
		Span
		Patterns []Pattern
	}
)

func (*Int) expr()            {}
func (*Float) expr()          {}
func (*Imag) expr()           {}
func (*Str) expr()            {}
func (*Bytes) expr()          {}
func (*Bool) expr()           {}
func (*None) expr()           {}
func (*Ellipsis) expr()       {}
func (*JoinedStr) expr()      {}
func (*FormattedValue) expr() {}
func (*Name) expr()           {}
func (*Attribute) expr()      {}
func (*Subscript) expr()      {}
func (*Slice) expr()          {}
func (*Call) expr()           {}
func (*Starred) expr()        {}
func (*UnaryOp) expr()        {}
func (*BinOp) expr()          {}
func (*BoolOp) expr()         {}
func (*Compare) expr()        {}
func (*IfExp) expr()          {}
func (*NamedExpr) expr()      {}
func (*Lambda) expr()         {}
func (*Tuple) expr()          {}
func (*List) expr()           {}
func (*Set) expr()            {}
func (*Dict) expr()           {}
func (*Comp) expr()           {}
func (*Await) expr()          {}
func (*Yield) expr()          {}
func (*YieldFrom) expr()      {}

func (*FuncDef) stmt()    {}
func (*ClassDef) stmt()   {}
func (*Return) stmt()     {}
func (*Delete) stmt()     {}
func (*Assign) stmt()     {}
func (*AugAssign) stmt()  {}
func (*AnnAssign) stmt()  {}
func (*TypeAlias) stmt()  {}
func (*For) stmt()        {}
func (*While) stmt()      {}
func (*If) stmt()         {}
func (*With) stmt()       {}
func (*Match) stmt()      {}
func (*Raise) stmt()      {}
func (*Try) stmt()        {}
func (*Assert) stmt()     {}
func (*Import) stmt()     {}
func (*ImportFrom) stmt() {}
func (*Global) stmt()     {}
func (*Nonlocal) stmt()   {}
func (*ExprStmt) stmt()   {}
func (*Pass) stmt()       {}
func (*Break) stmt()      {}
func (*Continue) stmt()   {}

func (*MatchValue) pattern()     {}
func (*MatchSingleton) pattern() {}
func (*MatchSequence) pattern()  {}
func (*MatchStar) pattern()      {}
func (*MatchMapping) pattern()   {}
func (*MatchClass) pattern()     {}
func (*MatchAs) pattern()        {}
func (*MatchOr) pattern()        {}
