#!/usr/bin/env python3
"""Times programs of `../programs/tables.lift`, `inference.lift` and `learners.lift` in PyTorch, as others.py does."""

import torch
import torch.nn.functional as nn
from others import floats, report


def ints(*shape):
    return torch.randint(-1000, 1000, shape, device="cuda", dtype=torch.int32)


def by_key(n, keys, values):
    return torch.zeros(n, device=keys.device).index_add_(0, keys, values)


def pricing(flag, date, qty, price, disc, tax):
    kept = (date % 2500) <= 2400
    keys = (flag % 6).long()[kept]
    q, p, d, t = qty[kept], price[kept], disc[kept], tax[kept]
    less = p * (1 - d)
    return [by_key(6, keys, v) for v in (q, p, less, less * (1 + t), torch.ones_like(q))]


def demean(keys, values):
    k = (keys % 4096).long()
    return values - (by_key(4096, k, values) / torch.bincount(k, minlength=4096).clamp(min=1))[k]


def tag_counts(tags):
    return torch.bincount((tags[tags > 0] & 511).long(), minlength=512)


def describe(x):
    s = x.sort(0)[0]
    n = len(s)
    return x.mean(0), x.std(0), s[0], s[n // 4], s[n // 2], s[3 * n // 4], s[-1]


def rank_in_group(keys, values):
    order = torch.sort(values, descending=True, stable=True)[1]
    order = order[torch.sort(keys[order], stable=True)[1]]
    count = torch.bincount(keys.long(), minlength=1000)
    ranks = torch.empty_like(order)
    ranks[order] = torch.arange(len(order), device=keys.device) - (count.cumsum(0) - count)[keys[order].long()]
    return ranks


def attention(q, k, v, scale):
    return torch.softmax(q @ k.transpose(-1, -2) * scale, -1) @ v


def window_attention(q, k, v):
    s = torch.einsum("nd,ndw->nw", q, k.unfold(0, 256, 1)) * 0.125
    return torch.einsum("nw,ndw->nd", torch.softmax(s, -1), v.unfold(0, 256, 1))


def alibi(q, k, v):
    i = torch.arange(len(q), device=q.device)
    s = q @ k.T * 0.125 - 0.05 * (i[:, None] - i[None])
    return torch.softmax(s.masked_fill(i[None] > i[:, None], -float("inf")), -1) @ v


def top_k_sample(logits, u):
    best, at = logits.topk(8, 1)
    c = torch.softmax(best, 1).cumsum(1)
    return at.gather(1, (c < u[:, None]).sum(1, keepdim=True).clamp(max=7))


def rotate_into(cache, k):
    th = 10000.0 ** (torch.arange(64, device=k.device) / -64.0) * 5
    c, s, a, b = th.cos(), th.sin(), k[:, 0::2], k[:, 1::2]
    new = cache.clone()
    new[5] = torch.stack((a * c - b * s, a * s + b * c), -1).reshape(k.shape)
    return new


def selective_scan(x, dt, a, b, c):
    h, ys = torch.zeros_like(a), []
    for t in range(len(x)):
        h = h * torch.exp(-dt[t][:, None] * a) + dt[t][:, None] * b[t][None] * x[t][:, None]
        ys.append(h @ c[t])
    return torch.stack(ys)


def linear_attention(q, k, v):
    s, ys = torch.zeros(q.shape[0], 64, 64, device=q.device), []
    for t in range(q.shape[1]):
        s = 0.98 * s + k[:, t, :, None] * v[:, t, None, :]
        ys.append(torch.einsum("hk,hkv->hv", q[:, t], s))
    return torch.stack(ys, 1)


def spectrogram(x):
    window = torch.hann_window(256, device=x.device)
    return torch.log(1e-6 + torch.stft(x, 256, 128, window=window, center=False, return_complex=True).abs() ** 2)


def jpeg(image, basis):
    return torch.round(8 * (basis @ image.reshape(512, 8, 512, 8).permute(0, 2, 1, 3) @ basis.T))


def charges(x, y):
    i, j = [(p * 255).int().clamp(0, 254).long() for p in (x, y)]
    fx, fy, grid = x * 255 - i, y * 255 - j, torch.zeros(65536, device=x.device)
    for a, b in ((0, 0), (0, 1), (1, 0), (1, 1)):
        grid.index_add_(0, 256 * (i + a) + j + b, (fx if a else 1 - fx) * (fy if b else 1 - fy))
    return grid[256 * (i + 1) + j] - grid[256 * i + j]


def guided(image, p):
    def box(z):
        return nn.avg_pool2d(nn.pad(z, (4,) * 4, mode="replicate"), 9, 1)

    mi, mp = box(image), box(p)
    a = (box(image * p) - mi * mp) / (box(image * image) - mi * mi + 0.01)
    return box(a) * image + box(mp - a * mi)


def lasso(x, y):
    w = torch.zeros(x.shape[1], device=x.device)
    for _ in range(50):
        v = w - 0.001 * (x.T @ (x @ w - y) / len(y))
        w = torch.sign(v) * (v.abs() - 1e-4).clamp(min=0)
    return w


def advantages(r, v):
    delta = r + 0.99 * v[:, 1:] - v[:, :-1]
    out, g = torch.empty_like(delta), torch.zeros(len(r), device=r.device)
    for t in range(r.shape[1] - 1, -1, -1):
        g = delta[:, t] + 0.9405 * g
        out[:, t] = g
    return out


def residuals(x, ws):
    for w in ws:
        x = x + torch.relu(x @ w)
    return x


def add_norm(x, r, w):
    h = x + r
    return h * torch.rsqrt((h * h).mean(1, keepdim=True) + 1e-5) * w, h


def programs():
    n = 8388608
    keys, dates = ints(n), ints(n)
    a, b, c, d = [floats(n) for _ in range(4)]
    yield "pricing-summary", lambda: pricing(keys, dates, a, b, c, d)
    wide, ones = (keys % 100000).long(), torch.ones(n, device="cuda")
    yield "weighted-mean-by-group", lambda: [by_key(100000, wide, v) for v in (a * b, a, ones)]
    cells = ((keys % 256) * 64 + dates % 64).long()
    yield "pivot", lambda: by_key(16384, cells, a)
    yield "demean-by-group", lambda: demean(keys, a)
    column = ints(2 * n)
    yield "column-mode", lambda: torch.bincount((column & 65535).long(), minlength=65536).max(0)
    tags = ints(1048576, 8)
    yield "tag-counts", lambda: tag_counts(tags)
    table = floats(65536, 64)
    yield "describe", lambda: describe(table)
    few, values = ints(1048576).abs(), floats(1048576)
    yield "rank-in-group", lambda: rank_in_group(few, values)
    q, k, v = floats(8, 32, 1, 128), floats(8, 32, 4096, 128), floats(8, 32, 4096, 128)
    yield "decode-attention", lambda: attention(q, k, v, 0.0883883)
    gq, gk, gv = floats(8, 4, 2048, 64), floats(8, 1, 2048, 64), floats(8, 1, 2048, 64)
    yield "grouped-attention", lambda: attention(gq, gk, gv, 0.125)
    wq, wk, wv = floats(16384, 64), floats(16639, 64), floats(16639, 64)
    yield "window-attention", lambda: window_attention(wq, wk, wv)
    aq, ak, av = floats(2048, 64), floats(2048, 64), floats(2048, 64)
    yield "alibi-attention", lambda: alibi(aq, ak, av)
    logits, u = floats(256, 32008), floats(256)
    yield "top-k-sample", lambda: top_k_sample(logits, u)
    score, logp = floats(64, 4), floats(64, 4, 32004)
    yield "beam-step", lambda: (score[:, :, None] + logp).reshape(64, -1).topk(4, 1)
    cache, new = floats(4096, 32, 128), floats(32, 128)
    yield "rotate-into-cache", lambda: rotate_into(cache, new)
    sx, sdt, sa, sb, sc = floats(2048, 4096), floats(2048, 4096), floats(4096, 16), floats(2048, 16), floats(2048, 16)
    yield "selective-scan", lambda: selective_scan(sx, sdt, sa, sb, sc)
    lq, lk, lv = floats(64, 1024, 64), floats(64, 1024, 64), floats(64, 1024, 64)
    yield "linear-attention", lambda: linear_attention(lq, lk, lv)
    big, target = floats(8192, 32001), torch.randint(0, 32000, (8192,), device="cuda")
    yield "perplexity", lambda: nn.cross_entropy(big, target).exp()
    noise = floats(1024, 32000)
    yield "gumbel-max", lambda: (noise - torch.log(-torch.log(torch.rand_like(noise)))).argmax(1)
    signal = floats(1048576)
    yield "spectrogram", lambda: spectrogram(signal)
    picture, basis = floats(4096, 4096), floats(8, 8)
    yield "jpeg-blocks", lambda: jpeg(picture, basis)
    px, py = floats(4194304), floats(4194304)
    yield "pic", lambda: charges(px, py)
    gi, gp = floats(1, 1, 2048, 2048), floats(1, 1, 2048, 2048)
    yield "guided-filter", lambda: guided(gi, gp)
    lx, ly = floats(8192, 1024), floats(8192)
    yield "lasso", lambda: lasso(lx, ly)
    points = floats(32768, 3)
    yield "core-points", lambda: (torch.cdist(points, points) < 0.1).sum(1) >= 8
    known, asked = floats(65536), floats(8192)
    yield "kde", lambda: torch.exp(-0.5 * ((asked[:, None] - known[None]) / 0.05) ** 2).sum(1)
    rewards, worth = floats(16384, 1024), floats(16384, 1025)
    yield "advantages", lambda: advantages(rewards, worth)
    mx, mw = floats(8192, 512), floats(4, 512, 512)
    yield "residual-mlp", lambda: residuals(mx, mw)
    hx, hr, hw = floats(8192, 4096), floats(8192, 4096), floats(4096)
    yield "add-rmsnorm", lambda: add_norm(hx, hr, hw)
    tokens, bytes_, scale = (
        floats(32, 4096),
        torch.randint(-127, 127, (4096, 4096), device="cuda", dtype=torch.int8),
        floats(4096),
    )
    yield "int8-product", lambda: (tokens @ bytes_.float().T) * scale


if __name__ == "__main__":
    report(programs())
