package model_test

import (
	"context"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"kilter/internal/checkpoint"
	"kilter/internal/model"
	"kilter/internal/modeltest"
)

// BenchmarkRead measures opening and describing checkpoints of 200 shards, with
// 105,000 and with 370,000 tensors: time, and the memory that the process then
// has.
func BenchmarkRead(b *testing.B) {
	for _, layers := range []int{17, 60} {
		b.Run(strconv.Itoa(layers)+"layers", func(b *testing.B) { benchmarkRead(b, layers) })
	}
}

func benchmarkRead(b *testing.B, layers int) {
	dir := b.TempDir()
	if err := modeltest.Qwen(dir, 200, layers); err != nil {
		b.Fatal(err)
	}
	debug.FreeOSMemory()
	b.ReportAllocs()
	var open, read time.Duration
	for b.Loop() {
		start := time.Now()
		c, err := checkpoint.Open(context.Background(), checkpoint.Local{}, dir, checkpoint.Options{})
		if err != nil {
			b.Fatal(err)
		}
		open += time.Since(start)
		start = time.Now()
		if _, err := model.Read(context.Background(), c); err != nil {
			b.Fatal(err)
		}
		read += time.Since(start)
		b.ReportMetric(float64(c.Tensors.Len()), "tensors")
	}
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	b.ReportMetric(float64(open.Milliseconds())/float64(b.N), "open-ms")
	b.ReportMetric(float64(read.Milliseconds())/float64(b.N), "read-ms")
	b.ReportMetric(float64(mem.Sys)/1e6, "sys-MB")
}
