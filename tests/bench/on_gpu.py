"""Programs of the gallery as functions of Python on a GPU: the module `lift` beside PyTorch, JAX and CuPy.

    tests/bench/run gpu-python [NAME…] [--small] [--runs N] [--device opencl:I]

Two times of each, medians in microseconds by the clock of the host after two runs that warm up: *device*, from arrays
on the device to an array on the device, until the device is idle; and *NumPy*, from arrays of NumPy to an array of
NumPy, so with all transfers. Results are compared with NumPy's. A library that is not installed is left out, with a
line that says so. `--small` has sizes for a processor.
"""

from __future__ import annotations

import argparse
import functools
import importlib
import os
import statistics
import sys
import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

# JAX preallocates most of the memory by default; TF32 has 10 bits of precision, the others 24.
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
os.environ.setdefault("JAX_DEFAULT_MATMUL_PRECISION", "highest")

import lift
import numpy as np
from in_python import GALLERY, PROGRAMS, WARM, Program, shown
from lift_runtime.devices import engine

#: The programs and their sizes on a GPU.
SIZES = {
    "scale": 1 << 26,
    "sum": 1 << 26,
    "scan": 1 << 26,
    "filter": 1 << 26,
    "histogram": 1 << 24,
    "matmul": 4096,
    "jacobi2d": 8192,
    "kmeans": 1 << 20,
}


@dataclass(frozen=True)
class Library:
    """How a library takes arrays to its device, computes, waits, and brings them back."""

    to: Callable[[Any], Any]
    call: Callable[..., Any]
    wait: Callable[[Any], Any]
    back: Callable[[Any], np.ndarray]
    #: From arrays of NumPy to one of NumPy, where the library does the transfers itself.
    whole: Callable[..., Any] | None = None

    def on_device(self, inputs: Sequence[Any]) -> Callable[[], Any]:
        there = [self.to(x) for x in inputs]
        self.wait(there)

        def call() -> Any:
            result = self.call(*there)
            self.wait(result)
            return result

        return call

    def from_numpy(self, inputs: Sequence[Any]) -> Callable[[], Any]:
        if self.whole is not None:
            return functools.partial(self.whole, *inputs)
        return lambda: self.back(self.call(*[self.to(x) for x in inputs]))


def in_torch(torch: Any) -> dict[str, Callable[..., Any]]:
    """The programs by PyTorch's own functions."""
    nn = torch.nn.functional

    def jacobi(grid: Any) -> Any:
        g = nn.pad(grid[None, None], (1, 1, 1, 1), mode="replicate")[0, 0]
        return 0.2 * (g[1:-1, 1:-1] + g[:-2, 1:-1] + g[1:-1, :-2] + g[1:-1, 2:] + g[2:, 1:-1])

    def assign(points: Any, centroids: Any) -> Any:
        return ((points[:, None, :] - centroids[None, :, :]) ** 2).sum(2).argmin(1).int()

    return {
        "scale": lambda x: x * 2,
        "sum": torch.sum,
        "scan": lambda x: x.cumsum(0, dtype=torch.int32),
        "filter": lambda x: x[x > 0.5],
        "histogram": lambda x: torch.bincount(x, minlength=256).int(),
        "matmul": torch.matmul,
        "jacobi2d": jacobi,
        "kmeans": assign,
    }


def with_torch(program: Program) -> Library:
    torch = importlib.import_module("torch")
    gpu = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    wait = torch.cuda.synchronize if gpu.type == "cuda" else lambda: None
    return Library(
        lambda x: torch.from_numpy(x).to(gpu),
        in_torch(torch)[program.file],
        lambda _: wait(),
        lambda y: y.cpu().numpy(),
    )


def with_jax(program: Program) -> Library:
    jax = importlib.import_module("jax")
    function = functools.partial(program.jax or program.numpy, jax.numpy)
    return Library(jax.numpy.asarray, jax.jit(function) if program.jit else function, jax.block_until_ready, np.asarray)


def with_cupy(program: Program) -> Library:
    cupy = importlib.import_module("cupy")
    device = cupy.cuda.Device()
    return Library(cupy.asarray, functools.partial(program.numpy, cupy), lambda _: device.synchronize(), cupy.asnumpy)


def with_lift(program: Program, choice: str | None, given: dict[str, int]) -> Library:
    """The module: arrays of pyopencl stay on the device, arrays of NumPy are given as they are."""
    cl, array = importlib.import_module("pyopencl"), importlib.import_module("pyopencl.array")
    where, _ = engine(choice)
    queue = cl.CommandQueue(where.context, where.device)
    kernel = functools.partial(lift.load(GALLERY / f"{program.file}.lift")[program.kernel].on(choice), **given)
    return Library(
        lambda x: array.to_device(queue, x),
        functools.partial(kernel, out="device"),
        lambda arrays: [a.finish() for a in (arrays if isinstance(arrays, list) else [arrays])],
        lambda y: y,
        kernel,
    )


def host(value: Any) -> np.ndarray:
    """A result of any library as an array of NumPy."""
    for name in ("get", "cpu"):
        if hasattr(value, name):
            value = getattr(value, name)()
    return np.asarray(value)


def median(call: Callable[[], Any], runs: int) -> tuple[float, Any]:
    """Microseconds of a call, and its last result."""
    times, result = [], None
    for _ in range(WARM + runs):
        result = None  # Its memory is used again.
        started = time.perf_counter()
        result = call()
        times.append(time.perf_counter() - started)
    return statistics.median(times[WARM:]) * 1e6, result


LIBRARIES = {"PyTorch": ("torch", with_torch), "JAX": ("jax", with_jax), "CuPy": ("cupy", with_cupy)}


def installed() -> dict[str, Callable[..., Library]]:
    found = {}
    for name, (package, made) in LIBRARIES.items():
        try:
            importlib.import_module(package)
            found[name] = made
        except ImportError as problem:
            print(f"without {name}: {problem}", file=sys.stderr)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(SIZES)}; all")
    parser.add_argument("--small", action="store_true", help="sizes for a processor")
    parser.add_argument("--runs", type=int, default=15)
    parser.add_argument("--device", help="as `lift run --device`; the first GPU")
    options = parser.parse_args()
    if unknown := [name for name in options.names if name not in SIZES]:
        parser.error(f"there is no {unknown[0]}; there are {', '.join(SIZES)}")
    libraries = installed()
    heads = ["Lift", *libraries]
    print(f"| program | n | {' | '.join(f'{h} device | {h} NumPy' for h in heads)} |")
    print(f"|---|---:|{'---:|' * (2 * len(heads))}")
    wrong = 0
    for program in PROGRAMS:
        if program.file not in SIZES or (options.names and program.file not in options.names):
            continue
        n = program.sizes[0] if options.small else SIZES[program.file]
        inputs, given = program.inputs(n), program.given(n)
        expected = program.numpy(np, *inputs)
        ways = {"Lift": with_lift(program, options.device, given)}
        ways |= {name: made(program) for name, made in libraries.items()}
        row = []
        for name, library in ways.items():
            for where, call in (("device", library.on_device(inputs)), ("NumPy", library.from_numpy(inputs))):
                took, result = median(call, options.runs)
                if not np.allclose(host(result), expected, rtol=1e-3, atol=1e-3):
                    print(f"{program.file}: {name} ({where}) differs from NumPy", file=sys.stderr)
                    wrong += 1
                row.append(shown(took))
                del result
        print(f"| {program.file} | {n} | {' | '.join(row)} |", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    sys.exit(main())
