#!/usr/bin/env python3
"""Times programs of `../programs/vision.lift`, `retrieval.lift` and `codes.lift` in PyTorch, as others.py does."""

import torch
import torch.nn.functional as nn
from others import floats, report


def ints(*shape):
    return torch.randint(-1000, 1000, shape, device="cuda", dtype=torch.int32)


def to_hsv(image):
    high, low = image.amax(2), image.amin(2)
    d = high - low
    r, g, b = image.unbind(2)
    h = torch.where(high == r, (g - b) / d, torch.where(high == g, 2 + (b - r) / d, 4 + (r - g) / d))
    h = torch.where(d > 0, h, 0.0)
    return 60 * torch.where(h < 0, h + 6, h), torch.where(high > 0, d / high, 0.0), high


def adaptive_threshold(image):
    mean = nn.avg_pool2d(image[None, None], 15, 1, 7)[0, 0]
    return image > mean


def census(image):
    windows = nn.unfold(nn.pad(image[None, None], (2, 2, 2, 2), mode="replicate"), 5)[0]
    bits = (windows > windows[12]).int() << torch.arange(25, device=image.device, dtype=torch.int32)[:, None]
    return bits.sum(0, dtype=torch.int32).view(image.shape)


def popcount(x):
    x = x - ((x >> 1) & 0x55555555)
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F
    return (x * 0x01010101) >> 24


def census_stereo(left, right):
    a, b = census(left), census(right)
    x = torch.arange(left.shape[1], device=left.device)
    costs = [popcount(a ^ b[:, (x - d).clamp(min=0)]) for d in range(32)]
    return torch.stack(costs).argmin(0)


def diffusion(u):
    for _ in range(10):
        p = nn.pad(u[None, None], (1, 1, 1, 1), mode="replicate")[0, 0]
        sides = [p[:-2, 1:-1] - u, p[2:, 1:-1] - u, p[1:-1, :-2] - u, p[1:-1, 2:] - u]
        u = u + 0.2 * sum(d / (1 + 100 * d * d) for d in sides)
    return u


def box_overlaps(a, b):
    low = torch.maximum(a[:, None, :2], b[None, :, :2])
    high = torch.minimum(a[:, None, :2] + a[:, None, 2:], b[None, :, :2] + b[None, :, 2:])
    i = (high - low).clamp(min=0).prod(2)
    return (i / ((a[:, 2] * a[:, 3])[:, None] + (b[:, 2] * b[:, 3])[None] + 1e-6 - i)).max(1)


def picture_moments(image):
    h, w = [torch.arange(n, device=image.device, dtype=torch.float32) for n in image.shape]
    total, rows, columns = image.sum(), image.sum(1), image.sum(0)
    cx, cy = (columns @ w) / total, (rows @ h) / total
    m11 = (h - cy) @ image @ (w - cx)
    return cx, cy, columns @ (w - cx) ** 2 / total, rows @ (h - cy) ** 2 / total, m11 / total


def row_distances(image):
    n = torch.arange(image.shape[1], device=image.device)
    before = torch.where(image > 0.95, n, -100000).cummax(1)[0]
    after = torch.where(image > 0.95, n, 100000).flip(1).cummin(1)[0].flip(1)
    return torch.minimum(n - before, after - n)


def pq_scan(codes, table):
    d = table[torch.arange(16, device=codes.device), codes.long()].sum(1)
    return d.topk(8, largest=False)[1]


def bm25(docs, query, idf):
    tf = ((docs % 5000)[:, :, None] == (query % 5000)).sum(1).float()
    return (idf * (tf * 2.2 / (tf + 1.2))).sum(1)


def minhash(sets):
    return torch.stack([((sets * (2 * h + 12345) + 977 * h) & 0x7FFFFFFF).amin(1) for h in range(32)], 1)


def lsh_signs(x, planes):
    return ((x @ planes.T > 8).int() << torch.arange(32, device=x.device, dtype=torch.int32)).sum(1, dtype=torch.int32)


