package safetensors

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"kilter/internal/checkpoint/internal/jsonlex"
	"kilter/internal/checkpoint/problem"
)

// window is how much of the header is in memory at a time; firstRead is read
// at once, so that most headers cost one round trip where the file is remote.
const (
	window    = 256 << 10
	firstRead = 64 << 10
)

// Parse reads the header of a sound file of size bytes. The error is a
// *problem.Problem for the first thing that is wrong, or that of reading r.
func Parse(r io.ReaderAt, size int64) (*Header, error) {
	h, problems, err := Check(r, size)
	if err == nil {
		err = problems.Err()
	}
	if err != nil {
		return nil, err
	}
	return h, nil
}

// Check reads what can be read of a header and reports all that is wrong. The
// header is never nil; the error is that of reading r and nothing else.
func Check(r io.ReaderAt, size int64) (*Header, problem.List, error) {
	p := parser{Header: &Header{Size: size}}
	err := p.parse(r)
	if err == nil {
		p.layout()
	}
	return p.Header, p.problems, err
}

// A parser fills a Header.
type parser struct {
	*Header
	problems problem.List
	seen     map[string]struct{}
	lex      *jsonlex.Lexer
	shapes   []int64 // what shapes are cut from
	entry    entry
	metadata bool
}

// errStop ends the reading where no more is to be had.
var errStop = errors.New("stop")

func (p *parser) add(kind problem.Kind, tensor string, begin, end int64, format string, a ...any) {
	p.problems.Add(problem.Problem{Kind: kind, Tensor: tensor, Begin: begin, End: end, Says: fmt.Sprintf(format, a...)})
}

// odd adds a problem that loaders tolerate.
func (p *parser) odd(kind problem.Kind, tensor, says string) {
	p.problems.Add(problem.Problem{Kind: kind, Tensor: tensor, Says: says, Tolerated: true})
}

const again = "download the file again, or copy it again from where it is whole"

// parse reads the length and the JSON.
func (p *parser) parse(r io.ReaderAt) error {
	if p.Size < 8 {
		p.problems.Add(problem.Problem{Kind: Short, End: max(p.Size, 0), Hint: again,
			Says: fmt.Sprintf("the file has %d bytes, too few for a header", p.Size)})
		return nil
	}
	first := make([]byte, min(p.Size, firstRead))
	if n, err := r.ReadAt(first, 0); n < len(first) {
		return p.short(int64(n), err)
	}
	length := binary.LittleEndian.Uint64(first)
	says := ""
	switch {
	case length == 0:
		says = "the header is empty: its length is 0, as in a file of which only the space was reserved"
	case length > uint64(p.Size-8):
		says = fmt.Sprintf("the header's length is %d, beyond the file's %d bytes", length, p.Size)
		if length > MaxHeader {
			says += "; this is no safetensors file, or its beginning is overwritten"
		}
	case length > MaxHeader:
		says = fmt.Sprintf("the header's length is %d, above the format's limit of %d", length, MaxHeader)
	}
	if says != "" {
		p.problems.Add(problem.Problem{Kind: HeaderLength, End: 8, Says: says, Hint: again})
		return nil
	}
	p.JSON, p.Data = int64(length), 8+int64(length)
	p.seen = make(map[string]struct{}, min(p.JSON/100, 10_000))
	head := first[8:min(int64(len(first)), p.Data)]
	var in io.Reader = bytes.NewReader(head)
	if rest := p.JSON - int64(len(head)); rest > 0 {
		in = io.MultiReader(in, io.NewSectionReader(r, 8+int64(len(head)), rest))
	}
	p.lex = jsonlex.New(in, int(min(p.JSON, window)))
	return p.jsonError(p.object(first[8]))
}

