"""The peer of TestPeer: executes sources (JSON strings, one a line, on stdin) under
CPython and prints what became of each, one JSON object a line."""
import contextlib, io, json, resource, signal, sys, warnings

warnings.simplefilter("ignore")
resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
stdout = sys.stdout


class Timeout(BaseException):
    pass


def alarm(*_):
    raise Timeout


signal.signal(signal.SIGALRM, alarm)
for line in sys.stdin:
    src = json.loads(line)
    out = io.StringIO()
    r = {}
    try:
        signal.setitimer(signal.ITIMER_REAL, 1)
        code = compile(src, "<kilter>", "exec")
        with contextlib.redirect_stdout(out):
            exec(code, {"__name__": "kilter"})
        r["ok"] = True
    except Timeout:
        r["timeout"] = True
    except BaseException as e:
        r["class"] = type(e).__name__
        try:
            r["message"] = str(e)
        except BaseException:
            r["message"] = "?"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    r["output"] = out.getvalue()[:1000]
    stdout.write(json.dumps(r) + "\n")
    stdout.flush()
