package numeric

import (
	"crypto/sha256"
	"math/rand/v2"
	"syscall"
	"testing"
)

// weights returns n normally distributed values, as weights are.
func weights(n int, sigma float64) []float32 {
	rng := rand.New(rand.NewPCG(1, 2))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64() * sigma)
	}
	return x
}

func BenchmarkScan(b *testing.B) {
	const size = 16 << 20
	random := make([]byte, size)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range random {
		random[i] = byte(rng.Uint32())
	}
	encode := func(d DType, sigma float64) []byte {
		n := size / d.BlockBytes() * d.Block()
		p := make([]byte, size)
		if err := d.Encode(p, weights(n, sigma)); err != nil {
			b.Fatal(err)
		}
		return p
	}
	for _, c := range []struct {
		name string
		d    DType
		row  int64
		data func() []byte
	}{
		{"BF16", BF16, 4096, func() []byte { return encode(BF16, 0.02) }},
		{"BF16 zeros", BF16, 4096, func() []byte { return make([]byte, size) }},
		{"F16", F16, 4096, func() []byte { return encode(F16, 0.02) }},
		{"F32", F32, 4096, func() []byte { return encode(F32, 0.02) }},
		{"F8_E4M3 amax 4.5 sigma", F8E4M3, 4096, func() []byte { return encode(F8E4M3, 100) }},
		{"F8_E4M3 amax 45 sigma", F8E4M3, 4096, func() []byte { return encode(F8E4M3, 10) }},
		{"F8_E4M3 random", F8E4M3, 4096, func() []byte { return random }},
		{"F8_E4M3 scales", F8E4M3, 256, func() []byte { x := encode(F8E4M3, 100); clearSigns(x); return x }},
		{"F8_E8M0", F8E8M0, 256, func() []byte { return scalesE8M0(size) }},
		{"F8_E8M0 random", F8E8M0, 256, func() []byte { return random }},
		{"F4", F4, 4096, func() []byte { return encode(F4, 2) }},
		{"I32", I32, 512, func() []byte { return random }},
		{"Q4_0", Q4_0, 4096, func() []byte { return soundBlocks(random, Q4_0) }},
		{"Q8_0", Q8_0, 4096, func() []byte { return soundBlocks(random, Q8_0) }},
		{"Q4_K", Q4_K, 4096, func() []byte { return soundBlocks(random, Q4_K) }},
		{"Q6_K", Q6_K, 4096, func() []byte { return soundBlocks(random, Q6_K) }},
		{"MXFP4", MXFP4, 4096, func() []byte { return soundBlocks(random, MXFP4) }},
		{"NVFP4", NVFP4, 4096, func() []byte { return soundBlocks(random, NVFP4) }},
	} {
		b.Run(c.name, func(b *testing.B) {
			data := c.data()
			s, err := NewScanner(c.d, c.row)
			if err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			start := cpuTime()
			defer func() {
				b.ReportMetric(float64(len(data))*float64(b.N)/float64(cpuTime()-start), "GB/cpu-s")
			}()
			for b.Loop() {
				s.Reset(c.d, c.row)
				for p := data; len(p) > 0; {
					n := min(len(p), 1<<20)
					s.Write(p[:n])
					p = p[n:]
				}
				if _, err := s.Stats(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// scalesE8M0 are codes as a sound tensor has them, near each other.
func scalesE8M0(n int) []byte {
	rng := rand.New(rand.NewPCG(3, 4))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(118 + rng.NormFloat64()*1.5)
	}
	return b
}

// soundBlocks copies GGUF blocks and gives them scales as a sound tensor has.
func soundBlocks(random []byte, d DType) []byte {
	size := d.BlockBytes()
	b := append([]byte(nil), random[:len(random)/size*size]...)
	for i := 0; i < len(b); i += size {
		block := b[i : i+size]
		switch d {
		case MXFP4:
			block[0] = 115 + block[0]%8
		case NVFP4:
			for j := range 4 {
				block[j] = 0x30 + block[j]%32
			}
		case Q6_K:
			block[209] = block[209]%16 + 0x10
		default:
			block[1], block[3] = block[1]%16+0x10, block[3]%16+0x10
		}
	}
	return b
}

func clearSigns(b []byte) {
	for i := range b {
		b[i] &= 0x7f
	}
}

// cpuTime returns what the process has used, in ns: on a busy machine the wall
// clock says little.
func cpuTime() int64 {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return u.Utime.Nano() + u.Stime.Nano()
}

// BenchmarkReference is what the scans are measured against: SHA-256 of the same
// bytes, and reading them.
func BenchmarkReference(b *testing.B) {
	data := make([]byte, 16<<20)
	for name, f := range map[string]func(){
		"SHA-256": func() { sha256.Sum256(data) },
		"read": func() {
			var x uint64
			for p := data; len(p) >= 64; p = p[64:] {
				w := (*[64]byte)(p)
				x |= le.Uint64(w[0:]) | le.Uint64(w[8:]) | le.Uint64(w[16:]) | le.Uint64(w[24:]) |
					le.Uint64(w[32:]) | le.Uint64(w[40:]) | le.Uint64(w[48:]) | le.Uint64(w[56:])
			}
			if x != 0 {
				b.Fatal()
			}
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			start := cpuTime()
			for b.Loop() {
				f()
			}
			b.ReportMetric(float64(len(data))*float64(b.N)/float64(cpuTime()-start), "GB/cpu-s")
		})
	}
}

func BenchmarkDequant(b *testing.B) {
	const n = 1 << 16
	dst, src := make([]float32, n), make([]byte, 4*n)
	rng := rand.New(rand.NewPCG(5, 6))
	for i := range src {
		src[i] = byte(rng.Uint32())
	}
	run := func(name string, bytes int, f func() error) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(bytes))
			b.ReportAllocs()
			start := cpuTime()
			for b.Loop() {
				if err := f(); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/float64(cpuTime()-start), "Gweights/cpu-s")
		})
	}
	for _, d := range []DType{BF16, F16, F8E4M3, Q4_0, Q5_1, Q8_0, Q4_K, Q5_K, Q6_K, MXFP4, NVFP4} {
		size, _ := d.Bytes(n)
		run(d.String(), int(size), func() error { return d.Decode(dst, src[:size]) })
	}
	scales := make([]float32, n/32)
	run("modelopt NVFP4", n/2+n/16, func() error { return DecodeNVFP4(dst, src[:n/2], src[n:n+n/16], 0.01) })
	run("reciprocal NVFP4", n/2+n/16, func() error { return DecodeNVFP4Reciprocal(dst, src[:n/2], src[n:n+n/16], 100) })
	run("gpt-oss MXFP4", n/2+n/32, func() error { return DecodeMXFP4(dst, src[:n/2], src[n:n+n/32]) })
	run("FP8 block", n, func() error { return DecodeFP8Block(dst, src[:n], scales[:n/128], 128) })
	run("INT4", n/2, func() error { return DecodeINT4(dst, src[:n/2], scales, nil, 32) })
}
