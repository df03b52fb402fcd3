"""Curves of LRU caches estimated from a sample of the blocks, with bands (Waldspurger et al., SHARDS, FAST '15).

A cache of C blocks misses on the whole stream about as often as one of rate · C blocks does on the sampled blocks,
divided by the rate. Counts of misses are scaled so, never hits: then a block that is used very often and is not in the
sample does no harm, which is what the adjustment of SHARDS is for: its difference of expected and sampled references
goes to the smallest distance, where it counts as hits. Caches of the head are exact, and the estimate begins where they
end.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace import queries
from iotrace.analysis.curves.bands import Band, Known, Numbers, band, exact, reaching, sizes_within_error
from iotrace.analysis.curves.cache import LIMITS, Cache
from iotrace.analysis.curves.keys import unsigned
from iotrace.analysis.curves.passes import references_read, settings_read, tallied
from iotrace.analysis.curves.sampling import Sampling
from iotrace.analysis.curves.stream import Components, batches, prepare
from iotrace.engine import available_cores
from iotrace.engine.native import SampledCaches, StackCurve
from iotrace.schemas import schema

READ, WRITE = "read_block_misses", "write_block_misses"
MISSES = ("block_misses", READ, WRITE)
WRITTEN = ("write_expulsions", "dirty_at_end", "write_syncs")
COUNTS = (*MISSES, *WRITTEN)
"""The counts that are estimated."""
RAW = (*COUNTS, "block_references", "write_block_references")
SUMS = {"stored_blocks": WRITTEN}
"""Sums of them that have bands of their own: blocks written that reach the disk, now or later."""
ENDS = ("low", "high", "low_all", "high_all")
LARGEST = LIMITS["blocks"]
SAMPLED_AT_ONCE = 1 << 18


@dataclass(frozen=True)
class Member:
    """Caches over the sample or over all but one of its groups, of one component."""

    curve: StackCurve
    component: int
    rate: float

    def counts(self, sizes_blocks: Numbers) -> dict[str, Numbers]:
        """Return the counts at sizes of the whole stream's caches, scaled."""
        return interpolated(self._raw, sizes_blocks, self.rate)

    def _raw(self, sizes: Any) -> dict[str, Numbers]:
        """Return the unscaled counts at whole sizes above 0."""
        if self.component >= self.curve.components:
            return {name: np.zeros(len(sizes)) for name in RAW}
        rows = pa.record_batch(self.curve.table(self.component, sizes.tolist()))
        return {name: rows[name].to_numpy().astype(np.float64) for name in RAW}


def interpolated(
    raw: Callable[[Any], dict[str, Numbers]], sizes_blocks: Numbers, rate: float
) -> dict[str, Numbers]:
    """Return counts at sizes of the whole stream's caches, scaled, from the `raw` ones at whole sizes of the sample's;
    between those they are interpolated."""
    if not len(sizes_blocks):
        return dict.fromkeys(RAW, np.zeros(0))
    scaled = sizes_blocks * rate
    below = np.minimum(np.floor(scaled + 1e-9), LARGEST - 1)
    weight, down = np.clip(scaled - below, 0, 1), below.astype(np.int64)
    sizes = np.unique(np.concatenate([down, down + 1]))
    counts = raw(sizes[sizes > 0])
    if sizes[0] == 0:
        counts = _with_no_cache(counts)
    places, others = np.searchsorted(sizes, down), np.searchsorted(sizes, down + 1)
    return {
        name: ((1 - weight) * values[places] + weight * values[others]) / rate
        for name, values in counts.items()
    }


def _with_no_cache(counts: dict[str, Numbers]) -> dict[str, Numbers]:
    """Put the counts of a cache of no block in front: it misses always."""
    blocks, written = (counts[name][0] for name in ("block_references", "write_block_references"))
    none = {
        "block_references": blocks,
        "write_block_references": written,
        "block_misses": blocks,
        READ: blocks - written,
        WRITE: written,
        "write_expulsions": written,
    }
    return {name: np.concatenate([[none.get(name, 0.0)], values]) for name, values in counts.items()}


