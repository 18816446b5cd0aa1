#!/usr/bin/env python3
"""Times the programs of `../programs/others.lift` in PyTorch, eager, on its GPU: the median of 9 runs in microseconds.

Each entry is what one writes first with PyTorch's own functions. The results are not compared.
"""

import torch
import torch.nn.functional as nn

# Full precision of 24 bits, like ours; the default for convolutions is 10.
torch.backends.cudnn.allow_tf32 = False
RUNS = 9


def floats(*shape):
    return torch.rand(*shape, device="cuda")


def ints(*shape, dtype=torch.int64):
    return torch.randint(0, 1000, shape, device="cuda", dtype=dtype)


def group_means(keys, xs):
    return torch.bincount(keys, xs, 1000) / torch.bincount(keys, minlength=1000).clamp(min=1)


def wave(u):
    for _ in range(100):
        p = nn.pad(u[None, None], (1, 1), mode="replicate")[0, 0]
        u = u + 0.1 * ((p[:-2] + p[2:]) - 2 * u)
    return u


def forces(points):
    apart = points[None] - points[:, None]
    square = (apart * apart).sum(2) + 0.01
    return (apart / (square * square.sqrt())[..., None]).sum(1)


def row_histograms(x):
    rows = torch.arange(x.shape[0], device=x.device)[:, None]
    return torch.bincount((x % 256 + 256 * rows).flatten(), minlength=256 * x.shape[0])


def jumping(following):
    at = following
    for _ in range(20):
        at = following[at.abs() % following.shape[0]]
    return at


def powers(m):
    a = m
    for _ in range(5):
        a = a @ a / m.shape[0]
    return a


def layernorm_back(x, dy, mean, scale):
    wanted = [True, False, False]
    return torch.ops.aten.native_layer_norm_backward(dy, x, (x.shape[1],), mean, scale, None, None, wanted)


def entropy(xs):
    p = xs / xs.sum()
    return -(p * (p + 1e-12).log()).sum()


def programs():
    """Pairs of a name and a function without arguments; inputs are made when they are asked for."""
    rows, gain = floats(8192, 4096), floats(4096)
    yield "rmsnorm", lambda: nn.rms_norm(rows, (4096,), gain, 1e-6)
    yield "log-softmax", lambda: nn.log_softmax(rows, 1)
    a, b = floats(4096, 256), floats(4096, 256)
    yield "cosine", lambda: nn.normalize(a) @ nn.normalize(b).T
    many = floats(65536, 256)
    yield "covariance", lambda: torch.cov(many.T)
    square = floats(8192, 8192)
    yield "gated", lambda: nn.silu(square[:, :4096]) * square[:, 4096:]
    yield "column-argmax", lambda: square.argmax(0)
    yield "column-scan", lambda: rows.cumsum(0)
    line = floats((1 << 24) + 4)
    yield "moving-median", lambda: line.unfold(0, 5, 1).median(1).values
    yield "top8", lambda: many.topk(8, 1)
    queries, points = floats(8192, 16), floats(8192, 16)
    yield "nearest-index", lambda: torch.cdist(queries, points).argmin(1)
    bags, table = ints(65536, 32), floats(100000, 64)
    yield "bags", lambda: nn.embedding_bag(bags, table, mode="sum")
    keys, weights = ints(1 << 24), floats(1 << 24)
    yield "group-means", lambda: group_means(keys, weights)
    tall = floats(16384, 4096)
    yield "row-kept-sum", lambda: (tall * (tall > 0.5)).sum(1)
    signal = floats(1, 1, (1 << 22) + 63)
    yield "sliding-max", lambda: nn.max_pool1d(signal, 64, 1)
    start = floats(1 << 22)
    yield "wave", lambda: wave(start)
    bodies = floats(16384, 3)
    yield "forces", lambda: forces(bodies)
    numbers = ints(4096, 4096)
    yield "row-histograms", lambda: row_histograms(numbers)
    kept = ints(1 << 22, dtype=torch.int32)
    yield "kept-sorted", lambda: kept[kept % 3 == 0].sort()
    following = ints(1 << 22)
    yield "jumping", lambda: jumping(following)
    matrix = floats(1024, 1024)
    yield "powers", lambda: powers(matrix)
    yield "column-softmax", lambda: square.softmax(0)
    dy, mean = floats(8192, 4096), rows.mean(1, keepdim=True)
    scale = (rows.var(1, keepdim=True) + 1e-5).rsqrt()
    yield "layernorm-back", lambda: layernorm_back(rows, dy, mean, scale)
    images, filters = floats(32, 32, 16388), floats(32, 32, 5)
    yield "conv1d", lambda: nn.conv1d(images, filters)
    short = floats(1 << 20, 32)
    yield "small-norms", lambda: nn.normalize(short)
    short_ints = ints(1 << 20, 32, dtype=torch.int32)
    yield "small-sorts", lambda: short_ints.sort(1)
    centre = floats(4096, 4096)
    yield "double-centre", lambda: centre - centre.mean(1, keepdim=True) - centre.mean(0) + centre.mean()
    yield "entropy", lambda: entropy(weights)
    image = floats(1, 1, 2048, 2056)
    yield "separable-blur", lambda: nn.avg_pool2d(nn.avg_pool2d(image, (1, 9), 1), (9, 1), 1)


def microseconds(program):
    for _ in range(3):
        program()
    times = []
    for _ in range(RUNS):
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        program()
        end.record()
        torch.cuda.synchronize()
        times.append(1000 * begin.elapsed_time(end))
    return sorted(times)[RUNS // 2]


def report(programs):
    """Prints the time of each program."""
    for name, program in programs:
        print(f"{name:16} {microseconds(program):10.1f}", flush=True)


if __name__ == "__main__":
    report(programs())
