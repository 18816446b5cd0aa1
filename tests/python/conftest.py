"""The module `lift`, as the wheel installs it."""

import functools
import os
import pathlib
from collections.abc import Callable

# Two devices of one processor, for kernels on several; read when OpenCL is first used, also by workers.
os.environ.setdefault("POCL_DEVICES", "pthread pthread")

import lift
import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def examples() -> pathlib.Path:
    return REPOSITORY / "examples"


@pytest.fixture(scope="session")
def kernel(examples: pathlib.Path) -> Callable[[str, str], lift.Kernel]:
    """A kernel of the examples, compiled once for all tests."""

    @functools.cache
    def load(file: str, name: str) -> lift.Kernel:
        return lift.load(examples / f"{file}.lift")[name]

    return load
