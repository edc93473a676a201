package safetensors

import "kilter/internal/checkpoint/problem"

// What can be wrong with a file.
const (
	// Short: too few bytes for the length of a header.
	Short problem.Kind = "safetensors.short"
	// HeaderLength: the header's length is 0, above MaxHeader or beyond the file.
	HeaderLength problem.Kind = "safetensors.header_length"
	// Syntax: the header is no UTF-8, no JSON, or not of the format's shape.
	Syntax problem.Kind = "safetensors.syntax"
	// Padding: white space before the JSON, or other than spaces after it.
	Padding problem.Kind = "safetensors.padding"
	// Duplicate: one name twice.
	Duplicate problem.Kind = "safetensors.duplicate"
	// Metadata: __metadata__ is no map of strings.
	Metadata problem.Kind = "safetensors.metadata"
	// Field: a tensor's entry lacks a field, or has one unknown or twice.
	Field problem.Kind = "safetensors.field"
	// DType: a type that the format does not know.
	DType problem.Kind = "safetensors.dtype"
	// Shape: dimensions whose product is no size.
	Shape problem.Kind = "safetensors.shape"
	// Offsets: a tensor ends before it begins, or where no file reaches.
	Offsets problem.Kind = "safetensors.offsets"
	// Size: a tensor's bytes are not as many as type and shape need.
	Size problem.Kind = "safetensors.size"
	// Overlap: two tensors share bytes.
	Overlap problem.Kind = "safetensors.overlap"
	// Hole: bytes between two tensors belong to none.
	Hole problem.Kind = "safetensors.hole"
	// Trailing: bytes after the last tensor.
	Trailing problem.Kind = "safetensors.trailing"
	// Truncated: the file ends before its tensors do.
	Truncated problem.Kind = "safetensors.truncated"
	// TooMany: more than MaxTensors tensors; the rest was not read.
	TooMany problem.Kind = "safetensors.too_many"
)
