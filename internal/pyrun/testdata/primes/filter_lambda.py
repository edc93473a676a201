def is_prime(n):
    return n > 1 and len(list(filter(lambda d: n % d == 0, range(1, n + 1)))) == 2
