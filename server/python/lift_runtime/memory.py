"""Reuses device memory: for the next call with the same sizes, and for the next result."""

from __future__ import annotations

import threading
from typing import Any

#: Limit on the memory that finished calls keep: this many bytes, or this fraction (1/16) of a larger device.
LEAST_KEPT, PART_KEPT = 1 << 28, 16
#: Buffers are interchangeable if their sizes agree in so many leading bits; at most 1/256 is wasted.
SAME_BITS = 9
#: Number of calls after which kept memory is counted again, because results may return theirs at any time.
COUNTED = 64


def kept_bytes(device: Any) -> int:
    """Maximum bytes on a device that finished calls keep for the next."""
    return max(LEAST_KEPT, device.global_mem_size // PART_KEPT)


class Pool:
    """Buffers used in the order of one queue. A buffer without references is reused.

    Commands of that queue alone may use the buffers, or the queue waits for those of others (`Run.done`).
    """

    def __init__(self, cl: Any, queue: Any) -> None:
        self._cl, self._queue = cl, queue
        self._most = min(kept_bytes(queue.device), queue.device.max_mem_alloc_size)
        #: Created with the first buffer.
        self._pool: Any = None

    def buffer(self, size: int) -> Any:
        """An uninitialised buffer of at least `size` bytes."""
        if size + (size >> SAME_BITS - 1) > self._most:
            return self._cl.Buffer(self._queue.context, self._cl.mem_flags.READ_WRITE, size)
        if self._pool is None:
            from pyopencl.tools import ImmediateAllocator, MemoryPool

            self._pool = MemoryPool(ImmediateAllocator(self._queue), leading_bits_in_bin_id=SAME_BITS)
        return self._pool.allocate(size)

    def held(self) -> int:
        """Bytes of unused buffers."""
        return 0 if self._pool is None else self._pool.managed_bytes - self._pool.active_bytes

    def blocks(self) -> int:
        """Number of allocated buffers, used or not."""
        return 0 if self._pool is None else self._pool.held_blocks + self._pool.active_blocks

    def close(self) -> None:
        """Frees unused buffers, and from now on each buffer that becomes unused."""
        if self._pool is not None:
            self._pool.stop_holding()


class Idle:
    """Finished runs, whose memory and queues the next call with the same sizes reuses."""

    def __init__(self, most: int) -> None:
        #: Maximum bytes that finished runs keep.
        self._most = most
        self._runs: list[Any] = []
        #: By run: the bytes that it kept at the last count.
        self._bytes: list[int] = []
        self._total = self._returned = 0
        self._lock = threading.Lock()

    def take(self, prepared: Any, queue: Any | None) -> Any | None:
        """Takes a finished run with these sizes that was requested for the same queue; None if there is none."""
        with self._lock:
            for i in range(len(self._runs) - 1, -1, -1):
                run = self._runs[i]
                if run.prepared is prepared and run.asked == queue:
                    self._total -= self._bytes.pop(i)
                    return self._runs.pop(i)
        return None

    def give_back(self, run: Any) -> None:
        """Keeps a finished run. Evicts the oldest beyond the limit."""
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
        """Frees all kept memory."""
        with self._lock:
            for run in self._runs:
                run.pool.close()
            self._runs.clear()
            self._bytes.clear()
            self._total = 0
