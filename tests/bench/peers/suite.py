#!/usr/bin/env python3
"""Times the programs of `examples/suite` beside those that they were written after, in Futhark.

    suite.py compile FOLDER OUT [--futhark PROGRAM]   # FOLDER is a checkout of diku-dk/futhark-benchmarks
    suite.py measure OUT [--lift PROGRAM] [--device opencl:I] [--only NAME…]

`compile` makes an OpenCL program of each with `futhark opencl`; `measure` may run on another machine, and wants NumPy.
Both sides get numbers of the same kinds and sizes, not the same numbers. Times are medians in microseconds by the clock
of the host around one run and the wait at its end, without transfers. `tests/python/test_suite.py` compares results.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field

SUITE = pathlib.Path(__file__).resolve().parents[3] / "examples/suite"
PATIENCE = 90
RUNS = 9


@dataclass
class Peer:
    """One program. `args` makes Futhark's inputs; `share` is the part of Futhark's time to compare with ours."""

    program: str
    kernel: str
    source: str
    args: callable
    entry: str = "main"
    sizes: dict = field(default_factory=dict)
    share: float = 1.0
    note: str = ""


class Inputs:
    """Makes inputs as NumPy arrays and numbers."""

    def __init__(self):
        import numpy

        self.np = numpy
        self.random = numpy.random.default_rng(1)

    def f32(self, *shape):
        return self.random.random(shape, dtype="float32")

    def f64(self, *shape):
        return self.random.random(shape)

    def ints(self, low, high, *shape, dtype="int32"):
        return self.random.integers(low, high, shape).astype(dtype)

    def scalar(self, dtype, value):
        return self.np.array(value, dtype)

    def i32(self, *values):
        return [self.scalar("int32", v) for v in values]

    def reals(self, *values):
        return [self.scalar("float32", v) for v in values]


def pages(r):
    links = r.ints(0, 1000, 2, 10_000_000)
    links = links[:, r.np.argsort(links[1], kind="stable")]
    return [*links, r.np.bincount(links[0], minlength=1000).astype("int32"), *r.i32(20)]


def option(r):
    real = lambda *rows: r.np.array(rows, "float32")  # noqa: E731
    whole = lambda *rows: r.np.array(rows, "int32")  # noqa: E731
    return [
        *r.i32(2, 1_000_000),
        r.ints(1, 1 << 30, 15, 30),
        real([[1, 0, 0], [0.6, 0.8, 0], [0.5, 0.2, 0.84]]),
        real([[0.2, 0.1, 0.3]] * 5),
        real([[0.01, 0.02, 0.01]] * 5),
        real([3758, 11840, 1200]),
        real([1]),
        real([0.98, 0.96, 0.94, 0.92, 0.9]),
        whole([5, 2, 1, 3, 4], [0, 0, 0, 2, 3], [0, 5, 2, 5, 5]),
        real([2.2, 1.1, 0.7, 0.8, 0.7], [0, 0, 0, 0.66, 0.5], [0, 0.4, 0.5, 0.33, 0.5]),
    ]


PEERS = [
    Peer(
        "backprop",
        "train",
        "rodinia/backprop/backprop.fut",
        lambda r: [*r.i32(1 << 20), r.ints(1, 1 << 30, 30)],
        note="Futhark makes the weights, too",
    ),
    Peer(
        "canny",
        "canny",
        "accelerate/canny/canny.fut",
        lambda r: [*r.reals(50, 100), r.ints(0, 1 << 24, 2048, 2048)],
    ),
    Peer(
        "cfd",
        "cfd",
        "rodinia/cfd/cfd.fut",
        lambda r: [r.f32(200_000) + 1, r.ints(0, 200_000, 4, 200_000), r.f32(3, 4, 200_000)],
        sizes={"T": 2000},
    ),
    Peer(
        "crypt",
        "crypt",
        "jgf/crypt/crypt.fut",
        lambda r: [
            *r.ints(1, 1 << 16, 2, 52, dtype="uint16"),
            r.ints(0, 256, 32_000_000, dtype="uint8"),
        ],
        share=0.5,
        note="half of its time: it also decrypts",
    ),
    Peer(
        "crystal",
        "crystal",
        "accelerate/crystal/crystal.fut",
        lambda r: [r.scalar("int64", 2000), *r.reals(30), r.scalar("int64", 50), *r.reals(1)],
        entry="render_frame",
    ),
    Peer(
        "duplicates",
        "duplicates",
        "pbbs/removeDuplicates/removeDuplicates.fut",
        lambda r: [r.ints(0, 1000, 10_000_000)],
        entry="sort_dedup_int",
        note="by sorting",
    ),
    Peer(
        "fft",
        "highpass",
        "accelerate/fft/fft.fut",
        lambda r: [*r.i32(100), r.ints(0, 256, 1024, 1024, 3, dtype="uint8")],
        entry="highpass_filter",
    ),
    Peer(
        "fluid",
        "fluid",
        "accelerate/fluid/fluid.fut",
        lambda r: [*(r.f32(3, 1999, 1999) - 0.5), *r.i32(1, 40), *r.reals(0.1, 1e-4, 1e-4)],
    ),
    Peer(
        "hashcat",
        "hashcat",
        "accelerate/hashcat/hashcat.fut",
        lambda r: [
            *[r.scalar("uint32", 0)] * 4,
            r.ints(97, 123, 2_000_001, dtype="int8"),
            r.np.arange(2_000_000, dtype="int32"),
        ],
    ),
    Peer(
        "histo",
        "histo",
        "parboil/histo/histo.fut",
        lambda r: [*r.i32(32, 32), r.ints(0, 1000, 4096, 4096)],
    ),
    Peer(
        "kmeans",
        "kmeans",
        "rodinia/kmeans/kmeans.fut",
        lambda r: [*r.i32(0, 5, 50), r.f32(200_000, 34)],
        note="up to 50 steps; each side stops by its own data",
    ),
    Peer(
        "lbm",
        "lbm",
        "parboil/lbm/lbm.fut",
        lambda r: [r.np.concatenate([r.f32(19 * 120 * 120 * 154), r.np.zeros(120 * 120 * 154, "float32")])],
        note="the grid has a margin",
    ),
    Peer(
        "locvolcalib",
        "locvolcalib",
        "finpar/LocVolCalib.fut",
        lambda r: [*r.i32(128, 256, 32, 64), *r.reals(0.03, 5, 0.2, 0.6, 0.5)],
    ),
    Peer(
        "lud",
        "lud",
        "rodinia/lud/lud.fut",
        lambda r: [r.f32(2048, 2048) + 2048 * r.np.eye(2048, dtype="float32")],
    ),
    Peer(
        "mandelbrot",
        "mandelbrot",
        "accelerate/mandelbrot/mandelbrot.fut",
        lambda r: [*r.i32(4000, 4000), *r.reals(-0.75, 0, 3), *r.i32(255), *r.reals(16)],
    ),
    Peer(
        "matching",
        "matching",
        "pbbs/maximalMatching/maximalMatching.fut",
        lambda r: [r.ints(0, 1000, 2_000_000, 2)],
    ),
    Peer(
        "mis",
        "mis",
        "pbbs/maximalIndependentSet/maximalIndependentSet.fut",
        lambda r: [r.np.arange(1000, dtype="int32") * 2000, r.ints(0, 1000, 2_000_000)],
    ),
    Peer(
        "nbody",
        "nbody",
        "accelerate/nbody/nbody.fut",
        lambda r: [*r.i32(1), *r.reals(50, 1), *r.f32(7, 30_000)],
    ),
    Peer(
        "nn",
        "nearest",
        "rodinia/nn/nn.fut",
        lambda r: [*r.i32(100), *r.reals(0.5, 0.5), *r.f32(2, 855_280)],
    ),
    Peer(
        "nw",
        "scores",
        "rodinia/nw/nw.fut",
        lambda r: [*r.i32(10), *r.ints(-10, 10, 2, 1025, 1025)],
    ),
    Peer("optionpricing", "option", "finpar/OptionPricing.fut", option),
    Peer("pagerank", "pagerank", "accelerate/pagerank/pagerank.fut", pages),
    Peer(
        "particlefilter",
        "particlefilter",
        "rodinia/particlefilter/particlefilter.fut",
        lambda r: [r.ints(0, 256, 128, 128, 10), r.scalar("int64", 400_000)],
    ),
    Peer(
        "pathfinder",
        "pathfinder",
        "rodinia/pathfinder/pathfinder.fut",
        lambda r: [r.scalar("int64", 100_000), r.scalar("int64", 100)],
        note="Futhark makes the wall, too",
    ),
    Peer(
        "ranges",
        "ranges",
        "pbbs/rangeQuery2d/naive.fut",
        lambda r: [r.f64(30_000, 2)],
        note="Futhark's numbers are Doubles",
    ),
    Peer(
        "ray",
        "ray",
        "accelerate/ray/trace.fut",
        lambda r: [*r.i32(1600, 1200, 100), *r.reals(50, -100, -700, 1.5707, 0), *r.i32(4), *r.reals(0.5)],
        note="other scenes",
    ),
    Peer("series", "series", "jgf/series/series.fut", lambda r: [r.scalar("int64", 10_000)]),
    Peer(
        "sgemm",
        "sgemm",
        "parboil/sgemm/sgemm.fut",
        lambda r: [*r.f32(3, 2048, 2048), *r.reals(1.5, 0.5)],
    ),
    Peer(
        "smoothlife",
        "smoothlife",
        "accelerate/smoothlife/smoothlife.fut",
        lambda r: r.i32(512),
        sizes={"T": 100},
        note="Futhark makes the world, too",
    ),
    Peer(
        "srad",
        "srad",
        "rodinia/srad/srad.fut",
        lambda r: [*r.i32(100), *r.reals(0.5), r.ints(0, 256, 502, 458, dtype="uint8")],
        entry="srad",
    ),
    Peer(
        "stencil",
        "stencil",
        "parboil/stencil/stencil.fut",
        lambda r: [*r.i32(100, 512), r.f32(512, 64)],
    ),
    Peer(
        "tpacf",
        "tpacf",
        "parboil/tpacf/tpacf.fut",
        lambda r: [*r.f64(2, 2000), *r.f64(2, 50, 2000)],
    ),
    Peer(
        "tunnel",
        "tunnel",
        "accelerate/tunnel/tunnel.fut",
        lambda r: [*r.reals(10), *r.i32(2000, 2000)],
    ),
]


def encoded(value):
    """A value in Futhark's binary format."""
    kind = {"i": "i", "u": "u", "f": "f"}[value.dtype.kind] + str(8 * value.dtype.itemsize)
    shape = b"".join(n.to_bytes(8, "little") for n in value.shape)
    return b"b\x02" + bytes([value.ndim]) + kind.rjust(4).encode() + shape + value.tobytes()


