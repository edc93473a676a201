def is_prime(n):
    if n < 2:
        return False
    i = 1
    while (i := i + 1) * i <= n:
        if not (r := n % i):
            return bool(r)
    return True
