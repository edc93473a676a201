package checkpoint

import "kilter/internal/checkpoint/problem"

// What can be wrong with files, whatever is in them. problem.Shrank belongs
// here too.
const (
	// Missing: no such file.
	Missing problem.Kind = "file.missing"
	// Dangling: a link to a file that is not there.
	Dangling problem.Kind = "file.dangling_link"
	// Loop: links that lead in a circle.
	Loop problem.Kind = "file.symlink_loop"
	// Permission: this user may not read it.
	Permission problem.Kind = "file.permission"
	// NotRegular: a FIFO, socket, device or folder where a file is wanted.
	NotRegular problem.Kind = "file.not_regular"
	// Unreadable: the system gave another error.
	Unreadable problem.Kind = "file.unreadable"
	// Empty: a file of no bytes.
	Empty problem.Kind = "file.empty"
	// LFSPointer: a Git LFS pointer instead of the file.
	LFSPointer problem.Kind = "file.lfs_pointer"
	// Changing: the file was written to while it was read.
	Changing problem.Kind = "file.changing"
	// TooLarge: larger than kilter reads whole.
	TooLarge problem.Kind = "file.too_large"
	// Leftover: what an unfinished download leaves.
	Leftover problem.Kind = "file.leftover"
	// NoModel: nothing there that kilter knows as a model.
	NoModel problem.Kind = "model.none"
	// Ambiguous: several models where one is wanted.
	Ambiguous problem.Kind = "model.ambiguous"
	// Unknown: a file of no format that kilter reads.
	Unknown problem.Kind = "model.unknown_format"
	// Ref: the hub cache's ref names a snapshot that is not there.
	Ref problem.Kind = "hub.ref"
)

// What can be wrong between the files of a model.
const (
	// DuplicateTensor: a tensor in two files.
	DuplicateTensor problem.Kind = "model.duplicate_tensor"
	// NoIndex: several files and no index that says what belongs to them.
	NoIndex problem.Kind = "index.none"
	// IndexSyntax: the index is no JSON of the format's shape.
	IndexSyntax problem.Kind = "index.syntax"
	// IndexDuplicate: a tensor twice in the index.
	IndexDuplicate problem.Kind = "index.duplicate"
	// IndexName: a file's name in the index leads out of the folder.
	IndexName problem.Kind = "index.file_name"
	// IndexTensor: a tensor of the index is in no file.
	IndexTensor problem.Kind = "index.missing_tensor"
	// IndexMisplaced: a tensor is in another file than the index says.
	IndexMisplaced problem.Kind = "index.misplaced_tensor"
	// IndexStrayTensor: a tensor of a file is not in the index.
	IndexStrayTensor problem.Kind = "index.stray_tensor"
	// IndexStrayFile: a file with tensors beside those that the index names.
	IndexStrayFile problem.Kind = "index.stray_file"
	// IndexTotal: total_size is not the bytes of all tensors.
	IndexTotal problem.Kind = "index.total_size"
	// SplitKey: a part of a GGUF says another number than its name.
	SplitKey problem.Kind = "split.key"
	// SplitTensors: the parts of a GGUF hold another number of tensors than
	// they say.
	SplitTensors problem.Kind = "split.tensors"
)
