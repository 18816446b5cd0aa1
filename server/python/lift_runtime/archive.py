"""Values as named arrays, as `.npz` files hold them (docs/running.md).

Each scalar of a type is one array: `values`, or for a part of a tuple its position, as in `0` or `1.0`. Where rows have
different lengths it is `values` and `offsets`, with `offsets1` and so on for each level of rows inside.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Union

import numpy as np

from .errors import LiftError
from .layout import Array, Column, Exists, Flat, Layout, Leaf, Lists, Numbers, Packed, Parts, Tuple

#: Length of an array around a leaf: one number or one per instance, and whether instances differ.
Level = tuple[Union[int, np.ndarray], bool]


def to_arrays(layout: Layout, column: Column) -> dict[str, np.ndarray]:
    """The arrays for a column of one instance."""
    found: dict[str, np.ndarray] = {}
    _write(found, layout, column, "", [])
    return found


def _write(found: dict[str, np.ndarray], layout: Layout, column: Column, path: str, levels: list[Level]) -> None:
    if isinstance(layout, Exists):
        _write(found, layout.of, column, path, levels)
    elif isinstance(layout, Tuple) and isinstance(column, Parts):
        for i, (part, inner) in enumerate(zip(layout.parts, column.columns)):
            _write(found, part, inner, f"{path}.{i}" if path else str(i), levels)
    elif isinstance(column, Lists) and isinstance(layout, (Array, Packed)):
        if isinstance(column.of, Flat):
            found[path or "values"] = column.of.data
            return
        own = isinstance(layout, Array) and layout.own
        _write(found, layout.of, column.of, path, [*levels, (column.lengths, own)])
    elif isinstance(column, Numbers):
        last = max((i for i, (_, own) in enumerate(levels) if own), default=0)
        prefix = f"{path}." if path else ""
        count, shape = 1, []
        for i, (lengths, _) in enumerate(levels):
            if 0 < i <= last:
                offsets = np.zeros(count + 1, np.int64)
                np.cumsum(np.broadcast_to(lengths, count), out=offsets[1:])
                found[prefix + _offsets(i)] = offsets
            count = count * lengths if isinstance(lengths, int) else int(lengths.sum())
            shape = [count] if 0 < i <= last else [*shape, _common(lengths)]
        name = f"{prefix}values" if last or not path else path
        found[name] = column.data.reshape((*shape, *column.data.shape[1:]))


def _common(lengths: int | np.ndarray) -> int:
    if isinstance(lengths, int):
        return lengths
    return int(lengths[0]) if len(lengths) else 0


def _offsets(level: int) -> str:
    return "offsets" if level == 1 else f"offsets{level - 1}"


def from_arrays(layout: Layout, arrays: Mapping[str, np.ndarray]) -> Column:
    """Reads a value, as a column of one instance, from named arrays."""
    return _read(arrays, layout, "", 0, False, 1)


def _depth(layout: Layout) -> list[bool]:
    """Whether the instances of an array differ in length, for each array from here inwards to a tuple or a scalar."""
    found = []
    while not isinstance(layout, (Leaf, Tuple)):
        if not isinstance(layout, Exists):
            found.append(isinstance(layout, Array) and layout.own)
        layout = layout.of
    return found


def _first_leaf(layout: Layout, path: str) -> tuple[str, list[bool]]:
    """The path of the first scalar in a layout, and `_depth` of the arrays around it."""
    levels: list[bool] = []
    while not isinstance(layout, Leaf):
        if isinstance(layout, Tuple):
            path, layout = (f"{path}.0" if path else "0"), layout.parts[0]
            continue
        if not isinstance(layout, Exists):
            levels.append(isinstance(layout, Array) and layout.own)
        layout = layout.of
    return path, levels


def _read(arrays: Mapping[str, np.ndarray], layout: Layout, path: str, level: int, owned: bool, count: int) -> Column:
    """Reads `count` instances inside of `level` arrays; `owned`: one of those arrays differs in length."""
    if isinstance(layout, Exists):
        return _read(arrays, layout.of, path, level, owned, count)
    if isinstance(layout, Tuple):
        parts = enumerate(layout.parts)
        return Parts([_read(arrays, p, f"{path}.{i}" if path else str(i), level, owned, count) for i, p in parts])
    if isinstance(layout, Leaf):
        data = _values(arrays, path)
        return Numbers(data.reshape(count, layout.width) if layout.width else data.reshape(count))
    leaf, below = _first_leaf(layout, path)
    offsets = arrays.get(f"{leaf}.{_offsets(level)}" if leaf else _offsets(level)) if level else None
    if offsets is not None:
        lengths: int | np.ndarray = np.diff(offsets)
        return Lists(lengths, _read(arrays, layout.of, path, level + 1, owned, int(offsets[-1])))
    data = _values(arrays, leaf)
    lists = sum(1 for i in range(1, level + len(below)) if (f"{leaf}." if leaf else "") + _offsets(i) in arrays)
    if level == 0 and lists:
        first = arrays[f"{leaf}.offsets" if leaf else "offsets"]
        length = len(first) - 1
    else:
        length = data.shape[level - lists]
    return Lists(length, _read(arrays, layout.of, path, level + 1, owned, count * length))


def _values(arrays: Mapping[str, np.ndarray], path: str) -> np.ndarray:
    for name in (path, f"{path}.values") if path else ("values",):
        if name in arrays:
            return arrays[name]
    raise LiftError("input", f"the archive has no array `{path or 'values'}`; it has {', '.join(arrays)}")
