"""Cells of Lift in IPython and Jupyter: `%load_ext lift`, then `%%lift`.

All cells are one program, whose kernels become names of Python. A cell that is run again replaces what it was. A name
in two cells is an error, as in a file; `--replace` forgets the other cell, as one that was deleted. Where the front end
does not say which cell is run, the later one always replaces the other.
"""

from __future__ import annotations

import argparse
import builtins
import contextlib
import re
import shlex
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

from lift_runtime import LiftError
from lift_runtime.plan import identifiers

from . import compiler, plots
from .program import File, Kernel, Program

#: Maximum number of lines of a result that are shown.
SHOWN = 20


class CellError(LiftError):
    """What is wrong with a cell, as the program `lift` shows it."""

    def __init__(self, code: str, message: str, place: str | None = None, shown: str = "") -> None:
        super().__init__(code, message, place)
        self.shown = shown

    @property
    def line(self) -> int:
        """The line of the error in its cell."""
        return int(self.place.split(":")[-2]) if self.place else 1

    def _render_traceback_(self) -> list[str]:
        """IPython's hook for tracebacks: without Python's frames, which are not in the cell."""
        return [self.shown.rstrip() or str(self)]


class Cells:
    """The Lift cells of a session by their ids, and the magic command that runs them."""

    def __init__(self, shell: Any) -> None:
        self.shell = shell
        self.texts: dict[str, str] = {}
        #: The kernel that each variable was last set to. A variable with another value was changed by the notebook.
        self.given: dict[str, Kernel] = {}

    def magic(self, line: str, cell: str) -> None:
        """Define the kernels of the cell.

        %%lift [--cost] [--opencl] [--run] [--tune SECONDS] [--replace]
        """
        try:
            self._define(line, cell)
        except CellError:
            raise
        except LiftError as problem:
            # An error without a location in the cell, such as one of a search for parameters.
            raise CellError(problem.code, problem.message, problem.place) from None

    def _define(self, line: str, cell: str) -> None:
        options = _options(line)
        this = self._id()
        own = _names(cell)
        others = {key: text for key, text in self.texts.items() if key != this}
        if this is None or options.replace:
            others = {key: text for key, text in others.items() if not own & _names(text)}
        for name in sorted(own & {name for text in others.values() for name in _names(text)}):
            message = f"`{name}` is defined in another cell, too; `%%lift --replace` forgets that cell"
            raise CellError("duplicate-definition", message)
        if this is None:
            this = f"cell {len(self.texts)} of {', '.join(sorted(own))}"
        text, program = _compiled([cell, *others.values()])
        if set(program) - own - {name for other in others.values() for name in _names(other)}:
            raise CellError("input", "a kernel of a cell needs a name, as in `(lift first (N) …)`")
        self.texts = {**others, this: cell}
        for variable, (name, kernel) in zip(identifiers(list(program)), program.items()):
            last = self.given.get(variable)
            if name not in own and last is not None and self.shell.user_ns.get(variable) is not last:
                continue
            self._give(variable, kernel)
            if name not in own:
                continue
            print(kernel)
            if hasattr(builtins, variable):
                print(f"it hides Python's `{variable}`, which `del {variable}` brings back", file=sys.stderr)
            if options.tune is not None:
                kernel = kernel.tune(seconds=options.tune)
                self._give(variable, kernel)
            if options.cost:
                for what, amount in kernel.cost().items():
                    print(f"  {what.replace('_', ' ')}: {amount}")
            if options.opencl:
                print(kernel.opencl)
            if options.run:
                if kernel.__signature__.parameters and not _RUN.search(cell):
                    message = f"%%lift --run: a line `;;; run:` above `{name}` says on what, as in `;;; run: xs=[1,2]`"
                    raise CellError("input", message)
                _show(text, name)

    def _give(self, variable: str, kernel: Kernel) -> None:
        self.shell.user_ns[variable] = self.given[variable] = kernel

    def _id(self) -> str | None:
        """The id of the cell that is run, or None if the front end does not send ids."""
        with contextlib.suppress(AttributeError, KeyError, TypeError):
            return self.shell.get_parent()["metadata"]["cellId"]
        return None


def _names(text: str) -> set[str]:
    """The names that a cell defines."""
    names, depth, words = set(), 0, []
    for word in _WORDS.findall(text):
        if word in ("(", "["):
            depth += 1
        elif word in (")", "]"):
            depth = max(depth - 1, 0)
        elif depth and not word.startswith(";"):
            words.append((word, depth))
            # A definition of a function has its name one bracket deeper.
            if len(words) == 2 and words[0] in (("define", 1), ("lift", 1)) and depth <= _NAMED[words[0][0]]:
                names.add(word)
        if not depth:
            words = []
    return names


