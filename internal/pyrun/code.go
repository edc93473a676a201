package pyrun

// opcode is what an instruction does. Stack effects are written as
// (before -- after), top of the stack to the right.
type opcode uint8

const (
	opUnsupported opcode = iota // ends the run: the constant a says why

	opConst // ( -- constant a)
	opPop   // (x -- )
	opDup   // (x -- x x)
	opDup2  // (x y -- x y x y)
	opRot2  // (x y -- y x)
	opRot3  // (x y z -- z x y)

	opLoadLocal // ( -- local a)
	opStoreLocal
	opDelLocal
	opLoadCell // ( -- cell a)
	opStoreCell
	opDelCell
	opPushCell   // ( -- the cell a itself), for a closure
	opLoadGlobal // ( -- global a)
	opStoreGlobal
	opDelGlobal
	opLoadName // class body: name b, else global a
	opLoadNameCell
	opStoreName
	opDelName

	opUnary   // (x -- a x)
	opNot     // (x -- not x)
	opBinary  // (x y -- x a y)
	opInplace // (x y -- x a= y)
	opCompare // (x y -- x a y)

	opJump // to a
	opJumpIfFalse
	opJumpIfTrue
	opJumpIfFalseOrPop
	opJumpIfTrueOrPop

	opTuple // (a values -- tuple)
	opList
	opSet
	opDict       // (a keys and values -- dict)
	opString     // (a strings -- string)
	opListToTup  // (list -- tuple)
	opListAppend // (value -- ), to the list a below
	opSetAdd
	opDictAdd    // (key value -- )
	opListExtend // (iterable -- ); a is 1 for the arguments of a call
	opSetUpdate
	opDictUpdate // ({**x})
	opDictMerge  // (f(**x): duplicates are an error)
	opSlice      // (lo hi step -- slice)
	opArgs       // not executed: the compiler's word for opList in a call

	opLoadItem  // (x i -- x[i])
	opStoreItem // (v x i -- )
	opDelItem   // (x i -- )
	opLoadAttr  // (x -- x.name a)
	opStoreAttr // (v x -- )
	opDelAttr

	opLoadMethod // (x -- callable self), or (x -- nil callable)
	opCallMethod // (callable self args -- result)
	opCall       // (f a args -- result)
	opCallKw     // (f a values -- result), the last of them named by constant b
	opCallEx     // (f list -- result), or (f list dict -- result) when a is 1
	opSuper      // (self class -- super object)

	opFunction // (defaults closure -- function of constant a)
	opClass    // (bases -- class of constant a), with closure

	opUnpack   // (x -- a values, first on top)
	opUnpackEx // the same with a before and b after the star
	opIter     // (x -- iterator)
	opForIter  // (it -- it next), or (it -- ) and jump to a
	opYield    // (x -- sent value)
	opYieldFrom
	opReturn

	opRaise     // a values: exception, cause
	opTry       // exceptions go to a
	opPopBlock  // ends the innermost opTry
	opLoadExc   // ( -- exception being handled)
	opExcMatch  // (exc type -- bool)
	opPopExc    // the exception has been handled
	opReraise   // it has not
	opAssertErr // ( -- AssertionError)

	opImport     // ( -- module constant a)
	opImportName // (module -- module value), attribute constant a
	opImportStar // (module -- )

	opFormat // (x -- text), conversion a; (x spec -- text) when b is 1
)

// instr is one instruction.
type instr struct {
	op opcode
	b  uint16
	a  int32
}

// code is the compiled body of a scope.
type code struct {
	name      string
	ins       []instr
	lines     []int32 // of each instruction
	consts    []value
	names     []string
	params    []string // that have a name; their slots are their indexes
	nPos      int      // parameters that take positional arguments
	nPosOnly  int
	nKwOnly   int
	varArgs   int // slot of *args, or -1
	varKw     int // slot of **kwargs, or -1
	locals    []string
	cells     []string // names of own and outer cells
	nCells    int      // own ones
	cellParam []cellParam
	classCell int // cell of __class__ in a class body, or -1
	doc       string
	oddDoc    bool // doc is not a string that we can represent
	generator bool
	qualified string
	internal  bool // not from the program
}

// cellParam says that a parameter lives in a cell.
type cellParam struct{ local, cell int }
