"""Writes random programs, one JSON string a line, for TestPeer:

    python3 testdata/programs.py 3000 1 > /tmp/programs.jsonl
    KILTER_PYRUN_PEER=python3.11 KILTER_PYRUN_SOURCES=/tmp/programs.jsonl go test -count=1 -run TestPeer -v ./internal/pyrun/

They exercise what is hard to get right: jumps through try and finally, generators,
closures, classes, unpacking and argument passing.
"""
import json, random, sys

R = random.Random(int(sys.argv[2]))
EXC = ["ValueError", "KeyError", "ZeroDivisionError", "IndexError", "TypeError", "StopIteration", "RuntimeError"]


class Gen:
    def __init__(self):
        self.out = []
        self.n = 0

    def w(self, depth, s):
        self.out.append("    " * depth + s)

    def trace(self, depth):
        self.n += 1
        self.w(depth, "log.append(%d)" % self.n)

    def expr(self, d=0):
        k = R.random()
        if d > 2 or k < 0.3:
            return R.choice(["a", "b", "c", "1", "2", "0", "-3", "'s'", "[1, 2]", "(1, 2, 3)", "{}", "None", "True", "2.5"])
        if k < 0.5:
            return "(%s %s %s)" % (self.expr(d + 1), R.choice(["+", "-", "*", "//", "%", "==", "<", "and", "or", "in", "is"]), self.expr(d + 1))
        if k < 0.6:
            return "(%s if %s else %s)" % (self.expr(d + 1), self.expr(d + 1), self.expr(d + 1))
        if k < 0.7:
            return "[x for x in %s if %s]" % (R.choice(["range(3)", "[a, b, c]", "(1, 2)", self.expr(d + 1)]), R.choice(["x", "x != 1", self.expr(d + 1)]))
        if k < 0.75:
            return "(lambda x, y=%s, *z: (x, y, z))(*%s)" % (self.expr(d + 1), R.choice(["[1]", "(1, 2)", "(1, 2, 3)", "[]", self.expr(d + 1)]))
        if k < 0.8:
            return "len(%s)" % self.expr(d + 1)
        if k < 0.85:
            return "%s[%s]" % (R.choice(["[5, 6, 7]", "'xyz'", "(1,)", "{1: 2}", "a"]), R.choice(["0", "1", "-1", "5", "::-1", "1:", self.expr(d + 1)]))
        if k < 0.9:
            return "sorted(%s, key=lambda v: %s)" % (R.choice(["[3, 1, 2]", "'hello'", self.expr(d + 1)]), R.choice(["v", "str(v)", "0"]))
        return R.choice(["str(%s)", "list(%s)", "bool(%s)", "int(%s)", "sum(%s)", "repr(%s)", "max(%s)", "dict(%s)", "set(%s) and 1", "abs(%s)", "(yielded := %s)"]) % self.expr(d + 1)

    def target(self):
        return R.choice(["a", "b", "c", "a, b", "a, *b", "(a, b), c", "*a, b, c", "d['k']", "o.attr", "a = b", "l[0]", "l[1:2]"])

    def block(self, depth, level, loop, fn):
        for _ in range(R.randint(1, 3)):
            self.stmt(depth, level, loop, fn)

    def stmt(self, depth, level, loop, fn):
        self.trace(depth)
        k = R.random()
        if level > 3:
            k = 0.3 + k * 0.3
        if k < 0.12:
            self.w(depth, "for a in %s:" % R.choice(["range(3)", "[b, c]", "g(2)", "'ab'"]))
            self.block(depth + 1, level + 1, True, fn)
            if R.random() < 0.3:
                self.w(depth, "else:")
                self.block(depth + 1, level + 1, loop, fn)
        elif k < 0.3:
            self.w(depth, "try:")
            self.block(depth + 1, level + 1, loop, fn)
            handlers = R.randint(0, 2)
            for i in range(handlers):
                self.w(depth, "except %s:" % R.choice([R.choice(EXC), "(%s, %s)" % (R.choice(EXC), R.choice(EXC)), "Exception as e", "LookupError as e"]))
                self.block(depth + 1, level + 1, loop, fn)
            if handlers and R.random() < 0.4:
                self.w(depth, "else:")
                self.block(depth + 1, level + 1, loop, fn)
            if not handlers or R.random() < 0.5:
                self.w(depth, "finally:")
                self.block(depth + 1, level + 1, loop, fn)
        elif k < 0.4:
            self.w(depth, "%s = %s" % (self.target(), self.expr()))
        elif k < 0.45:
            self.w(depth, "%s %s= %s" % (R.choice(["a", "b", "d['k']", "o.attr", "l[0]"]), R.choice(["+", "-", "*", "//"]), self.expr()))
        elif k < 0.5:
            self.w(depth, R.choice(["raise %s(%s)" % (R.choice(EXC), self.expr()), "raise", "assert %s" % self.expr(), "raise %s from None" % R.choice(EXC)]))
        elif k < 0.56:
            if loop:
                self.w(depth, R.choice(["break", "continue"]))
            else:
                self.w(depth, "log.append(%s)" % self.expr())
        elif k < 0.6:
            if fn == "gen":
                self.w(depth, R.choice(["yield %s" % self.expr(), "c = yield a", "yield from g(2)", "return b"]))
            elif fn:
                self.w(depth, "return %s" % self.expr())
            else:
                self.w(depth, "log.append(str(%s))" % self.expr())
        elif k < 0.7:
            self.w(depth, "if %s:" % self.expr())
            self.block(depth + 1, level + 1, loop, fn)
            if R.random() < 0.5:
                self.w(depth, R.choice(["else:", "elif %s:" % self.expr()]))
                self.block(depth + 1, level + 1, loop, fn)
        elif k < 0.76:
            self.w(depth, "i = 0")
            self.w(depth, "while (i := i + 1) < 4 and %s:" % self.expr())
            self.block(depth + 1, level + 1, True, fn)
        elif k < 0.86 and level < 3:
            name = "f%d" % self.n
            kind = R.choice(["fn", "gen"])
            self.w(depth, "def %s(a, b=%s, *args, c=3, **kw):" % (name, self.expr()))
            if R.random() < 0.3 and fn:
                self.w(depth + 1, "nonlocal d")
            self.w(depth + 1, "l = [1, 2]; d = {'k': 1}; o = O()" if R.random() < 0.7 and "nonlocal" not in self.out[-1] else "pass")
            self.block(depth + 1, level + 1, False, kind)
            if kind == "gen":
                self.w(depth + 1, "yield args, kw")
            call = "%s(%s)" % (name, R.choice(["1", "a", "1, 2, 3, c=4", "*[1, 2], **{'z': 3}", "b=1, a=2", "", "1, a=2"]))
            self.w(depth, "log.append(%s)" % (call if kind == "fn" else R.choice(["list(%s)", "next(%s)", "drain(%s)", "[*%s]"]) % ("keep(%s)" % call)))
        else:
            self.w(depth, "log.append(%s)" % self.expr())

    def program(self):
        self.out = """log = []
class O:
    attr = 5
    def __repr__(self): return 'O'
kept = []
def keep(it):
    kept.append(it)  # so that CPython does not close it early
    return it
def g(n):
    try:
        for i in range(n):
            yield i
    finally:
        pass
def drain(it):
    out = []
    try:
        out.append(next(it))
        out.append(it.send('sent'))
        out.append(it.throw(KeyError('thrown')))
    except (StopIteration, KeyError) as e:
        out.append(repr(e))
    it.close()
    return out
def main():
    a, b, c, d, e, l, o, yielded, i = 1, [2], 'c', {'k': 1}, None, [1, 2, 3], O(), 0, 0""".split("\n")
        self.block(1, 0, False, "fn")
        self.block(1, 0, False, "fn")
        self.w(1, "return a, b, c, d, l, o.attr")
        self.out += ["try:", "    print(main())", "except Exception as e:", "    print(type(e).__name__, e)", "print(log)"]
        return "\n".join(self.out) + "\n"


for _ in range(int(sys.argv[1])):
    print(json.dumps(Gen().program()))
