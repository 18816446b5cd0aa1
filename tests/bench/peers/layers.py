#!/usr/bin/env python3
"""Times the programs of `../programs/layers.lift` in PyTorch, as others.py does.

Left out is what it cannot say without a loop over steps: `ray-march`, `tridiagonal`.
"""

import torch
import torch.nn.functional as nn
from others import floats, report


def shared_heads(q, k, v):
    return nn.scaled_dot_product_attention(q, k.repeat_interleave(4, 1), v.repeat_interleave(4, 1))


def divergence(p, t):
    return (t * (torch.log(t + 1e-8) - torch.log(p + 1e-8))).sum() / len(p)


def moments(x, y):
    return [(x**k).sum() for k in range(7)] + [(y * x**k).sum() for k in range(4)]


def programs():
    images, filters = floats(16, 16, 256, 256), floats(32, 16, 3, 3)
    yield "conv2d", lambda: nn.conv2d(images, filters)
    of_64, filters_64 = floats(16, 64, 56, 56), floats(128, 64, 3, 3)
    yield "conv2d-of-64", lambda: nn.conv2d(of_64, filters_64)
    pixels, by_pixel = floats(16, 64, 128, 128), floats(128, 64, 1, 1)
    yield "pointwise", lambda: nn.conv2d(pixels, by_pixel)
    small, some, bias = floats(16, 8, 128, 128), floats(32, 8, 3, 3), floats(32)
    yield "conv2d-softmax", lambda: torch.softmax(nn.conv2d(small, some, bias), 1)
    yield "conv2d-least", lambda: torch.tanh(nn.conv2d(small, some, bias).min(1).values)
    batch, matrix = floats(16, 1024, 2048), floats(2048, 768)
    yield "product3d", lambda: batch @ matrix
    q, k, v = floats(1, 32, 1024, 64), floats(1, 8, 1024, 64), floats(1, 8, 1024, 64)
    yield "shared-heads", lambda: shared_heads(q, k, v)
    a, b = floats(4096, 4096), floats(4096, 4096)
    yield "upper-product", lambda: torch.triu(a @ b)
    p, t, s = floats(32768, 4096), floats(32768, 4096), floats(4096)
    yield "hinge-loss", lambda: torch.clamp(1 - p * s, min=0).mean()
    yield "divergence", lambda: divergence(p, t)
    x, y = floats(1 << 20), floats(1 << 20)
    yield "moments", lambda: moments(x, y)


if __name__ == "__main__":
    report(programs())
