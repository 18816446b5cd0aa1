"""Kernels on arrays of Dask: block by block, on threads, processes or machines (docs/distributed.md).

The program `lift` says what the steps are (`lift build --emit json --parts`); here they become tasks. A task runs a
kernel of blocks, which its worker needs no compiler for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import dask.array as da
import numpy as np
from dask.delayed import Delayed
from lift_runtime import Kernel, LiftError, collect, pour, read, sizes
from lift_runtime.errors import counted
from lift_runtime.layout import DTYPES
from lift_runtime.plan import Input, Plan
from lift_runtime.tables import cast

from . import tasks, work
from .blocks import Blocks, later
from .program import is_lazy
from .tasks import Task, Within

#: Number of partial results that one task folds.
FOLDED = 8
#: Elements of each block that are sampled to choose the bounds of a distributed sort.
SAMPLES = 64
#: Default block length of arrays that a kernel creates itself, such as `iota`.
CHUNK = 2**20
#: Version of the JSON format of kernels in parts.
VERSION = 1


#: Maps the length of an array to the lengths of its blocks.
Divide = Callable[[int], "list[int]"]


def by(chunk: int) -> Divide:
    """Blocks of a length."""
    return lambda length: [min(chunk, length - at) for at in range(0, length, chunk)] or [0]


def devices(client: Any) -> dict[Any, str]:
    """Give the workers of each machine its devices, one each in turn, before kernels run. Returns the device of each
    worker, by its name."""
    from .workers import give

    return give(client)


@dataclass(eq=False)
class Cut:
    """How an array is divided into blocks: the bounds if they are known, otherwise a task per block for its length."""

    count: int
    bounds: list[int] | None
    #: The length of each block as a task, if `bounds` is unknown.
    lengths: list[Any] | None = None
    firsts: Any = None

    def length(self, i: int) -> Any:
        """The length of block `i`."""
        if self.bounds is not None:
            return self.bounds[i + 1] - self.bounds[i]
        return self.lengths[i] if self.lengths is not None else None

    def first(self, i: int) -> Any:
        """The index in the whole array of the first element of block `i`."""
        if self.bounds is not None:
            return self.bounds[i]
        if self.firsts is None:
            self.firsts = Task(work.running, self.lengths)
        return Within(work.item, self.firsts, i)


@dataclass(eq=False)
class Spread:
    blocks: list[Any]
    cut: Cut


class Parts:
    """A kernel divided into steps on blocks, as `lift` describes it in JSON."""

    def __init__(self, line: dict[str, Any], plan: Plan, choices: Sequence[Any], memory: int | None) -> None:
        self.parts = line["parts"]
        if self.parts["version"] != VERSION:
            message = f"parts have version {self.parts['version']}, this module reads version {VERSION}"
            raise LiftError("internal-error", message)
        self.plan = plan
        #: By kernel, then by device.
        self.kernels: list[list[Any]] = []
        for kernel in line["kernels"]:
            programs = {target: (plan, text) for target, (plan, text) in kernel["programs"].items()}
            made = [Kernel(kernel["kernel"], "", programs, choice, memory) for choice in choices]
            self.kernels.append(made)

    def __call__(self, inputs: Sequence[Any], given: dict[str, int], divide: Divide | int | None = None) -> Any:
        """Run on `inputs`. `divide` gives the blocks of arrays that are not divided yet, and of those that the kernel
        creates: a function from a length to the lengths of blocks, or one block length."""
        return _Run(self, given, by(divide) if isinstance(divide, int) else divide).run(inputs)


class _Run:
    """One call, which builds a graph of tasks."""

    def __init__(self, parts: Parts, given: dict[str, int], divide: Divide | None) -> None:
        self.parts, self.plan = parts.parts, parts.plan
        #: Each kernel is one node of the graph, so that a worker receives it once.
        self.kernels = [[tasks.value(one) for one in made] for made in parts.kernels]
        self.values: dict[str, Any] = dict(pour.check_given(self.plan, given))
        self.divide = divide
        self.held: dict[int, Any] = {}
        self.unknown = False
        #: How inputs are divided, by their lengths.
        self.cuts: dict[int, Cut] = {}
        #: Names of inputs, by the ids of their values.
        self.named: dict[int, str] = {item["value"]: item["name"] for item in self.parts["inputs"]}

    def run(self, inputs: Sequence[Any]) -> Any:
        if len(inputs) != len(self.parts["inputs"]):
            from lift_runtime.kernel import wrong_count

            raise LiftError("input", wrong_count(self.plan, len(inputs)))
        equations: list[pour.Equation] = []
        for item, known, value in zip(self.parts["inputs"], self.plan.inputs, inputs):
            given = self.of_dask(item, value) if is_lazy(value) else _host(known, value, equations)
            self.held[item["value"]] = self.input(item, given, equations)
        pour.solve_shapes(self.plan, equations, self.values, self.unknown)
        self.check()
        self.steps(self.parts["steps"])
        return self.output(self.parts["result"])

    # --- inputs

    def input(self, item: dict[str, Any], value: Any, equations: list[pour.Equation]) -> Any:
        about = self.parts["values"][item["value"]]
        shape: tuple[Any, ...] = ()
        if isinstance(value, Blocks):
            blocks, known = [tasks.value(block) for block in value.blocks], False
        elif isinstance(value, Delayed):
            if not about["spread"]:
                return tasks.value(value)
            blocks, known = [tasks.value(value)], False
        elif isinstance(value, da.Array):
            shape = self.fits(item, about, value)
            if value.ndim == 0:
                return tasks.blocks_of(value)[0]
            unknown = any(np.isnan(n) for lengths in value.chunks[1:] for n in lengths)
            self.unknown = self.unknown or unknown
            if any(len(c) > 1 for c in value.chunks[1:]):
                if unknown:
                    message = (
                        f"the rows of `{item['name']}` are cut at unknown positions: `compute_chunk_sizes()` finds them"
                    )
                    raise LiftError("cannot-distribute", message)
                value = value.rechunk(dict.fromkeys(range(1, value.ndim), -1))
            blocks = tasks.blocks_of(value)
            known = not any(np.isnan(n) for n in value.chunks[0])
        else:
            if not about["spread"]:
                return tasks.value(value)
            inside, known = _known(self.divide(len(value)) if self.divide else [len(value)]), True
            ends = inside.bounds or []
            pieces = [work.slice(value, *ends[i : i + 2]) for i in range(inside.count)] if inside.count > 1 else [value]
            blocks = [tasks.value(piece) for piece in pieces]
        self.equate(item, about, shape, equations)
        if known and isinstance(value, da.Array):
            inside = _known(list(value.chunks[0]))
        length = about["shape"][0] if about["shape"] else None
        if not known and length is not None and set(sizes.names(length)) <= set(self.values):
            lengths = [Task(work.length, block, item["name"]) for block in blocks]
            blocks[0] = Task(work.as_long, blocks[0], lengths, self.size(length), item["name"])
        cut = inside if known else _unknown(blocks, item["name"])
        self.unknown = self.unknown or not known
        if known and len(blocks) > 1:
            self.cuts.setdefault(cut.bounds[-1] if cut.bounds else 0, cut)
        made = Spread(blocks, cut)
        return made if about["spread"] else self.gathered(made)

    def of_dask(self, item: dict[str, Any], value: Any) -> Any:
        """Converts an input of Dask to an array, a delayed value or blocks; tables and their columns become arrays."""
        value = later(value)
        if isinstance(value, (Blocks, da.Array, Delayed)):
            return value
        if isinstance(getattr(value, "data", None), da.Array):
            # An array of xarray.
            return value.data
        dtype = _dtype(self.parts["values"][item["value"]]["element"])
        if dtype is not None and dtype.names is not None and hasattr(value, "columns"):
            return value.map_partitions(work.records, meta=work.records(value._meta))
        if hasattr(value, "to_dask_array"):
            return value.to_dask_array()
        made = ": `.to_delayed()` gives blocks for `lift.dask.Blocks`" if hasattr(value, "to_delayed") else ""
        message = f"an array of Dask is needed, not a `{type(value).__name__}`{made}"
        raise LiftError("input", f"input `{item['name']}` does not fit its type `{item['type']}`: {message}")

    def fits(self, item: dict[str, Any], about: dict[str, Any], value: Any) -> tuple[Any, ...]:
        """The shape of an array of Dask. Raises an error if its elements do not have the input's type."""
        dtype = _dtype(about["element"])
        what = None
        if dtype is not None and _scalars(value.dtype) != _scalars(dtype):
            how = cast(dtype.name) if dtype.names is None else ".astype"
            held = value.dtype if value.dtype.names is None else np.dtype(value.dtype.descr)
            what = f"the array holds `{held}`; its elements are NumPy's `{dtype}`: convert with `{how}`"
        elif dtype is not None and value.ndim != len(about["shape"]):
            what = f"the type has {counted(len(about['shape']), 'dimension')}; the array has shape {value.shape}"
        if what is not None:
            raise LiftError("input", f"input `{item['name']}` does not fit its type `{item['type']}`: {what}")
        return tuple(value.shape)

    def equate(self, item: dict[str, Any], about: dict[str, Any], shape: tuple[Any, ...], to: list[Any]) -> None:
        for dim, (size, n) in enumerate(zip(about["shape"], shape)):
            if not np.isnan(n) and set(sizes.names(size)) <= set(self.plan.sizes):
                to.append(pour.Equation(size, int(n), item["name"], dim))

    def check(self) -> None:
        """Checks the program's assumptions before any task is created."""
        for check in self.parts["checks"]:
            names = set(sizes.condition_names(check["parts"])) & set(self.plan.sizes)
            missing = sorted(names - set(self.values))
            if missing:
                raise self.asks(missing[0])
            if not sizes.holds(check["parts"], self.values):
                known = ", ".join(f"{name} = {self.values[name]}" for name in sorted(names))
                message = f"the program relies on `{check['condition']}`, which is false for {known}"
                raise LiftError("assumption-false", message, check["at"] or None)

    def asks(self, name: str) -> LiftError:
        message = (
            f"`{self.parts['kernel']}` needs the size `{name}` as a number, and the chunks of its arrays have unknown "
            "lengths: `compute_chunk_sizes()` finds them"
        )
        if name in self.plan.sizes:
            message += f", or {pour.advice(self.plan, name)}"
        return LiftError("cannot-distribute", message)

    # --- sizes

    def size(self, size: Any) -> int:
        try:
            found = sizes.evaluate(size, self.values)
        except sizes.Unknown as unknown:
            raise self.asks(str(unknown)) from None
        if isinstance(found, int):
            return found
        raise self.asks(sizes.text(size))

    def known_size(self, size: Any) -> Any:
        """The value of a size: a number, or a task if the size depends on data."""
        mentioned = {name: self.values[name] for name in sizes.names(size) if name in self.values}
        if all(isinstance(n, int) for n in mentioned.values()):
            return self.size(size)
        return Task(work.size, size, list(mentioned), list(mentioned.values()))

    def numbers(self, entries: list[Any], block: Any = None, first: Any = None) -> dict[str, Any]:
        """The values of a kernel's size arguments."""
        found = {}
        for own, what in entries:
            if what == "block":
                found[own] = block
            elif what == "first":
                found[own] = first() if callable(first) else first
            elif "of" in what:
                if what["of"] not in self.values:
                    raise self.asks(what["of"])
                found[own] = self.values[what["of"]]
            elif what["derived"] in self.values:
                found[own] = self.values[what["derived"]]
        return found

    # --- steps

    def steps(self, steps: list[dict[str, Any]]) -> None:
        for step in steps:
            ((kind, what),) = step.items()
            getattr(self, f"step_{kind}")(what)

    def spread(self, v: int) -> Spread:
        held = self.held[v]
        if isinstance(held, Spread):
            return held
        shape = self.parts["values"][v]["shape"]
        try:
            length = [self.size(shape[0])]
        except LiftError:
            return Spread([held], _unknown([held]))
        return Spread([held], _known(length))

    def whole(self, v: int) -> Any:
        held = self.held[v]
        return self.gathered(held) if isinstance(held, Spread) else held

    def gathered(self, spread: Spread) -> Any:
        return spread.blocks[0] if len(spread.blocks) == 1 else Task(work.joined, spread.blocks)

    def call(
        self,
        kernel: int,
        inputs: list[Any],
        numbers: dict[str, Any],
        block: int = 0,
        names: Sequence[str | None] = (),
        length: Any = None,
    ) -> Any:
        """A task that runs a kernel. Inputs with a name are blocks of equal length: `length`, if it is a number."""
        devices = self.kernels[kernel]
        call = work.Call(list(numbers), names, length if isinstance(length, int) else None)
        return Task(call, devices[block % len(devices)], *inputs, *numbers.values())

    def located(self, read: dict[str, Any]) -> Spread:
        """The array that a step reads; undivided if the step reads a range of it but its bounds are unknown."""
        held = self.spread(read["value"])
        if read.get("range") is None or held.cut.bounds is not None:
            return held
        length = self.parts["values"][read["value"]]["shape"][0]
        return Spread([self.gathered(held)], _known([self.size(length)]))

    def step_each(self, each: dict[str, Any]) -> None:
        reads = [(self.located(read), read.get("range")) for read in each["reads"]]
        cut = self.cut(each, reads)
        names = [self.named.get(read["value"]) for read in each["reads"]]
        if cut.bounds is not None:
            # The blocks of the other arrays have different bounds, so only these inputs have equal lengths.
            names = [n if w is None and s.cut.bounds == cut.bounds else None for n, (s, w) in zip(names, reads)]
        wholes = [self.whole(v) for v in each["wholes"]]
        picks = [self.whole(v) for v in each["picks"]]
        blocks = []
        for i in range(cut.count):
            inputs = [self.read(source, wanted, cut, i) for source, wanted in reads]
            inputs += wholes + [Within(work.item, pick, i) for pick in picks]
            numbers = self.numbers(each["sizes"], cut.length(i), lambda i=i: cut.first(i))
            blocks.append(self.call(each["kernel"], inputs, numbers, i, names, cut.length(i)))
        self.held[each["out"]] = Spread(blocks, self.cut_of(each, cut, blocks))

    def cut_of(self, each: dict[str, Any], cut: Cut, blocks: list[Any]) -> Cut:
        """How a result is divided: like the step's blocks if it is as long as the arrays that the step reads."""
        if each["yields"] == "one":
            return _known([1] * cut.count)
        if each["yields"] == "some":
            return _unknown(blocks)
        length = self.parts["values"][each["out"]]["shape"][0]
        if cut.bounds is None:
            return cut if length == each["over"] else _unknown(blocks)
        total, over = self.size(length), cut.bounds[-1]
        if over == total:
            return cut
        scale = total // over if over else 1
        return Cut(cut.count, [bound * scale for bound in cut.bounds])

    def is_known(self, size: Any) -> bool:
        return all(isinstance(self.values.get(name), int) for name in sizes.names(size))

    def cut(self, each: dict[str, Any], reads: list[tuple[Spread, Any]]) -> Cut:
        """How the index range of a step is divided into blocks."""
        candidates = [(spread.cut, wanted) for spread, wanted in reads]
        if each["like"] is not None:
            candidates.insert(0, (self.spread(each["like"]).cut, None))
        if not candidates:
            over = self.known_size(each["over"])
            if not isinstance(over, int):
                return Cut(1, None, [over])
            if over in self.cuts:
                return self.cuts[over]
            return _known((self.divide or by(CHUNK))(over))
        unknown = [cut for cut, _ in candidates if cut.bounds is None]
        if unknown:
            counts = {cut.count for cut, _ in candidates}
            if len(counts) > 1:
                raise self.apart(each["reads"])
            if any(wanted is not None for _, wanted in candidates):
                raise self.asks(sizes.text(each["over"]))
            return unknown[0]
        cut, wanted = max(candidates, key=lambda candidate: candidate[0].count)
        if all(wanted is None for _, wanted in candidates):
            return cut
        over = self.size(each["over"])
        scale, offset = (self.size(wanted[key]) for key in ("scale", "offset")) if wanted else (1, 0)
        inner = [min(max((bound - offset) // scale, 0), over) for bound in (cut.bounds or [])[1:-1]]
        bounds = sorted({0, *inner, over})
        bounds = bounds if len(bounds) > 1 else [0, over]
        return cut if bounds == cut.bounds else Cut(len(bounds) - 1, bounds)

    def apart(self, reads: list[dict[str, Any]]) -> LiftError:
        """The error that arrays which a step reads together are divided differently."""
        unknown = [read["value"] for read in reads if self.spread(read["value"]).cut.bounds is None]
        named = " and ".join(f"`{self.named[v]}`" for v in unknown if v in self.named) or "one"
        message = (
            f"`{self.parts['kernel']}` takes elements of several arrays together, which are not cut alike: "
            f"the chunks of {named} have unknown lengths, which `compute_chunk_sizes()` finds"
        )
        return LiftError("cannot-distribute", message)

    def read(self, source: Spread, wanted: Any, cut: Cut, i: int) -> Any:
        """The part of an array that block `i` reads."""
        if wanted is None and (source.cut is cut or source.cut.bounds == cut.bounds or cut.bounds is None):
            return source.blocks[i]
        bounds = cut.bounds or []
        start, end = bounds[i], bounds[i + 1]
        if wanted is None:
            return _range(source, start, end)
        scale, offset, more = (self.size(wanted[key]) for key in ("scale", "offset", "more"))
        start, end = start * scale + offset, end * scale + offset + more
        if wanted["pad"] is None:
            return _range(source, start, end)
        left, mode = self.size(wanted["pad"]["left"]), wanted["pad"]["mode"]
        return _padded(source, start - left, end - left, mode)

    def step_whole(self, step: dict[str, Any]) -> None:
        inputs = [self.whole(v) for v in step["inputs"]]
        self.held[step["out"]] = self.call(step["kernel"], inputs, self.numbers(step["sizes"]))

    def step_fold(self, step: dict[str, Any]) -> None:
        parts = self.spread(step["of"]).blocks
        wholes = [self.whole(v) for v in step["wholes"]]
        while len(parts) > 1:
            several = [parts[i : i + FOLDED] for i in range(0, len(parts), FOLDED)]
            numbers = self.numbers(step["sizes"])
            joined = [[Within(work.joined, some), *wholes] for some in several]
            parts = [self.call(step["kernel"], inputs, numbers, i) for i, inputs in enumerate(joined)]
        self.held[step["out"]] = parts[0]

    def step_gather(self, step: dict[str, Any]) -> None:
        self.held[step["out"]] = self.gathered(self.spread(step["of"]))

    def step_length(self, step: dict[str, Any]) -> None:
        held = self.held[step["of"]]
        if isinstance(held, Spread) and held.cut.bounds is not None:
            self.values[step["size"]] = held.cut.bounds[-1]
        elif isinstance(held, Spread):
            self.values[step["size"]] = Task(sum, held.cut.lengths)
        else:
            self.values[step["size"]] = Task(work.length, held)

    def step_sort(self, step: dict[str, Any]) -> None:
        blocks = self.spread(step["of"]).blocks
        wholes = [self.whole(v) for v in step["wholes"]]

        def sort(block: Any, i: int = 0) -> Any:
            return self.call(step["sort"], [block, *wholes], self.numbers(step["sizes"]), i)

        ordered = [sort(block, i) for i, block in enumerate(blocks)]
        if len(ordered) > 1:
            samples = sort(Within(work.joined, [Task(work.every, block, SAMPLES) for block in ordered]))
            cuts = Task(work.every, samples, len(ordered) - 1)
            others = [self.whole(v) for v in step["beforeWholes"]]
            numbers = self.numbers(step["beforeSizes"])
            asked = [[block, cuts, *others] for block in ordered]
            counts = [self.call(step["before"], inputs, numbers, i) for i, inputs in enumerate(asked)]
            pairs = list(zip(ordered, counts))
            exchanged = [[Task(work.between, block, count, i) for block, count in pairs] for i in range(len(ordered))]
            ordered = [sort(Within(work.joined, pieces), i) for i, pieces in enumerate(exchanged)]
        self.held[step["out"]] = Spread(ordered, _unknown(ordered))

    def step_reverse(self, step: dict[str, Any]) -> None:
        source = self.spread(step["of"])
        numbers = self.numbers(step["sizes"])
        blocks = [self.call(step["kernel"], [block], numbers, i) for i, block in enumerate(source.blocks)][::-1]
        bounds = source.cut.bounds
        cut = _unknown(blocks) if bounds is None else Cut(len(blocks), [bounds[-1] - b for b in reversed(bounds)])
        self.held[step["out"]] = Spread(blocks, cut)

    def step_concat(self, step: dict[str, Any]) -> None:
        parts = [self.spread(v) for v in step["of"]]
        blocks = [block for part in parts for block in part.blocks]
        if all(part.cut.bounds is not None for part in parts):
            cut = _known([part.cut.length(i) for part in parts for i in range(part.cut.count)])
        else:
            cut = _unknown(blocks)
        self.held[step["out"]] = Spread(blocks, cut)

    def step_repeat(self, step: dict[str, Any]) -> None:
        now = self.spread(step["start"])
        for _ in range(self.size(step["count"])):
            self.held[step["state"]] = now
            self.steps(step["steps"])
            now = self.spread(step["next"])
        self.held[step["out"]] = now

    # --- results

    def output(self, result: Any) -> Any:
        if isinstance(result, list):
            return tuple(self.output(part) for part in result)
        return self.made(self.held[result], self.parts["values"][result])

    def made(self, held: Any, about: dict[str, Any]) -> Any:
        """Converts a value to the collection of Dask, or the tuple of them, for its type."""
        dtype = _dtype(about["element"])
        if about["parts"] is not None and not isinstance(held, Spread):
            return tuple(self.made(Task(work.item, held, i), part) for i, part in enumerate(about["parts"]))
        if dtype is None:
            if not isinstance(held, Spread):
                return tasks.several([held])[0]
            return Blocks(tasks.several(held.blocks), about["type"])
        if not isinstance(held, Spread):
            made = tasks.array([held], None, self.dims(about["shape"]), dtype)
        else:
            inner = self.dims(about["shape"][1:])
            lengths = np.diff(held.cut.bounds).tolist() if held.cut.bounds is not None else [np.nan] * held.cut.count
            made = tasks.array(held.blocks, lengths, inner, dtype)
        made.lift_type = about["type"]
        return made

    def dims(self, shape: list[Any]) -> tuple[Any, ...]:
        return tuple(self.size(size) if self.is_known(size) else np.nan for size in shape)


def _known(lengths: list[int]) -> Cut:
    return Cut(len(lengths), [0, *np.cumsum(lengths, dtype=np.int64).tolist()])


def _unknown(blocks: list[Any], name: str | None = None) -> Cut:
    return Cut(len(blocks), None, [Task(work.length, block, name) for block in blocks])


def _host(item: Input, value: Any, equations: list[pour.Equation]) -> Any:
    """Checks that a host value has the input's type, and returns it in the form of a result, without conversion."""
    column = read.column(item, value, False)
    pour.shapes(item, column, equations, {})
    return collect.given(item.layout, column)


def _scalars(dtype: np.dtype) -> list[Any]:
    """The scalar types of an element, nested like its fields but without their names."""
    return [dtype] if dtype.names is None else [_scalars(dtype[name]) for name in dtype.names]


def _dtype(element: Any) -> np.dtype | None:
    if element is None:
        return None
    if isinstance(element, str):
        return DTYPES[element]
    return np.dtype([(f"f{i}", _dtype(part)) for i, part in enumerate(element)])


def _range(source: Spread, start: int, end: int) -> Any:
    """Elements `start` to `end` of an array, as one argument of a task."""
    bounds = source.cut.bounds or []
    start, end = max(start, 0), min(max(end, start), bounds[-1])
    pieces = []
    for i, block in enumerate(source.blocks):
        a, b = max(start, bounds[i]), min(end, bounds[i + 1])
        if (a, b) == (bounds[i], bounds[i + 1]) == (start, end):
            return block
        if a < b:
            pieces.append(block if (a, b) == (bounds[i], bounds[i + 1]) else (block, a - bounds[i], b - bounds[i]))
    if not pieces:
        pieces = [(source.blocks[0], 0, 0)]
    made = [Task(work.slice, *piece) if isinstance(piece, tuple) else piece for piece in pieces]
    return made[0] if len(made) == 1 else Within(work.joined, made)


def _padded(source: Spread, start: int, end: int, mode: str) -> Any:
    """Like `_range`, but indices out of bounds are those of a padded array."""
    length = (source.cut.bounds or [0])[-1]

    def edge(at: int) -> int:
        if mode == "clamp":
            return min(max(at, 0), length - 1)
        if mode == "wrap":
            return at % length
        at %= 2 * length
        return at if at < length else 2 * length - 1 - at

    outside = [*range(start, min(0, end))], [*range(max(length, start), end)]
    pieces = [_range(source, edge(at), edge(at) + 1) for at in outside[0]]
    if min(end, length) > max(start, 0):
        pieces.append(_range(source, max(start, 0), min(end, length)))
    pieces += [_range(source, edge(at), edge(at) + 1) for at in outside[1]]
    return pieces[0] if len(pieces) == 1 else Within(work.joined, pieces)
