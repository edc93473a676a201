def is_prime(n):
    if n < 2:
        return False
    d = 2
    while d * d <= n:
        if n % d == 0:
            result = False
            break
        d += 1
    else:
        result = True
    return result