def messages(source, target, w, x):
    return torch.zeros_like(x).index_add_(0, target, w[:, None] * x[source])


def edge_softmax(target, score):
    m = torch.full((65536,), -torch.inf, device=score.device).scatter_reduce_(0, target, score, "amax")
    e = torch.exp(score - m[target])
    return e / torch.zeros(65536, device=score.device).index_add_(0, target, e)[target]


def sparsemax(x):
    z = x.sort(1, descending=True)[0]
    c = z.cumsum(1)
    k = ((1 + torch.arange(1, x.shape[1] + 1, device=x.device) * z) > c).sum(1, keepdim=True)
    return (x - (c.gather(1, k - 1) - 1) / k).clamp(min=0)


def codebook(x, book):
    d = (x * x).sum(1, keepdim=True) - 2 * x @ book.T + (book * book).sum(1)
    index = d.argmin(1)
    return index, ((x - book[index]) ** 2).sum(1).mean()


def newton_schulz(g):
    x = g / g.norm()
    for _ in range(5):
        a = x @ x.T
        x = 3.4445 * x + (-4.775 * a + 2.0315 * a @ a) @ x
    return x


def simclr(a, b):
    s = 2 * nn.normalize(a) @ nn.normalize(b).T
    target = torch.arange(len(a), device=a.device)
    return 0.5 * (nn.cross_entropy(s, target) + nn.cross_entropy(s.T, target))


def batch_hard(x, labels):
    d = torch.cdist(x, x)
    same = labels[:, None] == labels
    return (0.2 + torch.where(same, d, 0).amax(1) - torch.where(same, torch.inf, d).amin(1)).clamp(min=0).mean()


def paged_attention(q, pool, values, table):
    keys, vals = pool[table].flatten(1, 2), values[table].flatten(1, 2)
    return nn.scaled_dot_product_attention(q[:, None, None], keys[:, None], vals[:, None])


def adapters(x, a, b, which):
    return (b[which] @ (a[which] @ x[:, :, None]))[..., 0]


def hits(adjacency):
    h = torch.ones(len(adjacency), device=adjacency.device)
    for _ in range(20):
        h = adjacency @ (adjacency.T @ h)
        h = h / h.norm()
    return h


def lamb(w, g, m, v):
    m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
    u = m / (v.sqrt() + 1e-6) + 0.01 * w
    ratio = w.norm(dim=1, keepdim=True) / u.norm(dim=1, keepdim=True)
    return w - 0.001 * ratio * u, m, v


def yin(frames):
    w = frames.unfold(1, 512, 1)[:, :256]
    d = ((frames[:, None, :512] - w) ** 2).sum(2)
    lag = torch.arange(256, device=frames.device)
    return torch.where(lag == 0, 1.0, d * lag / (1e-9 + d.cumsum(1))).argmin(1)


def welch(x):
    i = torch.arange(256, device=x.device)
    basis = torch.exp(-0.02454j * i[:, None] * torch.arange(32, device=x.device)) * torch.sin(0.01227 * i)[:, None]
    return ((x.unfold(1, 256, 128).to(torch.complex64) @ basis).abs() ** 2).mean(1)


def particle_filter(particles, y):
    w = torch.exp(-4 * (particles - y) ** 2)
    n = len(particles)
    at = torch.searchsorted((w / w.sum()).cumsum(0), (torch.arange(n, device=w.device) + 0.5) / n)
    return particles[at.clamp(max=n - 1)]


def morton_order(x, y, z):
    def spread(v):
        v = (v | (v << 16)) & 50331903
        v = (v | (v << 8)) & 50393103
        v = (v | (v << 4)) & 51130563
        return (v | (v << 2)) & 153391689

    a, b, c = [spread((1023 * v).int()) for v in (x, y, z)]
    return (a | (b << 1) | (c << 2)).argsort(stable=True)


