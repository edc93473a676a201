package gguf

import "kilter/internal/checkpoint/problem"

// What can be wrong with a file.
const (
	// Magic: the file does not begin with GGUF.
	Magic problem.Kind = "gguf.magic"
	// Version: a version other than 2 and 3, or another byte order.
	Version problem.Kind = "gguf.version"
	// Count: more tensors or keys than the file can hold or this package reads.
	Count problem.Kind = "gguf.count"
	// Syntax: an unknown value type, a length beyond the file, or metadata
	// above MaxMetadata; nothing behind it can be read.
	Syntax problem.Kind = "gguf.syntax"
	// Key: an empty key.
	Key problem.Kind = "gguf.key"
	// Duplicate: a key or a tensor's name twice.
	Duplicate problem.Kind = "gguf.duplicate"
	// Nested: an array of arrays.
	Nested problem.Kind = "gguf.nested_array"
	// Bool: a bool that is neither 0 nor 1.
	Bool problem.Kind = "gguf.bool"
	// Encoding: a key or name that is no UTF-8.
	Encoding problem.Kind = "gguf.encoding"
	// Name: a tensor's name is empty or has 64 bytes or more.
	Name problem.Kind = "gguf.name"
	// Alignment: general.alignment is no power of two or no u32.
	Alignment problem.Kind = "gguf.alignment"
	// Shape: too many dimensions, or a product that is no size, or rows that
	// are no whole blocks.
	Shape problem.Kind = "gguf.shape"
	// DType: a type that this package does not know; its size is unknown.
	DType problem.Kind = "gguf.dtype"
	// Offset: a tensor is not where the one before it ends.
	Offset problem.Kind = "gguf.offset"
	// Overlap: two tensors share bytes.
	Overlap problem.Kind = "gguf.overlap"
	// Truncated: the file ends before its header or its tensors do.
	Truncated problem.Kind = "gguf.truncated"
	// Trailing: bytes after the last tensor.
	Trailing problem.Kind = "gguf.trailing"
)
