def is_prime(n):
    for i in range(0, n):
        if n % i == 0:
            return False
    return n > 1
