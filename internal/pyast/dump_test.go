package pyast

import (
	"encoding/hex"
	"fmt"
	"math"
	"reflect"
	"strings"
)

// dump writes the canonical text that testdata/dump.py writes from CPython's
// tree: names, fields in CPython's order, and positions.
func dump(f *File) string {
	d := &dumper{f: f}
	dumpList(d, f.Body)
	return d.b.String()
}

type dumper struct {
	b     strings.Builder
	f     *File
	noPos int
}

func (d *dumper) w(format string, args ...any) { fmt.Fprintf(&d.b, format, args...) }

func (d *dumper) open(name string, n Node) {
	d.w("(%s", name)
	if d.noPos > 0 {
		return
	}
	switch n.(type) {
	case *CompClause, *WithItem, *MatchCase, *TypeParam:
		return
	}
	a, z := d.f.Position(n.Pos()), d.f.Position(n.End())
	d.w("@%d:%d-%d:%d", a.Line, a.Col-1, z.Line, z.Col-1)
}

func hexs(s string) string { return hex.EncodeToString([]byte(s)) }

func dumpList[N Node](d *dumper, list []N) {
	d.w("[")
	for _, n := range list {
		d.node(n)
		d.w(",")
	}
	d.w("]")
}

// node writes one node; nil is "~".
func (d *dumper) node(n Node) {
	if n == nil || reflect.ValueOf(n).IsNil() {
		d.w("~")
		return
	}
	constant := func(format string, args ...any) {
		d.open("Constant", n)
		d.w(" "+format, args...)
	}
	fields := func(name string, list ...any) {
		d.open(name, n)
		for _, v := range list {
			d.w(" ")
			d.field(v)
		}
	}
	switch n := n.(type) {
	case *Int:
		if n.Big != nil {
			constant("i%x", n.Big)
		} else {
			constant("i%x", n.Small)
		}
	case *Float:
		constant("f%016x", math.Float64bits(n.Value))
	case *Imag:
		constant("c%016x", math.Float64bits(n.Value))
	case *Str:
		constant("s%s", hexs(n.Value))
	case *Bytes:
		constant("y%s", hexs(n.Value))
	case *Bool:
		constant("b%d", map[bool]int{true: 1}[n.Value])
	case *None:
		constant("None")
	case *Ellipsis:
		constant("...")
	case *JoinedStr:
		d.open("JoinedStr", n)
		d.noPos++
		d.w(" ")
		dumpList(d, n.Parts)
		d.noPos--
	case *FormattedValue:
		fields("FormattedValue", n.Value, int(n.Conv), n.Spec)
	case *Name:
		fields("Name", n.ID)
	case *Attribute:
		fields("Attribute", n.Value, n.Attr)
	case *Subscript:
		fields("Subscript", n.Value, n.Index)
	case *Slice:
		fields("Slice", n.Lo, n.Hi, n.Step)
	case *Call:
		fields("Call", n.Func, n.Args, n.Keywords)
	case *Keyword:
		var name any = n.Name
		if n.Name == "" {
			name = nil
		}
		fields("keyword", name, n.Value)
	case *Starred:
		fields("Starred", n.Value)
	case *UnaryOp:
		fields("UnaryOp", sym(n.Op.String()), n.X)
	case *BinOp:
		fields("BinOp", n.Left, sym(n.Op.String()), n.Right)
	case *BoolOp:
		op := sym("or")
		if n.And {
			op = "and"
		}
		fields("BoolOp", op, n.Values)
	case *Compare:
		var ops []sym
		for _, o := range n.Ops {
			ops = append(ops, sym(o.String()))
		}
		fields("Compare", n.Left, ops, n.Rights)
	case *IfExp:
		fields("IfExp", n.Test, n.Then, n.Else)
	case *NamedExpr:
		fields("NamedExpr", n.Target, n.Value)
	case *Lambda:
		fields("Lambda", n.Params, n.Body)
	case *Tuple:
		fields("Tuple", n.Elts)
	case *List:
		fields("List", n.Elts)
	case *Set:
		fields("Set", n.Elts)
	case *Dict:
		d.open("Dict", n)
		for _, it := range n.Items {
			d.w(" ")
			d.node(it.Key)
			d.w(":")
			d.node(it.Value)
		}
	case *Comp:
		name := [...]string{"ListComp", "SetComp", "DictComp", "GeneratorExp"}[n.Kind]
		if n.Kind == DictComp {
			fields(name, n.Elt, n.Value, n.Clauses)
		} else {
			fields(name, n.Elt, n.Clauses)
		}
	case *CompClause:
		fields("comprehension", n.Target, n.Iter, n.Ifs, n.Async)
	case *Await:
		fields("Await", n.X)
	case *Yield:
		fields("Yield", n.X)
	case *YieldFrom:
		fields("YieldFrom", n.X)
	case *TypeParam:
		if n.Stars == 0 {
			fields("TypeVar", n.Name, n.Bound, n.Default)
		} else {
			fields([...]string{"", "TypeVarTuple", "ParamSpec"}[n.Stars], n.Name, n.Default)
		}
	default:
		d.stmt(n, fields)
	}
	d.w(")")
}

