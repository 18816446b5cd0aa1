#!/usr/bin/env python3
"""Times the programs of `../programs/operators.lift` and `../programs/models.lift` in PyTorch, as others.py does."""

import torch
import torch.nn.functional as nn
from others import floats, report


def normed(x, dims):
    return (x - x.mean(dims, keepdim=True)) / (x.var(dims, unbiased=False, keepdim=True) + 1e-5).sqrt()


def operators():
    d, b = floats(4096), floats(4096, 4096)
    yield "diag-product", lambda: d[:, None] * b
    a, b2, bt = floats(4096, 2048), floats(4096, 2048), floats(2048, 4096)
    yield "product-ta", lambda: a.T @ b2
    yield "product-both", lambda: a.T @ bt.T
    deep, deep2 = floats(256, 131072), floats(131072, 256)
    yield "product-deep", lambda: deep @ deep2
    sh, sh2 = floats(8192, 32), floats(32, 8192)
    yield "product-shallow", lambda: sh @ sh2
    sk, sk2 = floats(8192, 16), floats(16, 8192)
    yield "product-skinny", lambda: sk @ sk2
    od, od2 = floats(4105, 2949), floats(2949, 2961)
    yield "product-odd", lambda: od @ od2
    long, vec = floats(64, 1048576), floats(1048576)
    yield "matvec-long", lambda: long @ vec
    m1, m2 = floats(2048, 2048), floats(2048, 2048)
    yield "lower-product", lambda: torch.tril(m1 @ m2)
    x = floats(16, 64, 128, 128)
    yield "batchnorm", lambda: nn.batch_norm(x, None, None, training=True)
    x8 = floats(16, 512, 128, 128)
    yield "groupnorm", lambda: nn.group_norm(x8, 8)
    yield "rms-channels", lambda: x / ((x * x).mean(1, keepdim=True) + 1e-5).sqrt()
    rows = floats(4096, 8192)
    yield "frobenius", lambda: rows / rows.norm()
    yield "l1-rows", lambda: rows / rows.abs().mean(1, keepdim=True)
    p1 = floats(64, 64, 8192)
    yield "maxpool1d", lambda: nn.max_pool1d(p1, 7, 1, 3, 3)
    p2 = floats(8, 64, 256, 256)
    yield "maxpool2d", lambda: nn.max_pool2d(p2, 4, 2)
    p3 = floats(4, 16, 128, 128, 128)
    yield "maxpool3d", lambda: nn.max_pool3d(p3, 2)
    p4 = floats(64, 64, 16384)
    yield "avgpool1d", lambda: nn.avg_pool1d(p4, 8, 1, 4)
    p5 = floats(8, 64, 242, 242)
    yield "avgpool2d", lambda: nn.avg_pool2d(p5, 11)
    p6 = floats(64, 1024, 1024)
    yield "sum-middle", lambda: p6.sum(1)
    yield "argmin-middle", lambda: p6.argmin(1)
    yield "mean-last", lambda: p6.mean(2)
    s1, k1 = floats(16, 64, 32768), floats(64, 64, 3)
    yield "conv1d-dilated", lambda: nn.conv1d(s1, k1, stride=3, dilation=4)
    dw, pw = floats(64, 1, 3, 3), floats(128, 64, 1, 1)
    yield "depthwise", lambda: nn.conv2d(x, dw, groups=64)
    yield "separable", lambda: nn.conv2d(nn.conv2d(x, dw, groups=64), pw)
    v, k3 = floats(8, 3, 64, 64, 64), floats(64, 3, 3, 3, 3)
    yield "conv3d", lambda: nn.conv3d(v, k3)
    t1, kt = floats(8, 64, 16384), floats(64, 64, 4)
    yield "conv1d-transposed", lambda: nn.conv_transpose1d(t1, kt, stride=2)
    t2, kt2 = floats(8, 32, 64, 64), floats(32, 32, 3, 3)
    yield "conv2d-transposed", lambda: nn.conv_transpose2d(t2, kt2)
    yield "cumprod", lambda: rows.cumprod(1)
    yield "cumsum-reverse", lambda: rows.flip(1).cumsum(1).flip(1)
    yield "cumsum-exclusive", lambda: nn.pad(rows.cumsum(1)[:, :-1], (1, 0))
    mask = rows > 0.5
    yield "cumsum-masked", lambda: (rows * mask).cumsum(1)
    other = floats(4096, 8192)
    yield "mse", lambda: nn.mse_loss(rows, other)
    yield "huber", lambda: nn.smooth_l1_loss(rows, other)
    e1, e2, e3 = floats(32768, 1024), floats(32768, 1024), floats(32768, 1024)
    labels = torch.randint(0, 1024, (32768,), device=e1.device)
    yield "cross-entropy", lambda: nn.cross_entropy(e1, labels)
    yield "cosine-loss", lambda: (1 - nn.cosine_similarity(e1, e2)).mean()
    yield "triplet", lambda: nn.triplet_margin_loss(e1, e2, e3)
    yield "kl-div", lambda: nn.kl_div(e1.log(), e2, reduction="batchmean")


