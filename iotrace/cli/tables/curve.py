"""The tables of ``iotrace curve`` as a person reads them, and its warnings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from iotrace import units
from iotrace.cli.options.curve import ALONE
from iotrace.cli.options.policies import variants
from iotrace.cli.output import Output
from iotrace.cli.terminal import print, warn_of
from iotrace.libraries import pa

if TYPE_CHECKING:
    from iotrace.analysis.curves.cache import Cache
    from iotrace.analysis.curves.curves import Curves
    from iotrace.analysis.curves.requests import Requests
    from iotrace.cli.options.curve import CurveOptions

GUESSED = {
    "unknown_lengths": "requests of unknown length were taken to reach the file's end, or one block",
    "unknown_offsets": "requests of unknown offset were taken to start at the file's end as far as known",
    "unplaced": "references that name no file or length were left out",
}


def warn_of_counts(counts: Mapping[str, int], where: str | None) -> None:
    """Say what was guessed of the stream's requests, and where none was chosen."""
    for name, sentence in GUESSED.items():
        if counts[name]:
            warn_of(f"{units.count(counts[name])} {sentence}")
    warn_of_nothing(counts, where)


def warn_of_nothing(counts: Mapping[str, int], where: str | None) -> None:
    """Say so where no request was chosen, by what the stream contained."""
    if not counts["requests"]:
        nothing = "is of the population; see --population" if where is None else f"fulfils --where {where!r}"
        warn_of(f"no request {nothing}")


def warn_of_curves(curves: Curves, where: str | None, warm_up: str | None) -> None:
    """Say what was guessed, where no request was chosen, and where none was left after a warm-up."""
    warn_of_counts(curves.counts, where)
    smallest = [curves.cache.block_bytes]
    if warm_up is not None and not curves.table(smallest)["block_references"].to_numpy().any():
        warn_of("the trace ends before the warm-up: nothing was counted")


def show_curves(curves: Curves, requests: Requests, options: CurveOptions, name: str, output: Output) -> None:
    """Write miss-ratio curves of a trace of this name, and draw them if a page is asked for."""
    warn_of_curves(curves, options.where, options.warm_up)
    draw_curves(curves, options.plot, name)
    emit_curves(curves, options.sizes_bytes(), output, requests, alone=options.coalesce == ALONE)


def emit_curves(
    curves: Curves,
    sizes_bytes: Sequence[int] | None,
    output: Output,
    requests: Requests | None = None,
    *,
    alone: bool,
) -> None:
    """Write miss-ratio curves: for a terminal as ratios, otherwise the counts.

    With the requests, other policies are simulated, too, where they are few. Each block is written `alone`, or with its
    neighbours where that was simulated.
    """
    from iotrace.analysis.curves.disk_times import with_disk_times

    if output.is_table:
        sizes_bytes = sizes_bytes or curves.doublings()
    rows = with_disk_times(curves, sizes_bytes, alone=alone)
    if output.is_table:
        if output.is_to_read and curves.by is None and curves.largest_blocks is None:
            _say_which_size(curves, requests)
        title = f"LRU, blocks of {units.size(curves.cache.block_bytes)}"
        output.emit(_ratios(curves, rows), title, _reading_aid(curves, alone))
    else:
        output.emit(rows)


def _say_which_size(curves: Curves, requests: Requests | None) -> None:
    from iotrace.analysis.curves.sizing import CurveHits, sentences, sizing

    if curves.counts["requests"]:
        found = sizing(CurveHits(curves))
        others = requests.others(curves, found) if requests is not None and found is not None else None
        print(*sentences(found, others), sep="\n")


def _ratios(curves: Curves, rows: pa.Table) -> pa.Table:
    """Turn counts into ratios, and times into words."""
    from iotrace.analysis.curves.disk_times import TIMES
    from iotrace.analysis.curves.ratios import ABSORBED, RATIOS, absorbed, ratio

    sizes = rows["size_bytes"].to_pylist()
    columns = {curves.by: rows[curves.by]} if curves.by else {}
    columns["size"] = pa.array([shown_size(size) for size in sizes])
    columns |= {name: ratio(rows, name) for name in RATIOS}
    if curves.cache.syncs == "honour":
        known = absorbed(rows)
        columns[ABSORBED] = known if curves.knows_absorbed else pa.nulls(len(known), known.type)
    service_ns = pa.compute.add(*(rows[name] for name in TIMES)).to_pylist()
    columns |= disk_times(sizes, service_ns, curves.cache.device)
    return pa.table(columns)


def shown_size(size_bytes: int) -> str:
    """Write a cache's size, that of no cache as none."""
    return units.size(size_bytes) if size_bytes else "none"


def disk_times(
    sizes_bytes: Sequence[int], times_ns: Sequence[int | None], device: str
) -> dict[str, pa.Array]:
    """Return the columns of disk times and of what they save of that of the last size 0 before them."""
    shown, saved, without = [], [], 0
    for size, time in zip(sizes_bytes, times_ns, strict=True):
        shown.append(None if time is None else units.duration(time))
        if not size and time is not None:
            without = time
        saved.append(units.duration(without - time) if size and time is not None else None)
    return {
        f"disk time ({device})": pa.array(shown, pa.string()),
        "saved against none": pa.array(saved, pa.string()),
    }


