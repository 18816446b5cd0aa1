#!/usr/bin/env python3
"""Times the programs of `../programs/assorted.lift` in PyTorch, as others.py does."""

import torch
import torch.nn.functional as nn
from others import floats, report


def ints(*shape, least=-(2**31), most=2**31 - 1):
    return torch.randint(least, most, shape, device="cuda", dtype=torch.int32)


def attention_of_graph(feats, nodes):
    near = feats[nodes]
    weights = torch.softmax((near * feats[:, None]).sum(-1), 1)
    return (weights[..., None] * near).sum(1)


def sinkhorn(x):
    k = torch.exp(-x.abs())
    for _ in range(5):
        k = k / k.sum(1, keepdim=True)
        k = k / k.sum(0, keepdim=True)
    return k


def haversine(p, q):
    a = torch.sin(0.5 * (p[:, None, 0] - q[None, :, 0]))
    b = torch.sin(0.5 * (p[:, None, 1] - q[None, :, 1]))
    return (a * a + torch.cos(p[:, None, 0]) * torch.cos(q[None, :, 0]) * b * b).amin(1)


def tf_idf(counts):
    rare = torch.log(counts.shape[0] / (1 + (counts > 0).sum(0).float()))
    return counts.float() / (1 + counts.abs().sum(1, keepdim=True).float()) * rare


def otsu(image, levels):
    low = image & 255
    below = torch.histc(low.float(), 256, 0, 255)
    w, m = below.cumsum(0), (below * levels).cumsum(0)
    p = w / w[-1]
    d = p * m[-1] - m
    return (low > (d * d / (p * (1 - p))).nan_to_num(0).argmax()).int()


def asian(seeds):
    r, price = seeds, torch.full(seeds.shape, 100.0, device="cuda")
    total = torch.zeros_like(price)
    for _ in range(64):
        r = (r * 1103515245 + 12345) & 2147483647
        price = price * torch.exp(0.01 * (r.float() / 1073741824 - 1))
        total = total + price
    return torch.relu(total / 64 - 100).mean()


def gradient(x, rows, classes):
    shares = torch.softmax(x, 1)
    shares[rows, classes] -= 1
    return shares


def interpolate(table, y, x):
    k = torch.searchsorted(table, x).clamp(1, len(table) - 1)
    a, b = table[k - 1], table[k]
    t = (x - a) / (b - a + 1e-9)
    return (1 - t) * y[k - 1] + t * y[k]


def edges(image, weights, box):
    b = nn.conv2d((image @ weights)[None, None], box)[0, 0]
    x = b[:-2, 2:] + b[2:, 2:] - b[:-2, :-2] - b[2:, :-2]
    y = b[2:, :-2] + b[2:, 2:] - b[:-2, :-2] - b[:-2, 2:]
    return (x * x + y * y > 0.1).float()


def attention_layer(x, wq, wk, wv, wo):
    q, k, v = x @ wq, x @ wk, x @ wv
    heads = torch.softmax(0.125 * q @ k.transpose(1, 2), -1) @ v
    return heads.transpose(0, 1).reshape(x.shape[0], -1) @ wo


def correlation(x, y):
    a, b = x.unfold(0, 32, 1), y.unfold(0, 32, 1)
    a, b = a - a.mean(1, keepdim=True), b - b.mean(1, keepdim=True)
    return (a * b).sum(1) / ((a * a).sum(1) * (b * b).sum(1)).sqrt()


def lloyd(x, centres):
    own = torch.cdist(x, centres).argmin(1)
    sums = torch.zeros_like(centres).index_add_(0, own, x)
    return sums / torch.bincount(own, minlength=len(centres)).clamp(1)[:, None]


def programs():
    feats, nodes = floats(262144, 32), ints(262144, 16, least=0, most=262144).long()
    yield "graph-attention", lambda: attention_of_graph(feats, nodes)
    xs, ys, ws = floats(16384, 8), floats(16384, 8), floats(16384)
    yield "gaussian-sums", lambda: torch.exp(-0.5 * torch.cdist(xs, ys).square()) @ ws
    matrix = floats(4096, 4096)
    yield "sinkhorn", lambda: sinkhorn(matrix)
    places, depots = floats(262144, 2), floats(512, 2)
    yield "haversine", lambda: haversine(places, depots)
    counts = ints(16384, 4096)
    yield "tf-idf", lambda: tf_idf(counts)
    image, levels = ints(8192, 8192), torch.arange(256, device="cuda")
    yield "otsu", lambda: otsu(image, levels)
    seeds = ints(1 << 20)
    yield "asian", lambda: asian(seeds)
    series = floats(256, 16384)
    yield "quantile-normal", lambda: series.sort(1)[0].mean(0)[series.argsort(1).argsort(1)]
    logits, classes = floats(32768, 1000), ints(32768, least=0, most=1000).long()
    rows = torch.arange(32768, device="cuda")
    yield "entropy-gradient", lambda: gradient(logits, rows, classes)
    table, heights, queries = torch.arange(4096, device="cuda").float(), floats(4096), floats(1 << 24)
    yield "interpolate", lambda: interpolate(table, heights, queries)
    picture, grey = floats(2160, 3840, 3), torch.tensor([0.3, 0.59, 0.11], device="cuda")
    box = torch.ones(1, 1, 3, 3, device="cuda") / 9
    yield "edges", lambda: edges(picture, grey, box)
    small = floats(131072, 8, 8)
    yield "choleskys", lambda: torch.linalg.cholesky(small + small.transpose(1, 2) + 16 * torch.eye(8, device="cuda"))
    kept = ints(1 << 20, 16)
    yield "clean-rows", lambda: kept[(kept > -900000000).all(1)]
    tokens, out = floats(1024, 512), floats(512, 512)
    wq, wk, wv = floats(8, 512, 64), floats(8, 512, 64), floats(8, 512, 64)
    yield "attention-layer", lambda: attention_layer(tokens, wq, wk, wv, out)
    images, filters, bias = floats(32, 16, 130, 130), floats(32, 16, 3, 3), floats(32)
    yield "conv-pool", lambda: nn.max_pool2d(torch.relu(nn.conv2d(images, filters, bias)), 2)
    u, v = floats(4194304 + 31), floats(4194304 + 31)
    yield "moving-correlation", lambda: correlation(u, v)
    points, centres = floats(1 << 20, 16), floats(64, 16)
    yield "lloyd", lambda: lloyd(points, centres)
    marks = ints(65536, 256)
    yield "modes", lambda: nn.one_hot((marks & 15).long(), 16).sum(1).argmax(1)
    cube = floats(256, 256, 1024)
    yield "middle-logsumexp", lambda: torch.logsumexp(cube, 1)
    features, factors = floats(65536, 64), floats(64, 16)
    yield "factorization", lambda: 0.5 * ((features @ factors).square() - features.square() @ factors.square()).sum(1)


if __name__ == "__main__":
    report(programs())
