"""The figures of partitions whose requests are not read: caches by the states of their curves; others say why not."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
from iotrace.reports.pages.figures import Figure, Note
from iotrace.reports.pages.schemas import table_schema
from iotrace.reports.report.caches import captured
from iotrace.reports.report.section_results import SectionResults

from iotrace import units
from iotrace.analysis.curves import states
from iotrace.analysis.curves.curves import Curves
from iotrace.analysis.curves.device import SSD
from iotrace.analysis.curves.sizing import CurveHits
from iotrace.errors import IotraceError
from iotrace.store.store import Store

BLOCKS = "4 KB blocks"
LINES: Mapping[str, Mapping[str, Sequence[str]]] = {
    "unified": {BLOCKS: ("read_request_misses", "write_request_misses")},
    "disk_requests": {
        "both": ("read_request_misses", "write_expulsions"),
        "read misses": ("read_request_misses",),
        "blocks written": ("write_expulsions",),
    },
}
"""The counts that the lines of figures are sums of, per request."""
STEPS = 8
"""The sizes between two powers of two at which a line is drawn."""
MOST_STATE_BYTES = 64 << 20
"""Larger states are left to iotrace merge-curves: these take some 20 s of a processor to merge."""
IGNORED = "From the states that were kept with the partitions: deletions and syncs are ignored."
NEEDED = "Left out: it needs the requests, and this page reads none (--since instead of --last reads them)."
WHY_NO_ADVICE = "rules need the requests, and this page reads none"


def curves_of(store: Store) -> Curves:
    """Return the curves of a store of partitions; raises IotraceError where a partition has no state."""
    if store.kept is None or not store.kept.states:
        raise IotraceError("a partition has no state of its curve")
    state_bytes = sum(path.stat().st_size for path in store.kept.states)
    if state_bytes > MOST_STATE_BYTES:
        raise IotraceError(
            f"merging {units.size(state_bytes)} of states takes long; iotrace merge-curves"
            f" {shlex.quote(str(store.kept.states[0].parent))} --last TIME does it"
        )
    return states.merged(store.kept.states).curves(SSD.overhead_ms, SSD.transfer_ms_per_kb)


def add(parts: SectionResults, figures: Sequence[Figure], curves: Curves | None, why_not: str | None) -> None:
    """Add the tables of figures that are made from the store."""
    for figure in figures:
        if figure.query is not None or figure.producer == "reliability":
            continue
        if figure.producer == "caches" and (figure.id in LINES or figure.draw == "capture"):
            if curves is None:
                parts.failures[figure.id] = Note(f"Left out: {why_not}.", is_not_computed=True)
                continue
            parts.tables[figure.id] = (
                _capture(figure, curves) if figure.draw == "capture" else _lines(figure, curves)
            )
            parts.notes[figure.id] = Note(IGNORED)
        else:
            parts.failures[figure.id] = Note(NEEDED, is_not_computed=True)


def _lines(figure: Figure, curves: Curves) -> pa.Table:
    rows: list[dict[str, Any]] = []
    for row in curves.table(curves.doublings(STEPS)).to_pylist():
        requests = row["read_requests"] + row["write_requests"]
        rows += [
            {
                "line": line,
                "size_bytes": row["size_bytes"],
                "value": sum(row[name] for name in names) / requests,
            }
            for line, names in LINES[figure.id].items()
            if requests
        ]
    order = {line: number for number, line in enumerate(LINES[figure.id])}
    rows.sort(key=lambda row: (order[row["line"]], row["size_bytes"]))
    return pa.Table.from_pylist(rows, schema=table_schema("figure_line"))


def _capture(figure: Figure, curves: Curves) -> pa.Table:
    hits = CurveHits(curves)
    (whole,) = curves.table([hits.block_bytes]).to_pylist()
    rows = captured(figure.lines[0].label, hits, whole["read_requests"] + whole["write_requests"])
    return pa.Table.from_pylist(rows, schema=table_schema("capture"))
