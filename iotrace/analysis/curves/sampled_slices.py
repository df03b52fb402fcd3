"""Estimated curves from slices of the references that run at the same time; see `iotrace.analysis.curves.sampled`.

Workers read the references twice in parts. First each takes a slice, and keeps the touches of sampled blocks: whether a
block is in the sample depends on its hash alone, so that the samples of all slices, in their order, are that of one
pass. Then each takes a group of the blocks' hashes, and runs the whole sample but this group through caches of every
size. So no lists of blocks merge, except for those of the exact caches, which are small.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc

from iotrace.analysis.block_budget import BlockBudget, Spent
from iotrace.analysis.curves.cache import Cache
from iotrace.analysis.curves.passes import references_read, settings_read
from iotrace.analysis.curves.sampled import Pass, SampledCurves, curves_of_pass
from iotrace.analysis.curves.sampling import Sampling
from iotrace.analysis.curves.slices import StoredState, advised, compressed
from iotrace.analysis.curves.stream import Components, prepare
from iotrace.engine import native
from iotrace.engine.native import StackState
from iotrace.errors import IotraceError, UsageError
from iotrace.workers import Workers, map_merge

Part = TypeVar("Part")
LOOKS_BACK = "a request of unknown offset or length depends on the size of its file; give --workers 1"
NO_RATE = "with --workers a sample has a rate (--sample 1%): that of a number of blocks is known at the end of a pass"


@dataclass(frozen=True)
class Left:
    """The counts of a slice; those of several slices are their sum."""

    rate: float
    counts: dict[str, int]
    demand: tuple[int, ...]
    """Read requests, blocks that they touch, write requests, and their blocks, of all blocks."""
    has_several_blocks: bool
    looks_back: bool
    spent: Spent

    def joined(self, right: Left) -> Left:
        """Return what both leave; raises IotraceError where the right slice depends on this one."""
        if right.looks_back:
            raise IotraceError(f"slices of the trace cannot run at the same time: {LOOKS_BACK}")
        return Left(
            self.rate,
            {name: count + right.counts[name] for name, count in self.counts.items()},
            tuple(map(sum, zip(self.demand, right.demand, strict=True))),
            self.has_several_blocks or right.has_several_blocks,
            self.looks_back,
            self.spent + right.spent,
        )


@dataclass(frozen=True)
class SampledSlice:
    """The result of slices: counts, the touches of sampled blocks, and the state of the exact caches.

    Merging uses up the state.
    """

    left: Left
    sample: pa.Table
    """As `StackEngine` takes them, with the group of each block."""
    head: StackState | None

    @classmethod
    def of(
        cls, references: Iterable[pa.RecordBatch], cache: Cache, sampling: Sampling, budget: BlockBudget
    ) -> SampledSlice:
        """Sample the blocks of a slice's references.

        Raises as `iotrace.analysis.curves.slices.Slice.of` does.
        """
        with advised(), settings_read():
            caches = native.SampledSlice(cache.for_engine(), sampling.for_engine())
        components = Components()
        synchronous = cache.syncs == "honour"
        with advised(), references_read():
            for batch in budget.watched(references):
                caches.push(prepare(batch, None, components, inodes=False, synchronous=synchronous))
            counts, demands, several = (
                caches.tally(),
                caches.demands,
                caches.has_requests_of_several_blocks,
            )
            looks_back = caches.looks_back
            rate, sample, head = caches.finish()
        left = Left(rate, counts, tuple(demands[0]), several, looks_back, budget.spent)
        return cls(left, _joined(pa.table(batch) for batch in map(pa.record_batch, sample)), head)

    def merge(self, right: SampledSlice, head_blocks: int) -> SampledSlice:
        """Return what both leave, `right` being what follows; raises IotraceError where that depends on this one."""
        left = self.left.joined(right.left)
        with advised(), references_read():
            if self.head is not None and right.head is not None:
                self.head.merge(right.head, largest_blocks=head_blocks)
        return SampledSlice(left, _joined((self.sample, right.sample)), self.head)


@dataclass(frozen=True)
class StoredSampledSlice:
    """The same to be sent from process to process; it stays as it is."""

    left: Left
    sample: StoredSample
    head: StoredState | None

    @classmethod
    def of(cls, slice_: SampledSlice) -> StoredSampledSlice:
        """Return a slice to be sent."""
        head = None if slice_.head is None else StoredState.of(slice_.head)
        return cls(slice_.left, StoredSample(slice_.sample), head)

    def __sizeof__(self) -> int:
        """Return what it takes in memory; see `StoredState`."""
        return self.sample.__sizeof__() + (0 if self.head is None else self.head.__sizeof__())

    def read(self) -> SampledSlice:
        """Return a copy to be merged."""
        head = None if self.head is None else self.head.read()
        return SampledSlice(self.left, self.sample.touches, head)


@dataclass(frozen=True)
class StoredSample:
    """The touches of sampled blocks, sent compressed."""

    touches: pa.Table

    def __sizeof__(self) -> int:
        """Return what it takes in memory; see `StoredState`."""
        return int(self.touches.nbytes)

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what is sent."""
        return _received, (compressed(self.touches.to_reader()),)


