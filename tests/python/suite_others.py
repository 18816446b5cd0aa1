"""Programs of Parboil, FinPar, Accelerate, PBBS and Java Grande, by loops, NumPy and hashlib."""

import hashlib
import itertools
import math
import struct
from statistics import NormalDist

import numpy as np
from suite_case import case, f32, graph, rows


def differences(xs):
    n = len(xs)
    first, second = np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        low = xs[i] - xs[i - 1] if i else 0
        high = xs[i + 1] - xs[i] if i + 1 < n else 0
        if i == 0 or i == n - 1:
            continue
        first[i, i - 1 : i + 2] = (
            -high / low / (low + high),
            (high / low - low / high) / (low + high),
            low / high / (low + high),
        )
        second[i, i - 1 : i + 2] = (
            2 / low / (low + high),
            -2 * (1 / low + 1 / high) / (low + high),
            2 / high / (low + high),
        )
    return second


@case((3, 8, 6, 3), (1, 5, 4, 1), (2, 3, 3, 0), (0, 4, 4, 2), tolerance=1e-3)
def locvolcalib(random, size):
    s, nx, ny, nt = size
    s0, time, alpha, nu, beta = 0.03, 5.0, 0.2, 0.6, 0.5
    dx, dy = 20 * alpha * s0 * math.sqrt(time) / nx, 10 * nu * math.sqrt(time) / ny
    at_x, at_y = int(s0 / dx), ny // 2
    xs = np.array([(i - at_x) * dx + s0 for i in range(nx)])
    ys = np.array([(i - at_y) * dy + math.log(alpha) for i in range(ny)])
    strikes = f32(random, s) / 50
    expected = []
    for strike in strikes:
        values = np.tile(np.maximum(xs - strike, 0), (ny, 1))
        for i in reversed(range(nt)):
            now, inverse = time * i / nt, nt / time
            operators = [
                np.diag(0.5 * np.exp(2 * (beta * np.log(xs) + y - 0.5 * nu * nu * now))) @ differences(xs) for y in ys
            ]
            across = 0.5 * nu * nu * differences(ys)
            u = np.array([inverse * v + 0.5 * op @ v for op, v in zip(operators, values)])
            v = (across @ values).T
            u = u + v.T
            u = np.array([np.linalg.solve(inverse * np.eye(nx) - 0.5 * op, row) for op, row in zip(operators, u)])
            y = inverse * u.T - 0.5 * v
            values = np.array([np.linalg.solve(inverse * np.eye(ny) - 0.5 * across, row) for row in y]).T
        expected.append(values[at_y, at_x])
    return [strikes, s0, time, alpha, nu, beta], {"X": nx, "Y": ny, "T": nt}, expected


@case((1, 3), (6, 5))
def optionpricing_option(random, size):
    n, bits = size
    # Distinct highest bits, so that no probability is 0, which has no quantile.
    highest = 1 << np.arange(bits)[::-1]
    directions = (highest + random.integers(0, highest, (15, bits))).astype(np.int32)
    steps = [
        (5, 0, 5, 2.2, 0.0, 0.0),
        (2, 0, 5, 1.1, 0.0, 0.4),
        (1, 0, 2, 0.7, 0.0, 0.5),
        (3, 2, 5, 0.8, 0.66, 0.33),
        (4, 3, 5, 0.7, 0.5, 0.5),
    ]
    correlation = np.tril(f32(random, 3, 3))
    volatilities, drifts = f32(random, 5, 3) / 10, f32(random, 5, 3) / 100
    start, discounts = np.array([3758, 11840, 1200], np.float32), f32(random, 5)
    total = 0.0
    for k in range(1, n + 1):
        gray = k ^ (k >> 1)
        chances = []
        for row in directions:
            x = 0
            for i, d in enumerate(row):
                x ^= int(d) if gray >> i & 1 else 0
            chances.append(x / 2**bits)
        normals = np.array([NormalDist().inv_cdf(p) for p in chances]).reshape(5, 3)
        paths = []
        for zs in normals.T:
            path = np.zeros(5)
            for (at, left, right, deviation, left_weight, right_weight), z in zip(steps, zs):
                path[at - 1] = (
                    (left_weight * path[left - 1] if left else 0) + right_weight * path[right - 1] + deviation * z
                )
            paths.append(np.diff(path, prepend=0))
        growth = np.exp(drifts + volatilities * (np.array(paths).T @ correlation.T))
        prices = start * np.cumprod(growth, axis=0)
        worst = (prices / [3758.05, 11840, 1200]).min(axis=1)
        date = next((i for i in range(4) if worst[i] >= 1), 4)
        amount = 1150 + 150 * date if date < 4 or worst[4] >= 1 else 1000 if worst[4] > 0.75 else 1000 * worst[4]
        total += amount * discounts[date]
    inputs = [directions, steps, correlation, volatilities, drifts, start, discounts]
    return inputs, {"N": n}, total / n


