package pyast

// Inspect visits n and, depth first and in source order, the nodes below it.
// When visit returns false the children of that node are skipped.
func Inspect(n Node, visit func(Node) bool) {
	var walk func(Node)
	walk = func(n Node) {
		if visit(n) {
			eachChild(n, walk)
		}
	}
	walk(n)
}

// tooDeep returns a node that lies more than limit nodes below f, or nil.
func tooDeep(f *File, limit int) (deep Node) {
	depth := 0
	var walk func(Node)
	walk = func(n Node) {
		if deep != nil {
			return
		}
		if depth++; depth > limit {
			deep = n
		} else {
			eachChild(n, walk)
		}
		depth--
	}
	walk(f)
	return deep
}

// eachChild calls f with the direct children of n.
func eachChild(n Node, f func(Node)) {
	switch n := n.(type) {
	case *File:
		each(n.Body, f)
	case *JoinedStr:
		each(n.Parts, f)
	case *FormattedValue:
		opt(n.Value, f)
		if n.Spec != nil {
			f(n.Spec)
		}
	case *Attribute:
		opt(n.Value, f)
	case *Subscript:
		opt(n.Value, f)
		opt(n.Index, f)
	case *Slice:
		opt(n.Lo, f)
		opt(n.Hi, f)
		opt(n.Step, f)
	case *Call:
		opt(n.Func, f)
		each(n.Args, f)
		each(n.Keywords, f)
	case *Keyword:
		opt(n.Value, f)
	case *Starred:
		opt(n.Value, f)
	case *UnaryOp:
		opt(n.X, f)
	case *BinOp:
		opt(n.Left, f)
		opt(n.Right, f)
	case *BoolOp:
		each(n.Values, f)
	case *Compare:
		opt(n.Left, f)
		each(n.Rights, f)
	case *IfExp:
		opt(n.Then, f)
		opt(n.Test, f)
		opt(n.Else, f)
	case *NamedExpr:
		f(n.Target)
		opt(n.Value, f)
	case *Lambda:
		each(n.Params, f)
		opt(n.Body, f)
	case *Tuple:
		each(n.Elts, f)
	case *List:
		each(n.Elts, f)
	case *Set:
		each(n.Elts, f)
	case *Dict:
		for _, it := range n.Items {
			opt(it.Key, f)
			opt(it.Value, f)
		}
	case *Comp:
		opt(n.Elt, f)
		opt(n.Value, f)
		each(n.Clauses, f)
	case *CompClause:
		opt(n.Target, f)
		opt(n.Iter, f)
		each(n.Ifs, f)
	case *Await:
		opt(n.X, f)
	case *Yield:
		opt(n.X, f)
	case *YieldFrom:
		opt(n.X, f)
	case *Param:
		opt(n.Annotation, f)
		opt(n.Default, f)
	case *TypeParam:
		opt(n.Bound, f)
		opt(n.Default, f)
	default:
		eachStmtChild(n, f)
	}
}

func eachStmtChild(n Node, f func(Node)) {
	switch n := n.(type) {
	case *FuncDef:
		each(n.Decorators, f)
		each(n.TypeParams, f)
		each(n.Params, f)
		opt(n.Returns, f)
		each(n.Body, f)
	case *ClassDef:
		each(n.Decorators, f)
		each(n.TypeParams, f)
		each(n.Bases, f)
		each(n.Keywords, f)
		each(n.Body, f)
	case *Return:
		opt(n.Value, f)
	case *Delete:
		each(n.Targets, f)
	case *Assign:
		each(n.Targets, f)
		opt(n.Value, f)
	case *AugAssign:
		opt(n.Target, f)
		opt(n.Value, f)
	case *AnnAssign:
		opt(n.Target, f)
		opt(n.Annotation, f)
		opt(n.Value, f)
	case *TypeAlias:
		f(n.Name)
		each(n.TypeParams, f)
		opt(n.Value, f)
	case *For:
		opt(n.Target, f)
		opt(n.Iter, f)
		each(n.Body, f)
		each(n.Else, f)
	case *While:
		opt(n.Test, f)
		each(n.Body, f)
		each(n.Else, f)
	case *If:
		each(n.Clauses, f)
		each(n.Else, f)
	case *IfClause:
		opt(n.Test, f)
		each(n.Body, f)
	case *With:
		each(n.Items, f)
		each(n.Body, f)
	case *WithItem:
		opt(n.Context, f)
		opt(n.Target, f)
	case *Match:
		opt(n.Subject, f)
		each(n.Cases, f)
	case *MatchCase:
		f(n.Pattern)
		opt(n.Guard, f)
		each(n.Body, f)
	case *Raise:
		opt(n.Exc, f)
		opt(n.Cause, f)
	case *Try:
		each(n.Body, f)
		each(n.Handlers, f)
		each(n.Else, f)
		each(n.Finally, f)
	case *ExceptHandler:
		opt(n.Type, f)
		each(n.Body, f)
	case *Assert:
		opt(n.Test, f)
		opt(n.Msg, f)
	case *Import:
		each(n.Names, f)
	case *ImportFrom:
		each(n.Names, f)
	case *ExprStmt:
		opt(n.X, f)
	case *MatchValue:
		opt(n.Value, f)
	case *MatchSingleton:
		opt(n.Value, f)
	case *MatchSequence:
		each(n.Patterns, f)
	case *MatchMapping:
		for i, k := range n.Keys {
			f(k)
			f(n.Patterns[i])
		}
	case *MatchClass:
		opt(n.Class, f)
		each(n.Patterns, f)
		each(n.KwPatterns, f)
	case *MatchAs:
		if n.Pattern != nil {
			f(n.Pattern)
		}
	case *MatchOr:
		each(n.Patterns, f)
	}
}

func each[N Node](list []N, f func(Node)) {
	for _, n := range list {
		f(n)
	}
}

func opt(e Expr, f func(Node)) {
	if e != nil {
		f(e)
	}
}
