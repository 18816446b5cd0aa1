"""The inputs of a call: where their elements are, and how long their arrays are."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from . import read
from .devices import Engine, opencl
from .errors import LiftError, counted
from .layout import Column, Lists, Numbers, Regular
from .plan import Input, Plan
from .tables import cast

#: Vectors of OpenCL in a text: memory that is used in place is aligned to the widest.
_VECTOR = re.compile(r"\b(u?char|u?short|u?int|u?long|float|double)(2|4|8|16)\b")
_BYTES = {"char": 1, "short": 2, "int": 4, "float": 4, "long": 8, "double": 8}


def alignment(text: str) -> int:
    """The bytes of the widest vector in an OpenCL text."""
    return max((_BYTES[name.lstrip("u")] * int(width) for name, width in _VECTOR.findall(text)), default=1)


@dataclass
class Arguments:
    """The inputs of a call, analysed as far as possible before the sizes are known."""

    #: The shapes, if they alone determine the sizes.
    shapes: tuple[Any, ...] | None = None
    columns: list[Column] = field(default_factory=list)
    #: Host arrays, by buffer.
    host: dict[int, np.ndarray] = field(default_factory=dict)
    #: Device memory, by buffer.
    device: dict[int, Any] = field(default_factory=dict)
    #: Device arrays whose pending commands must finish first.
    waits: list[Any] = field(default_factory=list)
    #: Inputs that are marshalled when the sizes are known.
    later: list[tuple[Input, Column]] = field(default_factory=list)


def arguments(plan: Plan, inputs: list[Any], copy: bool) -> Arguments:
    """Analyses the inputs of a call."""
    found = Arguments()
    shapes: list[Any] | None = []
    for item, value in zip(plan.inputs, inputs):
        regular = item.regular
        if regular is not None and type(value) is np.ndarray and _fits(regular, value):
            data = value if value.flags.c_contiguous else np.ascontiguousarray(value)
            found.host[regular.leaf.buffer] = data
            found.columns.append(nested(data.shape, Numbers(data)))
            if shapes is not None:
                shapes.append(data.shape)
            continue
        if copy and is_device(value) and hasattr(value, "flags") and not value.flags.c_contiguous and value.flags.forc:
            value = np.ascontiguousarray(value.get())
        if is_device(value):
            _device(found, item, value)
            if shapes is not None:
                shapes.append(value.shape if hasattr(value, "shape") else value.size)
            continue
        column = read.column(item, value, copy)
        found.columns.append(column)
        if regular is not None and not regular.lengths and isinstance(column, Numbers):
            found.host[regular.leaf.buffer] = column.data
            if shapes is not None:
                shapes.append(())
            continue
        found.later.append((item, column))
        shapes = None
    found.shapes = None if shapes is None else tuple(shapes)
    return found


def _fits(regular: Regular, value: np.ndarray) -> bool:
    """Whether an array of scalars has the rank and the element type of a layout."""
    return value.dtype == regular.leaf.dtype and value.ndim == regular.rank and regular.leaf.width is None


def nested(shape: tuple[int, ...], inside: Column) -> Column:
    """Wraps a column in one `Lists` per dimension of a shape."""
    for length in reversed(shape):
        inside = Lists(int(length), inside)
    return inside


def is_device(value: Any) -> bool:
    """An array or a buffer of pyopencl."""
    named = type(value).__module__.startswith("pyopencl")
    return named and (hasattr(value, "context") or isinstance(value, opencl().MemoryObjectHolder))


def context_of(value: Any) -> Any:
    """The context of an array or a buffer of pyopencl."""
    return value.context if hasattr(value, "context") else value.get_info(opencl().mem_info.CONTEXT)


def _device(found: Arguments, item: Input, value: Any) -> None:
    cl = opencl()
    regular = item.regular

    def misfit(what: str) -> LiftError:
        return LiftError("input", f"input `{item.name}` does not fit its type `{item.type}`: {what}")

    if regular is None or not regular.lengths:
        raise misfit("memory of a device holds arrays of equal rows; give this input as a value of the host")
    leaf = regular.leaf
    if isinstance(value, cl.MemoryObjectHolder):
        if not isinstance(value, cl.MemoryObject):
            raise misfit("memory of a pool may be longer than the vector in it: give the pyopencl.array.Array")
        if len(regular.lengths) != 1 or leaf.width is not None or value.size % leaf.dtype.itemsize:
            raise misfit("a buffer has no shape: a pyopencl.array.Array has one")
        found.device[leaf.buffer] = value
        found.columns.append(Lists(value.size // leaf.dtype.itemsize, Numbers(np.empty(0, leaf.dtype))))
        return
    if value.dtype != leaf.dtype:
        name = leaf.dtype.name
        advice = f": convert with `{cast(name)}`"
        raise misfit(f"the array holds `{value.dtype}`; `{leaf.element}` is NumPy's `{name}`{advice}")
    if value.ndim != regular.rank or (leaf.width is not None and value.shape[-1] != leaf.width):
        raise misfit(f"the type has {counted(regular.rank, 'dimension')}; the array has shape {value.shape}")
    if not value.flags.c_contiguous:
        # A copy on the device keeps the order, so advise one through the host, which needs a contiguous array.
        how = "; copy=True takes it through the memory of the host" if value.flags.forc else ""
        raise misfit(f"its elements do not lie row by row on the device{how}")
    needed = value.offset + value.nbytes
    if value.size and value.base_data.size < needed:
        raise misfit(f"its memory has {value.base_data.size} bytes, but its shape needs {needed}")
    if value.offset:
        value = value.copy()
    found.waits.append(value)
    if value.size:
        found.device[leaf.buffer] = value.base_data
    else:
        found.host[leaf.buffer] = np.empty(0, leaf.dtype)
    found.columns.append(nested(value.shape[: len(regular.lengths)], Numbers(np.empty(0, leaf.dtype))))


def aligned(count: int, dtype: np.dtype) -> np.ndarray:
    """New memory of the host that begins at a multiple of 128 bytes; if it is large, at a large page.

    For arrays from this length on NumPy asks the system for large pages, of which otherwise the first and the last
    would be some hundred small ones.
    """
    size = count * dtype.itemsize
    align = LARGE_PAGE if size >= 2 * LARGE_PAGE else 128
    raw = np.empty(size + align, np.uint8)
    start = -raw.ctypes.data % align
    return raw[start : start + size].view(dtype)


#: Size of a large page in bytes.
LARGE_PAGE = 1 << 21


def in_place(engine: Engine, data: np.ndarray, align: int) -> bool:
    """Whether the device can use a host array in place."""
    return engine.unified and data.__array_interface__["data"][0] % align == 0
