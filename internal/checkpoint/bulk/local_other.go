//go:build !linux

package bulk

import (
	"context"
	"fmt"
)

func (r *Reader) openDirect() error {
	return fmt.Errorf("%v: %w: only Linux has it here", Direct, ErrStrategy)
}

func (r *Reader) canMap() error {
	return fmt.Errorf("%v: %w: only Linux has it here", Mapped, ErrStrategy)
}

func (r *Reader) cached() (part float64, known bool) { return 0, false }

func (r *Reader) eachMapped(context.Context, int64, int64, func(int64, []byte) error) error {
	return r.canMap()
}
