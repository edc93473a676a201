// Package checkpoint opens a model's files and says what tensors are where.
//
// Open takes what a person would name and finds the rest:
//
//	a folder          config.json beside *.safetensors, with or without an
//	                  index, or beside a GGUF in one or several parts
//	a hub cache model models--ORG--NAME/{refs,snapshots,blobs}: the snapshot of
//	                  refs/main, or the newest; each file is a link to a blob
//	                  whose name is the hash of its bytes (File.Expect)
//	an index          *.safetensors.index.json: the files that it names
//	a file            one *.safetensors, or a GGUF with its other parts
//
// It reads headers only, never weights: 200 shards with 100,000 tensors take
// well under a second. Package bulk reads the weights.
//
// # Problems
//
// A path that leads to no model is an error of Open, a *problem.Problem that
// names the path and the next step. What is wrong with one of many files does
// not stop Open: it is in Checkpoint.Problems, the file stays in the list with
// what could be read, and a tensor whose bytes cannot be trusted to be there
// has Readable unset. Nothing here waits on a FIFO or opens a device, and
// everything read into memory is bounded.
//
// # Index
//
// An index maps each tensor to the file that holds it:
//
//	{"metadata": {"total_size": 988097824}, "weight_map": {"lm_head.weight": "model-00002-of-00002.safetensors", …}}
//
// Loaders open the files that it names and ignore all others, so tensors of
// other files are no tensors of the checkpoint (File.Stray).
//
// # Access
//
// All reading goes through FS, which Local implements for this machine; one
// that reads by range over SSH can serve as well.
//
// # Sources
//
// The formats of files: packages safetensors and gguf. The cache: the chapter
// "Understand caching" of huggingface_hub's documentation. Index and shard
// names: transformers' and vLLM's loaders, which agree that names of shards
// are a convention only.
package checkpoint
