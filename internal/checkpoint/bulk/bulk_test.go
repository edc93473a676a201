package bulk_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"kilter/internal/checkpoint"
	"kilter/internal/checkpoint/bulk"
	"kilter/internal/checkpoint/problem"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t testing.TB, name string) checkpoint.Handle {
	t.Helper()
	h, err := checkpoint.Local{}.Open(context.Background(), name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close() })
	return h
}

func write(t testing.TB, size int) (string, []byte) {
	t.Helper()
	data := make([]byte, size)
	rng := rand.New(rand.NewPCG(1, uint64(size)))
	for i := range data {
		data[i] = byte(rng.Uint32())
	}
	name := filepath.Join(t.TempDir(), "data")
	if err := os.WriteFile(name, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return name, data
}

// strategies are those that this system has for a file.
func strategies(t testing.TB, h checkpoint.Handle) []bulk.Options {
	var all []bulk.Options
	for _, o := range []bulk.Options{
		{Strategy: bulk.Auto}, {Strategy: bulk.Buffered, Chunk: 4096}, {Strategy: bulk.Buffered, Chunk: 8192, Depth: 3},
		{Strategy: bulk.Direct, Chunk: 4096, Depth: 1}, {Strategy: bulk.Direct, Chunk: 8192, Depth: 4}, {Strategy: bulk.Direct},
		{Strategy: bulk.Mapped, Chunk: 4096}, {Strategy: bulk.Mapped},
	} {
		r, err := bulk.Open(h, o)
		if errors.Is(err, bulk.ErrStrategy) {
			t.Logf("%v: %v", o.Strategy, err)
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		all = append(all, o)
	}
	return all
}

func TestEveryRange(t *testing.T) {
	for _, size := range []int{1, 4096, 30_000} {
		name, data := write(t, size)
		h := open(t, name)
		for _, o := range strategies(t, h) {
			r, err := bulk.Open(h, o)
			if err != nil {
				t.Fatal(err)
			}
			rapid.Check(t, func(t *rapid.T) {
				off := rapid.IntRange(0, size).Draw(t, "off")
				n := rapid.IntRange(0, size-off).Draw(t, "n")
				var got []byte
				next := int64(off)
				err := r.Each(context.Background(), int64(off), int64(n), func(at int64, p []byte) error {
					if at != next || len(p) == 0 {
						t.Fatalf("%d bytes at %d where %d comes next", len(p), at, next)
					}
					next += int64(len(p))
					got = append(got, p...)
					return nil
				})
				if err != nil || !bytes.Equal(got, data[off:off+n]) {
					t.Fatalf("%+v [%d, +%d): %d bytes, %v", o, off, n, len(got), err)
				}
			})
			if err := r.Close(); err != nil {
				t.Error(err)
			}
		}
	}
}

func TestBeyondTheEnd(t *testing.T) {
	name, _ := write(t, 5000)
	h := open(t, name)
	r, err := bulk.Open(h, bulk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for _, c := range [][2]int64{{-1, 2}, {0, 5001}, {5001, 0}, {4999, 2}, {1, 1<<63 - 1}, {0, -1}} {
		err := r.Each(context.Background(), c[0], c[1], func(int64, []byte) error { return nil })
		if !problem.Is(err, problem.Shrank) {
			t.Errorf("%v: %v", c, err)
		}
	}
}

func TestShrinks(t *testing.T) {
	const size = 64 << 20
	for _, left := range []int64{0, 5 << 20, 5<<20 + 100, 40 << 20, size - 1} {
		name, _ := write(t, 0)
		if err := os.Truncate(name, size); err != nil { // sparse
			t.Fatal(err)
		}
		h := open(t, name)
		for _, o := range strategies(t, h) {
			if err := os.Truncate(name, size); err != nil {
				t.Fatal(err)
			}
			o.Chunk = 1 << 20
			r, err := bulk.Open(h, o)
			if err != nil {
				t.Fatal(err)
			}
			sum := byte(0)
			err = r.Each(context.Background(), 0, size, func(at int64, p []byte) error {
				if at == 0 {
					if err := os.Truncate(name, left); err != nil {
						t.Fatal(err)
					}
				}
				for i := 0; i < len(p); i += 4096 { // a mapped page that is gone faults here
					sum |= p[i]
				}
				return nil
			})
			if !problem.Is(err, problem.Shrank) || sum != 0 {
				t.Errorf("%v, %d bytes left: %v", o.Strategy, left, err)
			}
			r.Close()
		}
	}
}

func TestPanicOfTheCallerIsTheCallers(t *testing.T) {
	name, _ := write(t, 100_000)
	h := open(t, name)
	for _, o := range strategies(t, h) {
		r, err := bulk.Open(h, o)
		if err != nil {
			t.Fatal(err)
		}
		func() {
			defer func() {
				if e := recover(); e != "mine" {
					t.Errorf("%v: recovered %v", o.Strategy, e)
				}
			}()
			_ = r.Each(context.Background(), 0, 100_000, func(int64, []byte) error { panic("mine") })
		}()
		r.Close()
	}
}

func TestErrorAndCancelEndIt(t *testing.T) {
	name, _ := write(t, 200_000)
	h := open(t, name)
	for _, o := range strategies(t, h) {
		o.Chunk = 4096
		r, err := bulk.Open(h, o)
		if err != nil {
			t.Fatal(err)
		}
		calls := 0
		err = r.Each(context.Background(), 0, 200_000, func(int64, []byte) error {
			if calls++; calls == 3 {
				return io.ErrClosedPipe
			}
			return nil
		})
		if !errors.Is(err, io.ErrClosedPipe) || calls != 3 {
			t.Errorf("%v: %d calls, %v", o.Strategy, calls, err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		err = r.Each(ctx, 0, 200_000, func(int64, []byte) error { cancel(); return nil })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%v: %v", o.Strategy, err)
		}
		r.Close()
	}
}

func TestBuffersAreReused(t *testing.T) {
	name, _ := write(t, 1<<20)
	h := open(t, name)
	r, err := bulk.Open(h, bulk.Options{Strategy: bulk.Buffered, Chunk: 256 << 10, Depth: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	each := func() {
		if err := r.Each(context.Background(), 0, 1<<20, func(int64, []byte) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	each()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 50 {
		each()
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 1<<20 {
		t.Errorf("50 calls allocated %d bytes", grown)
	}
}

// A remote handle has no file of this machine behind it.
type remote struct{ checkpoint.Handle }

func TestRemoteIsBuffered(t *testing.T) {
	name, data := write(t, 10_000)
	h := remote{open(t, name)}
	for _, s := range []bulk.Strategy{bulk.Direct, bulk.Mapped} {
		if _, err := bulk.Open(h, bulk.Options{Strategy: s}); !errors.Is(err, bulk.ErrStrategy) {
			t.Errorf("%v: %v", s, err)
		}
	}
	r, err := bulk.Open(h, bulk.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	var got []byte
	err = r.Each(context.Background(), 1, 9999, func(_ int64, p []byte) error { got = append(got, p...); return nil })
	if err != nil || r.Strategy() != bulk.Buffered || !bytes.Equal(got, data[1:]) {
		t.Errorf("%v, %d bytes, %v", r.Strategy(), len(got), err)
	}
}
