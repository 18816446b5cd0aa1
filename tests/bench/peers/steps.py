#!/usr/bin/env python3
"""Times the programs of `../programs/steps.lift` in PyTorch, as others.py does."""

import torch
from others import floats, report


def root(rows):
    first = rows[:, :1]
    y = torch.ones_like(first)
    for _ in range(20):
        y = 0.5 * (y + first / y)
    return y


def looked_up(keys, rows, wanted):
    at = torch.searchsorted(keys, wanted)
    return torch.where((at < len(keys))[:, None], rows[at.clamp(max=len(keys) - 1)], 0)


def half_maxima(rows, others):
    return torch.maximum(rows, 0.5 * others.amax(0)) + 1


def masked_share(rows, counts):
    kept = torch.arange(rows.shape[1], device=rows.device) < counts[:, None]
    return rows / (rows * kept).sum(1, keepdim=True)


def of_exponentials(rows):
    e = torch.exp(rows)
    return 2 * e + 1 / e


def smoothed(rows):
    once = (rows[:, 2:] + rows[:, 1:-1] + rows[:, :-2]) / 3
    return (once[:, 2:] + once[:, 1:-1] + once[:, :-2]) / 3


def sums(rows, keys, count):
    return torch.zeros(count, rows.shape[1], device=rows.device).index_add(0, keys, rows)


def programs():
    rows = floats(4096, 4096)
    where = rows.device
    yield "by-root", lambda: rows / root(rows)
    keys, wanted = (torch.randint(0, 1 << 30, (4096,), device=where) for _ in range(2))
    keys = keys.sort()[0]
    yield "looked-up", lambda: looked_up(keys, rows, wanted)
    few = floats(64, 512)
    yield "tables", lambda: few[:, :, None] * (few[:, None, :] + root(few)[:, :, None])
    short, others = floats(4096, 1024), floats(64, 1024)
    yield "half-maxima", lambda: half_maxima(short, others)
    yield "two-rows", lambda: (rows + 1, rows * rows)
    counts = torch.randint(0, 4096, (4096,), device=where)
    yield "masked-share", lambda: masked_share(rows, counts)
    yield "of-exponentials", lambda: of_exponentials(rows)
    order = torch.randint(0, 4096, (4096,), device=where)
    yield "permuted", lambda: torch.exp(rows)[:, order]
    wide = floats(4096, 4100)
    yield "smoothed-twice", lambda: smoothed(wide)
    many, classes = floats(262144, 128), torch.randint(0, 10000, (262144,), device=where)
    yield "class-sums", lambda: sums(many, classes, 10000)
    yield "sums-of-groups", lambda: sums(many, classes, 10000)
    long = floats(512, 65536)
    yield "long-softmax", lambda: torch.softmax(long, 1)


if __name__ == "__main__":
    report(programs())
