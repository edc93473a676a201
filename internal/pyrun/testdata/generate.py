"""Writes semantics/generated.py: random expressions, the same ones every time.

    python3 testdata/generate.py && python3 testdata/record.py
"""
import os, random

R = random.Random(20240607)
INTS = [0, 1, -1, 2, -2, 3, 7, -7, 10, 255, -256, 2**31, -2**31, 2**53, 2**53 + 1, 2**62, 2**63 - 1, 2**63, -2**63, -2**63 - 1,
        2**64, 10**18, -10**19, 3**50, -7**40]
FLOATS = ["0.0", "-0.0", "1.0", "-1.5", "0.1", "2.5", "1e-10", "1e16", "123456.789", "-1e300", "3.0", "0.5", "1e22", "float('inf')", "5e-324"]
lines = []


def num():
    return "(%s)" % (R.choice(FLOATS) if R.random() < 0.35 else R.choice(INTS))


def integer():
    return "(%d)" % (R.choice(INTS) if R.random() < 0.6 else R.randint(-1000, 1000))


for _ in range(400):
    lines.append("%s %s %s" % (num(), R.choice(["+", "-", "*", "/", "//", "%", "<", "<=", "==", "!=", ">", ">="]), num()))
for _ in range(150):
    lines.append("%s %s %s" % (integer(), R.choice(["&", "|", "^", "//", "%", "-", "*", "+"]), integer()))
for _ in range(60):
    lines.append("%s %s (%d)" % (integer(), R.choice(["<<", ">>", "**"]), R.randint(0, 90)))
for _ in range(60):
    lines.append("pow(%s, %d, %s)" % (integer(), R.randint(0, 50), R.choice(["7", "-11", "10**9+7", "2**70", "1"])))
for _ in range(100):
    lines.append("divmod(%s, %s)" % (num(), num()))
for _ in range(100):
    lines.append("round(%s, %d)" % (R.choice([repr(R.uniform(-1000, 1000)), repr(R.randint(-10**6, 10**6)), repr(R.randint(0, 10**6) / 8), repr(R.uniform(0, 1e20))]), R.randint(-4, 6)))
for _ in range(250):
    spec = R.choice(["", "*<", ">", "^", "=", "#^"]) + R.choice(["", "+", " ", "-"]) + R.choice(["", "", "#"]) + R.choice(["", "0"]) + R.choice(["", "3", "8", "14"])
    spec += R.choice(["", "", ",", "_"]) + R.choice(["", "", ".0", ".2", ".5"]) + R.choice(["", "d", "f", "e", "g", "x", "b", "%", "s", "G", "E", "o"])
    v = R.choice(["42", "-7", "0", "1234567", "1234567.891", "-0.5", "1e20", "0.00001234", "'abc'", "True", "10**20"])
    lines.append("format(%s, %r)" % (v, spec))
for _ in range(120):
    spec = "%" + R.choice(["", "-", "+", "0", " ", "#", "-+", "+0"]) + R.choice(["", "5", "10"]) + R.choice(["", ".2", ".0", ".4"]) + R.choice("fegsrEG")
    lines.append("%r %% (%s,)" % (spec, R.choice(["3.14159", "-2.5", "1e10", "0.0", "12345678.9", "7"])))
for _ in range(80):
    spec = "%" + R.choice(["", "-", "+", "0", " ", "#"]) + R.choice(["", "5", "10"]) + R.choice("dxoXi")
    lines.append("%r %% (%s,)" % (spec, R.choice(["42", "-7", "0", "10**20", "True"])))
WORDS = ["", "a", "abc", "hello world", "  pad  ", "aXbXc", "ababab", "12", "naïve", "Title Case", "a\tb\n"]


def word():
    return repr(R.choice(WORDS))


