"""The tables of ``iotrace attribute`` as a person reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iotrace.cli.output import PIECES, Output
from iotrace.cli.tables.curve import disk_costs
from iotrace.cli.tables.remapping import emit_advice, emit_learnt
from iotrace.cli.terminal import warn_of_all
from iotrace.files import write_text
from iotrace.files.remote import Place

if TYPE_CHECKING:
    from iotrace.analysis.curves.cache import Cache
    from iotrace.simulate.attribute.simulation import Result


def emit_attribute(result: Result, cache: Cache, plot: Place | None, output: Output) -> None:
    """Write the tables and the comparison's plot; print the warnings first."""
    from iotrace.reports.pages.charts.comparison_plot import comparison_plot

    warn_of_all(result.warnings)
    if plot is not None:
        write_text(plot, comparison_plot(result.tables["comparison"]))
    tables = result.tables
    emit_moves = {"remapping": emit_advice, "learnt": emit_learnt}
    if name := next((name for name in emit_moves if name in tables), None):
        emit_moves[name](tables, output)
        return
    if output.is_table:
        note = " ".join([*(NOTES[name] for name in tables if name in NOTES), disk_costs(cache)])
        output.emit_many({TITLES[name]: table for name, table in tables.items()}, note, device=cache.device)
        return
    if len(tables) == 1:
        (table,) = tables.values()
        tables = {"": table}
    output.emit_many(tables)


TITLES = {
    "comparison": "Compared with the Unix baseline (32K/128 inode, x/4K Unix) and the best partition",
    "least_regret": "The partition that is nearest to each trace's own best",
    "counts": "Counts",
    "adaptive": "Subcaches of variable size, compared with the fixed scheme and the best fixed partition",
}
_UNCACHED = (
    "What has no subcache, or one of size 0, is one disk request each, so that no subcache can look better than one"
    " too small."
)
NOTES = {
    "comparison": f"{PIECES} {_UNCACHED} Cost is what --best makes least; the best partition is the best of --space"
    " (iotrace attribute --help).",
    "adaptive": "Cost is what --best makes least. The best fixed partition has the same classes and blocks.",
    "counts": f"{PIECES} {_UNCACHED}",
}
"""The sentences below the tables."""