PER_REQUEST = (
    "A request of more blocks than the cache holds is issued in pieces, each of which can miss; each block that a"
    " request wrote is expelled alone. So misses and expulsions per request can exceed 1."
)
WITHOUT = "Without a cache (none), each request is one access for all its blocks."
TOGETHER = (
    " The missing blocks of a request are read in one access; a dirty block that is expelled is written in one access"
    " with the dirty blocks next to it (--coalesce 100; --coalesce none writes each block alone)."
)
WRITTEN_ALONE = (
    " The missing blocks of a request are read in one access, and each block is written in one of its own"
    " (--coalesce none)."
)
NO_TIMES = (
    " Disk times with a cache are left out: writes of several blocks need a simulation of each size. iotrace curve"
    " makes it at --sizes, and of at most {most} references at the table's sizes, with one worker, without --by and"
    " --inodes-per-block, and with --write-policy allocate. --coalesce none charges each block written an access."
)


def _reading_aid(curves: Curves, alone: bool) -> str:
    from iotrace.analysis.curves.disk_times import FOLLOWED_AT_ONCE

    cache = curves.cache
    unknown = "; it is unknown after a warm-up, whose blocks are expelled, too" if cache.has_warm_up else ""
    syncs = (
        " Syncs are honoured: writes_absorbed is the share of the blocks written that are neither expelled nor synced,"
        f" nor dirty at the end (--syncs){unknown}."
        if cache.syncs == "honour"
        else " Syncs are ignored (--syncs)."
    )
    no_times = NO_TIMES.format(most=units.count(FOLLOWED_AT_ONCE))
    written = WRITTEN_ALONE if alone else TOGETHER if curves.write_times_ns else no_times
    return f"{PER_REQUEST} {disk_costs(cache)} {WITHOUT}{written}{syncs}"


def disk_costs(cache: Cache) -> str:
    """Say what an access to the disk takes."""
    return (
        f"Disk time, {cache.device}: {cache.overhead_ms:g} ms for each access and {cache.transfer_ms_per_kb:g} ms for"
        " each KB (--device, --overhead, --transfer)."
    )


def emit_policies(
    rows: pa.Table,
    policies: Sequence[str],
    block_bytes: int,
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

    warn_of_counts(tally(rows), where)
    if not output.is_table:
        output.emit(rows if alone else without_times(rows))
        return
    notes = [
        variants(policies),
        "as_good_as_lru_of is the smallest LRU cache whose request_miss_ratio is no higher.",
        f"{PER_REQUEST} Syncs are ignored; iotrace curve without --policy can honour them.",
    ]
    if output.is_to_read and {"slru", "lru"} <= set(policies):
        notes.append(_whether_segmented_lru_doubles(rows))
    output.emit(
        _policy_ratios(rows), f"Replacement policies, blocks of {units.size(block_bytes)}", "\n".join(notes)
    )


def _policy_ratios(rows: pa.Table) -> pa.Table:
    """Turn counts into ratios, size by size, with the LRU cache that does as well."""
    from iotrace.analysis.curves.ratios import RATIOS, ratio

    order = [("size_bytes", "ascending")]
    rows = rows.take(pa.compute.sort_indices(rows, sort_keys=order))
    sizes, equal = rows["size_bytes"].to_pylist(), rows["equal_lru_size_bytes"].to_pylist()
    columns = {"size": pa.array([units.size(size) for size in sizes]), "policy": rows["policy"]}
    columns |= {name: ratio(rows, name) for name in RATIOS}
    columns["as_good_as_lru_of"] = pa.array([units.size(size) for size in equal])
    columns["times_its_size"] = pa.array([lru / size for lru, size in zip(equal, sizes, strict=True)])
    return pa.table(columns)


def _whether_segmented_lru_doubles(rows: pa.Table) -> str:
    """Say whether segmented LRU misses no more than LRU of twice the size (Richardson 1994, 1.2)."""
    segmented = [row for row in rows.to_pylist() if row["policy"] == "slru"]
    sizes = [
        f"{units.size(row['size_bytes'])}: LRU of {units.size(row['equal_lru_size_bytes'])},"
        f" {row['equal_lru_size_bytes'] / row['size_bytes']:.2f} times"
        for row in segmented
    ]
    as_good = sum(row["equal_lru_size_bytes"] >= 2 * row["size_bytes"] for row in segmented)
    return (
        f"Segmented LRU is as good as LRU of twice the size or more at {as_good} of {len(segmented)} sizes"
        f" ({'; '.join(sizes)})."
    )


def draw_curves(curves: Curves, plot: Path | None, name: str) -> None:
    """Draw miss-ratio curves, in steps of an eighth of a doubling, as a page if one is asked for."""
    if plot is None:
        return
    from iotrace.reports.pages.curve import page
    from iotrace.reports.pages.write import write_page

    block = units.size(curves.cache.block_bytes)
    write_page(page(curves.table(curves.doublings(steps=8)), name, block, curves.by), plot)
