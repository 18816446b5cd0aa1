"""Values of Python into columns: what fits a type is taken as it is, nothing is converted.

Arrays must have the type's own element type. Python's numbers are taken by their value, as literals of the language.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import chain
from typing import Any, Union

import numpy as np

from .errors import LiftError, counted
from .layout import DTYPES, Array, Column, Exists, Flat, Layout, Leaf, Lists, Numbers, Packed, Parts, Tuple, innermost
from .plan import Input
from .rows import Rows, from_arrow
from .tables import Table, conversion, conversion_of_columns, table_of

#: Input of a column: an array, or separate values.
Values = Union[np.ndarray, Sequence[Any], Table]


class Misfit(Exception):
    """A value that is none of the type; says why."""

    def of(self, part: str) -> Misfit:
        """The same mismatch in a part of the value, such as ``column `a` ``."""
        return Misfit(f"{part}: {self}")


class WrongElements(Misfit):
    """An array with a wrong element type."""

    def __init__(self, leaf: Leaf, dtype: np.dtype, part: str = "") -> None:
        wanted = f"`{leaf.element}` is NumPy's `{leaf.dtype.name}`"
        super().__init__(f"{part or 'the array'} holds `{dtype}`; {wanted}")
        self.leaf, self.dtype, self.part = leaf, dtype, part

    def of(self, part: str) -> Misfit:
        return WrongElements(self.leaf, self.dtype, f"{self.part} of {part}" if self.part else part)

    def advice(self, layout: Layout, value: Any) -> str:
        """The advice how to convert the input, if the conversion loses at most precision."""
        if self.dtype.kind not in "biuf":
            return ""
        found: str | None = conversion(value, self.leaf.dtype.name)
        if self.part and not isinstance(value, (list, tuple)):
            leaves = map(innermost, _elements_of(layout))
            kinds = [leaf.dtype.name for leaf in leaves if isinstance(leaf, Leaf) and leaf.width is None]
            found = conversion_of_columns(value, kinds)
        return f": convert with `{found}`" if found else ""


def column(item: Input, value: Any, copy: bool) -> Column:
    """Reads the value of an input as a column of one instance."""
    try:
        value = _unmasked(value)
        seen = _seen(item.layout, value, copy)
        if item.regular is not None and isinstance(seen, np.ndarray):
            return _regular(item, seen)
        return _one(item.layout, seen)
    except Misfit as problem:
        if isinstance(problem, WrongElements) and isinstance(value, (list, tuple)) and not problem.part:
            problem = problem.of("an array in it")
        advice = problem.advice(item.layout, value) if isinstance(problem, WrongElements) else ""
        message = f"input `{item.name}` does not fit its type `{item.type}`: {problem}{advice}"
        error = LiftError("input", message)
        error.misfit = item.name, f"{problem}: convert it where it is made" if advice else str(problem)
        raise error from None


def _seen(layout: Layout, value: Any, copy: bool) -> Any:
    """Converts a value to a supported kind: a table if the type has tuples, otherwise an array if possible."""
    if isinstance(value, _KNOWN):
        return value
    table = table_of(value) if _elements_of(layout) else None
    return array_of(value, copy) if table is None else table


def _elements_of(layout: Layout) -> tuple[Layout, ...]:
    """The components of a tuple type, or of the tuples of an array type; empty for other types."""
    while isinstance(layout, (Exists, Array, Packed)):
        if isinstance(layout, (Array, Packed)) and isinstance(layout.of, (Array, Packed, Leaf)):
            return ()
        layout = layout.of
    return layout.parts if isinstance(layout, Tuple) else ()


_KNOWN = (np.ndarray, Rows, list, tuple, range, int, float, np.generic)


def array_of(value: Any, copy: bool) -> Any:
    """Views a value as a NumPy array or as rows, without a copy unless `copy`; returns other values unchanged."""
    awkward, pyarrow = sys.modules.get("awkward"), sys.modules.get("pyarrow")
    if awkward is not None and isinstance(value, awkward.Array):
        value = awkward.to_arrow(value, extensionarray=False)
    if pyarrow is not None and isinstance(value, (pyarrow.Array, pyarrow.ChunkedArray, pyarrow.Scalar)):
        return _arrow(value)
    if hasattr(value, "__dlpack_device__"):
        kind, _ = value.__dlpack_device__()
        # DLPack's device types: 1 is host memory, 3 is host memory pinned for a GPU.
        if int(kind) in (1, 3):
            return _taken(lambda: _from_dlpack(value))
        if not copy:
            raise Misfit(
                "the array is on a device from which OpenCL cannot import memory; "
                "copy=True takes it through the memory of the host"
            )
        fetch = getattr(value, "get", None) or getattr(value, "cpu", None)
        if fetch is not None:
            return _taken(lambda: np.asarray(fetch()))
        return _taken(lambda: np.from_dlpack(value, device="cpu", copy=True))
    if hasattr(value, "__array__") or hasattr(value, "__array_interface__"):
        _check_missing(value)
        return _taken(lambda: np.asarray(value))
    if hasattr(value, "__arrow_c_array__"):
        import pyarrow

        return _arrow(pyarrow.array(value))
    try:
        return value if isinstance(value, (bytes, bytearray)) else np.asarray(memoryview(value))
    except TypeError:
        return value


def _from_dlpack(value: Any) -> np.ndarray:
    try:
        return np.from_dlpack(value)
    except BufferError:
        # DLPack rejects read-only arrays and some element types.
        if hasattr(value, "__array__"):
            return np.asarray(value)
        raise


def _taken(made: Callable[[], np.ndarray]) -> np.ndarray:
    """Calls another library's conversion; turns its exception into a mismatch."""
    try:
        return made()
    except (BufferError, RuntimeError, TypeError, ValueError) as problem:
        raise Misfit(f"it cannot be read as an array of NumPy: {problem}") from None


