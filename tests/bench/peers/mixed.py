#!/usr/bin/env python3
"""Times the programs of `../programs/mixed.lift` in PyTorch, as others.py does."""

import torch
import torch.nn.functional as nn
from others import floats, ints, report


def clusters(points, means):
    for _ in range(10):
        which = torch.cdist(points, means).argmin(1)
        sums = torch.zeros_like(means).index_add(0, which, points)
        means = sums / torch.bincount(which, minlength=means.shape[0]).clamp(min=1)[:, None]
    return means


def relax(u):
    for _ in range(500):
        p = nn.pad(u[None, None], (1, 1, 1, 1), mode="replicate")[0, 0]
        w = 0.25 * (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:])
        if (w - u).abs().max() <= 1e-3:
            return w
        u = w
    return u


def rank_pages(links):
    n = links.shape[0]
    ranks = torch.full((n,), 1 / n, device=links.device)
    for _ in range(20):
        shares = torch.zeros_like(ranks).index_add(0, (links % n).flatten(), (ranks / 8).repeat_interleave(8))
        ranks = 0.15 / n + 0.85 * shares
    return ranks


def walsh(v):
    for _ in range(20):
        v = torch.cat((v[0::2] + v[1::2], v[0::2] - v[1::2]))
    return v


def bilateral(image):
    windows = nn.pad(image[None, None], (2, 2, 2, 2), mode="replicate")[0, 0].unfold(0, 5, 1).unfold(1, 5, 1)
    weights = (-((windows - image[..., None, None]) ** 2)).exp()
    return (weights * windows).sum((2, 3)) / weights.sum((2, 3))


def descent(x, y):
    w = torch.zeros(x.shape[1], device=x.device)
    for _ in range(100):
        w = w - 0.01 * (x.T @ (x @ w - y)) / x.shape[0]
    return w


def recurrent(w, u, xs):
    h, all_h = torch.zeros(w.shape[0], device=w.device), []
    for x in xs:
        h = (w @ h + u @ x).tanh()
        all_h.append(h)
    return torch.stack(all_h)


def rolling(xs):
    w = xs.unfold(0, 64, 1)
    return (w[:, 32] - w.mean(1)) / (w.var(1, correction=0) + 1e-6).sqrt()


def masked_softmax(x, ns):
    inside = torch.arange(x.shape[1], device=x.device) < (1 + ns % x.shape[1])[:, None]
    return x.masked_fill(~inside, float("-inf")).softmax(1)


def parse(lines):
    weights = 10 ** torch.arange(7, -1, -1, device=lines.device)
    return ((lines % 10).long() * weights).sum(1)


def run_lengths(xs):
    return torch.unique_consecutive(xs & 1, return_counts=True)


def binned_rows(x):
    rows = torch.arange(x.shape[0], device=x.device)[:, None]
    return torch.bincount(((64 * x).long().clamp(0, 63) + 64 * rows).flatten(), minlength=64 * x.shape[0])


def colours(image):
    pixels = image.view(-1, 3)
    return (pixels - pixels.mean(0)).norm(dim=1)


def programs():
    """Pairs of a name and a function without arguments; inputs are made when they are asked for."""
    a, b = floats(64, 256, 256), floats(64, 256, 256)
    yield "batched-transposed", lambda: a.mT @ b
    p, q = floats(1024, 1024), floats(1024, 1024)
    yield "min-plus", lambda: torch.cat([(p[i : i + 64, :, None] + q[None]).amin(1) for i in range(0, 1024, 64)])
    x, y, g, c = floats(16384, 1024), floats(16384, 1024), floats(1024), floats(1024)
    yield "residual-norm", lambda: nn.layer_norm(x + y, (1024,), g, c)
    cube = floats(64, 512, 512)
    yield "first-softmax", lambda: cube.softmax(0)
    rows = floats(8192, 4096)
    yield "sums-behind", lambda: rows.flip(1).cumsum(1).flip(1)
    values = ints(1 << 24)
    yield "run-lengths", lambda: run_lengths(values)
    points, means = floats(1 << 20, 2), floats(16, 2)
    yield "clusters", lambda: clusters(points, means)
    field = floats(1024, 1024)
    yield "relax", lambda: relax(field)
    links = ints(1 << 20, 8) * 1048
    yield "rank-pages", lambda: rank_pages(links)
    line = floats(1 << 21)
    yield "walsh", lambda: walsh(line)
    image = floats(2048, 2048)
    yield "bilateral", lambda: bilateral(image)
    small = floats(1 << 21, 3, 3)
    yield "inverses3", lambda: torch.linalg.inv(small)
    vectors = floats(1 << 23, 3)
    yield "unit-vectors", lambda: nn.normalize(vectors)
    columns = ints(131072 * 16) * 131
    sparse = torch.sparse_csr_tensor(
        torch.arange(0, 131072 * 16 + 1, 16, device="cuda"), columns, floats(131072 * 16), (131072, 131072)
    )
    dense = floats(131072, 64)
    yield "sparse-dense", lambda: sparse @ dense
    samples, targets = floats(65536, 64), floats(65536)
    yield "descent", lambda: descent(samples, targets)
    w, u, xs = floats(512, 512), floats(512, 512), floats(128, 512)
    yield "recurrent", lambda: recurrent(w, u, xs)
    table, us, vs = floats(100000, 128), ints(1 << 18) * 99, ints(1 << 18) * 99
    yield "pair-scores", lambda: (table[us] * table[vs]).sum(1)
    tall, right = floats(1 << 18, 32), floats(1 << 18)
    yield "normal-equations", lambda: (tall.T @ tall, tall.T @ right)
    long = floats((1 << 24) + 63)
    yield "rolling-scores", lambda: rolling(long)
    keys, queries = floats(1 << 20), floats(1 << 22)
    yield "places", lambda: torch.searchsorted(keys.sort().values, queries)
    photo = floats(2048, 2048, 3)
    yield "colours", lambda: colours(photo)
    layers, weights = floats(1, 64, 130, 130), floats(64, 64, 3, 3)
    yield "deep-convolution", lambda: nn.conv2d(layers, weights)
    many = floats(16384, 1029)
    yield "top5", lambda: many.topk(5, 1)
    wide = floats(1024, 16384)
    yield "binned-rows", lambda: binned_rows(wide)
    lines = ints(1 << 22, 8, dtype=torch.int32).to(torch.uint8)
    yield "parse", lambda: parse(lines)
    masked, ns = floats(16384, 1024), ints(16384)
    yield "masked-softmax", lambda: masked_softmax(masked, ns)
    batch, other = floats(4096, 64, 64), floats(4096, 64, 64)
    yield "matrix-norms", lambda: batch / torch.linalg.matrix_norm(batch)[:, None, None]
    yield "traces", lambda: (batch * other.mT).sum((1, 2))
    large = floats(1, 1, 4111, 4111)
    yield "box16", lambda: nn.avg_pool2d(large, 16, 1)


if __name__ == "__main__":
    report(programs())
