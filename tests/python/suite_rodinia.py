"""Programs of Rodinia, by loops and NumPy."""

import itertools
import math

import numpy as np
from suite_case import case, distances, f32, graph, logistic, rows


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
