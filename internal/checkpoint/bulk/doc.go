// Package bulk reads long ranges of a checkpoint's files, for work that goes
// over every byte: audit's hashes and checks, and the oracle's weights.
//
// A Reader hands a range over in pieces, in order, to a function that runs in
// the caller's goroutine. How the bytes come is its Strategy:
//
//   - Buffered: pread through the page cache into one buffer.
//   - Direct: O_DIRECT into aligned buffers, several pieces at a time, each
//     buffer with a goroutine that ends with the call.
//   - Mapped: mmap, a window of 32 MiB at a time. A page that is gone is a
//     fault, which becomes an error.
//
// # What was measured, and what Auto does with it
//
// On 2 vCPU AMD EPYC (Zen 4) with a virtual disk, Linux 6.18, 2026-11-29, files
// of 1 GiB, others busy on the machine (load 5 to 12), so CPU time per GB says
// more than GB/s. "crc" is CRC32C (0.04 s/GB), "sha" is SHA-256.
//
//	                        in the page cache (2 runs)    not in it (4 rounds, order reversed)
//	                        crc        crc       sha      crc             crc
//	                        GB/s   CPU s/GB  CPU s/GB     GB/s, median    CPU s/GB
//	Buffered 1 MiB          9.3        0.11      0.66     0.92            0.44 - 1.01
//	Buffered 1 MiB, 4 deep  8.1        0.13      0.68     1.10            0.28 - 0.56
//	Mapped 1 MiB            5.6        0.18      0.64     0.58            0.56 - 1.07
//	Direct 2 MiB, 16 deep   1.1        0.33      0.81     -               -
//	Direct 1 MiB, 16 deep   -          -         -        1.23            0.34 - 0.39
//	Direct 4 MiB, 4 deep    -          -         -        1.15            0.27 - 0.31
//
// So Auto takes Buffered (pieces of 1 MiB, which are still in the L2 cache when
// the caller reads them) for a file in the page cache: filling page tables
// costs more than copying does, unless the caller is slow anyway. It takes
// Direct (4 MiB, 4 deep) for a file of which over a third is not cached: about
// the disk's speed at half the CPU time. Mapped was best nowhere by more than
// 3 % and is kept for machines on which it is.
package bulk
