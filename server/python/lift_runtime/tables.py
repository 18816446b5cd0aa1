"""Tables of pandas, Polars and Arrow as arrays of tuples, and how their columns are converted."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Table:
    """Columns of one length, by name."""

    names: list[str]
    columns: list[Any]

    def __len__(self) -> int:
        return len(self.columns[0]) if self.columns else 0


def table_of(value: Any) -> Table | None:
    """The columns of a table or of an array of structs; None for other values."""
    if _is_structs(value):
        value = value.struct.unnest()
    library = _library(value)
    if library == "polars" and hasattr(value, "get_columns"):
        return Table(value.columns, value.get_columns())
    if library == "pandas" and hasattr(value, "columns"):
        labels, columns = zip(*value.items()) if len(value.columns) else ((), ())
        return Table([str(label) for label in labels], list(columns))
    if library != "pyarrow" and not hasattr(value, "__array__") and hasattr(value, "__arrow_c_stream__"):
        import pyarrow

        value = pyarrow.table(value)
        library = "pyarrow"
    if library == "pyarrow" and hasattr(value, "column_names"):
        return Table(value.column_names, value.columns)
    return None


def conversion(value: Any, wanted: str) -> str | None:
    """The code that converts an array to an element type of NumPy; None for structs and tables that contain lists."""
    library = _library(value)
    if library == "pyarrow" and hasattr(value, "column_names"):
        return conversion_of_columns(value, [wanted] * len(value.column_names))
    kind = getattr(value, "dtype", None) if library == "polars" else getattr(value, "type", None)
    if library == "polars":
        found = _nested(kind, "inner", _of_polars(wanted), "polars.List")
        return None if found is None else f".cast({found})"
    if library == "pyarrow":
        if not hasattr(kind, "value_type"):
            return None if getattr(kind, "num_fields", 0) else f'.cast("{wanted}")'
        found = _nested(kind, "value_type", f"pyarrow.{'bool_' if wanted == 'bool' else wanted}()", "pyarrow.list_")
        return None if found is None else f".cast({found})"
    if library == "awkward":
        return f"awkward.values_astype(…, numpy.{wanted})"
    # Buffers have no `astype`; the arrays in a list are converted one by one.
    method = cast(wanted)
    return method if isinstance(value, (list, tuple)) or hasattr(value, "astype") else f"numpy.asarray(…){method}"


def cast(wanted: str) -> str:
    """The code that converts a NumPy array to an element type. Not every version of NumPy has `numpy.bool`."""
    return f".astype({'bool' if wanted == 'bool' else f'numpy.{wanted}'})"


def _nested(kind: Any, inner: str, wanted: str, listed: str) -> str | None:
    """A list type with its innermost element type replaced."""
    within = getattr(kind, inner, None)
    if within is None:
        # None for structs, which have fields, and for tables of Polars, which have no type.
        return None if getattr(kind, "fields", None) or getattr(kind, "num_fields", 0) else wanted
    if type(kind).__name__ not in ("List", "ListType", "LargeListType"):
        return None
    found = _nested(within, inner, wanted, listed)
    return None if found is None else f"{listed}({found})"


def conversion_of_columns(value: Any, wanted: list[str]) -> str | None:
    """The code that converts the columns of a table or an array of structs to these types."""
    table = table_of(value)
    library = _library(value)
    if table is not None:
        names = table.names
    elif library == "pyarrow":
        names = [field.name for field in value.type]
    else:
        names = list(getattr(getattr(value, "dtype", None), "names", None) or ())
    if len(set(names)) != len(wanted):
        return None
    if library in ("numpy", "pandas"):
        reordered = _reordered(dict(zip(names, (value[name].dtype.name for name in names))), wanted)
        if reordered is not None:
            return reordered
    plain = ", ".join(f'"{name}": "{kind}"' for name, kind in zip(names, wanted))
    if library == "polars":
        fields = ", ".join(f'"{name}": {_of_polars(kind)}' for name, kind in zip(names, wanted))
        return f".cast(polars.Struct({{{fields}}}))" if _is_structs(value) else f".cast({{{fields}}})"
    if library == "pyarrow":
        return f".cast(pyarrow.{'struct' if table is None else 'schema'}({{{plain}}}))"
    if isinstance(value, np.ndarray):
        fields = ", ".join(f'("{name}", "{kind}")' for name, kind in zip(names, wanted))
        return f".astype([{fields}])"
    return f".astype({{{plain}}})" if library == "pandas" else None


def _reordered(kinds: dict[str, str], wanted: list[str]) -> str | None:
    """The code that reorders columns to have these types, if the order is unique."""
    if len(set(wanted)) != len(wanted) or set(kinds.values()) != set(wanted):
        return None
    by_kind = {kind: name for name, kind in kinds.items()}
    return f"[[{', '.join(f'{chr(34)}{by_kind[kind]}{chr(34)}' for kind in wanted)}]]"


def _library(value: Any) -> str:
    return type(value).__module__.partition(".")[0]


def _is_structs(value: Any) -> bool:
    """Whether a value is a Polars column of structs."""
    polars = sys.modules.get("polars")
    return polars is not None and isinstance(value, polars.Series) and isinstance(value.dtype, polars.Struct)


def _of_polars(kind: str) -> str:
    """The name of an element type of NumPy in Polars."""
    name = "Boolean" if kind == "bool" else kind.capitalize()
    return f"polars.{name.replace('Uint', 'UInt')}"
