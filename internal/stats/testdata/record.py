#!/usr/bin/env python3
"""Record reference values for kilter's internal/stats from SciPy.

    python3 -m venv /tmp/v && /tmp/v/bin/pip install scipy
    /tmp/v/bin/python record.py > scipy.json
"""
import itertools
import json
import math
import random

import numpy
import scipy
from scipy import special, stats

out = {"made_by": f"record.py, scipy {scipy.__version__}, numpy {numpy.__version__}"}

out["clopper_pearson"] = []
for k, n, conf in [
    (0, 1, 0.95), (1, 1, 0.95), (0, 10, 0.95), (1, 10, 0.95), (5, 10, 0.95), (10, 10, 0.95),
    (3, 50, 0.9), (81, 263, 0.95), (15, 148, 0.95), (1, 29, 0.95), (7, 10000, 0.99),
    (9993, 10000, 0.99), (500000, 1000000, 0.95), (2, 1000000, 0.999999),
]:
    ci = stats.binomtest(k, n).proportion_ci(conf, "exact")
    out["clopper_pearson"].append({"k": k, "n": n, "conf": conf, "lo": ci.low, "hi": ci.high})

out["zero_events_upper"] = [
    {"n": n, "conf": conf, "hi": float(special.betaincinv(1, n, conf))}
    for n, conf in itertools.product([1, 3, 100, 10000, 10**7], [0.9, 0.95, 0.999])
]

out["regularized_beta"] = [
    {"a": a, "b": b, "x": x, "value": float(special.betainc(a, b, x))}
    for a, b, x in itertools.product([0.5, 1, 3, 40.5, 2000], [0.5, 1, 7, 300], [1e-6, 0.02, 0.3, 0.5, 0.9, 0.999])
]

rng = random.Random(1)
out["categorical"] = []
for n in (2, 5, 40):
    p, q = (numpy.array([rng.gauss(0, 3) for _ in range(n)]) for _ in range(2))
    lp, lq = special.log_softmax(p), special.log_softmax(q)
    out["categorical"].append({
        "logits_p": list(p), "logprobs_p": list(lp), "logprobs_q": list(lq),
        "logsumexp": float(special.logsumexp(p)),
        "entropy": float(stats.entropy(numpy.exp(lp))),
        "kl": float(stats.entropy(numpy.exp(lp), numpy.exp(lq))),
        "perplexity": math.exp(-float(lp.mean())),
    })


def mmd2(prompts):
    """Written from the formula, with all pairs, as a check on the sums that the Go code rearranges."""
    total = 0.0
    for a, b in prompts:
        length = max(map(len, a + b))
        pad = lambda s: list(s) + [-1] * (length - len(s))
        a, b = [pad(s) for s in a], [pad(s) for s in b]
        k = lambda x, y: sum(u == v for u, v in zip(x, y)) / length
        total += (
            numpy.mean([k(x, y) for x, y in itertools.permutations(a, 2)])
            + numpy.mean([k(x, y) for x, y in itertools.permutations(b, 2)])
            - 2 * numpy.mean([k(x, y) for x, y in itertools.product(a, b)])
        )
    return float(total / len(prompts))


out["mmd"] = []
for vocab in (2, 6):
    draw = lambda m: [[rng.randrange(vocab) for _ in range(rng.randrange(1, 9))] for _ in range(m)]
    prompts = [(draw(3), draw(4)), (draw(5), draw(2))]
    out["mmd"].append({"prompts": [{"A": a, "B": b} for a, b in prompts], "mmd2": mmd2(prompts)})

print(json.dumps(out, indent=1))
