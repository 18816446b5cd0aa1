"""Lift from Python: kernels of a program as functions on arrays of NumPy.

>>> import lift, numpy as np
>>> first = lift.load("first.lift").first
>>> first
<lift first : Array[Float,N] -> <∃X, Array[Float,X]>>
>>> first(np.array([.1, .6, .9], np.float32))
array([1.2, 1.8], dtype=float32)
"""

from __future__ import annotations

from typing import Any

from lift_runtime import LiftError, Rows, devices

from .compiler import Cost
from .ipython import load_ipython_extension
from .plots import plot
from .program import Kernel, Program, load, source

__all__ = [
    "Cost",
    "Kernel",
    "LiftError",
    "Program",
    "Rows",
    "devices",
    "load",
    "load_ipython_extension",
    "plot",
    "source",
]


#: Imported on first use.
_LATER = ("__version__", "dask")


def __getattr__(name: str) -> Any:
    from importlib import import_module, metadata

    if name == "__version__":
        try:
            return metadata.version("lift-lang")
        except metadata.PackageNotFoundError:
            raise AttributeError("this `lift` is not installed: it has no version") from None
    if name == "dask":
        try:
            return import_module("lift.dask")
        except ImportError as problem:
            message = f"`lift.dask` needs the package dask ({problem}): pip install 'lift-lang[dask]'"
            raise AttributeError(message) from None
    raise AttributeError(f"module `lift` has no `{name}`")


def __dir__() -> list[str]:
    return [*__all__, *_LATER]
