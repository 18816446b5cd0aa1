"""The stages: what each runs, what it needs, and at which level."""

import sys
from dataclasses import dataclass

from pool import Kind


@dataclass(frozen=True)
class Stage:
    name: str
    about: str
    command: tuple[str, ...] = ()  # none: `build` and `rust` have code of their own
    needs: tuple[str, ...] = ()  # what tests/install installs before it
    lift: bool = False  # needs the program `lift`, and so `build`
    kind: Kind = Kind.COMPUTING
    level: str = "usual"  # the least of LEVELS at which it runs
    cost: float = 0.0  # CPU seconds, about


@dataclass(frozen=True)
class Sample:
    """Some tests of a program."""

    one_in: int
    #: Prefixes of the names of tests that are sampled; all other tests are run.
    of: tuple[str, ...] = ("",)


PYTEST = ".cache/tests-python/bin/pytest"
#: Cargo's JSON messages about the build.
BUILT = "tests/output/build.json"
STAGES = [
    Stage("format", "cargo fmt", ("tests/runner/format",), level="quick", cost=2),
    Stage("build", "all Rust programs, tests too", needs=("compiler",), level="quick", cost=350),
    Stage(
        "lint",
        "clippy without warnings",
        (sys.executable, "tests/runner/lint.py", BUILT),
        kind=Kind.FOLLOWING,
        level="quick",
        cost=60,
    ),
    Stage(
        "rust",
        "all Rust tests: crates, whole programs, random programs, OpenCL on the CPU",
        needs=("opencl",),
        lift=True,
        level="quick",
        cost=360,
    ),
    Stage("proof", "the machine-checked core of the language, by Coq", ("tests/proof/run",), ("proof",), cost=43),
    Stage(
        "protocol",
        "sessions with the language server, by a client that is not ours",
        (PYTEST, "-v", "tests/protocol"),
        ("opencl", "python"),
        lift=True,
        kind=Kind.INTERACTIVE,
        cost=13,
    ),
    Stage(
        "program",
        "the program `lift` on real and on bad input",
        (PYTEST, "-v", "tests/program"),
        ("opencl", "python"),
        lift=True,
        cost=39,
    ),
    Stage(
        "python",
        "the wheel, built and installed; Python sources by ruff",
        ("tests/runner/python",),
        ("opencl", "python", "wheel"),
        lift=True,
        kind=Kind.WAITING,
        cost=50,
    ),
    Stage(
        "notebook",
        "the wheel in a real JupyterLab",
        ("tests/notebook/run",),
        ("opencl", "notebook"),
        lift=True,
        kind=Kind.INTERACTIVE,
        cost=90,
    ),
    Stage(
        "workbench",
        "the extension in a real VS Code workbench",
        ("editors/workbench/run-test", "{lift}"),
        ("opencl", "workbench"),
        lift=True,
        kind=Kind.INTERACTIVE,
        cost=300,
    ),
    Stage(
        "editors",
        "real Neovim, Helix and Emacs",
        ("tests/editors/run", "{lift}"),
        ("opencl", "editors"),
        lift=True,
        kind=Kind.INTERACTIVE,
        cost=100,
    ),
    Stage(
        "bare",
        "the wheel in a Debian without Rust, Node or a compiler: five lines, and a result within a minute",
        ("release/check-bare", "{lift}", "--system-driver"),
        ("opencl",),
        lift=True,
        level="all",
        cost=60,
    ),
]

#: From the quickest to the longest; `usual` is the default.
LEVELS = {
    "quick": "what is worth its time before each commit",
    "usual": "all stages but `bare`, and a sample of suites of many cases",
    "all": "every stage and every test",
}
# Test programs that `quick` leaves out, by package and source: those that compile many kernels, or run a simulator.
QUICK_WITHOUT = (
    "lift-bench tests/smoke.rs",
    "lift-fuzz tests/bounded.rs",
    "lift-fuzz tests/generator.rs",
    "lift-fuzz tests/memory.rs",
    "lift-tests suites/cost.rs",
    "lift-tests suites/euler.rs",
    "lift-tests suites/oclgrind.rs",
    "lift-tests suites/sanitizers.rs",
    "lift-tests suites/traps.rs",
)
# Test programs with tests that are a product (programs × classes of devices × work-groups): a run takes one in so many
# of them, chosen by its seed; `all` takes each.
SAMPLED = {
    "lift-tests suites/cost.rs": Sample(3, ("counted ", "never below ")),
    "lift-tests suites/grid.rs": Sample(8),
    "lift-tests suites/oclgrind.rs": Sample(8),
    "lift-tests suites/sanitizers.rs": Sample(4),
    "lift-tests suites/traps.rs": Sample(4),
}
# Assumed CPU seconds of test programs that have not run before; the most expensive are started first.
EXPECTED = {
    "lift-analysis src/lib.rs": 33,
    "lift-bench tests/smoke.rs": 20,
    "lift-codegen src/lib.rs": 70,
    "lift-fuzz tests/bounded.rs": 50,
    "lift-fuzz tests/memory.rs": 7,
    "lift-lang tests/it/main.rs": 70,
    "lift-tests suites/cost.rs": 33,
    "lift-tests suites/examples.rs": 25,
    "lift-tests suites/grid.rs": 15,
    "lift-tests suites/languages.rs": 30,
    "lift-tests suites/oclgrind.rs": 110,
    "lift-tests suites/sanitizers.rs": 80,
    "lift-tests suites/traps.rs": 43,
}
