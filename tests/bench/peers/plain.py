#!/usr/bin/env python3
"""Times the programs of `../programs/plain.lift` in PyTorch, as others.py does."""

import torch
import torch.nn.functional as nn
from others import floats, ints, report


def averages(x):
    now, out = x[0], []
    for row in x[1:]:
        now = 0.9 * now + 0.1 * row
        out.append(now)
    return torch.stack(out)


def cosine(x):
    n = x.norm(dim=1)
    return (x @ x.T) / (n[:, None] * n)


def most_frequent(x):
    counts = torch.zeros(x.shape[0], 1000, device=x.device)
    return counts.scatter_add_(1, x, torch.ones_like(x, dtype=torch.float32))[:, :256].argmax(1)


def starts(x):
    return torch.nonzero(torch.cat((torch.ones_like(x[:1], dtype=torch.bool), x[1:] != x[:-1])))


def group_means(keys, x):
    sums = torch.zeros(1000, device=x.device).index_add_(0, keys, x)
    return (sums / torch.zeros_like(sums).index_add_(0, keys, torch.ones_like(x)))[:64]


def layer(x, w, b):
    return nn.gelu(nn.layer_norm(x, x.shape[1:]) @ w + b, approximate="tanh")


def programs():
    a = floats(4096, 4096)
    yield "smooth-rows", lambda: a.unfold(1, 5, 1).median(-1).values
    a, b = floats(4096), floats(8192, 4096)
    yield "project-out", lambda: b - ((b @ a) / (a * a).sum())[:, None] * a
    a, b = ints(16777216), ints(16777216)
    yield "confusion", lambda: torch.bincount(10 * a + b, minlength=100)[:100]
    a = floats(513, 65536)
    yield "ema-columns", lambda: averages(a)
    a = floats(4096, 128)
    yield "cosine", lambda: cosine(a)
    a = floats(64, 512, 512)
    yield "attention-weights", lambda: torch.softmax(torch.logsumexp(a, -1), -1)
    a = ints(4096, 4096)
    yield "most-frequent", lambda: most_frequent(a)
    a = floats(8192, 8192)
    yield "integral", lambda: a.cumsum(1).cumsum(0)
    a = ints(16777217)
    yield "run-starts", lambda: starts(a)
    a, b = ints(16777216), floats(16777216)
    yield "group-means", lambda: group_means(a, b)
    a = floats(1, 1, 4097, 4097)
    yield "upsample", lambda: nn.interpolate(a, scale_factor=2, mode="bilinear")
    a, b, c = floats(8192, 1024), floats(1024, 4096), floats(4096)
    yield "block", lambda: layer(a, b, c)


if __name__ == "__main__":
    report(programs())
