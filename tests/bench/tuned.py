"""Default and tuned times of programs, measured alternately: `tests/bench/run tuned [NAME…]`.

For each program `lift tune` searches for some seconds on copies of the programs, so no record is left behind. A program
for which nothing is clearly faster keeps its default. With --large the sizes are those for a GPU, with --within SECONDS
everything is over by then. With --by-hand a last column tells how many times as fast as the default a kernel written by
hand is, where there is one: lift-bench measures both, on its own sizes (LIFT_BENCH names it).
"""

import argparse
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GALLERY, PROGRAMS = "examples/gallery", "tests/bench/programs"

# Program, kernel, sizes on a processor, sizes on a GPU.
ROWS = [
    (f"{GALLERY}/matmul.lift", "multiply", "N=512 K=512 M=512", "N=4096 K=4096 M=4096"),
    (f"{GALLERY}/box.lift", "box9", "N=1024 M=1024", "N=8192 M=8192"),
    (f"{GALLERY}/nbody.lift", "step", "N=2048", "N=65536"),
    (f"{GALLERY}/kmeans.lift", "assign", "N=65536 K=16 D=8", "N=4194304 K=16 D=8"),
    (f"{PROGRAMS}/others.lift", "log-softmax", "N=1024 M=1024", "N=8192 M=4096"),
    (f"{PROGRAMS}/tuned.lift", "spmv-of-any", "N=65536 K=16 M=65536", "N=4194304 K=16 M=4194304"),
    (f"{PROGRAMS}/tuned.lift", "normed", "N=1024 M=1024", "N=16384 M=4096"),
    (f"{PROGRAMS}/tuned.lift", "columns", "N=1024 M=1024", "N=16384 M=4096"),
    (f"{PROGRAMS}/tuned.lift", "peaks", "N=4194304", "N=134217728"),
    (f"{PROGRAMS}/tuned.lift", "remainders", "N=4194304", "N=134217728"),
    (f"{PROGRAMS}/tuned.lift", "large", "N=4194304", "N=134217728"),
]

# The benchmark that compares a kernel with one written by hand.
BY_HAND = {"multiply": "matmul", "box9": "box9", "step": "nbody", "assign": "kmeans"}


def by_hand(arguments):
    """For each benchmark how many times as fast as the default the best kernel written by hand is."""
    mode = "gpu" if arguments.large else "cpu"
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        command = [os.environ["LIFT_BENCH"], mode, *BY_HAND.values(), "--examples", str(ROOT / "examples")]
        ran = subprocess.run([*command, "--json", file.name], capture_output=True, text=True, check=False)
        if ran.returncode != 0:
            print(f"without kernels written by hand: {ran.stderr.strip()}", flush=True)
            return {}
        rows = json.load(open(file.name, encoding="utf-8"))["rows"]
    found = {}
    for row in rows:
        if row["program"].startswith("by hand") and row["ratio"]:
            found[row["benchmark"]] = max(row["ratio"], found.get(row["benchmark"], 0.0))
    return found


def tuned(file, kernel, sizes, seconds, arguments):
    """The first and the last object that `lift tune` prints; an error's text instead."""
    command = [arguments.lift, "tune", file, "--kernel", kernel, "--format", "json", "--device", arguments.device]
    command += ["--budget", str(seconds)]
    command += [f"--size={size}" for size in sizes.split()]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    objects = [json.loads(line) for line in ran.stdout.splitlines()]
    if ran.returncode != 0:
        return objects[-1].get("message", ran.stdout) if objects else ran.stderr
    return objects[0], objects[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="kernels; all unless given")
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--within", type=float, default=float("inf"), metavar="SECONDS", help="of all together")
    parser.add_argument("--by-hand", action="store_true")
    parser.add_argument("--device", default="opencl")
    arguments = parser.parse_args()
    arguments.lift = os.environ["LIFT"]
    end = time.monotonic() + arguments.within
    hand = by_hand(arguments) if arguments.by_hand else {}
    rows = [row for row in ROWS if not arguments.names or row[1] in arguments.names]
    ratios, failed = [], 0
    with tempfile.TemporaryDirectory() as folder:
        for nth, (file, kernel, small, large) in enumerate(rows):
            copy = shutil.copy(ROOT / file, folder)
            # Half of what is left is for inputs and for compiling.
            seconds = min(arguments.seconds, (end - time.monotonic()) / (len(rows) - nth) / 2)
            if seconds <= 0:
                print(f"{kernel:<14} left out, the time is up", flush=True)
                continue
            found = tuned(copy, kernel, large if arguments.large else small, seconds, arguments)
            if isinstance(found, str):
                failed += 1
                print(f"{kernel:<14} failed: {found.strip()}", flush=True)
                continue
            first, last = found
            if not ratios:
                print(f"on {first['device']}", flush=True)
            default, best = last["times"] or [first["default"]] * 2
            ratios.append(default / best)
            choice = last["best"] or "(the default)"
            row = f"{kernel:<14} {default:>12.1f} µs {best:>12.1f} µs {default / best:>6.2f} ×"
            if first["least"]:
                row += f" {100 * first['least'] / best:>4.0f} %"
            if BY_HAND.get(kernel) in hand:
                row += f"  by hand {hand[BY_HAND[kernel]]:.2f} ×"
            print(f"{row}  {last['tries']:>3} tried  {choice}", flush=True)
    if ratios:
        middle = sorted(ratios)[len(ratios) // 2]
        print(f"median {middle:.2f} ×, least {min(ratios):.2f} ×, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    raise SystemExit(main())
