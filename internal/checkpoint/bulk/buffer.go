package bulk

import "unsafe"

// buffer returns memory for one piece, aligned for O_DIRECT.
func (r *Reader) buffer() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n := len(r.free); n > 0 {
		b := r.free[n-1]
		r.free = r.free[:n-1]
		return b
	}
	raw := make([]byte, r.chunk+align)
	skip := int(-uintptr(unsafe.Pointer(&raw[0])) & (align - 1)) //nolint:gosec // only the address is looked at
	return raw[skip : skip+r.chunk : skip+r.chunk]
}

// release takes a buffer back.
func (r *Reader) release(b []byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.free = append(r.free, b)
}
