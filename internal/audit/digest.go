package audit

import (
	"crypto/sha1" // git names its blobs by it
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"

	"kilter/internal/checkpoint"
)

// digests are the hashes of one file: SHA-256 always, and git's where the hub
// cache names the file by it.
type digests struct {
	sha256, git hash.Hash
}

func newDigests(expect checkpoint.Digest, size int64) digests {
	d := digests{sha256: sha256.New()}
	if expect.Algorithm == "git-sha1" {
		d.git = sha1.New()
		fmt.Fprintf(d.git, "blob %d\x00", size)
	}
	return d
}

func (d *digests) write(p []byte) {
	if d.sha256 != nil {
		d.sha256.Write(p)
	}
	if d.git != nil {
		d.git.Write(p)
	}
}

// hex returns the hash by an algorithm's name.
func (d *digests) hex(algorithm string) string {
	h := d.sha256
	if algorithm == "git-sha1" {
		h = d.git
	}
	if h == nil {
		return ""
	}
	return hex.EncodeToString(h.Sum(nil))
}
