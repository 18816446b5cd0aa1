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


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("lift-lang")
    raise AttributeError(f"module `lift` has no `{name}`")
