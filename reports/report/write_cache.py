"""The report's section on write caches: the policies of Biswas et al. (1993) compared, and a sweep of sizes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa
from iotrace.reports.pages.figures import Note
from iotrace.reports.pages.schemas import table_schema

from iotrace import units
from iotrace.errors import IotraceError
from iotrace.simulate.disk import drive
from iotrace.simulate.write_cache.loads import Load, loads_of
from iotrace.simulate.write_cache.metrics import SATURATED_PERCENT
from iotrace.simulate.write_cache.runs import Runs
from iotrace.simulate.write_cache.settings import Settings
from iotrace.store.store import Store

DRIVE = "sata-7200"
"""The largest drive of the library, and the only modern one: nearly every trace fits, and few saturate it."""
_TRACK: dict[str, Any] = {"unit": "track"}
_CYLINDER: dict[str, Any] = {"unit": "cylinder"}
POLICIES: tuple[tuple[str, Settings], ...] = (
    ("no write cache", Settings(write_cache_bytes=0)),
    ("as soon as possible, tracks", Settings(purge="asap", **_TRACK)),
    ("one threshold, tracks", Settings(purge="one-threshold", **_TRACK)),
    ("two, tracks", Settings(**_TRACK)),
    ("two, tracks, free piggybacking", Settings(piggyback="free", **_TRACK)),
    ("two, tracks, full piggybacking", Settings(piggyback="full", **_TRACK)),
    ("two, cylinders", Settings(**_CYLINDER)),
    ("two, cylinders, free piggybacking", Settings(piggyback="free", **_CYLINDER)),
    ("two, cylinders, full piggybacking", Settings(piggyback="full", **_CYLINDER)),
)
"""The cases that the table compares; other settings of caches and thresholds are the defaults of `Settings`."""
MOST_REQUESTS = 50_000
"""The most requests of a trace that are simulated: each of 36 controllers takes 2 µs for a request."""
SIZES_BYTES = tuple(2**power for power in range(24, 33))
"""The write caches of the sweep: 16 MB to 4 GB."""
SWEPT = (
    ("writes, no piggybacking", "w_wc", Settings()),
    ("writes, full cylinder piggybacking", "w_wc", Settings(unit="cylinder", piggyback="full")),
    ("reads", "r_wc", Settings()),
)
"""The lines of the sweep: their metrics, and their settings except for the size."""


def tables(store: Store, progress: Callable[[str], None]) -> tuple[dict[str, pa.Table], dict[str, Note]]:
    """Return the tables of the report's section on write caches, and what to say of them, by figure.

    They are of the busiest disk alone. Without rows, and with the reason, where the trace does not say what is read and
    what is written, or its requests touch too many blocks.
    """
    rows: list[dict[str, Any]] = []
    points: list[dict[str, Any]] = []
    try:
        loads = loads_of(store, "the trace")
        replay = "open" if loads[0].is_timed else "closed"
        runs = Runs("the trace", store, (loads[0].device,), drive(DRIVE), replay, most_rows=MOST_REQUESTS)
        swept = [_sized(settings, size) for _, _, settings in SWEPT for size in SIZES_BYTES]
        runs.prepare([*(settings for _, settings in POLICIES), *swept], progress)
        rows = [_row(label, runs.metrics(settings)) for label, settings in POLICIES]
        points = _points(runs)
        note = Note(_sentences(runs, loads))
    except IotraceError as error:
        note = Note(f"Not simulated: {error}.", is_not_computed=True)
    results = {
        "write_cache_policies": pa.Table.from_pylist(rows, schema=table_schema("write_cache_policies")),
        "write_cache_sizes": pa.Table.from_pylist(points, schema=table_schema("write_cache_sizes")),
    }
    return results, dict.fromkeys(results, note)


def _sized(settings: Settings, size_bytes: int) -> Settings:
    return replace(settings, write_cache_bytes=size_bytes)


def _row(label: str, run: dict[str, Any]) -> dict[str, Any]:
    return {
        "policy": label,
        "writes_percent": run["w_wc"],
        "reads_percent": run["r_wc"],
        "stalls_percent": run["io_stall"],
        "read_queue_ms": run["read_queue_ms"],
        "read_service_ms": run["read_service_ms"],
        "write_service_ms": run["write_service_ms"],
        "piggybacking_percent": run["piggyback_success"],
        "busy_percent": run["disk_busy"],
        "dirty_at_end_blocks": run["dirty_at_end"],
        "dirty_at_end_percent": run["dirty_at_end_percent"],
    }


def _points(runs: Runs) -> list[dict[str, Any]]:
    return [
        {"line": label, "trace": "", "size_bytes": size, "value": value / 100, "printed": True}
        for label, metric, settings in SWEPT
        for size in SIZES_BYTES
        if (value := runs.metrics(_sized(settings, size))[metric]) is not None
    ]


def _sentences(runs: Runs, loads: Sequence[Load]) -> str:
    """Say which disk was simulated on what, and how its block numbers and its load fit."""
    load, disks = loads[0], len(loads)
    text = f"Device {load.name or load.device}" + (f", the busiest of {disks}," if disks > 1 else "")
    text += f" on a drive of {drive(DRIVE).name}."
    if runs.is_cut:
        text += f" Its first {units.count(MOST_REQUESTS)} requests were simulated; iotrace write-cache simulates all."
    if runs.refitted:
        text += f" {units.count(runs.refitted)} requests are beyond its end and were wrapped onto it."
    if not load.is_timed:
        text += " The trace has no times: each request comes when the one before is answered."
    offered = runs.offered_load_percent
    if offered is not None and offered > SATURATED_PERCENT:
        text += (
            f" Without a write cache the offered load is {units.percent(offered)} of what it can do: its queue grew"
            " with the trace, and waiting times mean little."
        )
    return text
