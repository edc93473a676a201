def mutate(f, x):
    r = f(x)
    return r, x
d = {'a': 1, 'b': 2}
#> [[1, 2, 3][1], [1, 2, 3][-1], [1, 2, 3][1:], [1, 2, 3][::-1], [1, 2] + [3], [1] * 3, [0] * 0, [] + []]
#> [1, 2][5]
#> [1, 2]['a']
#> (1, 2)[2]
#> [(1, 2)[0], (1, 2) + (3,), (1,) * 2, (1, 2) < (1, 3), (1,) < (1, 0), () < (1,), (1, 2) == (1, 2), (1, 2) == [1, 2]]
#> [[1, 2] < [1, 3], [2] > [1, 5], [1, 2] == [1, 2.0], [1, [2]] == [1, [2]], [] == (), [1] != [2]]
#> mutate(lambda l: l.append(4), [1, 2, 3])
#> mutate(lambda l: l.extend('ab'), [1])
#> mutate(lambda l: l.insert(1, 'x'), [1, 2])
#> mutate(lambda l: l.insert(-1, 'x'), [1, 2])
#> mutate(lambda l: l.insert(100, 'x'), [1, 2])
#> mutate(lambda l: (l.pop(), l.pop(0)), [1, 2, 3])
#> mutate(lambda l: l.remove(2), [1, 2, 2])
#> mutate(lambda l: l.reverse(), [1, 2, 3])
#> mutate(lambda l: l.sort(), [3, 1, 2])
#> mutate(lambda l: l.sort(reverse=True, key=abs), [3, -1, 2, -3])
#> mutate(lambda l: l.clear(), [1])
#> mutate(lambda l: l.__setitem__ if False else l.copy(), [1, 2])
#> [].pop()
#> [1].pop(5)
#> [1].remove(2)
#> [1].index(2)
#> [[1, 2, 3, 2].index(2), [1, 2, 3, 2].index(2, 2), [1, 2, 2].count(2), (1, 2).index(2), (1, 1).count(1)]
#> (1,).index(5)
#> sorted([3, 1, 2]) + sorted([3, 1, 2], reverse=True) + sorted(['b', 'A', 'c'], key=str.lower)
#> sorted([(1, 'b'), (1, 'a'), (0, 'c')], key=lambda t: t[0])
#> sorted([(1, 'b'), (1, 'a'), (0, 'c')], key=lambda t: t[0], reverse=True)
#> sorted([1, 'a'])
#> sorted({3, 1, 2})
#> sorted({'b': 1, 'a': 2})
#> [d['a'], d.get('x'), d.get('x', 0), 'a' in d, 1 in d, len(d), list(d), list(d.keys()), list(d.values()), list(d.items())]
#> d['zz']
#> {}[1]
#> {[1]: 2}
#> {1: 'a', 1.0: 'b', True: 'c'}
#> {**d, 'c': 3, **{'a': 9}}
#> mutate(lambda x: (x.pop('a'), x.pop('q', None), x.setdefault('z', []), x.update({'k': 1}, m=2)), {'a': 1})
#> mutate(lambda x: x.popitem(), {'a': 1, 'b': 2})
#> {}.popitem()
#> {}.pop(1)
#> mutate(lambda x: x.clear(), {1: 2})
#> [dict(), dict(a=1), dict([(1, 2), [3, 4]]), dict({1: 2}, b=3), dict.fromkeys([1, 2]), dict.fromkeys('ab', 0), dict(zip('ab', [1, 2]))]
#> dict([1])
#> dict([(1, 2, 3)])
#> {1: 2} | {3: 4}
#> [{1: 2} == {1: 2.0}, {1: 2, 3: 4} == {3: 4, 1: 2}, {} == {1: 1}]
#> [d.keys(), d.values(), d.items(), 'a' in d.keys(), len(d.items())]
#> list(reversed({1: 2, 3: 4}))
#> [{1, 2, 3}, {3, 1, 2}, set([1, 1, 2]), {1} | {2}, {1, 2} & {2, 3}, {1, 2} - {2}, {1, 2} ^ {2, 3}, set(), frozenset([1, 2])]
#> [{1, 2} <= {1, 2, 3}, {1, 2} < {1, 2}, {1} >= set(), {1, 2} == {2, 1}, {1}.issubset([1, 2]), {1, 2}.issuperset({1}), {1}.isdisjoint({2}), frozenset([1]) == {1}]
#> [{1}.union([2], (3,)), {1, 2, 3}.intersection([2, 3, 4]), {1, 2, 3}.difference([1]), {1, 2}.symmetric_difference([2, 3])]
#> mutate(lambda s: (s.add(4), s.discard(9), s.remove(1), s.update([7, 8])), {1, 2})
#> {1}.remove(2)
#> set().pop()
#> {1, [2]}
#> {frozenset([1]): 'x'}[frozenset([1])]
#> [list({10, 5, 3, 8, 100, 33}), list({i * 7 % 101 for i in range(40)}), list({-1, -2, 0, 5, 2**61}), list(set(range(20, 0, -3))), list({(1, 2), (3, 4), (0, 0)}), list({0.5, 1.5, 2, 3.25})]
#> [list({i * i for i in range(30)} - {4, 9, 16}), list(set(range(100)) & set(range(50, 60))), list({1000, 2000} | {3, 5000}), list(set(range(30)) ^ set(range(10, 50, 7)))]
#> [list(range(5)), list(range(2, 8, 3)), list(range(5, 0, -2)), list(range(0)), list(range(5, 5)), range(10)[3], range(10)[-1], list(range(10)[2:5]), len(range(0, 10, 3)), 4 in range(0, 10, 2), 5 in range(0, 10, 2), range(3) == range(0, 3, 1), range(10).index(4), 10**15 in range(10**18), list(reversed(range(5)))]
#> range(5)[9]
#> range(0, 5, 0)
#> range(1.5)
#> range('a')
#> [list(zip([1, 2], 'ab')), list(zip()), list(zip([1, 2, 3], [1])), list(map(lambda a, b: a + b, [1, 2], [3, 4])), list(filter(None, [0, 1, '', 'a'])), list(enumerate(['a', 'b'])), dict(enumerate('ab'))]
#> list(zip([1, 2], [1], strict=True))
#> [all([]), any([]), all([1, 0]), any([0, 1]), all(x > 0 for x in [1, 2]), any(x > 1 for x in [1, 2])]
#> [bool(0), bool([]), bool('a'), bool(None), bool(0.0), bool({}), bool((0,)), bool(range(0)), bool('')]
#> [list((1, 2)), tuple([1, 2]), list({'a': 1}), tuple('ab'), list(x for x in 'ab')]
#> list(5)
#> tuple(None)
#> len(5)
#> len(x for x in [])
#> iter(5)
#> next(iter([]))
#> next(iter([]), 'd')
#> next([])
#> [x for x in range(10) if x % 2 if x > 3] + [y for x in [[1, 2], [3]] for y in x]
#> {x: x * x for x in range(4)}
#> {x % 3 for x in range(10)}
#> [[i * j for j in range(3)] for i in range(3)]
#> list(a + b for a in 'xy' for b in 'pq')
#> (lambda l: [l.__len__ if False else len(l), l])([1, 2])
#> [*range(3), *'ab'], (*[1], 2), {*[1, 2], 3}
#> [1, 2, 3, 4, 5][1:-1:2], [1, 2, 3][-2:], [1, 2, 3][:100], [1, 2, 3][None:2]
#> [1, 2, 3][::0]
#> [1, 2, 3]['a':]
#> 5[0]
#> None[0]
#> [1, 2](0)
#> (1, 2, 3)[0:2], 'abc'[1:], range(5)[::2]
#> min([3, 1, 2]), max((1, 2), (1, 3)), min('a', 'b', key=lambda c: -ord(c))
#> [isinstance(1, int), isinstance(True, int), isinstance(1, bool), isinstance('a', (int, str)), isinstance(1.0, float), isinstance([], list), isinstance(None, type(None)), isinstance({}, dict), isinstance(int, type), issubclass(bool, int)]
#> isinstance(1, 5)
#> [type(1), type(1) == int, type('a').__name__, type([]) is list, type(None).__name__, type(lambda: 0).__name__, type(x for x in []).__name__, type(range(1)).__name__, type({}.keys()).__name__, type(iter([])).__name__, type(zip()).__name__]
#> [1, 2, 3] * 2 == [1, 2, 3, 1, 2, 3] and (1, 2) * 2
#> [[]] * 3
#> [1] + (2,)
#> (1,) + [2]
#> {1} + {2}
#> [] < {}
#> {1: 2} < {3: 4}
#> 'a' in 5
#> 1 in None
#> [3 in [1, 2, 3], 3 not in (1, 2), [] in [[]], None in [None], float('inf') in [float('inf')]]
#> next(iter({}))
#> [].foo
#> {}.foo
#> (5).foo
#> [x for x in 5]
#> [abs(x) for x in [-1, 'a']]
#> [hash(frozenset([1, 2, 3])), hash(frozenset()), hash(frozenset([(1, 2), 2.5])), list({frozenset([i, i + 1]) for i in range(12)})]
