"""Memory of a device that is used again: by the next call with the same sizes, and by the next result."""

from __future__ import annotations

import threading
from typing import Any

#: Bytes of which calls that are over may always keep some; of a larger device, one part in so many.
LEAST_KEPT, PART_KEPT = 1 << 28, 16
#: Leading bits in which sizes of buffers agree that stand in for each other: at most one part in 256 is not used.
SAME_BITS = 9
#: Calls after which what all keep is counted again: memory of a result comes back when nobody looks.
COUNTED = 64


def kept_bytes(device: Any) -> int:
    """Bytes on a device that calls which are over may keep for the next."""
    return max(LEAST_KEPT, device.global_mem_size // PART_KEPT)


class Pool:
    """Memory in the order of one queue: a buffer that nobody refers to any more is lent again.

    Commands of that queue alone may use the buffers, or the queue waits for those of others (`Run.done`).
    """

    def __init__(self, cl: Any, queue: Any) -> None:
        self._cl, self._queue = cl, queue
        self._most = min(kept_bytes(queue.device), queue.device.max_mem_alloc_size)
        #: Made for the first buffer.
        self._pool: Any = None

    def buffer(self, size: int) -> Any:
        """At least so many bytes, with any content."""
        if size + (size >> SAME_BITS - 1) > self._most:
            return self._cl.Buffer(self._queue.context, self._cl.mem_flags.READ_WRITE, size)
        if self._pool is None:
            from pyopencl.tools import ImmediateAllocator, MemoryPool

            self._pool = MemoryPool(ImmediateAllocator(self._queue), leading_bits_in_bin_id=SAME_BITS)
        return self._pool.allocate(size)

    def held(self) -> int:
        """Bytes that are lent to nobody."""
        return 0 if self._pool is None else self._pool.managed_bytes - self._pool.active_bytes

    def blocks(self) -> int:
        """Buffers that it has allocated and not given back, lent or not."""
        return 0 if self._pool is None else self._pool.held_blocks + self._pool.active_blocks

    def close(self) -> None:
        """Give back what is lent to nobody, and from now on what comes back."""
        if self._pool is not None:
            self._pool.stop_holding()


class Idle:
    """Runs that are over, whose memory and queues the next call with the same sizes uses again."""

    def __init__(self, most: int) -> None:
        #: Bytes that they may keep.
        self._most = most
        self._runs: list[Any] = []
        #: By run: bytes that it kept when they were last counted.
        self._bytes: list[int] = []
        self._total = self._returned = 0
        self._lock = threading.Lock()

    def take(self, prepared: Any, queue: Any | None) -> Any | None:
        """A run of these sizes, in a queue if one is asked for."""
        with self._lock:
            for i in range(len(self._runs) - 1, -1, -1):
                run = self._runs[i]
                if run.prepared is prepared and run.asked == queue:
                    self._total -= self._bytes.pop(i)
                    return self._runs.pop(i)
        return None

    def give_back(self, run: Any) -> None:
        """The run is over. Those that are over for longest are forgotten where there are too many."""
        with self._lock:
            self._runs.append(run)
            self._bytes.append(run.kept())
            self._total += self._bytes[-1]
            self._returned += 1
            if self._returned % COUNTED == 0:
                self._bytes = [run.kept() for run in self._runs]
                self._total = sum(self._bytes)
            while self._total > self._most or len(self._runs) > 256:
                self._total -= self._bytes.pop(0)
                self._runs.pop(0).pool.close()

    def forget(self) -> None:
        """Give back all memory."""
        with self._lock:
            for run in self._runs:
                run.pool.close()
            self._runs.clear()
            self._bytes.clear()
            self._total = 0
