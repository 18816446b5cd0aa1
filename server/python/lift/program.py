"""Programs and their kernels."""

from __future__ import annotations

import json
import re
import tempfile
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import lift_runtime
import numpy as np
from lift_runtime import LiftError
from lift_runtime.arguments import Arguments
from lift_runtime.devices import Choice, Engine, check_choice
from lift_runtime.plan import Plan, identifiers
from lift_runtime.pour import bind, check_given

from . import compiler, interpreter, several
from .compiler import Cost


class Kernel(lift_runtime.Kernel):
    """A kernel of a program, compiled for its device. Without a device, the interpreter runs it."""

    def __init__(
        self,
        name: str,
        docs: str,
        programs: Mapping[str, tuple[str, str]],
        choice: Choice = None,
        memory: int | None = None,
        source: Source | None = None,
    ) -> None:
        self.source = source
        self._parts: dict[str, Any] = {}
        super().__init__(name, docs, programs, choice, memory)

    def __reduce__(self) -> tuple[Any, ...]:
        made, state = super().__reduce__()
        return made, (*state, self.source)

    def on(self, choice: Choice, memory: int | None = None) -> Kernel:
        """The same kernel on a device.

        `choice` is `"opencl:1"` as `lift devices` numbers them, `"opencl:0,1"` for several devices at a time,
        `"interpreter"`, or a device, context or queue of pyopencl. A run uses at most `memory` bytes of a device.
        """
        if several.parse(choice) is None and choice != "interpreter":
            check_choice(choice)
        return Kernel(self.name, self.docs, self._programs, choice, memory, self.source)

    def cost(self, /, target: str = "portable", **sizes: int) -> Cost:
        """What a run costs: as numbers for these sizes, or as sizes."""
        if not isinstance(target, str):
            raise LiftError(
                "input", f"target={target!r} is not the name of a target: sizes are given by name, as N=1000"
            )
        checked = check_given(self._plan(next(iter(self._programs))), sizes)
        given = [word for name, value in checked.items() for word in ("--size", f"{name}={value}")]
        with self._source().file(self.name) as file:
            report = compiler.answer("build", str(file), "--kernel", self.name, "--cost", "--target", target, *given)
        return Cost(report)

    def tune(self, /, *inputs: Any, seconds: float = 20, **sizes: int) -> Kernel:
        """The kernel with the parameters that are fastest on its device, as `lift tune` finds them in so many seconds.

        Inputs are those of a call; without any, those of the line `;;; run:`, or random ones of `sizes`.
        What is tried is printed.
        """
        from . import tuning

        return tuning.tuned(self, inputs, seconds, sizes)

    def spread(self, /, *inputs: Any, chunks: int | None = None, **given: int) -> Any:
        """Run the kernel on arrays of Dask, block by block; so does a call where an input is one.

        `chunks` is how many elements a block has of an array that the kernel makes itself.
        """
        if chunks is not None and (isinstance(chunks, bool) or not isinstance(chunks, (int, np.integer)) or chunks < 1):
            raise LiftError("input", f"chunks={chunks!r} is not a number of elements from 1 on")
        return self._in_parts()(inputs, given, None if chunks is None else int(chunks))

    def _in_parts(self) -> Any:
        """The kernel divided into steps on blocks."""
        try:
            from .dask import Parts
        except ImportError as problem:
            message = f"a kernel in parts needs the package dask ({problem}): pip install 'lift-lang[dask]'"
            raise LiftError("not-supported", message) from None
        if self._choice == "interpreter":
            raise LiftError("no-device", "the interpreter computes no blocks; it takes arrays in one piece")
        parts = self._parts.get("parts")
        if parts is None:
            devices = several.parse(self._choice)
            line = self._source().parts(self.name)
            choices = devices.choices if devices else [self._choice]
            parts = self._parts["parts"] = Parts(line, self._plan(next(iter(self._programs))), choices, self._memory)
        return parts

    @property
    def opencl(self) -> str:
        """The OpenCL text for its device; for the first of several."""
        devices = several.parse(self._choice)
        return self.on(devices.choices[0]).opencl if devices else super().opencl

    def __call__(self, /, *inputs: Any, out: str | None = None, copy: bool = False, **given: Any) -> Any:
        """Run the kernel."""
        try:
            return self._run_on(inputs, out, copy, given)
        except LiftError as problem:
            if problem.code == "internal-error":
                raise
            # The module's own frames do not help the caller.
            raise problem.with_traceback(None) from problem.__cause__

    def _run_on(self, inputs: tuple[Any, ...], out: str | None, copy: bool, given: dict[str, Any]) -> Any:
        if any(is_lazy(item) for item in inputs):
            if out is not None or copy:
                raise LiftError("input", "a kernel on arrays of Dask gives such arrays, without `out` and `copy`")
            return self.spread(*inputs, **given)
        devices = several.parse(self._choice)
        if devices is not None:
            if out is not None or copy:
                raise LiftError("input", "a kernel on several devices takes arrays of the host, and gives them")
            return several.run(self._in_parts(), devices, inputs, given)
        if self._choice == "interpreter":
            return self._interpret(inputs, copy, given)
        try:
            return self.compute(inputs, given, out, copy)
        except LiftError as problem:
            if problem.code == "memory" and out is None and not copy:
                return self._in_blocks(inputs, given, problem)
            if problem.code != "no-device" or self._choice is not None:
                raise
            warnings.warn(f"running on the interpreter: {problem.message}", RuntimeWarning, stacklevel=3)
        return self._interpret(inputs, copy, given)

    def _in_blocks(self, inputs: tuple[Any, ...], given: dict[str, Any], problem: LiftError) -> Any:
        """Runs on blocks of the arrays that are small enough for the device's memory."""
        try:
            parts = self._in_parts()
        except LiftError:
            # The kernel cannot be computed on blocks: report the lack of memory.
            raise problem from None
        count, result = several.in_blocks(parts, inputs, given, problem)
        warnings.warn(f"run on {count} blocks, one after the other: {problem.message}", RuntimeWarning, stacklevel=4)
        return result

    def _interpret(self, inputs: tuple[Any, ...], copy: bool, given: dict[str, Any]) -> Any:
        plan = self._plan(next(iter(self._programs)))
        with self._source().file(self.name) as file:
            return interpreter.run(file, self.name, plan, list(inputs), copy, given)

    def _source(self) -> Source:
        if self.source is None:
            raise LiftError("unreadable-file", f"the source of `{self.name}` is not known in this process")
        return self.source

    def _program(self, where: Engine) -> tuple[Plan, str]:
        """Plan and text for exactly this device; for its class without a compiler or if the source has changed."""
        target = where.key
        if target not in self._programs and self.source is not None and target not in self._missing:
            made = self.source.compile(self.name, where)
            if made is not None:
                self._programs[target] = made
            else:
                self._missing.add(target)
        if target in self._programs:
            return self._plan(target), self._programs[target][1]
        return super()._program(where)

    def _suited(self, where: Engine, plan: Plan, found: Arguments, given: dict[str, int]) -> tuple[Plan, str] | None:
        """The plan and text that `lift tune` found fastest for similar sizes; None if the program is not tuned."""
        if self.source is None or not self.source.is_tuned:
            return None
        values = bind(plan, found.columns, given)
        # Sizes with the same magnitudes and the same divisibility by 4 and 16 have the same nearest record.
        magnitudes = [(n.bit_length(), n % 4 == 0, n % 16 == 0) for n in (int(values[name]) for name in plan.sizes)]
        target = f"{where.key} {magnitudes}"
        if target not in self._programs and target not in self._missing:
            # The tuned rewrite may assume more about the lengths than the program does.
            for untuned in (False, True):
                made = self.source.compile(self.name, where, {name: values[name] for name in plan.sizes}, untuned)
                if made is None:
                    self._missing.add(target)
                    break
                suited = Plan(made[0])
                try:
                    self._prepare(where, suited, made[1], found, given)
                except LiftError:
                    continue
                # Published to other threads only after it is known to run.
                self._plans[target], self._programs[target] = suited, made
                break
        made = self._programs.get(target)
        return (self._plan(target), made[1]) if made is not None else None


