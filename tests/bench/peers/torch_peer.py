#!/usr/bin/env python3
"""The compositions of rows in PyTorch, eager, on its GPU, or on the processor where there is none.

Speaks as peer.h tells. Each entry is what one writes first with PyTorch's own functions.
"""

import argparse
import struct
import sys
import time

import numpy as np
import torch
import torch.nn.functional as nn

TYPES = {b" f32": np.float32, b" i32": np.int32}
NAMES = {np.dtype(np.float32): b" f32", np.dtype(np.int32): b" i32"}
GPU = torch.cuda.is_available()
# Full precision of 24 bits, like ours; the default for convolutions is 10.
torch.backends.cudnn.allow_tf32 = False


def shortest_paths(d):
    d = d.clone()
    for k in range(d.shape[0]):
        torch.minimum(d, d[:, k : k + 1] + d[k : k + 1, :], out=d)
    return d


def cosine(a, b):
    return (a * b).sum(1) / ((a * a).sum(1).sqrt() * (b * b).sum(1).sqrt())


def moving_mean(x):
    return nn.avg_pool1d(x[:, None, :], 5, 1)[:, 0, :]


def convolve(x, w):
    return nn.conv1d(x[None, None, :], w[None, None, :])[0, 0]


def depthwise(image, weights):
    return nn.conv2d(image[None], weights[:, None], groups=image.shape[0])[0]


def run_starts(x):
    new = torch.cat([torch.ones(1, dtype=torch.bool, device=x.device), x[1:] != x[:-1]])
    return new.nonzero()[:, 0].int()


def sobel(image):
    x = torch.tensor([[-1.0, 0, 1], [-2, 0, 2], [-1, 0, 1]], device=image.device)
    padded = nn.pad(image[None, None], (1, 1, 1, 1), mode="replicate")
    return nn.conv2d(padded, torch.stack([x, x.T])[:, None]).square().sum(1).sqrt()[0]


def heat(x):
    x = x[None, None]
    for _ in range(50):
        x = nn.avg_pool2d(nn.pad(x, (1, 1, 1, 1), mode="replicate"), 3, 1)
    return x[0, 0]


def power_method(a, v):
    for _ in range(20):
        w = a @ v
        v = w / w.dot(w).sqrt()
    return v


def polynomial(x, coefficients):
    acc = torch.zeros_like(x)
    for c in coefficients:
        acc = acc * x + c
    return acc


def autocorrelation(x):
    n = x.shape[0] - 256
    return x.unfold(0, n, 1)[:256] @ x[:n]


def shares(x):
    s = x.sum(1, keepdim=True)
    return torch.where(s > 0, x / s, x)


def weighted_counts(keys, weights, like):
    return torch.bincount(keys.abs() % like.shape[0], weights, minlength=like.shape[0]).float()


