"""The programs of `examples/suite`, on the interpreter, beside the same computed another way: loops, NumPy, hashlib.

What the devices compute is compared with the interpreter elsewhere (`tests/suites/examples.rs`).
"""

import hashlib
import itertools
import math
import struct
import subprocess
from statistics import NormalDist

import numpy as np
import pytest

CASES = {}


def case(*sizes, tolerance=1e-4):
    """The function yields inputs, sizes by name and the expected result, for each of these sizes."""

    def add(function):
        for size in sizes:
            CASES[f"{function.__name__}-{size}"] = (function, size, tolerance)
        return function

    return add


def numbers(value):
    """All numbers of a value, in order."""
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (list, tuple)) or (hasattr(value, "__iter__") and not isinstance(value, np.generic)):
        return [x for part in value for x in numbers(part)]
    return [float(value)]


def f32(random, *shape, low=0.0, high=1.0):
    return random.uniform(low, high, shape).astype(np.float32)


def rows(*columns):
    """An array of tuples, from arrays of their components."""
    return [tuple(x.item() if isinstance(x, np.generic) else x for x in row) for row in zip(*columns)]


def logistic(x):
    return 1 / (1 + np.exp(-x))


@case((3, 2, 1), (4, 5, 3), (0, 1, 1))
def backprop_train(random, size):
    i, h, o = size
    xs, target = f32(random, i), f32(random, o)
    first, second = f32(random, i + 1, h), f32(random, h + 1, o)
    first0, second0 = f32(random, i + 1, h), f32(random, h + 1, o)
    inputs = [xs, target, first, second, first0, second0]
    hidden = logistic(first[0] + xs @ first[1:])
    output = logistic(second[0] + hidden @ second[1:])
    wrong = output * (1 - output) * (target - output)
    hidden_wrong = hidden * (1 - hidden) * (second[1:] @ wrong)
    first1 = first + 0.3 * np.outer([1, *xs], hidden_wrong) + 0.3 * first0
    second1 = second + 0.3 * np.outer([1, *hidden], wrong) + 0.3 * second0
    return inputs, {}, (abs(wrong).sum(), abs(hidden_wrong).sum(), first1, second1)


@case((5, 0), (5, 5), (17, 4))
def nn_nearest(random, size):
    n, k = size
    places = random.integers(-5, 5, (n, 2))
    far = [math.hypot(3 - y, 1 - x) for y, x in places]
    order = sorted(range(n), key=lambda i: far[i])[:k]
    return [rows(*places.T.astype(float)), 3.0, 1.0], {"K": k}, [(i, far[i]) for i in order]


@case((0, 0), (1, 1), (3, 5), (7, 2))
def nw_scores(random, size):
    n, m = size
    similar = random.integers(-9, 10, size).astype(np.int32)
    best = np.zeros((n + 1, m + 1), int)
    for i, j in itertools.product(range(n + 1), range(m + 1)):
        if i == 0 or j == 0:
            best[i, j] = -4 * (i + j)
        else:
            best[i, j] = max(best[i - 1, j - 1] + similar[i - 1, j - 1], best[i - 1, j] - 4, best[i, j - 1] - 4)
    return [similar, 4], {"N": n, "M": m}, best[1:]


@case((1, 1), (1, 6), (5, 7))
def pathfinder(random, size):
    wall = random.integers(0, 10, size).astype(np.int32)
    costs = [int(x) for x in wall[0]]
    for row in wall[1:]:
        costs = [min(costs[max(0, j - 1) : j + 2]) + int(x) for j, x in enumerate(row)]
    return [wall], {}, costs


@case(1, 2, 7)
def lud(random, n):
    m = f32(random, n, n) + n * np.eye(n, dtype=np.float32)
    lower, upper = np.eye(n), m.astype(float)
    for k in range(n):
        for i in range(k + 1, n):
            lower[i, k] = upper[i, k] / upper[k, k]
            upper[i] -= lower[i, k] * upper[k]
    np.testing.assert_allclose(lower @ upper, m, rtol=1e-5)
    return [m], {}, lower - np.eye(n) + upper


@case((1, 3, 0), (3, 4, 1), (5, 6, 4))
def srad(random, size):
    h, w, t = size
    image = random.integers(1, 256, (h, w)).astype(np.uint8)
    x = np.exp(image / 255.0)
    for _ in range(t):
        q0 = x.var() / x.mean() ** 2
        p = np.pad(x, 1, mode="edge")
        north, south, west, east = p[:-2, 1:-1] - x, p[2:, 1:-1] - x, p[1:-1, :-2] - x, p[1:-1, 2:] - x
        g2 = (north**2 + south**2 + west**2 + east**2) / x**2
        line = (north + south + west + east) / x
        q = (g2 / 2 - line**2 / 16) / (1 + line / 4) ** 2
        c = np.clip(1 / (1 + (q - q0) / (q0 * (1 + q0))), 0, 1)
        below, right = np.pad(c, ((0, 1), (0, 0)), mode="edge")[1:], np.pad(c, ((0, 0), (0, 1)), mode="edge")[:, 1:]
        x = x + 0.125 * (c * north + below * south + c * west + right * east)
    return [image, 0.5], {"T": t}, 255 * np.log(x)


