"""Times of the disk behind a curve's caches, with neighbours written together, and those without a cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain, islice, pairwise
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from iotrace.analysis.curves.curves import Curves, finished
from iotrace.analysis.curves.passes import references_read, settings_read
from iotrace.analysis.curves.stream import Components, batches, prepare
from iotrace.analysis.curves.texts import Texts
from iotrace.engine import available_cores, native

if TYPE_CHECKING:
    from iotrace.analysis.curves.cache import Cache

WRITES = ("write", "update")
TIMES = ("read_service_time_ns", "write_service_time_ns")
DOUBLINGS = [1 << doubling for doubling in range(32)]
"""Sizes in blocks that double, up to the largest."""
FOLLOWED_AT_ONCE = 1_000_000
"""The most references of which all sizes that double are simulated unasked for, which takes about a second."""
_NOTHING = {
    "size_blocks", "size_bytes", "dirty_at_end", "write_syncs", "write_block_overwrites", "write_block_fills",
    "write_bytes_overwritten",
}  # fmt: skip
_UNKNOWN = {"read_bytes_exact", "write_bytes_exact"}


def simulate_with_writes(
    references: Any,
    cache: Cache,
    sizes_blocks: Sequence[int],
    again: Callable[[], Any],
) -> Curves:
    """Run the references through a cache of every size; those of some sizes write neighbours together.

    In these a dirty block that is expelled is written in one access with the dirty blocks on both sides of it in its
    file, which stay, clean; so are neighbours that a sync writes. They are simulated from the first write on: ``again``
    gives the batches before it once more, so that a trace of reads alone costs nothing. Raises UsageError for a cache
    whose write policy is not allocate, and for inodes that share blocks.
    """
    engine, writes = cache.engine(), _simulator(cache, sizes_blocks)
    has_written = False
    with references_read(), ThreadPoolExecutor(max_workers=2) as pool:
        for before, ready in enumerate(_prepared(references, cache)):
            if not has_written and Texts.of(ready.column("operation")).are(WRITES).any():
                has_written = True
                for earlier in islice(_prepared(again(), cache), before):
                    writes.push(earlier)
            if not has_written:
                engine.push(ready)
                continue
            for task in [pool.submit(each.push, ready) for each in (engine, writes)]:
                task.result()
    curves = finished(engine, cache, None, Components().values())
    return replace(curves, write_times_ns=_times(writes, cache))


def write_times_ns(references: Any, cache: Cache, sizes_blocks: Sequence[int]) -> dict[int, int]:
    """Return the disk's time for the writes of caches of some sizes; see `simulate_with_writes`."""
    writes = _simulator(cache, sizes_blocks)
    with references_read():
        for ready in _prepared(references, cache):
            writes.push(ready)
    return _times(writes, cache)


def _simulator(cache: Cache, sizes_blocks: Sequence[int]) -> native.StreamSimulator:
    with settings_read():
        return native.write_back_simulator(cache.for_engine(), list(sizes_blocks), threads=available_cores())


def _prepared(references: Any, cache: Cache) -> Iterator[pa.RecordBatch]:
    synchronous = cache.syncs == "honour"
    for batch in batches(references):
        yield prepare(batch, None, Components(), inodes=False, synchronous=synchronous)


def _times(writes: native.StreamSimulator, cache: Cache) -> dict[int, int]:
    with references_read():
        written = pa.table(pa.record_batch(writes.finish(**cache.pricing())))
    return dict(zip(written["size_blocks"].to_pylist(), written[TIMES[1]].to_pylist(), strict=True))


def with_disk_times(curves: Curves, sizes_bytes: Sequence[int] | None, *, alone: bool) -> pa.Table:
    """Return the table of curves with a row without a cache in front of each component's.

    `alone` charges each block that is written an access of its own. Otherwise neighbours are written together; the
    times are null at all sizes at which that was not simulated.
    """
    rows = curves.table(sizes_bytes)
    if not alone:
        rows = _written_together(rows, curves.write_times_ns)
    parts = []
    for part in _components(rows, sizes_bytes):
        parts += [_without_cache(part, curves.cache), part]
    return pa.concat_tables(parts) if parts else rows