def _unmasked(value: Any) -> Any:
    if not isinstance(value, np.ma.MaskedArray):
        return value
    if np.ma.is_masked(value):
        raise Misfit("elements of the array are masked; Lift has no such value: `.filled(…)` says what they are")
    return value.data


def _check_missing(value: Any) -> None:
    """Rejects missing values, which some columns and tables represent on their own and NumPy turns into NaN."""
    missing, advice = 0, ""
    kinds = [value.dtype] if hasattr(value, "dtype") else list(getattr(value, "dtypes", ()))
    if callable(getattr(value, "null_count", None)):
        # Polars: the count of a table is by column.
        missing, advice = int(np.sum(np.asarray(value.null_count()))), ": `.fill_null(…)` fills it in"
    elif hasattr(value, "isna") and any(hasattr(kind, "na_value") for kind in kinds):
        marks = np.asarray(value.isna())
        columns = [hasattr(kind, "na_value") for kind in kinds]
        missing = int(np.count_nonzero(marks.reshape(len(marks), -1)[:, columns]))
        advice = ": `.fillna(…)` fills it in"
    elif hasattr(value, "itercolumns"):
        missing = sum(column.null_count for column in value.itercolumns())
    if missing:
        are = "is" if missing == 1 else "are"
        raise Misfit(f"{counted(missing, 'value')} {are} missing; Lift has no such value{advice}")


def _arrow(value: Any) -> Any:
    import pyarrow

    if isinstance(value, pyarrow.ChunkedArray):
        value = value.combine_chunks()
    if isinstance(value, pyarrow.ExtensionArray):
        value = value.storage
    if isinstance(value, pyarrow.Scalar):
        return value.as_py()
    try:
        if pyarrow.types.is_list(value.type) or pyarrow.types.is_large_list(value.type):
            return Rows.from_arrow(value)
        return from_arrow(value)
    except ValueError as problem:
        raise Misfit(str(problem)) from None


