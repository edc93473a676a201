from functools import lru_cache

@lru_cache(maxsize=None)
def is_prime(n):
    """Cached primality test."""
    if n < 2:
        return False
    return all(n % p for p in range(2, int(n**0.5) + 1) if is_prime(p))
