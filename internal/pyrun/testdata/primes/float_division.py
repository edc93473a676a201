def is_prime(n):
    if n < 2:
        return False
    for i in range(2, n):
        if n / i == n // i:
            return False
    return True
