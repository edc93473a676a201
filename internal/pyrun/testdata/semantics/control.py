def loops(n):
    out = []
    for i in range(n):
        if i == 2: continue
        if i == 5: break
        out.append(i)
    else:
        out.append('else')
    while n > 0:
        n -= 1
        if n == 3: break
    else:
        out.append('while-else')
    return out

def tries(f):
    log = []
    try:
        log.append('try')
        f()
    except (ValueError, TypeError) as e:
        log.append(('VT', str(e)))
    except ZeroDivisionError:
        log.append('Z')
    except Exception as e:
        log.append((type(e).__name__, e.args))
    else:
        log.append('else')
    finally:
        log.append('finally')
    return log

def fail(e):
    raise e

def return_in_finally():
    try:
        return 1
    finally:
        return 2

def finally_order():
    log = []
    def f():
        for i in range(3):
            try:
                if i == 1:
                    continue
                if i == 2:
                    return 'ret'
                log.append(i)
            finally:
                log.append(('f', i))
    return f(), log

def nested():
    try:
        try:
            1 / 0
        except ZeroDivisionError as e:
            raise ValueError('from') from e
        finally:
            x = 1
    except ValueError as e:
        return str(e), x

def reraise():
    try:
        try:
            raise KeyError('k')
        except KeyError:
            raise
    except LookupError as e:
        return repr(e)

def unbound_exc():
    try:
        raise ValueError('x')
    except ValueError as e:
        pass
    return e

def break_finally():
    out = []
    for i in range(5):
        try:
            if i == 1:
                break
        finally:
            out.append(i)
    return out

def unpacking():
    a, b = 1, 2
    a, b = b, a
    c, *d = [1, 2, 3]
    *e, f = 'abc'
    g, (h, *i), j = 1, (2, 3, 4), 5
    [k, l] = {'x': 1, 'y': 2}
    m = n = [0]
    x, y, *z = range(2)
    return a, b, c, d, e, f, g, h, i, j, k, l, m is n, x, y, z

def augmented():
    a = 5
    a += 2; a -= 1; a *= 3; a //= 2; a **= 2; a %= 50; a <<= 2; a >>= 1; a |= 1; a &= 0xFF; a ^= 3
    b = 7.0
    b /= 2
    l = m = [1]
    l += [2]
    l += (3,)
    l *= 2
    s = 'a'
    s += 'b'
    d = {'k': [1]}
    d['k'] += [2]
    d['n'] = 1
    d['n'] += 1
    t = (1,)
    t += (2,)
    return a, b, l is m, l, s, d, t

def walrus():
    if (n := len('abc')) > 2:
        r = [y := 1, y ** 2]
    total = 0
    v = [total := total + x for x in range(4)]
    return n, r, y, total, v

def scope():
    x = 1
    def inner():
        nonlocal x
        x += 1
        return x
    def reader():
        return x
    return inner(), inner(), reader()

counter = 0
def bump():
    global counter
    counter += 1
    return counter

def unbound():
    print(zz)
    zz = 1

def local_before():
    counter += 1

def closures():
    fs = [lambda: i for i in range(3)]
    gs = [lambda i=i: i for i in range(3)]
    return [f() for f in fs], [g() for g in gs]

def args(a, b=2, *c, d, e=5, **f):
    return a, b, c, d, e, f

def posonly(a, b=1, /, c=2):
    return a, b, c

def default_mutable(x, acc=[]):
    acc.append(x)
    return list(acc)

def conditional(x):
    return 'neg' if x < 0 else 'zero' if x == 0 else 'pos'

def short():
    log = []
    def t(x): log.append(x); return x
    r = [t(0) or t(1), t(1) and t(2), t(0) and t(3), t(1) or t(4), not t(0), t([]) or t('') or 'end']
    return r, log

def chained():
    log = []
    def t(x): log.append(x); return x
    return t(1) < t(5) < t(3) < t(9), log

def deletes():
    l = [1, 2, 3, 4, 5]
    del l[0], l[-1]
    del l[::2]
    d = {'a': 1, 'b': 2}
    del d['a']
    x = 1
    del x
    try:
        x
    except NameError as e:
        return l, d, type(e).__name__, str(e)