ENTRIES = {
    "b_nested_softmax": lambda x: nn.softmax(x, 1),
    "b_nested_layernorm": lambda x, g, b: nn.layer_norm(x, (x.shape[1],), g, b, 1e-5),
    "b_nested_attention": lambda q, k, v: torch.softmax(q @ k.T / q.shape[1] ** 0.5, 1) @ v,
    "b_nested_column_sums": lambda x: x.sum(0),
    "b_nested_row_scans": lambda x: x.cumsum(1),
    "b_nested_row_argmax": lambda x: x.argmax(1).int(),
    "b_nested_batched_product": torch.bmm,
    "b_nested_convolution": lambda image, weights: nn.conv2d(image[None], weights)[0],
    "b_nested_row_sorts": lambda x: x.sort(1).values,
    "b_nested_unique": lambda x: torch.unique(x, sorted=True),
    "b_nested_bincount": lambda x, like: torch.bincount(x.abs() % like.shape[0], minlength=like.shape[0]).int(),
    "b_nested_shortest_paths": shortest_paths,
    "b_nested_gather": lambda x, at: x[at.abs() % x.shape[0]],
    "b_nested_mean_and_square": lambda x: [x.mean(), (x * x).mean()],
    "b_rows_log_softmax": lambda x: nn.log_softmax(x, 1),
    "b_rows_rms_norm": lambda x, g: nn.rms_norm(x, (x.shape[1],), g, 1e-5),
    "b_rows_by_greatest": lambda x: x / x.abs().amax(1, keepdim=True),
    "b_rows_cosine": cosine,
    "b_rows_distances": lambda a, b: ((a[:, None, :] - b[None, :, :]) ** 2).sum(2),
    "b_rows_times_vectors": lambda a, x: torch.bmm(a, x[:, :, None])[:, :, 0],
    "b_rows_moving_mean": moving_mean,
    "b_rows_products": lambda x: x.cumprod(1),
    "b_rows_column_softmax": lambda x: nn.softmax(x, 0),
    "b_rows_sum_first": lambda x: x.sum(0),
    "b_rows_sum_middle": lambda x: x.sum(1),
    "b_rows_sum_last": lambda x: x.sum(2),
    "b_rows_variance": lambda x: x.var(1, correction=0),
    "b_rows_masked_mean": lambda x: torch.where(x > 0, x, 0).sum(1) / (x > 0).sum(1),
    "b_rows_outer": lambda a, b: a[:, :, None] * b[:, None, :],
    "b_rows_entropy": lambda x: -(nn.softmax(x, 1) * nn.log_softmax(x, 1)).sum(1),
    "b_rows_ranks": lambda x: x.argsort(1).int(),
    "b_rows_largest": lambda x: x.topk(8, 1).values,
    "b_rows_centre_columns": lambda x: x - x.mean(0, keepdim=True),
    "b_rows_gram": lambda x: x.T @ x,
    "b_firsts_layer": lambda x, w, b: torch.relu(torch.addmm(b, x, w)),
    "b_firsts_two_layers": lambda x, a, b: torch.relu(x @ a) @ b,
    "b_firsts_transposed_product": lambda x, y: x.T @ y,
    "b_firsts_transposed_matrices": lambda a, b: a.T @ b,
    "b_firsts_batch_norm": lambda x: nn.batch_norm(x, None, None, training=True),
    "b_firsts_cross_entropy": lambda x, c: nn.cross_entropy(x, (c.abs() % x.shape[1]).long())[None],
    "b_firsts_nearest_points": lambda q, p: torch.cdist(q, p).square().amin(1),
    "b_firsts_running_greatest": lambda x: x.cummax(0).values,
    "b_firsts_running_mean": lambda x: x.cumsum(0) / torch.arange(1, x.shape[0] + 1, device=x.device),
    "b_firsts_run_starts": run_starts,
    "b_firsts_weighted_counts": weighted_counts,
    "b_firsts_convolve": convolve,
    "b_firsts_depthwise": depthwise,
    "b_firsts_max_pool": lambda x: nn.max_pool2d(x, 2),
    "b_firsts_sobel": sobel,
    "b_firsts_heat": heat,
    "b_firsts_power_method": power_method,
    "b_firsts_logistic": lambda x, y, w: x.T @ (torch.sigmoid(x @ w) - y) / x.shape[0],
    "b_firsts_heads": lambda q, k, v: torch.softmax(q @ k.transpose(1, 2) / q.shape[2] ** 0.5, 2) @ v,
    "b_firsts_polynomial": polynomial,
    "b_firsts_autocorrelation": autocorrelation,
    "b_firsts_standardize": lambda x: (x - x.mean()) / x.std(correction=0),
    "b_firsts_embedding": lambda t, i: nn.embedding((i.abs() % t.shape[0]).long(), t),
    "b_firsts_group_norm": lambda x: nn.group_norm(x, x.shape[1]),
    "b_firsts_column_scans": lambda x: x.cumsum(0),
    "b_firsts_column_sorts": lambda x: x.sort(0).values,
    "b_firsts_integral_image": lambda x: x.cumsum(1).cumsum(0),
    "b_firsts_positive_sums": lambda x: torch.relu(x).sum(1),
    "b_firsts_positive_rows": lambda x: x[x.sum(1) > 0],
    "b_firsts_pair_sums": lambda x, y: x[:, None] + y[None, :],
    "b_firsts_quarter_circle": lambda x: (x * x + x.flip(0).square() < 1).sum().int()[None],
    "b_firsts_matrix_power": lambda a: torch.linalg.matrix_power(a, 32),
    "b_firsts_gelu": lambda x: nn.gelu(x, approximate="tanh"),
    "b_firsts_lower_triangle": torch.tril,
    "b_firsts_accuracy": lambda x, c: (x.argmax(1) == c % x.shape[1]).float().mean()[None],
    "b_firsts_mean_of_positive": lambda x: torch.relu(x).sum(1) / (x > 0).sum(1).clamp(min=1),
    "b_firsts_shares": shares,
    "b_firsts_cosines": lambda a, b: nn.normalize(a, dim=1) @ nn.normalize(b, dim=1).T,
    "b_firsts_correlations": lambda x: torch.corrcoef(x.T),
    "b_rows_above_mean": lambda x: (x > x.mean(1, keepdim=True)).sum(1).int(),
}


def read_all(data):
    arrays, at = [], 0
    while at < len(data):
        rank = data[at + 2]
        kind = TYPES[data[at + 3 : at + 7]]
        at += 7
        shape = struct.unpack_from(f"<{rank}q", data, at)
        at += 8 * rank
        size = int(np.prod(shape, dtype=np.int64))
        arrays.append(np.frombuffer(data, kind, size, at).reshape(shape).copy())
        at += 4 * size
    return [torch.from_numpy(a).cuda() if GPU else torch.from_numpy(a) for a in arrays]


def write_one(out, value):
    value = np.ascontiguousarray(value.cpu().numpy())
    head = b"b\2" + bytes([value.ndim]) + NAMES[value.dtype] + struct.pack(f"<{value.ndim}q", *value.shape)
    out.write(head + value.tobytes())


def measure(entry, inputs, runs, times):
    """Times of single runs by the host's and the device's clock, and per run of many in sequence (`each`)."""
    wait = torch.cuda.synchronize if GPU else lambda: None
    for _ in range(3):
        result = entry(*inputs)
    wait()
    for _ in range(runs):
        start = time.perf_counter()
        if GPU:
            begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
            begin.record()
        result = entry(*inputs)
        if GPU:
            end.record()
        wait()
        times.write(f"wall {(time.perf_counter() - start) * 1e6}\n")
        if GPU:
            times.write(f"device {begin.elapsed_time(end) * 1e3}\n")
    start = time.perf_counter()
    for _ in range(runs):
        result = entry(*inputs)
    wait()
    times.write(f"each {(time.perf_counter() - start) * 1e6 / runs}\n")
    return result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-e", dest="entry", required=True)
    parser.add_argument("-r", dest="runs", type=int, default=1)
    parser.add_argument("-t", dest="times", required=True)
    parser.add_argument("-b", action="store_true")
    options = parser.parse_args()
    if options.entry not in ENTRIES:
        print(f"no entry {options.entry}", file=sys.stderr)
        return 3
    inputs = read_all(sys.stdin.buffer.read())
    with open(options.times, "w") as times:
        result = measure(ENTRIES[options.entry], inputs, options.runs, times)
    for value in result if isinstance(result, list) else [result]:
        write_one(sys.stdout.buffer, value)
    return 0


if __name__ == "__main__":
    sys.exit(main())
