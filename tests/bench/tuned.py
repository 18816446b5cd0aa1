"""Default and tuned times of programs beside kernels written by hand: `tests/bench/run tuned [NAME…]`.

For each program `lift tune` searches for some seconds, on a copy, so no record is left behind. It measures the default
and the best alternately. A program for which nothing is clearly faster keeps its default. With --by-hand, `lift-bench`
(LIFT_BENCH names it) measures a kernel written by hand, beside the default, at the same sizes.

With --large the sizes are those for a GPU. With --within SECONDS everything ends by then: a search that is cut off
counts with the best that it has kept, and a program that was not measured has a row that says so. Each row is printed,
and with --json written, when it is measured.
"""

import argparse
import dataclasses
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GALLERY, PROGRAMS = "examples/gallery", "tests/bench/programs"
#: Maximum seconds to read the output of a killed process.
KILLED = 5.0


@dataclasses.dataclass(frozen=True)
class Program:
    file: str
    kernel: str
    #: The benchmark of `lift-bench` with the kernel written by hand.
    benchmark: str
    #: On a processor, and on a GPU: those of the benchmark.
    small: str
    large: str


ALL = [
    Program(f"{GALLERY}/matmul.lift", "multiply", "matmul", "N=1024 K=1024 M=1024", "N=4096 K=4096 M=4096"),
    Program(f"{GALLERY}/box.lift", "box9", "box9", "N=4096 M=4096", "N=4096 M=4096"),
    Program(f"{GALLERY}/nbody.lift", "step", "nbody", "N=4096", "N=65536"),
    Program(f"{GALLERY}/kmeans.lift", "assign", "kmeans-assign", "N=65536 K=16 D=8", "N=1048576 K=16 D=8"),
    Program(f"{PROGRAMS}/others.lift", "log-softmax", "tuned-log-softmax", "N=1024 M=1024", "N=8192 M=4096"),
    Program(
        f"{PROGRAMS}/tuned.lift",
        "spmv-of-any",
        "tuned-spmv-of-any",
        "N=65536 K=16 M=65536",
        "N=1048576 K=16 M=1048576",
    ),
    Program(f"{PROGRAMS}/tuned.lift", "normed", "tuned-normed", "N=1024 M=1024", "N=16384 M=4096"),
    Program(f"{PROGRAMS}/tuned.lift", "columns", "tuned-columns", "N=1024 M=1024", "N=16384 M=4096"),
    Program(f"{PROGRAMS}/tuned.lift", "peaks", "tuned-peaks", "N=4194304", "N=67108864"),
    Program(f"{PROGRAMS}/tuned.lift", "remainders", "tuned-remainders", "N=4194304", "N=67108864"),
    Program(f"{PROGRAMS}/tuned.lift", "large", "tuned-large", "N=4194304", "N=67108864"),
]


@dataclasses.dataclass
class Row:
    """What is known of a program, in microseconds."""

    kernel: str
    sizes: str
    default: float | None = None
    tuned: float | None = None
    #: Lower bound of the time on the device.
    least: float | None = None
    tries: int = 0
    choice: str = ""
    #: Times of a hand-written kernel, and of the default measured in the same run.
    hand: float | None = None
    beside: float | None = None
    #: Errors.
    problems: list[str] = dataclasses.field(default_factory=list)

    @property
    def gain(self) -> float | None:
        return self.default / self.tuned if self.default and self.tuned else None

    def shown(self) -> str:
        def number(value: float | None, form: str = ".0f") -> str:
            return format(value, form) if value is not None else ""

        share = f"{100 * self.least / self.tuned:.0f} %" if self.least and self.tuned else ""
        beside = f"{self.beside / self.hand:.2f} ×" if self.beside and self.hand else "none"
        found = self.choice or ("(the default)" if self.tuned else "")
        what = "; ".join(part for part in (found, *self.problems) if part)
        gain = f"{number(self.gain, '.2f')} ×" if self.gain else ""
        cells = [self.kernel, self.sizes, number(self.default, ".1f"), number(self.tuned, ".1f"), gain, share]
        return f"| {' | '.join([*cells, number(self.hand, '.1f'), beside, str(self.tries), what])} |"


HEAD = (
    "| program | sizes | default µs | tuned µs | default by tuned | of the roofline | by hand µs | default by hand "
    "| tried | choice |\n|---|---|---:|---:|---:|---:|---:|---:|---:|---|"
)


def run(command: list[str], seconds: float, each) -> tuple[int | None, str]:
    """Calls `each` with the lines that a command prints; its status, `None` after so many seconds, and its errors."""
    with tempfile.TemporaryFile("w+") as errors:
        child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True)
        reader = threading.Thread(target=lambda: [each(line) for line in child.stdout or ()], daemon=True)
        reader.start()
        try:
            status = child.wait(max(seconds, 0.0))
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()
            status = None
        finally:
            child.kill()
        reader.join(KILLED)
        errors.seek(0)
        return status, errors.read().strip()


def kept(file: Path) -> tuple[str, float, float] | None:
    """The parameters in the only record of a file, their time, and the default's time."""
    if not file.exists():
        return None
    fields = dict(line.split(" ", 1) for line in file.read_text("utf-8").splitlines() if " " in line)
    best, default = fields["time"].split(" of ")
    return fields["use"], float(best), float(default)


