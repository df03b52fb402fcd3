"""The tables of ``iotrace curve`` as a person reads them, and its warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from iotrace import units
from iotrace.cli.options.policies import variants
from iotrace.cli.output import Output
from iotrace.cli.terminal import print, warn_of, warn_of_all

if TYPE_CHECKING:
    import pyarrow as pa

    from iotrace.analysis.curves.cache import Cache
    from iotrace.analysis.curves.curves import Curves


def warn_of_counts(counts: Mapping[str, int], where: str | None) -> None:
    """Say what was guessed of the stream's requests, and where none was chosen."""
    from iotrace.analysis.curves.stream import guesses, nothing_chosen

    warn_of_all([*guesses(counts), *nothing_chosen(counts, where)])


def warn_of_curves(curves: Curves, where: str | None, warm_up: str | None) -> None:
    """Say what was guessed, where no request was chosen, and where none was left after a warm-up."""
    warn_of_counts(curves.counts, where)
    if warm_up is not None and not curves.counts_any:
        warn_of("the trace ends before the warm-up: nothing was counted")


def emit_curves(
    curves: Curves,
    sizes_bytes: Sequence[int] | None,
    output: Output,
    sentences: Sequence[str],
    *,
    alone: bool,
) -> None:
    """Write miss-ratio curves: for a person ratios, after sentences on the size of a cache; otherwise the counts.

    Each block is written `alone`, or with its neighbours where that was simulated.
    """
    from iotrace.analysis.curves.disk_times import all_with_disk_times, with_disk_times, with_saved_times

    if not output.is_table and sizes_bytes is None:
        output.emit(all_with_disk_times(curves, alone=alone))
        return
    if not output.is_table:
        output.emit(with_disk_times(curves, sizes_bytes, alone=alone))
        return
    rows = with_saved_times(with_disk_times(curves, sizes_bytes or curves.doublings(), alone=alone))
    if output.is_interactive and sentences:
        print(*sentences, sep="\n")
    title = f"LRU, blocks of {units.size(curves.cache.block_bytes)}"
    note = _reading_aid(curves, alone)
    output.emit(rows, title, note, knows_absorbed=curves.knows_absorbed, device=curves.cache.device)


PER_REQUEST = "Request ratios can exceed 1: a request larger than the cache is served in pieces."
WITHOUT = "Without a cache (none), each request is one access for all its blocks."
TOGETHER = " Adjacent dirty blocks are written in one access (--coalesce)."
WRITTEN_ALONE = " Each block is written in one access (--coalesce none)."
NO_TIMES = (
    " Disk times with a cache are left out: they need --coalesce none, or a simulation of each size (--sizes, or at"
    " most {most} references; one worker, --write-policy allocate, no --by and --inodes-per-block)."
)


def _reading_aid(curves: Curves, alone: bool) -> str:
    from iotrace.analysis.curves.disk_times import FOLLOWED_AT_ONCE

    cache = curves.cache
    unknown = ", unknown after a warm-up" if cache.has_warm_up else ""
    syncs = (
        f" Syncs are honoured (--syncs): absorbed writes were overwritten or deleted in the cache{unknown}."
        if cache.syncs == "honour"
        else " Syncs are ignored (--syncs)."
    )
    no_times = NO_TIMES.format(most=units.count(FOLLOWED_AT_ONCE))
    written = WRITTEN_ALONE if alone else TOGETHER if curves.write_times_ns else no_times
    return f"{PER_REQUEST} {WITHOUT} {disk_costs(cache)}{written}{syncs}"


def disk_costs(cache: Cache) -> str:
    """Say what an access to the disk takes."""
    return (
        f"Disk time, {cache.device}: {cache.overhead_ms:g} ms for each access and {cache.transfer_ms_per_kb:g} ms for"
        " each KB."
    )


def emit_policies(
    rows: pa.Table,
    policies: Sequence[str],
    cache: Cache,
    where: str | None,
    output: Output,
    *,
    alone: bool,
) -> None:
    """Write what replacement policies make of requests: for a terminal as ratios, otherwise the counts.

    Disk times are known if each block is written `alone`.
    """
    from iotrace.analysis.curves.curves import tally
    from iotrace.analysis.curves.disk_times import without_times
    from iotrace.analysis.curves.policies import segmented_against_doubled

    warn_of_counts(tally(rows), where)
    rows = rows if alone else without_times(rows)
    if not output.is_table:
        output.emit(rows)
        return
    notes = [
        variants(policies),
        "Equal LRU: the smallest LRU cache with the same or a lower request miss ratio.",
        f"{PER_REQUEST} Syncs are ignored, except by linux; iotrace curve without --policy can honour them.",
    ]
    if alone:
        notes.append(disk_costs(cache) + WRITTEN_ALONE)
    if output.is_interactive and {"slru", "lru"} <= set(policies):
        notes.append(segmented_against_doubled(rows))
    title = f"Replacement policies, blocks of {units.size(cache.block_bytes)}"
    output.emit(rows.sort_by("size_bytes"), title, "\n".join(notes), device=cache.device)
