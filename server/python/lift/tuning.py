"""Tuned kernels: `lift tune` writes what it finds into a program, which is compiled as any other."""

from __future__ import annotations

import math
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lift_runtime import LiftError
from lift_runtime.pour import check_given

from . import compiler
from .interpreter import written

if TYPE_CHECKING:
    from .program import Kernel


def tuned(kernel: Kernel, inputs: tuple[Any, ...], seconds: float, sizes: dict[str, int]) -> Kernel:
    """Searches for parameters for so many seconds. Returns the kernel with the fastest."""
    from .program import Kernel, Program

    if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 0 <= seconds < math.inf:
        raise LiftError("input", f"seconds={seconds!r} is not a number of seconds")
    if kernel._choice is not None and not isinstance(kernel._choice, str):
        raise LiftError("input", "a kernel is tuned on a device that has a name, as `opencl:1`")
    with tempfile.TemporaryDirectory(prefix="lift-") as folder, kernel._source().file(kernel.name) as file:
        text = Path(folder) / "tuned.lift"
        plan = kernel._plan(next(iter(kernel._programs)))
        given = check_given(plan, sizes)
        words = written(plan, inputs, False, given, Path(folder)) if inputs else []
        words += [word for name, value in given.items() for word in ("--size", f"{name}={value}")]
        words += ["--device", kernel._choice] if kernel._choice else []
        what = ["tune", str(file), "--kernel", kernel.name, *words]
        problem = _printed([compiler.executable(), *what, "--budget", str(seconds), f"--write={text}"])
        if problem is not None:
            # Run again without a search, because JSON has the error's code and location.
            compiler.run(*what, "--budget", "0")
            raise LiftError("input", problem)
        if not text.exists():
            return kernel
        made = Program(None, text.read_text(encoding="utf-8"))[kernel.name]
    return Kernel(made.name, made.docs, made._programs, kernel._choice, kernel._memory, made.source)


def _printed(command: list[str]) -> str | None:
    """Runs the program and prints its output as it comes. Returns its errors."""
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen(command, text=True, encoding="utf-8", **pipes) as done:
        assert done.stdout is not None and done.stderr is not None
        for line in done.stdout:
            print(line, end="")
        problem = done.stderr.read().strip()
    return (problem or f"lift tune ended with status {done.returncode}") if done.returncode else None
