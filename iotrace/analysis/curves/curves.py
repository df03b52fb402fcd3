"""Miss-ratio curves as tables of counts (Richardson 1994, 2.4 to 2.6)."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from iotrace.analysis.curves.cache import Cache, Deletes, Syncs, WritePolicy
from iotrace.analysis.curves.device import SSD
from iotrace.analysis.curves.passes import references_read, tallied
from iotrace.analysis.curves.stream import CONTROLS, Components, batches, prepare
from iotrace.engine import available_cores
from iotrace.engine.native import StackCurve, StackEngine
from iotrace.errors import UsageError
from iotrace.schemas import schema

_OVERWRITES = {
    "write_block_overwrites": ("blocks", "Write block hits that cover a byte already dirty (4.1.3)."),
    "write_block_fills": ("blocks", "Write block hits that fill new bytes only."),
    "write_bytes_overwritten": ("bytes", "Dirty bytes that write hits covered."),
}


def curve(
    references: Any,
    *,
    block_bytes: int = 4096,
    sizes_bytes: Sequence[int] | None = None,
    by: str | None = None,
    deletes: Deletes = "honour",
    syncs: Syncs = "honour",
    write_policy: WritePolicy = "allocate",
    overhead_ms: float = SSD.overhead_ms,
    transfer_ms_per_kb: float = SSD.transfer_ms_per_kb,
    warm_up_requests: int = 0,
    warm_up_ns: int | None = None,
    inodes_per_block: int | None = None,
) -> pa.Table:
    """Return the exact miss-ratio curve of one LRU cache, all sizes from one pass over the references.

    ``references`` is any Arrow stream with the columns file, operation, offset and length of table reference,
    and file_size and time_ns where known. The result has the columns of table curve, one row for each size at
    which a count changes (the first is one block), or one for each of ``sizes_bytes`` in the order given,
    rounded down to blocks. With ``by``, a column's name, the same shared cache is reported for each of that
    column's values, which precede the other columns; an expulsion belongs to the value that wrote the block
    last.

    ``syncs="honour"`` writes the dirty blocks that a sync names (its range, its file, or all), and those of a
    synchronous write (column flags), in every cache that holds them dirty: column write_syncs counts them, and write
    bytes and times include them. "ignore" is the paper.
    ``deletes="ignore"`` keeps the blocks of truncated and deleted files, as the paper does. ``write_policy``
    "no-allocate" sends writes to the disk and drops the blocks that they touch (4.1.3): every write misses,
    and every block written counts as an expulsion. "data-overwrite" (4.1.3, figure 4.8) adds three columns:
    write block hits that cover a byte already dirty, those that only fill new bytes, and the bytes covered. A
    disk access takes ``overhead_ms`` and ``transfer_ms_per_kb`` per 1,024 bytes (2.5); unless given they are
    those of the preset ssd (`iotrace.analysis.curves.device`). The first
    ``warm_up_requests`` requests, and those before ``warm_up_ns``, are simulated and not counted.
    ``inodes_per_block`` is the number of inodes in each block, in the order of their first reference (figure
    4.9).

    A request of unknown length reaches to the file's end, or covers one block where its size is unknown; one
    of unknown offset starts at the file's known end; ``tally`` says how many there were.

    Raises UsageError for invalid settings and IotraceError for invalid references (the message
    names the row).
    """
    cache = Cache(
        block_bytes=block_bytes,
        write_policy=write_policy,
        deletes=deletes,
        syncs=syncs,
        overhead_ms=overhead_ms,
        transfer_ms_per_kb=transfer_ms_per_kb,
        warm_up_requests=warm_up_requests,
        warm_up_ns=warm_up_ns,
        inodes_per_block=inodes_per_block,
    )
    return simulate(references, cache, by).table(sizes_bytes)


@dataclass(frozen=True)
class CurvePart:
    """The curve of one component, evaluated at the sizes that are asked for."""

    finished: StackCurve
    component: int

    def change_points(self) -> npt.NDArray[np.uint32]:
        """Return the sizes in blocks at which a count may change, ascending, 1 first."""
        return np.asarray(pa.array(self.finished.change_points(self.component)).to_numpy())

    def rows(self, sizes_blocks: Sequence[int]) -> pa.RecordBatch:
        """Return a row of `Curves.table` for each of some sizes, ascending."""
        with references_read():
            return pa.record_batch(self.finished.table(self.component, sizes_blocks))


@dataclass(frozen=True)
class RowsAtSizes:
    """The rows of a curve at some sizes, which take the place of the curve of all sizes."""

    at: pa.RecordBatch
    sizes_blocks: tuple[int, ...]

    def table(self, component: int, sizes_blocks: Sequence[int]) -> pa.RecordBatch:
        """Return the rows of some of these sizes, as those of a whole curve."""
        return self.at.take(pa.array([self.sizes_blocks.index(size) for size in sizes_blocks], pa.int64()))

    def rows(self, component: int) -> pa.RecordBatchReader:
        """Return the rows of all of these sizes."""
        return pa.RecordBatchReader.from_batches(self.at.schema, [self.at])


@dataclass(frozen=True)
class Curves:
    """Counts of a pass over the references, for every size and every component."""

    cache: Cache
    by: str | None
    counts: dict[str, int]
    """Rows and requests of the stream, and what was guessed or left out."""
    _values: pa.Array
    _finished: Sequence[tuple[StackCurve | RowsAtSizes, int]]
    largest_blocks: int | None = None
    """Of a state that was cut: the largest size at which the counts are exact. Cold misses and exact bytes are unknown
    then."""
    write_times_ns: dict[int, int] = field(default_factory=dict)
    """The disk's time for writes with neighbours written together, by sizes in blocks; see `disk_times`."""

    @property
    def has_every_size(self) -> bool:
        """Whether rows can be made of any size, and not only of those that a worker has sent."""
        return all(isinstance(finished, StackCurve) for finished, _ in self._finished)

    @property
    def knows_absorbed(self) -> bool:
        """Whether it is known which writes a cache absorbs: syncs are honoured and all writes counted.

        After a warm-up, blocks that it has written are expelled, too.
        """
        return self.cache.syncs == "honour" and not self.cache.has_warm_up

    @property
    def counts_any(self) -> bool:
        """Whether a request is counted: none is where the trace ends before the warm-up."""
        return any(self.table([self.cache.block_bytes])["block_references"].to_pylist())

    def table(self, sizes_bytes: Sequence[int] | None = None) -> pa.Table:
        """Return the table of `curve`, at the sizes at which a count changes or at those given.

        Raises UsageError for a size beyond the largest.
        """
        sizes = None if sizes_bytes is None else self.cache.sizes_blocks(sizes_bytes)
        self._refuse_beyond(sizes or [])
        with references_read():
            parts = [_rows(finished, component, sizes) for finished, component in self._finished]
        if self.largest_blocks is not None:
            parts = [_up_to(rows, self.largest_blocks) for rows in parts]
        if self.by is None:
            return _described(parts[0].drop_columns(["component"]), self.counts)
        parts = parts or [self._no_rows()]
        return _described(_grouped(parts, self.by, self._values), self.counts)

    def all_rows(self) -> Iterator[pa.Table]:
        """Yield `table` without sizes, some rows at a time, of which there may be millions."""
        if self.by is not None or self.largest_blocks is not None:
            yield self.table()
            return
        ((finished, component),) = self._finished
        with references_read():
            for batch in finished.rows(component):
                rows = pa.Table.from_batches([batch]).drop_columns(["component"])
                yield _described(rows, self.counts)

    def at_sizes(self, sizes_blocks: Sequence[int]) -> "Curves":
        """Return them at these sizes alone, ascending and distinct, to be sent: `table` takes no others then."""
        self._refuse_beyond(sizes_blocks)
        finished = [
            (
                RowsAtSizes(pa.record_batch(curve.table(component, sizes_blocks)), tuple(sizes_blocks)),
                component,
            )
            for curve, component in self._finished
        ]
        return replace(self, _finished=finished)

    def parts(self) -> dict[Any, "CurvePart"]:
        """Return the curve of each value of the column ``by`` that occurred."""
        curves = {
            value: CurvePart(finished, component)
            for value, (finished, component) in zip(self._values.to_pylist(), self._finished, strict=False)
            if isinstance(finished, StackCurve)
        }
        return {value: part for value, part in curves.items() if _occurred(part.rows([1]))}

    def _refuse_beyond(self, sizes_blocks: Sequence[int]) -> None:
        largest = self.largest_blocks
        if largest is not None and any(size > largest for size in sizes_blocks):
            raise UsageError(
                f"the state has caches of at most {largest:,} blocks, {max(sizes_blocks):,} are more"
            )

    def _no_rows(self) -> pa.Table:
        """Return the table of a component of which there is no reference."""
        return _rows(self.cache.engine().finish(**self.cache.pricing()), 0, None).slice(0, 0)

    def doublings(self, steps: int = 1) -> list[int]:
        """Return sizes in bytes from one block to the first that holds every block, ``steps`` per doubling."""
        largest = self.largest_blocks
        last = max(self.counts["distinct_blocks"] if largest is None else largest, 1)
        exponents = range(steps * (last - 1).bit_length() + 1)
        blocks = dict.fromkeys(round(2 ** (exponent / steps)) for exponent in exponents)
        return [size * self.cache.block_bytes for size in blocks if largest is None or size <= largest]


