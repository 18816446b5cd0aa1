"""Jobs on a few threads: those that compute have a thread for each processor, those that mostly wait share one more."""

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
        self.jobs: dict[bool, list[Job]] = {False: [], True: []}
        self.unfinished = 0
        self.numbers = itertools.count()

    def add(self, cost: float, act: Callable[[], None], waits: bool = False):
        with self.changed:
            heapq.heappush(self.jobs[waits], Job((-cost, next(self.numbers)), act))
            self.unfinished += 1
            self.changed.notify_all()

    def run(self):
        threads = [threading.Thread(target=self.work, args=(False,), daemon=True) for _ in range(self.processors)]
        threads.append(threading.Thread(target=self.work, args=(True,), daemon=True))
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def work(self, waits: bool):
        while True:
            with self.changed:
                while not self.jobs[waits] and self.unfinished:
                    self.changed.wait()
                if not self.unfinished:
                    return
                job = heapq.heappop(self.jobs[waits])
            try:
                job.act()
            except Exception:  # noqa: BLE001 - its stage has no result, which the report says
                traceback.print_exc()
            finally:
                with self.changed:
                    self.unfinished -= 1
                    self.changed.notify_all()
