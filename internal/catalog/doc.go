// Package catalog holds what kilter knows as data, apart from the code that
// uses it. Each entry names the source it was learned from. Later parts add
// findings, remedies, flags by version and compatibility rules; this one holds
// what verify judges by.
package catalog