@case((1, 1), (3, 3), (9, 12))
def canny(random, size):
    image = random.integers(0, 256, (*size, 3))
    grey = image @ [0.3, 0.59, 0.11]

    def at(picture, i, j):
        return picture[min(max(i, 0), size[0] - 1)][min(max(j, 0), size[1] - 1)]

    kernel = [1 / 16, 4 / 16, 6 / 16, 4 / 16, 1 / 16]
    places = list(itertools.product(range(size[0]), range(size[1])))
    grid = lambda f: np.array([f(i, j) for i, j in places]).reshape(size)  # noqa: E731
    once = grid(lambda i, j: sum(k * at(grey, i + d - 2, j) for d, k in enumerate(kernel)))
    twice = grid(lambda i, j: sum(k * at(once, i, j + d - 2) for d, k in enumerate(kernel)))
    low, high, steep, direction = 10, 20, {}, {}
    for i, j in places:
        w = [[at(twice, i + a, j + b) for b in (-1, 0, 1)] for a in (-1, 0, 1)]
        dx = w[2][0] + 2 * w[2][1] + w[2][2] - w[0][0] - 2 * w[0][1] - w[0][2]
        dy = w[0][0] + 2 * w[1][0] + w[2][0] - w[0][2] - 2 * w[1][2] - w[2][2]
        steep[i, j] = math.hypot(dx, dy)
        turned = (math.atan2(dy, dx) - math.pi / 8) * 4 / math.pi
        turned += 8 if turned <= 0 else 0
        direction[i, j] = 0 if abs(dx) <= low and abs(dy) <= low else 1 + int(turned) % 4
    found = []
    magnitudes = grid(lambda i, j: steep[i, j])
    for k, (i, j) in enumerate(places):
        d = direction[i, j]
        dx, dy = -1 if d > 2 else 1 if d < 2 else 0, -1 if d < 4 else 0
        beside = max(at(magnitudes, i + dx, j + dy), at(magnitudes, i - dx, j - dy))
        if d and steep[i, j] >= high and steep[i, j] >= beside:
            found.append(k)
    return [[rows(*line.T) for line in image], float(low), float(high)], {}, found


@case(0, 1, 5, tolerance=2)
def crystal(_random, n):
    scale, degree, time = 30.0, 5, 1.5
    angle = math.pi / (1 + 0.005 * time**1.5)
    picture = []
    for y, x in itertools.product(range(n), range(n)):
        v = sum(
            (math.cos(scale / n * (x * math.cos(i * angle) + y * math.sin(i * angle))) + 1) / 2 for i in range(degree)
        )
        v = 1 - v % 1 if int(v) % 2 else v % 1
        picture.append([255, int(255 * (0.4 + 0.6 * v) + 0.5), int(255 * v + 0.5), 0])
    expected = [(a << 24) + (r << 16) + (g << 8) + b for a, r, g, b in picture]
    return [scale, degree, time], {"N": n}, expected


@case((1, 0), (2, 1), (3, 5))
def fft_forwards(random, size):
    n, k = size
    xss = random.normal(size=(n, 2**k)) + 1j * random.normal(size=(n, 2**k))
    spectra = np.fft.fft(xss)
    return [[rows(xs.real, xs.imag) for xs in xss]], {}, [rows(ys.real, ys.imag) for ys in spectra]


