package pyast_test

import (
	"fmt"

	"kilter/internal/pyast"
)

// Reading the flags that a program declares.
func ExampleInspect() {
	const src = `
class Args:
    backend: str = "auto"
    tp: int = 1

parser.add_argument("--backend", choices=["auto", "triton"], default=Args.backend)
`
	f, err := pyast.Parse(src)
	if err != nil {
		fmt.Println(err)
		return
	}
	pyast.Inspect(f, func(n pyast.Node) bool {
		switch n := n.(type) {
		case *pyast.AnnAssign:
			fmt.Println(f.Position(n.Pos()), f.Text(n.Target), "is", f.Text(n.Annotation), "=", f.Text(n.Value))
		case *pyast.Call:
			if a, ok := n.Func.(*pyast.Attribute); ok && a.Attr == "add_argument" {
				fmt.Println(n.Args[0].(*pyast.Str).Value)
				for _, k := range n.Keywords {
					fmt.Println(" ", k.Name, f.Text(k.Value))
				}
			}
		}
		return true
	})
	// Output:
	// 3:5 backend is str = "auto"
	// 4:5 tp is int = 1
	// --backend
	//   choices ["auto", "triton"]
	//   default Args.backend
}
