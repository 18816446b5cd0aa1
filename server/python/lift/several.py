"""A kernel on several devices of this machine, `kernel.on("opencl:0,1")`: device `i` computes block `i` of each array.

The steps are those of `lift.dask`, with a device for each block; Dask's threads run them. The form of a list of
devices, and how arrays are divided by shares, are those of `lift run --device` (docs/running.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lift_runtime import LiftError
from lift_runtime.devices import choose
from lift_runtime.errors import bytes_text

#: Binary logarithm of the maximum number of blocks of a run.
MOST_DOUBLINGS = 12


@dataclass(frozen=True)
class Devices:
    """A list of devices: at least two, all different."""

    indices: tuple[int, ...]
    #: By device; None means in proportion to compute units.
    shares: tuple[int, ...] | None

    @property
    def choices(self) -> list[str]:
        """Each device as a choice of its own."""
        return [f"opencl:{index}" for index in self.indices]

    def divide(self) -> Callable[[int], list[int]]:
        """The function from an array's length to the number of elements for each device."""
        shares = self.shares or [choose(choice).max_compute_units for choice in self.choices]
        total = sum(shares)
        ends = [sum(shares[: i + 1]) for i in range(len(shares))]

        def lengths(length: int) -> list[int]:
            bounds = [0, *(round(length * end / total) for end in ends)]
            return [end - start for start, end in zip(bounds, bounds[1:])]

        return lengths


def parse(choice: Any) -> Devices | None:
    """Parses a choice of several devices; None if it names one."""
    if not isinstance(choice, str) or "," not in choice:
        return None

    def number(word: str, what: str) -> int:
        if word.isascii() and word.isdigit():
            return int(word)
        raise LiftError(
            "no-device",
            f"`{word}` in `{choice}` is not a {what}: a list has numbers of `lift devices`, as in `opencl:0,1`, or "
            "numbers with shares, as in `opencl:0:3,1:1`",
        )

    names = choice.removeprefix("opencl:") if choice.startswith("opencl:") else ""
    pairs = [name.partition(":") for name in names.split(",")]
    indices = tuple(number(index, "device number") for index, _, _ in pairs)
    twice = next((index for i, index in enumerate(indices) if index in indices[:i]), None)
    if twice is not None:
        raise LiftError("no-device", f"`{choice}` names device {twice} twice")
    shares = tuple(number(share, "share") for _, colon, share in pairs if colon)
    if shares and len(shares) < len(pairs):
        raise LiftError("no-device", f"`{choice}` gives shares to some devices only: give each one, or none")
    if shares and not any(shares):
        raise LiftError("no-device", f"`{choice}` gives no device a share")
    return Devices(indices, shares or None)


def run(parts: Any, devices: Devices, inputs: tuple[Any, ...], given: dict[str, int]) -> Any:
    """Runs a kernel in parts (`lift.dask.Parts`) on these devices."""
    return _computed(parts(inputs, given, devices.divide()), len(devices.indices))


def in_blocks(parts: Any, inputs: tuple[Any, ...], given: dict[str, int], problem: LiftError) -> tuple[int, Any]:
    """Runs a kernel in parts on one device, block after block. Returns the number of blocks and the result."""
    # Joining the blocks' results takes their memory twice.
    needed, free = 2 * (problem.results or 0), _free_memory()
    if free is not None and needed > free:
        host = f"on blocks it needs {bytes_text(needed)} of the host, of which {bytes_text(free)} are free"
        raise LiftError(problem.code, f"{problem.message}; {host}")
    for doublings in range(1, MOST_DOUBLINGS + 1):
        count, longest = 2**doublings, 0
        even = Devices((0,) * count, (1,) * count).divide()

        def divide(length: int, even: Callable[[int], list[int]] = even) -> list[int]:
            nonlocal longest
            longest = max(longest, length)
            return even(length)

        try:
            return count, _computed(parts(inputs, given, divide), 1)
        except LiftError as again:
            if again.code != "memory":
                raise
            if count >= longest or _is_hopeless(problem, again):
                raise
            problem = again
    raise problem


def _free_memory() -> int | None:
    """Bytes of free memory on this machine; None if the system is not Linux."""
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
    except OSError:
        return None
    found = (line.split()[1] for line in lines if line.startswith("MemAvailable:"))
    return 1024 * int(next(found, 0)) or None


def _is_hopeless(before: LiftError, problem: LiftError) -> bool:
    """Whether what every block reads as a whole exceeds the memory, extrapolated from two numbers of blocks."""
    if before.shortage is None or problem.shortage is None:
        return False
    (kernel, needed, _), (same, needs, has) = before.shortage, problem.shortage
    return kernel == same and 2 * needs - needed > has


def _computed(made: Any, threads: int) -> Any:
    from dask import compute

    return compute(made, scheduler="threads", num_workers=threads)[0]
