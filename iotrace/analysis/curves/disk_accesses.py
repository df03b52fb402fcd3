"""Disk accesses of LRU caches of chosen sizes, with fetch blocks of several cache blocks and coalesced evictions."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from iotrace import queries
from iotrace.analysis.block_budget import Budget
from iotrace.analysis.curves.cache import Cache, Deletes
from iotrace.analysis.curves.device import SSD
from iotrace.analysis.curves.passes import references_read, settings_read, tallied
from iotrace.analysis.curves.stream import Components, batches, prepare
from iotrace.engine import available_cores, native
from iotrace.errors import UsageError

DOUBLINGS = 20
"""How many sizes there are unless they are given: from one block on, each twice the one before."""
_SIZES = ("size_blocks", "size_bytes")


@dataclass(frozen=True)
class DiskAccess:
    """Blocks that a miss fetches and an eviction writes."""

    fetch_bytes: tuple[int, ...] = ()
    """Sizes of fetch blocks, each a multiple of the cache block; none for the cache block itself."""
    coalesce_percent: int = 0
    """The last portion of the LRU stack in which evictions are coalesced, in percent of the cache; 0 for none."""

    budget_blocks: int = Budget.CURVE.value
    """The most blocks of fetch blocks that no request has touched: each takes memory in every cache."""

    def for_engine(self, cache: Cache) -> list[dict[str, int]]:
        """Return the caches for the engine, by fetch block; raises UsageError for one that is not a multiple."""
        sizes = self.fetch_bytes or (cache.block_bytes,)
        for size in sizes:
            if size < cache.block_bytes or size % cache.block_bytes:
                raise UsageError(
                    f"--fetch must be a multiple of the cache block, {cache.block_bytes} bytes, not {size} bytes"
                )
        return [
            {
                "fetch_blocks": size // cache.block_bytes,
                "budget_blocks": self.budget_blocks,
                "coalesce_percent": self.coalesce_percent,
            }
            for size in sizes
        ]


def disk_accesses(
    references: Any,
    *,
    fetch_bytes: Sequence[int] = (),
    coalesce_percent: int = 0,
    sizes_bytes: Sequence[int] | None = None,
    block_bytes: int = 4096,
    deletes: Deletes = "honour",
    overhead_ms: float = SSD.overhead_ms,
    transfer_ms_per_kb: float = SSD.transfer_ms_per_kb,
    warm_up_requests: int = 0,
    warm_up_ns: int | None = None,
) -> pa.Table:
    """Return what LRU caches of several sizes read from the disk and write to it (Richardson 1994, 1.2 and 2.4.3).

    ``references`` and the other settings are those of `curve`. A read that misses brings in the aligned block of
    ``fetch_bytes`` around each missing block, up to the file's known end; blocks that are cached stay as they
    are. What the request did not ask for enters the LRU stack just before what it did; the block that follows the
    request is the most recently used of it. A write that misses reads nothing. The missing blocks of a request, and
    what is fetched with them, are one disk read.

    A dirty block that is evicted is written together with the dirty blocks on both sides of it in its file that
    adjoin it without a gap and are in the last portion of the LRU stack, ``coalesce_percent`` percent of the cache
    rounded down to blocks; they stay in the cache, clean. Each such run is one disk write. Deleted blocks are never
    written. Syncs are ignored.

    The result has a row per fetch block and size, in the order given, with the columns of the result disk_accesses.
    ``sizes_bytes`` double from one block on unless given, up to DOUBLINGS sizes, without the last ones that are equal
    except for their size. Its metadata has the ``tally``.

    Raises UsageError for invalid settings and IotraceError for invalid references.
    """
    cache = Cache(
        block_bytes=block_bytes,
        deletes=deletes,
        overhead_ms=overhead_ms,
        transfer_ms_per_kb=transfer_ms_per_kb,
        warm_up_requests=warm_up_requests,
        warm_up_ns=warm_up_ns,
    )
    access = DiskAccess(tuple(fetch_bytes), coalesce_percent)
    rows = simulate_disk_accesses(references, cache, access, sizes_bytes)
    return rows.filter(pc.greater(rows["size_blocks"], 0))


def simulate_disk_accesses(
    references: Any, cache: Cache, access: DiskAccess, sizes_bytes: Sequence[int] | None = None
) -> pa.Table:
    """Run the references once through a cache of each fetch block and size; see `disk_accesses`.

    The first row of each fetch block is without a cache, of size 0: each request is one access for all its blocks.
    """
    caches = access.for_engine(cache)
    sizes = sizes_bytes or [cache.block_bytes << doubling for doubling in range(DOUBLINGS)]
    simulators = [_simulator(cache, like, sizes) for like in caches]
    with references_read():
        for batch in batches(references):
            ready = prepare(batch, None, Components(), inodes=False)
            for simulator in simulators:
                simulator.push(ready)
        counts = simulators[0].tally()
        tables = [pa.table(pa.record_batch(each.finish(**cache.pricing()))) for each in simulators]
    if sizes_bytes is None:
        tables = [_without_equal_ends(rows) for rows in tables]
    parts = [_described(rows, like, cache) for rows, like in zip(tables, caches, strict=True)]
    return tallied(pa.concat_tables(parts), queries.table_schema("disk_accesses"), counts)


def _simulator(cache: Cache, like: dict[str, int], sizes_bytes: Sequence[int]) -> native.StreamSimulator:
    sizes = cache.sizes_blocks(sizes_bytes)
    with settings_read():
        return native.disk_access_simulator(
            cache.for_engine(), json.dumps(like), sizes, threads=available_cores()
        )


def _without_equal_ends(rows: pa.Table) -> pa.Table:
    """Return the rows up to the first whose counts all later ones have, too."""
    counts = rows.drop_columns(list(_SIZES)).to_pylist()
    last = len(counts)
    while last > 1 and counts[last - 2] == counts[-1]:
        last -= 1
    return rows.slice(0, last)


def _described(rows: pa.Table, like: dict[str, int], cache: Cache) -> pa.Table:
    """Return rows with what they are of in front."""
    given = {
        "fetch_bytes": like["fetch_blocks"] * cache.block_bytes,
        "coalesce_percent": like["coalesce_percent"],
    }
    columns = {name: pa.array([value] * rows.num_rows, pa.int64()) for name, value in given.items()}
    return pa.table({**columns, **{name: rows[name] for name in rows.column_names}})
