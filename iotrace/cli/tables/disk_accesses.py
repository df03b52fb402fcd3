"""The table of ``iotrace curve --fetch`` and ``--coalesce`` as a person reads it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from iotrace import units
from iotrace.cli.output import Output
from iotrace.cli.tables.curve import WITHOUT, disk_costs, disk_times, shown_size, warn_of_counts
from iotrace.libraries import pa

if TYPE_CHECKING:
    from iotrace.analysis.curves.cache import Cache
    from iotrace.analysis.curves.disk_accesses import DiskAccess

FETCHED = (
    "A disk read is a request, or a piece of one of the cache's size, that missed, with all that it fetched. Prefetched"
    " blocks are those that no request had asked for; prefetched_read is the share of them that was read later."
)
COALESCED = (
    "With --coalesce none, each dirty block that is evicted is one disk write (writes_alone). With --coalesce"
    " {percent}, adjacent dirty blocks in the last {percent} % of the LRU stack are written in one; blocks_written"
    " counts them all. It can be above writes_alone: a block that is written early can become dirty again, and is then"
    " written twice."
)
ALONE = "Each dirty block that is evicted is one disk write (--coalesce none)."

AT_END = "Blocks that are still dirty at the end are not counted as written."


def emit_disk_accesses(
    rows: pa.Table, cache: Cache, access: DiskAccess, where: str | None, output: Output
) -> None:
    """Write what caches read and wrote: for a terminal in words, otherwise the counts."""
    from iotrace.analysis.curves.curves import tally

    warn_of_counts(tally(rows), where)
    if not output.is_table:
        output.emit(rows)
        return
    percent = access.coalesce_percent
    notes = [
        *([FETCHED] if access.fetch_bytes else []),
        f"{COALESCED.format(percent=percent) if percent else ALONE} {AT_END}",
        f"{disk_costs(cache)} {WITHOUT} Syncs are ignored.",
    ]
    title = f"LRU, blocks of {units.size(cache.block_bytes)}"
    output.emit(_for_reading(rows, access, cache.device), title, "\n".join(notes))


def _for_reading(rows: pa.Table, access: DiskAccess, device: str) -> pa.Table:
    """Return the counts that were asked for, with sizes and times in words."""

    def words(of: str, write: Callable[[int], str]) -> pa.Array:
        values = rows[of].to_pylist()
        return pa.array([None if value is None else write(value) for value in values], pa.string())

    columns = {"fetch": words("fetch_bytes", units.size)} if access.fetch_bytes else {}
    columns |= {"size": words("size_bytes", shown_size), "disk_reads": rows["read_request_misses"]}
    if access.fetch_bytes:
        columns |= {
            "bytes_read": words("read_bytes_exact", units.size),
            "prefetched_blocks": rows["prefetched_blocks"],
            "prefetched_read": _shares(rows, "prefetched_hits", "prefetched_blocks"),
        }
    if access.coalesce_percent:
        columns["writes_alone"] = rows["write_expulsions"]
    columns["disk_writes"] = rows["disk_writes"]
    if access.coalesce_percent:
        columns["blocks_written"] = rows["blocks_written"]
    times = [rows[f"{way}_service_time_ns"].to_pylist() for way in ("read", "write")]
    both = [sum(pair) for pair in zip(*times, strict=True)]
    return pa.table(columns | disk_times(rows["size_bytes"].to_pylist(), both, device))


def _shares(rows: pa.Table, part: str, whole: str) -> pa.Array:
    """Return a count as a percentage of another; null where that is 0."""
    pairs = zip(rows[part].to_pylist(), rows[whole].to_pylist(), strict=True)
    return pa.array([units.percent(100 * one / of) if of else None for one, of in pairs], pa.string())
