package bulk

import (
	"context"
	"crypto/sha256"
	"fmt"
	"hash/crc32"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"kilter/internal/checkpoint"
)

// BenchmarkEach compares the strategies over files of KILTER_BULK_MB MiB each
// (default 64), in the page cache and out of it, with one and two streams:
// "crc" costs next to nothing per byte, "sha" is what audit does.
func BenchmarkEach(b *testing.B) {
	mb := 64
	if s := os.Getenv("KILTER_BULK_MB"); s != "" {
		mb, _ = strconv.Atoi(s)
	}
	dir := b.TempDir()
	var paths []string
	block := make([]byte, 1<<20)
	for i := range block {
		block[i] = byte(i * 7)
	}
	for i := range 2 {
		p := filepath.Join(dir, fmt.Sprint(i))
		f, err := os.Create(p)
		if err != nil {
			b.Fatal(err)
		}
		for j := range mb {
			block[0] = byte(j)
			if _, err := f.Write(block); err != nil {
				b.Fatal(err)
			}
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
		f.Close()
		paths = append(paths, p)
	}
	arms := []Options{
		{Strategy: Buffered}, {Strategy: Buffered, Depth: 4}, {Strategy: Mapped}, {Strategy: Direct}, {Strategy: Direct, Chunk: 1 << 20, Depth: 16},
		{Strategy: Auto},
	}
	for _, cold := range []bool{false, true} {
		for _, work := range []string{"crc", "sha"} {
			for _, streams := range []int{1, 2} {
				for _, o := range arms {
					name := fmt.Sprintf("cold=%v/%s/streams=%d/%v-%dK-%d", cold, work, streams, o.Strategy, o.Chunk>>10, o.Depth)
					b.Run(name, func(b *testing.B) {
						b.SetBytes(int64(streams * mb << 20))
						var cpu time.Duration
						for b.Loop() {
							b.StopTimer()
							for _, p := range paths {
								if cold {
									evict(b, p)
								} else {
									touch(b, p)
								}
							}
							before := cpuTime()
							b.StartTimer()
							var wg sync.WaitGroup
							for _, p := range paths[:streams] {
								wg.Go(func() { consume(b, p, o, work) })
							}
							wg.Wait()
							cpu += cpuTime() - before
						}
						b.ReportMetric(cpu.Seconds()/float64(b.N)/(float64(streams*mb)/1000), "cpu-s/GB")
					})
				}
			}
		}
	}
}

func consume(b *testing.B, p string, o Options, work string) {
	h, err := checkpoint.Local{}.Open(context.Background(), p)
	if err != nil {
		b.Error(err)
		return
	}
	defer h.Close()
	r, err := Open(h, o)
	if err != nil {
		b.Error(err)
		return
	}
	defer r.Close()
	var fn func(int64, []byte) error
	sum, table, sha := uint32(0), crc32.MakeTable(crc32.Castagnoli), sha256.New()
	if work == "crc" {
		fn = func(_ int64, p []byte) error { sum = crc32.Update(sum, table, p); return nil }
	} else {
		fn = func(_ int64, p []byte) error { sha.Write(p); return nil }
	}
	if err := r.Each(context.Background(), 0, r.Size(), fn); err != nil {
		b.Error(err)
	}
}

func evict(b *testing.B, p string) {
	f, err := os.Open(p)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		b.Fatal(err)
	}
}

func touch(b *testing.B, p string) {
	f, err := os.Open(p)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	if _, err := io.Copy(io.Discard, f); err != nil {
		b.Fatal(err)
	}
}

func cpuTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
