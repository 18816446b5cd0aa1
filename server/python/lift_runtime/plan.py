"""A host plan, read from its JSON (docs/plan.md)."""

from __future__ import annotations

import json
import keyword
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Union

from . import layout as layouts
from . import sizes
from .errors import LiftError
from .layout import Layout, Regular
from .sizes import Size

#: Version of the plan format that this runtime reads.
VERSION = 3
#: Maximum elements of an array in generated code, whose indices are `int`s.
LONGEST = 2**31 - 2**27
#: Error codes (`lift explain`) of the failures that kernels report.
CODES = {
    "index": "index-out-of-range",
    "divisionByZero": "division-by-zero",
    "argument": "bad-argument",
    "cast": "checked-cast",
    "assumption": "assumption-false",
}


@dataclass(frozen=True)
class Input:
    name: str
    type: str
    layout: Layout
    regular: Regular | None


@dataclass(frozen=True)
class Buffer:
    name: str
    element: str
    capacity: Size
    role: str
    #: Whether its capacity depends on a length that is computed during the run.
    late: bool

    @property
    def itemsize(self) -> int:
        return layouts.DTYPES[self.element].itemsize


@dataclass(frozen=True)
class Launch:
    index: int
    kernel: str
    label: str
    #: `("buffer", index)`, or `("int" | "long" | "localBytes", size)`.
    args: tuple[tuple[str, Any], ...]
    groups: tuple[tuple[Size, int], ...]
    local: tuple[int, int, int]
    exact: bool
    only_if: tuple[Size, ...]
    #: Whether its arguments depend on a length that is computed during the run, or on a loop index.
    late: bool


@dataclass(frozen=True)
class Zero:
    buffer: int


@dataclass(frozen=True)
class Repeat:
    count: Size
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class For:
    index: str
    count: Size
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class While:
    test: tuple[Step, ...]
    flag: int
    steps: tuple[Step, ...]


@dataclass(frozen=True)
class Swap:
    a: int
    b: int


@dataclass(frozen=True)
class Measure:
    size: str
    source: int
    negative: int


Step = Union[Launch, Zero, Repeat, For, While, Swap, Measure]


class Plan:
    """The host plan of a kernel, parsed. Immutable."""

    def __init__(self, text: str) -> None:
        plan = json.loads(text)
        if plan.get("version") != VERSION:
            raise LiftError(
                "internal-error",
                f"the plan has version {plan.get('version')}, this runtime reads version {VERSION}: "
                "generate it again with the program that belongs to the runtime",
            )
        self.kernel: str = plan["kernel"]
        self.sizes: list[str] = plan["sizes"]
        self._index = {buffer["name"]: i for i, buffer in enumerate(plan["buffers"])}
        #: Names of sizes that are computed during the run.
        self.measured = frozenset(_measured(plan["steps"]))
        #: Index variables of loops.
        self.indices = frozenset(_indices(plan["steps"]))
        self.buffers = [
            Buffer(b["name"], b["element"], b["capacity"], b["role"], self._waits(b["capacity"]))
            for b in plan["buffers"]
        ]
        elements = [buffer.element for buffer in self.buffers]
        self.inputs: list[Input] = []
        for entry in plan["inputs"]:
            parsed = layouts.parse(entry["layout"], self._index, elements, frozenset())
            self.inputs.append(Input(entry["name"], entry["type"], parsed, layouts.regular(parsed)))
        self.result: Layout = layouts.parse(plan["result"]["layout"], self._index, elements, frozenset())
        self.result_type: str = plan["result"]["type"]
        self.checks: list[dict[str, Any]] = plan["checks"]
        self.failures: list[dict[str, Any]] = plan["failures"]
        self.launches: list[Launch] = []
        self.steps = self._steps(plan["steps"])
        self.failure: int | None = next((i for i, b in enumerate(self.buffers) if b.role == "failure"), None)
        self.longest = {name for item in self.inputs for name in _longest(item.layout)} - set(self.sizes)
        #: Buffers that are swapped with another during a run.
        self.swapped = set(_swapped(self.steps))

    def __repr__(self) -> str:
        return f"<plan of {self.kernel}>"

    @property
    def keywords(self) -> dict[str, str]:
        """Size names by their keywords in a Python call."""
        return dict(zip(identifiers(self.sizes, _OPTIONS), self.sizes))

    @property
    def type(self) -> str:
        return "".join(f"{item.type} -> " for item in self.inputs) + self.result_type

    def failed(self, which: int, first: int, second: int) -> LiftError:
        """The error for a failure that a kernel reported."""
        if not 0 <= which < len(self.failures):
            message = f"a kernel reported failure {which}, which the plan does not know (a defect of lift)"
            return LiftError("internal-error", message)
        failure = self.failures[which]
        numbers = {"{0}": first, "{0+1}": first + 1, "{1}": second}
        message = failure["message"]
        for mark, number in numbers.items():
            message = message.replace(mark, str(number))
        return LiftError(CODES.get(failure["kind"], failure["kind"]), message, failure["at"] or None)

    def _waits(self, *all_sizes: Size) -> bool:
        later = self.measured | self.indices
        return any(name in later for size in all_sizes for name in sizes.names(size))

    def _steps(self, steps: list[dict[str, Any]]) -> tuple[Step, ...]:
        return tuple(self._step(step) for step in steps)

    def _step(self, step: dict[str, Any]) -> Step:
        ((kind, value),) = step.items()
        if kind == "launch":
            return self._launch(value)
        if kind == "zero":
            return Zero(self._index[value])
        if kind == "repeat":
            return Repeat(value["count"], self._steps(value["steps"]))
        if kind == "for":
            return For(value["index"], value["count"], self._steps(value["steps"]))
        if kind == "while":
            return While(self._steps(value["test"]), self._index[value["flag"]], self._steps(value["steps"]))
        if kind == "swap":
            return Swap(self._index[value[0]], self._index[value[1]])
        return Measure(value["size"], self._index[value["from"]], value["negative"])

    def _launch(self, launch: dict[str, Any]) -> Launch:
        args = []
        for arg in launch["args"]:
            ((kind, value),) = arg.items()
            args.append((kind, self._index[value] if kind == "buffer" else value))
        groups = tuple(
            (count["count"], count["multipleOf"]) if isinstance(count, dict) else (count, 1)
            for count in launch["groups"]
        )
        only_if = tuple(launch.get("onlyIf", ()))
        late = self._waits(
            *(value for kind, value in args if kind != "buffer"), *(size for size, _ in groups), *only_if
        )
        made = Launch(
            len(self.launches),
            launch["kernel"],
            launch["label"],
            tuple(args),
            groups,
            tuple(max(n, 1) for n in launch["local"]),
            launch["exactLocal"],
            only_if,
            late,
        )
        self.launches.append(made)
        return made