def is_lazy(value: Any) -> bool:
    """Whether Dask computes the value later: a collection, also within an array of xarray, or a future of a client."""
    if type(value).__module__.partition(".")[0] in ("dask", "distributed"):
        return True
    graph = getattr(type(value), "__dask_graph__", None)
    return graph is not None and graph(value) is not None


class Source:
    """The source of a program: a file or a text."""

    def __init__(
        self, path: Path | None, text: str, meanings: dict[str, str], cells: Sequence[tuple[str, str]] = ()
    ) -> None:
        self.path, self.text, self.meanings, self.cells = path, text, meanings, cells
        found = _content(path)
        self._content = found
        #: Whether the program imports other files.
        self._imports = found is not None and b"import" in found
        #: Whether `lift tune` has written a record beside the program.
        self.is_tuned = path is not None and path.with_name(f"{path.name}.tuned").is_file()
        self._parts: dict[str, dict[str, Any]] = {}

    def parts(self, kernel: str) -> dict[str, Any]:
        """A kernel divided into steps on blocks, compiled once for all devices."""
        if kernel not in self._parts:
            with self.file(kernel) as file:
                line = compiler.answer("build", str(file), "--kernel", kernel, "--emit", "json", "--parts")
            self._parts[kernel] = json.loads(in_cells(json.dumps(line), self.cells)) if self.cells else line
        return self._parts[kernel]

    def file(self, kernel: str) -> File:
        """A file with the program, valid within the context. Raises an error if the kernel has changed since."""
        if self.path is not None and self._content is not None:
            if _content(self.path) not in (self._content, None):
                raise LiftError(
                    "input", f"{self.path.name} has changed since it was loaded; `lift.load` reads it again"
                )
            if self._imports and self._meaning(kernel) != self.meanings.get(kernel):
                message = f"a file that {self.path.name} imports has changed since it was loaded"
                raise LiftError("input", f"{message}; `lift.load` reads it again")
        return File(self.path, self.text, self.cells)

    def _meaning(self, kernel: str) -> str | None:
        """A hash of what the kernel computes now; None if it no longer exists."""
        try:
            words = ("--kernel", kernel, "--emit", "json", "--target", "portable")
            made = compiler.answer("build", str(self.path), *words)
        except LiftError:
            return None
        return made["meaning"]

    def compile(
        self, kernel: str, where: Engine, sizes: Mapping[str, int] | None = None, untuned: bool = False
    ) -> tuple[str, str] | None:
        """Plan and text for a device, with the parameters tuned for similar sizes or else those tuned last. None if the
        kernel has changed since it was loaded."""
        words = ["--for-device", json.dumps(where.describe()), *(["--untuned"] if untuned else [])]
        words += [word for name, value in (sizes or {}).items() for word in ("--size", f"{name}={value}")]
        try:
            # The kernel's meaning shows whether it has changed.
            with File(self.path, self.text) as file:
                made = compiler.answer("build", str(file), "--kernel", kernel, "--emit", "json", *words)
        except LiftError:
            return None
        if made["meaning"] != self.meanings[kernel]:
            return None
        plan, text = made["programs"]["device"]
        return in_cells(plan, self.cells), text