def _regular(item: Input, value: np.ndarray) -> Column:
    assert item.regular is not None
    leaf, rank = item.regular.leaf, item.regular.rank
    if value.dtype == object:
        return _one(item.layout, value.tolist())
    # Converting elements does not fix a wrong number of dimensions.
    if value.ndim != rank:
        wanted = f"the type has {counted(rank, 'dimension')}" if rank else "a number is needed"
        raise Misfit(f"{wanted}; the array has shape {value.shape}")
    if value.dtype != leaf.dtype:
        raise WrongElements(leaf, value.dtype)
    if leaf.width is not None and value.shape[-1] != leaf.width:
        raise Misfit(f"its vectors have {leaf.width} numbers; the array has shape {value.shape}")
    dims = len(item.regular.lengths)
    found: Column = Numbers(np.ascontiguousarray(value).reshape(-1, *value.shape[dims:]))
    for length in reversed(value.shape[:dims]):
        found = Lists(length, found)
    return found


def _one(layout: Layout, value: Any) -> Column:
    """Reads one instance."""
    if isinstance(layout, Exists):
        return _one(layout.of, value)
    if isinstance(layout, (Array, Packed)):
        if isinstance(value, Table):
            return Lists(len(value), _many(layout.of, value))
        if isinstance(layout.of, Tuple) and _are_columns(layout.of, value):
            raise Misfit(f"an array of tuples is needed, not {len(value)} arrays: `list(zip(…))` makes one of them")
        if not isinstance(value, (list, np.ndarray, Rows)):
            value = _as_array(value)
        if not isinstance(value, (list, np.ndarray, Rows)):
            raise _no_array(value)
        if isinstance(layout, Packed) and isinstance(value, np.ndarray) and value.ndim == 1 and value.dtype != object:
            inside = innermost(layout)
            if isinstance(inside, Leaf) and inside.width is None:
                return Lists(1, Flat(_leaf(inside, value).data))
        if isinstance(value, np.ndarray) and value.ndim == 0:
            raise Misfit("an array is needed, not a number")
        return Lists(len(value), _many(layout.of, _elements(value)))
    if isinstance(layout, Tuple):
        if isinstance(value, np.void):
            value = value.item()
        if isinstance(value, Table):
            return _columns(layout, value, _one)
        if not isinstance(value, tuple) or len(value) != len(layout.parts):
            raise Misfit(f"a tuple of {len(layout.parts)} is needed, not {described(value)}")
        return Parts([_one(part, v) for part, v in zip(layout.parts, value)])
    if isinstance(value, (int, float, np.generic)) or layout.width is not None:
        return _many(layout, [value])
    found = value if isinstance(value, (list, np.ndarray, tuple, Rows)) else array_of(value, False)
    if isinstance(found, np.ndarray) and found.ndim == 0:
        return _leaf(layout, found.reshape(1))
    raise Misfit(f"a number is needed, not {described(value)}")


def _are_columns(layout: Tuple, value: Any) -> bool:
    """Whether there is an array for each component of a tuple."""
    if not isinstance(value, (list, tuple)) or len(value) != len(layout.parts):
        return False
    return all(isinstance(column, np.ndarray) and column.ndim > 0 for column in value)


def _as_array(value: Any) -> Any:
    if isinstance(value, range):
        return list(value)
    if isinstance(value, (tuple, int, float, str, bytes, np.generic, dict, set)) or value is None:
        raise _no_array(value)
    return array_of(value, False)


def _no_array(value: Any) -> Misfit:
    made = ""
    if type(value).__module__.startswith("pyopencl"):
        made = ": `.get()` takes it to the host"
    elif hasattr(value, "toarray"):
        made = ": `.toarray()` makes one"
    elif hasattr(value, "collect"):
        made = ": `.collect()` makes one"
    elif isinstance(value, (bytes, bytearray)):
        made = ": `numpy.frombuffer(…, numpy.uint8)` makes one"
    elif hasattr(value, "__iter__") and not isinstance(value, (str, bytes, bytearray, dict)):
        made = ": `list(…)` makes one"
    return Misfit(f"an array is needed, not {described(value)}{made}")


def _elements(value: Values) -> Values:
    return value.tolist() if isinstance(value, np.ndarray) and value.dtype == object else value