def models():
    x, w, b = floats(1024, 4096), floats(4096, 4096), floats(4096)
    yield "gemm-sigmoid-sum", lambda: nn.linear(x, w, b).sigmoid().sum(1)
    yield "gemm-logsumexp", lambda: nn.gelu(nn.gelu(nn.linear(x, w, b).logsumexp(1)))
    yield "gemm-groupnorm", lambda: nn.hardtanh(nn.group_norm(nn.linear(x, w, b), 64), -2, 2)
    x2, w2, b2 = floats(4096, 2048), floats(2048, 2048), floats(2048)
    yield "gemm-batchnorm", lambda: nn.gelu(nn.batch_norm(nn.linear(x2, w2, b2), None, None, training=True)).relu()
    yield "gemm-pool-sum", lambda: 0.5 * nn.max_pool1d(nn.linear(x, w, b)[:, None], 2).sum((1, 2))
    yield "gemm-gelu-softmax", lambda: nn.gelu(nn.linear(x, w, b)).softmax(1)
    yield "gemm-avgpool-max", lambda: (2 * nn.gelu(nn.avg_pool1d(nn.linear(x, w, b)[:, None], 16))).amax((1, 2))
    s = floats(4096)
    yield "gemm-mean-residual", lambda: x + nn.gelu((nn.linear(x, w, b) - s).mean(1, keepdim=True))
    p, q, y = floats(64, 512, 512), floats(64, 512, 512), floats(64, 512, 512)
    yield "bmm-instancenorm", lambda: (normed(p @ q, (1, 2)) + y) * y
    c, k, cb = floats(16, 16, 128, 128), floats(64, 16, 3, 3), floats(64)
    c2 = floats(16, 16, 130, 130)
    yield "conv-min-tanh", lambda: nn.conv2d(c, k, cb).amin(1).tanh().tanh()
    yield "conv-gelu-mean", lambda: nn.gelu(nn.conv2d(c, k, cb)).mean((2, 3))
    yield "conv-pool-sum", lambda: nn.avg_pool2d(nn.conv2d(c2, k, cb), 2).sigmoid().sum((1, 2, 3))
    yield "conv-hardswish-pool-mish", lambda: nn.mish(nn.max_pool2d(nn.hardswish(nn.conv2d(c2, k, cb) - 0.5), 2))

    def groups_tanh():
        t = nn.conv2d(c, k, cb)
        return (t + nn.group_norm(t, 8).tanh()).logsumexp(1)

    yield "conv-groupnorm-tanh", groups_tanh
    yield "conv-activation-batchnorm", lambda: nn.batch_norm(nn.mish(nn.conv2d(c, k)), None, None, training=True)
    v, k3, b3 = floats(4, 3, 32, 64, 64), floats(16, 3, 3, 3, 3), floats(16)
    yield "conv3d-min-softmax", lambda: nn.conv3d(v, k3, b3).amin(2).softmax(1)


def programs():
    yield from operators()
    yield from models()


if __name__ == "__main__":
    report(programs())
