package numeric

import (
	"fmt"
	"math"
)

// The 128x4 layout of block scales that the tensor-core kernels of cuBLASLt,
// CUTLASS and cuDNN read. Checkpoints hold scales row-major; servers swizzle
// while loading, and a few checkpoints are swizzled already. One byte is one
// scale. Rows are padded to a multiple of 128 and columns to a multiple of 4,
// with zeros; each tile of 128x4 is 512 bytes in one piece, tiles row by row,
// and inside a tile row r lies at (r mod 32)·16 + ⌊r/32⌋·4.
//
// Equivalent to numpy's
// pad(s).reshape(M/128, 4, 32, K/4, 4).transpose(0, 3, 2, 1, 4).
//
// Sources: NVIDIA's cuBLAS documentation, on the layout of one-dimensional block
// scaling factors (https://docs.nvidia.com/cuda/cublas/); FlashInfer,
// https://docs.flashinfer.ai/generated/flashinfer.quantization.block_scale_interleave.html;
// torch's to_blocked.

const (
	tileRows = 128
	tileCols = 4
	tileSize = tileRows * tileCols
)

// SwizzledSize returns the bytes of the swizzled form of rows x cols scales,
// padding included.
func SwizzledSize(rows, cols int) (int, error) {
	const most = math.MaxInt / 1024 // padding multiplies by 512 at most
	if rows < 0 || cols < 0 || rows > 0 && cols > most/rows {
		return 0, fmt.Errorf("swizzle: %d x %d scales are no tensor", rows, cols)
	}
	return ceilDiv(rows, tileRows) * ceilDiv(cols, tileCols) * tileSize, nil
}

// SwizzleOffset returns where the scale of a row and column lies in the
// swizzled form of a tensor with cols columns.
func SwizzleOffset(row, col, cols int) int {
	return (row/tileRows*ceilDiv(cols, tileCols)+col/tileCols)*tileSize +
		row%32*16 + row%tileRows/32*4 + col%tileCols
}

// Swizzle writes rows x cols row-major scales from src into dst in the swizzled
// form; dst must be SwizzledSize(rows, cols) long. Padding becomes zero.
func Swizzle(dst, src []byte, rows, cols int) error {
	if err := checkSwizzle(dst, src, rows, cols); err != nil {
		return err
	}
	clear(dst)
	for r := range rows {
		row := src[r*cols : (r+1)*cols]
		at := SwizzleOffset(r, 0, cols)
		for ; len(row) >= tileCols; row = row[tileCols:] {
			copy(dst[at:at+tileCols], row)
			at += tileSize
		}
		if len(row) > 0 {
			copy(dst[at:], row)
		}
	}
	return nil
}

// Unswizzle writes the scales of a swizzled src to dst, rows x cols row-major;
// src must be SwizzledSize(rows, cols) long. What the padding holds is ignored:
// [SwizzlePaddingZero] looks at it.
func Unswizzle(dst, src []byte, rows, cols int) error {
	if err := checkSwizzle(src, dst, rows, cols); err != nil {
		return err
	}
	for r := range rows {
		row := dst[r*cols : (r+1)*cols]
		at := SwizzleOffset(r, 0, cols)
		for ; len(row) >= tileCols; row = row[tileCols:] {
			copy(row[:tileCols], src[at:])
			at += tileSize
		}
		if len(row) > 0 {
			copy(row, src[at:])
		}
	}
	return nil
}

// SwizzlePaddingZero says whether all padding of a swizzled tensor is zero, as
// every writer leaves it.
func SwizzlePaddingZero(swizzled []byte, rows, cols int) (bool, error) {
	want, err := SwizzledSize(rows, cols)
	if err != nil {
		return false, err
	}
	if len(swizzled) != want {
		return false, fmt.Errorf("swizzle: %d bytes for %d x %d scales, want %d", len(swizzled), rows, cols, want)
	}
	width := ceilDiv(cols, tileCols) * tileCols
	for r := range ceilDiv(rows, tileRows) * tileRows {
		from := 0
		if r < rows {
			from = cols
		}
		for c := from; c < width; c++ {
			if swizzled[SwizzleOffset(r, c, cols)] != 0 {
				return false, nil
			}
		}
	}
	return true, nil
}

func checkSwizzle(swizzled, plain []byte, rows, cols int) error {
	want, err := SwizzledSize(rows, cols)
	if err != nil {
		return err
	}
	if len(swizzled) != want {
		return fmt.Errorf("swizzle: %d bytes for %d x %d scales, want %d", len(swizzled), rows, cols, want)
	}
	if len(plain) != rows*cols {
		return fmt.Errorf("swizzle: %d scales for %d x %d, want %d", len(plain), rows, cols, rows*cols)
	}
	return nil
}