def _content(path: Path | None) -> bytes | None:
    """The bytes of a file; None if it does not exist."""
    try:
        return path.read_bytes() if path is not None else None
    except OSError:
        return None


class File:
    """An existing file, or a temporary one that is written for a text."""

    def __init__(self, path: Path | None, text: str, cells: Sequence[tuple[str, str]] = ()) -> None:
        self.path, self.text, self.cells = path, text, cells
        self.folder: tempfile.TemporaryDirectory | None = None

    def __enter__(self) -> Path:
        if self.path is not None:
            return self.path
        self.folder = tempfile.TemporaryDirectory(prefix="lift-")
        file = Path(self.folder.name) / MADE
        file.write_text(self.text, encoding="utf-8")
        return file

    def __exit__(self, kind: object, problem: BaseException | None, trace: object) -> None:
        if self.folder is not None:
            self.folder.cleanup()
        if self.cells and type(problem) is LiftError and problem.place:
            place, message = (in_cells(text, self.cells) for text in (problem.place, problem.message))
            raise LiftError(problem.code, message, place) from None


#: Name of the temporary file.
MADE = "source.lift"


def in_cells(text: str, cells: Sequence[tuple[str, str]]) -> str:
    """Rewrites source locations in a text: from the joined program to its cells, given as names and texts."""

    def placed(found: re.Match[str]) -> str:
        line = int(found[1])
        for name, cell in cells:
            lines = cell.count("\n") + 1
            if line <= lines:
                return f"{name}:{line}"
            line -= lines
        return found[0]

    return re.sub(rf"\b{re.escape(MADE)}:(\d+)(?=:\d)", placed, text) if cells else text


