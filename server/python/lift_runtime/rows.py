"""Rows of different lengths, one after the other: values, and the offsets at which rows begin and end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np

from .errors import counted


class Rows(Sequence):
    """A sequence of rows: row `i` is `values[offsets[i]:offsets[i + 1]]`.

    `values` is a NumPy array, or `Rows` again where rows are made of rows. Rows are views, not copies.
    """

    __slots__ = ("offsets", "values")

    def __init__(self, offsets: Any, values: np.ndarray | Rows) -> None:
        found = np.asarray(offsets)
        if found.dtype.kind not in "iu" and found.size:
            raise ValueError(f"offsets are integers, not {found.dtype}: `Rows(offsets, values)`")
        self.offsets = np.ascontiguousarray(found, np.int64)
        self.values = values
        if self.offsets.ndim != 1 or not len(self.offsets):
            raise ValueError("offsets are a vector of one number more than there are rows")
        steps = np.diff(self.offsets)
        if self.offsets[0] < 0 or self.offsets[-1] > len(values) or (len(steps) and steps.min() < 0):
            raise ValueError("offsets do not decrease, and none exceeds the number of values")

    @classmethod
    def from_lengths(cls, lengths: Any, values: np.ndarray | Rows) -> Rows:
        """Rows of these lengths, whose sum is the number of values."""
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        if offsets[-1] != len(values):
            raise ValueError(f"the lengths make {offsets[-1]} values; there are {len(values)}")
        return cls(offsets, values)

    @classmethod
    def from_arrow(cls, array: Any) -> Rows:
        """Rows of an Arrow array of lists, without a copy where Arrow allows."""
        import pyarrow as pa

        array = pa.array(array) if not isinstance(array, (pa.Array, pa.ChunkedArray)) else array
        if isinstance(array, pa.ChunkedArray):
            array = array.combine_chunks()
        if isinstance(array, pa.ExtensionArray):
            array = array.storage
        if not isinstance(array, (pa.ListArray, pa.LargeListArray)):
            raise ValueError(f"rows are an Arrow list array, not {array.type}")
        if array.null_count:
            raise ValueError(_null(array.null_count, "row"))
        offsets = array.offsets.to_numpy()
        first, last = int(offsets[0]), int(offsets[-1])
        # Only the slice must be free of nulls.
        inner = array.values.slice(first, last - first)
        if isinstance(inner, pa.ExtensionArray):
            inner = inner.storage
        is_rows = isinstance(inner, (pa.ListArray, pa.LargeListArray))
        return cls(offsets - first if first else offsets, cls.from_arrow(inner) if is_rows else from_arrow(inner))

    def to_arrow(self) -> Any:
        """The rows as an Arrow `LargeListArray`."""
        import pyarrow as pa

        inner = self.values.to_arrow() if isinstance(self.values, Rows) else _to_arrow(self.values)
        # Not nullable, because Lift has no missing values.
        of = pa.large_list(pa.field("item", inner.type, nullable=False))
        return pa.LargeListArray.from_arrays(pa.array(self.offsets), inner, type=of)

    def __arrow_array__(self, type: Any = None) -> Any:
        """The protocol of `pyarrow.array(rows)`."""
        made = self.to_arrow()
        return made if type is None else made.cast(type)

    @property
    def lengths(self) -> np.ndarray:
        """The length of each row."""
        return np.diff(self.offsets)

    def packed(self) -> Rows:
        """The same rows without values before the first row or after the last."""
        first, last = int(self.offsets[0]), int(self.offsets[-1])
        if first == 0 and last == len(self.values):
            return self
        return Rows(self.offsets - first, self.values[first:last])

    def astype(self, dtype: Any) -> Rows:
        """The same rows with elements of another type, as NumPy converts them."""
        return Rows(self.offsets, self.values.astype(dtype))

    def tolist(self) -> list:
        """The rows as lists of Python numbers."""
        return [row.tolist() for row in self]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @overload
    def __getitem__(self, at: int) -> Any: ...
    @overload
    def __getitem__(self, at: slice | Sequence[int] | np.ndarray) -> Rows: ...
    def __getitem__(self, at: Any) -> Any:
        """A row; or the rows of a slice, as a view, or those of indices or of a mask, as a copy."""
        if isinstance(at, slice):
            start, stop, step = at.indices(len(self))
            if step == 1:
                return Rows(self.offsets[start : max(stop, start) + 1], self.values)
        if not isinstance(at, (int, np.integer)):
            return self._taken(np.arange(len(self))[at])
        i = at + len(self) if at < 0 else at
        if not 0 <= i < len(self):
            raise IndexError(f"row {at} of {len(self)}")
        return self.values[self.offsets[i] : self.offsets[i + 1]]

    def _taken(self, at: np.ndarray) -> Rows:
        lengths = self.lengths[at]
        offsets = np.concatenate([[0], np.cumsum(lengths)])
        places = np.arange(offsets[-1]) + np.repeat(self.offsets[at] - offsets[:-1], lengths)
        return Rows(offsets, self.values[places])

    def __eq__(self, other: object) -> bool:
        """Whether these are the same rows. NaN is equal to nothing."""
        if not isinstance(other, Rows):
            return NotImplemented
        mine, theirs = self.packed(), other.packed()
        if not np.array_equal(mine.offsets, theirs.offsets):
            return False
        nested = isinstance(mine.values, Rows) or isinstance(theirs.values, Rows)
        return mine.values == theirs.values if nested else np.array_equal(mine.values, theirs.values)

    __hash__ = None

    def __iter__(self) -> Iterator[Any]:
        offsets = self.offsets.tolist()
        return map(self.values.__getitem__, map(slice, offsets[:-1], offsets[1:]))

    def __repr__(self) -> str:
        shown = ", ".join(
            np.array2string(r, separator=", ") if isinstance(r, np.ndarray) else repr(r) for r in self[:6]
        )
        return f"Rows([{shown}{', …' if len(self) > 6 else ''}])"


def from_arrow(array: Any) -> np.ndarray:
    """The elements of an Arrow array without lists. Structs become NumPy structs."""
    import pyarrow as pa

    if array.null_count:
        raise ValueError(_null(array.null_count, "value"))
    if not pa.types.is_struct(array.type):
        return array.to_numpy(zero_copy_only=False)
    columns = {field.name: from_arrow(column) for field, column in zip(array.type, array.flatten())}
    found = np.empty(len(array), [(name, column.dtype) for name, column in columns.items()])
    for name, column in columns.items():
        found[name] = column
    return found


def _to_arrow(values: np.ndarray) -> Any:
    import pyarrow as pa

    fields = values.dtype.names
    if fields is None:
        return pa.array(values)
    return pa.StructArray.from_arrays([_to_arrow(np.ascontiguousarray(values[name])) for name in fields], fields)


def _null(count: int, what: str) -> str:
    return f"{counted(count, what)} {'is' if count == 1 else 'are'} null; Lift has no such value"
