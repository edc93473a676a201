"""Turn a GGUF file into a Hugging Face checkpoint: gguf-to-hf.py GGUF FOLDER.

The weights are the GGUF's, no longer packed, in bfloat16. So vLLM, which has no
GGUF loader for CPUs, serves the very model that llama.cpp serves.
"""

import os
import sys

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, GgufConfig


def main(gguf: str, folder: str) -> None:
    source, name = os.path.split(os.path.abspath(gguf))
    model = AutoModelForCausalLM.from_pretrained(
        source,
        gguf_file=name,
        dtype=torch.bfloat16,
        quantization_config=GgufConfig(dequantize=True),
    )
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(source, gguf_file=name).save_pretrained(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
