#!/usr/bin/env python3
"""Times the programs of `../programs/wholes.lift` in PyTorch, as others.py does."""

import torch
import torch.nn.functional as nn
from others import floats, ints, report


def statistics(rows):
    return rows.mean(1), rows.var(1, unbiased=False), rows.amax(1)


def averages(rows):
    state, all_states = torch.zeros(rows.shape[0], device=rows.device), torch.empty_like(rows)
    for i in range(rows.shape[1]):
        state = 0.9 * state + 0.1 * rows[:, i]
        all_states[:, i] = state
    return all_states


def polynomials(rows):
    value = torch.zeros(rows.shape[0], device=rows.device)
    for i in range(rows.shape[1]):
        value = rows[:, i] + 0.5 * value
    return value


def packed(weights, values):
    best = torch.zeros(weights.shape[0], 1000, device=weights.device)
    places = torch.arange(1000, device=weights.device)
    for w, v in zip((weights.abs() % 50 + 1).T, values.T, strict=True):
        before = places[None] - w[:, None]
        other = best.gather(1, before.clamp(min=0)) + v[:, None]
        best = torch.where(before >= 0, torch.maximum(best, other), best)
    return best[:, -1]


def binomial(prices):
    steps = torch.arange(257, device=prices.device)
    v = (prices[:, None] * torch.exp(0.01 * (2 * steps - 256))[None] - 1).clamp(min=0)
    for _ in range(256):
        v = 0.999 * (0.5 * v[:, :-1] + 0.5 * v[:, 1:])
    return v[:, 0]


def recurrent(inputs, weights):
    state = torch.zeros_like(inputs[0])
    for x in inputs:
        state = torch.tanh(x + state @ weights.T)
    return state


def rope(heads):
    n, _, d, _ = heads.shape
    where = heads.device
    powers = 10000.0 ** (torch.arange(d, device=where) / d)
    angles = torch.arange(n, device=where)[:, None, None] / powers
    c, s = angles.cos(), angles.sin()
    a, b = heads[..., 0], heads[..., 1]
    return torch.stack((a * c - b * s, a * s + b * c), -1)


def conjugate(a, b):
    x, r, p = torch.zeros_like(b), b, b
    for _ in range(10):
        ap = a @ p
        rr = r @ r
        al = rr / (1e-9 + p @ ap)
        x, r = x + al * p, r - al * ap
        p = r + (r @ r) / (1e-9 + rr) * p
    return x


def programs():
    rows = floats(8192, 4096)
    scale, shift = floats(4096), floats(4096)
    yield "whole-softmax", lambda: torch.softmax(rows, 1)
    yield "whole-layernorm", lambda: nn.layer_norm(rows, (4096,), scale, shift)
    planes = floats(32, 1024, 1024)
    yield "planes-softmax", lambda: torch.softmax(planes, 2)
    yield "row-statistics", lambda: statistics(rows)
    images = floats(64, 64, 64, 64)
    yield "whole-batchnorm", lambda: nn.batch_norm(images, None, None, training=True)
    yield "row-averages", lambda: averages(floats(4096, 2048))
    yield "welford", lambda: nn.layer_norm(rows, (4096,))
    yield "row-polynomials", lambda: polynomials(rows)
    weights, values = ints(1024, 64), floats(1024, 64)
    yield "packed", lambda: packed(weights, values)
    yield "binomial", lambda: binomial(floats(4096))
    inputs, layer = floats(256, 512, 256), floats(256, 256)
    yield "recurrent-batch", lambda: recurrent(inputs, layer)
    heads = floats(4096, 32, 64, 2)
    yield "rope", lambda: rope(heads)
    a, b = floats(2048, 2048), floats(2048, 2048)
    yield "outer-products", lambda: a.T @ b
    matrix, right = floats(2048, 2048), floats(2048)
    yield "conjugate", lambda: conjugate(matrix, right)
    many = floats(1 << 24)
    yield "greatest-at", lambda: many.argmax()
    yield "counted", lambda: ((many > 0.5).sum(), many.amax())
    some, points = floats(4096, 16), floats(65536, 16)
    yield "nearest-so-far", lambda: torch.cdist(some, points).argmin(1)


if __name__ == "__main__":
    report(programs())
