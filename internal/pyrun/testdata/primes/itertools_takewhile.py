from itertools import takewhile, count

def is_prime(n):
    return n > 1 and all(n % i for i in takewhile(lambda i: i * i <= n, count(2)))