def _many(layout: Layout, values: Values) -> Column:
    """Reads many instances."""
    if isinstance(layout, Exists):
        return _many(layout.of, values)
    if isinstance(layout, Leaf):
        return _leaf(layout, values)
    if isinstance(layout, Tuple):
        return _tuples(layout, values)
    if isinstance(values, np.ndarray):
        if values.ndim < 2:
            raise Misfit(f"an array is needed, not {described(values[0])}" if len(values) else "it has more dimensions")
        # NumPy cannot infer -1 in the shape of an empty array.
        shape = (values.shape[0] * values.shape[1], *values.shape[2:])
        return Lists(values.shape[1], _many(layout.of, values.reshape(shape)))
    if isinstance(values, Rows):
        values = values.packed()
        return Lists(values.lengths, _many(layout.of, values.values))
    kinds = set(map(type, values))
    if kinds == {np.ndarray}:
        forms = {(row.dtype, row.shape[1:] if row.ndim else None) for row in values}
        if len(forms) == 1 and all(shape is not None and dtype.kind != "O" for dtype, shape in forms):
            lengths = np.fromiter(map(len, values), np.int64, len(values))
            return Lists(lengths, _many(layout.of, np.concatenate(values)))
    elif kinds <= {list}:
        lengths = np.fromiter(map(len, values), np.int64, len(values))
        return Lists(lengths, _many(layout.of, list(chain.from_iterable(values))))
    rows = [_unmasked(v) if isinstance(v, (list, np.ndarray, Rows)) else _as_array(v) for v in values]
    return _joined([_one(layout, row) for row in rows])


def _leaf(leaf: Leaf, values: Values) -> Numbers:
    width = leaf.width
    if isinstance(values, np.ndarray):
        if values.dtype != leaf.dtype:
            raise WrongElements(leaf, values.dtype)
        if values.ndim != 1 + (width is not None) or (width is not None and values.shape[1] != width):
            wanted = "numbers" if width is None else f"vectors of {width} numbers"
            raise Misfit(f"{wanted} are needed; the array has shape {values.shape}")
        return Numbers(np.ascontiguousarray(values))
    if width is not None:
        vectors = [_vector(leaf, v) for v in values]
        flat = _by_value(leaf, list(chain.from_iterable(vectors)))
        return Numbers(flat.reshape(len(vectors), width))
    return Numbers(_by_value(leaf, list(values)))


def _vector(leaf: Leaf, value: Any) -> Sequence[Any]:
    if isinstance(value, np.ndarray) and value.dtype != leaf.dtype:
        raise WrongElements(leaf, value.dtype)
    flat = value.ndim == 1 if isinstance(value, np.ndarray) else isinstance(value, (list, tuple))
    if not flat or len(value) != leaf.width:
        raise Misfit(f"a vector of {leaf.width} numbers is needed, not {described(value)}")
    return value


def _by_value(leaf: Leaf, values: list[Any]) -> np.ndarray:
    """Converts Python numbers, each of which must fit the element type."""
    dtype = leaf.dtype
    for kind in set(map(type, values)):
        if kind is np.ndarray:
            values = [_scalar(leaf, v) if isinstance(v, np.ndarray) else v for v in values]
            continue
        number = issubclass(kind, (bool, np.bool_)) if dtype.kind == "b" else _is_number(kind, dtype.kind == "f")
        if not number:
            wrong = next(v for v in values if type(v) is kind)
            raise Misfit(f"`{leaf.element}` is needed, not {described(wrong)}")
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        # Read once, because each access to a limit is a call.
        least, most = limits.min, limits.max
        for value in values:
            if not least <= value <= most:
                raise Misfit(f"{value} is out of the range of `{leaf.element}`")
        return np.array(values, dtype)
    if dtype.kind != "f":
        return np.array(values, dtype)
    try:
        with np.errstate(over="ignore"):
            found = np.array(values, np.float64).astype(dtype)
    except OverflowError:
        wrong = next(v for v in values if isinstance(v, int) and abs(v) > sys.float_info.max)
        raise Misfit(f"a number of {wrong.bit_length()} bits is out of the range of `{leaf.element}`") from None
    if np.isinf(found).any():
        for value, made in zip(values, found):
            if np.isinf(made) and not np.isinf(value):
                raise Misfit(f"{value} is out of the range of `{leaf.element}`")
    return found


def _is_number(kind: type, floats: bool) -> bool:
    if issubclass(kind, (bool, np.bool_)):
        return False
    return issubclass(kind, (int, np.integer)) or (floats and issubclass(kind, (float, np.floating)))


