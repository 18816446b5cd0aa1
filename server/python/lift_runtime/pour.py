"""Sizes that follow from inputs, and columns into buffers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from . import sizes
from .errors import LiftError, counted
from .layout import Array, Column, Exists, Flat, Layout, Leaf, Lists, Numbers, Packed, Parts, Tuple, innermost
from .plan import Input, Plan, identifiers
from .sizes import NoValue, Size, Unknown


@dataclass(frozen=True)
class Equation:
    """An equation between a length in an input's type and the length of the value."""

    size: Size
    value: int
    input: str
    dim: int

    def subject(self) -> str:
        of = f"`{self.input}`"
        whole = ("", "the rows of ")[self.dim] if self.dim < 2 else f"dimension {self.dim + 1} of "
        verb = "have" if self.dim == 1 else "has"
        return f"{whole}{of} {verb} {counted(self.value, 'element')}"


def bind(plan: Plan, columns: list[Column], given: dict[str, int]) -> dict[str, int]:
    """Solves for the values of all sizes, and for the maximum of each hidden length of inputs."""
    equations: list[Equation] = []
    longest = dict.fromkeys(plan.longest, 0)
    for item, column in zip(plan.inputs, columns):
        shapes(item, column, equations, longest)
    values = {**given, **longest}
    solve_shapes(plan, equations, values, False)
    return values


def solve_shapes(plan: Plan, equations: list[Equation], values: dict[str, int], partly: bool) -> None:
    """Solves equations for the sizes of a plan. `partly`: some sizes may stay unsolved."""
    found_by: dict[str, str] = {}
    _solve(plan, equations, values, found_by)
    for equation in equations:
        try:
            fits = sizes.evaluate(equation.size, values) == equation.value
        except NoValue:
            fits = False
        except Unknown as unknown:
            raise LiftError("input", _unsolved(plan, equation, str(unknown), values)) from None
        if not fits:
            raise LiftError("input", _disagreement(equation, values, found_by))
    for name in plan.sizes:
        if name not in values and not partly:
            message = f"the size `{name}` does not follow from the shapes of the inputs; {advice(plan, name)}"
            raise LiftError("input", message)


def check_given(plan: Plan, given: dict[str, Any]) -> dict[str, int]:
    """Checks that the sizes given in a call are sizes of the kernel, and returns them."""
    if not given:
        return {}
    keywords, inputs, found = plan.keywords, [item.name for item in plan.inputs], {}
    for word, value in given.items():
        name = keywords.get(word, word)
        if name not in plan.sizes and word in (*inputs, *identifiers(inputs)):
            message = f"`{word}` is an input of `{plan.kernel}`: inputs are given by position; only sizes have names"
            raise LiftError("input", message)
        if name not in plan.sizes:
            known = ", ".join(f"`{size}`" for size in keywords)
            has = {0: "no sizes", 1: f"the size {known}"}.get(len(plan.sizes), f"the sizes {known}")
            raise LiftError("input", f"`{plan.kernel}` has {has}, and no `{name}`")
        if value is None:
            # The keyword's default in the signature means that the size is not given.
            continue
        if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 0:
            raise LiftError("input", f"the size `{name}` is given as {value!r}; a size is a natural number")
        if value > 2**31 - 1:
            raise LiftError("input", f"the size {name} = {value} is too large: an Int is at most {2**31 - 1}")
        found[name] = int(value)
    return found


def check_assumptions(plan: Plan, values: dict[str, int]) -> None:
    """Checks the program's assumptions before it runs."""
    for check in plan.checks:
        condition = {key: check[key] for key in check if key not in ("condition", "at")}
        if not sizes.holds(condition, values):
            mentioned = dict.fromkeys(name for name in sizes.condition_names(condition) if name in values)
            known = ", ".join(f"{name} = {values[name]}" for name in mentioned)
            message = f"the program relies on `{check['condition']}`, which is false{' for ' if known else ''}{known}"
            raise LiftError("assumption-false", message, check["at"] or None)


