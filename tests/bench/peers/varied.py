#!/usr/bin/env python3
"""Times the programs of `../programs/varied.lift` in PyTorch, as others.py does."""

import torch
import torch.nn.functional as nn
from others import floats, ints, report


def opening(x):
    low = -nn.max_pool2d(-x[None, None], 7, 1)
    return nn.max_pool2d(low, 7, 1)


def harris(x):
    dx = x[1:-1, 2:] - x[1:-1, :-2]
    dy = x[2:, 1:-1] - x[:-2, 1:-1]
    a, b, c = (9 * nn.avg_pool2d(v[None, None], 3, 1)[0, 0] for v in (dx * dx, dx * dy, dy * dy))
    return a * c - b * b - 0.04 * (a + c) ** 2


def responsibilities(p, m, w):
    d = ((p[:, None] - m[None]) ** 2).sum(2)
    return torch.softmax((w.abs() + 0.1).log() - 0.5 * d, 1)


def viterbi(e, s):
    best = torch.zeros(e.shape[0], e.shape[2], device=e.device)
    for t in range(e.shape[1]):
        best = e[:, t] + (best[:, None, :] + s[None]).max(2).values
    return best.max(1).values


def edit(a, b):
    a, b = a & 3, b & 3
    i = torch.arange(33, device=a.device)
    row = i.expand(a.shape[0], 33)
    for k in range(32):
        best = torch.minimum(row[:, 1:] + 1, row[:, :-1] + (a[:, k : k + 1] != b))
        moved = torch.cat((torch.full_like(row[:, :1], k + 1), best), 1) - i
        row = torch.cummin(moved, 1).values + i
    return row[:, -1]


def overlaps(a, b):
    out = []
    for c in a.split(1024):
        x, y, w, h = (v[:, None] for v in c.T)
        u, v, s, t = b.T
        iw = (torch.minimum(x + w, u + s) - torch.maximum(x, u)).clamp(min=0)
        ih = (torch.minimum(y + h, v + t) - torch.maximum(y, v)).clamp(min=0)
        i = iw * ih
        out.append((i / (w * h + s * t - i) > 0.5).sum(1))
    return torch.cat(out)


def contrastive(a, b):
    s = 10 * nn.normalize(a) @ nn.normalize(b).T
    return nn.cross_entropy(s, torch.arange(len(a), device=a.device))


def squeeze(x, w1, w2):
    g = torch.sigmoid(torch.relu(x.mean((2, 3)) @ w1.T) @ w2.T)
    return x * g[:, :, None, None]


def spearman(x, y):
    return torch.corrcoef(torch.stack([v.argsort().argsort().float() for v in (x, y)]))[0, 1]


def fields(e, h, k):
    for _ in range(100):
        h = h - 0.5 * (e.roll(-1, 0) - e)
        k = k + 0.5 * (e.roll(-1, 1) - e)
        e = e + 0.5 * ((k - k.roll(1, 1)) - (h - h.roll(1, 0)))
    return e


def gradients(b):
    def laplace(v):
        p = nn.pad(v, (1, 1, 1, 1))
        return 4 * v - (p[:-2, 1:-1] + p[2:, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:])

    x, r, p = torch.zeros_like(b), b, b
    rr = (b * b).sum()
    for _ in range(50):
        q = laplace(p)
        alpha = rr / (p * q).sum()
        x = x + alpha * p
        r = r - alpha * q
        new = (r * r).sum()
        p = r + new / rr * p
        rr = new
    return x


def bootstrap(x):
    return x[torch.randint(0, len(x), (1000, len(x)), device=x.device)].mean(1)


def word_count(t):
    letters = t > 32
    return (letters[1:] & ~letters[:-1]).sum() + letters[0]


def adler(t):
    n = len(t)
    a = t.sum()
    b = (t.long() * (torch.arange(n, 0, -1, device=t.device))).sum()
    return (a, b)


def alibi(q, k, v):
    h, n, d = q.shape
    i = torch.arange(n, device=q.device)
    slope = 2.0 ** (-8.0 * (torch.arange(h, device=q.device) + 1) / h)
    bias = -slope[:, None, None] * (i[:, None] - i[None]).abs()
    return nn.scaled_dot_product_attention(q[None], k[None], v[None], attn_mask=bias[None])


def components(x):
    on = (x & 3) != 0
    n, m = x.shape
    labels = torch.where(on, torch.arange(1, n * m + 1, device=x.device).view(n, m).float(), 0.0)
    while True:
        new = torch.where(on, nn.max_pool2d(nn.pad(labels, (1, 1, 1, 1))[None, None], 3, 1)[0, 0], 0.0)
        if torch.equal(new, labels):
            return labels
        labels = new


