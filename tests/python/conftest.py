"""The module `lift`, as the wheel installs it."""

import pathlib

import pytest

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def examples() -> pathlib.Path:
    return REPOSITORY / "examples"
