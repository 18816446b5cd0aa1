"""Rows of different lengths in blocks, as a collection of Dask."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Sequence
from typing import Any

from dask import threaded
from dask.base import DaskMethodsMixin
from dask.delayed import Delayed, delayed
from dask.delayed import optimize as optimize_delayed
from dask.highlevelgraph import HighLevelGraph
from lift_runtime import LiftError

from . import tasks, work


class Blocks(DaskMethodsMixin):
    """An array in blocks whose elements are rows of different lengths, which NumPy's arrays cannot hold.

    `blocks` are values, what `dask.delayed` makes, or futures of a client.
    """

    def __init__(self, blocks: Sequence[Any], lift_type: str | None = None) -> None:
        self.blocks = [later(block) for block in blocks]
        if not self.blocks:
            raise LiftError("input", "there is no block: an array without elements is one block without elements")
        self.lift_type = lift_type
        self._ends: list[Delayed] | None = None

    def __repr__(self) -> str:
        return f"<{len(self.blocks)} blocks of {self.lift_type or 'rows'}>"

    def to_delayed(self) -> list[Delayed]:
        """The blocks as `dask.delayed` values."""
        if self._ends is None:
            held = iter(tasks.several([block for block in self.blocks if not isinstance(block, Delayed)]))
            self._ends = [block if isinstance(block, Delayed) else next(held) for block in self.blocks]
        return list(self._ends)

    # --- Dask's protocol for collections

    __dask_scheduler__ = staticmethod(threaded.get)
    __dask_optimize__ = staticmethod(optimize_delayed)

    def __dask_graph__(self) -> HighLevelGraph:
        # The blocks that one call made share a graph: merge it once.
        graphs = {id(graph): graph for graph in (end.__dask_graph__() for end in self.to_delayed())}
        return HighLevelGraph.merge(*graphs.values())

    def __dask_layers__(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(layer for end in self.to_delayed() for layer in end.__dask_layers__()))

    def __dask_keys__(self) -> list[Any]:
        return [end.key for end in self.to_delayed()]

    def __dask_tokenize__(self) -> list[Any]:
        return self.__dask_keys__()

    def __dask_postcompute__(self) -> tuple[Any, ...]:
        return work.joined, ()

    def __dask_postpersist__(self) -> tuple[Any, ...]:
        return _persisted, (self.__dask_keys__(), self.lift_type)


def _persisted(graph: Any, keys: list[Any], lift_type: str | None, **_: Any) -> Blocks:
    """The collection that `persist` returns."""
    layer = f"lift-{uuid.uuid4().hex}"
    found = HighLevelGraph.from_collections(layer, {key: graph[key] for key in keys}, dependencies=())
    return Blocks([Delayed(key, found, layer=layer) for key in keys], lift_type)


def later(value: Any) -> Any:
    """The value; of a future of a client, what it gives."""
    distributed = sys.modules.get("distributed")
    return delayed(value) if distributed is not None and isinstance(value, distributed.Future) else value