@case((0, 0, 0), (2, 3, 1), (3, 2, 2))
def fft_highpass(random, size):
    k, m, cutoff = size
    image = random.integers(0, 256, (2**k, 2**m)).astype(np.uint8)
    spectrum = np.fft.fft2(image)
    near = [np.minimum(np.arange(n), n - np.arange(n)) < cutoff for n in image.shape]
    spectrum[np.outer(*near)] = 0
    return [image, cutoff], {}, abs(np.fft.ifft2(spectrum))


@case((1, 0, 2), (5, 9, 4))
def pagerank(random, size):
    n, e, t = size
    links = graph(random, n, e)
    ranks = np.full(n, 1 / n)
    for _ in range(t):
        sizes = [sum(links[:, 0] == i) for i in range(n)]
        new = np.full(n, sum(ranks[i] for i in range(n) if sizes[i] == 0) / n)
        for a, b in links:
            new[b] += ranks[a] / sizes[a]
        ranks = new
    return [rows(*links.T)], {"N": n, "T": t}, ranks


@case(0, 1, 5, 56)
def hashcat(random, n):
    words = [bytes(random.integers(0, 256, k % 56).astype(np.uint8)) for k in range(n)]
    starts = np.cumsum([0, *map(len, words)]).astype(np.int32)
    wanted = hashlib.md5(words[-1] if words else b"").digest()
    letters = np.frombuffer(b"".join(words), np.uint8)
    return [letters, starts, struct.unpack("<4I", wanted)], {}, n - 1


