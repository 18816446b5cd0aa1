"""The programs of `examples/suite`, on the interpreter, beside the same computed another way: loops, NumPy, hashlib.

What the devices compute is compared with the interpreter elsewhere (`tests/suites/examples.rs`).
"""

import subprocess

import numpy as np
import pytest
import suite_others  # noqa: F401
import suite_rodinia  # noqa: F401
from suite_case import CASES, numbers


def literal(value):
    """A value as `lift run` reads it."""
    if isinstance(value, (np.ndarray, np.generic)):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        left, right = "[]" if isinstance(value, list) else "()"
        return left + ",".join(map(literal, value)) + right
    return repr(value)


@pytest.mark.parametrize("name", CASES)
def test_program(examples, name):
    function, size, tolerance = CASES[name]
    inputs, sizes, expected = function(np.random.default_rng(7), size)
    program, _, kernel = function.__name__.partition("_")
    words = ["--kernel", kernel.replace("_", "-") or program, "--device", "interpreter"]
    words += [word for size, number in sizes.items() for word in ("--size", f"{size}={number}")]
    command = ["lift", "run", examples / "suite" / f"{program}.lift", *words, "--", *map(literal, inputs)]
    result = subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()
    found = [float({"true": 1, "false": 0}.get(word, word)) for word in result]
    np.testing.assert_allclose(found, numbers(expected), rtol=tolerance, atol=tolerance)


def test_the_tests_of_the_programs(examples):
    programs = sorted((examples / "suite").glob("*.lift"))
    subprocess.run(["lift", "test", "--device", "interpreter", *programs], check=True)
