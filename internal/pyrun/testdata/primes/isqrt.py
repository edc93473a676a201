from math import isqrt
from typing import Union

def is_prime(n: Union[int, float]) -> bool:
    if not isinstance(n, int) or isinstance(n, bool):
        raise TypeError("n must be an integer")
    if n < 2: return False
    if n in (2, 3): return True
    if n % 2 == 0: return False
    limit: int = isqrt(n)
    for d in range(3, limit + 1, 2):
        if not n % d: return False
    return True
