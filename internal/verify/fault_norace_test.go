//go:build !race

package verify_test

const everyDialect = true
