def divisors(n):
    return [i for i in range(1, n + 1) if not n % i]

def is_prime(n):
    return divisors(n) == [1, n]
