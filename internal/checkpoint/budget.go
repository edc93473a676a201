package checkpoint

import (
	"io"
	"sync"
	"sync/atomic"
)

// maxHeaders bounds the headers of all files together: tensors take up to four
// times the bytes of their entries in memory. The largest published models need
// 30 MB. largeHeader is what several workers may read at once.
const (
	maxHeaders  = 160 << 20
	largeHeader = 8 << 20
)

// A budget keeps hostile headers from filling the memory together.
type budget struct {
	large sync.Mutex // held while a large header is read
	read  atomic.Int64
}

// A headerReader counts what is read of one file, and waits for its turn when
// it becomes much.
type headerReader struct {
	r      io.ReaderAt
	budget *budget
	read   int64
	locked bool
}

// ReadAt implements io.ReaderAt, for one goroutine.
func (h *headerReader) ReadAt(p []byte, off int64) (int, error) {
	if h.read += int64(len(p)); h.read > largeHeader && !h.locked {
		h.budget.large.Lock()
		h.locked = true
	}
	return h.r.ReadAt(p, off)
}

// done ends the reading and reports whether the header may be kept.
func (h *headerReader) done() bool {
	total := h.budget.read.Add(h.read)
	if h.locked {
		h.budget.large.Unlock()
	}
	return total <= maxHeaders
}
