"""A tree of merges on executors whose futures are waited for here: pools of threads and processes, Parsl."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from iotrace.engine import available_cores
from iotrace.errors import IotraceError

Value = TypeVar("Value")
Place = tuple[int, int]
"""A node of the tree: how many levels above the leaves, and its place there."""
BREATH_S = 0.1
"""How long to wait at a time: a signal does not end a wait where a library had it restart."""
AHEAD = 2
"""How many leaves for each worker may be submitted and not merged, so that merges do not wait behind all leaves."""
ENDED = "a worker ended before its part was done: it was killed, or out of memory; give it more memory, or use fewer"


def run(
    executor: Any,
    leaf: Callable[..., Value],
    merge: Callable[[Value, Value], Value],
    parts: Sequence[Any],
    shared: Sequence[Any],
    progress: Callable[[int, int], None] | None,
) -> Value:
    """Return the merge of all parts; see `map_merge`."""
    tree = _Tree(executor, leaf, merge, parts, shared)
    try:
        for done in tree.steps():
            if progress:
                progress(done, len(parts))
    except (BrokenExecutor, CancelledError) as error:
        raise IotraceError(ENDED) from error
    finally:
        tree.cancel()
    root: Value = tree.values[tree.root]
    return root


def slots(executor: Any) -> int:
    """Return how many parts an executor runs at the same time, by what it states."""
    known = getattr(executor, "_max_workers", None) or getattr(executor, "max_workers", None)
    return known if isinstance(known, int) and known > 0 else available_cores()


class _Tree:
    """Nodes whose values are known, and futures of those being made."""

    def __init__(
        self, executor: Any, leaf: Any, merge: Any, parts: Sequence[Any], shared: Sequence[Any]
    ) -> None:
        self.values: dict[Place, Any] = {}
        self._executor, self._leaf, self._merge, self._shared = executor, leaf, merge, shared
        self._waiting = iter(enumerate(parts))
        self._futures: dict[Any, Place] = {}
        self._finished: SimpleQueue[Any] = SimpleQueue()
        self._widths = [len(parts)]
        while self._widths[-1] > 1:
            self._widths.append((self._widths[-1] + 1) // 2)
        self._most = AHEAD * slots(executor)

    @property
    def root(self) -> Place:
        """The node that has all parts."""
        return len(self._widths) - 1, 0

    def steps(self) -> Iterator[int]:
        """Yield how many leaves are done, whenever one is, until the root has a value."""
        done = 0
        for _ in range(self._most):
            self._submit_leaf()
        while self.root not in self.values:
            future = self._next()
            node = self._futures.pop(future)
            if (error := future.exception()) is not None:
                raise self._first_error(node, error)
            self._put(node, future.result())
            if node[0] == 0:
                done += 1
                yield done
            while len(self._futures) < self._most and self._submit_leaf():
                pass

    def cancel(self) -> None:
        """Cancel what has not begun."""
        for future in self._futures:
            future.cancel()

    def _next(self) -> Any:
        while True:
            try:
                return self._finished.get(timeout=BREATH_S)
            except Empty:
                continue

    def _first_error(self, node: Place, error: BaseException) -> BaseException:
        """Return the error of the first part that has one, whichever ends first; parts are submitted in their order."""
        level, number = node
        leaves = {
            at: future for future, (its, at) in self._futures.items() if its == level == 0 and at < number
        }
        for at in sorted(leaves):
            while not leaves[at].done():
                time.sleep(BREATH_S)
            if (first := leaves[at].exception()) is not None:
                return first  # type: ignore[no-any-return]
        return error

    def _submit_leaf(self) -> bool:
        number, part = next(self._waiting, (None, None))
        if number is None:
            return False
        self._submit((0, number), self._leaf, part, *self._shared)
        return True

    def _submit(self, node: Place, function: Any, *arguments: Any) -> None:
        future = self._executor.submit(function, *arguments)
        self._futures[future] = node
        future.add_done_callback(self._finished.put)

    def _put(self, node: Place, value: Any) -> None:
        """Keep a node's value, or merge it with its neighbour's where that is known."""
        level, number = node
        while level < len(self._widths) - 1 and number ^ 1 >= self._widths[level]:
            level, number = level + 1, number // 2  # the last of an odd number has no neighbour
        other = (level, number ^ 1)
        if other not in self.values:
            self.values[level, number] = value
            return
        pair = (self.values.pop(other), value) if number & 1 else (value, self.values.pop(other))
        self._submit((level + 1, number // 2), self._merge, *pair)
