class PrimeChecker:
    """Checks numbers for primality and remembers what it found."""

    def __init__(self):
        self.known = {}

    def check(self, n):
        if n not in self.known:
            self.known[n] = self._compute(n)
        return self.known[n]

    @staticmethod
    def _compute(n):
        if n < 2:
            return False
        i = 2
        while i <= n // i:
            if n % i == 0:
                return False
            i += 1
        return True

_checker = PrimeChecker()

def is_prime(n):
    return _checker.check(n)
