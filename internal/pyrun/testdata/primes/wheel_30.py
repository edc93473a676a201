_WHEEL = [4, 2, 4, 2, 4, 6, 2, 6]

def is_prime(n: int, /, *, verbose: bool = False) -> bool:
    if n < 2:
        return False
    for p in (2, 3, 5):
        if n % p == 0:
            return n == p
    d, k = 7, 0
    while d * d <= n:
        if n % d == 0:
            if verbose:
                print(f"{n = }, {d = }")
            return False
        d += _WHEEL[k]
        k = (k + 1) % len(_WHEEL)
    return True
