package problem

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestListKeepsAHundredOfEachKind(t *testing.T) {
	var l, all List
	for i := range 250 {
		l.Add(Problem{Kind: "a", Tensor: fmt.Sprint(i), Tolerated: true})
	}
	l.Add(Problem{Kind: "b", Says: "broken", Err: io.EOF})
	for range 2 {
		all.Join(&l, "file")
	}
	if l.Len() != 251 || len(l.All()) != 101 || l.Count("a") != 250 || all.Len() != 502 || all.Count("a") != 500 || len(all.All()) != 102 {
		t.Errorf("%d of %d, joined %d of %d", len(l.All()), l.Len(), len(all.All()), all.Len())
	}
	err := fmt.Errorf("wrapped: %w", all.Err())
	if !Is(err, "b") || Is(err, "a") || !errors.Is(err, io.EOF) || err.Error() != "wrapped: file: broken" {
		t.Error(err)
	}
	if got := all.Kinds(); len(got) != 2 || got[0] != "a" {
		t.Error(got)
	}
	var none List
	if none.Err() != nil || none.Len() != 0 {
		t.Error(none)
	}
}

func TestMessagesShowNamesSafely(t *testing.T) {
	for _, name := range []string{"plain.weight", "\x1b[31mred\nline", "\xff\xfe", strings.Repeat("é", 5000), strings.Repeat("\x00", 5000)} {
		p := Problem{Tensor: name, Says: "is odd", Hint: "look"}
		got := p.Error()
		if strings.ContainsAny(got, "\x1b\n\x00") || !utf8.ValidString(got) || len(got) > 800 || !strings.HasSuffix(got, ": is odd; look") {
			t.Errorf("%q", got)
		}
	}
}
