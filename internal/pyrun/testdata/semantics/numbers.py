import math
big = 10**30
#> [7 // 2, -7 // 2, 7 // -2, -7 // -2, 7 % 3, -7 % 3, 7 % -3, -7 % -3]
#> [7.5 // 2, -7.5 // 2, 7.5 % -2, -7.5 % 2, 1e300 % 7, -0.0 // 1, 5.0 // 0.1, 1.0 % 0.1]
#> [2**10, 2**-1, (-2)**3, 0**0, 2**0.5, 4**0.5, (-8)**(1), 10**-2, 2.0**-3, 7**0]
#> [2**63, 2**64 - 1, -2**63, -2**63 - 1, 2**62 + 2**62, 9223372036854775807 + 1, -9223372036854775808 - 1]
#> [9223372036854775807 * 2, -9223372036854775808 * -1, -9223372036854775808 // -1, 3037000500 * 3037000500]
#> [big // 7, big % 7, -big // 7, -big % 7, big * big, big - big, big // big, -big // 3]
#> [1 << 0, 1 << 62, 1 << 63, 1 << 100, -1 << 70, big >> 5, -big >> 3, -1 >> 100, 5 >> 64, -5 >> 64]
#> [5 & 3, 5 | 3, 5 ^ 3, ~5, -5 & 3, -5 | 3, -5 ^ 3, big & 0xFFFF, ~big]
#> [True + True, True * 3, True & False, True | False, True ^ True, -True, ~True, True < 2, True == 1, 1.0 == True]
#> [7 / 2, 1 / 3, 10 / 5, big / 3, 3 / big, -7 / 2, 2**1000 / 2**999, (2**53 + 1) / 1]
#> [0.1 + 0.2, 1e16, 1e15, 123456789.123456789, 1e-5, 0.0001, 1e22, 1e21, 5e-324, 1.7976931348623157e308, -0.0, 1e100]
#> [float('inf'), float('-inf'), float('nan'), float('1_000.5'), float(' 3.5 '), float('1e3'), float('.5'), float('5.')]
#> float('abc')
#> float('1__0')
#> float('')
#> [int(3.9), int(-3.9), int('42'), int(' -17 '), int('0x1f', 16), int('ff', 16), int('0b101', 0), int('z', 36), int('1_000'), int(True), int(1e20)]
#> int('4.5')
#> int('')
#> int('0x1f')
#> int('12', 2)
#> int(float('nan'))
#> int(float('inf'))
#> int(None)
#> int([])
#> [round(0.5), round(1.5), round(2.5), round(-0.5), round(2.675, 2), round(1234.5678, -2), round(1234, -2), round(1250, -2), round(1350, -2), round(5), round(2.5, 0), round(1e300, -299), round(-1.5)]
#> [abs(-5), abs(5.5), abs(-0.0), abs(-big), abs(True)]
#> [divmod(7, 2), divmod(-7, 2), divmod(7.5, 2), divmod(big, 7), divmod(-7, -2.0)]
#> [pow(2, 10), pow(2, 10, 7), pow(3, -1, 7), pow(2, 100, 10**9 + 7), pow(-3, 3, 5), pow(3, 3, -5), pow(2, 0, 1), pow(big, big, 97)]
#> pow(2, -1, 4)
#> pow(2, 3, 0)
#> 1 / 0
#> 1 // 0
#> 1 % 0
#> 1.0 / 0
#> 1.0 // 0
#> 1.0 % 0
#> divmod(1, 0)
#> divmod(1.0, 0)
#> big // 0
#> big % 0
#> 0 ** -1
#> 0.0 ** -1
#> 2.0 ** 10000
#> float(10**400)
#> 10**400 / 1
#> 10**400 * 1.0
#> [1 < 2 < 3, 1 < 3 < 2, 3 > 2 >= 2 != 1, 1 == 1.0 == True, not 1 < 2, 1 < 2 == True]
#> [2**53 == 2.0**53, 2**53 + 1 == 2.0**53, 2**53 + 1 > 2.0**53, 10**400 > 1e308, -10**400 < float('-inf'), 10**400 < float('inf')]
#> [float('nan') == float('nan'), float('nan') < 1, 1 != float('nan'), float('inf') > big, 0.1 + 0.2 == 0.3]
#> [math.sqrt(16), math.sqrt(2), math.isqrt(17), math.isqrt(10**40 + 1), math.floor(-2.5), math.ceil(2.1), math.floor(big), math.ceil(-0.5), math.trunc(-2.7)]
#> [math.gcd(12, 18), math.gcd(-12, 18), math.gcd(), math.gcd(big, 15), math.lcm(4, 6), math.lcm(0, 5), math.factorial(20), math.factorial(25), math.comb(10, 3), math.perm(5, 2), math.comb(3, 5)]
#> [math.pi, math.e, math.tau, math.inf, math.log(10), math.log(8, 2), math.log(1000, 10), math.log2(8), math.log10(1000), math.log2(10), math.log10(2), math.exp(1), math.exp(-2.5), math.log(big)]
#> [math.pow(2, 3), math.pow(2, 0.5), math.hypot(3, 4), math.fabs(-3), math.copysign(1, -0.0), math.fmod(-7, 3), math.isclose(0.1 + 0.2, 0.3), math.isnan(math.nan), math.isinf(-math.inf), math.isfinite(1), math.prod([1, 2, 3, 4]), math.fsum([.1] * 10)]
#> [x ** y for x in (1.1, 2.5, 10, 0.3, 123.456) for y in (0.1, 1/3, 1.7, -2.5, 3, 7.25, 50)]
#> [math.log(x) for x in (0.1, 0.5, 0.9, 1.1, 1.5, 2, 3, 7, 11, 123.456, 1e10, 1e-10)]
#> [math.exp(x) for x in (0.1, 0.5, -0.9, 1.1, 10, -20, 100.5, 700)]
#> math.sqrt(-1)
#> math.log(0)
#> math.log(-1)
#> math.isqrt(-1)
#> math.isqrt(4.0)
#> math.sqrt('4')
#> math.factorial(-1)
#> math.nonexistent
#> [(5).bit_length(), (0).bit_length(), (-256).bit_length(), (255).bit_count(), (2.0).is_integer(), (2.5).is_integer()]
#> [bin(10), bin(-5), oct(8), hex(255), hex(-255), bin(2**70)]
#> [hash(5), hash(-1), hash(2**61 - 1), hash(2**61), hash(1.5), hash(0.1), hash(True), hash((1, 2)), hash(()), hash(-2**100), hash((1, (2, 3.5))), hash(float('inf'))]
#> [0x1F, 0b101, 0o17, 1_000_000, 1e3, 1.5e-3, 0xffffffffffffffffffff]
#> 1 + '1'
#> '1' + 1
#> None + 1
#> [] - []
#> -'a'
#> 5 < 'a'
#> [1] < (1,)
#> None < None
#> 1 @ 2
#> 1.5 & 2
#> 1 << -1
#> [chr(65), chr(8364), ord('a'), ord('€'), chr(0x1F600)]
#> chr(-1)
#> ord('ab')
#> ord(5)
#> [min(3, 1, 2), max([1, 5, 3]), min('b', 'a'), max([1, 2.0, 2]), min([2, 1], key=lambda x: -x), max([], default=7), min({3: 'a', 2: 'b'}), max('hello')]
#> max([])
#> min(5)
#> max(1, 'a')
#> [sum([1, 2, 3]), sum([], 5), sum([[1], [2]], []), sum(x * x for x in range(10)), sum([0.5, 0.25]), sum((1, 2), start=10)]
#> sum(['a'])
#> sum(['a'], '')
#> (1).real + (2).imag + (3).numerator
#> str(10**5000)
#> int('1' * 5000)
#> len(str(10**4000))
