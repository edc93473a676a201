package audit

import (
	"context"
	"io"
	"maps"
	"slices"

	"kilter/internal/checkpoint"
)

// readSides compares the hashes of files beside the tensors: those for which
// the hub cache, or --checksums, has one.
func (a *audit) readSides(ctx context.Context) {
	if a.opts.NoHash {
		a.rep.skipped(Checksum, "--no-hash")
		a.rep.uncovered("checksums: --no-hash")
		return
	}
	type side struct {
		name, path string
		expect     checkpoint.Digest
	}
	var list []side
	for _, name := range slices.Sorted(maps.Keys(a.c.Sides)) {
		s := a.c.Sides[name]
		list = append(list, side{name, s.Path, a.sideDigest(name, s.Expect)})
	}
	for _, o := range a.c.Others {
		list = append(list, side{o.Name, a.c.Root + "/" + o.Name, a.sideDigest(o.Name, checkpoint.Digest{})})
	}
	if x := a.c.Index; x != nil {
		list = append(list, side{x.Name, a.c.Root + "/" + x.Name, a.sideDigest(x.Name, checkpoint.Digest{})})
	}
	for _, s := range list {
		if s.expect.Hex == "" || ctx.Err() != nil {
			continue
		}
		a.readSide(ctx, s.name, s.path, s.expect)
	}
	a.tellSums()
}

// sideDigest is what a side file's hash should be.
func (a *audit) sideDigest(name string, expect checkpoint.Digest) checkpoint.Digest {
	if hex, ok := a.opts.sums[name]; ok {
		return checkpoint.Digest{Algorithm: "sha256", Hex: hex}
	}
	return expect
}

func (a *audit) readSide(ctx context.Context, name, path string, expect checkpoint.Digest) {
	h, err := a.c.FS().Open(ctx, path)
	if err != nil {
		a.unread(name, err)
		return
	}
	defer h.Close()
	info, err := h.Stat()
	if err != nil {
		a.unread(name, err)
		return
	}
	d := newDigests(expect, info.Size)
	r := io.NewSectionReader(h, 0, info.Size)
	buf := make([]byte, 1<<20)
	for {
		n, err := r.Read(buf)
		d.write(buf[:n])
		if err == io.EOF { //nolint:errorlint // io.Reader's contract
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err != nil {
			a.unread(name, err)
			return
		}
	}
	a.rep.Files = append(a.rep.Files, File{Name: name, Size: info.Size, Read: true, SHA256: d.hex("sha256")})
	a.compareDigest(&a.rep.Files[len(a.rep.Files)-1], expect, &d)
}

// tellSums says how many files had a hash to be compared with.
func (a *audit) tellSums() {
	hashed, promised := 0, 0
	by := ""
	for i := range a.rep.Files {
		f := &a.rep.Files[i]
		if f.SHA256 != "" {
			hashed++
		}
		if f.Expected != "" {
			promised++
			by = f.ExpectedBy
		}
	}
	switch {
	case promised > 0:
		a.rep.checked(Checksum, "%d of %s compared with %s", promised, counted(len(a.rep.Files), "file"), by)
	case hashed > 0:
		a.rep.skipped(Checksum, counted(hashed, "file")+" hashed, and nothing to compare with")
	}
	weights := 0
	for i := range a.c.Files {
		if a.rep.Files[i].Expected == "" {
			weights++
		}
	}
	if weights > 0 {
		a.rep.uncovered("whether the bytes of %s are those that were published: no hash to compare with (--checksums FILE gives one)", counted(weights, "file"))
	}
}
