#!/usr/bin/env python3
"""Times the programs of `../programs/kinds.lift` in PyTorch, as others.py does."""

import torch
import torch.nn.functional as nn
from others import floats, report


def bytes_of(*shape):
    return torch.randint(0, 256, shape, device="cuda", dtype=torch.uint8)


def programs():
    h = floats(8192, 4096).half()
    yield "half-softmax", lambda: h.softmax(1)
    yield "half-layernorm", lambda: nn.layer_norm(h, (4096,))
    a, b = floats(2048, 2048).half(), floats(2048, 2048).half()
    yield "half-matmul", lambda: a @ b
    long = floats(33554432).half()
    yield "half-add", lambda: long + long
    d, e = floats(2048, 2048).double(), floats(2048, 2048).double()
    yield "double-matmul", lambda: d @ e
    m = floats(4096, 4096).double()
    yield "double-softmax", lambda: m.softmax(1)
    p, q = bytes_of(2048, 2048).to(torch.int8), bytes_of(2048, 2048).to(torch.int8)
    yield "byte-matmul", lambda: torch._int_mm(p, q.T)
    rgb = bytes_of(4096, 4096, 3)
    weights = torch.tensor([77, 150, 29], device="cuda", dtype=torch.int32)
    yield "gray", lambda: ((rgb.int() * weights).sum(2) // 256).byte()
    image = bytes_of(4096, 4096)

    def padded():
        return nn.pad(image[None, None].float(), (1, 1, 1, 1), mode="replicate")

    yield "byte-blur", lambda: nn.avg_pool2d(padded(), 3, 1).byte()
    yield "byte-median", lambda: nn.unfold(padded(), 3)[0].median(0).values.byte()
    yield "byte-histogram", lambda: torch.bincount(image.flatten(), minlength=256)

    def equalized():
        c = torch.bincount(image.flatten(), minlength=256).cumsum(0)
        return (255 * c // image.numel()).byte()[image.long()]

    yield "byte-equalize", equalized
    text = bytes_of(67108864)
    yield "byte-sum", lambda: text.sum(dtype=torch.int32)
    yield "byte-count", lambda: (text == 32).sum()
    yield "byte-upper", lambda: torch.where((text >= 97) & (text <= 122), text - 32, text)
    yield "byte-keep", lambda: text[text != 32]
    half = text[:33554432]
    digits = torch.tensor(list(b"0123456789abcdef"), device="cuda", dtype=torch.uint8)
    yield "hex", lambda: digits[torch.stack((half >> 4, half & 15), 1).long()].flatten()
    letters = torch.arange(64, device="cuda", dtype=torch.uint8)
    threes = bytes_of(16777216, 3)

    def base64():
        t = threes.int()
        v = t[:, 0] << 16 | t[:, 1] << 8 | t[:, 2]
        return letters[torch.stack([(v >> s) & 63 for s in (18, 12, 6, 0)], 1).long()].flatten()

    yield "base64", base64
    audio = torch.randint(-32768, 32767, (65536, 512), device="cuda", dtype=torch.int16)
    yield "short-peaks", lambda: audio.amax(1)
    longs = torch.randint(0, 1 << 40, (33554432,), device="cuda")
    yield "long-sum", lambda: longs.sum()
    flags = bytes_of(8192, 8192) > 128
    yield "bool-any", lambda: flags.any(1)
    yield "bool-columns", lambda: flags.sum(0)
    square = bytes_of(8192, 8192)
    yield "byte-transpose", lambda: square.T.contiguous()
    yield "line-starts", lambda: (text == 10).nonzero()
    small = bytes_of(4194304, 32).to(torch.int8)
    yield "dequantize", lambda: small.float() * 0.0125
    rows = floats(262144, 128)

    def quantized():
        s = rows.abs().amax(1, keepdim=True) / 127
        return (rows / s).round().to(torch.int8)

    yield "quantize", quantized
    w, scales, x = bytes_of(8192, 128, 64).to(torch.int8), floats(8192, 128), floats(128, 64)
    yield "byte-gemv", lambda: ((w.float() * x).sum(2) * scales).sum(1)


if __name__ == "__main__":
    report(programs())
