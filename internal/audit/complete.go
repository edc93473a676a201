package audit

import (
	"fmt"
	"slices"

	"kilter/internal/checkpoint"
	"kilter/internal/model"
)

// complete compares the tensors that are there with those that the
// architecture needs.
func (a *audit) complete() {
	a.missing = make(map[string]bool)
	switch {
	case a.c.Partial:
		a.rep.skipped(Complete, "one file of several was opened")
		a.rep.uncovered("whether the model is complete: %s is one file of several", a.c.Path)
		return
	case a.incompleteFile():
		a.rep.skipped(Complete, "the tensors of some file are not known")
		a.rep.uncovered("whether the model is complete otherwise: the tensors of some file are not known")
		return
	}
	a.scaleShapes()
	a.fusedFormats()
	if a.m.Family == "" {
		a.rep.uncovered("which tensors the architecture needs: kilter does not know %s", orUnnamed(a.m.Architecture))
		a.companions()
		a.missingInputs()
		a.rep.checked(Complete, "index and files; modules against their siblings")
		return
	}
	needed := 0
	for e := range a.m.Expected() {
		if e.Stored || !e.Optional {
			needed++
		}
		switch {
		case e.Stored:
			a.compareShape(e)
		case !e.Optional && e.Role != model.InputScale:
			a.missingTensor(e)
		}
	}
	for i := range a.c.Tensors.Len() {
		t := a.c.Tensors.At(i)
		if a.m.Place(t.Name) == model.Unexpected && !a.beyond(i) {
			a.found.add(CodeUnused, a.place(i, "no loader of %s takes a tensor of this name", a.m.Family))
		}
	}
	a.missingInputs()
	a.rep.checked(Complete, "%s that %s needs, and no other", counted(needed, "tensor"), a.m.Family)
}

// beyond reports whether a tensor is of a layer or expert behind the last that
// the configuration has: that is one finding, not one for each tensor.
func (a *audit) beyond(i int) bool {
	mod, s := a.subjects[i].mod, &a.m.Sizes
	return mod != nil && !mod.MTP && mod.Slot != nil &&
		(s.Layers > 0 && int64(mod.Layer) >= s.Layers || s.Experts > 0 && int64(mod.Expert) >= s.Experts)
}

// incompleteFile reports whether some file's tensors are not known.
func (a *audit) incompleteFile() bool {
	return slices.ContainsFunc(a.c.Files, func(f checkpoint.File) bool {
		return !f.Stray && (a.badHeader[f.Name] || (f.Safetensors == nil || f.Safetensors.Data == 0) && (f.GGUF == nil || f.GGUF.Data == 0))
	})
}

func orUnnamed(architecture string) string {
	if architecture == "" {
		return "it, since no configuration names one"
	}
	return architecture
}

// missingTensor reports a tensor that is not there, under the code of its role.
func (a *audit) missingTensor(e model.Expected) {
	if a.reportedMissing(e.Name) {
		return
	}
	p := Place{Tensor: e.Name, Says: "it is in no file"}
	if e.Module != nil {
		a.missing[e.Module.Name] = true
		t := a.c.Tensors.At(a.mainTensor(e.Module))
		p.File = a.c.Files[t.File].Name
		p.Says = fmt.Sprintf("it is not there, and %s is", t.Name)
	}
	switch e.Role {
	case model.Scale, model.ScaleInv, model.GlobalScale:
		if e.Module != nil { // else nothing of the module is there
			a.found.add(CodeScaleMissing, p)
		}
	default:
		a.found.add(CodeMissingTensor, p)
	}
}

// reportedMissing reports whether the index named a tensor that is not there.
func (a *audit) reportedMissing(name string) bool {
	if x := a.c.Index; x != nil {
		_, ok := x.Lookup(name)
		return ok
	}
	return false
}

// compareShape compares a stored tensor's shape with what the architecture
// needs. Scales are compared with their weights instead.
func (a *audit) compareShape(e model.Expected) {
	t, ok := a.c.Tensors.Lookup(e.Name)
	if !ok || e.Shape == nil || slices.Equal(withoutOnes(e.Shape), withoutOnes(t.Shape)) {
		return
	}
	i := a.indexOf(t)
	switch a.classAt(i) {
	case scale, index:
		return
	case table:
		return // see vocabulary
	}
	p := a.place(i, "its shape is %v, and the configuration makes it %v", t.Shape, e.Shape)
	a.found.add(CodeShape, p)
}

// withoutOnes drops dimensions of 1, which loaders do not look at.
func withoutOnes(shape []int64) []int64 {
	return slices.DeleteFunc(slices.Clone(shape), func(n int64) bool { return n == 1 })
}

func (a *audit) classAt(i int) class { return a.subjects[i].class }

// companions compares, for an architecture that is not known, the tensors of
// each quantised module with those of modules of the same name in other layers.
func (a *audit) companions() {
	type group struct {
		roles map[model.Role]int
		mods  []*model.Module
	}
	groups := make(map[string]*group)
	for mod := range a.m.Modules() {
		if !mod.Format.Quantised() {
			continue
		}
		p := mod.Pattern()
		g := groups[p]
		if g == nil {
			g = &group{roles: make(map[model.Role]int)}
			groups[p] = g
		}
		g.mods = append(g.mods, mod)
		for _, r := range allRoles() {
			if mod.Has(r) {
				g.roles[r]++
			}
		}
	}
	for _, p := range sortedKeys(groups) {
		g := groups[p]
		for _, mod := range g.mods {
			for _, r := range allRoles() {
				if !mod.Has(r) && 2*g.roles[r] > len(g.mods) {
					a.missingCompanion(mod, r, g.roles[r])
				}
			}
		}
	}
}

func (a *audit) missingCompanion(mod *model.Module, r model.Role, others int) {
	p := a.place(a.mainTensor(mod), "%s has no %s, and %s of its name have", mod.Name, roleName(r), counted(others, "module"))
	a.missing[mod.Name] = true
	switch r {
	case model.Scale, model.ScaleInv, model.GlobalScale:
		a.found.add(CodeScaleMissing, p)
	case model.Weight, model.Packed:
		a.found.add(CodeMissingTensor, p)
	}
}

func allRoles() []model.Role {
	return []model.Role{model.Weight, model.Packed, model.Scale, model.ScaleInv, model.GlobalScale}
}

func roleName(r model.Role) string {
	switch r {
	case model.Scale, model.ScaleInv:
		return "scale"
	case model.GlobalScale:
		return "global scale"
	}
	return "weight"
}
