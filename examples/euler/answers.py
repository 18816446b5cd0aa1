#!/usr/bin/env python3
"""The answers of the thirty problems, found in other ways than the programs find them: plain loops, Python's own large
numbers, dates and strings. `./answers.py > answers.txt` writes what the tests compare with; each line is a kernel,
what it is run on, and the answer. The first line of a problem is small enough for the interpreter (the program's own
`;;; run:` line), the last is the problem as it was posed."""

from datetime import date
from itertools import permutations
from math import comb, factorial, isqrt, lcm, prod
from pathlib import Path

DATA = Path(__file__).parent / "data"


def rows(name):
    lines = (line.split(";")[0].split() for line in (DATA / name).read_text().splitlines())
    return [[int(word) for word in line] for line in lines if line]


def sieve(n):
    flags = bytearray([0, 0]) + bytearray([1]) * n
    for i in range(2, isqrt(n) + 1):
        if flags[i]:
            flags[i * i :: i] = bytes(len(range(i * i, len(flags), i)))
    return flags[: n + 1]


def primes(n):
    return [i for i, flag in enumerate(sieve(n)) if flag and i < n]


def divisor_sums(n):
    sums = [0] * n
    for d in range(1, n):
        for multiple in range(2 * d, n, d):
            sums[multiple] += d
    return sums


def p02(limit):
    a, b, total = 1, 2, 0
    while a <= limit:
        total += a if a % 2 == 0 else 0
        a, b = b, a + b
    return total


def p03(n):
    return max(p for p in primes(isqrt(n)) if n % p == 0)


def p04(n):
    products = {a * b for a in range(n, 10 * n) for b in range(a, 10 * n)}
    return max(x for x in products if str(x) == str(x)[::-1])


def p08(k):
    digits = [d for row in rows("p008.txt") for d in row]
    return max(prod(digits[i : i + k]) for i in range(len(digits) - k + 1))


def p09(n):
    found = {
        prod((a, b, n - a - b)) for a in range(1, n) for b in range(a + 1, n - a) if a * a + b * b == (n - a - b) ** 2
    }
    (answer,) = found
    return answer


def p11():
    grid, best = rows("p011.txt"), 0
    for i, row in enumerate(grid):
        for j in range(len(row)):
            for di, dj in ((0, 1), (1, 0), (1, 1), (1, -1)):
                if i + 3 * di < len(grid) and 0 <= j + 3 * dj < len(row):
                    best = max(best, prod(grid[i + k * di][j + k * dj] for k in range(4)))
    return best


