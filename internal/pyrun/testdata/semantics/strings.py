s = 'Hello, World'
u = 'naïve café 😀'
#> [s[0], s[-1], s[1:4], s[::-1], s[::2], s[-5:], s[:-5], s[5:2], s[100:], s[-100:3], s[10:0:-3]]
#> [u[2], u[-1], u[3:9], u[::-1], len(u), u[::3], u.find('café'), u.index('😀'), 'é' in u]
#> s[50]
#> s['a']
#> s[1.0]
#> [s.upper(), s.lower(), s.swapcase(), s.title(), s.capitalize(), 'hello wORLD'.capitalize(), "they're".title()]
#> ['  a b '.strip(), 'xxaxx'.strip('x'), 'abcba'.lstrip('ab'), 'abcba'.rstrip('ab'), '\t\n x\r'.strip()]
#> ['a,b,c'.split(','), ' a  b '.split(), 'a,b,c'.split(',', 1), 'a,b,c'.rsplit(',', 1), ''.split(), ''.split(','), 'a  b c'.split(None, 1), ' a b  c '.rsplit(None, 1), 'abc'.split('x')]
#> ['a\nb\r\nc'.splitlines(), '\n'.splitlines(), ''.splitlines(), 'a\n\nb'.splitlines()]
#> [','.join(['a', 'b']), ''.join('abc'), '-'.join(str(i) for i in range(3)), ' '.join([])]
#> ','.join([1, 2])
#> ','.join(5)
#> ['banana'.replace('a', 'o'), 'banana'.replace('a', 'o', 2), 'abc'.replace('', '-'), 'aaa'.replace('aa', 'b')]
#> [s.startswith('Hell'), s.endswith(('x', 'World')), s.startswith(''), s.find('o'), s.rfind('o'), s.find('zz'), s.count('l'), s.index('W'), 'aaaa'.count('aa'), 'abc'.count(''), s.find('o', 5), s.find('o', -3), s.find('', 50)]
#> s.index('zz')
#> ['12'.isdigit(), ''.isdigit(), 'a1'.isalnum(), 'ab'.isalpha(), ' \t'.isspace(), 'AB'.isupper(), 'ab1'.islower(), 'Ab Cd'.istitle(), '1.5'.isnumeric(), '12'.isdecimal(), 'é'.isascii()]
#> ['7'.zfill(3), '-7'.zfill(4), 'abc'.ljust(6, '.'), 'abc'.rjust(6), 'abc'.center(8, '*'), 'abc'.center(7), 'ab'.center(7, '-'), 'abcd'.center(7, '-'), 'abc'.center(2)]
#> ['a=b=c'.partition('='), 'a=b=c'.rpartition('='), 'abc'.partition('x'), 'abc'.rpartition('x')]
#> ['prefix-x'.removeprefix('prefix-'), 'x.py'.removesuffix('.py'), 'abc'.removeprefix('x')]
#> ['ab' * 3, 3 * 'ab', 'ab' * 0, 'ab' * -1, 'a' + 'b', 'a' 'b']
#> 'a' * 2.0
#> ['b' in 'abc', '' in 'abc', 'x' not in 'abc', 'a' < 'b', 'Z' < 'a', 'abc' < 'abd', 'é' > 'z', 'a' == 'a']
#> 5 in 'abc'
#> [repr('a'), repr("it's"), repr('say "hi"'), repr('it\'s "x"'), repr('a\nb\t\\'), repr('\x00\x7f\x80é😀'), repr(''), str('x')]
#> ['%d' % 5, '%5d|' % 42, '%-5d|' % 42, '%05d' % 42, '%+d' % 5, '%x %X %o' % (255, 255, 8), '%#x' % 255, '%s %r' % ('a', 'a'), '%5.2f' % 3.14159, '%e' % 12345.678, '%g %g' % (0.0001, 1e10), '%%', '%c%c' % ('a', 98), '%.3s|' % 'abcdef', '%*d' % (5, 42), '%i' % 3.9, '%s' % None, '%s' % [1], '%s' % ((1, 2),)]
#> '%d' % 'a'
#> '%d %d' % 1
#> '%d' % (1, 2)
#> '%y' % 1
#> '%s' % ()
#> ['{} {}'.format(1, 2), '{1} {0}'.format(1, 2), '{a}{b}'.format(a=1, b=2), '{:>5}|{:<5}|{:^5}|'.format(1, 2, 3), '{0[1]}'.format([1, 2]), '{!r}'.format('a'), '{{}}'.format(), '{:{}}'.format('a', 5), '{0:.2f}'.format(3.14159), '{x[k]}'.format(x={'k': 1})]
#> '{} {}'.format(1)
#> '{'.format(1)
#> '}'.format(1)
#> '{a}'.format()
#> '{} {0}'.format(1)
#> [f'{1+1}', f'{s}', f'{s!r}', f'{3.14159:.2f}', f'{42:05d}', f'{42:>6}|', f'{42:<6}|', f'{42:^6}|', f'{1234567:,}', f'{1234567.891:,.2f}', f'{255:x}', f'{255:#x}', f'{255:b}', f'{0.25:.0%}', f'{0.256:.1%}', f'{"a":*^5}', f'{True}', f'{True:d}', f'{None}', f'{1e10}', f'{s=}', f'{1 + 1 = }', f'{{}}', f'{5:+}', f'{-5: }', f'{1234567:_}', f'{12345.6789:e}', f'{12345.6789:g}', f'{1e-7:g}', f'{s:.3}', f'{3:{5}}', f'{[1, 2]}', f'{"nested " + f"{1}"}']
#> [f'{1.0}', f'{1.0:.3}', f'{1234567.0:.3}', f'{100.0:g}', f'{0.1:.20f}', f'{1e300:.3e}', f'{2.5:.0f}', f'{3.5:.0f}', f'{1.5:5.1f}|', f'{float("inf"):f}', f'{float("nan"):5}|', f'{-0.0:.1f}', f'{1e16:,}', f'{123456:010,}', f'{-1234:08,d}', f'{12:#b}', f'{12:#010b}', f'{65:c}', f'{1:>+5}', f'{-1:=5}', f'{0:.1f}', f'{10:.2e}', f'{1.25:.1f}', f'{3.0:}', f'{15:X}', f'{15:#X}', f'{0.00001}', f'{5:%}', f'{1.5e3:.2}', f'{1e15:.17g}', f'{7:#o}']
#> f'{"a":d}'
#> f'{1:s}'
#> f'{1.5:d}'
#> f'{"a":=5}'
#> f'{1:.2d}'
#> f'{1:,x}'
#> f'{[1]:5}'
#> f'{1:xx}'
#> format(3.14159, '.3f') + format(5) + format('a', '>3') + format('a', '05')
#> [str(1), str(1.5), str(True), str(None), str([1, 'a']), str((1,)), str({'a': 1}), str({1}), str(set()), str(frozenset()), str(range(3)), str(range(0, 10, 2)), str(int), str(ValueError('x')), repr(ValueError('x')), repr(KeyError('k')), str(KeyError('k')), repr(ValueError()), repr(ValueError(1, 2)), str(ValueError(1, 2)), str(len), repr(Ellipsis)]
#> [list('abc'), sorted('banana'), list(reversed('abc')), list(enumerate('ab', 1)), [c for c in 'a😀']]
#> 'abc'.foo
#> 'abc'.upper(1)
#> 'abc'.upper().lower().title().center(9, '*').strip('*')
#> str.upper('abc') + str.join('-', ['a', 'b'])
#> str.upper(5)
#> list(map(str.strip, [' a ', 'b ']))
#> ['abc'.find('c', 0, 2), 'abcabc'.find('c', 3), 'abc'.rfind('a', 1), 'hello'.index('l', 3)]
#> ['\x41\u00e9\101', r'\n', '\'', "\"", '\q']
#> 'hello'.nope()
#> hash('a') == hash('a') if False else 1