def simulate(references: Any, cache: Cache, by: str | None = None) -> Curves:
    """Run the references through one cache of every size, counted for each value of the column ``by``."""
    return simulate_each(references, [cache], by)[0]


def simulate_each(references: Any, caches: Sequence[Cache], by: str | None = None) -> list[Curves]:
    """Run the references once, through each of several caches independently; see `simulate`."""
    return simulate_streams(([batch] for batch in batches(references)), [caches], by)[0]


def simulate_streams(
    streams: Iterable[Sequence[pa.RecordBatch]], caches: Sequence[Sequence[Cache]], by: str | None = None
) -> list[list[Curves]]:
    """Run several streams of references side by side, each through its own caches; see `simulate_each`.

    ``streams`` yields a batch of each at a time. The caches take it on as many threads as there are cores.
    """
    passes = [_Pass(by, of_stream) for of_stream in caches]
    is_alone = sum(map(len, caches)) == 1
    with references_read(), ThreadPoolExecutor(max_workers=available_cores()) as pool:
        for of_each in streams:
            pushes = [
                push for pass_, batch in zip(passes, of_each, strict=True) for push in pass_.pushes(batch)
            ]
            if is_alone:
                for push in pushes:
                    push()
                continue
            for task in [pool.submit(push) for push in pushes]:
                task.result()
    return [each_pass.finish() for each_pass in passes]


