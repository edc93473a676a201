def primes():
    found = []
    n = 2
    while True:
        if all(n % p for p in found):
            found.append(n)
            yield n
        n += 1

def is_prime(n):
    for p in primes():
        if p == n:
            return True
        if p > n:
            return False
