#!/usr/bin/env python3
"""Records what the Python packages see in real files, for checkpoint's tests.

    python3 -m venv VENV && VENV/bin/pip install gguf==0.19.0 safetensors==0.8.0 numpy
    VENV/bin/python record.py ~/.cache/kilter/engines/models/*.gguf \
        ~/.cache/kilter/engines/models/smollm2-135m-instruct-hf/model.safetensors > listings.json

Per file: size, number of tensors and keys, SHA-256 over one line per tensor
(name, type, shape outermost first, offset, length; in the order of offsets), the
first and last of these lines, and metadata: numbers and strings as they are,
arrays as type, length and SHA-256 over all elements (strings as length, colon
and bytes; numbers as little-endian float64).
"""
import hashlib, json, os, struct, sys
import gguf
from safetensors import safe_open


def lines_gguf(path):
    r = gguf.GGUFReader(path)
    lines = []
    for t in r.tensors:
        shape = [int(d) for d in reversed(t.shape)]
        lines.append((int(t.data_offset), t.name, t.tensor_type.name, shape, int(t.n_bytes)))
    meta = {}
    for key, field in r.fields.items():
        if key.startswith("GGUF."):
            continue
        v = field.contents()
        if isinstance(v, list):
            h = hashlib.sha256()
            for x in v:
                b = x.encode("utf-8", "surrogateescape") if isinstance(x, str) else None
                h.update(b"%d:" % len(b) + b if b is not None else struct.pack("<d", x))
            meta[key] = {"elem": field.types[-1].name, "len": len(v), "sha256": h.hexdigest()}
        else:
            meta[key] = v
    return lines, meta


def lines_safetensors(path):
    with open(path, "rb") as f:
        n = struct.unpack("<Q", f.read(8))[0]
        header = json.loads(f.read(n))
    lines = []
    with safe_open(path, "np") as f:  # the package has to accept the file
        names = set(f.keys())
        meta = f.metadata() or {}
    for name, e in header.items():
        if name == "__metadata__":
            continue
        assert name in names
        a, b = e["data_offsets"]
        lines.append((8 + n + a, name, e["dtype"], e["shape"], b - a))
    return lines, meta


out = {}
for path in sys.argv[1:]:
    lines, meta = (lines_gguf if path.endswith(".gguf") else lines_safetensors)(path)
    text = [f"{name} {typ} {json.dumps(shape, separators=(',', ':'))} {off} {n}" for off, name, typ, shape, n in sorted(lines)]
    out[os.path.basename(path)] = {
        "size": os.path.getsize(path), "tensors": len(text), "first": text[0], "last": text[-1],
        "sha256": hashlib.sha256("\n".join(text).encode()).hexdigest(), "metadata": meta,
    }
sizes = {str(int(t)): [t.name, *gguf.GGML_QUANT_SIZES[t]] for t in gguf.GGMLQuantizationType}
json.dump({"files": out, "types": sizes, "versions": {"gguf": "0.19.0", "safetensors": "0.8.0"}}, sys.stdout, indent=1, ensure_ascii=False)
print()
