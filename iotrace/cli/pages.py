"""The pages that commands write next to their tables."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from iotrace import units
from iotrace.cli.inputs import names_of
from iotrace.cli.tables.compare import times_by_grouping
from iotrace.cli.terminal import print
from iotrace.files import write_text
from iotrace.files.remote import Place
from iotrace.libraries import np

if TYPE_CHECKING:
    from iotrace.analysis.compare import Comparison
    from iotrace.analysis.curves.curves import Curves
    from iotrace.analysis.curves.sampled import SampledCurves
    from iotrace.analysis.grouping import Grouping
    from iotrace.analysis.patterns.study import Subject
    from iotrace.simulate.disk import Description
    from iotrace.store.store import Store


def draw_curves(curves: Curves, plot: Place | None, name: str) -> None:
    """Draw miss-ratio curves, in steps of an eighth of a doubling, as a page if one is asked for."""
    if plot is None:
        return
    from iotrace.reports.pages.curve import page
    from iotrace.reports.pages.write import write_page

    block = units.size(curves.cache.block_bytes)
    write_page(page(curves.table(curves.doublings(steps=8)), name, block, curves.by), plot)


def draw_sampled(curves: SampledCurves, plot: Place | None, name: str) -> None:
    """Draw estimated miss ratios and their bands, in steps of an eighth of a doubling, as a page if asked for."""
    if plot is None:
        return
    from iotrace.analysis.curves.sampled_sentences import described
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


def write_patterns(store: Store, subjects: Sequence[Subject], path: Place, is_all: bool) -> None:
    """Write the page, and say where: on standard error, unless it is all that is written."""
    from iotrace.reports.pages.patterns import page
    from iotrace.reports.pages.write import write_page

    sources = store.manifest.get("sources") or []
    name = Path(sources[0]).name if sources and sources[0] != "-" else store.path.name
    write_page(page(name, subjects), path)
    if is_all:
        print(path)
    else:
        print(f"iotrace: wrote the page {path}", file=sys.stderr)


def write_comparison(
    comparison: Comparison, a: Sequence[Store], b: Sequence[Store], groupings: Sequence[Grouping], path: Place
) -> None:
    """Write the page, and print its path."""
    from iotrace.analysis.compare.changes import advice_changes, known, table, time_tree
    from iotrace.reports.pages.compare import page
    from iotrace.reports.pages.write import write_page

    times = times_by_grouping(comparison, a, b, groupings, None)
    tree = time_tree(a, b) if times else None
    named = (_name_of(a), _name_of(b))
    parts = [
        (f"Part of {name}", side[0].manifest["part"]["covers"])
        for name, side in zip(named, (a, b), strict=True)
        if "part" in side[0].manifest
    ]
    html = page(comparison, table(known(comparison)), times, tree, advice_changes(a, b), named, parts)
    write_page(html, path)
    print(path)


def _name_of(stores: Sequence[Store]) -> str:
    names = list(names_of([Path(store.name) for store in stores]))
    return names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")


LONGEST_PLOT_NAME = 80


def draw_seek_curve(drive: Description, plot: Place) -> None:
    """Draw the seek curve of a drive as SVG."""
    from iotrace.reports.pages.charts.seek_plot import seek_plot

    title = f"Seek times of {drive.name[:LONGEST_PLOT_NAME]}"
    write_text(plot, seek_plot(title, drive.native.seek_ns(), drive.seek.table_ms))