def smooth_peaks(x):
    k = torch.tensor([-2.0, 3, 6, 7, 6, 3, -2], device=x.device) / 21
    s = nn.conv1d(x[:, None], k[None, None])[:, 0]
    return ((s[:, 1:-1] > s[:, :-2]) & (s[:, 1:-1] > s[:, 2:])).sum(1)


def row_runs(x):
    b = x & 1
    return 1 + (b[:, 1:] != b[:, :-1]).sum(1)


def programs():
    image, big, e = floats(2048, 2048), floats(4096, 4096), 4194304
    left, right, rgb = floats(720, 1280), floats(720, 1280), floats(2048, 2048, 3)
    a4, b4 = floats(32768, 4), floats(256, 4)
    codes, table = torch.randint(0, 256, (1048576, 16), device="cuda", dtype=torch.uint8), floats(16, 256)
    docs, query, idf, sets = ints(262144, 64), ints(8), floats(8), ints(65536, 128)
    lx, planes = floats(262144, 64), floats(32, 64)
    source, target, w, x = [(ints(1048576) % 65536).long() for _ in range(2)] + [floats(1048576), floats(65536, 16)]
    edges, score = (ints(e) * 131 % 65536).long(), floats(e)
    rows, vx, book, g = floats(16384, 512), floats(65536, 32), floats(512, 32), floats(512, 512)
    va, vb, hx, labels = floats(2048, 128), floats(2048, 128), floats(2048, 64), ints(2048) % 32
    q, pool, values = floats(64, 64), floats(8192, 16, 64), floats(8192, 16, 64)
    blocks = (ints(64, 64) % 8192).long()
    ax, aa, ab, which = floats(4096, 256), floats(16, 8, 256), floats(16, 256, 8), (ints(4096) % 16).long()
    adjacency, ws = floats(2048, 2048), [floats(1024, 4096) for _ in range(4)]
    frames, channels, particles = floats(4096, 1024), floats(256, 16384), floats(1048576)
    px, py, pz = [floats(4194304) for _ in range(3)]
    return [
        ("to-hsv", lambda: to_hsv(rgb)),
        ("adaptive-threshold", lambda: adaptive_threshold(image)),
        ("census-stereo", lambda: census_stereo(left, right)),
        ("diffusion", lambda: diffusion(image)),
        ("box-overlaps", lambda: box_overlaps(a4, b4)),
        ("picture-moments", lambda: picture_moments(big)),
        ("row-distances", lambda: row_distances(big)),
        ("pq-scan", lambda: pq_scan(codes, table)),
        ("bm25", lambda: bm25(docs, query, idf)),
        ("minhash", lambda: minhash(sets)),
        ("lsh-signs", lambda: lsh_signs(lx, planes)),
        ("messages", lambda: messages(source, target, w, x)),
        ("edge-softmax", lambda: edge_softmax(edges, score)),
        ("sparsemax", lambda: sparsemax(rows)),
        ("codebook", lambda: codebook(vx, book)),
        ("newton-schulz", lambda: newton_schulz(g)),
        ("simclr", lambda: simclr(va, vb)),
        ("batch-hard", lambda: batch_hard(hx, labels)),
        ("paged-attention", lambda: paged_attention(q, pool, values, blocks)),
        ("adapters", lambda: adapters(ax, aa, ab, which)),
        ("hits", lambda: hits(adjacency)),
        ("lamb", lambda: lamb(*ws)),
        ("yin", lambda: yin(frames)),
        ("welch", lambda: welch(channels)),
        ("particle-filter", lambda: particle_filter(particles, 0.5)),
        ("morton-order", lambda: morton_order(px, py, pz)),
        ("smooth-peaks", lambda: smooth_peaks(floats(4096, 4104))),
        ("row-runs", lambda: row_runs(ints(8192, 2049))),
    ]


if __name__ == "__main__":
    report(programs())