@case((1, 1), (3, 4), tolerance=2e-3)
def tunnel(_random, size):
    def fraction(x):
        return x - int(x)

    def noise(x, y, a, b, scale):
        return fraction(scale * math.sin(a * x + b * y))

    picture = []
    for row, column in itertools.product(*map(range, size)):
        x, y = 1.2 * (0.5 + column - size[1] // 2), 1.2 * (0.5 + row - size[0] // 2)
        inverse = 1 / math.hypot(x, y)
        px, py = 5 * (x * inverse - inverse - 20), 5 * y * inverse
        colour = weight = 0.0
        for i, j in itertools.product(range(-2, 3), repeat=2):
            cx, cy = int(px) + i, int(py) + j
            dx = i - fraction(px) + noise(cx, cy, 127.1, 311.7, 43758.5453)
            dy = j - fraction(py) + noise(cx, cy, 269.5, 183.3, 43758.5453)
            t = min(1.0, math.hypot(dx, dy) / 1.414)
            w = 1 - t * t * (3 - 2 * t)
            colour, weight = colour + w * noise(cx, cy, 419.2, 371.9, 833458.57832), weight + w
        light = colour / weight + 0.24 * inverse
        picture.append([0.659 * light, 0.772 * light, light])
    return [10.0], dict(zip("HW", size)), picture


def walls(across, along, inside):
    """Sets the outermost cells of a grid from those inside."""
    x = inside.copy()
    x[0, 1:-1], x[-1, 1:-1] = across * x[1, 1:-1], across * x[-2, 1:-1]
    x[1:-1, 0], x[1:-1, -1] = along * x[1:-1, 1], along * x[1:-1, -2]
    for i, j in itertools.product((0, -1), repeat=2):
        x[i, j] = (x[1 if i == 0 else -2, j] + x[i, 1 if j == 0 else -2]) / 2
    return x


@case((3, 1), (4, 2), (6, 2))
def fluid(random, size):
    g, t = size
    rounds, step, diffusion, viscosity = 3, 0.1, 0.01, 0.02
    u, v, density = (f32(random, g, g) - 0.5 for _ in range(3))
    inputs = [u, v, density, rounds, step, diffusion, viscosity]

    def solved(across, along, a, c, source):
        x = np.zeros((g, g))
        for _ in range(rounds):
            new = np.zeros((g, g))
            new[1:-1, 1:-1] = (source[1:-1, 1:-1] + a * (x[:-2, 1:-1] + x[2:, 1:-1] + x[1:-1, :-2] + x[1:-1, 2:])) / c
            x = walls(across, along, new)
        return x

    def diffused(across, along, rate, x):
        a = step * rate * (g - 2) ** 2
        return solved(across, along, a, 1 + 4 * a, x)

    def carried(across, along, x, u, v):
        new = np.zeros((g, g))
        for i, j in itertools.product(range(1, g - 1), repeat=2):
            y = min(max(i - step * (g - 2) * u[i, j], 0.5), g - 1.5)
            z = min(max(j - step * (g - 2) * v[i, j], 0.5), g - 1.5)
            k, m, s, r = int(y), int(z), y % 1, z % 1
            new[i, j] = (1 - s) * ((1 - r) * x[k, m] + r * x[k, m + 1]) + s * (
                (1 - r) * x[k + 1, m] + r * x[k + 1, m + 1]
            )
        return walls(across, along, new)

    def balanced(u, v):
        gap, p, q = np.zeros((g, g)), np.zeros((g, g)), np.zeros((g, g))
        gap[1:-1, 1:-1] = -0.5 * (u[2:, 1:-1] - u[:-2, 1:-1] + v[1:-1, 2:] - v[1:-1, :-2]) / g
        pressure = solved(1, 1, 1, 4, walls(1, 1, gap))
        p[1:-1, 1:-1] = u[1:-1, 1:-1] - 0.5 * (g - 2) * (pressure[2:, 1:-1] - pressure[:-2, 1:-1])
        q[1:-1, 1:-1] = v[1:-1, 1:-1] - 0.5 * (g - 2) * (pressure[1:-1, 2:] - pressure[1:-1, :-2])
        return walls(-1, 1, p), walls(1, -1, q)

    for _ in range(t):
        u1, v1 = balanced(diffused(-1, 1, viscosity, u), diffused(1, -1, viscosity, v))
        u1, v1 = balanced(carried(-1, 1, u1, u1, v1), carried(1, -1, v1, u1, v1))
        density = carried(1, 1, diffused(1, 1, diffusion, density), u, v)
        u, v = u1, v1
    return inputs, {"T": t}, (u, v, density)


@case((0, 0, 3), (3, 5, 8))
def histo(random, size):
    n, m, b = size
    image = random.integers(0, 2 * b, (n, m)).astype(np.int32)
    return [image], {"N": n, "M": m, "B": b}, [min(255, int((image == k).sum())) for k in range(b)]


@case((1, 1, 0), (3, 4, 5))
def sgemm(random, size):
    n, m, k = size
    a, b, c = f32(random, n, k), f32(random, k, m), f32(random, n, m)
    return [a, b, c, 2.0, 0.5], {}, 2 * a @ b + 0.5 * c


@case((1, 2, 3, 2), (4, 5, 3, 0), (5, 4, 6, 3))
def stencil(random, size):
    *shape, t = size
    x = f32(random, *shape)
    inputs = [x]
    for _ in range(t):
        new = x.copy()
        inner = (
            x[:-2, 1:-1, 1:-1]
            + x[2:, 1:-1, 1:-1]
            + x[1:-1, :-2, 1:-1]
            + x[1:-1, 2:, 1:-1]
            + x[1:-1, 1:-1, :-2]
            + x[1:-1, 1:-1, 2:]
        )
        new[1:-1, 1:-1, 1:-1] = inner / 36 + x[1:-1, 1:-1, 1:-1] / 6
        x = new
    return inputs, {"T": t}, x


@case((1, 1, 1, 1), (2, 3, 4, 3))
def lbm(random, size):
    *shape, t = size
    x = f32(random, 19, *shape)
    flags = random.integers(0, 3, shape).astype(np.int32)
    inputs = [x, flags]
    directions = [d for d in itertools.product((-1, 0, 1), repeat=3) if np.dot(d, d) <= 2]
    for _ in range(t):
        pulled = np.array([np.roll(grid, d, (0, 1, 2)) for grid, d in zip(x.astype(float), directions)])
        x = np.zeros_like(pulled)
        for cell in itertools.product(*map(range, shape)):
            n, flag = pulled[(slice(None), *cell)], flags[cell]
            total = n.sum()
            u = np.array([0, 0.002, 0.005]) if flag == 2 else n @ directions / total
            for k, d in enumerate(directions):
                weight = [1 / 3, 1 / 18, 1 / 36][np.dot(d, d)]
                cu = np.dot(d, u)
                balance = weight * total * (1 + 3 * cu + 4.5 * cu * cu - 1.5 * u @ u)
                x[(k, *cell)] = (
                    n[directions.index(tuple(-c for c in d))] if flag == 1 else -0.95 * n[k] + 1.95 * balance
                )
    return inputs, {"T": t}, x


@case((0, 0), (1, 1), (5, 2))
def tpacf(random, size):
    n, r = size
    observed, sets = random.uniform(0, 20, (n, 2)), random.uniform(0, 20, (r, n, 2))

    def vector(star):
        a, d = np.radians(star)
        return np.array([math.cos(a) * math.cos(d), math.sin(a) * math.cos(d), math.sin(d)])

    bounds = [math.cos(math.radians(10 ** (k / 5) / 60)) for k in range(21)]

    def count(histogram, x, y):
        k = sum(vector(x) @ vector(y) < b for b in bounds) - 1
        if 0 <= k < 20:
            histogram[k] += 1

    dd, dr, rr = np.zeros(20), np.zeros(20), np.zeros(20)
    for i in range(n):
        for j in range(i + 1):
            count(dd, observed[i], observed[j])
    for stars in sets:
        for i, j in itertools.product(range(n), repeat=2):
            count(dr, observed[i], stars[j])
            if j <= i:
                count(rr, stars[i], stars[j])
    return [rows(*observed.T), [rows(*stars.T) for stars in sets]], {}, (dd, dr, rr)


@case(0)
def crypt(_random, _size):
    # The test vector of the cipher's authors.
    key = np.arange(1, 9, dtype=np.uint16)
    return [key, [(0, 1, 2, 3)]], {}, [0x11FB, 0xED2B, 0x0198, 0x6DE5]


@case(0, 1, 4)
def series(_random, n):
    x = np.linspace(0, 2, 1001)
    trapezoid = lambda y: (y.sum() - (y[0] + y[-1]) / 2) * 0.002  # noqa: E731
    f = (x + 1) ** x
    expected = [
        (trapezoid(f * np.cos(math.pi * i * x)) / (1 if i else 2), trapezoid(f * np.sin(math.pi * i * x)))
        for i in range(n)
    ]
    return [], {"N": n}, expected


@case((0, 0), (1, 2), (8, 11))
def matching(random, size):
    edges = graph(random, *size)
    taken, chosen = set(), []
    for i, (a, b) in enumerate(edges.tolist()):
        if a != b and not taken & {a, b}:
            taken |= {a, b}
            chosen.append(i)
    return [rows(*edges.T)], {"N": size[0]}, chosen


@case((1, 0), (9, 12), (20, 18))
def mis(random, size):
    edges = [(a, b) for a, b in graph(random, *size).tolist() if a != b]
    edges = edges + [(b, a) for a, b in edges]
    priorities = random.permutation(size[0]).astype(np.int32)
    inside = set()
    for node in np.argsort(priorities).tolist():
        if not any(a == node and b in inside for a, b in edges):
            inside.add(node)
    return [edges, priorities], {}, [i in inside for i in range(size[0])]


@case(0, 1, 30)
def duplicates(random, n):
    xs = random.integers(0, 12, n).astype(np.int32)
    return [xs], {}, list(dict.fromkeys(xs.tolist()))


@case(0, 1, 40)
def duplicates_words(random, n):
    text = random.integers(97, 99, 50).astype(np.uint8)
    words = [(int(a), int(b)) for a, b in random.integers((0, 0), (46, 5), (n, 2))]
    return [text, words], {}, len({bytes(text[a : a + k]) for a, k in words})


@case((0, 2), (1, 0), (20, 7))
def ranges(random, size):
    points, corners = random.integers(0, 9, (size[0], 2)), random.integers(0, 9, (size[1], 2, 2))
    inside = [sum(bool(((c.min(0) <= p) & (p <= c.max(0))).all()) for p in points) for c in corners]
    as_floats = lambda xs: rows(*np.asarray(xs, float).T)  # noqa: E731
    return [as_floats(points), [tuple(as_floats(c)) for c in corners]], {}, inside


@case((2, 2, 1), (30, 3, 2))
def kmeans(random, size):
    n, k, d = size
    points = f32(random, n, d)
    groups, centres, steps, changed = np.arange(n) % k, points[:k].astype(float), 0, 1
    while changed > 0 and steps < 20:
        new = np.array([np.argmin(((centres - p) ** 2).sum(1)) for p in points])
        centres = np.array([points[new == i].sum(0) / max(1, (new == i).sum()) for i in range(k)])
        changed, groups, steps = (new != groups).sum(), new, steps + 1
    return [points, 0, 20], {"K": k}, (centres, steps)


@case((0, 2), (1, 1), (5, 3))
def nbody(random, size):
    n, t = size
    at, mass, speed = random.normal(size=(n, 3)), random.uniform(size=n), random.normal(size=(n, 3))
    bodies = [(tuple(p.tolist()), float(m), tuple(v.tolist())) for p, m, v in zip(at, mass, speed)]
    for _ in range(t):
        pull = np.zeros((n, 3))
        for i, j in itertools.product(range(n), repeat=2):
            way = at[j] - at[i]
            pull[i] += mass[j] * way / (way @ way + 0.01) ** 1.5
        at, speed = at + 0.05 * speed, speed + 0.05 * pull
    return [bodies, 0.1, 0.05], {"T": t}, list(zip(at, mass, speed))


@case(0, 4, tolerance=3e-3)
def myocyte(random, n):
    cells = random.uniform(-1, 1, (n, 3))
    expected = []
    for v, w, current in cells:
        for _ in range(20000):  # Small steps of Euler's method.
            dv, dw = v - v**3 / 3 - w + current, 0.08 * (v + 0.7 - 0.8 * w)
            v, w = v + 2.5e-4 * dv, w + 2.5e-4 * dw
        expected.append((v, w))
    return [rows(*cells.T), 5.0, 1e-4], {}, expected


@case((0, 1), (5, 7))
def mandelbrot(_random, size):
    h, w = size
    picture = []
    for row, column in itertools.product(range(h), range(w)):
        c = z = np.complex64(complex(-2.1 + 2.9 * column / max(w, 1), -1.3 + 2.6 * row / max(h, 1)))
        n = 0
        while n < 40 and abs(z) ** 2 < 16:
            z, n = z * z + c, n + 1
        picture.append(n)
    return [40, 16.0, (-2.1, -1.3), (0.8, 1.3)], {"H": h, "W": w}, picture


@case((1, 2, 1), (3, 3, 2), tolerance=2e-3)
def smoothlife(random, size):
    k, m, t = size
    world = f32(random, 2**k, 2**m)
    inputs = [world, 0.8, 1.6]
    near = [np.minimum(np.arange(n), n - np.arange(n)) for n in world.shape]
    radius = np.hypot(near[0][:, None], near[1][None])
    ramp = lambda edge: np.clip(0.5 + radius - edge, 0, 1)  # noqa: E731
    ring, disc = ramp(0.8) * (1 - ramp(1.6)), 1 - ramp(0.8)
    above = lambda width, a, x: 1 / (1 + np.exp(-4 * (x - a) / width))  # noqa: E731
    shifts = list(itertools.product(*map(range, world.shape)))
    for _ in range(t):
        mean = lambda mask: sum(mask[s] * np.roll(world, s, (0, 1)) for s in shifts) / mask.sum()  # noqa: B023, E731
        n, m = mean(ring), mean(disc)
        alive = above(0.147, 0.5, m)
        birth = 0.278 + alive * (0.267 - 0.278), 0.365 + alive * (0.445 - 0.365)
        world = above(0.028, birth[0], n) * (1 - above(0.028, birth[1], n))
    return inputs, {"T": t}, world
