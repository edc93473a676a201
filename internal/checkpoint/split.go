package checkpoint

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"kilter/internal/checkpoint/problem"
)

// A split is what a name NAME-00001-of-00003.EXT says.
type split struct {
	name          string // the file's
	prefix, ext   string
	digits        int
	number, count int // 0 for a file that is whole
}

var splitName = regexp.MustCompile(`^(.+)-(\d{4,6})-of-(\d{4,6})\.(safetensors|gguf)$`)

func splitOf(name string) split {
	m := splitName.FindStringSubmatch(name)
	if m == nil {
		return split{name: name}
	}
	number, err1 := strconv.Atoi(m[2])
	count, err2 := strconv.Atoi(m[3])
	if errors.Join(err1, err2) != nil || number < 1 || number > count || count > 10_000 {
		return split{name: name}
	}
	return split{name, m[1], m[4], len(m[2]), number, count}
}

// names returns those of all parts.
func (s split) names() []string {
	var all []string
	for i := 1; i <= s.count; i++ {
		all = append(all, fmt.Sprintf("%s-%0*d-of-%0*d.%s", s.prefix, s.digits, i, s.digits, s.count, s.ext))
	}
	return all
}

// openGGUFs opens a folder's GGUF, if it has but one, whole or in parts. A
// multimodal projector (mmproj) goes with a model and is none.
func (c *Checkpoint) openGGUFs(ctx context.Context, found []Info) error {
	var models, projectors []Info
	for _, e := range found {
		if strings.Contains(strings.ToLower(e.Name), "mmproj") {
			projectors = append(projectors, e)
		} else {
			models = append(models, e)
		}
	}
	if len(models) == 0 {
		models = projectors
	} else {
		c.Others = append(c.Others, projectors...)
	}
	first := make(map[string]split) // one part of each model
	for _, e := range models {
		s := splitOf(e.Name)
		model := e.Name
		if s.count > 0 {
			model = fmt.Sprintf("%s of %d", s.prefix, s.count)
		}
		if _, ok := first[model]; !ok {
			first[model] = s
		}
	}
	names := slices.Sorted(maps.Keys(first))
	if len(names) > 1 {
		p := &problem.Problem{Kind: Ambiguous, File: c.Root, Says: fmt.Sprintf("the folder has %d models", len(names)), Hint: "name one of them:"}
		for _, n := range names[:min(5, len(names))] {
			p.Hint += " " + problem.Quote(first[n].name)
		}
		return p
	}
	return c.openSplit(ctx, first[names[0]])
}

// openSplit opens a GGUF with all its parts.
func (c *Checkpoint) openSplit(ctx context.Context, s split) error {
	list := []shard{{name: s.name}}
	if s.count > 0 {
		list = list[:0]
		for _, name := range s.names() {
			list = append(list, shard{name: name})
		}
	}
	if err := c.openList(ctx, list); err != nil {
		return err
	}
	c.checkSplit(s)
	return nil
}

// checkSplit compares what the parts say of themselves with their names.
func (c *Checkpoint) checkSplit(s split) {
	want, whole := int64(-1), true
	tensors := 0
	for i := range c.Files {
		f := &c.Files[i]
		if f.GGUF == nil || f.GGUF.Data == 0 {
			whole = false
			continue
		}
		tensors += len(f.GGUF.Tensors)
		number, hasNumber := splitKey(f, "split.no")
		count, hasCount := splitKey(f, "split.count")
		if n, ok := splitKey(f, "split.tensors.count"); ok && want < 0 {
			want = n
		}
		switch {
		case s.count == 0 && count > 1:
			c.add(problem.Problem{Kind: SplitKey, File: f.Name, Says: fmt.Sprintf("it is part %d of %d and its name does not tell, so no loader finds the others", number+1, count), Hint: "rename the parts NAME-00001-of-0000N.gguf"})
		case s.count > 0 && (!hasNumber || !hasCount):
			c.add(problem.Problem{Kind: SplitKey, File: f.Name, Says: "its name is that of a part and it lacks split.no or split.count"})
		case s.count > 0 && (number != int64(i) || count != int64(s.count)):
			c.add(problem.Problem{Kind: SplitKey, File: f.Name, Says: fmt.Sprintf("its name says part %d of %d and it says part %d of %d", i+1, s.count, number+1, count)})
		}
	}
	if whole && s.count > 0 && want >= 0 && want != int64(tensors) {
		c.add(problem.Problem{Kind: SplitTensors, Says: fmt.Sprintf("the parts hold %d tensors and say %d", tensors, want)})
	}
}

func splitKey(f *File, key string) (int64, bool) {
	v, ok := f.GGUF.Get(key)
	if !ok {
		return 0, false
	}
	return v.Int()
}
