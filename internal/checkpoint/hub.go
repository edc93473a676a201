package checkpoint

import (
	"context"
	"path"
	"slices"
	"strings"

	"kilter/internal/checkpoint/problem"
)

// hubSnapshot finds the snapshot of a hub cache's model folder.
func (c *Checkpoint) hubSnapshot(ctx context.Context, model, revision string) (snapshot string, err error) {
	snapshots, err := c.fs.List(ctx, path.Join(model, "snapshots"))
	if err != nil {
		return "", fileProblem(ctx, c.fs, path.Join(model, "snapshots"), err)
	}
	snapshots = slices.DeleteFunc(snapshots, func(i Info) bool { return !i.Mode.IsDir() })
	c.Hub = &Hub{Repo: repoOf(path.Base(model))}
	for _, s := range snapshots {
		c.Hub.Revisions = append(c.Hub.Revisions, s.Name)
	}
	if len(snapshots) == 0 {
		return "", &problem.Problem{Kind: NoModel, File: model, Says: "the hub cache has no snapshot of this model", Hint: "finish its download"}
	}
	has := func(rev string) bool { return slices.Contains(c.Hub.Revisions, rev) }
	if revision != "" {
		if rev := c.readRef(ctx, model, revision); has(rev) {
			c.Hub.Revision, c.Hub.Ref = rev, revision
		} else if i := slices.IndexFunc(c.Hub.Revisions, func(r string) bool { return strings.HasPrefix(r, revision) }); i >= 0 {
			c.Hub.Revision = c.Hub.Revisions[i]
		} else {
			return "", &problem.Problem{Kind: NoModel, File: model, Says: "the hub cache has no snapshot of revision " + problem.Quote(revision), Hint: "it has " + strings.Join(c.Hub.Revisions[:min(5, len(snapshots))], ", ")}
		}
		return path.Join(model, "snapshots", c.Hub.Revision), nil
	}
	main := c.readRef(ctx, model, "main")
	if has(main) {
		c.Hub.Revision, c.Hub.Ref = main, "main"
		return path.Join(model, "snapshots", main), nil
	}
	newest := slices.MaxFunc(snapshots, func(a, b Info) int { return a.ModTime.Compare(b.ModTime) })
	c.Hub.Revision = newest.Name
	if main != "" {
		c.add(problem.Problem{Kind: Ref, File: "refs/main", Other: main, Tolerated: true,
			Says: "it names revision " + problem.Quote(main) + ", which is not in the cache; the newest snapshot was taken, " + newest.Name,
			Hint: "finish the download of that revision"})
	}
	return path.Join(model, "snapshots", newest.Name), nil
}

// readRef returns the commit that a ref names, empty where there is none.
func (c *Checkpoint) readRef(ctx context.Context, model, ref string) string {
	if strings.Contains(ref, "..") {
		return ""
	}
	data, p := readWhole(ctx, c.fs, path.Join(model, "refs", ref), 4096)
	if p != nil {
		return ""
	}
	rev := strings.TrimSpace(string(data))
	if strings.ContainsAny(rev, "/\\\x00") {
		return ""
	}
	return rev
}

// repoOf turns "models--org--name" into "org/name".
func repoOf(base string) string {
	rest, ok := strings.CutPrefix(base, "models--")
	if !ok {
		return ""
	}
	return strings.Replace(rest, "--", "/", 1)
}

// hubAround recognises a snapshot's folder that was named itself.
func (c *Checkpoint) hubAround(folder string) {
	if c.Hub != nil || path.Base(path.Dir(folder)) != "snapshots" {
		return
	}
	c.Hub = &Hub{Repo: repoOf(path.Base(path.Dir(path.Dir(folder)))), Revision: path.Base(folder), Revisions: []string{path.Base(folder)}}
}

// expected returns the hash that a link into blobs promises.
func expected(ctx context.Context, fsys FS, name string) Digest {
	to, err := fsys.Readlink(ctx, name)
	if err != nil || path.Base(path.Dir(to)) != "blobs" {
		return Digest{}
	}
	hex := path.Base(to)
	for i := range len(hex) {
		if !strings.Contains("0123456789abcdef", hex[i:i+1]) {
			return Digest{}
		}
	}
	switch len(hex) {
	case 64:
		return Digest{"sha256", hex}
	case 40:
		return Digest{"git-sha1", hex}
	}
	return Digest{}
}

// isLeftover recognises what unfinished downloads leave.
func isLeftover(name string) bool {
	for _, suffix := range []string{".incomplete", ".part", ".partial", ".aria2", ".crdownload", ".download", ".tmp"} {
		if strings.HasSuffix(name, suffix) {
			return true
		}
	}
	return false
}

// findLeftovers looks where downloads into the hub cache, and into a folder of
// the user's, keep what is not finished.
func (c *Checkpoint) findLeftovers(ctx context.Context) {
	places := []string{".cache/huggingface/download"}
	if c.Hub != nil {
		places = append(places, "../../blobs")
	}
	for _, place := range places {
		entries, err := c.fs.List(ctx, path.Join(c.Root, place))
		if err != nil {
			continue // mostly it is not there
		}
		for _, e := range entries {
			if isLeftover(e.Name) {
				e.Name = path.Join(place, e.Name)
				c.Leftovers = append(c.Leftovers, e)
			}
		}
	}
	for _, e := range c.Leftovers {
		c.add(problem.Problem{Kind: Leftover, File: e.Name, End: e.Size, Tolerated: true,
			Says: "an unfinished download", Hint: "finish the download, or remove the file if nothing writes it any more"})
	}
}
