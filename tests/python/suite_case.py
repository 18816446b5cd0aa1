"""What the programs of `examples/suite` compute, another way: the cases, and what they share."""

import numpy as np

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
