#!/usr/bin/env python3
"""Times the programs of `../programs/indices.lift` in PyTorch, as others.py does."""

import torch
from others import floats, report

functional = torch.nn.functional


def pixels(*shape):
    return torch.randint(256, shape, device="cuda", dtype=torch.uint8)


def blended(a, b):
    alpha = a[:, 3:].float() / 255
    return (alpha * a.float() + (1 - alpha) * b.float()).to(torch.uint8)


def equalized(image):
    counts = torch.bincount(image.view(-1), minlength=256)
    return (255 * counts.cumsum(0) // image.numel()).to(torch.uint8)[image.int()]


def programs():
    a, b = floats(2048, 2048), floats(2048, 2048)
    yield "product-by-index", lambda: a @ b
    x = floats(8192, 4096)
    yield "softmax-by-index", lambda: torch.softmax(x, 1)
    q, k, v = floats(4096, 64), floats(4096, 64), floats(4096, 64)
    yield "attention-by-index", lambda: torch.softmax(q @ k.T / 8, 1) @ v
    signal = floats(8192)
    yield "fourier", lambda: torch.fft.fft(signal)
    batch = floats(32, 64, 64, 64)
    yield "batch-norm-channels", lambda: functional.batch_norm(batch, None, None, training=True)
    signals, filters = floats(64, 32, 4096), floats(32, 32, 5)
    yield "signal-channels", lambda: functional.conv1d(signals, filters)
    square = floats(8192, 8192)
    yield "column-squares", lambda: square.square().sum(0)
    scores, labels = floats(65536, 1024), torch.randint(1024, (65536,), device="cuda")
    yield "label-smoothing", lambda: functional.cross_entropy(scores, labels, label_smoothing=0.1)
    over, under = pixels(1 << 24, 4), pixels(1 << 24, 4)
    yield "blend", lambda: blended(over, under)
    flat, table = pixels(1 << 26), pixels(256)
    yield "looked-up", lambda: table[flat.int()]
    image = pixels(4096, 4096)
    yield "equalize-bytes", lambda: equalized(image)


if __name__ == "__main__":
    report(programs())