def shapes(item: Input, column: Column, equations: list[Equation], longest: dict[str, int]) -> None:
    """Adds an input's equations and the maximum of its hidden lengths. Checks rows whose type has one length."""
    _Shapes(item, equations, longest).walk(item.layout, column, 0)


class _Shapes:
    """Gathers the equations of an input."""

    def __init__(self, item: Input, equations: list[Equation], longest: dict[str, int]) -> None:
        self.item, self.equations, self.longest = item, equations, longest

    def walk(self, layout: Layout, column: Column, dim: int) -> None:
        if isinstance(layout, Tuple) and isinstance(column, Parts):
            for part, inner in zip(layout.parts, column.columns):
                self.walk(part, inner, dim)
        elif isinstance(layout, Exists):
            for name, _, at_most in layout.lengths:
                found = length_of(layout.of, column, name)
                if isinstance(at_most, str) and at_most in self.longest and found is not None:
                    most = int(np.max(found, initial=0)) if isinstance(found, np.ndarray) else found
                    self.longest[at_most] = max(self.longest[at_most], most)
            self.walk(layout.of, column, dim)
        elif isinstance(layout, (Array, Packed)) and isinstance(column, Lists):
            if isinstance(layout, Packed) and isinstance(column.of, Flat):
                self.add(layout.scalars, len(column.of.data), dim)
                return
            if isinstance(layout, Packed) or not layout.own:
                self.equal(layout.length, column, dim)
            self.walk(layout.of, column.of, dim + 1)

    def equal(self, size: Size, column: Lists, dim: int) -> None:
        """Adds the equation for a length that all instances share."""
        lengths = column.lengths
        if isinstance(lengths, np.ndarray):
            if not len(lengths):
                return
            other = np.flatnonzero(lengths != lengths[0])
            if len(other):
                row, first = int(other[0]), int(lengths[0])
                had, has = counted(first, "element"), counted(int(lengths[row]), "element")
                message = (
                    f"input `{self.item.name}` does not fit its type `{self.item.type}`: its rows are not equally "
                    f"long: row 0 has {had}, row {row} has {has}"
                )
                raise LiftError("input", message)
            lengths = int(lengths[0])
        self.add(size, lengths, dim)

    def add(self, size: Size, value: int, dim: int) -> None:
        self.equations.append(Equation(size, value, self.item.name, dim))


def length_of(layout: Layout, column: Column, name: str) -> Any:
    """The value of a hidden length in each instance, from the array that has it as its length."""
    if isinstance(layout, Tuple) and isinstance(column, Parts):
        for part, inner in zip(layout.parts, column.columns):
            found = length_of(part, inner, name)
            if found is not None:
                return found
    if isinstance(layout, Exists):
        return length_of(layout.of, column, name)
    if isinstance(layout, (Array, Packed)) and isinstance(column, Lists):
        if layout.length == name:
            return column.lengths
        inner = length_of(layout.of, column.of, name)
        if isinstance(inner, np.ndarray) and isinstance(column.lengths, np.ndarray):
            # All elements of an instance agree, so take the first; an empty instance has 0.
            starts = np.cumsum(column.lengths) - column.lengths
            padded = np.append(inner, 0)
            return np.where(column.lengths > 0, padded[np.minimum(starts, len(inner))], 0)
        if isinstance(inner, np.ndarray):
            return inner[:: column.lengths] if column.lengths else inner
        return inner
    return None


def _solve(plan: Plan, equations: list[Equation], values: dict[str, int], found_by: dict[str, str]) -> None:
    """Solves repeatedly any equation with exactly one unknown size."""
    unsolved = list(equations)
    while True:
        left = []
        for equation in unsolved:
            size = equation.size
            free = {name for name in sizes.names(size) if name in plan.sizes and name not in values}
            if len(free) != 1:
                left += [equation] * (len(free) > 1)
                continue
            (name,) = free
            found = equation.value if size == name else sizes.solve(size, name, equation.value, values)
            if found is not None:
                values[name] = found
                found_by[name] = equation.input
        if len(left) == len(unsolved):
            return
        unsolved = left


