"""How values lie in buffers, as a plan says it (docs/plan.md), and the columns that hold values meanwhile.

A *column* holds many instances of a layout, as Arrow does: a leaf all numbers, an array the lengths of its instances
and a column of the elements of all of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Union

import numpy as np

from . import sizes
from .sizes import Size

#: The element types of the language, by the names of NumPy.
DTYPES = {
    "Byte": np.dtype(np.int8),
    "UByte": np.dtype(np.uint8),
    "Short": np.dtype(np.int16),
    "UShort": np.dtype(np.uint16),
    "Int": np.dtype(np.int32),
    "UInt": np.dtype(np.uint32),
    "Long": np.dtype(np.int64),
    "ULong": np.dtype(np.uint64),
    "Half": np.dtype(np.float16),
    "Float": np.dtype(np.float32),
    "Double": np.dtype(np.float64),
    "Bool": np.dtype(np.bool_),
}


@dataclass(frozen=True)
class Leaf:
    """One element of a buffer, or a vector of `width`."""

    buffer: int
    element: str
    width: int | None

    @property
    def dtype(self) -> np.dtype:
        return DTYPES[self.element]


@dataclass(frozen=True)
class Tuple:
    parts: tuple[Layout, ...]


@dataclass(frozen=True)
class Array:
    length: Size
    of: Layout
    #: Whether the length is hidden, so that instances may differ in it.
    own: bool


@dataclass(frozen=True)
class Packed:
    """Rows stored one after the other whose type mentions their index, `position`."""

    length: Size
    position: str
    of: Layout
    #: Number of scalars in an instance.
    scalars: Size


@dataclass(frozen=True)
class Exists:
    """A value with hidden lengths: the name of each, the buffer that holds it, and its upper bound."""

    lengths: tuple[tuple[str, int, Size], ...]
    of: Layout


Layout = Union[Leaf, Tuple, Array, Packed, Exists]


@dataclass
class Numbers:
    """The column of a `Leaf`: an array whose first axis is the instances."""

    data: np.ndarray


@dataclass
class Parts:
    """The column of a `Tuple`."""

    columns: list[Column]


@dataclass
class Lists:
    """The column of an `Array`: the length of each instance, or one number if all are equal."""

    lengths: int | np.ndarray
    of: Column

    def spread(self, values: Any) -> Any:
        """Repeats a number per instance for each of its elements."""
        if not isinstance(values, np.ndarray):
            return values
        return np.repeat(values, self.lengths)


@dataclass
class Flat:
    """The column of one instance of `Packed`: all its scalars, concatenated."""

    data: np.ndarray


Column = Union[Numbers, Parts, Lists, Flat]


def parse(json: dict[str, Any], buffers: dict[str, int], elements: list[str], own: frozenset[str]) -> Layout:
    """A layout of a plan. `own` are the names of lengths that differ from instance to instance."""
    if "buffer" in json:
        index = buffers[json["buffer"]]
        return Leaf(index, elements[index], json.get("width"))
    if "tuple" in json:
        return Tuple(tuple(parse(part, buffers, elements, own) for part in json["tuple"]))
    if "length" in json:
        differs = any(name in own for name in sizes.names(json["length"]))
        return Array(json["length"], parse(json["of"], buffers, elements, own), differs)
    if "rows" in json:
        of = parse(json["of"], buffers, elements, own | {json["position"]})
        return Packed(json["rows"], json["position"], of, ["sum", json["position"], json["rows"], _scalars(of)])
    lengths = tuple((entry["length"], buffers[entry["buffer"]], entry["atMost"]) for entry in json["exists"])
    return Exists(lengths, parse(json["of"], buffers, elements, own | {name for name, _, _ in lengths}))


def _scalars(layout: Layout) -> Size:
    if isinstance(layout, Array):
        return ["*", layout.length, _scalars(layout.of)]
    return layout.scalars if isinstance(layout, Packed) else 1


def innermost(layout: Layout) -> Layout:
    """The element layout of the innermost array of a layout."""
    while isinstance(layout, (Array, Packed)):
        layout = layout.of
    return layout


def known_leaves(layout: Layout) -> Iterator[Leaf]:
    """The scalars that are in no array of hidden length, from left to right."""
    if isinstance(layout, Leaf):
        yield layout
    elif isinstance(layout, Tuple):
        for part in layout.parts:
            yield from known_leaves(part)
    elif not isinstance(layout, Exists):
        yield from known_leaves(layout.of)


@dataclass(frozen=True)
class Regular:
    """A layout of equally long rows of scalars, stored as one NumPy array."""

    leaf: Leaf
    lengths: tuple[Size, ...]
    #: Includes the dimension of vectors.
    rank: int


def regular(layout: Layout) -> Regular | None:
    """The layout as one NumPy array; None if it is not `Regular`."""
    lengths = []
    inside = layout
    while isinstance(inside, Array) and not inside.own:
        lengths.append(inside.length)
        inside = inside.of
    if not isinstance(inside, Leaf):
        return None
    return Regular(inside, tuple(lengths), len(lengths) + (inside.width is not None))
