"""A compiled kernel as a function of Python."""

from __future__ import annotations

import inspect
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from . import arguments as args
from . import layout as layouts
from . import sizes
from .arguments import Arguments
from .collect import Collect, value
from .devices import Choice, Engine, check_choice, engine, opencl
from .errors import LiftError, counted
from .layout import Exists, Layout
from .plan import Plan, identifiers
from .pour import Pour, bind, check_given
from .read import described
from .run import IN_PLACE, SMALL, Prepared, Run

#: Capacity of the cache of prepared runs, by their sizes.
REMEMBERED = 64


class Kernel:
    """A kernel: called with its inputs it gives its result, as arrays of NumPy, numbers, tuples and `Rows`.

    Sizes that do not follow from the shapes are given by name. `out="device"` leaves results on the device, as arrays
    of pyopencl. Any number of threads may call it; it can be pickled.
    """

    def __init__(
        self,
        name: str,
        docs: str,
        programs: Mapping[str, tuple[str, str]],
        choice: Choice = None,
        memory: int | None = None,
    ) -> None:
        self.name, self.docs = name, docs
        self._programs = dict(programs)
        self._choice = choice
        if memory is not None and (isinstance(memory, bool) or not isinstance(memory, (int, np.integer)) or memory < 1):
            raise LiftError("input", f"memory={memory!r} is not a positive number of bytes")
        self._memory = memory
        self._plans: dict[str, Plan] = {}
        self._prepared: dict[tuple[Any, ...], Prepared] = {}
        self._engine: tuple[Engine, Any | None] | None = None
        self._missing: set[str] = set()
        self._lock = threading.Lock()
        self._describe(self._plan(next(iter(self._programs))))

    def _describe(self, plan: Plan) -> None:
        self.type = plan.type
        given = list(plan.keywords)
        names = identifiers([item.name for item in plan.inputs], given)
        kinds = inspect.Parameter
        parameters = [kinds(n, kinds.POSITIONAL_ONLY, annotation=i.type) for n, i in zip(names, plan.inputs)]
        parameters += [kinds(n, kinds.KEYWORD_ONLY, default=None, annotation="int") for n in given]
        self.__signature__ = inspect.Signature(parameters, return_annotation=plan.result_type)
        self.__name__ = self.__qualname__ = self.name
        inputs = "".join(f"    {item.name} : {item.type}\n" for item in plan.inputs)
        docs = f"{self.docs}\n\n" if self.docs else ""
        self.__doc__ = f"{self.name} : {self.type}\n\n{docs}{inputs}    the result : {plan.result_type}\n"

    def __repr__(self) -> str:
        return f"<lift {self.name} : {self.type}>"

    def __reduce__(self) -> tuple[Any, ...]:
        if self._choice is not None and not isinstance(self._choice, str):
            message = (
                "a kernel on a device, context or queue of this process cannot be pickled: "
                "pickle the kernel itself, and choose the device in the other process"
            )
            raise LiftError("device", message)
        # A copy of the programs, because other threads may add some.
        return type(self), (self.name, self.docs, dict(self._programs), self._choice, self._memory)

    def on(self, choice: Choice, memory: int | None = None) -> Kernel:
        """The same kernel on a device: `"opencl:1"` as `lift devices` numbers them, or a device, context or queue of
        pyopencl. A run uses at most `memory` bytes of it."""
        check_choice(choice)
        return type(self)(self.name, self.docs, self._programs, choice, memory)

    @property
    def opencl(self) -> str:
        """The OpenCL text for its device."""
        try:
            return self._program(self._where([])[0])[1]
        except LiftError as problem:
            if problem.code != "no-device":
                raise
            return self._programs[next(iter(self._programs))][1]

    def __call__(self, /, *inputs: Any, out: str | None = None, copy: bool = False, **given: Any) -> Any:
        """Run the kernel."""
        return self.compute(inputs, given, out, copy)

    def compute(self, inputs: Sequence[Any], given: dict[str, Any], out: str | None = None, copy: bool = False) -> Any:
        """Runs the kernel. `given` has the sizes by their names in the program."""
        if out is not None and not (isinstance(out, str) and out == "device"):
            raise LiftError("input", f'`out` is "device" or omitted, not {described(out)}; a result is a new array')
        where, queue = self._where(inputs)
        plan, text = self._program(where)
        sizes = check_given(plan, given)
        if len(inputs) != len(plan.inputs):
            raise LiftError("input", wrong_count(plan, len(inputs)))
        for item, given_value in zip(plan.inputs, inputs):
            if args.is_device(given_value) and args.context_of(given_value) != where.context:
                message = (
                    f"input `{item.name}` is in another context of OpenCL than the run; `.get()` takes it to the host"
                )
                raise LiftError("input", message)
        found = args.arguments(plan, list(inputs), copy)
        better = self._suited(where, plan, found, sizes)
        if better is not None:
            plan, text = better
            found = args.arguments(plan, list(inputs), copy)
        try:
            return self._run(where, queue, plan, text, found, sizes, out)
        except opencl().MemoryError:
            # Memory kept by earlier runs may suffice: release it and try again.
            where.idle.forget()
        except opencl().Error as problem:
            raise _driver(problem) from None
        try:
            return self._run(where, queue, plan, text, found, sizes, out)
        except opencl().Error as problem:
            raise _driver(problem) from None

    def _where(self, inputs: Any) -> tuple[Engine, Any | None]:
        """The device to run on, and the queue if one was chosen."""
        from .devices import check_process

        check_process()
        if self._choice is None:
            for item in inputs:
                if args.is_device(item):
                    return engine(args.context_of(item))[0], None
        if self._engine is None:
            self._engine = engine(self._choice)
        return self._engine

    def _program(self, where: Engine) -> tuple[Plan, str]:
        """Plan and text for a device."""
        target = where.target()
        wanted = {"nvidia": ("nvidia", "gpu"), "portable": ()}.get(target, (target,))
        for name in ("device", *wanted, "portable", "gpu", "cpu"):
            if name in self._programs:
                return self._plan(name), self._programs[name][1]
        known = ", ".join(self._programs)
        raise LiftError("device", f"`{self.name}` was compiled for {known} alone, which {where.device.name} is not")

    def _suited(self, where: Engine, plan: Plan, found: Arguments, given: dict[str, int]) -> tuple[Plan, str] | None:
        """Plan and text that are faster for the sizes of a run, if there are any."""
        return None

    def _plan(self, target: str) -> Plan:
        plan = self._plans.get(target)
        if plan is None:
            plan = self._plans[target] = Plan(self._programs[target][0])
        return plan

    def _prepare(self, where: Engine, plan: Plan, text: str, found: Arguments, given: dict[str, int]) -> Prepared:
        """The preparation that all runs with these sizes share, cached."""
        shapes = (id(where), id(plan), found.shapes, tuple(sorted(given.items())) if given else ())
        if found.shapes is not None:
            prepared = self._prepared.get(shapes)
            if prepared is not None:
                return prepared
        values = bind(plan, found.columns, given)
        by_values = (id(where), id(plan), None, tuple(values.items()))
        prepared = self._prepared.get(by_values) or Prepared(plan, where, text, values, self._memory)
        with self._lock:
            while len(self._prepared) >= REMEMBERED:
                del self._prepared[next(iter(self._prepared))]
            self._prepared[by_values] = prepared
            if found.shapes is not None:
                self._prepared[shapes] = prepared
        return prepared

    def _run(
        self,
        where: Engine,
        queue: Any | None,
        plan: Plan,
        text: str,
        found: Arguments,
        given: dict[str, int],
        out: str | None,
    ) -> Any:
        prepared = self._prepare(where, plan, text, found, given)
        if found.later:
            pour = Pour(plan, prepared.values, prepared.capacities)
            for item, column in found.later:
                pour.input(item, column)
            found.host.update(pour.flat)
            found.later = []
        call = _Call(prepared, found, out)
        run = prepared.take(queue)
        try:
            result = call.run(run)
        except BaseException:
            run.abandon()
            raise
        run.release(call.given)
        where.idle.give_back(run)
        return result


