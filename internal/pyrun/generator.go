package pyrun

// resume continues a generator: with a value that yield returns, or with an
// exception that it raises. done says that the generator returned, with v.
func (in *interp) resume(g *generator, sent value, thrown error) (v value, done bool, err error) {
	switch {
	case g.running:
		return nil, false, in.raise(in.t.ValueError, "generator already executing")
	case g.done:
		return noneType{}, true, thrown
	}
	f := g.f
	switch {
	case f.ip == 0 && thrown != nil:
		g.done, g.f = true, nil
		return nil, true, thrown
	case f.ip == 0:
		if _, none := sent.(noneType); !none {
			return nil, false, in.raise(in.t.TypeError, "can't send non-None value to a just-started generator")
		}
	case thrown == nil:
		f.push(sent)
	}
	f.thrown = thrown
	f.yields = false
	g.running = true
	v, err = in.run(f)
	g.running = false
	if err == nil && f.yields {
		return v, false, nil
	}
	g.done, g.f = true, nil
	if r, ok := err.(*raised); ok && r.exc.cls.isSub(in.t.StopIteration) {
		err = in.raise(in.t.RuntimeError, "generator raised StopIteration")
	}
	return v, true, err
}

// yieldFrom executes one round of yield from: (iterator sent -- result).
func (in *interp) yieldFrom(f *frame) (v value, yields bool, err error) {
	sent := f.pop()
	it := f.top()
	done := false
	if g, ok := it.(*generator); ok {
		v, done, err = in.resume(g, sent, nil)
	} else if _, none := sent.(noneType); none {
		v, done, err = in.nextOrResult(it)
	} else {
		var send value
		if send, err = in.getAttr(it, "send"); err == nil {
			v, err = in.call(send, []value{sent}, kwargs{})
		}
	}
	if err != nil {
		return nil, false, err
	}
	if !done {
		f.ip-- // comes back here, with the next value sent
		return v, true, nil
	}
	f.pop()
	return v, false, nil
}

// nextOrResult advances an iterator; at its end v is the value of its
// StopIteration.
func (in *interp) nextOrResult(it value) (v value, done bool, err error) {
	o, ok := it.(*instance)
	if !ok {
		v, ok, err := in.next(it)
		if err == nil && !ok {
			v = noneType{}
		}
		return v, !ok, err
	}
	v, err = in.callMethod(o, "__next__")
	if r, ok := err.(*raised); ok && r.exc.cls.isSub(in.t.StopIteration) {
		if len(r.exc.args) > 0 {
			return r.exc.args[0], true, nil
		}
		return noneType{}, true, nil
	}
	return v, false, err
}

// throwInto raises f.thrown where the frame was left. Inside a yield from, the
// inner generator gets it first.
func (in *interp) throwInto(f *frame) (v value, yields bool, err error) {
	err = f.thrown
	f.thrown = nil
	if f.ip >= len(f.code.ins) || f.code.ins[f.ip].op != opYieldFrom {
		return nil, false, err
	}
	g, ok := f.top().(*generator)
	if !ok {
		return nil, false, err
	}
	v, done, err := in.resume(g, nil, err)
	if err != nil {
		return nil, false, err
	}
	if !done {
		f.yields = true
		return v, true, nil
	}
	f.pop()
	f.push(v)
	f.ip++
	return nil, false, nil
}

// closeGenerator executes g.close().
func (in *interp) closeGenerator(g *generator) error {
	exit := &raised{&instance{cls: in.t.GeneratorExit, id: in.newID()}}
	_, done, err := in.resume(g, nil, exit)
	if r, ok := err.(*raised); ok && (r.exc.cls.isSub(in.t.GeneratorExit) || r.exc.cls.isSub(in.t.StopIteration)) {
		return nil
	}
	if err == nil && !done {
		return in.raise(in.t.RuntimeError, "generator ignored GeneratorExit")
	}
	return err
}
