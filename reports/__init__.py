"""Reports: figures declared as data (figures.toml), drawn by Plotly into one self-contained HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iotrace.reports.evidence import Evidence, Progress, collect
from iotrace.reports.page import GENERATOR, render
from iotrace.reports.place import is_report, refuse_to_overwrite, write
from iotrace.reports.registry import figures

if TYPE_CHECKING:
    from iotrace.store import Store

__all__ = [
    "GENERATOR",
    "Evidence",
    "collect",
    "figures",
    "is_report",
    "refuse_to_overwrite",
    "render",
    "report",
    "write",
]


def report(store: Store, progress: Progress = lambda doing: None) -> str:
    """Return the HTML report of a store, a single file of under 6 MB whatever the trace."""
    evidence = collect(store, figures(store.family), progress)
    progress("writing the page")
    return render(store, evidence)
