"""A plan on a device: what is prepared for given sizes once, and what each call does."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from typing import Any

import numpy as np

from . import sizes
from .arguments import LARGE_PAGE, aligned, alignment
from .devices import Engine, opencl
from .errors import LiftError, bytes_text
from .layout import DTYPES, known_leaves
from .memory import Pool
from .plan import LONGEST, For, Launch, Measure, Plan, Repeat, Step, Swap, While, Zero
from .pour import check_assumptions
from .sizes import NoValue, Size

#: Minimum bytes of an array that a processor uses in place instead of copying.
IN_PLACE = 1 << 16
#: Minimum seconds of a run during which the main thread waits interruptibly, for Ctrl-C.
LONG = 0.1
#: Minimum bytes of a result whose lengths are read first, so that only the used part is copied.
SMALL = 1 << 14


@dataclass
class Numbers:
    """The scalar arguments and work sizes of a launch."""

    args: list[tuple[int, Any]]
    shape: tuple[int, int, int]
    local: tuple[int, int, int]
    needed: bool


class Prepared:
    """A plan evaluated for given sizes, on a device."""

    def __init__(
        self, plan: Plan, engine: Engine, text: str, values: dict[str, int], memory: int | None = None
    ) -> None:
        check_assumptions(plan, values)
        self.plan, self.engine, self.values = plan, engine, values
        #: Bytes that the run may use on the device.
        self.memory = min(memory, engine.device.global_mem_size) if memory else engine.device.global_mem_size
        if not engine.doubles and "double" in text:
            message = f"the program computes with Double, which the device {engine.device.name} cannot"
            raise LiftError("device", message)
        self.capacities: list[int | None] = [None] * len(plan.buffers)
        try:
            for i, buffer in enumerate(plan.buffers):
                if not buffer.late:
                    self.capacities[i] = self.capacity(i, values)
            self.check_memory(self.capacities)
        except LiftError as problem:
            problem.results = self._results()
            raise
        self.program = engine.program(text)
        #: Alignment of host memory that the device uses in place.
        self.alignment = alignment(text) if engine.unified else 1
        #: Duration of the last run; infinite before the first.
        self.seconds = math.inf
        self.limits = {launch.kernel: self._limit(launch.kernel) for launch in plan.launches}
        self.numbers = [None if launch.late else self.launch_numbers(launch, values) for launch in plan.launches]

    def _results(self) -> int | None:
        """Bytes of the results whose capacities follow from the sizes; None if one of those is undefined."""
        buffers = [self.plan.buffers[leaf.buffer] for leaf in known_leaves(self.plan.result)]
        try:
            known = (buffer for buffer in buffers if not buffer.late)
            return sum(sizes.where_used(buffer.capacity, self.values) * buffer.itemsize for buffer in known)
        except NoValue:
            return None

    def _limit(self, name: str) -> int:
        cl = opencl()
        kernel = cl.Kernel(self.program, name)
        return kernel.get_work_group_info(cl.kernel_work_group_info.WORK_GROUP_SIZE, self.engine.device)

    def capacity(self, i: int, values: dict[str, int]) -> int:
        """The capacity of a buffer in elements."""
        buffer, device = self.plan.buffers[i], self.engine.device
        try:
            count = sizes.where_used(buffer.capacity, values)
        except NoValue as problem:
            shown = sizes.text(buffer.capacity)
            message = f"the capacity {shown} of buffer `{buffer.name}` cannot be computed: {problem}"
            raise LiftError("memory", message) from None
        bytes_needed = max(count, 1) * buffer.itemsize
        if bytes_needed > device.max_mem_alloc_size:
            needed, most = bytes_text(bytes_needed), bytes_text(device.max_mem_alloc_size)
            message = (
                f"the run needs {needed} in buffer `{buffer.name}` ({count} elements of {buffer.element}); "
                f"the device allows {most} for one buffer"
            )
            raise LiftError("memory", message)
        if not 0 <= count <= LONGEST:
            message = f"buffer `{buffer.name}` needs {count} elements; generated code can index at most {LONGEST}"
            raise LiftError("memory", message)
        return count

    def check_memory(self, capacities: list[int | None]) -> None:
        known = [(b.itemsize * max(c, 1)) for b, c in zip(self.plan.buffers, capacities) if c is not None]
        if sum(known) > self.memory:
            has = "the device has" if self.memory == self.engine.device.global_mem_size else "it may use"
            needed = f"the run needs {bytes_text(sum(known))} in {len(known)} buffers"
            problem = LiftError("memory", f"{needed}; {has} {bytes_text(self.memory)}")
            problem.shortage = (self.plan.kernel, sum(known), self.memory)
            raise problem

    def launch_numbers(self, launch: Launch, values: dict[str, int]) -> Numbers:
        """Evaluates the arguments that are not buffers, and the numbers of work-items."""
        cl = opencl()
        args: list[tuple[int, Any]] = []
        local_memory = 0
        for i, (what, value) in enumerate(launch.args):
            if what == "buffer":
                continue
            number = self.number(value, values)
            if what == "int":
                if not -LONGEST <= number <= LONGEST:
                    shown = sizes.text(value)
                    message = f"the size {shown} is {number} here; generated code counts to {LONGEST} at most"
                    raise LiftError("memory", message)
                args.append((i, np.int32(number)))
            elif what == "long":
                args.append((i, np.int64(number)))
            else:
                local_memory += number
                args.append((i, cl.LocalMemory(max(number, 1))))
        device = self.engine.device
        if local_memory > device.local_mem_size:
            message = (
                f"`{launch.label}` needs {local_memory} bytes of local memory in a work-group; "
                f"{device.name} has {device.local_mem_size}"
            )
            raise LiftError("device", message)
        groups = [-(-self.number(count, values) // multiple) * multiple for count, multiple in launch.groups]
        local = self._local(launch)
        needed = all(self.number(size, values) > 0 for size in launch.only_if)
        return Numbers(args, self._shape(groups, local), local, needed)

    def _local(self, launch: Launch) -> tuple[int, int, int]:
        """The work-group size, reduced to the device's maximum unless the kernel needs exactly the requested one."""
        device = self.engine.device
        most = max(min(self.limits[launch.kernel], device.max_work_group_size), 1)
        local = list(launch.local)
        allowed = device.max_work_item_sizes[:3]
        if not launch.exact:
            local = [max(min(n, m), 1) for n, m in zip(local, allowed)]
            while local[0] * local[1] * local[2] > most:
                largest = max(range(3), key=lambda d: local[d])
                local[largest] = max(local[largest] // 2, 1)
        elif local[0] * local[1] * local[2] > most or any(n > m for n, m in zip(local, allowed)):
            message = (
                f"`{launch.label}` needs work-groups of {local[0] * local[1] * local[2]} work-items; "
                f"the device allows {most} ({device.name})"
            )
            raise LiftError("device", message)
        return (local[0], local[1], local[2])

    def _shape(self, groups: list[int], local: tuple[int, int, int]) -> tuple[int, int, int]:
        shape = []
        for d in range(3):
            by_hardware = 65535 if d > 0 and self.engine.kind == "gpu" else 2**63
            by_ids = max((2**31 - 1 - LONGEST) // local[d], 1)
            shape.append(max(min(groups[d], by_hardware, by_ids), 1) * local[d])
        return (shape[0], shape[1], shape[2])

    def number(self, size: Size, values: dict[str, int]) -> int:
        """Evaluates a size that is passed to the device."""
        try:
            return sizes.where_used(size, values)
        except NoValue as problem:
            raise LiftError("memory", f"a size, {sizes.text(size)}, cannot be computed: {problem}") from None

    def take(self, queue: Any | None) -> Run:
        """A run that no other thread uses."""
        return self.engine.idle.take(self, queue) or Run(self, queue)


class Run:
    """The queue, buffers and kernels with arguments of one call; reused by later calls."""

    def __init__(self, prepared: Prepared, queue: Any | None) -> None:
        self.cl = opencl()
        self.prepared, self.plan = prepared, prepared.plan
        engine = prepared.engine
        #: The requested queue, if any.
        self.asked = queue
        self.queue = self.cl.CommandQueue(engine.context, engine.device) if queue is None else queue
        #: Buffers that are new in each call: results that stay on the device, and buffers of measured size.
        self.pool = Pool(self.cl, self.queue)
        #: By buffer; allocated on first use.
        self.memory: list[Any] = [None] * len(self.plan.buffers)
        self.bytes = 0
        self.kernels = [self.cl.Kernel(prepared.program, launch.kernel) for launch in self.plan.launches]
        for kernel, numbers in zip(self.kernels, prepared.numbers):
            if numbers is not None:
                for i, value in numbers.args:
                    kernel.set_arg(i, value)
        self.bound: list[list[Any]] = [[None] * len(launch.args) for launch in self.plan.launches]
        self.flag = np.zeros(4, np.int32)
        self.values: dict[str, int] = {}
        #: By buffer: its current memory, which swaps exchange.
        self.now: list[Any] = []
        #: Thread that waits for the device, so that the main thread can be interrupted.
        self._waiter: threading.Thread | None = None

    def start(self, given: dict[int, Any]) -> None:
        """Begins a call. `given` are buffers that replace the run's own."""
        self.values = self.prepared.values
        self.capacities = self.prepared.capacities
        plan = self.plan
        if plan.longest or plan.indices or any(buffer.late for buffer in plan.buffers):
            self.values, self.capacities = dict(self.values), list(self.capacities)
        self.now = list(self.memory)
        for i, buffer in enumerate(plan.buffers):
            if i in given:
                self.now[i] = given[i]
            elif buffer.late:
                self.now[i] = None
            elif self.now[i] is None:
                self.now[i] = self.memory[i] = self._allocate(i)

    def _allocate(self, i: int) -> Any:
        buffer, count = self.plan.buffers[i], self.capacities[i]
        size = max(count or 0, 1) * buffer.itemsize
        if buffer.late:
            made = self.pool.buffer(size)
        else:
            made = self.cl.Buffer(self.prepared.engine.context, self.cl.mem_flags.READ_WRITE, size)
            self.bytes += size
        if buffer.role in ("state", "failure"):
            self._zero(made)
        return made

    def kept(self) -> int:
        """Bytes on the device that the run keeps for its next call."""
        return self.bytes + self.pool.held()

    def done(self, arrays: list[Any]) -> Any:
        """An event after all enqueued commands. Later commands on these arrays wait for it.

        Their queues wait for it too, because a pool may give the memory to another array.
        """
        event = self.cl.enqueue_marker(self.queue)
        for array in arrays:
            array.add_event(event)
            if array.queue is not None and array.queue != self.queue:
                self.queue.flush()
                self.cl.enqueue_barrier(array.queue, wait_for=[event])
        return event

    def _zero(self, memory: Any) -> None:
        self.cl.enqueue_fill_buffer(self.queue, memory, np.uint8(0), 0, memory.size)

    def write(self, i: int, data: np.ndarray) -> None:
        """Writes an input to its buffer. The array must live until the run ends."""
        if data.size:
            self.cl.enqueue_copy(self.queue, self.now[i], data, is_blocking=False)

    def execute(self) -> None:
        """Enqueue the steps."""
        self._steps(self.plan.steps)

    def wait(self) -> None:
        """Wait for a long run in another thread, because drivers wait without hearing signals.

        Ctrl-C then ends the call at once. OpenCL cannot stop the device, so the thread keeps the run and its memory
        until the device is done.
        """
        if self.prepared.seconds < LONG or threading.current_thread() is not threading.main_thread():
            return
        failed: list[Exception] = []

        def finish() -> None:
            try:
                self.queue.finish()
            except self.cl.Error as problem:
                failed.append(problem)

        self._waiter = threading.Thread(target=finish, name="lift")
        self._waiter.start()
        self._waiter.join()
        self._waiter = None
        if failed:
            raise failed[0]

    def abandon(self) -> None:
        """Discards the run of a failed call. Its commands may still use its memory."""
        if self._waiter is None:
            self.queue.finish()

    def release(self, given: dict[int, Any]) -> None:
        """Drops the references to a call's buffers."""
        for bound in self.bound if given else ():
            for i, memory in enumerate(bound):
                if any(memory is other for other in given.values()):
                    bound[i] = None
        self.now = []

    def read(self, i: int, count: int, wait: bool = True) -> np.ndarray:
        """Reads the first `count` elements of a buffer."""
        element = self.plan.buffers[i].element
        dtype = np.dtype(np.uint8) if element == "Bool" else DTYPES[element]
        large = count * dtype.itemsize >= 2 * LARGE_PAGE
        data = aligned(count, dtype) if large else np.empty(count, dtype)
        if count:
            self.cl.enqueue_copy(self.queue, data, self.now[i], is_blocking=wait)
        return data

    def read_flag(self, wait: bool = True) -> None:
        """Reads the failure buffer, for `check_flag`."""
        if self.plan.failure is not None:
            self.cl.enqueue_copy(self.queue, self.flag, self.now[self.plan.failure], is_blocking=wait)

    def check_flag(self) -> None:
        if self.plan.failure is not None and self.flag[0]:
            raise self.plan.failed(*(int(n) for n in self.flag[1:]))

    def _steps(self, steps: tuple[Step, ...]) -> None:
        for step in steps:
            if isinstance(step, Launch):
                self._launch(step)
            elif isinstance(step, Zero):
                self._zero(self.now[step.buffer])
            elif isinstance(step, Repeat):
                for _ in range(self.prepared.number(step.count, self.values)):
                    self._steps(step.steps)
            elif isinstance(step, For):
                for index in range(self.prepared.number(step.count, self.values)):
                    self.values[step.index] = index
                    self._steps(step.steps)
            elif isinstance(step, While):
                while self._again(step):
                    self._steps(step.steps)
            elif isinstance(step, Swap):
                self.now[step.a], self.now[step.b] = self.now[step.b], self.now[step.a]
            else:
                self._measure(step)

    def _again(self, step: While) -> bool:
        self._steps(step.test)
        self.read_flag(wait=False)
        found = self.read(step.flag, 1)
        self.check_flag()
        return bool(found[0])

    def _measure(self, step: Measure) -> None:
        self.wait()
        self.read_flag(wait=False)
        found = int(self.read(step.source, 1)[0])
        self.check_flag()
        if found < 0:
            raise self.plan.failed(step.negative, found, 0)
        self.values[step.size] = found
        for i, buffer in enumerate(self.plan.buffers):
            mentioned = set(sizes.names(buffer.capacity))
            if step.size in mentioned and mentioned & self.plan.measured <= set(self.values):
                self.capacities[i] = None
                self.capacities[i] = self.prepared.capacity(i, self.values)
                self.prepared.check_memory(self.capacities)
                self.now[i] = None
                self.now[i] = self._allocate(i)

    def _launch(self, launch: Launch) -> None:
        numbers = self.prepared.numbers[launch.index]
        kernel = self.kernels[launch.index]
        if numbers is None:
            numbers = self.prepared.launch_numbers(launch, self.values)
            for i, value in numbers.args:
                kernel.set_arg(i, value)
        if not numbers.needed:
            return
        bound = self.bound[launch.index]
        for i, (what, value) in enumerate(launch.args):
            if what == "buffer":
                memory = self.now[value]
                if bound[i] is not memory:
                    kernel.set_arg(i, memory)
                    bound[i] = memory
        self.cl.enqueue_nd_range_kernel(self.queue, kernel, numbers.shape, numbers.local)
