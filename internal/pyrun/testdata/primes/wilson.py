import math
is_prime = lambda n: n > 1 and (math.factorial(n - 1) + 1) % n == 0
