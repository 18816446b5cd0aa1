#!/usr/bin/env python3
"""Times the programs of `../programs/rounds.lift` in PyTorch, as others.py does."""

import torch
from others import floats, report

functional = torch.nn.functional


def path(rows):
    best, edge = torch.zeros_like(rows[0]), torch.full((1,), 1e9, device="cuda")
    for row in rows:
        here = best + row
        beside = torch.minimum(torch.cat([edge, here[:-1]]), torch.cat([here[1:], edge]))
        best = torch.minimum(here, beside)
    return best


def forward(a, evidence):
    alpha = torch.ones_like(evidence[0])
    for e in evidence:
        alpha = e * (a @ alpha)
        alpha = alpha / alpha.sum()
    return alpha


def gradients(a, b):
    x, r, p = torch.zeros_like(b), b, b
    for _ in range(200):
        ap = a @ p + 0.1
        alpha = (r @ r) / (1e-6 + p @ ap)
        x, after = x + alpha * p, r - alpha * ap
        p, r = after + (after @ after) / (1e-6 + r @ r) * p, after
    return x


def cell(inputs, weights):
    h = torch.zeros_like(inputs[0])
    for x in inputs:
        h = torch.tanh(x + weights @ h)
    return h


def trellis(inputs, weights):
    h, states = torch.zeros_like(inputs[0]), []
    for x in inputs:
        h = x + (weights + h).amax(1)
        states.append(h)
    return torch.stack(states)


def until_small(v):
    while v.sum() > 0.001:
        v = v * 0.99
    return v


def masked(q, k, v, mask):
    return torch.softmax((q @ k.T * 0.125).masked_fill(mask, -1e30), 1) @ v


def programs():
    square, b = floats(2048, 2048), floats(2048, 1)
    yield "triangular", lambda: torch.linalg.solve_triangular(square, b, upper=False)
    grid = floats(512, 512)
    yield "path", lambda: path(grid)
    a, evidence = floats(64, 64), floats(1000, 64)
    yield "forward", lambda: forward(a, evidence)
    start = floats(64)
    yield "gradients", lambda: gradients(a, start)
    inputs = floats(4000, 64)
    yield "cell", lambda: cell(inputs, a)
    steps, states = floats(2000, 128), floats(128, 128)
    yield "trellis", lambda: trellis(steps, states)
    numbers = floats(1000)
    yield "until-small", lambda: until_small(numbers)
    picture = floats(4096, 4096)
    yield "rotated", lambda: torch.rot90(picture, -1).contiguous()
    pixels = (picture * 255).byte()
    yield "rotated-bytes", lambda: torch.rot90(pixels, -1).contiguous()
    images = floats(16, 512, 512, 3)
    yield "planes", lambda: images.permute(0, 3, 2, 1).contiguous()
    yield "symmetric", lambda: 0.5 * (picture + picture.T)
    heads = floats(32, 1024, 16, 64)
    yield "keys", lambda: heads.permute(0, 2, 3, 1).contiguous()
    batch, weights = floats(32, 2048, 1024), floats(2048)
    yield "group-norm", lambda: functional.group_norm(batch, 8, weights)
    q, k, v = floats(4096, 64), floats(4096, 64), floats(4096, 64)
    mask = torch.ones(4096, 4096, device="cuda", dtype=torch.bool).triu(1)
    yield "masked-attention", lambda: masked(q, k, v, mask)
    bordered = floats(4098, 4098)
    windows = bordered.unfold(0, 3, 1).unfold(1, 3, 1)
    yield "median-of-nine", lambda: windows.reshape(4096, 4096, 9).median(2)[0]
    signal = floats((1 << 24) + 4)
    yield "running-median", lambda: signal.unfold(0, 5, 1).median(1)[0]


if __name__ == "__main__":
    report(programs())