def all_with_disk_times(curves: Curves, *, alone: bool) -> pa.RecordBatchReader:
    """Return `with_disk_times` of all sizes as a stream, which has one component, or is a table in memory."""
    if curves.by is not None:
        return with_disk_times(curves, None, alone=alone).to_reader()
    rows = (part if alone else _written_together(part, curves.write_times_ns) for part in curves.all_rows())
    first = next(rows)
    parts = chain([_without_cache(first, curves.cache), first], rows)
    return pa.RecordBatchReader.from_batches(
        first.schema, (batch for part in parts for batch in part.to_batches())
    )


def with_saved_times(rows: pa.Table) -> pa.Table:
    """Return rows with column saved_ns: what each cache saves of the disk's time in the row of size 0 above it.

    It is null where one of the times is unknown.
    """
    saved: list[int | None] = []
    without: int | None = None
    for size, read, write in zip(*(rows[name].to_pylist() for name in ("size_bytes", *TIMES)), strict=True):
        spent = None if read is None or write is None else read + write
        if not size:
            without = spent
        saved.append(without - spent if size and without is not None and spent is not None else None)
    return rows.append_column("saved_ns", pa.array(saved, pa.int64()))


def without_times(rows: pa.Table) -> pa.Table:
    """Return rows of table curve, or of estimates, with unknown times."""
    return _replaced(rows, {name: pa.nulls(rows.num_rows, rows[name].type) for name in TIMES})


def _written_together(rows: pa.Table, write_times_ns: dict[int, int]) -> pa.Table:
    """Return rows with the times of neighbours written together, both null where those are unknown."""
    if not write_times_ns:
        return without_times(rows)
    writes = pa.array([write_times_ns.get(size) for size in rows["size_blocks"].to_pylist()], pa.int64())
    reads = pc.if_else(writes.is_valid(), rows[TIMES[0]], pa.scalar(None, pa.int64()))
    return _replaced(rows, {TIMES[0]: reads, TIMES[1]: writes})


def _components(rows: pa.Table, sizes_bytes: Sequence[int] | None) -> Iterator[pa.Table]:
    """Yield the rows of each component: those of the sizes given, or of all from one block on."""
    if sizes_bytes is None:
        firsts = pc.indices_nonzero(pc.equal(rows["size_blocks"], 1)).to_pylist()
    else:
        firsts = list(range(0, rows.num_rows, len(sizes_bytes)))
    for first, after in pairwise([*firsts, rows.num_rows]):
        yield rows.slice(first, after - first)


def _without_cache(rows: pa.Table, cache: Cache) -> pa.Table:
    """Return the row of the disk alone, by rows of one component: each request is an access of all its blocks."""
    row = rows.slice(0, 1)
    blocks = {"write": row["write_block_references"][0].as_py()}
    blocks["read"] = row["block_references"][0].as_py() - blocks["write"]
    counts = dict.fromkeys(_NOTHING, 0) | dict.fromkeys(_UNKNOWN)
    counts |= {"block_misses": sum(blocks.values()), "write_expulsions": blocks["write"]}
    pricing = cache.pricing()
    for way, of_way in blocks.items():
        requests, moved_bytes = row[f"{way}_requests"][0].as_py(), of_way * cache.block_bytes
        transfer_ns = (moved_bytes * pricing["transfer_ns_per_kb"] + 512) // 1024
        counts |= {
            f"{way}_block_misses": of_way,
            f"{way}_request_misses": requests,
            f"{way}_bytes_estimated": moved_bytes,
            f"{way}_service_time_ns": requests * pricing["overhead_ns"] + transfer_ns,
        }
    present = {name: value for name, value in counts.items() if name in row.column_names}
    return _replaced(row, {name: pa.array([value], row[name].type) for name, value in present.items()})


def _replaced(rows: pa.Table, columns: dict[str, Any]) -> pa.Table:
    """Return rows with other values in some columns, whose fields stay as they are."""
    for name, values in columns.items():
        index = rows.schema.get_field_index(name)
        rows = rows.set_column(index, rows.schema.field(index), values)
    return rows