def p12(many):
    def divisors(x):
        return sum(2 if d * d < x else 1 for d in range(1, isqrt(x) + 1) if x % d == 0)

    n = 1
    while divisors(n * (n + 1) // 2) <= many:
        n += 1
    return n * (n + 1) // 2


def p13():
    return str(sum(int("".join(map(str, row))) for row in rows("p013.txt")))[:10]


def p14(n):
    lengths = {1: 1}
    for start in range(2, n):
        x, way = start, []
        while x not in lengths:
            way.append(x)
            x = x // 2 if x % 2 == 0 else 3 * x + 1
        length = lengths[x]
        for x in reversed(way):
            length += 1
            lengths[x] = length
    return max(range(1, n), key=lambda start: lengths[start])


def p17(n):
    ones = [
        "",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ]
    tens = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]

    def word(x):
        if x == 1000:
            return "onethousand"
        if x >= 100:
            return ones[x // 100] + "hundred" + ("and" + word(x % 100) if x % 100 else "")
        return ones[x] if x < 20 else tens[x // 10] + ones[x % 10]

    return sum(len(word(x)) for x in range(1, n + 1))


def p18():
    triangle = rows("p018.txt")
    best = {0: triangle[0][0]}
    for i, row in enumerate(triangle[1:], 1):
        best = {j: row[j] + max(best.get(j - 1, 0), best.get(j, 0)) for j in range(i + 1)}
    return max(best.values())


def p19():
    return sum(date(year, month, 1).weekday() == 6 for year in range(1901, 2001) for month in range(1, 13))


def p21(n):
    sums = divisor_sums(n)

    def divisor_sum(x):
        return sums[x] if x < n else sum(d for d in range(1, x) if x % d == 0)

    return sum(a for a in range(1, n) if sums[a] != a and divisor_sum(sums[a]) == a)


def p22():
    names = sorted("".join(chr(64 + c) for c in row if c) for row in rows("p022.txt"))
    return sum(i * sum(ord(c) - 64 for c in name) for i, name in enumerate(names, 1))


def p23(n):
    abundant = [i for i, s in enumerate(divisor_sums(n)) if s > i]
    sums = {a + b for a in abundant for b in abundant if a + b < n}
    return sum(x for x in range(n) if x not in sums)


def p24(nth, k):
    for i, permutation in enumerate(permutations(range(k)), 1):
        if i == nth:
            return int("".join(map(str, permutation)))


def p25(digits):
    a, b, index = 1, 1, 2
    while b < 10 ** (digits - 1):
        a, b, index = b, a + b, index + 1
    return index


def p26(n):
    def cycle(d):
        seen, r = {}, 1
        while r and r not in seen:
            seen[r] = len(seen)
            r = 10 * r % d
        return len(seen) - seen[r] if r else 0

    return max(range(1, n), key=cycle)


def p27(n):
    flags = sieve(10 * n * n)

    def run(a, b):
        x = 0
        while x * x + a * x + b > 1 and flags[x * x + a * x + b]:
            x += 1
        return x

    return max(((run(a, b), a * b) for b in primes(n + 1) for a in range(1 - n, n)), key=lambda p: p[0])[1]


def p28(rings):
    total, value = 1, 1
    for ring in range(1, rings + 1):
        for _ in range(4):
            value += 2 * ring
            total += value
    return total


def digit_powers(n, p):
    return sum(x for x in range(10, n) if x == sum(int(d) ** p for d in str(x)))


ANSWERS = [
    ("p01", "N=1000", sum(x for x in range(1000) if x % 3 == 0 or x % 5 == 0)),
    ("p02", "limit=4000000", p02(4_000_000)),
    ("p03", "n=600851475143", p03(600_851_475_143)),
    ("p04", "N=10", p04(10)),
    ("p04", "N=100", p04(100)),
    ("p05", "N=20", lcm(*range(1, 21))),
    ("p06", "N=100", sum(range(101)) ** 2 - sum(x * x for x in range(101))),
    ("p07", "n=6 N=20", primes(20)[5]),
    ("p07", "n=10001 N=120000", primes(120_000)[10_000]),
    ("p08", "digits=data/p008.txt K=13", p08(13)),
    ("p09", "N=12", p09(12)),
    ("p09", "N=1000", p09(1000)),
    ("p10", "N=10", sum(primes(10))),
    ("p10", "N=2000000", sum(primes(2_000_000))),
    ("p11", "grid=data/p011.txt", p11()),
    ("p12", "many=5 N=10", p12(5)),
    ("p12", "many=500 N=13000", p12(500)),
    ("p13", "numbers=data/p013.txt", p13()),
    ("p14", "N=30", p14(30)),
    ("p14", "N=1000000", p14(1_000_000)),
    ("p15", "N=20", comb(40, 20)),
    ("p16", "E=15 D=5", sum(map(int, str(2**15)))),
    ("p16", "E=1000 D=302", sum(map(int, str(2**1000)))),
    (
        "p17",
        "ones=[0,3,3,5,4,4,3,5,5,4,3,6,6,8,8,7,7,9,8,8] tens=[0,3,6,6,5,5,5,7,6,6] N=1000",
        p17(1000),
    ),
    ("p18", "triangle=data/p018.txt", p18()),
    ("p19", "M=1200", p19()),
    ("p20", "N=10 D=8", sum(map(int, str(factorial(10))))),
    ("p20", "N=100 D=160", sum(map(int, str(factorial(100))))),
    ("p21", "N=300", p21(300)),
    ("p21", "N=10000", p21(10_000)),
    ("p22", "names=data/p022.txt", p22()),
    ("p23", "N=100", p23(100)),
    ("p23", "N=28124", p23(28_124)),
    ("p24", "nth=4 K=3", p24(4, 3)),
    ("p24", "nth=1000000 K=10", p24(1_000_000, 10)),
    ("p25", "D=3", p25(3)),
    ("p25", "D=1000", p25(1000)),
    ("p26", "N=100", p26(100)),
    ("p26", "N=1000", p26(1000)),
    ("p27", "N=40", p27(40)),
    ("p27", "N=1000", p27(1000)),
    ("p28", "R=500", p28(500)),
    ("p29", "N=5", len({a**b for a in range(2, 6) for b in range(2, 6)})),
    ("p29", "N=100", len({a**b for a in range(2, 101) for b in range(2, 101)})),
    ("p30", "P=4 N=10000", digit_powers(10_000, 4)),
    ("p30", "P=5 N=354295", digit_powers(354_295, 5)),
]

if __name__ == "__main__":
    for kernel, run, answer in ANSWERS:
        print(f"{kernel} {run} = {answer}")