class _Pass:
    """A stream of references on its way through several caches."""

    def __init__(self, by: str | None, caches: Sequence[Cache]) -> None:
        self.by = by
        self.caches = caches
        self.components = Components()
        self.engines = [cache.engine() for cache in caches]
        self.inodes = any(cache.inodes_per_block is not None for cache in caches)
        self.synchronous = any(cache.syncs == "honour" for cache in caches)

    def pushes(self, batch: pa.RecordBatch) -> Iterator[Callable[[], None]]:
        """Yield what gives a batch to each cache; they may be called at the same time."""
        ready = prepare(batch, self.by, self.components, inodes=self.inodes, synchronous=self.synchronous)
        for engine in self.engines:
            yield partial(engine.push, ready)

    def finish(self) -> list[Curves]:
        """Return what each cache has counted."""
        values = self.components.values()
        return [
            finished(engine, cache, self.by, values)
            for engine, cache in zip(self.engines, self.caches, strict=True)
        ]


def finished(engine: StackEngine, cache: Cache, by: str | None, values: pa.Array) -> Curves:
    """End an engine's stream and return its curves, of the values of the column ``by``."""
    counts = engine.tally()
    curve = engine.finish(**cache.pricing())
    present = curve.components if by is None else min(curve.components, len(values))
    return Curves(cache, by, counts, values, [(curve, component) for component in range(present)])


