import math

def is_prime(number):
    """Checks primality of the absolute value."""
    number = abs(number)
    return number > 1 and not [d for d in range(2, math.isqrt(number) + 1) if number % d == 0]

def main():
    tests = [2, 3, 4, 17, 18, 19, 97, 100]
    for t in tests:
        print("{} is {}prime".format(t, "" if is_prime(t) else "not "))

main()