def slices():
    l = list(range(10))
    l[2:4] = ['a', 'b', 'c']
    l[::5] = ['x', 'y', 'z']
    l[-2:] = []
    l[0:0] = [9, 9]
    l[4:2] = ['ins']
    return l

def bad_slice():
    l = [1, 2, 3]
    l[::2] = [1]

def asserts(x):
    assert x > 0, f'bad {x}'
    assert isinstance(x, int)
    return 'ok'

no_args = lambda: 0

def fact(n): return 1 if n < 2 else n * fact(n - 1)
def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)
def even(n): return n == 0 or odd(n - 1)
def odd(n): return n != 0 and even(n - 1)

def deco(f):
    def wrapper(*a, **k):
        return ('wrapped', f(*a, **k))
    return wrapper

@deco
def decorated(x): return x * 2

def stop():
    def g():
        raise StopIteration(1)
        yield
    return list(g())

class MyError(Exception):
    def __init__(self, code):
        super().__init__(f'code {code}')
        self.code = code

def custom():
    try:
        raise MyError(7)
    except MyError as e:
        return e.code, str(e), repr(e), isinstance(e, Exception)

def exc_in_handler():
    try:
        raise ValueError
    except ValueError:
        undefined_name

def modify_dict_while_iterating():
    d = {1: 1}
    for k in d:
        d[k + 1] = 1

def modify_list_while_iterating():
    l = [1, 2, 3]
    for x in l:
        if len(l) < 6:
            l.append(x * 10)
    return l

def loop_var():
    for i in range(3): pass
    return i

def comp_scope():
    x = 'outer'
    l = [x for x in range(3)]
    return x, l

def many_returns(x):
    while True:
        for _ in range(2):
            try:
                try:
                    if x: return 'a'
                finally:
                    x = 0
            finally:
                if not x: break
        return 'b'

def bare_raise_nested():
    try:
        raise ValueError('one')
    except ValueError:
        try:
            raise KeyError('two')
        except KeyError:
            pass
        raise
#> loops(4)
#> loops(10)
#> loops(0)
#> tries(lambda: None)
#> tries(lambda: int('x'))
#> tries(lambda: 1 / 0)
#> tries(lambda: [][1])
#> tries(lambda: fail(RuntimeError('a', 1)))
#> tries(lambda: fail(TypeError))
#> tries(lambda: fail('notexc'))
#> return_in_finally()
#> finally_order()
#> nested()
#> reraise()
#> unbound_exc()
#> break_finally()
#> unpacking()
#> augmented()
#> walrus()
#> scope()
#> [bump(), bump()]
#> unbound()
#> local_before()
#> closures()
#> args(1, d=4)
#> args(1, 2, 3, 4, d=5, e=6, z=7)
#> args(*[1, 2], **{'d': 3, 'x': 4})
#> args(1)
#> args()
#> args(1, 2, d=1, a=3)
#> posonly(1, 2, 3)
#> posonly(1, c=5)
#> posonly(a=1)
#> posonly()
#> posonly(1, 2, 3, 4)
#> fact()
#> fact(1, 2)
#> fact(x=1)
#> no_args(1)
#> [default_mutable(1), default_mutable(2)]
#> [conditional(-1), conditional(0), conditional(1)]
#> short()
#> chained()
#> deletes()
#> slices()
#> bad_slice()
#> asserts(1)
#> asserts(-1)
#> asserts(1.5)
#> [fact(20), fact(30), fib(15), even(100), odd(7)]
#> decorated(21)
#> stop()
#> custom()
#> exc_in_handler()
#> modify_dict_while_iterating()
#> modify_list_while_iterating()
#> loop_var()
#> comp_scope()
#> many_returns(1)
#> bare_raise_nested()
#> fail(ValueError('plain'))
#> fail(KeyError('key'))
#> fail(MyError(3))
#> fail(NotImplementedError())
#> undefined_thing
#> (lambda: 0).nope
#> [a for a, b in [(1, 2, 3)]]
#> [a for a, b in [(1,)]]
#> [a for a, b in [1]]
