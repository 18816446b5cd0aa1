"""Buffers into the values of Python: first the lengths, then the elements that there are."""

from __future__ import annotations

from typing import Any, Callable, Optional, Union

import numpy as np

from . import sizes
from .layout import Array, Column, Exists, Flat, Layout, Leaf, Lists, Numbers, Packed, Parts, Tuple
from .pour import elements, positions
from .rows import Rows

#: Reads elements of `width` numbers from a buffer: those at the given indices, or the first `count`.
Read = Callable[[int, int, Optional[np.ndarray], int], np.ndarray]


class Collect:
    """Reads a value with a layout from buffers."""

    def __init__(self, read: Read, values: dict[str, int]) -> None:
        self.read, self.values = read, values

    def column(self, layout: Layout) -> Column:
        """Reads a result as a column of one instance."""
        return self._walk(layout, 1, None, dict(self.values), dict(self.values))

    def _walk(
        self, layout: Layout, count: int, at: np.ndarray | None, extents: dict[str, Any], strides: dict[str, int]
    ) -> Column:
        if isinstance(layout, Leaf):
            data = self.read(layout.buffer, count, at, layout.width or 1)
            if layout.element == "Bool":
                data = data.view(np.bool_)
            return Numbers(data.reshape(-1, layout.width) if layout.width else data)
        if isinstance(layout, Tuple):
            return Parts([self._walk(part, count, at, extents, strides) for part in layout.parts])
        if isinstance(layout, Exists):
            extents, strides = dict(extents), dict(strides)
            for name, buffer, at_most in layout.lengths:
                found = self.read(buffer, count, at, 1)
                strides[name] = sizes.evaluate(at_most, strides)
                extents[name] = int(found[0]) if count == 1 else found.astype(np.int64)
            return self._walk(layout.of, count, at, extents, strides)
        if isinstance(layout, Packed):
            return self._packed(layout, count, at, extents, strides)
        lengths = sizes.evaluate(layout.length, extents)
        column = Lists(lengths, Parts([]))
        total, places = elements(column, count, at, sizes.evaluate(layout.length, strides))
        inner = {name: column.spread(value) for name, value in extents.items()}
        column.of = self._walk(layout.of, total, places, inner, strides)
        return column

    def _packed(
        self, layout: Packed, count: int, at: np.ndarray | None, extents: dict[str, Any], strides: dict[str, int]
    ) -> Column:
        each = sizes.evaluate(layout.scalars, strides)
        places = None
        if at is not None and count:
            places = np.repeat(at * each, each) + np.tile(np.arange(each), count)
        outer = found = Lists(0, Parts([]))
        inside: Layout = layout
        total = count
        values = dict(extents)
        while True:
            assert isinstance(inside, (Array, Packed))
            found.lengths = sizes.evaluate(inside.length, values)
            values = {name: found.spread(value) for name, value in values.items()}
            total = total * found.lengths if isinstance(found.lengths, int) else int(found.lengths.sum())
            if isinstance(inside, Packed):
                values[inside.position] = positions(found, total)
            inside = inside.of
            if not isinstance(inside, (Array, Packed)):
                break
            deeper = Lists(0, Parts([]))
            found.of = deeper
            found = deeper
        found.of = self._walk(inside, total, places, values, strides)
        return outer


def value(layout: Layout, column: Column) -> Any:
    """The Python value of a column: NumPy arrays if rows are equally long, otherwise `Rows`; tuples, numbers."""
    if isinstance(layout, Exists):
        return value(layout.of, column)
    if isinstance(layout, Tuple) and isinstance(column, Parts):
        return tuple(value(part, inner) for part, inner in zip(layout.parts, column.columns))
    if isinstance(layout, Leaf) and isinstance(column, Numbers):
        found = column.data[0]
        return bool(found) if layout.element == "Bool" and not layout.width else found
    assert isinstance(layout, (Array, Packed)) and isinstance(column, Lists)
    count = column.lengths if isinstance(column.lengths, int) else int(column.lengths[0])
    return _many(layout.of, column.of, count)


def given(layout: Layout, column: Column) -> Any:
    """The Python value that an input would have as a result."""
    if isinstance(column, Lists) and isinstance(column.of, Flat):
        return column.of.data
    return value(layout, _even(layout, column))


def _even(layout: Layout, column: Column) -> Column:
    """The column with one length for rows that are equally long by their type."""
    if isinstance(layout, Exists):
        return _even(layout.of, column)
    if isinstance(layout, Tuple) and isinstance(column, Parts):
        return Parts([_even(part, inner) for part, inner in zip(layout.parts, column.columns)])
    if not isinstance(layout, (Array, Packed)) or not isinstance(column, Lists):
        return column
    lengths = column.lengths
    if isinstance(lengths, np.ndarray) and isinstance(layout, Array) and not layout.own:
        lengths = int(lengths[0]) if len(lengths) else 0
    return Lists(lengths, _even(layout.of, column.of))


Sequenced = Union[np.ndarray, Rows, list]


def _many(layout: Layout, column: Column, count: int) -> Sequenced:
    """`count` instances, concatenated."""
    if isinstance(layout, Exists):
        return _many(layout.of, column, count)
    if isinstance(column, Numbers):
        return column.data
    if isinstance(layout, Tuple) and isinstance(column, Parts):
        parts = [_many(part, inner, count) for part, inner in zip(layout.parts, column.columns)]
        if all(isinstance(part, np.ndarray) for part in parts):
            return _records([part for part in parts if isinstance(part, np.ndarray)], count)
        return list(zip(*parts))
    assert isinstance(layout, (Array, Packed)) and isinstance(column, Lists)
    lengths = column.lengths
    total = count * lengths if isinstance(lengths, int) else int(lengths.sum())
    inner = _many(layout.of, column.of, total)
    own = isinstance(layout, Array) and layout.own
    if isinstance(inner, np.ndarray) and isinstance(lengths, int) and not own:
        return inner.reshape(count, lengths, *inner.shape[1:])
    offsets = np.zeros(count + 1, np.int64)
    np.cumsum(np.broadcast_to(lengths, count), out=offsets[1:])
    if isinstance(inner, list):
        bounds = offsets.tolist()
        return [inner[a:b] for a, b in zip(bounds[:-1], bounds[1:])]
    return Rows(offsets, inner)


def _records(parts: list[np.ndarray], count: int) -> np.ndarray:
    fields = [(f"f{i}", part.dtype, part.shape[1:]) for i, part in enumerate(parts)]
    records = np.empty(count, np.dtype(fields))
    for i, part in enumerate(parts):
        records[f"f{i}"] = part
    return records
