def primes_up_to(n):
    it = iter(range(2, n + 1))
    while True:
        p = next(it, None)
        if p is None:
            return
        yield p
        it = filter(lambda x, p=p: x % p, it)

def is_prime(n):
    return n in list(primes_up_to(n))