class Program(Mapping[str, Kernel]):
    """The kernels of a program, by name: `program.first`, `program["scalar-product"]`."""

    def __init__(self, path: Path | None, text: str, cells: Sequence[tuple[str, str]] = ()) -> None:
        """`cells` are the names and texts of the cells that are joined in `text`."""
        self._path = path
        with File(path, text, cells) as file:
            lines, self._problem = compiler.ask("build", str(file), "--emit", "json")
        if not lines:
            raise self._problem or compiler.silent(0)
        source = Source(path, text, {line["kernel"]: line["meaning"] for line in lines}, cells)
        self._kernels: dict[str, Kernel] = {}
        for line in lines:
            programs = {target: (in_cells(plan, cells), text) for target, (plan, text) in line["programs"].items()}
            self._kernels[line["kernel"]] = Kernel(line["kernel"], line["docs"], programs, source=source)
        #: Kernels by the names of attributes.
        self._named = dict(zip(identifiers(list(self._kernels)), self._kernels.values()))
        self.__doc__ = "\n\n".join([repr(self)[1:-1], *(kernel.__doc__ for kernel in self.values())])

    def __getitem__(self, name: str) -> Kernel:
        try:
            return self._kernels[name]
        except KeyError:
            raise KeyError(self._missing(name)) from self._problem

    def __getattr__(self, name: str) -> Kernel:
        named = self.__dict__.get("_named", {})
        if name in named:
            return named[name]
        if name.startswith("_"):
            raise AttributeError(name)
        raise AttributeError(self._missing(name)) from self._problem

    def _missing(self, name: str) -> str:
        listed = ", ".join(f"`{kernel}`" for kernel in self._kernels)
        why = f" (an error: {self._problem})" if self._problem is not None else ""
        return f"there is no kernel `{name}`; there is {listed}{why}"

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._named]

    def __iter__(self) -> Iterator[str]:
        return iter(self._kernels)

    def __len__(self) -> int:
        return len(self._kernels)

    def __repr__(self) -> str:
        of = f" of {self._path.name}" if self._path else ""
        return f"<lift program{of}: {', '.join(self._kernels)}>"


def load(path: str | Path) -> Program:
    """The program in a file."""
    file = Path(path).resolve()
    if not file.is_file():
        raise LiftError("unreadable-file", f"{path} is a folder" if file.is_dir() else f"there is no file {path}")
    return Program(file, "")


def source(text: str) -> Program:
    """The program in a text."""
    if not isinstance(text, str):
        raise TypeError(f"the text of a program is a str, not {type(text).__name__}")
    return Program(None, text)
