#!/usr/bin/env python3
"""Times programs of `../programs/trainers.lift` and `texts.lift` in PyTorch, as others.py does."""

import torch
import torch.nn.functional as nn
from others import floats, report


def ints(*shape):
    return torch.randint(-1000, 1000, shape, device="cuda", dtype=torch.int32)


def bytes_of(*shape):
    return torch.randint(0, 256, shape, device="cuda", dtype=torch.uint8)


def by_key(n, keys, values):
    return torch.zeros(n, device=keys.device).index_add_(0, keys, values)


def logistic(x, y):
    w = torch.zeros(x.shape[1], device=x.device)
    for _ in range(10):
        w = w - 0.1 / len(x) * (x.T @ (torch.sigmoid(x @ w) - y))
    return w


def least_squares(a, b):
    r = a.T @ b
    p, x, rr = r, torch.zeros_like(r), r @ r
    for _ in range(20):
        ap = a.T @ (a @ p)
        alpha = rr / (p @ ap)
        x, r = x + alpha * p, r - alpha * ap
        new = r @ r
        p, rr = r + new / rr * p, new
    return x


def kmeans(points):
    centres = points[torch.arange(32, device=points.device) * 7]
    for _ in range(10):
        nearest = torch.cdist(points, centres).argmin(1)
        count = torch.bincount(nearest, minlength=32).clamp(min=1)
        centres = torch.zeros_like(centres).index_add_(0, nearest, points) / count[:, None]
    return centres


def mixture(x):
    w, m, s = [torch.full((4,), v, device=x.device) for v in (0.25, 0.0, 0.3)]
    m = m + 0.25 * torch.arange(4, device=x.device)
    for _ in range(8):
        p = w * torch.exp(-0.5 * ((x[:, None] - m) / s) ** 2) / s
        r = p / p.sum(1, keepdim=True)
        n = r.sum(0)
        m = (r * x[:, None]).sum(0) / n
        s = ((r * (x[:, None] - m) ** 2).sum(0) / n + 1e-4).sqrt()
        w = n / len(x)
    return w, m, s


def nmf(v, w, h):
    for _ in range(5):
        h = h * (w.T @ v) / ((w.T @ w) @ h + 1e-6)
        w = w * (v @ h.T) / (w @ (h @ h.T) + 1e-6)
    return w, h


def eigenvalues(m):
    v = torch.ones(len(m), m.shape[1], 1, device=m.device)
    for _ in range(30):
        w = m @ v
        v = w / (w.norm(dim=1, keepdim=True) + 1e-12)
    return (v * (m @ v)).sum(1)


def around(x):
    p = nn.pad(x[None, None], (1,) * 4, mode="replicate")[0, 0]
    return p[:-2, 1:-1], p[2:, 1:-1], p[1:-1, :-2], p[1:-1, 2:]


def label(image):
    at = torch.arange(image.numel(), device=image.device).reshape(image.shape) + 1
    labels = torch.where(image > 0.6, at, 0).float()
    for _ in range(32):
        greatest = torch.stack((*around(labels), labels)).amax(0)
        labels = torch.where(labels == 0, labels, greatest)
    return labels


def solve(f):
    u = torch.zeros_like(f)
    for _ in range(50):
        new = 0.25 * (sum(around(u)) - f)
        change, u = (new - u).abs().max(), new
        if change.item() <= 1e-4:
            break
    return u


def bellman_ford(source, target, cost):
    distance = torch.full((262144,), 1e30, device=cost.device)
    distance[0] = 0
    for _ in range(10):
        distance = distance.scatter_reduce(0, target, distance[source] + cost, "amin")
    return distance


def ridges(x, y):
    gram = x.transpose(1, 2) @ x + torch.eye(x.shape[2], device=x.device)
    return torch.linalg.solve(gram, x.transpose(1, 2) @ y[:, :, None])


def mlp(x, t, w1, w2):
    h = (x @ w1.T).relu()
    e = h @ w2 - t
    back = torch.where(h > 0, e[:, None] * w2, 0)
    return back.T @ x / len(x), h.T @ e / len(x)