def advice(plan: Plan, name: str) -> str:
    word = next(word for word, size in plan.keywords.items() if size == name)
    return f"give it, as in `{word}=16`"


def _unsolved(plan: Plan, equation: Equation, name: str, values: dict[str, int]) -> str:
    free = [n for n in sizes.names(equation.size) if n in plan.sizes and n not in values]
    if len(set(free)) == 1 and isinstance(equation.size, list):
        shown, known = sizes.text(equation.size), dict.fromkeys(n for n in sizes.names(equation.size) if n in values)
        where = f" with {', '.join(f'{n} = {values[n]}' for n in known)}" if known else ""
        return f"{equation.subject()}, but by its type that number is `{shown}`, which it is for no `{name}`{where}"
    return (
        f"the size `{name}` does not follow from the shapes of the inputs: {equation.subject()}, "
        f"which is `{sizes.text(equation.size)}`; {advice(plan, name)}"
    )


def _disagreement(equation: Equation, values: dict[str, int], found_by: dict[str, str]) -> str:
    reasons = []
    for name in dict.fromkeys(sizes.names(equation.size)):
        if name in found_by:
            reasons.append(f"`{name}` is {values[name]} by `{found_by[name]}`")
        elif name in values:
            reasons.append(f"`{name}` is given as {values[name]}")
    shown = sizes.text(equation.size)
    if not reasons:
        return f"{equation.subject()}, but its type says {shown}"
    reason = " and ".join(reasons)
    if isinstance(equation.size, list):
        try:
            reason += f", so that `{shown}` is {sizes.evaluate(equation.size, values)}"
        except NoValue as problem:
            return f"the sizes disagree: {reason}, but then `{shown}` is not a length: {problem}"
    return f"the sizes disagree: {reason}, but {equation.subject()}"


