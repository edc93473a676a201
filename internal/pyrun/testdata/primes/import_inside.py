def is_prime(n):
    from math import sqrt, floor
    if n == 2:
        return True
    if n < 2 or n % 2 == 0:
        return False
    for i in range(3, floor(sqrt(n)) + 1, 2):
        if n % i == 0:
            return False
    return True

for i in range(1, 11):
    print(i, is_prime(i), sep=" -> ")
