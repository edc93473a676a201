package pyrun

// raiseStmt executes raise with n operands.
func (in *interp) raiseStmt(f *frame, n int) error {
	if n == 0 {
		e := in.handled()
		if e == nil {
			return in.raise(in.t.RuntimeError, "No active exception to reraise")
		}
		return &raised{e}
	}
	if n == 2 {
		switch c := f.pop().(type) {
		case noneType:
		case *instance:
			if !c.cls.exc {
				return in.raise(in.t.TypeError, "exception causes must derive from BaseException")
			}
		case *class:
			if !c.exc {
				return in.raise(in.t.TypeError, "exception causes must derive from BaseException")
			}
		default:
			return in.typeError([]value{c}, "exception causes must derive from BaseException")
		}
	}
	v := f.pop()
	if c, ok := v.(*class); ok && c.exc {
		var err error
		if v, err = in.call(c, nil, kwargs{}); err != nil {
			return err
		}
	}
	if e, ok := v.(*instance); ok && e.cls.exc {
		return &raised{e}
	}
	return in.typeError([]value{v}, "exceptions must derive from BaseException")
}

// excMatch decides whether a handler for type t takes exception e.
func (in *interp) excMatch(e, t value) (bool, error) {
	switch t := t.(type) {
	case *class:
		if t.exc {
			return e.(*instance).cls.isSub(t), nil
		}
	case *tuple:
		if err := in.charge(int64(len(t.v)) / 4); err != nil {
			return false, err
		}
		for _, x := range t.v {
			c, ok := x.(*class)
			if !ok || !c.exc {
				return false, in.typeError([]value{x}, "catching classes that do not inherit from BaseException is not allowed")
			}
			if e.(*instance).cls.isSub(c) {
				return true, nil
			}
		}
		return false, nil
	}
	return false, in.typeError([]value{t}, "catching classes that do not inherit from BaseException is not allowed")
}
