"""The program `lift` as a process: what it is given, what it says, and how it ends.

It is the program that the environment variable LIFT names, or the debug build of this repository.
"""

import importlib
import os
import pathlib
import subprocess
import sys
from dataclasses import dataclass

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
FINE, WRONG, WRONG_USE = 0, 1, 2
# Time limit in seconds, far above any test's, for programs that hang.
PATIENCE = 300


@dataclass
class Ran:
    status: int
    out: str
    err: str


class Lift:
    def __init__(self, program: str, folder: pathlib.Path):
        self.program, self.folder = program, folder

    def file(self, name: str, content: str | bytes) -> str:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return name

    def __call__(self, *arguments: str, **variables: str) -> Ran:
        environment = {**os.environ, "NO_COLOR": "1", **variables}
        run = subprocess.run(
            [self.program, *map(str, arguments)],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            timeout=PATIENCE,
        )
        ran = Ran(run.returncode, run.stdout.decode(), run.stderr.decode())
        assert "panicked" not in ran.err, ran.err
        assert ran.status in (FINE, WRONG, WRONG_USE), f"ended with {ran.status}: {ran.err[-2000:]}"
        return ran

    def fails(self, *arguments: str, **variables: str) -> str:
        """What it says about what is wrong."""
        ran = self(*arguments, **variables)
        assert ran.status == WRONG, f"{arguments} ended with {ran.status}: {ran.out[-500:]}{ran.err[-2000:]}"
        assert "error" in ran.err, ran.err
        return ran.err

    def succeeds(self, *arguments: str, **variables: str) -> str:
        """Runs the program, which must succeed. Returns its output."""
        ran = self(*arguments, **variables)
        assert ran.status == FINE, f"{arguments} ended with {ran.status}: {ran.err[-2000:]}"
        return ran.out


@pytest.fixture
def lift(tmp_path) -> Lift:
    named = os.environ.get("LIFT")
    program = pathlib.Path(named) if named else REPOSITORY / "target" / "debug" / "lift"
    assert program.exists(), f"there is no {program}: run `cargo build -p lift-lang`, or name the program in LIFT"
    return Lift(str(program.resolve()), tmp_path)


@pytest.fixture(scope="module")
def queue():
    import pyopencl as cl

    device = cl.get_platforms()[0].get_devices()[0]
    return cl.CommandQueue(cl.Context([device]))


@pytest.fixture
def imported(lift, monkeypatch):
    """Imports what `--emit python` writes for a program."""
    monkeypatch.syspath_prepend(str(lift.folder))
    made = []

    def load(name, program, *options):
        lift.file(f"{name}.lift", program)
        lift.succeeds("build", "--emit", "python", *options, f"{name}.lift")
        made.append(name.replace("-", "_"))
        return importlib.import_module(made[-1])

    yield load
    for name in made:
        sys.modules.pop(name, None)
