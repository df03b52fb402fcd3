"""A curve from slices of the references that run at the same time: their states merge into the table of one pass."""

from __future__ import annotations

import operator
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Any, TypeVar

import pyarrow as pa

from iotrace.analysis.block_budget import BlockBudget, Spent
from iotrace.analysis.curves.cache import Cache
from iotrace.analysis.curves.curves import Curves
from iotrace.analysis.curves.passes import references_read
from iotrace.analysis.curves.states import curves_of, record_slice, with_distinct_blocks
from iotrace.engine.native import StackState
from iotrace.errors import IotraceError, UsageError
from iotrace.workers import Workers, map_merge

Part = TypeVar("Part")
PARTS_PER_SLOT = 2
"""Parts for each worker of a cluster: one that ends later, or is lost, then has less to catch up with."""
MOST_ROWS = 100_000_000
"""The most rows of a part of a cluster, which limits a worker's memory."""
BLOCKS_OF_SLICE = 500_000
"""The blocks that a slice touches, about, where caches have a largest size: it has all of them until it is cut."""


def cut(rows: int, slices: int) -> list[range]:
    """Return consecutive slices of some rows, as equal as can be, none of them empty unless there are no rows."""
    slices = max(min(slices, rows), 1)
    return [range(*ends) for ends in pairwise(rows * number // slices for number in range(slices + 1))]


def cut_for(workers: Workers, group_ends: Sequence[int], least: int = 1) -> list[range]:
    """Return the slices that workers take of rows whose row groups end at these places: `least` of them, or more.

    Threads take as many as they are. A cluster takes several for each worker, whole row groups where there are enough.
    """
    rows = group_ends[-1] if group_ends else 0
    if not workers.is_remote:
        return cut(rows, max(workers.slots, least))
    parts = max(PARTS_PER_SLOT * workers.slots, -(-rows // MOST_ROWS), least)
    if len(group_ends) < parts:
        return cut(rows, parts)
    ends = [group_ends[bisect_left(group_ends, each.stop)] for each in cut(rows, parts)]
    return [range(*ends) for ends in pairwise(dict.fromkeys([0, *ends]))]


@dataclass(frozen=True)
class Slice:
    """The results of slices: their state, the counts, and the blocks touched. Merging uses both up."""

    state: StackState
    counts: dict[str, int]
    spent: Spent

    @classmethod
    def of(
        cls,
        references: Iterable[pa.RecordBatch],
        cache: Cache,
        budget: BlockBudget,
        largest_blocks: int | None = None,
    ) -> Slice:
        """Run a slice's references through caches of every size, or up to a largest.

        Raises UsageError for a cache whose states do not merge, and IotraceError for references that depend on earlier
        ones, or that touch more blocks than the budget has.
        """
        watched = budget.watched(references)
        with advised():
            state, counts = record_slice(watched, cache, largest_blocks)
        return cls(state, counts, budget.spent)

    def merge(self, right: Slice, largest_blocks: int | None = None) -> Slice:
        """Return what both leave, `right` being what follows; raises IotraceError where that depends on this one."""
        with advised(), references_read():
            self.state.merge(right.state, largest_blocks=largest_blocks)
        counts = {name: count + right.counts[name] for name, count in self.counts.items()}
        return Slice(self.state, counts, self.spent + right.spent)


@dataclass(frozen=True)
class StoredState:
    """A state as Arrow, which is sent from process to process, and stays as it is.

    It is compressed where it lies, too: most columns of most rows are null.
    """

    rows: pa.Buffer
    marks: dict[str, bool]

    @classmethod
    def of(cls, state: StackState) -> StoredState:
        """Return a state to be sent, which is empty afterwards."""
        marks = {"is_short": state.is_short, "looks_back": state.looks_back}
        return cls(compressed(state.rows()), marks)

    def __sizeof__(self) -> int:
        """Return what it takes in memory, by which a cluster chooses where to merge and what to spill."""
        return int(self.rows.size)

    def read(self) -> StackState:
        """Return a copy to be merged."""
        with pa.ipc.open_stream(self.rows) as stream:
            return StackState.read(stream, **self.marks)


def compressed(rows: pa.RecordBatchReader) -> pa.Buffer:
    """Return rows as a stream of Arrow, compressed batch by batch."""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, rows.schema, options=options) as stream:
        for batch in rows:
            stream.write_batch(batch)
    return sink.getvalue()


@dataclass(frozen=True)
class StoredSlice:
    """A slice to be sent."""

    state: StoredState
    counts: dict[str, int]
    spent: Spent

    @classmethod
    def of(cls, slice_: Slice) -> StoredSlice:
        """Return a slice to be sent; its state is empty afterwards."""
        return cls(StoredState.of(slice_.state), slice_.counts, slice_.spent)

    def __sizeof__(self) -> int:
        """Return what it takes in memory; see `StoredState`."""
        return self.state.__sizeof__()

    def read(self) -> Slice:
        """Return a copy to be merged."""
        return Slice(self.state.read(), self.counts, self.spent)

    def merge(self, right: StoredSlice, largest_blocks: int | None = None) -> StoredSlice:
        """Return what both leave; see `Slice.merge`."""
        return StoredSlice.of(self.read().merge(right.read(), largest_blocks))


def simulate_slices(
    workers: Workers,
    leaf: Callable[[Part], Slice],
    parts: Sequence[Part],
    cache: Cache,
    budget: BlockBudget,
    largest_blocks: int | None = None,
    sizes_bytes: Sequence[int] | None = None,
) -> Curves:
    """Return the curves of slices that follow each other, each run by workers through one cache of every size.

    The curves are those of one pass, up to ``largest_blocks`` if those of ``leaf`` are. ``leaf`` makes the slice of a
    part; remote workers get it pickled. From those only the counts of the curve come here, or with sizes the rows at
    ``sizes_bytes``.
    Raises as `Slice.of` and `map_merge` do, and IotraceError where all slices touch more blocks than the budget has.
    """
    if not workers.is_remote:
        whole = map_merge(workers.executor, leaf, partial(Slice.merge, largest_blocks=largest_blocks), parts)
        budget.refuse_beyond(whole.spent)
        return curves_of(whole.state, whole.counts, cache, largest_blocks)
    merge = partial(StoredSlice.merge, largest_blocks=largest_blocks)
    if sizes_bytes is None:
        stored = map_merge(
            workers.executor, _Stored(leaf), merge, parts, progress=workers.progress, finish=_ended
        )
        whole = stored.read()
        budget.refuse_beyond(whole.spent)
        return curves_of(whole.state, whole.counts, cache, largest_blocks)
    sizes = tuple(sorted(set(cache.sizes_blocks(sizes_bytes))))
    finish = _Finish(cache, largest_blocks, sizes)
    curves, spent = map_merge(
        workers.executor, _Stored(leaf), merge, parts, progress=workers.progress, finish=finish
    )
    budget.refuse_beyond(spent)
    return curves


def simulate_on_one(
    workers: Workers, one_pass: Callable[[Cache], Curves], cache: Cache, sizes_bytes: Sequence[int]
) -> Curves:
    """Return the rows at some sizes of the curves that one of the workers makes in one pass.

    ``one_pass`` makes the curves; a remote worker gets it pickled, and sends these rows alone.
    """
    sizes = tuple(sorted(set(cache.sizes_blocks(sizes_bytes))))
    curves: Sequence[Curves] = map_merge(workers.executor, _AtSizes(one_pass, sizes), operator.add, [cache])
    return curves[0]


@dataclass(frozen=True)
class _AtSizes:
    one_pass: Callable[[Cache], Curves]
    sizes_blocks: tuple[int, ...]

    def __call__(self, cache: Cache) -> list[Curves]:
        return [self.one_pass(cache).at_sizes(self.sizes_blocks)]


@dataclass(frozen=True)
class _Finish:
    """Makes the rows at some sizes of the state of all slices."""

    cache: Cache
    largest_blocks: int | None
    sizes_blocks: tuple[int, ...]

    def __call__(self, whole: StoredSlice) -> tuple[Curves, Spent]:
        slice_ = whole.read()
        curves = curves_of(slice_.state, slice_.counts, self.cache, self.largest_blocks)
        return curves.at_sizes(self.sizes_blocks), slice_.spent


def _ended(whole: StoredSlice) -> StoredSlice:
    """Return the state of all slices without their blocks, of which the curve needs no more than the counts."""
    slice_ = whole.read()
    counts = with_distinct_blocks(slice_.counts, slice_.state)
    slice_.state.end()
    return StoredSlice.of(Slice(slice_.state, counts, slice_.spent))


@dataclass(frozen=True)
class _Stored:
    leaf: Callable[[Any], Slice]

    def __call__(self, part: Any) -> StoredSlice:
        return StoredSlice.of(self.leaf(part))


@contextmanager
def advised() -> Iterator[None]:
    """Add to a refusal that one worker can do what slices cannot."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{error}; give --workers 1") from None
    except IotraceError as error:
        if not isinstance(
            error.__cause__, ValueError
        ):  # of the store, or the budget: the same with one worker
            raise
        raise IotraceError(
            f"slices of the trace cannot run at the same time: {error}, or --workers 1"
        ) from None
