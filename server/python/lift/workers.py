"""Which device each worker of Dask uses (`lift.dask.devices`)."""

from __future__ import annotations

from typing import Any

from distributed.diagnostics.plugin import WorkerPlugin
from lift_runtime.devices import devices, prefer


class Devices(WorkerPlugin):
    """Assigns a device to each worker by its name; a restarted worker keeps its device."""

    name = "lift-devices"

    def __init__(self, choices: dict[Any, str]) -> None:
        self.choices = choices

    def setup(self, worker: Any) -> None:
        if worker.name in self.choices:
            prefer(self.choices[worker.name])


def give(client: Any) -> dict[Any, str]:
    """Assigns the devices of each machine to its workers round-robin."""
    counts = client.run(_count)
    seen: dict[str, int] = {}
    choices = {}
    for address, worker in sorted(client.scheduler_info(n_workers=-1)["workers"].items()):
        index = seen.get(worker["host"], 0)
        seen[worker["host"]] = index + 1
        if counts[address]:
            choices[worker["id"]] = f"opencl:{index % counts[address]}"
    client.register_plugin(Devices(choices))
    return choices


def _count() -> int:
    return len(devices())
