def is_prime(n):
    s = "1" * max(n, 0)
    if len(s) < 2:
        return False
    return not any(s == s[:k] * (len(s) // k) for k in range(2, len(s)))
