"""Graphs of Dask, a node for each task.

`dask.delayed` takes a millisecond for each of its calls, which for small blocks is more than what they compute.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Sequence
from typing import Any

import dask.array as da
import numpy as np
from dask.core import flatten
from dask.delayed import Delayed
from dask.highlevelgraph import HighLevelGraph
from lift_runtime import Kernel, Rows


class Task:
    """A call of a function, whose arguments may be tasks, also in lists."""

    __slots__ = ("arguments", "function", "in_graph", "key")

    def __init__(self, function: Callable[..., Any], *arguments: Any) -> None:
        self.function, self.arguments = function, arguments
        self.key: Any = f"lift-{getattr(function, '__name__', 'value').strip('_')}-{uuid.uuid4().hex}"
        #: Whether a graph contains the task under its key.
        self.in_graph = False


class Within(Task):
    """A call that is computed as a part of the only task that reads its result."""

    __slots__ = ()


class Given:
    """A part of a collection of Dask."""

    __slots__ = ("collection", "key")

    def __init__(self, collection: Any, key: Any) -> None:
        self.collection, self.key = collection, key


#: Types whose values are nodes of a graph without a task. Other values, such as tuples, Dask could take for tasks.
_PLAIN = (Kernel, Rows, np.ndarray)


class _Value:
    """The function of a task that returns a constant: a node of the graph, so that a worker receives it once."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def __call__(self) -> Any:
        return self.value

    def __reduce__(self) -> tuple[Any, ...]:
        return _Value, (self.value,)


def value(held: Any) -> Any:
    """Wraps a host value in a task; returns tasks unchanged."""
    if isinstance(held, Delayed):
        return Given(held, held.key)
    return held if isinstance(held, (Task, Given)) else Task(_Value(held))


def blocks_of(array: da.Array) -> list[Given]:
    """The blocks of an array of Dask, in their order."""
    return [Given(array, key) for key in flatten(array.__dask_keys__())]


def array(blocks: Sequence[Any], lengths: Sequence[Any] | None, inner: Sequence[Any], dtype: np.dtype) -> da.Array:
    """An array of Dask whose blocks along the first dimension are tasks; without `lengths`, one task is the array."""
    ends = [value(block) for block in blocks]
    name = f"lift-{uuid.uuid4().hex}"
    chunks = tuple((n,) for n in inner)
    cut = () if lengths is None else (tuple(lengths),)
    zeros = (0,) * len(inner)
    keys = [(name, *zeros)] if lengths is None else [(name, i, *zeros) for i in range(len(ends))]
    return da.Array(_graph(name, ends, keys), name, cut + chunks, dtype)


def several(blocks: Sequence[Any]) -> list[Delayed]:
    """Tasks as `dask.delayed` values."""
    ends = [value(block) for block in blocks]
    name = f"lift-{uuid.uuid4().hex}"
    keys = [f"{name}-{i}" for i in range(len(ends))]
    graph = _graph(name, ends, keys)
    return [Delayed(key, graph, layer=name) for key in keys]


def _graph(name: str, ends: Sequence[Task | Given], keys: Sequence[Any]) -> HighLevelGraph:
    """A graph with one layer: the tasks `ends` under `keys`, and all tasks that they need."""
    layer: dict[Any, Any] = {}
    collections: dict[int, Any] = {}
    for end, key in zip(ends, keys):
        # Rename the task, because an alias costs Dask as much as a task.
        if isinstance(end, Task) and not end.in_graph:
            end.key, end.in_graph = key, True
        else:
            layer[key] = end.key
    stack = list(ends)

    def spec(argument: Any) -> Any:
        if isinstance(argument, Within):
            return (argument.function, *map(spec, argument.arguments))
        if isinstance(argument, (Task, Given)):
            stack.append(argument)
            return argument.key
        if isinstance(argument, list):
            return [spec(item) for item in argument]
        plain = argument is None or isinstance(argument, (str, int, float, np.generic))
        return argument if plain else (_Value(argument),)

    while stack:
        task = stack.pop()
        if isinstance(task, Given):
            collections[id(task.collection)] = task.collection
        elif task.key not in layer:
            task.in_graph = True
            held = task.function.value if isinstance(task.function, _Value) else None
            layer[task.key] = held if isinstance(held, _PLAIN) else (task.function, *map(spec, task.arguments))
    return HighLevelGraph.from_collections(name, layer, dependencies=list(collections.values()))