def identifiers(names: list[str], taken: Iterable[str] = ()) -> list[str]:
    """Maps names of Lift to distinct Python identifiers that are not in `taken`. Names that are valid in Python are
    kept."""
    wanted = [_identifier(name) for name in names]
    found, used = list(wanted), set(taken)
    for i in sorted(range(len(names)), key=lambda i: wanted[i] != names[i]):
        while found[i] in used:
            found[i] += "_"
        used.add(found[i])
    return found


def _identifier(name: str) -> str:
    plain = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in name)
    return plain if plain.isidentifier() and not keyword.iskeyword(plain) else f"_{plain}"


#: Keyword arguments of a call that are not sizes.
_OPTIONS = ("out", "copy", "target", "seconds", "chunks")


def _measured(steps: list[dict[str, Any]]) -> list[str]:
    found = []
    for step in steps:
        ((kind, value),) = step.items()
        if kind == "measure":
            found.append(value["size"])
        elif kind in ("repeat", "for", "while"):
            found += _measured(value.get("test", [])) + _measured(value["steps"])
    return found


def _indices(steps: list[dict[str, Any]]) -> list[str]:
    found = []
    for step in steps:
        ((kind, value),) = step.items()
        if kind == "for":
            found.append(value["index"])
        if kind in ("repeat", "for", "while"):
            found += _indices(value.get("test", [])) + _indices(value["steps"])
    return found


def _swapped(steps: tuple[Step, ...]) -> list[int]:
    found = []
    for step in steps:
        if isinstance(step, Swap):
            found += [step.a, step.b]
        elif isinstance(step, (Repeat, For)):
            found += _swapped(step.steps)
        elif isinstance(step, While):
            found += _swapped(step.test) + _swapped(step.steps)
    return found


def _longest(layout: Layout) -> list[str]:
    if isinstance(layout, layouts.Leaf):
        return []
    if isinstance(layout, layouts.Tuple):
        return [name for part in layout.parts for name in _longest(part)]
    inner = _longest(layout.of)
    if isinstance(layout, layouts.Exists):
        inner += [at_most for _, _, at_most in layout.lengths if isinstance(at_most, str)]
    return inner
