package pyast

import (
	"fmt"
	"sort"
	"strings"
)

// Pos is a byte offset into the source.
type Pos int32

// Position is a place in the source as a person counts.
type Position struct {
	Offset int // bytes from the start of the source
	Line   int // from 1
	Col    int // from 1, in bytes
}

func (p Position) String() string { return fmt.Sprintf("%d:%d", p.Line, p.Col) }

// SyntaxError says where and why a source is not Python or, when Limit is set,
// that it is larger or more deeply nested than Options allow and may well be
// Python.
type SyntaxError struct {
	Line, Col int // from 1; Col counts bytes
	Msg       string
	Limit     bool
}

func (e *SyntaxError) Error() string {
	return fmt.Sprintf("line %d, column %d: %s", e.Line, e.Col, e.Msg)
}

// lineTable holds the offset at which each line starts. A line ends with "\n",
// "\r\n" or "\r".
type lineTable []int32

func newLineTable(src string, start int) lineTable {
	t := make(lineTable, 1, 1+len(src)/32)
	t[0] = int32(start)
	if strings.IndexByte(src, '\r') < 0 {
		for i := 0; ; {
			j := strings.IndexByte(src[i:], '\n')
			if j < 0 {
				return t
			}
			i += j + 1
			t = append(t, int32(i))
		}
	}
	for i := start; i < len(src); i++ {
		if src[i] == '\n' || src[i] == '\r' && !(i+1 < len(src) && src[i+1] == '\n') {
			t = append(t, int32(i+1))
		}
	}
	return t
}

func (t lineTable) position(p Pos) Position {
	i := sort.Search(len(t), func(i int) bool { return t[i] > int32(p) }) - 1
	if i < 0 {
		i = 0
	}
	return Position{Offset: int(p), Line: i + 1, Col: max(int(p)-int(t[i]), 0) + 1}
}
