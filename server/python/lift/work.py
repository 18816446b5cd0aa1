"""What tasks of Dask compute, in the process that runs them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from lift_runtime import Kernel, LiftError, Rows, sizes
from lift_runtime.errors import counted


class Call:
    """A call of a kernel with blocks and then sizes, of which None is the length of the first block.

    `names` are those of inputs of the program; the blocks that have names are equally long, and have `length` elements
    if it is known.
    """

    __name__ = "call"
    __slots__ = ("length", "names", "sizes")

    def __init__(self, sizes: Sequence[str], names: Sequence[str | None], length: int | None) -> None:
        self.sizes, self.names, self.length = tuple(sizes), tuple(names), length

    def __reduce__(self) -> tuple[Any, ...]:
        return Call, (self.sizes, self.names, self.length)

    def __call__(self, kernel: Kernel, *arguments: Any) -> Any:
        count = len(arguments) - len(self.sizes)
        inputs, given = arguments[:count], arguments[count:]
        self._check({name: length(block, name) for name, block in zip(self.names, inputs) if name is not None})
        numbers = {name: len(inputs[0]) if value is None else int(value) for name, value in zip(self.sizes, given)}
        try:
            return kernel.compute(inputs, numbers)
        except LiftError as problem:
            if problem.misfit is None:
                raise
            # The message names the block's type, and converting an array of Dask to its own type would do nothing.
            name, what = problem.misfit
            raise LiftError("input", f"what Dask computed for `{name}` does not fit: {what}") from None

    def _check(self, lengths: dict[str, int]) -> None:
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"{n} of `{name}`" for name, n in lengths.items())
            message = f"the arrays have one length by their types, but blocks that belong together have {listed}"
            raise LiftError("input", message)
        for name, n in lengths.items():
            if self.length not in (None, n):
                message = f"a block of `{name}` has {counted(n, 'element')}, but its chunk says {self.length}"
                raise LiftError("input", message)


def length(block: Any, name: str | None = None) -> int:
    """The number of elements of a block."""
    try:
        return len(block)
    except TypeError:
        of = f" of `{name}`" if name else ""
        message = f"a block{of} is an array or rows, not a `{type(block).__name__}`"
        raise LiftError("input", message) from None


def as_long(block: Any, lengths: list[int], length: int, name: str) -> Any:
    """The first block of an array whose length was given."""
    if sum(lengths) != length:
        has = counted(sum(lengths), "element")
        message = f"the sizes disagree: the length of `{name}` is given as {length}, but it has {has}"
        raise LiftError("input", message)
    return block


def size(size: Any, names: list[str], values: list[int]) -> int:
    return sizes.evaluate(size, dict(zip(names, values)))


def joined(blocks: list[Any]) -> Any:
    first = blocks[0]
    if isinstance(first, np.ndarray):
        return np.concatenate(blocks)
    if isinstance(first, Rows):
        values = [block.values[block.offsets[0] : block.offsets[-1]] for block in blocks]
        lengths = np.concatenate([np.diff(block.offsets) for block in blocks])
        return Rows.from_lengths(lengths, joined(values))
    return [item for block in blocks for item in block]


def records(table: Any) -> np.ndarray:
    """The columns of a table of pandas as the fields of one array."""
    return table.to_records(index=False).view(np.ndarray)


def slice(block: Any, start: int, end: int) -> Any:
    return Rows(block.offsets[start : end + 1], block.values) if isinstance(block, Rows) else block[start:end]


def item(values: Any, i: int) -> Any:
    return values[i]


def every(block: Any, count: int) -> Any:
    count = min(count, len(block))
    return block[np.array([(i + 1) * len(block) // (count + 1) for i in range(count)], np.intp)]


def between(block: Any, counts: Any, i: int) -> Any:
    ends = [0, *(int(n) for n in counts), len(block)]
    return block[ends[i] : ends[i + 1]] if i + 1 < len(ends) else block[:0]


def running(lengths: list[int]) -> list[int]:
    return [0, *np.cumsum(lengths).tolist()]