def compile_all(arguments):
    arguments.out.mkdir(parents=True, exist_ok=True)
    for peer in PEERS:
        source = arguments.folder / peer.source
        command = [arguments.futhark, "opencl", str(source), "-o", str(arguments.out / peer.program)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        (arguments.out / f"{peer.program}.c").unlink(missing_ok=True)
        print(f"{peer.program}: {'ok' if done.returncode == 0 else done.stderr.strip()[:300]}", flush=True)


def futhark(peer, arguments, inputs):
    with tempfile.NamedTemporaryFile("r") as times:
        program = [str((arguments.out / peer.program).resolve()), "--device", arguments.futhark_device]
        program += ["-e", peer.entry, "-n", "-b", "-r", str(RUNS), "-t", times.name]
        data = b"".join(encoded(value) for value in peer.args(inputs))
        done = subprocess.run(program, input=data, capture_output=True, timeout=PATIENCE, check=False)
        if done.returncode != 0:
            return None, done.stderr.decode(errors="replace").strip()[-200:]
        return statistics.median(map(int, times.read().split())), ""


def lift(peer, arguments):
    with tempfile.TemporaryDirectory() as folder:
        results = pathlib.Path(folder) / "results.json"
        command = [arguments.lift, "bench", str(SUITE / f"{peer.program}.lift"), "--kernel", peer.kernel]
        command += ["--device", arguments.device, "--untuned", "--runs", str(RUNS), "--json", str(results)]
        command += [part for name, n in peer.sizes.items() for part in ("--size", f"{name}={n}")]
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
        if done.returncode != 0:
            return None, {}, (done.stderr or done.stdout).strip()[-300:]
        bench = json.loads(results.read_text())["benchmarks"][0]
        return bench["median"], bench["sizes"], ""


def measure(arguments):
    inputs = Inputs()
    ratios = []
    print("| program | sizes | Lift µs | Futhark µs | ratio | |\n|---|---|---:|---:|---:|---|")
    for peer in PEERS:
        if arguments.only and peer.program not in arguments.only:
            continue
        try:
            ours, sizes, why = lift(peer, arguments)
        except subprocess.TimeoutExpired:
            ours, sizes, why = None, {}, "Lift took too long"
        try:
            theirs, reason = futhark(peer, arguments, inputs)
        except (subprocess.TimeoutExpired, OSError) as e:
            theirs, reason = None, f"Futhark: {type(e).__name__}"
        ratio = ours / (theirs * peer.share) if ours and theirs else None
        if ratio:
            ratios.append(ratio)
        shown = " ".join(f"{name}={n}" for name, n in sizes.items())
        cell = lambda x, form: format(x, form) if x else ""  # noqa: E731
        note = "; ".join(" ".join(part.split()) for part in (peer.note, why, reason) if part)
        cells = [peer.program, shown, cell(ours, ".0f"), cell(theirs, ".0f"), cell(ratio, ".2f"), note]
        print(f"| {' | '.join(cells)} |", flush=True)
    if ratios:
        print(f"\n{len(ratios)} programs, median {statistics.median(ratios):.2f}, worst {max(ratios):.2f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True)
    one = commands.add_parser("compile")
    one.add_argument("folder", type=pathlib.Path)
    one.add_argument("out", type=pathlib.Path)
    one.add_argument("--futhark", default="futhark")
    one.set_defaults(run=compile_all)
    two = commands.add_parser("measure")
    two.add_argument("out", type=pathlib.Path)
    two.add_argument("--lift", default="lift")
    two.add_argument("--device", default="opencl")
    two.add_argument("--futhark-device", default="", help="part of the device's name; the first device by default")
    two.add_argument("--only", nargs="*")
    two.set_defaults(run=measure)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    sys.exit(main())
