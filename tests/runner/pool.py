"""Jobs on a thread for each processor, and on one for each kind that mostly waits.

| kind | threads | jobs |
|---|---|---|
| `COMPUTING` | those of the processors | |
| `INTERACTIVE` | those of the processors, one job at a time | drive a user interface |
| `WAITING` | one | wait for processes that they start; none begins while a user interface is tested |
| `FOLLOWING` | one | take up what the build makes |
| `INSTALLING` | one | wait for a network; run in the order in which they are added |
"""

import enum
import heapq
import itertools
import os
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field


class Kind(enum.Enum):
    COMPUTING = enum.auto()
    INTERACTIVE = enum.auto()
    WAITING = enum.auto()
    FOLLOWING = enum.auto()
    INSTALLING = enum.auto()


#: Kinds with a thread of their own.
BESIDE = (Kind.WAITING, Kind.FOLLOWING, Kind.INSTALLING)


@dataclass(order=True)
class Job:
    order: tuple[float, int]
    act: Callable[[], None] = field(compare=False)


class Pool:
    """Runs jobs, the most expensive of each kind first, until none is left. A job may add others."""

    def __init__(self, processors: int = os.cpu_count() or 1):
        self.processors = processors
        self.changed = threading.Condition()
        self.jobs: dict[Kind, list[Job]] = {kind: [] for kind in Kind}
        self.is_interacting = False
        self.unfinished = 0
        self.numbers = itertools.count()

    def add(self, cost: float, act: Callable[[], None], kind: Kind = Kind.COMPUTING):
        with self.changed:
            heapq.heappush(self.jobs[kind], Job((-cost, next(self.numbers)), act))
            self.unfinished += 1
            self.changed.notify_all()

    def run(self):
        choices = [self.ready] * self.processors + [lambda kind=kind: self.ready_beside(kind) for kind in BESIDE]
        threads = [threading.Thread(target=self.work, args=[choice], daemon=True) for choice in choices]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def work(self, choice: Callable[[], Kind | None]):
        while True:
            with self.changed:
                while (kind := choice()) is None and self.unfinished:
                    self.changed.wait()
                if kind is None:
                    return
                job = heapq.heappop(self.jobs[kind])
                interacts = kind is Kind.INTERACTIVE
                self.is_interacting |= interacts
            try:
                job.act()
            except Exception:  # noqa: BLE001 - its stage has no result, which the report says
                traceback.print_exc()
            finally:
                with self.changed:
                    self.is_interacting &= not interacts
                    self.unfinished -= 1
                    self.changed.notify_all()

    def ready(self) -> Kind | None:
        """The kind of the next job. Two user interfaces never run at once, because they would slow down each other."""
        if self.jobs[Kind.INTERACTIVE] and not self.is_interacting:
            return Kind.INTERACTIVE
        return Kind.COMPUTING if self.jobs[Kind.COMPUTING] else None

    def ready_beside(self, kind: Kind) -> Kind | None:
        """`kind` if a job of it may start. A user interface answers late beside three jobs on two processors."""
        if kind is Kind.WAITING and (self.is_interacting or self.jobs[Kind.INTERACTIVE]):
            return None
        return kind if self.jobs[kind] else None
