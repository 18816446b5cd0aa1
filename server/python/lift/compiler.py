"""The program `lift`, which compiles: found beside this module, and run as a process of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from lift_runtime import LiftError
from lift_runtime.errors import counted

#: Exit status of `lift` for invalid arguments.
WRONG_USE = 2


def executable() -> str:
    """The path of the program `lift`: the environment variable LIFT, else the program installed with this module, else
    the one on the search path."""
    named = os.environ.get("LIFT")
    if named:
        return named
    name = "lift" + (sysconfig.get_config_var("EXE") or "")
    schemes = [None, f"{os.name}_user"] if f"{os.name}_user" in sysconfig.get_scheme_names() else [None]
    folders = [sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts") for scheme in schemes]
    # `pip install --target` puts the program beside the packages.
    folders.append(str(Path(__file__).resolve().parents[1] / "bin"))
    for folder in folders:
        path = Path(folder) / name
        if path.is_file():
            return str(path)
    found = shutil.which("lift")
    if found is None:
        message = "the program `lift` is not found: the environment variable LIFT can name it"
        raise LiftError("no-such-program", message)
    return found


def run(*arguments: str) -> list[dict[str, Any]]:
    """The JSON objects that the program prints, one per line. Raises its first error."""
    answers, problem = ask(*arguments)
    if problem is not None:
        raise problem
    return answers


def answer(*arguments: str) -> dict[str, Any]:
    """The only JSON object that the program prints. Raises its first error."""
    answers = run(*arguments)
    if len(answers) != 1:
        raise silent(len(answers))
    return answers[0]


def silent(answers: int) -> LiftError:
    """The error of a program that succeeds with an unexpected number of answers."""
    printed = f"printed {counted(answers, 'answer')}"
    return LiftError("no-such-program", f"{executable()} {printed}: it is not the program `lift` of this version")


def ask(*arguments: str) -> tuple[list[dict[str, Any]], LiftError | None]:
    """The JSON objects that the program prints, one per line, without errors; and its first error."""
    command = [executable(), arguments[0], "--format", "json", *arguments[1:]]
    try:
        done = subprocess.run(command, capture_output=True, text=True, encoding="utf-8", stdin=subprocess.DEVNULL)
    except OSError as problem:
        raise LiftError("no-such-program", f"{command[0]} cannot be started: {problem}") from None
    said = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    errors = [problem for problem in said if problem.get("severity") == "error"]
    answers = [answer for answer in said if "severity" not in answer]
    if errors:
        return answers, _error(errors)
    if done.returncode == WRONG_USE:
        # clap's message without the usage that follows it.
        said = done.stderr.removeprefix("error: ").partition("\n\n")[0].strip()
        raise LiftError("input", re.sub(r"^invalid value '.*?' for '.*?': ", "", said))
    if done.returncode != 0:
        message = done.stderr.strip() or f"it ended with status {done.returncode}"
        raise LiftError("internal-error", f"the program lift failed: {message}")
    return answers, None


#: Maximum number of errors shown after the first.
LISTED = 4


def _error(errors: list[dict[str, Any]]) -> LiftError:
    first, rest = errors[0], errors[1:]
    # The certain quick fixes, as the program's `help:` lines.
    fixes = [f"help: {fix['title']}" for fix in first.get("fixes", ()) if fix["certain"]]
    # In Python, sizes are keyword arguments.
    message = first["message"].replace("as in `--size ", "as in `")
    lines = [message, *fixes[:1], *(f"{_place(error)}: {error['message']}" for error in rest[:LISTED])]
    if len(rest) > LISTED:
        lines.append(f"and {counted(len(rest) - LISTED, 'more error')}")
    return LiftError(first["code"], "\n".join(lines), _place(first))


def _place(error: dict[str, Any]) -> str:
    start = error["range"]["start"]
    return f"{Path(error['file']).name}:{start['line'] + 1}:{start['character'] + 1}"


class Cost:
    """The cost of a run: each amount is a number, or a size if the sizes are not given.

    `bytes_read`, `bytes_written`, `integer_operations`, `float_operations`, `special_operations`, `barriers`,
    `local_memory`, and `launches`, which have the same attributes and a `label`. Amounts that depend on the data are
    upper bounds.
    """

    def __init__(self, report: dict[str, Any]) -> None:
        self.label: str | None = report.get("label") or report.get("kernel")
        amounts = report.get("total", report)
        for field, name in _AMOUNTS.items():
            amount = amounts[field]
            setattr(self, name, amount.get("value", amount["size"]))
        self.launches = [Cost(launch) for launch in report.get("launches", [])]

    def __repr__(self) -> str:
        return f"Cost({', '.join(f'{name}={value!r}' for name, value in self.items())})"

    def items(self) -> Iterator[tuple[str, Any]]:
        """The amounts by name."""
        return ((name, getattr(self, name)) for name in _AMOUNTS.values())


_AMOUNTS = {
    "globalBytesRead": "bytes_read",
    "globalBytesWritten": "bytes_written",
    "integerOperations": "integer_operations",
    "floatOperations": "float_operations",
    "specialOperations": "special_operations",
    "barriers": "barriers",
    "localMemory": "local_memory",
}
