"""The stages: what each runs, what it needs, and at which level."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    name: str
    about: str
    command: tuple[str, ...] = ()  # none: `build` and `rust` have code of their own
    needs: tuple[str, ...] = ()  # what tests/install installs
    lift: bool = False  # needs the program `lift`, and so `build`
    interactive: bool = False  # drives a user interface, which must answer in time
    level: str = "usual"  # the least of LEVELS at which it runs
    cost: float = 0.0  # CPU seconds, about


@dataclass(frozen=True)
class Sample:
    """Some tests of a program."""

    one_in: int
    #: How the names of the tests begin of which some are taken; of the others all are.
    of: tuple[str, ...] = ("",)


PYTEST = ".cache/tests-python/bin/pytest"
CLIPPY = ("cargo", "clippy", "--workspace", "--all-targets", "--quiet", "--", "--deny", "warnings")
STAGES = [
    Stage("format", "cargo fmt", ("tests/runner/format",), level="quick", cost=2),
    Stage("build", "all Rust programs, tests too", needs=("opencl",), level="quick", cost=1000),
    Stage("lint", "cargo clippy without warnings", CLIPPY, level="quick", cost=500),
    Stage(
        "rust",
        "all Rust tests: crates, whole programs, random programs, OpenCL on the CPU",
        lift=True,
        level="quick",
        cost=2000,
    ),
    Stage("proof", "the machine-checked core of the language, by Coq", ("tests/proof/run",), cost=900),
    Stage(
        "protocol",
        "sessions with the language server, by a client that is not ours",
        (PYTEST, "-v", "tests/protocol"),
        ("python",),
        lift=True,
        interactive=True,
        cost=60,
    ),
    Stage(
        "program",
        "the program `lift` on real and on bad input",
        (PYTEST, "-v", "tests/program"),
        ("python",),
        lift=True,
        cost=400,
    ),
    Stage(
        "python",
        "the wheel, built and installed into a fresh environment; Python sources by ruff",
        ("tests/runner/python",),
        ("python",),
        lift=True,
        cost=100,
    ),
    Stage(
        "notebook",
        "the wheel in a real JupyterLab",
        ("tests/notebook/run",),
        ("python",),
        lift=True,
        interactive=True,
        cost=90,
    ),
    Stage(
        "workbench",
        "the extension in a real VS Code workbench",
        ("editors/workbench/run-test", "{lift}"),
        lift=True,
        interactive=True,
        cost=300,
    ),
    Stage(
        "editors",
        "real Neovim, Helix and Emacs",
        ("tests/editors/run", "{lift}"),
        lift=True,
        interactive=True,
        cost=100,
    ),
    Stage(
        "bare",
        "the wheel in a Debian without Rust, Node or a compiler: five lines, and a result within a minute",
        ("release/check-bare", "{lift}", "--system-driver"),
        lift=True,
        level="all",
        cost=60,
    ),
]

#: From the quickest on; `usual` is what runs where none is named.
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
# Test programs that also run OpenCL written by hand, which may call any function of the driver.
WHOLE_DRIVER = ("lift-bench tests/smoke.rs",)
# Test programs with tests that are a product (programs × classes of devices × work-groups): a run takes one in so many
# of them, chosen by its seed; `all` takes each.
SAMPLED = {
    "lift-tests suites/cost.rs": Sample(3, ("counted ", "never below ")),
    "lift-tests suites/grid.rs": Sample(8),
    "lift-tests suites/oclgrind.rs": Sample(8),
    "lift-tests suites/sanitizers.rs": Sample(4),
    "lift-tests suites/traps.rs": Sample(4),
}
# CPU seconds of test programs of which no earlier run is known: the most expensive are started first.
EXPECTED = {
    "lift-analysis src/lib.rs": 47,
    "lift-bench tests/smoke.rs": 99,
    "lift-codegen src/lib.rs": 170,
    "lift-fuzz tests/bounded.rs": 200,
    "lift-fuzz tests/memory.rs": 63,
    "lift-lang tests/it/main.rs": 84,
    "lift-tests suites/cost.rs": 81,
    "lift-tests suites/oclgrind.rs": 76,
    "lift-tests suites/traps.rs": 84,
}
