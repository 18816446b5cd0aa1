"""What compiled kernels of Lift need in Python: NumPy, and pyopencl to run on a device."""

from __future__ import annotations

from collections.abc import Mapping

from .devices import devices
from .errors import LiftError
from .kernel import Kernel
from .plan import VERSION
from .rows import Rows

__all__ = ["VERSION", "Kernel", "LiftError", "Rows", "compiled", "devices"]


def compiled(name: str, docs: str, programs: Mapping[str, tuple[str, str]]) -> Kernel:
    """The kernel of a generated module: for each class of devices its plan and its OpenCL text."""
    return Kernel(name, docs, programs)
