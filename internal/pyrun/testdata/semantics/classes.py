class Point:
    """A point."""
    count = 0

    def __init__(self, x, y=0):
        self.x = x
        self.y = y
        Point.count += 1

    def __repr__(self):
        return f'Point({self.x}, {self.y})'

    def __eq__(self, other):
        if not isinstance(other, Point):
            return NotImplemented
        return (self.x, self.y) == (other.x, other.y)

    def __add__(self, other):
        return Point(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Point(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __lt__(self, other):
        return self.x < other.x

    def __neg__(self):
        return Point(-self.x, -self.y)

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __contains__(self, v):
        return v in (self.x, self.y)

    def __call__(self, z):
        return self.x + z

    @property
    def norm2(self):
        return self.x ** 2 + self.y ** 2

    @classmethod
    def origin(cls):
        return cls(0, 0)

    @staticmethod
    def helper(a):
        return a * 2

class Point3(Point):
    def __init__(self, x, y, z):
        super().__init__(x, y)
        self.z = z

    def __repr__(self):
        return 'P3:' + super().__repr__()

class Counter:
    def __init__(self, n): self.n = n
    def __iter__(self): return self
    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= 1
        return self.n

class Stack:
    def __init__(self): self.items = []
    def push(self, x): self.items.append(x); return self
    def pop(self): return self.items.pop()
    def __bool__(self): return bool(self.items)
    def __setitem__(self, i, v): self.items[i] = v
    def __delitem__(self, i): del self.items[i]
    def __iadd__(self, v): self.items.append(v); return self
    def __str__(self): return 'Stack' + str(self.items)

class Temp:
    def __init__(self): self._c = 0
    @property
    def c(self): return self._c
    @c.setter
    def c(self, v):
        if v < -273: raise ValueError('too cold')
        self._c = v

class Base:
    kind = 'base'
    def who(self): return self.kind
class Derived(Base):
    kind = 'derived'

class Private:
    def __init__(self): self.__secret = 5
    def get(self): return self.__secret

class Empty: pass

def attr():
    e = Empty()
    e.a = 1
    e.b = e.a + 1
    del e.a
    return hasattr(e, 'a'), e.b, getattr(e, 'zz', 'default')

def iadd():
    s = Stack()
    s += 5
    s.push(6)
    s[0] = 9
    del s[1]
    return str(s), bool(s), s.pop(), bool(s)

def temp():
    t = Temp()
    t.c = 5
    try:
        t.c = -300
    except ValueError as e:
        return t.c, str(e)

class ShapeError(ValueError):
    pass

def sub():
    try:
        raise ShapeError('bad', 1)
    except ValueError as e:
        return type(e).__name__, e.args, isinstance(e, ShapeError)

def local_class(n):
    class Local:
        factor = n
        def f(self, x): return x * n * self.factor
    return Local().f(3)

class Node:
    def __init__(self, v, next=None): self.v, self.next = v, next

def linked():
    head = None
    for i in range(3):
        head = Node(i, head)
    out = []
    while head:
        out.append(head.v)
        head = head.next
    return out

class Scope:
    x = 1
    y = [i for i in range(3)]
    z = x + 1
    def m(self): return x if False else self.x
#> [Point(1), Point(1, 2) == Point(1, 2), Point(1) != Point(2), Point(1) == 5, Point(1, 2) + Point(3, 4), Point(1, 2) * 3, 3 * Point(1, 2), -Point(1, 2)]
#> [Point(1) < Point(2), Point(2) > Point(1), sorted([Point(3), Point(1)]), max(Point(1), Point(5)), len(Point(1)), Point(4, 5)[1], list(Point(1, 2)), 5 in Point(5), Point(1)(10)]
#> [Point(3, 4).norm2, Point.origin(), Point.helper(4), Point(1).helper(2), Point.__name__, Point.__doc__, Point3.__name__]
#> Point3(1, 2, 3), isinstance(Point3(1, 2, 3), Point), issubclass(Point3, Point), Point3(1, 2, 3).z
#> Point3(1)
#> Point()
#> Point(1) + 5
#> Point(1) - Point(2)
#> Point(1).zz
#> Point.zz
#> Point(1).norm2.foo
#> {Point(1)}
#> list(Counter(3)), sum(Counter(4)), 2 in Counter(5), [*Counter(2)], max(Counter(3)), list(zip(Counter(2), 'ab'))
#> next(Counter(0))
#> attr()
#> iadd()
#> temp()
#> sub()
#> local_class(2)
#> linked()
#> [Base().who(), Derived().who(), Derived.kind]
#> Private().get()
#> Private().__secret
#> Scope.y, Scope.z, Scope().m()
#> Empty() == Empty(), (lambda e: e == e)(Empty()), bool(Empty()), len({Empty(), Empty()})
#> Empty(1)
#> Empty() < Empty()
#> Empty()()
#> Empty()[0]
#> len(Empty())
#> iter(Empty())
#> [x for x in Empty()]
#> ShapeError('x')
#> type(Point(1)).__name__, type(Point(1)) is Point, Point(1).__class__.__name__
#> callable(Point), callable(Point(1)), callable(Empty()), callable(len), callable(5)
#> Point.norm2 is None, str(Point3(0, 0, 0)), f'{Point(1)}', f'{Point(1)!r:>12}', '%s' % Point(2)
#> f'{Point(1):>5}'
#> Point.count > 10
