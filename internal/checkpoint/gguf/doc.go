// Package gguf reads the header of a GGUF file: its metadata and its list of
// tensors.
//
// # Format (versions 2 and 3, little-endian)
//
//	4 bytes   "GGUF"
//	u32       version
//	u64       number of tensors
//	u64       number of key-value pairs
//	pairs     string key, u32 type, value
//	tensors   string name, u32 n, n × u64 dimensions (innermost first: a matrix
//	          that others call [out, in] has (in, out) here), u32 type,
//	          u64 offset, counted from the data section
//	padding   to a multiple of general.alignment (32 unless the key is there)
//	data      each tensor padded to that alignment, in the order of the list
//
// A string is a u64 length and its bytes. An array is u32 element type, u64
// count, and the elements.
//
// # What is wrong and what is merely odd
//
// ggml refuses a file whose tensors are not back to back in listed order, with
// duplicate keys or names, names of 64 bytes or more, more than four
// dimensions, nested arrays, or rows that are no whole blocks; so these are
// problems here too. Check goes on as far as the bytes can be understood. What
// ggml reads all the same is Tolerated: bytes after the last tensor, a bool
// that is neither 0 nor 1, a name that is no UTF-8.
//
// # Bounds
//
// Counts and lengths are checked against what is left of the file before
// anything is allocated. All metadata together takes at most MaxMetadata bytes
// of memory, and a file has at most MaxTensors tensors. Arrays of numbers stay
// as they are in the file and strings of an array share one piece of memory, so
// a vocabulary of 262,144 tokens costs about 5 MB.
//
// # Sources
//
// docs/gguf.md and src/gguf.cpp of github.com/ggml-org/ggml at
// d99724f2b141fed9e1a9f402213506c081433465; the sizes of blocks agree with the
// PyPI package gguf 0.19.0 (testdata/record.py).
package gguf