@case((1, 1), (3, 4))
def lavamd(random, size):
    boxes, each = size
    particles = f32(random, boxes, each, 4)
    charges = f32(random, boxes, each)
    neighbours = [[j for j in range(boxes) if abs(i - j) == 1] for i in range(boxes)]
    expected = []
    for home, around in enumerate(neighbours):
        for v, *at in particles[home].astype(float):
            total = np.zeros(4)
            for box in [home, *around]:
                for (v2, *at2), charge in zip(particles[box].astype(float), charges[box]):
                    u = math.exp(-0.5 * (v + v2 - np.dot(at, at2)))
                    total += charge * u * np.array([1, *(2 * np.subtract(at, at2))])
            expected.append(total)
    inputs = [[rows(*box.T) for box in particles], charges, neighbours, 0.5]
    return inputs, {}, expected


def graph(random, n, e):
    return random.integers(0, max(n, 1), (e, 2)).astype(np.int32)


def distances(n, edges):
    found = {0: 0} if n else {}
    queue = [0] if n else []
    for node in queue:
        for a, b in edges:
            if a == node and int(b) not in found:
                found[int(b)] = found[node] + 1
                queue.append(int(b))
    return [found.get(i, -1) for i in range(n)]


@case((1, 0), (1, 3), (9, 12), (20, 19))
def bfs(random, size):
    edges = sorted(map(tuple, graph(random, *size).tolist()))
    starts = [sum(a < i for a, _ in edges) for i in range(size[0] + 1)]
    inputs = [np.array(starts, np.int32), np.array([b for _, b in edges], np.int32)]
    return inputs, {}, distances(size[0], edges)


@case((0, 0), (1, 3), (9, 12))
def bfs_by_edges(random, size):
    edges = graph(random, *size)
    return [rows(*edges.T)], {"N": size[0]}, distances(size[0], edges)


def flux(normal, state):
    density, momentum, energy = state[0], state[1:4], state[4]
    v = momentum / density
    p = 0.4 * (energy - 0.5 * density * v @ v)
    return np.array([momentum @ normal, *(momentum * (v @ normal) + p * normal), (energy + p) * (v @ normal)])


def speeds(state):
    v = state[1:4] / state[0]
    p = 0.4 * (state[4] - 0.5 * state[0] * v @ v)
    return math.sqrt(v @ v), math.sqrt(1.4 * p / state[0]), p


@case((1, 1), (4, 3))
def cfd(random, size):
    n, t = size
    areas = f32(random, n, low=1.0, high=2.0)
    normals = f32(random, n, 4, 3, low=-0.3, high=0.3)
    neighbours = random.integers(-2, n, (n, 4))
    far = np.array([1.4, 1.68, 0, 0, 3.508])
    states = np.tile(far, (n, 1))

    def received(now, i):
        here, total = now[i], np.zeros(5)
        for k, normal in zip(neighbours[i], normals[i].astype(float)):
            if k == -1:
                total[1:4] += speeds(here)[2] * normal
                continue
            there = far if k == -2 else now[k]
            total += 0.5 * (flux(normal, here) + flux(normal, there))
            if k >= 0:
                reach = sum(speeds(here)[:2]) + sum(speeds(there)[:2])
                total += -0.1 * np.linalg.norm(normal) * reach * (here - there)
        return total

    for _ in range(t):
        steps = [0.5 / (math.sqrt(a) * sum(speeds(s)[:2])) for a, s in zip(areas, states)]
        now = states
        for divisor in (4, 3, 2):
            now = np.array([states[i] + steps[i] / divisor * received(now, i) for i in range(n)])
        states = now
    faces = [rows(k, [tuple(map(float, x)) for x in v]) for k, v in zip(neighbours, normals)]
    return [areas, faces], {"T": t}, states


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
    # Each has a highest bit of its own, so that no chance is 0: it has no normal number.
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
    # The example of the cipher's authors.
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


def literal(value):
    """A value as `lift run` reads it."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        left, right = "[]" if isinstance(value, list) else "()"
        return left + ",".join(map(literal, value)) + right
    return repr(value)


@pytest.mark.parametrize("name", CASES)
def test_program(examples, name):
    function, size, tolerance = CASES[name]
    inputs, sizes, expected = function(np.random.default_rng(7), size)
    program, _, kernel = function.__name__.partition("_")
    words = ["--kernel", kernel.replace("_", "-") or program, "--device", "interpreter"]
    words += [word for size, number in sizes.items() for word in ("--size", f"{size}={number}")]
    command = ["lift", "run", examples / "suite" / f"{program}.lift", *words, "--", *map(literal, inputs)]
    result = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    found = [float({"true": 1, "false": 0}.get(word, word)) for word in result]
    np.testing.assert_allclose(found, numbers(expected), rtol=tolerance, atol=tolerance)


def test_the_tests_of_the_programs(examples):
    programs = sorted((examples / "suite").glob("*.lift"))
    subprocess.run(["lift", "test", "--device", "interpreter", *programs], check=True)
