package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// A Version says what binary this is.
type Version struct {
	Schema  string `json:"schema"`
	Version string `json:"version"`
	// Commit is the one that it was built from; empty where the build did not
	// record it. Modified: there were changes on top.
	Commit   string `json:"commit,omitempty"`
	Time     string `json:"commit_time,omitempty"`
	Modified bool   `json:"modified,omitempty"`
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// readVersion takes the version that the linker set, else that of the build's
// own record.
func readVersion(linked string) Version {
	v := Version{
		Schema: "kilter.version/v1", Version: linked,
		Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		if v.Version == "" && info.Main.Version != "(devel)" {
			v.Version = info.Main.Version
		}
		for _, s := range info.Settings {
			switch s.Key {
			case "vcs.revision":
				v.Commit = s.Value
			case "vcs.time":
				v.Time = s.Value
			case "vcs.modified":
				v.Modified = s.Value == "true"
			}
		}
	}
	if v.Version == "" {
		v.Version = "devel"
	}
	return v
}

func (v Version) String() string {
	s := "kilter " + v.Version
	if v.Commit != "" {
		s += " (" + v.Commit[:min(12, len(v.Commit))]
		if v.Modified {
			s += ", modified"
		}
		s += ")"
	}
	return s + " " + v.Go + " " + v.Platform
}

// VersionOptions are those of kilter version.
type VersionOptions struct {
	IO      *IOStreams
	Version Version
	Format  string
}

func newVersionCmd(f *factory, runF func(*VersionOptions) error) *cobra.Command {
	o := &VersionOptions{IO: f.IO, Version: f.Version}
	cmd := &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Long:  "Print the version of this binary, the commit it was built from, Go's version\nand the platform.",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			if runF != nil {
				return runF(o)
			}
			return runVersion(o)
		},
	}
	addOutput(cmd, &o.Format, textAndJSON())
	return cmd
}

func runVersion(o *VersionOptions) error {
	if o.Format == "json" {
		return writeJSON(o.IO.Out, o.Version)
	}
	_, err := fmt.Fprintln(o.IO.Out, o.Version)
	return err
}

// writeJSON writes a document, indented: people read it too.
func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}
