"""The tables of ``iotrace curve --sample`` as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iotrace import units
from iotrace.cli.options.policies import variants
from iotrace.cli.output import Output
from iotrace.cli.tables.curve import warn_of_counts
from iotrace.cli.terminal import warn_of
from iotrace.libraries import np, pa

if TYPE_CHECKING:
    from iotrace.analysis.curves.bands import Band
    from iotrace.analysis.curves.sampled import SampledCurves

RATIOS = {
    "block_miss_ratio": ("block_misses", "block_references"),
    "write_expulsion_ratio": ("write_expulsions", "write_requests"),
}
"""The ratios shown, of which counts: the first is estimated, the second known."""
BY_DIRECTION = {
    "read_block_miss_ratio": ("read_block_misses", "read_block_references"),
    "write_block_miss_ratio": ("write_block_misses", "write_block_references"),
}
_PER_BLOCK = (
    "Requests of several blocks cannot be told from a sample of single blocks: misses are of blocks, and csv, json and"
    " parquet have misses of requests for exact sizes only."
)


def described(curves: SampledCurves) -> str:
    """Say of what the curve is an estimate."""
    whole = curves.counts["requests"] and sum(demand[1] + demand[3] for demand in curves.demands)
    of = f"{units.count(curves.sampled_references)} references of {units.count(whole)}"
    why = f" ({curves.sampling.reason})" if curves.sampling.reason else ""
    if curves.rate == 1:
        return f"all blocks are in the sample ({of}): exact{why}"
    exact = (
        f"; exact up to {units.size(curves.head_blocks * curves.cache.block_bytes)}"
        if curves.head_blocks
        else ""
    )
    return (
        f"estimated from {shown_rate(curves.rate)} of the blocks ({of}), 95 % bands by jackknife over"
        f" {curves.sampling.groups} groups{exact}{why}"
    )


def shown_rate(rate: float) -> str:
    """Write a rate as a percentage, of two digits or more."""
    return f"{100 * rate:.2g} %" if 100 * rate < 1 else f"{100 * rate:.1f} %"


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

    _warn(curves, where)
    if not output.is_table:
        rows = curves.table(sizes_bytes)
        output.emit(rows if alone else without_times(rows))
        return
    title = f"LRU, blocks of {units.size(curves.cache.block_bytes)}: {described(curves)}"
    notes = [
        "95 %: the band contains the exact value with a probability of 95 % at each size; all sizes: at all sizes of"
        " the table at once. An exact value has no band.",
        *([] if curves.has_single_blocks else [_PER_BLOCK]),
    ]
    output.emit(_ratios(curves, sizes_bytes or curves.doublings()), title, "\n".join(notes))


def _warn(curves: SampledCurves, where: str | None) -> None:
    """Say what was guessed of the stream, and where the sample is too small for a band."""
    from iotrace.analysis.curves.bands import FEWEST_BLOCKS

    warn_of_counts(curves.counts, where)
    if curves.rate < 1 and curves.sampled_blocks < FEWEST_BLOCKS:
        warn_of(
            f"the sample has {units.plural(curves.sampled_blocks, 'block', 'blocks')}, too few for a band: beyond the"
            " exact sizes it spans all that is possible; choose a larger --sample"
        )


def _ratios(curves: SampledCurves, sizes_bytes: Sequence[int]) -> pa.Table:
    """Return the ratios at sizes, with bands in words, of each component."""
    sizes = np.array(curves.cache.sizes_blocks(sizes_bytes), np.float64)
    parts = []
    for number, value in curves.shown_components():
        columns = {curves.by: pa.array([str(value)] * len(sizes))} if curves.by else {}
        columns["size"] = pa.array([units.size(size) for size in sizes_bytes])
        columns |= _in_words(curves.bands(number, sizes), curves.totals(number))
        parts.append(pa.table(columns))
    return pa.concat_tables(parts, promote_options="default")


def _in_words(bands: Mapping[str, Band], whole: Mapping[str, int]) -> dict[str, pa.Array]:
    """Return columns of ratios and their bands; without both reads and writes, no ratios of one direction."""
    both = whole["read_block_references"] and whole["write_block_references"]
    columns = {}
    for name, (counted, of) in (RATIOS | BY_DIRECTION if both else RATIOS).items():
        divided = bands[counted].over(whole[of])
        if divided is None:
            continue
        if name == "block_miss_ratio":
            columns[name] = pa.array([f"{value:.4g}" for value in divided.estimate])
            columns["95 %"] = pa.array(_ends(divided.low, divided.high))
            columns["all sizes"] = pa.array(_ends(divided.low_all, divided.high_all))
        else:
            ends = zip(divided.estimate, _ends(divided.low, divided.high), strict=True)
            columns[f"{name} (95 %)"] = pa.array(
                [f"{value:.4g} ({band})" if band else f"{value:.4g}" for value, band in ends]
            )
    return columns


def _ends(low: Any, high: Any) -> list[str]:
    return ["" if a == b else f"{a:.4f} to {b:.4f}" for a, b in zip(low, high, strict=True)]


def emit_sampled_policies(
    rows: pa.Table, curves: SampledCurves, policies: Sequence[str], where: str | None, output: Output
) -> None:
    """Write estimates of replacement policies: for a terminal as ratios, size by size, otherwise the counts."""
    _warn(curves, where)
    if not output.is_table:
        output.emit(rows)
        return
    rows = rows.sort_by([("size_blocks", "ascending")])
    columns = {
        "size": pa.array([units.size(size) for size in rows["size_bytes"].to_pylist()]),
        "policy": rows["policy"],
        **_in_words(_bands_of(rows), curves.totals(0)),
    }
    title = f"Replacement policies, blocks of {units.size(curves.cache.block_bytes)}: {described(curves)}"
    note = "\n".join(
        [variants(policies), "all sizes: at all sizes of one policy at once. Syncs are ignored."]
    )
    output.emit(pa.table(columns), title, note)


def _bands_of(rows: pa.Table) -> dict[str, Band]:
    """Return the bands of a table of estimates."""
    from iotrace.analysis.curves.bands import Band
    from iotrace.analysis.curves.sampled import COUNTS, ENDS

    return {
        name: Band(*(rows[column].to_numpy() for column in (name, *(f"{name}_{end}" for end in ENDS))))
        for name in COUNTS
    }


def draw_sampled(curves: SampledCurves, plot: Path | None, name: str) -> None:
    """Draw estimated miss ratios and their bands, in steps of an eighth of a doubling, as a page if asked for."""
    if plot is None:
        return
    from iotrace.reports.pages.curve import sampled_page
    from iotrace.reports.pages.write import write_page

    sizes_bytes = curves.doublings(steps=8)
    sizes = np.array(curves.cache.sizes_blocks(sizes_bytes), np.float64)
    lines = {}
    for number, value in curves.shown_components():
        divided = curves.bands(number, sizes)["block_misses"].over(curves.totals(number)["block_references"])
        if divided is not None:
            lines["all blocks" if curves.by is None else str(value)] = divided
    block = units.size(curves.cache.block_bytes)
    write_page(sampled_page(lines, sizes_bytes, name, block, described(curves)), plot)
