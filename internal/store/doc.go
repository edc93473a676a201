// Package store keeps the runs of this machine in one SQLite file, so that a
// run can be judged again and later runs can be compared with it.
//
// A run is a few columns to find it by, and the record as its recorder wrote
// it: the store does not know what a record holds.
//
// # Where, and who may read it
//
// The file is $XDG_STATE_HOME/kilter/kilter.db, else
// ~/.local/state/kilter/kilter.db (DefaultPath). Its folder is made with mode
// 0700 and the file with 0600, since prompts and answers are in it. Secrets
// are not: records are redacted before they get here.
//
// # What is kept
//
// The newest KeepRuns runs, and of these only as many as fit in KeepBytes of
// records; the newest run always stays. Older ones are dropped by the Put that
// goes over a bound. It is a cache: deleting the file loses past runs and
// nothing else.
//
// # On-disk format
//
// The schema's version is SQLite's user_version; migrations/NNNN_*.sql brings
// version N-1 to N, in one transaction. A file of a later version than this
// binary knows is refused and left as it is.
//
// # Several processes
//
// Any number of kilter processes may use the file at once: it is in WAL mode,
// writers wait for each other up to BusyTimeout, and each Put is one
// transaction.
package store
