import itertools
from functools import reduce

def gen(n):
    for i in range(n):
        yield i
    return 'done'

def echo():
    got = []
    while True:
        x = yield len(got)
        if x is None:
            return got
        got.append(x)

def drive():
    g = echo()
    out = [next(g), g.send('a'), g.send('b')]
    try:
        g.send(None)
    except StopIteration as e:
        out.append(e.value if False else e.args)
    return out

def delegate():
    r = yield from gen(2)
    yield r
    yield from 'xy'
    yield from [1]

def infinite():
    n = 0
    while True:
        yield n
        n += 1

def cleanup():
    log = []
    def g():
        try:
            yield 1
            yield 2
        finally:
            log.append('closed')
    it = g()
    next(it)
    it.close()
    return log, list(it)

def throwing():
    def g():
        while True:
            try:
                yield 'ready'
            except ValueError as e:
                yield 'caught ' + str(e)
    it = g()
    return [next(it), it.throw(ValueError('v')), next(it)]

def throw_delegated():
    def inner():
        try:
            yield 1
        except ValueError:
            yield 'inner'
        return 'r'
    def outer():
        x = yield from inner()
        yield x
    it = outer()
    return [next(it), it.throw(ValueError), next(it)]

def tree(t):
    if t is not None:
        l, v, r = t
        yield from tree(l)
        yield v
        yield from tree(r)

def primes():
    yield 2
    seen = [2]
    for n in itertools.count(3, 2):
        if all(n % p for p in itertools.takewhile(lambda p: p * p <= n, seen)):
            seen.append(n)
            yield n

def lazily():
    log = []
    g = (log.append(i) or i for i in range(5))
    first = next(g)
    return first, log

def shared():
    it = iter([1, 2, 3, 4])
    return list(zip(it, it)), list(it)

def exhausted():
    g = gen(2)
    return list(g), list(g), next(g, 'none')

def raise_inside():
    def g():
        yield 1
        raise ValueError('inside')
    out = []
    try:
        for x in g():
            out.append(x)
    except ValueError as e:
        out.append(str(e))
    return out

def gen_in_class_attr():
    return sum(x for x in (y * 2 for y in range(4)))

def reentrant():
    def g():
        yield next(me)
    me = g()
    return next(me)
#> list(gen(3))
#> drive()
#> list(delegate())
#> [x for x, _ in zip(infinite(), range(3))]
#> cleanup()
#> throwing()
#> throw_delegated()
#> list(tree(((None, 1, None), 2, (None, 3, None))))
#> list(itertools.islice(primes(), 15))
#> lazily()
#> shared()
#> exhausted()
#> raise_inside()
#> gen_in_class_attr()
#> reentrant()
#> all(n % 7 for n in range(2, 10**12))
#> any(n * n > 50 for n in range(10**15))
#> next(n for n in infinite() if n > 100)
#> gen(1).send(5)
#> next(gen(0))
#> reduce(lambda a, b: a * b, [1, 2, 3, 4])
#> reduce(lambda a, b: a + b, [], 'x')
#> reduce(lambda a, b: a, [])
#> list(itertools.chain([1], 'ab', range(2)))
#> list(itertools.accumulate([1, 2, 3]))
#> list(itertools.product('ab', repeat=2))
#> list(itertools.product([1, 2], 'x'))
#> list(itertools.combinations([1, 2, 3, 4], 2))
#> list(itertools.permutations([1, 2, 3]))
#> list(itertools.islice(itertools.count(5), 2, 10, 3))
#> list(itertools.repeat('x', 3)), list(itertools.pairwise('abc')), list(itertools.dropwhile(lambda x: x < 2, [1, 2, 1]))
#> list(map(lambda x: x + 1, gen(3))), list(filter(lambda x: x % 2, gen(5)))
#> sum(gen(5)), max(gen(5)), sorted(gen(3), reverse=True), tuple(gen(2)), set(gen(2)), dict(zip(gen(2), gen(2)))
#> ''.join(c for c in 'abc'), 3 in gen(5), 9 in gen(5)
#> [*gen(2), *gen(1)], max(gen(0), default='d')
#> list(iter(lambda l=[3, 2, 1]: l.pop(), 3))
#> a if (a := list(gen(2))) else None
#> list(enumerate(gen(2), start=5))
#> (lambda a, *b: (a, b))(*gen(3))
