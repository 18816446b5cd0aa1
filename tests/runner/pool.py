"""Jobs on a thread for each processor. Of those that drive a user interface one runs at a time. Installations, which
mostly wait for a network, have a thread of their own."""

import heapq
import itertools
import os
import threading
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(order=True)
class Job:
    order: tuple[float, int]
    act: Callable[[], None] = field(compare=False)


class Pool:
    """Runs jobs, the most expensive first, until none is left. A job may add others."""

    def __init__(self, processors: int = os.cpu_count() or 1):
        self.processors = processors
        self.changed = threading.Condition()
        self.computing: list[Job] = []
        self.interactive: list[Job] = []
        self.installing: list[Job] = []
        self.is_interacting = False
        self.unfinished = 0
        self.numbers = itertools.count()

    def add(self, cost: float, act: Callable[[], None], interactive: bool = False):
        self.push(self.interactive if interactive else self.computing, cost, act)

    def install(self, act: Callable[[], None]):
        """Adds an installation; they run in the order in which they are added."""
        self.push(self.installing, 0.0, act)

    def push(self, queue: list[Job], cost: float, act: Callable[[], None]):
        with self.changed:
            heapq.heappush(queue, Job((-cost, next(self.numbers)), act))
            self.unfinished += 1
            self.changed.notify_all()

    def run(self):
        choices = [self.ready] * self.processors + [lambda: self.installing]
        threads = [threading.Thread(target=self.work, args=[choice], daemon=True) for choice in choices]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def work(self, choice: Callable[[], list[Job]]):
        while True:
            with self.changed:
                while not (queue := choice()) and self.unfinished:
                    self.changed.wait()
                if not self.unfinished:
                    return
                job = heapq.heappop(queue)
                interacts = queue is self.interactive
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

    def ready(self) -> list[Job]:
        """Where the next job comes from: two user interfaces at once would wait for each other's answers."""
        return self.interactive if self.interactive and not self.is_interacting else self.computing
