#!/usr/bin/env python3
"""Times the programs of `../programs/batches.lift` in PyTorch, as others.py does."""

import torch
from others import floats, report


def eliminations(m):
    m = m.clone()
    for k in range(m.shape[1] - 1):
        f = m[:, k + 1 :, k] / (m[:, k, k, None] + 1000)
        m[:, k + 1 :] -= f[:, :, None] * m[:, k, None]
    return m


def overlap(p, t):
    return (1 - 2 * (p * t).sum(1) / (1e-6 + p.sum(1) + t.sum(1))).mean()


def pooled(rows, lengths):
    first = torch.arange(rows.shape[1], device=rows.device) < lengths[:, None]
    return (rows * first[:, :, None]).sum(1) / (1 + lengths[:, None])


def attended(q, k):
    return torch.einsum("bnd,bn->bd", k, torch.softmax(k @ q, 1))


def letters(s):
    hit = ((s & 3) == 1) | ((s & 3) == 2)
    sums = torch.nn.functional.pad(hit.to(torch.int32).cumsum(0, dtype=torch.int32), (1, 0))
    return sums[100:] - sums[:-100]


def ten_means(x, centres):
    for _ in range(10):
        nearest = torch.cdist(x, centres).argmin(1)
        counts = torch.bincount(nearest, minlength=len(centres)).clamp(min=1)
        centres = torch.zeros_like(centres).index_add_(0, nearest, x) / counts[:, None]
    return centres


def programs():
    m, few = floats(128, 64, 64), floats(8192, 32, 32)
    yield "eliminations", lambda: eliminations(m)
    yield "eliminations-32", lambda: eliminations(few)
    x = floats(4096, 4096)
    yield "roll", lambda: torch.roll(x, -1, 1)
    p, t = floats(16, 1 << 21), floats(16, 1 << 21)
    yield "overlap", lambda: overlap(p, t)
    a, b = floats(16384, 3), floats(16384, 3)
    yield "chamfer", lambda: torch.cdist(a, b).square().amin(1).mean()
    graph = floats(2048, 2048)
    yield "triangles", lambda: (graph * (graph @ graph)).sum()
    rows, lengths = floats(32, 2048, 256), torch.randint(2048, (32,), device=x.device)
    yield "masked-pool", lambda: pooled(rows, lengths)
    q, k = floats(64), floats(256, 2048, 64)
    yield "pooling-attention", lambda: attended(q, k)
    hours = floats(1 << 20, 60)
    yield "hours", lambda: (hours[:, 0], hours.amax(1), hours.amin(1), hours[:, -1])
    s = torch.randint(256, ((1 << 26) + 99,), device=x.device, dtype=torch.uint8)
    yield "letters", lambda: letters(s)
    columns = floats(8192, 4096)
    yield "mean-above", lambda: (columns * (columns > 0.5)).sum(0) / (columns > 0.5).sum(0).clamp(min=1)
    points, centres = floats(262144, 8), floats(32, 8)
    yield "ten-means", lambda: ten_means(points, centres)


if __name__ == "__main__":
    report(programs())
