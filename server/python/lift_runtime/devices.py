"""OpenCL in this process: one engine for each device, made when it is first used and shared by all kernels."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
import warnings
from typing import Any, Union

from .errors import LiftError
from .memory import Idle, kept_bytes

#: A device as `--device` names it, or one of pyopencl's objects.
Choice = Union[str, Any, None]

_engines: dict[int, Engine] = {}
_lock = threading.Lock()
#: Filters of warnings are of the process: of two threads that change and restore them, one may restore the other's.
_filters = threading.Lock()
_owner: int | None = None
#: The device of kernels without a choice.
_preferred = "opencl"


def prefer(choice: str) -> None:
    """Sets the default device. Kernels that have already run keep theirs."""
    global _preferred
    _preferred = choice


def _after_fork() -> None:
    """Replaces the locks in a child process, because a lock that another thread held would stay held."""
    global _lock, _filters
    _lock, _filters = threading.Lock(), threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def check_process() -> None:
    """Raises an error in a forked child: a fork does not copy the driver's threads, so calls would hang."""
    if _owner is not None and _owner != os.getpid():
        raise LiftError(
            "device",
            "this process was forked from one that had used OpenCL, whose drivers do not survive that: "
            'start workers by "spawn" (multiprocessing.get_context("spawn")), or use no kernel before the fork',
        )


def opencl() -> Any:
    """The package pyopencl, or an error that says how to get it."""
    try:
        import pyopencl
    except ImportError as problem:
        message = f"the package pyopencl cannot be imported ({problem}): pip install 'pyopencl[pocl]'"
        raise LiftError("no-device", message) from None
    return pyopencl


def devices() -> list[Any]:
    """The OpenCL devices, in the order of `lift devices`."""
    cl = opencl()
    try:
        platforms = cl.get_platforms()
    except cl.Error:
        return []
    return [device for platform in platforms for device in _devices_of(cl, platform)]


def _devices_of(cl: Any, platform: Any) -> list[Any]:
    try:
        return platform.get_devices()
    except cl.Error:
        return []


def kind(device: Any) -> str:
    """`gpu`, `accelerator`, `cpu` or `other`."""
    types = opencl().device_type
    for name in ("gpu", "accelerator", "cpu"):
        if device.type & getattr(types, name.upper()):
            return name
    return "other"


def check_choice(choice: Choice) -> None:
    """Raises an error if a choice is malformed, independently of this machine's devices."""
    if isinstance(choice, str):
        if choice.partition(":")[0] != "opencl":
            expected = "`opencl`, `opencl:0` by its number, `opencl:gpu`, `opencl:cpu` or `opencl:accelerator`"
            raise LiftError("no-device", f"`{choice}` names no device: expected {expected}")
    elif choice is not None and not type(choice).__module__.startswith("pyopencl"):
        raise _no_choice(choice)


def _no_choice(choice: Any) -> LiftError:
    message = f"a device is a name, as `opencl:0`, or a device, context or queue of pyopencl, not `{choice!r}`"
    return LiftError("no-device", message)


def choose(choice: str) -> Any:
    """The device for `opencl`, `opencl:1`, `opencl:gpu`."""
    check_choice(choice)
    found = devices()
    if not found:
        raise LiftError(
            "no-device", "there is no OpenCL device: pip install 'pyopencl[pocl]' brings one for processors"
        )
    which = choice.partition(":")[2]
    order = ("gpu", "accelerator", "cpu", "other")
    if not which:
        return min(found, key=lambda device: order.index(kind(device)))
    if which.isdigit() and int(which) < len(found):
        return found[int(which)]
    for device in found:
        if kind(device) == which:
            return device
    names = ", ".join(f"opencl:{i} ({device.name.strip()})" for i, device in enumerate(found))
    there = "the only one is" if len(found) == 1 else "there are"
    raise LiftError("no-device", f"there is no device `{choice}`; {there} {names}")


