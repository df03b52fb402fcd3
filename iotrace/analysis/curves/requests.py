"""The requests of a store that go through caches, within a budget of blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial

import pyarrow as pa

from iotrace.analysis.block_budget import BlockBudget
from iotrace.analysis.curves.cache import Cache, Syncs, usual_syncs
from iotrace.analysis.curves.cost_of_slices import SliceCosts, estimated
from iotrace.analysis.curves.curves import Curves, simulate, simulate_split
from iotrace.analysis.curves.disk_accesses import DiskAccess, simulate_disk_accesses
from iotrace.analysis.curves.disk_times import simulate_with_writes
from iotrace.analysis.curves.others import others
from iotrace.analysis.curves.policies import FILE_COLUMNS, FILE_POLICIES, simulate_policies
from iotrace.analysis.curves.records import describe
from iotrace.analysis.curves.references import check_chosen, chosen
from iotrace.analysis.curves.sampled import SampledCurves, simulate_sampled
from iotrace.analysis.curves.sampled_policies import simulate_sampled_policies
from iotrace.analysis.curves.sampled_slices import SampledSlice, simulate_sampled_slices
from iotrace.analysis.curves.sampling import Sampling, within_memory
from iotrace.analysis.curves.sizing import Others, Sizing, which_size
from iotrace.analysis.curves.slices import BLOCKS_OF_SLICE, Slice, cut_for, simulate_on_one, simulate_slices
from iotrace.analysis.curves.states import Settings, State, record_slice
from iotrace.analysis.population import Population
from iotrace.errors import MemoryLimitError
from iotrace.files import memory
from iotrace.store.store import Store
from iotrace.store.store_ref import StoreRef
from iotrace.workers import Workers

FOLLOWED_AT_ONCE = 200_000
"""Other policies are simulated unasked for as many block references at most: they take a fraction of a second."""


_EACH = """
select file, type, greatest(coalesce("offset", 0), 0) as start_byte, greatest(coalesce(length, 1), 1) as bytes
from reference
"""
TOUCHED = f"""
select coalesce(sum((start_byte + (bytes - 1)) // $1 - start_byte // $1 + 1), 0) from ({_EACH})
"""
"""One row: how many blocks of $1 bytes all references touch, each as often as it is touched."""
MOST_BLOCKS = f"""
select coalesce(sum(least(touched, reached)), 0)
from (select sum((start_byte + (bytes - 1)) // $1 - start_byte // $1 + 1) as touched,
             max(start_byte + (bytes - 1)) // $1 + 1 as reached
      from ({_EACH})
      group by file, type)
"""
"""One row: the most distinct blocks of $1 bytes of all references."""
COUNTED = f"select (select count(*) from reference), ({MOST_BLOCKS})"
"""One row: the number of references, and the most distinct blocks of $1 bytes."""
FIRST_BLOCKS = """
select coalesce(sum(blocks), 0) from (
    select approx_count_distinct("offset" // $1) * greatest(avg(length) / $1, 1) as blocks
    from (from reference limit $2) group by file, type
)
"""
"""One row: about how many distinct blocks of $1 bytes the first $2 references have, one at least for each file."""
FIRST_REFERENCES = 500_000


@dataclass(frozen=True)
class Requests:
    """A store's requests that fulfil a condition in SQL and are of a population; see `references.chosen`."""

    store: Store
    budget: BlockBudget
    where: str | None = None
    population: Population | None = None
    by: str | None = None
    """By what they are counted separately: a column, or an expression in SQL."""
    records: range | None = None
    """The records among which they are; None for all."""

    def most_blocks(self, block_bytes: int) -> int:
        """Return how many distinct blocks they have at most: of each file those touched, or up to its last byte."""
        with self.store.queried() as connection:
            (row,) = connection.execute(MOST_BLOCKS, [block_bytes]).fetchall()
        return int(row[0])

    def sample_within_memory(
        self, block_bytes: int, tried: MemoryLimitError | None = None
    ) -> Sampling | None:
        """Return the sample of which the exact curve of every size leaves room in --memory; None where it fits.

        ``tried`` is why it did not where it was tried. Raises MemoryLimitError where no sample fits.
        """
        limit, left = memory.limit_bytes(), memory.left_bytes()
        if limit is None or left is None:
            return None
        return within_memory(limit, left, self.most_blocks(block_bytes), tried)

    def references(self, *further: str) -> Iterator[pa.RecordBatch]:
        """Yield them in order, with their times and further columns; raises IotraceError beyond the budget."""
        return self._counted("time_ns", *further)[0]

    def curves(
        self,
        cache: Cache,
        syncs: Syncs | None = None,
        is_split: bool = False,
        workers: Workers | None = None,
        written_blocks: Sequence[int] = (),
        largest_blocks: int | None = None,
        sizes_bytes: Sequence[int] | None = None,
    ) -> Curves:
        """Run them through a cache of every size, or with `is_split` each value of `by` through a separate cache.

        Syncs do in it what is usual for references of the store's file-system model, unless given. Workers take
        slices of the references at the same time, if `by` is None, and those of a cluster send rows at `sizes_bytes`
        alone; see `simulate_slices`. With `largest_blocks` caches are at most so large: slices follow each other, and
        each keeps no other blocks. Without all these, caches of `written_blocks` blocks write neighbours together; see
        `simulate_with_writes`.
        """
        cache = self._with_syncs(cache, syncs)
        if workers is not None or largest_blocks is not None:
            check_chosen(self.store, self.where, None)
            with ThreadPoolExecutor(max_workers=1) as alone:
                on = workers or Workers(alone, 1, is_remote=False)
                return simulate_slices(
                    on,
                    self._leaf(on, cache, largest_blocks),
                    self._slices(on, cache, largest_blocks),
                    cache,
                    self.budget,
                    largest_blocks,
                    sizes_bytes,
                )
        references, column = self._counted(*_needed(cache))
        if is_split and column is not None:
            return simulate_split(references, cache, column)
        if written_blocks:
            return simulate_with_writes(
                references, cache, written_blocks, again=lambda: self._chosen(*_needed(cache))[0]
            )
        return simulate(references, cache, column)

    def curves_of_one_worker(
        self,
        workers: Workers,
        cache: Cache,
        syncs: Syncs | None,
        sizes_bytes: Sequence[int],
        written_blocks: Sequence[int] = (),
    ) -> Curves:
        """Have one worker of a cluster run all of them through a cache of every size; return the rows at some sizes.

        With `written_blocks` as in `curves`.
        """
        cache = self._with_syncs(cache, syncs)
        check_chosen(self.store, self.where, None)
        one_pass = partial(_remote_pass, self.sent(), tuple(written_blocks))
        return simulate_on_one(workers, one_pass, cache, sizes_bytes)

    def _leaf(self, workers: Workers, cache: Cache, largest_blocks: int | None) -> Callable[[range], Slice]:
        if workers.is_remote:
            return partial(_remote_slice, self.sent(), cache, largest_blocks)
        return partial(self._slice, cache, largest_blocks)

    def _slices(self, workers: Workers, cache: Cache, largest_blocks: int | None) -> list[range]:
        """Return the records of each slice; with a largest cache many, since each has all its blocks at first."""
        ends = self.store.row_group_ends("reference")
        if largest_blocks is None:
            return cut_for(workers, ends)
        with self.store.queried() as connection:
            ((touched,),) = connection.execute(TOUCHED, [cache.block_bytes]).fetchall()
        return cut_for(workers, ends, -(-int(touched) // BLOCKS_OF_SLICE))

    def costs_of_slices(self, workers: Workers, cache: Cache) -> SliceCosts:
        """Return what a curve costs on the workers of a cluster, and in this process."""
        parts, block_bytes = len(self._slices(workers, cache, None)), cache.block_bytes
        with self.store.queried() as connection:
            (row,) = connection.execute(COUNTED, [block_bytes]).fetchall()
            references, blocks = map(int, row)
            first = max(1, min(references // parts, FIRST_REFERENCES))
            ((of_first,),) = connection.execute(FIRST_BLOCKS, [block_bytes, first]).fetchall()
        return estimated(
            references, blocks, int(of_first) * references // (parts * first), parts, workers.slots
        )

    def sampled(
        self, cache: Cache, sampling: Sampling, syncs: Syncs | None = None, workers: Workers | None = None
    ) -> SampledCurves:
        """Run a sample of their blocks through a cache of every size; see `curves`."""
        cache = self._with_syncs(cache, syncs)
        if workers is not None:
            check_chosen(self.store, self.where, None)
            parts = cut_for(workers, self.store.row_group_ends("reference"))
            leaf = (
                partial(_remote_sampled_slice, self.sent(), cache, sampling)
                if workers.is_remote
                else partial(self._sampled_slice, cache, sampling)
            )
            return simulate_sampled_slices(workers, leaf, parts, cache, sampling, self.budget)
        references, column = self._counted(*_needed(cache))
        is_of_disks = self.store.family.has_disks
        return simulate_sampled(references, cache, sampling, column, has_whole_files=is_of_disks)

    def state(
        self, cache: Cache, syncs: Syncs | None, trace: str, records: range, largest_blocks: int | None = None
    ) -> State:
        """Run those among some records through a cache of every size, or up to a largest, and return the state.

        `trace` is the trace's name. Raises UsageError for settings whose states do not merge, and IotraceError for
        references that depend on earlier ones.
        """
        cache = self._with_syncs(cache, syncs)
        described = describe(self.store, trace, records)
        references, _ = replace(self, records=records)._counted(*_needed(cache))
        population = self.population or (Population.DATA if self.where is None else Population.ALL)
        settings = Settings(
            block_bytes=cache.block_bytes,
            deletes=cache.deletes,
            syncs=cache.syncs,
            population=population.value,
            where=self.where,
            model=self.store.manifest["model"].get("model"),
            largest_blocks=largest_blocks,
        )
        recorded, counts = record_slice(references, cache, largest_blocks)
        return State(settings, (described,), counts, self._devices(), recorded)

    def _devices(self) -> list[str] | None:
        """Return the names of a block trace's devices by number; None for other traces, and without names."""
        if not self.store.family.has_disks:
            return None
        files = self.store.arrow("file", ["file", "path"]).sort_by("file")
        names = files["path"].to_pylist()
        return None if None in names or len(set(names)) < len(names) else names

    def _with_syncs(self, cache: Cache, syncs: Syncs | None) -> Cache:
        return self.warmed(
            replace(cache, syncs=syncs or usual_syncs(self.store.manifest["model"].get("model")))
        )

    def warmed(self, cache: Cache) -> Cache:
        """Return a cache that what precedes a part of a trace only warms."""
        from_ns = self.store.counted_from_ns
        return cache if from_ns is None else replace(cache, warm_up_ns=from_ns)

    def policies(
        self, cache: Cache, names: Sequence[str], sizes_bytes: Sequence[int] | None, protected_percent: int
    ) -> pa.Table:
        """Run them through caches of several replacement policies and sizes; see `compare_policies`."""
        further = FILE_COLUMNS if {*names} & {*FILE_POLICIES} else ()
        references = self.references(*further)
        return simulate_policies(references, self.warmed(cache), names, sizes_bytes, protected_percent)

    def which_size(self, curves: Curves) -> list[str]:
        """Return what a buyer of a cache wants to know, by the `curves` of them; see `sizing.which_size`.

        Caches of other policies of the size that is enough for LRU are simulated where that takes little time.
        """
        return which_size(curves, self._others)

    def _others(self, curves: Curves, sizing: Sizing) -> Others | None:
        if sizing.references > FOLLOWED_AT_ONCE:
            return None
        return others(self.again().references(), curves.cache, sizing)

    def again(self) -> Requests:
        """Return the same requests, of which none has been counted yet."""
        return replace(self, budget=replace(self.budget))

    def sampled_policies(
        self,
        cache: Cache,
        sampling: Sampling,
        names: Sequence[str],
        sizes_bytes: Sequence[int] | None,
        protected_percent: int,
    ) -> tuple[pa.Table, SampledCurves]:
        """Run a sample of their blocks through caches of several replacement policies; see
        `simulate_sampled_policies`."""
        references, cache = self.references(), self.warmed(cache)
        return simulate_sampled_policies(references, cache, sampling, names, sizes_bytes, protected_percent)

    def disk_accesses(self, cache: Cache, access: DiskAccess, sizes_bytes: Sequence[int] | None) -> pa.Table:
        """Run them through LRU caches that fetch ahead and coalesce writes; see `disk_accesses`."""
        within = replace(access, budget_blocks=self.budget.blocks)
        return simulate_disk_accesses(self.references(), self.warmed(cache), within, sizes_bytes)

    def sent(self) -> RemoteRequests:
        """Return what remote workers get, who open the store themselves."""
        return RemoteRequests(StoreRef.of(self.store), self.budget, self.where, self.population, self.by)

    def _slice(self, cache: Cache, largest_blocks: int | None, records: range) -> Slice:
        """Run those among some records through a cache of every size, or up to a largest; see `Slice.of`."""
        references = chosen(self.store, self.where, None, _needed(cache), self.population, records)[0]
        return Slice.of(references, cache, self.budget.of_slice(records.start), largest_blocks)

    def _sampled_slice(self, cache: Cache, sampling: Sampling, records: range) -> SampledSlice:
        """Run a sample of those among some records through a cache of every size; see `SampledSlice.of`."""
        references = chosen(self.store, self.where, None, _needed(cache), self.population, records)[0]
        return SampledSlice.of(references, cache, sampling, self.budget.of_slice(records.start))

    def _counted(self, *further: str) -> tuple[Iterator[pa.RecordBatch], str | None]:
        references, column = self._chosen(*further)
        return self.budget.watched(references), column

    def _chosen(self, *further: str) -> tuple[Iterator[pa.RecordBatch], str | None]:
        check_chosen(self.store, self.where, self.by)
        return chosen(self.store, self.where, self.by, further, self.population, self.records)


def _needed(cache: Cache) -> tuple[str, ...]:
    """Return the further columns that a curve of a cache needs."""
    times = () if cache.warm_up_ns is None else ("time_ns",)
    return (*times, *(() if cache.syncs == "ignore" else ("flags",)))


@dataclass(frozen=True)
class RemoteRequests:
    """The requests of a store, to be read by remote workers; see `Requests`."""

    store: StoreRef
    budget: BlockBudget
    where: str | None
    population: Population | None
    by: str | None

    def read(self) -> Requests:
        """Return them; raises IotraceError where the store is not there, or is another one."""
        budget = replace(self.budget)  # which begins to count anew
        return Requests(self.store.open(), budget, self.where, self.population, self.by)


def _remote_slice(sent: RemoteRequests, cache: Cache, largest_blocks: int | None, records: range) -> Slice:
    """Return the slice of some records, of a store that this process opens."""
    return sent.read()._slice(cache, largest_blocks, records)


def _remote_pass(sent: RemoteRequests, written_blocks: Sequence[int], cache: Cache) -> Curves:
    """Return the curves of all requests of a store that this process opens."""
    return sent.read().curves(cache, cache.syncs, written_blocks=written_blocks)


def _remote_sampled_slice(
    sent: RemoteRequests, cache: Cache, sampling: Sampling, records: range
) -> SampledSlice:
    """Return the same of a sample."""
    return sent.read()._sampled_slice(cache, sampling, records)
