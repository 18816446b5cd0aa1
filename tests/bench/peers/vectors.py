#!/usr/bin/env python3
"""Times the programs of `../programs/vectors.lift` in PyTorch, as others.py does.

Left out is what it cannot say without a loop over all elements: `automaton`, `matrix-products`,
`matrix-product-of-all`, `group-medians`.
"""

import torch
from others import floats, report


def smoothed(rows):
    acc = torch.zeros_like(rows[0])
    for row in rows:
        acc = 0.9 * acc + 0.1 * row
    return acc


def regression(x, at, values):
    weights = torch.exp(-50 * (at - x[:, None]) ** 2)
    return weights @ values / weights.sum(1)


def soft(x, at, values):
    return torch.softmax(-50 * (at - x[:, None]) ** 2, 1) @ values


def rank(x, y):
    return torch.searchsorted(y[y > 0.9].sort().values, x)


def triples(rows, columns, values):
    key, order = (1024 * rows + columns).sort(stable=True)
    starts = torch.searchsorted(key // 1024, torch.arange(1025, device="cuda", dtype=torch.int32))
    return columns[order], values[order], starts


def heads(x, q, k, v):
    q, k, v = ((x @ w.T).unflatten(2, (8, 32)).transpose(1, 2) for w in (q, k, v))
    e = torch.exp(0.17 * (q @ k.transpose(2, 3)))
    return e @ v / e.sum(3, keepdim=True)


def centred(x, keys):
    keys, order = keys.sort(stable=True)
    sums = torch.zeros(1024, device="cuda").index_add(0, keys, x[order])
    means = sums / torch.bincount(keys, minlength=1024)
    return x[order] - means[keys]


def variances(x, keys):
    count = torch.bincount(keys, minlength=1024)
    means = torch.bincount(keys, x, 1024) / count
    return torch.bincount(keys, (x - means[keys]) ** 2, 1024) / count


def autocorrelations(rows):
    return torch.stack([(rows * rows.roll(-k, 1)).sum(1) for k in range(16)], 1)


def programs():
    rows = floats(65536, 64)
    yield "running-rows", lambda: rows.cumsum(0)
    yield "summed-rows", lambda: rows.sum(0)
    few = floats(4000, 1000)
    yield "smoothed-rows", lambda: smoothed(few)
    x, at, values = floats(8192), floats(8192), floats(8192)
    yield "kernel-regression", lambda: regression(x, at, values)
    yield "soft-regression", lambda: soft(x, at, values)
    x, y = floats(100_000), floats(100_000)
    yield "rank-in-kept", lambda: rank(x, y)
    r, c = (torch.randint(1024, (1 << 22,), device="cuda", dtype=torch.int32) for _ in range(2))
    values = floats(1 << 22)
    yield "rows-of-triples", lambda: triples(r, c, values)
    images, gradient = floats(32, 16, 66, 66), floats(32, 16, 64, 64)
    yield "weight-gradient", lambda: torch.nn.grad.conv2d_weight(images, (16, 16, 3, 3), gradient)
    images = floats(32, 64, 64, 64)
    yield "bias-gradient", lambda: images.sum((0, 2, 3))
    x, q, k, v = floats(8, 512, 256), floats(256, 256), floats(256, 256), floats(256, 256)
    yield "heads-of-attention", lambda: heads(x, q, k, v)
    x, keys = floats(1 << 22), torch.randint(1024, (1 << 22,), device="cuda")
    yield "group-normalised", lambda: centred(x, keys)
    yield "group-variances", lambda: variances(x, keys)
    signals = floats(64, 65536)
    yield "autocorrelations", lambda: autocorrelations(signals)


if __name__ == "__main__":
    report(programs())
