"""Curves of LRU caches estimated from a sample of the blocks, with bands (Waldspurger et al., SHARDS, FAST '15).

A cache of C blocks misses on the whole stream about as often as one of rate · C blocks does on the sampled blocks, divided
by the rate. Counts of misses are scaled so, never hits: then a block that is used very often and is not in the sample does
no harm, which is what the adjustment of SHARDS is for (its difference of expected and sampled references goes to the
smallest distance, where it counts as hits). Caches of the head are exact, and the estimate begins where they end.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from iotrace import queries
from iotrace.analysis.curves.bands import Band, Known, Numbers, band, exact
from iotrace.analysis.curves.cache import Cache
from iotrace.analysis.curves.passes import references_read, settings_read, tallied
from iotrace.analysis.curves.sampling import Sampling
from iotrace.analysis.curves.stream import Components, batches, prepare
from iotrace.engine import available_cores
from iotrace.engine.native import SampledCaches, StackCurve
from iotrace.errors import UsageError
from iotrace.schemas import schema

READ, WRITE = "read_block_misses", "write_block_misses"
MISSES = ("block_misses", READ, WRITE)
WRITTEN = ("write_expulsions", "dirty_at_end", "write_syncs")
COUNTS = (*MISSES, *WRITTEN)
"""The counts that are estimated."""
SUMS = {"stored_blocks": WRITTEN}
"""Sums of them that have bands of their own: blocks written that reach the disk, now or later."""
ENDS = ("low", "high", "low_all", "high_all")
LARGEST = 2**32 - 1


@dataclass(frozen=True)
class Member:
    """Caches over the sample or over all but one of its groups, of one component."""

    curve: StackCurve
    component: int
    rate: float

    def counts(self, sizes_blocks: Numbers) -> dict[str, Numbers]:
        """Return the counts at sizes of the whole stream's caches, scaled; between whole sizes of the sample's caches
        they are interpolated."""
        scaled = sizes_blocks * self.rate
        below = np.floor(scaled + 1e-9)
        weight = np.clip(scaled - below, 0, 1)
        down = np.minimum(below, LARGEST - 1).astype(np.int64)
        raw = self._raw(np.unique(np.concatenate([down, down + 1])))
        places, others = np.searchsorted(raw["size_blocks"], down), np.searchsorted(raw["size_blocks"], down + 1)
        return {
            name: ((1 - weight) * raw[name][places] + weight * raw[name][others]) / self.rate
            for name in (*COUNTS, "block_references", "write_block_references")
        }

    def _raw(self, sizes: Any) -> dict[str, Numbers]:
        """Return the unscaled counts at whole sizes; a cache of no block misses always."""
        names = ("size_blocks", *COUNTS, "block_references", "write_block_references")
        if self.component >= self.curve.components:
            return {name: sizes if name == "size_blocks" else np.zeros(len(sizes)) for name in names}
        some = pa.record_batch(self.curve.table(self.component, [int(size) for size in sizes if size > 0]))
        raw = {name: some[name].to_numpy().astype(np.float64) for name in names}
        if sizes[0] > 0:
            return raw
        blocks, written = (raw[name][0] for name in ("block_references", "write_block_references"))
        none = {
            "block_references": blocks,
            "write_block_references": written,
            "block_misses": blocks,
            READ: blocks - written,
            WRITE: written,
            "write_expulsions": written,
        }
        return {name: np.concatenate([[none.get(name, 0.0)], values]) for name, values in raw.items()}


@dataclass(frozen=True)
class SampledCurves:
    """What a pass over the references has counted of a sample, for every size and every component."""

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
            rows = rows.add_column(0, pa.field(self.by, values.type, metadata={"unit": "name", "sentence": _OF_BY}), values)
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
            name: Band(*(_joined(head, getattr(exact(known[name]), end), getattr(of, end)) for end in ("estimate", *ENDS)))
            for name, of in estimated.items()
        }

    def _exact(self, component: int, sizes: Numbers) -> dict[str, Numbers]:
        """Return the counts of the exact head."""
        columns = schema("curve").names
        if self._head is None or not len(sizes) or component >= self._head.components:
            return dict.fromkeys((*columns, *SUMS), np.zeros(len(sizes)))
        distinct, places = np.unique(sizes.astype(np.int64), return_inverse=True)
        rows = pa.record_batch(self._head.table(component, distinct.tolist()))
        return _with_sums({name: rows[name].to_numpy()[places].astype(np.float64) for name in columns})

    def _estimated(self, component: int, sizes: Numbers) -> dict[str, Band]:
        """Return the bands beyond the head."""
        members = self._members(component)
        at = np.append(sizes, [max(self.head_blocks, 1), LARGEST])
        whole, *without = [_with_sums(member.counts(at)) for member in members]
        if self.rate == 1:
            return {name: exact(whole[name][:-2]) for name in (*COUNTS, *SUMS)}
        truth = self._exact(component, at[-2:-1]) if self.head_blocks else {}
        totals = self.totals(component)
        reads, writes = totals["read_block_references"], totals["write_block_references"]
        demand = {READ: reads, "block_misses": reads + writes}
        blocks = whole["block_misses"][-1] * self.rate
        written = (whole["dirty_at_end"][-1] + whole["write_syncs"][-1]) * self.rate
        found = {}
        for name in (*COUNTS, *SUMS):
            beside = (READ, WRITE) if name in MISSES else (name,)
            known = None
            if truth:
                known = Known(
                    np.array([whole[of][-2] for of in beside]),
                    np.array([[each[of][-2] for of in beside] for each in without]),
                    np.array([truth[of][0] for of in beside]),
                )
            limit = truth[name][0] if truth and name in MISSES else demand.get(name, writes)
            found[name] = band(
                whole[name][:-2],
                np.array([each[name][:-2] for each in without]),
                blocks if name in MISSES else written,
                self.rate,
                known=known,
                limit=float(limit),
            )
        return found

    def _members(self, component: int) -> list[Member]:
        groups = len(self._curves) - 1
        smaller = self.rate * (1 - 1 / groups) if groups else self.rate
        first, *others = self._curves
        return [Member(first, component, self.rate), *(Member(each, component, smaller) for each in others)]

    def _component_rows(self, component: int, sizes: Numbers) -> list[pa.Array]:
        bands = self.bands(component, sizes)
        head = sizes <= self.head_blocks
        known = self._exact(component, sizes[head])
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
            beyond = columns[misses][~head] if self.has_single_blocks else np.full((~head).sum(), np.nan)
            columns[f"{way}_request_misses"] = _joined(head, known[f"{way}_request_misses"], beyond)
        reads_missed = columns["read_request_misses"]
        columns["read_service_time_ns"] = reads_missed * pricing["overhead_ns"] + columns[READ] * transfer_ns
        return [_column(columns.get(field.name), len(sizes), field.type) for field in sampled_schema()]


_OF_BY = "The component that the row's counts are of."


def sampled_schema() -> pa.Schema:
    """Return the schema of estimates: the columns of table curve, which may be null, and those of sampled_curve."""
    own = queries.table_schema("sampled_curve")
    return pa.schema([*(field.with_nullable(True) for field in schema("curve")), *own], own.metadata)


def simulate_sampled(references: Any, cache: Cache, sampling: Sampling, by: str | None = None) -> SampledCurves:
    """Run a sample of the blocks of references through one LRU cache of every size, counted for each value of ``by``.

    Raises UsageError for settings that make no sense and IotraceError for references that do not.
    """
    with settings_read():
        caches = SampledCaches(
            cache.for_engine(), sampling.for_engine(), policies=[], threads=available_cores()
        )
    components = Components()
    inodes = cache.inodes_per_block is not None
    with references_read():
        for batch in batches(references):
            caches.push(prepare(batch, by, components, inodes=inodes, synchronous=cache.syncs == "honour"))
        return finished(caches, cache, sampling, by, components.values())[0]


def finished(
    caches: SampledCaches, cache: Cache, sampling: Sampling, by: str | None, values: pa.Array
) -> tuple[SampledCurves, list[pa.RecordBatch]]:
    """End a sample's stream: return its curves, and the tables of its policies' caches."""
    counts, demands, has_several = caches.tally(), caches.demands, caches.has_requests_of_several_blocks
    rate, blocks, curves, policies, head = caches.finish(**cache.pricing())
    counts["distinct_blocks"] = round(blocks / rate)
    sampled = sum(_references(curves[0], component) for component in range(curves[0].components))
    made = SampledCurves(
        cache,
        by,
        sampling,
        rate,
        counts,
        blocks,
        sampled,
        not has_several,
        values,
        [(reads, read_blocks, writes, write_blocks) for reads, read_blocks, writes, write_blocks in demands],
        curves,
        head,
    )
    return made, [pa.record_batch(each) for each in policies]


def _references(curve: StackCurve, component: int) -> int:
    return int(pa.record_batch(curve.table(component, [1]))["block_references"][0].as_py())


def _with_sums(counts: dict[str, Numbers]) -> dict[str, Numbers]:
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
