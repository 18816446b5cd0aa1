#!/usr/bin/env python3
"""Times programs of `../programs/science.lift` in PyTorch, as others.py does."""

import torch
import torch.nn.functional as nn
from others import floats, ints, report


def adam(p, m, v, g):
    m2 = 0.9 * m + 0.1 * g
    v2 = 0.999 * v + 0.001 * g * g
    return p - 0.01 * m2 / (v2.sqrt() + 1e-8), m2, v2


def inverse_distances(px, py, pz, qx, qy):
    w = (((px[None] - qx[:, None]) ** 2 + (py[None] - qy[:, None]) ** 2).sqrt() + 1e-6) ** -2.5
    return (w * pz).sum(1) / w.sum(1)


def bilateral(x):
    w = nn.unfold(nn.pad(x[None, None], (5,) * 4, mode="replicate"), 11).view(121, *x.shape)
    d = torch.arange(-5, 6, device=x.device)
    space = (d[:, None] ** 2 + d[None] ** 2).flatten()[:, None, None]
    k = torch.exp(-(0.02 * space + 10 * (w - x) ** 2))
    return (k * w).sum(0) / k.sum(0)


def reaction(u, v):
    def lap(a):
        return sum(a.roll(s, d) for d in range(3) for s in (1, -1)) - 6 * a

    for _ in range(20):
        r = u * v * v
        u, v = u + 0.16 * lap(u) - r + 0.04 * (1 - u), v + 0.08 * lap(v) + r - 0.1 * v
    return u, v


def mixture(x, mu, iv, w):
    d = ((x[:, None] - mu[None]) ** 2 * iv[None]).sum(2)
    r = torch.softmax((w + 1e-6).log() - 0.5 * d, 1)
    n = r.sum(0)
    return n, (r.T @ x) / n[:, None]


def shift(p):
    c = p
    for _ in range(5):
        w = torch.exp(-50 * torch.cdist(c, p) ** 2)
        c = (w @ p) / w.sum(1, keepdim=True)
    return c


def farthest(a, b):
    d = torch.cdist(a, b)
    return torch.maximum(d.amin(1).max(), d.amin(0).max())


def kalman(z):
    x = v = torch.zeros_like(z[:, 0])
    p00, p01, p11 = torch.ones_like(x), torch.zeros_like(x), torch.ones_like(x)
    out = []
    for t in range(z.shape[1]):
        xp = x + v
        a, b, d = p00 + 2 * p01 + p11 + 0.01, p01 + p11, p11 + 0.01
        k0, k1, r = a / (a + 0.1), b / (a + 0.1), z[:, t] - xp
        x, v, p00, p01, p11 = xp + k0 * r, v + k1 * r, (1 - k0) * a, (1 - k0) * b, d - k1 * b
        out.append(x)
    return torch.stack(out, 1)


def jumps(start):
    rank, at = (start != torch.arange(len(start), device=start.device)).int(), start
    for _ in range(20):
        rank, at = rank + rank[at], at[at]
    return rank


def pooled(x, lens):
    mask = torch.arange(x.shape[1], device=x.device)[None] < lens[:, None]
    return (x * mask[..., None]).sum(1) / lens[:, None]


def top_p(x):
    p = torch.softmax(x, 1)
    order = p.sort(1, descending=True).values
    cut = order.gather(1, (order.cumsum(1) < 0.9).sum(1, keepdim=True).clamp(max=x.shape[1] - 1))
    return torch.where(p >= cut, p, 0)


def programs():
    weights = [floats(2**25) for _ in range(4)]
    yield "adam", lambda: adam(*weights)
    places = [floats(16384) for _ in range(5)]
    yield "aidw", lambda: inverse_distances(*places)
    x = floats(2048, 2048)
    yield "bilateral", lambda: bilateral(x)
    big = floats(4096, 4096)
    yield "boxfilter", lambda: nn.avg_pool2d(nn.pad(big[None, None], (8,) * 4, mode="replicate"), 17, 1)
    s = floats(32, 256, 16384)
    yield "channel-shuffle", lambda: nn.channel_shuffle(s, 8)
    c = floats(32, 256, 4096)
    yield "channel-sum", lambda: (c.sum((0, 2)), (c * c).sum((0, 2)))
    logits, label = floats(65536, 1000), ints(65536)
    yield "cross-entropy", lambda: nn.cross_entropy(logits, label, reduction="none")
    yield "nlll", lambda: nn.nll_loss(logits, label)
    mix = floats(1048576, 4), floats(16, 4), floats(16, 4), floats(16)
    yield "gmm", lambda: mixture(*mix)
    p, q = floats(32768, 2), floats(32768, 2)
    yield "hausdorff", lambda: farthest(p, q)
    a, b = floats(1024, 1024), floats(1024, 1024)
    yield "hellinger", lambda: (1 - (a.sqrt() @ b.sqrt()) / 1024).clamp(min=0).sqrt()
    yield "minkowski", lambda: torch.cdist(a, b.T, 3)
    k, m = floats(4096, 3), floats(8200, 3)
    yield "knn", lambda: torch.cdist(k, m).topk(8, largest=False).indices
    n = floats(8192, 8192)
    yield "rotate90", lambda: torch.rot90(n, -1).contiguous()
    ms = floats(8192, 2)
    yield "meanshift", lambda: shift(ms)
    u, v = floats(128, 128, 128), floats(128, 128, 128)
    yield "gray-scott", lambda: reaction(u, v)
    z = floats(65536, 256)
    yield "kalman", lambda: kalman(z)
    t = floats(65536, 1024)
    yield "stddev-columns", lambda: t.std(0)
    five = floats(64, 48, 32, 40, 16)
    yield "permute5", lambda: five.permute(4, 2, 0, 3, 1).contiguous()
    im = floats(4096, 4096, 3)

    def tone():
        lum = im @ torch.tensor([0.27, 0.67, 0.06], device="cuda")
        t = 0.18 * lum / (lum + 1e-4).log().mean().exp()
        return im * (t / ((1 + t) * (lum + 1e-4)))[..., None]

    yield "tonemap", tone
    w = floats(16, 64, 56, 56)
    yield "unfold", lambda: nn.unfold(nn.pad(w, (1,) * 4, mode="replicate"), 3)
    up = floats(16, 64, 128, 128)
    yield "upsample", lambda: nn.interpolate(up, scale_factor=2, mode="bilinear")
    bits = torch.rand(1048576, 32, device="cuda") < 0.5
    yield "vote", lambda: (bits.all(1), bits.any(1))
    link = torch.randint(0, 1000, (1048576,), device="cuda") * 7919 % torch.arange(1048576, device="cuda").clamp(min=1)
    yield "wyllie", lambda: jumps(link)
    docs, lens = floats(128, 1024, 256), ints(128) % 1024 + 1
    yield "sum-pool-mask", lambda: pooled(docs, lens)
    tl = floats(4096, 32000)
    yield "top-p", lambda: top_p(tl)
    cdf = floats(4096, 4096)

    def picked():
        s = cdf.cumsum(1)
        return torch.searchsorted(s, 0.5 * s[:, -1:])

    yield "rfs", picked
    ca, cb = floats(96, 24, 32), floats(24, 96, 32)
    yield "contract", lambda: torch.einsum("ikl,kjl->ij", ca, cb)


if __name__ == "__main__":
    report(programs())