def sinkhorn(c):
    k = torch.exp(-10 * c)
    u = v = torch.ones(*c.shape[:2], 1, device=c.device)
    for _ in range(20):
        u = 0.03125 / (k @ v)
        v = 0.03125 / (k.transpose(1, 2) @ u)
    return (u * k * c * v.transpose(1, 2)).sum((1, 2))


def fields(u):
    for _ in range(16):
        sides = u.roll(1, 1) + u.roll(-1, 1) + u.roll(1, 2) + u.roll(-1, 2)
        u = u + 0.1 * (sides - 4 * u) + 0.05 * u * (1 - u)
    return u


def sparse_codes(y, d):
    z = torch.zeros(len(y), len(d), device=y.device)
    for _ in range(10):
        z = nn.softshrink(z + 0.01 * ((y - z @ d) @ d.T), 0.01)
    return z


def code_points(text):
    b = nn.pad(text.int(), (0, 3))
    b0, b1, b2 = b[:-3], b[1:-2], b[2:-1]
    two, three = 64 * (b0 & 31) + (b1 & 63), 4096 * (b0 & 15) + 64 * (b1 & 63) + (b2 & 63)
    return torch.where(b0 < 128, b0, torch.where(b0 < 224, two, three))[(b0 & 192) != 128]


def block_entropies(text):
    n = len(text)
    keys = text.long() + 256 * torch.arange(n, device=text.device)[:, None]
    p = torch.bincount(keys.reshape(-1), minlength=n * 256).reshape(n, 256) / text.shape[1]
    return -(p * torch.log(p.clamp(min=1e-30))).sum(1)


def word_lengths(text):
    ends = ((text % 32) < 5).nonzero()[:, 0]
    n = ends[1:] - ends[:-1] - 1
    return n[n > 0]


def find_patterns(text, patterns):
    same = (text & 3).unfold(0, 8, 1)[:, None] == (patterns & 3)[None]
    return same.all(2).any(1).nonzero()


def corners(points, faces):
    p = torch.stack(points, 1)
    a, b, c = [p[faces[:, k]] for k in range(3)]
    return torch.linalg.cross(b - a, c - a)


def corner_normals(points, faces):
    normals = corners(points, faces).repeat_interleave(3, 0)
    return torch.zeros(len(points[0]), 3, device=faces.device).index_add_(0, faces.reshape(-1), normals)


def voxel_means(x, y):
    keys = (512 * (511 * x).int() + (511 * y).int()).long()
    n = torch.bincount(keys, minlength=262144)
    some = n > 0
    return [by_key(262144, keys, v)[some] / n[some] for v in (x, y)]


def boxes(x, y, group):
    def ends(v, op):
        return torch.zeros(1024, device=v.device).scatter_reduce(0, group, v, op, include_self=False)

    return [ends(v, op) for v in (x, y) for op in ("amin", "amax")]


def icp_shift(a, b):
    nearest = ((a[:, None] - b[None]) ** 2).sum(2).argmin(1)
    return (b[nearest] - a).mean(0)


def contour_cells(cx, cy, r):
    g = torch.arange(2048, device=r.device) / 2048
    distance = ((g[:, None, None] - cx) ** 2 + (g[None, :, None] - cy) ** 2).sqrt() - 0.1 * r
    f = (distance.amin(2) > 0).int()
    return f[:-1, :-1] + 2 * f[:-1, 1:] + 4 * f[1:, 1:] + 8 * f[1:, :-1]


def drawdowns(p):
    peak = p.cummax(1)[0]
    return ((peak - p) / (peak + 1e-6)).amax(1)


def vwap(price, volume, time):
    keys = (time % 1440).long()
    mean = by_key(1440, keys, price * volume) / by_key(1440, keys, volume)
    return mean[1:] - mean[:-1]


