"""The line of progress: the stages that run, tests done of how many, and the slowest test now."""

import shutil
import sys
import threading
import time
from dataclasses import dataclass, field


@dataclass
class Count:
    """The progress of one stage."""

    total: int = 0  # 0: not known yet
    done: int = 0
    running: bool = False


@dataclass
class Progress:
    """Shows the progress of the run: on a terminal as one line that changes, elsewhere as a line now and then."""

    every: float = 20.0  # seconds between two lines where there is no terminal
    counts: dict[str, Count] = field(default_factory=dict)
    current: dict[int, tuple[str, float]] = field(default_factory=dict)  # by thread: what it runs, and since when

    def __post_init__(self):
        self.lock = threading.RLock()
        self.began = time.monotonic()
        self.terminal = sys.stdout.isatty()
        self.shown = False
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.repeat, daemon=True)
        self.thread.start()

    def repeat(self):
        while not self.stopped.wait(0.5 if self.terminal else self.every):
            with self.lock:
                self.clear()
                sys.stdout.write(self.line() + ("" if self.terminal else "\n"))
                sys.stdout.flush()
                self.shown = self.terminal

    def stop(self):
        self.stopped.set()
        self.thread.join()
        with self.lock:
            self.clear()

    def clear(self):
        if self.shown:
            sys.stdout.write("\r\033[K")
            self.shown = False

    def say(self, text: str):
        """Prints a permanent line."""
        with self.lock:
            self.clear()
            print(text, flush=True)

    def starts(self, stage: str, total: int = 0):
        with self.lock:
            count = self.counts.setdefault(stage, Count())
            count.running = True
            count.total = max(count.total, total)

    def ends(self, stage: str):
        with self.lock:
            self.counts.setdefault(stage, Count()).running = False

    def runs(self, what: str | None):
        """Sets what this thread runs now."""
        with self.lock:
            if what is None:
                self.current.pop(threading.get_ident(), None)
            else:
                self.current[threading.get_ident()] = (what, time.monotonic())

    def done(self, stage: str):
        with self.lock:
            self.counts.setdefault(stage, Count()).done += 1

    def line(self) -> str:
        now = time.monotonic()
        seconds = int(now - self.began)
        stages = []
        for stage, count in self.counts.items():
            if not count.running:
                continue
            of = f" {count.done}" if count.done or count.total else ""
            of += f"/{max(count.total, count.done)}" if count.total else ""
            stages.append(stage + of)
        line = f"{seconds // 60}:{seconds % 60:02} {', '.join(stages)}"
        if self.current:
            what, since = min(self.current.values(), key=lambda entry: entry[1])
            line += f" | slowest now: {what} ({int(now - since)} s)"
        return line[: shutil.get_terminal_size().columns - 1] if self.terminal else line
