package gguf

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"kilter/internal/checkpoint/problem"
)

const window = 256 << 10

// An input reads a file from its beginning, through a window. Its first error
// stays: a *problem.Problem for what the file does wrong, or that of reading.
type input struct {
	r    io.ReaderAt
	size int64
	at   int64 // the file's offset of what is read next
	buf  []byte
	rest []byte // of buf
	err  error
	left int64 // how much memory metadata may still take
}

const again = "download the file again, or copy it again from where it is whole"

func (in *input) fail(kind problem.Kind, format string, a ...any) {
	if in.err == nil {
		in.err = &problem.Problem{Kind: kind, Begin: in.at, End: in.at + 1, Says: fmt.Sprintf(format, a...), Hint: again}
	}
}

// charge takes n bytes from what metadata may take, before they are allocated.
func (in *input) charge(n int64) bool {
	if in.left -= n; in.left < 0 {
		in.fail(Syntax, "the metadata takes more than %d bytes", int64(MaxMetadata))
	}
	return in.err == nil
}

// room checks that n more items of at least each bytes fit into the file.
func (in *input) room(n uint64, each int64, what string) bool {
	if in.err == nil && n > uint64(in.size-in.at)/uint64(each) {
		in.fail(Truncated, "%d %s at byte %d do not fit into the file's %d bytes", n, what, in.at, in.size)
	}
	return in.err == nil
}

// fill reads the next window.
func (in *input) fill() {
	if in.err != nil {
		return
	}
	n := min(in.size-in.at, int64(cap(in.buf)))
	if n <= 0 {
		in.fail(Truncated, "the file ends within its header, at byte %d", in.size)
		return
	}
	got, err := in.r.ReadAt(in.buf[:n], in.at)
	if in.rest = in.buf[:got]; got > 0 {
		return // an error will come again
	}
	if err == nil || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		in.err = &problem.Problem{Kind: problem.Shrank, Begin: in.at, End: in.size, Hint: "wait until nothing writes it, then try again",
			Says: fmt.Sprintf("the file had %d bytes and now ends at %d", in.size, in.at)}
		return
	}
	in.err = fmt.Errorf("read at byte %d: %w", in.at, err)
}

// full reads len(p) bytes; zeros after an error.
func (in *input) full(p []byte) {
	for len(p) > 0 {
		if len(in.rest) == 0 {
			if in.fill(); in.err != nil {
				clear(p)
				return
			}
		}
		n := copy(p, in.rest)
		p, in.rest, in.at = p[n:], in.rest[n:], in.at+int64(n)
	}
}

func (in *input) u32() uint32 {
	var b [4]byte
	in.full(b[:])
	return binary.LittleEndian.Uint32(b[:])
}

func (in *input) u64() uint64 {
	var b [8]byte
	in.full(b[:])
	return binary.LittleEndian.Uint64(b[:])
}

// length reads the length of a string of at most most bytes.
func (in *input) length(most int64, what string) int {
	n := in.u64()
	if !in.room(n, 1, "bytes of "+what) {
		return 0
	}
	if int64(n) > most {
		in.fail(Syntax, "%s at byte %d has %d bytes, more than the %d that are read", what, in.at, n, most)
		return 0
	}
	return int(n)
}

// str reads a string.
func (in *input) str(most int64, what string) string {
	n := in.length(most, what)
	if n <= len(in.rest) {
		s := string(in.rest[:n])
		in.rest, in.at = in.rest[n:], in.at+int64(n)
		return s
	}
	b := make([]byte, n)
	if in.full(b); in.err != nil {
		return ""
	}
	return string(b)
}