class Pour:
    """Marshals columns into flat arrays, one for each buffer of the layout."""

    def __init__(self, plan: Plan, values: dict[str, int], capacities: list[int | None]) -> None:
        self.plan, self.values, self.capacities = plan, values, capacities
        self.flat: dict[int, np.ndarray] = {}

    def input(self, item: Input, column: Column) -> None:
        self.item = item
        self._walk(item.layout, column, 1, None, dict(self.values), dict(self.values))

    def _put(self, buffer: int, data: np.ndarray, at: np.ndarray | None) -> None:
        if data.dtype == np.bool_:
            data = data.view(np.uint8)
        if at is not None:
            wide = data.shape[1] if data.ndim > 1 else 1
            room = np.zeros((self.capacities[buffer] or 0) // wide * wide, data.dtype)
            (room.reshape(-1, wide) if data.ndim > 1 else room)[at] = data
            data = room
        self.flat[buffer] = data.reshape(-1)

    def _wrong(self, what: str) -> LiftError:
        return LiftError("input", f"input `{self.item.name}` does not fit its type `{self.item.type}`: {what}")

    def _walk(
        self,
        layout: Layout,
        column: Column,
        count: int,
        at: np.ndarray | None,
        extents: dict[str, Any],
        strides: dict[str, int],
    ) -> None:
        """Writes `count` instances at the offsets `at`; `None`: one after the other."""
        if isinstance(layout, Leaf) and isinstance(column, Numbers):
            self._put(layout.buffer, column.data, at)
        elif isinstance(layout, Tuple) and isinstance(column, Parts):
            for part, inner in zip(layout.parts, column.columns):
                self._walk(part, inner, count, at, extents, strides)
        elif isinstance(layout, Exists):
            extents, strides = dict(extents), dict(strides)
            for name, buffer, at_most in layout.lengths:
                found = length_of(layout.of, column, name)
                if found is None:
                    raise self._wrong(f"the length {name} cannot be read off a value")
                each = np.full(count, found, np.int32) if isinstance(found, int) else found.astype(np.int32)
                strides[name] = sizes.evaluate(at_most, strides)
                if len(each) and int(each.max()) > strides[name]:
                    most = f"at most {sizes.text(at_most)} = {strides[name]} is allowed"
                    raise self._wrong(f"its length is {each.max()}; {most}")
                extents[name] = found
                self._put(buffer, each, at)
            self._walk(layout.of, column, count, at, extents, strides)
        elif isinstance(layout, Array) and isinstance(column, Lists):
            self._check(layout.length, column, extents)
            stride = sizes.evaluate(layout.length, strides)
            inner = {name: column.spread(value) for name, value in extents.items()}
            total, places = elements(column, count, at, stride)
            self._walk(layout.of, column.of, total, places, inner, strides)
        elif isinstance(layout, Packed) and isinstance(column, Lists):
            self._packed(layout, column, count, at, extents, strides)

    def _check(self, size: Size, column: Lists, extents: dict[str, Any]) -> None:
        wanted = sizes.evaluate(size, extents)
        if np.all(np.equal(wanted, column.lengths)):
            return
        wrong = int(np.flatnonzero(np.not_equal(wanted, column.lengths))[0])
        needed, found = (int(np.atleast_1d(v)[min(wrong, np.size(v) - 1)]) for v in (wanted, column.lengths))
        row = f"in row {wrong}, " if np.size(wanted) > 1 or np.size(column.lengths) > 1 else ""
        named = f"{sizes.text(size)} = {needed}" if not isinstance(size, int) else f"{needed}"
        raise self._wrong(f"{row}an array of {named} elements is needed, not of {found}")

    def _packed(
        self,
        layout: Packed,
        column: Lists,
        count: int,
        at: np.ndarray | None,
        extents: dict[str, Any],
        strides: dict[str, int],
    ) -> None:
        """Writes concatenated rows: only the innermost scalars have offsets of their own."""
        each = sizes.evaluate(layout.scalars, strides)
        inside, inner, total = layout, column, count
        if isinstance(column.of, Flat):
            leaf = innermost(layout)
            assert isinstance(leaf, Leaf)
            self._put(leaf.buffer, column.of.data, None)
            return
        values = dict(extents)
        layouts: Layout = inside
        found: Column = inner
        while isinstance(layouts, (Array, Packed)) and isinstance(found, Lists):
            self._check(layouts.length, found, values)
            values = {name: found.spread(value) for name, value in values.items()}
            total = total * found.lengths if isinstance(found.lengths, int) else int(found.lengths.sum())
            if isinstance(layouts, Packed):
                values[layouts.position] = positions(found, total)
            layouts, found = layouts.of, found.of
        places = None
        if at is not None and count:
            places = np.repeat(at * each, each) + np.tile(np.arange(each), count)
        self._walk(layouts, found, total, places, values, strides)


def positions(column: Lists, total: int) -> np.ndarray:
    """The index of each element in its instance."""
    if isinstance(column.lengths, int):
        return np.arange(total) % max(column.lengths, 1)
    starts = np.cumsum(column.lengths) - column.lengths
    return np.arange(total) - np.repeat(starts, column.lengths)


def elements(column: Lists, count: int, at: np.ndarray | None, stride: int) -> tuple[int, np.ndarray | None]:
    """The number of elements of all instances, and their offsets."""
    lengths = column.lengths
    total = count * lengths if isinstance(lengths, int) else int(lengths.sum())
    if at is None and (count <= 1 or (isinstance(lengths, int) and lengths == stride)):
        return total, None
    base = (np.arange(count) if at is None else at) * stride
    return total, np.repeat(base, lengths) + positions(column, total)