def value_at_risk(returns, weights):
    gains = (returns @ weights).sort()[0]
    return gains[len(gains) // 20], gains[:3276].mean()


def covariance(returns):
    days = len(returns)
    w = torch.exp(-0.001 * (days - torch.arange(days, device=returns.device)))
    c = returns - (returns * w[:, None]).sum(0) / w.sum()
    return (c * w[:, None]).T @ c / w.sum()


def programs():
    text, faces = bytes_of(16777216), (ints(2097152, 3) * 131 % 262144).long()
    points, group = [floats(262144) for _ in range(3)], (ints(4194304) % 1024).long()
    x, y, e = floats(4194304), floats(4194304), 4194304
    source, target, cost = (ints(e) * 263 % 262144).long(), (ints(e) * 527 % 262144).long(), floats(e)
    rows, table, eight = bytes_of(16384, 4096), bytes_of(256), bytes_of(2097152, 8)
    powers = (10 ** torch.arange(7, -1, -1, device="cuda")).int()
    long_text, patterns, short = bytes_of(33554432), bytes_of(8, 8), bytes_of(8388608)
    a, b, c32 = floats(16384, 2), floats(8192, 2), [floats(32) for _ in range(3)]
    price, volume, time = floats(8388608), floats(8388608), ints(8388608)
    lx, ly, sa, sb, km = floats(262144, 32), floats(262144), floats(65536, 64), floats(65536), floats(262144, 16)
    em, v, w0, h0 = floats(1048576), floats(2048, 2048), floats(2048, 16), floats(16, 2048)
    ms, image, f = floats(4096, 32, 32), floats(512, 512), floats(1024, 1024)
    rx, ry, costs = floats(4096, 128, 8), floats(4096, 128), floats(1024, 32, 32)
    mx, mt, m1, m2 = floats(4096, 256), floats(4096), floats(128, 256), floats(128)
    small, signals, atoms = floats(256, 64, 64), floats(4096, 64), floats(128, 64)
    prices, returns, weights, days = floats(8192, 2048), floats(65536, 128), floats(128), floats(4096, 256)
    return [
        ("train-logistic", lambda: logistic(lx, ly)),
        ("least-squares", lambda: least_squares(sa, sb)),
        ("kmeans-rounds", lambda: kmeans(km)),
        ("mixture", lambda: mixture(em)),
        ("nmf", lambda: nmf(v, w0, h0)),
        ("greatest-eigenvalues", lambda: eigenvalues(ms)),
        ("label-pixels", lambda: label(image)),
        ("solve-until", lambda: solve(f)),
        ("bellman-ford", lambda: bellman_ford(source, target, cost)),
        ("ridges", lambda: ridges(rx, ry)),
        ("mlp-gradients", lambda: mlp(mx, mt, m1, m2)),
        ("sinkhorns", lambda: sinkhorn(costs)),
        ("small-fields", lambda: fields(small)),
        ("sparse-codes", lambda: sparse_codes(signals, atoms)),
        ("code-points", lambda: code_points(text)),
        ("block-entropies", lambda: block_entropies(rows)),
        ("word-lengths", lambda: word_lengths(text)),
        ("byte-pairs", lambda: torch.bincount(256 * text[:-1].long() + text[1:].long(), minlength=65536)),
        ("digits", lambda: ((eight % 10).int() * powers).sum(1)),
        ("find-patterns", lambda: find_patterns(short, patterns)),
        ("substitute", lambda: table[long_text.long()]),
        ("face-areas", lambda: 0.5 * corners(points, faces).norm(dim=1)),
        ("corner-normals", lambda: corner_normals(points, faces[:1048576])),
        ("voxel-means", lambda: voxel_means(x, y)),
        ("boxes", lambda: boxes(x, y, group)),
        ("icp-shift", lambda: icp_shift(a, b)),
        ("contour-cells", lambda: contour_cells(*c32)),
        ("worst-drawdowns", lambda: drawdowns(prices)),
        ("vwap", lambda: vwap(price, volume, time)),
        ("value-at-risk", lambda: value_at_risk(returns, weights)),
        ("weighted-covariance", lambda: covariance(days)),
    ]


if __name__ == "__main__":
    report(programs())
