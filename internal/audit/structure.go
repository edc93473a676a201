package audit

import (
	"kilter/internal/checkpoint"
	"kilter/internal/checkpoint/gguf"
	"kilter/internal/checkpoint/problem"
	"kilter/internal/checkpoint/safetensors"
)

// codeOf turns a reader's problem into a code. What a loader tolerates is no
// break of the format, whatever kind it is of.
func codeOf(p *problem.Problem) Code {
	code := codeOfKind(p.Kind)
	if p.Tolerated && declarationOf(code).Severity == Broken {
		return CodeHeaderLax
	}
	return code
}

func codeOfKind(k problem.Kind) Code {
	switch k {
	case safetensors.Truncated, gguf.Truncated, checkpoint.Empty:
		return CodeTruncated
	case problem.Shrank, checkpoint.Changing:
		return CodeChanging
	case checkpoint.Missing, checkpoint.Dangling, checkpoint.Loop, checkpoint.NotRegular:
		return CodeMissingFile
	case checkpoint.Permission, checkpoint.Unreadable, checkpoint.TooLarge:
		return CodeUnreadable
	case checkpoint.LFSPointer:
		return CodeLFSPointer
	case checkpoint.Leftover:
		return CodeLeftover
	case checkpoint.Ref:
		return CodeHubRef
	case checkpoint.DuplicateTensor, safetensors.Duplicate, gguf.Duplicate:
		return CodeDuplicate
	case checkpoint.NoIndex:
		return CodeNoIndex
	case checkpoint.IndexSyntax, checkpoint.IndexDuplicate, checkpoint.IndexName:
		return CodeIndex
	case checkpoint.IndexTensor:
		return CodeMissingTensor
	case checkpoint.IndexMisplaced:
		return CodeMisplaced
	case checkpoint.IndexStrayTensor:
		return CodeStrayTensor
	case checkpoint.IndexStrayFile:
		return CodeStrayFile
	case checkpoint.IndexTotal:
		return CodeIndexTotal
	case checkpoint.SplitKey, checkpoint.SplitTensors:
		return CodeSplit
	case safetensors.Overlap, safetensors.Hole, safetensors.Trailing, gguf.Overlap, gguf.Offset, gguf.Trailing:
		return CodeLayout
	case gguf.DType:
		return CodeUnknownType
	}
	return CodeHeader
}

// structure takes over what opening the checkpoint found, but for what follows
// from something else that was found.
func (a *audit) structure() {
	all := a.c.Problems.All()
	a.badHeader = make(map[string]bool)
	truncated, repeated := make(map[string]bool), make(map[string]bool)
	twice, badName := make(map[string]bool), make(map[string]bool)
	for i := range all {
		switch p := &all[i]; codeOf(p) {
		case CodeTruncated:
			truncated[p.File] = true
		case CodeHeader:
			a.badHeader[p.File] = true
		case CodeDuplicate:
			repeated[p.File], twice[p.Tensor] = true, true
		case CodeIndex:
			badName[p.Other] = true
		}
	}
	var total []Place
	kept := make(map[problem.Kind]int)
	for i := range all {
		p := &all[i]
		kept[p.Kind]++
		code := codeOf(p)
		place := Place{File: p.File, Tensor: p.Tensor, Other: p.Other, Begin: p.Begin, End: p.End, Says: p.Says, Hint: p.Hint}
		switch {
		case code == CodeMissingFile, code == CodeUnreadable, code == CodeLFSPointer, code == CodeChanging:
			a.skipped[p.File] = true
		case code == CodeHeader && truncated[p.File], // a header that was cut is no JSON either
			code == CodeLayout && (truncated[p.File] || repeated[p.File]),
			code == CodeMissingTensor && (a.badHeader[p.Other] || badName[p.Other]),
			code == CodeMisplaced && twice[p.Tensor]:
			continue
		case code == CodeIndexTotal:
			total = append(total, place)
			continue
		}
		a.found.add(code, place)
	}
	if !a.found.any(Broken) { // else the sum is wrong for a reason that is known
		for _, p := range total {
			a.found.add(CodeIndexTotal, p)
		}
	}
	for _, k := range a.c.Problems.Kinds() {
		if code := codeOfKind(k); code != CodeMissingTensor || len(a.badHeader) == 0 {
			a.found.count(code, a.c.Problems.Count(k)-kept[k])
		}
	}
	a.rep.checked(Structure, "%s of %s with %s", counted(len(a.c.Files), "header"), a.formatName(), counted(a.c.Tensors.Len(), "tensor"))
}

func (a *audit) formatName() string {
	if a.c.Format == checkpoint.GGUF {
		return "GGUF"
	}
	return "safetensors"
}
