package audit

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"kilter/internal/checkpoint"
	"kilter/internal/checkpoint/problem"
)

// Checksums are the SHA-256 hashes that files should have, as a file in the
// format of sha256sum gives them.
type Checksums struct {
	// Name is the file that they were read from.
	Name string
	// Entries are its lines, in its order.
	Entries []ChecksumEntry
}

// A ChecksumEntry is one line.
type ChecksumEntry struct {
	// Line is its number, from 1.
	Line int
	// File is the name as it is written there, escapes undone.
	File string
	// Hex are 64 lower-case digits.
	Hex string
}

// Bounds of a file of checksums.
const (
	maxSumLines = 1_000_000
	maxSumLine  = 16 << 10
)

// ParseChecksums reads the format of sha256sum. A line is
//
//	HEX, a space, a space or "*", NAME        as sha256sum writes it
//	\HEX, two characters, NAME                a name with \n or \\ in it
//	SHA256 (NAME) = HEX                       as sha256sum --tag and BSDs write it
//
// Empty lines and those that begin with # are left out. Everything else is an
// error that names the line, and so is a name that has two hashes: a list that
// is read halfway would prove half of what it seems to.
func ParseChecksums(name string, r io.Reader) (*Checksums, error) {
	sums := &Checksums{Name: name}
	seen := make(map[string]ChecksumEntry)
	lines := bufio.NewScanner(r)
	lines.Buffer(make([]byte, 0, 4096), maxSumLine)
	n := 0
	for lines.Scan() {
		n++
		line := strings.TrimSuffix(lines.Text(), "\r")
		if line == "" || line[0] == '#' {
			continue
		}
		if n > maxSumLines {
			return nil, fmt.Errorf("%s: more than %d lines", name, maxSumLines)
		}
		e, err := parseSumLine(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, n, err)
		}
		e.Line = n
		if was, twice := seen[path.Clean(e.File)]; twice {
			if was.Hex != e.Hex {
				return nil, fmt.Errorf("%s:%d: %s has another hash on line %d", name, n, problem.Quote(e.File), was.Line)
			}
			continue
		}
		seen[path.Clean(e.File)] = e
		sums.Entries = append(sums.Entries, e)
	}
	if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
		return nil, fmt.Errorf("%s:%d: a line of over %d bytes", name, n+1, maxSumLine)
	} else if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(sums.Entries) == 0 {
		return nil, fmt.Errorf("%s: no checksum in it", name)
	}
	return sums, nil
}

const sumDigits = 64

func parseSumLine(line string) (e ChecksumEntry, err error) {
	if rest, ok := strings.CutPrefix(line, "SHA256 ("); ok {
		at := strings.LastIndex(rest, ") = ")
		if at < 0 {
			return e, errors.New(`want "SHA256 (NAME) = HEX"`)
		}
		e.File, e.Hex = rest[:at], rest[at+len(") = "):]
	} else {
		escaped := strings.HasPrefix(line, `\`)
		line = strings.TrimPrefix(line, `\`)
		if len(line) < sumDigits+3 || line[sumDigits] != ' ' || line[sumDigits+1] != ' ' && line[sumDigits+1] != '*' {
			return e, fmt.Errorf("want %d hexadecimal digits, two spaces and a file's name, as sha256sum writes", sumDigits)
		}
		e.Hex, e.File = line[:sumDigits], line[sumDigits+2:]
		if escaped {
			if e.File, err = unescapeName(e.File); err != nil {
				return e, err
			}
		}
	}
	e.Hex = strings.ToLower(e.Hex)
	if _, err := hex.DecodeString(e.Hex); err != nil || len(e.Hex) != sumDigits {
		return e, fmt.Errorf("%s is no SHA-256 hash, which has %d hexadecimal digits", problem.Quote(e.Hex), sumDigits)
	}
	if e.File == "" || strings.ContainsRune(e.File, 0) {
		return e, errors.New("no file's name")
	}
	return e, nil
}

// unescapeName undoes what sha256sum does to names with a line end or a
// backslash.
func unescapeName(s string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch {
		case i < len(s) && s[i] == 'n':
			b.WriteByte('\n')
		case i < len(s) && s[i] == 'r':
			b.WriteByte('\r')
		case i < len(s) && s[i] == '\\':
			b.WriteByte('\\')
		default:
			return "", errors.New(`a name with an escape other than \n, \r and \\`)
		}
	}
	return b.String(), nil
}

// resolve returns what the checksums promise of the files under a checkpoint's
// root, by their names there. A name is looked for below the model's folder,
// as sha256sum -c run there would, and below the folder of the list itself.
// others are the entries that are of no file of the model.
func (s *Checksums) resolve(root string, names []string) (byName map[string]string, others []ChecksumEntry) {
	known := make(map[string]string, len(names)) // cleaned path -> name
	for _, n := range names {
		known[path.Join(root, n)] = n
	}
	byName = make(map[string]string)
	for _, e := range s.Entries {
		places := []string{path.Join(root, e.File), path.Join(path.Dir(s.Name), e.File)}
		if path.IsAbs(e.File) {
			places = []string{path.Clean(e.File)}
		}
		found := false
		for _, place := range places {
			if n, ok := known[place]; ok {
				byName[n], found = e.Hex, true
				break
			}
		}
		if !found {
			others = append(others, e)
		}
	}
	return byName, others
}

// expected returns the digest that a file should have: what --checksums says,
// else what the hub cache's blob name says.
func (o *Options) expected(f *checkpoint.File) checkpoint.Digest {
	if hex, ok := o.sums[f.Name]; ok {
		return checkpoint.Digest{Algorithm: "sha256", Hex: hex}
	}
	return f.Expect
}
