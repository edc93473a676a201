// Package docs holds the pages that are part of the binary: one for each
// check, which kilter explain prints and reports quote.
//
// A page is checks/<id>.md. docs/checks/README.md says which form it has.
package docs

import (
	"embed"
	"strings"
)

//go:embed checks/*.md
var checks embed.FS

const (
	folder = "checks/"
	suffix = ".md"
)

// Page returns the page of the check with this id, in Markdown; false where
// there is none.
func Page(id string) (string, bool) {
	if !isID(id) {
		return "", false
	}
	b, err := checks.ReadFile(folder + id + suffix)
	return string(b), err == nil
}

// IDs returns the ids of all checks that have a page, in alphabetical order.
func IDs() []string {
	files, err := checks.ReadDir(strings.TrimSuffix(folder, "/"))
	if err != nil {
		return nil // embedded: can't fail
	}
	var ids []string
	for _, f := range files {
		if id := strings.TrimSuffix(f.Name(), suffix); isID(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// isID tells the id of a check (group, dot, name) from the index and from
// paths.
func isID(id string) bool {
	return strings.Contains(id, ".") && !strings.ContainsAny(id, `/\`)
}