def _received(touches: pa.Buffer) -> StoredSample:
    with pa.ipc.open_stream(touches) as stream:
        return StoredSample(stream.read_all())


def _joined(samples: Iterable[pa.Table]) -> pa.Table:
    """Return the touches of samples one after the other; only some have sizes of files."""
    return pa.concat_tables(samples, promote_options="default").unify_dictionaries()


def simulate_sampled_slices(
    workers: Workers,
    leaf: Callable[[Part], SampledSlice],
    parts: Sequence[Part],
    cache: Cache,
    sampling: Sampling,
    budget: BlockBudget,
) -> SampledCurves:
    """Return the estimated curves of slices that follow each other, each run by workers; they are those of one pass.

    ``leaf`` makes the slice of a part; remote workers get it pickled. Raises UsageError for a sample of fixed size,
    and else as `iotrace.analysis.curves.slices.simulate_slices`.
    """
    if sampling.most_blocks is not None:
        raise UsageError(NO_RATE)
    merge = _Merge(sampling.head)
    groups = [None] if sampling.rate == 1 else [None, *range(sampling.groups)]
    member = _Member(cache)
    if workers.is_remote:
        whole = map_merge(
            workers.executor, _Stored(leaf), merge.stored, parts, progress=workers.progress
        ).read()
        budget.refuse_beyond(whole.left.spent)
        sent = StoredSample(whole.sample)
        stored = map_merge(workers.executor, member.stored, operator.add, groups, shared=[sent])
        members: Iterable[StackState] = _read(stored)
    else:
        whole = map_merge(workers.executor, leaf, merge, parts)
        budget.refuse_beyond(whole.left.spent)
        members = map_merge(workers.executor, member, operator.add, groups, shared=[whole.sample])
    return _curves(whole, members, cache, sampling)


def _read(stored: list[StoredState]) -> Iterator[StackState]:
    """Yield states that were sent, each after the one before is done with."""
    stored.reverse()
    while stored:
        yield stored.pop().read()


@dataclass(frozen=True)
class _Merge:
    head_blocks: int

    def __call__(self, left: SampledSlice, right: SampledSlice) -> SampledSlice:
        return left.merge(right, self.head_blocks)

    def stored(self, left: StoredSampledSlice, right: StoredSampledSlice) -> StoredSampledSlice:
        return StoredSampledSlice.of(self(left.read(), right.read()))


@dataclass(frozen=True)
class _Stored:
    leaf: Callable[[Any], SampledSlice]

    def __call__(self, part: Any) -> StoredSampledSlice:
        return StoredSampledSlice.of(self.leaf(part))


@dataclass(frozen=True)
class _Member:
    """Caches over the whole sample, or over it without a group of the blocks."""

    cache: Cache

    def __call__(self, left_out: int | None, sample: pa.Table) -> list[StackState]:
        with settings_read():
            engine = native.StackEngine(self.cache.for_engine(), is_slice=True, is_sparse=True)
        with advised(), references_read():
            for batch in sample.to_batches():
                seen = batch if left_out is None else batch.filter(pc.not_equal(batch["group"], left_out))
                engine.push(seen.drop_columns(["group"]))
        return [engine.finish_slice()]

    def stored(self, left_out: int | None, sample: StoredSample) -> list[StoredState]:
        return [StoredState.of(state) for state in self(left_out, sample.touches)]


def _curves(
    whole: SampledSlice, members: Iterable[StackState], cache: Cache, sampling: Sampling
) -> SampledCurves:
    """Return the curves of the states, which cannot be used any more."""
    pricing = {"block_bytes": cache.block_bytes, **cache.pricing()}
    blocks, curves = [], []
    for member in members:
        blocks.append(member.distinct_blocks)
        curves.append(member.finish(**pricing))
    head = None if whole.head is None else whole.head.finish(**pricing)
    left = whole.left
    sampled = Pass(
        left.rate, dict(left.counts), blocks[0], curves, head, [left.demand], left.has_several_blocks
    )
    return curves_of_pass(sampled, cache, sampling, None, Components().values())
