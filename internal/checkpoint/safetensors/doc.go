// Package safetensors reads the header of a safetensors file, strictly.
//
// # Format
//
//	8 bytes     N, little-endian, unsigned
//	N bytes     JSON in UTF-8: {"NAME": {"dtype": "BF16", "shape": [2, 3],
//	            "data_offsets": [0, 12]}, …, "__metadata__": {"format": "pt"}};
//	            it starts with { and may be padded with spaces at its end
//	the rest    the tensors' bytes: data_offsets count from here, values are
//	            little-endian, in C order, without strides or alignment
//
// A sound file's tensors, sorted by offset, cover the rest without holes,
// overlaps or bytes left over. Empty tensors (a dimension of 0) and scalars
// (shape []) are valid, and the header may list tensors in any order.
//
// # What is wrong and what is merely odd
//
// Check reports all problems and what could be read despite them; Parse stops
// at the first that matters. Problems marked Tolerated are what the reference
// implementation (safetensors 0.8.0, 45 hand-made files) reads all the same:
// white space other than spaces around the JSON, unknown fields in a tensor's
// entry, "__metadata__": null. It also takes the last of two tensors with one
// name, which this package refuses: which one a server gets depends on its
// parser.
//
// # Bounds
//
// A header is at most MaxHeader bytes and MaxTensors tensors. The JSON is read
// through a window of 256 KiB and never held whole; besides the window, memory
// is about 110 bytes and the name per tensor.
//
// # Sources
//
// The README and src/tensor.rs of github.com/huggingface/safetensors at
// 24b0b2857fef49be734b9ab72ce97c09bb25f5b9.
package safetensors
