"""The table of ``iotrace curve --fetch`` and ``--coalesce`` as a person reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iotrace import units
from iotrace.cli.output import Output
from iotrace.cli.tables.curve import WITHOUT, disk_costs, warn_of_counts

if TYPE_CHECKING:
    import pyarrow as pa

    from iotrace.analysis.curves.cache import Cache
    from iotrace.analysis.curves.disk_accesses import DiskAccess

FETCHED = (
    "A disk read is a request, or a piece of one of the cache's size, that missed, with all that it fetched. Prefetched"
    " blocks are those that no request had asked for; prefetched read is the share of them that was read later."
)
COALESCED = (
    "With --coalesce none, each dirty block that is evicted is one disk write (writes alone). With --coalesce"
    " {percent}, adjacent dirty blocks in the last {percent} % of the LRU stack are written in one; blocks written"
    " counts them all. It can be above writes alone: a block that is written early can become dirty again, and is then"
    " written twice."
)
ALONE = "Each dirty block that is evicted is one disk write (--coalesce none)."

AT_END = "Blocks that are still dirty at the end are not counted as written."


def emit_disk_accesses(
    rows: pa.Table, cache: Cache, access: DiskAccess, where: str | None, output: Output
) -> None:
    """Write what caches read and wrote."""
    from iotrace.analysis.curves.curves import tally
    from iotrace.analysis.curves.disk_times import with_saved_times

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
    note = "\n".join(notes)
    fetches_ahead = bool(access.fetch_bytes)
    output.emit(with_saved_times(rows), title, note, fetches_ahead=fetches_ahead, device=cache.device)