class Engine:
    """A device with its context and the programs built for it."""

    def __init__(self, device: Any, context: Any) -> None:
        self.device, self.context = device, context
        self.kind = kind(device)
        self.platform: str = device.platform.name
        self.long_atomics = "cl_khr_int64_base_atomics" in device.extensions.split()
        cl = opencl()
        exact = getattr(cl.device_fp_config, "CORRECTLY_ROUNDED_DIVIDE_SQRT", 0)
        self.exact_division = bool(device.single_fp_config & exact)
        self.doubles = bool(device.double_fp_config)
        #: Whether kernels may use host memory in place.
        self.unified = self.kind == "cpu"
        self.idle = Idle(kept_bytes(device))
        #: Whether the driver can build a program without ending the process; None if not tested yet.
        self._links: bool | None = None
        self._programs: dict[str, Any] = {}
        self._lock = threading.Lock()
        #: Key of programs that were compiled for exactly this device.
        self.key = "device " + json.dumps(self.describe(), sort_keys=True)

    def target(self) -> str:
        """The compiler's target for this device."""
        platform = self.platform.lower()
        if "oclgrind" in platform:
            return "portable"
        if self.kind == "gpu":
            return "nvidia" if "nvidia cuda" in platform and self.long_atomics else "gpu"
        return "cpu" if self.kind == "cpu" else "portable"

    def describe(self) -> dict[str, Any]:
        """The device as `lift devices --format json` describes it."""
        device = self.device
        return {
            "index": 0,
            "name": device.name.strip(),
            "vendor": device.vendor,
            "platform": self.platform,
            "driver": device.driver_version,
            "version": device.version,
            "kind": self.kind,
            "limits": {
                "compute_units": device.max_compute_units,
                "work_group_size": device.max_work_group_size,
                "work_item_sizes": list(device.max_work_item_sizes[:3]),
                "global_memory": device.global_mem_size,
                "allocation": device.max_mem_alloc_size,
                "local_memory": device.local_mem_size,
                "address_bits": device.address_bits,
            },
            "doubles": self.doubles,
            "exact_division": self.exact_division,
            "long_atomics": self.long_atomics,
        }

    def program(self, text: str) -> Any:
        """Builds a text for the device, or returns the cached program."""
        with self._lock:
            self._check_linker()
            built = self._programs.get(text)
            if built is None:
                built = self._programs[text] = self._build(text)
            return built

    def _build(self, text: str) -> Any:
        cl = opencl()
        options = ["-cl-std=CL1.2", "-w"]
        if self.exact_division:
            options.append("-cl-fp32-correctly-rounded-divide-sqrt")
        try:
            return self._built(text, options)
        except cl.RuntimeError as problem:
            self._check_driver(problem)
            what = "the device's compiler refused the generated OpenCL (a defect of lift, not of your program)"
            raise LiftError("internal-error", f"{what}:\n{problem}") from None

    def _built(self, text: str, options: list[str]) -> Any:
        cl = opencl()
        with _filters, warnings.catch_warnings():
            warnings.simplefilter("ignore", cl.CompilerWarning)
            return cl.Program(self.context, text).build(options, devices=[self.device])

    def _check_linker(self) -> None:
        """Rejects a device whose driver links with the program `ld` if that is missing: it would end the process."""
        if self._links is None:
            self._links = self.kind != "cpu" or shutil.which("ld") is not None or _survives(self.device)
        if not self._links:
            name = self.device.name.strip()
            message = (
                f"the driver of {name} ends the process that compiles a program: it may need the linker `ld` (binutils)"
            )
            raise LiftError("no-device", message)

    def _check_driver(self, problem: Exception) -> None:
        """Rejects a device whose driver can compile nothing, such as one older than the processor."""
        cl = opencl()
        try:
            self._built("kernel void nothing(void) {}", [])
        except cl.RuntimeError:
            why = next((line for line in str(problem).splitlines() if line.startswith("error: ")), "").strip()
            driver = f"{self.platform} {self.device.driver_version}"
            message = f"the driver of {self.device.name.strip()} ({driver}) compiles no program, not even an empty one"
            raise LiftError("no-device", f"{message}: {why}" if why else message) from None


_NOTHING = """
import sys, pyopencl as cl
device = [d for p in cl.get_platforms() for d in p.get_devices()][int(sys.argv[1])]
context = cl.Context([device])
kernel = cl.Program(context, "kernel void nothing(void) {}").build().nothing
queue = cl.CommandQueue(context)
cl.enqueue_nd_range_kernel(queue, kernel, (1,), (1,))
queue.finish()
"""


def _survives(device: Any) -> bool:
    """Whether a process survives that runs an empty kernel."""
    command = [sys.executable, "-c", _NOTHING, str(devices().index(device))]
    return subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL).returncode == 0


def engine(choice: Choice = None) -> tuple[Engine, Any | None]:
    """The engine for a choice, and the queue to use if the choice is one."""
    global _owner
    check_process()
    if isinstance(choice, str) or choice is None:
        device, context, queue = choose(choice or _preferred), None, None
    else:
        cl = opencl()
        if isinstance(choice, cl.CommandQueue):
            if choice.properties & cl.command_queue_properties.OUT_OF_ORDER_EXEC_MODE_ENABLE:
                raise LiftError("device", "kernels run in queues that keep the order of their commands")
            device, context, queue = choice.device, choice.context, choice
        elif isinstance(choice, cl.Context):
            device, context, queue = choice.devices[0], choice, None
        elif isinstance(choice, cl.Device):
            device, context, queue = choice, None, None
        else:
            raise _no_choice(choice)
    with _lock:
        _owner = os.getpid()
        key = device.int_ptr if context is None else context.int_ptr
        found = _engines.get(key)
        if found is None:
            found = _engines[key] = Engine(device, context or opencl().Context([device]))
            if context is None:
                # Arrays and queues of this context belong to this engine.
                _engines[found.context.int_ptr] = found
        return found, queue
