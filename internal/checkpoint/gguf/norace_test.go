//go:build !race

package gguf_test

// racing is set under the race detector, which multiplies time and memory.
const racing = false
