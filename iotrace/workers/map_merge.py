"""One function for all that runs in parts: `map_merge`, on anything with `submit`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar, overload

from iotrace.workers import dask_tree, waiting_tree
from iotrace.workers.executor import Executor, Progress

Part = TypeVar("Part")
Value = TypeVar("Value")
Result = TypeVar("Result")


@overload
def map_merge(
    executor: Executor,
    leaf: Callable[..., Value],
    merge: Callable[[Value, Value], Value],
    parts: Sequence[Part],
    *,
    shared: Sequence[Any] = (),
    progress: Progress | None = None,
) -> Value: ...


@overload
def map_merge(
    executor: Executor,
    leaf: Callable[..., Value],
    merge: Callable[[Value, Value], Value],
    parts: Sequence[Part],
    *,
    shared: Sequence[Any] = (),
    progress: Progress | None = None,
    finish: Callable[[Value], Result],
) -> Result: ...


def map_merge(
    executor: Executor,
    leaf: Callable[..., Value],
    merge: Callable[[Value, Value], Value],
    parts: Sequence[Part],
    *,
    shared: Sequence[Any] = (),
    progress: Progress | None = None,
    finish: Callable[[Value], Any] | None = None,
) -> Any:
    """Return what ``leaf`` makes of all ``parts``, merged in their order by a tree of merges of neighbours.

    ``leaf(part, *shared)`` is called for each part; on a Dask Client each worker gets what is ``shared`` once.
    ``merge(left, right)`` is associative: the result is the same for every tree. It must leave its arguments as they
    are, since a cluster may run it again with them. On a Dask Client results stay on the workers, and only the last
    one comes here, from the worker that has it; on others each comes here and goes to the next merge. With ``finish``
    what it makes of the last one is returned; a Dask Client runs it on the worker that has that. ``progress`` is
    called after each part, by a Dask Client every two seconds. Where parts are sent to other processes, the functions
    and the parts are pickled.

    Raises ValueError without parts, whatever ``leaf`` or ``merge`` raises, once, and IotraceError where the executor
    fails: a worker that ended, a scheduler that has gone. What was not finished then is cancelled.
    """
    if not parts:
        raise ValueError("there are no parts")
    if dask_tree.is_client(executor):
        return dask_tree.run(executor, leaf, merge, parts, shared, finish, progress)
    value = waiting_tree.run(executor, leaf, merge, parts, shared, progress)
    return value if finish is None else finish(value)
