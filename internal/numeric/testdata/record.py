#!/usr/bin/env python3
"""Records what other implementations make of the formats in this package.

    python3 -m venv /tmp/v && /tmp/v/bin/pip install numpy ml_dtypes gguf
    /tmp/v/bin/python internal/numeric/testdata/record.py

writes recorded.json.gz beside itself; byte for byte the same on every run with
the same versions (they are in the file). Recorded with numpy 2.4.6,
ml_dtypes 0.6.0, gguf 0.19.0.

Independent are: ml_dtypes for the small floats, numpy for binary16, the gguf
package for GGUF's blocks. NVFP4, MXFP4, FP8 blocks, INT4 and the swizzle are
formulated here, on whole arrays with ml_dtypes' types, which shares no code and
no approach with the Go code.
"""

import base64
import gzip
import hashlib
import json
import pathlib
from importlib.metadata import version

import gguf
import ml_dtypes
import numpy as np
from gguf import quants

rng = np.random.default_rng(20261129)
f32 = np.float32


def b64(a):
    return base64.b64encode(np.ascontiguousarray(a).tobytes()).decode()


def bits(a):
    return np.asarray(a, dtype=f32).view(np.uint32)


# --- scalar codecs ---------------------------------------------------------

SMALL = {
    "F4": (ml_dtypes.float4_e2m1fn, np.uint8, 16),
    "F8_E4M3": (ml_dtypes.float8_e4m3fn, np.uint8, 256),
    "F8_E5M2": (ml_dtypes.float8_e5m2, np.uint8, 256),
    "F8_E8M0": (ml_dtypes.float8_e8m0fnu, np.uint8, 256),
    "BF16": (ml_dtypes.bfloat16, np.uint16, 65536),
    "F16": (np.float16, np.uint16, 65536),
}


def every_value(name):
    dtype, code, n = SMALL[name]
    return np.arange(n).astype(code).view(dtype).astype(f32)


def decode(name):
    """All values; of 16 bits the hash, with every NaN as 0x7fc00000."""
    values = bits(every_value(name)).copy()
    values[(values & 0x7FFFFFFF) > 0x7F800000] = 0x7FC00000
    if len(values) <= 256:
        return {"bits": b64(values)}
    return {"sha256": hashlib.sha256(values.astype("<u4").tobytes()).hexdigest()}


