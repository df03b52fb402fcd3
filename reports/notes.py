"""What a reader must know of a figure on this trace alone: where the clock of its log is too coarse for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from iotrace import units

if TYPE_CHECKING:
    import pyarrow as pa

    from iotrace.store import Store

WINDOWS = ("requests_over_time", "bytes_over_time", "working_set_over_time")
"""Figures that divide the trace into windows."""
INTERVALS = ("interarrival", "read_after_write", "lifetimes")
"""Figures of times between events."""
FINE_NS = 1000
"""Stamps to the microsecond, as strace's own by default, need no note."""


def notes(store: Store, tables: Mapping[str, pa.Table]) -> dict[str, str]:
    """Return a sentence for each figure that wants one, by its id; `tables` are those of the figures."""
    resolution = store.manifest["times"].get("resolution_ns")
    if resolution is None or resolution <= FINE_NS:
        return {}
    stamps = f"The log's time stamps are to {units.duration(resolution)}"
    found = {}
    for name in WINDOWS:
        if (table := tables.get(name)) is not None and table.num_rows:
            (first,) = table.slice(0, 1).select(["start_ns", "end_ns"]).to_pylist()
            width = first["end_ns"] - first["start_ns"]
            if width <= resolution:
                found[name] = f"{stamps}: a window cannot be shorter."
    for name in INTERVALS:
        if (table := tables.get(name)) is not None and table.num_rows:
            found[name] = f"{stamps}: a shorter time shows as 0, or as {units.duration(resolution)}."
    return found
