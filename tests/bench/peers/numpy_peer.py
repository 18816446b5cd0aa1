#!/usr/bin/env python3
"""The benchmarks in NumPy, where NumPy has them as a few calls over whole arrays. Speaks as peer.h tells."""

import argparse
import struct
import sys
import time

import numpy as np

TYPES = {b" f32": np.float32, b" i32": np.int32}


def histogram(xs):
    return [np.bincount(xs, minlength=256).astype(np.int32)]


def softmax(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def layernorm(x, gains, biases):
    centred = x - x.mean(axis=1, keepdims=True)
    variances = (centred * centred).mean(axis=1, keepdims=True)
    return centred / np.sqrt(variances + np.float32(1e-5)) * gains + biases


def convolution(image, weights):
    windows = np.lib.stride_tricks.sliding_window_view(image, (3, 3), axis=(1, 2))
    return np.tensordot(weights, windows, axes=((1, 2, 3), (0, 3, 4)))


def shortest_paths(distances):
    for k in range(len(distances)):
        distances = np.minimum(distances, distances[:, k : k + 1] + distances[k])
    return distances


ENTRIES = {
    "b_scale": lambda x: [x * np.float32(2)],
    "b_reverse": lambda x: [x[::-1].copy()],
    "b_sum": lambda x: [x.sum()],
    "b_dot": lambda x, y: [np.dot(x, y)],
    "b_scan": lambda x: [np.cumsum(x, dtype=np.int32)],
    "b_filter": lambda x: [x[x > np.float32(0.5)]],
    "b_filter_map": lambda x: [x[x > np.float32(0.5)] * np.float32(2)],
    "b_histogram": histogram,
    "b_transpose": lambda a: [np.ascontiguousarray(a.T)],
    "b_gemv": lambda a, x, y, alpha, beta: [alpha * (a @ x) + beta * y],
    "b_matmul": lambda a, b: [a @ b],
    "b_nested_softmax": lambda x: [softmax(x)],
    "b_nested_layernorm": lambda x, g, b: [layernorm(x, g, b)],
    "b_nested_attention": lambda q, k, v: [softmax(q @ k.T / np.float32(q.shape[1] ** 0.5)) @ v],
    "b_nested_column_sums": lambda x: [x.sum(axis=0)],
    "b_nested_row_scans": lambda x: [x.cumsum(axis=1)],
    "b_nested_row_argmax": lambda x: [x.argmax(axis=1).astype(np.int32)],
    "b_nested_batched_product": lambda a, b: [a @ b],
    "b_nested_convolution": lambda image, weights: [convolution(image, weights)],
    "b_nested_row_sorts": lambda x: [np.sort(x, axis=1)],
    "b_nested_unique": lambda x: [np.unique(x)],
    "b_nested_bincount": lambda x, like: [np.bincount(np.abs(x) % len(like), minlength=len(like)).astype(np.int32)],
    "b_nested_shortest_paths": lambda x: [shortest_paths(x)],
    "b_nested_gather": lambda x, at: [x[np.abs(at) % len(x)]],
    "b_nested_mean_and_square": lambda x: [x.mean(), (x * x).mean()],
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
    return [a if a.shape else a[()] for a in arrays]


def write_one(out, value):
    value = np.asarray(value)
    kind = {np.dtype(np.float32): b" f32", np.dtype(np.int32): b" i32"}[value.dtype]
    out.write(b"b\2" + bytes([value.ndim]) + kind + struct.pack(f"<{value.ndim}q", *value.shape) + value.tobytes())


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
    entry = ENTRIES[options.entry]
    inputs = read_all(sys.stdin.buffer.read())
    for _ in range(3):
        result = entry(*inputs)
    with open(options.times, "w") as times:
        for _ in range(options.runs):
            start = time.perf_counter()
            result = entry(*inputs)
            times.write(f"wall {(time.perf_counter() - start) * 1e6}\n")
    for value in result:
        write_one(sys.stdout.buffer, value)
    return 0


if __name__ == "__main__":
    sys.exit(main())
