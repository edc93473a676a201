package pyrun

// frame is a call in progress, or a suspended one.
type frame struct {
	code   *code
	ip     int
	locals []value
	cells  []value // *cell
	stack  []value
	tries  []tryBlock
	excs   []*instance      // exceptions being handled, innermost last
	ns     map[string]value // names of a class body
	yields bool             // the frame was left by a yield
	thrown error            // to be raised at the point where the frame was left
}

// tryBlock is an active opTry: where to go, and what to restore.
type tryBlock struct{ target, stack, excs int }

func (f *frame) push(v value) { f.stack = append(f.stack, v) }

func (f *frame) pop() value {
	n := len(f.stack) - 1
	v := f.stack[n]
	f.stack[n] = nil
	f.stack = f.stack[:n]
	return v
}

func (f *frame) top() value { return f.stack[len(f.stack)-1] }

// popN removes the top n values and returns a copy of them.
func (f *frame) popN(n int) []value {
	if n == 0 {
		return nil
	}
	from := len(f.stack) - n
	vs := make([]value, n)
	copy(vs, f.stack[from:])
	f.drop(n)
	return vs
}

func (f *frame) drop(n int) {
	from := len(f.stack) - n
	clear(f.stack[from:])
	f.stack = f.stack[:from]
}

func (f *frame) line() int {
	i := f.ip - 1
	if i < 0 {
		i = 0
	}
	return int(f.code.lines[i])
}

// newFrame makes a frame for code with the given cells of outer scopes.
func (in *interp) newFrame(c *code, closure []value) (*frame, error) {
	n := len(c.locals) + len(c.cells)
	if err := in.charge(int64(n) / 16); err != nil {
		return nil, err
	}
	if err := in.alloc(sizeFrame + int64(n)*2*sizeSlot); err != nil {
		return nil, err
	}
	f := &frame{code: c}
	f.locals = make([]value, len(c.locals), len(c.locals)+8)
	f.stack = f.locals[len(c.locals):len(c.locals):cap(f.locals)]
	f.locals = f.locals[:len(c.locals):len(c.locals)]
	if len(c.cells) > 0 {
		f.cells = make([]value, len(c.cells))
		for i := range c.nCells {
			f.cells[i] = &cell{}
		}
		copy(f.cells[c.nCells:], closure)
	}
	return f, nil
}

// unwind handles an exception that reached f: it jumps to the innermost try, or
// reports false when there is none or the error is not a Python exception.
func (in *interp) unwind(f *frame, err error) bool {
	r, ok := err.(*raised)
	if !ok {
		return false
	}
	if r.exc.line == 0 {
		r.exc.line = f.line()
	}
	if len(f.tries) == 0 {
		return false
	}
	t := f.tries[len(f.tries)-1]
	f.tries = f.tries[:len(f.tries)-1]
	f.drop(len(f.stack) - t.stack)
	clear(f.excs[t.excs:])
	f.excs = append(f.excs[:t.excs], r.exc)
	f.ip = t.target
	return true
}

// handled returns the exception that a bare raise means.
func (in *interp) handled() *instance {
	for i := len(in.frames) - 1; i >= 0; i-- {
		if e := in.frames[i].excs; len(e) > 0 {
			return e[len(e)-1]
		}
	}
	return nil
}
