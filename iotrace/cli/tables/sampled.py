"""The tables of ``iotrace curve --sample`` as a person reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from iotrace import units
from iotrace.cli.options.policies import variants
from iotrace.cli.output import Output
from iotrace.cli.tables.curve import warn_of_counts
from iotrace.cli.terminal import warn_of_all

if TYPE_CHECKING:
    import pyarrow as pa

    from iotrace.analysis.curves.sampled import SampledCurves

_PER_BLOCK = (
    "Requests of several blocks cannot be told from a sample of single blocks: misses are of blocks, and csv, json and"
    " parquet have misses of requests for exact sizes only."
)


def _warn(curves: SampledCurves, where: str | None) -> None:
    from iotrace.analysis.curves.sampled_sentences import too_small

    warn_of_counts(curves.counts, where)
    warn_of_all(too_small(curves))


def emit_sampled(
    curves: SampledCurves,
    sizes_bytes: Sequence[int] | None,
    where: str | None,
    output: Output,
    *,
    alone: bool,
) -> None:
    """Write estimates and their bands: for a terminal as ratios, otherwise the counts.

    Disk times are estimated where each block is written `alone`; a sample does not tell which neighbours are dirty.
    """
    from iotrace.analysis.curves.disk_times import without_times
    from iotrace.analysis.curves.sampled_sentences import described

    _warn(curves, where)
    if not output.is_table:
        rows = curves.table(sizes_bytes)
        output.emit(rows if alone else without_times(rows))
        return
    title = f"LRU, blocks of {units.size(curves.cache.block_bytes)}: {described(curves)}"
    bands = (
        "95 %: the band contains the exact value with a probability of 95 % at each size; all sizes: that of block"
        " misses at all sizes of the table at once. An exact value has no band."
    )
    is_exact = curves.rate == 1
    notes = [
        "Without --sample the table also has requests and disk times." if is_exact else bands,
        *([] if is_exact or curves.has_single_blocks else [_PER_BLOCK]),
    ]
    output.emit(curves.table(sizes_bytes or curves.doublings()), title, "\n".join(notes))


def emit_sampled_policies(
    rows: pa.Table, curves: SampledCurves, policies: Sequence[str], where: str | None, output: Output
) -> None:
    """Write estimates of replacement policies: for a terminal as ratios, size by size, otherwise the counts."""
    from iotrace.analysis.curves.sampled_sentences import described

    _warn(curves, where)
    if not output.is_table:
        output.emit(rows)
        return
    title = f"Replacement policies, blocks of {units.size(curves.cache.block_bytes)}: {described(curves)}"
    note = "\n".join(
        [variants(policies), "all sizes: at all sizes of one policy at once. Syncs are ignored."]
    )
    output.emit(rows.sort_by("size_blocks"), title, note)
