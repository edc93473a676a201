package store

// SetBounds replaces KeepRuns and KeepBytes.
func SetBounds(s *Store, runs int, bytes int64) { s.keepRuns, s.keepBytes = runs, bytes }
