def is_prime(n):
    return n >= 2 and not any(n % d == 0 for d in range(2, int(n ** .5) + 1))
