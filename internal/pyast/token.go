package pyast

// kind is what a token is. Every operator and every keyword is its own kind, so
// that the parser compares numbers, not text.
type kind uint8

const (
	tEOF kind = iota
	tNewline
	tIndent
	tDedent
	tName
	tNumber
	tString  // a whole string literal that is not an f-string
	tFStart  // prefix and opening quote of an f-string
	tFMiddle // literal text inside an f-string
	tFEnd    // closing quote of an f-string

	tLPar
	tRPar
	tLSqb
	tRSqb
	tLBrace
	tRBrace
	tComma
	tColon
	tSemi
	tDot
	tEllipsis
	tArrow
	tAt
	tEqual
	tWalrus
	tBang // only inside an f-string field
	tTilde

	tPlus // the binary operators, in the order of Operator
	tMinus
	tStar
	_ // "@" is tAt
	tSlash
	tDblSlash
	tPercent
	tDblStar
	tLShift
	tRShift
	tVBar
	tCircumflex
	tAmper

	tPlusEq // the augmented assignments, in the order of Operator
	tMinusEq
	tStarEq
	tAtEq
	tSlashEq
	tDblSlashEq
	tPercentEq
	tDblStarEq
	tLShiftEq
	tRShiftEq
	tVBarEq
	tCircumflexEq
	tAmperEq

	tEqEq
	tNotEq
	tLess
	tLessEq
	tGreater
	tGreaterEq

	kwFalse // the keywords; keep kwFalse first and kwYield last
	kwNone
	kwTrue
	kwAnd
	kwAs
	kwAssert
	kwAsync
	kwAwait
	kwBreak
	kwClass
	kwContinue
	kwDef
	kwDel
	kwElif
	kwElse
	kwExcept
	kwFinally
	kwFor
	kwFrom
	kwGlobal
	kwIf
	kwImport
	kwIn
	kwIs
	kwLambda
	kwNonlocal
	kwNot
	kwOr
	kwPass
	kwRaise
	kwReturn
	kwTry
	kwWhile
	kwWith
	kwYield
)

// token is a kind and the bytes it covers.
type token struct {
	kind     kind
	pos, end int32
}

// keyword returns the keyword that s is, or tName.
func keyword(s string) kind {
	if len(s) < 2 || len(s) > 8 {
		return tName
	}
	switch s {
	case "False":
		return kwFalse
	case "None":
		return kwNone
	case "True":
		return kwTrue
	case "and":
		return kwAnd
	case "as":
		return kwAs
	case "assert":
		return kwAssert
	case "async":
		return kwAsync
	case "await":
		return kwAwait
	case "break":
		return kwBreak
	case "class":
		return kwClass
	case "continue":
		return kwContinue
	case "def":
		return kwDef
	case "del":
		return kwDel
	case "elif":
		return kwElif
	case "else":
		return kwElse
	case "except":
		return kwExcept
	case "finally":
		return kwFinally
	case "for":
		return kwFor
	case "from":
		return kwFrom
	case "global":
		return kwGlobal
	case "if":
		return kwIf
	case "import":
		return kwImport
	case "in":
		return kwIn
	case "is":
		return kwIs
	case "lambda":
		return kwLambda
	case "nonlocal":
		return kwNonlocal
	case "not":
		return kwNot
	case "or":
		return kwOr
	case "pass":
		return kwPass
	case "raise":
		return kwRaise
	case "return":
		return kwReturn
	case "try":
		return kwTry
	case "while":
		return kwWhile
	case "with":
		return kwWith
	case "yield":
		return kwYield
	}
	return tName
}

// describe names a kind for an error message.
func (k kind) describe() string {
	names := [...]string{
		tEOF: "end of file", tNewline: "newline", tIndent: "indent", tDedent: "dedent", tName: "name",
		tRPar: "')'", tRSqb: "']'", tRBrace: "'}'", tColon: "':'", tEqual: "'='",
		tLPar: "'('", kwIn: "'in'", kwElse: "'else'", kwImport: "'import'", kwFor: "'for'",
		tWalrus: "':='", tFEnd: "end of f-string",
	}
	if int(k) < len(names) && names[k] != "" {
		return names[k]
	}
	return "another token"
}
