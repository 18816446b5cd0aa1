#!/usr/bin/env python3
"""Times the programs of `../programs/channels.lift` in PyTorch, as others.py does."""

import torch
import torch.nn.functional as nn
from others import floats, report


def over_channels(images):
    return nn.layer_norm(images.permute(0, 2, 3, 1), (images.shape[1],)).permute(0, 3, 1, 2).contiguous()


def means_step(points, centres):
    nearest = torch.cdist(points, centres).argmin(1)
    counts = torch.bincount(nearest, minlength=len(centres))
    sums = torch.zeros_like(centres).index_add(0, nearest, points)
    return sums / counts[:, None].clamp(min=1)


def sums_by_key(rows, keys, count):
    return torch.zeros(count, rows.shape[1], device=rows.device).index_add(0, keys, rows)


def programs():
    pictures, filters = floats(16, 3, 224, 224), floats(32, 3, 3, 3)
    yield "conv-first", lambda: nn.conv2d(pictures, filters)
    images, of_32 = floats(16, 32, 64, 64), floats(64, 32, 3, 3)
    yield "conv-nhwc", lambda: nn.conv2d(images, of_32, padding=1)
    large = floats(16, 32, 128, 128)
    yield "conv-pad", lambda: nn.conv2d(large, of_32, padding=1)
    grouped, of_8 = floats(8, 64, 56, 56), floats(64, 8, 3, 3)
    yield "group-conv", lambda: nn.conv2d(grouped, of_8, groups=8)
    normal = floats(16, 64, 112, 112)
    yield "layernorm-channels", lambda: over_channels(normal)
    points, centres = floats(65536, 32), floats(64, 32)
    yield "kmeans-step", lambda: means_step(points, centres)
    many, keys = floats(1 << 20, 64), torch.randint(0, 100, (1 << 20,), device=points.device)
    yield "row-sums-by-key", lambda: sums_by_key(many, keys, 100)
    wide, ids = floats(65536, 256), torch.randint(0, 1000, (65536,), device=points.device)
    yield "column-sums-by-key", lambda: sums_by_key(wide, ids, 1000)


if __name__ == "__main__":
    report(programs())