def encode(name):
    """Codes of: ties between neighbours and what lies next to them, random bits, specials."""
    dtype, code, n = SMALL[name]
    values = every_value(name)
    finite = np.unique(values[np.isfinite(values)].astype(np.float64))
    if n > 256:
        finite = np.concatenate([finite[:200], finite[-200:], finite[len(finite) // 2 - 100:][:200],
                                 np.sort(rng.choice(finite, 400))])
    ties = f32((finite[1:] + finite[:-1]) / 2) if n <= 256 else None
    if ties is None:  # neighbours of the chosen values
        with np.errstate(over="ignore"):
            up = np.nextafter(finite.astype(dtype), dtype(np.inf)).astype(np.float64)
            ties = f32((finite + up) / 2)
    ties = ties[np.isfinite(ties)]
    random = rng.integers(0, 2**32, 600, dtype=np.uint32).view(f32)
    near = f32(rng.normal(size=300) * np.exp2(rng.integers(-12, 12, 300)))
    special = f32([0, -0.0, 1e-45, -1e-45, 1e-40, 3.4e38, -3.4e38, np.inf, -np.inf, 448, 464, 465, 57344, 61439, 61440, 65504, 65519, 65520])
    x = np.concatenate([ties, np.nextafter(ties, f32(np.inf)), np.nextafter(ties, f32(-np.inf)), f32(finite), random, near, special])
    x = x[~np.isnan(x)].astype(f32)
    with np.errstate(over="ignore", invalid="ignore"):
        return {"input": b64(bits(x)), "codes": b64(x.astype(dtype).view(code).astype("<u2"))}


# --- GGUF -------------------------------------------------------------------

GGUF = ["Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0", "Q4_K", "Q5_K", "Q6_K", "MXFP4", "NVFP4"]


def gguf_blocks(name):
    qtype = gguf.GGMLQuantizationType[name]
    n, size = gguf.GGML_QUANT_SIZES[qtype]
    count = 4096 // n // (2 if n == 256 else 4)
    blocks = rng.integers(0, 256, (count, size), dtype=np.uint8)
    halves = {"Q4_1": [0, 2], "Q5_1": [0, 2], "Q4_K": [0, 2], "Q5_K": [0, 2], "Q6_K": [208], "MXFP4": [], "NVFP4": []}.get(name, [0])
    for at in halves:  # finite, of every size, one zero, one subnormal
        h = np.float16(rng.normal(size=count) * np.exp2(rng.integers(-14, 3, count)))
        h[0], h[1] = 0, np.float16(3e-6)
        blocks[:, at:at + 2] = h.view(np.uint8).reshape(count, 2)
    if name == "MXFP4":
        blocks[:, 0] = rng.integers(100, 140, count)
        blocks[:6, 0] = [0, 1, 2, 253, 254, 255]
    if name == "NVFP4":
        blocks[:3, :4] = [[0, 1, 7, 8], [0x7E, 0x7F, 0x80, 0x81], [0xFE, 0xFF, 0x38, 0xB8]]
    with np.errstate(over="ignore", invalid="ignore"):
        y = quants.dequantize(blocks, qtype)
    return {"blocks": b64(blocks), "values": b64(bits(y))}


# --- formats with scales of their own ---------------------------------------


def unpack4(packed):
    """[N, K/2] bytes to [N, K] E2M1 values: low nibble first."""
    codes = np.stack([packed & 15, packed >> 4], axis=-1).reshape(packed.shape[0], -1)
    return codes.astype(np.uint8).view(ml_dtypes.float4_e2m1fn).astype(f32)


def pack4(values):
    codes = values.astype(f32).astype(ml_dtypes.float4_e2m1fn).view(np.uint8)
    return (codes[:, 0::2] | codes[:, 1::2] << 4).astype(np.uint8)


def weights(n, k):
    w = f32(rng.standard_t(4, size=(n, k)) * 0.02)
    w[0, :64] = 0  # whole blocks of zeros
    w[1, :64] *= f32(1e-6)  # blocks too small for their scale
    return w


def nvfp4():
    n, k = 7, 96
    packed = rng.integers(0, 256, (n, k // 2), dtype=np.uint8)
    scales = rng.integers(0, 127, (n, k // 16), dtype=np.uint8)
    s = np.repeat(scales.view(ml_dtypes.float8_e4m3fn).astype(f32), 16, axis=1)
    scale2, glob = f32(3.1415926e-4), f32(2688 / 0.3127)
    w = weights(16, 256)
    amax = np.abs(w).max()
    scale2w = f32(amax) / f32(6 * 448)
    block = np.abs(w).reshape(16, -1, 16).max(axis=-1)
    bs = np.maximum(block / (f32(6) * scale2w), f32(2**-9))
    bs[block == 0] = 1
    bs8 = bs.astype(ml_dtypes.float8_e4m3fn)
    q = w / np.repeat(bs8.astype(f32) * scale2w, 16, axis=1)
    # As ModelOpt defines the rounding: by bounds, every other tie upwards.
    bounds = f32([0.25, 0.75, 1.25, 1.75, 2.5, 3.5, 5])
    codes = np.searchsorted(bounds, np.abs(q)) + np.isin(np.abs(q), bounds[[1, 3, 5]]) + 8 * (q < 0)
    codes = codes.astype(np.uint8)
    return {
        "rows": n, "packed": b64(packed), "scales": b64(scales),
        "scale2": float(scale2), "values": b64(bits(unpack4(packed) * s * scale2)),
        "modelopt": b64(bits(unpack4(packed) * (s * scale2))),
        "global": float(glob), "reciprocal": b64(bits(unpack4(packed) * s / glob)),
        "weights": b64(bits(w)), "weights_scale2": float(scale2w),
        "weights_packed": b64(codes[:, 0::2] | codes[:, 1::2] << 4), "weights_scales": b64(bs8.view(np.uint8)),
    }


def mxfp4():
    n, k = 5, 128
    packed = rng.integers(0, 256, (n, k // 2), dtype=np.uint8)
    scales = rng.integers(90, 160, (n, k // 32), dtype=np.uint8)
    scales[0, :4] = [0, 1, 254, 255]
    s = np.repeat(scales.view(ml_dtypes.float8_e8m0fnu).astype(f32), 32, axis=1)
    w = weights(8, 256)
    amax = np.abs(w).reshape(8, -1, 32).max(axis=-1)
    with np.errstate(divide="ignore", over="ignore"):
        e = np.where(amax > 0, np.floor(np.log2(amax.astype(np.float64))) - 2 + 127, 0).astype(np.uint8)
        values = unpack4(packed) * s
    q = w.astype(np.float64) / np.exp2(np.repeat(e, 32, axis=1).astype(np.float64) - 127)
    return {
        "rows": n, "packed": b64(packed), "scales": b64(scales), "values": b64(bits(values)),
        "weights": b64(bits(w)), "weights_packed": b64(pack4(f32(q))), "weights_scales": b64(e),
    }


def fp8_block():
    n, k = 3, 300  # 300 = 2 blocks and a rest
    codes = rng.integers(0, 127, (n, k), dtype=np.uint8) | rng.integers(0, 2, (n, k), dtype=np.uint8) << 7
    scales = f32(rng.uniform(1e-4, 1e-2, (n, 3)))
    v = codes.view(ml_dtypes.float8_e4m3fn).astype(f32) * np.repeat(scales, 128, axis=1)[:, :k]
    return {"rows": n, "codes": b64(codes), "scales": b64(bits(scales)), "values": b64(bits(v))}


def int4(k, group):
    n = 4
    q = rng.integers(-8, 8, (n, k))
    padded = np.pad(q + 8, ((0, 0), (0, -k % 8))).astype(np.uint32).reshape(n, -1, 8)
    packed = (padded << (4 * np.arange(8, dtype=np.uint32))).sum(axis=-1).astype("<u4")
    scales = f32(f32(rng.uniform(1e-3, 1e-2, (n, -(-k // group)))).astype(ml_dtypes.bfloat16))
    zeros = rng.integers(-8, 8, scales.shape).astype(np.int8)
    rep = lambda a: np.repeat(a, group, axis=1)[:, :k]
    w = f32(rng.normal(size=(n, k)) * 0.02)
    w[0, :group] = 0
    amax = np.stack([np.abs(w[:, i:i + group]).max(axis=1) for i in range(0, k, group)], axis=1)
    ws = f32((amax / f32(7.5)).astype(ml_dtypes.bfloat16))
    ws[ws == 0] = f32(ml_dtypes.finfo(ml_dtypes.bfloat16).eps)
    wq = np.clip(np.rint(w / rep(ws)), -8, 7).astype(np.int8)
    return {
        "rows": n, "k": k, "group": group, "q": b64(q.astype(np.int8)), "packed": b64(packed),
        "scales": b64(bits(scales)), "zeros": b64(zeros),
        "values": b64(bits(f32(q) * rep(scales))),
        "asymmetric": b64(bits(f32(q - rep(zeros.astype(int))) * rep(scales))),
        "weights": b64(bits(w)), "weights_scales": b64(bits(ws)), "weights_q": b64(wq),
    }


def swizzle(rows, cols):
    s = rng.integers(1, 256, (rows, cols), dtype=np.uint8)
    p = np.pad(s, ((0, -rows % 128), (0, -cols % 4)))
    m, k = p.shape
    z = p.reshape(m // 128, 4, 32, k // 4, 4).transpose(0, 3, 2, 1, 4)
    return {"rows": rows, "cols": cols, "plain": b64(s), "swizzled": b64(z)}


recorded = {
    "versions": {p: version(p) for p in ("numpy", "ml_dtypes", "gguf")},
    "decode": {name: decode(name) for name in SMALL},
    "encode": {name: encode(name) for name in SMALL},
    "gguf": {name: gguf_blocks(name) for name in GGUF},
    "nvfp4": nvfp4(),
    "mxfp4": mxfp4(),
    "fp8_block": fp8_block(),
    "int4": [int4(64, 32), int4(256, 128), int4(100, 32), int4(21, 7)],
    "swizzle": [swizzle(*s) for s in [(128, 4), (130, 6), (5, 3), (256, 8), (1, 1), (129, 4)]],
}
out = pathlib.Path(__file__).parent / "recorded.json.gz"
out.write_bytes(gzip.compress(json.dumps(recorded, sort_keys=True).encode(), 9, mtime=0))
print(out, out.stat().st_size, "bytes", recorded["versions"])