def tune(row: Row, file: Path, budget: float, limit: float, arguments) -> str | None:
    """Searches; returns the device's name."""
    command = [arguments.lift, "tune", str(file), "--kernel", row.kernel, "--format", "json"]
    command += ["--device", arguments.device, "--budget", f"{budget:.1f}", "--patience", str(arguments.patience)]
    command += [f"--size={size}" for size in row.sizes.split()]
    objects: list[dict] = []
    status, errors = run(command, limit, lambda line: objects.append(json.loads(line)))
    first = objects[0] if objects and "default" in objects[0] else {}
    row.tries = sum("choice" in line for line in objects)
    row.default, row.tuned, row.least = first.get("default"), first.get("default"), first.get("least")
    if found := kept(file.with_name(f"{file.name}.tuned")):
        row.choice, row.tuned, row.default = found
    if status is None:
        row.problems.append("cut off by the time" if first else "left out, the time is up")
    elif status != 0:
        said = next((line["message"] for line in objects if "message" in line), errors)
        row.problems.append(said or f"status {status}")
    return first.get("device")


def sizes_of(text: str) -> dict[str, int]:
    """`N=2^20 K=16` or `N=1048576 K=16`."""
    pairs = (word.split("=") for word in text.split())
    return {name: 1 << int(value[2:]) if value.startswith("2^") else int(value) for name, value in pairs}


def by_hand(row: Row, benchmark: str, limit: float, arguments) -> None:
    """Measures the best hand-written kernel and the default."""
    with tempfile.NamedTemporaryFile(suffix=".json") as file:
        mode = "gpu" if arguments.large else "cpu"
        number = arguments.device.partition(":")[2]
        device = ["--device", number] if number.isdigit() else []
        command = [arguments.bench, mode, benchmark, "--examples", str(ROOT / "examples"), *device]
        status, errors = run([*command, "--json", file.name], limit, lambda _: None)
        report = file.read()
    if not report:
        row.problems.append(f"by hand: {'the time is up' if status is None else errors}")
        return
    # Other benchmarks may have the same prefix.
    rows = [r for r in json.loads(report)["rows"] if r["benchmark"] == benchmark]
    wrong = [r["problem"] for r in rows if r["problem"]]
    if any(sizes_of(r["size"]) != sizes_of(row.sizes) for r in rows):
        wrong.append("is of other sizes")
    if wrong:
        row.problems.append(f"by hand: {wrong[0]}")
        return
    times = {r["program"]: r["times"]["device"] for r in rows}
    row.beside = times.pop("Lift")
    row.hand = min(times.values(), default=None)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(p.kernel for p in ALL)}; all")
    parser.add_argument("--large", action="store_true", help="sizes for a GPU")
    parser.add_argument("--seconds", type=float, default=10.0, help="of the search for each program")
    parser.add_argument("--within", type=float, default=float("inf"), metavar="SECONDS", help="of all together")
    parser.add_argument("--patience", type=float, default=20.0, metavar="SECONDS", help="of one attempt")
    parser.add_argument("--by-hand", action="store_true")
    parser.add_argument("--device", default="opencl")
    parser.add_argument("--json", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    if unknown := [name for name in arguments.names if name not in {p.kernel for p in ALL}]:
        parser.error(f"there is no {unknown[0]}; there are {', '.join(p.kernel for p in ALL)}")
    arguments.lift = os.environ["LIFT"]
    arguments.bench = os.environ.get("LIFT_BENCH", "")
    end = time.monotonic() + arguments.within
    programs = [p for p in ALL if not arguments.names or p.kernel in arguments.names]
    rows: list[Row] = []
    shown_device = False
    with tempfile.TemporaryDirectory() as folder:
        for nth, program in enumerate(programs):
            row = Row(program.kernel, program.large if arguments.large else program.small)
            rows.append(row)
            share = (end - time.monotonic()) / (len(programs) - nth)
            own = Path(folder) / str(nth)
            own.mkdir()
            copy = Path(shutil.copy(ROOT / program.file, own))
            # Half of the share is for inputs, for compiling and for kernels written by hand. A program that needs more
            # takes it from the later ones.
            limit = min(1.5 * share, end - time.monotonic())
            device = tune(row, copy, min(arguments.seconds, share / 2), limit, arguments)
            if arguments.by_hand:
                by_hand(row, program.benchmark, min(share, end - time.monotonic()), arguments)
            if not shown_device:
                print(f"{device or arguments.device}\n\n{HEAD}", flush=True)
                shown_device = True
            print(row.shown(), flush=True)
            if arguments.json:
                arguments.json.write_text(json.dumps([dataclasses.asdict(r) for r in rows], indent=1), "utf-8")
    gains = sorted(gain for row in rows if (gain := row.gain))
    if gains:
        wrong = sum(bool(row.problems) for row in rows)
        print(f"\nmedian {gains[len(gains) // 2]:.2f} ×, least {gains[0]:.2f} ×, {wrong} of {len(rows)} with a problem")
    return 1 if any(row.problems for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