def _scalar(leaf: Leaf, value: np.ndarray) -> Any:
    if value.ndim:
        raise Misfit(f"`{leaf.element}` is needed, not {described(value)}")
    if value.dtype != leaf.dtype:
        raise WrongElements(leaf, value.dtype)
    return value.item()


def _tuples(layout: Tuple, values: Values) -> Parts:
    parts = layout.parts
    if isinstance(values, Table):
        return _columns(layout, values, _many)
    if isinstance(values, np.ndarray):
        fields = values.dtype.names
        if fields is not None:
            if len(fields) != len(parts):
                raise Misfit(f"tuples of {len(parts)} are needed; the array has the fields {', '.join(fields)}")
            columns = [np.ascontiguousarray(values[name]) for name in fields]
            return _parts(layout, "field", list(fields), columns, _many)
        scalars = all(isinstance(part, Leaf) and part.width is None for part in parts)
        if values.ndim != 2 or values.shape[1] != len(parts) or not scalars:
            raise Misfit(f"tuples of {len(parts)} are needed; the array has shape {values.shape} and no fields")
        if len({part.dtype for part in parts if isinstance(part, Leaf)}) > 1:
            raise Misfit(
                "tuples of different types are needed: a structured array, a table or a list of tuples has them"
            )
        return Parts([_many(part, np.ascontiguousarray(values[:, i])) for i, part in enumerate(parts)])
    rows = [v.item() if isinstance(v, np.void) else v for v in values]
    for row in rows:
        if not isinstance(row, tuple) or len(row) != len(parts):
            raise Misfit(f"a tuple of {len(parts)} is needed, not {described(row)}")
    return Parts([_many(part, [row[i] for row in rows]) for i, part in enumerate(parts)])


def _columns(layout: Tuple, table: Table, made: Callable[[Layout, Any], Column]) -> Parts:
    """Reads the columns of a table as the components of a tuple, in order."""
    if len(table.names) != len(layout.parts):
        has = f"the columns {', '.join(table.names)}" if table.names else "no columns"
        raise Misfit(f"tuples of {len(layout.parts)} are needed; the table has {has}")
    return _parts(layout, "column", table.names, table.columns, made)


def _parts(
    layout: Tuple, what: str, names: list[str], columns: list[Any], made: Callable[[Layout, Any], Column]
) -> Parts:
    found = []
    for part, name, column in zip(layout.parts, names, columns):
        try:
            found.append(made(part, _elements(_seen(part, column, False))))
        except Misfit as problem:
            raise problem.of(f"{what} `{name}`") from None
    return Parts(found)


def _joined(columns: list[Column]) -> Column:
    """Concatenates columns of one instance each."""
    first = columns[0]
    if isinstance(first, Numbers):
        return Numbers(np.concatenate([c.data for c in columns if isinstance(c, Numbers)]))
    if isinstance(first, Parts):
        parts = zip(*(c.columns for c in columns if isinstance(c, Parts)))
        return Parts([_joined(list(part)) for part in parts])
    if isinstance(first, Flat) or not all(isinstance(c, Lists) for c in columns):
        raise Misfit("rows one after the other and rows by themselves are mixed")
    lengths = [np.atleast_1d(np.asarray(c.lengths, np.int64)) for c in columns if isinstance(c, Lists)]
    inner = [c.of for c in columns if isinstance(c, Lists)]
    return Lists(np.concatenate(lengths), _joined(inner))


_NAMES = {np.dtype(d): name for name, d in DTYPES.items()}


def described(value: Any) -> str:
    """Describes a value in messages: its kind, and the value itself if it is short."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if isinstance(value, np.generic) and value.dtype in _NAMES:
        return f"`{value!r}`"
    if isinstance(value, list):
        return f"a list of {counted(len(value), 'element')}"
    if isinstance(value, Rows):
        return counted(len(value), "row")
    if isinstance(value, tuple):
        return f"a tuple of {len(value)}"
    if isinstance(value, (bool, int, float, str)):
        return f"`{value!r}`"
    return f"a `{type(value).__name__}`"
