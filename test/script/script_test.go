// Package script runs the testscripts of this folder: what a user types, and
// what kilter prints and returns. One behaviour a script.
package script

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"kilter/internal/cli"
)

var update = flag.Bool("update", false, "rewrite the expected output in the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"kilter": func() { os.Exit(int(cli.Main(os.Args[1:], "v0.0.0-test"))) },
	})
}

func TestScripts(t *testing.T) {
	tiny, err := filepath.Abs("../../internal/model/testdata") // a small checkpoint of each family
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Dir:                 ".",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			// Nothing of the developer's own: no state, no proxy, no colour.
			env.Setenv("HOME", filepath.Join(env.WorkDir, "home"))
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
			env.Setenv("NO_PROXY", "*")
			env.Setenv("TINY", tiny)
			for _, kind := range []string{"hang", "mute"} {
				env.Values[key(kind)] = make(chan struct{}, 100) // more than any script asks for
			}
			return os.MkdirAll(filepath.Join(env.WorkDir, "home"), 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"fakeserver": fakeServer,
			"exits":      exits,
			"asked":      asked,
			"rungrep":    runGrep,
		},
	})
}
