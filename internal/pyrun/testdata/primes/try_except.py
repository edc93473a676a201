def is_prime(n):
    try:
        n = int(n)
    except (TypeError, ValueError):
        return False
    else:
        if n < 2:
            return False
    finally:
        pass
    for i in range(2, n // 2 + 1):
        if n % i == 0:
            return False
    return True

assert is_prime(7)
assert not is_prime(8), "8 is not prime"
