#!/usr/bin/env python3
"""Times the programs of `../programs/further.lift` in PyTorch, as others.py does."""

import torch
import torch.nn.functional as nn
from others import floats, ints, report


def two_experts(x):
    best = x.topk(2, 1)
    return best.indices, best.values.softmax(1)


def rotary(x):
    half = x.shape[-1] // 2
    rates = torch.exp(-0.14391 * torch.arange(half, device=x.device))
    angle = torch.arange(x.shape[0], device=x.device)[:, None, None] * rates
    a, b = x[..., :half], x[..., half:]
    return torch.cat((a * angle.cos() - b * angle.sin(), a * angle.sin() + b * angle.cos()), -1)


def block_transform(image, basis):
    strips = image.unfold(0, 8, 8).unfold(1, 8, 8)
    return basis @ strips @ basis.T


def median_filter(image):
    return image.unfold(0, 3, 1).unfold(1, 3, 1).reshape(*[n - 2 for n in image.shape], 9).median(2).values


def equalize(pixels):
    grey = pixels % 256
    below = torch.bincount(grey, minlength=256).cumsum(0)
    return below[grey].float() / pixels.shape[0]


def jacobi_solve(a, b):
    x = torch.zeros_like(b)
    for _ in range(50):
        x = x + (b - a @ x) / (2 * x.shape[0])
    return x


def gated_cell(x, h, c, w, u):
    i, f, o, n = (x @ w + h @ u).chunk(4, 1)
    new = f.sigmoid() * c + i.sigmoid() * n.tanh()
    return new, o.sigmoid() * new.tanh()


def standard_columns(x):
    return ((x - x.mean(0)) / (x.std(0) + 1e-6)).clamp(-3, 3)


def adam(p, g, m, v):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    return p - 0.001 * m / (1e-8 + v.sqrt()), m, v


def generations(board):
    around = torch.ones(1, 1, 3, 3, device=board.device)
    for _ in range(20):
        padded = nn.pad(board[None, None], (1, 1, 1, 1), mode="circular")
        every = nn.conv2d(padded, around)[0, 0]
        board = ((every == 3) | ((every == 4) & (board == 1))).float()
    return board


def programs():
    """Pairs of a name and a function without arguments; inputs are made when they are asked for."""
    q, k, v = floats(1, 1, 2048, 64), floats(1, 1, 2048, 64), floats(1, 1, 2048, 64)
    yield "causal-attention", lambda: nn.scaled_dot_product_attention(q, k, v, is_causal=True)
    images = floats(32, 64, 128, 128)
    yield "instance-norm", lambda: nn.instance_norm(images)
    x, y, w = floats(65536, 64), floats(65536, 64), floats(1, 64, 64)
    yield "bilinear", lambda: nn.bilinear(x, y, w)
    labels = ints(1 << 20) % 128
    yield "one-hot", lambda: nn.one_hot(labels, 128).float()
    a, b = floats(64, 64), floats(64, 64)
    yield "kronecker", lambda: torch.kron(a, b)
    points, others = floats(4096, 16), floats(4096, 16)
    yield "taxicab", lambda: torch.cdist(points, others, p=1)
    rows = floats(8192, 4096)
    yield "differences", lambda: rows.diff()
    yield "trapezia", lambda: torch.trapezoid(rows)
    xs, ys = floats(1 << 22), floats(1 << 22)
    cell = lambda v: (256 * v).long().clamp(0, 255)  # noqa: E731
    yield "histogram-2d", lambda: torch.bincount(256 * cell(xs) + cell(ys), minlength=65536).view(256, 256)
    keys, values = ints(1 << 24) * 97 % 100000, ints(1 << 24)
    start = torch.full((100000,), -1, device="cuda")
    yield "group-maxima", lambda: start.scatter_reduce(0, keys, values, "amax")
    narrow = floats(8192, 1024)
    yield "row-orders", lambda: narrow.argsort(1)
    yield "row-medians", lambda: narrow.median(1).values
    experts = floats(131072, 64)
    yield "two-experts", lambda: two_experts(experts)
    heads = floats(4096, 32, 128)
    yield "rotary", lambda: rotary(heads)
    channels = floats(64, 512, 512)
    yield "pool", lambda: nn.avg_pool2d(channels, 2)
    small = floats(1, 64, 256, 256)
    yield "upsample", lambda: nn.interpolate(small, scale_factor=2, mode="nearest")
    image, basis = floats(2048, 2048), floats(8, 8)
    yield "block-transform", lambda: block_transform(image, basis)
    yield "median-filter", lambda: median_filter(image)
    large = floats(1, 4096, 4096)
    yield "dilation", lambda: nn.max_pool2d(large, 5, 1)
    pixels = ints(1 << 24)
    yield "equalize", lambda: equalize(pixels)
    yield "nonzero", lambda: (pixels % 4 != 0).nonzero()
    table = torch.arange((1 << 20) + 1, device="cuda")
    wanted = ints(1 << 22)
    yield "is-in", lambda: table[torch.searchsorted(table, wanted).clamp(max=1 << 20)] == wanted
    square, right = floats(4096, 4096), floats(4096)
    yield "jacobi-solve", lambda: jacobi_solve(square, right)
    cells = [floats(4096, 256) for _ in range(3)] + [floats(256, 1024) for _ in range(2)]
    yield "gated-cell", lambda: gated_cell(*cells)
    cloud = floats(2053, 16)
    yield "five-nearest", lambda: torch.cdist(cloud, cloud).topk(5, 1, largest=False)
    line = floats((1 << 22) + 31)
    yield "moving-variance", lambda: line.unfold(0, 32, 1).var(1, correction=0)
    steps = floats(65536, 1024)
    yield "walks", lambda: (steps - 0.5).cumsum(1).abs().max(1)
    tall = floats(131072, 256)
    yield "standard-columns", lambda: standard_columns(tall)
    left, other = floats(8192, 2048), floats(8192, 2048)
    yield "side-by-side", lambda: torch.cat((left, other), 1)
    cube = floats(256, 256, 256)
    yield "middle-softmax", lambda: cube.softmax(1)
    yield "channel-moments", lambda: torch.var_mean(images, (0, 2, 3))
    queries, sought = floats(64, 512, 64), floats(64, 512, 64)
    yield "scores", lambda: queries @ sought.mT
    gradient = floats(1 << 26)
    yield "clip-norm", lambda: gradient / gradient.norm().clamp(min=1)
    moments = [floats(1 << 24) for _ in range(4)]
    yield "adam", lambda: adam(*moments)
    ids, dy = ints(131072), floats(131072, 64)
    yield "table-gradient", lambda: torch.zeros(1000, 64, device="cuda").index_add(0, ids, dy)
    board = (ints(2048, 2048) % 2).float()
    yield "generations", lambda: generations(board)


if __name__ == "__main__":
    report(programs())
