"""The report's section on caches of objects, for traces of caches: their misses by size, and which size is enough."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
from iotrace.reports.pages.figures import Note
from iotrace.reports.pages.schemas import table_schema

from iotrace import units
from iotrace.analysis.answers.cache import ObjectCurves
from iotrace.analysis.curves.object_requests import states_times_to_live
from iotrace.analysis.curves.sizing import SHARES
from iotrace.store.store import Store

TABLES = ("object_misses", "object_shares")
LINES = {"requests": "request", "bytes": "byte"}
"""The lines of the figure, and what their columns begin with."""
NO_SIZES = "The trace does not state the sizes of objects, so that caches cannot be sized in bytes"
ENDLESS = (
    "Objects do not expire here, though the trace has times to live: iotrace curve --ttl lazy counts that."
)


def tables(
    store: Store, progress: Callable[[str], None], curves: ObjectCurves | None = None
) -> tuple[dict[str, pa.Table], dict[str, Note]]:
    """Return the tables of the section, and what to say of them, by figure; `curves` are the store's, if asked before.

    The figure's has no rows, and its note says so, where the trace does not state the sizes of objects.
    """
    progress("simulating caches of objects")
    known = curves or ObjectCurves(store)
    notes = {name: Note(ENDLESS) for name in TABLES if states_times_to_live(store)}
    if "bytes" not in known.curves:
        notes["object_misses"] = Note(f"{NO_SIZES}; iotrace curve counts objects.", is_not_computed=True)
    points = _points(known.curves["bytes"]) if "bytes" in known.curves else []
    results = {
        "object_misses": pa.Table.from_pylist(points, schema=table_schema("figure_line")),
        "object_shares": pa.Table.from_pylist(_shares(known), schema=table_schema("object_shares")),
    }
    return results, notes


def sentences(shares: pa.Table) -> list[str]:
    """Return which sizes are enough, for the page's beginning; nothing without hits."""
    sizes = {row["share_percent"]: row for row in shares.to_pylist()}
    if not sizes:
        return []
    parts = [f"{_size(sizes[percent])} has {percent} %" for percent in SHARES]
    return [f"Of the hits that an unlimited LRU cache has, one of {', '.join(parts[:-1])}, and {parts[-1]}."]


def _size(row: dict[str, Any]) -> str:
    objects = f"{units.count(row['size_objects'])} objects"
    return objects if row["size_bytes"] is None else f"{units.size(row['size_bytes'])} ({objects})"


def _points(curve: pa.Table) -> list[dict[str, Any]]:
    """Return the misses over all requests, and their bytes over all bytes, by the size of the cache."""
    return [
        {"line": label, "size_bytes": row["size"], "value": row[f"{name}_misses"] / row[f"{name}s"]}
        for label, name in LINES.items()
        for row in curve.to_pylist()
        if row[f"{name}s"]
    ]


def _shares(curves: ObjectCurves) -> list[dict[str, Any]]:
    """Return the smallest sizes that have shares of the hits of the largest; none where nothing hits."""
    rows = []
    for percent in SHARES:
        sizes = {f"size_{unit}": curves.size_for(unit, percent) for unit in curves.curves}
        if any(size is not None for size in sizes.values()):
            rows.append({"share_percent": percent, "size_bytes": None, **sizes})
    return rows
