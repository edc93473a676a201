package pyrun_test

import (
	"context"
	"errors"
	"fmt"

	"kilter/internal/pyrun"
)

func Example() {
	const answer = `
def is_prime(n: int) -> bool:
    """Check if a number is prime."""
    if n < 2:
        return False
    return all(n % i for i in range(2, int(n ** 0.5)))
`
	ctx := context.Background()
	m, err := pyrun.Load(ctx, answer, pyrun.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Functions())
	for _, n := range []int{7, 9} {
		v, err := m.Call(ctx, "is_prime", n)
		fmt.Println(n, v, err)
	}
	_, err = m.Call(ctx, "is_prime", "seven")
	var raised *pyrun.Raised
	if errors.As(err, &raised) {
		fmt.Println(raised)
	}
	// Output:
	// [is_prime]
	// 7 true <nil>
	// 9 true <nil>
	// line 4: TypeError: '<' not supported between instances of 'str' and 'int'
}
