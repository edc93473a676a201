//go:build race

package verify_test

// The race detector makes each run ten times as slow. What the dialects share
// is raced once; each fault has another of its dialects.
const everyDialect = false