def _name(cell: str) -> str:
    """The name of a cell in messages."""
    return f"cell of {', '.join(sorted(_names(cell)))}"


#: The number of brackets around a form's name.
_NAMED = {"lift": 1, "define": 2}
#: Comments, brackets, texts and words.
_WORDS = re.compile(r';[^\n]*|[][()]|"[^"\n]*"?|[^][()\s;"]+')
_RUN = re.compile(r"^;;; run:", re.MULTILINE)


def _compiled(cells: list[str]) -> tuple[str, Mapping[str, Kernel]]:
    """Compiles the cells as one program. Returns its text and its kernels."""
    problem = _checked(cells, "cell")
    if problem is not None:
        wrong = _cell_at(cells, problem.line)
        if wrong > 0:
            # The new cell breaks another one: compile that one first, so that the error has its line numbers.
            again = _checked([cells[wrong], *cells[:wrong], *cells[wrong + 1 :]], _name(cells[wrong]))
            if again is not None and _cell_at([cells[wrong]], again.line) == 0:
                raise again
        raise problem
    text = "\n".join(cells)
    try:
        return text, Program(None, text, [(_name(cell), cell) for cell in cells])
    except LiftError as problem:
        if problem.code != "no-such-kernel":
            raise
        # The cells have definitions only.
        return text, {}


def _checked(cells: list[str], name: str) -> CellError | None:
    """Checks cells. Returns their first error; `name` is the first cell's name in it."""
    with File(None, "\n".join(cells)) as file:
        try:
            compiler.run("check", str(file))
        except LiftError as problem:
            shown = _run("check", str(file)).stderr.replace(f"{file}", name)
            place = problem.place.replace(file.name, name) if problem.place else None
            if problem.code == "missing-import":
                shown += "a cell has no folder: `lift.load` reads programs from files\n"
            return CellError(problem.code, problem.message.replace(f"{file.name}:", f"{name}:"), place, shown)
    return None


def _cell_at(cells: list[str], line: int) -> int:
    """The index of the cell that contains a line of the joined text, counted from 1; `len(cells)` if none does."""
    for i, cell in enumerate(cells):
        line -= cell.count("\n") + 1
        if line <= 0:
            return i
    return len(cells)


def _options(line: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="%%lift", add_help=False, exit_on_error=False)
    parser.add_argument("--cost", action="store_true", help="what a run costs")
    parser.add_argument("--opencl", action="store_true", help="the OpenCL text")
    parser.add_argument("--run", action="store_true", help="run it on what its line `;;; run:` says")
    parser.add_argument("--replace", action="store_true", help="forget other cells that define the same")
    parser.add_argument("--tune", type=_seconds, metavar="SECONDS", help="search for its fastest parameters")
    try:
        options, rest = parser.parse_known_args(shlex.split(line))
    except (argparse.ArgumentError, ValueError) as problem:
        raise CellError("input", f"%%lift: {problem}") from None
    if rest:
        raise CellError(
            "input", f"%%lift has the options --cost, --opencl, --run, --tune and --replace, and no {rest[0]}"
        )
    return options


def _seconds(text: str) -> float:
    with contextlib.suppress(ValueError):
        seconds = float(text)
        if 0 <= seconds < float("inf"):
            return seconds
    raise argparse.ArgumentTypeError(f"{text} is not a number of seconds")


def _run(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [compiler.executable(), *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", stdin=subprocess.DEVNULL)


def _show(text: str, kernel: str) -> None:
    """Runs a kernel on the inputs of its `;;; run:` line and shows the result, as a plot if possible."""
    with File(None, text) as file:
        try:
            report = compiler.answer("run", str(file), "--kernel", kernel, "--plot", "--head", str(SHOWN))
        except LiftError as problem:
            shown = _run("run", str(file), "--kernel", kernel).stderr.replace(f"{file}", "cell")
            raise CellError(problem.code, problem.message, problem.place, shown) from None
    if report.get("notice"):
        print(report["notice"], file=sys.stderr)
    print(report["output"], end="…\n" if report["cut"] else "")
    drawn = plots.of_report(report.get("plot"))
    if drawn is not None:
        from IPython.display import display

        display(drawn)


def load_ipython_extension(shell: Any) -> None:
    """Registers the magic commands; called by `%load_ext lift`."""
    shell.register_magic_function(Cells(shell).magic, magic_kind="cell", magic_name="lift")
