package safetensors_test

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
)

// file makes a file of a JSON header and n bytes behind it.
func file(header string, n int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	b = append(b, header...)
	return append(b, bytes.Repeat([]byte{1}, n)...)
}

// entry makes one member of a header.
func entry(name, dtype, shape string, begin, end int) string {
	key, _ := json.Marshal(name)
	return fmt.Sprintf(`%s:{"dtype":%q,"shape":[%s],"data_offsets":[%d,%d]}`, key, dtype, shape, begin, end)
}

func object(members ...string) string { return "{" + strings.Join(members, ",") + "}" }
