#!/usr/bin/env python3
"""Times the programs of `../programs/neighbours.lift` in PyTorch, as others.py does."""

import torch
import torch.nn.functional as nn
from others import floats, report


def matching(images, templates):
    squares = nn.conv2d(images * images, torch.ones(1, *templates.shape[1:], device=images.device))
    return squares - 2 * nn.conv2d(images, templates) + (templates * templates).sum((1, 2, 3)).view(1, -1, 1, 1)


def programs():
    x, w = floats(1, 3, 512, 512), floats(32, 3, 5, 5)
    yield "matching", lambda: matching(x, w)
    strided, s = floats(1, 32, 513, 513), floats(64, 32, 3, 3)
    yield "strided", lambda: nn.conv2d(strided, s, stride=2)
    images, f = floats(16, 32, 66, 66), floats(32, 32, 3, 3)
    yield "batch-conv", lambda: nn.conv2d(images, f)
    points, centres = floats(65536, 8, 3), floats(256, 8, 3)
    yield "radial", lambda: torch.exp(-((points[:, None] - centres[None]) ** 2).sum(-1)).sum(-1)
    rows, taps = floats(1, 64, 16392), floats(64, 64, 3)
    yield "dilated", lambda: nn.conv1d(rows, taps, dilation=4)
    a, b = floats(4096, 16, 3), floats(4096, 16, 3)
    yield "tropical", lambda: torch.einsum("nkd,mkd->nmk", a, b).amax(-1)
    pixels, colours = floats(1 << 20, 3), floats(16, 3)
    yield "classes", lambda: torch.cdist(pixels, colours).argmin(1)
    volume, cubes = floats(1, 8, 34, 66, 66), floats(16, 8, 3, 3, 3)
    yield "conv3d", lambda: nn.conv3d(volume, cubes)


if __name__ == "__main__":
    report(programs())
