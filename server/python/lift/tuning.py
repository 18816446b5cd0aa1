"""Tuned kernels: `lift tune` writes what it finds into a program, which is compiled as any other."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from lift_runtime import LiftError

from . import compiler

if TYPE_CHECKING:
    from .program import Kernel


def tuned(kernel: Kernel, inputs: tuple[Any, ...], seconds: float, sizes: dict[str, int]) -> Kernel:
    """The kernel with what a search of so many seconds finds."""
    from .program import Kernel, Program

    if kernel._choice is not None and not isinstance(kernel._choice, str):
        raise LiftError("input", "a kernel is tuned on a device that has a name, as `opencl:1`")
    with tempfile.TemporaryDirectory(prefix="lift-") as folder, kernel._source().file() as file:
        written = Path(folder) / "tuned.lift"
        words = [_word(value, Path(folder) / f"{i}.npy") for i, value in enumerate(inputs)]
        words += [word for name, value in sizes.items() for word in ("--size", f"{name}={value}")]
        words += ["--device", kernel._choice] if kernel._choice else []
        what = ["tune", str(file), "--kernel", kernel.name, *words]
        problem = _printed([compiler.executable(), *what, "--budget", str(seconds), f"--write={written}"])
        if problem is not None:
            # Asked again without a search, the program says it with its code and place.
            compiler.run(*what, "--budget", "0")
            raise LiftError("input", problem)
        if not written.exists():
            return kernel
        made = Program(None, written.read_text(encoding="utf-8"))[kernel.name]
    return Kernel(made.name, made.docs, made._programs, kernel._choice, kernel._memory, made.source)


def _word(value: Any, file: Path) -> str:
    """An input as a word of the command line: an array is a file."""
    if isinstance(value, (bool, int, float, np.generic)):
        return str(value)
    if not isinstance(value, np.ndarray) or value.dtype == object:
        raise LiftError("input", f"a kernel is tuned on arrays of NumPy and numbers, not on a {type(value).__name__}")
    np.save(file, value)
    return str(file)


def _printed(command: list[str]) -> str | None:
    """Run the program, with what it says printed as it comes. Returns what was wrong."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, encoding="utf-8", **pipes) as done:
        assert done.stdout is not None and done.stderr is not None
        for line in done.stdout:
            print(line, end="")
        problem = done.stderr.read().strip()
    return (problem or f"lift tune ended with status {done.returncode}") if done.returncode else None