class _Call:
    """One call: the caller's memory used in place of the run's buffers, and the results."""

    def __init__(self, prepared: Prepared, found: Arguments, out: str | None) -> None:
        self.prepared, self.found, self.out = prepared, found, out
        self.plan, self.engine = prepared.plan, prepared.engine
        #: By buffer: memory used instead of the run's own, which may be a host array.
        self.given: dict[int, Any] = {}
        self.results: dict[int, np.ndarray] = {}
        #: By buffer: size in bytes of a result that stays on the device.
        self.lent: dict[int, int] = {}
        cl, flags = opencl(), opencl().mem_flags
        context = self.engine.context
        for i, data in found.host.items():
            if (
                data.nbytes >= IN_PLACE
                and i not in self.plan.swapped
                and args.in_place(self.engine, data, prepared.alignment)
            ):
                self.given[i] = cl.Buffer(context, flags.READ_ONLY | flags.USE_HOST_PTR, hostbuf=data)
        for i, memory in found.device.items():
            if i not in self.plan.swapped:
                self.given[i] = memory
        for i, buffer in enumerate(self.plan.buffers):
            count = prepared.capacities[i]
            if buffer.role != "output" or count is None or i in self.plan.swapped:
                continue
            size = max(count, 1) * buffer.itemsize
            if out == "device":
                self.lent[i] = size
            elif self.engine.unified and size >= IN_PLACE:
                self.results[i] = args.aligned(count, _stored(buffer.element))
                self.given[i] = cl.Buffer(context, flags.READ_WRITE | flags.USE_HOST_PTR, hostbuf=self.results[i])

    def run(self, run: Run) -> Any:
        for i, size in self.lent.items():
            self.given[i] = run.pool.buffer(size)
        run.start(self.given)
        for array in self.found.waits:
            if array.queue is not None and array.queue != run.queue:
                before = run.cl.enqueue_marker(array.queue)
                array.queue.flush()
                run.cl.enqueue_barrier(run.queue, wait_for=[before])
        for i, data in self.found.host.items():
            if i not in self.given:
                run.write(i, data)
        for i, memory in self.found.device.items():
            if i not in self.given:
                run.cl.enqueue_copy(run.queue, run.now[i], memory, byte_count=memory.size)
        started = time.perf_counter()
        run.execute()
        run.wait()
        outputs = [i for i, buffer in enumerate(self.plan.buffers) if buffer.role == "output"]
        ready: dict[int, np.ndarray] = {}
        if self.out is None and self._bytes(run, outputs) <= SMALL:
            for i in outputs:
                ready[i] = run.read(i, run.capacities[i] or 0, wait=False)
            run.read_flag(wait=False)
            run.queue.finish()
        else:
            run.read_flag()
        self.prepared.seconds = time.perf_counter() - started
        run.check_flag()
        if self.out == "device":
            return self._on_device(run, self.plan.result, run.done(self.found.waits))
        for i in [] if ready else self.results:
            self._map(run, i)

        def read(i: int, count: int, at: np.ndarray | None, width: int) -> np.ndarray:
            data = self.results.get(i) if i in self.results else ready.get(i)
            if data is None:
                last = count if at is None else (int(at.max()) + 1 if len(at) else 0)
                data = run.read(i, last * width)
            elif data.dtype == np.bool_:
                data = data.view(np.uint8)
            if at is None:
                return _cut(data, count * width)
            return data.reshape(-1, width)[at].reshape(-1) if width > 1 else data[at]

        return value(self.plan.result, Collect(read, run.values).column(self.plan.result))

    def _bytes(self, run: Run, buffers: list[int]) -> int:
        return sum((run.capacities[i] or 0) * self.plan.buffers[i].itemsize for i in buffers)

    def _map(self, run: Run, i: int) -> None:
        """Wait until the host sees what the device wrote to its memory."""
        data = self.results[i]
        flags = run.cl.map_flags.READ
        mapped, _ = run.cl.enqueue_map_buffer(run.queue, self.given[i], flags, 0, data.shape, data.dtype)
        mapped.base.release(run.queue)

    def _on_device(self, run: Run, layout: Layout, done: Any) -> Any:
        """Arrays of pyopencl on the buffers of the result."""
        if isinstance(layout, layouts.Tuple):
            return tuple(self._on_device(run, part, done) for part in layout.parts)
        values = dict(run.values)
        inside = layout
        while isinstance(inside, Exists):
            for name, buffer, _ in inside.lengths:
                values[name] = int(run.read(buffer, 1)[0])
            inside = inside.of
        lengths = []
        first = True
        while isinstance(inside, layouts.Array) and (first or not inside.own):
            lengths.append(sizes.evaluate(inside.length, values))
            first, inside = False, inside.of
        if not isinstance(inside, layouts.Leaf):
            raise LiftError("input", f'out="device" gives arrays of equal rows, not `{self.plan.result_type}`')
        from pyopencl.array import Array

        shape = tuple(lengths) + ((inside.width,) if inside.width else ())
        array = Array(run.queue, shape, inside.dtype, data=run.now[inside.buffer])
        array.add_event(done)
        return array


def _stored(element: str) -> np.dtype:
    return np.dtype(np.uint8) if element == "Bool" else layouts.DTYPES[element]


def _cut(data: np.ndarray, count: int) -> np.ndarray:
    """The first `count` elements; a copy if a view would keep much unused memory alive."""
    if count == len(data):
        return data
    return data[:count].copy() if count * 8 < len(data) else data[:count]


def wrong_count(plan: Plan, count: int) -> str:
    listed = ", ".join(f"`{item.name}`" for item in plan.inputs)
    takes = {0: "no inputs", 1: f"one input ({listed})"}.get(len(plan.inputs))
    takes = takes or f"{counted(len(plan.inputs), 'input')} ({listed})"
    given = {0: "none is given", 1: "one is given"}.get(count, f"{count} are given")
    return f"`{plan.kernel}` takes {takes}, but {given}"


def _driver(problem: Exception) -> LiftError:
    return LiftError("opencl", f"the OpenCL driver failed: {problem}")
