// Package docs holds the pages that are part of the binary: one for each check
// of kilter verify and one for each finding of kilter audit, which kilter
// explain prints and reports quote.
//
// A page is checks/<id>.md or findings/<code>.md. The README.md beside them says
// which form it has.
package docs

import (
	"embed"
	"strings"
)

//go:embed checks/*.md
var checks embed.FS

//go:embed findings/*.md
var findings embed.FS

const (
	checkFolder   = "checks"
	findingFolder = "findings"
	suffix        = ".md"
)

// Page returns the page of the check or finding with this id, in Markdown; false
// where there is none.
func Page(id string) (string, bool) {
	if !isID(id) {
		return "", false
	}
	b, err := checks.ReadFile(checkFolder + "/" + id + suffix)
	if err != nil {
		b, err = findings.ReadFile(findingFolder + "/" + id + suffix)
	}
	return string(b), err == nil
}

// IDs returns the ids of all checks that have a page, in alphabetical order.
func IDs() []string { return idsIn(checks, checkFolder) }

// FindingIDs returns the codes of all findings that have a page, in
// alphabetical order.
func FindingIDs() []string { return idsIn(findings, findingFolder) }

func idsIn(pages embed.FS, folder string) []string {
	files, err := pages.ReadDir(folder)
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
