package checkpoint

import (
	"time"

	"kilter/internal/checkpoint/gguf"
	"kilter/internal/checkpoint/problem"
	"kilter/internal/checkpoint/safetensors"
)

// A Layout is what Open was given.
type Layout string

// The layouts.
const (
	Folder    Layout = "folder"
	HubModel  Layout = "hub cache"
	IndexFile Layout = "index"
	OneFile   Layout = "file"
)

// A Format is that of the files with the tensors.
type Format string

// The formats.
const (
	Safetensors Format = "safetensors"
	GGUF        Format = "gguf"
)

// A Checkpoint is a model's files and tensors.
type Checkpoint struct {
	// Path is what was opened and Root the folder of the files.
	Path, Root string
	Layout     Layout
	Format     Format
	// Hub is set for a model of the hub cache, and for a snapshot in one.
	Hub *Hub
	// Files hold tensors, in the order of their names.
	Files []File
	// Tensors are those of all files but stray ones.
	Tensors Tensors
	// Index is nil where there is none.
	Index *Index
	// Sides are the known files beside the tensors, by name: config.json,
	// tokenizer.json and so on, those that are there.
	Sides map[string]*Side
	// Leftovers are what unfinished downloads left.
	Leftovers []Info
	// Others are the folder's other entries.
	Others []Info
	// Partial is set where one file was opened and an index beside it names
	// more.
	Partial bool
	// Problems are all that is wrong, each with the name of its file.
	Problems problem.List

	fs FS
}

// A Hub is where in a hub cache a snapshot is.
type Hub struct {
	// Repo is the model's name, such as "Qwen/Qwen3-8B"; empty where the
	// folder's name does not tell.
	Repo string
	// Revision is the commit that was opened, and Ref the name that led there,
	// empty where it was the newest or the one asked for.
	Revision, Ref string
	// Revisions are all snapshots that are there.
	Revisions []string
}

// A File is one with tensors.
type File struct {
	// Name is relative to the checkpoint's Root; Path opens it.
	Name, Path string
	Size       int64
	ModTime    time.Time
	// Expect is the hash that the file's place promises, zero where it promises
	// none.
	Expect Digest
	// Header is set as far as it could be read, according to the format.
	Safetensors *safetensors.Header
	GGUF        *gguf.Header
	// Stray is set for a file that the index does not name: loaders ignore it.
	Stray bool
}

// A Digest is the hash that a file should have.
type Digest struct {
	// Algorithm is "sha256", or "git-sha1" for small files: the SHA-1 of
	// "blob SIZE", a zero byte and the content.
	Algorithm string
	Hex       string
}

// FS returns what the checkpoint was opened through.
func (c *Checkpoint) FS() FS { return c.fs }

// Metadata returns a GGUF's header: that of its first part, which holds the
// keys. It is nil for other formats, and where the first part is missing.
func (c *Checkpoint) Metadata() *gguf.Header {
	if c.Format != GGUF || len(c.Files) == 0 {
		return nil
	}
	return c.Files[0].GGUF
}

// add adds a problem of a file.
func (c *Checkpoint) add(p problem.Problem) { c.Problems.Add(p) }
