"""The page that lists several traces: a row each, which links to the trace's report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
from iotrace.reports.pages import drawings
from iotrace.reports.pages.compose import GENERATOR
from iotrace.reports.pages.escape import printable
from iotrace.reports.pages.templates import styles, template
from iotrace.reports.report.data import Evidence
from markupsafe import Markup

from iotrace import __version__, units
from iotrace.store.store import Store

PAGE = "index.html"
UNKNOWN = "unknown"
OVER_TIME = ("calls_over_time", "disk_load_over_time", "requests_over_time")
"""The statistics of which the first that a trace has is drawn."""
MOVED = ("bytes_read", "bytes_written", "bytes_of_others")


@dataclass(frozen=True)
class Entry:
    """A row: a trace and its page, or why it has none."""

    name: str
    page: str | None
    sentence: str
    time: str = UNKNOWN
    moved: str = UNKNOWN
    knee: str = UNKNOWN
    spark: str = ""


def entry(name: str, page: str, store: Store, evidence: Evidence) -> Entry:
    """Return the row of a trace whose report is on this page."""
    cache = evidence.lru
    knee = None if cache is None else cache.knee
    return Entry(
        name,
        page,
        evidence.screen.headline.sentence,
        UNKNOWN if store.length_ns is None else units.duration(store.length_ns),
        UNKNOWN if evidence.moved_bytes is None else units.size(evidence.moved_bytes),
        "none" if knee is None else _size(knee, cache is None or cache.is_in_bytes),
        _spark({**evidence.tables, **evidence.over_time}),
    )


def failed(name: str, why: str) -> Entry:
    """Return the row of a trace that has no report."""
    return Entry(name, None, f"No report: {why}", "", "", "")


def index(entries: Sequence[Entry]) -> str:
    """Return the page."""
    return template("index.html", "iotrace.reports.report").render(
        generator=GENERATOR,
        version=__version__,
        entries=entries,
        traces=f"{len(entries):,} traces",
        **styles(),
        printable=printable,
    )


def _size(knee: int, is_in_bytes: bool) -> str:
    return units.size(knee) if is_in_bytes else f"{units.count(knee)} objects"


def _spark(tables: dict[str, pa.Table]) -> Markup:
    """Return bytes over time, without a drawing for a trace that has no times or moves none."""
    name = next((name for name in OVER_TIME if name in tables and tables[name].num_rows), None)
    moved, ends = Counter[int](), dict[int, int]()
    for row in tables[name].to_pylist() if name else []:
        moved[row["start_ns"]] += sum(row.get(column) or 0 for column in MOVED)
        ends[row["start_ns"]] = row["end_ns"]
    windows = [(start, ends[start], moved[start]) for start in sorted(moved)]
    if not any(moved.values()):
        return Markup()
    most = max(windows, key=lambda window: window[2])
    words = f"Bytes over time, most from {units.duration(most[0])} on: {units.size(most[2])}."
    return drawings.spark(windows, words)