for _ in range(250):
    m = R.choice(["find({})", "rfind({})", "count({})", "split({})", "rsplit({}, 1)", "split({}, 2)", "partition({})", "rpartition({})", "strip({})",
                  "lstrip({})", "rstrip({})", "startswith({})", "endswith({})", "replace({}, 'Z')", "replace('a', {}, 1)", "join(['x', {}, 'y'])", "find({}, 1)",
                  "rfind({}, 0, 4)", "count({}, 1, -1)", "split()", "splitlines()", "center(9)", "center(8, '.')", "ljust(7)", "rjust(7, '*')", "zfill(6)"])
    lines.append(word() + "." + m.format(word()))
for _ in range(200):
    part = lambda: R.choice(["", "", str(R.randint(-9, 9))])
    step = R.choice(["", ":%s" % R.choice(["", "1", "2", "-1", "-2", "3", "-3"])])
    lines.append("%s[%s:%s%s]" % (R.choice(["'abcdefg'", "[1, 2, 3, 4, 5]", "(1, 2, 3)", "range(7)", "'añb€c'", "''", "range(3, 20, 4)"]), part(), part(), step))
for _ in range(150):
    def s():
        pool = R.choice([range(10), range(100), range(-50, 50), range(0, 10**6, 997), [1.5, 2, 2.5, (1, 2), (3, 4), 10**20, -1, -2]])
        pool = list(pool)
        items = [R.choice(pool) for _ in range(R.randint(0, 25))]
        return R.choice(["set(%r)", "frozenset(%r)"]) % (items,)
    k = R.random()
    if k < 0.5:
        lines.append("list(%s %s %s)" % (s(), R.choice("|&-^"), s()))
    elif k < 0.8:
        lines.append("list(%s.%s(%s))" % (s(), R.choice(["union", "intersection", "difference", "symmetric_difference"]), s()))
    else:
        lines.append("script_set(%s, %r)" % (s().replace("frozenset", "set"), [(R.choice(["add", "discard", "pop", "update"]), R.randint(-20, 200)) for _ in range(40)]))
for _ in range(60):
    lines.append("int(%r, %d)" % (R.choice(["10", "0x1F", " 7 ", "-zz", "1_0", "0b11", "", "9", "0o17", "+5", "--1", "1__2", "_1", "007"]), R.choice([0, 2, 8, 10, 16, 36])))
for _ in range(40):
    lines.append("float(%r)" % R.choice(["1", "1.5e3", "-inf", "nan", "1e400", " 2 ", "1_0.5", "abc", "1e", ".", "0x10", "+1.", "infinity", "1e-400", "--1", "1.2.3"]))
for _ in range(100):
    lines.append("%s ** %s" % (repr(R.uniform(0, 100)), repr(R.uniform(-20, 20))))
for _ in range(60):
    lines.append("math.%s(%s)" % (R.choice(["log", "log2", "log10", "exp", "sqrt"]), repr(R.uniform(0, 500))))
for _ in range(60):
    lines.append("hash(%s)" % R.choice([repr(R.uniform(-1e6, 1e6)), repr(R.randint(-10**25, 10**25)), repr((R.randint(0, 9), R.uniform(0, 1)))]))
for _ in range(80):
    l = [R.choice([1, 2, 2.5, -3, True, 0]) for _ in range(R.randint(0, 9))]
    lines.append("sorted(%r%s)" % (l, R.choice(["", ", reverse=True", ", key=abs", ", key=lambda x: -x", ", key=lambda x: x % 2, reverse=True"])))

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "semantics", "generated.py"), "w", encoding="utf-8") as f:
    f.write('''# Written by generate.py.
import math

def script_set(s, ops):
    out = []
    for op, n in ops:
        if op == "add": s.add(n)
        elif op == "discard": s.discard(n)
        elif op == "update": s.update(range(n % 7))
        elif s: out.append(s.pop())
    return out, list(s)

''')
    for line in lines:
        f.write("#> " + line + "\n")
print(len(lines), "expressions")