// short returns the error of a read that gave fewer bytes than the file had.
func (p *parser) short(at int64, err error) error {
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("read at byte %d: %w", at, err)
	}
	p.problems.Add(problem.Problem{Kind: problem.Shrank, Begin: at, End: p.Size,
		Says: fmt.Sprintf("the file had %d bytes and now ends at %d", p.Size, at),
		Hint: "wait until nothing writes it, then try again"})
	return nil
}

// jsonError sorts what ended the reading into problems and errors of reading.
func (p *parser) jsonError(err error) error {
	var syntax *jsonlex.SyntaxError
	switch {
	case err == nil, errors.Is(err, errStop):
		return nil
	case !errors.As(err, &syntax):
		return fmt.Errorf("read the header: %w", err)
	case syntax.Ended && syntax.Offset < p.JSON:
		return p.short(8+syntax.Offset, nil)
	}
	at := 8 + syntax.Offset
	p.problems.Add(problem.Problem{Kind: Syntax, Begin: at, End: at + 1, Err: err, Hint: again,
		Says: fmt.Sprintf("the header is no valid JSON of this format: %s, byte %d of the file", syntax.Says, at)})
	return nil
}

// object reads the JSON.
func (p *parser) object(first byte) error {
	switch first {
	case ' ', '\t', '\n', '\r':
		p.odd(Padding, "", "white space before the header's {")
	}
	if err := p.lex.Object(maxName, p.member); err != nil {
		return err
	}
	spaces, err := p.lex.End()
	if !spaces {
		p.odd(Padding, "", "the header is padded with other white space than spaces")
	}
	return err
}

// member reads one entry of the header.
func (p *parser) member(key []byte) error {
	if string(key) == "__metadata__" {
		return p.readMetadata()
	}
	if len(p.Tensors) >= MaxTensors {
		p.add(TooMany, "", p.lex.Offset()+8, p.Data, "the header lists more than %d tensors; the rest was not read", MaxTensors)
		return errStop
	}
	name := string(key)
	begin := 8 + p.lex.Offset()
	if err := p.readEntry(name); err != nil {
		return err
	}
	if _, twice := p.seen[name]; twice {
		p.add(Duplicate, name, begin, 8+p.lex.Offset(), "the name occurs twice in the header; which one a server takes depends on its parser")
		return nil
	}
	p.seen[name] = struct{}{}
	p.Tensors = append(p.Tensors, p.tensor(name, begin))
	return nil
}

func (p *parser) readMetadata() error {
	at := 8 + p.lex.Offset()
	if p.metadata {
		p.add(Duplicate, "", at, at+1, "__metadata__ occurs twice in the header")
		return p.lex.Skip()
	}
	p.metadata = true
	c, err := p.lex.Peek()
	if err == nil && c != '{' {
		if c == 'n' {
			p.odd(Metadata, "", "__metadata__ is null")
		} else {
			p.add(Metadata, "", at, at+1, "__metadata__ is no map of strings")
		}
		return p.lex.Skip()
	}
	p.Metadata = make(map[string]string)
	kept, whole := 0, true
	err = p.lex.Object(maxName, func(key []byte) error {
		name := string(key)
		c, err := p.lex.Peek()
		if err == nil && c != '"' {
			p.add(Metadata, "", 8+p.lex.Offset(), 9+p.lex.Offset(), "__metadata__ %s is no string", problem.Quote(name))
			return p.lex.Skip()
		}
		if _, twice := p.Metadata[name]; twice {
			p.odd(Metadata, "", "__metadata__ has "+problem.Quote(name)+" twice")
		}
		value, all, err := p.lex.Prefix(maxMetadata)
		if err != nil {
			return err
		}
		if kept += len(name) + len(value) + 32; kept > maxMetadata || !all {
			whole = false
			return nil
		}
		p.Metadata[name] = string(value)
		return nil
	})
	if !whole {
		p.odd(Metadata, "", fmt.Sprintf("__metadata__ is larger than %d bytes; the rest of it was not kept", maxMetadata))
	}
	return err
}
