// Package evidence holds the smallest unit that kilter reasons with: the Fact,
// one piece of evidence that keeps where it came from, so that every sentence
// kilter says can be traced to a file, a command or a response.
//
// # Redaction at the door
//
// A Fact is made by a Collector, and a Collector always redacts: values, sources and
// commands pass through its Redactor before anything else can see them. There
// is no way to store first and clean later. The redactor knows literal secrets
// (the API key of this run) and the shapes of common ones (bearer tokens,
// provider keys, credentials in URLs, flags and environment variables whose
// name says that they hold a secret). It can't know a secret that looks like an
// ordinary word; docs say so.
//
// # Negative evidence
//
// "The journal names no kernel backend" is a fact too. Such a fact has Absent
// set, and it is void (Void names the reason) where the source was truncated,
// rotated or rate-limited: what was not seen can't be said to be missing.
package evidence
