// Command kilter takes an LLM server from healthy to correct.
package main

import (
	"os"

	"kilter/internal/cli"
)

var version string // by -ldflags "-X main.version=v1.2.3"; else from the build's own record

func main() { os.Exit(int(cli.Main(os.Args[1:], version))) }
