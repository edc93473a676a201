"""Runs the corpus under CPython and writes what it does to expected.json, and the names
that CPython knows to names.json.

    python3 testdata/record.py

A file in semantics/ is a source followed by lines "#> expression". Each expression
is evaluated in the finished module, in order. A file in primes/ defines is_prime;
it is called with the numbers in NUMBERS.
"""
import builtins, contextlib, io, json, math, os, sys

HERE = os.path.dirname(os.path.abspath(__file__))
NUMBERS = list(range(-3, 60)) + [91, 97, 121, 169, 341, 561, 997, 1009, 1105]


def outcome(f):
    try:
        return {"result": repr(f())}
    except Exception as e:
        return {"raises": type(e).__name__, "message": str(e)}


def run(path, calls):
    with open(path, encoding="utf-8") as f:
        src = f.read()
    if calls is None:
        calls = [line[3:].strip() for line in src.splitlines() if line.startswith("#> ")]
    ns = {"__name__": "kilter"}
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        load = outcome(lambda: exec(compile(src, path, "exec"), ns))
        results = []
        if "raises" not in load:
            for c in calls:
                results.append({"expr": c, **outcome(lambda: eval(c, ns))})
    return {"load": load if "raises" in load else None, "output": out.getvalue(), "calls": results}


def main():
    if sys.version_info[:2] != (3, 11):
        sys.exit("record with Python 3.11, the reference")
    expected = {}
    for folder in ("primes", "semantics"):
        for name in sorted(os.listdir(os.path.join(HERE, folder))):
            calls = ["is_prime(%d)" % n for n in NUMBERS] if folder == "primes" else None
            expected[folder + "/" + name] = run(os.path.join(HERE, folder, name), calls)
    names = {t.__name__: dir(t) for t in (int, float, bool, str, list, tuple, dict, set, frozenset, range, slice, property, type(x for x in ()), Exception, type(main))}
    names["builtins"] = dir(builtins)
    names["math"] = dir(math)
    names = {k: [n for n in v if not n.startswith("__")] for k, v in names.items()}
    with open(os.path.join(HERE, "names.json"), "w", encoding="utf-8") as f:
        json.dump(names, f, indent=1)
        f.write("\n")
    with open(os.path.join(HERE, "expected.json"), "w", encoding="utf-8") as f:
        json.dump(expected, f, indent=1, ensure_ascii=False)
        f.write("\n")
    print(len(expected), "files,", sum(len(e["calls"]) for e in expected.values()), "calls")


main()