func (d *dumper) stmt(n Node, fields func(string, ...any)) {
	switch n := n.(type) {
	case *FuncDef:
		fields(async(n.Async)+"FunctionDef", n.Name, n.Params, n.Body, n.Decorators, n.Returns, n.TypeParams)
	case *ClassDef:
		fields("ClassDef", n.Name, n.Bases, n.Keywords, n.Body, n.Decorators, n.TypeParams)
	case *Return:
		fields("Return", n.Value)
	case *Delete:
		fields("Delete", n.Targets)
	case *Assign:
		fields("Assign", n.Targets, n.Value)
	case *AugAssign:
		fields("AugAssign", n.Target, sym(n.Op.String()), n.Value)
	case *AnnAssign:
		fields("AnnAssign", n.Target, n.Annotation, n.Value, n.Simple)
	case *TypeAlias:
		fields("TypeAlias", n.Name, n.TypeParams, n.Value)
	case *For:
		fields(async(n.Async)+"For", n.Target, n.Iter, n.Body, n.Else)
	case *While:
		fields("While", n.Test, n.Body, n.Else)
	case *If:
		d.ifChain(n)
	case *With:
		fields(async(n.Async)+"With", n.Items, n.Body)
	case *WithItem:
		fields("withitem", n.Context, n.Target)
	case *Match:
		fields("Match", n.Subject, n.Cases)
	case *MatchCase:
		fields("match_case", n.Pattern, n.Guard, n.Body)
	case *Raise:
		fields("Raise", n.Exc, n.Cause)
	case *Try:
		name := "Try"
		if n.Star {
			name = "TryStar"
		}
		fields(name, n.Body, n.Handlers, n.Else, n.Finally)
	case *ExceptHandler:
		var name any = n.Name
		if n.Name == "" {
			name = nil
		}
		fields("ExceptHandler", n.Type, name, n.Body)
	case *Assert:
		fields("Assert", n.Test, n.Msg)
	case *Import:
		fields("Import", n.Names)
	case *ImportFrom:
		fields("ImportFrom", n.Module, n.Names, n.Level)
	case *Alias:
		var as any = n.As
		if n.As == "" {
			as = nil
		}
		fields("alias", n.Name, as)
	case *Global:
		fields("Global", n.Names)
	case *Nonlocal:
		fields("Nonlocal", n.Names)
	case *ExprStmt:
		fields("Expr", n.X)
	case *Pass:
		fields("Pass")
	case *Break:
		fields("Break")
	case *Continue:
		fields("Continue")
	case *MatchValue:
		fields("MatchValue", n.Value)
	case *MatchSingleton:
		v := sym("None")
		if b, ok := n.Value.(*Bool); ok {
			v = sym(fmt.Sprintf("b%d", map[bool]int{true: 1}[b.Value]))
		}
		fields("MatchSingleton", v)
	case *MatchSequence:
		fields("MatchSequence", n.Patterns)
	case *MatchStar:
		fields("MatchStar", orNil(n.Name))
	case *MatchMapping:
		fields("MatchMapping", n.Keys, n.Patterns, orNil(n.Rest))
	case *MatchClass:
		fields("MatchClass", n.Class, n.Patterns, n.KwNames, n.KwPatterns)
	case *MatchAs:
		fields("MatchAs", n.Pattern, orNil(n.Name))
	case *MatchOr:
		fields("MatchOr", n.Patterns)
	default:
		panic(fmt.Sprintf("dump: %T", n))
	}
}

// ifChain writes the nested If nodes of CPython.
func (d *dumper) ifChain(n *If) {
	for i, c := range n.Clauses {
		if i > 0 {
			d.w(" [")
		}
		d.open("If", Span{c.From, n.To})
		d.w(" ")
		d.node(c.Test)
		d.w(" ")
		dumpList(d, c.Body)
	}
	d.w(" ")
	dumpList(d, n.Else)
	for range n.Clauses[1:] {
		d.w("),]")
	}
}

func async(a bool) string {
	if a {
		return "Async"
	}
	return ""
}

func orNil(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// sym is text that is written as it is.
type sym string

func (d *dumper) field(v any) {
	switch v := v.(type) {
	case nil:
		d.w("~")
	case sym:
		d.w("%s", string(v))
	case []sym:
		d.w("[")
		for _, s := range v {
			d.w("%s,", string(s))
		}
		d.w("]")
	case string:
		d.w("%s", hexs(v))
	case []string:
		d.w("[")
		for _, s := range v {
			d.w("%s,", hexs(s))
		}
		d.w("]")
	case int:
		d.w("%d", v)
	case bool:
		// CPython keeps "simple" and "is_async" as ints.
		d.w("%d", map[bool]int{true: 1}[v])
	case []*Param:
		d.w("[")
		for _, p := range v {
			d.w("(%d %s ", p.Kind, hexs(p.Name))
			d.node(p.Annotation)
			d.w(" ")
			d.node(p.Default)
			d.w(")")
		}
		d.w("]")
	case []Expr:
		dumpList(d, v)
	case []Stmt:
		dumpList(d, v)
	case []Pattern:
		dumpList(d, v)
	case []*Keyword:
		dumpList(d, v)
	case []*CompClause:
		dumpList(d, v)
	case []*WithItem:
		dumpList(d, v)
	case []*MatchCase:
		dumpList(d, v)
	case []*ExceptHandler:
		dumpList(d, v)
	case []*Alias:
		dumpList(d, v)
	case []*TypeParam:
		dumpList(d, v)
	case Node:
		d.node(v)
	default:
		panic(fmt.Sprintf("dump: field %T", v))
	}
}
