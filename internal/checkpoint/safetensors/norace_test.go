//go:build !race

package safetensors_test

// racing is set under the race detector, which multiplies time and memory.
const racing = false
