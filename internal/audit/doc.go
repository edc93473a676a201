// Package audit says whether the bytes of a checkpoint are sound: whether they
// keep to their formats, are all there, are those that were published, hold
// values that training and quantisation can have left, and are what the
// configuration speaks of. It needs no GPU and changes nothing.
//
//	c, err := checkpoint.Open(ctx, checkpoint.Local{}, path, checkpoint.Options{})
//	m, err := model.Read(ctx, c)
//	report, err := audit.Run(ctx, m, audit.Options{})
//
// # Findings
//
// What is wrong is a Finding: a Code that is declared once (codes.go) with its
// severity, and the places where it was found, each with file, tensor, bytes and
// numbers. A finding is data; nothing that is wrong with files is an error.
//
//	broken      no server can be right with these files
//	unread      could not be read, so nothing is known of it
//	suspicious  may be meant; a person should look
//	note        good to know
//
// The heaviest decides the verdict, but for one rule: an audit that did not get
// to its end is inconclusive unless something broken was found.
//
// One fault is one finding. What follows from another finding is left out: the
// wrong total of an index whose shard is missing, the zero scales inside of a
// hole, each tensor of a layer that the configuration does not have.
//
// # One pass
//
// Each byte is read once, by package bulk, and goes in pieces of 256 KiB through
// everything while it is in the core's own cache (pass.go):
//
//	SHA-256        of the file; SHA-1 too where git names the file by it
//	zero pages     runs of 4,096 bytes of zeros, aligned in the file
//	numeric.Scanner of the tensor that the bytes belong to
//	a fingerprint  of the tensor, from a part of its bytes
//
// SHA-256 can't be split, so as many files are hashed at once as there are
// cores, the largest first. Without hashes, files are cut at tensors. Memory is
// some MiB for each worker, of which there are at most sixteen, and about 120
// bytes for each tensor.
//
// What the pass counts is judged afterwards, tensor by tensor (values.go,
// scales.go) and among siblings (siblings.go). Only tensors with a finding are
// read again, to name the first place (locate.go) or to compare bytes.
//
// A file that shrinks or is written to while it is read is a finding, and what
// was seen in it does not count: lost bytes can look like zeros.
//
// # What counts as what
//
// Zeros, constants and magnitudes mean different things in a projection, a norm
// and a scale. subject.go gives each tensor a class, from its module's role as
// package model tells it. Where a rule could cry wolf, most siblings decide:
// rows that are zero in all layers are padding, a missing scale is one that
// other modules of the name have.
//
// # Sources
//
// Formats and layouts: the packages checkpoint, numeric and model. What servers
// do with wrong files: the page of each finding, docs/findings.
package audit
