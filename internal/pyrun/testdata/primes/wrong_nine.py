def is_prime(n):
    if n < 2: return False
    if n == 2: return True
    return n % 2 != 0
