"""The interpreter of the program `lift`: no device is needed, and it is slow."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from lift_runtime import LiftError
from lift_runtime.archive import from_arrays, to_arrays
from lift_runtime.arguments import is_device
from lift_runtime.collect import value
from lift_runtime.kernel import wrong_count
from lift_runtime.plan import Plan
from lift_runtime.pour import bind, check_given
from lift_runtime.read import column

from . import compiler


def run(file: Path, kernel: str, plan: Plan, inputs: list[Any], copy: bool, given: dict[str, Any]) -> Any:
    """Runs a kernel in the interpreter. Inputs and result are passed as `.npz` files."""
    sizes = check_given(plan, given)
    with tempfile.TemporaryDirectory(prefix="lift-") as name:
        folder = Path(name)
        files = written(plan, inputs, copy, sizes, folder)
        result = folder / "result.npz"
        options = [word for size, number in sizes.items() for word in ("--size", f"{size}={number}")]
        compiler.run(
            "run", str(file), "--kernel", kernel, "--device", "interpreter", "-o", str(result), *options, "--", *files
        )
        if not result.exists():
            raise compiler.silent(0)
        with np.load(result, allow_pickle=False) as arrays:
            return value(plan.result, from_arrays(plan.result, dict(arrays)))


def written(plan: Plan, inputs: Sequence[Any], copy: bool, sizes: dict[str, int], folder: Path) -> list[str]:
    """Checks the types of inputs and writes them to files for the program."""
    if len(inputs) != len(plan.inputs):
        raise LiftError("input", wrong_count(plan, len(inputs)))
    hosts = [value.get() if is_device(value) else value for value in inputs]
    columns = [column(item, host, copy) for item, host in zip(plan.inputs, hosts)]
    # Binding the sizes here makes errors name them as Python's keyword arguments.
    bind(plan, columns, sizes)
    files = [str(folder / f"{i}.npz") for i in range(len(columns))]
    for file, item, found in zip(files, plan.inputs, columns):
        np.savez(file, **to_arrays(item.layout, found))
    return files
