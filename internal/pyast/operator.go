package pyast

// Operator is a binary operator, also of an augmented assignment.
type Operator uint8

// The binary operators.
const (
	Add      Operator = iota // +
	Sub                      // -
	Mul                      // *
	MatMul                   // @
	Div                      // /
	FloorDiv                 // //
	Mod                      // %
	Pow                      // **
	LShift                   // <<
	RShift                   // >>
	BitOr                    // |
	BitXor                   // ^
	BitAnd                   // &
)

func (o Operator) String() string {
	return [...]string{"+", "-", "*", "@", "/", "//", "%", "**", "<<", ">>", "|", "^", "&"}[o]
}

// UnaryOperator is a prefix operator.
type UnaryOperator uint8

// The unary operators.
const (
	Neg    UnaryOperator = iota // -
	Plus                        // +
	Invert                      // ~
	Not                         // not
)

func (o UnaryOperator) String() string { return [...]string{"-", "+", "~", "not"}[o] }

// CmpOperator is a comparison.
type CmpOperator uint8

// The comparisons.
const (
	Eq    CmpOperator = iota // ==
	NotEq                    // !=
	Lt                       // <
	LtE                      // <=
	Gt                       // >
	GtE                      // >=
	Is                       // is
	IsNot                    // is not
	In                       // in
	NotIn                    // not in
)

func (o CmpOperator) String() string {
	return [...]string{"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"}[o]
}
