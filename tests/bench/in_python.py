"""Programs of the gallery as functions of Python, beside NumPy, Numba and JAX, on this processor.

    tests/bench/run python [NAME…] [--small] [--runs N] [--blocks N] [--processor]

All take arrays of NumPy and give them; a time is the least of the runs after two that warm up, because other work on
the machine only adds to it, by the clock of the host; with `--processor` of all processors together. The ways take
turns in random order. `module` is `lift.load(…)`, `emitted` what `lift build --emit python` writes, `Dask` the module
on blocks, four unless told, by Dask's threads, `Dask, kept` the same where the result stays in blocks, `2 devices` the
module on `opencl:0,1` where there are two. JAX's inputs and results stay arrays of JAX. Numba is compiled with
`parallel=True`. Each result is compared with NumPy's.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import random
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import lift
import lift.compiler
import numpy as np

GALLERY = Path(__file__).resolve().parents[2] / "examples/gallery"
WARM = 2


def floats(*shape: int) -> np.ndarray:
    return np.random.default_rng(7).random(shape, np.float32)


def ints(most: int, *shape: int) -> np.ndarray:
    return np.random.default_rng(7).integers(0, most, shape, np.int32)


@dataclass(frozen=True)
class Program:
    """A kernel of the gallery: its inputs at a size, and the same in NumPy, in plain loops, and for JAX."""

    file: str
    kernel: str
    sizes: tuple[int, int]  # small, usual
    inputs: Callable[[int], list[Any]]
    numpy: Callable[..., Any]
    #: A function for Numba, by its name in `loops`.
    loop: str
    #: In terms of `jax.numpy`; without one as in NumPy, without `jit` where a length depends on the data.
    jax: Callable[..., Any] | None = None
    jit: bool = True
    given: Callable[[int], dict[str, int]] = field(default=lambda n: {})


def jacobi(np: Any, grid: Any) -> Any:
    g = np.pad(grid, 1, mode="edge")
    return np.float32(0.2) * (g[1:-1, 1:-1] + g[:-2, 1:-1] + g[1:-1, :-2] + g[1:-1, 2:] + g[2:, 1:-1])


def assign(np: Any, points: Any, centroids: Any) -> Any:
    squares = ((points[:, None, :] - centroids[None, :, :]) ** 2).sum(axis=2)
    return squares.argmin(axis=1).astype(np.int32)


PROGRAMS = [
    Program("scale", "scale", (1 << 12, 1 << 24), lambda n: [floats(n)], lambda np, x: x * np.float32(2), "scale"),
    Program("sum", "sum-of", (1 << 14, 1 << 24), lambda n: [floats(n)], lambda np, x: x.sum(), "total"),
    Program(
        "dot",
        "scalar-product",
        (1 << 14, 1 << 24),
        lambda n: [floats(n), floats(n)],
        lambda np, x, y: x @ y,
        "dot",
    ),
    Program(
        "scan",
        "running-sums",
        (1 << 14, 1 << 24),
        lambda n: [ints(100, n)],
        lambda np, x: np.cumsum(x, dtype=np.int32),
        "scan",
    ),
    Program(
        "filter",
        "keep",
        (1 << 14, 1 << 24),
        lambda n: [floats(n)],
        lambda np, x: x[x > np.float32(0.5)],
        "keep",
        jit=False,
    ),
    Program(
        "histogram",
        "histogram",
        (1 << 10, 1 << 18),
        lambda n: [ints(256, n)],
        lambda np, x: np.bincount(x, minlength=256).astype(np.int32),
        "histogram",
        jax=lambda jnp, x: jnp.bincount(x, length=256),
        given=lambda n: {"B": 256},
    ),
    Program("reverse", "backwards", (1 << 12, 1 << 24), lambda n: [floats(n)], lambda np, x: x[::-1].copy(), "reverse"),
    Program(
        "transpose",
        "exchange",
        (128, 2048),
        lambda n: [floats(n, n)],
        lambda np, a: np.ascontiguousarray(a.T),
        "transpose",
        jax=lambda jnp, a: a.T,
    ),
    Program(
        "gemv",
        "gemv",
        (128, 4096),
        lambda n: [floats(n, n), floats(n), floats(n), np.float32(1.5), np.float32(0.5)],
        lambda np, a, x, y, alpha, beta: alpha * (a @ x) + beta * y,
        "gemv",
    ),
    Program(
        "matmul", "multiply", (128, 1024), lambda n: [floats(n, n), floats(n, n)], lambda np, a, b: a @ b, "matmul"
    ),
    Program("jacobi2d", "jacobi2d", (128, 4096), lambda n: [floats(n, n)], jacobi, "jacobi"),
    Program("kmeans", "assign", (512, 1 << 16), lambda n: [floats(n, 8), floats(16, 8)], assign, "assign"),
]


@functools.cache
def loops() -> dict[str, Callable[..., Any]]:
    """The programs as loops that Numba compiles; empty if Numba is not installed."""
    try:
        from numba import get_num_threads, njit, prange
    except ImportError:
        return {}
    parallel = njit(parallel=True, fastmath=True)

    def scale(x):
        y = np.empty_like(x)
        for i in prange(len(x)):
            y[i] = x[i] * np.float32(2)
        return y

    def total(x):
        s = np.float32(0)
        for i in prange(len(x)):
            s += x[i]
        return s

    def dot(x, y):
        s = np.float32(0)
        for i in prange(len(x)):
            s += x[i] * y[i]
        return s

    def scan(x):
        chunks = get_num_threads()
        y = np.empty_like(x)
        sums = np.zeros(chunks + 1, np.int32)
        for c in prange(chunks):
            s = np.int32(0)
            for i in range(len(x) * c // chunks, len(x) * (c + 1) // chunks):
                s += x[i]
                y[i] = s
            sums[c + 1] = s
        sums = np.cumsum(sums)
        for c in prange(1, chunks):
            for i in range(len(x) * c // chunks, len(x) * (c + 1) // chunks):
                y[i] += sums[c]
        return y

    def keep(x):
        chunks = get_num_threads()
        counts = np.zeros(chunks + 1, np.int64)
        for c in prange(chunks):
            for i in range(len(x) * c // chunks, len(x) * (c + 1) // chunks):
                counts[c + 1] += x[i] > np.float32(0.5)
        starts = np.cumsum(counts)
        y = np.empty(starts[-1], x.dtype)
        for c in prange(chunks):
            to = starts[c]
            for i in range(len(x) * c // chunks, len(x) * (c + 1) // chunks):
                if x[i] > np.float32(0.5):
                    y[to] = x[i]
                    to += 1
        return y

    def histogram(x):
        chunks = get_num_threads()
        counts = np.zeros((chunks, 256), np.int32)
        for c in prange(chunks):
            for i in range(len(x) * c // chunks, len(x) * (c + 1) // chunks):
                counts[c, x[i]] += 1
        return counts.sum(axis=0).astype(np.int32)

    def reverse(x):
        y = np.empty_like(x)
        for i in prange(len(x)):
            y[i] = x[len(x) - 1 - i]
        return y

    def transpose(a):
        n, m = a.shape
        b = np.empty((m, n), a.dtype)
        for tile in prange((m + 31) // 32):
            for i0 in range(0, n, 32):
                for j in range(tile * 32, min(tile * 32 + 32, m)):
                    for i in range(i0, min(i0 + 32, n)):
                        b[j, i] = a[i, j]
        return b

    def gemv(a, x, y, alpha, beta):
        z = np.empty_like(y)
        for i in prange(len(y)):
            s = np.float32(0)
            for j in range(len(x)):
                s += a[i, j] * x[j]
            z[i] = alpha * s + beta * y[i]
        return z

    def matmul(a, b):
        c = np.zeros((a.shape[0], b.shape[1]), a.dtype)
        for i in prange(a.shape[0]):
            for k in range(a.shape[1]):
                for j in range(b.shape[1]):
                    c[i, j] += a[i, k] * b[k, j]
        return c

    def jacobi(g):
        n, m = g.shape
        r = np.empty_like(g)
        for i in prange(n):
            up, down = max(i - 1, 0), min(i + 1, n - 1)
            for j in range(m):
                left, right = max(j - 1, 0), min(j + 1, m - 1)
                r[i, j] = np.float32(0.2) * (g[i, j] + g[up, j] + g[i, left] + g[i, right] + g[down, j])
        return r

    def assign(points, centroids):
        found = np.empty(len(points), np.int32)
        for i in prange(len(points)):
            least, at = np.float32(3.0e38), 0
            for k in range(len(centroids)):
                d = np.float32(0)
                for j in range(points.shape[1]):
                    d += (points[i, j] - centroids[k, j]) ** 2
                if d < least:
                    least, at = d, k
            found[i] = at
        return found

    made = [scale, total, dot, scan, keep, histogram, reverse, transpose, gemv, matmul, jacobi, assign]
    return {loop.__name__: parallel(loop) for loop in made}


def with_jax(program: Program, inputs: Sequence[Any]) -> Callable[[], Any] | None:
    try:
        import jax
        import jax.numpy as jnp
    except ImportError:
        return None
    jax.config.update("jax_platforms", "cpu")
    function = program.jax or program.numpy
    called = lambda *xs: function(jnp, *xs)  # noqa: E731
    called = jax.jit(called) if program.jit else called
    there = [jnp.asarray(x) for x in inputs]
    return lambda: jax.block_until_ready(called(*there))


def emitted(program: Program, folder: Path) -> Any:
    lift.compiler.run("build", str(GALLERY / f"{program.file}.lift"), "--emit", "python", "-o", str(folder))
    return getattr(importlib.import_module(program.file), program.kernel.replace("-", "_"))


def on_dask(
    kernel: Any, inputs: Sequence[Any], given: dict[str, int], blocks: int
) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """Two calls: one gathers the result in one array, one leaves it in blocks."""
    import dask
    import dask.array as da

    n = len(inputs[0])
    spread = [
        da.from_array(x, chunks=(-(-n // blocks), *x.shape[1:]), name=False)
        if isinstance(x, np.ndarray) and x.ndim and len(x) == n
        else x
        for x in inputs
    ]
    joined = lambda: dask.compute(kernel(*spread, **given), scheduler="threads")[0]  # noqa: E731
    return joined, lambda: dask.persist(kernel(*spread, **given), scheduler="threads")[0]


def least(calls: dict[str, Callable[[], Any]], runs: int, clock: Callable[[], float]) -> dict[str, float]:
    """The shortest time of each call in milliseconds, by name."""
    times: dict[str, list[float]] = {name: [] for name in calls}
    for turn in range(WARM + runs):
        # Random order, because one library's threads may still spin when the next call begins.
        for name, call in random.Random(turn).sample(list(calls.items()), len(calls)):
            started = clock()
            call()
            if turn >= WARM:
                times[name].append(clock() - started)
    return {name: min(found) * 1e3 for name, found in times.items()}


def ways(program: Program, n: int, folder: Path, blocks: int) -> dict[str, Callable[[], Any] | None]:
    """The program in each library, ready to be called."""
    inputs, given = program.inputs(n), program.given(n)
    kernel = lift.load(GALLERY / f"{program.file}.lift")[program.kernel]
    loop = loops().get(program.loop)
    alone = emitted(program, folder)
    joined, kept = on_dask(kernel, inputs, given, blocks)
    found: dict[str, Callable[[], Any] | None] = {
        "NumPy": lambda: program.numpy(np, *inputs),
        "Numba": (lambda: loop(*inputs)) if loop else None,
        "JAX": with_jax(program, inputs),
        "emitted": lambda: alone(*inputs, **given),
        "module": lambda: kernel(*inputs, **given),
        "Dask": joined,
        "Dask, kept": kept,
    }
    if len(lift.devices()) > 1:
        several = kernel.on("opencl:0,1")
        found["2 devices"] = lambda: several(*inputs, **given)
    return found


def shown(milliseconds: float | None) -> str:
    if milliseconds is None:
        return "–"
    return f"{milliseconds:.0f}" if milliseconds >= 10 else f"{milliseconds:.2f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="files of examples/gallery; all that there are here")
    parser.add_argument("--small", action="store_true", help="sizes for a first look")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--blocks", type=int, default=4, help="of an array of Dask")
    parser.add_argument("--processor", action="store_true", help="milliseconds of processors")
    options = parser.parse_args()
    clock = time.process_time if options.processor else time.perf_counter
    known = [program.file for program in PROGRAMS]
    if unknown := [name for name in options.names if name not in known]:
        parser.error(f"there is no {unknown[0]}; there are {', '.join(known)}")
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        sys.path.insert(0, folder)
        heads: list[str] = []
        for program in PROGRAMS:
            if options.names and program.file not in options.names:
                continue
            n = program.sizes[0 if options.small else 1]
            found = ways(program, n, Path(folder), options.blocks)
            calls = {way: call for way, call in found.items() if call}
            expected = calls["NumPy"]()
            for way, call in calls.items():
                if not np.allclose(np.asarray(call()), expected, rtol=1e-3, atol=1e-3):
                    print(f"{program.file}: {way} differs from NumPy", file=sys.stderr)
                    wrong += 1
            times = least(calls, options.runs, clock)
            if not heads:
                heads = list(found)
                print(f"| program | n | {' | '.join(heads)} |\n|---|---:|{'---:|' * len(heads)}")
            print(f"| {program.file} | {n} | {' | '.join(shown(times.get(way)) for way in heads)} |", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main())
