"""The peer of dump_test.go: for each path on stdin, one line with CPython's tree.

    PATH <tab> "error" <tab> message
    PATH <tab> "ok" <tab> sha256 of the dump
    PATH <tab> "ok" <tab> the dump itself, with --full

The dump is a canonical text that dump_test.go writes in the same way from our tree.
"""
import ast, hashlib, struct, sys, warnings

warnings.simplefilter("ignore")
sys.setrecursionlimit(20000)

OPS = {
    "Add": "+", "Sub": "-", "Mult": "*", "MatMult": "@", "Div": "/", "FloorDiv": "//", "Mod": "%", "Pow": "**",
    "LShift": "<<", "RShift": ">>", "BitOr": "|", "BitXor": "^", "BitAnd": "&",
    "USub": "-", "UAdd": "+", "Invert": "~", "Not": "not", "And": "and", "Or": "or",
    "Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=",
    "Is": "is", "IsNot": "is not", "In": "in", "NotIn": "not in",
}
NO_POS = ("comprehension", "withitem", "match_case", "arg", "arguments", "TypeVar", "ParamSpec", "TypeVarTuple")
SKIP = ("ctx", "type_comment", "kind", "type_ignores")


def hexs(s):
    return s.encode("utf-8", "surrogatepass").hex() if isinstance(s, str) else s.hex()


class Dumper:
    def __init__(self):
        self.out = []
        self.nopos = 0

    def params(self, a):
        w = self.out.append
        w("[")
        pos = a.posonlyargs + a.args
        defaults = [None] * (len(pos) - len(a.defaults)) + a.defaults
        items = [(0 if i < len(a.posonlyargs) else 1, p, d) for i, (p, d) in enumerate(zip(pos, defaults))]
        if a.vararg:
            items.append((2, a.vararg, None))
        items += [(3, p, d) for p, d in zip(a.kwonlyargs, a.kw_defaults)]
        if a.kwarg:
            items.append((4, a.kwarg, None))
        for kind, p, d in items:
            w("(%d %s " % (kind, hexs(p.arg)))
            self.any(p.annotation)
            w(" ")
            self.any(d)
            w(")")
        w("]")

    def const(self, v):
        w = self.out.append
        if v is None:
            w("None")
        elif v is Ellipsis:
            w("...")
        elif isinstance(v, bool):
            w("b%d" % v)
        elif isinstance(v, int):
            w("i%x" % v)
        elif isinstance(v, float):
            w("f" + struct.pack(">d", v).hex())
        elif isinstance(v, complex):
            w("c" + struct.pack(">d", v.imag).hex())
        elif isinstance(v, str):
            w("s" + hexs(v))
        else:
            w("y" + hexs(v))

    def any(self, n):
        w = self.out.append
        if n is None:
            w("~")
        elif isinstance(n, list):
            w("[")
            for x in n:
                self.any(x)
                w(",")
            w("]")
        elif isinstance(n, str):
            w(hexs(n))
        elif isinstance(n, int):
            w(str(n))
        else:
            self.node(n)

    def node(self, n):
        w = self.out.append
        t = type(n).__name__
        if t in OPS:
            w(OPS[t])
            return
        if t == "arguments":
            self.params(n)
            return
        w("(" + t)
        if not self.nopos and t not in NO_POS and hasattr(n, "lineno"):
            w("@%d:%d-%d:%d" % (n.lineno, n.col_offset, n.end_lineno, n.end_col_offset))
        if t == "Constant":
            w(" ")
            self.const(n.value)
        elif t == "Dict":
            for k, v in zip(n.keys, n.values):
                w(" ")
                self.any(k)
                w(":")
                self.any(v)
        elif t == "MatchSingleton":
            w(" ")
            self.const(n.value)
        elif t == "FormattedValue":
            w(" ")
            self.any(n.value)
            w(" %d " % max(n.conversion, 0))
            self.any(n.format_spec)
        else:
            self.nopos += t == "JoinedStr"
            fields = [f for f in n._fields if f not in SKIP]
            if t in ("FunctionDef", "AsyncFunctionDef", "ClassDef") and "type_params" not in fields:
                fields.append("type_params")
            if t in ("TypeVar", "ParamSpec", "TypeVarTuple") and "default_value" not in fields:
                fields.append("default_value")
            for f in fields:
                w(" ")
                v = getattr(n, f, None)
                if f == "type_params" and v is None:
                    v = []
                if f == "module" and v is None:
                    v = ""
                self.any(v)
            self.nopos -= t == "JoinedStr"
        w(")")


for path in sys.stdin:
    path = path.rstrip("\n")
    try:
        with open(path, "rb") as f:
            src = f.read()
        tree = ast.parse(src)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as e:
        print(path, "error", repr(str(e)), sep="\t")
        continue
    d = Dumper()
    d.any(tree.body)
    text = "".join(d.out)
    if "--full" not in sys.argv:
        text = hashlib.sha256(text.encode()).hexdigest()
    print(path, "ok", text, sep="\t")
