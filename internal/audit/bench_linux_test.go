package audit_test

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"kilter/internal/audit"
	"kilter/internal/checkpoint"
	"kilter/internal/checkpoint/bulk"
	"kilter/internal/numeric"
)

// A measure is what one arm of a comparison took.
type measure struct{ wall, cpu time.Duration }

func take(f func()) measure {
	var a, b unix.Rusage
	unix.Getrusage(unix.RUSAGE_SELF, &a)
	began := time.Now()
	f()
	wall := time.Since(began)
	unix.Getrusage(unix.RUSAGE_SELF, &b)
	cpu := func(r *unix.Rusage) time.Duration { return time.Duration(r.Utime.Nano() + r.Stime.Nano()) }
	return measure{wall, cpu(&b) - cpu(&a)}
}

// shards writes two files of mb MiB each, one of BF16 matrices and one of
// modelopt's NVFP4, as large as a layer's in a real model, and leaves them in
// the page cache.
func shards(b *testing.B, mb int) string {
	b.Helper()
	dir := os.Getenv("KILTER_BENCH_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	dir = filepath.Join(dir, "kilter-bench-"+strconv.Itoa(mb))
	names := []string{"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"}
	if _, err := os.Stat(filepath.Join(dir, names[1])); err != nil {
		check(b, os.MkdirAll(dir, 0o700))
		where := map[string]string{}
		total := 0
		for k, name := range names {
			list := largeTensors(k, mb<<20)
			for _, x := range list {
				where[x.name] = name
				total += len(x.data)
			}
			check(b, os.WriteFile(filepath.Join(dir, name), safetensors(list), 0o600))
		}
		(&tiny{}).writeIndex(b, dir, where, total)
	}
	for _, name := range names {
		readAll(b, filepath.Join(dir, name), io.Discard)
	}
	return dir
}

// largeTensors are tensors of about size bytes in all.
func largeTensors(kind, size int) (list []tensor) {
	const out, in = 2048, 4096
	c := &tiny{}
	done := 0
	for i := 0; done < size; i++ {
		n := len(c.tensors)
		module := fmt.Sprintf("model.layers.%d.mlp.experts.%d.down_proj", i/16, i%16+100*kind)
		if kind == 0 {
			c.add(module+".weight", "BF16", encode(numeric.BF16, random(module, out*in, 0.02)), out, in)
		} else {
			c.nvfp4(module, out, in)
		}
		for _, x := range c.tensors[n:] {
			done += len(x.data)
		}
	}
	return c.tensors
}

func readAll(b testing.TB, path string, w io.Writer) {
	f, err := os.Open(path)
	check(b, err)
	defer f.Close()
	buf := make([]byte, 1<<20)
	for {
		n, err := f.Read(buf)
		if n > 0 {
			w.Write(buf[:n])
		}
		if err == io.EOF {
			return
		}
		check(b, err)
	}
}

// both does something with each file of a folder at once.
func both(dir string, f func(path string)) {
	files, _ := filepath.Glob(filepath.Join(dir, "*.safetensors"))
	var wg sync.WaitGroup
	for _, path := range files {
		wg.Go(func() { f(path) })
	}
	wg.Wait()
}

func sizeOf(dir string) (n int64) {
	files, _ := filepath.Glob(filepath.Join(dir, "*.safetensors"))
	for _, f := range files {
		st, err := os.Stat(f)
		if err == nil {
			n += st.Size()
		}
	}
	return n
}

// compare runs arms in turn, the order turning round, and reports the first
// arm's figures and the median of its ratios to each other.
func compare(b *testing.B, bytes int64, names []string, arms []func(), before func()) {
	taken := make([][]measure, len(arms))
	b.ResetTimer()
	for round := 0; b.Loop(); round++ {
		for k := range arms {
			k = (k + round) % len(arms)
			if before != nil {
				b.StopTimer()
				before()
				b.StartTimer()
			}
			taken[k] = append(taken[k], take(arms[k]))
		}
	}
	b.StopTimer()
	mid := func(f func(round int) float64) float64 {
		var list []float64
		for r := range taken[0] {
			list = append(list, f(r))
		}
		slices.Sort(list)
		return list[len(list)/2]
	}
	b.ReportMetric(0, "ns/op")
	for k, name := range names {
		b.ReportMetric(mid(func(r int) float64 { return float64(bytes) / float64(taken[k][r].wall.Nanoseconds()) }), name+"-GB/s")
		b.ReportMetric(mid(func(r int) float64 { return float64(taken[k][r].cpu.Nanoseconds()) / float64(bytes) }), name+"-cpu-s/GB")
		if k > 0 {
			b.ReportMetric(mid(func(r int) float64 { return taken[0][r].wall.Seconds() / taken[k][r].wall.Seconds() }), "wall/"+name)
			b.ReportMetric(mid(func(r int) float64 { return taken[0][r].cpu.Seconds() / taken[k][r].cpu.Seconds() }), "cpu/"+name)
		}
	}
}

// BenchmarkHot is one pass of SHA-256 and all checks over two files in the page
// cache, beside two plain SHA-256 streams and beside one.
func BenchmarkHot(b *testing.B) {
	dir := shards(b, 512)
	compare(b, sizeOf(dir), []string{"audit", "two-sha256", "one-sha256"}, []func(){
		func() { run(b, dir, audit.Options{}) },
		func() { both(dir, func(path string) { readAll(b, path, sha256.New()) }) },
		func() {
			files, _ := filepath.Glob(filepath.Join(dir, "*.safetensors"))
			for _, f := range files {
				readAll(b, f, sha256.New())
			}
		},
	}, nil)
}

// A summer reads its bytes as words and no more.
type summer uint64

func (s *summer) Write(p []byte) (int, error) {
	n := len(p)
	var a, c, d, e uint64
	for ; len(p) >= 32; p = p[32:] {
		w := (*[32]byte)(p)
		a += binary.LittleEndian.Uint64(w[0:])
		c += binary.LittleEndian.Uint64(w[8:])
		d += binary.LittleEndian.Uint64(w[16:])
		e += binary.LittleEndian.Uint64(w[24:])
	}
	*s += summer(a + c + d + e)
	return n, nil
}

// BenchmarkHotNoHash is the pass without hashes, beside two loops that read the
// same files into memory and add the words up.
func BenchmarkHotNoHash(b *testing.B) {
	dir := shards(b, 512)
	compare(b, sizeOf(dir), []string{"audit", "two-sums", "two-reads"}, []func(){
		func() { run(b, dir, audit.Options{NoHash: true}) },
		func() { both(dir, func(path string) { readAll(b, path, new(summer)) }) },
		func() { both(dir, func(path string) { readAll(b, path, io.Discard) }) },
	}, nil)
}

// BenchmarkCold is the pass over files that are not in the page cache, beside
// direct reads of the same bytes that look at nothing.
func BenchmarkCold(b *testing.B) {
	dir := shards(b, 1024)
	direct := func(path string) {
		h, err := checkpoint.Local{}.Open(context.Background(), path)
		check(b, err)
		defer h.Close()
		r, err := bulk.Open(h, bulk.Options{Strategy: bulk.Direct})
		check(b, err)
		defer r.Close()
		check(b, r.Each(context.Background(), 0, r.Size(), func(int64, []byte) error { return nil }))
	}
	compare(b, sizeOf(dir), []string{"audit", "two-direct-reads", "two-sha256-buffered"}, []func(){
		func() { run(b, dir, audit.Options{}) },
		func() { both(dir, direct) },
		func() { both(dir, func(path string) { readAll(b, path, sha256.New()) }) },
	}, func() {
		both(dir, func(path string) {
			f, err := os.Open(path)
			check(b, err)
			defer f.Close()
			check(b, unix.Fdatasync(int(f.Fd())))
			check(b, unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
		})
	})
}