def best_of_key(k, v):
    k = k % 1000
    top = torch.full((1000,), -1e30, device=v.device).scatter_reduce(0, k, v, "amax")
    at = torch.where(v == top[k], torch.arange(len(v), device=v.device), -1)
    return top, torch.full((1000,), -1, device=v.device).scatter_reduce(0, k, at, "amax")


def pyramid(x):
    a = nn.avg_pool2d(x[None, None], 2)
    b = nn.avg_pool2d(a, 2)
    return a, b, nn.avg_pool2d(b, 2)


def programs():
    """Pairs of a name and a function without arguments; inputs are made when they are asked for."""
    a = floats(4096, 4096)
    yield "opening", lambda: opening(a)
    a = floats(4096, 4096)
    yield "harris", lambda: harris(a)
    a, b, c = floats(262144, 8), floats(16, 8), floats(16)
    yield "responsibilities", lambda: responsibilities(a, b, c)
    a, b = floats(2048, 128, 32), floats(32, 32)
    yield "viterbi", lambda: viterbi(a, b)
    a, b = ints(16384, 32), ints(16384, 32)
    yield "edit-distances", lambda: edit(a, b)
    a, b = floats(8192, 4), floats(8192, 4)
    yield "overlaps", lambda: overlaps(a, b)
    a, b = floats(4096, 128), floats(4096, 128)
    yield "contrastive", lambda: contrastive(a, b)
    a, b = floats(16384, 2048), floats(16384, 2048)
    yield "softmax-back", lambda: a * (b - (a * b).sum(1, keepdim=True))
    a, b, c = floats(32, 64, 64, 64), floats(8, 64), floats(64, 8)
    yield "squeeze", lambda: squeeze(a, b, c)
    a, b = floats(16, 257, 257), floats(32, 16, 3, 3)
    yield "strided-convolution", lambda: nn.conv2d(a[None], b, stride=2)
    a, b = floats(4194304), floats(4194304)
    yield "spearman", lambda: spearman(a, b)
    a = floats(8192, 1000)
    yield "trimmed-means", lambda: a.sort(1).values[:, 100:-100].mean(1)
    a = floats(4096, 4096)
    yield "drawdown", lambda: (a.cummax(1).values - a).max(1).values
    a, b, c = floats(1024, 1024), floats(1024, 1024), floats(1024, 1024)
    yield "fields", lambda: fields(a, b, c)
    a = floats(1024, 1024)
    yield "gradients", lambda: gradients(a)
    a, b = floats(65536, 32, 32), floats(65536, 32)
    yield "triangular", lambda: torch.linalg.solve_triangular(a, b[..., None], upper=False)
    a, b = floats(8192), floats(65536)
    yield "density", lambda: torch.exp(-50 * (a[:, None] - b[None]) ** 2).mean(1)
    a = floats(65536)
    yield "bootstrap", lambda: bootstrap(a)
    a = ints(67108864).to(torch.uint8)
    yield "word-count", lambda: word_count(a)
    a = ints(67108864).to(torch.uint8)
    yield "adler", lambda: adler(a)
    a = floats(1048576)
    yield "spectrum", lambda: torch.fft.rfft(a.unfold(0, 256, 128)).abs()
    a, b, c = floats(16, 1024, 64), floats(16, 1024, 64), floats(16, 1024, 64)
    yield "distance-attention", lambda: alibi(a, b, c)
    a, b = floats(128, 128), floats(65536, 128)
    yield "quadratic-forms", lambda: (b * (b @ a.T)).sum(1)
    a = ints(512, 512)
    yield "components", lambda: components(a)
    a, b = ints(16777216), floats(16777216)
    yield "best-of-key", lambda: best_of_key(a, b)
    a = floats(4096, 4096)
    yield "pyramid", lambda: pyramid(a)
    a, b = floats(16384, 1000), ints(16384)
    yield "smoothed-loss", lambda: nn.cross_entropy(a, b, label_smoothing=0.1)
    a = floats(64, 64, 64, 256)
    yield "pooled", lambda: a.mean((1, 2))
    a = floats(4096, 64, 64)
    yield "norm-planes", lambda: nn.layer_norm(a, (64, 64))
    a = floats(33554432)
    yield "dropout", lambda: nn.dropout(a, 0.1)
    a = floats(8192, 1023)
    yield "median-distances", lambda: (a - a.median(1, keepdim=True).values).abs()


if __name__ == "__main__":
    report(programs())