@dataclass(frozen=True)
class SampledCurves:
    """Counts of a sample by a pass over the references, for every size and every component."""

    cache: Cache
    by: str | None
    sampling: Sampling
    rate: float
    """The part of all blocks in the sample, on average."""
    counts: dict[str, int]
    """Rows and requests of the stream, and what was guessed or left out; its distinct blocks are estimated."""
    sampled_blocks: int
    sampled_references: int
    has_single_blocks: bool
    """Whether each request touches one block: only then is anything known of requests beyond the head."""
    _values: pa.Array
    demands: list[tuple[int, int, int, int]]
    """The whole stream's read requests, blocks that they touch, write requests, and their blocks, by component."""
    _curves: list[StackCurve]
    _head: StackCurve | None

    @property
    def head_blocks(self) -> int:
        """The size up to which the counts are exact; 0 for none."""
        return 0 if self._head is None else self.sampling.head

    @cached_property
    def components(self) -> list[int]:
        """The components that occurred."""
        return [number for number, demand in enumerate(self.demands) if demand[1] + demand[3]]

    def shown_components(self) -> list[tuple[int, Any]]:
        """Return the components that occurred, with their values; the only one without `by`."""
        if self.by is None:
            return [(0, None)]
        return [(number, self._values[number].as_py()) for number in self.components]

    def totals(self, component: int) -> dict[str, int]:
        """Return what is known of all blocks: requests and block references of a component."""
        none = (0, 0, 0, 0)
        reads, read_blocks, writes, write_blocks = (
            self.demands[component] if component < len(self.demands) else none
        )
        return {
            "read_requests": reads,
            "write_requests": writes,
            "read_block_references": read_blocks,
            "write_block_references": write_blocks,
            "block_references": read_blocks + write_blocks,
        }

    def table(self, sizes_bytes: Sequence[int] | None = None) -> pa.Table:
        """Return the estimates: the columns of table curve and the bands, at the sizes or in steps of an eighth of a
        doubling. What is not known is null."""
        sizes = np.array(self.cache.sizes_blocks(sizes_bytes or self.doublings(8)), np.float64)
        parts = [self._component_rows(number, sizes) for number in self.components or [0]]
        described = sampled_schema()
        rows = pa.concat_tables([pa.table(part, schema=described) for part in parts])
        if self.by is not None:
            values = self._values.take(pa.array(np.repeat(self.components or [0], len(sizes))))
            rows = rows.add_column(
                0, pa.field(self.by, values.type, metadata={"unit": "name", "description": _OF_BY}), values
            )
        return tallied(rows, rows.schema.with_metadata(described.metadata), self.counts)

    def doublings(self, steps: int = 1) -> list[int]:
        """Return sizes in bytes from one block to one that holds every block, ``steps`` for each doubling."""
        last = max(self.counts["distinct_blocks"], 1)
        exponents = range(steps * (last - 1).bit_length() + 1)
        blocks = dict.fromkeys(round(2 ** (exponent / steps)) for exponent in exponents)
        return [size * self.cache.block_bytes for size in blocks]

    def bands(self, component: int, sizes_blocks: Numbers) -> dict[str, Band]:
        """Return the band of each of the `COUNTS` and `SUMS`, at sizes of the cache in blocks."""
        head, tail = sizes_blocks <= self.head_blocks, sizes_blocks > self.head_blocks
        estimated = self._estimated(component, sizes_blocks[tail])
        known = self._exact(component, sizes_blocks[head])
        return {
            name: Band(
                *(
                    _joined(head, getattr(exact(known[name]), end), getattr(of, end))
                    for end in ("estimate", *ENDS)
                )
            )
            for name, of in estimated.items()
        }

    def _exact(self, component: int, sizes: Numbers) -> dict[str, Numbers]:
        """Return the counts of the exact head."""
        columns = schema("curve").names
        if self._head is None or not len(sizes) or component >= self._head.components:
            return dict.fromkeys((*columns, *SUMS), np.zeros(len(sizes)))
        distinct, places = np.unique(sizes.astype(np.int64), return_inverse=True)
        rows = pa.record_batch(self._head.table(component, distinct.tolist()))
        return with_sums({name: rows[name].to_numpy()[places].astype(np.float64) for name in columns})

    def _estimated(self, component: int, sizes: Numbers) -> dict[str, Band]:
        """Return the bands beyond the head."""
        if self.rate < 1:
            sizes = np.concatenate([sizes, sizes_within_error(sizes, self.rate).ravel()])
        counts = [with_sums(member.counts(sizes)) for member in self._members(component)]
        estimates = self.banded(component, counts, is_lru=True)
        order = np.argsort(sizes[: len(estimates["block_misses"].estimate)], kind="stable")
        return {name: of.falling(order) if name in MISSES else of for name, of in estimates.items()}

    def banded(self, component: int, counts: list[dict[str, Numbers]], *, is_lru: bool) -> dict[str, Band]:
        """Return the bands of counts by the whole sample, which come first, and without each group.

        They are those of caches of LRU beyond the head, at sizes and then at their `sizes_within_error`, or those of
        another policy.
        """
        whole, *without = counts
        if self.rate == 1:
            return {name: exact(whole[name]) for name in (*COUNTS, *SUMS)}
        ends = np.array([max(self.head_blocks, 1), LARGEST], np.float64)
        whole_lru, *without_lru = [with_sums(member.counts(ends)) for member in self._members(component)]
        truth = self._exact(component, ends[:1]) if self.head_blocks else {}
        totals = self.totals(component)
        reads, writes = totals["read_block_references"], totals["write_block_references"]
        demand = {READ: reads, "block_misses": reads + writes}
        blocks = whole_lru["block_misses"][1] * self.rate
        written = (whole_lru["dirty_at_end"][1] + whole_lru["write_syncs"][1]) * self.rate
        bands = {}
        for name in (*COUNTS, *SUMS):
            beside = (READ, WRITE) if name in MISSES else (name,)
            known = None
            if truth:
                known = Known(
                    np.array([whole_lru[of][0] for of in beside]),
                    np.array([[each[of][0] for of in beside] for each in without_lru]),
                    np.array([truth[of][0] for of in beside]),
                )
            is_bounded = is_lru and bool(truth) and name in MISSES
            limit = float(truth[name][0] if is_bounded else demand.get(name, writes))
            bands[name] = band(
                whole[name],
                np.array([each[name] for each in without]),
                blocks if name in MISSES else written,
                self.rate,
                known=known,
                limit=limit,
            )
            if is_lru:
                bands[name] = reaching(bands[name], len(whole[name]) // 5, self.rate, limit)
        return bands

    @property
    def rates(self) -> list[float]:
        """The rate of the whole sample, and of it without each group."""
        groups = len(self._curves) - 1
        return [self.rate, *([self.rate * (1 - 1 / groups)] * groups if groups else [])]

    def _members(self, component: int) -> list[Member]:
        return [Member(curve, component, rate) for curve, rate in zip(self._curves, self.rates, strict=True)]

    def _component_rows(self, component: int, sizes: Numbers) -> list[pa.Array]:
        head = sizes <= self.head_blocks
        return self.rows(
            component, sizes, self.bands(component, sizes), self._exact(component, sizes[head]), head
        )

    def rows(
        self, component: int, sizes: Numbers, bands: dict[str, Band], known: dict[str, Numbers], head: Any
    ) -> list[pa.Array]:
        """Return the columns of the schema of estimates; ``known`` are all counts of the sizes of the ``head``."""
        totals = self.totals(component)
        block_bytes = self.cache.block_bytes
        columns: dict[str, Any] = {
            "size_blocks": sizes,
            "size_bytes": sizes * block_bytes,
            **{name: np.full(len(sizes), total) for name, total in totals.items()},
            "exact": head | (self.rate == 1),
        }
        for name, of in bands.items():
            columns[name] = of.estimate
            columns |= {f"{name}_{end}": getattr(of, end) for end in ENDS}
        written = columns["write_expulsions"] + columns["write_syncs"]
        columns["read_bytes_estimated"] = columns[READ] * block_bytes
        columns["write_bytes_estimated"] = written * block_bytes
        pricing = self.cache.pricing()
        transfer_ns = block_bytes * pricing["transfer_ns_per_kb"] / 1024
        columns["write_service_time_ns"] = written * (pricing["overhead_ns"] + transfer_ns)
        for way, misses in (("read", READ), ("write", WRITE)):
            columns[f"{way}_request_misses"] = np.where(self.has_single_blocks, columns[misses], np.nan)
            if head.any():
                columns[f"{way}_request_misses"][head] = known[f"{way}_request_misses"]
        reads_missed = columns["read_request_misses"]
        columns["read_service_time_ns"] = reads_missed * pricing["overhead_ns"] + columns[READ] * transfer_ns
        return [_column(columns.get(field.name), len(sizes), field.type) for field in sampled_schema()]


_OF_BY = "The component that the row's counts are of."


def sampled_schema() -> pa.Schema:
    """Return the schema of estimates: the columns of table curve, which may be null, and those of sampled_curve."""
    described = queries.table_schema("sampled_curve")
    return pa.schema(
        [*(field.with_nullable(True) for field in schema("curve")), *described], described.metadata
    )


def simulate_sampled(
    references: Any,
    cache: Cache,
    sampling: Sampling,
    by: str | None = None,
    *,
    has_whole_files: bool = False,
) -> SampledCurves:
    """Run a sample of the blocks of references through one LRU cache of every size, counted for each value of ``by``.

    ``has_whole_files`` is whether no reference states a file's size, and removals and syncs are of whole files, as in
    traces of disks: less memory does then. Raises UsageError for invalid settings and IotraceError for invalid
    references.
    """
    return simulate_with_policies(references, cache, sampling, by, has_whole_files=has_whole_files)[0]


def simulate_sampled_keys(keys: Any, cache: Cache, sampling: Sampling) -> SampledCurves:
    """Do the same for plain keys, as `iotrace.analysis.curves.curve_of_keys` takes them, each the read of one block.

    Without an exact head, which would have to follow all keys.
    """
    without_head = replace(sampling, head_blocks=0)
    with settings_read():
        caches = SampledCaches(
            cache.for_engine(), without_head.for_engine(), policies=[], threads=available_cores()
        )
    parts = (keys,) if isinstance(keys, (np.ndarray, pa.Array, pa.ChunkedArray)) else keys
    with references_read():
        for part in parts:
            for numbers in unsigned(part):
                caches.push_keys(numbers)
        return _finished(caches, cache, without_head, None, Components().values())[0]


def simulate_with_policies(
    references: Any,
    cache: Cache,
    sampling: Sampling,
    by: str | None = None,
    policies: Sequence[tuple[str, int]] = (),
    protected_percent: int = 75,
    *,
    has_whole_files: bool = False,
) -> tuple[SampledCurves, list[pa.RecordBatch]]:
    """Do the same, with caches of policies and sizes in blocks; return their unscaled tables, too: that of the whole
    sample, then those without each group."""
    with settings_read():
        caches = SampledCaches(
            cache.for_engine(),
            sampling.for_engine(has_whole_files=has_whole_files),
            policies=list(policies),
            protected_percent=protected_percent,
            threads=available_cores(),
        )
    components = Components()
    inodes = cache.inodes_per_block is not None
    with references_read():
        for batch in batches(references):
            ready = prepare(batch, by, components, inodes=inodes, synchronous=cache.syncs == "honour")
            for piece in _pieces(ready, cache.block_bytes, sampling.rate or 1.0):
                caches.push(piece)
        return _finished(caches, cache, sampling, by, components.values())


def _pieces(references: pa.RecordBatch, block_bytes: int, rate: float) -> Iterator[pa.RecordBatch]:
    """Yield references in pieces of some `SAMPLED_AT_ONCE` sampled blocks: the engine keeps those of a piece."""
    blocks = (pc.sum(references["length"].cast(pa.float64())).as_py() or 0) / block_bytes
    pieces = max(1, math.ceil(blocks * rate / SAMPLED_AT_ONCE))
    rows = max(1, references.num_rows // pieces)
    for first in range(0, references.num_rows, rows):
        yield references.slice(first, rows)


@dataclass(frozen=True)
class Pass:
    """Counts of the engine on a stream, unscaled."""

    rate: float
    counts: dict[str, int]
    sampled_blocks: int
    curves: list[StackCurve]
    """That of the sample, and those without each group."""
    head: StackCurve | None
    demands: Sequence[Sequence[int]]
    has_several_blocks: bool


def _finished(
    caches: SampledCaches, cache: Cache, sampling: Sampling, by: str | None, values: pa.Array
) -> tuple[SampledCurves, list[pa.RecordBatch]]:
    counts, demands, has_several = caches.tally(), caches.demands, caches.has_requests_of_several_blocks
    rate, blocks, curves, policies, head = caches.finish(**cache.pricing())
    sampled = Pass(rate, counts, blocks, curves, head, demands, has_several)
    return curves_of_pass(sampled, cache, sampling, by, values), [pa.record_batch(each) for each in policies]


def curves_of_pass(
    made: Pass, cache: Cache, sampling: Sampling, by: str | None, values: pa.Array
) -> SampledCurves:
    """Return the estimates of what a pass has counted, with the values of its components."""
    counts = made.counts | {"distinct_blocks": round(made.sampled_blocks / made.rate)}
    sampled = sum(_references(made.curves[0], component) for component in range(made.curves[0].components))
    return SampledCurves(
        cache,
        by,
        sampling,
        made.rate,
        counts,
        made.sampled_blocks,
        sampled,
        not made.has_several_blocks,
        values,
        [
            (reads, read_blocks, writes, write_blocks)
            for reads, read_blocks, writes, write_blocks in made.demands
        ],
        made.curves,
        made.head,
    )


def _references(curve: StackCurve, component: int) -> int:
    return int(pa.record_batch(curve.table(component, [1]))["block_references"][0].as_py())


def with_sums(counts: dict[str, Numbers]) -> dict[str, Numbers]:
    """Add the `SUMS` to counts."""
    sums = {name: np.sum([counts[each] for each in of], axis=0) for name, of in SUMS.items()}
    return counts | sums


def _joined(head: Any, exactly: Numbers, estimated: Numbers) -> Numbers:
    """Return values by size, of which some are those of the head."""
    joined = np.empty(len(head))
    joined[head], joined[~head] = exactly, estimated
    return joined


def _column(values: Any, rows: int, kind: pa.DataType) -> pa.Array:
    """Return a column of whole numbers or truths; null where nothing is known."""
    if values is None:
        return pa.nulls(rows, kind)
    if kind == pa.bool_():
        return pa.array(values, kind)
    numbers = np.asarray(values, np.float64)
    return pa.array(np.nan_to_num(np.round(numbers)).astype(np.int64), kind, mask=np.isnan(numbers))