def simulate_split(references: Any, cache: Cache, by: str) -> Curves:
    """Run the references through a separate cache for each value of the column ``by``.

    Truncations, deletions and syncs reach every cache; warm-up requests are each cache's first.
    """
    components = Components()
    engines: list[StackEngine] = []
    with references_read():
        for batch in batches(references):
            ready = prepare(
                batch,
                by,
                components,
                inodes=cache.inodes_per_block is not None,
                synchronous=cache.syncs == "honour",
            )
            removal = pc.is_in(ready.column("operation").dictionary_decode(), CONTROLS)
            engines += [cache.engine() for _ in range(len(engines), len(components.numbers))]
            for number, engine in enumerate(engines):
                mine = pc.equal(ready.column("component"), number)
                engine.push(ready.filter(pc.or_(mine, removal)).drop_columns(["component"]))
    counts = [engine.tally() for engine in engines]
    total = {name: sum(each[name] for each in counts) for name in cache.engine().tally()}
    finished = [(engine.finish(**cache.pricing()), 0) for engine in engines]
    return Curves(cache, by, total, components.values(), finished)


def split_curves(
    references: Any, *, by: str, sizes_bytes: Sequence[int] | None = None, **settings: Any
) -> pa.Table:
    """Return the curves of a separate cache for each value of the column ``by``, from one pass.

    The other arguments and the result are those of ``curve``; ``warm_up_requests`` are each cache's first
    requests. A truncation, deletion or sync reaches every cache.
    """
    return simulate_split(references, Cache(**{"syncs": "honour", **settings}), by).table(sizes_bytes)


def tally(curves: pa.Table) -> dict[str, int]:
    """Return what the stream behind a table of curves contained: rows, requests, what was guessed or left
    out."""
    counts: dict[str, int] = json.loads(curves.schema.metadata[b"tally"])
    return counts


def _rows(finished: StackCurve | RowsAtSizes, component: int, sizes: list[int] | None) -> pa.Table:
    if sizes is None:
        return pa.table(finished.rows(component))
    distinct = sorted(set(sizes))
    rows = pa.Table.from_batches([pa.record_batch(finished.table(component, distinct))])
    places = {size: index for index, size in enumerate(distinct)}
    return rows.take(pa.array([places[size] for size in sizes], pa.int64()))


def _up_to(rows: pa.Table, largest_blocks: int) -> pa.Table:
    """Return what a state cut at a size knows: rows up to it, without cold misses and exact bytes."""
    known = rows.drop_columns(
        [name for name in rows.column_names if name.startswith("cold_") or "exact" in name]
    )
    return known.filter(pc.less_equal(known["size_blocks"], largest_blocks))


def _grouped(parts: list[pa.Table], by: str, values: pa.Array) -> pa.Table:
    """Stack the tables of all components that occurred, their values in front."""
    tables = [
        rows.set_column(0, by, [_repeated(values, number, rows.num_rows)])
        for number, rows in enumerate(parts)
        if _occurred(rows)
    ]
    if tables:
        return pa.concat_tables(tables)
    return parts[0].slice(0, 0).set_column(0, by, [_repeated(values, 0, 0)])


def _repeated(values: pa.Array, number: int, rows: int) -> pa.Array:
    """Return a component's value for each row, names as a dictionary."""
    numbers = pa.array([number] * rows, pa.int32())
    names = pa.types.is_string(values.type)
    return pa.DictionaryArray.from_arrays(numbers, values) if names else values.take(numbers)


def _occurred(rows: pa.Table | pa.RecordBatch) -> bool:
    """Whether a component has any count: one that only truncates and deletes has not."""
    return any(pc.max(column).as_py() for column in rows.columns[3:])


def _described(rows: pa.Table, counts: dict[str, int]) -> pa.Table:
    """Give the table the schema of table curve, with the tally in its metadata."""
    described = schema("curve")
    fields = [_field(described, field) for field in rows.schema]
    return tallied(rows, pa.schema(fields, described.metadata), counts)


def _field(described: pa.Schema, field: pa.Field) -> pa.Field:
    if field.name in _OVERWRITES:
        unit, description = _OVERWRITES[field.name]
        return pa.field(field.name, field.type, False, {"unit": unit, "description": description})
    if field.name in described.names:
        return described.field(field.name)
    return field.with_metadata({"unit": "name", "description": "The component that the row's counts are of."})
