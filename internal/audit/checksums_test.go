package audit_test

import (
	"bytes"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"kilter/internal/audit"
)

func gitHex(b []byte) string {
	h := sha1.New()
	fmt.Fprintf(h, "blob %d\x00", len(b))
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

const someHash = "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

func TestParseChecksums(t *testing.T) {
	for _, c := range []struct{ text, name string }{
		{someHash + "  a.safetensors\n", "a.safetensors"},
		{someHash + " *a.safetensors", "a.safetensors"},
		{strings.ToUpper(someHash) + "  dir/a b.safetensors\r\n", "dir/a b.safetensors"},
		{"SHA256 (a (1).safetensors) = " + someHash, "a (1).safetensors"},
		{`\` + someHash + `  a\\b\nc`, "a\\b\nc"},
		{"# made by hand\n\n" + someHash + "  x\n" + someHash + "  ./x\n", "x"},
	} {
		s, err := audit.ParseChecksums("SUMS", strings.NewReader(c.text))
		if err != nil || len(s.Entries) != 1 || s.Entries[0].File != c.name || s.Entries[0].Hex != someHash {
			t.Errorf("%q: %+v, %v", c.text, s, err)
		}
	}
	for _, c := range []struct{ text, says string }{
		{"", "no checksum"},
		{"# nothing\n", "no checksum"},
		{someHash + " a", "SUMS:1: want 64 hexadecimal digits"},
		{someHash + "  ", "SUMS:1:"},
		{someHash[1:] + "  name", "SUMS:1:"},
		{someHash[:63] + "g  name", "is no SHA-256 hash"},
		{"d41d8cd98f00b204e9800998ecf8427e  md5", "SUMS:1:"},
		{someHash + "  a\n" + strings.Repeat("0", 64) + "  a", "SUMS:2: a has another hash on line 1"},
		{"SHA256 (a", "SUMS:1:"},
		{"SHA512 (a) = " + someHash, "SUMS:1:"},
		{`\` + someHash + `  a\x`, "SUMS:1: a name with an escape"},
		{someHash + "  " + strings.Repeat("n", 20_000), "SUMS:1: a line of over"},
	} {
		_, err := audit.ParseChecksums("SUMS", strings.NewReader(c.text))
		if err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%.80q: %v, want %q", c.text, err, c.says)
		}
	}
}

// What the real sha256sum writes is read.
func TestSha256sumsOwnOutput(t *testing.T) {
	tool, err := exec.LookPath("sha256sum")
	if err != nil {
		t.Skip("needs sha256sum (coreutils)")
	}
	dir := t.TempDir()
	names := []string{"plain", "two words", "back\\slash", "line\nend", "(1) = "}
	for _, n := range names {
		check(t, os.WriteFile(filepath.Join(dir, n), []byte(n), 0o600))
	}
	for _, form := range [][]string{nil, {"--binary"}, {"--tag"}} {
		cmd := exec.Command(tool, append(form, names...)...)
		cmd.Dir = dir
		out, err := cmd.Output()
		check(t, err)
		if len(form) > 0 && form[0] == "--tag" && bytes.Contains(out, []byte(`\`)) {
			// --tag escapes names, too, which no BSD does.
			continue
		}
		s, err := audit.ParseChecksums("SUMS", bytes.NewReader(out))
		check(t, err)
		for i, e := range s.Entries {
			if e.File != names[i] || e.Hex != sha256Hex([]byte(names[i])) {
				t.Errorf("%v: %+v, want %q", form, e, names[i])
			}
		}
	}
}

func FuzzChecksums(f *testing.F) {
	for _, s := range []string{someHash + "  a\n", someHash + " *b", "SHA256 (c) = " + someHash, `\` + someHash + `  d\n`, "#\n\r\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		s, err := audit.ParseChecksums("SUMS", bytes.NewReader(b))
		if err != nil {
			return
		}
		for _, e := range s.Entries {
			if len(e.Hex) != 64 || strings.Trim(e.Hex, "0123456789abcdef") != "" || e.File == "" || e.Line < 1 {
				t.Errorf("%+v", e)
			}
		}
	})
}
